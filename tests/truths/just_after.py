"""Friction modes and contact modes just after an instant at rest, decided order by order in time, in rational numbers.

    M a + D v + K q = f + sum n_j L_j - sum w_i F_i,    rates n_j a + d_j of contacts, w_i a + d_i of friction.

Every quantity is a series, the list of its derivatives at the instant; its sign just after is that of the first one
that is not zero. A closed contact has the rate 0 and L >= 0, an open one L = 0 and a rate >= 0; friction that sticks has
the rate 0 and |F| within its level, friction that leaves has F at its level and a rate in that direction (the rational
complementarity problem, Heemels, Schumacher and Weiland 1999). In one set of modes the motion follows from one constant
matrix. Forces that it leaves open form a polyhedron with a constant matrix, whose right-hand side is a series: it is not
empty just after the instant if and only if one of its vertices is feasible by the first derivatives that are not zero.
Of contacts that can press each other without a load, one bears nothing.

All derivatives of a linear machine under polynomial forces vanish if the first `Instant.orders` do (Cayley-Hamilton), so
a sign that is zero here stays zero.

Static to kinetic: solve with static levels; of the friction that leaves, the part with the lowest order of relative
acceleration takes its kinetic level; solve again. If that leads nowhere, every set that sticks within static levels and
slides at kinetic levels is an answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from truths.exact import Rational, null_space, reduce, times

HELD, OPEN, FORWARD, BACKWARD = "held", "open", "slip+", "slip-"
ZERO = Fraction(0)
ROUGH = 1e-6, 1e7  # slack and condition up to which floating-point numbers rule a set of modes out beforehand

Modes = tuple[str, ...]  # of contacts, then of friction


@dataclass(frozen=True)
class Contact:
    """A touching contact: acceleration of its gap is ``along a + drift``."""

    along: Rational
    drift: Rational


@dataclass(frozen=True)
class Friction:
    """Friction with levels as forces, or per unit of the force of its `contact`; `slides`: the side of a velocity."""

    along: Rational
    drift: Rational
    static: Fraction
    kinetic: Fraction
    contact: int = -1
    slides: int = 0


@dataclass(frozen=True)
class Instant:
    """A machine whose coordinates and velocities are zero."""

    mass: list[Rational]
    damping: list[Rational]
    stiffness: list[Rational]
    force: list[Rational]
    contacts: list[Contact]
    friction: list[Friction]

    @property
    def rows(self) -> list[Contact | Friction]:
        return [*self.contacts, *self.friction]

    @property
    def orders(self) -> int:
        """Number of derivatives which prove, if all are zero, that a quantity is zero."""
        series = [*self.force, *(row.drift for row in self.rows)]
        degree = max((k for s in series for k, x in enumerate(s) if x), default=0)
        memory = any(any(row) for row in (*self.damping, *self.stiffness))
        return degree + 1 + 2 * len(self.mass) * memory


@dataclass
class Answer:
    """Modes with the series of coordinates' accelerations and of the rows' rates; loaded: contacts that bear a force
    with an effect on the motion; where friction takes back what the contact gives, any force has none.
    """

    modes: Modes
    acceleration: list[Rational]
    rate: list[Rational]
    loaded: list[bool]


@dataclass
class Answers:
    """All answers; `continuum`: some set of modes leaves the motion itself open, and may be an answer, too."""

    found: list[Answer] = field(default_factory=list)
    continuum: bool = False


def sign(series: Rational) -> int:
    """Sign just after the instant."""
    return next((1 if x > 0 else -1 for x in series if x), 0)


def order(series: Rational) -> int:
    """Order of the first derivative that is not zero."""
    return next((k for k, x in enumerate(series) if x), len(series))


def dot(a: Rational, b: Rational) -> Fraction:
    """Scalar product."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ZERO)


def at(series: Rational, k: int) -> Fraction:
    """A derivative of a polynomial."""
    return series[k] if k < len(series) else ZERO


def feasible(rows: list[Rational], margins: list[Rational]) -> bool:
    """True if some series y satisfies ``rows y + margins >= 0`` just after the instant."""
    columns = len(rows[0]) if rows else 0
    seen, _ = reduce(rows, columns)  # shifts along the others change no margin
    fixed = [m for row, m in zip(rows, margins, strict=True) if not any(row)]
    if any(sign(m) < 0 for m in fixed):
        return False
    if not seen:
        return True
    margins = [m for row, m in zip(rows, margins, strict=True) if any(row)]
    rows = [[row[c] for c in seen] for row in rows if any(row)]
    for active in itertools.combinations(range(len(rows)), len(seen)):
        system = [[*rows[i], *(-x for x in margins[i])] for i in active]
        pivots, reduced = reduce(system, len(seen))
        if len(pivots) < len(seen):
            continue
        y = [row[len(seen) :] for row in reduced]
        if all(
            sign(
                [
                    m + sum((c * one[k] for c, one in zip(row, y, strict=True) if c), ZERO)
                    for k, m in enumerate(margin)
                ]
            )
            >= 0
            for row, margin in zip(rows, margins, strict=True)
        ):
            return True
    return False


def relieving(instant: Instant, closed: list[int]) -> list[tuple[int, ...]]:
    """Sets of contacts without force, one of each set that can press each other without a load."""
    preloads: list[tuple[int, ...]] = []
    for size in range(2, len(closed) + 1):
        for some in itertools.combinations(closed, size):
            if any(set(p) <= set(some) for p in preloads):
                continue
            columns = [list(one) for one in zip(*(instant.contacts[j].along for j in some), strict=True)]
            null = null_space(columns, size)
            if len(null) == 1 and abs(sum(1 if x > 0 else -1 if x < 0 else 0 for x in null[0])) == size:
                preloads.append(some)
    return sorted({tuple(sorted(set(one))) for one in itertools.product(*preloads)}, key=len)


@dataclass
class _Set:
    """Equations of one set of modes in the accelerations and the forces of what is held."""

    instant: Instant
    modes: Modes
    level: list[Fraction]  # of each friction
    idle: tuple[int, ...] | None = None  # closed contacts that bear nothing, so that no preload is left

    def __post_init__(self) -> None:
        i, n = self.instant, len(self.instant.mass)
        self.held = [r for r, mode in enumerate(self.modes) if mode == HELD]
        self.column = {r: n + k for k, r in enumerate(self.held)}
        self.size = n + len(self.held)
        self.matrix = [[*row, *[ZERO] * len(self.held)] for row in i.mass]
        self.matrix += [[*i.rows[r].along, *[ZERO] * len(self.held)] for r in self.held]
        for j in self.idle or ():
            self.matrix.append([Fraction(int(c == self.column[j])) for c in range(self.size)])
        self.given = [ZERO] * n  # forces of friction that slides under a given level
        for r in self.held:
            self._apply(r, self.column[r], Fraction(1))
        for k, f in enumerate(i.friction):
            r = len(i.contacts) + k
            if self.modes[r] not in (FORWARD, BACKWARD):
                continue
            value = self.level[k] if self.modes[r] == FORWARD else -self.level[k]
            if f.contact < 0:
                self.given = [g - w * value for g, w in zip(self.given, f.along, strict=True)]
            elif f.contact in self.column:
                self._apply(r, self.column[f.contact], value)

    def _apply(self, r: int, column: int, factor: Fraction) -> None:
        """Add the force of a row, a factor times an unknown, to the left of the equations of motion."""
        side = -1 if r < len(self.instant.contacts) else 1
        for c, w in enumerate(self.instant.rows[r].along):
            if w:
                self.matrix[c][column] += side * factor * w

    def right(self, k: int, q: Rational, v: Rational) -> Rational:
        """Right-hand sides of the k-th derivative of the equations."""
        i = self.instant
        lost = [x + y for x, y in zip(times(i.damping, v), times(i.stiffness, q), strict=True)]
        b = [at(f, k) - s for f, s in zip(i.force, lost, strict=True)]
        if k == 0:
            b = [x + g for x, g in zip(b, self.given, strict=True)]
        return b + [-at(i.rows[r].drift, k) for r in self.held] + [ZERO] * len(self.idle or ())

    def conditions(self) -> Iterator[tuple[Rational, Rational]]:
        """Margins that must not be negative: their rows over the unknowns, and the series that is to be added."""
        i, contacts = self.instant, len(self.instant.contacts)

        def of(entries: dict[int, Fraction]) -> Rational:
            return [entries.get(c, ZERO) for c in range(self.size)]

        for r, mode in enumerate(self.modes):
            if mode == HELD and r < contacts:
                yield of({self.column[r]: Fraction(1)}), []
            elif mode == HELD:
                level, load = self.level[r - contacts], i.friction[r - contacts].contact
                for side in (1, -1):
                    own = {self.column[r]: Fraction(side)}
                    yield (of(own), [level]) if load < 0 else (of(own | {self.column[load]: level}), [])
            elif (side := self.side(r)) != 0:
                row = [side * w for w in i.rows[r].along]
                yield [*row, *[ZERO] * len(self.held)], [side * x for x in i.rows[r].drift]

    def side(self, r: int) -> int:
        """Direction of the rate of a row; 0: any."""
        contacts, mode = len(self.instant.contacts), self.modes[r]
        if r < contacts:
            return 1 if mode == OPEN else 0
        given = self.instant.friction[r - contacts].slides != 0 or mode in (OPEN, HELD)
        return 0 if given else 1 if mode == FORWARD else -1

    def ruled_out(self) -> bool:
        """True if floating-point numbers show that the accelerations and forces at the instant violate a condition."""
        a = np.array(self.matrix, dtype=float)
        if np.linalg.cond(a) > ROUGH[1]:
            return False
        n = len(self.instant.mass)
        x = np.linalg.solve(a, np.array(self.right(0, [ZERO] * n, [ZERO] * n), dtype=float))
        return any(
            float(np.dot(np.array(row, dtype=float), x)) + float(at(more, 0)) < -ROUGH[0]
            for row, more in self.conditions()
        )

    def solve(self) -> Answer | bool:
        """The answer of these modes, or whether they leave the motion open: False where they have none."""
        if self.idle is None and self.ruled_out():
            return False
        n, i, rows = len(self.instant.mass), self.instant, len(self.matrix)
        unit = [[Fraction(int(r == c)) for c in range(rows)] for r in range(rows)]
        pivots, reduced = reduce([[*a, *b] for a, b in zip(self.matrix, unit, strict=True)], self.size)
        inverse, rank = [row[self.size :] for row in reduced], len(pivots)
        null = null_space([row[: self.size] for row in reduced], self.size) if rank < self.size else []
        if null and self.idle is None:
            closed = [r for r in self.held if r < len(i.contacts)]
            found = [replace(self, idle=idle).solve() for idle in relieving(i, closed)]
            return next((one for one in found if not isinstance(one, bool)), any(found))
        moves = any(any(vector[:n]) for vector in null)
        series: list[Rational] = []
        q, v = [ZERO] * n, [ZERO] * n
        for k in range(1 if moves else i.orders):
            b = times(inverse, self.right(k, q, v))
            if any(b[rank:]):
                return False
            x = [ZERO] * self.size
            for pivot, value in zip(pivots, b, strict=False):
                x[pivot] = value
            series.append(x)
            q, v = v, x[:n]
        if not feasible(*self._margins(series, null)):
            return False
        return True if moves else self._answer(series, null)

    def _margins(self, series: list[Rational], null: list[Rational]) -> tuple[list[Rational], list[Rational]]:
        """Change of the margins by each free force, and the margins without free forces."""
        shifts, margins = [], []
        for row, more in self.conditions():
            shifts.append(times(null, row))
            margins.append([dot(row, x) + at(more, k) for k, x in enumerate(series)])
        return shifts, margins

    def _answer(self, series: list[Rational], null: list[Rational]) -> Answer:
        n, i = len(self.instant.mass), self.instant
        acceleration = [[x[c] for x in series] for c in range(n)]
        rate = [[dot(row.along, x[:n]) + at(row.drift, k) for k, x in enumerate(series)] for row in i.rows]
        loaded = [
            j in self.column
            and any(row[self.column[j]] for row in self.matrix)
            and (any(x[self.column[j]] for x in series) or any(vector[self.column[j]] for vector in null))
            for j in range(len(i.contacts))
        ]
        return Answer(self.modes, acceleration, rate, loaded)


def _sets(instant: Instant, kinetic: dict[int, str]) -> Iterator[Modes]:
    """All sets of modes, with the sides of friction that has left rest given."""
    choices: list[tuple[str, ...]] = [(HELD, OPEN)] * len(instant.contacts)
    for k, f in enumerate(instant.friction):
        slides = {1: FORWARD, -1: BACKWARD}.get(f.slides) or kinetic.get(k)
        choices.append((slides,) if slides else (HELD, FORWARD, BACKWARD))
    seen = set()
    for modes in itertools.product(*choices):
        idle = tuple(
            OPEN
            if r >= len(instant.contacts)
            and 0 <= (c := instant.friction[r - len(instant.contacts)].contact)
            and modes[c] == OPEN
            else mode
            for r, mode in enumerate(modes)
        )
        if idle not in seen:
            seen.add(idle)
            yield idle


def _stage(
    instant: Instant, kinetic: dict[int, str], found: Answers, sliding_is_kinetic: bool = False
) -> list[Answer]:
    """All answers with static levels, but kinetic ones of the friction that has left rest."""
    contacts, answers = len(instant.contacts), []
    for modes in _sets(instant, kinetic):
        level = [
            f.kinetic
            if f.slides or k in kinetic or (sliding_is_kinetic and modes[contacts + k] != HELD)
            else f.static
            for k, f in enumerate(instant.friction)
        ]
        answer = _Set(instant, modes, level).solve()
        if isinstance(answer, bool):
            found.continuum |= answer
            continue
        leaves = [
            k
            for k, f in enumerate(instant.friction)
            if modes[contacts + k] in (FORWARD, BACKWARD) and not f.slides
        ]
        if all(sign(answer.rate[contacts + k]) for k in leaves) and all(
            sign(answer.rate[j]) for j in range(contacts) if modes[j] == OPEN
        ):  # what keeps the rate 0 is held
            answers.append(answer)
    return answers


def answers(instant: Instant) -> Answers:
    """All answers just after an instant."""
    found, contacts, seen = Answers(), len(instant.contacts), set()

    def follow(kinetic: dict[int, str]) -> None:
        key = tuple(sorted(kinetic.items()))
        if key in seen:
            return
        seen.add(key)
        for answer in _stage(instant, kinetic, found):
            leaving = {
                k: answer.modes[contacts + k]
                for k, f in enumerate(instant.friction)
                if answer.modes[contacts + k] in (FORWARD, BACKWARD)
                and not f.slides
                and k not in kinetic
                and f.static != f.kinetic
            }
            if not leaving:
                if all(answer.modes != other.modes for other in found.found):
                    found.found.append(answer)
                continue
            first = min(order(answer.rate[contacts + k]) for k in leaving)
            follow(
                kinetic
                | {k: side for k, side in leaving.items() if order(answer.rate[contacts + k]) == first}
            )

    follow({})
    if not found.found:
        found.found = _stage(instant, {}, found, sliding_is_kinetic=True)
    return found


def one_step(instant: Instant, h: Fraction) -> Instant:
    """One implicit Euler step of length h with the Laplace transforms of forces and drifts, as an instant of one order.

    Its sets of modes are those of the instant for every h that is small enough.
    """

    def weighted(series: Rational) -> Rational:
        return [sum((x * h**k for k, x in enumerate(series)), ZERO)]

    mass = [
        [m + h * d + h * h * s for m, d, s in zip(*rows, strict=True)]
        for rows in zip(instant.mass, instant.damping, instant.stiffness, strict=True)
    ]
    none = [[ZERO] * len(mass) for _ in mass]
    return Instant(
        mass, none, none, [weighted(f) for f in instant.force],
        [replace(c, drift=weighted(c.drift)) for c in instant.contacts],
        [replace(f, drift=weighted(f.drift)) for f in instant.friction],
    )  # fmt: skip
