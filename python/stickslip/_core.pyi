"""The compiled engine of stickslip."""

from __future__ import annotations

__version__: str
