"""The numbers are the same for chunks in threads, processes, dask's workers in their own processes, and MPI."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ensemble import sweep_builds as builds

import stickslip as ss

TEXT = ["events.count", "block.position.max", "events.last"]
MEASURE = [*TEXT, builds.peak]
SPEEDS = np.linspace(0.1, 1.0, 37)
# Processes are forked where the system does that; pytest-xdist has threads of its own.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def expected(measure: list[Any] = MEASURE) -> ss.EnsembleResult:
    return ss.ensemble(builds.belt(), {"belt.surface_velocity": SPEEDS}, 30.0, measure, workers=1)


def agree(one: ss.EnsembleResult, other: ss.EnsembleResult) -> None:
    assert one.success.all()
    for name in other:
        np.testing.assert_array_equal(one[name], other[name])


def test_built_machines_in_processes_are_varied_machines_in_threads() -> None:
    agree(ss.ensemble(builds.belt, {"speed": SPEEDS}, 30.0, MEASURE, workers=2), expected())


def test_standard_executors_give_equal_results() -> None:
    varied = {"belt.surface_velocity": SPEEDS}
    with ThreadPoolExecutor(3) as threads:
        agree(ss.ensemble(builds.belt(), varied, 30.0, MEASURE, executor=threads), expected())
        agree(ss.ensemble(builds.belt, {"speed": SPEEDS}, 30.0, MEASURE, executor=threads), expected())
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        agree(ss.ensemble(builds.belt(), varied, 30.0, MEASURE, executor=processes), expected())


def test_crashed_point_sets_the_status() -> None:
    """All others are done, though it takes those of its chunk and of other chunks with it."""
    out = ss.ensemble(
        builds.deadly, {"speed": SPEEDS}, 10.0, ["events.count", "block.position.max"], workers=2
    )
    np.testing.assert_array_equal(out.status == "failed", SPEEDS > 0.9)
    assert all("ended abruptly" in text for text in out.messages[SPEEDS > 0.9])
    np.testing.assert_array_equal(
        out["events.count"][SPEEDS <= 0.9],
        ss.ensemble(builds.belt, {"speed": SPEEDS[SPEEDS <= 0.9]}, 10.0)["events.count"],
    )


UNGUARDED = """
import multiprocessing
multiprocessing.set_start_method("spawn", force=True)
import stickslip as ss
def build(mass):
    return ss.Machine(mass=mass)
out = ss.ensemble(build, {"mass": [1.0]}, 1.0, workers=1)
print(out.messages[0])
ss.ensemble(build, {"mass": [1.0, 2.0, 3.0, 4.0, 5.0]}, 1.0, workers=1)
"""


def test_unguarded_script_gets_a_hint(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(Path(ss.__file__).parents[1])}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 1
    for line in (done.stdout.splitlines()[-1], done.stderr.splitlines()[-1]):
        assert "must do so below `if __name__ == '__main__':`" in line


def test_broken_executor_returns_finished_points() -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes,
        pytest.warns(RuntimeWarning, match="executor failed"),
    ):
        out = ss.ensemble(builds.deadly, {"speed": [0.1, 0.95, 0.2]}, 10.0, executor=processes)
    assert out.status[1] == "interrupted"


class _Interrupted(ThreadPoolExecutor):
    """An executor whose ``submit`` meets Ctrl-C."""

    submitted = 0

    def submit(self, *given: Any, **keywords: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        future = super().submit(*given, **keywords)
        self.submitted += 1
        return future


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="sends signals")
def test_ctrl_c_waits_for_the_end_of_submit() -> None:
    """Raised within it, it can leave a lock of the executor locked, for which the process then waits at its end."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with (
            _Interrupted(1) as executor,
            pytest.warns(RuntimeWarning, match="interrupted"),
            pytest.raises(KeyboardInterrupt),
        ):
            ss.ensemble(builds.belt, {"speed": SPEEDS}, 30.0, TEXT, executor=executor)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert executor.submitted > 0


def test_functions_of_a_script_need_cloudpickle(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cloudpickle")
    parameters = {"speed": [0.2, 0.3]}
    out = ss.ensemble(lambda speed: builds.belt(speed), parameters, 10.0, [lambda run: run.t[-1]], workers=1)
    assert list(out["<lambda>"]) == [10.0, 10.0]
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(
        Exception, match=r"cannot be pickled.*top of a module.*cloudpickle.*ThreadPoolExecutor"
    ):
        ss.ensemble(lambda speed: builds.belt(speed), parameters, 10.0)
    with ThreadPoolExecutor(1) as threads:
        assert ss.ensemble(lambda speed: builds.belt(speed), parameters, 10.0, executor=threads).success.all()


def cluster(**options: Any) -> Any:
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ports that are taken
        return distributed.LocalCluster(
            n_workers=options.pop("n_workers", 2),
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            **options,
        )


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with cluster() as made, distributed.Client(made) as here:
        yield here


@pytest.mark.filterwarnings("ignore")  # those of dask are its own
def test_dask_workers_give_equal_results(client: Any) -> None:
    """The numbers are the same if one of two workers is killed in mid-run."""
    varied = {"belt.surface_velocity": SPEEDS}
    agree(ss.ensemble(builds.belt(), varied, 30.0, TEXT, executor=client), expected(TEXT))
    speeds = np.linspace(0.1, 1.0, 160)
    victim = next(iter(client.run(os.getpid).values()))
    threading.Timer(0.25, os.kill, (victim, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)).start()
    out = ss.ensemble(builds.slow, {"speed": speeds}, 30.0, ["events.count"], executor=client)
    assert victim not in client.run(os.getpid).values()
    agree(out, ss.ensemble(builds.belt, {"speed": speeds}, 30.0, ["events.count"], workers=1))


@pytest.mark.filterwarnings("ignore")
def test_dask_worker_without_package_is_named() -> None:
    distributed = pytest.importorskip("distributed")
    lacks = "import sys; sys.modules['stickslip'] = None"
    begin = time.perf_counter()
    with cluster(n_workers=1, preload=lacks) as made, distributed.Client(made) as client:
        with pytest.raises(
            RuntimeError, match=f"worker cannot import stickslip: install .* {ss.__version__}"
        ):
            ss.ensemble(builds.belt(), {"belt.surface_velocity": SPEEDS}, 30.0, executor=client)
    assert time.perf_counter() - begin < 30.0


MPI = """
import numpy as np, stickslip as ss
from mpi4py.futures import MPIPoolExecutor

def belt(speed):
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=speed)
    return m

if __name__ == "__main__":
    speeds = np.linspace(0.1, 1.0, 37)
    with MPIPoolExecutor() as pool:
        a = ss.ensemble(belt, {"speed": speeds}, 30.0, ["events.count", "events.last"], executor=pool)
        b = ss.ensemble(belt(0.1), {"belt.surface_velocity": speeds}, 30.0, list(a), executor=pool)
        count = pool.num_workers
    c = ss.ensemble(belt(0.1), {"belt.surface_velocity": speeds}, 30.0, list(a))
    same = all(np.array_equal(one[n], c[n], equal_nan=True) for one in (a, b) for n in c)
    print(count, same, c.success.all())
"""


def test_mpi_workers_give_equal_results(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    here = Path(sys.executable).with_name("mpiexec")
    launcher = str(here) if here.exists() else shutil.which("mpiexec")
    if launcher is None:
        pytest.skip("needs mpiexec, such as that of the package mpich")
    script = tmp_path / "sweep.py"
    script.write_text(MPI, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(Path(ss.__file__).parents[1])}
    command = [launcher, "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    assert done.stdout.split() == ["2", "True", "True"], done.stdout + done.stderr
