"""Periodic orbits, their stability, and their branches over a parameter."""

from stickslip.cycles.bifurcation import Bifurcation
from stickslip.cycles.branch import Branch
from stickslip.cycles.following import follow
from stickslip.cycles.limits import (
    CycleLimit,
    critical_damping,
    largest_load_without_hunting,
    slowest_smooth_speed,
)
from stickslip.cycles.lyapunov import lyapunov_exponents
from stickslip.cycles.maps import Basins, BifurcationDiagram, basins, bifurcation_diagram
from stickslip.cycles.orbit import Orbit
from stickslip.cycles.periodic import NoOrbitError, periodic_orbit

__all__ = [
    "Basins",
    "Bifurcation",
    "BifurcationDiagram",
    "Branch",
    "CycleLimit",
    "NoOrbitError",
    "Orbit",
    "basins",
    "bifurcation_diagram",
    "critical_damping",
    "follow",
    "largest_load_without_hunting",
    "lyapunov_exponents",
    "periodic_orbit",
    "slowest_smooth_speed",
]


def __dir__() -> list[str]:
    return sorted(__all__)
