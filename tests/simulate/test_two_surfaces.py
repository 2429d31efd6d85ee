"""Two elements on one relative motion whose surfaces move apart: one sticks, the other breaks away at the same instant."""

import numpy as np
import pytest

import stickslip as ss


def machine(seed: int) -> tuple[ss.Machine, np.ndarray]:
    rng = np.random.default_rng([11, seed])

    def wave() -> ss.Sine:
        return ss.Sine(amplitude=rng.uniform(0.1, 1.0), frequency=rng.uniform(0.1, 0.6))

    m = ss.Machine(
        mass=rng.uniform(0.3, 3.0, 2),
        stiffness=np.diag(rng.uniform(0.0, 2.0, 2)),
        names=["a", "b"],
        force={"b": ss.Sine(amplitude=rng.uniform(1, 4), frequency=rng.uniform(0.1, 0.8))},
    )
    law = ss.Coulomb(rng.uniform(0.3, 1.0)) + ss.Viscous(rng.uniform(0.1, 0.5))
    m.add_friction("f", on=("a", "b"), law=law, surface_velocity=wave())
    level = rng.uniform(0.3, 1.0)
    falling = ss.Stribeck(
        static=1.2 * level, kinetic=level, stribeck_velocity=rng.uniform(0.3, 1.0), shape=1.0
    )
    m.add_friction("g", on=("b", "a"), law=falling, surface_velocity=wave())
    return m, rng.normal(size=4)


def test_integration_error_across_zero_starts_no_loop():
    """300 random machines end without "more than 100 transitions at one instant"."""
    for seed in range(300):
        m, initial = machine(seed)
        run = ss.simulate(m, 20.0, initial=initial)
        assert run.success, (seed, run.message)
        assert run.energy.residual < 1e-6, (seed, run.energy.residual)


@pytest.mark.parametrize("start", [0.0, 0.5])
@pytest.mark.parametrize("held", ["curve", "memory", "dwell"])
def test_a_belt_that_starts_smoothly_slips_under_a_body_that_the_floor_holds(held, start) -> None:
    """2 N hold against 1 N: the body stays, whatever the law of the floor, though the belt departs like (t − start)³."""
    floor = {
        "curve": ss.Coulomb(2.0, 1.5),
        "memory": ss.StickSlip(ss.Coulomb(2.0, 1.5), memory=0.02),
        "dwell": ss.StickSlip(ss.Coulomb(2.0, 1.5), memory=0.02, dwell=0.5),
    }[held]
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_friction("floor", on="x", law=floor)
    belt = ss.SmoothStep(0.3, start=start, duration=0.5)
    m.add_friction("belt", on="x", law=ss.Coulomb(1.0), surface_velocity=belt)
    run = ss.simulate(m, start + 1.5)
    assert run.success
    assert abs(run.y[:2]).max() == 0.0
    assert run["floor.force"][-1] == pytest.approx(1.0, rel=1e-12)
    slips = [(e.time, e.element, e.after) for e in run.events]
    assert slips == ([(start, "belt", ss.Mode.SLIP_BACKWARD)] if start > 0.0 else [])


def test_a_belt_that_holds_more_than_the_floor_takes_the_body_along() -> None:
    """The body has the belt's speed 0.3 (6 u⁵ − 15 u⁴ + 10 u³): 1 N + m a stays below 2.6 N."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_friction("floor", on="x", law=ss.StickSlip(ss.Coulomb(1.0), memory=0.02))
    belt = ss.SmoothStep(0.3, start=0.5, duration=2.0)
    m.add_friction("belt", on="x", law=ss.Coulomb(2.6), surface_velocity=belt)
    run = ss.simulate(m, 3.0, t_eval=np.linspace(0.0, 3.0, 61))
    u = np.clip((run.t - 0.5) / 2.0, 0.0, 1.0)
    assert run["x.velocity"] == pytest.approx(0.3 * (6 * u**5 - 15 * u**4 + 10 * u**3), abs=1e-12)


def on_floor_and_belt(force: ss.Signal | float = 0.0) -> ss.Machine:
    """A body that floor and belt hold with 2 N each; the velocity of the belt is t³."""
    time = ss.Ramp(slope=1.0)
    m = ss.Machine(mass=1.0, names=["x"], force={"x": force})
    m.add_friction("floor", on="x", law=ss.Coulomb(static=2.0, kinetic=1.5))
    m.add_friction(
        "belt", on="x", law=ss.Coulomb(static=2.0, kinetic=1.0), surface_velocity=time * time * time
    )
    return m


def test_of_equal_levels_that_of_the_accelerated_surface_is_exceeded() -> None:
    """To follow the belt the body would need 2 N + 3 m t²; to stay on the floor, 2 N."""
    run = ss.simulate(on_floor_and_belt(), 1.0)
    assert run.success and abs(run.y[:2]).max() == 0.0
    assert run["belt.force"] == pytest.approx(-1.0, rel=1e-12)
    assert run["floor.force"] == pytest.approx(1.0, rel=1e-12)


def test_the_surface_that_slips_first_relieves_the_other() -> None:
    """Under 2 N of the belt and t⁴ the floor would be exceeded, too, but with t⁵/5 of velocity after the t³ of the belt:
    then the belt has its kinetic level, and the floor holds until 1 N + t⁴ is 2 N.
    """
    time = ss.Ramp(slope=1.0)
    run = ss.simulate(on_floor_and_belt(time * time * time * time), 1.1)
    assert run.success
    assert [(e.element, e.after) for e in run.events] == [("floor", ss.Mode.SLIP_FORWARD)]
    assert run.events.time[0] == pytest.approx(1.0, rel=1e-9)
