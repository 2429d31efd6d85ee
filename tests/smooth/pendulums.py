"""Machines that several tests share."""

import stickslip as ss

G = 9.81


def double_pendulum():
    """Two unit masses on massless rods of unit length; angles from the vertical."""

    def mass(q):
        c = ss.cos(q["a"] - q["b"])
        return [[2.0, c], [c, 1.0]]

    def forces(q, v):
        s = ss.sin(q["a"] - q["b"])
        return {
            "a": -s * v["b"] ** 2 - 2.0 * G * ss.sin(q["a"]),
            "b": s * v["a"] ** 2 - G * ss.sin(q["b"]),
        }

    m = ss.Machine(mass=mass, names=["a", "b"])
    for coordinate, force in ss.trace(forces, ["a", "b"]).items():
        m.add_force(coordinate, force)
    return m
