"""
Numerical kernels, for tests only.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

import stickslip._core

class StepController:
    def __init__(self) -> None: ...
    def next(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> tuple[bool, float]: ...
    def restart(self) -> None: ...

def affine_propagate(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg2: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg3: typing.SupportsFloat | typing.SupportsIndex,
    arg4: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
) -> tuple[typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"], int, float]: ...
def affine_taylor(
    A: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    S: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    s: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    x0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    horizon: typing.SupportsFloat | typing.SupportsIndex,
    scale: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    columns: typing.SupportsInt | typing.SupportsIndex = 35,
) -> tuple[typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"], float]: ...
def dopri5_step(
    arg0: collections.abc.Callable[
        [float, typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]],
        typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ],
    arg1: typing.SupportsFloat | typing.SupportsIndex,
    arg2: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg3: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[
    typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"],
]: ...
def error_norm(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg2: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg3: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg4: typing.SupportsFloat | typing.SupportsIndex,
) -> float: ...
def extremes(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
) -> tuple[float, float, float, float]: ...
def first_crossing(
    c: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    zero_at_start: bool = False,
    noise: typing.SupportsFloat | typing.SupportsIndex = 0.0,
) -> tuple[bool, bool, float]: ...
def fit_step(
    arg0: typing.SupportsFloat | typing.SupportsIndex, arg1: typing.SupportsFloat | typing.SupportsIndex
) -> float: ...
def initial_step(
    arg0: collections.abc.Callable[
        [float, typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]],
        typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ],
    arg1: typing.SupportsFloat | typing.SupportsIndex,
    arg2: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg3: typing.SupportsInt | typing.SupportsIndex,
    arg4: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg5: typing.SupportsFloat | typing.SupportsIndex,
    arg6: typing.SupportsFloat | typing.SupportsIndex,
    arg7: typing.SupportsFloat | typing.SupportsIndex,
) -> float: ...
def lu_solve(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
) -> tuple[bool, typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]]: ...
def lugre_spring(
    arg0: typing.SupportsFloat | typing.SupportsIndex,
    arg1: typing.SupportsFloat | typing.SupportsIndex,
    arg2: typing.SupportsInt | typing.SupportsIndex,
) -> tuple[typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"], int, int, int, float]: ...
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
def rodas5p() -> dict[typing.Any, typing.Any]: ...
def rosenbrock_step(
    arg0: collections.abc.Callable[
        [float, typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]],
        typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ],
    arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    arg2: typing.Any,
    arg3: typing.SupportsFloat | typing.SupportsIndex,
    arg4: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg5: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[
    bool,
    typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"],
    typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
]: ...
def rough_exp2(arg0: typing.SupportsFloat | typing.SupportsIndex) -> float: ...
def rough_log2(arg0: typing.SupportsFloat | typing.SupportsIndex) -> float: ...
def settled_splits(
    A: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
) -> list[typing.Any]: ...
def time_runs(
    compiled: stickslip._core.Compiled,
    x0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    t_end: typing.SupportsFloat | typing.SupportsIndex,
    rtol: typing.SupportsFloat | typing.SupportsIndex,
    count: typing.SupportsInt | typing.SupportsIndex,
) -> tuple[float, list[float]]: ...
def value_slope(
    arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    arg1: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]: ...
