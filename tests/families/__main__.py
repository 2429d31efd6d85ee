"""Run machines of a family and print what became of them: ``python -m families chains --count 200 --fresh 100``."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from families import NAMES, evidence_table, generator
from families.batch import SECONDS_EACH, verdicts
from families.verdict import PASSED, REFUSED, UNFINISHED, WORDS, Verdict, judge

FIRST_FRESH = 10**9  # seeds that are drawn anew lie above those that are counted


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m families", description=__doc__)
    parser.add_argument("family", help=f"one of {', '.join(NAMES)}, or all")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--seeds", type=int, nargs="+", help="these instead")
    parser.add_argument(
        "--fresh",
        type=int,
        default=0,
        metavar="N",
        help="N more seeds, drawn anew and printed where they fail",
    )
    parser.add_argument(
        "--out", type=Path, help="folder for the verdicts of all seeds that did not pass, as JSON"
    )
    parser.add_argument(
        "--patience", type=float, default=SECONDS_EACH, help="seconds after which a machine hangs"
    )
    parser.add_argument("--page", type=Path, help="page whose table of random machines gets these rows")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--show", action="store_true", help="print the first detail of each cause")
    given = parser.parse_args()
    if given.seeds is None:
        given.seeds = range(given.start, given.start + given.count)
    given.seeds = [*given.seeds, *(FIRST_FRESH + secrets.randbelow(FIRST_FRESH) for _ in range(given.fresh))]
    return given


def _work(family: str, seeds: Sequence[int]) -> None:
    build = generator(family)
    for seed in seeds:
        print(json.dumps(judge(seed, build).plain()), flush=True)


def _report(family: str, found: list[Verdict], seconds: float, show: bool) -> None:
    words = Counter(v.word for v in found)
    counts = ", ".join(f"{word} {words[word]}" for word in WORDS if words[word])
    run, audit = (sum(getattr(v, key) for v in found) / len(found) for key in ("run_ms", "audit_ms"))
    slowest = max(found, key=lambda v: v.run_ms + v.audit_ms)
    print(
        f"{family}: {len(found)} machines in {seconds:.1f} s: {counts}; mean run {run:.2f} ms, audit {audit:.2f} ms, "
        f"slowest seed {slowest.seed}: {slowest.run_ms:.0f} + {slowest.audit_ms:.0f} ms"
    )
    if truths := Counter(v.truth for v in found if v.truth):
        print("  start: " + ", ".join(f"{word} {n}" for word, n in truths.most_common()))
    causes = Counter((v.word, v.cause) for v in found if v.word != PASSED)
    for (word, cause), n in causes.most_common():
        seeds = [v.seed for v in found if (v.word, v.cause) == (word, cause)]
        print(f"  {n:5d}  {word}: {cause}  seeds {', '.join(map(str, seeds[:8]))}{' …' if n > 8 else ''}")
        if show:
            print(
                "\n".join(
                    f"         {line}"
                    for line in next(v for v in found if v.seed == seeds[0]).detail.splitlines()
                )
            )


def main() -> int:
    """Run the families that are asked for; 1 if anything is wrong, crashed or hung."""
    given = _arguments()
    if given.worker:
        _work(given.family, given.seeds)
        return 0
    bad = 0
    for family in NAMES if given.family == "all" else [given.family]:
        begin = time.perf_counter()
        found = list(verdicts(family, given.seeds, given.patience))
        _report(family, found, time.perf_counter() - begin, given.show)
        bad += sum(v.word not in (PASSED, UNFINISHED, REFUSED) for v in found)
        if given.page is not None:
            evidence_table.write(given.page, [evidence_table.row(family, found)])
        if given.out is not None:
            given.out.mkdir(parents=True, exist_ok=True)
            failing = [v.plain() for v in found if v.word != PASSED]
            (given.out / f"{family}.json").write_text(json.dumps(failing, indent=1))
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
