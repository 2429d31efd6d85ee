"""Numbers made of runs, with their gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest

import stickslip as ss


def belt() -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


START = {"block.velocity": 0.2}


def test_gradient_of_break_away_time_matches_closed_form() -> None:
    """The block sticks until k v t = static: t = static / k v."""
    value, gradient = ss.value_and_grad(
        lambda run: run.events[0].time ** 2, belt(), ["belt.law.static"], t_end=9.0, initial=START
    )([1.1])
    t = 1.1 / (2.0 * 0.2)
    assert value == pytest.approx(t**2, rel=1e-12)
    assert gradient == pytest.approx([2.0 * t / (2.0 * 0.2)], rel=1e-10)


def test_gradient_of_a_mean_matches_closed_form() -> None:
    """Free oscillation after release: mean of x² of x = a cos(w t) over its samples, by the amplitude and the mass."""
    m = ss.Machine(mass=2.0, stiffness=8.0, names=["q"])
    t = np.linspace(0.0, 3.0, 301)
    of = ss.value_and_grad(
        lambda run: np.mean(run["q.position"] ** 2),
        m,
        ["q.position", "q.mass"],
        t_end=3.0,
        t_eval=t,
        initial={"q.position": 0.5},
    )
    a, mass = 0.7, 2.3
    w = math.sqrt(8.0 / mass)
    value, gradient = of([a, mass])
    x, by_w = a * np.cos(w * t), -a * t * np.sin(w * t)
    assert value == pytest.approx(np.mean(x**2), rel=1e-12)
    assert gradient[0] == pytest.approx(2.0 * value / a, rel=1e-10)
    assert gradient[1] == pytest.approx(np.mean(2.0 * x * by_w) * -0.5 * w / mass, rel=1e-10)


def test_scipy_finds_the_levels_that_made_a_record() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    t = np.linspace(0.0, 20.0, 401)
    record = ss.simulate(belt(), t_end=20.0, t_eval=t, initial=START)["block.position"]
    of = ss.value_and_grad(
        lambda run: np.sum((run["block.position"] - record) ** 2),
        belt(),
        ["belt.law.static", "belt.law.kinetic"],
        t_end=20.0,
        t_eval=t,
        initial=START,
    )
    found = optimize.minimize(
        of, [1.01, 0.79], jac=True, bounds=[(0.95, 1.05), (0.75, 0.85)], options={"gtol": 1e-10, "ftol": 0.0}
    )
    assert found.x == pytest.approx([1.0, 0.8], abs=1e-7)


def test_gradient_is_nan_after_a_touch() -> None:
    """Behind the ceiling that a ball just reaches nothing is determined."""
    m = ss.Machine(mass=[1.0], names=["ball"], force={"ball": -1.0})
    m.add_contact("ceiling", {"ball": -1.0}, gap=0.5, restitution=0.5)
    where = {"t_end": 1.9, "t_eval": [0.1, 1.9]}
    early = ss.value_and_grad(lambda run: run["ball.position"][0], m, ["ball.velocity"], **where)
    late = ss.value_and_grad(lambda run: run["ball.position"][1], m, ["ball.velocity"], **where)
    assert early([1.0])[1] == pytest.approx([0.1], abs=1e-12)
    assert np.isnan(late([1.0])[1]).all()


@pytest.mark.parametrize("signal", ["block.acceleration", "belt.force", "block.position"])
def test_forms_of_a_function_have_one_gradient(signal: str) -> None:
    """Recorded with NumPy, or differentiated along the tangents where Python's math is used."""
    names, p = ["belt.law.kinetic", "block.mass"], [0.8, 1.0]
    t = np.linspace(3.0, 8.0, 30)
    recorded = ss.value_and_grad(
        lambda run: np.exp(np.mean(run.at(t)[signal] ** 2)), belt(), names, t_end=9.0, initial=START
    )(p)
    along = ss.value_and_grad(
        lambda run: math.exp(np.mean(run.at(t)[signal] ** 2)), belt(), names, t_end=9.0, initial=START
    )(p)
    assert recorded[0] == along[0]
    assert recorded[1] == pytest.approx(along[1], rel=1e-9)


def test_reading_a_run_again_computes_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that reads run.at(t) has the run resampled once for its value and once for all derivatives."""
    count = 0
    original = ss.run.trajectory.Trajectory.at

    def counted(run: object, t: object) -> object:
        nonlocal count
        count += 1
        return original(run, t)  # type: ignore[arg-type]

    monkeypatch.setattr(ss.run.trajectory.Trajectory, "at", counted)
    monkeypatch.setattr(ss.run.trajectory, "sample_times", None)  # the default grid is never made
    t = np.linspace(0.0, 8.0, 300)
    for read in (np.mean, lambda x: math.fsum(x)):  # recorded, and along tangents
        count = 0
        ss.value_and_grad(
            lambda run, read=read: read(run.at(t)["block.position"]),
            belt(),
            ["belt.law.kinetic", "block.mass", "belt.law.static"],
            t_end=9.0,
            initial=START,
        )([0.8, 1.0, 1.0])
        assert count == 2


def test_reading_values_without_derivative_raises() -> None:
    def of(f: object) -> object:
        return ss.value_and_grad(f, belt(), ["belt.law.static"], t_end=9.0, initial=START)([1.0])  # type: ignore[arg-type]

    with pytest.raises(
        AttributeError, match=r"'energy' of a run has no derivative: value_and_grad supports run\[signal\]"
    ):
        of(lambda run: run.energy.residual)
    with pytest.raises(ValueError, match="a mode has no derivative"):
        of(lambda run: np.mean(run["belt.mode"]))
    with pytest.raises(ValueError, match="(?s)the result of f = .* it must be a number"):
        of(lambda run: run["block.position"])
    with pytest.raises(ValueError, match=r"parameters = \[\] is not allowed"):
        ss.value_and_grad(lambda run: 0.0, belt(), [], t_end=1.0)
    with pytest.raises(
        ValueError, match=r"p = .* is not allowed: it must be 1 numbers, one for each of 'belt.law.static'"
    ):
        ss.value_and_grad(lambda run: 0.0, belt(), ["belt.law.static"], t_end=1.0)([1.0, 2.0])
