"""Laws fitted to records of force under a measured velocity: presliding and sliding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stickslip as ss
from identify.to_be_found import LAWS
from stickslip.identify import driven, fit
from stickslip.identify._present import present_number

T = np.linspace(0.0, 3.96, 793)
# Growing loops of at most 1.5 mm for 2 s, in which bristles bend, then sliding at up to 0.3 m/s.
TRAVEL = 1.5e-3 * (0.5 + 0.25 * T) * np.sin(2.0 * np.pi * 1.5 * T)
VELOCITY = np.where(T < 2.0, np.gradient(TRAVEL, T), 0.15 * (T - 2.0) * np.sin(2.0 * np.pi * (T - 2.0)))
BRISTLES = (
    "LuGre",
    "Dahl",
    "TwoStateBristle",
    "ElastoPlastic",
    "MaxwellSlip",
    "BoucWen",
    "Leuven",
    "StickSlip",
)


@pytest.mark.parametrize("name", BRISTLES)
def test_parameters_without_noise_are_recovered(name: str) -> None:
    """The record is what the law itself answers, without any machine; worst 2e-7, by the tolerance of runs."""
    law, near = LAWS[name]
    m = driven(law, T, VELOCITY)
    record = law.response(T, VELOCITY).force
    start = {f"guide.law.{parameter}": value for parameter, value in near.items()}
    found = fit(m, start, {"guide.force": (T, record)}, rtol=1e-9)
    assert found.success, found.message
    for parameter, value in found.parameters.items():
        assert value == pytest.approx(present_number(m, parameter, {}), rel=1e-6), parameter


@pytest.mark.parametrize("law", [ss.Coulomb(1.0), ss.Stribeck(1.5, 1.0, 0.1, viscous=0.4), LAWS["Dahl"][0]])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_force_of_driven_law_equals_its_response(law: ss.Law, size: float) -> None:
    """The force is that of the law alone, whatever the sizes of load and velocity; where it slides, for dry laws."""
    m = driven(law, T, VELOCITY, normal_load=size)
    run = ss.simulate(m, float(T[-1]), t_eval=T, rtol=1e-11)
    alone = law.response(T, VELOCITY, normal_load=size).force
    slides = np.abs(VELOCITY) > 1e-9
    np.testing.assert_allclose(
        run["guide.force"][slides], alone[slides], rtol=1e-9, atol=1e-9 * np.abs(alone).max()
    )


def test_parameters_per_unit_load_are_recovered_under_noise() -> None:
    """Per unit of load: with the load as it is, levels come out as they are."""
    law, near = LAWS["LuGre"]
    load, rng = 2.0, np.random.default_rng(7)
    force = law.response(T, VELOCITY, normal_load=load).force
    noisy = force + 0.01 * force.std() * rng.normal(size=T.size)
    m = driven(law, T, VELOCITY, normal_load=load, name="rail")
    start = {f"rail.law.{parameter}": value for parameter, value in near.items()}
    found = fit(m, start, {"rail.force": (T, noisy)}, tolerance=1e-8)
    for name, value in found.parameters.items():
        assert abs(value - present_number(m, name, {})) < 3.5 * found.stderr[name], name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (dict(law=-3.0), "law = -3.0"),
        (dict(t=T[::-1]), "t must increase"),
        (dict(t=T[:2], velocity=VELOCITY[:2]), "too few points"),
        (dict(velocity=VELOCITY[1:]), "has 792 samples"),
        (dict(velocity=np.where(T == T[3], np.nan, VELOCITY)), r"velocity\[3\] = nan"),
        (dict(velocity=np.zeros(T.size)), "velocity is zero throughout"),
        (dict(normal_load=-1.0), "normal_load = -1.0"),
    ],
)
def test_bad_input_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        driven(**(dict(law=ss.Dahl(stiffness=1e3, kinetic=1.0), t=T, velocity=VELOCITY) | change))


def test_a_number_is_a_law() -> None:
    assert driven(0.3, T, VELOCITY).to_dict() == driven(ss.Coulomb(0.3), T, VELOCITY).to_dict()
