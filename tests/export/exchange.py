"""A small importer of FMUs for model exchange: SciPy integrates, and locates the events by its own root finder."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi3 import FMU3Model
from scipy.integrate import solve_ivp

from export.importer import extracted

Inputs = Mapping[str, Callable[[float], float]]
NONE: Inputs = {}


class Exchange:
    """One instance of an extracted FMU, by the names of its variables."""

    def __init__(self, folder: Path) -> None:
        described = fmpy.read_model_description(str(folder))
        self.variables = {v.name: v for v in described.modelVariables}
        self.counts = {"x": described.numberOfContinuousStates, "z": described.numberOfEventIndicators}
        self.messages: list[str] = []
        self.events: list[float] = []
        self.fmu = FMU3Model(
            guid=described.guid,
            modelIdentifier=described.modelExchange.modelIdentifier,
            unzipDirectory=str(folder),
            instanceName="instance",
        )
        self.fmu.instantiate(logMessage=lambda _, status, category, text: self.messages.append(text.decode()))
        self.next = np.inf
        self.t = 0.0

    def _vector(self, of: str, kind: str) -> np.ndarray:
        values = np.zeros(self.counts[kind])
        getattr(self.fmu, of)(values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), len(values))
        return values

    def states(self) -> np.ndarray:
        return self._vector("getContinuousStates", "x")

    def rates(self) -> np.ndarray:
        return self._vector("getContinuousStateDerivatives", "x")

    def nominals(self) -> np.ndarray:
        return self._vector("getNominalsOfContinuousStates", "x")

    def indicators(self) -> np.ndarray:
        return self._vector("getEventIndicators", "z")

    def set(self, values: Mapping[str, float]) -> None:
        if values:
            self.fmu.setFloat64(
                [self.variables[name].valueReference for name in values], list(values.values())
            )

    def get(self, names: Sequence[str]) -> list[float]:
        read = []
        for name in names:
            v = self.variables[name]
            get = self.fmu.getInt32 if v.type == "Int32" else self.fmu.getFloat64
            read.append(float(get([v.valueReference])[0]))
        return read

    def start(self, values: Mapping[str, float] = {}, t: float = 0.0, tolerance: float | None = None) -> None:
        self.t = t
        self.set(values)
        self.fmu.enterInitializationMode(startTime=t, tolerance=tolerance)
        self.fmu.exitInitializationMode()
        self.update()
        self.fmu.enterContinuousTimeMode()

    def update(self) -> bool:
        """Decide in event mode; true where states have changed."""
        again, terminated, _, changed, defined, time = self.fmu.updateDiscreteStates()
        assert not again and not terminated
        self.next = time if defined else np.inf
        return bool(changed)

    def event(self, values: Mapping[str, float] = {}) -> bool:
        self.fmu.enterEventMode()
        self.set(values)
        changed = self.update()
        self.fmu.enterContinuousTimeMode()
        return changed

    def move(self, t: float, x: np.ndarray, inputs: Inputs = NONE) -> None:
        self.fmu.setTime(t)
        self.set({name: float(value(t)) for name, value in inputs.items()})
        x = np.ascontiguousarray(x)
        self.fmu.setContinuousStates(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), len(x))

    def run(
        self,
        times: np.ndarray,
        outputs: Sequence[str] = (),
        inputs: Inputs = NONE,
        *,
        rtol: float = 1e-11,
        method: str = "DOP853",
        max_step: float = np.inf,
    ) -> np.ndarray:
        """Outputs at all times, values before events at these. `events`: the times of state events."""

        def at(t: float, x: np.ndarray) -> Exchange:
            self.move(t, x, inputs)
            return self

        def crossing(k: int) -> Callable[[float, np.ndarray], float]:
            def indicator(t: float, x: np.ndarray) -> float:
                return float(at(t, x).indicators()[k])

            indicator.terminal, indicator.direction = True, 1.0  # type: ignore[attr-defined]
            return indicator

        crossings = [crossing(k) for k in range(self.counts["z"])]
        rows, k = [], 0
        while self.t < times[-1]:
            steps = solve_ivp(
                lambda t, x: at(t, x).rates(), (self.t, min(times[-1], self.next)), self.states(),
                method=method, rtol=rtol, atol=rtol * self.nominals(), events=crossings, dense_output=True,
                max_step=max_step,
            )  # fmt: skip
            assert steps.success, steps.message
            while k < len(times) and times[k] <= steps.t[-1]:
                rows.append(at(times[k], steps.sol(times[k])).get(outputs))
                k += 1
            self.t = float(steps.t[-1])
            at(self.t, steps.y[:, -1]).fmu.completedIntegratorStep()
            if steps.status == 1:
                self.events.append(self.t)
            if steps.status == 1 or self.t == self.next:
                self.event()
        return np.array(rows)

    def close(self) -> None:
        self.fmu.freeInstance()


@contextlib.contextmanager
def exchanged(machine: Any, **arguments: Any) -> Iterator[Exchange]:
    """An instance of an exported machine, for model exchange."""
    with extracted(machine, **arguments) as folder:
        one = Exchange(folder)
        try:
            yield one
        finally:
            one.close()
