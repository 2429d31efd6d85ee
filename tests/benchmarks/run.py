"""Times stickslip beside other solvers in one process and one run, in random order.

``python tests/benchmarks/run.py [--quick] [--json FILE] [--page FILE] [--seed N] [--repeat N] [--only P2]``

Absolute times depend on the machine; compare the ratios of one run. Every time stands beside its error.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import random
import statistics
import sys
import time
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))
    __package__ = "benchmarks"

from benchmarks import (
    block_on_belt,
    co_simulation,
    derivatives,
    double_pendulum,
    formulas,
    kernels,
    many_contacts,
    page,
    pull,
    real_time,
    sweep,
    sweep_costs,
)
from benchmarks.entries import Entry

# How the names of their problems begin, so that those that are not asked for are not prepared.
MODULES = {
    "P1": block_on_belt,
    "P2": pull,
    "P3": kernels,
    "P4": sweep,
    "R": real_time,
    "C": co_simulation,
    "F": formulas,
    "M": many_contacts,
    "P8": double_pendulum,
}


def measure(rows: list[Entry], repeat: int, budget: float, seed: int) -> list[dict]:
    """Time all rows in random order: each once or more, up to `repeat` times or `budget` seconds."""
    inner = []  # calls per measurement, so that short ones fill a few milliseconds
    for row in rows:
        row.call()  # caches, compilers
        begin = time.perf_counter()
        row.call()
        once = time.perf_counter() - begin
        once_only = repeat == 1 or row.clock is not None
        inner.append(1 if once_only else max(1, min(100, int(5e-3 / once))))
    order = [i for i in range(len(rows)) for _ in range(repeat)]
    random.Random(seed).shuffle(order)
    times: list[list[float]] = [[] for _ in rows]
    results: list[object] = [None] * len(rows)
    for i in order:
        if times[i] and (sum(times[i]) + times[i][-1]) * rows[i].work * inner[i] > budget:
            continue
        gc.collect()
        gc.disable()
        try:
            begin, spent = time.perf_counter(), time.process_time()
            for _ in range(inner[i]):
                results[i] = rows[i].call()
            # On an idle machine both agree; on a busy one a process waits for its turn.
            passed = min(time.perf_counter() - begin, time.process_time() - spent)
            taken = passed / (rows[i].work * inner[i])
            times[i].append(taken if rows[i].clock is None else rows[i].clock(results[i]))
        finally:
            gc.enable()
    out = []
    for row, taken, result in zip(rows, times, results, strict=True):
        out.append(
            {
                "problem": row.problem,
                "solver": row.solver,
                "ours": row.ours,
                "best_s": min(taken),
                "median_s": statistics.median(taken),
                "runs": len(taken),
                "error": row.judge(result),
            }
        )
    return out


def human(seconds: float) -> str:
    """Return a time with four characters and its unit."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1.0 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def table(measured: list[dict]) -> str:
    """Return the rows by problem, fastest first, with times relative to the quickest of ours."""
    lines = []
    for problem in dict.fromkeys(m["problem"] for m in measured):
        rows = sorted((m for m in measured if m["problem"] == problem), key=lambda m: m["best_s"])
        base = min(m["best_s"] for m in rows if m["ours"])
        lines += ["", problem, f"  {'':44}{'best':>10}{'median':>10}{'ratio':>9}   error"]
        for m in rows:
            error = m["error"] if isinstance(m["error"], str) else f"{m['error']:.1e}"
            mark = "*" if m["ours"] else " "
            lines.append(
                f"{mark} {m['solver']:44}{human(m['best_s']):>10}{human(m['median_s']):>10}"
                f"{m['best_s'] / base:9.3g}   {error}"
            )
    return "\n".join(lines[1:])


def main(arguments: list[str] | None = None) -> list[dict]:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small problems, one repetition: a smoke check")
    parser.add_argument("--json", type=Path, help="file for the results")
    parser.add_argument("--page", type=Path, help="file for the page of the documentation")
    parser.add_argument(
        "--seed", type=int, default=None, help="of the random order (default: from the clock)"
    )
    parser.add_argument("--repeat", type=int, default=None, help="runs of each row (default 15, quick 1)")
    parser.add_argument("--only", default="", help="problems whose name starts with this")
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else time.time_ns() % 1_000_000
    rows = [
        row
        for start, module in MODULES.items()
        if start.startswith(options.only[: len(start)])
        for row in module.entries(options.quick)
        if row.problem.startswith(options.only)
    ]
    repeat = options.repeat or (1 if options.quick else 15)
    measured = measure(rows, repeat, budget=1.0 if options.quick else 10.0, seed=seed)
    import numpy
    import scipy

    import stickslip

    about = {
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "stickslip": stickslip.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "seed": seed,
        "quick": options.quick,
    }
    print(", ".join(f"{k} {v}" for k, v in about.items()))
    print(table(measured))
    notes = sweep.scaling(measured)
    if "P6".startswith(options.only):
        notes += sweep_costs.notes(options.quick)
    if "P9".startswith(options.only):
        notes += derivatives.notes(options.quick)
    for note in notes:
        print(note)
    if options.page:
        options.page.write_text(page.text(about, measured, notes), encoding="utf-8")
    if options.json:
        options.json.write_text(
            json.dumps({"about": about, "rows": measured, "notes": notes}, indent=1), encoding="utf-8"
        )
    return measured


if __name__ == "__main__":
    main()
