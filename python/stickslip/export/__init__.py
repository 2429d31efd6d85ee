"""Machines for other programs: FMI."""

from stickslip.export.fmu import ExportedFMU, fmu

__all__ = ["ExportedFMU", "fmu"]


def __dir__() -> list[str]:
    return sorted(__all__)
