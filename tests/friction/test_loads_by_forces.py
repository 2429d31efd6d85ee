"""Friction loaded by forces of the machine: springs, outputs of controllers, applied forces, sums of them."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from auditing.damage import Damaged
from numpy.typing import NDArray
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import stickslip as ss

MU = 0.3


def on_its_spring(load: str | Mapping[str, float] = "spring.force") -> ss.Machine:
    """``m x'' + k x + mu |k x| sgn x' = 0``, without stiction: it never sticks."""
    m = ss.Machine(2.0, names=["x"])
    m.add_spring("spring", on="x", stiffness=50.0)
    m.add_friction("leaf", on="x", law=MU, normal_load=load)
    return m


def driven(x_force: ss.Signal, damping: float = 0.0) -> ss.Machine:
    """A coordinate x that moves by itself, and a body b that always slides forwards."""
    return ss.Machine([1.0, 1.0], damping=[damping, 0.0], names=["x", "b"], force={"x": x_force, "b": 20.0})


def test_friction_of_a_leaf_spring_is_the_closed_form() -> None:
    # Towards the middle w1² = k (1 - mu)/m, away from it w2² = k (1 + mu)/m
    w1, w2 = (math.sqrt(50.0 * (1.0 + s * MU) / 2.0) for s in (-1.0, 1.0))
    half = 0.5 * math.pi * (1.0 / w1 + 1.0 / w2)
    run = ss.simulate(on_its_spring(), 3.2 * half, initial={"x.position": 1.0})
    turns = np.arange(1, 4) * half
    times = [e.time for e in run.events if e.element == "leaf" and e.time > 0.0]
    np.testing.assert_allclose(times, turns, rtol=1e-13)
    np.testing.assert_allclose(run.sol(turns)[0], [-w1 / w2, (w1 / w2) ** 2, -((w1 / w2) ** 3)], rtol=1e-12)
    assert ss.analysis.audit(run).passed


def test_only_the_magnitude_of_the_sum_counts() -> None:
    runs = [
        ss.simulate(on_its_spring(load), 3.0, initial={"x.position": 1.0})["x.position"][-1]
        for load in (
            "spring.force", {"spring.force": -1.0}, {"spring.force": 2.0, "x.position": -50.0}, {"x.position": 50.0},
        )
    ]  # fmt: skip
    np.testing.assert_allclose(runs, runs[0], rtol=1e-12)


def test_damper_of_a_spring_loads_friction() -> None:
    m = driven(ss.Constant(0.0))
    m.add_spring("shaft", on="x", stiffness=9.0, damping=0.6)
    m.add_friction("seal", on="b", law=MU, normal_load="shaft.force")
    run = ss.simulate(m, 4.0, initial={"x.position": 1.0, "b.velocity": 5.0})
    truth = solve_ivp(
        lambda _, y: [y[1], -9.0 * y[0] - 0.6 * y[1], 20.0 - MU * abs(9.0 * y[0] + 0.6 * y[1])],
        (0.0, 4.0), [1.0, 0.0, 5.0], "DOP853", rtol=1e-13, atol=1e-13, max_step=1e-3,
    )  # fmt: skip
    assert run["b.velocity"][-1] == pytest.approx(truth.y[2, -1], rel=1e-9)
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize("kind", ["backlash", "preload", "one-sided", "table"])
def test_force_of_a_spring_with_corners_loads_friction(kind: str) -> None:
    arguments: dict[str, Any] = {
        "backlash": {"stiffness": 9.0, "backlash": 0.6},
        "preload": {"stiffness": 9.0, "preload": 1.5},
        "one-sided": {"stiffness": 9.0, "one_sided": True},
        "table": {"table": ([-1.0, 0.2, 0.5], [-4.0, 0.5, 6.0])},
    }[kind]
    force: Callable[[float], float] = {
        "backlash": lambda x: 9.0 * math.copysign(max(abs(x) - 0.3, 0.0), x),
        "preload": lambda x: 9.0 * x + math.copysign(1.5, x) if abs(x) > 1.5 / 9.0 else 18.0 * x,
        "one-sided": lambda x: 9.0 * min(x, 0.0),
        "table": lambda x: -4.0 + 3.75 * (x + 1.0) if x < 0.2 else 0.5 + 5.5 / 0.3 * (x - 0.2),
    }[kind]
    m = driven(ss.Sine(3.0, 0.7), damping=0.2)
    m.add_spring("shaft", on="x", **arguments)
    m.add_friction("seal", on="b", law=MU, normal_load="shaft.force")
    run = ss.simulate(m, 4.0, initial={"b.velocity": 5.0})

    def rates(t: float, y: NDArray[np.float64]) -> list[float]:
        f = force(y[0])
        return [y[1], 3.0 * math.sin(1.4 * math.pi * t) - 0.2 * y[1] - f, 20.0 - MU * abs(f)]

    truth = solve_ivp(rates, (0.0, 4.0), [0.0, 0.0, 5.0], "DOP853", rtol=1e-12, atol=1e-12, max_step=1e-2)
    assert run["b.velocity"][-1] == pytest.approx(truth.y[2, -1], rel=1e-7)
    assert ss.analysis.audit(run).passed


def test_output_of_a_continuous_controller_loads_friction() -> None:
    # x'' = u = -9 x - 0.6 x', from x = 1
    m = driven(ss.Constant(0.0))
    m.add_controller(ss.PID(kp=9.0, kd=0.6), name="pd", measure="x.position", reference=0.0, to="x")
    m.add_friction("brake", on="b", law=MU, normal_load="pd.output")
    run = ss.simulate(m, 4.0, initial={"x.position": 1.0, "b.velocity": 5.0})
    decay, w = 0.3, math.sqrt(9.0 - 0.09)

    def output(t: float) -> float:
        x = math.exp(-decay * t) * (math.cos(w * t) + decay / w * math.sin(w * t))
        return -9.0 * x + 0.6 * math.exp(-decay * t) * 9.0 / w * math.sin(w * t)

    zeros = [t for t in np.linspace(0.0, 4.0, 400) if output(t) * output(t + 4.0 / 399.0) < 0.0]
    corners = [brentq(output, t, t + 4.0 / 399.0, xtol=1e-14) for t in zeros]
    total = sum(
        quad(lambda t: abs(output(t)), a, b, epsabs=1e-13)[0]
        for a, b in zip([0.0, *corners], [*corners, 4.0], strict=True)
    )
    assert run["b.velocity"][-1] == pytest.approx(5.0 + 80.0 - MU * total, rel=1e-11)
    assert ss.analysis.audit(run).passed


def test_held_output_of_a_sampled_controller_loads_friction_also_where_it_jumps_through_zero() -> None:
    period, kp = 0.1, 9.0
    m = driven(ss.Constant(0.0))
    m.add_controller(
        ss.P(kp=kp, period=period, limits=6.0), name="p", measure="x.position", reference=0.0, to="x"
    )
    m.add_friction("brake", on="b", law=MU, normal_load="p.output")
    run = ss.simulate(m, 4.0, initial={"x.position": 1.0, "b.velocity": 5.0})
    x, v, b = 1.0, 0.0, 5.0
    outputs = []
    for _ in range(40):
        u = min(max(-kp * x, -6.0), 6.0)
        outputs.append(u)
        x, v, b = x + v * period + 0.5 * u * period**2, v + u * period, b + (20.0 - MU * abs(u)) * period
    assert min(outputs) < 0.0 < max(outputs)
    assert run["b.velocity"][-1] == pytest.approx(b, rel=1e-12)
    assert ss.analysis.audit(run).passed


def test_applied_force_that_jumps_through_zero_loads_friction() -> None:
    m = driven(ss.Piecewise([0.0, 1.0, 1.0, 3.0], [2.0, 2.0, -3.0, -3.0]))
    m.add_friction("brake", on="b", law=MU, normal_load="x.applied_force")
    run = ss.simulate(m, 3.0, initial={"b.velocity": 5.0})
    assert run["b.velocity"][-1] == pytest.approx(5.0 + 60.0 - MU * (2.0 + 6.0), rel=1e-12)
    assert ss.analysis.audit(run).passed


# MX-106 of Rhoban, model M4: kt, R, J; base, load, Stribeck's share of both, viscous, Stribeck velocity, exponent
KT, R, J = 2.2314, 2.3717, 0.024574
BASE, LOAD, RISE, VISCOUS, SPEED, SHAPE = 0.10491, 0.0091503, 0.22236, 0.050961, 1.62329, 1.32349
WEIGHT = 1.2  # N m: m g l of the arm


def voltage() -> ss.Signal:
    return ss.Sine(4.0, 0.8, offset=0.5)


def servo() -> ss.Machine:
    m = ss.Machine(J, damping=KT**2 / R, names=["arm"], kind="rotary", force={"arm": (KT / R) * voltage()})
    m.add_force("arm", lambda q: -WEIGHT * ss.math.sin(q["arm"]))
    options = {"stribeck_velocity": SPEED, "shape": SHAPE}
    m.add_friction("base", on="arm", law=ss.Stribeck(BASE, 0.0, **options) + ss.Viscous(VISCOUS))
    m.add_friction(
        "load", on="arm", law=ss.Stribeck(LOAD + RISE, LOAD, **options),
        normal_load={"arm.applied_force": 1.0, "arm.velocity": -(KT**2) / R},
    )  # fmt: skip
    return m


def servo_by_scipy(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles, by DOP853 between stops and break-aways."""

    def torque(t: float, q: float, v: float) -> float:
        volts = 0.5 + 4.0 * math.sin(1.6 * math.pi * t)
        return KT / R * (volts - KT * v) - WEIGHT * math.sin(q)

    def excess(t: float, q: float) -> float:
        size = abs(torque(t, q, 0.0))
        return size - BASE - size * (LOAD + RISE)

    out, t, y, end = np.empty(times.size), 0.0, [0.0, 0.0], float(times[-1])
    while True:
        if excess(t, y[0]) <= 0.0:
            grid = np.linspace(t, end, 2001)
            over = np.flatnonzero([excess(at, y[0]) > 0.0 for at in grid])
            until = (
                end
                if over.size == 0
                else brentq(lambda at, q=y[0]: excess(at, q), grid[over[0] - 1], grid[over[0]], xtol=1e-15)
            )
            out[(times >= t) & (times <= until)] = y[0]
            t = until
            if over.size == 0:
                return out
            t += 1e-12
        side = math.copysign(1.0, torque(t, y[0], 0.0))

        def rates(at: float, z: NDArray[np.float64], side: float = side) -> list[float]:
            fall = math.exp(-((max(side * z[1], 0.0) / SPEED) ** SHAPE))
            drive = torque(at, z[0], z[1])
            rub = BASE * fall + abs(drive) * (LOAD + RISE * fall)
            return [z[1], (drive - side * rub - VISCOUS * z[1]) / J]

        def stops(_: float, z: NDArray[np.float64], side: float = side) -> float:
            return float(side * z[1])

        stops.terminal, stops.direction = True, -1.0  # type: ignore[attr-defined]
        start = [y[0], side * 1e-13]
        run = solve_ivp(
            rates, (t, end), start, "DOP853", events=stops, dense_output=True, rtol=1e-12, atol=1e-13, max_step=5e-3
        )  # fmt: skip
        here = (times >= t) & (times <= run.t[-1])
        out[here] = run.sol(times[here])[0]
        t, y = float(run.t[-1]), [float(run.y[0, -1]), 0.0]
        if t >= end:
            return out


def test_servo_of_rhoban_is_the_run_of_scipy() -> None:
    times = np.linspace(0.0, 3.0, 61)
    run = ss.simulate(servo(), 3.0, rtol=1e-10)
    truth = servo_by_scipy(times)
    assert {str(e.after) for e in run.events if e.element == "load"} >= {"stick", "slip+", "slip-"}
    np.testing.assert_allclose(run.sol(times)[0], truth, rtol=0.0, atol=2e-8 * np.abs(truth).max())
    assert ss.analysis.audit(run).passed


def test_load_is_shown_saved_swept_and_differentiated(tmp_path: Any) -> None:
    m = on_its_spring()
    again = ss.Machine.from_dict(m.to_dict())
    assert again == m and pickle.loads(pickle.dumps(m)) == m
    run = ss.simulate(again, 1.3, initial={"x.position": 1.0}, sensitivities=["spring.stiffness"])
    np.testing.assert_allclose(run["leaf.load"], np.abs(run["spring.force"]), rtol=1e-12)
    run.save(tmp_path / "run.npz")
    assert ss.load(tmp_path / "run.npz").machine == m
    h = 1e-3
    out = ss.ensemble(
        m, {"spring.stiffness": [50.0 - h, 50.0 + h]}, 1.3, ["x.position.final"], initial={"x.position": 1.0}
    )
    low, high = out["x.position.final"]
    assert run.sensitivity["x.position", "spring.stiffness"][-1] == pytest.approx(
        (high - low) / (2.0 * h), rel=1e-6
    )


def test_real_time_takes_it() -> None:
    m = on_its_spring()
    ours = ss.RealTime(m, 1e-4, initial={"x.position": 1.0}).run(13000)[-1, 0]
    assert ours == pytest.approx(ss.simulate(m, 1.3, initial={"x.position": 1.0})["x.position"][-1], rel=1e-6)


def test_audit_finds_a_load_of_another_machine() -> None:
    run = ss.simulate(on_its_spring(), 1.0, initial={"x.position": 1.0})
    assert not ss.analysis.audit(Damaged(run, machine=on_its_spring({"spring.force": 1.01}))).passed


def plain() -> ss.Machine:
    m = ss.Machine([1.0, 1.0], names=["x", "y"])
    m.add_spring("free", on="x", stiffness=1.0, backlash=0.1, damping=0.1)
    m.add_controller(ss.P(kp=1.0, limits=1.0), name="p", measure="x.position", reference=0.0, to="x")
    m.add_constraint("rod", on={"x": 1.0, "y": -1.0})
    m.add_friction("other", on="y", law=0.1)
    return m


REFUSED: dict[str, tuple[Any, str]] = {
    "friction": ("other.force", "'other.force' is found together with the motion"),
    "limited output": ("p.output", "'p', which has limits: give it a period"),
    "missing output": ("p.output3", "'p' has 1 outputs"),
    "unknown controller": ("q.output", "unknown controller 'q'; known are: 'p'"),
    "unknown spring": ("q.force", "unknown spring or constraint 'q'; known are: 'free', 'rod'"),
    "unknown coordinate": ("q.position", "unknown coordinate 'q'"),
    "unknown quantity": ("x.acceleration", "must be '<coordinate>.position'.*'<spring>.force'"),
    "damped backlash": ("free.force", "'free.force' is a force with backlash or corners"),
    "nothing": ({}, "names no force"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_load_names_the_cure(name: str) -> None:
    load, words = REFUSED[name]
    m = plain()
    with pytest.raises(ValueError, match=words):
        m.add_friction("f", on="x", law=0.1, normal_load=load)
        m.check()


def test_named_load_excludes_another_one() -> None:
    m = plain()
    with pytest.raises(ValueError, match="left out where normal_load names forces"):
        m.add_friction("f", on="x", law=0.1, normal_load="free.force", load={"x.position": 1.0})
    with pytest.raises(ValueError, match="give these forces as load="):
        m.add_friction("f", on="x", law=ss.StickSlip(0.1, load_factor=0.2), normal_load="free.force")
