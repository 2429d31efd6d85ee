"""Any piecewise linear characteristic."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pytest
from reference.piecewise import first_order, motion

import stickslip as ss

X, F = np.array([-0.02, -0.01, 0.0, 0.005, 0.03]), np.array([-40.0, -5.0, 0.0, 1.0, 60.0])


def _slopes(x: np.ndarray, f: np.ndarray) -> np.ndarray:
    return np.diff(f) / np.diff(x)


def _line(x: np.ndarray) -> np.ndarray:
    k = np.clip(np.searchsorted(X, x) - 1, 0, X.size - 2)
    return F[k] + _slopes(X, F)[k] * (x - X[k])


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_attached_table_is_a_hardening_spring(damping: float) -> None:
    """A hardening spring: corners are switches of the flow, not logged; the outermost lines go on."""
    m = ss.Machine(mass=1.5, names=["q"])
    m.add_spring("spring", on="q", damping=damping, table=(X, F))
    run = ss.simulate(m, t_end=4.0, dt=0.05, initial={"q.position": 0.06})
    slope = _slopes(X, F)
    one = np.ones((1, 1))

    def region(z: np.ndarray) -> Hashable:
        return int(np.clip(np.searchsorted(X, z[0]) - 1, 0, 3))

    def matrix(k: Hashable) -> np.ndarray:
        k = int(k)
        return first_order(1.5 * one, damping * one, slope[k] * one, np.array([slope[k] * X[k] - F[k]]))

    changes, last = motion(region, matrix, np.array([0.06, 0.0]), 4.0, 1e-4)
    assert len(changes) > 20
    assert np.abs(run.at([4.0]).y[:, 0] - last).max() < 1e-12
    assert len(run.events) == 0
    assert ss.analysis.audit(run).passed
    assert run["spring.force"] == pytest.approx(
        _line(run["q.position"]) + damping * run["q.velocity"], abs=1e-12
    )


def test_progressive_stop_is_left_like_a_flank() -> None:
    """Two stretches of one stop, damped: the force jumps at the touch, and nothing pulls."""
    m = ss.Machine(mass=1.0, names=["q"], force={"q": -9.81})
    m.add_spring("buffer", on="q", damping=6.0, table=([-0.02, -0.01, 0.0, 0.01], [-60.0, -10.0, 0.0, 0.0]))
    run = ss.simulate(m, t_end=40.0, initial={"q.position": 0.3})
    assert [e.cause for e in run.events[:2]] == ["buffer touches", "buffer leaves"]
    assert run["buffer.force"].max() <= 0.0
    assert ss.analysis.audit(run).passed
    # At rest: 1000 N/m up to 10 N.
    assert run["q.position"][-1] == pytest.approx(-0.00981, abs=1e-12)


def test_table_is_the_same_as_flanks() -> None:
    k, b = 300.0, 0.02
    a, t = (ss.Machine(mass=1.0, names=["q"], force={"q": ss.Sine(2.0, 1.1)}) for _ in range(2))
    a.add_spring("s", on="q", stiffness=k, damping=2.0, backlash=b)
    t.add_spring(
        "s",
        on="q",
        damping=2.0,
        table=([-1.0, -0.5 * b, 0.5 * b, 1.0], [-k * (1 - 0.5 * b), 0, 0, k * (1 - 0.5 * b)]),
    )
    one, other = (ss.simulate(m, 10.0) for m in (a, t))
    assert [str(e.after) for e in one.events] == [str(e.after) for e in other.events]
    assert np.abs(one.events.time - other.events.time).max() < 1e-11


def test_one_sided_table_uses_negative_forces_only() -> None:
    """Only its negative forces count: it begins where they do."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_spring("stop", on="q", table=([-1.0, 1.0], [-30.0, 10.0]), one_sided=True)  # zero at 0.5, 20 N/m
    run = ss.simulate(m, t_end=2.0, initial={"q.position": 1.0, "q.velocity": -1.0})
    assert run.events[0].time == pytest.approx(0.5, abs=1e-15)
    assert run.events[1].time == pytest.approx(0.5 + np.pi / np.sqrt(20.0), abs=1e-14)
    assert ss.analysis.audit(run).passed
