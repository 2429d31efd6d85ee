"""The bristle law of second order: U·P as published, its rank, its claim, batch and recursive fits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import stickslip as ss
from stickslip.identify import bristle_parameters, bristle_regressors, fit_bristle, track_bristle
from stickslip.identify.bristle import AMOUNTS, amounts_of

TABLE = dict(
    stiffness=1e5, damping=np.sqrt(1e5), viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3
)
T = np.arange(0.0, 8.0, 1e-2)
V = 3e-3 * (np.sin(2.0 * T) + 0.7 * np.sin(5.3 * T))
Array = NDArray[np.float64]


def law(**changed: float) -> ss.TwoStateBristle:
    return ss.TwoStateBristle(**{**TABLE, **changed})


def force(t: Array = T, v: Array = V, **changed: float) -> Array:
    return law(**changed).response(t, v).force


class TestRegressors:
    """Equations (17) to (19)."""

    @pytest.mark.parametrize("alpha", [0.0, 5e4, 1e5, 1e9])
    @pytest.mark.parametrize("shape", [0.5, 2.0])
    def test_force_is_u_times_p(self, alpha: float, shape: float) -> None:
        u = bristle_regressors(T, V, 1e5, 1e-3, shape)
        p = bristle_parameters(law(alpha=alpha, shape=shape))
        f = force(alpha=alpha, shape=shape)
        np.testing.assert_allclose((u @ p)[1:], f[1:], rtol=1e-10, atol=1e-10 * np.abs(f).max())

    def test_columns_in_steady_sliding_are_those_of_5_and_6(self) -> None:
        t = np.linspace(0.0, 60.0, 200)
        u = bristle_regressors(t, np.full(200, 5e-4), 1e5, 1e-3)[-1]
        fall = np.exp(-0.25)
        np.testing.assert_allclose(u, [1e-5, -5e-4 * 1e-5, 5e-4, 1e-5 * fall, -1e-5 * fall, fall], rtol=1e-9)

    def test_rank_is_at_most_5(self) -> None:
        rng = np.random.default_rng(7)
        for _ in range(5):
            v = 2e-3 * sum(rng.normal() * np.sin(rng.uniform(1.0, 9.0) * T + rng.normal()) for _ in range(4))
            u = bristle_regressors(T, v, 1e5, 1e-3)
            s = np.linalg.svd(u / np.linalg.norm(u, axis=0), compute_uv=False)
            assert s[5] < 1e-15 * s[0] and s[4] > 1e-4 * s[0]

    def test_p2_equals_sigma0_to_1_5_only_by_choice(self) -> None:
        assert bristle_parameters(law())[1] == pytest.approx(1e5**1.5, rel=1e-14)
        assert bristle_parameters(law(damping=100.0))[1] == pytest.approx(1e7)

    def test_beta_step_of_the_source_is_not_an_identity(self) -> None:
        """With exp(−|v|^m) for the last column 16 % of the force is left; with the true one nothing."""
        f = force(alpha=1e5)[1:]
        u = bristle_regressors(T, V, 1e5, 1e-3)[1:]
        left = []
        for last in (u[:, 5], np.sign(V[1:]) * np.exp(-(np.abs(V[1:]) ** 2))):
            columns = np.column_stack([u[:, :4], last])
            columns = columns / np.linalg.norm(columns, axis=0)
            x = np.linalg.lstsq(columns, f, rcond=None)[0]
            left.append(np.linalg.norm(f - columns @ x) / np.linalg.norm(f))
        assert left[0] < 1e-10 and left[1] == pytest.approx(0.16, abs=0.005)


class TestBatch:
    """A regression inside, a search outside."""

    @pytest.mark.parametrize(("alpha", "shape"), [(1e5, 2.0), (8e4, 0.5)])
    def test_all_parameters_are_recovered(self, alpha: float, shape: float) -> None:
        fit = fit_bristle(T, V, force(alpha=alpha, shape=shape))
        assert fit.success and fit.law is not None and fit.law.shape == shape
        expected = {**TABLE, "alpha": alpha}
        assert fit.parameters == pytest.approx({name: expected[name] for name in fit.parameters}, rel=1e-6)
        np.testing.assert_allclose(fit.P, bristle_parameters(law(alpha=alpha)), rtol=1e-6)
        assert fit.rank == 5 and fit.condition < 1e4
        assert fit.damping_over_root == pytest.approx(1.0, rel=1e-6)

    def test_free_damping_contradicts_the_claim(self) -> None:
        fit = fit_bristle(T, V, force(damping=600.0), shape=2.0)
        assert fit.damping_over_root == pytest.approx(600.0 / np.sqrt(1e5), rel=1e-6)
        assert fit.P[1] == pytest.approx(6e7, rel=1e-6)

    def test_parameters_under_noise_stay_within_their_errors(self) -> None:
        f = force(alpha=8e4)
        noisy = f + 0.01 * f.std() * np.random.default_rng(3).normal(size=f.size)
        fit = fit_bristle(T, V, noisy, shape=2.0)
        truth = {**TABLE, "alpha": 8e4}
        for name, value in fit.parameters.items():
            assert abs(value - truth[name]) < 3.5 * fit.stderr[name], name
        assert fit.stderr["kinetic"] < 0.01 and fit.stderr["stiffness"] < 0.03 * 1e5

    def test_covariance_is_that_of_the_regression(self) -> None:
        """s² (XᵀX)⁻¹ of the five amounts where the scales are known; static is the sum of two of them."""
        noisy = force(alpha=8e4) + 0.01 * np.random.default_rng(4).normal(size=T.size)
        fit = fit_bristle(T, V, noisy, stiffness=1e5, stribeck_velocity=1e-3, shape=2.0)
        made = amounts_of(bristle_regressors(T, V, 1e5, 1e-3, 2.0), 1e5)
        cov = fit.scale**2 * np.linalg.inv(made.T @ made)
        kinetic, rise = AMOUNTS.index("kinetic"), AMOUNTS.index("rise")
        static = cov[kinetic, kinetic] + 2.0 * cov[kinetic, rise] + cov[rise, rise]
        assert fit.stderr["kinetic"] == pytest.approx(np.sqrt(cov[kinetic, kinetic]), rel=1e-6)
        assert fit.stderr["static"] == pytest.approx(np.sqrt(static), rel=1e-6)

    def test_known_scales_are_kept(self) -> None:
        fit = fit_bristle(T, V, force(), stiffness=1e5, stribeck_velocity=1e-3, shape=2.0)
        assert {*fit.parameters} == {"kinetic", "damping", "viscous", "static", "alpha"}
        assert fit.parameters["static"] == pytest.approx(1.5, rel=1e-8)

    def test_sliding_at_one_speed_is_insufficient(self) -> None:
        t = np.linspace(30.0, 40.0, 400)
        still = {"z": 1e-5, "y": 1e-5 * np.exp(-4.0)}
        v = np.where(t < 35.0, 2e-3, 2e-3 * (1.0 + 1e-8))
        with pytest.warns(RuntimeWarning, match="only combinations|has no effect"):
            fit = fit_bristle(
                t, v, np.full(400, 1.0), stiffness=1e5, stribeck_velocity=1e-3, shape=2.0, initial=still
            )
        assert not fit.success and np.isinf(list(fit.stderr.values())).sum() >= 2

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (dict(velocity=np.full(T.size, 0.1)), "velocity is constant"),
            (dict(t=T[::-1]), "t must increase"),
            (dict(force=np.where(T == T[5], np.nan, T)), r"force\[5\] = nan"),
            (dict(t=T[:5], velocity=V[:5], force=V[:5]), "too few points"),
            (dict(shape=-1.0), "shape = -1.0"),
            (dict(stiffness=0.0), "stiffness = 0.0"),
        ],
    )
    def test_bad_input_is_refused(self, change: dict[str, object], said: str) -> None:
        with pytest.raises(ValueError, match=said):
            fit_bristle(**(dict(t=T, velocity=V, force=V) | change))


class TestRecursive:
    """Forgetting, projection, and what to do without excitation."""

    def test_constant_parameters_are_tracked(self) -> None:
        track = track_bristle(T, V, force(alpha=1e5), 1e5, 1e-3, memory=3.0)
        for name in ("kinetic", "static", "damping", "viscous", "alpha"):
            expected = 1e5 if name == "alpha" else TABLE[name]
            assert track.parameters[name][-1] == pytest.approx(expected, rel=1e-6), name

    @pytest.mark.parametrize("memory", [2.0, 4.0])
    def test_a_drift_of_30_per_cent_is_followed_in_three_memories(self, memory: float) -> None:
        t = np.arange(0.0, 40.0, 1e-2)
        v = 3e-3 * (np.sin(2.0 * t) + 0.7 * np.sin(5.3 * t))
        at = 18.0
        # Fc does not act on z and y, so that the force is that of either law over the same motion.
        f = np.where(t < at, force(t, v, alpha=8e4), force(t, v, kinetic=1.3, static=1.8, alpha=8e4))
        f += 0.01 * np.random.default_rng(5).normal(size=f.size)
        kinetic = track_bristle(t, v, f, 1e5, 1e-3, memory=memory).parameters["kinetic"]
        assert np.abs(kinetic[(t > 3.0 * memory) & (t < at)] - 1.0).max() < 0.03
        assert np.abs(kinetic[t > at + 3.0 * memory] - 1.3).max() < 0.03
        assert (
            abs(kinetic[np.searchsorted(t, at + 0.2 * memory)] - 1.3) > 0.1
        )  # it is not faster than its memory

    def test_fitted_parameters_are_not_negative(self) -> None:
        f = force(viscous=0.0, alpha=0.0)
        f += 0.05 * np.random.default_rng(1).normal(size=f.size)
        track = track_bristle(T, V, f, 1e5, 1e-3, memory=1.0)
        for name, values in track.parameters.items():
            assert np.nanmin(values) >= 0.0, name
        assert np.all(track.parameters["static"][track.excited] >= track.parameters["kinetic"][track.excited])

    def test_without_excitation_the_last_values_hold(self) -> None:
        t = np.arange(0.0, 50.0, 1e-2)
        v = np.where(t < 12.0, 3e-3 * (np.sin(2.0 * t) + 0.7 * np.sin(5.3 * t)), 0.02)
        f = force(t, v)
        f[t > 45.0] += 5.0  # whatever comes now says nothing of five parameters
        track = track_bristle(t, v, f, 1e5, 1e-3, memory=1.0)
        assert track.excited[(t > 2.0) & (t < 12.0)].all() and not track.excited[t > 45.0].any()
        assert track.parameters["kinetic"][-1] == pytest.approx(1.0, rel=1e-3)

    def test_picture_has_labels(self) -> None:
        axes = track_bristle(T, V, force(), 1e5, 1e-3, memory=3.0).plot()
        assert axes.get_xlabel()


def test_old_samples_fade_with_the_memory() -> None:
    """The last values are those of least squares with weights exp(-age/memory), over a step of the kinetic level."""
    f = np.where(T < 5.0, force(alpha=8e4), force(alpha=8e4, kinetic=1.2, static=1.7))
    track = track_bristle(T, V, f, 1e5, 1e-3, memory=1.5)
    weight = np.sqrt(np.exp((T - T[-1]) / 1.5) * (V != 0.0))
    made = amounts_of(bristle_regressors(T, V, 1e5, 1e-3, 2.0), 1e5)
    alone = np.linalg.lstsq(made * weight[:, None], f * weight, rcond=None)[0]
    assert alone.min() > 0.0  # so that nothing is projected
    for name in ("kinetic", "damping", "viscous"):
        assert track.parameters[name][-1] == pytest.approx(alone[AMOUNTS.index(name)], rel=1e-6), name
