"""Warnings of a fit against its own result: truths in closed form or by SciPy, noise from fixed seeds."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.identify import fit, fit_break_away, fit_bristle, fit_curve

Array = NDArray[np.float64]
V0, F = 2.0, 1.0
T = np.linspace(0.0, 3.0, 301)
STOPPING = np.where(
    T < V0 / F, V0 * T - 0.5 * F * T**2, 0.5 * V0**2 / F
)  # 1 kg against the friction F, from v0
START = {"body.velocity": V0}


def body(law: Any) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["body"])
    m.add_friction("guide", on="body", law=law)
    return m


def pushed(law: Any) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["body"], force={"body": ss.Sine(amplitude=3.0, frequency=0.5)})
    m.add_friction("guide", on="body", law=law)
    return m


def by_scipy(kinetic: float, viscous: float, t: Array) -> Array:
    """Position of 1 kg under 3 sin(πt) N with Coulomb and viscous friction: it slides, or rests while |F| <= kinetic."""
    x, v, now, out = 0.0, 0.0, 0.0, np.full(t.size, np.nan)
    force = lambda s: 3.0 * np.sin(np.pi * s)  # noqa: E731
    while now < t[-1]:
        sign = np.sign(v) or (np.sign(force(now)) if abs(force(now)) > kinetic * (1.0 + 1e-12) else 0.0)
        if sign == 0.0:  # the force passes the level next
            half = np.floor(now)
            rise = half + np.arcsin(kinetic / 3.0) / np.pi
            end = min(rise if rise > now + 1e-9 else rise + 1.0, t[-1])
            out[(t >= now) & (t <= end)] = x
            now, v = end, 0.0
            if now < t[-1]:
                sign = np.sign(force(now + 1e-6))
            else:
                break

        def stops(s: float, y: Array, sign: float = sign, begin: float = now) -> float:
            return float(y[1] * sign) if s > begin + 1e-6 else 1.0

        stops.terminal = True  # type: ignore[attr-defined]
        found = solve_ivp(
            lambda s, y, sign=sign: [y[1], force(s) - kinetic * sign - viscous * y[1]],
            (now, t[-1]), [x, v], method="DOP853", rtol=1e-12, atol=1e-14, events=stops, dense_output=True, max_step=0.02,
        )  # fmt: skip
        here = (t >= now) & (t <= found.t[-1])
        out[here] = found.sol(t[here])[0]
        now, x, v = found.t[-1], found.y[0, -1], 0.0
    return out


@pytest.mark.parametrize("name", ["static", "kinetic"])
def test_one_level_is_found_from_below_under_either_name(name: str) -> None:
    """The record is in closed form; the start 0.8 is no bound."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fit(
            body(ss.Coulomb(0.8)), [f"guide.law.{name}"], {"body.position": (T, STOPPING)}, initial=START
        )
    assert found.success
    assert found.parameters == {f"guide.law.{name}": pytest.approx(F, rel=1e-9)}
    assert isinstance(found.machine, ss.Machine)
    again = fit(found.machine, ["guide.law.kinetic"], {"body.position": (T, STOPPING)}, initial=START)
    assert again.parameters == {"guide.law.kinetic": pytest.approx(F, rel=1e-9)}


def test_both_levels_are_found_from_one() -> None:
    """Equal levels are the bound of the static one, where its effect begins with the square of the difference."""
    t = np.linspace(0.0, 4.0, 401)
    data = {"body.position": (t, by_scipy(1.0, 0.0, t))}
    with pytest.warns(RuntimeWarning, match="ends at its bound, the kinetic level"):
        found = fit(pushed(ss.Coulomb(0.8)), ["guide.law.static", "guide.law.kinetic"], data)
    assert found.success and found.jacobian == "exact"
    assert list(found.parameters.values()) == pytest.approx([1.0, 1.0], rel=1e-12)


def test_both_levels_are_found_from_equal_ones() -> None:
    """The derivative by the static level vanishes at the start; the true run is the engine's."""
    t = np.linspace(0.0, 4.0, 401)
    run = ss.simulate(pushed(ss.Coulomb(static=1.2, kinetic=1.0)), 4.0, t_eval=t)
    data = {"body.position": (t, run["body.position"])}
    found = fit(pushed(ss.Coulomb(0.8)), ["guide.law.static", "guide.law.kinetic"], data)
    assert found.success and list(found.parameters.values()) == pytest.approx([1.2, 1.0], rel=1e-9)


@pytest.mark.parametrize("law", [ss.Coulomb(0.8) + ss.Viscous(0.3), ss.Stribeck(kinetic=0.7, viscous=0.2)])
def test_noise_free_record_of_another_program_is_a_success(law: Any) -> None:
    """Residuals below the error of integration are correlated, but do not speak against the model."""
    t = np.linspace(0.0, 4.0, 401)
    viscous = "coefficient" if isinstance(law, ss.laws.Sum) else "viscous"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fit(
            pushed(law),
            ["guide.law.kinetic", f"guide.law.{viscous}"],
            {"body.position": (t, by_scipy(1.0, 0.4, t))},
        )
    assert found.success and list(found.parameters.values()) == pytest.approx([1.0, 0.4], rel=1e-6)


def test_sound_noisy_records_are_successes() -> None:
    """White noise, the true model: no word in 30 records."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(30):
            noise = 0.02 * np.random.default_rng(seed).normal(size=T.size)
            data = {"body.position": (T, STOPPING + noise)}
            found = fit(body(ss.Coulomb(0.8)), ["guide.law.kinetic"], data, initial=START, tolerance=1e-6)
            assert (
                found.success
                and abs(found.parameters["guide.law.kinetic"] - F) < 5.0 * found.stderr["guide.law.kinetic"]
            )


def test_model_that_leaves_out_viscous_friction_is_named() -> None:
    t = np.linspace(0.0, 4.0, 401)
    data = {"body.position": (t, by_scipy(1.0, 0.8, t) + 1e-3 * np.random.default_rng(1).normal(size=t.size))}
    with pytest.warns(RuntimeWarning, match="residuals of body.position are correlated"):
        found = fit(pushed(ss.Coulomb(0.8)), ["guide.law.kinetic"], data)
    assert "standard errors are about" in found.message


def test_fit_worse_than_a_constant_is_no_success() -> None:
    """A record whose sign is turned: friction can only bring the body to rest, where the record has moved back."""
    with pytest.warns(RuntimeWarning, match="worse than a constant: its residuals of body.position"):
        found = fit(
            body(ss.Coulomb(0.8)), ["guide.law.kinetic"], {"body.position": (T, -STOPPING)}, initial=START
        )
    assert not found.success and "worse than a constant" in found.message


def test_parameter_at_its_bound_is_named_and_has_no_standard_error() -> None:
    """A body that is accelerated by 0.1/s·v: the viscous coefficient that explains it is negative."""
    y = V0 * np.expm1(0.1 * T) / 0.1
    with pytest.warns(RuntimeWarning, match="guide.law.coefficient ends at its bound, 0:"):
        found = fit(
            body(ss.Viscous(0.3)), ["guide.law.coefficient"], {"body.position": (T, y)}, initial=START
        )
    assert found.parameters["guide.law.coefficient"] == 0.0
    assert np.isnan(found.stderr["guide.law.coefficient"])


def test_bound_of_the_user_is_named_by_its_value() -> None:
    with pytest.warns(RuntimeWarning, match="guide.law.kinetic ends at its bound, 0.9:"):
        fit(
            body(ss.Coulomb(0.8)),
            {"guide.law.kinetic": (0.8, 0.1, 0.9)},
            {"body.position": (T, STOPPING)},
            initial=START,
        )


class TestCurves:
    """Fits of curves give the same warnings."""

    speed = np.geomspace(1e-3, 1.0, 200)

    def force(self, seed: int) -> Array:
        truth = 1.0 + 0.5 * np.exp(-((self.speed / 0.05) ** 2)) + 0.4 * self.speed
        return truth + 0.01 * np.random.default_rng(seed).normal(size=self.speed.size)

    @pytest.mark.parametrize("loss", ["linear", "soft_l1"])
    def test_true_curve_is_a_success(self, loss: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert all(fit_curve(self.speed, self.force(seed), loss=loss).success for seed in range(20))

    @pytest.mark.parametrize("loss", ["linear", "soft_l1"])
    def test_samples_in_any_order_show_a_curve_that_is_too_poor(self, loss: str) -> None:
        order = np.random.default_rng(2).permutation(self.speed.size)
        with pytest.warns(RuntimeWarning, match="fit_curve: residuals of force over speed are correlated"):
            fit_curve(
                self.speed[order], self.force(3)[order], law=ss.Coulomb(1.0) + ss.Viscous(0.5), loss=loss
            )

    @pytest.mark.parametrize("loss", ["linear", "soft_l1"])
    def test_constant_level_is_as_good_as_the_mean_and_no_worse(self, loss: str) -> None:
        for seed in range(20):
            f = 1.0 + 0.1 * np.random.default_rng(seed).normal(size=200)
            assert fit_curve(self.speed, f, law=ss.Coulomb(1.0), loss=loss).success

    @pytest.mark.parametrize("loss", ["linear", "soft_l1"])
    def test_viscous_curve_through_a_constant_is_worse_than_none(self, loss: str) -> None:
        f = 1.0 + 0.1 * np.random.default_rng(0).normal(size=200)
        with pytest.warns(RuntimeWarning, match="worse than a constant"):
            assert not fit_curve(self.speed, f, law=ss.Viscous(1.0), loss=loss).success

    def test_coefficient_at_zero_is_named(self) -> None:
        """Friction that falls with speed has no viscous part."""
        with pytest.warns(RuntimeWarning, match="fit_curve: coefficient ends at its bound, 0"):
            fit_curve(self.speed, 1.0 - 0.3 * self.speed, law=ss.Coulomb(1.0) + ss.Viscous(0.5))


def test_break_away_from_below_zero_is_named() -> None:
    rest = np.geomspace(0.01, 100.0, 60)
    with pytest.warns(RuntimeWarning, match="fit_break_away: initial ends at its bound, 0:"):
        fit_break_away(rest, -0.2 + rest / (rest + 2.0), loss="linear")


def test_bristle_that_leaves_out_something_is_named() -> None:
    """A force that grows with the path, which no bristle has."""
    t = np.linspace(0.0, 10.0, 2001)
    v = 3e-3 * (np.sin(2.0 * t) + 0.7 * np.sin(5.3 * t))
    law = ss.TwoStateBristle(
        stiffness=1e4, damping=50.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3
    )
    force = law.response(t, v).force
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit_bristle(t, v, force, shape=2.0).success
    with pytest.warns(RuntimeWarning, match="fit_bristle: residuals of force are correlated"):
        fit_bristle(t, v, force + 0.05 * t, shape=2.0)


def test_each_signal_is_judged_in_its_own_unit() -> None:
    """Position and velocity of the closed form, both noisy, the velocity late by 0.3 s: it alone is named."""
    rng = np.random.default_rng(4)
    velocity = 1e3 * np.clip(V0 - F * T, 0.0, None)
    late = np.interp(T - 0.3, T, velocity)
    m = body(ss.Coulomb(0.8))
    for loss in ("linear", "soft_l1"):
        data = {
            "body.position": (T, STOPPING + 1e-3 * rng.normal(size=T.size), 1e-3),
            "body.velocity": (T, 1e-3 * (late + rng.normal(size=T.size)), 1.0),
        }
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            fit(m, ["guide.law.kinetic"], data, initial=START, loss=loss)
        assert len(said) == 1 and "residuals of body.velocity are correlated" in str(said[0].message)


def test_record_far_from_zero_is_judged_all_the_same() -> None:
    """A motion of micrometres about a position of 1 m, whose model leaves out viscous friction."""
    t = np.linspace(0.0, 4.0, 401)
    y = 1.0 + 1e-4 * by_scipy(1.0, 0.8, t)
    m = ss.Machine(mass=1.0, names=["body"], force={"body": ss.Sine(amplitude=3e-4, frequency=0.5)})
    m.add_friction("guide", on="body", law=ss.Coulomb(0.8e-4))
    with pytest.warns(RuntimeWarning, match="residuals of body.position are correlated"):
        fit(m, ["guide.law.kinetic"], {"body.position": (t, y)}, initial={"body.position": 1.0})


def test_noise_free_lugre_of_radau_is_a_success() -> None:
    """Canudas de Wit's law integrated by SciPy: all six parameters come back, and nothing is said against the fit."""
    truth = {
        "stiffness": 2e3,
        "damping": 20.0,
        "static": 1.5,
        "kinetic": 1.0,
        "stribeck_velocity": 0.1,
        "viscous": 0.4,
    }
    s0, s1, static, kinetic, vs, viscous = truth.values()

    def rhs(t: float, y: Array) -> list[float]:
        _, v, z = y
        rate = v - s0 * abs(v) * z / (kinetic + (static - kinetic) * np.exp(-((v / vs) ** 2)))
        force = 3.0 * np.sin(np.pi * t) + 1.8 * np.sin(2.6 * np.pi * t)
        return [v, force - s0 * z - s1 * rate - viscous * v, rate]

    t = np.linspace(0.0, 6.0, 601)
    made = solve_ivp(rhs, (0.0, 6.0), [0.0, 0.0, 0.0], method="Radau", rtol=1e-11, atol=1e-13, t_eval=t)
    m = pushed(ss.LuGre(**truth))
    m.add_force("body", ss.Sine(amplitude=1.8, frequency=1.3))
    factors = (1 / 1.3, 1.3, 1.3, 1.3, 1 / 1.3, 1.3)
    near = {f"guide.law.{name}": f * value for f, (name, value) in zip(factors, truth.items(), strict=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fit(m, near, {"body.position": (t, made.y[0]), "body.velocity": (t, made.y[1])})
    assert found.success and list(found.parameters.values()) == pytest.approx([*truth.values()], rel=2e-7)


def test_exhausted_evaluations_are_reported_first() -> None:
    t = np.linspace(0.0, 4.0, 401)
    data = {"body.position": (t, by_scipy(1.0, 0.8, t))}
    names = ["guide.law.kinetic", "guide.law.coefficient"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fit(pushed(ss.Coulomb(0.1) + ss.Viscous(0.0)), names, data, max_evaluations=2)
    assert not found.success and found.message.startswith("max_evaluations is reached; ")
