"""Hold runs of random machines against independent truths: ``python -m truths frictional --count 500``."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict

from truths import TOLD, found


def main() -> int:
    """1 if a verdict is of something wrong."""
    parser = argparse.ArgumentParser(prog="python -m truths", description=__doc__)
    parser.add_argument("family", help=f"one of {', '.join(TOLD)}, or all")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--start", type=int, default=0, help="first seed")
    given = parser.parse_args()
    bad = 0
    for family in TOLD if given.family == "all" else [given.family]:
        begin, words, seeds = time.perf_counter(), Counter[str](), defaultdict(list)
        for seed, verdicts in found(family, given.start, given.count):
            words.update(verdicts)
            for word in {w for w in verdicts if w != "agrees"}:
                seeds[word].append(seed)
        told = ", ".join(f"{word} {n}" for word, n in words.most_common())
        print(f"{family}: {given.count} machines in {time.perf_counter() - begin:.0f} s: {told}")
        for word, which in seeds.items():
            print(f"    {word}: seeds {', '.join(map(str, which[:12]))}{' …' if len(which) > 12 else ''}")
            bad += word.startswith(("wrong", "an answer", "not the only"))
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
