"""Packages that only an extra brings: imported where they are needed, with the way to get them where they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from stickslip.errors import MissingExtraError


def need(module: str, called: str, whose: str, extra: str) -> Any:
    """Import a module for what asks for it.

    Parameters
    ----------
    module, called : str
        Its name, and that of its package in words.
    whose : str
        Who needs it, with the verb, for the message: ``"to_xarray() needs"``.
    extra : str
        The extra that brings it.

    Raises
    ------
    MissingExtraError
        When it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f'{whose} {called}: pip install "stickslip[{extra}]"') from error
