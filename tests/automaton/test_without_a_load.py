"""Friction that nothing presses, as of an open clutch: it neither holds nor stops, and what does not follow the load
stays."""

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

CURVE = ss.Stribeck(static=1.2, kinetic=1.0, stribeck_velocity=0.05, viscous=0.4)
LAWS = {
    "Coulomb": ss.Coulomb(1.0, 0.8) + ss.Viscous(0.4),
    "Stribeck": CURVE,
    "table": ss.Table([0.0, 0.5, 2.0], [1.0, 0.7, 0.9], odd=True) + ss.Viscous(0.4),
    "presliding": ss.StickSlip(CURVE, presliding=ss.Presliding(travel=0.004)),
    "lag": ss.StickSlip(CURVE, ss.Lag(0.05), dwell=0.3),
    "lag, presliding": ss.StickSlip(CURVE, ss.Lag(0.05), presliding=ss.Presliding(travel=0.004)),
    "dead time": ss.StickSlip(CURVE, ss.DeadTime(0.05)),
    "bristle beside a jump": ss.Coulomb(1.0, 0.8) + ss.Dahl(stiffness=500.0, kinetic=0.3) + ss.Viscous(0.4),
}
EVERY_LAW = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def part_on_a_spring(law: ss.Law, load: float | ss.Signal) -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=30.0, names=["part"])
    m.add_friction("brake", on="part", law=law, normal_load=load)
    return m


def swing(t: np.ndarray, x0: float, v0: float = 0.0) -> np.ndarray:
    """Free vibration of the part with the viscous part of every law, delta = c / 2m."""
    delta = 0.2
    w = np.sqrt(30.0 - delta**2)
    return np.asarray(np.exp(-delta * t) * (x0 * np.cos(w * t) + (v0 + delta * x0) / w * np.sin(w * t)))


@EVERY_LAW
def test_released_brake_keeps_viscous_friction(law: ss.Law) -> None:
    t = np.linspace(0.0, 3.0, 301)
    m = part_on_a_spring(law, 0.0)
    run = ss.simulate(m, t_end=3.0, t_eval=t, initial={"part.position": 0.2}, rtol=1e-11)
    assert len(run.events) == 0 and set(run["brake.mode"]) == {ss.Mode.FREE}
    assert run["part.position"] == pytest.approx(swing(t, 0.2), abs=4e-12)
    assert run["brake.force"] == pytest.approx(0.4 * run["part.velocity"], abs=1e-15)
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize("exponent", [0.5, 1.3, 2.0])
def test_released_brake_keeps_nonlinear_viscous_friction(exponent: float) -> None:
    t = np.linspace(0.0, 3.0, 301)
    law = ss.Coulomb(1.0, 0.8) + ss.Viscous(0.4, exponent)
    m = part_on_a_spring(law, 0.0)
    run = ss.simulate(m, t_end=3.0, t_eval=t, initial={"part.position": 0.2}, rtol=1e-11)

    def motion(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -30.0 * y[0] - 0.4 * np.sign(y[1]) * abs(y[1]) ** exponent]

    truth = solve_ivp(motion, (0.0, 3.0), [0.2, 0.0], method="DOP853", rtol=1e-12, atol=1e-14, t_eval=t)
    assert len(run.events) == 0 and run["part.position"] == pytest.approx(truth.y[0], abs=2e-10)


@EVERY_LAW
def test_released_brake_slides_until_it_is_loaded_again(law: ss.Law) -> None:
    """A spring is held, let go after one second and gripped in its motion: by a load that jumps, and one that grows."""
    for again in (ss.Step(9.0, start=2.5), ss.Ramp(slope=60.0, start=2.5)):
        t = np.linspace(0.0, 4.0, 401)
        m = part_on_a_spring(law, 20.0 - ss.Step(20.0, start=1.0) + again)
        run = ss.simulate(m, t_end=4.0, t_eval=t, initial={"part.position": 0.2}, rtol=1e-10)
        first, second = run.events[:2]
        assert (first.time, str(first.before), str(first.after)) == (1.0, "stick", "free")
        assert (second.time, str(second.before), str(second.after)) == (2.5, "free", "slip-")
        free = (t >= 1.0) & (t < 2.5)
        assert set(run["brake.mode"][free]) == {ss.Mode.FREE}
        x1, v1 = (run[f"part.{name}"][t == 1.0][0] for name in ("position", "velocity"))
        assert run["part.position"][free] == pytest.approx(swing(t[free] - 1.0, x1, v1), abs=3e-11)
        assert run["brake.mode"][-1] == 0
        assert "Presliding(" in repr(law) or run["part.velocity"][-1] == 0.0  # its surface swings
        assert ss.analysis.audit(run).passed


@pytest.mark.parametrize(
    ("force", "after"), [(0.0, "stick"), (0.9, "stick"), (1.1, "slip+"), (-1.1, "slip-")]
)
def test_brake_loaded_at_rest_sticks(force: float, after: str) -> None:
    """A body that has not moved is held up to the static level."""
    m = ss.Machine(mass=1.0, names=["part"])
    m.add_friction("brake", on="part", law=ss.Coulomb(1.0, 0.8), normal_load=ss.Step(1.0, start=1.0))
    m.add_force("part", ss.Step(force, start=1.0))
    run = ss.simulate(m, t_end=2.0)
    told = [(e.time, str(e.before), str(e.after)) for e in run.events]
    assert told == [(1.0, "free", after)]
    moved = 0.0 if after == "stick" else 0.5 * np.sign(force) * (abs(force) - 0.8)
    assert run.at([2.0])["part.position"][0] == pytest.approx(moved, abs=1e-15)


def test_lagged_force_persists_after_release() -> None:
    """T f' + f = 0 behind the load: v' = -f/m, until the part stops or the force is nothing any more."""
    lag, v0 = 0.05, 1.0
    law = ss.StickSlip(ss.Stribeck(static=1.0, kinetic=1.0, stribeck_velocity=0.1), ss.Lag(lag))
    m = ss.Machine(mass=1.0, names=["part"])
    m.add_friction("brake", on="part", law=law, normal_load=1.0 - ss.Step(1.0, start=0.5))
    t = np.linspace(0.5, 1.0, 51)
    run = ss.simulate(m, t_end=1.0, initial={"part.velocity": v0}, rtol=1e-11)
    assert run.at(t)["part.velocity"] == pytest.approx(
        0.5 - lag * (1.0 - np.exp(-(t - 0.5) / lag)), abs=1e-12
    )
    assert set(run.at(t)["brake.mode"]) == {1.0}


def test_closing_brake_stops_a_moving_part() -> None:
    for memory in (None, ss.Lag(0.05)):
        m = ss.Machine(mass=1.0, names=["part"])
        law = ss.StickSlip(CURVE, memory, presliding=ss.Presliding(travel=0.004))
        m.add_friction("brake", on="part", law=law, normal_load=ss.Step(0.9, start=1.0))
        m.add_force("part", 3.0)
        run = ss.simulate(m, t_end=1.5)
        told = [(e.time, str(e.before), str(e.after)) for e in run.events.of("brake")]
        assert told == [(1.0, "free", "slip+")]
        assert ss.analysis.audit(run).passed


def test_unloaded_element_stays_free() -> None:
    law = ss.StickSlip(CURVE, ss.Lag(0.05))
    m = ss.Machine(mass=1.0, stiffness=30.0, names=["part"])
    m.add_friction("brake", on="part", law=law, normal_load=0.0, surface_velocity=ss.Step(0.5, start=0.3))
    run = ss.simulate(m, t_end=3.0, initial={"part.position": 0.2})
    assert len(run.events) == 0 and set(run["brake.mode"]) == {ss.Mode.FREE}


def test_nonlinear_machine_releases_and_grips() -> None:
    """A pendulum whose brake is open from 0.5 to 1 s: between, the motion is SciPy's without a brake."""
    m = ss.Machine(mass=1.0, names=["angle"])
    m.add_force("angle", lambda q: -9.81 * ss.sin(q["angle"]))
    load = 20.0 - ss.Step(20.0, start=0.5) + ss.Step(5.0, start=1.0)
    m.add_friction("brake", on="angle", law=ss.Coulomb(1.0, 0.8) + ss.Viscous(0.1), normal_load=load)
    run = ss.simulate(m, t_end=2.0, initial={"angle.position": 1.0}, rtol=1e-10)
    assert [(e.time, str(e.before), str(e.after)) for e in run.events[:2]] == [
        (0.5, "stick", "free"),
        (1.0, "free", "slip-"),
    ]
    t = np.linspace(0.5, 1.0, 21)[:-1]
    truth = solve_ivp(
        lambda _, y: [y[1], -9.81 * np.sin(y[0]) - 0.1 * y[1]],
        (0.5, 1.0),
        [1.0, 0.0],
        rtol=1e-12,
        atol=1e-14,
        t_eval=t,
    )
    assert run.at(t)["angle.position"] == pytest.approx(truth.y[0], abs=1e-9)
    assert ss.analysis.audit(run).passed


def test_run_continues_from_an_unloaded_state() -> None:
    m = part_on_a_spring(LAWS["presliding"], 20.0 - ss.Step(20.0, start=1.0) + ss.Step(9.0, start=2.5))
    start = {"part.position": 0.2}
    whole, part = ss.simulate(m, t_end=4.0, initial=start), ss.simulate(m, t_end=2.0, initial=start)
    rest = ss.simulate(m, t_end=4.0, state=pickle.loads(pickle.dumps(part.state)))
    assert [e.time for e in rest.events] == [e.time for e in whole.events if e.time > 2.0]
    assert rest["part.position"][-1] == whole["part.position"][-1]


@EVERY_LAW
def test_derivatives_hold_across_release_and_grip(law: ss.Law) -> None:
    if "DeadTime" in repr(law):
        pytest.skip("dead time is refused by name")
    m = part_on_a_spring(law, 20.0 - ss.Step(20.0, start=1.0) + ss.Step(9.0, start=2.5))

    def last(x0: float) -> float:
        run = ss.simulate(m, t_end=2.55, initial={"part.position": x0}, rtol=1e-12)
        return float(run["part.velocity"][-1])

    run = ss.simulate(
        m, t_end=2.55, initial={"part.position": 0.2}, rtol=1e-11, sensitivities=["part.position"]
    )
    h = 1e-4
    steps = [(last(0.2 + k * h) - last(0.2 - k * h)) / (2 * k * h) for k in (1, 2)]
    richardson = (4.0 * steps[0] - steps[1]) / 3.0
    assert run.sensitivity["part.velocity", "part.position"][-1] == pytest.approx(richardson, rel=2e-8)


def test_time_stepping_handles_zero_load() -> None:
    m = part_on_a_spring(LAWS["Coulomb"], 20.0 - ss.Step(20.0, start=1.0))
    run = ss.simulate(m, t_end=2.0, initial={"part.position": 0.2}, method="time_stepping", max_step=1e-3)
    mode = run["brake.mode"]
    assert set(mode[run.t < 0.999]) == {0.0} and set(mode[run.t > 1.001]) == {float(ss.Mode.FREE)}


def test_derivative_by_a_zero_load_is_refused() -> None:
    with pytest.raises(ValueError, match="exactly at this value 'brake' is unloaded for some time"):
        ss.simulate(part_on_a_spring(LAWS["Coulomb"], 0.0), t_end=1.0, sensitivities=["brake.normal_load"])


def test_real_time_handles_zero_load() -> None:
    """A brake that closes after half a second, in steps of 0.1 ms."""
    m = part_on_a_spring(LAWS["Coulomb"], ss.Step(5.0, start=0.5))
    rt = ss.RealTime(m, step=1e-4, outputs=["brake.mode", "part.position"], initial={"part.position": 0.2})
    rows = np.array([rt.step() for _ in range(10_000)])
    run = ss.simulate(m, t_end=1.0, initial={"part.position": 0.2}, t_eval=np.linspace(0.0, 1.0, 10_001))
    assert rows[:, 1] == pytest.approx(run["part.position"][1:], abs=1e-12)
    assert set(rows[:4999, 0]) == {float(ss.Mode.FREE)} and rows[-1, 0] == run["brake.mode"][-1]
