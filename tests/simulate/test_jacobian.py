"""Derivatives of the motion, which the stiff flow is built on, against differences of the motion itself.

A wrong Jacobian does not show in results, since the step size makes up for it; it shows here.
"""

import numpy as np
import pytest

import stickslip as ss

LEVELS = {"static": 1.5, "kinetic": 1.0, "stribeck_velocity": 0.05}
CURVE = ss.Stribeck(**LEVELS, shape=1.0, viscous=0.3)
LUGRE = ss.LuGre(stiffness=2000.0, damping=30.0, viscous=0.4, damping_velocity=0.1, **LEVELS)
MAXWELL = ss.MaxwellSlip(stiffness=(2000.0, 900.0), attraction=80.0, viscous=0.4, **LEVELS)
TWO_STATE = ss.TwoStateBristle(stiffness=2000.0, damping=30.0, viscous=0.4, alpha=600.0, **LEVELS)
ELASTIC = ss.Presliding(travel=0.02, damping=1.0)
PUSH = ss.Sine(4.0, frequency=0.7)
LOAD = 1.0 + ss.Sine(0.3, frequency=1.1)
BELT = ss.Sine(0.05, frequency=0.9)
START = {"x.position": 0.6, "y.position": -0.8, "b.position": 0.5}


def block(law, **element):
    """Two masses coupled by springs and inertia, the law under the first on a surface that swings."""
    m = ss.Machine(
        mass=[[1.0, 0.2], [0.2, 0.5]],
        stiffness=[[60.0, -20.0], [-20.0, 20.0]],
        names=["a", "b"],
        force={"a": PUSH},
    )
    m.add_friction("f", on="a", law=law, normal_load=LOAD, surface_velocity=BELT, **element)
    m.add_friction("g", on="b", law=ss.Stribeck(static=0.2, kinetic=0.1, stribeck_velocity=0.05))
    return m


def loaded(**options):
    """Its load force depends on position, velocity and time."""
    law = ss.StickSlip(CURVE, load_factor=0.2, **options)
    return block(law, load={"a.position": 8.0, "a.velocity": 0.5})


def pressed(law):
    m = ss.Machine(
        mass=[1.0, 1.0], names=["x", "y"], stiffness=[50.0, 0.0], force={"x": PUSH, "y": -1.0 * LOAD}
    )
    m.add_contact("f", normal={"y": 1.0}, tangent={"x": 1.0}, friction=law, surface_velocity=BELT)
    return m


def leaning(**options):
    """A contact's force adds to the load of another element, whose friction does not follow at once."""
    m = pressed(CURVE)
    law = ss.StickSlip(CURVE, load_factor=0.2, **options)
    m.add_friction("g", on="x", law=law, normal_load=1.0, load="f.normal_force")
    return m


def compensated():
    m = block(LUGRE)
    model = ss.LuGre(stiffness=2000.0, damping=30.0, viscous=0.4, **LEVELS)
    m.add_controller(ss.PID(kp=30.0, ki=40.0, kd=6.0), on="a", reference=BELT)
    m.add_controller(ss.FrictionObserver(model, gain=2.0), on="a", reference=BELT, name="observer")
    return m


def cart(law, **load):
    """A pendulum on a cart, pulled to and fro by what follows velocity and time too."""
    m = ss.Machine(
        mass=lambda q: [[1.5, ss.cos(q["b"])], [ss.cos(q["b"]), 1.0 + 0.1 * ss.sin(q["a"])]], names=["a", "b"]
    )
    m.add_force("a", lambda q, v, t: -20.0 * q["a"] + ss.sin(q["b"]) * v["b"] ** 2 + 6.0 * ss.sin(4.0 * t))
    m.add_force("b", lambda q, v: -9.81 * ss.sin(q["b"]) - 0.1 * v["b"] * q["a"])
    m.add_friction("f", on="a", law=law, **load)
    m.add_friction("g", on="b", law=ss.Stribeck(static=0.2, kinetic=0.1, stribeck_velocity=0.05))
    return m


def pressed_by_the_motion(law):
    return cart(
        law, normal_load=lambda q, v, t: 1.0 + 0.3 * ss.sin(3.0 * t) + 0.2 * q["b"] ** 2 + 0.1 * v["b"]
    )


def bowl(law):
    """A body in a bowl that grows and shrinks, in which it turns as it slides."""
    m = ss.Machine(mass=[1.0, 1.0, 0.3], names=["x", "y", "turn"], force={"y": -9.81, "turn": PUSH})

    def tangent(q):
        r = ss.hypot(q["x"], q["y"])
        return {"x": -q["y"] / r, "y": q["x"] / r, "turn": 0.2 * r}

    m.add_contact(
        "f",
        gap=lambda q, t: 1.0 + 0.02 * ss.sin(3.0 * t) - ss.hypot(q["x"], q["y"]),
        tangent=tangent,
        friction=law,
    )
    return m


def guided(law):
    """Friction along a direction that turns with the position."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], stiffness=[30.0, 20.0], force={"x": PUSH})
    m.add_friction(
        "f", on=lambda q: {"x": ss.cos(3.0 * q["x"]), "y": ss.sin(3.0 * q["x"])}, law=law, normal_load=LOAD
    )
    m.add_friction("g", on="y", law=ss.Stribeck(static=0.2, kinetic=0.1, stribeck_velocity=0.05))
    return m


MACHINES = {
    "curve": lambda: block(CURVE),
    "lugre": lambda: block(LUGRE),
    "maxwell slip": lambda: block(MAXWELL),
    "two-state": lambda: block(TWO_STATE),
    "two-state and lugre": lambda: block(LUGRE + TWO_STATE),
    "memory": lambda: block(ss.StickSlip(CURVE, memory=0.05)),
    "memory and dwell": lambda: block(ss.StickSlip(CURVE, memory=0.05, dwell=0.5)),
    "presliding": lambda: block(ss.StickSlip(CURVE, presliding=ELASTIC)),
    "all of them": lambda: block(ss.StickSlip(CURVE, memory=0.05, dwell=0.5, presliding=ELASTIC)),
    "load": loaded,
    "load and memory": lambda: loaded(memory=0.05),
    "load and presliding": lambda: loaded(presliding=ELASTIC),
    "load and all": lambda: loaded(memory=0.05, dwell=0.5, presliding=ELASTIC),
    "observer": compensated,
    "contact": lambda: pressed(CURVE),
    "contact, lugre": lambda: pressed(LUGRE),
    "contact, two-state": lambda: pressed(TWO_STATE),
    "contact, memory": lambda: pressed(ss.StickSlip(CURVE, memory=0.05)),
    "contact as a load": leaning,
    "contact as a load, memory": lambda: leaning(memory=0.05),
    "contact as a load, presliding": lambda: leaning(presliding=ELASTIC),
    "smooth": lambda: cart(CURVE),
    "smooth, lugre": lambda: cart(LUGRE),
    "smooth, two-state": lambda: cart(TWO_STATE),
    "smooth, load": lambda: pressed_by_the_motion(CURVE),
    "smooth, load, lugre": lambda: pressed_by_the_motion(LUGRE),
    "smooth, load, memory and dwell": lambda: pressed_by_the_motion(
        ss.StickSlip(CURVE, memory=0.05, dwell=0.5)
    ),
    "smooth contact": lambda: bowl(CURVE),
    "smooth contact, lugre": lambda: bowl(LUGRE),
    "smooth contact, memory": lambda: bowl(ss.StickSlip(CURVE, memory=0.05)),
    "smooth direction": lambda: guided(CURVE),
    "smooth direction, lugre": lambda: guided(LUGRE),
}


@pytest.mark.parametrize("name", MACHINES)
def test_jacobian_agrees_with_differences(name):
    """Richardson's differences over 1e-4 of the size of each state and of a second, in units of the rates."""
    tolerance = 1e-7
    machine = MACHINES[name]()
    start = {k: x for k, x in START.items() if "smooth" in name and k.split(".")[0] in machine.names}
    run = ss.simulate(machine, 4.0, rtol=1e-8, initial=start)
    raw, size = run._raw, np.abs(run.y).max(axis=1)
    size[size == 0.0] = 1.0
    unit = np.abs(np.array([raw.rate(t, t, run.at(t).y[:, 0]) for t in np.linspace(0.0, 4.0, 50)])).max(
        axis=0
    )
    unit = np.maximum(unit, size)  # of the rates

    def difference(f, h):
        rough, fine = ((f(k * h) - f(-k * h)) / (2.0 * k * h) for k in (2.0, 1.0))
        return (4.0 * fine - rough) / 3.0

    seen = set()
    for t in np.linspace(0.013, 3.987, 60):
        at = run.at(t)
        x = at.y[:, 0]
        seen |= {int(m) for n in run.machine.elements for m in at[f"{n}.mode"]}
        J, dfdt = raw.jacobian(t, t, x)
        expected = np.column_stack(
            [
                difference(lambda h, e=e, t=t, x=x: raw.rate(t, t, x + h * e), 1e-4 * size[j]) * size[j]
                for j, e in enumerate(np.eye(x.size))
            ]
        )
        assert np.abs((J * size - expected) / unit[:, None]).max() < tolerance
        by_time = difference(lambda h, t=t, x=x: raw.rate(t, t + h, x), 1e-4)
        assert np.abs((dfdt - by_time) / unit).max() < tolerance
    assert len(seen) > 1  # more than one mode has been looked at
