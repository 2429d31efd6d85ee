"""Detents against closed forms, SciPy from event to event, and the energy balance."""

from __future__ import annotations

import pickle
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

mpl.use("Agg")

PRELOAD, MASS = 3.0, 2.0


def _mass(**detent: float) -> ss.Machine:
    m = ss.Machine(mass=MASS, names=["q"])
    m.add_detent("seat", on="q", preload=PRELOAD, **detent)
    return m


def _drive(motor: float, load: float, torque: ss.Signal, **detent: float) -> ss.Machine:
    m = ss.Machine(mass=[motor, load], names=["motor", "load"], kind="rotary", force={"motor": torque})
    m.add_detent("limiter", on=("motor", "load"), preload=PRELOAD, **detent)
    return m


def test_release_time_under_a_ramp_matches_closed_form() -> None:
    """Locked, the limiter passes on load / (motor + load) of the motor's torque."""
    run = ss.simulate(_drive(1.0, 3.0, ss.Ramp(slope=2.0), pitch=1.0), 3.0)
    first = run.events[0]
    assert first.time == pytest.approx(PRELOAD * 4.0 / 3.0 / 2.0, abs=1e-13)
    assert (str(first.before), str(first.after), first.cause) == ("locked", "high", "limiter breaks away")
    assert ss.analysis.audit(run).passed


def test_locked_limiter_is_rigid_below_its_preload() -> None:
    torque = ss.Sine(amplitude=3.9, frequency=0.7)
    run = ss.simulate(_drive(1.0, 3.0, torque, pitch=1.0), 5.0, dt=0.01)
    assert len(run.events) == 0
    assert np.all(run["limiter.mode"] == ss.Mode.LOCKED)
    assert np.abs(run["limiter.elongation"]).max() < 1e-15
    assert run["limiter.force"] == pytest.approx(0.75 * 3.9 * np.sin(2 * np.pi * 0.7 * run.t), abs=1e-12)


def test_times_at_a_single_seat_match_closed_form() -> None:
    """``m x'' = -preload - k x`` from the seat returns after ``2/w atan(v k/(w preload))`` with the opposite velocity."""
    k, v = 50.0, 0.8
    w = np.sqrt(k / MASS)
    back = 2.0 / w * np.arctan(v * k / (w * PRELOAD))
    run = ss.simulate(_mass(stiffness=k), 20.5 * back, initial={"q.velocity": v})
    assert run.events.time == pytest.approx(back * np.arange(1, 21), abs=1e-11)
    assert {e.cause for e in run.events} == {"seat reaches a seat"}
    assert run.energy.residual < 1e-12
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize("width", [None, 0.1])
def test_times_of_seats_and_crests_match_closed_form(width: float | None) -> None:
    """Beside a seat x moves as ``w - w cosh(r t) + v/r sinh(r t)``, ``r^2 = preload/(w m)``; behind w uniformly."""
    pitch, v = 0.4, 0.9
    w = width or 0.5 * pitch
    r = np.sqrt(PRELOAD / (w * MASS))
    rim = np.arctanh(w * r / v) / r
    uniform = np.sqrt(v**2 - (w * r) ** 2)
    half = rim + (0.5 * pitch - w) / uniform
    given = {} if width is None else {"width": width}
    run = ss.simulate(_mass(pitch=pitch, **given), 12.5 * half, initial={"q.velocity": v})
    assert run.events.time == pytest.approx(half * np.arange(1, 13), rel=1e-11)
    assert [e.cause for e in run.events][:2] == ["seat passes a crest", "seat reaches a seat"]
    assert [str(e.after) for e in run.events][:2] == ["low", "high"]
    assert run["seat.seat"][-1] == pytest.approx(6 * pitch)
    assert run.energy.elastic.max() == pytest.approx(0.5 * PRELOAD * w, rel=1e-3)
    assert run.energy.residual < 1e-12
    assert ss.analysis.audit(run).passed


def test_settling_time_with_friction_matches_closed_form() -> None:
    """Velocities at the seat fall by ``sqrt((P - F)/(P + F))`` each time; the swings add up to a finite time."""
    friction, v = 1.2, 0.5
    m = _mass()
    m.add_friction("guide", on="q", law=friction)
    out, back = PRELOAD + friction, PRELOAD - friction
    ratio = np.sqrt(back / out)
    settled = MASS * v * (1.0 / out + ratio / back) / (1.0 - ratio)
    run = ss.simulate(m, 2.0 * settled, initial={"q.velocity": v}, dt=settled)
    last = run.events.of("seat")[-1]
    assert last.time == pytest.approx(settled, rel=1e-6)  # a way of 1e-13 of the greatest one is none
    assert str(last.after) == "locked"
    assert np.abs(run["q.position"][-1]) < 1e-12
    assert run["q.velocity"][-1] == 0.0
    assert run.energy.friction == {"guide": pytest.approx(run.energy.friction["guide"])}
    assert run.energy.friction["guide"][-1] == pytest.approx(0.5 * MASS * v**2, rel=1e-9)


def test_ratchet_stops_on_the_seat_given_by_energy() -> None:
    """Each pitch takes F p; a crest is passed while the energy exceeds P w/2 + F p/2."""
    friction, pitch, v = 0.4, 0.3, 1.5
    m = _mass(pitch=pitch)
    m.add_friction("guide", on="q", law=friction)
    energy, passed = 0.5 * MASS * v**2, 0
    while energy > 0.5 * PRELOAD * 0.5 * pitch + friction * 0.5 * pitch:
        energy, passed = energy - friction * pitch, passed + 1
    run = ss.simulate(m, 20.0, initial={"q.velocity": v})
    assert run.success
    assert passed > 3
    assert run["seat.mode"][-1] == ss.Mode.LOCKED
    assert run["q.position"][-1] == pytest.approx(passed * pitch, abs=1e-10)
    assert ss.analysis.audit(run).passed


def _by_scipy(
    t_end: float, motor: float, load: float, torque: float, pitch: float, damping: float
) -> list[float]:
    """Times at which the limiter releases, is passed at a seat or on a crest, from event to event."""
    omega = 2.0 * np.pi * 0.5

    def rates(t: float, z: np.ndarray, side: int, seat: float) -> np.ndarray:
        q, v = z[:2], z[2:]
        x = q[0] - q[1] - seat
        f = PRELOAD * (side - 2.0 * x / pitch) + damping * (v[0] - v[1])
        m = torque * np.sin(omega * t)
        if side == 0:
            return np.array([*v, m / (motor + load), m / (motor + load)])
        return np.array([*v, (m - f) / motor, f / load])

    def limit(t: float, z: np.ndarray, side: int, seat: float) -> float:
        return PRELOAD - float(abs(torque * np.sin(omega * t))) * load / (motor + load)

    def way(t: float, z: np.ndarray, side: int, seat: float) -> float:
        return float(z[0] - z[1] - seat)

    def crest(t: float, z: np.ndarray, side: int, seat: float) -> float:
        return float(abs(z[0] - z[1] - seat)) - 0.5 * pitch

    times: list[float] = []
    t, z, side, seat = 0.0, np.zeros(4), 0, 0.0
    while True:
        watched = [limit] if side == 0 else [way, crest]
        for g in watched:
            g.terminal = True  # type: ignore[attr-defined]
            g.direction = 0.0  # type: ignore[attr-defined]
        limit.direction = -1.0  # type: ignore[attr-defined]
        start = 0.0
        if side != 0:  # off the zero on which it starts
            start = 1e-6
            step = solve_ivp(rates, (t, t + start), z, "DOP853", args=(side, seat), rtol=1e-13, atol=1e-15)
            t, z = t + start, step.y[:, -1]
        found = solve_ivp(
            rates, (t, t_end), z, "DOP853", args=(side, seat), events=watched, rtol=1e-12, atol=1e-14
        )
        t, z = float(found.t[-1]), found.y[:, -1]
        if found.status != 1:
            return times
        times.append(t)
        if side == 0:
            side = 1 if np.sin(omega * t) * torque > 0.0 else -1
        elif found.t_events[1].size:
            seat, side = seat + side * pitch, -side
        else:
            side = 1 if z[2] > z[3] else -1


def test_driven_limiter_matches_scipy() -> None:
    motor, load, torque, pitch, damping = 0.5, 1.5, 12.0, 0.6, 0.3
    m = _drive(motor, load, ss.Sine(amplitude=torque, frequency=0.5), pitch=pitch, damping=damping)
    run = ss.simulate(m, 1.5)
    expected = _by_scipy(1.5, motor, load, torque, pitch, damping)
    assert len(expected) > 8
    assert run.events.time == pytest.approx(expected, abs=1e-8)
    assert ss.analysis.audit(run).passed


def test_start_off_a_seat_has_the_nearest_one() -> None:
    run = ss.simulate(_mass(pitch=1.0, position=0.25), 0.01, dt=0.01, initial={"q.position": 5.0})
    assert run["seat.seat"][0] == 5.0
    assert run["seat.elongation"][0] == pytest.approx(-0.25)
    assert run["seat.mode"][0] == ss.Mode.LOW
    assert run["seat.force"][0] == pytest.approx(-0.5 * PRELOAD)


def test_seats_hold_in_shared_rest_and_impacts() -> None:
    """A locked detent and friction share a load; an impact moves both."""
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"], force={"a": ss.Ramp(slope=1.0)})
    m.add_detent("seat", on="a", preload=2.0, stiffness=100.0)
    m.add_friction("guide", on="a", law=ss.Coulomb(static=1.0, kinetic=0.5))
    m.add_contact("bump", normal={"a": 1.0, "b": -1.0}, gap=1.0, restitution=0.5)
    run = ss.simulate(m, 6.0, initial={"b.velocity": 0.5})
    assert run.success
    assert run.events.of("bump").time[0] == pytest.approx(2.0)
    assert ss.analysis.audit(run).passed
    alone = ss.Machine(mass=1.0, names=["a"], force={"a": ss.Ramp(slope=1.0)})
    alone.add_detent("seat", on="a", preload=2.0, stiffness=100.0)
    alone.add_friction("guide", on="a", law=ss.Coulomb(static=1.0, kinetic=0.5))
    assert ss.simulate(alone, 6.0).events.time[0] == pytest.approx(3.0, abs=1e-12)


def test_value_codec_text_and_resume() -> None:
    m = _drive(0.5, 1.5, ss.Sine(amplitude=12.0, frequency=0.5), pitch=0.6, width=0.2, damping=0.3)
    assert ss.Machine.from_dict(m.to_dict()) == m == pickle.loads(pickle.dumps(m))
    assert "detents={'limiter': detent(preload=3.0, pitch=0.6, width=0.2, damping=0.3)}" in repr(m)
    whole, first = ss.simulate(m, 3.0), ss.simulate(m, 1.1)
    rest = ss.simulate(m, state=pickle.loads(pickle.dumps(first.state)), t_end=3.0)
    assert rest.state == whole.state
    assert whole.units["limiter.force"] == "Nm"


def test_saved_run_is_the_same(tmp_path: Path) -> None:
    run = ss.simulate(_mass(pitch=0.4), 5.0, initial={"q.velocity": 0.9})
    run.save(tmp_path / "run.npz")
    again = ss.load(tmp_path / "run.npz")
    assert isinstance(again, ss.Trajectory)
    assert np.array_equal(again["seat.force"], run["seat.force"])
    assert str(again.events) == str(run.events)


def test_parameters_of_a_sweep() -> None:
    preload = np.array([1.0, 2.0, 3.0])
    out = ss.ensemble(
        _drive(1.0, 3.0, ss.Ramp(slope=2.0)),
        {"limiter.preload": preload},
        t_end=1.0,
        measure=["events.count"],
    )
    assert out["events.count"].tolist() == [1, 0, 0]
    known = _mass(pitch=0.4, width=0.1)._description.parameters
    assert {f"seat.{name}" for name in ("preload", "pitch", "width", "damping", "position")} <= set(known)


@pytest.mark.parametrize("parameter", ["seat.preload", "seat.pitch", "seat.damping", "q.mass"])
def test_sensitivities_match_differences(parameter: str) -> None:
    def made(change: float) -> ss.Machine:
        given = {"seat.preload": PRELOAD, "seat.pitch": 0.4, "seat.damping": 0.1, "q.mass": MASS}
        given[parameter] += change
        m = ss.Machine(mass=given["q.mass"], names=["q"])
        m.add_detent(
            "seat",
            on="q",
            preload=given["seat.preload"],
            pitch=given["seat.pitch"],
            damping=given["seat.damping"],
        )
        return m

    def end(change: float, sensitivities: list[str] | None = None) -> ss.Trajectory:
        start = {"q.velocity": 0.9}
        return ss.simulate(made(change), 2.0, initial=start, t_eval=[2.0], sensitivities=sensitivities or [])

    run = end(0.0, [parameter])
    assert len(run.events) > 3
    h = 1e-5
    ahead, behind = end(h), end(-h)
    for name in ("q.position", "q.velocity", "seat.elongation"):
        by_differences = (ahead[name][-1] - behind[name][-1]) / (2.0 * h)
        assert run.sensitivity[name, parameter][-1] == pytest.approx(by_differences, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"preload": 0.0}, r"preload of 'seat' = 0 is not allowed: it must be finite and > 0"),
        ({"pitch": -1.0}, r"pitch of 'seat' = -1 is not allowed"),
        ({"damping": -1.0}, r"damping of 'seat' = -1 is not allowed"),
        ({"width": 0.1}, r"width of 'seat' = 0.1 is not allowed: it must be at most half the pitch"),
        ({"pitch": 1.0, "width": 0.6}, r"width of 'seat' = 0.6 is not allowed"),
        (
            {"pitch": 1.0, "stiffness": 5.0},
            r"stiffness of 'seat' = 5 is not allowed: it must be 0 with a pitch",
        ),
    ],
)
def test_bad_numbers(given: dict[str, float], message: str) -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    with pytest.raises(ValueError, match=message):
        m.add_detent("seat", on="q", **({"preload": 1.0} | given))


def test_real_time_and_time_stepping_refuse_detents() -> None:
    with pytest.raises(ValueError, match="has the detent 'seat', which RealTime does not support"):
        ss.RealTime(_mass(), step=1e-3)
    with pytest.raises(ValueError, match="'time_stepping' does not run springs such as 'seat'"):
        ss.simulate(_mass(), 1.0, method="time_stepping", max_step=1e-3)


def test_drawings_show_a_detent() -> None:
    ax = _drive(1.0, 3.0, ss.Ramp(slope=2.0), pitch=1.0).draw()
    shown = " ".join(text.get_text() for text in ax.figure.findobj(mpl.text.Text))
    assert "limiter: detent" in shown
