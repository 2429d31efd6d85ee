"""Derivatives of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import reject
from stickslip.errors import UnknownNameError
from stickslip.run import _measured
from stickslip.run.varied import Profile, expanded

if TYPE_CHECKING:
    from stickslip.run.events import Event
    from stickslip.run.trajectory import Trajectory

__all__ = ["EventSensitivity", "Sensitivity", "ValidUntil"]

Array = NDArray[np.float64]

# Measures without a derivative.
_WITHOUT = {
    "mode": "a mode has no derivative",
    "contact_mode": "a mode has no derivative",
    "spring_mode": "a mode has no derivative",
    "saturation": "a mode has no derivative",
}


@dataclass(frozen=True)
class ValidUntil:
    """Time and reason of the end of the derivatives of a run.

    Attributes
    ----------
    time : float
        Time from which derivatives do not exist, s; infinite if the whole run has derivatives.
    event : Event or None
        Event at which the derivatives end, if any.
    reason : str
        Reason; empty if the whole run has derivatives.
    """

    time: float
    event: Event | None
    reason: str


class Sensitivity:
    """Derivatives of a run with respect to parameters, computed by ``simulate(..., sensitivities=[...])``.

    ``run.sensitivity["block.position", "belt.law.static"]`` is the total derivative of a signal at each sample time, of
    shape (n_times,), and ``end`` holds the derivatives of all states at the end; ``measure("block.position.max",
    "belt.law.static")`` is the derivative of a single number of the run. Events and crossings have the derivatives of
    their times: ``run.events[3].sensitivity["belt.law.static"]``. A run ended by a crossing is differentiated at its
    end time.

    Within a mode the tangent equation s' = f_x s + f_p is integrated with the motion: by its exact series in linear
    regimes, else by collocation over the same steps. At an event the tangent jumps with the states (saltation; Leine,
    Nijmeijer, *Dynamics and Bifurcations of Non-Smooth Mechanical Systems*, 2004, 7.3): with the guard h = 0, motions
    f⁻ and f⁺ and the reset R, the event's time has the derivative t' = -(h_x s⁻ + h_p)/(h_x f⁻ + h_t), and s⁺ = R_x(s⁻
    + f⁻t') + R_p + R_t t' - f⁺t'. Partial derivatives f_p, h_p and R_p are differences of sixth order of the machine
    compiled with neighbouring values, accurate to about 1e-13. Where a parameter is at a bound of its allowed range,
    its derivative is the one-sided derivative into the range.

    Derivatives that do not exist are NaN from that time on, and `valid_until` holds time and reason: a grazing guard,
    simultaneous events whose order changes, the end of an accumulation of slips, an ambiguous event, a start on a guard
    that the parameter moves. Where bouncing ends, derivatives are those of the limit of infinitely many impacts, up to
    about thirty times the threshold below which a rebound ends it (`rebound_threshold`).

    The period and the delay of a sampled controller move its sampling instants (t' = k for instant k and the period).
    Derivatives with respect to them end where instants of different controllers coincide, at an instant on a breakpoint
    of a signal, at a call of a Python function that may change modes, and at an end of the run on a sampling instant. A
    sample at a moved instant has the derivatives just after the instant; extremes of a run and means of held signals
    have no derivatives.

    Attributes
    ----------
    parameters : tuple of str
        Names of the parameters.
    valid_until : ValidUntil
        Time, event and reason of the end of the derivatives.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=2.0, names=["slide"], force={"slide": 6.0})
    >>> run = ss.simulate(m, t_end=2.0, dt=1.0, sensitivities=["slide.mass"])
    >>> run.sensitivity["slide.position", "slide.mass"]     # of F t² / 2m
    array([ 0.  , -0.75, -3.  ])
    """

    def __init__(self, run: Trajectory, raw: _core.sensitivity.Sensitivity) -> None:
        self._run, self._raw = run, raw
        self.parameters = tuple(raw.parameters)
        self._kept: dict[tuple[str, str], Array] = {}
        self._rows: dict[int, Array] = {}  # derivatives of a state by all parameters
        self._states: Array | None = None

    @property
    def valid_until(self) -> ValidUntil:
        """Time and reason of the end of the derivatives."""
        number = self._raw.valid_event
        return ValidUntil(
            self._raw.valid_until, None if number < 0 else self._run._logged[number], self._raw.reason
        )

    @property
    def states(self) -> Array:
        """Derivatives of all states at the sample times, shape (n_states, n_parameters, n_times)."""
        if self._states is None:
            self._states = self._raw.states(self._run.t)
        return self._states

    @property
    def end(self) -> Array:
        """Derivatives of all states at the end of the run, shape (n_states, n_parameters)."""
        end: Array = self._raw.states(np.array([self._run._raw.t_end]))[:, :, 0]
        return end

    def measure(self, name: str, parameter: str) -> float:
        """Return the derivative of a measure of the run, named as in `ensemble`.

        Parameters
        ----------
        name : str
            ``"<state>.max"``, ``.min``, ``.mean``, ``.final``, ``"events.first"``, ``"events.last"`` (also of one
            element: ``"belt.events.first"``), ``"<element>.stick_time"``. For other functions of a run see
            `value_and_grad`.
        parameter : str
            One of `parameters`.

        Returns
        -------
        float
            In units of the measure per unit of the parameter. NaN if the derivatives end before the measured time, or
            if several equal extremes have different derivatives. Derivatives of extremes, and of means of held
            signals, with respect to periods and delays of sampled controllers are NaN.

        Raises
        ------
        ValueError
            For unknown names, and for measures without derivatives (counts and errors).

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=2.0, stiffness=8.0, names=["q"])
        >>> run = ss.simulate(m, t_end=5.0, initial={"q.velocity": 3.0}, sensitivities=["q.velocity", "q.stiffness"])
        >>> round(run.sensitivity.measure("q.position.max", "q.stiffness"), 9)    # of v √(m / k)
        -0.09375
        """
        self._number(parameter)
        return _measured.derivative(self._run, name, parameter)

    def __getitem__(self, key: tuple[str, str]) -> Array:
        if not isinstance(key, tuple) or len(key) != 2:
            reject("sensitivity[...]", key, "a signal and a parameter: sensitivity[signal, parameter]")
        signal, parameter = key
        number = self._number(parameter)
        if signal not in self._run:
            self._run[signal]  # which names those that are known
        if key not in self._kept:
            self._kept[key] = self._derivative(signal, number)
        return self._kept[key]

    def need(self, signal: str) -> None:
        """Refuse a signal without derivatives.

        Parameters
        ----------
        signal : str
            A signal of the run.
        """
        source = next(where[0] for name, *where in self._run._raw.compiled.variables if name == signal)
        if source in _WITHOUT:
            raise ValueError(f"signal {signal!r}: {_WITHOUT[source]}")

    def _number(self, parameter: str) -> int:
        try:
            return self.parameters.index(parameter)
        except ValueError:
            raise UnknownNameError(
                f"no derivatives by {parameter!r} were requested; known are: "
                f"{', '.join(map(repr, self.parameters))}"
            ) from None

    def _derivative(self, signal: str, number: int) -> Array:
        run = self._run
        source, index, *_ = {name: where for name, *where in run._raw.compiled.variables}[signal]
        if source in _WITHOUT:
            raise ValueError(f"signal {signal!r}: {_WITHOUT[source]}")
        if source in ("normal_impulse", "constraint_impulse"):  # sums over impacts
            impulses: Array = getattr(self._raw, f"{source}s")(index, run.t)[number]
            return impulses
        if signal in run.states:
            state = run.states.index(signal)
            if state not in self._rows:
                self._rows[state] = self._raw.state(state, run.t)
            row: Array = self._rows[state][number]
            return row
        # Any other is what Samples make of states and machine: differences beside the run.
        runs, weights = self._raw.beside(number, run.t)
        total = np.zeros(run.t.size)
        for raw, weight in zip(runs, weights, strict=True):
            beside = type(run)(run.machine, raw, run.t)
            total += weight * beside[signal]
        return total

    def __repr__(self) -> str:
        until = self.valid_until
        limit = "" if np.isinf(until.time) else f", valid until {until.time:g} s: {until.reason}"
        return f"Sensitivity by {', '.join(self.parameters)}{limit}"


class EventSensitivity(Mapping[str, float]):
    """Derivatives of an event with respect to the parameters: of its time, and of the states on both sides.

    ``event.sensitivity["belt.law.static"]`` is the derivative of its time; ``before`` and ``after`` are the total
    derivatives of the states just before and after the event, the change of its time included, shape (n_states,
    n_parameters).

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Ramp(slope=0.2)})
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    >>> run = ss.simulate(m, t_end=10.0, sensitivities=["guide.law.static"])
    >>> round(run.events[0].sensitivity["guide.law.static"], 9)     # it breaks away at static / slope
    5.0
    """

    def __init__(self, derivatives: Derivatives, number: int) -> None:
        self._of, self._event = derivatives, number

    def __getitem__(self, parameter: str) -> float:
        known = list(self._of.raw.parameters)
        if parameter not in known:
            raise UnknownNameError(
                f"no derivatives by {parameter!r} were requested; known are: {', '.join(map(repr, known))}"
            )
        return float(self._of.times(self._event)[known.index(parameter)])

    def __iter__(self) -> Any:
        return iter(self._of.raw.parameters)

    def __len__(self) -> int:
        return len(self._of.raw.parameters)

    @property
    def before(self) -> Array:
        """Derivatives of the states just before the event."""
        return self._of.sides(self._event)[0]

    @property
    def after(self) -> Array:
        """Derivatives of the states just after the event."""
        return self._of.sides(self._event)[1]


class Moved(NamedTuple):
    """Derivatives of a crossing: of its time, and of the states on both sides."""

    time: Array
    before: Array
    after: Array


class Derivatives:
    """Derivatives of a run, from the engine, and of its crossings."""

    def __init__(
        self,
        found: _core.sensitivity.Sensitivity | _core.sensitivity.Adjoint,
        crossings: Sequence[Moved] = (),
    ) -> None:
        self.adjoint = found if isinstance(found, _core.sensitivity.Adjoint) else None
        self.raw = found.along if isinstance(found, _core.sensitivity.Adjoint) else found
        self._crossings = tuple(crossings)
        self._events = int(self.raw.event_times.shape[1])

    def times(self, number: int) -> Array:
        """Derivatives of the time of an event."""
        if number < self._events:
            return self.raw.event_times[:, number]
        return self._crossings[number - self._events].time

    def sides(self, number: int) -> tuple[Array, Array]:
        """Derivatives of the states before and after an event."""
        if number < self._events:
            return self.raw.before(number), self.raw.after(number)
        moved = self._crossings[number - self._events]
        return moved.before, moved.after


class Backwards(list[str | Profile]):
    """Parameters of an adjoint derivative of one number of a run."""


def checked(sensitivities: Sequence[str | Profile]) -> list[str]:
    """Return the names of parameters without duplicates."""
    if isinstance(sensitivities, str) or not all(isinstance(one, (str, Profile)) for one in sensitivities):
        reject("sensitivities", sensitivities, "a sequence of names of parameters, or of profiles")
    names = expanded(sensitivities)
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        reject("sensitivities", sensitivities, f"different names: {twice!r} is given twice")
    return names
