"""Progress bar for tasks that take more than a second (tqdm, if installed)."""

from __future__ import annotations

import sys
from typing import Any

from stickslip._checks import reject
from stickslip.errors import MissingExtraError


def _watched() -> bool:
    """True if the output goes to a terminal or a notebook."""
    if "IPython" in sys.modules:
        from IPython import get_ipython

        if hasattr(get_ipython(), "kernel"):
            return True
    return sys.stderr is not None and sys.stderr.isatty()


def bar(total: int, unit: str, progress: bool | None = None, done: int = 0) -> Any:
    """Progress bar of tqdm with ``update(n)``, used as a context; hidden in scripts and without tqdm.

    Parameters
    ----------
    total : int
        Total number of units.
    unit : str
        Name of the unit.
    progress : bool, optional
        Show the bar; None: at a terminal and in notebooks. It appears after a second.
    done : int, default 0
        Number of units done before.
    """
    if progress not in (None, True, False):
        reject("progress", progress, "True, False or None")
    shown = _watched() if progress is None else progress
    try:
        if shown:
            from tqdm.auto import tqdm

            return tqdm(total=total, unit=f" {unit}", delay=1.0, initial=done, file=sys.stderr)
    except ImportError as error:
        if progress:
            raise MissingExtraError('progress=True needs tqdm: pip install "stickslip[data]"') from error
    return _Hidden()


class _Hidden:
    def __enter__(self) -> _Hidden:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, n: int = 1) -> None:
        pass
