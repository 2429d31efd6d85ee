"""Formulas of a machine's description, evaluated and differentiated without the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._dual import Dual, angle, choose, curve, length, plain, power

Array = NDArray[np.float64]

_PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": power,
    "atan2": angle,
    "hypot": length,
}


class Formulas:
    """A vector of formulas with named inputs."""

    def __init__(self, tape: Mapping[str, Any]) -> None:
        self._constants: list[float] = list(tape["constants"])
        self._code, self._conditions = list(tape["code"]), list(tape["conditions"])
        self._outputs = list(tape["outputs"])
        self.inputs: tuple[str, ...] = tuple(tape["inputs"])

    def __len__(self) -> int:
        return len(self._outputs)

    def __call__(self, values: Mapping[str, Any]) -> list[Any]:
        """All outputs where the inputs have these values: arrays, or duals."""
        slots: list[Any] = [values[name] for name in self.inputs] + list(self._constants)
        with np.errstate(all="ignore"):
            for step in self._code:
                slots.append(self._result(step, slots))
        return [slots[k] for k in self._outputs]

    def _result(self, step: Mapping[str, Any], slots: list[Any]) -> Any:
        name, a = str(step["operation"]), slots[step["a"]]
        if name in _PAIRS:
            return _PAIRS[name](a, slots[step["b"]])
        if name == "integer_power":
            return power(a, float(step["c"]))
        if name.startswith("select"):
            g = plain(slots[self._conditions[step["c"]]])
            return choose(g >= 0.0 if name == "select_at_least" else g > 0.0, a, slots[step["b"]])
        return curve(name, a)


def values(formulas: Formulas, known: Mapping[str, Array]) -> Array:
    """Return the values, shape (outputs, times)."""
    return _grid(formulas(known), np.shape(_size(known)))


def slopes(formulas: Formulas, known: Mapping[str, Array], by: Sequence[str]) -> Array:
    """Return the partial derivatives, shape (outputs, len(by), times)."""
    unit = np.eye(len(by))[:, :, None]
    seeded = {name: Dual(x, unit[list(by).index(name)]) if name in by else x for name, x in known.items()}
    return _grid([_derivative(y) for y in formulas(seeded)], (len(by), *np.shape(_size(known))))


def bends(formulas: Formulas, known: Mapping[str, Array], by: Sequence[str]) -> Array:
    """Return the second partial derivatives, shape (outputs, len(by), len(by), times)."""
    unit = np.eye(len(by))[:, :, None]
    seeded: dict[str, Any] = dict(known)
    for k, name in enumerate(by):
        if name in known:
            seeded[name] = Dual(Dual(known[name], unit[k][:, None]), Dual(unit[k][None], 0.0))
    out = [_derivative(_derivative(y)) for y in formulas(seeded)]
    return _grid(out, (len(by), len(by), *np.shape(_size(known))))


def rates(formulas: Formulas, known: Mapping[str, Array], pace: Mapping[str, Any]) -> Array:
    """Return the time derivatives for given rates of the inputs, shape (outputs, times)."""
    seeded = {name: Dual(x, pace.get(name, 0.0)) for name, x in known.items()}
    return _grid([_derivative(y) for y in formulas(seeded)], np.shape(_size(known)))


def turns(formulas: Formulas, known: Mapping[str, Array], pace: Mapping[str, Any]) -> Array:
    """Return the second time derivatives for constant rates of the inputs, shape (outputs, times)."""
    seeded = {
        name: Dual(Dual(x, pace.get(name, 0.0)), Dual(pace.get(name, 0.0), 0.0)) for name, x in known.items()
    }
    return _grid([_derivative(_derivative(y)) for y in formulas(seeded)], np.shape(_size(known)))


def _derivative(y: Any) -> Any:
    return y.d if isinstance(y, Dual) else 0.0


def _size(known: Mapping[str, Array]) -> Any:
    return known["time"]


def _grid(parts: list[Any], shape: tuple[int, ...]) -> Array:
    return np.array([np.broadcast_to(plain(part), shape) for part in parts], dtype=float).reshape(-1, *shape)
