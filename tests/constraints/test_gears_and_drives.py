"""Gears, couplings and prescribed motions whose motion can be written down."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss


def test_gear_breaks_away_and_stops_by_its_shaft_torque() -> None:
    """J1 + J2/i² turned by T(t) = T0 t against friction F on the wheel: away at T i = Fs, stopped by symmetry."""
    ratio, j1, j2, static, kinetic = 3.0, 0.02, 0.5, 4.0, 3.0
    m = ss.Machine(mass=[j1, j2], names=["motor", "wheel"], force={"motor": ss.Ramp(slope=1.0)})
    m.add_constraint("gear", on={"motor": 1.0, "wheel": -ratio})
    m.add_friction("bearing", on="wheel", law=ss.Coulomb(static=static, kinetic=kinetic))
    run = ss.simulate(m, t_end=3.0, dt=0.25)
    (away,) = run.events
    assert away.time == pytest.approx(static / ratio, rel=1e-14)
    t0, inertia = static / ratio, j1 * ratio**2 + j2  # on the wheel
    tau = np.maximum(run.t - t0, 0.0)
    speed = (ratio * (t0 * tau + 0.5 * tau**2) - kinetic * tau) / inertia
    assert run["wheel.velocity"] == pytest.approx(speed, rel=1e-12, abs=1e-13)
    assert run["motor.velocity"] == pytest.approx(ratio * speed, rel=1e-12, abs=1e-13)
    # F passes from the first to the second: the motor feels -F, the wheel i F.
    assert run["gear.force"] == pytest.approx(run.t - j1 * run["motor.acceleration"], abs=1e-12)
    assert ratio * run["gear.force"] == pytest.approx(
        j2 * run["wheel.acceleration"] + run["bearing.force"], abs=1e-12
    )
    assert run.energy.residual < 1e-13
    assert run.energy.constraints["gear"] == pytest.approx(np.zeros(run.t.size), abs=1e-15)


def test_prescribed_motion_supplies_all_energy() -> None:
    """A cart moved as A sin(wt) with a mass on a spring behind it: force, work and the swing of the mass."""
    a, w, cart, mass, k = 0.05, 3.0, 2.0, 1.0, 16.0
    m = ss.Machine(
        mass=[cart, mass], stiffness=[[k, -k], [-k, k]], names=["cart", "mass"],
    )  # fmt: skip
    m.add_constraint("shaker", on="cart", value=ss.Sine(a, w / (2.0 * np.pi)))
    run = ss.simulate(m, t_end=5.0, dt=0.01)
    t, natural = run.t, np.sqrt(k / mass)
    assert run["cart.position"] == pytest.approx(a * np.sin(w * t), abs=1e-16)
    assert run["cart.velocity"] == pytest.approx(a * w * np.cos(w * t), abs=1e-15)
    forced = a * natural**2 / (natural**2 - w**2)
    swing = forced * (np.sin(w * t) - w / natural * np.sin(natural * t))
    assert run["mass.position"] == pytest.approx(swing, abs=1e-14)
    held = cart * a * w**2 * np.sin(w * t) + k * (swing - a * np.sin(w * t))  # F = -cart x'' + spring
    assert run["shaker.force"] == pytest.approx(held, abs=1e-12)
    stored = run.energy.kinetic + run.energy.elastic
    assert run.energy.constraints["shaker"] == pytest.approx(stored - stored[0], abs=1e-13)
    assert run.energy.residual < 1e-12


def test_prescribed_speed_leaves_the_angle_free() -> None:
    m = ss.Machine(mass=[1.0, 2.0], names=["motor", "disc"])
    m.add_constraint("speed", on="motor", rate=ss.SmoothStep(4.0, duration=1.0))
    m.add_constraint("belt", on={"motor": 1.0, "disc": -2.0})
    run = ss.simulate(m, t_end=2.0, dt=0.1, initial={"motor.position": 1.0})
    assert run["disc.position"][0] == 0.5
    assert run["motor.velocity"][-1] == pytest.approx(4.0, abs=1e-14)
    assert run["motor.position"] == pytest.approx(2.0 * run["disc.position"], abs=1e-14)
    assert run["motor.position"][-1] == pytest.approx(
        1.0 + 2.0 + 4.0, abs=1e-13
    )  # half of the step, then 4 rad
    assert run.energy.constraints["speed"][-1] == pytest.approx(0.5 * (1.0 + 2.0 / 4.0) * 16.0, rel=1e-12)
    assert run.energy.residual < 1e-12


@pytest.mark.parametrize("restitution", [0.0, 0.7])
def test_gear_transmits_an_impact(restitution: float) -> None:
    """The body that hits a wall has the effective mass m1 + m2/i²; the constraint carries its share of the impulse."""
    ratio, m1, m2 = 2.0, 1.0, 3.0
    m = ss.Machine(mass=[m1, m2], names=["rack", "wheel"])
    m.add_constraint("gear", on={"rack": 1.0, "wheel": -ratio})
    m.add_contact("wall", normal={"rack": -1.0}, gap=1.0, restitution=restitution)
    run = ss.simulate(m, t_end=1.0, initial={"rack.velocity": 2.0})
    hit = run.events[0]
    assert hit.time == pytest.approx(0.5, rel=1e-14)
    reduced = m1 + m2 / ratio**2
    assert hit.normal_impulse == pytest.approx((1.0 + restitution) * 2.0 * reduced, rel=1e-13)
    assert hit.loss == pytest.approx(0.5 * reduced * 4.0 * (1.0 - restitution**2), rel=1e-13)
    assert run["wheel.velocity"][-1] == pytest.approx(-restitution * 2.0 / ratio, abs=1e-14)
    through = m2 * -(1.0 + restitution) * 2.0 / ratio / ratio  # what turns the wheel, on the rack
    assert run["gear.impulse"][[0, -1]] == pytest.approx([0.0, through], rel=1e-13)
    assert ss.analysis.audit(run).passed


def test_driven_body_hits_with_the_speed_of_its_drive() -> None:
    """A hammer on a screw that turns at a given speed: half of it is prescribed, and that does work in the impact."""
    m = ss.Machine(mass=[2.0, 1.0], names=["nut", "hammer"])
    m.add_constraint("drive", on={"nut": 1.0, "hammer": -1.0}, rate=-1.0)  # the hammer runs ahead of the nut
    m.add_contact("anvil", normal={"hammer": -1.0}, gap=0.5)
    run = ss.simulate(m, t_end=1.0, initial={"hammer.velocity": 1.0})
    hit = run.events[0]
    assert hit.time == pytest.approx(0.5, rel=1e-14)
    assert hit.normal_impulse == pytest.approx(3.0, rel=1e-13)  # both are stopped by as much
    assert run["nut.velocity"][-1] == pytest.approx(-1.0, abs=1e-14)
    assert run["drive.impulse"][-1] == pytest.approx(
        2.0, rel=1e-13
    )  # of 2 kg from 0 to -1 m/s, against the nut
    # From 1/2 J to 1 J although the anvil takes: the drive has given 2 J, half of the impact's 3 Ns · 1 m/s is lost.
    assert hit.loss == pytest.approx(1.5, rel=1e-13)
    assert run.energy.residual < 1e-12
    assert ss.analysis.audit(run).passed


def test_redundant_constraints_share_their_force() -> None:
    m = ss.Machine(mass=[1.0, 1.0, 1.0], names=["a", "b", "c"], force={"a": 3.0})
    m.add_constraint("ab", on=("a", "b"))
    m.add_constraint("bc", on=("b", "c"))
    m.add_constraint("ac", on=("a", "c"))
    run = ss.simulate(m, t_end=1.0, dt=0.5)
    assert run["c.velocity"] == pytest.approx(run.t, abs=1e-14)
    # b and c need 1 N each: F_ab - F_bc = 1 and F_ac + F_bc = 1 with the least sum of squares.
    for name, force in (("ab", 1.0), ("bc", 0.0), ("ac", 1.0)):
        assert run[f"{name}.force"] == pytest.approx(np.full(3, force), abs=1e-13)
    assert "'ab', 'bc', 'ac' are not unique" in run.message
    assert "not unique" not in ss.simulate(_pair(), t_end=1.0).message


def _pair() -> ss.Machine:
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"], force={"a": 3.0})
    m.add_constraint("ab", on=("a", "b"))
    return m


def test_elements_share_a_load_through_a_gear() -> None:
    """Brakes on both sides of a gear hold together: F_fast + F_slow / 2 is the load, F_fast^2 / 1 + F_slow^2 / 4 is least,
    and what one cannot take the other takes.
    """
    m = ss.Machine(mass=[1.0, 1.0], names=["motor", "wheel"], force={"motor": ss.Ramp(slope=1.0)})
    m.add_constraint("gear", on={"motor": 1.0, "wheel": -2.0})
    m.add_friction("fast", on="motor", law=ss.Coulomb(1.0))
    m.add_friction("slow", on="wheel", law=ss.Coulomb(4.0))
    run = ss.simulate(m, t_end=4.0, t_eval=[1.5, 2.5])
    assert run["fast.force"] == pytest.approx([0.75, 1.0], rel=1e-15)
    assert run["slow.force"] == pytest.approx([1.5, 3.0], rel=1e-15)
    assert run.events.time == pytest.approx([3.0, 3.0], rel=1e-13)


def test_brake_holds_a_gear_train_permanently() -> None:
    """One brake holds both ends of a gear; a wheel on a spring behind it swings without breaking it away."""
    m = ss.Machine(mass=[1.0, 1.0], names=["motor", "wheel"], force={"wheel": 1.0})
    m.add_constraint("gear", on={"motor": 1.0, "wheel": -2.0})
    m.add_friction("brake", on="motor", law=ss.Coulomb(1.0))
    why = ss.simulate(m, t_end=1.0).why_stuck("brake", 0.5)
    assert why.permanent and why.force == pytest.approx(0.5, rel=1e-14)


def test_constraint_forces_agree_with_multipliers_in_scipy() -> None:
    """Index reduced by hand: M q'' = h + W lambda, W' q'' = c''."""
    rng = np.random.default_rng(3)
    mass = np.diag([1.0, 2.0, 0.5, 3.0])
    stiff = rng.normal(size=(4, 4))
    stiff = 5.0 * stiff @ stiff.T
    w = np.array([[1.0, -2.0, 0.0, 0.0], [0.0, 1.0, 1.5, -0.7]])
    a, om = 0.1, 2.0
    m = ss.Machine(mass, 0.3 * np.eye(4), stiff, names=list("abcd"), force={"d": ss.Sine(2.0, 0.5)})
    m.add_constraint("one", on={"a": 1.0, "b": -2.0})
    m.add_constraint("two", on={"b": 1.0, "c": 1.5, "d": -0.7}, value=ss.Sine(a, om / (2.0 * np.pi)))
    system = np.block([[mass, -w.T], [w, np.zeros((2, 2))]])

    def solved(t: float, y: np.ndarray) -> np.ndarray:
        h = -stiff @ y[:4] - 0.3 * y[4:] + np.array([0.0, 0.0, 0.0, 2.0 * np.sin(np.pi * t)])
        return np.linalg.solve(system, np.append(h, [0.0, -a * om**2 * np.sin(om * t)]))

    run = ss.simulate(m, t_end=3.0, t_eval=np.linspace(0.0, 3.0, 31))
    start = np.append(run.y[:4, 0], run.y[4:8, 0])
    assert w @ start[4:] == pytest.approx([0.0, a * om], abs=1e-15)
    # the least kinetic energy of all that satisfy it
    free = np.linalg.inv(mass) @ w.T
    assert start[4:] == pytest.approx(free @ np.linalg.solve(w @ free, [0.0, a * om]), abs=1e-14)
    other = solve_ivp(
        lambda t, y: np.append(y[4:], solved(t, y)[:4]), (0.0, 3.0), start, method="DOP853", rtol=1e-13,
        atol=1e-14, t_eval=run.t,
    )  # fmt: skip
    assert np.abs(run.y - other.y).max() < 1e-11
    forces = np.array([solved(t, y)[4:] for t, y in zip(run.t, run.y.T, strict=True)])
    assert -forces[:, 0] == pytest.approx(run["one.force"], abs=1e-11)
    assert -forces[:, 1] == pytest.approx(run["two.force"], abs=1e-11)


def test_pendulum_with_geared_flywheel_matches_closed_form() -> None:
    """A nonlinear machine with a constant mass matrix equals one coordinate with the inertia J1 + J2 i²."""
    ratio = 3.0
    m = ss.Machine(mass=[1.0, 0.2], names=["arm", "wheel"])
    m.add_force("arm", lambda q: -9.81 * ss.sin(q["arm"]))
    m.add_constraint("gear", on={"wheel": 1.0, "arm": -ratio})
    m.add_friction("bearing", on="wheel", law=ss.Coulomb(0.1))
    alone = ss.Machine(mass=[1.0 + 0.2 * ratio**2], names=["arm"])
    alone.add_force("arm", lambda q: -9.81 * ss.sin(q["arm"]))
    alone.add_friction("bearing", on={"arm": ratio}, law=ss.Coulomb(0.1))
    t = np.linspace(0.0, 8.0, 41)
    one, two = (ss.simulate(x, 8.0, t_eval=t, initial={"arm.position": 2.0}, rtol=1e-11) for x in (m, alone))
    assert np.abs(one["arm.position"] - two["arm.position"]).max() < 1e-9
    assert np.abs(one["wheel.position"] - ratio * one["arm.position"]).max() < 1e-13
    assert np.abs(one.events.time - two.events.time).max() < 1e-9
    torque = 0.2 * one["wheel.acceleration"] + one["bearing.force"]
    assert one["gear.force"] == pytest.approx(-torque, abs=1e-10)


def test_bristles_in_a_gear_do_not_drift() -> None:
    """Many numerical steps: the ratio holds to rounding."""
    m = ss.Machine(mass=[0.1, 2.0], names=["motor", "wheel"], force={"motor": ss.Sine(2.0, 0.5)})
    m.add_constraint("gear", on={"motor": 1.0, "wheel": -7.3})
    law = ss.LuGre(stiffness=1e4, damping=50.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-2)
    m.add_friction("guide", on="wheel", law=law)
    run = ss.simulate(m, t_end=20.0)
    assert run.t.size > 1000
    for what in ("position", "velocity"):
        a, b = run[f"motor.{what}"], 7.3 * run[f"wheel.{what}"]
        assert np.abs(a - b).max() <= 1e-15 * np.abs(a).max()
    assert ss.analysis.audit(run).passed
