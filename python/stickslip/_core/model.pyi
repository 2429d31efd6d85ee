"""
The description of a machine.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

class Machine:
    """
    Description of a machine: plant, elements and controllers.
    """

    shared: bool

    @staticmethod
    def unpack(saved: dict[typing.Any, typing.Any]) -> Machine: ...
    def __eq__(self, arg0: object) -> bool: ...
    def __init__(self, kind: str, fields: dict[typing.Any, typing.Any]) -> None: ...
    def add(self, kind: str, fields: dict[typing.Any, typing.Any]) -> None: ...
    def copy(self) -> Machine: ...
    def has(self, name: str) -> bool: ...
    def names(self, kinds: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any]) -> list[str]:
        """
        Names of the elements of these kinds, in the order in which they were added.
        """

    def pack(self) -> dict[typing.Any, typing.Any]: ...
    @property
    def coordinates(self) -> list[str]: ...
    @property
    def elements(self) -> typing.Any: ...
    @property
    def numbers(self) -> dict[typing.Any, typing.Any]: ...
    @property
    def parameters(self) -> dict[typing.Any, typing.Any]: ...
    @property
    def plant(self) -> dict[typing.Any, typing.Any]: ...
    @property
    def scales(self) -> typing.Any:
        """
        Nominal sizes that the user has set, by the name of the state.
        """

    @scales.setter
    def scales(self, arg1: dict[typing.Any, typing.Any]) -> None: ...
