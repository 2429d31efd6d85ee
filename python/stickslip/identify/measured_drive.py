"""A measured drive with friction: the public record EMPS, read from a file of the user's.

Source: A. Janot, M. Gautier, M. Brunot, *Data Set and Reference Models of EMPS*, Workshop on Nonlinear System
Identification Benchmarks, Eindhoven 2019. The record itself is no part of the package.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stickslip._checks import Array
from stickslip.identify._need import scipy

NAMES = ("t", "qm", "qg", "vir", "gtau", "kp", "kv")


@dataclass(frozen=True, eq=False)
class Record:
    """What was measured.

    Attributes
    ----------
    t, position, reference, force : ndarray, shape (n,)
        Times s, measured and reference position m, and the force that the controller asked for, N.
    gain : float
        Force per volt of the controller's output, N/V.
    kp, kv : float
        Gains of the controller, 1/s and V/(m/s).
    """

    t: Array
    position: Array
    reference: Array
    force: Array
    gain: float
    kp: float
    kv: float

    @property
    def step(self) -> float:
        """Sampling period, s: that of the controller."""
        return float(np.round((self.t[-1] - self.t[0]) / (self.t.size - 1), 9))


def read_record(path: str | Path) -> Record:
    """Read ``DATA_EMPS.mat``.

    Parameters
    ----------
    path : path
        Of the file (MATLAB level 5), which holds t, qm, qg, vir, gtau, kp and kv.

    Raises
    ------
    OSError
        If there is no such file.
    ValueError
        If it is another file.
    """
    with Path(path).open("rb") as file:
        try:
            held = scipy("io").loadmat(file)
        except (ValueError, TypeError, NotImplementedError) as error:
            raise ValueError(f"{str(path)!r} is not a MATLAB file of level 5: {error}") from error
    if missing := [name for name in NAMES if name not in held]:
        raise ValueError(f"{str(path)!r} is not the record: it lacks {', '.join(missing)}")
    t, position, reference, volts, gain, kp, kv = (np.asarray(held[n], dtype=float).ravel() for n in NAMES)
    return Record(t, position, reference, gain[0] * volts, float(gain[0]), float(kp[0]), float(kv[0]))
