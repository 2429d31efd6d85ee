"""Springs of a run: elongations, forces and modes compared with their laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.analysis.auditing._events import check_modes
from stickslip.modes import Mode


def check_springs(audit: Any, run: Any, d: Any, panels: Any, sizes: Any) -> None:
    """Check all springs against their laws."""
    at = panels.at
    for s in d.springs:
        x, v = s.elongation(at.q, at.t), s.rate(at.v, at.t)
        x_room = sizes.relative * (np.abs(s.along) @ sizes.q + np.abs(s.rest.values(at.t)))
        v_room = sizes.relative * (np.abs(s.along) @ sizes.v + np.abs(s.rest.values(at.t, 1)))
        audit.hold(
            "elongation is on . q - rest",
            s.name,
            at.t,
            np.abs(at[f"{s.name}.elongation"] - x),
            x_room + 1e-300,
        )
        audit.hold(
            "elongation_rate is the rate of the elongation",
            s.name,
            at.t,
            np.abs(at[f"{s.name}.elongation_rate"] - v),
            v_room + 1e-300,
        )
        room = s.doubt(x, v, x_room, v_room) + 1e-300
        force = at[f"{s.name}.force"]
        audit.hold("force of the spring", s.name, at.t, np.abs(force - s.force(x, v)), room)
        mode = at[f"{s.name}.mode"]
        open_ = mode == Mode.OPEN
        audit.hold("no force without contact", s.name, at.t, np.where(open_, np.abs(force), 0.0), 0.0)
        if any(s.sides):
            touches = np.sum([np.abs(push) for push in s.pushes(x, v)], axis=0)
            audit.hold("open without force", s.name, at.t, np.where(open_, touches, 0.0), room)
            pulls = np.where(mode == Mode.HIGH, -force, np.where(mode == Mode.LOW, force, 0.0))
            audit.hold("a flank never pulls", s.name, at.t, pulls, room)
        check_modes(audit, run, s.name, panels)
