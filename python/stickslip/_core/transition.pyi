"""
Contact transitions and frictional impacts.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

def choose(
    G: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    free: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    contacts: typing.SupportsInt | typing.SupportsIndex,
    element_contact: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    state: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    lines: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    present: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    | numpy.typing.NDArray[typing.Any],
    allowed: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    | numpy.typing.NDArray[typing.Any],
    admissible: collections.abc.Callable[[dict[typing.Any, typing.Any]], bool] | None,
) -> dict[typing.Any, typing.Any]: ...
def impact(
    G: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    velocity: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    wall: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    contacts: typing.SupportsInt | typing.SupportsIndex,
    element_contact: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    friction: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    restitution: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    tangential_restitution: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    law: str,
    collision: bool,
) -> tuple[typing.Any, ...]: ...
def impact_batch(
    G: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    velocity: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    contacts: typing.SupportsInt | typing.SupportsIndex,
    element_contact: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    friction: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    restitution: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    law: str,
) -> tuple[typing.Any, ...]: ...
def label(
    G: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    free: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    contacts: typing.SupportsInt | typing.SupportsIndex,
    element_contact: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    state: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    lines: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    needs_contact: bool,
    z: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    w: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"] | None = None,
) -> dict[typing.Any, typing.Any]: ...
def margins(
    G: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    free: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    contacts: typing.SupportsInt | typing.SupportsIndex,
    element_contact: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    state: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    lines: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    needs_contact: bool,
) -> list[float]: ...
def source_form(
    G: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    free: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    contacts: typing.SupportsInt | typing.SupportsIndex,
    element_contact: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    state: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    lines: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
) -> tuple[typing.Any, ...]: ...
def stage(
    G: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    free: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    contacts: typing.SupportsInt | typing.SupportsIndex,
    element_contact: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    state: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    lines: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    needs_contact: bool,
) -> list[typing.Any]: ...
def transitions(
    G: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    free: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    contacts: typing.SupportsInt | typing.SupportsIndex,
    element_contact: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    state: typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
    lines: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    allowed: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    | numpy.typing.NDArray[typing.Any],
) -> tuple[typing.Any, ...]: ...

largest_mode_count: int = 256
