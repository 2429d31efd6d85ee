"""Machines, their drawings and linear systems for other programs."""

from stickslip.export.fmu import ExportedFMU, fmu
from stickslip.export.mat import mat
from stickslip.export.svg import svg

__all__ = ["ExportedFMU", "fmu", "mat", "svg"]


def __dir__() -> list[str]:
    return sorted(__all__)
