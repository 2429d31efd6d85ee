"""Derivatives by the numbers from which a gear is built: angles, inertias, the speed of the pull."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import stickslip as ss

WEDGE = ss.machines.wedge_gear(
    upper_mass=2420.0,
    lower_mass=10.878,
    angle=np.deg2rad(12),
    friction=np.tan(np.deg2rad(14)),
    load=100.0,
    stiffness=4000.0,
    pull_velocity=0.01,
)
WORM = ss.machines.worm_gear(
    wheel_inertia=0.875424,
    worm_inertia=1.56e-3,
    wheel_radius=0.05,
    worm_radius=0.036,
    lead_angle=np.deg2rad(3.18),
    friction=0.4,
    load_torque=3.53,
    shaft_stiffness=20.0,
    motor_speed=-0.47,
)


def slope(of: Any, gear: Any, name: str) -> float:
    """Of a closed form, by Richardson's extrapolation of central differences."""
    value = getattr(gear, name)

    def central(h: float) -> float:
        return float(
            of(dataclasses.replace(gear, **{name: value + h})) - of(dataclasses.replace(gear, **{name: value - h}))
        ) / (2.0 * h)  # fmt: skip

    h = 1e-3 * abs(value)
    return (64.0 * central(h / 4) - 20.0 * central(h / 2) + central(h)) / 45.0


@pytest.mark.parametrize(
    ("gear", "names"),
    [
        (WEDGE, ["angle", "lower_mass", "pull_velocity", "stiffness", "friction", "load"]),
        (WORM, ["lead_angle", "worm_inertia", "motor_speed", "shaft_stiffness", "worm_radius"]),
    ],
)
def test_time_of_separation_matches_closed_form(gear: Any, names: list[str]) -> None:
    run = ss.simulate(gear, 1.05 * gear.separation_time, sensitivities=names)
    event = next(e for e in run.events if e.after == ss.Mode.OPEN)
    assert event.time == pytest.approx(gear.separation_time, rel=1e-12)
    assert event.sensitivity is not None
    for name in names:
        expected = slope(lambda g: g.separation_time, gear, name)
        size = event.time / abs(getattr(gear, name))
        assert event.sensitivity[name] == pytest.approx(expected, rel=1e-8, abs=1e-10 * size), name


def test_time_of_meeting_and_gradient_match_closed_form() -> None:
    """Of a gear and a number of its machine together."""
    names = ["angle", "pull_velocity", "upper.mass"]
    value, gradient = ss.value_and_grad(
        lambda run: next(e for e in run.events if e.impact).time, WEDGE, names, t_end=0.3
    )([WEDGE.angle, WEDGE.pull_velocity, WEDGE.upper_mass])
    assert value == pytest.approx(WEDGE.meeting_time, rel=1e-10)
    expected = [slope(lambda g: g.meeting_time, WEDGE, n) for n in ("angle", "pull_velocity", "upper_mass")]
    assert gradient == pytest.approx(expected, rel=1e-7)


def test_argument_that_is_no_number_is_refused() -> None:
    with pytest.raises(
        ValueError, match="sensitivities = 'impact' is not allowed: it must be a number of WedgeGear"
    ):
        ss.simulate(WEDGE, 0.1, sensitivities=["impact"])
    with pytest.raises(ValueError, match="unknown parameter 'tilt'"):
        ss.simulate(WEDGE, 0.1, sensitivities=["tilt"])
    with pytest.raises(
        ValueError, match="mode = 'reverse' is not possible here: the machine is built anew for 'angle'"
    ):
        ss.value_and_grad(
            lambda run: run.at(0.1)["upper.position"][0], WEDGE, ["angle"], t_end=0.1, mode="reverse"
        )([WEDGE.angle])
