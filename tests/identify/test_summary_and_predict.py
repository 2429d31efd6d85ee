"""Summary of a fit, correlations of its parameters, and its predictions."""

import numpy as np
import pytest
from scipy import stats

import stickslip as ss
from stickslip.identify import fit, fit_break_away, fit_bristle, fit_curve, inverse_dynamics

V = np.linspace(0.1, 1.0, 40)


@pytest.fixture(scope="module")
def line() -> ss.identify.CurveFit:
    """A straight line through noisy samples: ordinary linear regression."""
    noise = 0.02 * np.random.default_rng(3).standard_normal(V.size)
    return fit_curve(V, 1.0 + 2.0 * V + noise, ss.Coulomb(1.0) + ss.Viscous(1.0), loss="linear")


def test_correlation_of_a_straight_line_is_its_closed_form(line: ss.identify.CurveFit) -> None:
    expected = -V.mean() / np.sqrt(np.mean(V**2))
    assert line.correlation == pytest.approx(np.array([[1.0, expected], [expected, 1.0]]), rel=1e-6)


def test_summary_shows_what_linregress_finds(line: ss.identify.CurveFit) -> None:
    truth = stats.linregress(V, line.force)
    rows = {row.split()[0]: row.split() for row in line.summary().splitlines()[2:4]}
    assert float(rows["coefficient"][1]) == pytest.approx(truth.slope, rel=1e-6)
    assert float(rows["coefficient"][2]) == pytest.approx(truth.stderr, rel=0.05)  # shown with two digits
    half = stats.t.ppf(0.975, V.size - 2) * truth.stderr
    low, high = (float(part.strip("[],")) for part in rows["coefficient"][3:5])
    assert (low, high) == pytest.approx((truth.slope - half, truth.slope + half), abs=1e-3)


def test_summary_names_strong_correlations_and_the_message() -> None:
    far = 10.0 + V  # far from zero: level and slope can nearly replace each other
    noise = 0.02 * np.random.default_rng(3).standard_normal(V.size)
    found = fit_curve(far, 1.0 + 2.0 * far + noise, ss.Coulomb(1.0) + ss.Viscous(1.0), loss="linear")
    text = found.summary()
    assert "correlation of kinetic and coefficient: -1.000" in text or "-0.99" in text
    assert text.splitlines()[0] == "CurveFit: success" and text.splitlines()[-1] == found.message


def test_correlation_with_an_undetermined_parameter_is_nan() -> None:
    t = np.linspace(0.0, 1.0, 50)
    with pytest.warns(RuntimeWarning, match="has no effect"):
        m = ss.Machine(mass=1.0, names=["q"], force={"q": 2.0})
        m.add_friction("guide", on="q", law=ss.Coulomb(static=1.0, kinetic=1.0))
        found = fit(m, {"q.mass": 1.1, "guide.law.static": 1.2}, {"q.position": (t, 0.5 * t**2)})
    assert np.isnan(found.correlation[1]).all() and found.correlation[0, 0] == 1.0
    assert found.summary().startswith("MachineFit: no success")


def test_curve_predicts_each_direction_with_its_own_law() -> None:
    v = np.concatenate([-V, V])
    force = np.where(v > 0.0, 1.0 + 2.0 * v, -0.5 + 3.0 * v)
    found = fit_curve(v, force, ss.Coulomb(1.0) + ss.Viscous(1.0))
    assert found.predict([-2.0, 0.0, 2.0]) == pytest.approx([-6.5, 0.0, 5.0], rel=1e-6)
    assert found.predict(2.0) == pytest.approx(5.0)
    one = fit_curve(V, 1.0 + 2.0 * V, ss.Coulomb(1.0) + ss.Viscous(1.0))
    assert np.isnan(one.predict(-1.0))


def test_break_away_fit_predicts_its_law() -> None:
    rest = np.geomspace(0.01, 100.0, 30)
    found = fit_break_away(rest, 1.0 + 0.5 * rest / (rest + 2.0))
    assert found.predict([0.0, 2.0]) == pytest.approx([1.0, 1.25], rel=1e-6)


def test_bristle_fit_predicts_another_motion() -> None:
    law = ss.TwoStateBristle(1.5, 1.0, 1e-3, stiffness=1e4, damping=50.0, viscous=0.4)
    t = np.linspace(0.0, 10.0, 1001)
    v = 3e-3 * (np.sin(2.0 * t) + 0.7 * np.sin(5.3 * t))
    found = fit_bristle(t, v, law.response(t, v).force, shape=2.0)
    other = 2e-3 * np.cos(3.0 * t)
    assert found.predict(t, other) == pytest.approx(law.response(t, other).force, rel=1e-5, abs=1e-6)


def test_inverse_dynamics_predicts_another_motion() -> None:
    t = np.arange(0.0, 4.0, 1e-3)
    w = 2.0 * np.pi
    q, v, a = np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)
    found = inverse_dynamics(
        t, q, 2.0 * a + 3.0 * v + 0.5 * np.sign(v), ["mass", "viscous", "kinetic"], cutoff=100.0
    )
    assert found.predict(0.0, [2.0, -2.0], [1.0, 1.0]) == pytest.approx([8.5, -4.5], rel=1e-2)


def test_machine_fit_predicts_beyond_the_record_and_from_another_start() -> None:
    """Braked by dry friction, 0.5 m/s²: x = v t - t²/4 until it stops at t = 2 v."""
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(kinetic=0.7))
    t = np.linspace(0.0, 1.0, 20)
    found = fit(
        m,
        ["guide.normal_load"],
        {"slide.position": (t, 2.0 * t - 0.25 * t**2)},
        initial={"slide.velocity": 2.0},
    )
    run = found.predict([0.5, 3.0, 6.0])
    assert run.t.tolist() == [0.5, 3.0, 6.0]
    assert run["slide.position"] == pytest.approx([2.0 * 0.5 - 0.25 * 0.25, 3.75, 4.0], rel=1e-7)
    other = found.predict([6.0], initial={"slide.velocity": 1.0})
    assert other["slide.position"] == pytest.approx([1.0], rel=1e-7)
    with pytest.raises(ValueError, match="t = .* it must be at least one time"):
        found.predict([])
