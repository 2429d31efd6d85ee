"""Rigid contacts in fixed steps: impacts, friction of contacts, accumulations and their bounds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from published.gears import SET_1_STATIC, SET_2

import stickslip as ss

Array = NDArray[np.float64]
G = 9.81


def ball(restitution: float) -> ss.Machine:
    m = ss.Machine(mass=2.0, names=["ball"], force={"ball": -2.0 * G})
    m.add_contact("floor", normal={"ball": 1.0}, restitution=restitution)
    return m


def bouncing(t: Array, height: float, restitution: float) -> Array:
    """Height of a ball that is dropped: parabolas whose lengths form a geometric series."""
    x, begin, speed = height - 0.5 * G * t**2, np.sqrt(2.0 * height / G), np.sqrt(2.0 * G * height)
    while speed > 1e-12:
        speed *= restitution
        flying = t >= begin
        x[flying] = (speed * (t - begin) - 0.5 * G * (t - begin) ** 2)[flying]
        begin += 2.0 * speed / G
    x[t >= begin] = 0.0
    return x


def stopped_drive(restitution: float) -> ss.Machine:
    """A motor and a load with clearance between rigid teeth, dry friction at the load."""
    m = ss.Machine(mass=[2.0, 5.0], names=["motor", "load"])
    m.add_force("motor", ss.Sine(amplitude=30.0, frequency=1.3))
    m.add_friction("guide", on="load", law=ss.Coulomb(static=6.0, kinetic=5.0))
    m.add_contact("front", normal={"load": 1.0, "motor": -1.0}, gap=5e-3, restitution=restitution)
    m.add_contact("back", normal={"load": -1.0, "motor": 1.0}, gap=5e-3, restitution=restitution)
    return m


def axis_at_wall() -> ss.Machine:
    """A sprung axis that is pulled against a wall on which it rubs."""
    m = ss.Machine(
        mass=[3.0, 1.0],
        stiffness=[[40.0, 0.0], [0.0, 900.0]],
        damping=[[0.2, 0.0], [0.0, 1.0]],
        names=["x", "y"],
    )
    m.add_force("x", ss.Sine(amplitude=8.0, frequency=0.7))
    m.add_force("y", ss.Sine(amplitude=30.0, frequency=0.31, offset=-10.0))
    m.add_contact(
        "wall", normal={"y": 1.0}, tangent={"x": 1.0}, friction=ss.Coulomb(static=0.35, kinetic=0.25), gap=0.01,
        restitution=0.3,
    )  # fmt: skip
    return m


def freewheel() -> ss.Machine:
    m = ss.Machine(mass=[1.0, 2.0], names=["shaft", "wheel"])
    m.add_force("shaft", ss.Sine(amplitude=3.0, frequency=0.8, offset=0.3))
    m.add_force("wheel", -0.2)
    m.add_one_way_clutch("clutch", on={"wheel": 1.0, "shaft": -1.0})
    return m


def compare(
    machine: ss.Machine, step: float, t_end: float, initial: dict[str, float] | None = None, rounds: int = 8
) -> tuple[ss.RealTime, Array, ss.Trajectory, Array]:
    """The fixed-step form, all its signals, the exact run, and which steps are apart from its events."""
    n = round(t_end / step)
    rt = ss.RealTime(machine, step=step, initial=initial, max_transitions=rounds)
    found = rt.run(n)
    t = step * np.arange(1, n + 1)
    run = ss.simulate(machine, t[-1] + 1e-9 * step, initial=initial, t_eval=t, rtol=1e-11)
    assert run.success
    events = np.array([e.time for e in run.events])
    apart = np.ones(n, dtype=bool)
    for near in (-1, 0, 1):
        apart[np.clip(np.round(events / step).astype(int) - 1 + near, 0, n - 1)] = False
    return rt, found, run, apart


@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_chattering_wedge_gear_follows_exact_run(step: float) -> None:
    """Five periods of chatter: separation, flight, impact with friction, stick. At the end of every step."""
    rt, found, run, _ = compare(SET_2.machine, step, 2.0)
    assert rt.transitions == 10 and rt.late_steps == 0 and rt.prebuilt
    assert np.abs(found - run.y.T).max() < 1e-9


def test_break_away_of_wedge_gear_from_static_friction_follows_exact_run() -> None:
    rt, found, run, _ = compare(SET_1_STATIC.machine, 1e-3, 2.0)
    assert rt.transitions == 1 and np.abs(found - run.y.T).max() < 1e-9


def test_modes_of_chattering_wedge_gear_are_those_of_exact_run() -> None:
    machine, h, n = SET_2.machine, 1e-4, 20_000
    rt = ss.RealTime(machine, step=h, outputs=["flank.mode"], max_transitions=8)
    modes = rt.run(n)[:, 0]
    t = h * np.arange(1, n + 1)
    run = ss.simulate(machine, 2.0 + 1e-13, t_eval=t, rtol=1e-11)
    assert set(modes) >= {ss.Mode.OPEN, ss.Mode.STICK}
    assert np.array_equal(modes, run["flank.mode"])


def test_friction_limit_of_contact_is_static_coefficient_times_normal_force() -> None:
    rt = ss.RealTime(SET_2.machine, step=1e-3, outputs=["flank.limit", "flank.normal_force", "flank.mode"])
    limit, normal, mode = rt.run(2000).T
    sticks = mode == ss.Mode.STICK
    assert 1000 < sticks.sum() < 2000 and np.array_equal(np.isnan(limit), ~sticks)
    assert np.abs(limit[sticks]) == pytest.approx(np.tan(np.deg2rad(14)) * normal[sticks], rel=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8])
def test_bouncing_ball_follows_closed_form(restitution: float) -> None:
    rt = ss.RealTime(
        ball(restitution),
        step=1e-3,
        initial={"ball.position": 0.3},
        outputs=["ball.position"],
        max_transitions=150,
    )
    n = 3000
    x = rt.run(n)[:, 0]
    assert np.abs(x - bouncing(1e-3 * np.arange(1, n + 1), 0.3, restitution)).max() < 1e-9
    assert rt.state[1] == 0.0 and rt.late_steps == 0


def test_accumulating_impacts_close_the_contact_when_rounds_are_used_up() -> None:
    """Two rounds a step: the last impacts, whose flights are shorter than the step, are one without a rebound."""
    rt = ss.RealTime(
        ball(0.8),
        step=1e-3,
        initial={"ball.position": 0.3},
        outputs=["ball.position", "floor.mode", "floor.gap"],
    )
    y = rt.run(3000)
    exact = bouncing(1e-3 * np.arange(1, 3001), 0.3, 0.8)
    assert 1 <= rt.late_steps <= 2 and not rt.failed
    assert y[:, 2].min() > -1e-12
    assert np.abs(y[:, 0] - exact).max() < 0.5 * G * 1e-3**2  # what a step falls
    assert y[-1, 1] == ss.Mode.CLOSED and np.all(y[-500:, 0] == y[-1, 0]) and abs(y[-1, 0]) < 1e-15


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_drive_with_rigid_backlash_follows_exact_run(restitution: float) -> None:
    rt, found, run, apart = compare(stopped_drive(restitution), 1e-4, 3.0, rounds=60)
    assert rt.transitions > 20 and rt.prebuilt
    assert np.abs(found - run.y.T)[apart].max() < 1e-6
    assert rt.late_steps == 0


def test_axis_rubbing_on_wall_follows_exact_run() -> None:
    rt, found, run, apart = compare(axis_at_wall(), 1e-4, 6.0, rounds=60)
    assert rt.transitions > 20 and rt.late_steps == 0
    assert np.abs(found - run.y.T)[apart].max() < 1e-6


def test_one_way_clutch_follows_exact_run() -> None:
    rt, found, run, apart = compare(freewheel(), 1e-4, 5.0)
    assert rt.transitions > 4 and rt.late_steps == 0
    assert np.abs(found - run.y.T)[apart].max() < 1e-6


def test_curve_on_rigid_contact_follows_exact_run() -> None:
    """Friction that falls with the speed makes the motion nonlinear: the implicit step, of first order here."""
    m = ss.Machine(mass=[1.0, 1.0], stiffness=[[20.0, 0.0], [0.0, 0.0]], names=["x", "y"])
    m.add_force("x", ss.Sine(amplitude=10.0, frequency=0.5))
    m.add_force("y", -10.0)
    law = ss.Stribeck(static=0.4, kinetic=0.2, stribeck_velocity=0.1)
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=law)
    errors = []
    for h in (4e-4, 1e-4):
        rt, found, run, _ = compare(m, h, 4.0)
        assert rt.late_steps == 0 and rt.transitions > 3
        errors.append(np.abs(found - run.y.T).max())
    assert errors[1] < 1e-4 and errors[1] < 0.5 * errors[0]


def test_impacts_without_end_in_one_step_are_bounded_and_flagged() -> None:
    """Restitution 1 between walls 1 µm away at 10 m/s: thousands of impacts in a step, of which two are computed."""
    m = ss.Machine(mass=1.0, names=["part"])
    for name, side in (("left", 1.0), ("right", -1.0)):
        m.add_contact(name, normal={"part": side}, gap=1e-6, restitution=1.0)
    rt = ss.RealTime(m, step=1e-3, initial={"part.velocity": 10.0}, outputs=["left.gap", "right.gap"])
    gaps = rt.run(100)
    assert rt.late_steps >= 1 and not rt.failed and rt.transitions <= 4 * 100
    assert gaps.min() > -1e-12


def test_energy_never_grows_when_steps_are_late() -> None:
    m = stopped_drive(0.9)
    rt = ss.RealTime(m, step=0.05, initial={"motor.velocity": 3.0}, max_transitions=1)
    y = rt.run(400)
    assert np.all(np.isfinite(y)) and np.abs(y[:, 0] - y[:, 1]).max() < 5e-3 + 1e-9


def test_impulses_of_contact_add_up() -> None:
    rt = ss.RealTime(ball(0.5), step=1e-3, initial={"ball.position": 0.3}, outputs=["floor.normal_impulse"])
    impulse = rt.run(300)[-1, 0]
    assert impulse == pytest.approx(1.5 * 2.0 * np.sqrt(2.0 * G * 0.3), rel=1e-12)


def test_input_lifts_body_off_rigid_contact() -> None:
    m = ss.Machine(mass=1.0, names=["y"], force={"y": ss.Input("lift", default=0.0)})
    m.add_force("y", -1.0)
    m.add_contact("floor", normal={"y": 1.0})
    rt = ss.RealTime(m, step=1e-2, outputs=["y.velocity", "floor.mode", "floor.normal_force"])
    assert rt.step() == pytest.approx([0.0, ss.Mode.CLOSED, 1.0])
    assert rt.step({"lift": 3.0}) == pytest.approx([0.02, ss.Mode.OPEN, 0.0], abs=1e-15)


def test_gap_as_formula_is_refused_with_name_and_cure() -> None:
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -1.0})
    m.add_contact("hill", gap=lambda q: q["y"] - 0.1 * q["x"] ** 2)
    with pytest.raises(ValueError, match="contact 'hill', which is rigid, .* give the contact a compliance"):
        ss.RealTime(m, step=1e-3, initial={"y.position": 1.0})


def test_redundant_supports_carry_as_exact_run_moves() -> None:
    """Two feet under one body: which of them carries is open, the motion is not."""
    m = ss.Machine(mass=1.0, names=["y"], force={"y": ss.Sine(amplitude=3.0, frequency=0.5, offset=-1.0)})
    m.add_contact("left foot", normal={"y": 1.0}, restitution=0.2)
    m.add_contact("right foot", normal={"y": 1.0}, restitution=0.2)
    rt, found, run, apart = compare(m, 1e-3, 4.0, rounds=60)
    assert rt.late_steps == 0 and np.abs(found - run.y.T)[apart].max() < 1e-5


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_axis_with_guide_friction_at_end_stop_follows_exact_run(restitution: float) -> None:
    """The stop and the friction that sticks hold the same coordinate."""
    m = ss.Machine(mass=4.0, names=["x"], force={"x": ss.Sine(amplitude=20.0, frequency=0.8)})
    m.add_friction("guide", on="x", law=ss.Coulomb(static=6.0, kinetic=4.0))
    m.add_contact("stop", normal={"x": -1.0}, gap=0.02, restitution=restitution)
    rt, found, run, apart = compare(m, 1e-3, 5.0, rounds=60)
    instants = len(set(run.events.instant.tolist()))
    assert rt.late_steps == 0 and rt.prebuilt and instants <= rt.transitions <= 2 * instants
    assert np.abs(found - run.y.T)[apart].max() < 1e-5
