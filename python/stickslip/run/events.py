"""Events of a run, with their causes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from stickslip._extras import need
from stickslip._html import MOST_ROWS, table
from stickslip.errors import UnknownNameError
from stickslip.modes import Mode
from stickslip.run.sensitivity import Derivatives, EventSensitivity

__all__ = ["Event", "Events"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """A change of mode of one element.

    Attributes
    ----------
    time : float
        Time of the event, s.
    element : str
        Name of the friction element, contact or controller.
    before, after : Mode
        Modes before and after the event.
    cause : str
        The guards that fired at this instant.
    rule : str
        Rule that selected the new modes:

        * ``"unique"``: one admissible solution; ``"static to kinetic"``: one admissible solution after break-away of an
          element;
        * several solutions, selected in this order by ``"present mode"``: no mode changes; ``"fewest changes"``; ``"least
          constraint"`` (Gauss); ``"ambiguous"``: none of these rules selects one;
        * ``"accumulation"``: each of the last ten slips was shorter than three of the machine's shortest time constants
          and slower than 1e-6 of the greatest speed; the element sticks until its force is 1e-6 above its limit;
        * with the suffix ``", force shared"``: the forces are statically indeterminate. Of those within all limits
          the ones of least norm are used: of ``sum(F**2)`` if normal forces are indeterminate, of ``sum(F**2 / limit)``
          if only friction in stick is;
        * with the suffix ``", energy gained"``: the impact increased the energy.
    solutions : int or None
        Number of admissible solutions if known, else None.
    ambiguous : bool
        True if no rule selected one of several solutions.
    instant : int
        Number of the instant, shared by simultaneous changes.
    impact : bool
        True if the contact took part in an impact at this instant.
    normal_impulse, tangential_impulse : float
        Impulses of the impact, N s; the tangential one opposes sliding in the positive direction. With several friction
        directions each element ``"<name>[k]"`` has an event of its own with its share.
    loss : float
        Energy lost in the impact, J; the first of several contacts in one impact holds the total.
    sensitivity : EventSensitivity or None
        Derivatives of its time and of the states on both sides, for the `sensitivities` of `simulate`.
    """

    time: float
    element: str
    before: Mode
    after: Mode
    cause: str
    rule: str
    solutions: int | None
    ambiguous: bool
    instant: int
    impact: bool = False
    normal_impulse: float = 0.0
    tangential_impulse: float = 0.0
    loss: float = 0.0
    sensitivity: EventSensitivity | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return (
            f"{self.time:.12g} s  {self.element}: {self.before} -> {self.after}  ({self.cause}; {self.rule})"
        )


# As the engine hands its table over; `cause` and `rule` are numbers of words, `element` one of a name.
_ROW = np.dtype(
    [("time", "f8"), ("instant", "i8"), ("solutions", "i8"), ("normal_impulse", "f8"), ("tangential_impulse", "f8"),
     ("loss", "f8"), ("wall_work", "f8"), ("element", "i4"), ("cause", "i4"), ("rule", "i4"), ("before", "i1"),
     ("after", "i1"), ("ambiguous", "?"), ("impact", "?")],
    align=True,
)  # fmt: skip


class Events(Sequence[Event]):
    """The events of a run in the order of time; prints as a table.

    A sequence of `Event` objects, created on access. Each attribute is also an array over all events:
    ``events.time``, ``.element``, ``.before``, ``.after`` (values of `Mode`), ``.cause``, ``.rule``, ``.solutions``
    (-1 where they were not counted), ``.ambiguous``, ``.instant``, ``.impact``, ``.normal_impulse``,
    ``.tangential_impulse`` and ``.loss``, each of shape (n_events,).

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2})
    >>> len(run.events), round(run.events[0].time, 9)
    (3, 2.5)
    >>> run.events.of("belt").time.round(3), run.events.after == ss.Mode.STICK
    (array([2.5  , 6.072, 7.072]), array([False,  True, False]))
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        made = tuple(events)
        words = {
            key: list(dict.fromkeys(getattr(e, key) for e in made)) for key in ("element", "cause", "rule")
        }
        number = {key: {word: k for k, word in enumerate(known)} for key, known in words.items()}
        rows = np.zeros(len(made), _ROW)
        for row, e in zip(rows, made, strict=True):
            for key in _ROW.names or ():
                if key == "solutions":
                    row[key] = -1 if e.solutions is None else e.solutions
                elif key != "wall_work":
                    given = getattr(e, key)
                    row[key] = number[key][given] if key in number else given
        self._adopt(rows, words["element"], words["cause"], words["rule"])

    @classmethod
    def _from_table(
        cls,
        rows: NDArray[np.void],
        elements: list[str],
        causes: list[str],
        rules: list[str],
        derivatives: Derivatives | None = None,
        numbers: NDArray[np.int64] | None = None,
    ) -> Events:
        events = object.__new__(cls)
        events._adopt(rows, elements, causes, rules, derivatives, numbers)
        return events

    def _adopt(
        self,
        rows: NDArray[np.void],
        elements: list[str],
        causes: list[str],
        rules: list[str],
        derivatives: Derivatives | None = None,
        numbers: NDArray[np.int64] | None = None,
    ) -> None:
        self._rows, self._elements, self._causes, self._rules = rows, elements, causes, rules
        self._derivatives = derivatives
        # In the run; crossings are counted behind its events.
        self._numbers = np.arange(len(rows)) if numbers is None else numbers

    def _some(self, chosen: slice | NDArray[np.bool_]) -> Events:
        return Events._from_table(
            self._rows[chosen], self._elements, self._causes, self._rules, self._derivatives,
            self._numbers[chosen],
        )  # fmt: skip

    def _event(self, row: tuple[Any, ...], number: int) -> Event:
        (
            time,
            instant,
            solutions,
            normal,
            tangential,
            loss,
            _,
            element,
            cause,
            rule,
            before,
            after,
            ambiguous,
            impact,
        ) = row
        return Event(
            time,
            self._elements[element],
            Mode(before),
            Mode(after),
            self._causes[cause],
            self._rules[rule],
            None if solutions < 0 else solutions,
            ambiguous,
            instant,
            impact,
            normal,
            tangential,
            loss,
            None if self._derivatives is None else EventSensitivity(self._derivatives, number),
        )

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Events: ...
    def __getitem__(self, index: int | slice) -> Event | Events:
        if isinstance(index, slice):
            return self._some(index)
        return self._event(self._rows[index].item(), int(self._numbers[index]))

    def __iter__(self) -> Iterator[Event]:
        return map(self._event, self._rows.tolist(), self._numbers.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Events) or len(self) != len(other):
            return False
        return all(np.array_equal(getattr(self, key), getattr(other, key)) for key in _COLUMNS)

    def __hash__(self) -> int:
        return hash(self.time.tobytes())

    def _column(self, name: str) -> NDArray[Any]:
        return np.ascontiguousarray(self._rows[name])

    def _words(self, known: list[str], name: str) -> NDArray[np.object_]:
        words = np.empty(len(known), dtype=object)
        words[:] = known
        column: NDArray[np.object_] = words[self._rows[name]]
        return column

    @property
    def time(self) -> Array:
        """Time of the event, s."""
        return self._column("time")

    @property
    def element(self) -> NDArray[np.object_]:
        """Names of the elements."""
        return self._words(self._elements, "element")

    @property
    def before(self) -> NDArray[np.int8]:
        """Modes before the events, as values of `Mode`."""
        return self._column("before")

    @property
    def after(self) -> NDArray[np.int8]:
        """Modes after the events, as values of `Mode`."""
        return self._column("after")

    @property
    def cause(self) -> NDArray[np.object_]:
        """Guards that fired, in words."""
        return self._words(self._causes, "cause")

    @property
    def rule(self) -> NDArray[np.object_]:
        """Rules that selected the new modes: see `Event`."""
        return self._words(self._rules, "rule")

    @property
    def solutions(self) -> NDArray[np.int64]:
        """Numbers of admissible solutions; -1 where unknown."""
        return self._column("solutions")

    @property
    def ambiguous(self) -> NDArray[np.bool_]:
        """True where no rule selected one of several solutions."""
        return self._column("ambiguous")

    @property
    def instant(self) -> NDArray[np.int64]:
        """Numbers of the instants, shared by simultaneous changes."""
        return self._column("instant")

    @property
    def impact(self) -> NDArray[np.bool_]:
        """True where a contact took part in an impact."""
        return self._column("impact")

    @property
    def normal_impulse(self) -> Array:
        """Normal impulses of impacts, N s."""
        return self._column("normal_impulse")

    @property
    def tangential_impulse(self) -> Array:
        """Tangential impulses of impacts, N s."""
        return self._column("tangential_impulse")

    @property
    def loss(self) -> Array:
        """Energies lost in impacts, J."""
        return self._column("loss")

    def of(self, element: str) -> Events:
        """Return the events of one element.

        Parameters
        ----------
        element : str
            Name of a friction element, contact, spring or controller.

        Raises
        ------
        UnknownNameError
            If there is no element of this name.
        """
        numbers = [k for k, name in enumerate(self._elements) if name == element]
        if not numbers and self._elements:
            known = ", ".join(map(repr, dict.fromkeys(self._elements)))
            raise UnknownNameError(f"unknown element {element!r}; known are: {known}")
        return self._some(np.isin(self._rows["element"], numbers))

    def to_dataframe(self) -> Any:
        """Return the events as a pandas DataFrame (needs the extra ``data``)."""
        pd = need("pandas", "pandas", "to_dataframe() needs", "data")
        text = {mode.value: str(mode) for mode in Mode}
        return pd.DataFrame(
            {
                "time": self.time,
                "element": self.element,
                "before": [text[m] for m in self.before.tolist()],
                "after": [text[m] for m in self.after.tolist()],
                "cause": self.cause,
                "rule": self.rule,
                "solutions": [None if n < 0 else n for n in self.solutions.tolist()],
                "ambiguous": self.ambiguous,
                "instant": self.instant,
            }
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head = ("time / s", "element", "before", "after", "cause", "rule")
        rows = [
            (f"{e.time:.9f}", e.element, e.before, e.after, e.cause, e.rule) for e in self[: MOST_ROWS + 1]
        ]
        return table(f"{len(self)} event{'s' * (len(self) != 1)}", head, rows)

    def __str__(self) -> str:
        if not len(self):
            return "no events"
        rows = [("time / s", "element", "before", "after", "cause", "rule", "solutions")]
        shown = list(self) if len(self) <= 40 else [*self[:20], *self[-20:]]
        for e in shown:
            count = "?" if e.solutions is None else str(e.solutions)
            rows.append((f"{e.time:.9f}", e.element, str(e.before), str(e.after), e.cause, e.rule, count))
        widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows]
        lines.insert(1, "  ".join("-" * w for w in widths))
        if len(shown) < len(self):
            lines.insert(22, f"... {len(self) - len(shown)} more ...")
        return "\n".join(lines)


_COLUMNS = tuple(f.name for f in fields(Event) if f.compare)


class Mark(NamedTuple):
    """A crossing in the log."""

    time: float
    element: str
    cause: str
    rising: bool


class Marks(NamedTuple):
    """Requested and located crossings of a run, and the crossing that ended it, in words."""

    asked: tuple[str, ...] = ()
    found: tuple[Mark, ...] = ()
    stopped: str = ""


def marked(logged: Events, made: Marks) -> Events:
    """Return the log with crossings inserted; at one instant crossings follow the events."""
    if not made.asked:
        return logged
    marks = made.found
    elements = [*logged._elements, *made.asked]
    causes = [*logged._causes, *dict.fromkeys(m.cause for m in marks)]
    rules = [*logged._rules, "crossing"]
    rows = np.zeros(len(marks), logged._rows.dtype)
    last = int(logged.instant.max(initial=0))
    for row, m in zip(rows, marks, strict=True):
        row["time"], row["instant"], row["solutions"], row["rule"] = m.time, last + 1, 1, len(rules) - 1
        row["element"], row["cause"] = elements.index(m.element), causes.index(m.cause)
        row["before"], row["after"] = (Mode.LOW, Mode.HIGH) if m.rising else (Mode.HIGH, Mode.LOW)
    every = np.concatenate([logged._rows, rows])
    order = np.lexsort((every["instant"], every["time"]))
    every, numbers = every[order], np.arange(len(every))[order]
    new = np.ones(len(every), dtype=bool)  # instants counted anew, a crossing at that of an event with it
    new[1:] = (every["time"][1:] != every["time"][:-1]) | (
        (every["instant"][1:] != every["instant"][:-1]) & (every["instant"][1:] <= last)
    )
    every["instant"] = np.cumsum(new)
    return Events._from_table(every, elements, causes, rules, logged._derivatives, numbers)
