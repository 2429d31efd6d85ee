"""Points of an ensemble: a grid, lists taken together, or points drawn by a sampler of SciPy."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import array, reject

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Design:
    """The points of an ensemble by index; a grid is never expanded.

    Attributes
    ----------
    kind : str
        ``"grid"``, ``"zip"``, or the name of the sampler.
    given : dict of str to ndarray
        Values of each parameter: a number, or a vector over its axis.
    shape : tuple of int
        Shape of the results.
    seed : dict or None
        Settings of the sampler, from which the same points can be drawn again.
    """

    kind: str
    given: dict[str, Array]
    shape: tuple[int, ...]
    seed: dict[str, Any] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(self.given)

    @property
    def points(self) -> int:
        """Number of points."""
        return math.prod(self.shape)

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the parameters that vary."""
        return tuple(name for name, values in self.given.items() if values.ndim)

    @property
    def dims(self) -> tuple[str, ...]:
        """Name of every axis: the parameter that varies along it, or ``"run"`` where several do."""
        alone = self.kind == "grid" or len(self.varied) == 1
        return self.varied if alone else ("run",)

    def values(self, first: int, last: int) -> Array:
        """Return the parameters of the points `first` to `last`, shape (n_parameters, last - first)."""
        index = np.arange(first, last)
        along = dict(zip(self.dims, np.unravel_index(index, self.shape), strict=True)) if self.shape else {}
        rows = [
            values[along.get(name, index)] if values.ndim else np.full(index.size, values)
            for name, values in self.given.items()
        ]
        return np.array(rows, dtype=float).reshape(len(rows), index.size)

    def full(self, name: str) -> Array:
        """Values of one parameter in the shape of the results, as a view where possible."""
        values = self.given[name]
        if name in self.dims:
            axis = self.dims.index(name)
            values = values.reshape([-1 if k == axis else 1 for k in range(len(self.shape))])
        return np.broadcast_to(values, self.shape)


def design_of(parameters: Mapping[str, ArrayLike], kind: Any, samples: int) -> Design:
    """Check the arguments and make the design."""
    if not isinstance(parameters, Mapping):
        reject("parameters", parameters, "a mapping of names to values")
    if not parameters:
        raise ValueError("parameters is empty: name at least one")
    given = {str(name): array(f"parameters[{name!r}]", values) for name, values in parameters.items()}
    for name, values in given.items():
        if values.ndim > 1 or values.size == 0:
            raise ValueError(
                f"parameters[{name!r}] has the shape {values.shape}, but it must be a number or a sequence of them"
            )
    if hasattr(kind, "random") and hasattr(kind, "d"):
        return _sampled(given, kind, samples)
    lengths = {name: values.size for name, values in given.items() if values.ndim}
    if kind == "grid":
        return Design("grid", given, tuple(lengths.values()))
    if kind != "zip":
        reject("design", kind, "'grid', 'zip' or a sampler of scipy.stats.qmc")
    if len({*lengths.values()}) > 1:
        listed = ", ".join(f"{name!r}: {length}" for name, length in lengths.items())
        raise ValueError(f"design = 'zip' takes parameters of one length, but these have {listed}")
    return Design("zip", given, tuple(lengths.values())[:1])


def _sampled(given: dict[str, Array], sampler: Any, samples: int) -> Design:
    """Map points of the unit cube to values: to an interval, or to the intervals between several values."""
    kind = type(sampler).__name__
    if sampler.d != len(given):
        raise ValueError(
            f"design = {kind}(d={sampler.d}) does not fit {len(given)} parameters: take d={len(given)}"
        )
    if not isinstance(samples, (int, np.integer)) or isinstance(samples, bool) or samples < 1:
        reject("samples", samples, "an integer >= 1")
    for name, values in given.items():
        if values.size < 2:
            reject(
                f"parameters[{name!r}]",
                values.tolist(),
                "the ends of an interval, (low, high), with a sampler",
            )
    # Draw from a copy: the same call draws the same points.
    unit = np.asarray(copy.deepcopy(sampler).random(int(samples)))
    drawn = {
        name: np.interp(unit[:, k], np.linspace(0.0, 1.0, values.size), values)
        for k, (name, values) in enumerate(given.items())
    }
    return Design(kind, drawn, (int(samples),), _seed(sampler))


def _seed(sampler: Any) -> dict[str, Any]:
    start = getattr(sampler, "rng_seed", None)
    generator = getattr(start, "bit_generator", None)
    return {
        "sampler": type(sampler).__name__,
        "d": int(sampler.d),
        "drawn_before": int(getattr(sampler, "num_generated", 0)),
        "scramble": getattr(sampler, "scramble", None),
        "generator": start if generator is None else _plain(generator.state),
    }


def _plain(value: Any) -> Any:
    """The state of a generator in numbers that JSON knows."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
