"""Constraints: positions and velocities that they prescribe."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels
from stickslip.analysis.auditing._tolerances import Sizes


def check_constraints(audit: Audit, run: Any, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Hold every constraint against the positions and velocities of the run."""
    at = panels.at
    for c in d.constraints:
        along = np.abs(c.along)
        rate = c.rate(at.t)
        room = sizes.relative * (float(along @ sizes.v) + np.abs(rate)) + 1e-300
        audit.hold("on . q' is prescribed", c.name, at.t, np.abs(c.along @ at.v - rate), room)
        if not c.of_velocity:
            value = c.value.values(at.t)
            room = sizes.relative * (float(along @ sizes.q) + np.abs(value)) + 1e-300
            audit.hold("on . q is prescribed", c.name, at.t, np.abs(c.along @ at.q - value), room)
