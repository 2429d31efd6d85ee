"""Fits of whole machines: nonlinear least squares of simulated runs to records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import Array, choice, finite, positive, reject, vector
from stickslip._progress import bar
from stickslip.draw import place
from stickslip.draw import style as _style
from stickslip.ensembles.task import OPTIONS, Task
from stickslip.errors import UnknownNameError
from stickslip.identify._assess import Series, assess
from stickslip.identify._free import read_free
from stickslip.identify._jacobian import Jacobian
from stickslip.identify._present import present_number
from stickslip.identify._problem import NotRun, Problem, Signal
from stickslip.identify._records import APART, columns, increasing, listed, warn
from stickslip.identify._result import Estimate
from stickslip.identify._solve import Solution, minimise
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.plotting import label
from stickslip.run.simulation import simulate
from stickslip.run.trajectory import Trajectory

# Signals without sigma are weighted by their residuals again and again, until these weights change by less than this.
ROUNDS, STEADY = 10, 0.01
# Errors of a run over its tolerance times the spread of a signal: smaller residuals are those of the integration.
ACCUMULATED = 1e3
DEFAULT_RTOL = OPTIONS["rtol"]


@dataclass(frozen=True, eq=False)
class MachineFit(Estimate):
    """Result of `fit`: a machine fitted to records.

    Attributes
    ----------
    machine : Machine or StateSpace
        The machine with the fitted parameters.
    initial : dict of str to float
        Fitted and given initial values, for `simulate`.
    runs : tuple of Trajectory
        Runs of the fitted machine, one for each interval between restarts, sampled at the times of the data.
    data : dict of str to (ndarray, ndarray)
        The records.
    evaluations : int
        Number of runs, with and without derivatives.
    jacobian : {"exact", "differences"}
        Kind of the derivatives at the end, from which `cov` is computed.
    jacobian_reason : str
        Reason for ``"differences"``; empty for ``"exact"``.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"])
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(kinetic=0.7))
    >>> t = np.linspace(0.0, 1.0, 20)
    >>> data = {"slide.position": (t, 2.0 * t - 0.25 * t**2)}
    >>> fit = ss.identify.fit(m, ["guide.normal_load"], data, initial={"slide.velocity": 2.0})
    >>> round(fit.parameters["guide.normal_load"] * 0.7, 9)
    0.5
    """

    machine: Machine | StateSpace | None = None
    initial: dict[str, float] = field(default_factory=dict)
    runs: tuple[Trajectory, ...] = field(default=(), repr=False)
    data: dict[str, tuple[Array, Array]] = field(default_factory=dict, repr=False)
    evaluations: int = 0
    jacobian: str = ""
    jacobian_reason: str = ""

    def predict(
        self, t: ArrayLike, *, initial: Mapping[str, float] | None = None, **options: Any
    ) -> Trajectory:
        """Simulate the fitted machine at given times, or from other initial values.

        Parameters
        ----------
        t : array_like, shape (n,)
            Times of the samples, s, not decreasing. The run starts with the fitted run, or at the first of these times
            if that is earlier.
        initial : mapping of str to float, optional
            Initial values; by default those of the fit.
        **options
            Options of `simulate`.

        Returns
        -------
        Trajectory
            Sampled at `t`: ``fit.predict(t)["slide.position"]``. States at restarts of the fit are not used.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_friction("guide", on="slide", law=ss.Coulomb(kinetic=0.7))
        >>> t = np.linspace(0.0, 1.0, 20)
        >>> data = {"slide.position": (t, 2.0 * t - 0.25 * t**2)}
        >>> fit = ss.identify.fit(m, ["guide.normal_load"], data, initial={"slide.velocity": 2.0})
        >>> fit.predict([2.0, 4.0])["slide.position"].round(6)
        array([3., 4.])
        """
        times = vector("t", np.atleast_1d(np.asarray(t, dtype=float)))
        if times.size == 0:
            reject("t", t, "at least one time")
        assert self.machine is not None
        begin = min(self.runs[0].t[0], times[0]) if self.runs else times[0]
        end = max(float(times[-1]), float(np.nextafter(begin, np.inf)))
        given = self.initial if initial is None else dict(initial)
        return simulate(self.machine, end, t_start=float(begin), initial=given, t_eval=times, **options)

    def plot(self, ax: Any = None, **keywords: Any) -> NDArray[np.object_]:
        """Draw each record with the fitted run, and their difference below.

        Parameters
        ----------
        ax : array_like of Axes, optional
            Where to draw, two axes for each record; by default those of pyplot's current figure where it is empty, or a
            new figure.
        **keywords
            For the lines of the fitted run (`matplotlib.lines.Line2D`), such as ``color``.

        Returns
        -------
        ndarray of Axes, shape (2 * records,)
        """
        count = len(self.data)
        layout: Any = {"sharex": True, "height_ratios": [2.5, 1.0] * count}
        with place.panels(ax, 2 * count, "fit", 60.0 * count, alone=True, **layout) as rows:
            for k, (name, (t, y)) in enumerate(self.data.items()):
                upper, lower = rows[2 * k], rows[2 * k + 1]
                upper.plot(t, y, ".", color=_style.SKY, markersize=2.5, label="measured")
                for i, run in enumerate(self.runs):
                    looks = {"color": _style.VERMILION, "label": None if i else "fitted"}
                    upper.plot(run.t, run[name], **place.line_options(keywords, **looks))
                    here = (t >= run.t[0]) & (t <= run.t[-1])
                    at = np.searchsorted(run.t, t[here])
                    lower.plot(t[here], y[here] - run[name][at], color=_style.BLUE)
                upper.set_ylabel(label(name, self.runs[0]))
                lower.set_ylabel("difference")
                upper.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)
            rows[-1].set_xlabel("time [s]")
            return rows


def fit(
    machine: Machine | StateSpace | Callable[..., Any] | Any,
    free: Sequence[str] | Mapping[str, Any],
    data: Mapping[str, Any],
    *,
    initial: Mapping[str, float] | None = None,
    t_start: float | None = None,
    restart: ArrayLike = (),
    loss: str = "linear",
    step: float | None = None,
    tolerance: float = 1e-12,
    max_evaluations: int = 100,
    progress: bool | None = None,
    **options: Any,
) -> MachineFit:
    """Fit parameters of a machine to records of its signals, in open or closed loop.

    The sum of squared deviations between runs and records is minimised by a trust-region method.

    Parameters
    ----------
    machine : Machine or StateSpace or callable
        The machine, an object with a machine as ``.machine``, or a function that takes the parameters by name and
        returns a machine.
    free : sequence of str, or mapping
        Parameters to fit, by their names in `ensemble` (`Machine.parameters`, and states for initial values). The
        search starts from the values in the machine, or from those of a mapping: name -> start or ``(start, low,
        high)``. A function needs a mapping. The default bounds are the values that the machine allows; a static level
        fitted together with the kinetic level stays at or above it. The level of a law with one level,
        ``Coulomb(0.8)``, has either name.
    data : mapping of str to (t, y) or (t, y, sigma)
        Records by the signal of the run, such as ``{"slide.position": (t, x)}``: increasing times, values, and the
        standard deviation of their errors, one number. Several signals without it are weighted first by their spread,
        then by their residuals.
    initial : mapping of str to float, optional
        Initial values that are known; all others are zero.
    t_start : float, optional
        Start of the runs, s; by default the earliest time of the data.
    restart : array_like, optional
        Times at which positions and velocities start anew as free parameters (multiple shooting): after gaps in the
        record, or where a single long run would drift out of phase. All other states continue.
    loss : {"linear", "soft_l1"}
        Least squares, or robust.
    step : float, optional
        Relative step of central differences. By default runs are differentiated exactly, by ``simulate(...,
        sensitivities=...)``, if derivatives exist for all data and agree with differences at the start, otherwise by
        central differences with a step of 1e-5. Signals that jump at events, such as forces of dry friction, need a
        step of 1e-4 or more.
    tolerance : float, default 1e-12
        The search ends when the relative change of the parameters in a step is below `tolerance`, or that of the sum
        of squares below ``tolerance / 100``.
    max_evaluations : int, default 100
        Budget of trial points.
    progress : bool, optional
        Show a progress bar (tqdm); by default at a terminal and in notebooks, after a second.
    **options
        Options of `simulate`: ``rtol``, ``atol``, ``method``, ``max_step``, ``max_events``, ``max_time``,
        ``rebound_threshold``.

    Returns
    -------
    MachineFit
        ``parameters``, ``stderr``, ``cov``, ``correlation``, ``success``, ``message``, ``machine``, ``summary()``,
        ``predict()``, ``plot()``. Ctrl-C ends the search with the best result so far and ``success`` false.

    Raises
    ------
    ValueError
        Naming the argument; also if the machine cannot be simulated with the start values.
    MissingExtraError
        Without SciPy.

    Warns
    -----
    RuntimeWarning
        For each problem of the fit, by name: parameters without effect, indistinguishable parameters, parameters at a
        bound; a model worse than a constant; correlated residuals. Also for data about 1000 times as large as the
        signals of the machine.

    Notes
    -----
    ``success`` is false where the search has not converged, where a parameter is not determined, and where the
    residuals of a record are larger than the spread of the data about their mean: Σr² > Σ(y − ȳ)²·(1 + 10/n), which
    happens by chance in one of 600 fits of a true model. A parameter at a bound has the standard error NaN. Residuals
    count as correlated where their correlation from one sample to the next exceeds 1/2 and 4/√n (white residuals: 0 ±
    1/√n); standard errors, which assume independent errors, are then too small by √3 and more. Residuals below
    1000·rtol of the spread of the data are integration errors and are not judged.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> run = ss.simulate(m, t_end=12.0, dt=0.1)
    >>> start = {"belt.law.static": 1.1, "belt.law.kinetic": 0.7}
    >>> found = ss.identify.fit(m, start, {"block.position": (run.t, run["block.position"])})
    >>> {name: round(value, 6) for name, value in found.parameters.items()}
    {'belt.law.static': 1.0, 'belt.law.kinetic': 0.8}
    """
    choice("loss", loss, ("linear", "soft_l1"))
    step = None if step is None else positive("step", step)
    positive("tolerance", tolerance)
    source = machine if isinstance(machine, type) else getattr(machine, "machine", machine)
    if isinstance(source, (Machine, StateSpace)):
        source = source._snapshot()
    elif not callable(source):
        reject(
            "machine",
            machine,
            "a Machine or StateSpace, hold one as .machine, or be a function that builds one",
        )
    known = {str(name): finite(f"initial[{name!r}]", value) for name, value in (initial or {}).items()}
    names, start, limits = read_free(free, lambda name: _present(source, name, known))
    signals = _signals(data)
    ends = _restarts(restart, signals)
    if t_start is not None:
        if not finite("t_start", t_start) <= ends[0]:
            reject("t_start", t_start, f"at most the earliest time of the data, {ends[0]:g} s")
        ends[0] = float(t_start)
    task = Task(source, tuple(names), ("steps",), ends[-1], {**options, "t_start": ends[0], "initial": known})
    task.check()
    problem = Problem(task, signals, ends)
    problem.begin(names, start, limits)
    _suspect(problem)
    jacobian = Jacobian(problem, step)
    with bar(max_evaluations, "trial", progress) as shown:
        found, ended = _search(
            problem, jacobian, lambda: shown.update(1), loss == "soft_l1", tolerance, max_evaluations
        )
    return _report(problem, jacobian, found, ended, loss == "soft_l1")


def _present(source: Any, name: str, known: Mapping[str, float]) -> float | None:
    if not isinstance(source, (Machine, StateSpace)):
        return None
    names = [*source.parameters, *source.compile().states]
    if name not in names and name.removesuffix("_scale") not in names:
        raise UnknownNameError(f"unknown parameter {name!r} in free; known are: {listed(map(repr, names))}")
    return present_number(source, name, known)


def _signals(data: Any) -> list[Signal]:
    if not isinstance(data, Mapping) or not data:
        reject("data", data, "a mapping of signals to (t, y) or (t, y, sigma), not empty")
    made = []
    for name, given in data.items():
        if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
            reject(f"data[{name!r}]", given, "(t, y) or (t, y, sigma)")
        t, y = columns(2, **{f"t of {name}": given[0], f"y of {name}": given[1]})
        increasing(f"t of {name}", t)
        sigma = positive(f"sigma of {name}", given[2]) if len(given) == 3 else None
        size = float(np.std(y)) or float(np.abs(y).max()) or 1.0
        made.append(Signal(str(name), t, y, size, sigma))
    given_sigmas = [s.sigma is not None for s in made]
    if any(given_sigmas) and not all(given_sigmas):
        raise ValueError("data has sigma for some signals only: give it for all, or for none")
    return made


def _restarts(restart: ArrayLike, signals: list[Signal]) -> list[float]:
    times = sorted(float(x) for x in np.atleast_1d(np.asarray(restart, dtype=float)).ravel())
    first, last = min(s.t[0] for s in signals), max(s.t[-1] for s in signals)
    for x in times:
        if not first < x < last:
            reject("restart", x, f"within the record, between {first:g} and {last:g} s")
    return [float(first), *times, float(last)]


def _search(
    problem: Problem,
    jacobian: Jacobian,
    trial: Callable[[], object],
    robust: bool,
    tolerance: float,
    budget: int,
) -> tuple[Solution | None, str]:
    """The solution, or None and why not."""

    def residuals(x: Array) -> Array:
        trial()
        return problem.residuals(x)

    def minimised(start: Array) -> Solution:
        free, weights, signals = problem.free, problem.weights, problem.signals
        return minimise(
            residuals, jacobian, start, free.low, free.high, free.sizes,
            size_of_data=max(w * s.size for w, s in zip(weights, signals, strict=True)),
            robust=robust, tolerance=tolerance, max_evaluations=budget,
        )  # fmt: skip

    try:
        found = minimised(problem.free.start)
        for _ in range(ROUNDS if len(problem.signals) > 1 and problem.signals[0].sigma is None else 0):
            off = np.array([np.sqrt(np.mean(d**2)) for d in problem.off(found.x)])
            if any(d <= 1e-7 * s.size for d, s in zip(off, problem.signals, strict=True)):
                break
            change = off * problem.weights
            if change.max() <= (1.0 + STEADY) * change.min() and abs(change[0] - 1.0) <= STEADY:
                break
            problem.weights = (1.0 / off).tolist()
            problem.best = None
            found = minimised(found.x)
    except KeyboardInterrupt:
        return None, "interrupted"
    return found, ""


def _suspect(problem: Problem) -> None:
    """Warn where data are 1000 times as large as what the machine does with the start values, or as small."""
    try:
        first = problem.residuals(problem.free.start)
    except NotRun as error:
        raise ValueError(
            f"machine does not reach the end of the data with the start values: {error}"
        ) from error
    at = 0
    for s, w in zip(problem.signals, problem.weights, strict=True):
        r = first[at : at + s.t.size] / w
        at += s.t.size
        made = float(np.std(r + s.y))
        ratio = s.size / made if made > 0.0 else 1.0
        if ratio > APART or ratio < 1.0 / APART:
            warn(
                f"fit: data of {s.name} vary {ratio:.2g} times as much as the machine's own with the start "
                "values: is one of them in another unit?"
            )


def _report(
    problem: Problem, jacobian: Jacobian, found: Solution | None, ended: str, robust: bool
) -> MachineFit:
    """The result, from a solution or from the best point so far."""
    free, names, signals = problem.free, problem.names, problem.signals
    x = found.x if found is not None else (problem.best or (0.0, free.start))[1]
    values = free.outside(x)
    n = sum(s.t.size for s in signals)
    p = len(names)
    cov = np.full((p, p), np.nan)
    notes = [ended] if ended else []
    sound = False
    if found is not None:
        lost = np.isinf(np.diag(found.cov))
        cov = free.map @ np.where(np.isinf(found.cov), 0.0, found.cov) @ free.map.T
        cov[lost, :] = cov[:, lost] = 0.0
        cov[lost, lost] = np.inf
        if signals[0].sigma is not None and found.scale > 0.0:
            cov[~lost[:, None] & ~lost[None, :]] /= found.scale**2  # sigma is known, not estimated
        for i in found.on_bound:
            # For a static level with a free kinetic one the difference is held.
            if i not in free.over or free.over[i] in found.on_bound:
                cov[i, :] = cov[:, i] = np.nan
        seen = assess(
            found.info,
            names,
            _series(problem, found, robust),
            {names[i]: free.bound(i, found.x) for i in found.on_bound},
        )
        for text in seen.notes:
            warn(f"fit: {text}")
        notes += [*found.unfinished, *seen.notes]
        sound = seen.sound
    machine, initial = problem.settings(values)
    return MachineFit(
        parameters=dict(zip(names, map(float, values), strict=True)),
        stderr=dict(zip(names, np.sqrt(np.diag(cov)).tolist(), strict=True)),
        cov=cov,
        success=found is not None and found.success and sound,
        message="; ".join(notes) or (found.message if found is not None else ""),
        scale=found.scale if found is not None else np.nan,
        freedom=max(1, n - p),
        machine=machine,
        initial=initial,
        runs=tuple(problem.runs(x)),
        data={s.name: (s.t, s.y) for s in signals},
        evaluations=problem.runs_made,
        jacobian="exact" if jacobian.exact else "differences",
        jacobian_reason=jacobian.reason,
    )


def _series(problem: Problem, found: Solution, robust: bool) -> list[Series]:
    """The residuals of each signal in its own unit."""
    rtol = float(problem.task.options.get("rtol", DEFAULT_RTOL))
    ends = np.cumsum([s.t.size for s in problem.signals])[:-1]
    return [
        Series(
            s.name, s.y, r / w, rtol * (ACCUMULATED * s.size + float(np.abs(s.y).max())),
            robust_scale=found.scale / w if robust else None,
        )
        for s, w, r in zip(problem.signals, problem.weights, np.split(found.residuals, ends), strict=True)
    ]  # fmt: skip
