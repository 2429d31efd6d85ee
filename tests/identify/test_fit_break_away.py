"""Break-away force over time at rest: the automaton's own levels come back."""

import legends
import numpy as np
import pytest

import stickslip as ss
from stickslip.identify import fit_break_away

REST = np.geomspace(0.01, 100.0, 30)


def level(t: np.ndarray) -> np.ndarray:
    return 0.8 + 0.4 * t / (t + 1.5)


def test_parameters_are_recovered() -> None:
    fit = fit_break_away(REST, level(REST))
    assert fit.parameters == pytest.approx({"initial": 0.8, "static": 1.2, "dwell": 1.5}, rel=1e-9)
    np.testing.assert_allclose(fit.predict(REST), level(REST))


def test_fit_recovers_dwell_of_simulated_automaton() -> None:
    """Pushed ever more slowly, an automaton with dwell breaks away ever later and higher."""
    law = ss.StickSlip(
        ss.Stribeck(static=1.2, kinetic=0.8, stribeck_velocity=1e-3, shape=1.0), memory=ss.Lag(1.0), dwell=1.5
    )
    rest, force = [], []
    for wait in np.geomspace(0.05, 50.0, 12):
        # Brought to rest by friction while the lagged force is still low, held for a while, then pushed.
        m = ss.Machine(mass=1.0, names=["slide"])
        m.add_force("slide", ss.Piecewise([0.0, 0.5 + wait, 1.5 + wait], [0.0, 0.0, 1000.0]))
        m.add_friction("guide", on="slide", law=law)
        run = ss.simulate(m, 1.5 + wait, initial={"slide.velocity": 0.1})
        stop = next(e for e in run.events if e.after == ss.Mode.STICK)
        away = next(e for e in run.events if e.before == ss.Mode.STICK)
        rest.append(away.time - stop.time)
        force.append(float(run.at(away.time - 1e-12)["guide.force"][0]))
    fit = fit_break_away(rest, force)
    assert fit.parameters["static"] == pytest.approx(1.2, rel=1e-4)
    assert fit.parameters["dwell"] == pytest.approx(1.5, rel=1e-3)
    assert 0.8 < fit.parameters["initial"] < 0.9


def test_intervals_contain_the_true_values() -> None:
    """A binomial of 200 leaves 180 to 198 with 99.9 %."""
    inside = dict.fromkeys(("initial", "static", "dwell"), 0)
    truth = {"initial": 0.8, "static": 1.2, "dwell": 1.5}
    for seed in range(200):
        f = level(REST) + 0.01 * np.random.default_rng(seed).normal(size=REST.size)
        for name, (low, high) in fit_break_away(REST, f).intervals().items():
            inside[name] += low <= truth[name] <= high
    assert all(180 <= count <= 198 for count in inside.values()), inside


def test_picture_has_labels() -> None:
    axes = fit_break_away(REST, level(REST)).plot()
    assert axes.get_xlabel() and legends.faults(axes.figure) == []


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="too few points"):
        fit_break_away([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"rest\[0\] = -1.0"):
        fit_break_away([-1.0, 1.0, 2.0, 3.0, 4.0], np.ones(5))
    with pytest.raises(ValueError, match="rest is constant"):
        fit_break_away(np.ones(5), np.ones(5))
    with pytest.warns(RuntimeWarning, match="dwell has no effect"):
        fit = fit_break_away(REST, np.ones(REST.size))
    assert fit.stderr["dwell"] == np.inf and fit.parameters["static"] == pytest.approx(1.0)
