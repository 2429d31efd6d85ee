"""SciPy as an optional dependency."""

from __future__ import annotations

from typing import Any

from stickslip._extras import need


def scipy(part: str) -> Any:
    """Import a part of SciPy, such as ``"optimize"``.

    Raises
    ------
    MissingExtraError
        Naming the extra that installs it.
    """
    return need(f"scipy.{part}", "SciPy", "stickslip.identify needs", "identify")
