"""Curves of friction from samples: every law that has one, outliers, intervals, and what is refused."""

import subprocess
import sys
import warnings

import legends
import numpy as np
import pytest
from numpy.typing import NDArray

import stickslip as ss
from stickslip.identify import fit_curve

SPEEDS = np.geomspace(1e-3, 1.0, 60)
BOTH = np.concatenate([-SPEEDS, SPEEDS])
FALLING = dict(static=1.5, kinetic=1.0, stribeck_velocity=0.02, viscous=0.4)

LAWS = {
    "Coulomb": (ss.Coulomb(0.8), ss.Coulomb, None),
    "Viscous": (ss.Viscous(0.5), ss.Viscous, None),
    "Viscous, any exponent": (ss.Viscous(0.5, 1.7), ss.Viscous, ("coefficient", "exponent")),
    "Stribeck": (ss.Stribeck(**FALLING), ss.Stribeck, None),
    "Stribeck, shape 1 held": (
        ss.Stribeck(**FALLING, shape=1.0),
        ss.Stribeck(kinetic=1.0, shape=1.0),
        None,
    ),
    "Stribeck, all free": (
        ss.Stribeck(**FALLING, shape=0.7, viscous_exponent=1.3),
        ss.Stribeck,
        ("static", "kinetic", "stribeck_velocity", "viscous", "shape", "viscous_exponent"),
    ),
    "Lorentzian": (
        ss.Stribeck(**FALLING, form="lorentzian"),
        ss.Stribeck(kinetic=1.0, form="lorentzian"),
        None,
    ),
    "Tanh": (ss.Tanh(width=5e-3, **{**FALLING, "stribeck_velocity": 0.1}), ss.Tanh, None),
    "sum": (ss.Coulomb(1.0) + ss.Viscous(0.3), ss.Coulomb(1.0) + ss.Viscous(1.0), None),
    "sum with clashing names": (
        ss.Stribeck(**FALLING) + ss.Tanh(width=0.3, kinetic=0.5),
        ss.Stribeck(kinetic=1.0) + ss.Tanh(width=0.1, kinetic=1.0),
        ("0.static", "0.kinetic", "0.stribeck_velocity", "0.viscous", "1.width", "1.kinetic"),
    ),
    "Table": (
        ss.Table([0.0, 0.01, 0.1, 1.0], [1.0, 0.9, 0.7, 1.2], odd=True),
        ss.Table([0.0, 0.01, 0.1, 1.0], [0.0] * 4, odd=True),
        None,
    ),
}


def numbers(law: ss.Law) -> dict[str, float]:
    """Numbers of a law by the names that a fit uses."""
    if isinstance(law, ss.Table):
        return {f"forces[{k}]": f for k, f in enumerate(law.forces)}
    parts = [{n: v for n, v in term.parameters.items() if isinstance(v, float)} for term in law.terms]
    clash = len({n for part in parts for n in part}) < sum(map(len, parts))
    return {(f"{k}." if clash else "") + n: v for k, part in enumerate(parts) for n, v in part.items()}


@pytest.mark.parametrize("name", LAWS)
def test_parameters_without_noise_are_recovered(name: str) -> None:
    truth, law, free = LAWS[name]
    for directions in ("separate", "common"):
        fit = fit_curve(BOTH, truth.force(BOTH), law, free=free, directions=directions)
        assert fit.success, fit.message
        expected = numbers(truth)
        for key, value in fit.parameters.items():
            short = key.removeprefix("forward.").removeprefix("backward.")
            assert value == pytest.approx(expected[short], rel=1e-7), key
        np.testing.assert_allclose(fit.law.force(0.5), truth.force(0.5), rtol=1e-6)


def test_levels_are_per_unit_load_and_viscous_parts_are_not() -> None:
    truth = ss.Stribeck(static=0.3, kinetic=0.2, stribeck_velocity=0.02, viscous=5.0)
    fit = fit_curve(SPEEDS, truth.force(SPEEDS, 40.0), normal_load=40.0)
    assert [fit.parameters[n] for n in ("static", "kinetic", "viscous")] == pytest.approx([0.3, 0.2, 5.0])


def test_each_direction_has_its_own_law() -> None:
    forward, backward = ss.Stribeck(**FALLING), ss.Stribeck(static=2.0, kinetic=1.9, stribeck_velocity=0.1)
    force = np.where(BOTH > 0, forward.force(BOTH), backward.force(BOTH))
    fit = fit_curve(BOTH, force)
    assert fit.parameters["forward.static"] == pytest.approx(1.5)
    assert fit.parameters["backward.static"] == pytest.approx(2.0)
    assert isinstance(fit.law, ss.Table)
    np.testing.assert_allclose(fit.law.force(BOTH), force, rtol=2e-3)


def noisy(seed: int, share: float = 0.01) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    truth = ss.Stribeck(**FALLING).force(SPEEDS)
    return SPEEDS, truth + share * np.random.default_rng(seed).normal(size=SPEEDS.size)


def test_robust_loss_resists_outliers() -> None:
    v, f = noisy(3)
    clean = fit_curve(v, f)
    f[::12] += 2.0
    spoilt, plain = fit_curve(v, f), fit_curve(v, f, loss="linear")
    assert spoilt.scale == pytest.approx(0.01, rel=0.4)
    for name, value in clean.parameters.items():
        assert abs(spoilt.parameters[name] - value) < 3.0 * clean.stderr[name], name
    assert plain.scale > 0.4


def test_static_is_never_below_kinetic() -> None:
    rising = 1.0 + 0.3 * (1.0 - np.exp(-((SPEEDS / 0.02) ** 2)))
    with pytest.warns(RuntimeWarning, match="(static|stribeck_velocity) has no effect"):
        fit = fit_curve(SPEEDS, rising, free=["static", "kinetic", "stribeck_velocity"])
    assert fit.parameters["static"] == fit.parameters["kinetic"]
    assert fit.stderr["stribeck_velocity"] == np.inf and not fit.success


def test_parameter_at_bound_has_no_interval() -> None:
    fit = fit_curve(SPEEDS, 0.5 * SPEEDS - 0.001, ss.Coulomb(1.0) + ss.Viscous(1.0))
    assert fit.parameters["kinetic"] == 0.0 and np.isnan(fit.stderr["kinetic"])
    assert np.isfinite(fit.stderr["coefficient"])


def test_intervals_contain_the_true_values() -> None:
    """Of 200 repetitions with 1 % noise, 180 to 198 of the 95 % intervals hold the truth (binomial, 99.9 %)."""
    truth = FALLING
    inside = dict.fromkeys(truth, 0)
    for seed in range(200):
        for name, (low, high) in fit_curve(*noisy(seed)).intervals().items():
            inside[name] += low <= truth[name] <= high
    assert all(180 <= count <= 198 for count in inside.values()), inside


def test_a_law_that_is_fitted_is_that_of_the_samples() -> None:
    v, f = noisy(1)
    fit = fit_curve(v, f)
    assert isinstance(fit.forward, ss.Stribeck)
    assert {n: fit.forward.parameters[n] for n in FALLING} == pytest.approx(fit.parameters)
    assert "kinetic" in str(fit)


@pytest.mark.parametrize("sides", [SPEEDS, BOTH])
def test_picture_has_labels(sides: NDArray[np.float64]) -> None:
    axes = fit_curve(sides, ss.Stribeck(**FALLING).force(sides)).plot()
    assert axes.get_xlabel() and axes.get_ylabel()
    assert legends.faults(axes.figure) == []


class TestBadInput:
    """Errors name the argument; suspect data give warnings."""

    @pytest.mark.parametrize(
        ("v", "f", "said"),
        [
            ([1.0, 2.0], [1.0, 1.0], "too few points"),
            ([1.0, 1.5, 2.0, 2.5], [1.0] * 4, "too few points for 4 parameters"),
            ([0.5] * 20, [1.0] * 20, "velocity is constant"),
            ([0.0] * 20, [1.0] * 20, "zero throughout"),
            ([0.1, np.nan, 0.3], [1.0] * 3, r"velocity\[1\] = nan"),
            ([0.1, 0.2, 0.3], [1.0, np.inf, 1.0], r"force\[1\] = inf"),
            ([0.1, 0.2, 0.3], [1.0] * 4, "force has 4 samples, but velocity has 3"),
        ],
    )
    def test_bad_input_is_refused(self, v: list[float], f: list[float], said: str) -> None:
        with pytest.raises(ValueError, match=said):
            fit_curve(v, f)

    @pytest.mark.parametrize("law", [ss.LuGre, ss.Curve(np.sign), ss.Table([-1.0, 1.0], [-1.0, 1.0]), 3.0])
    def test_law_without_a_curve_is_refused(self, law: object) -> None:
        with pytest.raises(ValueError, match="law = "):
            fit_curve(SPEEDS, SPEEDS, law)

    def test_unknown_parameter_lists_the_known(self) -> None:
        with pytest.raises(ValueError, match="unknown parameter 'stribeck' in free; known are: kinetic"):
            fit_curve(SPEEDS, SPEEDS, free=["stribeck"])
        with pytest.raises(ValueError, match="free is empty"):
            fit_curve(SPEEDS, SPEEDS, free=[])

    def test_forces_off_by_1000_warn(self) -> None:
        f = ss.Stribeck(**FALLING).force(BOTH)
        f[BOTH > 0] *= 1000.0
        with pytest.warns(RuntimeWarning, match="force: 60 of 120 samples are about 1e\\+03 times"):
            fit_curve(BOTH, f)
        with pytest.warns(RuntimeWarning, match="no coefficient of friction"):
            fit_curve(SPEEDS, 1000.0 * ss.Coulomb(0.3).force(SPEEDS), ss.Coulomb, normal_load=1.0)

    def test_reversed_sign_warns(self) -> None:
        with (
            pytest.warns(RuntimeWarning, match="is the sign reversed"),
            pytest.warns(RuntimeWarning, match="has no effect"),
        ):
            fit_curve(SPEEDS, -ss.Stribeck(**FALLING).force(SPEEDS))

    def test_curves_of_every_kind_are_not_suspect(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            wide = np.geomspace(1e-6, 10.0, 200)
            fit_curve(wide, ss.Viscous(3.0).force(wide), ss.Viscous)
            fit_curve(wide, ss.Stribeck(**{**FALLING, "static": 400.0}).force(wide))

    def test_parameter_without_effect_is_named(self) -> None:
        with pytest.warns(RuntimeWarning, match="static has no effect"):
            fit = fit_curve(SPEEDS, 0.8 + 0.0 * SPEEDS, ss.Coulomb, free=["kinetic", "static"])
        assert fit.stderr["static"] == np.inf and np.isfinite(fit.stderr["kinetic"])

    def test_indistinguishable_parameters_are_named(self) -> None:
        twice = ss.Coulomb(1.0) + ss.Coulomb(1.0)
        with pytest.warns(RuntimeWarning, match="0.kinetic .*1.kinetic"):
            fit = fit_curve(SPEEDS, np.full(60, 0.8), twice)
        assert fit.stderr["0.kinetic"] == np.inf and fit.law.force(1.0) == pytest.approx(0.8)


def test_without_scipy_the_message_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['scipy'] = None\nimport stickslip as ss\n"
        "try: ss.identify.fit_curve([0.1, 0.2, 0.3], [1.0, 1.0, 1.1], ss.Viscous)\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "MissingExtraError" in done.stdout and "stickslip[identify]" in done.stdout
