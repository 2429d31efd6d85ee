"""Machines whose masses, gaps, directions, loads and constraints are formulas, with the numbers that tests put wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

import stickslip as ss

G = 9.81


def double_pendulum(coupling: float = 1.0, centrifugal: float = 1.0, drag: float = 0.02) -> ss.Machine:
    """Unit masses on massless rods, with dry friction in the upper joint."""

    def mass(q):
        c = coupling * ss.cos(q["a"] - q["b"])
        return [[2.0, c], [c, 1.0]]

    def forces(q, v):
        s = ss.sin(q["a"] - q["b"])
        return {
            "a": -centrifugal * s * v["b"] ** 2 - 2.0 * G * ss.sin(q["a"]),
            "b": centrifugal * s * v["a"] ** 2 - G * ss.sin(q["b"]) - drag * v["b"],
        }

    m = ss.Machine(mass=mass, names=["a", "b"])
    for name, force in ss.trace(forces, m.names).items():
        m.add_force(name, force)
    m.add_friction("joint", on="a", law=ss.Coulomb(0.6, 0.4))
    return m


def rod(mu: float = 0.3, length: float = 1.0, restitution: float = 0.4, turn: float = 1.0) -> ss.Machine:
    """A uniform rod of length 2 that falls on its lower tip and slides."""
    m = ss.Machine(mass=[1.0, 1.0, 1.0 / 3.0], names=["x", "y", "tilt"], force={"y": -G})
    m.add_contact(
        "tip",
        gap=lambda q: q["y"] - length * ss.sin(q["tilt"]),
        tangent=lambda q: {"x": 1.0, "tilt": turn * length * ss.sin(q["tilt"])},
        friction=mu,
        restitution=restitution,
    )
    return m


def wire(bend: float = 1.0, mu: float = 0.2, load: float = 1.0) -> ss.Machine:
    """A bead on the wire y = x²/2, braked along it with a load that grows with its speed."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G})
    m.add_constraint("wire", on=lambda q: q["y"] - 0.5 * bend * q["x"] ** 2)

    def along(q):
        length = ss.sqrt(1.0 + q["x"] ** 2)
        return {"x": 1.0 / length, "y": q["x"] / length}

    pressed = lambda q, v, t: load * (2.0 + v["x"] ** 2 + 0.1 * ss.sin(3.0 * t))  # noqa: E731
    m.add_friction("rub", on=along, law=ss.Coulomb(2.0 * mu, mu), normal_load=pressed)
    return m


def cam(lift: float = 0.01, speed: float = 180.0, restitution: float = 0.2) -> ss.Machine:
    """A follower that jumps off a harmonic cam: the gap is a formula of the time."""
    m = ss.Machine(mass=0.2, stiffness=800.0, names=["y"], force={"y": -30.0})
    m.add_contact("cam", gap=lambda q, t: q["y"] - lift * (1.0 - ss.cos(speed * t)), restitution=restitution)
    return m


def disc(mu: float = 0.4, inertia: float = 0.5, hill: float = 1.0) -> ss.Machine:
    """A disc of radius 0.3 on a fixed one."""
    body = ss.contours.Circle(0.3).on(*(ss.Expr(f"{name}.position") for name in ("x", "y", "turn")))
    fixed = ss.contours.Circle(hill).on()
    m = ss.Machine(mass=[1.0, 1.0, inertia * 0.09], names=["x", "y", "turn"], force={"y": -G})
    m.add_contact(
        "hill", gap=ss.contours.gap(fixed, body), tangent=ss.contours.sliding(fixed, body), friction=mu
    )
    return m


def skate(edge: float = 1.0) -> ss.Machine:
    """A skate on an inclined plane: its edge lets it move along itself alone."""
    m = ss.Machine(mass=[1.0, 1.0, 0.2], names=["x", "y", "turn"], force={"x": 2.0})
    m.add_constraint(
        "edge", on=lambda q: {"x": -ss.sin(edge * q["turn"]), "y": ss.cos(edge * q["turn"])}, rate=0.0
    )
    m.add_friction("drag", on="turn", law=ss.Coulomb(0.05))
    return m


def soft(stiffness: float = 1e5, damping: float = 0.2, mu: float = 0.3) -> ss.Machine:
    """A ball on a wavy floor that yields."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G})
    m.add_contact(
        "floor",
        gap=lambda q: q["y"] - 0.02 * ss.sin(4.0 * q["x"]),
        tangent={"x": 1.0},
        friction=mu,
        compliance=ss.HuntCrossley(stiffness, damping),
    )
    return m


def puck(mu: float = 0.3, restitution: float = 0.5, facets: int = 4, pull: float = 3.0) -> ss.Machine:
    """A mass that lands on a floor and slides in two directions."""
    m = ss.Machine(mass=[1.0, 1.0, 1.0], stiffness=[4.0, 9.0, 0.0], names=["x", "y", "z"], force={"z": -G})
    m.add_force("x", ss.Sine(pull, 0.7))
    m.add_contact(
        "floor",
        normal={"z": 1.0},
        tangent={"x": 1.0},
        second_tangent={"y": 1.0},
        friction=mu,
        restitution=restitution,
        facets=facets,
    )
    return m


STARTS: dict[str, dict[str, Any]] = {
    "double_pendulum": {"t_end": 5.0, "initial": {"a.position": 1.0, "b.position": 2.0}},
    "rod": {
        "t_end": 0.7,
        "initial": {"y.position": 1.0, "tilt.position": 0.9, "x.velocity": 1.0, "tilt.velocity": -0.5},
    },
    "wire": {"t_end": 4.0, "initial": {"x.position": 1.2, "y.position": 0.72}},
    "cam": {"t_end": 0.3, "initial": {}},
    "disc": {
        "t_end": 1.5,
        "initial": {"x.position": 1.3 * float(np.sin(0.2)), "y.position": 1.3 * float(np.cos(0.2))},
    },
    "skate": {"t_end": 6.0, "initial": {"turn.velocity": 1.0}},
    "soft": {"t_end": 1.5, "initial": {"y.position": 0.3, "x.velocity": 1.0}},
    "puck": {"t_end": 3.0, "initial": {"z.position": 0.2, "x.velocity": 1.0, "y.velocity": 0.6}},
}


def made(name: str, **numbers: float) -> ss.Machine:
    """The machine of this name."""
    build: ss.Machine = globals()[name](**numbers)
    return build


def ran(name: str, rtol: float = 1e-9, **numbers: float) -> ss.Trajectory:
    """A run of it."""
    return ss.simulate(made(name, **numbers), rtol=rtol, **STARTS[name])
