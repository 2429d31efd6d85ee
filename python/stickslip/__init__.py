"""Exact simulation of machines in which things stick, slip, separate and strike."""

from stickslip import analysis, lcp, machines
from stickslip._core import __version__

__all__ = ["__version__", "analysis", "lcp", "machines"]
