"""Free parameters of a fit: names, start values, and the range allowed by the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from stickslip._checks import Array, finite, number, reject
from stickslip.identify._records import listed

# A search for the end of what is allowed goes this far beyond the start, in units of its size.
FAR = 1e6


class Free:
    """Parameters of a fit in the order of their names.

    The optimiser uses the same parameters, except that a static level is replaced by its difference from the kinetic
    level where both are free, so that it never falls below it.

    Parameters
    ----------
    names : sequence of str
        Names of the free parameters.
    start : array
        Start values.
    limits : mapping of str to (float, float)
        Bounds that were given.
    allowed : callable
        ``allowed(values)`` raises ValueError for values that the machine refuses.
    """

    def __init__(
        self,
        names: Sequence[str],
        start: Array,
        limits: Mapping[str, tuple[float, float]],
        allowed: Callable[[Array], object],
    ) -> None:
        self.names, self.allowed = tuple(names), allowed
        self.sizes = np.where(start != 0.0, np.abs(start), 1.0)
        # Place of the kinetic level beside each static one that is free as well.
        self.over = {
            i: self.names.index(other)
            for i, name in enumerate(self.names)
            if name.endswith(".static") and (other := name[:-6] + "kinetic") in self.names
        }
        self.start = self.inside(start)
        ends = [limits.get(name) or self._range(i, start) for i, name in enumerate(self.names)]
        self.low, self.high = (np.array(end, dtype=float) for end in zip(*ends, strict=True))
        for i in self.over:
            self.low[i], self.high[i] = 0.0, np.inf

    def inside(self, values: Array) -> Array:
        """Transform parameters of the machine to those of the optimiser."""
        x = np.array(values, dtype=float)
        for i, j in self.over.items():
            x[i] -= x[j]
        return x

    def outside(self, x: Array) -> Array:
        """Transform parameters of the optimiser to those of the machine."""
        values = np.array(x, dtype=float)
        for i, j in self.over.items():
            values[i] += values[j]
        return values

    @property
    def map(self) -> Array:
        """Return the derivative of `outside`."""
        made = np.eye(len(self.names))
        for i, j in self.over.items():
            made[i, j] = 1.0
        return made

    def bound(self, i: int, x: Array) -> str:
        """Return the bound that a parameter lies on, in words."""
        if i in self.over:
            return f"the kinetic level {self.names[self.over[i]]}"
        return f"{self.low[i] if abs(x[i] - self.low[i]) <= abs(self.high[i] - x[i]) else self.high[i]:g}"

    def _range(self, i: int, start: Array) -> tuple[float, float]:
        """The ends of what the machine allows for one number, the others as they are."""
        low = self._end(i, start, -1.0)
        high = np.inf if i in self.over.values() else self._end(i, start, 1.0)
        return low, high

    def _end(self, i: int, start: Array, sign: float) -> float:
        def fits(value: float) -> bool:
            trial = start.copy()
            trial[i] = value
            try:
                self.allowed(trial)
            except ValueError:
                return False
            return True

        good, bad = float(start[i]), float(start[i] + sign * FAR * self.sizes[i])
        if fits(bad):
            return sign * np.inf
        if sign < 0.0 and good > 0.0:
            if fits(0.0):
                good = 0.0
                if not fits(-1e-9 * self.sizes[i]):
                    return 0.0
            elif fits(1e-9 * self.sizes[i]):  # > 0 is what it must be
                return float(1e-9 * self.sizes[i])
        for _ in range(80):
            middle = 0.5 * (good + bad)
            good, bad = (middle, bad) if fits(middle) else (good, middle)
        return good


def read_free(
    free: Any, present: Callable[[str], float | None]
) -> tuple[list[str], Array, dict[str, tuple[float, float]]]:
    """Read names, start values and bounds from the argument `free`: names, or a mapping to start or (start, low, high)."""
    if isinstance(free, str) or not isinstance(free, (Sequence, Mapping)):
        reject("free", free, "a sequence of names, or a mapping of names to start values")
    if not free:
        raise ValueError("free is empty: name at least one parameter")
    if isinstance(free, Sequence) and len({*free}) < len(free):
        raise ValueError(f"free names a parameter twice: {listed(free)}")
    start, limits = [], {}
    for name in free:
        given = free[name] if isinstance(free, Mapping) else None
        if isinstance(given, (tuple, list)):
            if len(given) != 3:
                reject(f"free[{name!r}]", given, "a start value, or (start, low, high)")
            begin = finite(f"free[{name!r}]", given[0])
            low, high = (number(f"free[{name!r}]", end) for end in given[1:])
            if not low <= begin <= high or not low < high:
                reject(f"free[{name!r}]", given, "(start, low, high) with low <= start <= high")
            limits[name] = (low, high)
        elif given is not None:
            begin = finite(f"free[{name!r}]", given)
        else:
            found = present(name)
            if found is None:
                raise ValueError(
                    f"free[{name!r}] needs a start value: give free as a mapping of names to numbers"
                )
            begin = found
        start.append(begin)
    return list(map(str, free)), np.array(start), limits
