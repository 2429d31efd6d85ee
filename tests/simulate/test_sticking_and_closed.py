"""Sticking elements keep the velocity of their surface, and contacts that press stay closed, however long the run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stickslip as ss

T_END = 200.0
LAWS = {
    "exact": ss.Coulomb(static=1.0, kinetic=0.8),
    "by steps": ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.01, viscous=0.1),
    "with states": ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.8), memory=0.5),
}


def _pull(of_the_motion: bool) -> Any:
    """A force of at most 0.3 N, as a signal or as a function of the motion, so that nothing is linear."""
    return (lambda q: 0.3 * ss.sin(50.0 * q["block"])) if of_the_motion else ss.Sine(0.3, 0.37)


@pytest.mark.parametrize("of_the_motion", [False, True])
@pytest.mark.parametrize("law", LAWS)
def test_sticking_element_has_the_velocity_of_its_surface(law: str, of_the_motion: bool) -> None:
    """The surface has v = 0.1 sin(2 pi t): its acceleration of 0.63 m/s^2 and 0.3 N stay below the static level."""
    m = ss.Machine(mass=1.0, names=["block"], force={"block": _pull(of_the_motion)})
    surface = ss.Sine(amplitude=0.1, frequency=1.0)
    m.add_friction("belt", on="block", law=LAWS[law], surface_velocity=surface)
    run = ss.simulate(m, T_END, dt=0.037)
    assert run.success and len(run.events) == 0 and (run["belt.mode"] == int(ss.Mode.STICK)).all()
    speed = 0.1 * np.sin(2.0 * np.pi * run.t)
    place = 0.1 * (1.0 - np.cos(2.0 * np.pi * run.t)) / (2.0 * np.pi)
    assert np.abs(run["block.velocity"] - speed).max() < 1e-13
    assert np.abs(run["block.position"] - place).max() < (1e-8 if of_the_motion else 5e-12)


@pytest.mark.parametrize("of_the_motion", [False, True])
def test_contact_that_presses_stays_closed(of_the_motion: bool) -> None:
    """1 N presses on a tilted floor less 0.3 N at most; the gap stays zero while the block slides along."""
    tilt = np.array([np.sin(0.3), np.cos(0.3)])
    force = {"block": _pull(of_the_motion), "height": -1.0}
    m = ss.Machine(mass=[1.0, 1.0], names=["block", "height"], damping=0.5, force=force)
    m.add_contact("floor", normal={"block": tilt[0], "height": tilt[1]})
    run = ss.simulate(m, T_END, dt=0.037)
    assert run.success and len(run.events) == 0 and run["floor.normal_force"].min() > 0.5
    size = np.abs(run["block.position"]).max()
    assert np.abs(run["floor.gap"]).max() < 1e-14 * (1.0 + size)
    rate = tilt[0] * run["block.velocity"] + tilt[1] * run["height.velocity"]
    assert np.abs(rate).max() < 1e-14
