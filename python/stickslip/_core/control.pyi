"""
Controllers and their linear blocks.
"""

from __future__ import annotations

import collections.abc
import enum
import typing

import numpy
import numpy.typing

import stickslip._core.friction

class ControlOptions:
    """
    Options common to all controllers: limits, sampling, anti-windup.
    """

    def __init__(
        self,
        min: typing.SupportsFloat | typing.SupportsIndex | None,
        max: typing.SupportsFloat | typing.SupportsIndex | None,
        anti_windup: str | None,
        tracking_time: typing.SupportsFloat | typing.SupportsIndex | None,
        period: typing.SupportsFloat | typing.SupportsIndex | None,
        delay: typing.SupportsFloat | typing.SupportsIndex,
        quantum: typing.SupportsFloat | typing.SupportsIndex,
        rate: str,
        tracks: bool,
    ) -> None: ...

class Saturation(enum.Enum):
    free = ...
    high = ...
    high_following = ...
    high_frozen = ...
    low = ...
    low_following = ...
    low_frozen = ...

class BlockTrigger(enum.Enum):
    exceeds_max = ...
    exceeds_min = ...
    returns = ...
    turns_inwards = ...
    turns_outwards = ...

class BlockGuard:
    @property
    def offset(self) -> float: ...
    @property
    def trigger(self) -> BlockTrigger: ...
    @property
    def w(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def wdot(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def z(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class AffineBlock:
    @property
    def A(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def B(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def C(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def D(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def b(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def d(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class Block:
    """
    A controller as a linear block: the form that the engine simulates.
    """

    def affine(
        self, modes: collections.abc.Sequence[Saturation] | numpy.typing.NDArray[typing.Any]
    ) -> AffineBlock: ...
    def after(
        self,
        output: typing.SupportsInt | typing.SupportsIndex,
        mode: Saturation,
        fired: BlockTrigger,
        z: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        w: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        wdot: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"] | None = None,
    ) -> Saturation: ...
    def guards(
        self, output: typing.SupportsInt | typing.SupportsIndex, mode: Saturation
    ) -> list[BlockGuard]: ...
    def mode_anew(
        self,
        output: typing.SupportsInt | typing.SupportsIndex,
        before: Saturation,
        z: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        w: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        wdot: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"] | None = None,
    ) -> Saturation: ...
    def settle(
        self,
        output: typing.SupportsInt | typing.SupportsIndex,
        mode: Saturation,
        w: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        z: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]:
        """
        Return the states with the integral set so that the output follows its limit.
        """

    @property
    def A(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def B(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def C(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def D(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def L(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def delay(self) -> float: ...
    @property
    def hi(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def initial(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def integrator(self) -> int: ...
    @property
    def is_program(self) -> bool: ...
    @property
    def lo(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def needs_input_rates(self) -> bool: ...
    @property
    def period(self) -> float: ...
    @property
    def quantum(self) -> float: ...

class Ticker:
    """
    A sampled controller with its memory, stepped by the caller.
    """

    def __init__(self, block: Block) -> None: ...
    def step(
        self,
        t: typing.SupportsFloat | typing.SupportsIndex,
        samples: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]:
        """
        Advance by one sampling instant. Takes samples in the order of block.inputs, returns the outputs.
        """

    @property
    def memory(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class Controller:
    """
    A controller as a value; see stickslip.control.
    """

    @staticmethod
    def cascade(
        kv: typing.SupportsFloat | typing.SupportsIndex,
        kp: typing.SupportsFloat | typing.SupportsIndex,
        tn: typing.SupportsFloat | typing.SupportsIndex,
        position: str,
        velocity_feedforward: typing.SupportsFloat | typing.SupportsIndex,
        force_feedforward: typing.SupportsFloat | typing.SupportsIndex,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def friction_curve(
        law: stickslip._core.friction.Law,
        normal_load: typing.SupportsFloat | typing.SupportsIndex,
        controls: str,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def linear(
        A: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
        B: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
        C: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
        D: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
        error: bool,
        references: typing.SupportsInt | typing.SupportsIndex,
        gain: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"] | None,
        discrete: bool,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def p(
        kp: typing.SupportsFloat | typing.SupportsIndex,
        feedforward: typing.SupportsFloat | typing.SupportsIndex,
        controls: str,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def pi(
        kp: typing.SupportsFloat | typing.SupportsIndex,
        tn: typing.SupportsFloat | typing.SupportsIndex,
        feedforward: typing.SupportsFloat | typing.SupportsIndex,
        controls: str,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def pid(
        kp: typing.SupportsFloat | typing.SupportsIndex,
        ki: typing.SupportsFloat | typing.SupportsIndex,
        kd: typing.SupportsFloat | typing.SupportsIndex,
        tf: typing.SupportsFloat | typing.SupportsIndex,
        derivative_of: str,
        options: ControlOptions,
    ) -> Controller: ...
    @staticmethod
    def program(
        function: typing.Any,
        references: typing.SupportsInt | typing.SupportsIndex,
        measurements: typing.SupportsInt | typing.SupportsIndex,
        outputs: typing.SupportsInt | typing.SupportsIndex,
        memory: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
        options: ControlOptions,
    ) -> Controller: ...
    def __eq__(self, arg0: object) -> bool: ...
    def block(self) -> Block: ...
