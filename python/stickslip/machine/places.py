"""Names of places in a machine: points of action, measurements and references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from stickslip.laws import Law
from stickslip.laws.stick_slip import StickSlip
from stickslip.signals.signal import Signal

__all__ = ["Measure", "On", "Reference"]

On: TypeAlias = "str | tuple[str, str] | Mapping[str, float]"
Measure: TypeAlias = "str | Mapping[str, float] | Sequence[str | Mapping[str, float]]"
Reference: TypeAlias = "Signal | float | str | Mapping[str, float] | Sequence[Signal | float | str]"


def law_fields(field: str, law: Law) -> dict[str, Any]:
    """Return a law as the fields of an element: its terms and the options of the automaton."""
    return {field: law.compiled, **({"automaton": law.automaton} if isinstance(law, StickSlip) else {})}
