"""The table of random machines on the page of evidence is what the command writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from families import NAMES, evidence_table, first_decision, light
from families.verdict import HANG, PASSED, UNFINISHED, WRONG, Verdict

PAGE = Path(__file__).parents[2] / "notebooks" / "evidence.md"
EMPTY = f"before\n{evidence_table.BEGIN}\n\n{evidence_table.END}\nafter\n"


def test_table_has_one_row_for_each_family_and_the_columns_of_the_command() -> None:
    table = evidence_table.table_of(PAGE.read_text(encoding="utf-8"))
    assert table[0] == list(evidence_table.HEADER)
    assert [cells[0] for cells in table[2:]] == [evidence_table.TITLES[family] for family in NAMES]
    assert {len(cells) for cells in table} == {len(evidence_table.HEADER)}
    assert all(cell.isdigit() for cells in table[2:] for cell in cells[1:])


def test_each_verdict_is_counted_in_its_column() -> None:
    causes = (
        "no_solution: no admissible combination",
        "budget: max_events: the limit of 20000 events was reached",
        "budget, goes on: max_events: the limit of 20000 events was reached",
        "budget, goes on: max_events: the limit of 20000 events was reached",
        "budget, proven: more impacts: max_events: the limit of 20000 events was reached",
        "stalled, diverges: proven: too fast",
        "failed, proven: no answer, the walls leave no room: …",
        f"no_solution, {first_decision.SHARED}: no admissible combination",
    )
    found = [Verdict(0, PASSED), Verdict(1, WRONG, "energy"), Verdict(2, HANG)]
    found += [Verdict(3, UNFINISHED, cause) for cause in causes]
    assert evidence_table.row("contacts", found)[1:] == ["11", "2", "1", "1", "2", "1", "1", "1"]


def test_rows_of_other_families_stay(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(EMPTY, encoding="utf-8")
    for family, machines in (("drives", 2), ("chains", 3), ("drives", 1)):
        evidence_table.write(path, [evidence_table.row(family, [Verdict(0, PASSED)] * machines)])
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("\nafter\n")
    counts = [(cells[0], cells[1]) for cells in evidence_table.table_of(text)[2:]]
    assert counts == [(evidence_table.TITLES["chains"], "3"), (evidence_table.TITLES["drives"], "1")]


def test_more_impacts_than_the_budget_are_proven_by_making_them() -> None:
    """A light ball between a wall and a heavy ball that approaches it, without loss: ceil(pi/arctan(sqrt(m/M))) - 1 impacts
    (Galperin 2003), the first digits of pi."""
    parts = light.Parts([1e4, 1.0], [-1.0, 0.0], "newton")
    parts.touch({0: 1.0, 1: -1.0}, 1.0, 1.0)
    parts.touch({1: 1.0}, 1.0, 1.0)
    exact = int(np.ceil(np.pi / np.arctan(np.sqrt(1e-4)))) - 1
    assert exact == 314
    assert light.more_impacts(parts, exact - 1) == "proven: more impacts"
    assert light.more_impacts(parts, exact) == ""
