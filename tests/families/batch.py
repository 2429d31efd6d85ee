"""Machines in processes of their own, so that one that crashes or hangs is a verdict and not the end."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import stickslip as ss
from families.verdict import CRASH, HANG, Verdict

SECONDS_EACH = 120.0  # half a minute and more on a slow machine that does other things, too


def _lines(pipe: IO[str], out: queue.Queue[str | None]) -> None:
    for line in pipe:
        out.put(line)
    out.put(None)


def _worker(family: str, seeds: Sequence[int]) -> subprocess.Popen[str]:
    here = Path(__file__).parents[1]
    package = Path(ss.__file__).parents[1]
    path = os.pathsep.join([str(here), str(package), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "families", family, "--worker", "--seeds", *map(str, seeds)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=here,
        env=os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip


def verdicts(family: str, seeds: Sequence[int], patience: float = SECONDS_EACH) -> Iterator[Verdict]:
    """One verdict for each seed; after a seed that ended its process a new one continues."""
    left = list(seeds)
    while left:
        process = _worker(family, left)
        lines: queue.Queue[str | None] = queue.Queue()
        assert process.stdout is not None
        reader = threading.Thread(target=_lines, args=(process.stdout, lines), daemon=True)
        reader.start()
        try:
            while left:
                line = lines.get(timeout=patience)
                if line is None:
                    code = process.wait()
                    if code > 0:  # an error of Python: the command itself is broken
                        raise RuntimeError(f"the machines of {family!r} cannot be run: exit code {code}")
                    yield Verdict(left.pop(0), CRASH, f"exit code {code}")
                    break
                yield Verdict(**json.loads(line))
                left.pop(0)
        except queue.Empty:
            yield Verdict(left.pop(0), HANG, f"longer than {patience:g} s")
        finally:
            process.kill()
            process.wait()
            reader.join()
            process.stdout.close()
