"""Machines built from the primitives: gears, drives, chains, belt oscillators, a pendulum, a slider-crank."""

from stickslip.machines.belt_oscillator import belt_oscillator
from stickslip.machines.chain import chain
from stickslip.machines.contact_data import ContactData
from stickslip.machines.pendulum import pendulum
from stickslip.machines.slider_crank import slider_crank
from stickslip.machines.two_mass_drive import TwoMassDrive, two_mass_drive
from stickslip.machines.wedge_gear import WedgeGear, wedge_gear
from stickslip.machines.worm_gear import WormGear, worm_gear

__all__ = [
    "ContactData",
    "TwoMassDrive",
    "WedgeGear",
    "WormGear",
    "belt_oscillator",
    "chain",
    "pendulum",
    "slider_crank",
    "two_mass_drive",
    "wedge_gear",
    "worm_gear",
]


def __dir__() -> list[str]:
    return sorted(__all__)
