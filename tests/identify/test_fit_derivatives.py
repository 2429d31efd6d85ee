"""Fits differentiate their runs exactly where that is possible and no slower, else by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stickslip as ss
from identify.to_be_found import LAWS, drive, record, shaken
from stickslip.ensembles.task import Task
from stickslip.identify import fit
from stickslip.identify._present import present_number
from stickslip.identify._problem import Problem
from stickslip.identify._solve import differences
from stickslip.identify.simulation import _signals


def problem(
    m: Any, start: dict[str, float], data: dict[str, Any], restart: tuple[float, ...] = (), **options: Any
) -> Problem:
    """The least-squares problem that `fit` solves."""
    signals = _signals(data)
    ends = [float(min(s.t[0] for s in signals)), *restart, float(max(s.t[-1] for s in signals))]
    names = list(start)
    task = Task(m, tuple(names), ("steps",), ends[-1], {"initial": {}, "t_start": ends[0], **options})
    made = Problem(task, signals, ends)
    made.begin(names, np.array(list(start.values())), {})
    made.residuals(made.free.start)
    return made


@pytest.mark.parametrize(
    "name", ["Coulomb", "sum", "Stribeck", "LuGre", "MaxwellSlip", "BoucWen", "StickSlip"]
)
def test_estimates_are_the_same_and_take_fewer_runs(name: str) -> None:
    law, near = LAWS[name]
    m = shaken(law)
    start = {"slide.mass": 1.1} | {f"guide.law.{parameter}": value for parameter, value in near.items()}
    rtol = 1e-11 if name.startswith("Stribeck") else 1e-8
    data = record(m, "slide.velocity", t_end=3.0, rtol=rtol)
    exact, other = fit(m, start, data, rtol=rtol), fit(m, start, data, rtol=rtol, step=1e-5)
    assert (exact.jacobian, exact.jacobian_reason) == ("exact", "")
    assert (other.jacobian, other.jacobian_reason) == ("differences", "requested by step")
    for parameter, value in exact.parameters.items():
        assert value == pytest.approx(present_number(m, parameter, {}), rel=1e-6), parameter
        assert other.parameters[parameter] == pytest.approx(value, rel=2e-6), parameter
    # Each trial is one run and each Jacobian another, instead of two for each parameter.
    assert exact.evaluations < (1.0 + len(start)) / (1.0 + 2 * len(start)) * other.evaluations


def test_intervals_of_both_agree() -> None:
    m = shaken(ss.Coulomb(1.5, 1.0) + ss.Viscous(0.4))
    truth = {"guide.law.static": 1.5, "guide.law.kinetic": 1.0, "guide.law.coefficient": 0.4}
    data = record(m, "slide.position", noise=0.01, seed=3)
    exact, other = fit(m, truth, data), fit(m, truth, data, step=1e-6)
    assert (exact.jacobian, other.jacobian) == ("exact", "differences")
    assert other.jacobian_reason == "requested by step"
    for name in truth:
        assert exact.parameters[name] == pytest.approx(other.parameters[name], rel=1e-7)
        assert exact.stderr[name] == pytest.approx(other.stderr[name], rel=1e-4)


@pytest.mark.parametrize("restart", [(), (1.503,), (1.503, 2.604)])
@pytest.mark.parametrize("sampled", [False, True])
def test_exact_jacobian_agrees_with_differences(restart: tuple[float, ...], sampled: bool) -> None:
    """Several signals, and stretches whose start follows from the end of the one before, but for positions and
    velocities of their own (restarts lie in motion: what rests comes back to rest)."""
    if sampled:
        m = drive()
        start = {"guide.law.kinetic": 1.1, "load.mass": 3.2, "loop.control.kp": 2.1e3, "motor.velocity": 0.01}
        data = record(m, "motor.position", "load.velocity", t_end=4.0)
    else:
        m = shaken(ss.LuGre(stiffness=1e3, damping=10.0, static=1.5, kinetic=1.0, stribeck_velocity=0.1))
        start = {"guide.law.static": 1.4, "guide.law.kinetic": 1.1, "slide.mass": 1.1, "slide.velocity": 0.1}
        data = record(m, "slide.position", "guide.force", t_end=4.0)
    made = problem(m, start, data, restart, rtol=1e-12)
    found, reason = made.tangents(made.free.start)
    assert found is not None, reason
    by = differences(made.residuals, made.free.sizes, made.free.low, made.free.high, 2e-4)(made.free.start)
    half = differences(made.residuals, made.free.sizes, made.free.low, made.free.high, 1e-4)(made.free.start)
    truth = (4.0 * half - by) / 3.0
    off = np.abs(found - truth).max(axis=0) / np.abs(truth).max(axis=0)
    assert off.max() < 5e-6, dict(zip(made.names, off, strict=True))


def test_derivatives_that_differences_do_not_confirm_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever may be wrong: the fit says by which parameter, and goes on with differences."""
    own = Problem.tangents

    def wrong(self: Problem, x: np.ndarray) -> tuple[np.ndarray | None, str]:
        found, reason = own(self, x)
        assert found is not None
        return found * [1.0, -1.0], reason

    m = shaken(ss.Coulomb(1.5, 1.0))
    start = {"slide.mass": 1.1, "guide.law.kinetic": 0.9}
    data = record(m, "slide.position", t_end=3.0)
    assert fit(m, start, data).jacobian == "exact"
    monkeypatch.setattr(Problem, "tangents", wrong)
    found = fit(m, start, data)
    assert list(found.parameters.values()) == pytest.approx([1.0, 1.0], rel=1e-6)
    assert found.jacobian == "differences"
    assert found.jacobian_reason.endswith("disagree by guide.law.kinetic")


class TestReasons:
    """Where derivatives along the runs are not available, the result says why."""

    def test_machine_without_derivatives_uses_differences(self) -> None:
        m = shaken(LAWS["DeadTime"][0])
        found = fit(m, {"guide.law.kinetic": 0.9}, record(m, "slide.velocity", t_end=2.0))
        assert found.parameters["guide.law.kinetic"] == pytest.approx(1.0, rel=1e-6)
        assert found.jacobian == "differences" and "dead time" in found.jacobian_reason

    def test_builder_function_uses_differences(self) -> None:
        def build(kinetic: float) -> ss.Machine:
            return shaken(ss.Coulomb(kinetic))

        found = fit(build, {"kinetic": 0.9}, record(build(1.0), "slide.velocity", t_end=2.0))
        assert found.parameters["kinetic"] == pytest.approx(1.0, rel=1e-6)
        assert found.jacobian == "differences" and "function builds the machine" in found.jacobian_reason

    def test_end_of_bouncing_keeps_derivatives(self) -> None:
        """Most samples lie behind the last bounce, where the ball rests whatever its restitution is."""
        ball = ss.Machine(mass=1.0, names=["ball"], force={"ball": -9.81})
        ball.add_contact("floor", normal={"ball": 1.0}, restitution=0.5)
        run = ss.simulate(ball, 4.0, dt=0.01, initial={"ball.position": 1.0})
        data = {"ball.position": (run.t, run["ball.position"])}
        found = fit(ball, {"floor.restitution": 0.52}, data, initial={"ball.position": 1.0})
        assert found.parameters["floor.restitution"] == pytest.approx(0.5, rel=1e-6)
        assert found.jacobian == "exact"

    def test_early_end_of_derivatives_uses_differences(self) -> None:
        """Thrown up just to the ceiling: a little faster it would hit."""
        ball = ss.Machine(mass=1.0, names=["ball"], force={"ball": -1.0})
        ball.add_contact("ceiling", normal={"ball": -1.0}, gap=0.5, restitution=0.5)
        at = {"initial": {"ball.velocity": 1.0}}
        run = ss.simulate(ball, 2.0, dt=0.01, **at)
        for last, way in ((90, "exact"), (200, "differences")):
            data = {"ball.position": (run.t[:last], run["ball.position"][:last])}
            found = fit(ball, {"ball.mass": 1.0}, data, **at)
            assert found.jacobian == way
            assert ("derivatives end at t = 1" in found.jacobian_reason) == (way == "differences")
