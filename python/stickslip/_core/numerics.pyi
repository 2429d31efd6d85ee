"""
Numerical kernels, for tests only.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

def extremes(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
) -> tuple[float, float, float, float]: ...
def first_crossing(
    c: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    zero_at_start: bool = False,
    noise: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> tuple[bool, bool, float]: ...
def polynomial_derivative(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    arg1: typing.SupportsFloat | typing.SupportsIndex,
    arg2: typing.SupportsFloat | typing.SupportsIndex,
    arg3: typing.SupportsInt | typing.SupportsIndex,
) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
def polynomial_project(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg2: typing.SupportsFloat | typing.SupportsIndex,
) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
def polynomial_shift(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    arg1: typing.SupportsFloat | typing.SupportsIndex,
    arg2: typing.SupportsFloat | typing.SupportsIndex,
) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
def polynomial_value(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    arg1: typing.SupportsFloat | typing.SupportsIndex,
) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
def refine_root(
    arg0: collections.abc.Callable[[float], typing.SupportsFloat | typing.SupportsIndex],
    arg1: typing.SupportsFloat | typing.SupportsIndex,
    arg2: typing.SupportsFloat | typing.SupportsIndex,
    arg3: typing.SupportsFloat | typing.SupportsIndex,
) -> float: ...
def value_slope(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg1: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]: ...
