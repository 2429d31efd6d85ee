"""Modelica.Mechanics.Rotational.Examples.HeatLosses from its equations: modes by enumeration, events by SciPy.

A drive with an elastic shaft, backlash with limited damping, bearing friction, a gear whose losses depend on the speed,
a clutch, a one-way clutch and a brake. Six inertias J; the output of the gear, which has none there, has SHAFT here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

J, SHAFT, RATIO, BEARING = 2.0, 1e-4, 2.0, 1.0
SPEEDS, FORWARDS, BACKWARDS, TORQUES = [0.0, 1.0], [0.8, 0.7], [0.8, 0.7], [1.0, 2.0]
T_END = 1.0
NOISE = 1e-12  # velocities of elements that have just broken away are rounding errors


def drive(t: float) -> float:
    return float(20.0 * np.sin(10.0 * np.pi * t))


def pressed(t: float) -> float:
    return float(np.sin(0.4 * np.pi * t))


def capacities(t: float) -> tuple[float, float, float]:
    """Torques of the sliding clutch, one-way clutch and brake."""
    return 5.0 * pressed(t), 0.5 * pressed(t), 1.0 * pressed(t)


def backlash(x: float, v: float) -> float:
    """Torque of ElastoBacklash at the twist x: no damping torque beyond that of the spring, and no pull."""
    elastic = 1e5 * (max(x - 5e-4, 0.0) + min(x + 5e-4, 0.0))
    damping = 100.0 * v
    return elastic + float(np.clip(damping, -abs(elastic), abs(elastic)))


class Modes(NamedTuple):
    """Signs of sliding of bearing, gear, clutch, one-way clutch and brake, 0 at rest; which efficiency holds."""

    bearing: int
    gear: int
    clutch: int
    one_way: int
    brake: int
    gear_drives: bool


def sliding(y: np.ndarray) -> np.ndarray:
    """Velocities of bearing, gear, clutch, one-way clutch and brake."""
    w3, w4, w5, w6 = y[6:10]
    v = np.array([w3, w4, w4 / RATIO - w5, w6 - w5, w6])
    return np.where(np.abs(v) < 1e-14, 0.0, v)


def solve(t: float, y: np.ndarray, m: Modes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Accelerations, torques of the five elements, and margins that are positive while the modes hold.

    Unknown are six accelerations, the torques of bearing, clutch, one-way clutch and brake, and those into and out of
    the gear.
    """
    q, w = y[:4], y[4:]
    t12 = 1e4 * (q[0] - q[1]) + 20.0 * (w[0] - w[1])
    t23 = backlash(q[1] - q[2], w[1] - w[2])
    t34 = 1e4 * (q[2] - q[3])
    clutch, one_way, brake = capacities(t)
    A, b = np.zeros((12, 12)), np.zeros(12)
    F3, FC, FO, FR, TA, TO = range(6, 12)
    A[:6, :6] = J * np.eye(6)
    b[:4] = drive(t) - 10.0 * w[0] - t12, t12 - t23, t23 - t34, t34
    A[2, F3] = 1.0
    A[3, TA] = 1.0
    A[4, FC] = -1.0  # the clutch drives the fifth inertia
    A[4, FO] = -1.0  # friction of the one-way clutch opposes w6 - w5
    A[5, FO], A[5, FR] = 1.0, 1.0
    A[11, TO], A[11, FC], A[11, 3] = 1.0, -1.0, -SHAFT / RATIO
    for row, unknown, mode, level, rate in (
        (6, F3, m.bearing, BEARING, {2: 1.0}),
        (7, FC, m.clutch, clutch, {3: 1.0 / RATIO, 4: -1.0}),
        (8, FO, m.one_way, one_way, {5: 1.0, 4: -1.0}),
        (9, FR, m.brake, brake, {5: 1.0}),
    ):
        if mode:
            A[row, unknown], b[row] = 1.0, mode * level
        else:
            for column, factor in rate.items():
                A[row, column] = factor
    e, r, bearing = (np.interp(abs(w[3]), SPEEDS, c) for c in (FORWARDS, BACKWARDS, TORQUES))
    if m.gear == 0:
        A[10, 3] = 1.0
    else:  # out = ratio (efficiency in - sign bearing)
        A[10, TO], A[10, TA] = 1.0, -RATIO * (e if m.gear_drives else 1.0 / r)
        b[10] = -RATIO * m.gear * bearing

    def margins(x: np.ndarray) -> np.ndarray:
        out = []
        for mode, force, level in (
            (m.bearing, x[F3], BEARING),
            (m.clutch, x[FC], clutch),
            (m.brake, x[FR], brake),
        ):
            if not mode:
                out.append(level - abs(force))
        if not m.one_way:
            out.append(one_way - x[FO])  # locked it transmits any torque that keeps w6 from falling behind
        into = x[TA]
        if m.gear:
            out.append(into * m.gear * (1 if m.gear_drives else -1))
        else:  # the torque out lies between those of starting forwards and backwards
            out.append(x[TO] - RATIO * ((e if into > 0 else 1.0 / r) * into - bearing))
            out.append(RATIO * ((1.0 / r if into > 0 else e) * into + bearing) - x[TO])
        return np.array(out)

    x = balanced(A, b, margins)
    return x[:6], x[6:], margins(x)


def balanced(A: np.ndarray, b: np.ndarray, margins: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Solve A x = b. If all from the gear to the brake rest, their torques are indeterminate: those with the most room."""
    left, sizes, right = np.linalg.svd(A)
    rank = int((sizes > 1e-9 * sizes[0]).sum())
    x = right[:rank].T @ ((left[:, :rank].T @ b) / sizes[:rank])
    if np.abs(A @ x - b).max() > 1e-9:
        return np.full(12, np.nan)
    if rank == 12:
        return np.asarray(np.linalg.solve(A, b))
    assert rank == 11
    low, high = -40.0, 40.0
    for _ in range(150):
        one, two = low + (high - low) / 3.0, high - (high - low) / 3.0
        if margins(x + one * right[-1]).min() < margins(x + two * right[-1]).min():
            low = one
        else:
            high = two
    return np.asarray(x + low * right[-1])


def candidates(velocities: np.ndarray) -> Iterator[Modes]:
    signs = [(int(np.sign(v)),) if v != 0.0 else (0, 1, -1) for v in velocities]
    if velocities[3] == 0.0:
        signs[3] = (0, 1)
    for bearing, gear, clutch, one_way, brake, drives in itertools.product(*signs, (True, False)):
        if gear or drives:
            yield Modes(bearing, gear, clutch, one_way, brake, drives)


def decide(t: float, y: np.ndarray) -> Modes:
    """The modes that hold just after t: at t itself, elements that break away have no acceleration yet."""
    v, soon = sliding(y), 1e-7
    held = []
    for m in candidates(v):
        accelerations = solve(t, y, m)[0]
        ahead = y + soon * np.r_[y[4:8], accelerations]
        accelerations, _, margins = solve(t + soon, ahead, m)
        rates = sliding(np.r_[np.zeros(4), accelerations])
        starts = [rate * mode for rate, mode, at in zip(rates, m, v, strict=False) if mode and at == 0.0]
        if (margins >= 0.0).all() and all(start > 1e-9 for start in starts):
            held.append(m)
    assert len(held) == 1, (t, held)
    return held[0]


def motion(times: Sequence[float], start: float = 1e-9) -> np.ndarray:
    """States phi_1 to phi_4, w_1 to w_6 at the times. At t = 0 nothing is loaded, so it begins just after."""
    t, y = start, np.zeros(10)
    rows: list[np.ndarray] = [np.zeros(10) for time in times if time <= start]
    while t < T_END:
        m = decide(t, y)
        watched = [k for k in range(5) if m[k]]

        def rate(t: float, y: np.ndarray, m: Modes = m) -> np.ndarray:
            return np.r_[y[4:8], solve(t, y, m)[0]]

        def least(t: float, y: np.ndarray, m: Modes = m, watched: list[int] = watched) -> np.ndarray:
            return np.r_[[sliding(y)[k] * m[k] + NOISE for k in watched], solve(t, y, m)[2]]

        size = len(least(t, y))
        events = []
        for k in range(size):
            event = lambda t, y, k=k: least(t, y)[k]  # noqa: E731
            event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
            events.append(event)
        step = solve_ivp(rate, (t, T_END), y, method="DOP853", rtol=1e-12, atol=1e-15, events=events, dense_output=True,
                         max_step=1e-3)  # fmt: skip
        end = float(step.t[-1])
        rows += [step.sol(time) for time in times if t < time <= end]
        t, y = end, step.y[:, -1]
        for k, found in enumerate(step.t_events):
            if len(found) and k < len(watched):
                stop(y, [i for i in range(5) if m[i] == 0 or i == watched[k]])
    return np.array(rows)


def stop(y: np.ndarray, elements: Sequence[int]) -> None:
    """Set the sliding velocities of elements to zero, by the least change."""
    rows = np.array([sliding(np.r_[np.zeros(6), unit]) for unit in np.eye(4)]).T[list(elements)]
    y[6:] -= np.linalg.pinv(rows) @ (rows @ y[6:])
