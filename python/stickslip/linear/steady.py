"""Steady motions: velocities and forces constant, in modes that are given.

With x' = f(t, x), f_x and f_t from the engine, the accelerations are zero and stay so: the second derivative f_x f + f_t of
velocities and of all states of elements and controllers is zero, too. Positions, references and slip distances may grow at
constant rates. Newton's method takes the least step where a motion is not unique, as that of a body without a spring.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.machine._described import controller_of
from stickslip.modes import Mode
from stickslip.run._owners import owner

if TYPE_CHECKING:
    from stickslip.machine.base import BaseMachine

Array = NDArray[np.float64]
State = _core.dynamics.State
_MOST_STEPS = 60
_FIRST_STEP, _STEPS_OF_ELEMENTS = 1e-4, 35  # of the machine's time; doubled in each step
_REACHED = 1e-9  # of the sizes of the terms: residual of a steady motion
_ASIDE = (
    1e-6  # of the size of a state: for the derivative of second derivatives, which only directs the steps
)
_MOST_REVERSALS = 8  # of the sliding directions in the search


def steady_motion(
    compiled: _core.dynamics.Compiled, start: State, modes: Mapping[str, int], slides: bool
) -> State:
    """Return the steady motion in which every friction element slides, or every one that can stick does.

    Parameters
    ----------
    compiled : Compiled
    start : State
        Where the search begins, with modes.
    modes : mapping
        Modes by element, in place of those that the search would choose.
    slides : bool
        True: all slide; False: all stick.
    """
    search = _Search(compiled, start, modes)
    return search.sliding() if slides else search.sticking()


def continuous(machine: BaseMachine) -> _core.dynamics.Compiled:
    """Return the machine with its sampled controllers in continuous time, which has the same steady motions."""
    description = machine._description
    other = _core.model.Machine(
        description.plant["kind"], {k: v for k, v in description.plant.items() if k != "kind"}
    )
    for element in description.elements:
        fields = {k: v for k, v in element.items() if k != "kind"}
        if element["kind"] == "controller":
            control = dict(element["control"])
            if control["options"]["period"]:
                if control["law"]["kind"] in ("LTI", "Callable"):
                    raise ValueError(
                        f"at = 'sliding' and 'sticking' need controllers that exist in continuous time, which "
                        f"'{element['name']}' does not: give at = run.state of a run that has settled"
                    )
                control["options"] = control["options"] | {
                    "period": 0.0,
                    "delay": 0.0,
                    "quantum": 0.0,
                    "rate": "measured",
                }
            fields["control"] = controller_of(control).compiled
        other.add(element["kind"], fields)
    return _core.dynamics.compile(other)


class _Search:
    def __init__(self, compiled: _core.dynamics.Compiled, start: State, modes: Mapping[str, int]) -> None:
        self.compiled, self.start, self.asked = compiled, start, dict(modes)
        n = len(compiled.coordinates)
        self.velocities = np.arange(n, 2 * n)
        owners = [name.rpartition(".")[0] for name in compiled.states]
        own = {name: k for k, name in enumerate(compiled.friction)}
        self.of_elements = np.array([k for k, name in enumerate(owners) if name in own], dtype=int)
        self.others = np.arange(2 * n, len(owners))
        self.nominal = np.where(compiled.nominal > 0.0, compiled.nominal, 1.0)
        self.time = compiled.time_scale or 1.0

    def sliding(self) -> State:
        """The steady motion with all elements in slip, whose directions agree with its velocities."""
        direction = np.sign(self._motion(self.start).sliding)
        direction[_core.linear.detents(self.compiled)] = np.nan  # they keep their mode
        if np.any(direction == 0.0):
            # Without friction, but that on a contact, which could not close without it.
            on_contact = np.isin(self.compiled.friction, [name for name, _ in self.compiled.contacts])
            free = self._solve(self._with_friction(np.where(on_contact, 1, int(Mode.OPEN)).astype(float)))
            guess = np.sign(_core.linear.linearise(self.compiled, self.start, free.x).sliding)
            direction = np.where(direction == 0.0, guess, direction)
        for name, mode in self.asked.items():
            if name in self.compiled.friction:
                direction[self.compiled.friction.index(name)] = np.sign(mode) if abs(mode) == 1 else np.nan
        if np.any(direction == 0.0):
            name = self.compiled.friction[int(np.flatnonzero(direction == 0.0)[0])]
            raise ValueError(
                f"at = 'sliding' leaves the direction of '{name}' open: give modes = {{'{name}': 'slip+'}} or 'slip-'"
            )
        for _ in range(_MOST_REVERSALS):
            state = self._without_tension(direction)
            found = np.sign(self._motion(state).sliding)
            wrong = (found != direction) & (np.abs(direction) == 1.0)
            if not wrong.any():
                return state
            direction = np.where(wrong & (found != 0.0), found, direction)
        name = self.compiled.friction[int(np.flatnonzero(wrong)[0])]
        raise ValueError(
            f"the machine has no steady motion in which '{name}' slides and all others do: simulate it, and give "
            "at = run.state or a run with t"
        )

    def sticking(self) -> State:
        """The equilibrium with all elements in stick that can."""
        sticks = np.array(_core.linear.sticking(self.compiled), dtype=bool)
        direction = np.sign(self._motion(self.start).sliding)
        direction = np.where(sticks, int(Mode.STICK), np.where(direction == 0.0, 1, direction)).astype(float)
        direction[_core.linear.detents(self.compiled)] = np.nan  # they keep their mode
        return self._solve(self._with_friction(direction))

    def _with_friction(self, direction: Array) -> State:
        """The start with these modes of friction elements, and those that the user gave."""
        contacts = dict(self.compiled.contacts)
        opened = [
            i
            for i, name in enumerate(self.compiled.friction)
            if name in contacts and self.start.modes[i] == int(Mode.OPEN)
        ]
        chosen = {
            name: int(direction[i])
            for i, name in enumerate(self.compiled.friction)
            if i not in opened and np.isfinite(direction[i]) and owner(name) == name
        }
        return _core.linear.with_modes(self.compiled, self.start, chosen | self.asked)

    def _motion(self, state: State) -> _core.linear.LinearMotion:
        return _core.linear.linearise(self.compiled, state, state.x)

    def _solve(self, state: State) -> State:
        """Newton's method in fixed modes."""
        state = _core.linear.moved_state(self.compiled, state, state.t, self._deflected(state))
        best = np.inf
        for _ in range(_MOST_STEPS):
            motion = self._motion(state)
            residual = self._residual(state, motion)
            size = float(np.max(np.abs(residual), initial=0.0))
            if size <= 1e-3 * _REACHED or (size <= _REACHED and size >= 0.5 * best):
                return state
            best = min(best, size)
            columns = motion.all * self.nominal[motion.free]
            slopes = np.empty((residual.size, columns.shape[1]))
            for j in range(columns.shape[1]):
                ends = []
                for side in (_ASIDE, -_ASIDE):
                    beside = state.x + side * columns[:, j]
                    ends.append(self._residual(state, _core.linear.linearise(self.compiled, state, beside)))
                slopes[:, j] = (ends[0] - ends[1]) / (2.0 * _ASIDE)
            if not np.all(np.isfinite(slopes)):
                break
            step = np.linalg.lstsq(slopes, -residual, rcond=1e-10)[0]
            state = _core.linear.moved_state(self.compiled, state, state.t, state.x + columns @ step)
        if best <= _REACHED:
            return state
        raise ValueError(
            "the machine has no steady motion in these modes: simulate it, and give at = run.state or a run with t"
        )

    def _deflected(self, state: State) -> Array:
        """The state with elements as after long sliding at its velocities, by implicit Euler steps of growing length.

        Newton's method alone does not leave the elastic range of a law, where nothing depends on the deflection.
        """
        x, e = state.x.copy(), self.of_elements
        step = _FIRST_STEP * self.time
        for _ in range(_STEPS_OF_ELEMENTS if e.size else 0):
            motion = _core.linear.linearise(self.compiled, state, x)
            slopes = motion.by_state[np.ix_(e, e)]
            x[e] += np.linalg.solve(np.eye(e.size) / step - slopes, motion.rate[e])
            step *= 2.0
        return x if np.all(np.isfinite(x)) else state.x

    def _residual(self, state: State, motion: _core.linear.LinearMotion) -> Array:
        second = motion.by_state @ motion.rate + motion.by_time
        v, o, t, size = self.velocities, self.others, self.time, self.nominal
        return np.concatenate(
            [motion.rate[v] * t / size[v], second[v] * t * t / size[v], second[o] * t * t / size[o]]
        )

    def _without_tension(self, direction: Array) -> State:
        """The steady motion in which no contact pulls: of both sides of a guide, the loaded one is closed."""
        state = self._solve(self._with_friction(direction))
        unloaded: dict[str, int] = {}
        while True:
            normal = self._motion(state).force[len(self.compiled.friction) :]
            if normal.size == 0 or normal.min() >= 0.0:
                return state
            name = self.compiled.contacts[int(np.argmin(normal))][0]
            unloaded[name] = int(Mode.OPEN)
            try:
                opened = _core.linear.with_modes(self.compiled, self._with_friction(direction), unloaded)
                state = self._solve(opened)
            except ValueError:
                raise ValueError(
                    f"the machine has no steady motion with '{name}' closed: it would have to pull"
                ) from None
