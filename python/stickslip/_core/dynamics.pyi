"""
Compiled machines and the states of their runs.
"""

from __future__ import annotations

import typing

import numpy
import numpy.typing

import stickslip._core.model
import stickslip._core.signal

class State:
    def __eq__(self, arg0: object) -> bool: ...
    @property
    def modes(self) -> list[int]: ...
    @property
    def t(self) -> float: ...
    @property
    def x(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class Compiled:
    def initial_state(
        self,
        t0: typing.SupportsFloat | typing.SupportsIndex,
        x0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ) -> State: ...
    def linear_part(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def compensators(self) -> list[str]: ...
    @property
    def compliances(self) -> list[str]: ...
    @property
    def contacts(self) -> list[tuple[str, int]]: ...
    @property
    def controllers(self) -> list[typing.Any]: ...
    @property
    def coordinates(self) -> list[str]: ...
    @property
    def drives(self) -> list[str]: ...
    @property
    def friction(self) -> list[str]: ...
    @property
    def nominal(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def quantities(self) -> dict[typing.Any, typing.Any]: ...
    @property
    def signals(self) -> list[stickslip._core.signal.Signal]: ...
    @property
    def springs(self) -> list[str]: ...
    @property
    def states(self) -> list[str]: ...
    @property
    def time_scale(self) -> float: ...
    @property
    def variables(self) -> list[typing.Any]:
        """
        Name, where it is read from, index, part, terms of a sum.
        """

def compile(machine: stickslip._core.model.Machine) -> Compiled:
    """
    The compiled form of a machine, made once.
    """
