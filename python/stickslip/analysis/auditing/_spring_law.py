"""Springs and detents: force as a function of elongation and rate, from the description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_ROUNDING = 4.0 * float(np.finfo(float).eps)  # of a value between the points of a characteristic


@dataclass
class Line:
    """A piecewise linear characteristic ``f(x)`` given by points; the outermost lines continue."""

    x: Array
    f: Array

    def at(self, x: Array) -> Array:
        """Return ``f(x)``."""
        k = np.clip(np.searchsorted(self.x, x) - 1, 0, self.x.size - 2)
        slope = (self.f[k + 1] - self.f[k]) / (self.x[k + 1] - self.x[k])
        value: Array = self.f[k] + slope * (x - self.x[k])
        return value

    def stored(self, x: Array) -> Array:
        """Return the integral of f from zero to x, by trapezoids between the points."""
        ends = np.concatenate([self.x, [0.0]])

        def one(to: float) -> float:
            low, high = min(0.0, to), max(0.0, to)
            on_the_way = np.unique(np.concatenate([[low, high], ends[(ends > low) & (ends < high)]]))
            f = self.at(on_the_way)
            area = float(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(on_the_way)))
            return area if to >= 0.0 else -area

        return np.array([one(float(value)) for value in x])


@dataclass
class Spring:
    """A spring with the elongation ``x = along . q - rest``; the sum F of its parts acts as ``-F`` along `along`."""

    name: str
    along: Array
    rest: Any
    damping: float
    parts: list[Line]
    sides: list[int]  # of the flanks' forces; 0: attached at both ends; 2: by the sign of the characteristic
    two_sided: bool

    def elongation(self, q: Array, t: Array) -> Array:
        """Return the elongation x."""
        x: Array = self.along @ q - self.rest.values(t)
        return x

    def rate(self, v: Array, t: Array) -> Array:
        """Return the elongation rate x'."""
        rate: Array = self.along @ v - self.rest.values(t, 1)
        return rate

    def pushes(self, x: Array, v: Array) -> list[Array]:
        """Return the force of each part; a flank has none where its damper would make it pull."""
        out = []
        for line, side in zip(self.parts, self.sides, strict=True):
            f = line.at(x)
            whole = f + self.damping * v
            lets_go = (np.sign(f) != np.sign(whole)) | (f == 0.0)
            out.append(whole if side == 0 else np.where(lets_go, 0.0, whole))
        return out

    def force(self, x: Array, v: Array) -> Array:
        """Return the force F."""
        total: Array = np.sum(self.pushes(x, v), axis=0)
        return total

    def line(self, x: Array) -> Array:
        """Return the force F without the damper."""
        total: Array = np.sum([line.at(x) for line in self.parts], axis=0)
        return total

    @property
    def stiffness(self) -> float:
        """Return the greatest slope of the characteristic."""
        slopes = [np.abs(np.diff(line.f) / np.diff(line.x)).max() for line in self.parts]
        return float(np.sum(slopes))

    def doubt(self, x: Array, v: Array, x_room: Array | float, v_room: Array | float) -> Array:
        """Return the allowed error of the force for given errors of position and velocity; at the start of contact this
        includes the jump.
        """
        f = self.stiffness * x_room + self.damping * v_room + 0.0 * x
        f += _ROUNDING * sum(float(np.abs(line.f).max()) for line in self.parts)
        for line, side in zip(self.parts, self.sides, strict=True):
            if side != 0:
                touches = np.abs(line.at(x)) <= self.stiffness * x_room
                f = f + np.where(touches, self.damping * np.abs(v), 0.0)
        return f


def spring_of(e: Mapping[str, Any], along: Array) -> Spring:
    """Return the spring with this description."""
    k, backlash, preload, one_sided = (
        float(e["stiffness"]), float(e["backlash"]), float(e["preload"]), bool(e["one_sided"]),
    )  # fmt: skip
    rest, damping = e["rest"], float(e["damping"])

    def made(parts: list[Line], sides: list[int], two_sided: bool) -> Spring:
        return Spring(e["name"], along, rest, damping, parts, sides, two_sided)

    if e["elongations"]:
        x, f = np.array(e["elongations"]), np.array(e["forces"])
        if one_sided:
            x, f = _only_pushes(x, f)
        flat = bool(np.any((f[1:] == 0.0) & (f[:-1] == 0.0)))
        both = bool(np.any(f > 0.0) and np.any(f < 0.0))
        return made([Line(x, f)], [2 if flat else 0], both)
    if not (one_sided or backlash or preload):
        return made([Line(np.array([0.0, 1.0]), np.array([0.0, k]))], [0], True)
    begins = 0.5 * backlash - preload / k
    low = Line(np.array([-begins - 1.0, -begins, -begins + 1.0]), np.array([-k, 0.0, 0.0]))
    high = Line(np.array([begins - 1.0, begins, begins + 1.0]), np.array([0.0, 0.0, k]))
    return made([low], [-1], False) if one_sided else made([low, high], [-1, 1], True)


@dataclass
class Detent:
    """A seat that holds up to `preload`; beside it ``F = preload (1 - |x|/width) sgn(x) + stiffness x + damping x'``."""

    name: str
    along: Array
    preload: float
    stiffness: float
    damping: float
    pitch: float
    width: float
    position: float

    def distance(self, q: Array) -> Array:
        """Return the signed distance from the nearest seat."""
        x: Array = self.along @ q - self.position
        return x - self.pitch * np.round(x / self.pitch) if self.pitch else x

    def force(self, x: Array, v: Array, side: Array) -> Array:
        """Return the force F on a side of the seat."""
        share = np.clip(1.0 - np.abs(x) / self.width, 0.0, None)
        f: Array = self.preload * share * side + self.stiffness * x + self.damping * v
        return f

    def stored(self, x: Array) -> Array:
        """Return the stored energy."""
        part = np.minimum(np.abs(x), self.width)
        wedge = (
            self.preload * part * (1.0 - 0.5 * part / self.width) if self.pitch else self.preload * np.abs(x)
        )
        energy: Array = wedge + 0.5 * self.stiffness * x**2
        return energy

    @property
    def slope(self) -> float:
        """Greatest slope of the force."""
        return self.stiffness + self.preload / self.width


def detent_of(e: Mapping[str, Any], along: Array) -> Detent:
    """Return the detent with this description."""
    pitch = e["pitch"] or 0.0
    width = e["width"] or (0.5 * pitch if pitch else np.inf)
    return Detent(
        e["name"], along, e["preload"], e["stiffness"], e["damping"], pitch, width, e["position"]
    )  # fmt: skip


def _only_pushes(x: Array, f: Array) -> tuple[Array, Array]:
    """Return the negative part of the table, with a point at each zero."""
    line = Line(x, f)
    first, last = np.diff(f[:2])[0] / np.diff(x[:2])[0], np.diff(f[-2:])[0] / np.diff(x[-2:])[0]
    ends = [x[0] - 1.0, x[-1] + 1.0]
    ends += [x[0] - f[0] / first] if first else []
    ends += [x[-1] - f[-1] / last] if last else []
    crossings = [
        a - fa * (b - a) / (fb - fa)
        for a, b, fa, fb in zip(x[:-1], x[1:], f[:-1], f[1:], strict=True)
        if fa * fb < 0.0
    ]
    points = np.unique(np.concatenate([x, crossings, ends]))
    points = np.concatenate([[points[0] - 1.0], points, [points[-1] + 1.0]])
    values = np.minimum(line.at(points), 0.0)
    values[np.abs(line.at(points)) <= 1e-13 * np.abs(f).max()] = 0.0
    return points, values
