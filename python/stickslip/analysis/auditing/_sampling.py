"""Sampling of a run by the audit: panels between its events, each with the nodes of a Gauss rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._formulas import Formulas
from stickslip.analysis.auditing._pace import fastest, fastest_signal

Array = NDArray[np.float64]
T = TypeVar("T")

# Six nodes integrate polynomials of degree 11, so every dense form of a step, exactly; an oscillation over two radians
# to 1e-12.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_RADIANS = 2.0
MOST_PANELS, _FEWEST, _MOST_STEPS = 6000, 64, 20_000


class Samples:
    """A run at given times, which do not decrease; each signal is read once."""

    def __init__(self, run: Any, t: Array, d: Description) -> None:
        self.t = t
        self._run = run.at(t)
        self._read: dict[str, Array] = {}
        self._kept: dict[Any, Any] = {}
        self._d = d

    def __getitem__(self, name: str) -> Array:
        if name not in self._read:
            self._read[name] = np.asarray(self._run[name], dtype=float)
        return self._read[name]

    def rows(self, names: Iterable[str]) -> Array:
        """Return several signals as the rows of one array."""
        found = [self[name] for name in names]
        return np.array(found) if found else np.zeros((0, self.t.size))

    def kept(self, what: Any, make: Callable[[], T]) -> T:
        """Cache of computed values."""
        if what not in self._kept:
            self._kept[what] = make()
        result: T = self._kept[what]
        return result

    @property
    def q(self) -> Array:
        """Positions of all coordinates."""
        return self.kept("q", lambda: self.rows(self.positions))

    @property
    def v(self) -> Array:
        """Velocities of all coordinates."""
        return self.kept("v", lambda: self.rows(f"{n}.velocity" for n in self._d.names))

    @property
    def positions(self) -> list[str]:
        """Names of the positions."""
        return [f"{n}.position" for n in self._d.names]

    @property
    def pace(self) -> dict[str, Any]:
        """Rates of positions and time."""
        return {**dict(zip(self.positions, self.v, strict=True)), "time": 1.0}

    def known(self, formulas: Formulas) -> dict[str, Array]:
        """Inputs of formulas, always including the time."""
        return {"time": self.t, **{name: self[name] for name in formulas.inputs if name != "time"}}

    def some(self, formulas: Formulas, most: int) -> dict[str, Array]:
        """Return the inputs of formulas at an even selection of about `most` times."""
        chosen = slice(None, None, 1 + self.t.size // most)
        return {name: x[chosen] for name, x in self.known(formulas).items()}


class Panels:
    """Intervals [a, b] without events within, and a run at their ends and nodes.

    Values at the end of a panel are limits from the left.
    """

    def __init__(self, run: Any, a: Array, b: Array, d: Description) -> None:
        self.a, self.b = a, b
        before = np.maximum(np.nextafter(b, -np.inf), a)
        middle, half = 0.5 * (a + b), 0.5 * (b - a)
        inner = middle[:, None] + half[:, None] * _NODES
        inner = np.clip(inner, a[:, None], before[:, None])
        t = np.concatenate([a[:, None], inner, before[:, None]], axis=1)
        self.shape = t.shape
        self.at = Samples(run, t.ravel(), d)
        self.width = b - a

    def grid(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return samples with the shape (..., panels, points)."""
        return values.reshape(*values.shape[:-1], *self.shape)

    def integral(self, values: Array) -> Array:
        """Return the integral of samples over each panel."""
        inner = self.grid(values)[..., 1:-1]
        total: Array = 0.5 * self.width * (inner @ _WEIGHTS)
        return total

    def change(self, values: Array) -> Array:
        """Return the change over each panel: the left limit at its end less the right limit at its start."""
        ends = self.grid(values)
        difference: Array = ends[..., -1] - ends[..., 0]
        return difference


def _instants(d: Description, begin: float, end: float) -> list[Array]:
    found = []
    for loop in d.loops:
        period, delay = loop["control"]["options"]["period"], loop["control"]["options"]["delay"]
        if period > 0.0 and (end - begin) / period < MOST_PANELS:
            k = np.arange(np.floor(begin / period), np.ceil(end / period) + 1)
            found += [k * period] + ([k * period + delay] if delay > 0.0 else [])
    return found


def intervals(run: Any, d: Description) -> tuple[Array, Array]:
    """Ends of intervals in which a run is smooth, close enough for the Gauss rule in most cases.

    Panels between times that differ only by rounding are omitted.
    """
    begin, end = float(run._raw.t_begin), float(run._raw.t_end)
    steps = np.array(run._raw.step_times())
    steps = steps[:: 1 + steps.size // _MOST_STEPS]  # so many steps are short beside the motion
    times = [steps, run.events.time, np.array([begin, end])]
    times += [np.array(s.unrolled(end).breakpoints) for s in d.signals()] + _instants(d, begin, end)
    t = np.unique(np.concatenate(times))
    t = t[(t >= begin) & (t <= end)]
    apart = np.diff(t) > 64.0 * np.spacing(np.maximum(np.abs(t[1:]), np.abs(t[:-1])))
    pace = max(fastest(d), fastest_signal(d, begin, end))
    rate = max(pace / _RADIANS, _FEWEST / (end - begin) if end > begin else 0.0)
    return _divided(t[:-1][apart], t[1:][apart], rate)


def _divided(a: Array, b: Array, rate: float) -> tuple[Array, Array]:
    width = b - a
    parts = np.clip(np.ceil(width * rate), 1, 64).astype(int)
    if parts.sum() > MOST_PANELS:
        parts = np.maximum(1, parts * MOST_PANELS // parts.sum())
    first = np.cumsum(parts) - parts
    share = (np.arange(parts.sum()) - np.repeat(first, parts)) / np.repeat(parts, parts)
    begins: Array = np.repeat(a, parts) + np.repeat(width, parts) * share
    ends: Array = np.append(begins[1:], b[-1:])
    ends[first + parts - 1] = b
    return begins, ends
