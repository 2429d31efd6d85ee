"""Export of a linear system as a file of MATLAB."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import reject
from stickslip._extras import need
from stickslip.linear.system import LinearSystem

__all__ = ["mat"]


def mat(system: LinearSystem, path: str | os.PathLike[str]) -> Path:
    """Write a linear system as a ``.mat`` file, with the names of its states, inputs and outputs.

    Parameters
    ----------
    system : LinearSystem
        The system, as of ``machine.linearise``.
    path : str or path-like
        The file to write, by convention with the suffix ``.mat``.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If `system` is no `LinearSystem`, or an output depends on the rate of an input.
    MissingExtraError
        If SciPy is not installed.

    Notes
    -----
    The variables are ``A``, ``B``, ``C``, ``D``, the sampling period ``Ts`` (0 in continuous time) and the cell arrays
    ``StateName``, ``InputName`` and ``OutputName``. In MATLAB with the Control System Toolbox::

        s = load("axis.mat");
        g = ss(s.A, s.B, s.C, s.D, s.Ts, "StateName", s.StateName, "InputName", s.InputName, "OutputName", s.OutputName);

    Examples
    --------
    >>> import os, tempfile, scipy.io, stickslip as ss
    >>> m = ss.Machine(mass=2.0, damping=1.0, names=["slide"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = ss.export.mat(m.linearise("slide", "slide.velocity"), os.path.join(folder, "slide.mat"))
    ...     saved = scipy.io.loadmat(path)
    >>> saved["B"].ravel().tolist(), str(saved["StateName"][1, 0][0])
    ([0.0, 0.5], 'slide.velocity')
    """
    if not isinstance(system, LinearSystem):
        reject("system", system, "a LinearSystem, as of machine.linearise(); a run has to_mat()")
    io = need("scipy.io", "SciPy", "mat() needs", "identify")
    plain = system.proper()
    names = {"StateName": plain.states, "InputName": plain.inputs, "OutputName": plain.outputs}
    values: dict[str, Any] = {key: getattr(plain, key) for key in "ABCD"}
    values["Ts"] = 0.0 if plain.period is None else plain.period
    values |= {key: _cells(given) for key, given in names.items() if given}
    path = Path(path)
    io.savemat(path, values, appendmat=False)
    return path


def _cells(names: tuple[str, ...]) -> NDArray[np.object_]:
    """Texts as a column of cells."""
    cells = np.empty((len(names), 1), dtype=object)
    cells[:, 0] = names
    return cells
