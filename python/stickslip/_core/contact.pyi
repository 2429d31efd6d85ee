"""
Linear complementarity problems.
"""

from __future__ import annotations

import typing

import numpy
import numpy.typing

def classify(
    M: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    tolerance: typing.SupportsFloat | typing.SupportsIndex = 1e-12,
) -> dict[typing.Any, typing.Any]: ...
def lemke(
    M: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    q: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    covering: typing.Annotated[numpy.typing.ArrayLike, numpy.float64] | None = None,
    start: typing.Annotated[numpy.typing.ArrayLike, numpy.uint8] | None = None,
    max_pivots: typing.SupportsInt | typing.SupportsIndex = 0,
    record: bool = False,
) -> tuple[typing.Any, ...]: ...
def lemke_batch(
    M: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    q: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    max_pivots: typing.SupportsInt | typing.SupportsIndex = 0,
) -> tuple[typing.Any, ...]: ...
def residual(
    M: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    q: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    z: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
) -> float: ...
def solve_all(
    M: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    q: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    max_bases: typing.SupportsInt | typing.SupportsIndex,
) -> dict[typing.Any, typing.Any]: ...
def solve_all_batch(
    M: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    q: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    max_bases: typing.SupportsInt | typing.SupportsIndex,
) -> tuple[typing.Any, ...]: ...

largest_enumeration: int = 20
statuses: tuple[typing.Any, ...] = ("trivial", "solved", "ray", "budget", "doubtful")
