"""
Friction laws.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

import stickslip._core.signal

class Automaton:
    def __init__(
        self,
        lag: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        dead_time: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        dwell: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        travel: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        surface_damping: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        load_factor: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    ) -> None: ...

class LawTraits:
    """
    Properties of a law that are constant during a run.
    """

    @property
    def affine(self) -> bool: ...
    @property
    def break_away(self) -> tuple[float, float]: ...
    @property
    def damping(self) -> float: ...
    @property
    def needs_interpreter(self) -> bool: ...
    @property
    def reads_load(self) -> bool: ...
    @property
    def reversal_switches(self) -> bool: ...
    @property
    def states(self) -> int: ...
    @property
    def sticks(self) -> bool: ...
    @property
    def stiffness(self) -> float: ...
    @property
    def switches(self) -> int: ...

class Law:
    """
    A sum of friction terms, each given as (kind, parameters).
    """

    def __add__(self, arg0: Law) -> Law: ...
    def __eq__(self, arg0: object) -> bool: ...
    def __init__(
        self, terms: collections.abc.Sequence[typing.Any] | numpy.typing.NDArray[typing.Any]
    ) -> None: ...
    def evaluate(
        self,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        direction: typing.SupportsInt | typing.SupportsIndex,
        z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        branch: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> tuple[typing.Any, ...]: ...
    def force(
        self,
        velocity: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        normal_load: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def linearise(
        self,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        direction: typing.SupportsInt | typing.SupportsIndex,
        z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        branch: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> tuple[typing.Any, ...]: ...
    def response(
        self,
        velocity: stickslip._core.signal.Signal,
        t: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        initial: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        normal_load: typing.SupportsFloat | typing.SupportsIndex,
        rtol: typing.SupportsFloat | typing.SupportsIndex,
    ) -> tuple[typing.Any, ...]: ...
    def rest_interval(
        self, z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]
    ) -> tuple[float, float]: ...
    def rest_rates(
        self,
        dry: typing.SupportsFloat | typing.SupportsIndex,
        z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    def slope(
        self,
        velocity: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        normal_load: typing.SupportsFloat | typing.SupportsIndex = 1.0,
        direction: typing.SupportsInt | typing.SupportsIndex = 1,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def switch_guards(
        self,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        direction: typing.SupportsInt | typing.SupportsIndex,
        z: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        branch: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def start(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def state_names(self) -> list[str]: ...
    @property
    def terms(self) -> list[typing.Any]: ...
    @property
    def traits(self) -> LawTraits: ...
    @property
    def values(self) -> list[typing.Any]: ...
    @property
    def velocity_breakpoints(self) -> list[float]: ...
