"""
Formulas as sequences of elementary operations (tapes).
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

class Expression:
    """
    A formula of named inputs, constants and elementary operations.
    """

    @staticmethod
    def apply(operation: str, a: Expression, b: Expression | None = None) -> Expression: ...
    @staticmethod
    def constant(value: typing.SupportsFloat | typing.SupportsIndex) -> Expression: ...
    @staticmethod
    def input(name: str) -> Expression: ...
    @staticmethod
    def parameter(name: str, value: typing.SupportsFloat | typing.SupportsIndex) -> Expression: ...
    @staticmethod
    def restored(state: dict[typing.Any, typing.Any]) -> Expression: ...
    @staticmethod
    def tape(
        outputs: collections.abc.Sequence[Expression] | numpy.typing.NDArray[typing.Any],
        inputs: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any] | None = None,
    ) -> dict[typing.Any, typing.Any]:
        """
        One tape for several expressions, in the form in which machines store them.
        """

    @staticmethod
    def where(
        a: Expression, b: Expression, strictly: bool, first: Expression, second: Expression
    ) -> Expression: ...
    def __eq__(self, arg0: object) -> bool: ...
    def absolute(self) -> Expression: ...
    def along(self, rates: collections.abc.Mapping[str, Expression]) -> Expression: ...
    def maximum(self, other: Expression) -> Expression: ...
    def minimum(self, other: Expression) -> Expression: ...
    def sign(self) -> Expression: ...
    def state(self) -> dict[typing.Any, typing.Any]:
        """
        The expression as plain Python values, for pickling.
        """

    def text(self) -> str: ...
    def undefined(
        self,
        points: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        branch: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        | numpy.typing.NDArray[typing.Any]
        | None,
    ) -> str | None: ...
    def values(
        self,
        points: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        branch: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        | numpy.typing.NDArray[typing.Any]
        | None,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def with_free_parameters(self) -> Expression: ...
    @property
    def conditions(self) -> list[Expression]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def operations(self) -> int: ...
    @property
    def parameters(self) -> dict[str, float]: ...
    @property
    def value(self) -> float | None: ...
