"""A small importer of FMUs on FMPy: sets inputs at communication points, steps, reads outputs."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

import stickslip as ss


class Importer:
    """One instance of an extracted FMU, by the names of its variables."""

    def __init__(
        self,
        folder: Path,
        *,
        events: bool = False,
        token: str | None = None,
        log: Callable[[str], Any] | None = None,
    ) -> None:
        described = fmpy.read_model_description(str(folder))
        self.variables = {v.name: v for v in described.modelVariables}
        self.is_3 = described.fmiVersion == "3.0"
        self.messages: list[str] = []
        self.tell = log or self.messages.append
        given = {
            "guid": token or described.guid,
            "modelIdentifier": described.coSimulation.modelIdentifier,
            "unzipDirectory": str(folder),
            "instanceName": "instance",
        }
        if self.is_3:
            self.fmu = FMU3Slave(**given)
            self.fmu.instantiate(eventModeUsed=events, earlyReturnAllowed=events, logMessage=self._log)
        else:
            self.fmu = FMU2Slave(**given)
            self.fmu.instantiate(callbacks=None)
        self.events = events
        self.t = 0.0

    def _log(self, environment: Any, status: int, category: bytes, message: bytes) -> None:
        self.tell(message.decode())

    def start(self, values: Mapping[str, float] = {}, t: float = 0.0, tolerance: float | None = None) -> None:
        self.t = t
        if self.is_3:
            self.set(values)
            self.fmu.enterInitializationMode(startTime=t, tolerance=tolerance)
            self.fmu.exitInitializationMode()
            if self.events:
                self.fmu.enterStepMode()
        else:
            self.fmu.setupExperiment(startTime=t, tolerance=tolerance)
            self.set(values)
            self.fmu.enterInitializationMode()
            self.fmu.exitInitializationMode()

    def set(self, values: Mapping[str, float]) -> None:
        references = [self.variables[name].valueReference for name in values]
        if references:
            (self.fmu.setFloat64 if self.is_3 else self.fmu.setReal)(references, list(values.values()))

    def get(self, names: Sequence[str]) -> list[float]:
        def one(name: str) -> float:
            v = self.variables[name]
            get = getattr(self.fmu, {"Real": "getReal", "Integer": "getInteger"}.get(v.type, f"get{v.type}"))
            return float(get([v.valueReference])[0])

        return [one(name) for name in names]

    def step(self, length: float) -> tuple[bool, bool, bool, float] | None:
        done: tuple[bool, bool, bool, float] | None = self.fmu.doStep(self.t, length)
        self.t = done[3] if self.is_3 and done else self.t + length
        return done

    def run(
        self, times: np.ndarray, outputs: Sequence[str], inputs: Mapping[str, np.ndarray] = {}
    ) -> np.ndarray:
        """Outputs at all communication points, under the inputs that hold from each point on."""
        rows = []
        for k in range(len(times)):
            self.set({name: float(values[k]) for name, values in inputs.items()})
            rows.append(self.get(outputs))
            if k + 1 < len(times):
                self.step(times[k + 1] - times[k])
                self.t = times[k + 1]
        return np.array(rows)

    def close(self) -> None:
        self.fmu.freeInstance()


@contextlib.contextmanager
def extracted(machine: Any, **arguments: Any) -> Iterator[Path]:
    """The folder of an exported and extracted FMU."""
    folder = Path(tempfile.mkdtemp())
    try:
        made = ss.export.fmu(machine, folder / "machine.fmu", **arguments)
        yield Path(fmpy.extract(str(made.path), unzipdir=str(folder / "fmu")))
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def imported(machine: Any, events: bool = False, **arguments: Any) -> Iterator[Importer]:
    """An instance of an exported machine."""
    with extracted(machine, **arguments) as folder:
        one = Importer(folder, events=events)
        try:
            yield one
        finally:
            one.close()
