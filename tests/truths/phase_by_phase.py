"""Masses with friction, springs and controllers from event to event: SciPy's DOP853 between them, modes by trying all.

Laws that jump at rest stick and slip; bristles and tanh are right-hand sides. Left out, and said so: laws with modes of
their own (memory, presliding, Maxwell slip, Leuven, two states), stiff bristles, loads that begin after a while, rests
that share a force, contacts, and samples on an edge of a measuring scale. What nothing presses does not rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import stickslip as ss
from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Description, Place, describe
from truths import couplings, loops
from truths.attached import NOTHING, Attached, Seen

SOLVER = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
STEP, SAMPLES, MOST_EVENTS = 0.02, 25, 400
STIFF = 3e3  # 1/s: the fastest rate of a bristle that is integrated here
PLAIN = ("Coulomb", "Viscous", "Stribeck", "Table", "Tanh")
BRISTLES = ("LuGre", "Dahl", "BoucWen", "ElastoPlastic")
REST = 1e-10
SAME = 1e-9  # s: events this close to the end count in neither


class Left(Exception):
    """A machine that this program does not handle."""


class Chain:
    """The equations of a machine, and its mode: 0 at rest, the direction of sliding else."""

    def __init__(self, machine: ss.Machine) -> None:
        self.d: Description = describe(machine)
        if self.d.contacts or self.d.constraints or self.d.clutches or self.d.compensators:
            raise Left("contacts, constraints or models of friction in controllers")
        self.rigid, self.soft = [], []
        for p in self.d.places:
            self._check(p)
            pressed = any(p.normal_load.value(t, 0) for t in np.linspace(0.0, 3.0, 31))
            (self.rigid if pressed and _laws.sticks(p.law) else self.soft).append(p)
        self.n = len(self.d.names)
        self.inverse = np.linalg.inv(self.d.mass.numbers)
        self.modes = [0] * len(self.rigid)
        self.signs = [0] * len(self.soft)
        self.attached: list[Attached] = [part for law in self.d.springs for part in couplings.of(law)]
        self.attached += loops.of(self.d)
        self.bristles = sum(_laws.state_count(term) for p in self.soft for term in p.law.terms)
        self.states = self.bristles + sum(part.states for part in self.attached)
        before = itertools.accumulate(
            (part.states for part in self.attached), initial=2 * self.n + self.bristles
        )
        self.begins = list(before)

    def seen(self, t: float, y: np.ndarray, a: np.ndarray = NOTHING) -> list[Seen]:
        """The inputs of each attached part."""
        return [self.seen_by(k, t, y, a) for k in range(len(self.attached))]

    def seen_by(self, k: int, t: float, y: np.ndarray, a: np.ndarray = NOTHING) -> Seen:
        """The inputs of one attached part."""
        n, at = self.n, self.begins[k]
        return Seen(t, y[:n], y[n : 2 * n], y[at : at + self.attached[k].states], a)

    def _check(self, p: Place) -> None:
        kinds = {type(term).__name__ for term in p.law.terms}
        if (
            p.options is not None
            or not kinds <= {*PLAIN, *BRISTLES}
            or (kinds & {*BRISTLES} and len(kinds) > 1)
        ):
            raise Left("laws with modes of their own")
        if p.normal_load.value(0.0, 0) == p.normal_load.value(0.5, 0) == 0.0 != p.normal_load.value(1.5, 0):
            raise Left("loads that begin")
        if kinds & {*BRISTLES}:
            term = p.law.terms[0]
            load = max(abs(p.normal_load.value(t, 0)) for t in np.linspace(0.0, 3.0, 31))
            mass = 1.0 / float(p.along.numbers @ np.linalg.solve(self.d.mass.numbers, p.along.numbers))
            fast = np.sqrt(load * term.stiffness / mass) + load * getattr(term, "damping", 0.0) / mass
            if fast > STIFF:
                raise Left("stiff bristles")

    def speed(self, p: Place, t: float, v: np.ndarray) -> float:
        """Relative velocity at a place."""
        return float(p.along.numbers @ v) - p.surface_velocity.value(t, 0)

    def force(self, p: Place, t: float, u: float, side: int, z: np.ndarray) -> tuple[float, np.ndarray]:
        """Friction, and the rates of its internal states."""
        dry, viscous, rates = _laws.parts(p.law, np.array([u]), np.array([float(side)]), z[:, None])
        return float(p.normal_load.value(t, 0) * dry[0] + viscous[0]), rates[:, 0]

    def parts(self, t: float, y: np.ndarray, modes: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Accelerations, forces of what sticks, rates of internal states."""
        n = self.n
        q, v, z, at = y[:n], y[n : 2 * n], y[2 * n :], 0
        h = -self.d.damping @ v - self.d.stiffness @ q
        for push in self.d.pushes:
            if push.signal is not None:
                h = h + push.along * push.signal.value(t, 0)
        seen = self.seen(t, y)
        for part, s in zip(self.attached, seen, strict=True):
            h = h + part.force(s)
        rates = np.zeros(z.size)
        for p in self.soft:
            count = sum(map(_laws.state_count, p.law.terms))
            u = self.speed(p, t, v)
            f, rates[at : at + count] = self.force(
                p, t, u, int(np.sign(u)) if np.isfinite(u) else 0, z[at : at + count]
            )
            h, at = h - f * p.along.numbers, at + count
        held = []
        for p, mode in zip(self.rigid, modes, strict=True):
            if mode == 0:
                held.append(p)
                continue
            u = self.speed(p, t, v)
            h = h - self.force(p, t, u if u * mode > 0.0 else 0.0, mode, np.zeros(0))[0] * p.along.numbers
        a, f = self._held(self.inverse @ h, held, t)
        at = self.bristles
        for part, s in zip(self.attached, seen, strict=True):
            s.a = a
            rates[at : at + part.states], at = part.rates(s), at + part.states
        return a, f, rates

    def _held(self, a: np.ndarray, held: list[Place], t: float) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations with what sticks, and its forces."""
        if not held:
            return a, np.zeros(0)
        w = np.array([p.along.numbers for p in held])
        drift = np.array([p.surface_velocity.value(t, 1) for p in held])
        g = w @ self.inverse @ w.T
        if np.linalg.cond(g) > 1e8:
            raise Left("rests that share a force")
        f = np.linalg.solve(g, w @ a - drift)
        return a - self.inverse @ w.T @ f, f

    def limits(self, p: Place, t: float) -> tuple[float, float]:
        """Least and greatest force that friction at rest can hold."""
        low, high = _laws.jump(p.law)
        load = p.normal_load.value(t, 0)
        return load * low, load * high

    def rhs(self, t: float, y: np.ndarray) -> np.ndarray:
        """Derivative of the state."""
        a, _, rates = self.parts(t, y, self.modes)
        return np.concatenate([y[self.n : 2 * self.n], a, rates])

    def guards(self) -> list[Callable[[float, np.ndarray], float]]:
        """Positive within a mode: speeds of what slides, reserves of what sticks; bristles end a step at rest."""
        found: list[Callable[[float, np.ndarray], float]] = []
        still = [i for i, mode in enumerate(self.modes) if mode == 0]

        def reserve(t: float, y: np.ndarray, k: int, side: int) -> float:
            low, high = self.limits(self.rigid[still[k]], t)
            f = self.parts(t, y, self.modes)[1][k]
            return high - f if side > 0 else f - low

        for i, mode in enumerate(self.modes):
            if mode:
                found.append(
                    lambda t, y, p=self.rigid[i], m=mode: m * self.speed(p, t, y[self.n : 2 * self.n])
                )
        for k in range(len(still)):
            for side in (1, -1):
                found.append(lambda t, y, k=k, side=side: reserve(t, y, k, side))
        for p, sign in zip(self.soft, self.signs, strict=True):
            if sign:
                found.append(lambda t, y, p=p, m=sign: m * self.speed(p, t, y[self.n : 2 * self.n]))
        for k, part in enumerate(self.attached):
            for g, _ in part.guards():
                found.append(lambda t, y, k=k, g=g: g(self.seen_by(k, t, y, self._looked(t, y, k))))
        return found

    def _looked(self, t: float, y: np.ndarray, k: int) -> np.ndarray:
        return self.parts(t, y, self.modes)[0] if self.attached[k].looks else NOTHING

    def choose(self, t: float, y: np.ndarray, size: float, out: dict[int, int]) -> None:
        """Modes with the fewest changes that solve the balance; `out` leaves rest to a side."""
        v, now = y[self.n : 2 * self.n], list(self.modes)
        options = []
        for i, p in enumerate(self.rigid):
            u = self.speed(p, t, v)
            if abs(u) > REST * size:
                options.append([int(np.sign(u))])
            elif i in out:
                options.append([out[i]])
            else:
                pressed = p.normal_load.value(t, 0) or p.normal_load.value(t, 1)  # now, or from now on
                options.append([0, 1, -1] if pressed else [1, -1])
        sets = sorted(
            itertools.product(*options),
            key=lambda one: sum(m != 0 and m != b for m, b in zip(one, now, strict=True)),
        )
        for one in sets:
            if self._solves(t, y, list(one), options, out):
                self.modes = list(one)
                break
        else:
            raise Left("no mode solves the balance")
        self.signs = [
            int(np.sign(u)) if abs(u := self.speed(p, t, v)) > REST * size else 0 for p in self.soft
        ]

    def _solves(
        self, t: float, y: np.ndarray, one: list[int], options: list[list[int]], out: dict[int, int]
    ) -> bool:
        a, f, _ = self.parts(t, y, one)
        k, tol = 0, 1e-9 * (np.abs(f).max(initial=0.0) + np.abs(self.d.mass.numbers @ a).max() + 1e-12)
        for i, (p, mode) in enumerate(zip(self.rigid, one, strict=True)):
            if mode == 0:
                low, high = self.limits(p, t)
                if not low - tol <= f[k] <= high + tol:
                    return False
                k += 1
            elif len(options[i]) > 1 or i in out:
                along = float(p.along.numbers @ a) - p.surface_velocity.value(t, 1)
                held = np.abs(self.inverse @ p.along.numbers).max() * max(map(abs, self.limits(p, t)))
                if mode * along < (-1e-7 if i in out else 0.0) * (np.abs(a).max() + held + 1e-12):
                    return False
        return True


def first_guard(chain: Chain, t: float, y: np.ndarray, end: float) -> tuple[float, np.ndarray, int | None]:
    """One step, or its part up to the first guard."""
    guards = chain.guards()
    with np.errstate(all="ignore"):
        done = solve_ivp(chain.rhs, (t, end), y, dense_output=True, **SOLVER)
    if not done.success or not np.isfinite(done.y).all():
        raise Left("stiff bristles")
    times, best = np.linspace(t, end, SAMPLES + 1), None
    states = done.sol(times).T
    for i, g in enumerate(guards):
        value = lambda s, g=g: g(s, done.sol(s))  # noqa: E731
        was = g(t, states[0])
        for a, b, state in zip(times, times[1:], states[1:], strict=False):
            now = g(b, state)
            if was > 0.0 >= now:
                root = brentq(value, a, b, xtol=1e-14, rtol=1e-14)
                best = min(best, (root, i)) if best else (root, i)
                break
            was = now
    if best is None:
        return end, done.y[:, -1], None
    at = best[0]
    return at, solve_ivp(chain.rhs, (t, at), y, **SOLVER).y[:, -1] if at > t else y, best[1]


def _due(chain: Chain, t_end: float) -> dict[float, list[tuple[int, int]]]:
    """Actions of attached parts at given times: ranks and parts, in order; times that differ by rounding are merged."""
    found: dict[float, list[tuple[int, int]]] = {}
    every = [(t, rank, k) for k, part in enumerate(chain.attached) for t, rank in part.times(t_end)]
    last = -1.0
    for t, rank, k in sorted(every):
        last = t if t > last + 1e-12 else last
        found.setdefault(last, []).append((rank, k))
    return {t: sorted(what) for t, what in found.items()}


def _choose(chain: Chain, t: float, y: np.ndarray, size: float, out: dict[int, int], jumps: bool) -> None:
    """Modes of friction, then of what looks at accelerations; its output is the same before and after."""
    chain.choose(t, y, size, out)
    a = chain.parts(t, y, chain.modes)[0]
    for part, s in zip(chain.attached, chain.seen(t, y, a), strict=True):
        part.settle(s, jumps)
    if jumps:
        chain.choose(t, y, size, out)


def _change(chain: Chain, t: float, y: np.ndarray, fired: int) -> dict[int, int]:
    """The change at a guard: the element that leaves rest, and its side."""
    slides = [i for i, m in enumerate(chain.modes) if m]
    still = [i for i, m in enumerate(chain.modes) if m == 0]
    if fired < len(slides):
        chain.modes[slides[fired]] = 0
        return {}
    k = fired - len(slides)
    if k < 2 * len(still):
        return {still[k // 2]: 1 if k % 2 == 0 else -1}
    k -= 2 * len(still) + sum(1 for sign in chain.signs if sign)
    for part, s in zip(chain.attached, chain.seen(t, y), strict=True):
        own = part.guards()
        if 0 <= k < len(own):
            own[k][1](s)
            break
        k -= len(own)
    return {}


def run(
    machine: ss.Machine, times: np.ndarray, initial: dict[str, float], step: float = STEP
) -> tuple[np.ndarray, int]:
    """Positions and velocities at growing times, a row each, and how often a mode of friction changed.

    Of what happens and is over within a 25th of a step nothing is seen.
    """
    try:
        return _run(machine, times, initial, step)
    except loops.Unknown as why:
        raise Left(str(why)) from None


def _run(
    machine: ss.Machine, times: np.ndarray, initial: dict[str, float], step: float
) -> tuple[np.ndarray, int]:
    chain, t_end, rows = Chain(machine), float(times[-1]), []
    n, names = chain.n, chain.d.names
    y = np.zeros(2 * n + chain.states)
    y[:n] = [initial.get(f"{name}.position", 0.0) for name in names]
    y[n : 2 * n] = [initial.get(f"{name}.velocity", 0.0) for name in names]
    due = _due(chain, t_end)
    kinks = {float(k) for s in chain.d.signals() for k in s.breakpoints if 0.0 < k < t_end} | set(due)
    asked = {float(k) for k in times}
    stops, t, events = sorted({*kinks, *asked}), 0.0, 0
    size = np.abs(y[n : 2 * n]).max() + 1e-6

    def do(t: float) -> None:
        for rank, k in due.get(t, ()):
            chain.attached[k].due(chain.seen_by(k, t, y), rank)

    for part, s in zip(chain.attached, chain.seen(t, y), strict=True):
        part.begin(s)
    do(t)
    _choose(chain, t, y, size, {}, True)
    while t < t_end:
        stop = next(s for s in stops if s > t)
        end = min(t + step, stop)
        t, y, fired = first_guard(chain, t, y, end)
        _to_rest(chain, t, y)
        size = max(size, np.abs(y[n : 2 * n]).max())
        if fired is not None or t in kinks:
            before = list(chain.modes)
            out = {} if fired is None else _change(chain, t, y, fired)
            if t in kinks:
                do(t)
            _choose(chain, t, y, size, out, t in kinks)
            events += sum(  # one that stops may let another go at the same instant
                was != now and p.normal_load.value(t, 0) != 0.0 and t < t_end - SAME
                for p, was, now in zip(chain.rigid, before, chain.modes, strict=True)
            )
            if events > MOST_EVENTS:
                raise Left("many events")
            _to_rest(chain, t, y)
        if t in asked:
            rows.append(y[: 2 * n].copy())
    return np.array(rows), events


def _to_rest(chain: Chain, t: float, y: np.ndarray) -> None:
    """Velocities exactly those of what sticks, in the metric of the masses."""
    n, held = chain.n, [p for p, m in zip(chain.rigid, chain.modes, strict=True) if m == 0]
    if held:
        w = np.array([p.along.numbers for p in held])
        gap = w @ y[n : 2 * n] - [p.surface_velocity.value(t, 0) for p in held]
        y[n : 2 * n] -= chain.inverse @ w.T @ np.linalg.solve(w @ chain.inverse @ w.T, gap)
