"""Units of parameters and measures, from the quantities that the description holds."""

from __future__ import annotations

from stickslip.ensembles.task import Task

_TIMES = ("events.first", "events.last", "stick_time")
_NAMED = {
    (1, 1, -2, 0): "N",
    (1, 1, -1, 0): "N s",
    (1, 0, -2, 0): "N/m",
    (1, 0, -1, 0): "N s/m",
    (0, 0, -1, 0): "1/s",
}


def text(exponents: tuple[int, ...]) -> str:
    """A quantity in words: exponents of kg, m, s and rad.

    >>> text((0, 1, -1, 0))
    'm/s'
    """
    if exponents in _NAMED:
        return _NAMED[exponents]
    base = list(zip(("kg", "m", "s", "rad"), exponents, strict=True))
    above = " ".join(f"{u}{n if n > 1 else ''}" for u, n in base if n > 0)
    below = " ".join(f"{u}{-n if n < -1 else ''}" for u, n in base if n < 0)
    return f"{above or '1'}/{below}" if below else above


def units(task: Task) -> dict[str, str]:
    """Units of the parameters and measures of which they are known."""
    if task.builds:
        return {}
    compiled = task.source.compile()
    known = dict(task.source._description.parameters) | dict(compiled.quantities)
    found = {name: known.get(name) for name in task.names}
    for measure in task.kinds:
        found[measure] = (0, 0, 1, 0) if measure.endswith(_TIMES) else known.get(measure.rpartition(".")[0])
    return {name: text(q) for name, q in found.items() if q is not None and any(q)}
