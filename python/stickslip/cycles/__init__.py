"""Periodic orbits, their stability, and their branches over a parameter."""

from stickslip.cycles.bifurcation import Bifurcation
from stickslip.cycles.branch import Branch
from stickslip.cycles.following import follow
from stickslip.cycles.lyapunov import lyapunov_exponents
from stickslip.cycles.orbit import Orbit
from stickslip.cycles.periodic import NoOrbitError, periodic_orbit

__all__ = ["Bifurcation", "Branch", "NoOrbitError", "Orbit", "follow", "lyapunov_exponents", "periodic_orbit"]


def __dir__() -> list[str]:
    return sorted(__all__)
