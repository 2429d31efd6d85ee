"""SciPy, where it is installed."""

from __future__ import annotations

from typing import Any

from stickslip.errors import MissingExtraError


def scipy(part: str) -> Any:
    """A part of SciPy, such as ``"optimize"``.

    Raises
    ------
    MissingExtraError
        Saying which extra brings it.
    """
    import importlib

    try:
        return importlib.import_module(f"scipy.{part}")
    except ImportError as error:
        raise MissingExtraError(
            'stickslip.identify needs SciPy: pip install "stickslip[identify]"'
        ) from error
