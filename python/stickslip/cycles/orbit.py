"""Periodic orbit of a machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core, plotting
from stickslip.errors import unknown_signal
from stickslip.run._dense import both_sides, refined
from stickslip.run.energy import Energy
from stickslip.run.events import Events
from stickslip.run.trajectory import Trajectory

__all__ = ["Orbit"]

Array = NDArray[np.float64]

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(16)  # of each step of the run
_FINE, _MOST = 5e-5, 100_000  # of the range of a signal; looks


@dataclass(frozen=True, eq=False)
class Orbit:
    """A periodic motion and its stability.

    Attributes
    ----------
    period : float
        Period, s.
    state : State
        State on the orbit, at the end of `run`: ``simulate(machine, state=orbit.state, t_end=...)`` continues on it.
    multipliers : ndarray of complex, shape (n_components,)
        Floquet multipliers, the eigenvalues of the derivatives of the state after one period with respect to the state,
        sampled controllers included. The first is the trivial multiplier 1 of an autonomous machine, followed by one
        for each free displacement (see `advance`); the others follow with decreasing modulus. Zeros are exact: see `zeros`.
    zeros : int
        Number of multipliers that are exactly zero, or smaller than the numerical noise of the derivatives. Each
        independent relative velocity that becomes zero in stick adds one, since all neighbouring motions continue on
        the same surface. Resets of internal states and of held controller outputs add further ones.
    sticking : tuple of str
        Friction elements, also those of contacts, that stick for some part of the period.
    stable : bool
        True if all multipliers except the trivial one lie inside the unit circle, at a distance above the noise of the
        derivatives (1e-9 in linear regimes, 1e-6 if the motion is integrated).
    residual : float
        Greatest difference of the states after one period, relative to the range of each state.
    forcing : int or None
        Number of periods of the excitation (of signals and sampled controllers together) in one period of the orbit;
        None for an autonomous machine.
    reason : str
        Reason if derivatives of the state do not exist, for example because the orbit grazes a stop; the multipliers
        are then NaN. Empty otherwise.
    advance : dict of str to float
        Change per period of the states that do not return, such as positions behind a drive that moves steadily; all
        motions are periodic in a frame that moves with them. Empty for other machines.
    run : Trajectory
        The motion over one period.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
    >>> orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, t_end=30.0))
    >>> orbit
    Orbit(period 6.5337 s, stable, multipliers 1, 0; 'belt' sticks)
    """

    period: float
    state: _core.dynamics.State
    multipliers: NDArray[np.complex128]
    zeros: int
    sticking: tuple[str, ...]
    stable: bool
    residual: float
    forcing: int | None
    reason: str
    advance: dict[str, float]
    run: Trajectory = field(repr=False)

    @property
    def events(self) -> Events:
        """Events of one period."""
        return self.run.events

    @cached_property
    def energy(self) -> Energy:
        """Energy balance of one period: the last entry of each term is its work per period, J."""
        raw = self.run._raw
        return self.run.at([raw.t_begin, raw.t_end]).energy

    def mean(self, signal: str) -> float:
        """Return the mean of a signal over one period.

        Parameters
        ----------
        signal : str
            Name of a signal of the run.

        Raises
        ------
        KeyError
            If there is no such signal.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
        >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
        >>> orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, t_end=30.0))
        >>> abs(orbit.mean("block.velocity")) < 1e-12
        True
        """
        self._known(signal)
        raw = self.run._raw
        ends = np.unique(np.concatenate([[raw.t_begin, raw.t_end], raw.step_times(), raw.events[0]["time"]]))
        ends = ends[(ends >= raw.t_begin) & (ends <= raw.t_end)]
        middle, half = 0.5 * (ends[1:] + ends[:-1]), 0.5 * np.diff(ends)
        values = self.run.at((middle[:, None] + half[:, None] * _POINTS).ravel())[signal]
        total = half @ (values.reshape(-1, _POINTS.size) @ _WEIGHTS)
        return float(total / (raw.t_end - raw.t_begin))

    def amplitude(self, signal: str) -> float:
        """Return half the difference between the greatest and the least value of a signal in one period.

        Parameters
        ----------
        signal : str
            Name of a signal of the run.

        Raises
        ------
        KeyError
            If there is no such signal.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
        >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
        >>> orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, t_end=30.0))
        >>> round(orbit.amplitude("block.position"), 12)     # of the slip about 0.6: sqrt(0.4² + 0.5²)
        0.640312423743
        """
        self._known(signal)
        raw = self.run._raw
        points = both_sides(self.run, raw.t_begin, raw.t_end)

        def read(t: Array) -> Array:
            order = np.argsort(t, kind="stable")
            values = np.empty(t.size)
            values[order] = self.run.at(t[order])[signal]
            return values

        t = refined(lambda at: read(at)[None], points, _FINE, points.size + _MOST, 1e-9 * self.period)
        values = read(t)
        return 0.5 * (_greatest(read, t, values, 1.0) - _greatest(read, t, values, -1.0))

    def plot(self, coordinate: str | None = None, *, ax: Any = None, **keywords: Any) -> Any:
        """Draw the orbit in the phase plane of a coordinate; thick and grey in stick (needs the extra ``figures``).

        Parameters
        ----------
        coordinate : str, optional
            Name of the coordinate; by default the first one.
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes.
        **keywords
            For the curve, such as ``color`` or ``label``.

        Returns
        -------
        matplotlib Axes
        """
        name = self.run._raw.compiled.coordinates[0] if coordinate is None else coordinate
        return plotting.phase_plane(self.run, name, ax=ax, **keywords)

    def _known(self, signal: str) -> None:
        if signal not in self.run:
            raise unknown_signal(signal, self.run.signals)

    def __repr__(self) -> str:
        sticks = f"; {', '.join(map(repr, self.sticking))} sticks" if self.sticking else ""
        if self.reason:
            return f"Orbit(period {self.period:g} s, stability unknown: {self.reason}{sticks})"
        shown = ", ".join(_shown(one) for one in self.multipliers)
        stable = "stable" if self.stable else "unstable"
        return f"Orbit(period {self.period:g} s, {stable}, multipliers {shown}{sticks})"


def _shown(multiplier: complex) -> str:
    if multiplier.imag == 0.0:
        return f"{multiplier.real:.6g}"
    return f"{multiplier.real:.6g}{multiplier.imag:+.6g}j"


def _greatest(read: Any, t: Array, values: Array, sign: float) -> float:
    """Greatest value of sign times a signal, by golden sections around the greatest samples."""
    y = sign * values
    near = y.max() - 10.0 * _FINE * float(np.ptp(y))
    k = 1 + np.flatnonzero((y[1:-1] >= y[:-2]) & (y[1:-1] >= y[2:]) & (y[1:-1] >= near))
    if not k.size:
        return float(sign * y.max())
    a, b = t[k - 1].copy(), t[k + 1].copy()
    share = 0.5 * (3.0 - np.sqrt(5.0))
    most = y.max()
    for _ in range(60):
        c, d = a + share * (b - a), b - share * (b - a)
        left, right = sign * read(c), sign * read(d)
        most = max(most, left.max(), right.max())
        a, b = np.where(left >= right, a, c), np.where(left >= right, d, b)
    return float(sign * most)
