"""Units of parameters and measures, from the quantities in the description."""

from __future__ import annotations

from stickslip.ensembles.task import Task
from stickslip.machine._units import parameters, quantities, texts

_TIMES = ("events.first", "events.last", "stick_time")


def units(task: Task) -> dict[str, str]:
    """Return the known units of parameters and measures."""
    if task.builds:
        return {}
    known = parameters(task.source) | quantities(task.source)
    found = {name: known.get(name) for name in task.names}
    for measure in task.kinds:
        found[measure] = (0, 0, 1, 0) if measure.endswith(_TIMES) else known.get(measure.rpartition(".")[0])
    return texts(task.source, found)
