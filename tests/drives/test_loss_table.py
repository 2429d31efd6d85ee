"""Gears whose losses depend on the speed, against equations of one degree of freedom and of Modelica's HeatLosses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from drives import heat_losses
from scipy.integrate import solve_ivp

import stickslip as ss

TABLE = [[0.0, 0.8, 0.7, 0.1, 0.1], [1.0, 0.7, 0.6, 0.2, 0.2], [3.0, 0.75, 0.65, 0.2, 0.2]]


def geared(torque: Any, load: float, **losses: Any) -> ss.Machine:
    m = ss.Machine(mass=[0.5, 0.4], names=["a", "b"], kind="rotary", force={"a": torque, "b": load})
    m.add_gear("gear", on=("a", "b"), ratio=2.0, **losses)
    return m


def acceleration(w: float, torque: float, load: float, direction: int) -> float:
    """LossyGear in one direction of motion: -tau_b = 2 (eta tau_a - bearing), backwards with eta = 1/r."""
    table = np.array(TABLE)
    e, r, bearing = (np.interp(abs(w), table[:, 0], table[:, k]) for k in (1, 2, 3))
    for efficiency, sign in ((e, 1.0), (1.0 / r, -1.0)):
        # 0.5 w' = torque - tau_a; 0.4 w'/2 = load + 2 (efficiency tau_a - direction bearing)
        tau, rate = np.linalg.solve(
            [[1.0, 0.5], [-2.0 * efficiency, 0.2]], [torque, load - 2.0 * direction * bearing]
        )
        if tau * direction * sign >= 0.0:
            return float(rate)
    raise AssertionError("no direction of power")


def swing(t: float) -> float:
    return float(3.0 * np.sin(2.0 * t))


def reference(times: np.ndarray, load: float) -> np.ndarray:
    """Speed of the first shaft: stretches of one direction by DOP853, which end where it stops or begins to move."""
    t = 0.0
    w = np.zeros_like(times)
    while t < times[-1]:
        soon = t + 1e-9
        forward, backward = (acceleration(0.0, swing(soon), load, s) for s in (1, -1))
        direction = 1 if forward > 0.0 else -1 if backward < 0.0 else 0

        def started(t: float, y: np.ndarray) -> float:
            return max(acceleration(0.0, swing(t), load, 1), -acceleration(0.0, swing(t), load, -1))

        def stopped(t: float, y: np.ndarray, direction: int = direction) -> float:
            return float(y[0]) * direction + 1e-13

        def rate(t: float, y: np.ndarray, direction: int = direction) -> list[float]:
            return [acceleration(y[0], swing(t), load, direction) if direction else 0.0]

        end = started if direction == 0 else stopped
        end.terminal, end.direction = True, 1.0 if direction == 0 else -1.0  # type: ignore[attr-defined]
        step = solve_ivp(
            rate,
            (t, times[-1]),
            [0.0],
            "DOP853",
            events=end,
            dense_output=True,
            rtol=1e-12,
            atol=1e-14,
            max_step=0.003,  # its dense form does not see corners of the table
        )
        reached = (times > t) & (times <= step.t[-1])
        if reached.any():
            w[reached] = step.sol(times[reached])[0]
        t = float(step.t[-1])
    return w


@pytest.mark.parametrize(
    "load", [-0.9, *(pytest.param(load, marks=pytest.mark.slow) for load in (0.05, -2.5))]
)
def test_speed_is_that_of_lossy_gear(load: float) -> None:
    """Through rest and reversals, driving and driven (reached: 3e-10)."""
    times = np.linspace(0.0, 6.0, 241)
    machine = geared(ss.Sine(amplitude=3.0, frequency=1.0 / np.pi), load, loss_table=TABLE)
    run = ss.simulate(machine, 6.0, t_eval=times, rtol=1e-11)
    assert {"stick", "slip+"} <= {str(e.after) for e in run.events} or load == 0.05
    assert np.abs(run["a.velocity"] - reference(times, load)).max() < 4e-10


def test_constant_rows_are_the_gear_with_these_efficiencies() -> None:
    """Also self-locking backwards."""
    torque = ss.Sine(amplitude=6.0, frequency=0.5)
    constant = [[speed, 0.6, -0.3, 0.0, 0.0] for speed in (0.0, 9.0)]
    times = np.linspace(0.0, 5.0, 101)
    runs = [
        ss.simulate(geared(torque, -1.0, **losses), 5.0, t_eval=times, rtol=1e-11)
        for losses in ({"efficiency": (0.6, -0.3)}, {"loss_table": constant})
    ]  # fmt: skip
    assert runs[1]["b.velocity"] == pytest.approx(runs[0]["b.velocity"], abs=1e-10)


def test_bearing_torques_are_shared_between_both_shafts() -> None:
    """With a and b, referred to the first shaft: t1 = e a + b and t2 = a/r + b."""
    a, b, e, r = 0.3, 0.2, 0.8, 0.5
    m = geared(0.0, 0.0, loss_table=[[0.0, e, r, e * a + b, a / r + b]])
    elements = m.to_dict()["elements"]
    levels = {
        one["name"]: ss.simulate(m, 0.01, initial={"a.velocity": 1.0})[f"{one['name']}.force"][0]
        for one in elements
        if "bearing" in one.get("name", "")
    }
    assert levels == pytest.approx({"gear_first_bearing": a, "gear_bearing": b})


@pytest.mark.slow
def test_heat_losses_is_that_of_its_equations() -> None:
    """125 changes of modes in a second."""
    times = np.linspace(0.0, heat_losses.T_END, 101)
    expected = heat_losses.motion(times)
    run = ss.simulate(heat_losses_machine(), heat_losses.T_END, t_eval=times, rtol=1e-11)
    for k in range(6):
        assert np.abs(run[f"{k + 1}.velocity"] - expected[:, 4 + k]).max() < 7e-11


def heat_losses_machine() -> ss.Machine:
    names = [str(k) for k in range(1, 7)]
    m = ss.Machine(mass=[heat_losses.J] * 6 + [heat_losses.SHAFT], names=[*names, "out"], kind="rotary")
    m.add_force("1", ss.Sine(amplitude=20.0, frequency=5.0))
    m.add_spring("damper", on="1", stiffness=0.0, damping=10.0)
    m.add_spring("spring_damper", on=("1", "2"), stiffness=1e4, damping=20.0)

    def backlash(q: Any, v: Any) -> Any:
        f = ss.math
        x = q["2"] - q["3"]
        elastic = 1e5 * (f.maximum(x - 5e-4, 0.0) + f.minimum(x + 5e-4, 0.0))
        limit = abs(elastic)
        return -elastic - f.maximum(-limit, f.minimum(limit, 100.0 * (v["2"] - v["3"])))

    m.add_force(("2", "3"), backlash)
    m.add_friction("bearing", on="3", law=heat_losses.BEARING)
    m.add_spring("spring3", on=("3", "4"), stiffness=1e4)
    h = heat_losses
    rows = np.transpose([h.SPEEDS, h.FORWARDS, h.BACKWARDS, h.TORQUES, h.TORQUES])
    m.add_gear("gear", on=("4", "out"), ratio=h.RATIO, loss_table=rows)
    pressed = ss.Sine(amplitude=1.0, frequency=0.2)
    m.add_friction("clutch", on=("out", "5"), law=5.0, normal_load=pressed)
    m.add_friction("one_way_friction", on=("6", "5"), law=0.5, normal_load=pressed)
    m.add_one_way_clutch("one_way", on=("6", "5"))
    m.add_friction("brake", on="6", law=1.0, normal_load=pressed)
    return m


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0.0, 0.8, 0.7, 0.1]], "an array of finite rows"),
        ([[1.0, 0.8, 0.7, 0.1, 0.1]], "increasing from 0"),
        ([[0.0, 1.2, 0.7, 0.1, 0.1]], r"in \(0, 1\] forwards"),
        ([[0.0, 0.8, 0.7, -0.1, 0.1]], ">= 0"),
        ([[0.0, 1.0, 1.0, 0.1, 0.2]], "equal in both directions"),
        ([[0.0, 0.8, 0.0, 0.1, 0.2]], "backward efficiency of 0"),
        ([[0.0, 0.8, 0.7, 0.1, 5.0]], "those of friction on both shafts"),
    ],
)
def test_tables_that_are_not_allowed(table: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        geared(0.0, 0.0, loss_table=table)


def test_one_kind_of_losses_is_given() -> None:
    with pytest.raises(ValueError, match="one of efficiency, friction and loss_table"):
        geared(0.0, 0.0, efficiency=0.9, loss_table=TABLE)
    with pytest.raises(ValueError, match="as a Coupling"):
        ss.parts.Gear(2.0, stiffness=1e3, loss_table=TABLE)


def test_gear_of_a_drive_has_the_table() -> None:
    drive = ss.Drive()
    drive.add("a", ss.parts.Inertia(0.5))
    drive.add("gear", ss.parts.Gear(2.0, loss_table=TABLE))
    drive.add("b", ss.parts.Inertia(0.4))
    assert drive.machine.elements == geared(0.0, 0.0, loss_table=TABLE).elements
    assert drive.engaged.elements == ()
