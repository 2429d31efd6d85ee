"""Springs and detents of a run: elongations, forces and modes compared with their laws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._events import check_modes
from stickslip.modes import Mode

Array = NDArray[np.float64]


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


def check_detents(audit: Any, run: Any, d: Any, panels: Any, sizes: Any) -> None:
    """Check all detents against their laws."""
    at = panels.at
    for one in d.detents:
        x, v, mode = one.distance(at.q), one.along @ at.v, at[f"{one.name}.mode"]
        x_room = sizes.relative * (np.abs(one.along) @ sizes.q + abs(one.position)) + 1e-300
        v_room = sizes.relative * (np.abs(one.along) @ sizes.v) + 1e-300
        f_room = one.slope * x_room + one.damping * v_room + sizes.relative * one.preload
        locked, force = mode == Mode.LOCKED, at[f"{one.name}.force"]
        side = np.where(mode == Mode.HIGH, 1.0, -1.0)

        def hold(what: str, values: Array, room: float, name: str = one.name) -> None:
            audit.hold(what, name, at.t, values, room)

        off = np.abs(at[f"{one.name}.elongation"] - x)
        if one.pitch:  # on a crest either seat is the nearest
            off = np.minimum(off, np.abs(off - one.pitch))
        hold("elongation is the distance from a seat", off, x_room)
        hold("elongation_rate is its rate", np.abs(at[f"{one.name}.elongation_rate"] - v), v_room)
        hold("a locked detent is on a seat", np.where(locked, np.abs(x), 0.0), x_room)
        hold("a locked detent is at rest", np.where(locked, np.abs(v), 0.0), v_room)
        hold("a seat holds up to its preload", np.where(locked, np.abs(force) - one.preload, 0.0), f_room)
        x = at[f"{one.name}.elongation"]
        hold("mode is the side of the seat", np.where(locked, 0.0, -side * x), x_room)
        hold("force of the detent", np.where(locked, 0.0, np.abs(force - one.force(x, v, side))), f_room)
        check_modes(audit, run, one.name, panels)
