"""The gears that an analysis takes."""

from __future__ import annotations

from stickslip import _checks as checks
from stickslip.machines.wedge_gear import WedgeGear
from stickslip.machines.worm_gear import WormGear


def wedge_of(gear: WedgeGear | WormGear) -> WedgeGear:
    """The equivalent wedge gear, which has the same equations."""
    wedge = gear.wedge if isinstance(gear, WormGear) else gear
    if not isinstance(wedge, WedgeGear):
        checks.reject("gear", gear, "a WedgeGear or a WormGear")
    return wedge
