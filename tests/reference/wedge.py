"""Self-locking wedge gear: stick, slip, free flight and impacts, each in closed form.

Upper wedge m1 (y, upwards; load F down), lower wedge m2 (x), pulled by a spring k whose end moves at v0:
force k w, w = v0 t - x. `wN = (cos g, sin g)`, `wT = (sin g, -cos g)` for (y, x), g the wedge angle; mu = tan
rho, one value unless ``static`` is given. Gap 0 and everything at rest at t = 0, w = 0.
* stick: both at rest, `lN = F cos g - k w sin g`, `lT = F sin g + k w cos g`; |lT| <= mu lN up to
  `w = (F/k) tan(rho0 - g)`, from `w = -(F/k) tan(rho0 + g)`. It ends at the upper limit (w grows with v0).
* what follows: `delta = m2 - m1 tan g tan(rho - g)`; delta < 0: separation, else slip with gT' < 0.
* slip: `delta x'' = k w - F tan(rho - g)`, y' = -x' tan g. With u = x since break-away, W = sqrt(k/delta) and
  A = w0 - (F/k) tan(rho - g): `u = A (1 - cos W s) + v0 (s - sin(W s)/W)`; u' = 0 again at
  `s = 2 (pi - atan2(A W, v0))/W`. The wedges part when lN = 0: `u'' = F/(m1 tan g)`.
* flight: y in free fall, `w = w0 cos(O s) + (w0'/O) sin(O s)`, O = sqrt(k/m2); the next contact is the first
  root of the gap, bracketed between the zeros of its derivative, those between the zeros of the second.
* impact (Poisson with friction): of the ends of compression (stick, sliding to either side) the one that is
  consistent; then the same for expansion, LNE >= eps LNC complementary to gN' >= 0. Where compression stops
  both wedges, `LN = -wN.M q'`, `LT = -wT.M q'` and expansion ends with gT' = 0,
  `gN' = eps LN/(m1 cos^2 g + m2 sin^2 g)`: the closed forms of the source's section 6. Repeated impacts also
  meet the wedge from the lifting side (gT' > 0, outside its range of directions), where compression ends in
  sliding.
With eps = 0 the wedges stick after the impact, and every period is the same.
Source: Hinrichsen 2007, sections 2, 4, 6; derivation (mass weights in the impulses put right).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

Event = tuple[float, str]


class NotCovered(RuntimeError):
    """The motion leaves the cases that are written here in closed form."""


@dataclass(frozen=True)
class Wedge:
    m1: float
    m2: float
    stiffness: float
    velocity: float
    load: float = 100.0
    angle: float = math.radians(12.0)
    rho: float = math.radians(14.0)
    static: float | None = None  # static friction angle, the same as rho unless given

    @property
    def rho0(self) -> float:
        return self.rho if self.static is None else self.static

    @property
    def delta(self) -> float:
        return self.m2 - self.m1 * math.tan(self.angle) * math.tan(self.rho - self.angle)

    @property
    def stick_limits(self) -> tuple[float, float]:
        scale = self.load / self.stiffness
        return -scale * math.tan(self.rho0 + self.angle), scale * math.tan(self.rho0 - self.angle)


SET_1 = Wedge(m1=2.42, m2=108.78, stiffness=2000.0, velocity=0.002)
SET_2 = Wedge(m1=2420.0, m2=10.878, stiffness=4000.0, velocity=0.01)
SET_2_HEAVY = replace(SET_2, m2=20.0)  # delta > 0: slip first, contact lost after it
SET_1_STATIC = replace(SET_1, static=math.radians(15.0))  # lasting sticks


@dataclass(frozen=True)
class State:
    """At time t: y and x with their rates."""

    t: float
    y: float
    x: float
    vy: float
    vx: float


# ---------------------------------------------------------------- flight
@dataclass(frozen=True)
class Flight:
    gear: Wedge
    start: State

    def at(self, s: float) -> State:
        g, o = self.gear, math.sqrt(self.gear.stiffness / self.gear.m2)
        w0, dw = g.velocity * self.start.t - self.start.x, g.velocity - self.start.vx
        w = w0 * math.cos(o * s) + dw / o * math.sin(o * s)
        rate = dw * math.cos(o * s) - w0 * o * math.sin(o * s)
        a = -g.load / g.m1
        t = self.start.t + s
        return State(
            t,
            self.start.y + self.start.vy * s + 0.5 * a * s * s,
            g.velocity * t - w,
            self.start.vy + a * s,
            g.velocity - rate,
        )

    def gap(self, s: float) -> float:
        """Gap less its value at the start, written so that it keeps its digits for small s."""
        g, o = self.gear, math.sqrt(self.gear.stiffness / self.gear.m2)
        w0, dw = g.velocity * self.start.t - self.start.x, g.velocity - self.start.vx
        rise = self.start.vy * s - 0.5 * g.load / g.m1 * s * s
        # v0 s - (w - w0) with 1 - cos = 2 sin^2(half) and s - sin(o s)/o
        half = math.sin(0.5 * o * s)
        move = self.start.vx * s + 2.0 * w0 * half * half + dw * _arc(s, o)
        return math.cos(g.angle) * rise + math.sin(g.angle) * move

    def gap_rate(self, s: float) -> float:
        now = self.at(s)
        return math.cos(self.gear.angle) * now.vy + math.sin(self.gear.angle) * now.vx

    def _inflections(self, until: float) -> list[float]:
        """Zeros of the second derivative of the gap in (0, until)."""
        g, o = self.gear, math.sqrt(self.gear.stiffness / self.gear.m2)
        w0, dw = g.velocity * self.start.t - self.start.x, g.velocity - self.start.vx
        size, phase = math.hypot(w0, dw / o), math.atan2(dw / o, w0)
        level = g.load * g.m2 / (g.m1 * g.stiffness * math.tan(g.angle))
        if size <= level:
            return []
        base = math.acos(level / size)
        turns = range(int(o * until / (2.0 * math.pi)) + 3)
        roots = [(phase + way * base + 2.0 * math.pi * (n - 1)) / o for n in turns for way in (-1.0, 1.0)]
        return sorted(r for r in roots if 0.0 < r < until)

    def land(self) -> float:
        """Duration of the flight."""
        span = 2.0 * math.pi / math.sqrt(self.gear.stiffness / self.gear.m2)
        until = span
        while True:
            cuts = [0.0, *self._inflections(until), until]
            turns = []
            for a, b in itertools.pairwise(cuts):
                ra, rb = self.gap_rate(a), self.gap_rate(b)
                if ra * rb < 0.0:
                    turns.append(brentq(self.gap_rate, a, b, xtol=1e-17, rtol=1e-15))
            cuts = [0.0, *turns, until]
            for a, b in itertools.pairwise(cuts):
                if self.gap(b) < 0.0:
                    if a == 0.0:
                        raise NotCovered("the gap closes at once")
                    return float(brentq(self.gap, a, b, xtol=1e-17, rtol=1e-15))
            until += span


def _arc(s: float, o: float) -> float:
    """s - sin(o s)/o without cancellation."""
    z = o * s
    if abs(z) > 0.5:
        return s - math.sin(z) / o
    term, total, n = z, 0.0, 1
    while abs(term) > 1e-20 * abs(z):
        term *= -z * z / ((2 * n) * (2 * n + 1))
        total -= term
        n += 1
    return total / o


# ---------------------------------------------------------------- impact
@dataclass(frozen=True)
class Impact:
    """Compression and expansion: impulses, relative velocities at the end, and how each ended."""

    approach: tuple[float, float]  # (gN', gT') before
    compression: tuple[float, float]  # (LN, LT)
    expansion: tuple[float, float]
    rates: tuple[float, float]  # (gN', gT') after
    modes: tuple[str, str]


def _ends(
    g: np.ndarray, free: tuple[float, float], least: float, mu: float
) -> list[tuple[str, float, float, float, float]]:
    """Every (mode, gN', gT', LN, LT) with gN' >= 0, LN >= least, (LN - least) gN' = 0, |LT| <= mu LN.

    Sliding to gT' > 0 has LT = -mu LN, to gT' < 0 LT = +mu LN.
    """
    found = []
    tiny = 1e-15 * (abs(free[0]) + abs(free[1]))
    for normal in ("lift", "hold"):
        for way in (0.0, 1.0, -1.0):
            # unknowns gN', gT', LN, LT: two equations of motion, one condition each way
            a = np.zeros((4, 4))
            a[0] = [1.0, 0.0, -g[0, 0], -g[0, 1]]
            a[1] = [0.0, 1.0, -g[1, 0], -g[1, 1]]
            right = np.array([free[0], free[1], least if normal == "lift" else 0.0, 0.0])
            a[2] = [0.0, 0.0, 1.0, 0.0] if normal == "lift" else [1.0, 0.0, 0.0, 0.0]
            a[3] = [0.0, 1.0, 0.0, 0.0] if way == 0.0 else [0.0, 0.0, way * mu, 1.0]
            rn, rt, ln, lt = np.linalg.solve(a, right)
            if normal == "lift":
                ok, ln = rn > tiny, least
            else:
                ok, rn = ln > least, 0.0
            if way == 0.0:
                ok, rt = ok and abs(lt) <= mu * ln, 0.0
            else:
                ok = ok and way * rt > tiny
            if ok:
                name = {0.0: "stick", 1.0: "slip+", -1.0: "slip-"}[way]
                found.append((f"{normal} {name}", float(rn), float(rt), float(ln), float(lt)))
    return found


def impact(gear: Wedge, before: State, restitution: float) -> tuple[State, Impact]:
    """State after the impact; every end of compression and expansion is tried, exactly one must hold."""
    c, s, mu = math.cos(gear.angle), math.sin(gear.angle), math.tan(gear.rho)
    w = np.array([[c, s], [s, -c]])
    inverse = np.array([1.0 / gear.m1, 1.0 / gear.m2])
    g = w @ (inverse[:, None] * w.T)
    approach = (c * before.vy + s * before.vx, s * before.vy - c * before.vx)
    first = _ends(g, approach, 0.0, mu)
    if len(first) != 1:
        raise NotCovered(f"compression has {len(first)} ends")
    mode_c, rn, rt, ln, lt = first[0]
    # without restitution there is no impulse in the expansion, and nothing changes
    second = _ends(g, (rn, rt), restitution * ln, mu) if restitution > 0.0 else [(mode_c, rn, rt, 0.0, 0.0)]
    if len(second) != 1:
        raise NotCovered(f"expansion has {len(second)} ends")
    mode_e, en, et, len_, let = second[0]
    # wN, wT are orthonormal, so the rates of (y, x) follow from those of the gap without the impulses
    after = replace(before, vy=c * en + s * et, vx=s * en - c * et)
    return after, Impact(approach, (ln, lt), (len_, let), (en, et), (mode_c, mode_e))


# ---------------------------------------------------------------- runs
def run(
    gear: Wedge, t_end: float, restitution: float = 0.0, max_impacts: int | None = None
) -> tuple[list[Event], list[State], list[Impact]]:
    """Events (time, what: "open", "impact", "stick", "slip", "touch"), the state after each, the impacts.

    "touch" is a slip whose speed touches zero and goes on (static = kinetic): a stick of no duration.
    """
    events: list[Event] = []
    states: list[State] = []
    now = State(0.0, 0.0, 0.0, 0.0, 0.0)
    low, high = gear.stick_limits
    kinetic = gear.load / gear.stiffness * math.tan(gear.rho - gear.angle)
    impacts = 0
    hits: list[Impact] = []

    def log(name: str) -> None:
        events.append((now.t, name))
        states.append(now)

    mode = "stick"
    while True:
        w = gear.velocity * now.t - now.x
        if mode == "stick":
            if not low <= w <= high:
                raise NotCovered("no stick at this extension of the spring")
            t = now.t + (high - w) / gear.velocity
            if t > t_end:
                return events, states, hits
            now = replace(now, t=t)
            mode = "open" if gear.delta < 0.0 else "slip"
            log(mode)
        elif mode == "slip":
            a, rate = w - kinetic, math.sqrt(gear.stiffness / gear.delta)
            phase = math.atan2(a * rate, gear.velocity)
            size = rate * math.hypot(a * rate, gear.velocity)
            lift = gear.load / (gear.m1 * math.tan(gear.angle))
            ends = 2.0 * (math.pi - phase) / rate
            opens = (math.asin(lift / size) - phase) / rate if size > lift else math.inf
            s = min(ends, opens)
            if now.t + s > t_end:
                return events, states, hits
            u = a * (1.0 - math.cos(rate * s)) + gear.velocity * _arc(s, rate)
            v = a * rate * math.sin(rate * s) + 2.0 * gear.velocity * math.sin(0.5 * rate * s) ** 2
            v = 0.0 if s == ends else v
            tan = math.tan(gear.angle)
            now = State(now.t + s, now.y - tan * u, now.x + u, -tan * v, v)
            if s == opens:
                mode = "open"
            elif gear.rho0 == gear.rho:
                # by symmetry w is back at the limit: the next slip begins at once, with the same w
                now = replace(now, x=gear.velocity * now.t - high)
                log("touch")
                continue
            else:
                mode = "stick"
            log(mode)
        else:
            flight = Flight(gear, now)
            s = flight.land()
            if now.t + s > t_end:
                return events, states, hits
            before = flight.at(s)
            now, hit = impact(gear, before, restitution)
            hits.append(hit)
            impacts += 1
            log("impact")
            if max_impacts is not None and impacts >= max_impacts:
                return events, states, hits
            if hit.rates[0] == 0.0 and hit.rates[1] != 0.0:
                raise NotCovered("sliding after an impact")
            mode = "open" if hit.rates[0] > 0.0 else "stick"


def chatter_period(gear: Wedge = SET_2) -> tuple[float, float, float]:
    """First separation, first meeting, period (eps = 0): the wedge advances v0 T in every period T."""
    events, states, _ = run(gear, math.inf, 0.0, 1)
    return events[0][0], events[1][0], (states[1].x - states[0].x) / gear.velocity


def impact_table(gear: Wedge, restitution: float, number: int) -> np.ndarray:
    """Rows (time, x, vy, vx after the impact) of the first impacts."""
    events, states, _ = run(gear, math.inf, restitution, number)
    return np.array(
        [(s.t, s.x, s.vy, s.vx) for (_, name), s in zip(events, states, strict=True) if name == "impact"]
    )
