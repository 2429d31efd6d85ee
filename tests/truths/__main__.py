"""Hold runs of random machines against independent truths: ``python -m truths frictional --count 500``."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict

from truths import LEFT, TRUTHS, found

FAMILIES = sorted({family for families in TRUTHS.values() for family in families})


def _report(by: str, family: str, start: int, count: int) -> bool:
    """Print verdicts; whether one is of something wrong."""
    begin, words, seeds, bad = time.perf_counter(), Counter[str](), defaultdict(list), False
    for seed, verdicts in found(by, family, start, count):
        words.update(verdicts)
        for word in {w for w in verdicts if w != "agrees"}:
            seeds[word].append(seed)
    told = ", ".join(f"{word} {n}" for word, n in words.most_common())
    print(f"{family} by {by}: {count} machines in {time.perf_counter() - begin:.0f} s: {told}", flush=True)
    for word, which in seeds.items():
        if not word.startswith(LEFT):
            print(
                f"    {word}: seeds {', '.join(map(str, which[:12]))}{' …' if len(which) > 12 else ''}",
                flush=True,
            )
        bad |= word.startswith(("wrong", "an answer", "not the only"))
    return bad


def main() -> int:
    """1 if a verdict is of something wrong."""
    parser = argparse.ArgumentParser(prog="python -m truths", description=__doc__)
    parser.add_argument("family", help=f"one of {', '.join(FAMILIES)}, or all")
    parser.add_argument("--by", choices=list(TRUTHS), help="one truth; otherwise all that know the family")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--start", type=int, default=0, help="first seed")
    given = parser.parse_args()
    bad = [
        _report(by, family, given.start, given.count)
        for by in ([given.by] if given.by else TRUTHS)
        for family in TRUTHS[by]
        if given.family in (family, "all")
    ]
    return int(any(bad))


if __name__ == "__main__":
    sys.exit(main())
