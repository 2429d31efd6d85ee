"""
Many runs at once.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

import stickslip._core.flow
import stickslip._core.model
import stickslip._core.signal

def run_ensemble(
    machine: stickslip._core.model.Machine,
    t_start: typing.SupportsFloat | typing.SupportsIndex,
    initial: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    options: stickslip._core.flow.Options,
    parameters: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    values: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
    measures: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    workers: typing.SupportsInt | typing.SupportsIndex,
    stop: collections.abc.Callable[[], bool] | None = None,
) -> tuple[typing.Any, ...]: ...
def signal(machine: stickslip._core.model.Machine, name: str) -> stickslip._core.signal.Signal: ...
def with_numbers(
    machine: stickslip._core.model.Machine,
    initial: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    names: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    values: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
) -> tuple[typing.Any, ...]:
    """
    Return the machine with changed parameters, and its initial values.
    """

def with_signals(
    machine: stickslip._core.model.Machine,
    names: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    signals: collections.abc.Sequence[stickslip._core.signal.Signal] | numpy.typing.NDArray[typing.Any],
) -> stickslip._core.model.Machine:
    """
    Return the machine with other signals.
    """
