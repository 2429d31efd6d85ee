"""
The compiled engine of stickslip.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

class LawTraits:
    """
    What does not change while a law runs.
    """

    @property
    def affine(self) -> bool: ...
    @property
    def break_away(self) -> tuple[float, float]: ...
    @property
    def damping(self) -> float: ...
    @property
    def kinked(self) -> bool: ...
    @property
    def needs_interpreter(self) -> bool: ...
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
    def __init__(self, terms: collections.abc.Sequence[typing.Any]) -> None: ...
    def force(
        self,
        velocity: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        normal_load: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def slope(
        self,
        velocity: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        normal_load: typing.SupportsFloat | typing.SupportsIndex = 1.0,
        direction: typing.SupportsInt | typing.SupportsIndex = 1,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def state_names(self) -> list[str]: ...
    @property
    def terms(self) -> list[typing.Any]: ...
    @property
    def traits(self) -> LawTraits: ...
    @property
    def velocity_kinks(self) -> list[float]: ...

__version__: str
