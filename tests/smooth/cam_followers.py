"""A cam follower in a contact that yields, for runs of several methods."""

import numpy as np

import stickslip as ss

START = {"follower.position": 0.0102, "cam.velocity": 25.0}


def cam_follower() -> ss.Machine:
    """On a turning eccentric, pressed by a spring, with friction in its contact: it jumps and comes down."""
    m = ss.Machine(mass=np.diag([0.5, 1.0]), names=["follower", "cam"])
    m.add_force("follower", lambda q, v: -200.0 * q["follower"] - v["follower"] - 2.0)
    m.add_contact(
        "contact",
        gap=lambda q: q["follower"] - 0.01 * ss.cos(q["cam"]),
        tangent={"cam": 0.02},
        friction=ss.Coulomb(static=0.2, kinetic=0.15),
        compliance=ss.HuntCrossley(stiffness=1e6, damping=0.5),
    )
    return m
