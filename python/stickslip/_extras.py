"""Optional packages: imported at first use; the error for a missing package names the extra that installs it."""

from __future__ import annotations

import importlib
from typing import Any

from stickslip.errors import MissingExtraError


def need(module: str, called: str, whose: str, extra: str) -> Any:
    """Import an optional module, or name the extra that installs it.

    Parameters
    ----------
    module, called : str
        Name of the module, and of its package in words.
    whose : str
        Subject and verb of the message: ``"to_xarray() needs"``.
    extra : str
        The extra that installs it.

    Raises
    ------
    MissingExtraError
        If the module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f'{whose} {called}: pip install "stickslip[{extra}]"') from error
