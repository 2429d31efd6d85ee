"""Inputs of a figure: printed in the source, chosen because not printed, or fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stickslip._checks import reject

Kind = Literal["printed", "chosen", "fitted"]


@dataclass(frozen=True)
class Input:
    """An input of a figure; it is not checked.

    Parameters
    ----------
    name
        Symbol or name, as it stands on the picture.
    value
        The number, in `unit`; or words, such as ``"50 µm·sin(2π·0.5 Hz·t)"``.
    unit
        Its unit, ``""`` for words and ratios.
    kind
        ``"printed"`` in the source, ``"chosen"`` because the source does not print it, or ``"fitted"``.
    source
        Where it is printed, the reason of the choice, or the published numbers to which it was fitted.

    Raises
    ------
    ValueError
        For another kind, and for a fitted number that does not say to what.

    Examples
    --------
    >>> import stickslip_figures as figures
    >>> figures.Input("c", 10.0, "N/m", "chosen").text
    'c = 10 N/m'
    """

    name: str
    value: float | str
    unit: str
    kind: Kind
    source: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ("printed", "chosen", "fitted"):
            reject("kind", self.kind, "'printed', 'chosen' or 'fitted'")
        if self.kind == "fitted" and not self.source:
            reject("source", self.source, "the published numbers that it was fitted to")

    @property
    def text(self) -> str:
        """Name, value to six digits and unit."""
        value = self.value if isinstance(self.value, str) else f"{self.value:.6g}".replace("-", "−")
        gap = "" if self.unit in ("", "°") else " "
        return f"{self.name} = {value}{gap}{self.unit}"


def inputs(kind: Kind, source: str, *rows: tuple[str, float | str, str]) -> tuple[Input, ...]:
    """Return inputs of one kind and source from rows of name, value and unit."""
    return tuple(Input(name, value, unit, kind, source) for name, value, unit in rows)


def caption(given: tuple[Input, ...]) -> str:
    """Return the caption of a picture: inputs that the source does not print."""
    chosen = ", ".join(one.text for one in given if one.kind == "chosen")
    parts = [f"chosen, not printed: {chosen}"] if chosen else []
    for source in dict.fromkeys(one.source for one in given if one.kind == "fitted"):
        fitted = ", ".join(one.text for one in given if (one.kind, one.source) == ("fitted", source))
        parts.append(f"fitted: {fitted} to {source}")
    return "; ".join(parts)
