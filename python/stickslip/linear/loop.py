"""Loops opened at the output of a controller: response, margins, sensitivity, bandwidth."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import reject
from stickslip.errors import UnknownNameError
from stickslip.linear import margins as _margins
from stickslip.linear.bench import Bench, Probe
from stickslip.linear.machine import output_names
from stickslip.linear.margins import Margins, Peak
from stickslip.linear.operating_point import operating_point
from stickslip.linear.poles import Poles
from stickslip.linear.response import FrequencyResponse
from stickslip.linear.sampling import PeriodMap, common_period, period_map, sampling_periods
from stickslip.linear.system import LinearSystem, from_object, one_by_one

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["OpenLoop", "open_loop"]

Array = NDArray[np.float64]


class OpenLoop:
    """Loop transfer function L of a loop opened at one place; closed-loop poles satisfy 1 + L = 0.

    Parameters
    ----------
    system : LinearSystem, or object with A, B, C, D (and dt), or (A, B, C, D)
        L, with one input and one output; `open_loop` takes it from a machine.

    Attributes
    ----------
    system : LinearSystem
        L as a linear system, with `period` if it is sampled.

    Raises
    ------
    ValueError
        If it has several inputs or outputs.

    Examples
    --------
    >>> import stickslip as ss
    >>> loop = ss.OpenLoop(([[0.0, 1.0], [0.0, -1.0]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]]))   # 1/(s (s + 1))
    >>> round(loop.margins().pm, 3), round(loop.margins().wcp, 4)
    (51.827, 0.7862)
    """

    system: LinearSystem

    def __init__(self, system: Any) -> None:
        given = from_object("system", system)
        self.system = one_by_one("system", given).proper()

    @property
    def period(self) -> float | None:
        """Sampling period, s; None in continuous time."""
        return self.system.period

    def __call__(self, omega: ArrayLike) -> NDArray[np.complex128]:
        """L at angular frequencies, rad/s, in their shape."""
        frequencies = np.asarray(omega, dtype=np.float64)
        values: NDArray[np.complex128] = self.system.at(frequencies.ravel())[0, 0]
        return values.reshape(frequencies.shape)

    def bode(
        self, omega: ArrayLike | None = None, *, ax: Any = None, Hz: bool = False, **keywords: Any
    ) -> FrequencyResponse:
        """Return the frequency response of the open loop, and draw its Bode diagram into `ax` if given.

        Parameters
        ----------
        omega, ax, Hz, **keywords
            As in `LinearSystem.bode`.

        Returns
        -------
        FrequencyResponse
            Its ``plot()`` draws the Bode diagram into the current figure.
        """
        return self.system.bode(omega, ax=ax, Hz=Hz, **keywords)

    def nyquist(self, omega: ArrayLike | None = None, ax: Axes | None = None, **keywords: Any) -> Axes:
        """Draw the Nyquist curve of L with the point -1 (needs the extra ``figures``).

        Parameters
        ----------
        omega : array_like, shape (n,), optional
            Angular frequencies, rad/s; by default a grid over all poles and zeros.
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
        **keywords
            For the curve (`matplotlib.lines.Line2D`), such as ``color`` or ``label``.

        Returns
        -------
        matplotlib Axes
        """
        return self.system.response(omega).plot_nyquist(ax, **keywords)

    @cached_property
    def _margins(self) -> Margins:
        return _margins.margins(self.system)

    def margins(self) -> Margins:
        """Return gain and phase margin and their frequencies: (gm, pm, wcg, wcp), a factor, degrees and rad/s.

        Returns
        -------
        Margins
        """
        return self._margins

    @cached_property
    def sensitivity_peak(self) -> Peak:
        """Greatest magnitude of 1/(1 + L) and its frequency; its inverse is the distance of L from -1."""
        return _margins.peak(self.sensitivity)

    @cached_property
    def bandwidth(self) -> float:
        """Angular frequency at which the gain of the closed loop L/(1 + L) is 3 dB below its gain at 0, rad/s."""
        return _margins.bandwidth(self.closed)

    @cached_property
    def closed(self) -> LinearSystem:
        """Closed loop L/(1 + L) as a linear system."""
        return self._fed_back(1.0, 0.0)

    @cached_property
    def sensitivity(self) -> LinearSystem:
        """Sensitivity function 1/(1 + L) as a linear system."""
        return self._fed_back(-1.0, 1.0)

    def _fed_back(self, sign: float, direct: float) -> LinearSystem:
        s = self.system
        d = float(s.D[0, 0])
        if d == -1.0:
            reject("system.D", d, "a number that is not -1: the loop has no solution")
        g = 1.0 / (1.0 + d)
        return LinearSystem(
            s.A - s.B @ s.C * g, s.B * g, sign * s.C * g, np.array([[direct + sign * d * g]]),
            s.inputs, s.outputs, s.period, states=s.states,
        )  # fmt: skip

    def poles(self) -> Poles:
        """Poles of the open loop."""
        return Poles(self.system.poles(), self.period)

    def closed_poles(self) -> Poles:
        """Poles of the closed loop."""
        return Poles(self.closed.poles(), self.period)

    def to_control(self) -> Any:
        """Return L as ``control.StateSpace`` (needs the extra ``control``).

        Raises
        ------
        MissingExtraError
            If python-control is not installed.
        """
        return self.system.to_control()

    def __repr__(self) -> str:
        m = self.margins()
        kind = "continuous" if self.period is None else f"sampled every {self.period:g} s"
        at = f" at {self.system.inputs[0]}" if self.system.inputs else ""
        return (
            f"OpenLoop({kind}{at}: gm {m.gm:.4g} at {m.wcg:.4g} rad/s, pm {m.pm:.4g}° at {m.wcp:.4g} rad/s)"
        )


def open_loop(
    machine: Any,
    at: str,
    *,
    about: Any = "frictionless",
    t: float | None = None,
    modes: Mapping[str, str | int] | None = None,
) -> OpenLoop:
    """Return the loop transfer function of a machine at the output of a controller.

    All other loops stay closed.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    at : str
        Output at which the loop is opened: ``"<controller>.output"``. An input v replaces it in the plant or in other
        controllers; L is minus the output of the controller divided by v.
    about : str, State, Trajectory or mapping, default "frictionless"
        The operating point, as `at` of `Machine.linearise`; by default friction and contacts are left out.
    t, modes
        As in `Machine.linearise`.

    Returns
    -------
    OpenLoop
        Loop transfer function; for a sampled output in discrete time, with hold, delay and difference quotients.

    Raises
    ------
    UnknownNameError
        If there is no such output.
    ValueError
        If the machine is not linear; if `at` is continuous while other controllers are sampled, or does not have the
        slowest of several sampling rates: such a loop is not time-invariant.

    Notes
    -----
    In a cascade the outer loops act through the same output and are part of L. For the margins of the velocity loop alone
    leave the position controller out of the machine, or set its gain to zero.

    Springs with backlash have the stiffness of their segment at `about`; at the default this is the one at zero
    elongation, within the backlash. A run as `about` takes the segment at its end; a `Drive` has ``drive.engaged``.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=2.0, names=["slide"])
    >>> m.add_controller(ss.PI(kp=200.0, tn=0.05, period=1e-3), "speed", measure="slide.velocity", to="slide")
    'speed'
    >>> loop = ss.open_loop(m, at="speed.output")
    >>> round(loop.margins().pm, 2), round(loop.margins().gm, 2)
    (76.17, 19.8)
    """
    machine = getattr(machine, "machine", machine)
    bench = Bench.of(machine, operating_point(machine, about, t, modes))
    known = [name for element in bench.controllers for name in output_names(element)]
    if at not in known:
        listed = (
            f"; known are: {', '.join(map(repr, known))}" if known else ": the machine has no controllers"
        )
        raise UnknownNameError(f"unknown output at = {at!r}{listed}")
    owner = bench.controller(at.rpartition(".output")[0])
    if sampling_periods(bench):
        m = _sampled(bench, owner, at)
        return OpenLoop(
            LinearSystem(m.Phi, m.Gamma[0], -m.C, -m.D[0], (at,), (at,), m.period, states=m.states)
        )
    bench.replace_output(owner["name"], at)
    bench.look_at(Probe({at: 1.0}))
    a = bench.answer()
    rates = tuple((a.B[k], -a.D[k]) for k in (1, 2))
    return OpenLoop(LinearSystem(a.A, a.B[0], -a.C, -a.D[0], (at,), (at,), None, rates, a.states))


def _sampled(bench: Bench, owner: dict[str, Any], at: str) -> PeriodMap:
    periods = sampling_periods(bench)
    listed = ", ".join(f"'{name}.output' ({t:g} s)" for name, t in periods.items())
    period = periods.get(owner["name"])
    if period is None:
        reject("at", at, f"a sampled output, since the machine samples: {listed}")
    if common_period(periods)[0] > period * (1.0 + 1e-12):
        reject(
            "at", at, f"the output of the slowest controller, of whose period all others are parts: {listed}"
        )
    return period_map(bench, [], at)
