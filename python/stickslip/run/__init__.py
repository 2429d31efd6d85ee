"""Runs: simulation, trajectories with their events and energy, derivatives, files, and real time."""

from stickslip.run.crossings import Crossing
from stickslip.run.energy import Energy
from stickslip.run.events import Event, Events
from stickslip.run.sensitivity import EventSensitivity, Sensitivity, ValidUntil
from stickslip.run.simulation import simulate
from stickslip.run.trajectory import Status, Stuck, Trajectory

__all__ = [
    "Crossing",
    "Energy",
    "Event",
    "EventSensitivity",
    "Events",
    "Sensitivity",
    "Status",
    "Stuck",
    "Trajectory",
    "ValidUntil",
    "simulate",
]


def __dir__() -> list[str]:
    return sorted(__all__)
