"""A mass matrix is symmetric: a function of the motion that gives another one is refused, or ends the run where it does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stickslip as ss


def pair(a: float, b: float) -> ss.Machine:
    def mass(q: Any) -> Any:
        one = ss.cos(0.0 * q["x"])
        return [[1.0, a * one], [b * one, 1.0 + 0.0 * q["y"]]]

    return ss.Machine(mass=mass, names=["x", "y"], force={"x": 1.0})


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.0), (0.0, 0.5), (0.5, 0.5 + 1e-6)])
def test_mass_that_is_not_symmetric_at_the_start_is_refused(a: float, b: float) -> None:
    with pytest.raises(ValueError, match=r"mass is not allowed: .*not symmetric: its entry \('x', 'y'\) is"):
        ss.simulate(pair(a, b), 1.0)
    with pytest.raises(ValueError, match="not symmetric"):
        ss.RealTime(pair(a, b), step=1e-3)


def test_symmetric_mass_matches_closed_form() -> None:
    run = ss.simulate(pair(0.5, 0.5), 1.0)
    true = 0.5 * np.linalg.solve([[1.0, 0.5], [0.5, 1.0]], [1.0, 0.0])
    assert run.y[:2, -1] == pytest.approx(true, rel=1e-9)


def test_mass_symmetric_but_for_rounding_is_accepted() -> None:
    def mass(q: Any) -> Any:
        c, s = ss.cos(q["x"] - q["y"]), ss.sin(q["x"]) * ss.sin(q["y"]) + ss.cos(q["y"]) * ss.cos(q["x"])
        return [[2.0, 0.7 * c], [0.7 * s, 1.0]]

    run = ss.simulate(ss.Machine(mass=mass, names=["x", "y"], force={"x": 1.0}), 3.0)
    assert run.status == "finished"


def test_run_ends_where_mass_ceases_to_be_symmetric() -> None:
    def mass(q: Any) -> Any:
        return [[1.0, ss.maximum(0.0, q["x"] - 1.0)], [0.0, 1.0]]

    m = ss.Machine(mass=mass, names=["x", "y"])
    run = ss.simulate(m, 3.0, initial={"x.velocity": 1.0})
    assert run.status in ("failed", "stalled")
    assert "not symmetric" in run.message
    assert run.state.t == pytest.approx(1.0, abs=1e-6)


def test_audit_finds_a_mass_that_is_not_symmetric() -> None:
    from auditing.damage import Damaged

    run = ss.simulate(pair(0.0, 0.0), 1.0)
    assert ss.analysis.audit(run).passed
    found = ss.analysis.audit(Damaged(run, machine=pair(0.5, 0.0)))  # type: ignore[arg-type]
    assert "mass matrix is symmetric" in {one.what for one in found.findings}
