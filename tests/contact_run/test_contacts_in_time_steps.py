"""The θ-scheme of Moreau and Jean: first order towards the event-driven motion."""

import dataclasses
import pickle

import numpy as np
import pytest
from published.gears import SET_2, rig

import stickslip as ss

G = 9.81


def order(machine, initial, t_end, name, steps, theta):
    """Mean error against the event-driven run for each step, and its order by a straight line through the
    logarithms."""
    t = np.linspace(0.0, t_end, 301)
    exact = ss.simulate(machine, t_end=t_end, initial=initial, t_eval=t)[name]
    errors = []
    for h in steps:
        run = ss.simulate(
            machine, t_end=t_end, initial=initial, t_eval=t, method="time_stepping", max_step=h, theta=theta
        )
        assert run.success
        errors.append(np.abs(run[name] - exact).mean())
    return np.array(errors), np.polyfit(np.log(steps), np.log(errors), 1)[0]


# No step divides an event time by chance: they are 0.7^k times one another.
STEPS = 1.1e-3 * 0.7 ** np.arange(0, 14)


@pytest.mark.parametrize("theta", [0.5, 1.0])
def test_chatter_converges_with_first_order(theta: float) -> None:
    errors, p = order(SET_2, {}, 1.0, "lower.position", STEPS, theta)
    assert 0.8 < p < 1.2 and errors[-1] < 3e-6


@pytest.mark.parametrize("theta", [0.5, 1.0])
def test_bouncing_converges_with_first_order(theta: float) -> None:
    m = ss.Machine(mass=2.0, names=["ball"], force={"ball": -2.0 * G})
    m.add_contact("floor", normal={"ball": 1.0}, restitution=0.5)
    errors, p = order(m, {"ball.position": 1.0}, 2.0, "ball.position", STEPS, theta)
    assert 0.8 < p < 1.2 and errors[-1] < 3e-5


@pytest.mark.parametrize("theta", [0.75, 1.0])
@pytest.mark.parametrize(
    ("static", "kinetic", "speed"), [(0.3, 0.3, -1.0), (0.7, 0.7, 1.0), (0.5, 0.4, -1.0)]
)
def test_incline_converges_with_first_order(
    theta: float, static: float, kinetic: float, speed: float
) -> None:
    angle = np.pi / 6.0
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": G * np.sin(angle), "y": -G * np.cos(angle)})
    m.add_contact(
        "slope", normal={"y": 1.0}, tangent={"x": 1.0}, friction=ss.Coulomb(static=static, kinetic=kinetic)
    )
    errors, p = order(m, {"x.velocity": speed}, 1.5, "x.position", STEPS, theta)
    assert 0.7 < p < 1.3 and errors[-1] < 3e-5


def test_stick_slip_converges_with_first_order() -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    law = ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.1, viscous=0.1)
    m.add_friction("belt", on="block", law=law, surface_velocity=0.2)
    errors, p = order(m, {"block.velocity": 0.2}, 15.0, "block.position", 4e-3 * 0.6 ** np.arange(6), 1.0)
    assert 0.9 < p < 1.1 and errors[-1] < 3e-4


def test_curves_without_jump_converge() -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("guide", on="block", law=ss.Tanh(kinetic=0.3, width=0.05) + ss.Viscous(0.1))
    _, p = order(m, {"block.position": 1.0}, 5.0, "block.position", 4e-3 * 0.6 ** np.arange(5), 0.5)
    assert 0.9 < p < 1.1


def test_two_flanks_hit_at_the_same_times() -> None:
    gear = rig(0.875424, speed=15.0, stiffness=1.3, clearance=2e-3)
    run = ss.simulate(gear, t_end=1.5, method="time_stepping", max_step=1e-4)
    exact = ss.simulate(gear, t_end=1.5)
    impacts = [
        next(e.time for e in r.events if e.impact and e.element == "opposite_flank") for r in (run, exact)
    ]
    assert impacts[0] == pytest.approx(impacts[1], abs=2e-3)
    assert run["flank.gap"].min() > -2e-5 and run["opposite_flank.gap"].min() > -2e-5


def test_events_state_impacts() -> None:
    m = ss.Machine(mass=2.0, names=["ball"], force={"ball": -2.0 * G})
    m.add_contact("floor", normal={"ball": 1.0}, restitution=0.5)
    run = ss.simulate(m, t_end=1.0, initial={"ball.position": 1.0}, method="time_stepping", max_step=1e-4)
    first = run.events[0]
    assert first.impact and first.time == pytest.approx(np.sqrt(2.0 / G), abs=2e-4)
    assert first.normal_impulse == pytest.approx(2.0 * 1.5 * np.sqrt(2.0 * G), rel=1e-3)
    assert first.loss == pytest.approx(2.0 * G * 0.75, rel=2e-3)
    assert (
        run.method == {"floor open": "time stepping", "floor closed": "time stepping"}
        or "floor open" in run.method
    )


def test_resumed_run_is_bitwise_equal() -> None:
    options = {"method": "time_stepping", "max_step": 1e-3}
    gear = dataclasses.replace(SET_2, restitution=0.3)
    whole = ss.simulate(gear, t_end=0.5, **options)
    first = ss.simulate(gear, t_end=0.29955, **options)
    second = ss.simulate(gear, state=pickle.loads(pickle.dumps(first.state)), t_end=0.5, **options)
    assert second.state == whole.state
    assert [*first.events, *second.events] == list(whole.events)


def test_time_stepping_refuses_unsupported_contacts() -> None:
    m = ss.Machine(mass=1.0, names=["x"])
    with pytest.raises(ValueError, match="max_step = inf"):
        ss.simulate(m, t_end=1.0, method="time_stepping")
    with pytest.raises(ValueError, match=r"theta = 0.4 .* \[0.5, 1\]"):
        ss.simulate(m, t_end=1.0, method="time_stepping", max_step=0.1, theta=0.4)
    m.add_friction("guide", on="x", law=ss.Dahl(stiffness=1e4, kinetic=0.3))
    with pytest.raises(ValueError, match=r"internal states, which 'guide' has"):
        ss.simulate(m, t_end=1.0, method="time_stepping", max_step=0.1)
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_friction(
        "guide", on="x", law=ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.8), memory=ss.Lag(0.01))
    )
    with pytest.raises(ValueError, match=r"StickSlip, which 'guide' has"):
        ss.simulate(m, t_end=1.0, method="time_stepping", max_step=0.1)
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_controller(ss.PID(kp=1.0), on="x", reference=1.0)
    with pytest.raises(ValueError, match="controllers"):
        ss.simulate(m, t_end=1.0, method="time_stepping", max_step=0.1)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_belt_supplies_the_energy_of_impact_and_slip(side: float) -> None:
    """Dropped on a belt of 4 m/s: W = μ m (v + g t) u by hand, of first order in the step."""
    mass, drop, mu = 2.0, 0.5, 0.3
    m = ss.Machine(mass=[mass, mass], names=["x", "y"], force={"y": -9.81 * mass})
    m.add_contact("belt", normal={"y": 1.0}, tangent={"x": 1.0}, friction=mu, surface_velocity=4.0 * side)
    speed = np.sqrt(2.0 * 9.81 * drop)
    exact = mu * mass * (speed + 9.81 * (0.5 - speed / 9.81)) * 4.0
    error = []
    for h in (1e-3, 5e-4):
        run = ss.simulate(m, t_end=0.5, initial={"y.position": drop}, method="time_stepping", max_step=h)
        (hit,) = (e for e in run.events if e.impact)
        assert hit.normal_impulse == pytest.approx(mass * speed, rel=10.0 * h)
        loss = 0.5 * mass * speed**2 - 0.5 * mass * (mu * speed) ** 2 + mu * mass * speed * 4.0
        assert hit.loss == pytest.approx(loss, rel=10.0 * h)
        error.append(run.energy.surfaces["belt"][-1] / exact - 1.0)
    assert np.abs(error).max() < 5e-3


@pytest.mark.parametrize("force", [0.8, -0.8, 1.2, -1.2])
def test_between_the_levels_a_block_at_rest_stays(force: float) -> None:
    """Static 1 N, kinetic 0.5 N: 0.8 N do not start it, 1.2 N move it by 0.7 N."""
    m = ss.Machine(mass=1.0, names=["x"], force={"x": force})
    m.add_friction("guide", on="x", law=ss.Coulomb(static=1.0, kinetic=0.5))
    run = ss.simulate(m, t_end=1.0, method="time_stepping", max_step=0.01)
    moves = abs(force) > 1.0
    assert run["x.velocity"][-1] == pytest.approx(np.sign(force) * 0.7 if moves else 0.0, rel=2e-2)
