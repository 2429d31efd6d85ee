"""Impacts one after the other, in decimal arithmetic of 60 digits: bodies in free flight between contacts.

Nothing of the engine is used. Gaps grow by their rates, the contact with the shortest flight hits next, contacts whose
flights are equal share one impact, and closed ones take part. An impact is found by trying all combinations of modes.

Where impacts go on without end, as certified by rates that repeat themselves up to a factor below 1, either the impacts are
made until nothing is left of the approach, or the contacts are brought to rest together, if all others separate on the way.

Source: McNamara and Young 1992 (inelastic collapse); Newton's and Poisson's law as in Glocker 1995.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

DIGITS = 60
EQUAL_FLIGHTS = Decimal("1e-30")  # relative
NO_GAP = Decimal("1e-30")  # m
AT_REST = Decimal("1e-40")  # of the greatest rate at the start
REPEATS = Decimal("1e-20")  # of the rates
GONE = Decimal("1e-15")  # of the greatest rate at the start
LONGEST_PERIOD = 12

Vector = list[Decimal]
Matrix = list[Vector]
Modes = tuple[int, ...]


@dataclass
class Contact:
    """A contact with a constant direction: rate = row·v + moving."""

    row: Sequence[float]
    gap: float
    restitution: float
    moving: float = 0.0
    tangent: Sequence[float] | None = None
    friction: float = 0.0


@dataclass
class Outcome:
    """Result of the impacts."""

    velocity: list[float]
    impacts: int
    collapses: int
    ended: bool  # False: more impacts than allowed, or impacts without loss that go on for ever
    closed: tuple[int, ...] = ()


def _dot(a: Sequence[Decimal], b: Sequence[Decimal]) -> Decimal:
    return sum((x * y for x, y in zip(a, b, strict=True)), Decimal(0))


def solve(a: Matrix, b: Vector) -> Vector | None:
    """Solution of a x = b by elimination with full pivoting; of dependent rows one is enough. None: contradictory."""
    n = len(b)
    rows = [[*r, x] for r, x in zip(a, b, strict=True)]
    size = max((abs(x) for r in a for x in r), default=Decimal(0))
    columns, order = list(range(n)), []
    for k in range(n):
        best, i, j = max(((abs(rows[i][j]), i, j) for i in range(k, n) for j in columns), default=(0, 0, 0))
        if best <= size * Decimal("1e-35"):
            break
        rows[k], rows[i] = rows[i], rows[k]
        columns.remove(j)
        order.append(j)
        for i in range(n):
            if i != k and rows[i][j]:
                factor = rows[i][j] / rows[k][j]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    rest = max((abs(rows[i][n]) for i in range(len(order), n)), default=Decimal(0))
    if rest > Decimal("1e-30") * max((abs(x) for x in b), default=Decimal(0)):
        return None
    x = [Decimal(0)] * n
    for k, j in enumerate(order):
        x[j] = rows[k][n] / rows[k][j]
    return x


class _Machine:
    """Rows of all contacts: normals, then tangents; impulses along these rows."""

    def __init__(self, mass: Sequence[Sequence[float]], contacts: Sequence[Contact]) -> None:
        n = len(mass)
        unit = [[Decimal(int(i == j)) for j in range(n)] for i in range(n)]
        m = [[Decimal(x) for x in row] for row in mass]
        inverse = [solve(m, e) for e in unit]
        self.contacts, self.n = contacts, len(contacts)
        self.tangent_of = [k for k, c in enumerate(contacts) if c.tangent is not None]
        rows = [c.row for c in contacts] + [contacts[k].tangent or () for k in self.tangent_of]
        self.rows = [[Decimal(x) for x in row] for row in rows]
        self.effect = [[_dot(column or [], row) for column in inverse] for row in self.rows]
        self.g = [[_dot(row, effect) for effect in self.effect] for row in self.rows]
        self.e = [Decimal(c.restitution) for c in contacts]
        self.mu = [Decimal(contacts[k].friction) for k in self.tangent_of]
        self.at_rest = Decimal(0)  # rates below are rounding
        self.own = {k: self.n + q for q, k in enumerate(self.tangent_of)}

    def choices(self, taking_part: Sequence[int]) -> Iterator[tuple[Modes, Modes]]:
        """Modes of contacts (1 pressed, 0 not) and of their tangents (0 sticks, 1 and -1 slides)."""
        for pressed in itertools.product((1, 0), repeat=len(taking_part)):
            options = [
                (0, 1, -1) if p and k in self.own else (0,) for k, p in zip(taking_part, pressed, strict=True)
            ]
            for slides in itertools.product(*options):
                yield pressed, slides

    def columns(
        self, taking_part: Sequence[int], modes: tuple[Modes, Modes]
    ) -> tuple[list[dict[int, Decimal]], list[int]]:
        """Impulses per unknown, and the rows that they bring to their end."""
        columns, rows = [], []
        for k, pressed, slides in zip(taking_part, *modes, strict=True):
            if not pressed:
                continue
            columns.append({k: Decimal(1)})
            rows.append(k)
            if k not in self.own:
                continue
            if slides:
                columns[-1][self.own[k]] = -slides * self.mu[self.own[k] - self.n]
            else:
                columns.append({self.own[k]: Decimal(1)})
                rows.append(self.own[k])
        return columns, rows

    def after(self, rates: Vector, impulse: dict[int, Decimal]) -> Vector:
        """Rates behind impulses."""
        return [
            r + sum((row[k] * p for k, p in impulse.items()), Decimal(0))
            for r, row in zip(rates, self.g, strict=True)
        ]

    def bring_to(
        self, rates: Vector, wanted: dict[int, Decimal], floor: dict[int, Decimal], taking_part: Sequence[int],
        modes: tuple[Modes, Modes],
    ) -> dict[int, Decimal] | None:  # fmt: skip
        """Impulses, those not below `floor`, that lead the rows of these modes to the rates that are wanted."""
        start = self.after(rates, floor)
        columns, rows = self.columns(taking_part, modes)
        matrix = [
            [sum((self.g[i][k] * c for k, c in column.items()), Decimal(0)) for column in columns]
            for i in rows
        ]
        found = solve(matrix, [wanted.get(i, Decimal(0)) - start[i] for i in rows])
        if found is None:
            return None
        impulse = dict(floor)
        for x, column in zip(found, columns, strict=True):
            for k, c in column.items():
                impulse[k] = impulse.get(k, Decimal(0)) + x * c
        return impulse

    def phase(
        self, rates: Vector, wanted: dict[int, Decimal], floor: dict[int, Decimal], taking_part: Sequence[int]
    ) -> tuple[dict[int, Decimal], tuple[Modes, Modes]]:
        """The impulses whose signs are right: all combinations of modes are tried."""
        small = self.at_rest
        for modes in self.choices(taking_part):
            impulse = self.bring_to(rates, wanted, floor, taking_part, modes)
            if impulse is None:
                continue
            after, good = self.after(rates, impulse), True
            for k, _, slides in zip(taking_part, *modes, strict=True):
                push = impulse.get(k, Decimal(0))
                good &= push - floor.get(k, Decimal(0)) >= -small / self.g[k][k]
                good &= after[k] - wanted.get(k, Decimal(0)) >= -small
                if k in self.own:
                    i = self.own[k]
                    bound = self.mu[i - self.n] * push + small / self.g[i][i]
                    good &= (
                        slides * after[i] >= -small if slides else abs(impulse.get(i, Decimal(0))) <= bound
                    )
            if good:
                return impulse, modes
        raise ArithmeticError("no impulses satisfy the law of impact")

    def impact(
        self, rates: Vector, taking_part: Sequence[int], law: str
    ) -> tuple[dict[int, Decimal], object]:
        """Impulses of one impact, and its modes."""
        if len(taking_part) == 1 and taking_part[0] not in self.own:
            (k,) = taking_part
            return {k: -(1 + self.e[k]) * rates[k] / self.g[k][k]}, ()
        if law == "newton":
            return self.phase(
                rates, {k: self.e[k] * max(Decimal(0), -rates[k]) for k in taking_part}, {}, taking_part
            )
        compression, modes = self.phase(rates, {}, {}, taking_part)
        between = self.after(rates, compression)
        floor = {k: self.e[k] * compression.get(k, Decimal(0)) for k in taking_part}
        if any(k in self.own for k in taking_part):
            raise NotImplementedError("expansion with friction")
        expansion, last = self.phase(between, {}, floor, taking_part)
        return {k: compression.get(k, Decimal(0)) + expansion.get(k, Decimal(0)) for k in taking_part}, (
            modes,
            last,
        )


@dataclass
class _Made:
    """An impact, and the rates before it."""

    taking_part: tuple[int, ...]
    modes: object
    rates: Vector
    flight: Decimal
    hit: tuple[int, ...]


class _Run:
    def __init__(
        self, machine: _Machine, velocity: Sequence[float], law: str, t_end: float, patience: int, blur: float,
        resolution: float,
    ) -> None:  # fmt: skip
        self.m, self.law, self.patience = machine, law, patience
        v = [Decimal(x) for x in velocity]
        self.gaps = [Decimal(c.gap) for c in machine.contacts]
        self.rates = [_dot(row, v) for row in machine.rows]
        for k, c in enumerate(machine.contacts):
            self.rates[k] += Decimal(c.moving)
        self.v, self.left, self.time = v, Decimal(t_end), Decimal(0)
        self.size = max(map(abs, self.rates), default=Decimal(0))
        self.blur, self.random = Decimal(blur), random.Random(blur)
        self.small = machine.at_rest = max(AT_REST, 10 * self.blur) * self.size
        self.no_gap = max(NO_GAP, 10 * self.blur)
        self.resolution = Decimal(resolution)
        self.repeats = max(REPEATS, 1000 * self.blur)
        self.impulse = [Decimal(0)] * len(self.rates)
        self.made: deque[_Made] = deque(maxlen=2 * LONGEST_PERIOD + 1)
        self.impacts = self.collapses = 0

    def closed(self) -> list[int]:
        """Contacts that touch and neither approach nor separate: after a last impact with e = 1 as after others."""
        still = 10 * self.small
        return [k for k in range(self.m.n) if self.gaps[k] <= self.no_gap and abs(self.rates[k]) <= still]

    def give(self, impulse: dict[int, Decimal]) -> None:
        """Change the rates."""
        for k, p in impulse.items():
            self.impulse[k] += p
        for i, row in enumerate(self.m.g):
            for k, p in impulse.items():
                self.rates[i] += row[k] * p

    def next_impact(self) -> tuple[Decimal, list[int]] | None:
        """The flight, and the contacts that hit at its end."""
        flights = {k: -self.gaps[k] / self.rates[k] for k in range(self.m.n) if self.rates[k] < -self.small}
        if not flights:
            return None
        flight = min(flights.values())
        if self.time + flight > self.left:
            return None
        return flight, [k for k, f in flights.items() if f <= flight * (1 + EQUAL_FLIGHTS)]

    def step(self, flight: Decimal, hit: list[int]) -> None:
        """One flight and the impact at its end."""
        self.time += flight
        closed = self.closed()
        for k in range(self.m.n):
            if k not in closed:
                self.gaps[k] += self.rates[k] * flight
                if self.gaps[k] <= self.resolution:
                    self.gaps[k] = Decimal(0)
        for k in (*hit, *closed):
            self.gaps[k] = Decimal(0)
        taking_part = hit if not closed else sorted({*hit, *closed})
        impulse, modes = self.m.impact(self.rates, taking_part, self.law)
        self.made.append(_Made(tuple(taking_part), modes, list(self.rates), flight, tuple(hit)))
        self.impacts += 1
        self.give(impulse)
        if self.blur:
            self.shift()

    def shift(self) -> None:
        """Move gaps and rates as rounding does."""
        closed = self.closed()
        for k in range(self.m.n):
            noise = [self.blur * Decimal(self.random.uniform(-1.0, 1.0)) for _ in range(2)]
            self.rates[k] = Decimal(0) if k in closed else self.rates[k] + noise[0] * self.size
            if self.gaps[k]:
                self.gaps[k] = max(Decimal(0), self.gaps[k] + noise[1])

    def period(self) -> tuple[int, Decimal] | None:
        """Length of a period after which all rates of its contacts are the same but for a factor, and the factor."""
        made = list(self.made)
        last = made[-1]
        for p in range(1, (len(made) - 1) // 2 + 1):
            before = made[-1 - p]
            pattern = [(x.taking_part, x.modes, x.hit) for x in made]
            if pattern[-p:] != pattern[-2 * p : -p]:
                continue
            rows = sorted({k for x in made[-p:] for k in x.taking_part})
            size = max(abs(before.rates[k]) for k in rows)
            if size <= self.small:
                continue
            factor = max(abs(last.rates[k]) for k in rows) / size
            if all(
                abs(last.rates[k] - factor * before.rates[k]) <= self.repeats * size * factor for k in rows
            ):
                return p, factor
        return None

    def sliding(self, k: int) -> int:
        """Direction in which the tangent of a contact slides."""
        rate = self.rates[self.m.own[k]] if k in self.m.own else Decimal(0)
        return 0 if abs(rate) <= GONE * self.size else 1 if rate > 0 else -1

    def collapse(self, p: int, factor: Decimal) -> bool:
        """Bring the contacts of the last period to rest together, if no other contact begins to approach on the way."""
        period = list(self.made)[-p:]
        rows = sorted({k for x in period for k in x.taking_part})
        near = max(abs(self.rates[k]) for k in rows) <= GONE * self.size
        if not near and any(k in self.m.own for k in rows):
            return False
        slides = tuple(self.sliding(k) for k in rows)
        impulse = self.m.bring_to(self.rates, {}, {}, rows, ((1,) * len(rows), slides))
        if impulse is None:
            return False
        if not near and any(x < 0 for x in impulse.values()):
            return False
        flights = sum((x.flight for x in period), Decimal(0))
        before = sum((x.flight for x in list(self.made)[-2 * p : -p]), Decimal(0))
        shrinks = flights / before if before else Decimal(0)
        if not near:
            if shrinks >= 1:
                return False
            rest = flights * shrinks / (1 - shrinks)
            for j in range(self.m.n):
                if j in rows:
                    continue
                lowest = self.rates[j] + sum(
                    (min(Decimal(0), self.m.g[j][k] * x) for k, x in impulse.items()), Decimal(0)
                )
                highest = self.rates[j] + sum(
                    (max(Decimal(0), self.m.g[j][k] * x) for k, x in impulse.items()), Decimal(0)
                )
                moves = rest * max(abs(lowest), abs(highest))
                if lowest < 0 and moves >= Decimal("1e-15") * self.gaps[j]:
                    return False
        self.give(impulse)
        for k in rows:
            self.gaps[k], self.rates[k] = Decimal(0), Decimal(0)
        self.collapses += 1
        self.made.clear()
        return True

    def run(self, most: int) -> bool:
        """All impacts; False where they do not end."""
        since = 0  # impacts since rates were found to repeat themselves
        while (coming := self.next_impact()) is not None:
            if self.impacts >= most:
                return False
            self.step(*coming)
            if self.impacts % 8 or len(self.made) < 3:
                continue
            found = self.period()
            if found is None:
                since = 0
                continue
            p, factor = found
            if factor >= 1 - self.repeats:
                return False
            since += 8
            rows = {k for x in list(self.made)[-p:] for k in x.taking_part}
            gone = max(abs(self.rates[k]) for k in rows) <= GONE * self.size
            if (gone or since > self.patience) and self.collapse(p, factor):
                since = 0
        return True


def impacts(
    mass: Sequence[Sequence[float]],
    contacts: Sequence[Contact],
    velocity: Sequence[float],
    law: str = "newton",
    *,
    t_end: float = 1e300,
    most: int = 10**6,
    patience: int = 10**9,
    blur: float = 0.0,
    resolution: float = 0.0,
) -> Outcome:
    """Velocities after all impacts until `t_end`.

    `patience`: impacts that are made one by one after they have been found to go on without end, before contacts are
    brought to rest together. `blur`: gaps (m) and rates (of the greatest) move by up to this after each impact, and gaps
    and rates ten times as great count as none, to see where rounding decides. `resolution`: gaps (m) up to this count as
    none, so that contacts with indistinguishable gaps share one impact.
    """
    with localcontext() as context:
        context.prec = DIGITS
        machine = _Machine(mass, contacts)
        run = _Run(machine, velocity, law, t_end, patience, blur, resolution)
        ended = run.run(most)
        v = list(run.v)
        for effect, p in zip(machine.effect, run.impulse, strict=True):
            v = [x + d * p for x, d in zip(v, effect, strict=True)]
        return Outcome([float(x) for x in v], run.impacts, run.collapses, ended, tuple(run.closed()))


def row(
    mass: Sequence[float], gaps: Sequence[float], restitution: float | Sequence[float]
) -> tuple[list[list[float]], list[Contact]]:
    """Bodies on a line, with the gaps between them."""
    n = len(mass)
    e = [restitution] * len(gaps) if isinstance(restitution, float) else list(restitution)
    matrix = [[float(m) if i == j else 0.0 for j in range(n)] for i, m in enumerate(mass)]
    rows = [[-1.0 if j == i else 1.0 if j == i + 1 else 0.0 for j in range(n)] for i in range(n - 1)]
    return matrix, [Contact(r, g, x) for r, g, x in zip(rows, gaps, e, strict=True)]
