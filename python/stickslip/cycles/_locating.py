"""Bifurcations within one sequence of events, as roots of test functions along a branch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickslip.cycles._points import Place, Point, tangent_of
from stickslip.cycles.bifurcation import Bifurcation

if TYPE_CHECKING:
    from stickslip.cycles._walk import Walk

Array = NDArray[np.float64]

_MOST = 40  # orbits for one root
_ROOT = 1e-13  # step along the branch
_NEUTRAL = 1e-6  # distance from 1 of the multiplier of a family of orbits
_REAL = 1e-6  # imaginary part of a multiplier on the unit circle that is real
_ON_CIRCLE = 1e-5  # distance from it

Test = Callable[[Point, Array], float]


def fold(point: Point, tangent: Array) -> float:
    """Change of the parameter along the branch."""
    return float(tangent[-1])


def flip(point: Point, tangent: Array) -> float:
    """det(M + 1)."""
    return float(np.prod(1.0 + point.others).real)


def torus(point: Point, tangent: Array) -> float:
    """Product of μi μj - 1 over all pairs of multipliers."""
    found = point.others[np.abs(point.others) > 0.0]
    i, j = np.triu_indices(found.size, 1)
    return float(np.prod(found[i] * found[j] - 1.0).real) if i.size else 1.0


def branch_point(point: Point, tangent: Array) -> float:
    """det(M - 1) without the multipliers of families of orbits."""
    found = point.others
    return float(np.prod(1.0 - found[np.abs(found - 1.0) > _NEUTRAL]).real)


def located(walk: Walk, at: Place, after: Place) -> list[Bifurcation]:
    """Return the bifurcations between two orbits with the same sequence of events, in the order of the branch."""
    found: list[tuple[float, Bifurcation]] = []

    def look(name: str, test: Test, confirmed: Callable[[Point, Array], bool], turned: bool = False) -> bool:
        a, b = test(at.point, at.tangent), test(after.point, after.tangent)
        if turned:
            a, b = a * np.sign(at.tangent[-1]), b * np.sign(after.tangent[-1])
        if not a * b < 0.0:
            return False
        step, point, tangent = _root(walk, at, after, test)
        if confirmed(point, tangent):
            found.append((step, Bifurcation.of(name, (), point)))
        return True

    folds = look("fold", fold, lambda *_: True)
    look("flip", flip, lambda point, _: bool(np.min(np.abs(point.others + 1.0)) < _ON_CIRCLE))
    look("torus", torus, lambda point, _: _has_pair(point))
    if not folds:
        look(
            "branch point",
            branch_point,
            lambda point, _: bool(np.min(np.abs(point.others - 1.0)) < _ON_CIRCLE),
            turned=True,
        )
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _has_pair(point: Point) -> bool:
    on_circle = np.abs(np.abs(point.others) - 1.0) < _ON_CIRCLE
    return bool(np.any(on_circle & (np.abs(point.others.imag) > _REAL)))


def _root(walk: Walk, at: Place, after: Place, test: Test) -> tuple[float, Point, Array]:
    """Root of a test function between two orbits by false position (Illinois)."""

    def look(step: float) -> tuple[float, Point, Array]:
        point = walk.near(at, step, precise=True)
        tangent = tangent_of(at.frame, point.shot, at.tangent)
        return test(point, tangent), point, tangent

    a, b = 0.0, after.step
    at_a = test(at.point, at.tangent)
    at_b, point, tangent = look(b)
    step = b
    for _ in range(_MOST):
        if not at_a * at_b < 0.0:
            break
        last, step = step, (a * at_b - b * at_a) / (at_b - at_a)
        value, point, tangent = look(step)
        if value == 0.0 or abs(step - last) <= _ROOT:
            break
        if value * at_b < 0.0:
            a, at_a = b, at_b
        else:
            at_a *= 0.5
        b, at_b = step, value
    return step, point, tangent
