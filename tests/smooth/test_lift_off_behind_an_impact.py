"""A plastic impact behind which the curvature of the path lifts the contact off at once: the end of a rod that turns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import stickslip as ss

G = 9.81


def lift_offs(rng: np.random.Generator) -> int:
    """Number of lift-offs of one rod at impacts; between them y is a parabola and the tilt a straight line."""
    half, inertia = rng.uniform(0.2, 1.0), rng.uniform(0.1, 0.5)
    m = ss.Machine(mass=[1.0, 1.0, inertia * half**2], names=["x", "y", "tilt"], force={"y": -G})
    m.add_contact("left", gap=lambda q: q["y"] - half * ss.sin(q["tilt"]), restitution=0.0)
    start = {
        "y.position": half + 0.2,
        "tilt.position": float(rng.uniform(-1.5, 1.5)),
        "tilt.velocity": 3.0 * float(rng.normal()),
    }
    run = ss.simulate(m, 1.0, initial=start)
    assert run.success, run.message
    hits = [e for e in run.events if "hits" in e.cause]
    lifted = 0
    for k, hit in enumerate(hits):
        behind = run.at([hit.time])
        y, tilt, v, w = (
            float(behind[f"{name}.{kind}"][0]) for kind in ("position", "velocity") for name in ("y", "tilt")
        )
        if not half * np.sin(tilt) * w**2 - G > 0.1:
            continue
        lifted += 1
        assert hit.after == ss.Mode.OPEN
        assert abs(v - half * np.cos(tilt) * w) < 1e-13 * (1.0 + abs(v))

        def gap(t: float, y: float = y, v: float = v, tilt: float = tilt, w: float = w) -> float:
            return float(y + v * t - 0.5 * G * t * t - half * np.sin(tilt + w * t))

        free = np.linspace(1e-4, 1.0 - hit.time, 5000)
        below = [t for t in free if gap(t) < 0.0]
        if not below:
            assert k + 1 == len(hits)
            continue
        touch = brentq(gap, below[0] - (free[1] - free[0]), below[0], xtol=1e-15)
        assert hits[k + 1].time == pytest.approx(hit.time + touch, rel=0, abs=1e-6)
    return lifted


def test_rod_ends_lift_off_after_an_impact() -> None:
    """The next touch is a root of their gap in closed form, as `rtol` is."""
    rng = np.random.default_rng(0)
    assert sum(lift_offs(rng) for _ in range(200)) >= 10
