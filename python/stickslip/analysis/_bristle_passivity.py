"""Passivity of bristle laws with one deflection: a necessary and sufficient condition.

Per unit normal load let f be the elastic force of the bristle (σ0·z, in `TwoStateBristle` σ0·kinetic·z), K
its stiffness, u = |v|, φ = f·sgn v. Over the path x = ∫u dt::

    dφ/dx = K·r(φ, u),      dW/dx >= b(φ, u)

with r = 1 − a(φ, u)·φ/G(u) and b = φ + σ1(u)·u·r + c(u), G the level, a the plastic share (1 in LuGre) and c
all that depends on the speed alone (viscous part, further curves). `TwoStateBristle` adds to b

    (α/σ0)·e(u) − |α/σ0 − static + kinetic|,

the least contribution of its second state y, since |σ0·y| <= 1. That least is reached: while v creeps, y comes within 1
s to ±1/σ0 for no path and so for no energy; a motion cut into pieces shorter than 1 s with creeping between them keeps
y there.

So the least work that changes f by df is ``p(f, ±)·|df|``, where p is the minimum of b/(K·|r|) over all u and both
directions of motion that change f with this sign. The law is passive **if and only if**

* no cycle about any f gives energy: ``p(f, +) + p(f, −) >= 0``, and
* no path from f = 0 does: ``∫ p df >= 0``, up and down.

(Of all paths from 0 to f the straight one is then the cheapest, since every detour is a sum of such cycles.)
That work is a storage function; f²/(2K) is a simpler one wherever ``b − φ·r >= 0`` for all φ and u.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis._phases import Counterexample, best
from stickslip.laws import ElastoPlastic, TwoStateBristle
from stickslip.laws.law import Law

Array = NDArray[np.float64]
Phase = tuple[float, float]

_SPEEDS = 1500
_FORCES = 201
_SETTLED = 30.0  # s: the second state of TwoStateBristle, time constant 1 s, is then at its end


class OneState:
    """The reduced problem: r and b as functions of φ and u, and the least work of every change of f.

    Parameters
    ----------
    law
        The bristle.
    load
        Normal load, N, > 0.
    extra
        Force of all curves beside it at the velocities given, N (not per unit load).
    breakpoints
        Speeds at which that force or its slope jumps, m/s.
    """

    def __init__(self, law: Any, load: float, extra: Callable[[Array], Array], breakpoints: Array) -> None:
        self.law, self.load, self.extra = law, load, extra
        self.lags = isinstance(law, TwoStateBristle)
        self.speed = law.stribeck_velocity or 1e-3
        self.stiffness = law.stiffness * (law.kinetic if self.lags else 1.0)
        self.top = law.kinetic if self.lags else law.static
        fast = np.geomspace(1e-9, 1e12, _SPEEDS) * self.speed
        self.u = np.unique(np.concatenate([[0.0], fast, np.abs(breakpoints)]))

    def fall(self, u: Array) -> Array:
        """Return the Stribeck function e(u), from 1 to 0."""
        if self.law.stribeck_velocity is None:  # infinite
            return np.ones_like(u)
        p = (u / self.law.stribeck_velocity) ** self.law.shape
        return np.asarray(np.exp(-p) if self.law.form == "exponential" else 1.0 / (1.0 + p))

    def level(self, u: Array) -> Array:
        """Return G(u), the bristle force of steady sliding."""
        law = self.law
        if self.lags:
            return np.full_like(u, law.kinetic)
        return np.asarray(law.kinetic + (law.static - law.kinetic) * self.fall(u))

    def damping(self, u: Array) -> Array:
        """Return σ1(u)."""
        vd = getattr(self.law, "damping_velocity", None)
        return np.asarray(self.law.damping * (np.exp(-((u / vd) ** 2)) if vd else np.ones_like(u)))

    def rate(self, phi: Array, u: Array) -> Array:
        """Return r = dφ/dx/K."""
        end = self.level(u)
        if not isinstance(self.law, ElastoPlastic):
            return np.asarray(1.0 - phi / end)
        begin = self.stiffness * float(self.law.elastic_limit or 0.0)
        rise = 0.5 + 0.5 * np.sin(np.pi * np.clip((phi - 0.5 * (end + begin)) / (end - begin), -0.5, 0.5))
        return np.asarray(1.0 - rise * phi / end)

    def steady(self, u: Array, side: int) -> Array:
        """Return the terms of b other than φ and bristle damping: viscous part, other curves, the second state."""
        law = self.law
        with np.errstate(over="ignore"):
            viscous = law.viscous * u**law.viscous_exponent / self.load
        other = side * self.extra(side * np.maximum(u, 1e-12 * self.speed)) / self.load
        if not self.lags:
            return np.asarray(viscous + other)
        step = law.alpha / law.stiffness
        return np.asarray(viscous + other + step * self.fall(u) - abs(step - (law.static - law.kinetic)))

    def force(self, phi: Array, u: Array, side: int) -> Array:
        """Return b = dW/dx."""
        damped = self.damping(u) * u * self.rate(phi, u)
        return np.asarray(phi + damped + self.steady(u, side))

    def simple_margin(self) -> float:
        """Return the minimum of b − φ·r: >= 0 if f²/(2K) is a storage function."""
        phi = np.linspace(-self.top, self.top, 2 * _FORCES + 1)[:, None]
        r = self.rate(phi, self.u[None, :])
        damped = self.damping(self.u) * self.u * r
        rest = min(
            float(np.min(phi * (1.0 - r) + damped + self.steady(self.u, side)[None, :])) for side in (1, -1)
        )
        return rest

    def _least(self, phi: Array, side: int, up: bool) -> tuple[Array, Array]:
        """The least of b/(K|r|) over the speeds that raise (or lower) φ, and that speed, for every φ."""

        def cost(u: Array) -> Array:
            r = self.rate(phi[:, None], u) * (1.0 if up else -1.0)
            b = self.force(phi[:, None], u, side)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(r > 1e-14, b / (self.stiffness * r), np.inf)

        table = cost(np.broadcast_to(self.u, (phi.size, self.u.size)))
        k = np.argmin(table, axis=1)
        at = np.arange(phi.size)
        # Golden section between the neighbours on the grid; the grid's own value stays if it is no worse.
        low, high = self.u[np.maximum(k - 1, 0)], self.u[np.minimum(k + 1, self.u.size - 1)]
        ratio = (math.sqrt(5.0) - 1.0) / 2.0
        for _ in range(45):
            a, c = high - ratio * (high - low), low + ratio * (high - low)
            left = cost(a[:, None])[:, 0] <= cost(c[:, None])[:, 0]
            low, high = np.where(left, low, a), np.where(left, c, high)
        middle = 0.5 * (low + high)
        value = cost(middle[:, None])[:, 0]
        better = value < table[at, k]
        return np.where(better, value, table[at, k]), np.where(better, middle, self.u[k])

    def prices(self) -> Prices:
        """Return the least work per change of f, upwards and downwards, on a grid of f."""
        # Denser at the ends, where p grows without bound, and at zero, where a law is first seen to fail.
        positive = np.sin(0.5 * np.pi * np.linspace(0.0, 1.0, _FORCES))[1:-1]
        positive = np.union1d(positive, np.geomspace(1e-7, positive[0], 60)[:-1])
        f = self.top * np.concatenate([-positive[::-1], [0.0], positive])
        values, speeds, sides = [], [], []
        for sign in (1, -1):  # raise f, lower f
            with_it = self._least(sign * f, sign, True)
            against = self._least(-sign * f, -sign, False)
            first = with_it[0] <= against[0]
            values.append(np.where(first, with_it[0], against[0]))
            speeds.append(np.where(first, with_it[1], against[1]))
            sides.append(np.where(first, sign, -sign))
        return Prices(f, values[0], values[1], speeds[0], speeds[1], sides[0], sides[1])


@dataclass(frozen=True)
class Prices:
    """Least work p(f, +) and p(f, −) per change of f, with the speed and direction of motion that attain it."""

    f: Array
    up: Array
    down: Array
    up_speed: Array
    down_speed: Array
    up_side: Array
    down_side: Array

    def climb(self) -> Array:
        """Return the least work from f = 0 to every f of the grid, m per unit load times N: ∫ p df."""
        zero = self.f.size // 2
        out = np.zeros_like(self.f)
        for price, part, sign in ((self.up, slice(zero, None), 1), (self.down, slice(zero, None, -1), -1)):
            f, p = sign * self.f[part], price[part]
            out[part] = np.concatenate([[0.0], np.cumsum(0.5 * (p[1:] + p[:-1]) * np.diff(f))])
        return out

    def margins(self, stiffness: float) -> tuple[Array, Array]:
        """Return the mean force of a small cycle about every f, and of the path from 0 to it, N per unit load."""
        cycle = 0.5 * stiffness * (self.up + self.down)
        zero = self.f.size // 2
        with np.errstate(invalid="ignore", divide="ignore"):
            path = stiffness * self.climb() / np.abs(self.f)
        path[zero] = stiffness * min(self.up[zero], self.down[zero])
        return cycle, path


def _interval(value: Array, at: int) -> tuple[int, int]:
    """First and last index of the negative values around `at`."""
    low = high = at
    while low > 0 and value[low - 1] < 0.0:
        low -= 1
    while high < value.size - 1 and value[high + 1] < 0.0:
        high += 1
    return low, high


class Construction:
    """Converts motions of the reduced problem to a sequence of constant velocities."""

    def __init__(self, problem: OneState, prices: Prices) -> None:
        self.problem, self.prices = problem, prices

    def _policy(self, f: float, up: bool) -> tuple[float, int]:
        p = self.prices
        k = int(np.argmin(np.abs(p.f - f)))
        return (
            (float(p.up_speed[k]), int(p.up_side[k])) if up else (float(p.down_speed[k]), int(p.down_side[k]))
        )

    def _path(self, start: float, end: float, u: float, side: int) -> float:
        """Path on which f goes from start to end at constant speed, m; infinite if it does not."""
        phi = side * np.linspace(start, end, 65)
        r = self.problem.rate(phi, np.full_like(phi, u)) * side * (1.0 if end > start else -1.0)
        if np.any(r <= 0.0):
            return math.inf
        weight = np.tile([2.0, 4.0], 33)[:65]
        weight[0] = weight[-1] = 1.0
        return float(weight @ (1.0 / r) * abs(end - start) / 192.0 / self.problem.stiffness)

    def phases(self, corners: list[float], pieces: int, slowest: float, fastest: float) -> list[Phase]:
        """Return the phases along `corners`, each interval in equal pieces at the best speed within the limits."""
        problem, out = self.problem, []
        scale = max(abs(b - a) for a, b in itertools.pairwise(corners))
        creep = 1e-6 * scale / (problem.stiffness * _SETTLED)
        wrong = problem.lags and problem.law.alpha < problem.law.stiffness * (
            problem.law.static - problem.law.kinetic
        )
        for start, end in itertools.pairwise(corners):
            edges = np.linspace(start, end, pieces + 1)
            for a, b in itertools.pairwise(edges):
                u, side = self._policy(0.5 * (a + b), bool(b > a))
                u = min(max(u, slowest), fastest)
                path = self._path(float(a), float(b), u, side)
                if not math.isfinite(path):
                    return []
                if problem.lags:
                    out.append((-side * creep if wrong else side * creep, _SETTLED))
                out.append((side * u, path / u))
        longest = sum(duration for _, duration in out)
        return out if min(duration for _, duration in out) > 1e-15 * longest else []

    def groups(self, routes: list[list[float]]) -> Iterator[list[list[Phase]]]:
        """Return motions along the routes, simple ones first, with slow speeds cut off at several places."""
        speed = self.problem.speed
        shortest = sorted({len(route) for route in routes})
        for pieces, count in itertools.product((1, 16, 64) if self.problem.lags else (1, 4), shortest):
            for fastest in speed * np.array([1e3, 1e6, 1e9, 1e12]):
                yield [
                    self.phases(route, pieces, float(slowest), fastest)
                    for route in routes
                    for slowest in speed * np.geomspace(1e-6, 1.0, 13)
                    if len(route) == count
                ]


def _routes(prices: Prices, cycle: Array, top: float) -> list[list[float]]:
    """Values of f to go through: out to where most is drawn, or about cycles that draw energy."""
    climb = prices.climb()
    worst = int(np.argmin(climb))
    if climb[worst] < 0.0:
        return [[0.0, float(prices.f[worst])]]
    low, high = _interval(cycle, int(np.argmin(cycle)))
    if prices.f[low] < 0.0 < prices.f[high]:
        low = cycle.size // 2
    sign = 1.0 if prices.f[high] > 0.0 else -1.0
    near, far = sorted((low, high), key=lambda k: abs(prices.f[k]))
    start, end = float(prices.f[near]), float(prices.f[far])
    # The way out to the end of the range may be long, so points short of it are tried as well.
    ends = [end, *(sign * top * (1.0 - np.geomspace(1e-6, 0.3, 18)))]
    ends = [f for f in ends if abs(start) < abs(f) <= abs(end)]
    loop = 0.5 * (prices.up + prices.down) * np.gradient(prices.f)
    gain = -float(np.sum(loop[min(near, far) : max(near, far)]))
    rounds = min(200, 1 + math.ceil(max(float(climb[near]), 0.0) / (2.0 * gain))) if gain > 0.0 else 1
    return [[0.0, *([f, start] * n)] for n in {1, rounds} for f in ends]


@dataclass(frozen=True)
class Verdict:
    """Result of the reduced problem."""

    passive: bool | None
    margin: float
    quadratic: bool
    force: Array
    storage: Array
    counterexample: Counterexample | None


def judge(problem: OneState, law: Law) -> Verdict:
    """Solve the reduced problem; for a law that is not passive return a motion confirmed by the engine."""
    prices = problem.prices()
    cycle, path = prices.margins(problem.stiffness)
    margin = float(min(cycle.min(), path.min()))
    quadratic = problem.simple_margin() >= -1e-12 * problem.top
    storage = np.asarray(prices.climb())
    if quadratic or margin >= -1e-12 * problem.top:
        return Verdict(True, max(margin, 0.0) if quadratic else margin, quadratic, prices.f, storage, None)
    built = Construction(problem, prices)
    groups = built.groups(_routes(prices, cycle, problem.top))
    shown = next((found for tries in groups if (found := best(law, problem.load, tries))), None)
    return Verdict(False if shown else None, margin, False, prices.f, storage, shown)
