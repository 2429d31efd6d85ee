"""Moreau's time stepping with steps refined until converged: positions and velocities without events or modes.

A step of length s takes velocities v0 at its start to v1 (Moreau 1988; Acary and Brogliato 2008, chapter 10):

    M (v1 - v0) = s f(t + s/2, (q0 + q1)/2, (v0 + v1)/2) + W' p,     q1 = q0 + s (v0 + v1)/2,
    contacts that would be passed:  0 <= p_N  and  u1 >= max(0, -e u0), one of them equal (Newton's law),
    friction:  p_T within its bounds times p_N (times s), and opposite to the velocity where it slides.

The problem of a step is solved by the set of the step before if that still answers it, else by projected Gauss-Seidel.
Where the set changes the step is quartered down to `SHORTEST` of the longest, so that what is nonsmooth costs nothing
in accuracy. Between such places the scheme is of second order, and the longest step is halved until the extrapolated
end moves no more; what the last two halvings moved it by is how well it is known.

What is left out, and why: Poisson's law where several contacts or friction take part in an impact (Moreau's scheme has
Newton's law for its limit); shared normal forces that rub (the sharing is a choice); impacts and clearances so close
together that rounding decides their order; impacts beside a contact without a gap that separates (Moreau's scheme takes
it along); laws with states or modes of their own, springs with backlash, controllers, constraints; motions that do not
settle. After thirty changes, as before the end of an accumulation, a motion is left where it is.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

import stickslip as ss
from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Place, describe
from truths.one_step import FREE, HELD, NONE, Left, OneStep

SHORTEST = 2.0**-28
FIRST, MOST_HALVINGS, MOST_STEPS = 64, 8, 40_000
TRANSITIONS = 30  # of one motion: what comes later is left to the horizon
REFUSALS = 80  # of steps before one change: more are a force that rounding keeps at zero
SETTLED = 5e-5  # of the sizes: what the last two halvings may move the limit by
LEAST = 5e-7  # of the sizes: what rounding may
CLOSE = 1e-9  # of positions: two gaps that close together
ROUNDING, NARROW = 2e-15, 1e-6  # gaps between these are found by their rounding


@dataclass
class Moment:
    """The state between two steps, and what the last step did."""

    t: float
    q: np.ndarray
    v: np.ndarray
    set: tuple[int, ...]
    passed: int = 0  # kinks of signals


class Stepper:
    """The steps of one machine: rows of contacts, then of friction."""

    def __init__(self, machine: ss.Machine) -> None:
        if machine.is_nonlinear:
            raise Left("not linear")
        d = describe(machine)
        if d.loops or d.springs or d.constraints or d.clutches or d.compensators:
            raise Left("controllers, springs with backlash or constraints")
        self.d, self.mass, self.count = d, d.mass.numbers, len(d.contacts)
        on_contacts = [(k, c.place) for k, c in enumerate(d.contacts) if c.place is not None]
        self.rubs: list[tuple[int, Place]] = [*on_contacts, *((-1, p) for p in d.places)]
        if any(p.options is not None or any(map(_laws.state_count, p.law.terms)) for _, p in self.rubs):
            raise Left("laws with states or modes of their own")
        if any(c.compliance or c.tangential_restitution for c in d.contacts):
            raise Left("contacts that yield")
        rows = [c.normal.numbers for c in d.contacts] + [p.along.numbers for _, p in self.rubs]
        self.w = np.array(rows).reshape(-1, len(d.names))
        self.kinks = sorted({float(k) for s in d.signals() for k in s.breakpoints})
        self.several = self._several()
        self.inverses: dict[float, np.ndarray] = {}
        self.speed = 1e-6

    def _several(self) -> bool:
        """True if friction is so strong that a problem may have several answers, or none.

        With contacts that slide, normal forces obey ``A = G_NN - G_NT diag(mu)``: one answer if all principal minors of A
        are positive for all directions of sliding (a P-matrix; Cottle, Pang and Stone 1992, theorem 3.3.7).
        """
        c, g = self.count, self.w @ np.linalg.solve(self.mass, self.w.T)
        rubs = [
            (j, k, max(_laws.jump(p.law)[1], _laws.kinetic(p.law)))
            for j, (k, p) in enumerate(self.rubs)
            if k >= 0
        ]
        for sides in itertools.product((-1.0, 1.0), repeat=len(rubs)):
            a = g[:c, :c].copy()
            for side, (j, k, mu) in zip(sides, rubs, strict=True):
                a[:, k] -= side * mu * g[:c, c + j]
            a = a / np.sqrt(np.outer(np.diag(g)[:c], np.diag(g)[:c]))
            for size in range(1, c + 1):
                for some in itertools.combinations(range(c), size):
                    if np.linalg.det(a[np.ix_(some, some)]) < -1e-12:
                        return True
        return False

    def inverse(self, s: float) -> np.ndarray:
        """The inverse of the masses with the terms of springs and dampers over a step."""
        if s not in self.inverses:
            self.inverses[s] = np.linalg.inv(
                self.mass + 0.5 * s * self.d.damping + 0.25 * s * s * self.d.stiffness
            )
        return self.inverses[s]

    def load(self, t: float) -> np.ndarray:
        """Forces that depend on time alone."""
        h = np.zeros(len(self.d.names))
        for push in self.d.pushes:
            h = h + push.along * push.signal.value(t, 0)
        return h

    def gaps(self, t: float, q: np.ndarray) -> np.ndarray:
        """All distances."""
        return self.w[: self.count] @ q + [c.gap.signal.value(t, 0) for c in self.d.contacts]

    def drifts(self, t: float) -> np.ndarray:
        """Parts of the velocities of rows that do not come from the coordinates."""
        walls = [c.gap.signal.value(t, 1) for c in self.d.contacts]
        return np.array(walls + [-p.surface_velocity.value(t, 0) for _, p in self.rubs])

    def step(self, now: Moment, s: float) -> Moment:
        """One step."""
        t1, inverse = now.t + s, self.inverse(s)
        slow = self.mass @ now.v - s * (
            self.d.stiffness @ (now.q + 0.25 * s * now.v) + 0.5 * self.d.damping @ now.v
        )
        free = inverse @ (slow + s * self.load(now.t + 0.5 * s))
        before, drift = self.w @ now.v + self.drifts(now.t), self.drifts(t1)
        room = np.minimum(self.gaps(now.t, now.q), self.gaps(t1, now.q + 0.5 * s * (now.v + free)))
        near = room <= 1e-13 * (1.0 + np.abs(now.q).max(initial=0.0))
        near |= np.array(now.set[: self.count], dtype=int) == HELD
        v, one = free, tuple([FREE] * self.count + [NONE] * len(self.rubs))
        if near.any() or any(k < 0 for k, _ in self.rubs):
            v, one = self._solve(now, s, inverse, free, before, drift, near)
        q = now.q + 0.5 * s * (now.v + v)
        after = self.gaps(t1, q)
        if np.any(~near & (after < 0.0)):
            one = (*one, -1)  # what no row was set up for was passed: no set is like this one
        return Moment(t1, q, v, one, sum(k <= t1 for k in self.kinks))

    def _solve(
        self, now: Moment, s: float, inverse: np.ndarray, free: np.ndarray, before: np.ndarray, drift: np.ndarray,
        near: np.ndarray,
    ) -> tuple[np.ndarray, tuple[int, ...]]:  # fmt: skip
        c = self.count
        fast = before[:c] < -1e-10 * self.speed
        has_impact = bool(np.any(near & fast))
        live = np.array([*near, *(k < 0 or near[k] for k, _ in self.rubs)])
        back = np.array(
            [-k.restitution * min(u, 0.0) for k, u in zip(self.d.contacts, before[:c], strict=True)]
        )
        if has_impact:
            self._agrees_on_impacts(now, near, back * (near & fast))
            if np.any(near & (before[:c] > 1e-10 * self.speed)):
                raise Left("an impact in which Moreau's scheme takes contacts along that separate")
        wanted = drift.copy()
        wanted[:c] -= back
        delassus, offset = self.w @ inverse @ self.w.T, self.w @ free + wanted
        after, boxes = before, None
        for _ in range(5):
            again = [
                self._box(k, p, now.t + 0.5 * s, s, before[c + j], after[c + j], boxes is None, has_impact)
                for j, (k, p) in enumerate(self.rubs)
            ]
            if boxes is not None and np.allclose(again, boxes, rtol=1e-13, atol=0.0):
                break
            boxes = again
            problem = OneStep(delassus, offset, c, [k for k, _ in self.rubs], boxes, live, self.speed)
            impulses, one = problem.answer(now.set)
            after = self.w @ free + drift + delassus @ impulses
        if any(k >= 0 for k, _ in self.rubs):
            room = 1e-12 * max(self.speed, np.abs(offset).max())
            self._shared([r for r in np.flatnonzero(near) if abs(after[r] - back[r]) <= room], one, boxes)
        return free + inverse @ self.w.T @ impulses, one

    def _agrees_on_impacts(self, now: Moment, near: np.ndarray, back: np.ndarray) -> None:
        """Refuse impacts of another law, and those that are one or several by rounding alone."""
        if np.any(self.gaps(now.t, now.q)[~near] < CLOSE * (1.0 + np.abs(now.q).max())):
            raise Left("impacts that rounding puts in order")
        rough = any(k >= 0 and near[k] for k, _ in self.rubs)
        poisson = all(
            c.impact == "poisson" for c, touches in zip(self.d.contacts, near, strict=True) if touches
        )
        if np.any(back > 0.0) and poisson and (rough or near.sum() > 1):
            raise Left("Poisson's law of several contacts or friction")

    def _box(
        self, contact: int, p: Place, t: float, s: float, u0: float, u1: float, first: bool, has_impact: bool
    ) -> tuple[float, float]:
        """Least and greatest impulse of friction: per unit of the normal impulse on a contact."""
        unit = 1.0 if contact >= 0 else s * p.normal_load.value(t, 0)
        if has_impact and contact >= 0:
            far = _laws.kinetic(p.law)
            return -far, far
        still = 1e-12 * self.speed
        rests = abs(u0) <= still and (first or abs(u1) <= still)
        low, high = (unit * x for x in _laws.jump(p.law))
        if rests or (abs(u0) > still and u0 * u1 <= 0.0):
            return -high, -low
        u = 0.5 * (u0 + u1)
        side = float(np.sign(u))
        dry, viscous, _ = _laws.parts(p.law, np.array([u]), np.array([side]), np.zeros((0, 1)))
        level = float(unit * dry[0] + (viscous[0] if contact >= 0 else s * viscous[0]))
        return (-level, -low) if side > 0 else (-high, -level)

    def _shared(self, tight: list[int], one: tuple[int, ...], boxes: list[tuple[float, float]]) -> None:
        """Refuse contacts that can share their force in ways that make friction differ."""
        if len(tight) < 2:
            return
        _, sizes, directions = np.linalg.svd(self.w[tight].T)
        shares = directions[int(np.sum(sizes > 1e-9 * sizes[0])) :]
        for share in shares:
            rubs, size = np.zeros(len(self.d.names)), 1e-300
            for j, (k, _) in enumerate(self.rubs):
                if k in tight:
                    side = -1.0 if one[self.count + j] == -1 else 1.0
                    single = side * boxes[j][1] * share[tight.index(k)] * self.w[self.count + j]
                    rubs, size = rubs + single, size + np.abs(single).max()
            if np.abs(rubs).max() > 1e-9 * size:
                raise Left("shared forces that rub")


def motion(
    stepper: Stepper, q: np.ndarray, v: np.ndarray, end: float, longest: float, most: float = np.inf
) -> tuple[Moment, list[float]]:
    """Step to the end, or until there were so many changes; the times at which the set changed."""
    count = stepper.count
    now = Moment(0.0, q, v, tuple([FREE] * count + [HELD if k < 0 else NONE for k, _ in stepper.rubs]))
    now.passed = sum(k <= 0.0 for k in stepper.kinks)
    stepper.speed = max(
        np.abs(v).max(), 1e-3 * np.abs(np.linalg.solve(stepper.mass, stepper.load(0.0))).max(), 1e-6
    )
    s, shortest, steps, refused, changed = longest * SHORTEST, longest * SHORTEST, 0, 0, []
    while now.t < end:
        s = min(s, end - now.t)
        new = stepper.step(now, s)
        steps += 1
        if steps > MOST_STEPS:
            raise Left("many steps")
        same = (new.set, new.passed) == (now.set, now.passed)
        if not same and s > shortest and refused < REFUSALS:
            s, refused = max(0.25 * s, shortest), refused + 1
            continue
        refused = 0 if not same or s == longest else refused
        if not same and now.t > 0.0:
            changed.append(now.t)
            if len(changed) >= most:
                return now, changed
        new.set = new.set[: count + len(stepper.rubs)]
        now, s = new, min(4.0 * s, longest)
        stepper.speed = max(stepper.speed, np.abs(now.v).max())
    return now, changed


@dataclass
class End:
    """The final state in the limit, its uncertainty, and the times at which its set changed."""

    t: float
    state: np.ndarray  # positions, then velocities
    size: np.ndarray  # what they are compared with
    bar: float  # share of the sizes
    changes: list[float]  # times at which the set changed
    several: bool  # whether friction on contacts is so strong that other answers are possible

    def off(self, state: np.ndarray) -> float:
        """Distance of another state, as a share of the sizes."""
        return float(np.abs((state[: self.state.size] - self.state) / self.size).max())


def run(machine: ss.Machine, t_end: float, initial: dict[str, float]) -> End:
    """The motion to its end, or between two of its changes before that; its limit by halving, of second order."""
    stepper = Stepper(machine)
    q, v = (
        np.array([initial.get(f"{n}.{kind}", 0.0) for n in stepper.d.names])
        for kind in ("position", "velocity")
    )
    gaps = stepper.gaps(0.0, q)
    if np.any((gaps > ROUNDING) & (gaps < NARROW)):
        raise Left("backlash of the size of rounding")
    longest = t_end / FIRST
    now, changed = motion(stepper, q, v, t_end, longest, TRANSITIONS)
    if now.t < t_end:
        times = np.array(changed)
        k = len(times) // 2 + int(np.argmax(np.diff(times[len(times) // 2 :])))
        t_end = 0.5 * (times[k] + times[k + 1])
        longest = t_end / FIRST
        now, changed = motion(stepper, q, v, t_end, longest)
    limit, moved = np.full(2 * len(q), np.inf), np.inf
    for _ in range(MOST_HALVINGS):
        longest *= 0.5
        stepper.inverses.clear()
        rough, (now, changed) = now, motion(stepper, q, v, t_end, longest)
        size = np.repeat([1e-3 + np.abs(now.q).max(), stepper.speed], len(q))
        fine = np.concatenate([now.q, now.v])
        before, was, limit = limit, moved, fine + (fine - np.concatenate([rough.q, rough.v])) / 3.0
        moved = float(np.abs((limit - before) / size).max())
        if was + moved <= SETTLED:
            return End(t_end, limit, size, was + moved + LEAST, changed, stepper.several)
    raise Left("the motion does not settle")
