"""A machine with how it is run, and what the generators draw from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import stickslip as ss

Rng = np.random.Generator


@dataclass
class Case:
    """A machine, and how it is run.

    `check` holds the finished run against a truth of the family's own, and returns what is wrong, or nothing. `truth` says
    in one word how any run, however it ended, compares with a truth about its start. `budget` says in a
    few words why this number of events cannot suffice, as an independent program proves, or returns nothing.
    """

    machine: ss.Machine
    t_end: float
    options: dict[str, Any] = field(default_factory=dict)
    check: Callable[[ss.Trajectory], str] | None = None
    truth: Callable[[ss.Trajectory], str] | None = None
    budget: Callable[[int], str] | None = None


def between(rng: Rng, low: float, high: float) -> float:
    """Evenly in the logarithm."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def one_of(rng: Rng, *things: Any) -> Any:
    """Any of these."""
    return things[int(rng.integers(len(things)))]


def spd(rng: Rng, n: int) -> np.ndarray:
    """A mass matrix: diagonal, or dense with eigenvalues within two decades."""
    sizes = 10.0 ** rng.uniform(-1.0, 1.0, n)
    if rng.random() < 0.5:
        return np.diag(sizes)
    turn, _ = np.linalg.qr(rng.normal(size=(n, n)))
    dense = turn @ np.diag(sizes) @ turn.T
    return 0.5 * (dense + dense.T)


def signal(rng: Rng, size: float, smooth: bool = False) -> ss.Signal:
    """A function of time of about this size; `smooth` ones have velocities and accelerations."""
    kind = int(rng.integers(2 if smooth else 7))
    if kind == 0:
        return ss.Sine(
            amplitude=size, frequency=between(rng, 0.1, 3.0), phase=float(rng.uniform(0.0, 6.3)),
            offset=size * float(rng.normal()),
        )  # fmt: skip
    if kind == 1:
        return ss.SmoothStep(size, start=float(rng.uniform(0.0, 1.5)), duration=between(rng, 0.3, 2.0))
    if kind == 2:
        return ss.Ramp(slope=size * float(rng.normal()), start=float(rng.uniform(0.0, 1.5)))
    if kind == 3:
        return ss.Piecewise(np.cumsum(rng.uniform(0.1, 1.0, 5)), size * rng.normal(size=5))
    if kind == 4:
        return ss.Step(size * float(rng.normal()), start=float(rng.uniform(0.0, 2.0)))
    if kind == 5:
        grid = np.linspace(0.0, 4.0, 9)
        return ss.Samples(grid, size * rng.normal(size=9), kind=one_of(rng, "linear", "cubic", "hold"))
    return ss.Constant(size * float(rng.normal()))


def levels(rng: Rng, size: float) -> dict[str, float]:
    """Static and kinetic level and Stribeck velocity; equal levels in a third of the cases."""
    static = size * between(rng, 0.3, 3.0)
    kinetic = static * one_of(rng, 1.0, float(rng.uniform(0.3, 1.0)), float(rng.uniform(0.7, 1.0)))
    return {"static": static, "kinetic": kinetic, "stribeck_velocity": between(rng, 1e-3, 0.5)}


def now_and_then_released(rng: Rng, load: Any) -> Any:
    """This normal load; of one place in twelve none, next to none, none yet, or none any more: a brake that is
    released."""
    if rng.random() >= 0.08:
        return load
    slope = float(rng.uniform(0.3, 2.0))
    step = ss.Step(slope, start=1.0)
    return one_of(rng, 0.0, 1e-11 * slope, ss.Ramp(slope=slope), step, slope - step)
