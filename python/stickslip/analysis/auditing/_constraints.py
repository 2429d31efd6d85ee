"""Constraints: positions and velocities that they prescribe; one-way clutches."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._events import check_modes
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels
from stickslip.analysis.auditing._surfaces import force_size
from stickslip.analysis.auditing._tolerances import Sizes
from stickslip.modes import Mode


def check_constraints(audit: Audit, run: Any, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Check every constraint against the positions and velocities of the run."""
    at = panels.at
    loading = {c.name for c in d.loading_constraints}
    for c in d.constraints:
        rate, turned = c.rate(at), c.along.doubt(at, sizes.relative, sizes.q) @ sizes.v
        room = sizes.relative * (c.along.reach(at, sizes.v) + np.abs(rate)) + turned + 1e-300
        audit.hold("on . q' is prescribed", c.name, at.t, np.abs(c.along.along(at) - rate), room)
        if not c.of_velocity:
            value = np.abs(c.value.values(at.t))
            # One that loads friction is held as contacts are.
            way = np.maximum(sizes.q, sizes.reach) if c.name in loading else sizes.q
            room = sizes.relative * (c.along.reach(at, way) + value) + 1e-300
            audit.hold("on . q is prescribed", c.name, at.t, np.abs(c.off(at)), room)
    for clutch in d.clutches:
        speed, force = clutch.normal.along(at), at[f"{clutch.name}.force"]
        slow = sizes.relative * clutch.normal.reach(at, sizes.v) + 1e-300
        locked = at[f"{clutch.name}.mode"] == Mode.LOCKED
        audit.hold("velocity of a one-way clutch >= 0", clutch.name, at.t, -speed, slow)
        audit.hold(
            "velocity is zero while locked", clutch.name, at.t, np.where(locked, np.abs(speed), 0.0), slow
        )
        size = sizes.relative * force_size(d, at, sizes) + 1e-300
        audit.hold("force of a one-way clutch >= 0", clutch.name, at.t, -force, size)
        audit.hold("no force while free", clutch.name, at.t, np.where(locked, 0.0, np.abs(force)), 0.0)
        check_modes(audit, run, clutch.name, panels)
