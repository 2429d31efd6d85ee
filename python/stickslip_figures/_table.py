"""The tables of checks and inputs: printed for a reader, written as CSV for a program."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stickslip_figures._check import Check, Origin
from stickslip_figures._input import Kind

if TYPE_CHECKING:
    from stickslip_figures import Result

_CHECKS = ("figure", "quantity", "computed", "expected", "tolerance", "verdict", "expected from", "source")
_INPUTS = ("figure", "how", "put in")
_KINDS: tuple[Kind, ...] = ("printed", "chosen", "fitted")
_VERDICTS = ("agrees", "differs", "FAILS")


def save(done: Sequence[Result], folder: Path) -> None:
    """Write ``checks.csv`` and ``inputs.csv``, every digit kept."""
    titles = ("figure", "quantity", "unit", "computed", "relation", "expected", "deviation", "tolerance")
    _write(
        folder / "checks.csv",
        (*titles, "verdict", "expected from", "source", "reason"),
        [
            (
                *(result.name, c.quantity, c.unit, c.computed, c.relation, c.expected, c.deviation),
                *(c.tolerance, c.verdict, c.origin, c.source, c.reason),
            )
            for result in done
            for c in result.checks
        ],
    )
    _write(
        folder / "inputs.csv",
        ("figure", "name", "value", "unit", "how", "source"),
        [(r.name, one.name, one.value, one.unit, one.kind, one.source) for r in done for one in r.inputs],
    )


def _write(path: Path, titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(titles)
        writer.writerows(rows)


def lines(done: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of all tables: checks, inputs, and how many of each."""
    rows: list[Sequence[str]] = [_CHECKS]
    reasons = [""]
    for result in done:
        for check in result.checks:
            rows.append((result.name, *_cells(check)))
            reasons.append("" if check.within else check.reason)
    for line, reason in zip(_aligned(rows, right=(2, 3, 4)), reasons, strict=True):
        yield line
        if reason:
            yield f"    because: {reason}"
    given = [row for result in done for row in _groups(result)]
    if given:
        yield ""
        yield from _aligned([_INPUTS, *given])
    yield ""
    yield from _summary(done)


def _groups(result: Result) -> Iterator[tuple[str, str, str]]:
    """Yield the inputs of a figure, one row for all numbers of one kind and source."""
    for kind, source in dict.fromkeys((one.kind, one.source) for one in result.inputs):
        names = ", ".join(one.text for one in result.inputs if (one.kind, one.source) == (kind, source))
        yield (
            result.name,
            f"{kind} to" if kind == "fitted" else kind,
            f"{source}: {names}" if source else names,
        )


def _cells(check: Check) -> tuple[str, ...]:
    name = f"{check.quantity} [{check.unit}]" if check.unit else check.quantity
    bound = "" if check.relation == "=" else f"{check.relation} "
    tolerance = f"±{check.tolerance:.1e}" if check.tolerance else ("bound" if bound else "exact")
    numbers = (f"{check.computed:.12g}", f"{bound}{check.expected:.12g}", tolerance)
    return (name, *numbers, check.verdict, str(check.origin), check.source)


def _summary(done: Sequence[Result]) -> Iterator[str]:
    """Count the verdicts by origin: agreement of the package with itself proves least."""
    checks = [check for result in done for check in result.checks]
    rows: list[Sequence[str]] = [("expected from", *_VERDICTS)]
    for origin in Origin:
        verdicts = [check.verdict for check in checks if check.origin is origin]
        rows.append((str(origin), *(str(verdicts.count(verdict)) for verdict in _VERDICTS)))
    yield from _aligned(rows, right=(1, 2, 3))
    kinds = [one.kind for result in done for one in result.inputs]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in _KINDS)
    yield f"inputs, not checked: {counted}"


def _aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:>{w}}" if k in right else f"{cell:<{w}}"
            for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
