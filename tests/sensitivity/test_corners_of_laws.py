"""Derivatives by the parameters and signals of laws whose slopes have corners."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss
from sensitivity.differences import varied
from sensitivity.random_machines import parameters
from stickslip.identify._present import present_number

LEVELS = {"kinetic": 1.0, "static": 1.5, "stribeck_velocity": 0.1, "shape": 1.6}
VISCOUS = {"viscous": 0.3, "viscous_exponent": 1.3}
BRISTLE = {"stiffness": 1e3, "damping": 10.0, **LEVELS, **VISCOUS}
LAWS: dict[str, ss.Law] = {
    "Coulomb": ss.Coulomb(1.5, 1.0),
    "Stribeck": ss.Stribeck(**LEVELS, **VISCOUS),
    "Lorentzian": ss.Stribeck(**LEVELS, **VISCOUS, form="lorentzian"),
    "Tanh": ss.Tanh(width=0.05, **LEVELS, **VISCOUS),
    "Dahl": ss.Dahl(stiffness=1e3, kinetic=1.0, exponent=1.5),
    "Dahl, level in finite time": ss.Dahl(stiffness=1e3, kinetic=1.0, exponent=0.7),
    "ElastoPlastic": ss.ElastoPlastic(**BRISTLE, elastic_limit=5e-4),
    "LuGre": ss.LuGre(**BRISTLE, damping_velocity=0.2),
    "normalised LuGre": ss.LuGre(**BRISTLE, damping_velocity=0.2, normalised=True),
    "TwoStateBristle": ss.TwoStateBristle(**BRISTLE, alpha=200.0),
    "BoucWen": ss.BoucWen(stiffness=1e3, kinetic=1.0, exponent=1.4, beta=0.7),
    "Leuven": ss.Leuven(**BRISTLE, height=2.0, exponent=1.2),
    "MaxwellSlip": ss.MaxwellSlip(stiffness=[400.0, 600.0], attraction=20.0, **LEVELS, **VISCOUS),
    "sum": ss.LuGre(**BRISTLE) + ss.Tanh(width=0.05, **LEVELS),
}


def shaken(law: ss.Law, **signals: float) -> ss.Machine:
    m = ss.Machine(
        mass=1.0, stiffness=2.0, names=["slide"], force={"slide": ss.Sine(amplitude=3.0, frequency=0.5)}
    )
    m.add_friction("guide", on="slide", law=law, **signals)
    return m


def assert_derivatives_match_differences(m: ss.Machine, names: list[str]) -> None:
    """Against central differences of runs, extrapolated once."""
    signals, t = ["slide.position", "slide.velocity"], np.linspace(0.03, 2.95, 40)
    run = ss.simulate(m, 3.0, sensitivities=names, rtol=1e-11)
    assert run.sensitivity.valid_until.time == np.inf, run.sensitivity.valid_until.reason
    sampled = run.at(t).sensitivity
    for name in names:
        value = present_number(m, name, {})
        assert value

        def there(share: float, name: str = name, value: float = value) -> np.ndarray:
            other = ss.simulate(varied(m, name, value * (1.0 + share)), 3.0, rtol=1e-12).at(t)
            return np.array([other[s] for s in signals])

        own = np.array([sampled[s, name] for s in signals])
        agree = []
        for h in (1e-3, 1e-4):  # an event may lie between the first ones, rounding shows in the others
            coarse, fine = ((there(k) - there(-k)) / (2.0 * k * value) for k in (h, h / 2))
            truth = (4.0 * fine - coarse) / 3.0
            agree.append(np.abs(own - truth).max(axis=1) <= 2e-6 * np.abs(truth).max(axis=1))
        assert np.any(agree, axis=0).all(), name


@pytest.mark.parametrize("law", LAWS)
def test_derivatives_by_every_number_of_a_law_agree_with_differences(law: str) -> None:
    """Also where slopes have corners: bristles reverse, and leave their elastic range."""
    m = shaken(LAWS[law])
    every = parameters(m, np.random.default_rng(0), 100)
    assert_derivatives_match_differences(m, [name for name in every if name.startswith("guide.law.")])


# Its force and its rate read the normal load.
SOFT_BRISTLE = ss.FormulaLaw(
    lambda v, load, z: 800.0 * z * (1.0 + 0.2 * load),
    {"z": lambda v, load, z: v - 800.0 * abs(v) * z / (1.0 + 0.1 * load)},
    states={"z": 0.0},
)


@pytest.mark.parametrize("law", [*LAWS, "formula"])
def test_derivatives_by_surface_velocity_and_load_agree_with_differences(law: str) -> None:
    """Also where the block reverses on its belt."""
    m = shaken(LAWS.get(law, SOFT_BRISTLE), surface_velocity=0.2, normal_load=1.3)
    assert_derivatives_match_differences(m, ["guide.surface_velocity", "guide.normal_load"])


@pytest.mark.parametrize("blocks", [2, 5])
def test_bristles_that_reach_their_level_together_keep_their_derivatives(blocks: int) -> None:
    """In finite time and without a jump of a rate, so that the order in which they do so changes nothing."""
    m = ss.Machine(mass=np.ones(blocks), stiffness=5.0 * np.eye(blocks))
    law = ss.Dahl(stiffness=1257.0, kinetic=0.51, exponent=0.7)
    for i, name in enumerate(m.names):
        m.add_friction(f"belt{i}", on=name, law=law, surface_velocity=0.8, normal_load=1.31)
    name, t = "belt0.normal_load", np.linspace(0.0, 2.0, 41)
    run = ss.simulate(m, 2.0, sensitivities=[name], rtol=1e-10)
    assert run.sensitivity.valid_until.time == np.inf, run.sensitivity.valid_until.reason
    one, other = (ss.simulate(varied(m, name, 1.31 * k), 2.0, rtol=1e-12).at(t) for k in (1.0001, 0.9999))
    truth = (one["q0.velocity"] - other["q0.velocity"]) / 2.62e-4
    own = run.at(t).sensitivity["q0.velocity", name]
    assert own == pytest.approx(truth, abs=1e-8 * np.abs(truth).max())


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
def test_steps_end_at_the_corners_of_a_table(rtol: float) -> None:
    """On a slide that nothing else moves load and time stretch one another, so that dv/dN = (t / N) dv/dt.

    A step ends where a stretch of the table does, and its slopes are those before the corner: those behind it would be
    off by 2e-3, 4e-5 and 7e-7.
    """
    load, law = 1.3, ss.Table([0.0, 0.4, 0.7, 1.0], [0.5, 0.3, 0.8, 0.9])
    m = ss.Machine(mass=2.0, names=["slide"])
    m.add_friction("rail", on="slide", law=law, normal_load=load)
    options = {"initial": {"slide.velocity": 1.2}, "rtol": rtol, "max_step": 0.1}
    run = ss.simulate(m, 2.0, sensitivities=["rail.normal_load"], **options)
    assert run["slide.velocity"][-1] > 0.01
    t = np.linspace(0.0, 2.0, 101)
    sampled = run.at(t)
    force = np.interp(np.abs(sampled["slide.velocity"]), law.velocities, law.forces)
    off = sampled.sensitivity["slide.velocity", "rail.normal_load"] + t * force / 2.0
    assert np.abs(off).max() < {1e-6: 4e-9, 1e-9: 1e-10, 1e-12: 3e-13}[rtol]
