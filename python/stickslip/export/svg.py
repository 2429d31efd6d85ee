"""Export of the drawing of a machine as a vector graphic."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from stickslip._checks import reject
from stickslip._extras import need
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace

__all__ = ["svg"]


def svg(machine: Machine | StateSpace | Any, path: str | os.PathLike[str], what: str | None = None) -> Path:
    """Draw a machine into an SVG file, for reports and presentations.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    path : str or path-like
        The file to write, by convention with the suffix ``.svg``.
    what : str, optional
        ``"schematic"``, ``"diagram"`` or the name of a friction element, as in ``machine.draw``.

    Returns
    -------
    Path
        The file. Texts stay texts, and equal machines give equal files.

    Raises
    ------
    ValueError
        If `machine` is no machine.
    UnknownNameError
        For any other `what`.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> import os, tempfile, stickslip as ss
    >>> m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     "block" in ss.export.svg(m, os.path.join(folder, "block.svg")).read_text()
    True
    """
    described = machine
    machine = getattr(machine, "machine", machine)
    if not isinstance(machine, (Machine, StateSpace)):
        reject("machine", described, "a stickslip.Machine or StateSpace, or hold one as .machine")
    matplotlib = need("matplotlib", "matplotlib", "svg() needs", "figures")
    figures = need("matplotlib.figure", "matplotlib", "svg() needs", "figures")
    figure = figures.Figure(layout="constrained")
    machine.draw(figure.subplots(), what=what)
    path = Path(path)
    with matplotlib.rc_context({"svg.hashsalt": "stickslip", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return path
