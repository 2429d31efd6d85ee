"""Functions that build machines, in a module that other processes can import."""

import os
import time

import stickslip as ss


def belt(speed: float = 0.2, static: float = 1.0) -> ss.Machine:
    """A block on a spring on a belt."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=static, kinetic=0.8), surface_velocity=speed)
    return m


def slow(speed: float) -> ss.Machine:
    """Takes as long as building a large machine does."""
    time.sleep(0.005)
    return belt(speed)


def deadly(speed: float) -> ss.Machine:
    """Ends its process for some points."""
    if speed > 0.9:
        os._exit(3)
    return belt(speed)


def peak(run: ss.Trajectory) -> float:
    """A measure of one's own."""
    return float(run["block.position"].max())
