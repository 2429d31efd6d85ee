"""SciPy, where it is installed."""

from __future__ import annotations

from typing import Any

from stickslip._extras import need


def scipy(part: str) -> Any:
    """A part of SciPy, such as ``"optimize"``.

    Raises
    ------
    MissingExtraError
        Saying which extra brings it.
    """
    return need(f"scipy.{part}", "SciPy", "stickslip.identify needs", "identify")
