"""Instances of an FMU behind a sampled controller, one for each run."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import struct
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import reject
from stickslip._extras import need

MOST_INSTANCES = 16
Array = NDArray[np.float64]


class ImportedFMU:
    """A controller ``function(t, r, y, memory) -> (u, memory)`` that steps an FMU.

    The memory is the number of sampling instants so far and a key of all inputs at these. The instance that stands at
    this key makes the next step. Where a run continues from an earlier state, another instance repeats the steps up to
    it.
    """

    def __init__(
        self,
        path: str,
        inputs: tuple[str, ...],
        outputs: tuple[str, ...] | None,
        start: Mapping[str, float],
        period: float,
        reads_after_step: bool,
    ) -> None:
        self.path, self.inputs, self.start, self.period = path, inputs, dict(start), period
        self.reads_after_step = reads_after_step
        fmpy = need("fmpy", "FMPy", "FMU() needs", "fmi")
        try:
            self.described = fmpy.read_model_description(path, validate=False)
        except Exception as error:
            raise ValueError(f"path = {path!r} cannot be read as an FMU: {error}") from error
        if self.described.coSimulation is None or self.described.fmiVersion not in ("2.0", "3.0"):
            reject("path", path, "an FMU for co-simulation by FMI 2.0 or 3.0")
        self.outputs = self._names(("output",)) if outputs is None else outputs
        self._check(("input",), "reference and measurement", inputs)
        self._check(("output", "local"), "output", self.outputs)
        self._check(("parameter", "input"), "parameters", list(start))
        if not self.outputs:
            reject("output", self.outputs, "at least one floating-point output")
        self._references = {v.name: v.valueReference for v in self.described.modelVariables}
        self._folder = tempfile.mkdtemp()
        self._instances: list[Instance] = []  # that made the last step last
        self._lock = threading.RLock()
        weakref.finalize(self, _discard, self._instances, self._folder)
        try:
            fmpy.extract(path, unzipdir=self._folder)
        except Exception as error:
            raise ValueError(f"path = {path!r} cannot be read as an FMU: {error}") from error

    def _arguments(self) -> tuple[Any, ...]:
        return self.path, self.inputs, self.outputs, self.start, self.period, self.reads_after_step

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImportedFMU) and self._arguments() == other._arguments()

    def __hash__(self) -> int:
        return hash((self.path, self.inputs, self.outputs))

    def __reduce__(self) -> tuple[Any, ...]:
        return ImportedFMU, self._arguments()

    def _names(self, causalities: tuple[str, ...]) -> tuple[str, ...]:
        listed = self.described.modelVariables
        return tuple(v.name for v in listed if v.causality in causalities and v.type in ("Real", "Float64"))

    def _check(self, causalities: tuple[str, ...], what: str, names: Sequence[str]) -> None:
        allowed = self._names(causalities)
        for name in names:
            if name not in allowed:
                listed = ", ".join(map(repr, allowed)) or "none"
                raise ValueError(
                    f"unknown variable {name!r} in {what}; floating-point ones of the FMU: {listed}"
                )

    def __call__(self, t: float, r: Array, y: Array, memory: Array) -> tuple[list[float], list[float]]:
        inputs = (*map(float, r), *map(float, y))
        count, key = int(memory[0]), int(memory[1])
        with self._lock:
            instance = self._standing_at(count, key)
            outputs = instance.step(t, inputs)
            return outputs, [count + 1.0, float(instance.key)]

    def _standing_at(self, count: int, key: int) -> Instance:
        for instance in self._instances:
            if count > 0 and (len(instance.steps), instance.key) == (count, key):
                self._instances.remove(instance)
                self._instances.append(instance)
                return instance
        past: list[tuple[float, tuple[float, ...]]] = []
        if count > 0:
            earlier = [one for one in self._instances if one.counts.get(key) == count]
            if not earlier:
                raise RuntimeError(
                    "the instance of the FMU that belongs to this state is gone: states of the last "
                    f"{MOST_INSTANCES} runs of this process can be continued; simulate from the start"
                )
            past = earlier[-1].steps[:count]
        while len(self._instances) >= MOST_INSTANCES:
            self._instances.pop(0).free()
        instance = Instance(self)
        self._instances.append(instance)
        for t, inputs in past:
            instance.step(t, inputs)
        return instance


class Instance:
    """An instance of an FMU, the times and inputs of its steps so far, and the number of steps by key."""

    def __init__(self, of: ImportedFMU) -> None:
        self.steps: list[tuple[float, tuple[float, ...]]] = []
        self.counts: dict[int, int] = {}
        self.key = 0
        self._period, self._after = of.period, of.reads_after_step
        self._start = {of._references[name]: value for name, value in of.start.items()}
        self._inputs = [of._references[name] for name in of.inputs]
        self._outputs = [of._references[name] for name in of.outputs]
        self._messages: list[str] = []
        self._is_3 = of.described.fmiVersion == "3.0"
        fmpy = need("fmpy.simulation", "FMPy", "FMU() needs", "fmi")
        with self._errors():
            self._fmu = fmpy.instantiate_fmu(of._folder, of.described, "CoSimulation", logger=self._log)

    def _log(self, *said: Any) -> None:
        self._messages.append(
            said[-1].decode(errors="replace") if isinstance(said[-1], bytes) else str(said[-1])
        )

    @contextlib.contextmanager
    def _errors(self) -> Any:
        try:
            yield
        except Exception as error:
            raise RuntimeError("; ".join([str(error), *self._messages[-1:]])) from error

    def step(self, t: float, inputs: tuple[float, ...]) -> list[float]:
        """Return the outputs at the sampling instant t."""
        with self._errors():
            if not self.steps:
                self._initialise(t, inputs)
            elif not self._after:
                self._advance(self.steps[-1][0], t - self.steps[-1][0])
            self._set(self._inputs, inputs)
            if self._after:
                self._advance(t, self._period)
            outputs = list((self._fmu.getFloat64 if self._is_3 else self._fmu.getReal)(self._outputs))
        data = struct.pack(f"<qd{len(inputs)}d", self.key, t, *inputs)
        self.key = int.from_bytes(hashlib.blake2b(data, digest_size=6).digest(), "little")
        self.steps.append((t, inputs))
        self.counts[self.key] = len(self.steps)
        return outputs

    def _set(self, references: Sequence[int], values: Sequence[float]) -> None:
        if references:
            (self._fmu.setFloat64 if self._is_3 else self._fmu.setReal)(list(references), list(values))

    def _initialise(self, t: float, inputs: tuple[float, ...]) -> None:
        if not self._is_3:
            self._fmu.setupExperiment(startTime=t)
        self._set(list(self._start), list(self._start.values()))
        self._set(self._inputs, inputs)
        if self._is_3:
            self._fmu.enterInitializationMode(startTime=t)
        else:
            self._fmu.enterInitializationMode()
        self._fmu.exitInitializationMode()

    def _advance(self, t: float, length: float) -> None:
        done = self._fmu.doStep(t, length)
        if self._is_3 and done is not None and done[1]:
            raise RuntimeError("the FMU has ended the simulation")

    def free(self) -> None:
        with contextlib.suppress(Exception):
            self._fmu.terminate()
        with contextlib.suppress(Exception):
            self._fmu.freeInstance()


def _discard(instances: list[Instance], folder: str) -> None:
    for instance in instances:
        instance.free()
    shutil.rmtree(folder, ignore_errors=True)
