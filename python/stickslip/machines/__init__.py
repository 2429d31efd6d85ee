"""Machines built from the primitives: gears, drives, chains, belt oscillators."""

from stickslip.machines.contact_data import ContactData
from stickslip.machines.wedge_gear import WedgeGear, wedge_gear
from stickslip.machines.worm_gear import WormGear, worm_gear

__all__ = ["ContactData", "WedgeGear", "WormGear", "wedge_gear", "worm_gear"]
