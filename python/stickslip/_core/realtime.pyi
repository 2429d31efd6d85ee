"""
The fixed-step form.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

import stickslip._core.dynamics

class RealTime:
    def __init__(
        self,
        compiled: stickslip._core.dynamics.Compiled,
        step: typing.SupportsFloat | typing.SupportsIndex,
        x0: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        t0: typing.SupportsFloat | typing.SupportsIndex,
        max_transitions: typing.SupportsInt | typing.SupportsIndex,
        outputs: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    ) -> None: ...
    def go(self, steps: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def read(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    def run(
        self, inputs: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"]
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    def step(
        self, inputs: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def failed(self) -> bool: ...
    @property
    def input_values(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def late(self) -> bool: ...
    @property
    def left_over(self) -> int: ...
    @property
    def modes(self) -> list[int]: ...
    @property
    def prebuilt(self) -> bool: ...
    @property
    def state(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def t(self) -> float: ...
    @property
    def ticks(self) -> int: ...
    @property
    def transitions(self) -> int: ...
