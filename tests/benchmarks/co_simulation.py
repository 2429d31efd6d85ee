"""C: one communication step of 10 ms of an exported block on a belt, its force set and its position read at each, beside
the same motion in one run; the row of the run is what the engine itself needs."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from engine import program

from .entries import Entry


def entries(quick: bool) -> list[Entry]:
    """Rows of C."""
    steps = 1000 if quick else 100_000

    def call() -> dict[str, Any]:
        what = [program("co_simulation_steps"), str(steps), "1" if quick else "5"]
        found: dict[str, Any] = json.loads(
            subprocess.run(what, capture_output=True, text=True, check=True).stdout
        )
        return found

    return [
        Entry(
            "C one communication step of 10 ms of a belt", solver, call, lambda found: f"{found['difference']:.0e} m",
            steps, ours=True, clock=lambda found, key=key: steps * found[key],
        )
        for solver, key in (("exported machine", "co_simulation"), ("engine, one run", "run"))
    ]  # fmt: skip
