"""Stores: results are kept, the same call continues, another one is refused by name; memory does not grow."""

import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ensemble import sweep_builds as builds

import stickslip as ss
from stickslip.ensembles import spread

zarr = pytest.importorskip("zarr")
SPEEDS = np.linspace(0.1, 1.0, 3000)
VARIED = {"belt.surface_velocity": SPEEDS}
MEASURE = ["events.count", "block.position.max"]
ENV = {**os.environ, "PYTHONPATH": str(Path(ss.__file__).parents[1])}
# Processes are forked where the system does that; pytest-xdist has threads of its own.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def sweep(store: Path | None, **changed: Any) -> ss.EnsembleResult:
    call = {"machine": builds.belt(), "parameters": VARIED, "t_end": 30.0, "measure": MEASURE} | changed
    return ss.ensemble(store=store, **call)


def same(one: ss.EnsembleResult, other: ss.EnsembleResult) -> None:
    assert one.shape == other.shape and list(one) == list(other)
    for name in other:
        assert one[name].dtype == other[name].dtype
        np.testing.assert_array_equal(one[name], other[name])
    np.testing.assert_array_equal(one.status, other.status)
    np.testing.assert_array_equal(one.messages, other.messages)


def test_store_equals_the_result(tmp_path: Path) -> None:
    """A second call and load() read the same result from the store, failed points included."""
    speeds = {"belt.normal_load": [1.0, -1.0, 2.0], "belt.surface_velocity": SPEEDS[::300]}
    one = sweep(tmp_path / "a", parameters=speeds)
    assert set(one.status[1]) == {"failed"} and "normal_load" in one.messages[1, 0]
    for other in (
        sweep(None, parameters=speeds),
        sweep(tmp_path / "a", parameters=speeds),
        ss.load(tmp_path / "a"),
    ):
        assert isinstance(other, ss.EnsembleResult)
        same(other, one)
        assert other.dims == one.dims and other.version == ss.__version__ and other.machine == one.machine
        assert other.rerun((2, 3)).state == one.rerun((2, 3)).state
    assert (
        float(zarr.open_group(str(tmp_path / "a"), mode="r")["block.position.max"][20])
        == one["block.position.max"][2, 0]
    )
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(one)


def test_store_of_functions_keeps_names(tmp_path: Path) -> None:
    call = {
        "machine": builds.belt,
        "parameters": {"speed": SPEEDS[:5]},
        "measure": [builds.peak],
        "workers": 1,
    }
    one = sweep(tmp_path / "a", **call)
    again = ss.load(tmp_path / "a")
    assert isinstance(again, ss.EnsembleResult)
    same(again, one)
    with pytest.raises(ValueError, match=r"contains only the name of .*sweep_builds\.belt"):
        again.rerun(0)
    with pytest.raises(
        ValueError, match=r"machine.function is '.*\.belt' in the store, '.*\.slow' in this call"
    ):
        sweep(tmp_path / "a", **call | {"machine": builds.slow})


def heavier() -> ss.Machine:
    m = builds.belt()
    m.add_force("block", 0.0)
    return m


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            {"machine": builds.belt(static=1.5)},
            r"machine.elements\[0\].law\[0\].static is 1.0 in the store, 1.5 in this call",
        ),
        ({"machine": heavier()}, r"machine.elements has 1 entries in the store, 2 in this call"),
        ({"t_end": 31.0}, "t_end is 30.0 in the store, 31.0 in this call"),
        ({"measure": ["steps"]}, "measure has 2 entries in the store, 1 in this call"),
        (
            {"parameters": {"belt.surface_velocity": SPEEDS[:5] * 2}},
            "parameters.belt.surface_velocity.values is",
        ),
        ({"parameters": {"block.velocity": SPEEDS[:5]}}, "parameters.block.velocity is None in the store"),
        ({"rtol": 1e-6}, "options.rtol is None in the store, 1e-06 in this call"),
        ({"design": "zip"}, "design.kind is 'grid' in the store, 'zip' in this call"),
    ],
)
def test_a_store_of_another_ensemble_is_refused_by_name(
    tmp_path: Path, changed: dict[str, Any], text: str
) -> None:
    few = {"parameters": {"belt.surface_velocity": SPEEDS[:5]}}
    sweep(tmp_path / "a", **few)
    with pytest.raises(ValueError, match=f"holds another ensemble: {text}.*Use another path"):
        sweep(tmp_path / "a", **few | changed)


def test_a_store_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    few = {"parameters": {"belt.surface_velocity": SPEEDS[:5]}}
    sweep(tmp_path / "a", **few)
    group = zarr.open_group(str(tmp_path / "a"), mode="r+")
    group.attrs["ensemble"] = dict(group.attrs["ensemble"]) | {"stickslip": "0.0.1"}
    with pytest.raises(
        ValueError, match=f"stickslip is '0.0.1' in the store, '{ss.__version__}' in this call"
    ):
        sweep(tmp_path / "a", **few)
    group.attrs["format"] = 7
    for read in (lambda: sweep(tmp_path / "a", **few), lambda: ss.load(tmp_path / "a")):
        with pytest.raises(ValueError, match=r"another version of stickslip, 0.0.1: its format is 7"):
            read()


def test_other_folders_are_refused_as_store(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "text").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("folder", "file"):
        with pytest.raises(ValueError, match="not a store of an ensemble"):
            sweep(tmp_path / name)
    assert (tmp_path / "folder" / "text").read_text() == (tmp_path / "file").read_text() == "mine"


def test_damage_anywhere_in_a_store_is_an_error_that_names_it(tmp_path: Path) -> None:
    """A store with a truncated, emptied or changed file is refused, or its valid part is read."""
    sweep(tmp_path / "a", parameters={"belt.surface_velocity": SPEEDS[:50]})
    rng = np.random.default_rng(1)
    refused = 0
    for file in sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file()):
        whole = (tmp_path / "a" / file).read_bytes()
        changed = bytearray(whole)
        changed[rng.integers(len(whole))] ^= 0x55
        for data in (whole[: len(whole) // 2], b"", bytes(changed)):
            shutil.rmtree(tmp_path / "b", ignore_errors=True)
            shutil.copytree(tmp_path / "a", tmp_path / "b")
            (tmp_path / "b" / file).write_bytes(data)
            try:
                result = ss.load(tmp_path / "b")
                assert isinstance(result, ss.EnsembleResult)
                _ = repr(result), [result[name] for name in result], result.messages
            except ValueError as error:
                refused += 1
                assert str(tmp_path / "b") in str(error)
    assert refused > 10


SCRIPT = """
import signal, sys, numpy as np, stickslip as ss
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, sys.argv[2])
import sweep_builds as builds
from stickslip.ensembles.spread import Spread
take = Spread._take
def counted(self, future):
    reason = take(self, future)
    print("taken", flush=True)
    return reason
Spread._take = counted
print("ready", flush=True)
ss.ensemble(builds.slow, {"speed": np.linspace(0.1, 1.0, 400)}, 30.0, store=sys.argv[1], workers=2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize("how", ["Ctrl-C", "kill -9"])
def test_interrupted_sweep_continues(tmp_path: Path, how: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(tmp_path / "a"), str(Path(__file__).parent)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=ENV, start_new_session=True
    ) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        if how == "Ctrl-C":
            assert child.stdout.readline() == "taken\n"
            child.send_signal(signal.SIGINT)
            child.wait(timeout=60)
        else:  # with its workers; what came in the first two seconds may be lost
            time.sleep(1.0)
            deadline = time.monotonic() + 20.0
            while done(tmp_path / "a") == 0 and child.poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
            os.killpg(child.pid, signal.SIGKILL)
    left = done(tmp_path / "a")
    assert 0 < left
    if how == "Ctrl-C":
        assert left < 400
    out = ss.load(tmp_path / "a")
    assert isinstance(out, ss.EnsembleResult) and int(out.success.sum()) == left
    subprocess.run(command, check=True, env=ENV, stdout=subprocess.DEVNULL, timeout=60)
    whole = ss.load(tmp_path / "a")
    assert isinstance(whole, ss.EnsembleResult) and whole.success.all()
    speeds = np.linspace(0.1, 1.0, 400)
    np.testing.assert_array_equal(
        whole["events.count"], ss.ensemble(builds.belt, {"speed": speeds}, 30.0, workers=1)["events.count"]
    )


def done(path: Path) -> int:
    try:
        return int(np.sum(zarr.open_group(str(path), mode="r")["status"][:] == 0))
    except Exception:
        return 0


def test_only_missing_points_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after some chunks; the same call then sends only the rest, and the whole is what one call gives."""
    taken = spread.Spread._take
    count = 0

    def interrupted(self: spread.Spread, future: Any) -> str | None:
        nonlocal count
        count += 1
        if count == 5:
            raise KeyboardInterrupt
        return taken(self, future)

    monkeypatch.setattr(spread.Spread, "_take", interrupted)
    with (
        pytest.warns(RuntimeWarning, match="interrupted.*'partial' of the KeyboardInterrupt"),
        pytest.raises(KeyboardInterrupt) as stopped,
    ):
        sweep(tmp_path / "a", workers=1)
    part: ss.EnsembleResult = stopped.value.partial  # type: ignore[attr-defined]
    missing = int(np.sum(part.status == "interrupted"))
    assert 0 < missing < SPEEDS.size
    sent = 0

    def counted(self: spread.Spread, future: Any) -> str | None:
        nonlocal sent
        first, last = self._pending[future]
        sent += last - first
        return taken(self, future)

    monkeypatch.setattr(spread.Spread, "_take", counted)
    whole = sweep(tmp_path / "a", workers=1)
    assert sent == missing
    same(whole, sweep(None))


FULL = """
import os, resource, sys, numpy as np, stickslip as ss
sys.path.insert(0, sys.argv[2])
import sweep_builds as builds
varied = {"belt.surface_velocity": np.linspace(0.1, 1.0, 200), "block.velocity": np.linspace(0.1, 1.0, 200)}
def sweep():
    return ss.ensemble(builds.belt(), varied, 2.0, ["block.position.max"], store=sys.argv[1])
import zarr  # before files are limited
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 10**9))
try:
    sweep()
except OSError as error:
    print(error, os.path.isdir(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (10**9, 10**9))
print(sweep().success.all())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_full_disk_is_reported_and_sweep_continues(tmp_path: Path) -> None:
    """The description fits, results do not: it says so, and goes on once there is room."""
    command = [
        sys.executable,
        "-c",
        FULL,
        str(tmp_path / "a"),
        str(Path(__file__).parent),
    ]
    run = subprocess.run(command, capture_output=True, text=True, env=ENV, timeout=120)
    first, _, last = run.stdout.strip().rpartition("\n")
    assert (
        "cannot write to the store" in first and "free disk space and repeat the call to continue" in first
    ), run.stdout + run.stderr
    assert first.endswith("True") and last == "True", run.stdout + run.stderr


MEMORY = """
import re, sys, numpy as np, stickslip as ss
m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 1.0})
m.add_friction("guide", on="slide", law=ss.Coulomb(0.2))
varied = {"slide.force": np.linspace(0.1, 1.0, 1000), "slide.velocity": np.linspace(0.0, 1.0, 1000)}
out = ss.ensemble(m, varied, 1.0, ["slide.position.final", "events.count"], store=sys.argv[1])
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())  # ru_maxrss is that of the parent as well
print(int(peak[1]) // 1024, int(out.success.sum()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_million_points_need_little_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MEMORY, str(tmp_path / "a")]
    run = subprocess.run(command, capture_output=True, text=True, env=ENV, timeout=200)
    megabytes, points = map(int, run.stdout.split())
    assert points == 1_000_000 and megabytes <= 300, run.stdout + run.stderr


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
import numpy as np, stickslip as ss
from ensemble import sweep_builds as builds
ss.ensemble(builds.slow, {"speed": np.linspace(0.1, 1.0, 400)}, 30.0, store=sys.argv[1], workers=1)
"""


def writer(store: Path) -> list[str]:
    """Command of a process that fills a store."""
    return [sys.executable, "-W", "ignore", "-c", WRITER, str(store), str(Path(__file__).parents[1])]


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_store_that_another_process_writes_to_is_refused_by_its_number(tmp_path: Path) -> None:
    """The lock ends with the process, however it ends; then the same call continues."""
    command = writer(tmp_path / "a")
    call: dict[str, Any] = {"parameters": {"speed": np.linspace(0.1, 1.0, 400)}, "t_end": 30.0, "workers": 1}
    with subprocess.Popen(command, env=ENV, start_new_session=True) as child:
        try:
            end = time.monotonic() + 20.0
            while not (tmp_path / "a" / ".lock").exists() and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(0.1)
            with pytest.raises(
                ValueError, match=rf"is in use by process {child.pid} on .*: wait .* or use another path"
            ):
                ss.ensemble(builds.slow, store=tmp_path / "a", **call)
            assert isinstance(ss.load(tmp_path / "a"), ss.EnsembleResult)  # reading needs no lock
        finally:
            os.killpg(child.pid, signal.SIGKILL)  # with its workers
            child.wait()
    assert ss.ensemble(builds.slow, store=tmp_path / "a", **call).success.all()


def test_store_that_this_process_writes_to_is_refused(tmp_path: Path) -> None:
    refused = []

    def nested(run: ss.Trajectory) -> float:
        if not refused:
            with pytest.raises(ValueError, match="is in use by process"):
                sweep(tmp_path / "a", parameters={"belt.surface_velocity": SPEEDS[:5]}, measure=[nested])
            refused.append(True)
        return 0.0

    for _ in range(2):  # and free again behind it
        sweep(tmp_path / "a", parameters={"belt.surface_velocity": SPEEDS[:5]}, measure=[nested])
    assert refused


def test_two_processes_cannot_create_one_store(tmp_path: Path) -> None:
    """One call writes the store, the other is refused or reads the complete store; neither reads a part of it."""
    command = writer(tmp_path / "a")
    children = [subprocess.Popen(command, env=ENV, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [child.communicate(timeout=120)[1] for child in children]
    assert any(child.returncode == 0 for child in children), said
    for child, text in zip(children, said, strict=True):
        assert child.returncode == 0 or "is in use by process" in text, text
    out = ss.load(tmp_path / "a")
    assert isinstance(out, ss.EnsembleResult) and out.success.all()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_finished_store_holds_only_zarr(tmp_path: Path) -> None:
    """Zarr warns of whatever else lies in a group."""
    sweep(tmp_path / "a", parameters={"belt.surface_velocity": SPEEDS[:5]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert {*zarr.open_group(str(tmp_path / "a"), mode="r").array_keys()} > {*MEASURE}
