"""Switch rules of decisions off, one at a time, and print which machines need them.

    cmake -S . -B build/switches -DSTICKSLIP_SWITCHES=ON ... ; cd tests
    PYTHONPATH=../build/switches/python python -m families.rules --count 60

Verdicts of families and of the recorded corpus are compared with those of all rules: a machine needs a rule if its
verdict becomes worse. Rules stand in for each other: delete one, then measure again.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path

from families import NAMES
from families.batch import verdicts
from families.verdict import PASSED, UNFINISHED, Verdict, left

SOURCES = Path(__file__).parents[2] / "src" / "transition"
PATIENCE = 60.0  # s


def rules() -> list[str]:
    """Names of all rules with a switch."""
    text = "".join(path.read_text() for path in sorted(SOURCES.glob("*.cpp")))
    return sorted(set(re.findall(r'STICKSLIP_RULE\("(\w+)"\)', text)))


def _rank(v: Verdict) -> int:
    """0: passed, or ended early for a proven reason; 1: ended early though answered; 2: wrong, or worse."""
    return (
        0 if v.word == PASSED or (v.word == UNFINISHED and not left(v)) else 1 if v.word == UNFINISHED else 2
    )


def ranks(family: str, seeds: Sequence[int], off: Sequence[str]) -> dict[int, int]:
    """By seed, with rules off."""
    os.environ["STICKSLIP_OFF"] = ",".join(off)
    return {v.seed: _rank(v) for v in verdicts(family, seeds, PATIENCE)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m families.rules", description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="machines of each family")
    parser.add_argument("--families", nargs="+", default=["corpus", *NAMES])
    parser.add_argument(
        "--rules", nargs="+", default=rules(), help="these only; several joined by commas are off together"
    )
    given = parser.parse_args()
    seeds = range(given.count)
    before = {family: ranks(family, seeds, []) for family in given.families}
    for rule in given.rules:
        worse, better = [], 0
        for family in given.families:
            after = ranks(family, seeds, rule.split(","))
            worse += [f"{family} {seed}" for seed in seeds if after[seed] > before[family][seed]]
            better += sum(after[seed] < before[family][seed] for seed in seeds)
        print(f"{rule}: worse {len(worse)}, better {better}  {', '.join(worse[:8])}", flush=True)


if __name__ == "__main__":
    main()
