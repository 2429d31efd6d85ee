"""Machines: a plant with friction, contacts, springs, constraints and controllers."""

from stickslip.machine.compliance import HuntCrossley, KelvinVoigt
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace

__all__ = ["HuntCrossley", "KelvinVoigt", "Machine", "StateSpace"]


def __dir__() -> list[str]:
    return sorted(__all__)
