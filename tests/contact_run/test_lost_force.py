"""Contacts whose force passes through zero, and bodies that lean on a wall while friction holds them as well.

Truth: closed forms of the static balance, and a rest that ends where push and pull say so.
"""

import numpy as np
import pytest

import stickslip as ss

STRIBECK = ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.01)
LOADED = {
    "curve": ss.StickSlip(STRIBECK, load_factor=0.5),
    "coulomb": ss.StickSlip(ss.Coulomb(1.0, 0.8), load_factor=0.5),
    "memory": ss.StickSlip(STRIBECK, load_factor=0.5, memory=0.01),
    "presliding": ss.StickSlip(STRIBECK, load_factor=0.5, presliding=ss.Presliding(1e-3, 1.0)),
    "all": ss.StickSlip(
        STRIBECK, load_factor=0.5, memory=0.01, dwell=0.2, presliding=ss.Presliding(1e-3, 1.0)
    ),
}


@pytest.mark.parametrize("law", [STRIBECK, *LOADED.values()], ids=["plain", *LOADED])
def test_contact_opens_where_its_only_load_passes_zero(law: ss.Law) -> None:
    """A force from -p to q in the time T is zero at T p/(p + q), wherever that is between two floating-point numbers;
    the guide beside it slides under Stribeck friction, with or without the contact's force as its load.
    """
    rng = np.random.default_rng(0)
    for v0 in (0.5, 0.0):
        for p, q, duration in rng.uniform(0.3, 3.0, (12, 3)):
            pull = ss.Piecewise([0.0, duration], [-p, q])
            m = ss.Machine(
                mass=[1.0, 2.0],
                stiffness=[10.0, 0.0],
                names=["a", "b"],
                force={"a": ss.Sine(amplitude=3.0, frequency=1.0, phase=0.3), "b": pull},
            )
            m.add_contact("push", normal={"b": 1.0})
            load = "push.normal_force" if isinstance(law, ss.StickSlip) else None
            m.add_friction("guide", on="a", law=law, load=load)
            run = ss.simulate(m, duration + 0.5, initial={"a.velocity": v0})
            opened = run.events.of("push")
            assert run.success, run.message
            assert [e.after for e in opened] == [ss.Mode.OPEN]
            assert opened[0].time == pytest.approx(duration * p / (p + q), abs=1e-13)
            assert run.energy.residual < 1e-7


@pytest.mark.parametrize("kinetic", [0.8, 1.0])
@pytest.mark.parametrize(
    ("times", "forces"),
    [([0, 2, 4], [-3.0, -0.5, 3.0]), ([0, 2, 4], [-0.5, -3.0, 3.0]), ([0, 4], [0.2, 4.2])],
)
def test_block_against_a_wall_breaks_away_at_the_static_level(
    times: list[float], forces: list[float], kinetic: float
) -> None:
    """A block on a rough floor is pushed against a wall and pulled away: wall and floor share the push in any way,
    but the pull is the floor's alone, so rest ends where it reaches the static level.
    """
    m = ss.Machine(mass=1.0, names=["block"], force={"block": ss.Piecewise(times, forces)})
    m.add_contact("wall", normal={"block": 1.0})
    m.add_friction("floor", on="block", law=ss.Coulomb(1.0, kinetic))
    run = ss.simulate(m, 4.0, dt=0.01)
    assert run.success, run.message
    reach = [t for t in np.linspace(0, 4, 40001) if np.interp(t, times, forces) >= 1.0]
    assert {(e.element, str(e.after)) for e in run.events} == {("floor", "slip+"), ("wall", "open")}
    assert run.events[0].time == pytest.approx(reach[0], abs=1.1e-4)
    rest = run.t < run.events[0].time
    wall, floor = run["wall.normal_force"][rest], run["floor.force"][rest]
    assert wall.min() >= 0.0
    assert np.abs(floor).max() <= 1.0 + 1e-9
    assert np.abs(np.interp(run.t[rest], times, forces) + wall - floor).max() < 1e-12


def test_utilisation_in_the_message_is_at_most_100_percent() -> None:
    """The share of the friction limit that the message names is at most 100 %."""
    m = ss.Machine(mass=1.0, names=["block"], force={"block": -3.0})
    m.add_contact("wall", normal={"block": 1.0})
    m.add_friction("floor", on="block", law=ss.Coulomb(1.0, 0.8))
    run = ss.simulate(m, 1.0)
    assert run.message == "reached t_end; 'floor' sticks permanently at 100 % of its friction limit"


@pytest.mark.parametrize(
    "law", [ss.Coulomb(1.0, 0.8), STRIBECK, ss.StickSlip(ss.Coulomb(1.0, 0.8), memory=0.01)]
)
def test_bodies_swinging_against_walls_gain_no_energy(law: ss.Law) -> None:
    """Two masses, one with dry friction that hits, leans on and leaves a wall: all runs end, none gains energy."""
    for seed in range(16):
        rng = np.random.default_rng(seed)
        drive = ss.Sine(amplitude=rng.uniform(1, 4), frequency=rng.uniform(0.2, 1.5), phase=rng.uniform(0, 6))
        m = ss.Machine(
            mass=[1.0, 2.0],
            stiffness=[[30.0, -20.0], [-20.0, 40.0]],
            damping=[0.2, 0.2],
            names=["a", "b"],
            force={"a": drive},
        )
        wall = ss.Piecewise(np.r_[0, np.sort(rng.uniform(0, 4, 4))], rng.uniform(0.0, 0.05, 5))
        gap = rng.uniform(0, 0.05) if seed % 2 else wall
        m.add_contact("wall", normal={"a": 1.0}, gap=gap, restitution=float(rng.choice([0.0, 0.3])))
        m.add_friction("guide", on="a", law=law)
        run = ss.simulate(m, 4.0)
        assert run.success, (seed, run.message)
        assert run.energy.residual < 1e-7
        assert run["wall.gap"].min() > -1e-12
