"""Bristles under varying loads, on moving surfaces and at two elements, against independent.py."""

import numpy as np
import pytest

import stickslip as ss

from . import independent as own
from .test_laws import LUGRE, MAXWELL, TIMES, TWO_STATE, block, difference, push

OMEGA = 7.0
LAWS = {
    "lugre": (LUGRE, own.LuGre()),
    "maxwell slip": (MAXWELL, own.MaxwellSlip()),
    "two-state": (TWO_STATE, own.TwoState()),
}


def load(t):
    return 1.0 + 0.5 * np.sin(OMEGA * t)


def belt(t):
    return 0.05 * np.sin(OMEGA * t)


def belt_rate(t):
    return 0.05 * OMEGA * np.cos(OMEGA * t)


FREQUENCY = OMEGA / (2 * np.pi)


@pytest.mark.parametrize("name", LAWS)
def test_varying_load_agrees_with_independent_solution(name):
    law, written = LAWS[name]
    y = own.Motion(1.0, 50.0, 0.0, push, [own.Element(written, load=load)]).run(TIMES)
    run = ss.simulate(
        block(law, normal_load=1.0 + ss.Sine(0.5, frequency=FREQUENCY)), 3.0, t_eval=TIMES, rtol=1e-10
    )
    assert difference(run, y) < 1e-8


@pytest.mark.parametrize("name", LAWS)
def test_moving_surface_agrees_with_independent_solution(name):
    law, written = LAWS[name]
    y = own.Motion(1.0, 50.0, 0.0, push, [own.Element(written, surface=belt, surface_rate=belt_rate)]).run(
        TIMES
    )
    machine = block(law, surface_velocity=ss.Sine(0.05, frequency=FREQUENCY))
    run = ss.simulate(machine, 3.0, t_eval=TIMES, rtol=1e-10)
    assert difference(run, y) < 2e-8


def test_jumping_belt_agrees_with_independent_solution():
    """The surface starts with 0.1 m/s at t = 0 and turns round at 1 s: a jump of the signal."""
    law, written = LAWS["maxwell slip"]
    surface = ss.Piecewise([0.0, 1.0, 1.0, 2.0], [0.1, 0.1, -0.1, -0.1])
    motion = own.Motion(1.0, 50.0, 0.0, lambda t: 0.0, [own.Element(written, surface=lambda t: 0.1)])
    motion.modes = [-1]
    before = TIMES[TIMES < 1.0]
    y = motion.run(np.append(before, 1.0))
    second = own.Motion(1.0, 50.0, 0.0, lambda t: 0.0, [own.Element(written, surface=lambda t: -0.1)])
    y = np.hstack([y[:, :-1], second.run(TIMES[TIMES >= 1.0] - 1.0, y0=y[:, -1])])
    m = ss.Machine(mass=1.0, stiffness=50.0, names=["block"])
    m.add_friction("f", on="block", law=law, surface_velocity=surface)
    run = ss.simulate(m, 3.0, t_eval=TIMES, rtol=1e-10)
    assert difference(run, y) < 2e-8


@pytest.mark.parametrize("other", ["lugre", "two-state", "maxwell slip"])
def test_two_bristles_in_one_machine_agree_with_independent_solution(other):
    """Two masses; LuGre on the first against ground, another bristle between them."""
    law, written = LAWS[other]
    mass, stiffness, damping = np.diag([1.0, 0.5]), [[60.0, -20.0], [-20.0, 20.0]], np.diag([0.1, 0.0])
    motion = own.Motion(
        mass,
        stiffness,
        damping,
        lambda t: np.array([push(t), 0.0]),
        [own.Element(own.LuGre(), w=(1.0, 0.0)), own.Element(written, w=(-1.0, 1.0), load=lambda t: 0.6)],
    )
    y = motion.run(TIMES)
    m = ss.Machine(mass=mass, stiffness=stiffness, damping=damping, names=["a", "b"])
    m.add_force("a", ss.Sine(3.0, frequency=4.4 / (2 * np.pi)))
    m.add_friction("ground", on="a", law=LUGRE)
    m.add_friction("joint", on=("b", "a"), law=law, normal_load=0.6)
    for method in ("auto", "stiff"):
        run = ss.simulate(m, 3.0, t_eval=TIMES, rtol=1e-10, method=method)
        assert len(motion.reversals) >= 4, len(motion.reversals)
        assert difference(run, y) < 2e-8


def test_bristle_beside_a_sticking_element_agrees_with_independent_solution():
    """Coulomb between two masses while LuGre slides below: modes of one, velocity reversals of the other."""

    class Dry(own.Law):
        holds = True

        def slip(self, v, z, side, branch):
            return 0.5 * side, []

        def rest(self, z):
            return -0.7, 0.7

    mass, stiffness = np.diag([1.0, 0.5]), [[60.0, -20.0], [-20.0, 20.0]]
    motion = own.Motion(
        mass,
        stiffness,
        np.zeros((2, 2)),
        lambda t: np.array([push(t), 0.0]),
        [own.Element(own.LuGre(), w=(1.0, 0.0)), own.Element(Dry(), w=(-1.0, 1.0))],
    )
    y = motion.run(TIMES)
    m = ss.Machine(mass=mass, stiffness=stiffness, names=["a", "b"])
    m.add_force("a", ss.Sine(3.0, frequency=4.4 / (2 * np.pi)))
    m.add_friction("ground", on="a", law=LUGRE)
    m.add_friction("joint", on=("b", "a"), law=ss.Coulomb(static=0.7, kinetic=0.5))
    run = ss.simulate(m, 3.0, t_eval=TIMES, rtol=1e-10)
    assert len(run.events) >= 2
    assert difference(run, y) < 2e-8


@pytest.mark.parametrize(
    "law", [LUGRE, MAXWELL, TWO_STATE, LUGRE + ss.Coulomb(static=0.5, kinetic=0.4)], ids=repr
)
def test_resumed_run_is_bitwise_equal(law):
    """Stopped at 37 odd times, pickled or not, the run ends in the same state as in one go."""
    import pickle

    machine = block(law, normal_load=1.0 + ss.Sine(0.5, frequency=FREQUENCY))
    whole = ss.simulate(machine, 3.0, rtol=1e-8)
    state = None
    for t in np.append(np.sort(np.random.default_rng(3).uniform(0.0, 3.0, 37)), 3.0):
        part = ss.simulate(machine, t, rtol=1e-8, state=state)
        state = pickle.loads(pickle.dumps(part.state))
    np.testing.assert_array_equal(state.x, whole.state.x)
    assert state == whole.state


def test_energy_balance_counts_bristles_as_friction():
    """The balance counts what a bristle takes and stores as friction; it closes to the tolerance."""
    for law in (LUGRE, MAXWELL, TWO_STATE):
        run = ss.simulate(block(law), 3.0, dt=0.1, rtol=1e-9)
        assert run.energy.residual < 1e-7
