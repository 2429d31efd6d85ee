"""Current value of a parameter named in `Machine.parameters`, or of an initial value."""

from __future__ import annotations

import math
from collections.abc import Mapping

from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace


def present_number(machine: Machine | StateSpace, name: str, initial: Mapping[str, float]) -> float | None:
    """Return the value of a parameter, or None if it has none (signals that vary, infinite numbers)."""
    compiled = machine.compile()
    if name in compiled.states:
        return float(initial.get(name, compiled.start[compiled.states.index(name)]))
    if name.endswith("_scale"):
        return 1.0
    value = machine._description.numbers.get(name)
    return float(value) if value is not None and math.isfinite(value) else None
