"""Tables that notebooks show."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

MOST_ROWS = 40


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with a title; at most the first 40 rows are shown."""
    every = [[html.escape(str(cell)) for cell in row] for row in rows]
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in every[:MOST_ROWS]]
    if len(every) > MOST_ROWS:
        lines.append(f"<td colspan='{len(head)}'>… {len(every) - MOST_ROWS} more</td>")
    top = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<b>{html.escape(title)}</b><table><tr>{top}</tr>{body}</table>"
