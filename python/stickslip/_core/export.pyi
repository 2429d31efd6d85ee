"""
Machines for other programs.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

import stickslip._core.model

def export_machine(
    machine: stickslip._core.model.Machine,
    initial: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    inputs: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    outputs: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    parameters: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    rtol: typing.SupportsFloat | typing.SupportsIndex,
    max_step: typing.SupportsFloat | typing.SupportsIndex,
) -> dict[typing.Any, typing.Any]:
    """
    Return the file that the library of exported machines reads, its token, and start values.
    """

def inputs(machine: stickslip._core.model.Machine) -> list[str]:
    """
    Names of the inputs in the signals of a machine.
    """

def step_tables(
    machine: stickslip._core.model.Machine,
    initial: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    parameters: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    values: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    step: typing.SupportsFloat | typing.SupportsIndex,
    t0: typing.SupportsFloat | typing.SupportsIndex,
    max_transitions: typing.SupportsInt | typing.SupportsIndex,
    outputs: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
) -> dict[typing.Any, typing.Any]:
    """
    Tables of the fixed-step form of a machine whose parameters have these values.
    """
