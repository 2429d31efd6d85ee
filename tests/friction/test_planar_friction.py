"""Friction over speed in two directions: sliding against the velocity vector, sticking within a polygon."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

LOAD = 9.81
STRIBECK = ss.Stribeck(static=0.3, kinetic=0.2, stribeck_velocity=0.1)


def pad(facets: int = 8, law: ss.Law | float = STRIBECK, **plant: object) -> ss.Machine:
    """A body of 1 kg on a plane."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], **plant)  # type: ignore[arg-type]
    m.add_planar_friction("pad", on=("x", "y"), law=law, normal_load=LOAD, facets=facets)
    return m


def total(run: ss.Trajectory, facets: int) -> np.ndarray:
    angles = 2.0 * np.pi / facets * np.arange(facets // 2)
    forces = np.array([run[f"pad[{k}].force"] for k in range(facets // 2)])
    return np.array([np.cos(angles) @ forces, np.sin(angles) @ forces])


@pytest.mark.parametrize("facets", [4, 6, 8, 16])
@pytest.mark.parametrize("angle", [0.1, 1.3, 2.9, 4.0])
def test_sliding_friction_opposes_the_velocity_vector(facets: int, angle: float) -> None:
    e = np.array([math.cos(angle), math.sin(angle)])
    run = ss.simulate(
        pad(facets), 0.01, dt=0.005, initial={"x.velocity": 0.1 * e[0], "y.velocity": 0.1 * e[1]}
    )
    level = (0.2 + 0.1 * math.exp(-1.0)) * LOAD
    np.testing.assert_allclose(total(run, facets)[:, 0], level * e, rtol=0.0, atol=1e-9)


def test_motion_under_a_turning_force_agrees_with_scipy() -> None:
    w, force, k = 3.0, 8.0, 20.0
    turning = {
        "x": ss.Sine(force, w / (2 * math.pi)),
        "y": ss.Sine(force, w / (2 * math.pi), phase=math.pi / 2),
    }
    start = [0.0, 0.0, 0.3, -0.7]
    run = ss.simulate(
        pad(force=turning, stiffness=[k, k]), 5.0, dt=0.5, rtol=1e-10,
        initial={"x.velocity": start[2], "y.velocity": start[3]},
    )  # fmt: skip

    def rates(t: float, y: np.ndarray) -> list[float]:
        v = math.hypot(y[2], y[3])
        level = LOAD * (0.2 + 0.1 * math.exp(-((v / 0.1) ** 2)))
        return [
            y[2], y[3],
            force * math.sin(w * t) - k * y[0] - level * y[2] / v,
            force * math.cos(w * t) - k * y[1] - level * y[3] / v,
        ]  # fmt: skip

    truth = solve_ivp(rates, (0.0, 5.0), start, "DOP853", run.t, rtol=1e-12, atol=1e-13).y
    np.testing.assert_allclose(run.y, truth, atol=1e-9)
    assert run.energy.residual < 1e-11


def test_straight_slide_ends_in_the_closed_form() -> None:
    # Constant deceleration µ g along the initial direction
    run = ss.simulate(pad(law=0.2), 1.0, initial={"x.velocity": 0.6, "y.velocity": 0.8}, rtol=1e-10)
    distance = 1.0 / (2.0 * 0.2 * LOAD)
    np.testing.assert_allclose(run.y[:2, -1], [0.6 * distance, 0.8 * distance], atol=1e-9)
    np.testing.assert_allclose(run.y[2:, -1], 0.0, atol=1e-15)
    stops = [e.time for e in run.events if str(e.after) == "stick"]
    np.testing.assert_allclose(stops, 1.0 / (0.2 * LOAD), atol=1e-6)  # rest_velocity/(µ g)


@pytest.mark.parametrize("angle", [0.0, math.pi / 8, 1.0, 3.5])
def test_body_rests_within_the_polygon_creeps_up_to_the_circle_and_slides_beyond(angle: float) -> None:
    e = math.cos(angle), math.sin(angle)
    for share, least, most in (
        (0.999 * math.cos(math.pi / 8), 0.0, 1e-15),
        (0.999, 0.0, 1e-5),
        (1.01, 1e-2, 10.0),
    ):
        pull = share * 0.3 * LOAD
        run = ss.simulate(pad(law=0.3, force={"x": pull * e[0], "y": pull * e[1]}), 1.0)
        speed = math.hypot(*run.y[2:, -1])
        assert least <= speed <= most
        if share > 1.0:
            np.testing.assert_allclose(run.y[2:, -1] / speed, e, atol=1e-3)


def test_stick_slip_in_a_plane_passes_the_audit() -> None:
    m = pad()
    for coordinate, speed in (("x", 0.05), ("y", 0.02)):
        m.add_spring(f"pull {coordinate}", on=coordinate, stiffness=20.0, rest=ss.Ramp(slope=speed))
    run = ss.simulate(m, 10.0)
    slips = [e.time for e in run.events.of("pad[0]") if int(e.after) == 1]
    assert len(slips) == 3
    assert run.energy.residual < 1e-7
    assert ss.analysis.audit(run).passed


def test_isolator_on_a_circle_dissipates_its_circumference() -> None:
    # Both coordinates are driven: µ(v) W 2 π D a turn, and the drive pushes along the velocity
    radius, w = 0.1, 2.0
    m = ss.Machine(mass=[3.0, 3.0], names=["x", "y"])
    m.add_constraint("east", on="x", value=ss.Sine(radius, w / (2 * math.pi)))
    m.add_constraint("north", on="y", value=ss.Sine(radius, w / (2 * math.pi), phase=math.pi / 2))
    m.add_planar_friction("pad", on=("x", "y"), law=STRIBECK, normal_load=LOAD)
    run = ss.simulate(m, math.pi, dt=math.pi / 8)
    level = LOAD * (0.2 + 0.1 * math.exp(-((w * radius / 0.1) ** 2)))
    lost = sum(term[-1] for term in run.energy.friction.values())
    assert lost == pytest.approx(level * 2.0 * math.pi * radius, rel=1e-9)
    v = w * radius * np.array([np.cos(w * run.t), -np.sin(w * run.t)])
    a = -(w**2) * radius * np.array([np.sin(w * run.t), np.cos(w * run.t)])
    drive = np.array([run["east.force"], run["north.force"]])
    np.testing.assert_allclose(drive, -(3.0 * a + level * v / (w * radius)), atol=1e-9)


def test_descriptions_are_saved_and_bad_input_is_refused() -> None:
    m = pad()
    assert ss.Machine.from_dict(m.to_dict()) == m
    with pytest.raises(ValueError, match=r"on of 'p' .*two perpendicular directions"):
        m.add_planar_friction("p", on=("x",), law=0.2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"facets of 'p' .*an even number >= 4"):
        m.add_planar_friction("p", on=("x", "y"), law=0.2, facets=5)
    with pytest.raises(ValueError, match=r"law of 'p' .*Coulomb and exponential Stribeck"):
        m.add_planar_friction("p", on=("x", "y"), law=ss.Dahl(stiffness=1e3, kinetic=1.0))
    with pytest.raises(ValueError, match=r"normal_load of 'p' .*a contact takes two tangents"):
        m.add_planar_friction("p", on=("x", "y"), law=0.2, normal_load="floor.normal_force")
    with pytest.raises(ValueError, match=r"rest_velocity of 'p'"):
        m.add_planar_friction("p", on=("x", "y"), law=0.2, rest_velocity=0.0)
