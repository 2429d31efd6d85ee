"""Result of a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._attached import deferred
from stickslip._checks import array
from stickslip._extras import need
from stickslip._html import table
from stickslip.machine._units import units
from stickslip.modes import Mode
from stickslip.run._dense import sample_times, warn_of_missed
from stickslip.run._owners import owner
from stickslip.run._signals import SampledSignals
from stickslip.run.energy import Energy
from stickslip.run.events import Events, Mark, Marks, marked
from stickslip.run.sensitivity import Derivatives, Sensitivity
from stickslip.run.status import Status
from stickslip.run.stuck import Stuck, why_stuck

if TYPE_CHECKING:
    from stickslip.machine.machine import Machine
    from stickslip.machine.state_space import StateSpace

__all__ = ["Status", "Stuck", "Trajectory"]

Array = NDArray[np.float64]

NO_MARKS = Marks()


class Trajectory(SampledSignals):
    """The motion of a machine: samples, events, energy, and a state to continue from.

    ``run["block.position"]`` returns a signal by name: positions, velocities and accelerations of coordinates;
    ``.force`` (opposing the velocity), ``.velocity``, ``.load``, ``.mode`` and ``.limit`` of friction elements. The
    limit is the break-away force of a sticking element, with the sign of its friction force; NaN in slip. Controllers
    have ``.output``, ``.reference``, ``.error`` and ``.mode``, springs and detents ``.force`` (opposing the elongation),
    ``.elongation``, ``.elongation_rate`` and ``.mode``, constraints ``.force`` and ``.impulse``, one-way clutches
    ``.force``, ``.velocity``, ``.mode`` and ``.impulse``. A run is a mapping of these signals: ``for name in run``,
    ``name in run``, ``len(run)``, ``keys()``, ``values()`` and ``items()`` work as for a dictionary.

    Attributes
    ----------
    t : ndarray, shape (n_times,)
        Sample times, s; by default the events and a grid that resolves the motion.
    y : ndarray, shape (n_states, n_times)
        States, named in `states`.
    events : Events
        Every change of mode, with its cause.
    status : Status
        ``"finished"``, ``"stopped"`` (by a `Crossing`), ``"budget"``, ``"no_solution"``, ``"stalled"`` (time cannot
        advance, for example after overflow), ``"failed"`` (a normal load became negative, or another formula of the
        machine became undefined); `message` gives details, `success` is True if finished or stopped.
    state : State
        Complete state at the end: ``simulate(machine, state=run.state, t_end=...)`` continues the run bitwise.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2})
    >>> run.success, run["block.position"].shape == run.t.shape
    (True, True)
    """

    def __init__(
        self,
        machine: Machine | StateSpace,
        raw: _core.run.Trajectory,
        grid: Array | None,
        described: object = None,
        marks: Marks = NO_MARKS,
        derivatives: Derivatives | None = None,
    ) -> None:
        self._machine = machine  # the snapshot that was compiled
        self._described = described
        self._derivatives = derivatives
        self._raw = raw
        self._grid = grid
        self._marks = marks

    @cached_property
    def t(self) -> Array:
        """Sample times, s, shape (n_times,).

        The requested samples or, without `dt` and `t_eval`, the events and a grid on which linear interpolation
        reproduces every signal to a thousandth of its range, or to ten times its numerical noise. Before a jump of a
        signal there is an additional sample. Computed on first access. There are at most 100 000 samples, or as many as
        events; if more were needed, a ``RuntimeWarning`` states the error of interpolation.
        """
        times, missed = self._times
        warn_of_missed(times, missed)
        return times

    @cached_property
    def _times(self) -> tuple[Array, float]:
        """Sample times, and what straight lines through them miss."""
        return sample_times(self) if self._grid is None else (self._grid, 0.0)

    # Saved are the machine and the motion; what has been computed from them is computed again.
    def __getstate__(self) -> dict[str, Any]:
        return {
            "machine": self.machine,
            "described": self._described,
            "t": self._grid,
            "run": self._raw.pack(),
            "marks": tuple(self._marks),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._machine, self._described, self._grid = state["machine"], state["described"], state["t"]
        asked, found, stopped = state["marks"]
        self._marks = Marks(tuple(asked), tuple(Mark(*mark) for mark in found), stopped)
        self._derivatives = None
        self._raw = _core.run.Trajectory.unpack(self._machine.compile(), state["run"])
        if self._grid is not None:  # an error if times are outside the run
            self._samples = _core.run.Samples(self._raw, self._grid)

    def __copy__(self) -> Trajectory:
        return self._sampled(self._grid)

    def _sampled(self, grid: Array | None) -> Trajectory:
        """The same run at other times."""
        return Trajectory(self.machine, self._raw, grid, self._described, self._marks, self._derivatives)

    def __repr__(self) -> str:
        return (
            f"Trajectory({self._raw.t_begin:g} s to {self._raw.t_end:g} s, {len(self._times[0])} samples, "
            f"{len(self.events)} events, {self.status})"
        )

    def _repr_html_(self) -> str:
        ends = self.at([self._raw.t_begin, self._raw.t_end]) if self._raw.keeps_segments else self
        rows = []
        for name in self.signals:
            values = ends[name]
            rows.append((name, self.units.get(name, ""), f"{values[0]:.6g}", f"{values[-1]:.6g}"))
        return table(repr(self), ("signal", "unit", "start", "end"), rows)

    @property
    def machine(self) -> Machine | StateSpace:
        """The machine at the start of the run, without elements that were added later."""
        return self._machine._snapshot()

    @cached_property
    def units(self) -> Mapping[str, str]:
        """Unit of each signal; empty for pure numbers and unknown units."""
        own: Mapping[str, str] = getattr(self._described, "units", {})
        return units(self.machine) | dict(own)

    @property
    def model(self) -> object:
        """The object passed to `simulate`: the machine, or an object with a machine, such as a wedge gear."""
        return self.machine if self._described is None else self._described

    @property
    def status(self) -> Status:
        """Status of the run."""
        return Status.STOPPED if self._marks.stopped else Status(self._raw.status)

    @property
    def message(self) -> str:
        """Status of the run in words."""
        return self._marks.stopped or self._raw.message

    @property
    def success(self) -> bool:
        """True if the run reached its end, or a terminal `Crossing`."""
        return self.status in (Status.FINISHED, Status.STOPPED)

    @property
    def state(self) -> _core.dynamics.State:
        """Complete state at the end of the run, for `simulate`."""
        return self._raw.state

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Names of the rows of `y`."""
        return tuple(self._raw.compiled.states)

    @cached_property
    def method(self) -> dict[str, str]:
        """Method of integration for each combination of modes: ``"exact"``, ``"explicit"``, ``"stiff"`` or ``"time
        stepping"``.

        ``"slow subspace"`` is exact as well, for stiff linear regimes after their fast modes have decayed.
        """
        compiled = self._raw.compiled
        out: dict[str, str] = {}
        for modes, contacts, kind in self._raw.regimes:
            places = zip(compiled.friction, modes, strict=True)
            parts = [f"{name} {Mode(m)}" for name, m in places if owner(name) == name]
            parts += [
                f"{name} {Mode(m)}"
                for (name, element), m in zip(compiled.contacts, contacts, strict=True)
                if element < 0 and owner(name) == name
            ]
            key = ", ".join(parts) or "linear"
            out[key] = f"{out[key]}, {kind}" if key in out and kind not in out[key] else kind
        return out

    @cached_property
    def events(self) -> Events:
        """All changes of mode and all requested crossings."""
        return marked(self._logged, self._marks)

    @cached_property
    def _logged(self) -> Events:
        """All changes of mode."""
        compiled = self._raw.compiled
        controllers = (name for name, *_ in compiled.controllers)
        contacts = (name for name, _ in compiled.contacts)
        elements = [owner(name) for name in (*compiled.friction, *contacts, *controllers, *compiled.springs)]
        rows, causes, rules = self._raw.events
        return Events._from_table(rows, elements, causes, rules, self._derivatives)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """Derivatives with respect to the parameters in ``simulate(..., sensitivities=[...])``.

        Raises
        ------
        ValueError
            If the run was made without `sensitivities`, or was loaded or unpickled, as derivatives are not saved.
        """
        if self._derivatives is None:
            raise ValueError(
                "this run has no derivatives: request them by simulate(..., sensitivities=[...])"
            )
        return Sensitivity(self, self._derivatives.raw)

    @property
    def y(self) -> Array:
        """States, shape (n_states, n_times)."""
        return self._samples.states

    def sol(self, t: ArrayLike) -> Array:
        """Return the states at any times within the run, from its dense form, as SciPy's ``sol.sol``.

        Parameters
        ----------
        t : float or array_like, shape (n,)
            Times, s, in any order.

        Returns
        -------
        ndarray, shape (n_states,) or (n_states, n)
            States in the order of `states`; at an event, the states after it.

        Raises
        ------
        ValueError
            If a time is outside the run.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 2.0})
        >>> ss.simulate(m, t_end=1.0).sol([1.0, 0.5])
        array([[1.  , 0.25],
               [2.  , 1.  ]])
        """
        times = array("t", t, all_finite=False)
        flat, back = np.unique(times.ravel(), return_inverse=True)
        values = self.at(flat).y[:, back.ravel()] if flat.size else np.zeros((len(self.states), 0))
        states: Array = values.reshape(len(self.states), *times.shape)
        return states

    def at(self, t: ArrayLike) -> Trajectory:
        """Return the run resampled at other times, from its dense form, without a new simulation.

        Parameters
        ----------
        t : array_like
            Times within the run, s, not decreasing.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        times = np.array(t, dtype=float, ndmin=1)
        if times.ndim != 1 or not np.all(np.diff(times) >= 0):
            raise ValueError("t must be a sequence of finite times that do not decrease")
        if times.size == 0:
            raise ValueError("t is empty: it must hold at least one time")
        begin, end = self._raw.t_begin, self._raw.t_end
        if not (times[0] >= begin and times[-1] <= end):
            asked = f"{times[0]}" if times.size == 1 else f"from {times[0]} to {times[-1]}"
            raise ValueError(f"t = {asked} is not allowed: it must lie within the run, {begin} to {end}")
        return self._sampled(times)

    def why_stuck(self, element: str, t: float | None = None) -> Stuck:
        """Return force, limits and margin of a sticking friction element.

        Parameters
        ----------
        element : str
            Name of the friction element.
        t : float, optional
            Time within the run, s; its end by default.

        Returns
        -------
        Stuck
            Friction force, limits, margin, start of stick, and True if it sticks permanently.

        Raises
        ------
        KeyError
            If there is no such element.
        ValueError
            If `t` is outside the run, or the element slides at `t` or has no friction.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 0.6})
        >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
        >>> ss.simulate(m, t_end=1.0).why_stuck("guide")
        'guide' holds 0.6 N within [-1, 1] N at t = 1 s: margin 0.4 N, stuck since t = 0 s, permanently
        """
        return why_stuck(self, element, t)

    @cached_property
    def energy(self) -> Energy:
        """Energy balance at the sample times: see `Energy`."""
        return Energy(self.machine, self._times[0], self._raw)

    def to_xarray(self) -> Any:
        """Return all signals as an xarray Dataset over time, with units (needs the extra ``data``)."""
        xr = need("xarray", "xarray", "to_xarray() needs", "data")
        data = {
            name: ("time", np.asarray(self[name]), {"units": unit} if (unit := self.units.get(name)) else {})
            for name in self.signals
        }
        return xr.Dataset(data, coords={"time": ("time", self.t, {"units": "s"})})

    def to_dataframe(self) -> Any:
        """Return all signals as columns of a pandas DataFrame, one row per sample (needs the extra ``data``).

        Returns
        -------
        pandas.DataFrame
            Its index ``"time"`` holds the sample times, s; a time requested twice has two rows.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 2.0})
        >>> table = ss.simulate(m, t_end=1.0, dt=0.5).to_dataframe()
        >>> float(table.loc[1.0, "slide.position"])
        1.0
        """
        pd = need("pandas", "pandas", "to_dataframe() needs", "data")
        return pd.DataFrame(dict(self.items()), index=pd.Index(self.t, name="time"))

    @deferred
    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write all signals to a CSV file: one column per signal, names in the first line.

        Parameters
        ----------
        path : path
            The file; an existing file is replaced. Numbers are written with full precision, so that they are restored
            bitwise.

        Examples
        --------
        >>> import pathlib, tempfile, stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 2.0})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder) / "run.csv"
        ...     ss.simulate(m, t_end=1.0, dt=0.5).to_csv(file)
        ...     print(file.read_text())
        time,slide.position,slide.velocity,slide.acceleration
        0.0,0.0,0.0,2.0
        0.5,0.25,1.0,2.0
        1.0,1.0,2.0,2.0
        <BLANKLINE>
        """
        raise NotImplementedError

    @deferred
    def to_mat(self, path: str | PathLike[str]) -> None:
        """Write all signals to a MATLAB file (version 5; needs SciPy, extra ``identify``).

        ``s = load("run.mat")`` has the column ``s.time``, and a struct for each element and coordinate with columns
        such as ``s.slide.position``. Characters that MATLAB does not allow in a name become ``_``.

        Parameters
        ----------
        path : path
            The file; an existing file is replaced.

        Raises
        ------
        ValueError
            If two signals would have one name.

        Examples
        --------
        >>> import pathlib, tempfile, scipy.io, stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 2.0})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder) / "run.mat"
        ...     ss.simulate(m, t_end=1.0, dt=0.5).to_mat(file)
        ...     read = scipy.io.loadmat(file, simplify_cells=True)
        >>> read["slide"]["position"]
        array([0.  , 0.25, 1.  ])
        """
        raise NotImplementedError

    @deferred
    def save(self, path: str | PathLike[str]) -> None:
        """Write the run with its machine to a file; `load` restores it bitwise.

        It is an ``.npz`` archive without pickles: arrays, and the description as JSON. For other programs use `to_csv` or
        `to_mat`. If the run is of an object that holds a machine, such as a wedge gear, only the machine is saved.

        Parameters
        ----------
        path : path
            The file, with any name; an existing file is replaced.

        Raises
        ------
        ValueError
            If the machine holds a Python function, naming the element that calls it.

        Examples
        --------
        >>> import pathlib, tempfile, stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Ramp(slope=0.2)})
        >>> run = ss.simulate(m, t_end=10.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run.save(pathlib.Path(folder) / "run.npz")
        ...     again = ss.load(pathlib.Path(folder) / "run.npz")
        >>> again.state == run.state
        True
        """
        raise NotImplementedError

    @deferred
    def plot(self, *names: str, ax: Any = None, shade: str | bool = True, **keywords: Any) -> Any:
        """Draw signals over time with modes shaded (needs the extra ``figures``).

        Parameters
        ----------
        *names : str
            Signals; by default the positions and the friction forces.
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture. A
            second run with the same units joins the first in the same axes.
        shade : str or bool
            Element whose modes are shaded; True: the element of the signals, else the first; False: none.
        **keywords
            ``label``, one text for each signal, and keywords of the lines such as ``color`` or ``linewidth``: see
            `stickslip.plotting.plot`.

        Returns
        -------
        matplotlib Axes
        """
        raise NotImplementedError

    @deferred
    def animate(
        self,
        file: str | Path | None = None,
        *,
        frames: int = 120,
        rate: float = 20.0,
        progress: bool | None = None,
    ) -> Any:
        """Animate the motion (needs the extra ``figures``): see `stickslip.animation`.

        Parameters
        ----------
        file : str or Path, optional
            File to write, ``*.mp4``, ``*.gif`` or ``*.html``; by default the animation plays in a notebook as the
            result of its cell, elsewhere with ``plt.show()``.
        frames : int
            Number of pictures, evenly spaced in time between the first and the last sample.
        rate : float
            Pictures per second.
        progress : bool, optional
            Show a progress bar while writing; by default at a terminal and in notebooks.

        Returns
        -------
        matplotlib.animation.FuncAnimation
        """
        raise NotImplementedError
