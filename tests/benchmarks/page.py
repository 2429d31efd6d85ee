"""The page of the documentation with all measured times, slower rows of ours included."""

from __future__ import annotations

import re

HEAD = """# How fast it is

This page is written by one command, which times all solvers in one process, in random order:

```sh
PYTHONPATH=tests python -m benchmarks --page notebooks/timing.md
```

Times are the best of several repetitions on a shared x86-64 machine (processor time if the process had to wait).
Compare ratios rather than times. Errors are those of the whole run against closed forms and reference solutions. Rows
"timed in C++" do not include Python; all others are called from Python. Rows of stickslip are bold, and each ratio is
relative to the fastest of them.

The other solvers: CVODE (SUNDIALS, the libraries of scikit-sundae) and Boost.odeint run compiled right-hand sides
from event to event. The compilation of the equations by heyoka is not timed. SciPy gets right-hand sides in Python,
or by SymPy's `lambdify`. quantecon solves one linear complementarity problem by Lemke's method, compiled by numba; it
returns one solution, as `ss.lcp.lemke` does. Siconos, which solves frictional contact problems with three-dimensional
cones, has no package that `pip` installs, and was not timed.
"""
UNITS = ((1.0, "s"), (1e3, "ms"), (1e6, "µs"))


def human(seconds: float) -> str:
    """Return a time with three digits and its unit."""
    factor, unit = next(((f, u) for f, u in UNITS if seconds * f >= 1.0), UNITS[-1])
    return f"{seconds * factor:.3g} {unit}"


def text(about: dict, measured: list[dict], notes: list[str]) -> str:
    """Return the page in Markdown."""
    versions = ", ".join(f"{name} {about[name]}" for name in ("stickslip", "python", "numpy", "scipy"))
    lines = [HEAD, f"Versions: {versions}.", ""]
    for problem in dict.fromkeys(row["problem"] for row in measured):
        rows = sorted((row for row in measured if row["problem"] == problem), key=lambda row: row["best_s"])
        base = min(row["best_s"] for row in rows if row["ours"])
        found = re.fullmatch(r"(.*?)(?: \((.*)\))?(, per run)?", problem.partition(" ")[2])
        assert found is not None
        title, error = found[1] + (found[3] or ""), found[2]
        lines += [f"## {title[0].upper()}{title[1:]}", ""]
        lines += [f"| solver | time | ratio | {error or 'error'} |", "|---|---|---|---|"]
        for row in rows:
            name = f"**{row['solver']}**" if row["ours"] else row["solver"]
            found = row["error"] if isinstance(row["error"], str) else f"{row['error']:.0e}"
            lines.append(f"| {name} | {human(row['best_s'])} | {row['best_s'] / base:.3g} | {found} |")
        lines.append("")
    if notes:
        lines += ["## Costs around a run", "", *(f"* {note.partition(': ')[2]}" for note in notes), ""]
    return "\n".join(lines)
