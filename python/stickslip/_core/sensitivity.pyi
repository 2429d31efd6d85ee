"""
Derivatives along a run.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

import stickslip._core.dynamics
import stickslip._core.flow
import stickslip._core.model
import stickslip._core.run
import stickslip._core.signal

class Sensitivity:
    def after(
        self, event: typing.SupportsInt | typing.SupportsIndex
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    def at_end(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    def before(
        self, event: typing.SupportsInt | typing.SupportsIndex
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    def beside(
        self,
        parameter: typing.SupportsInt | typing.SupportsIndex,
        times: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> tuple[
        list[stickslip._core.run.Trajectory], typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]
    ]:
        """
        Runs with neighbouring parameter values, and weights: the weighted sum of their samples is the derivative.
        """

    def constraint_impulses(
        self,
        constraint: typing.SupportsInt | typing.SupportsIndex,
        times: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    def moves_instants(self, parameter: typing.SupportsInt | typing.SupportsIndex) -> bool: ...
    def normal_impulses(
        self,
        contact: typing.SupportsInt | typing.SupportsIndex,
        times: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    def state(
        self,
        row: typing.SupportsInt | typing.SupportsIndex,
        times: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    def states(
        self, times: typing.Annotated[numpy.typing.ArrayLike, numpy.float64]
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    @property
    def event_times(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def parameters(self) -> list[str]: ...
    @property
    def reason(self) -> str: ...
    @property
    def valid_event(self) -> int: ...
    @property
    def valid_until(self) -> float: ...

class NoTranspose(Exception):
    pass

class Adjoint:
    def gradient(
        self,
        times: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        weights: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, n]"],
        events: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        | numpy.typing.NDArray[typing.Any],
        event_weights: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def along(self) -> Sensitivity: ...
    @property
    def shares(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class Profile:
    def __init__(
        self,
        signal: str,
        size: typing.SupportsFloat | typing.SupportsIndex,
        directions: collections.abc.Sequence[stickslip._core.signal.Signal]
        | numpy.typing.NDArray[typing.Any],
        values: collections.abc.Sequence[
            tuple[
                str,
                typing.SupportsInt | typing.SupportsIndex,
                typing.SupportsFloat | typing.SupportsIndex,
                typing.SupportsFloat | typing.SupportsIndex,
            ]
        ]
        | numpy.typing.NDArray[typing.Any],
    ) -> None: ...

class Built:
    def __init__(
        self,
        name: str,
        value: typing.SupportsFloat | typing.SupportsIndex,
        step: typing.SupportsFloat | typing.SupportsIndex,
        machines: collections.abc.Sequence[
            tuple[typing.SupportsInt | typing.SupportsIndex, stickslip._core.model.Machine]
        ]
        | numpy.typing.NDArray[typing.Any],
    ) -> None: ...

def components(
    state: stickslip._core.dynamics.State,
) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]:
    """
    All numbers of a state: states, memory of sampled controllers, their pending outputs.
    """

def restart(
    machine: stickslip._core.model.Machine,
    state: stickslip._core.dynamics.State,
    values: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    t: typing.SupportsFloat | typing.SupportsIndex,
    options: stickslip._core.flow.Options,
    parameters: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
) -> tuple[typing.Any, ...]:
    """
    Run from other numbers of a state, in its modes, at another time, with the derivatives by these numbers.
    """

def restarted(
    machine: stickslip._core.model.Machine,
    state: stickslip._core.dynamics.State,
    values: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    t: typing.SupportsFloat | typing.SupportsIndex,
    options: stickslip._core.flow.Options,
) -> stickslip._core.dynamics.State:
    """
    The state with other numbers, in its modes, at another time.
    """

def simulate(
    machine: stickslip._core.model.Machine,
    state: stickslip._core.dynamics.State,
    initial: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    options: stickslip._core.flow.Options,
    parameters: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    profiles: collections.abc.Sequence[Profile] | numpy.typing.NDArray[typing.Any] = [],
    built: collections.abc.Sequence[Built] | numpy.typing.NDArray[typing.Any] = [],
) -> tuple[typing.Any, ...]: ...
def simulate_adjoint(
    machine: stickslip._core.model.Machine,
    state: stickslip._core.dynamics.State,
    initial: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
    options: stickslip._core.flow.Options,
    parameters: collections.abc.Sequence[str] | numpy.typing.NDArray[typing.Any],
    profiles: collections.abc.Sequence[Profile] | numpy.typing.NDArray[typing.Any] = [],
    built: collections.abc.Sequence[Built] | numpy.typing.NDArray[typing.Any] = [],
) -> tuple[typing.Any, ...]: ...
