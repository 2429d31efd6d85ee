"""Runs in files: arrays and JSON, no pickles."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import uuid
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip import _core
from stickslip._extras import need
from stickslip.ensembles.store import load as load_store
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run.trajectory import Trajectory

if TYPE_CHECKING:
    from stickslip.ensembles import EnsembleResult

__all__ = ["load"]

FORMAT = 2
ARCHIVE = b"PK\x03\x04"  # how ZIP archives begin
_MACHINES: dict[str, type[Machine] | type[StateSpace]] = {"Machine": Machine, "StateSpace": StateSpace}


def save(run: Trajectory, path: str | PathLike[str]) -> None:
    """Write a run with its machine to a file: see `Trajectory.save`."""
    machine = run.machine
    arrays: dict[str, Any] = {} if run._grid is None else {"t": run._grid}
    about = {
        "stickslip": _core.__version__,
        "run_format": FORMAT,
        "kind": type(machine).__name__,
        "machine": machine.to_dict(),
        "run": _flat(run.__getstate__()["run"], arrays),
        "marks": [run._marks.asked, [list(mark) for mark in run._marks.found], run._marks.stopped],
    }
    text = np.frombuffer(json.dumps(about, allow_nan=False).encode(), np.uint8)
    target = Path(path)
    aside = target.with_name(
        f"{target.name}.{uuid.uuid4().hex[:8]}"
    )  # so that no half file takes the place of a whole
    try:
        with aside.open("xb") as file:
            np.savez_compressed(file, about=text, **arrays)
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)


def write_csv(run: Trajectory, path: str | PathLike[str]) -> None:
    """Write the signals of a run as text: see `Trajectory.to_csv`."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["time", *run])
        writer.writerows(zip(*(column.tolist() for column in (run.t, *run.values())), strict=True))


def write_mat(run: Trajectory, path: str | PathLike[str]) -> None:
    """Write the signals of a run for MATLAB: see `Trajectory.to_mat`."""
    scipy_io = need("scipy.io", "SciPy", "to_mat() needs", "identify")
    tree: dict[str, Any] = {"time": run.t[:, None]}
    for name, values in run.items():
        *owners, last = (_matlab_name(part) for part in name.split("."))
        place: Any = tree
        for owner in owners:
            place = place.setdefault(owner, {}) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last in place:
            raise ValueError(
                f"signal {name!r} cannot be written: in MATLAB {'.'.join([*owners, last])} is another signal as well; "
                "rename one of them"
            )
        place[last] = values[:, None]
    scipy_io.savemat(Path(path), tree, appendmat=False, long_field_names=True, oned_as="column")


def _matlab_name(part: str) -> str:
    """Letters, digits and underscores, a letter first."""
    allowed = re.sub(r"[^0-9A-Za-z_]", "_", part)
    return allowed if allowed[:1].isalpha() else f"x{allowed}"


def load(path: str | PathLike[str]) -> Trajectory | EnsembleResult:
    """Read a run that `Trajectory.save` has written, or the store of an ensemble.

    Parameters
    ----------
    path : path
        The file, or the folder of the store.

    Returns
    -------
    Trajectory or EnsembleResult
        A run, which can be continued bitwise, or the results in the store so far.

    Raises
    ------
    ValueError
        If the file is damaged, of another kind, or of another format version.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile, stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run.save(pathlib.Path(folder) / "run.npz")
    ...     on = ss.simulate(m, t_end=20.0, state=ss.load(pathlib.Path(folder) / "run.npz").state)
    >>> on.state == ss.simulate(m, t_end=20.0, state=run.state).state
    True
    """
    source = Path(path)
    if source.is_dir():
        return load_store(source)
    data = source.read_bytes()
    if not data.startswith(ARCHIVE):
        raise ValueError(
            f"{source} is not a saved run, or is damaged: Trajectory.save writes an archive (.npz), but this begins with "
            f"{data[:16]!r}"
        )
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            if "about" not in archive.files:
                raise ValueError(f"it holds the arrays {', '.join(archive.files) or 'none'}, not a run")
            about = json.loads(_plain(archive, "about").tobytes())
            arrays = {name: _plain(archive, name) for name in archive.files if name != "about"}
        given = about["run_format"]
    except (
        Exception
    ) as error:  # an archive can be damaged in as many ways as there are libraries that read it
        raise ValueError(f"{source} is not a saved run, or is damaged: {error}") from error
    if given != FORMAT:
        raise ValueError(
            f"{source} was saved by another version of stickslip, {about.get('stickslip')}: its format is {given!r}, "
            f"this version reads format {FORMAT}"
        )
    try:
        run = object.__new__(Trajectory)
        machine = _MACHINES[about["kind"]].from_dict(about["machine"])
        state = {
            "machine": machine,
            "described": None,
            "t": arrays.get("t"),
            "run": _tree(about["run"], arrays),
            "marks": about["marks"],
        }
        run.__setstate__(state)
    except Exception as error:
        raise ValueError(f"{source} is damaged: {error}") from error
    return run


def _plain(archive: Any, name: str) -> Any:
    """An array of numbers; NumPy would say how to read objects all the same."""
    try:
        return archive[name]
    except ValueError as error:
        if "allow_pickle" in str(error):
            raise ValueError(f"{name!r} in it holds Python objects, which no saved run does") from None
        raise


def _flat(value: Any, arrays: dict[str, Any]) -> Any:
    """Nested tuples, lists, arrays and numbers as JSON has them; arrays go beside."""
    if isinstance(value, np.ndarray):
        arrays[name := f"a{len(arrays)}"] = value
        return {"array": name}
    if isinstance(value, tuple):
        return {"tuple": [_flat(item, arrays) for item in value]}
    if isinstance(value, list):
        return [_flat(item, arrays) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    return value


def _tree(value: Any, arrays: dict[str, Any]) -> Any:
    """The inverse of `_flat`."""
    if isinstance(value, list):
        return [_tree(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind == "tuple":
        return tuple(_tree(item, arrays) for item in held)
    return arrays[held] if kind == "array" else float(held)
