"""Derivatives by the values of a signal on a grid of times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stickslip as ss
from stickslip.run.varied import Profile

T, MASS = 4.0, 2.0


def free(force: Any = 0.0) -> ss.Machine:
    m = ss.Machine(mass=MASS, names=["q"])
    m.add_force("q", force)
    return m


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_gradient_by_held_force_matches_closed_form(mode: Any) -> None:
    """x(T) = sum over intervals of F_k (h²/2 + h (T - t_k - h))/m, from a force that is zero everywhere."""
    t = np.linspace(0.0, 3.8, 20)
    value, gradient = ss.value_and_grad(
        lambda run: run.at(T)["q.position"][0], free(), [Profile("q.force", t, "hold")], t_end=T, mode=mode
    )(np.zeros(20))
    h = np.diff([*t, T])
    assert value == 0.0
    assert gradient == pytest.approx(h * (0.5 * h + T - t - h) / MASS, rel=1e-12)


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_gradient_by_lines_and_splines_matches_closed_form(kind: Any) -> None:
    """x(T) is linear in the values: the integral of (T - t) f_k(t) / m, by Gauss's rule in each interval."""
    t = np.array([0.0, 0.3, 1.0, 1.7, 2.1, 4.0])
    profile = Profile("q.force", t, kind)
    gradient = ss.value_and_grad(lambda run: run.at(T)["q.position"][0], free(), [profile], t_end=T)(
        np.sin(t)
    )[1]
    points, weights = np.polynomial.legendre.leggauss(4)
    half = 0.5 * np.diff(t)
    at = (0.5 * (t[1:] + t[:-1])[:, None] + half[:, None] * points).ravel()
    weight = (half[:, None] * weights).ravel() * (T - at) / MASS
    expected = [profile.made(row)(at) @ weight for row in np.eye(t.size)]
    assert gradient == pytest.approx(expected, rel=1e-11)


def chain(load: Any) -> ss.Machine:
    m = ss.Machine(mass=[1.0, 0.8], stiffness=[[3.0, -1.0], [-1.0, 2.0]], names=["a", "b"])
    law = ss.Stribeck(1.0, 0.7, 0.1, viscous=0.05)
    m.add_friction("f", on="a", law=law, normal_load=load, surface_velocity=0.2)
    m.add_friction("g", on="b", law=ss.Coulomb(0.3, 0.2))
    return m


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_gradient_by_load_profile_matches_differences_of_runs(mode: Any) -> None:
    """Stick-slip under a normal load that changes along straight lines."""
    t = np.linspace(0.0, 20.0, 9)
    profile = Profile("f.normal_load", t)
    values = 1.0 + 0.2 * np.cos(t)

    def of(run: Any) -> Any:
        return np.sum(run.at(np.linspace(5.0, 20.0, 7))["b.position"])

    options: dict[str, Any] = {"t_end": 20.0, "rtol": 1e-11}
    value, gradient = ss.value_and_grad(of, chain(ss.Samples(t, values)), [profile], mode=mode, **options)(
        values
    )

    def central(k: int, h: float) -> float:
        ends = [
            of(ss.simulate(chain(ss.Samples(t, values + s * h * np.eye(9)[k])), **options)) for s in (1, -1)
        ]
        return float(ends[0] - ends[1]) / (2.0 * h)

    assert value == pytest.approx(of(ss.simulate(chain(ss.Samples(t, values)), **options)), rel=1e-12)
    expected = [(4.0 * central(k, 1e-4) - central(k, 2e-4)) / 3.0 for k in (0, 3, 5)]
    assert gradient[[0, 3, 5]] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_two_hundred_values_by_both_modes_agree() -> None:
    """The adjoint and the tangents of a block that is pushed over its friction."""
    m = free(0.0)
    m.add_friction("guide", on="q", law=ss.Coulomb(1.0, 0.8))
    t = np.linspace(0.0, T, 200)
    p = [*(2.0 * np.sin(3.0 * t)), 1.0]
    found = [
        ss.value_and_grad(
            lambda run: run.at(T)["q.position"][0] ** 2,
            m,
            [Profile("q.force", t), "guide.law.static"],
            t_end=T,
            mode=mode,
        )(p)[1]
        for mode in ("forward", "reverse")
    ]
    assert found[0].size == 201
    assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-12)


def test_single_values_are_named_parameters_of_a_run() -> None:
    """A jump of a piecewise force: v(T) changes by the integral of the hat over m."""
    profile = Profile("q.force", [0.0, 1.0, 1.0, 2.0])
    run = ss.simulate(free(0.5), 2.0, sensitivities=[profile, "q.mass"])
    assert run.sensitivity.parameters[1] == "q.force.values[1]"
    assert run.sensitivity.end[1] == pytest.approx([0.25, 0.25, 0.25, 0.25, -0.25], rel=1e-12)


def test_bad_profiles_are_refused() -> None:
    with pytest.raises(ValueError, match="at least two times"):
        Profile("q.force", [0.0])
    with pytest.raises(ValueError, match="kind = 'steps' is not allowed"):
        Profile("q.force", [0.0, 1.0], "steps")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="which is no signal of the machine"):
        ss.simulate(free(), 1.0, sensitivities=[Profile("q.mass", [0.0, 1.0])])
    with pytest.raises(ValueError, match="is given twice"):
        ss.simulate(free(), 1.0, sensitivities=[Profile("q.force", [0.0, 1.0])] * 2)
