"""The C++ tests and random machines under the sanitizers: ``python tests/engine/sanitized.py``.

Address and undefined behaviour (preset ``sanitize``), then races of threads (``sanitize-thread``), on Linux with GCC or
Clang. Each preset is built, its tests in C++ are run, then machines of all families from Python, with the sanitizer's
runtime loaded first: one after the other, pickled and resumed, and as ensembles in threads. What a sanitizer finds ends
the process and stands in ``build/<preset>/found.*``.
"""

from __future__ import annotations

import argparse
import os
import pickle
import shutil
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUNTIMES = {"sanitize": ("libasan.so", "libubsan.so"), "sanitize-thread": ("libtsan.so",)}
OPTIONS = "halt_on_error=1:abort_on_error=1:print_stacktrace=1:detect_leaks=0"
THREADS = 3


def build(preset: str) -> Path:
    """Build a preset; the folder of its package, whose Python files are links."""
    folder = ROOT / "build" / preset
    purelib = sysconfig.get_path("purelib")
    configure = [f"-DCMAKE_PREFIX_PATH={purelib}", f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run(["cmake", "--preset", preset, *configure], cwd=ROOT, check=True)
    subprocess.run(
        ["cmake", "--build", "--preset", preset, "--target", "_core", "engine_tests"], cwd=ROOT, check=True
    )
    package = folder / "python" / "stickslip"
    for entry in (ROOT / "python" / "stickslip").iterdir():
        if entry.name.startswith("_core.") or entry.name == "__pycache__" or (package / entry.name).exists():
            continue
        (package / entry.name).symlink_to(entry)
    return folder


def environment(preset: str, folder: Path) -> dict[str, str]:
    """The sanitizer's runtime has to be there before Python, and with it what it wraps of C++."""
    compiler = shutil.which(os.environ.get("CXX", "g++")) or "c++"
    found = []
    for name in (*RUNTIMES[preset], "libstdc++.so"):
        path = subprocess.run(
            [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
        )
        found.append(str(Path(path.stdout.strip()).resolve()))
    said = f"{OPTIONS}:log_path={folder}/found"
    python = os.pathsep.join([str(folder / "python"), str(ROOT / "tests")])
    return os.environ | {
        "LD_PRELOAD": ":".join(found), "PYTHONPATH": python, "ASAN_OPTIONS": said, "UBSAN_OPTIONS": said,
        "TSAN_OPTIONS": said, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip


def machines(count: int, threads: bool) -> None:
    """Run machines of all families; in this process, which a finding ends."""
    from families import NAMES

    warnings.simplefilter("ignore")
    for i, family in enumerate(NAMES):
        share = count // len(NAMES) + (i < count % len(NAMES))
        print(f"{family}: {of_family(family, share, threads)} runs of {share} machines", flush=True)


def of_family(family: str, count: int, threads: bool) -> int:
    """Run machines of a family; how many runs that were."""
    from families import generator

    import stickslip as ss

    make, runs = generator(family), 0
    for seed in range(count):
        case = make(seed)
        most = {"max_events": 2000, "max_time": 5.0}
        if threads:
            name = f"{case.machine.names[0]}.velocity"
            options = {k: v for k, v in case.options.items() if k != "initial"}
            start = {k: v for k, v in case.options.get("initial", {}).items() if k != name}
            ss.ensemble(
                case.machine, {name: [-1.0, 0.0, 0.5, 2.0], **start}, case.t_end, workers=THREADS, progress=False,
                **options, **most,
            )  # fmt: skip
            runs += 4
            continue
        run = pickle.loads(pickle.dumps(ss.simulate(case.machine, case.t_end, **case.options, **most)))
        if run.success:
            ss.simulate(case.machine, case.t_end + 0.1, state=run.state, **most)
        runs += 1
    return runs


def sanitized(preset: str, count: int) -> bool:
    """True if a preset's tests and machines end without a finding."""
    folder = build(preset)
    for old in folder.glob("found.*"):
        old.unlink()
    around = environment(preset, folder)
    options = {k: v for k, v in around.items() if k != "LD_PRELOAD"}
    good = subprocess.run([folder / "tests" / "engine" / "engine_tests"], env=options).returncode == 0
    command = [sys.executable, __file__, "--inside", "--machines", str(count), "--preset", preset]
    good &= subprocess.run(command, env=around, cwd=ROOT / "tests").returncode == 0
    found = list(folder.glob("found.*"))
    for path in found:
        print(path.read_text()[:4000])
    return good and not found


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machines", type=int, default=1000)
    parser.add_argument("--preset", choices=list(RUNTIMES))
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        machines(given.machines, given.preset == "sanitize-thread")
        return 0
    told = {p: sanitized(p, given.machines) for p in ([given.preset] if given.preset else RUNTIMES)}
    for preset, good in told.items():
        print(f"{preset}: {'nothing found' if good else 'FAILED'}")
    return 0 if all(told.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
