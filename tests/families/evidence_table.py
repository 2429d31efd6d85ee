"""The table of random machines on a page: one row for each family, written by ``python -m families all --page PAGE``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from families import NAMES
from families.verdict import (
    BROKEN,
    CRASH,
    HANG,
    MOST_EVENTS,
    MOST_SECONDS,
    NAN,
    UNFINISHED,
    WRONG,
    Verdict,
    left,
)

BEGIN, END = "<!-- python -m families all --page: begin -->", "<!-- python -m families all --page: end -->"

TITLES = {
    "chains": "chains with every law and option",
    "drives": "drives with controllers",
    "brakes": "rows of masses under brakes, half of them released or nearly so",
    "contacts": "contacts without friction",
    "frictional": "frictional contacts",
    "geared": "gears with bearing friction",
    "supports": "supports",
    "stops": "opposed stops",
    "springs": "springs with backlash and tables",
    "smooth": "nonlinear: pendulums, beads, rods, cams, discs, pucks",
    "light": "light parts between heavy ones, walls and corners",
    "mixed_orders": "loads and walls that begin with different powers of time",
    "stiff": "friction and contacts at their limits, behind chains with time constants from 1e-10 s",
    "formula_laws": "friction laws written as formulas, rate-and-state among them",
    "reactions": "friction loaded by the forces of constraints: rails, meshes, beads",
    "combined": "elements of every kind in one machine",
}


def _ends(found: Verdict, why: str) -> bool:
    return found.word == UNFINISHED and f", {why}" in found.cause


def _at_budget(found: Verdict) -> bool:
    return found.cause.startswith("budget")


COLUMNS: dict[str, Callable[[Verdict], bool]] = {
    "wrong": lambda v: v.word in (WRONG, NAN, CRASH, HANG, BROKEN),
    "ends early": lambda v: left(v) and not _at_budget(v),
    f"ends at the budget of {MOST_EVENTS:,} events or {MOST_SECONDS:.0f} s".replace(",", " "): lambda v: (
        left(v) and _at_budget(v)
    ),
    "finishes with a larger event budget": lambda v: _ends(v, "goes on"),
    "proven: more impacts than the budget": lambda v: _ends(v, "proven: more impacts"),
    "diverges: proven": lambda v: _ends(v, "diverges: proven"),
    "proven: no answer": lambda v: _ends(v, "proven: no answer"),
}
HEADER = ("family", "machines", *COLUMNS)


def row(family: str, found: Sequence[Verdict]) -> list[str]:
    """One row of the table: the family, the number of its machines, and how many of them each column counts."""
    counts = [str(sum(map(counted, found))) for counted in COLUMNS.values()]
    return [TITLES[family], str(len(found)), *counts]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def table_of(text: str) -> list[list[str]]:
    """Cells of the table in a page, line by line: header, rule, rows."""
    inside = text.split(BEGIN)[1].split(END)[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in inside.splitlines() if line]


def write(page: Path, rows: Sequence[list[str]]) -> None:
    """Replace these families' rows of the table between the two markers of a page."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    known = {cells[0]: cells for cells in (*table_of(text)[2:], *rows)}
    table = [HEADER, ["---"] * len(HEADER), *(known[TITLES[name]] for name in NAMES if TITLES[name] in known)]
    lines = "\n".join(map(_line, table))
    page.write_text(f"{before}{BEGIN}\n\n{lines}\n\n{END}{after}", encoding="utf-8")
