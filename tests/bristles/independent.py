"""Machines with bristles, integrated phase by phase with SciPy's DOP853 or with SUNDIALS' CVODE.

Everything here is written out from the equations of the laws, not taken from the engine. Between events the
motion is smooth; a phase ends where a velocity passes zero, where a Maxwell element starts to slip, where a
element that holds reaches the end of its interval, and at a breakpoint of a signal. Velocities that come to zero
are set to zero exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp


@dataclass
class Level:
    """Fc + (Fs - Fc) exp(-(|v|/vs)^shape)."""

    static: float = 1.5
    kinetic: float = 1.0
    vs: float = 0.05
    shape: float = 2.0

    def __call__(self, speed):
        return self.kinetic + (self.static - self.kinetic) * math.exp(-((abs(speed) / self.vs) ** self.shape))


class Law:
    """Friction of one element; `slip` and `rest` are per unit normal load, `viscous` is not."""

    n = 0  # internal states
    holds = False  # set-valued at v = 0
    elements = 0  # internal switches

    def slip(self, v, z, side, branch):
        """The dry force and the rates of z on one side of v = 0."""
        raise NotImplementedError

    def viscous(self, v):
        return 0.0

    def turned(self, z):
        """The velocity has changed its side: a memory takes note of it in z."""

    def rest(self, z):
        """The interval of the dry force at v = 0."""
        raise NotImplementedError

    def rest_rate(self, z, part):
        """Rates at rest, `part` in [-1, 1] of the way from the middle of the interval to its ends."""
        return np.zeros(self.n)


@dataclass
class LuGre(Law):
    s0: float = 2000.0
    s1: float = 30.0
    level: Level = field(default_factory=Level)
    fv: float = 0.4
    exponent: float = 1.0
    vd: float = math.inf
    n = 1

    def slip(self, v, z, side, branch):
        rate = v - self.s0 * side * v * z[0] / self.level(v)
        return self.s0 * z[0] + self.s1 * math.exp(-((v / self.vd) ** 2)) * rate, [rate]

    def viscous(self, v):
        return math.copysign(self.fv * abs(v) ** self.exponent, v)


@dataclass
class Dahl(Law):
    s: float = 2000.0
    fc: float = 1.2
    i: float = 1.0
    n = 1

    def slip(self, v, z, side, branch):
        u = 1.0 - self.s * z[0] / self.fc * side
        return self.s * z[0], [v * math.copysign(abs(u) ** self.i, u)]


@dataclass
class BoucWen(Law):
    s: float = 2000.0
    fc: float = 1.2
    power: float = 2.0
    beta: float = 0.7
    n = 1

    def slip(self, v, z, side, branch):
        w = self.s * z[0] / self.fc
        rate = (
            v
            - self.beta * side * v * abs(w) ** (self.power - 1) * w
            - (1 - self.beta) * v * abs(w) ** self.power
        )
        return self.s * z[0], [rate]


@dataclass
class ElastoPlastic(Law):
    s0: float = 2000.0
    s1: float = 30.0
    limit: float = 2e-4
    level: Level = field(default_factory=Level)
    fv: float = 0.4
    n = 1

    def slip(self, v, z, side, branch):
        end, along = self.level(v) / self.s0, side * z[0]
        if along <= self.limit:
            a = 0.0
        elif along >= end:
            a = 1.0
        else:
            a = 0.5 + 0.5 * math.sin(math.pi * (along - 0.5 * (end + self.limit)) / (end - self.limit))
        rate = v * (1.0 - a * along / end)
        return self.s0 * z[0] + self.s1 * rate, [rate]

    def viscous(self, v):
        return self.fv * v


@dataclass
class MaxwellSlip(Law):
    k: tuple = (2000.0, 900.0, 400.0)
    share: tuple = (0.5, 0.3, 0.2)
    c: float = 80.0
    level: Level = field(default_factory=Level)
    fv: float = 0.4

    def __post_init__(self):
        self.n = self.elements = len(self.k)

    def slip(self, v, z, side, branch):
        height = self.level(v)
        rates = [
            self.c * (side * a - f / height) if branch[i] else k * v
            for i, (k, a, f) in enumerate(zip(self.k, self.share, z, strict=True))
        ]
        return sum(z), rates

    def viscous(self, v):
        return self.fv * v

    def guard(self, i, v, z, side):
        """Positive while element i sticks."""
        return self.share[i] * self.level(v) - side * z[i]


@dataclass
class Leuven(Law):
    """States: the hysteresis force, the number of reversals, the forces at them; see test_leuven.py for z."""

    k: float = 2000.0
    h: float = 2.0
    s1: float = 30.0
    power: float = 2.0
    level: Level = field(default_factory=Level)
    fv: float = 0.4
    n = 16
    elements = 1

    def slip(self, v, z, side, branch):
        past = list(z[2 : 2 + round(z[1])])
        slope = 1.0 - side * z[0] / self.h if not past else 1.0 - side * (z[0] - past[-1]) / (2.0 * self.h)
        q = side * z[0] / self.level(v)
        rate = v * (1.0 - math.copysign(abs(q) ** self.power, q))
        return z[0] + self.s1 * rate, [self.k * slope * rate] + [0.0] * 15

    def viscous(self, v):
        return self.fv * v

    def guard(self, i, v, z, side):
        count = round(z[1])
        if count == 0:
            return 1.0
        return side * ((z[count] if count > 1 else -z[2]) - z[0])

    def closed(self, z):
        count = round(z[1])
        left = max(count - 2, 0)
        z[2 + left : 2 + count] = 0.0
        z[1] = left

    def turned(self, z):
        z[2 + round(z[1])] = z[0]
        z[1] += 1.0


@dataclass
class TwoState(Law):
    s0: float = 2000.0
    s1: float = 30.0
    s2: float = 0.4
    alpha: float = 600.0
    level: Level = field(default_factory=Level)
    n = 2
    holds = True

    def _elastic(self, z):
        lag = self.s0 * (self.level.static - self.level.kinetic) - self.alpha
        return self.s0 * self.level.kinetic * z[0] + lag * z[1]

    def slip(self, v, z, side, branch):
        e = side * math.exp(-((abs(v) / self.level.vs) ** self.level.shape))
        rate = v - self.s0 * side * v * z[0]
        return self._elastic(z) + self.s1 * rate + self.alpha / self.s0 * e, [rate, e / self.s0 - z[1]]

    def viscous(self, v):
        return self.s2 * v

    def rest(self, z):
        middle = self._elastic(z)
        return middle - self.alpha / self.s0, middle + self.alpha / self.s0

    def rest_rate(self, z, part):
        return np.array([0.0, part / self.s0 - z[1]])


@dataclass
class WithCoulomb(Law):
    """A bristle and Coulomb friction beside it."""

    bristle: Law
    static: float = 0.5
    kinetic: float = 0.4
    holds = True

    def __post_init__(self):
        self.n, self.elements = self.bristle.n, self.bristle.elements

    def slip(self, v, z, side, branch):
        force, rates = self.bristle.slip(v, z, side, branch)
        return force + side * self.kinetic, rates

    def viscous(self, v):
        return self.bristle.viscous(v)

    def rest(self, z):
        offset = self.bristle.slip(0.0, z, 1, [False] * max(1, self.elements))[0]
        return offset - self.static, offset + self.static

    def guard(self, i, v, z, side):
        return self.bristle.guard(i, v, z, side)


@dataclass
class Element:
    law: Law
    w: tuple = (1.0,)
    load: Callable = lambda t: 1.0
    surface: Callable = lambda t: 0.0
    surface_rate: Callable = lambda t: 0.0


class Motion:
    """M q'' + D q' + K q = drive(t) - sum of w F; states q, q', then the elements' z one after the other."""

    def __init__(self, mass, stiffness, damping, drive, elements, breakpoints=()):
        self.M, self.K, self.D = (np.atleast_2d(np.asarray(m, float)) for m in (mass, stiffness, damping))
        self.drive, self.elements, self.breakpoints = drive, elements, breakpoints
        self.dof = len(self.M)
        self.inverse = np.linalg.inv(self.M)
        self.at, k = [], 2 * self.dof
        for p in elements:
            self.at.append(slice(k, k + p.law.n))
            k += p.law.n
        self.size = k
        self.W = np.array([p.w for p in elements], float)
        self.modes = [1] * len(elements)
        self.branch = [[False] * p.law.elements for p in elements]
        self.reversals = []

    def velocity(self, i, t, y):
        return self.W[i] @ y[self.dof : 2 * self.dof] - self.elements[i].surface(t)

    def parts(self, t, y, modes):
        """x', the forces, and how much of its interval each element that holds uses."""
        n = self.dof
        out = np.zeros(self.size)
        out[:n] = y[n : 2 * n]
        total = np.atleast_1d(self.drive(t)) - self.K @ y[:n] - self.D @ y[n : 2 * n]
        held = [i for i, m in enumerate(modes) if m == 0]
        part = {}
        for i, p in enumerate(self.elements):
            if modes[i] == 0:
                continue
            v = self.velocity(i, t, y)
            dry, rates = p.law.slip(v, y[self.at[i]], modes[i], self.branch[i])
            out[self.at[i]] = rates
            total = total - self.W[i] * (p.load(t) * dry + p.law.viscous(v))
        if held:
            W = self.W[held]
            wanted = W @ self.inverse @ total - np.array([self.elements[i].surface_rate(t) for i in held])
            forces = np.linalg.solve(W @ self.inverse @ W.T, wanted)
            for i, f in zip(held, forces, strict=True):
                p = self.elements[i]
                total = total - self.W[i] * f
                lo, hi = p.law.rest(y[self.at[i]])
                part[i] = (2.0 * f / p.load(t) - lo - hi) / (hi - lo)
                out[self.at[i]] = p.law.rest_rate(y[self.at[i]], part[i])
        out[n : 2 * n] = self.inverse @ total
        return out, part

    def rhs(self, t, y):
        return self.parts(t, y, self.modes)[0]

    def guards(self):
        found = []
        for i, p in enumerate(self.elements):
            mode = self.modes[i]
            if mode == 0:
                for side in (1, -1):
                    found.append(
                        (
                            ("leaves", i, side),
                            lambda t, y, i=i, s=side: 1.0 - s * self.parts(t, y, self.modes)[1][i],
                        )
                    )
                continue
            found.append((("zero", i, mode), lambda t, y, i=i, m=mode: m * self.velocity(i, t, y)))
            for e in range(p.law.elements):
                if not self.branch[i][e]:
                    found.append(
                        (
                            ("slips", i, e),
                            lambda t, y, i=i, e=e, m=mode: self.elements[i].law.guard(
                                e, self.velocity(i, t, y), y[self.at[i]], m
                            ),
                        )
                    )
        return found

    def start(self, t, y):
        """Elements that can hold do so where their force is within the interval, else they leave."""
        for i, p in enumerate(self.elements):
            if p.law.holds and abs(self.velocity(i, t, y)) < 1e-13:
                self._rest(i, t, y)

    def _rest(self, i, t, y):
        before = self.modes[i]
        self.modes[i] = 0
        part = self.parts(t, y, self.modes)[1][i]
        if abs(part) > 1.0:
            self.modes[i] = 1 if part > 0 else -1
        self.branch[i] = [False] * self.elements[i].law.elements
        return before

    def run(self, t_out, y0=None, rtol=1e-12, atol=1e-15, method="DOP853", max_step=2e-3):
        # In steady sliding z' is zero to the last bit: an explicit pair sees no error there and outgrows its region
        # of stability unless the step is limited (errors of up to 3e-8 were measured).
        y = np.zeros(self.size) if y0 is None else np.array(y0, float)
        t, t_end = 0.0, t_out[-1]
        out = np.empty((self.size, len(t_out)))
        out[:, t_out <= t] = y[:, None]
        self.start(t, y)
        # Phases end at the times that are asked for: the interpolant is less accurate than the steps.
        stops = sorted({*(k for k in self.breakpoints if k < t_end), *t_out})
        while t < t_end:
            stop = next(s for s in stops if s > t)
            named = self.guards()
            events = []
            for _, g in named:

                def event(time, state, g=g):
                    return g(time, state)

                event.terminal, event.direction = True, -1
                events.append(event)
            run = solve_ivp(
                self.rhs, (t, stop), y, method=method, rtol=rtol, atol=atol, events=events or None,
                first_step=min(1e-5, stop - t), max_step=max_step,
            )  # fmt: skip
            assert run.status >= 0, run.message
            t, y = run.t[-1], run.y[:, -1].copy()
            out[:, t_out == t] = y[:, None]
            if run.status == 1:
                k = next(k for k, te in enumerate(run.t_events) if len(te))
                self._change(*named[k][0], t, y)
        return out

    def _change(self, what, i, how, t, y):
        if what == "slips":
            if hasattr(self.elements[i].law, "closed"):
                self.elements[i].law.closed(y[self.at[i]])
            else:
                self.branch[i][how] = True
        elif what == "leaves":
            self.modes[i] = how
        else:
            self.reversals.append((t, i))
            w = self.W[i]
            v = self.velocity(i, t, y)
            y[self.dof : 2 * self.dof] -= w * v / (w @ w)
            if self.elements[i].law.holds:
                self._rest(i, t, y)
            else:
                self.modes[i] = -how
                self.elements[i].law.turned(y[self.at[i]])
                self.branch[i] = [False] * self.elements[i].law.elements


def through_reversals(motion: Motion, t_out, rtol=1e-11, atol=1e-14, y0=None):
    """The same motion by CVODE (BDF) straight through the reversals, for laws without modes."""
    from sksundae.cvode import CVODE

    def rhs(t, y, out):
        modes = [1 if motion.velocity(i, t, y) >= 0.0 else -1 for i in range(len(motion.elements))]
        out[:] = motion.parts(t, y, modes)[0]

    solver = CVODE(rhs, rtol=rtol, atol=atol, method="BDF", max_num_steps=10_000_000)
    return np.array(solver.solve(t_out, np.zeros(motion.size) if y0 is None else np.asarray(y0, float)).y).T
