"""Machines, their drawings and linear systems for other programs."""

from stickslip.export.c99 import ExportedC99, c99
from stickslip.export.fmu import ExportedFMU, fmu
from stickslip.export.mat import mat
from stickslip.export.svg import svg

__all__ = ["ExportedC99", "ExportedFMU", "c99", "fmu", "mat", "svg"]


def __dir__() -> list[str]:
    return sorted(__all__)
