"""Where the curve of a law has a corner within the variation of a parameter, derivatives end with a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stickslip as ss

STRIBECK = {"stiffness": 1e3, "damping": 10.0, "kinetic": 1.0, "static": 1.5, "stribeck_velocity": 0.1}
LAWS: dict[str, tuple[type[ss.Law], dict[str, Any]]] = {
    "Dahl": (ss.Dahl, {"stiffness": 1e3, "kinetic": 1.0, "exponent": 1.5}),
    "ElastoPlastic": (ss.ElastoPlastic, {**STRIBECK, "elastic_limit": 5e-4}),
    "LuGre": (ss.LuGre, STRIBECK),
}


def shaken(law: ss.Law) -> ss.Machine:
    m = ss.Machine(
        mass=1.0, stiffness=2.0, names=["slide"], force={"slide": ss.Sine(amplitude=3.0, frequency=0.5)}
    )
    m.add_friction("guide", on="slide", law=law)
    return m


@pytest.mark.parametrize(
    ("law", "name"),
    [
        ("Dahl", "stiffness"), ("Dahl", "kinetic"), ("ElastoPlastic", "stiffness"), ("ElastoPlastic", "kinetic"),
        ("LuGre", "stiffness"), ("LuGre", "kinetic"), ("LuGre", "static"), ("LuGre", "stribeck_velocity"),
    ],
)  # fmt: skip
def test_derivatives_at_corners_of_a_law_are_right_or_end(law: str, name: str) -> None:
    kind, numbers = LAWS[law]
    parameter, signals = f"guide.law.{name}", ["slide.position", "slide.velocity"]
    run = ss.simulate(shaken(kind(**numbers)), 3.0, sensitivities=[parameter], rtol=1e-10)
    end = run.sensitivity.valid_until
    if law == "LuGre":
        assert end.time == np.inf
    else:
        assert 0.05 < end.time < 3.0
        assert end.reason == f"'guide': its law is not smooth next to this value of '{parameter}'"
    t = np.linspace(0.0, min(end.time, 3.0), 40)[1:-1]
    value = numbers[name]

    def there(share: float) -> np.ndarray:
        varied = kind(**{**numbers, name: value * (1.0 + share)})
        other = ss.simulate(shaken(varied), 3.0, rtol=1e-12).at(t)
        return np.array([other[s] for s in signals])

    h = 1e-4
    coarse, fine = ((there(k) - there(-k)) / (2.0 * k * value) for k in (h, h / 2))
    truth = (4.0 * fine - coarse) / 3.0
    sampled = run.at(t).sensitivity
    for own, other in zip((sampled[s, parameter] for s in signals), truth, strict=True):
        assert np.abs(own - other).max() < 2e-6 * np.abs(other).max()


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
