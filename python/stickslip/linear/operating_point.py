"""States about which a machine is linearised: of a run, given by values, or in steady motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import finite, reject
from stickslip.errors import UnknownNameError
from stickslip.linear.bench import OperatingPoint
from stickslip.linear.steady import continuous, steady_motion
from stickslip.modes import Mode
from stickslip.run.trajectory import Trajectory

if TYPE_CHECKING:
    from stickslip.machine.base import BaseMachine

Array = NDArray[np.float64]
_START = 1e-9  # of the machine's time: length of the run that decides the modes at a start
_ALLOWED = "'frictionless', 'sliding', 'sticking', the state of a run, a run, or a mapping of initial values"


def operating_point(
    machine: BaseMachine, at: Any, t: float | None, modes: Mapping[str, str | int] | None
) -> OperatingPoint | None:
    """Return the operating point; None for the linear part without friction.

    Parameters
    ----------
    machine : Machine or StateSpace
    at, t, modes
        As in `Machine.linearise`.
    """
    if isinstance(at, str) and at == "frictionless":
        for name, given in (("t", t), ("modes", modes)):
            if given is not None:
                reject(
                    name,
                    given,
                    "left out where at = 'frictionless': the linear part has neither time nor modes",
                )
        return None
    compiled = machine.compile()
    asked = {str(name): _mode(name, mode) for name, mode in (modes or {}).items()}
    time = None if t is None else finite("t", t)
    if isinstance(at, str):
        if at not in ("sliding", "sticking"):
            reject("at", at, _ALLOWED)
        return OperatingPoint(_steady(machine, time or 0.0, asked, at == "sliding"), tuple(compiled.states))
    if isinstance(at, Trajectory):
        state = _of_run(at, time)
    elif isinstance(at, _core.dynamics.State):
        if time is not None and time != at.t:
            reject("t", time, f"left out, or the time of the state, {at.t:g} s")
        state = at
    elif isinstance(at, Mapping):
        state = _started(compiled, time or 0.0, at)
    else:
        reject("at", at, _ALLOWED)
    return OperatingPoint(_core.linear.with_modes(compiled, state, asked), tuple(compiled.states))


def _steady(
    machine: BaseMachine, time: float, modes: Mapping[str, int], slides: bool
) -> _core.dynamics.State:
    """The steady motion; of a sampled machine that with the same controllers in continuous time, with its forces held."""
    compiled = machine.compile()
    start = _started(compiled, time, {})
    if not any(period > 0.0 for period in compiled.sampling_periods):
        return steady_motion(compiled, start, modes, slides)
    other = continuous(machine)
    steady = steady_motion(other, _started(other, time, {}), modes, slides)
    values = dict(zip(other.states, steady.x.tolist(), strict=True))
    x = np.array([values.get(name, 0.0) for name in compiled.states])
    found = dict(zip(compiled.friction, steady.modes, strict=True))
    start = _core.linear.with_modes(compiled, start, found | dict(modes))
    held = [k for k, name in enumerate(compiled.states) if ".held" in name]
    motion = _core.linear.linearise(compiled, start, x)
    x[held] = np.linalg.lstsq(
        motion.by_state[:, held], -motion.rate + _drift(compiled, motion.rate), rcond=None
    )[0]
    return _core.linear.moved_state(compiled, start, time, x)


def _drift(compiled: _core.dynamics.Compiled, rate: Array) -> Array:
    """Rates without those of velocities."""
    n = len(compiled.coordinates)
    drift = rate.copy()
    drift[n : 2 * n] = 0.0
    return drift


def _mode(name: Any, given: str | int) -> int:
    known = {str(mode): int(mode) for mode in Mode}
    if isinstance(given, str):
        if given not in known:
            reject(f"modes[{name!r}]", given, ", ".join(map(repr, known)))
        return known[given]
    return int(Mode(given))


def _of_run(run: Trajectory, time: float | None) -> _core.dynamics.State:
    begin, end = run._raw.t_begin, run._raw.t_end
    if time is None:
        return run.state
    if not begin <= time <= end:
        reject("t", time, f"a time of the run, from {begin:g} to {end:g} s")
    return _core.linear.state_within(run._raw, time)


def _started(
    compiled: _core.dynamics.Compiled, time: float, values: Mapping[str, float]
) -> _core.dynamics.State:
    """The state at the start of a run with these values, with its modes."""
    x = np.array(compiled.start)
    if compiled.completes_start:
        x[: 2 * len(compiled.coordinates)] = np.nan
    for name, value in values.items():
        if name not in compiled.states:
            listed = ", ".join(map(repr, compiled.states))
            raise UnknownNameError(f"unknown state {name!r} in at; known are: {listed}")
        x[compiled.states.index(name)] = finite(f"at[{name!r}]", value)
    state = compiled.initial_state(time, x)
    options = _core.flow.Options(t_end=time + _START * (compiled.time_scale or 1.0))
    return _core.linear.state_within(_core.run.simulate(compiled, state, options), time)
