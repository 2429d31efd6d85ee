"""Instants of a run as problems of modes: the outcome of an impact, then accelerations."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import stickslip as ss
from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Contact, Description, Place, describe
from truths.modes import Problem, Rub

ZERO = 1e-12  # of the positions and velocities seen
# Between these it is rounding, or a choice, whether a gap counts as closed: the run's mode decides.
GAP = (0.0, 1e-9)
SLOW = 1e-15, 1e-11  # the same for velocities, of those seen
MOST_SETS = 500
REBOUND = 5e-9  # of the velocities seen: a rebound below 1e-9 of what its contact has seen may be dropped
HEIGHT = 1e-11  # of the positions seen: so may one that does not come higher
BEFORE = 1e-9  # s
AGREES = 1e-8  # relative, of motions


@dataclass
class Instant:
    """The known quantities at one time; friction and contacts are those of the description."""

    d: Description
    t: float
    q: np.ndarray
    v: np.ndarray
    touching: list[Contact]
    speed: float  # the greatest that was seen
    pull: float  # the greatest acceleration that forces give
    modes: dict[str, int]  # what the run says; asked where rounding decides

    def rests(self, name: str, rate: float) -> bool:
        """True if a gap or a place counts as at rest."""
        if abs(rate) <= SLOW[0] * self.speed:
            return True
        return abs(rate) <= SLOW[1] * self.speed and self.modes[name] in (ss.Mode.STICK, ss.Mode.CLOSED)

    def load(self) -> np.ndarray:
        """Forces on the coordinates, but those of contacts and friction."""
        h = -self.d.damping @ self.v - self.d.stiffness @ self.q
        for push in self.d.pushes:
            h = h + push.along * push.signal.value(self.t, 0)
        return h

    def has_impact(self) -> bool:
        """True if a contact approaches."""
        fast = ZERO * self.speed
        return any(c.normal.numbers @ self.v + c.gap.signal.value(self.t, 1) < -fast for c in self.touching)


def _curve(law: ss.Law, v: float, side: int) -> tuple[float, float]:
    dry, viscous, _ = _laws.parts(law, np.array([v]), np.array([float(side)]), np.zeros((0, 1)))
    return float(dry[0]), float(viscous[0])


def _rub(s: Instant, place: Place, contact: int) -> Rub:
    v = float(place.along.numbers @ s.v - place.surface_velocity.value(s.t, 0))
    sides = (1, -1) if s.rests(place.name, v) else (int(np.sign(v)),)
    load = 1.0 if contact >= 0 else place.normal_load.value(s.t, 0)
    kinetic = {}
    for side in sides:
        dry, viscous = _curve(place.law, v if len(sides) == 1 else 0.0, side)
        kinetic[side] = load * dry + viscous
    low, high = _laws.jump(place.law)
    drift = -place.surface_velocity.value(s.t, 1)
    return Rub(place.along.numbers, drift, sides, (load * low, load * high), kinetic, contact)


def _stays(s: Instant, c: Contact) -> bool:
    rate = abs(float(c.normal.numbers @ s.v + c.gap.signal.value(s.t, 1)))
    slow = SLOW[0] if s.modes[c.name] == ss.Mode.OPEN else SLOW[1]
    return rate <= slow * s.speed


def accelerations(s: Instant) -> Problem:
    """The problem of the contacts that stay closed, and of friction at rest or sliding."""
    closed = [c for c in s.touching if _stays(s, c)]
    rubs = [_rub(s, c.place, k) for k, c in enumerate(closed) if c.place is not None]
    rubs += [_rub(s, p, -1) for p in s.d.places]
    return Problem(
        s.d.mass.numbers,
        s.load(),
        [c.normal.numbers for c in closed],
        [c.gap.signal.value(s.t, 2) for c in closed],
        rubs,
    )


def _impulses(s: Instant) -> list[Rub]:
    rubs = []
    for k, c in enumerate(s.touching):
        if c.place is not None:
            mu = _laws.kinetic(c.place.law)
            belt = -c.place.surface_velocity.value(s.t, 0)
            rubs.append(Rub(c.place.along.numbers, belt, (1, -1), (-mu, mu), {1: mu, -1: -mu}, k))
    return rubs


def impact_problem(s: Instant, law: str) -> Problem:
    """Newton's law, or the compression of Poisson's."""
    drift = []
    for c in s.touching:
        wall = c.gap.signal.value(s.t, 1)
        back = c.restitution * min(float(c.normal.numbers @ s.v + wall), 0.0) if law == "newton" else 0.0
        drift.append(wall + back)
    return Problem(
        s.d.mass.numbers, s.d.mass.numbers @ s.v, [c.normal.numbers for c in s.touching], drift, _impulses(s)
    )


def outcome(s: Instant, after: np.ndarray) -> str:
    """True if the impact at an instant can end with these velocities; rebounds that are too small may be dropped."""
    told = _outcome(s, after)
    least = max(REBOUND * s.speed, np.sqrt(2.0 * s.pull * HEIGHT * (1.0 + np.abs(s.q).max())))
    back = [c.restitution * abs(c.normal.numbers @ s.v + c.gap.signal.value(s.t, 1)) for c in s.touching]
    if told == "wrong impact" and 0.0 < max(back) <= least:
        return _outcome(replace(s, touching=[replace(c, restitution=0.0) for c in s.touching]), after)
    return told


def _outcome(s: Instant, after: np.ndarray) -> str:
    size = np.abs(s.v).max() + np.abs(after).max() + REBOUND / AGREES * s.speed
    tol = AGREES * size
    laws = {c.impact for c in s.touching}
    given, n = "newton" if "newton" in laws else "poisson", after.size
    first = impact_problem(s, given)
    if given == "newton":
        if first.has(after, tol):
            return "agrees"
        ends, open_ = first.solutions()
        if ends or any(first.some(one) is not None for one in open_):
            return "wrong impact"
        first = impact_problem(s, "poisson")
    restitution = np.array([c.restitution for c in s.touching])
    if not restitution.any():
        return "agrees" if first.has(after, tol) else "wrong impact"
    ends, open_ = first.solutions()
    for x in ends:
        stored = x[n : n + len(s.touching)]
        second = impact_problem(s, "poisson")
        second.right, second.floor = s.d.mass.numbers @ x[:n], (restitution * stored).tolist()
        if second.has(after, tol):
            return "agrees"
    if len(open_) > MOST_SETS:
        return f"more than {MOST_SETS} sets"
    return "impulses are open" if any(first.some(one) is not None for one in open_) else "wrong impact"


def moves(s: Instant, motion: np.ndarray) -> str:
    """True if these accelerations follow from the velocities of an instant."""
    problem = accelerations(s)
    size = np.abs(motion).max() + np.abs(np.linalg.solve(problem.mass, problem.right)).max() + s.pull
    return "agrees" if problem.has(motion, AGREES * size) else "wrong acceleration"


def alone(s: Instant, motion: np.ndarray) -> str:
    """True if there is no other motion, provided that levels at rest and in motion are equal and sets are regular."""
    problem = accelerations(s)
    loose = any(len(r.sides) == 2 and abs(r.static[1]) != abs(r.kinetic[1]) for r in problem.rubs)
    if loose or len(problem.sets()) > MOST_SETS:
        return "agrees"
    size = np.abs(motion).max() + np.abs(np.linalg.solve(problem.mass, problem.right)).max() + s.pull
    found, _ = problem.solutions()
    same = all(np.abs(x[: motion.size] - motion).max() <= 1e3 * AGREES * size for x in found)
    return "agrees" if same else "not the only one"


def nothing(s: Instant) -> str:
    """True if an instant has no answer, as the message of a run that ended there states."""
    problems = (
        [impact_problem(s, "newton"), impact_problem(s, "poisson")] if s.has_impact() else [accelerations(s)]
    )
    for problem in problems:
        found, open_ = problem.solutions()
        if found or any(problem.some(one) is not None for one in open_):
            return "an answer was not found"
    return "agrees"


class Told:
    """A run read at its instants."""

    def __init__(
        self, run: ss.Trajectory, initial: dict[str, float], machine: ss.Machine | None = None
    ) -> None:
        self.run, self.d, self.initial = run, describe(machine or run.machine), initial
        self.pull = self._pull()
        sizes = [size for name, size in run.machine.scales.items() if name.endswith(".velocity")]
        speeds = [value for name, value in initial.items() if name.endswith(".velocity")]
        n = len(self.d.names)
        self.speed = float(max(np.abs(run.y[n : 2 * n]).max(), *map(abs, speeds), 1e-3 * self.pull, *sizes))
        self.events: dict[float, list[ss.Event]] = {}
        for e in run.events:
            self.events.setdefault(e.time, []).append(e)

    def _pull(self) -> float:
        n, most = len(self.d.names), 1e-300
        for t in self.run.t[:: max(1, self.run.t.size // 20)]:
            load = sum((p.along * p.signal.value(float(t), 0) for p in self.d.pushes), np.zeros(n))
            most = max(most, np.abs(np.linalg.solve(self.d.mass.numbers, load)).max())
        return most

    def instant(self, t: float, q: np.ndarray, v: np.ndarray, end: bool = False) -> Instant:
        """With the contacts that are closed; at an end without an answer their modes are not yet those of the instant."""
        at, with_impact = self.run.at([t]), {e.element for e in self.events.get(t, ()) if e.impact}
        modes = {p.name: int(at[f"{p.name}.mode"][0]) for p in [*self.d.places, *self.d.contacts]}
        most, near = 1.0 + np.abs(q).max(), []
        for c in self.d.contacts:
            gap = c.normal.numbers @ q + c.gap.signal.value(t, 0)
            asked = end or c.name in with_impact or modes[c.name] != ss.Mode.OPEN
            if gap <= (GAP[1] if asked else GAP[0]) * most:
                near.append(c)
        return Instant(self.d, t, q, v, near, self.speed, self.pull, modes)

    def _read(self, t: float, kind: str) -> np.ndarray:
        at = self.run.at([t])
        return np.array([at[f"{name}.{kind}"][0] for name in self.d.names])

    def before(self, t: float) -> np.ndarray | None:
        """Velocities from the left; None where they cannot be told from what happened just before."""
        if t == self.run.t[0]:
            return np.array([self.initial.get(f"{name}.velocity", 0.0) for name in self.d.names])
        back = t - BEFORE
        if back <= self.run.t[0] or any(back <= other < t for other in self.events):
            return None
        return self._read(back, "velocity") + BEFORE * self._read(back, "acceleration")

    def verdict(self, t: float) -> str:
        """Check the impact at a time, and the accelerations after it."""
        events = [e for e in self.events.get(t, ()) if e.impact]
        if any(t < other <= t + 1e-12 * max(1.0, t) for other in self.events):
            return "several impacts at once"
        before = self.before(t) if events else None
        return self._verdict(t, events, before)

    def _verdict(self, t: float, events: list[ss.Event], before: np.ndarray | None) -> str:
        after = self._read(t, "velocity")
        s = self.instant(t, self._read(t, "position"), after)
        told = "agrees"
        if events:
            if before is None or len({e.instant for e in events}) != 1:
                told = "several impacts at once"
            else:
                s.v = before
                told = outcome(s, after) if s.has_impact() else "an impact without collision"
                s.v = after
        motion = self._read(t, "acceleration")
        moved = moves(s, motion)
        if (
            moved == "agrees"
            and t == self.run.t[0]
            and not events
            and any(e.solutions == 1 for e in self.events.get(t, ()))
        ):
            moved = alone(s, motion)
        return told if moved == "agrees" else moved


def verdicts(
    run: ss.Trajectory, initial: dict[str, float], most: int, machine: ss.Machine | None = None
) -> list[str]:
    """Check the start and the first events, and the end of a run that found no answer."""
    told = Told(run, initial, machine)
    times = sorted({float(run.t[0]), *(e.time for e in run.events)})
    end = float(run.t[-1])
    if run.status in (ss.Status.NO_SOLUTION, ss.Status.FAILED):  # no accelerations follow at the end
        times = [t for t in times if t < end]
    found = [told.verdict(t) for t in times[:most]]
    if run.status == ss.Status.NO_SOLUTION:
        n = len(told.d.names)
        found.append(nothing(told.instant(end, run.state.x[:n], run.state.x[n : 2 * n], True)))
    return found


def has_others(run: ss.Trajectory, initial: dict[str, float], t: float) -> bool:
    """True if the accelerations of a run at a time follow, and other ones from the same state and modes do, too."""
    told = Told(run, initial)
    s = told.instant(t, told._read(t, "position"), told._read(t, "velocity"))
    motion, problem = told._read(t, "acceleration"), accelerations(s)
    size = np.abs(motion).max() + np.abs(np.linalg.solve(problem.mass, problem.right)).max() + s.pull
    found, _ = problem.solutions()
    differs = any(np.abs(x[: motion.size] - motion).max() > 1e3 * AGREES * size for x in found)
    return differs and moves(s, motion) == "agrees"
