"""Record what the corpus' machines do, and compare with what was recorded before.

``python tests/corpus/record.py FILE`` writes the record of the installed version; with ``--compare FILE`` the
installed version is held against one. With ``--time`` it prints how long each published machine takes; run it with two
versions in turn and compare the ratios.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from machines import PUBLISHED, Case, cases

import stickslip as ss

MOST_EVENTS = 60
# Agreement of times and states, of the span of the run and of the greatest value of each state. Runs by numerical
# integration repeat their steps to rounding only, which the motion may amplify.
EXACT, NUMERICAL = 1e-12, 1e-9


def record(case: Case) -> dict[str, Any]:
    """The motion of one machine in numbers."""
    try:
        run = ss.simulate(case.machine, case.t_end, max_time=60.0, **case.options)
    except ValueError as error:
        return {"status": "refused", "message": str(error)}
    events = [[e.time, e.element, str(e.before), str(e.after)] for e in run.events[:MOST_EVENTS]]
    exact = set(", ".join(run.method.values()).split(", ")) <= {"exact", "slow subspace"}
    return {
        "status": str(run.status),
        "exact": exact,
        "count": len(run.events),
        "events": events,
        "causes": [[e.cause, e.rule] for e in run.events[:MOST_EVENTS]],
        "t": float(run.t[-1]),
        "x": np.asarray(run.state.x).tolist(),
        "size": np.abs(run.y).max(axis=1).tolist(),
    }


def difference(was: dict[str, Any], now: dict[str, Any]) -> str:
    """Return the differences in words; empty if there are none."""
    if was["status"] != now["status"]:
        return f"status {was['status']} -> {now['status']}: {now.get('message', '')}"
    if was["status"] == "refused":
        return ""
    if was["count"] != now["count"]:
        return f"{was['count']} -> {now['count']} events"
    # What happens at one instant has no order of its own.
    order = [sorted(r["events"], key=lambda e: (round(e[0], 9), e[1:])) for r in (was, now)]
    if [e[1:] for e in order[0]] != [e[1:] for e in order[1]]:
        return "other events"
    allowed = EXACT if was["exact"] and now["exact"] else NUMERICAL
    span = max(was["t"], 1.0)
    late = max((abs(a[0] - b[0]) / span for a, b in zip(*order, strict=True)), default=0.0)
    size = np.maximum(np.array(was["size"]), 1e-9 * max(was["size"]))
    off = float(np.max(np.abs(np.array(was["x"]) - np.array(now["x"])) / size))
    if late > allowed or off > allowed:
        return f"times differ by {late:.1e}, the end state by {off:.1e}"
    return ""


def fastest(case: Case) -> float:
    """Least time of a run, s."""
    best = np.inf
    for _ in range(20):
        begin = time.perf_counter()
        ss.simulate(case.machine, case.t_end, keep="events", **case.options)
        best = min(best, time.perf_counter() - begin)
    return best


def main() -> int:
    """Write a record, or compare with one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--time", action="store_true")
    given = parser.parse_args()
    if given.time:
        for name, build in PUBLISHED.items():
            print(f"{name:18} {1e3 * fastest(build()):9.3f} ms")
        return 0
    now = {name: record(build()) for name, build in cases()}
    if not given.compare:
        given.file.write_text(json.dumps(now, separators=(",", ":")))
        print(Counter(r["status"] for r in now.values()))
        return 0
    was = json.loads(given.file.read_text())
    changed = {name: text for name in was if (text := difference(was[name], now[name]))}
    for name, text in changed.items():
        print(f"{name}: {text}")
    words = sum(
        a != b for n in was for a, b in zip(was[n].get("causes", []), now[n].get("causes", []), strict=False)
    )
    print(f"{len(changed)} of {len(was)} machines differ; causes or rules of {words} events have other words")
    return min(len(changed), 1)


if __name__ == "__main__":
    sys.exit(main())
