"""Every bristle law in a machine against solutions that do not use the engine (independent.py)."""

import numpy as np
import pytest

import stickslip as ss

from . import independent as own

LEVELS = {"static": 1.5, "kinetic": 1.0, "stribeck_velocity": 0.05}
LUGRE = ss.LuGre(stiffness=2000.0, damping=30.0, viscous=0.4, **LEVELS)
MAXWELL = ss.MaxwellSlip(
    stiffness=(2000.0, 900.0, 400.0), share=(0.5, 0.3, 0.2), attraction=80.0, viscous=0.4, **LEVELS
)
TWO_STATE = ss.TwoStateBristle(stiffness=2000.0, damping=30.0, viscous=0.4, alpha=600.0, **LEVELS)

# law, the same written out, largest difference relative to the size of each state (about three times the measured one)
LAWS = {
    "lugre": (LUGRE, own.LuGre(), 5e-10),
    "lugre, σ1(v), viscous exponent": (
        ss.LuGre(
            stiffness=2000.0, damping=30.0, damping_velocity=0.1, viscous=0.4, viscous_exponent=1.5, **LEVELS
        ),
        own.LuGre(exponent=1.5, vd=0.1),
        8e-10,
    ),
    "dahl": (ss.Dahl(stiffness=2000.0, kinetic=1.2), own.Dahl(), 6e-10),
    "dahl, exponent 2": (ss.Dahl(stiffness=2000.0, kinetic=1.2, exponent=2.0), own.Dahl(i=2.0), 2e-9),
    "bouc-wen": (ss.BoucWen(stiffness=2000.0, kinetic=1.2, exponent=2.0, beta=0.7), own.BoucWen(), 4e-9),
    "elasto-plastic": (
        ss.ElastoPlastic(stiffness=2000.0, damping=30.0, elastic_limit=2e-4, viscous=0.4, **LEVELS),
        own.ElastoPlastic(),
        8e-9,
    ),
    "maxwell slip": (MAXWELL, own.MaxwellSlip(), 2e-9),
    "maxwell slip, one level": (
        ss.MaxwellSlip(stiffness=(2000.0, 700.0), kinetic=1.2),
        own.MaxwellSlip(k=(2000.0, 700.0), share=(0.5, 0.5), c=0.0, level=own.Level(1.2, 1.2), fv=0.0),
        5e-9,
    ),
    "leuven": (
        ss.Leuven(stiffness=2000.0, height=2.0, damping=30.0, exponent=2.0, viscous=0.4, **LEVELS),
        own.Leuven(),
        4e-9,
    ),
    "two-state": (TWO_STATE, own.TwoState(), 6e-9),
    "lugre + coulomb": (LUGRE + ss.Coulomb(static=0.5, kinetic=0.4), own.WithCoulomb(own.LuGre()), 5e-10),
    "lugre + viscous": (LUGRE + ss.Viscous(0.7), own.LuGre(fv=1.1), 5e-10),
    "maxwell slip + coulomb": (
        MAXWELL + ss.Coulomb(static=0.5, kinetic=0.4),
        own.WithCoulomb(own.MaxwellSlip()),
        4e-9,
    ),
}
TIMES = np.linspace(0.0, 3.0, 31)


def block(law, **element):
    """1 kg on a spring of 50 N/m under 3 N sin(4.4 t): sticks and reverses several times."""
    m = ss.Machine(
        mass=1.0, stiffness=50.0, names=["block"], force={"block": ss.Sine(3.0, frequency=4.4 / (2 * np.pi))}
    )
    m.add_friction("guide", on="block", law=law, **element)
    return m


def push(t):
    return 3.0 * np.sin(4.4 * t)


def difference(run, y):
    """Largest difference, relative to the greatest value of each state that is ever used."""
    size = np.abs(y).max(axis=1, keepdims=True)
    return float(np.max(np.abs(run.y - y) / np.where(size > 0.0, size, 1.0)))


@pytest.fixture(scope="module")
def solutions():
    known = {}

    def of(name):
        if name not in known:
            motion = own.Motion(1.0, 50.0, 0.0, push, [own.Element(LAWS[name][1])])
            known[name] = motion.run(TIMES), motion
        return known[name]

    return of


@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
@pytest.mark.parametrize("name", LAWS)
def test_law_in_a_machine_agrees_with_dop853(name, method, solutions):
    """DOP853 at 1e-12, phase by phase; the block comes to v = 0 at least four times."""
    law, _, tolerance = LAWS[name]
    y, motion = solutions(name)
    run = ss.simulate(block(law), 3.0, t_eval=TIMES, rtol=1e-10, method=method)
    assert run.success
    assert len(motion.reversals) >= 4
    assert difference(run, y) < tolerance


@pytest.mark.parametrize("name", ["lugre", "dahl", "bouc-wen", "elasto-plastic"])
def test_law_in_a_machine_agrees_with_cvode(name):
    """CVODE (BDF) straight through the reversals: another method, and no phases."""
    law, written, _ = LAWS[name]
    y = own.through_reversals(own.Motion(1.0, 50.0, 0.0, push, [own.Element(written)]), TIMES)
    run = ss.simulate(block(law), 3.0, t_eval=TIMES, rtol=1e-9)
    assert difference(run, y) < 2e-7


def test_normalised_form_moves_the_same():
    physical = ss.simulate(block(LUGRE), 3.0, t_eval=TIMES, rtol=1e-11)
    law = ss.LuGre(stiffness=2000.0, damping=30.0, viscous=0.4, normalised=True, **LEVELS)
    normalised = ss.simulate(block(law), 3.0, t_eval=TIMES, rtol=1e-11)
    np.testing.assert_allclose(normalised["block.position"], physical["block.position"], atol=1e-12)
    np.testing.assert_allclose(normalised["guide.force"], physical["guide.force"], atol=1e-10)


def test_dahl_below_exponent_one_reaches_its_level():
    """With i = 1/2, F = Fc (1 - (1 - s x / 2 Fc)^2) on first loading, and F = Fc from x = 2 Fc/s on.

    A cart of 1e9 kg with 0.1 m/s prescribes the motion.
    """
    m = ss.Machine(mass=1e9, names=["cart"])
    m.add_friction("f", on="cart", law=ss.Dahl(stiffness=2000.0, kinetic=1.2, exponent=0.5))
    run = ss.simulate(m, 0.5, dt=1e-3, rtol=1e-9, initial={"cart.velocity": 0.1})
    x = run["cart.position"]
    expected = 1.2 * (1.0 - np.clip(1.0 - 2000.0 * x / 2.4, 0.0, None) ** 2)
    np.testing.assert_allclose(run["f.force"], expected, atol=2e-8)
    assert run._raw.steps < 500  # at the level nothing moves any more
    back = ss.simulate(block(ss.Dahl(stiffness=2000.0, kinetic=1.2, exponent=0.5)), 3.0, rtol=1e-9)
    assert back["guide.force"].max() == pytest.approx(1.2, rel=1e-8)
    assert back["guide.force"].min() == pytest.approx(-1.2, rel=1e-8)


def test_two_state_bristle_rests_on_its_step():
    """At rest under F the second state follows y' = -y + s/s0, s = (F - offset)/(alpha/s0), by hand.

    With alpha = s0 (Fs - Fc) the step is Fs - Fc either side and y does not enter the offset: from z = 0
    the block holds up to Fs - Fc = 0.5 N exactly, without moving, and y = s (1 - e^-t)/s0.
    """
    law = ss.TwoStateBristle(stiffness=2000.0, damping=30.0, viscous=0.4, **LEVELS)
    m = ss.Machine(mass=1.0, names=["block"], force={"block": 0.3})
    m.add_friction("f", on="block", law=law)
    run = ss.simulate(m, 4.0, dt=0.5, rtol=1e-10)
    assert not run.events and np.all(run["block.position"] == 0.0) and np.all(run["f.mode"] == 0)
    np.testing.assert_allclose(run["f.force"], 0.3, rtol=1e-14)
    np.testing.assert_allclose(run.y[3], 0.6 / 2000.0 * (1.0 - np.exp(-run.t)), rtol=1e-9, atol=1e-15)
    m = ss.Machine(mass=1.0, names=["block"], force={"block": ss.Ramp(slope=0.1)})
    m.add_friction("f", on="block", law=law)
    run = ss.simulate(m, 6.0, rtol=1e-9)
    assert run.events[0].time == pytest.approx(5.0, rel=1e-12)


def test_two_state_bristle_with_lag_matches_closed_form():
    """alpha = 300: the offset moves with y while the block rests under a constant force.

    On the step y' = -y + s/s0 with s = (F - c y)/b, c = s0 (Fs - Fc) - alpha, b = alpha/s0: y rises
    to F/(s0 b + c), s falls from F/b: linear, with rate 1 + c/alpha.
    """
    law = ss.TwoStateBristle(stiffness=2000.0, damping=30.0, viscous=0.4, alpha=300.0, **LEVELS)
    m = ss.Machine(mass=1.0, names=["block"], force={"block": 0.1})
    m.add_friction("f", on="block", law=law)
    run = ss.simulate(m, 3.0, dt=0.25, rtol=1e-10)
    c, b = 700.0, 0.15
    end, rate = 0.1 / (2000.0 * b + c), 1.0 + c / 300.0
    np.testing.assert_allclose(run.y[3], end * (1.0 - np.exp(-rate * run.t)), rtol=1e-8, atol=1e-15)
    assert np.all(run["block.velocity"] == 0.0)


@pytest.mark.parametrize("law", [LUGRE, TWO_STATE, LAWS["dahl"][0], MAXWELL, LAWS["bouc-wen"][0]], ids=repr)
def test_unforced_body_comes_to_rest(law):
    """A block thrown on a bristle swings down and creeps no further; the run ends in few steps."""
    m = ss.Machine(mass=1.0, names=["block"])
    m.add_friction("f", on="block", law=law + ss.Viscous(2.0))
    run = ss.simulate(m, 20.0, initial={"block.velocity": 0.5}, rtol=1e-7)
    assert run.success
    assert abs(run.state.x[1]) < 1e-6
    assert run._raw.steps < 20_000
