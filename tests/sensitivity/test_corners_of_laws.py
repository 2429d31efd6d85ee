"""Where the curve of a law has a corner within what a parameter is varied by, derivatives end and say so."""

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
def test_no_wrong_number(law: str, name: str) -> None:
    kind, numbers = LAWS[law]
    parameter, signals = f"guide.law.{name}", ["slide.position", "slide.velocity"]
    run = ss.simulate(shaken(kind(**numbers)), 3.0, sensitivities=[parameter], rtol=1e-10)
    end = run.sensitivity.valid_until
    if law == "LuGre":
        assert end.time == np.inf
    else:
        assert 0.05 < end.time < 3.0
        assert end.reason == f"'guide': its law is not smooth beside this value of '{parameter}'"
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
