"""Planetary gears, differentials and shafts without inertia, in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss
from stickslip import parts


def test_planetary_gear_distributes_torques_as_one_to_ratio() -> None:
    """sun + z ring = (1 + z) carrier: with the torque T on the sun, l is the force of M w' = T - W l, W'w' = 0."""
    inertias, row, torque = np.array([0.1, 2.0, 0.7]), np.array([1.0, -3.5, 2.5]), 3.0
    force = row[0] * torque / inertias[0] / (row**2 / inertias).sum()
    drive = ss.Drive()
    for name, inertia in zip(("sun", "carrier", "ring"), inertias, strict=True):
        drive.add(name, parts.Inertia(inertia))
    drive.add("gear", parts.Planetary(ratio=2.5), between=("sun", "carrier", "ring"))
    drive.add_force("sun", torque)
    run = ss.simulate(drive, 1.0)
    accelerations = (np.array([torque, 0.0, 0.0]) - row * force) / inertias
    found = [run[f"{name}.velocity"][-1] for name in ("sun", "carrier", "ring")]
    assert found == pytest.approx(accelerations, rel=1e-13)
    assert run["gear.force"][-1] == pytest.approx(force, rel=1e-13)


def test_shaft_without_inertia_between_gears_only_transmits() -> None:
    """Ratios 3 and 2, and friction, a spring and a torque on the shaft: as on a motor of the inertia J + J_load/36."""
    m = ss.Machine(mass=[0.2, 0.0, 5.0], names=["motor", "shaft", "load"], kind="rotary")
    m.add_gear("first", on=("motor", "shaft"), ratio=3.0, efficiency=1.0)
    m.add_gear("second", on=("shaft", "load"), ratio=2.0, efficiency=1.0)
    m.add_friction("bearing", on="shaft", law=ss.Coulomb(static=0.6, kinetic=0.3))
    m.add_spring("spring", on="shaft", stiffness=4.0)
    m.add_force("shaft", ss.Sine(amplitude=3.0, frequency=0.4))
    alone = ss.Machine(mass=0.2 + 5.0 / 36.0, names=["motor"], kind="rotary")
    alone.add_friction("bearing", on={"motor": 1.0 / 3.0}, law=ss.Coulomb(static=0.6, kinetic=0.3))
    alone.add_spring("spring", on={"motor": 1.0 / 3.0}, stiffness=4.0)
    alone.add_force({"motor": 1.0 / 3.0}, ss.Sine(amplitude=3.0, frequency=0.4))
    times = np.linspace(0.0, 10.0, 201)
    runs = [ss.simulate(machine, 10.0, t_eval=times) for machine in (m, alone)]
    assert len(runs[0].events) == len(runs[1].events) > 5
    assert runs[0]["motor.position"] == pytest.approx(runs[1]["motor.position"], abs=1e-12)
    # The torque of the second gear moves the load: l = 5 w_load'.
    assert runs[0]["second.force"] == pytest.approx(5.0 * runs[0]["load.acceleration"] / 2.0, abs=1e-11)
    assert runs[0].energy.residual < 1e-12


def test_massless_input_of_a_differential_halves_its_torque() -> None:
    drive = ss.Drive()
    drive.add("shaft", parts.Inertia(0.0))
    drive.add("left", parts.Inertia(1.0))
    drive.add("right", parts.Inertia(3.0))
    drive.add("axle", parts.Differential(ratio=4.0), between=("shaft", "left", "right"))
    drive.add_force("shaft", 10.0)
    run = ss.simulate(drive, 1.0)
    assert run["left.velocity"][-1] == pytest.approx(20.0, rel=1e-13)
    assert run["right.velocity"][-1] == pytest.approx(20.0 / 3.0, rel=1e-13)


def test_coordinates_without_mass_need_a_constraint() -> None:
    m = ss.Machine(mass=[1.0, 0.0], names=["a", "b"])
    with pytest.raises(ValueError, match="mass of 'b' = 0"):
        ss.simulate(m, 1.0)
    m.add_constraint("tie", on=("a", "b"))
    ss.simulate(m, 1.0)
    free = ss.Machine(mass=[1.0, 0.0, 0.0], names=["a", "b", "c"])
    free.add_constraint("tie", on=("b", "c"))
    with pytest.raises(ValueError, match="mass of '[bc]' = 0"):
        ss.simulate(free, 1.0)
    with pytest.raises(ValueError, match="> 0, or 0"):
        ss.Machine(mass=[1.0, -1.0])


def test_links_of_three_shafts_name_their_bodies() -> None:
    drive = ss.Drive()
    with pytest.raises(ValueError, match="the names of 3 bodies"):
        drive.add("gear", parts.Planetary(2.0))
    with pytest.raises(ValueError, match="the names of 2 bodies"):
        drive.add("gear", parts.Gear(2.0), between=("a", "b", "c"))
    for name in ("a", "b"):
        drive.add(name, parts.Inertia(1.0))
    drive.add("gear", parts.Planetary(2.0), between=("a", "b", "a"))
    with pytest.raises(ValueError, match="different bodies"):
        drive.machine
    with pytest.raises(ValueError, match="positive|> 0"):
        parts.Planetary(-1.0)
    with pytest.raises(ValueError, match="other than zero"):
        parts.Differential(0.0)
