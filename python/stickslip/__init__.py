"""Exact simulation of machines in which things stick, slip, separate and strike."""

from stickslip._core import __version__
from stickslip.laws import Coulomb, Stribeck, Viscous

__all__ = ["Coulomb", "Stribeck", "Viscous", "__version__"]
