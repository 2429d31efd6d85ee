"""
Machines linearised about a state.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

import stickslip._core.dynamics
import stickslip._core.run

class LinearMotion:
    @property
    def all(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def by_state(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def by_time(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def force(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def free(self) -> list[int]: ...
    @property
    def rate(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...
    @property
    def sliding(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 1]"]: ...

class Statics:
    @property
    def closed(self) -> list[int]: ...
    @property
    def equalities(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def holding(self) -> list[int]: ...
    @property
    def inequalities(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...
    @property
    def rates(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, n]"]: ...

def detents(machine: stickslip._core.dynamics.Compiled) -> list[bool]:
    """
    For each friction element: it is a detent, whose position determines its force.
    """

def is_linear(machine: stickslip._core.dynamics.Compiled) -> bool:
    """
    True without elements that are functions of the motion.
    """

def linearise(
    machine: stickslip._core.dynamics.Compiled,
    at: stickslip._core.dynamics.State,
    x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
) -> LinearMotion:
    """
    The machine next to the states x, at the time and in the modes of `at`.
    """

def moved_state(
    machine: stickslip._core.dynamics.Compiled,
    state: stickslip._core.dynamics.State,
    t: typing.SupportsFloat | typing.SupportsIndex,
    x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 1]"],
) -> stickslip._core.dynamics.State:
    """
    The nearest state to these values that its modes admit.
    """

def state_within(
    run: stickslip._core.run.Trajectory, t: typing.SupportsFloat | typing.SupportsIndex
) -> stickslip._core.dynamics.State:
    """
    A state within a run, for linearise().
    """

def statics(machine: stickslip._core.dynamics.Compiled, at: stickslip._core.dynamics.State) -> Statics:
    """
    Equilibria: rows over states, holding forces, normal forces and 1.
    """

def sticking(machine: stickslip._core.dynamics.Compiled) -> list[bool]:
    """
    For each friction element: its law sticks.
    """

def with_modes(
    machine: stickslip._core.dynamics.Compiled,
    state: stickslip._core.dynamics.State,
    modes: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex],
) -> stickslip._core.dynamics.State:
    """
    The state with elements in other modes, by their names.
    """
