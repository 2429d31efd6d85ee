"""What happened in a run, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from stickslip.modes import Mode

__all__ = ["Event", "Events"]


@dataclass(frozen=True)
class Event:
    """One change of the mode of one element.

    Attributes
    ----------
    time : float
        When, s.
    element : str
        Name of the friction element, contact or controller.
    before, after : Mode
        Modes on both sides.
    cause : str
        The guards that fired at this instant.
    rule : str
        What decided the new modes.

        * ``"unique"``: one admissible answer; ``"static to kinetic"``: the same, with a place that left rest;
        * of several, ``"present mode"``: nothing changes; then ``"fewest changes"``; then
          ``"least constraint"`` (Gauss); ``"ambiguous"`` where none of these tells them apart;
        * ``"accumulation"``: the last ten slips were shorter than three of the machine's shortest time constants
          and slower than 1e-6 of the speeds seen; the place rests until its force is 1e-6 above its limit;
        * ``", force shared"`` behind it: how stuck places share their forces is not unique;
          ``", energy gained"``: an impact left more energy than there was.
    solutions : int or None
        How many admissible answers there were, where that is certified or was counted.
    ambiguous : bool
        True where several answers were left that no rule tells apart.
    instant : int
        Changes that happen together share this number.
    impact : bool
        Whether the contact was struck at this instant.
    normal_impulse, tangential_impulse : float
        Impulses of the impact, N s; the tangential one opposes sliding in the positive direction.
    loss : float
        Energy lost in the impact, J; of several contacts struck together the first one carries the whole.
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

    def __str__(self) -> str:
        return (
            f"{self.time:.12g} s  {self.element}: {self.before} -> {self.after}  ({self.cause}; {self.rule})"
        )


class Events(Sequence[Event]):
    """The events of a run in the order of time; prints as a table.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2})
    >>> len(run.events), round(run.events[0].time, 9)
    (3, 2.5)
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Events: ...
    def __getitem__(self, index: int | slice) -> Event | Events:
        if isinstance(index, slice):
            return Events(self._events[index])
        return self._events[index]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Events) and self._events == other._events

    def __hash__(self) -> int:
        return hash(self._events)

    def of(self, element: str) -> Events:
        """The events of one element.

        Parameters
        ----------
        element : str
            Name of a friction element, contact or controller.
        """
        return Events([e for e in self._events if e.element == element])

    def to_dataframe(self) -> Any:
        """The events as a pandas DataFrame (needs the extra ``data``)."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError('to_dataframe() needs pandas: pip install "stickslip[data]"') from error
        columns = ["time", "element", "before", "after", "cause", "rule", "solutions", "ambiguous", "instant"]
        text = [{"before": str(e.before), "after": str(e.after)} for e in self._events]
        rows = [{c: getattr(e, c) for c in columns} | t for e, t in zip(self._events, text, strict=True)]
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        if not self._events:
            return "no events"
        rows = [("time / s", "element", "before", "after", "cause", "rule", "solutions")]
        shown = self._events if len(self._events) <= 40 else self._events[:20] + self._events[-20:]
        for e in shown:
            count = "?" if e.solutions is None else str(e.solutions)
            rows.append((f"{e.time:.9f}", e.element, str(e.before), str(e.after), e.cause, e.rule, count))
        widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows]
        lines.insert(1, "  ".join("-" * w for w in widths))
        if len(shown) < len(self._events):
            lines.insert(22, f"... {len(self._events) - len(shown)} more ...")
        return "\n".join(lines)
