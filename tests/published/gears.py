"""The gears of Hinrichsen 2007: those of the reference suite, and the worm rig."""

import dataclasses

import numpy as np
from reference import wedge

import stickslip as ss


def gear(reference, **changes):
    built = ss.machines.wedge_gear(
        upper_mass=reference.m1,
        lower_mass=reference.m2,
        angle=reference.angle,
        friction=np.tan(reference.rho),
        static_friction=None if reference.static is None else np.tan(reference.static),
        load=reference.load,
        stiffness=reference.stiffness,
        pull_velocity=reference.velocity,
    )
    return dataclasses.replace(built, **changes)


SET_1, SET_2 = gear(wedge.SET_1), gear(wedge.SET_2)
SET_2_HEAVY, SET_1_STATIC = gear(wedge.SET_2_HEAVY), gear(wedge.SET_1_STATIC)


def rig(wheel_inertia, *, speed=4.5, stiffness=20.0, friction=0.4, restitution=0.0, clearance=None):
    """The worm rig of the source's chapter 7; speed in rpm, lowering; the stiffness of the shaft is not
    printed."""
    return ss.machines.worm_gear(
        wheel_inertia=wheel_inertia,
        worm_inertia=1.56e-3,
        wheel_radius=0.05,
        worm_radius=0.036,
        lead_angle=np.deg2rad(3.18),
        friction=friction,
        load_torque=3.53,
        shaft_stiffness=stiffness,
        motor_speed=-speed * np.pi / 30.0,
        clearance=clearance,
        restitution=restitution,
    )
