"""Conversion of gears for analyses."""

from __future__ import annotations

from stickslip import _checks as checks
from stickslip.machines.wedge_gear import WedgeGear
from stickslip.machines.worm_gear import WormGear


def wedge_of(gear: WedgeGear | WormGear) -> WedgeGear:
    """Return the wedge gear with the same equations."""
    wedge = gear.wedge if isinstance(gear, WormGear) else gear
    if not isinstance(wedge, WedgeGear):
        checks.reject("gear", gear, "a WedgeGear or a WormGear")
    return wedge
