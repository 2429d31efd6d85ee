"""Periodic orbits and their stability."""

from stickslip.cycles.orbit import Orbit
from stickslip.cycles.periodic import NoOrbitError, periodic_orbit

__all__ = ["NoOrbitError", "Orbit", "periodic_orbit"]


def __dir__() -> list[str]:
    return sorted(__all__)
