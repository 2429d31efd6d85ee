"""
Functions of time.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

class Signal:
    """
    A compiled function of time: polynomial pieces plus harmonics.
    """

    @staticmethod
    def common_period(
        a: typing.SupportsFloat | typing.SupportsIndex, b: typing.SupportsFloat | typing.SupportsIndex
    ) -> float:
        """
        Least common multiple of two periods; 0 if they are not commensurable.
        """

    @staticmethod
    def constant(value: typing.SupportsFloat | typing.SupportsIndex) -> Signal: ...
    @staticmethod
    def input(name: str, default: typing.SupportsFloat | typing.SupportsIndex) -> Signal: ...
    @staticmethod
    def move(
        distance: typing.SupportsFloat | typing.SupportsIndex,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        acceleration: typing.SupportsFloat | typing.SupportsIndex,
        jerk: typing.SupportsFloat | typing.SupportsIndex | None,
        start: typing.SupportsFloat | typing.SupportsIndex,
        offset: typing.SupportsFloat | typing.SupportsIndex,
    ) -> Signal: ...
    @staticmethod
    def move_plan(
        distance: typing.SupportsFloat | typing.SupportsIndex,
        velocity: typing.SupportsFloat | typing.SupportsIndex,
        acceleration: typing.SupportsFloat | typing.SupportsIndex,
        jerk: typing.SupportsFloat | typing.SupportsIndex | None,
    ) -> typing.Annotated[list[float], "FixedSize(3)"]:
        """
        Duration, peak velocity and peak acceleration of a move.
        """

    @staticmethod
    def of_pieces(
        pieces: collections.abc.Sequence[
            tuple[
                typing.SupportsFloat | typing.SupportsIndex,
                typing.SupportsFloat | typing.SupportsIndex,
                typing.Annotated[
                    collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(6)"
                ],
                collections.abc.Sequence[
                    typing.Annotated[
                        collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
                    ]
                ],
            ]
        ]
        | numpy.typing.NDArray[typing.Any],
    ) -> Signal:
        """
        Make a signal from pieces: start, anchor and coefficients of the polynomial, harmonics (amplitude, omega, phase).
        """

    @staticmethod
    def piecewise(
        times: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        values: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
    ) -> Signal: ...
    @staticmethod
    def ramp(
        slope: typing.SupportsFloat | typing.SupportsIndex,
        start: typing.SupportsFloat | typing.SupportsIndex,
        offset: typing.SupportsFloat | typing.SupportsIndex,
        stop: typing.SupportsFloat | typing.SupportsIndex | None,
    ) -> Signal: ...
    @staticmethod
    def samples(
        t: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        values: typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"],
        kind: str,
    ) -> Signal: ...
    @staticmethod
    def sine(
        amplitude: typing.SupportsFloat | typing.SupportsIndex,
        frequency: typing.SupportsFloat | typing.SupportsIndex,
        phase: typing.SupportsFloat | typing.SupportsIndex,
        offset: typing.SupportsFloat | typing.SupportsIndex,
        start: typing.SupportsFloat | typing.SupportsIndex | None,
    ) -> Signal: ...
    @staticmethod
    def smooth_step(
        value: typing.SupportsFloat | typing.SupportsIndex,
        start: typing.SupportsFloat | typing.SupportsIndex,
        duration: typing.SupportsFloat | typing.SupportsIndex,
        before: typing.SupportsFloat | typing.SupportsIndex,
    ) -> Signal: ...
    @staticmethod
    def step(
        value: typing.SupportsFloat | typing.SupportsIndex,
        start: typing.SupportsFloat | typing.SupportsIndex,
        before: typing.SupportsFloat | typing.SupportsIndex,
    ) -> Signal: ...
    def __add__(self, arg0: Signal) -> Signal: ...
    def __eq__(self, arg0: object) -> bool: ...
    def __rmul__(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> Signal: ...
    def differentiate(self, order: typing.SupportsInt | typing.SupportsIndex = 1) -> Signal: ...
    def next_breakpoint(self, t: typing.SupportsFloat | typing.SupportsIndex) -> float: ...
    def repeating(
        self,
        start: typing.SupportsFloat | typing.SupportsIndex,
        period: typing.SupportsFloat | typing.SupportsIndex,
    ) -> Signal:
        """
        The periodic continuation of the period that begins at `start`.
        """

    def taylor(
        self, t: typing.SupportsFloat | typing.SupportsIndex, count: typing.SupportsInt | typing.SupportsIndex
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def unrolled(self, until: typing.SupportsFloat | typing.SupportsIndex) -> Signal:
        """
        The same signal with its periods up to this time written out, without periodic continuation.
        """

    def value(
        self,
        t: typing.SupportsFloat | typing.SupportsIndex,
        order: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> float: ...
    def value_with_input(
        self, t: typing.SupportsFloat | typing.SupportsIndex, u: typing.SupportsFloat | typing.SupportsIndex
    ) -> float: ...
    def values(
        self,
        t: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        order: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def begins(self) -> float:
        """
        Time at which the first period starts; the last breakpoint of a signal without period.
        """

    @property
    def breakpoints(self) -> list[float]: ...
    @property
    def input_default(self) -> float: ...
    @property
    def input_gain(self) -> float: ...
    @property
    def input_name(self) -> str: ...
    @property
    def is_constant(self) -> bool: ...
    @property
    def period(self) -> float:
        """
        Period of a periodic signal; 0 otherwise.
        """

    @property
    def pieces(
        self,
    ) -> list[
        tuple[
            float,
            float,
            typing.Annotated[list[float], "FixedSize(6)"],
            list[typing.Annotated[list[float], "FixedSize(3)"]],
        ]
    ]: ...
