"""Parameters of derivatives beyond the numbers of a machine: profiles of signals, and numbers machines are built from."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import choice, reject, vector
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.signals import Piecewise, Samples, Signal

__all__ = ["Profile"]

Array = NDArray[np.float64]
Plant = Machine | StateSpace

_STEP = 2.5e-4  # between neighbouring values, of the value
_STEP_AT_ZERO = 1e-6
_CENTRAL = (-3, -2, -1, 1, 2, 3)
_ONE_SIDED = (tuple(range(7)), tuple(range(0, -7, -1)))


class Profile:
    """Values of a signal on a grid of times, as one array of parameters of a derivative.

    `value_and_grad` replaces the signal by ``Samples(t, p, kind)`` and returns the gradient with respect to all values;
    in ``simulate(..., sensitivities=[...])`` each value is a parameter named ``"<signal>.values[k]"``, a change that is
    added to the signal of the machine.

    Parameters
    ----------
    signal : str
        Name of the signal in `Machine.parameters`, such as ``"slide.force"``, ``"guide.normal_load"`` or
        ``"guide.surface_velocity"``.
    t : array_like, shape (n,)
        Times of the values, s, increasing; with ``"linear"`` a time given twice is a jump.
    kind : {"linear", "cubic", "hold"}, default "linear"
        As in `Samples`: straight lines, a cubic spline, or each value held until the next one. Each value of a spline
        changes all of it: a gradient costs much more.

    Raises
    ------
    ValueError
        If times decrease, there are fewer than two of them, or `kind` is unknown.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=2.0, names=["slide"])
    >>> m.add_force("slide", 0.0)
    >>> push = ss.run.varied.Profile("slide.force", [0.0, 1.0, 2.0], kind="hold")
    >>> way = ss.value_and_grad(lambda run: run["slide.position"][-1], m, [push], t_end=2.0)
    >>> value, gradient = way([6.0, 0.0, 0.0])       # 1.5 m under the force, 3 m after it
    >>> round(value, 9), gradient.round(9)
    (4.5, array([0.75, 0.25, 0.  ]))
    """

    def __init__(
        self, signal: str, t: ArrayLike, kind: Literal["linear", "cubic", "hold"] = "linear"
    ) -> None:
        if not isinstance(signal, str):
            reject("signal", signal, "the name of a signal of the machine")
        times = vector("t", t)
        if times.size < 2:
            reject("t", t, "at least two times")
        self.signal, self.t = signal, times
        self.kind = choice("kind", kind, ("linear", "cubic", "hold"))
        self.made(np.zeros(times.size))  # which checks the times

    def __len__(self) -> int:
        return int(self.t.size)

    def __repr__(self) -> str:
        return f"Profile({self.signal!r}, {self.t.size} times from {self.t[0]:g} s to {self.t[-1]:g} s)"

    @property
    def names(self) -> list[str]:
        """Name of each value as a parameter."""
        return [f"{self.signal}.values[{k}]" for k in range(self.t.size)]

    def made(self, values: Array) -> Signal:
        """Return the signal with these values.

        Parameters
        ----------
        values : ndarray, shape (n,)
            Values at the times.
        """
        if self.kind == "linear":
            return Piecewise(self.t, values)
        return Samples(self.t, values, "cubic" if self.kind == "cubic" else "hold")

    def _intervals(self) -> Iterator[tuple[int, float, float]]:
        """Number of the direction of each value, and the times between which it acts."""
        last = self.t.size - 1
        for k in range(last + 1):
            if self.kind == "cubic":
                yield k, -math.inf, math.inf
                continue
            before = k - 1 if self.kind == "linear" else k
            from_ = -math.inf if k == 0 else float(self.t[before])
            yield k % 2, from_, math.inf if k == last else float(self.t[k + 1])

    def _described(self, size: float) -> _core.sensitivity.Profile:
        """The profile for the engine: values that do not act at the same time share a direction."""
        intervals = list(self._intervals())
        numbers = np.array([number for number, *_ in intervals])
        directions = [
            self.made(np.asarray(numbers == d, dtype=float)).compiled for d in range(int(numbers.max()) + 1)
        ]
        rows = [(name, *interval) for name, interval in zip(self.names, intervals, strict=True)]
        return _core.sensitivity.Profile(self.signal, size, directions, rows)


@dataclasses.dataclass(frozen=True)
class Rebuilt:
    """A machine made by an object, and how to make it with another number in this object."""

    model: Any
    machine: Plant
    at: Callable[[str, float], Plant]

    @staticmethod
    def of(model: Any) -> Rebuilt:
        """Return the machine of an object, whose numbers are the fields of a dataclass.

        Parameters
        ----------
        model : object
            Object with a machine as ``.machine``.
        """
        return Rebuilt(
            model,
            getattr(model, "machine", model),
            lambda name, value: dataclasses.replace(model, **{name: value}).machine,
        )


def field_value(model: Any, machine: Plant, name: str) -> float | None:
    """Return the number of a builder with this name, unless the machine itself has such a parameter.

    Parameters
    ----------
    model : object
        The builder, or the machine.
    machine : Machine or StateSpace
        Its machine.
    name : str
        Name of a parameter.
    """
    if model is machine or "." in name or not dataclasses.is_dataclass(model) or isinstance(model, type):
        return None
    if name not in {f.name for f in dataclasses.fields(model)} or name in machine.parameters:
        return None
    value = getattr(model, name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        reject("sensitivities", name, f"a number of {type(model).__name__}, which has {value!r} there")
    return float(value)


def expanded(parameters: Sequence[str | Profile]) -> list[str]:
    """Return the names of parameters, one for each value of a profile.

    Parameters
    ----------
    parameters : sequence of str or Profile
        Parameters.
    """
    return [name for p in parameters for name in (p.names if isinstance(p, Profile) else [p])]


def profiles_of(machine: Plant, parameters: Sequence[str | Profile]) -> list[_core.sensitivity.Profile]:
    """Return the profiles among parameters, for the engine.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine that has the signals.
    parameters : sequence of str or Profile
        Parameters.
    """
    made = []
    for p in parameters:
        if isinstance(p, Profile):
            present = _core.ensemble.signal(machine._description, p.signal)
            size = float(np.max(np.abs(present.values(p.t, 0)), initial=0.0))
            made.append(p._described(size if size > 0.0 else 1.0))
    return made


def built_of(source: Rebuilt, names: Sequence[str]) -> list[_core.sensitivity.Built]:
    """Return the parameters among `names` that are numbers of the builder, with neighbouring machines.

    Parameters
    ----------
    source : Rebuilt
        The builder.
    names : sequence of str
        Names of parameters.
    """
    made = []
    for name in names:
        value = field_value(source.model, source.machine, name)
        if value is None:
            continue
        step = 2.0 ** math.floor(math.log2(_STEP * abs(value) if value else _STEP_AT_ZERO))
        refused: ValueError | None = None
        for offsets in (_CENTRAL, *_ONE_SIDED):  # at a bound of its range, from the side where it exists
            try:
                near = [(k, source.at(name, value + k * step)._description) for k in offsets]
            except ValueError as why:
                refused = why
                continue
            made.append(_core.sensitivity.Built(name, value, step, near))
            break
        else:
            raise ValueError(f"{name!r} cannot be varied on either side: {refused}") from refused
    return made
