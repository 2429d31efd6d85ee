"""Fixed-step simulation of a machine, for real time and hardware in the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import finite, reject, wrong_shape
from stickslip.errors import UnknownNameError
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.modes import Mode
from stickslip.run.crossings import Crossing, crossings_of
from stickslip.run.events import Mark
from stickslip.run.simulation import _initial

__all__ = ["RealTime"]

Array = NDArray[np.float64]


def _numbers(name: str, value: ArrayLike) -> Array:
    """Return `value` as an array, without a copy if possible."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        reject(name, value, "a number or an array of real numbers")


class RealTime:
    """Real-time simulation of a machine with a fixed step and bounded work per step.

    Modes, transitions and resets are those of :func:`simulate`. Plant and continuous controllers advance by a
    precomputed map, which is exact for signals that are linear within a step, with one evaluation of each sliding
    curve; bristles advance by one linearly implicit, L-stable step of order 2, or, where that would carry a bristle
    beyond its static level, by a step of backward Euler (at most ten iterations). An event is located within its step,
    modes and states change there, and the rest of the step continues in the new regime. At most `max_transitions` such
    instants are handled per step; if more remain the step is flagged (`late`), and they are handled at the start of the
    next step. The error is of first order in the step, of second order while signals are smooth and no step is late.
    Jumps of signals act between two steps.

    If masses, forces, directions, loads or constraints are functions of the motion, each step uses ROS2 (Verwer et al.
    1999), a linearly implicit, L-stable method of order 2, with a Jacobian by finite differences; sliding directions,
    loads and M(q) are evaluated in each stage, and velocities of sticking elements and constraints are corrected at the
    end of the step, with the least change in the metric of the mass matrix. Corners of formulas are not located: at a
    kink of a force (`abs`, `maximum`) the error remains of second order, at a jump (`where`, `sign`) it is of first
    order. A compliant contact is treated as any other force, with an error of the order of the step divided by the
    contact time. Such a step takes 1 to 10 µs.

    The corners of piecewise linear springs (backlash, stops, tables) are located within the step like changes of mode,
    and the error remains of second order.

    Rigid contacts and one-way clutches of linear machines have the impact laws, the friction and the contact problem
    of `simulate`. Instants are located on the exact flow, unless a friction curve makes the motion nonlinear. Each impact
    or lift-off counts towards `max_transitions`. When this number is reached the step is flagged (`late`), and all modes
    are held to its end, except that contacts whose gap reaches zero close without rebound. Impacts in rapid succession
    therefore end in a closed contact, without overlap, and rebounds shorter than a step are lost. If no solution is found
    the modes are held and the step is flagged as well. Statically indeterminate normal forces and impulses are not
    distributed as in `simulate`: one contact carries the whole load. The motion is the same, unless such forces load
    friction, elements at rest bear a part of them, or contacts that are hit together differ in restitution: then it is
    another one of the possible motions. Friction elements that hold a body together share its load in the ratio of their
    limits at the start, which only outputs of these forces show.

    Controllers run with their limits and anti-windup. A sampled controller runs at the start of a step: its period must
    be a multiple of the step. A delayed output becomes active when the delay ends, also within a step. `step` returns
    the outputs at its end, before sampling at that instant takes effect.

    The engine's step, a C++ class usable without Python (``realtime/real_time.hpp``), neither allocates memory nor
    throws while `prebuilt` is True. `prebuilt` is False, and a step may allocate, if there are too many combinations of
    modes (with rigid contacts, more than 256 at one instant), or if a machine with functions of its motion has
    constraints, piecewise linear springs, or limits of controllers that use rates.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``. Refused are rigid contacts and one-way clutches of
        machines with functions of the motion (give the contact a ``compliance``), detents, load tables, and laws and
        controllers that are Python functions. Run a Python controller between steps, and pass its output as an `Input`.
    step : float
        Step, s, > 0; the period of every sampled controller must be a multiple of it. Not longer than the dead time of
        a `DeadTime`.
    initial : mapping or array_like, optional
        Initial values as in :func:`simulate`.
    t_start : float, default 0.0
        Start time, s; with sampled controllers a whole number of steps from their sampling instants.
    outputs : sequence of str, optional
        Signals that `step` returns, named as in ``run[...]``: by default all states.
    max_transitions : int, default 2
        Greatest number of instants with changes of mode per step, >= 1. Each rigid contact can add one more.
    events : Crossing or sequence of them, optional
        Crossings to record in `crossings`, located in Python by linear interpolation between the ends of steps, to
        second order; two crossings within a step are not detected. A ``terminal`` `Crossing` is refused.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Input("motor")})
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    >>> rt = ss.RealTime(m, step=1e-3, outputs=["slide.velocity", "guide.mode"])
    >>> rt.step(0.9)
    array([0., 0.])
    >>> rt.step({"motor": 1.8}).round(12)
    array([0.001, 1.   ])

    >>> loop = ss.Machine(mass=1.0, names=["axis"])
    >>> loop.add_controller(ss.PI(kp=5.0, tn=0.5, limits=2.0, period=0.01), name="speed",
    ...     measure="axis.velocity", reference=ss.Input("wanted"), to="axis")
    'speed'
    >>> rt = ss.RealTime(loop, step=1e-3, outputs=["speed.output", "axis.velocity"])
    >>> rt.run(np.full(10, 1.0))[-1].round(12)
    array([2.  , 0.02])

    >>> slide = ss.Machine(mass=2.0, names=["slide"], force={"slide": ss.Input("push")})
    >>> slide.add_contact("stop", normal={"slide": -1.0}, gap=0.01, restitution=0.5)
    >>> rt = ss.RealTime(slide, step=1e-3, outputs=["slide.velocity", "stop.mode"])
    >>> rt.run(np.full(1000, 3.0))[-1] == [0.0, ss.Mode.CLOSED]
    array([ True,  True])

    >>> fall = ss.Machine(mass=1.0, names=["ball"], force={"ball": -10.0})
    >>> rt = ss.RealTime(fall, step=1e-3, events=ss.Crossing("ball.position", level=-0.45))
    >>> _ = rt.run(500)
    >>> [(mark.cause, round(mark.time, 6)) for mark in rt.crossings]
    [('ball.position falls through -0.45', 0.3)]
    """

    def __init__(
        self,
        machine: Machine | Any,
        step: float,
        *,
        initial: Mapping[str, float] | ArrayLike | None = None,
        t_start: float = 0.0,
        outputs: Sequence[str] | None = None,
        max_transitions: int = 2,
        events: Sequence[Crossing] | Crossing = (),
    ) -> None:
        described = machine
        machine = getattr(machine, "machine", machine)
        if not isinstance(machine, (Machine, StateSpace)):
            reject("machine", described, "a stickslip.Machine or StateSpace, or hold one as .machine")
        if not isinstance(max_transitions, (int, np.integer)) or max_transitions < 1:
            reject("max_transitions", max_transitions, "an integer >= 1")
        if isinstance(outputs, str):
            reject("outputs", outputs, "a sequence of names")
        self._machine: Machine | StateSpace = machine._snapshot()
        compiled = self._machine.compile()
        self._outputs = tuple(compiled.states if outputs is None else outputs)
        self._step, self._t_start = float(step), float(t_start)
        self._sought = _sought(events)
        signals = dict.fromkeys(key for one in self._sought for key in one.form)
        read = (*self._outputs, *(key for key in signals if key not in self._outputs))
        self._engine = _core.realtime.RealTime(
            compiled,
            step=self._step,
            x0=_initial(compiled, initial),
            t0=self._t_start,
            max_transitions=int(max_transitions),
            outputs=list(read),
        )
        self._forms = np.array([[one.form.get(key, 0.0) for key in read] for one in self._sought])
        self._levels = np.array([one.level for one in self._sought])
        self._marks: list[Mark] = []
        if self._sought:
            self._above = self._forms @ self._engine.read() - self._levels
        self._inputs = tuple(self._engine.inputs)
        self._values: Array = np.array(self._engine.input_values)

    def step(self, inputs: Mapping[str, float] | ArrayLike | None = None) -> Array:
        """Advance by one step.

        Parameters
        ----------
        inputs : float, array_like or mapping, optional
            Values of the machine's inputs, held over this step: in the order of `inputs`, or by name. Inputs that are
            not given keep their value, initially the default.

        Returns
        -------
        ndarray, shape (n_outputs,)
            The outputs at the end of the step.

        Raises
        ------
        ValueError
            If inputs are unknown, too many or too few, or not finite.
        """
        if inputs is None:
            pass
        elif isinstance(inputs, Mapping):
            for name, value in inputs.items():
                if name not in self._inputs:
                    raise UnknownNameError(
                        f"unknown input {name!r}; known are: {', '.join(map(repr, self._inputs)) or 'none'}"
                    )
                self._set(self._inputs.index(name), value)
        else:
            given = np.atleast_1d(_numbers("inputs", inputs))
            if given.shape != self._values.shape:
                wrong_shape("inputs", given, f"{self._values.shape} for the inputs {self._inputs}")
            for i, value in enumerate(given):
                self._set(i, float(value))
        begin = self._engine.steps
        out: Array = self._engine.step(self._values)
        return self._seen(begin, out[None])[0] if self._sought else out

    def _seen(self, begin: int, read: Array) -> Array:
        """Mark what has crossed its level in these steps, the first of which was number `begin`; what is left is shown."""
        above = np.vstack((self._above, read @ self._forms.T - self._levels))
        self._above = above[-1]
        steps, which = np.nonzero((above[:-1] >= 0.0) != (above[1:] >= 0.0))
        before, after = above[steps, which], above[steps + 1, which]
        times = self._t_start + self._step * ((begin + steps) + before / (before - after))
        for k in np.lexsort((which, times)):
            one, rising = self._sought[which[k]], bool(after[k] >= 0.0)
            if times[k] > self._t_start and one.direction in (0, 1 if rising else -1):
                self._marks.append(Mark(float(times[k]), one.label, one.cause(rising), rising))
        return np.ascontiguousarray(read[:, : len(self._outputs)])

    def _set(self, i: int, value: float) -> None:
        self._values[i] = finite(f"inputs[{self._inputs[i]!r}]", value)

    def run(self, steps: int | ArrayLike) -> Array:
        """Advance by many steps at once.

        Parameters
        ----------
        steps : int or array_like
            Number of steps, with constant inputs; or the inputs of each step, shape (n_steps, n_inputs), or
            (n_steps,) for one input.

        Returns
        -------
        ndarray, shape (n_steps, n_outputs)
            The outputs at the end of each step.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        if isinstance(steps, (int, np.integer)):
            if steps < 0:
                reject("steps", steps, ">= 0")
            values = np.tile(self._values, (int(steps), 1))
        else:
            values = _numbers("steps", steps)
            if values.ndim == 1 and len(self._inputs) == 1:
                values = values[:, None]
            if values.ndim != 2 or values.shape[1] != len(self._inputs):
                wrong_shape("steps", values, f"(n_steps, {len(self._inputs)}) for the inputs {self._inputs}")
            if not np.isfinite(values).all():
                raise ValueError("steps holds NaN or infinity: every input must be finite")
        begin = self._engine.steps
        out: Array = self._engine.run(values)
        if len(values):
            self._values[:] = values[-1]
        return self._seen(begin, out) if self._sought and len(values) else out[:, : len(self._outputs)]

    @property
    def machine(self) -> Machine | StateSpace:
        """The machine."""
        return self._machine

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs, in the order in which `step` takes them."""
        return self._inputs

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the signals that `step` returns."""
        return self._outputs

    @property
    def t(self) -> float:
        """Time at the end of the last step, s: start plus a whole number of steps."""
        return self._engine.t

    @property
    def state(self) -> Array:
        """All states at `t`, named in ``machine.states``."""
        return self._engine.state

    @property
    def modes(self) -> dict[str, Mode]:
        """Mode of each friction element."""
        modes = zip(self._machine.compile().friction, self._engine.modes, strict=True)
        elements = self._machine.elements
        return {name: Mode(mode) for name, mode in modes if name in elements}

    @property
    def transitions(self) -> int:
        """Number of instants with changes of mode so far."""
        return self._engine.transitions

    @property
    def crossings(self) -> tuple[Mark, ...]:
        """Crossings so far: ``time``, s, ``element`` (name), ``cause`` and ``rising``."""
        return tuple(self._marks)

    @property
    def late(self) -> bool:
        """True if the last step left a transition to the next step, or found no solution at a transition."""
        return self._engine.late

    @property
    def late_steps(self) -> int:
        """Number of late steps so far."""
        return self._engine.left_over

    @property
    def clipped(self) -> bool:
        """True if a normal load was negative in the last step and was replaced by zero."""
        return self._engine.clipped

    @property
    def clipped_steps(self) -> int:
        """Number of steps with a negative normal load so far."""
        return self._engine.clipped_steps

    @property
    def failed(self) -> bool:
        """True if a step would have made the state infinite or NaN; the state before this step is then kept."""
        return self._engine.failed

    @property
    def prebuilt(self) -> bool:
        """True if every combination of modes was built in advance, so that no step allocates."""
        return self._engine.prebuilt

    def __repr__(self) -> str:
        counts = f"{self.transitions} transitions, {self.late_steps} late steps"
        return f"RealTime(step={self._step:g} s, t={self.t:g} s, {counts})"


def _sought(events: Sequence[Crossing] | Crossing) -> tuple[Crossing, ...]:
    listed = tuple(crossings_of(events))
    for one in listed:
        if one.terminal:
            reject("events", one, "Crossings that are not terminal: a real-time simulation has no end")
    return listed
