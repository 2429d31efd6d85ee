"""Exact motion is right to rounding beside a coordinate that nothing but a spring off its rest moves."""

from __future__ import annotations

import numpy as np

import stickslip as ss

MASS, STIFFNESS, REST = 0.5, 6000.0, -0.025
OMEGA = np.sqrt(STIFFNESS / MASS)


def _beside() -> ss.Machine:
    """`slow` is moved at once by a spring with backlash; `first`, which has a force, reaches it through a soft one."""
    m = ss.Machine(mass=[5.0, 5.0, MASS], names=["first", "slow", "fast"], force={"first": 0.4})
    m.add_spring("soft", on=("slow", "first"), stiffness=25.0)
    m.add_spring("nut", on="slow", stiffness=600.0, backlash=1e-4, rest=0.04)
    m.add_spring("stiff", on="fast", stiffness=STIFFNESS, rest=REST)
    m.add_contact("wall", normal={"fast": -1.0}, gap=0.05)
    return m


def test_size_is_that_of_the_oscillation_about_rest() -> None:
    """q = r (1 - cos omega t), v = r omega sin omega t."""
    t = np.linspace(0.0, 0.12, 301)
    at = ss.simulate(_beside(), 0.12).at(t)
    q, v = REST * (1.0 - np.cos(OMEGA * t)), REST * OMEGA * np.sin(OMEGA * t)
    assert np.abs(at["fast.position"] - q).max() < 2e-14 * abs(REST)
    assert np.abs(at["fast.velocity"] - v).max() < 2e-14 * abs(REST) * OMEGA


def test_bodies_on_springs_have_sizes() -> None:
    """Within the machine's own time T = 1/omega a force k r carries its mass by k r/m T^2: by r, and r omega_slow^2 T^2."""
    sizes = _beside().scales
    assert abs(sizes["fast.position"] / abs(REST) - 1.0) < 1e-7
    slow = 600.0 / 5.0 * (0.04 - 0.5e-4) / OMEGA**2
    assert abs(sizes["slow.position"] / slow - 1.0) < 1e-7


def test_driven_parts_inherit_sizes_from_their_drivers() -> None:
    """A motor with a torque; a wheel behind a flank of ratio 2, and a load that a guide drags, have none of their own."""
    m = ss.Machine(
        mass=[1.0, 1.0, 1.0], damping=[2.0, 0.0, 0.0], names=["motor", "wheel", "load"], force={"motor": 3.0}
    )
    m.add_contact("flank", normal={"motor": -1.0, "wheel": 2.0})
    m.add_friction("guide", on=("wheel", "load"), law=ss.Viscous(0.1))
    sizes = m.scales
    assert sizes["wheel.velocity"] == 0.5 * sizes["motor.velocity"] > 0.0
    assert sizes["load.velocity"] == sizes["wheel.velocity"]
    assert sizes["load.position"] == 0.5 * sizes["motor.position"] > 0.0


def test_sizes_do_not_depend_on_the_order_of_adding() -> None:
    """Pushed by two motors it goes as fast as the faster one, whichever comes first."""
    found = []
    for order in (("slow", "fast"), ("fast", "slow")):
        m = ss.Machine(
            mass=[1.0, 1.0, 1.0], damping=[2.0, 2.0, 0.0], names=["slow", "fast", "wheel"],
            force={"slow": 1.0, "fast": 5.0},
        )  # fmt: skip
        for motor in order:
            m.add_contact(f"flank of {motor}", normal={motor: -1.0, "wheel": 1.0})
        assert (
            m.scales["wheel.velocity"] == m.scales["fast.velocity"] == 5.0 * m.scales["slow.velocity"] > 0.0
        )
        found.append(m.scales["wheel.position"])
    assert found[0] == found[1] > 0.0
