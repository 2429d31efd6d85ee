"""Mass and friction by linear regression of the inverse dynamics, as in robotics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import Array, positive, reject
from stickslip.draw import place
from stickslip.draw import style as _style
from stickslip.identify._assess import Series, assess
from stickslip.identify._need import scipy
from stickslip.identify._records import columns, in_motion, listed, mixed_sizes, uniform, warn
from stickslip.identify._result import Estimate
from stickslip.identify._solve import EXACT, information

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Column = Callable[[Array, Array, Array], ArrayLike]

# Regressor of each parameter: a function of position, velocity and acceleration.
TERMS: dict[str, Column] = {
    "mass": lambda q, v, a: a,
    "viscous": lambda q, v, a: v,
    "viscous+": lambda q, v, a: np.maximum(v, 0.0),
    "viscous-": lambda q, v, a: np.minimum(v, 0.0),
    "kinetic": lambda q, v, a: np.sign(v),
    "kinetic+": lambda q, v, a: (v > 0.0).astype(float),
    "kinetic-": lambda q, v, a: -(v < 0.0).astype(float),
    "offset": lambda q, v, a: np.ones_like(v),
    "gravity_sin": lambda q, v, a: np.sin(q),
    "gravity_cos": lambda q, v, a: np.cos(q),
    "stiffness": lambda q, v, a: q,
}


@dataclass(frozen=True, eq=False)
class Regression(Estimate):
    """Result of `inverse_dynamics`.

    Attributes
    ----------
    condition : float
        Condition number of the regressors, columns scaled to equal length; infinite if columns are collinear.
    relative_error : float
        Norm of the residuals over the norm of the (filtered, decimated) force.
    t, force, predicted : ndarray
        Rows of the regression: time, s, filtered force and predicted force, N.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.arange(0.0, 4.0, 1e-3)
    >>> w = 2 * np.pi
    >>> q, v, a = np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)
    >>> fit = ss.identify.inverse_dynamics(t, q, 2.0 * a + 3.0 * v, ["mass", "viscous"], cutoff=100.0)
    >>> fit.relative_error < 1e-4
    True
    """

    condition: float = np.nan
    relative_error: float = np.nan
    t: Array = field(default_factory=lambda: np.empty(0), repr=False)
    force: Array = field(default_factory=lambda: np.empty(0), repr=False)
    predicted: Array = field(default_factory=lambda: np.empty(0), repr=False)

    def predict(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        terms: Mapping[str, Column] | None = None,
    ) -> Array:
        """Return the applied force for a given motion.

        Parameters
        ----------
        position, velocity, acceleration : array_like, shape (n,)
            The motion: m, m/s, m/s², or in rad.
        terms : mapping of names to functions, optional
            The functions passed to `inverse_dynamics`, if any.

        Returns
        -------
        ndarray, shape (n,)
            N (Nm).

        Raises
        ------
        ValueError
            If a parameter belongs to a function that is not given.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> t = np.arange(0.0, 4.0, 1e-3)
        >>> w = 2 * np.pi
        >>> q, v, a = np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)
        >>> fit = ss.identify.inverse_dynamics(t, q, 2.0 * a + 3.0 * v, ["mass", "viscous"], cutoff=100.0)
        >>> fit.predict([0.0], [1.0], [5.0]).round(2)
        array([13.])
        """
        motion = [np.asarray(part, dtype=float) for part in (position, velocity, acceleration)]
        known = {**TERMS, **(terms or {})}
        if missing := [name for name in self.parameters if name not in known]:
            raise ValueError(f"terms lacks the functions of {listed(map(repr, missing))}")
        total = np.zeros(np.broadcast_shapes(*(part.shape for part in motion)))
        for name, value in self.parameters.items():
            total = total + value * np.asarray(known[name](*motion), dtype=float)
        return total

    def plot(self, ax: Axes | None = None, **keywords: Any) -> Axes:
        """Draw force, prediction and their difference over time.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
        **keywords
            For the three lines (`matplotlib.lines.Line2D`), such as ``color``.

        Returns
        -------
        Axes
        """
        with place.axes(ax, "force and prediction", 80.0) as axes:
            for values, looks in (
                (self.force, {"color": _style.BLACK, "linewidth": 0.9, "label": "measured, filtered"}),
                (
                    self.predicted,
                    {"color": _style.VERMILION, "linewidth": 0.9, "linestyle": "--", "label": "predicted"},
                ),
                (
                    self.force - self.predicted,
                    {"color": _style.BLUE, "linewidth": 0.6, "label": "difference"},
                ),
            ):
                axes.plot(self.t, values, **place.line_options(keywords, **looks))
            axes.set(xlabel="time [s]", ylabel="force [N]")
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
        return axes


def inverse_dynamics(
    t: ArrayLike,
    position: ArrayLike,
    force: ArrayLike,
    terms: Sequence[str] | Mapping[str, Column] = ("mass", "viscous", "kinetic", "offset"),
    *,
    cutoff: float,
    order: int = 4,
    decimation: int = 10,
    trim: int = 50,
) -> Regression:
    """Fit ``mass·a + viscous·v + kinetic·sgn v + offset = force`` to a record of position and applied force.

    The position is filtered by a Butterworth filter forwards and backwards, which leaves no lag, and differentiated by
    central differences. Regressors and force are decimated with the same zero-phase low-pass filter, and least squares
    is applied.

    Parameters
    ----------
    t : array_like, shape (n,)
        Times, s, evenly spaced.
    position : array_like, shape (n,)
        m, or rad.
    force : array_like, shape (n,)
        Applied force of the drive, N (Nm), not friction.
    terms : sequence of str, or mapping of names to functions
        Terms to fit: ``"mass"``, ``"viscous"``, ``"kinetic"`` (times sgn v), ``"offset"`` (a constant force or gravity
        of a slide), for each direction alone ``"viscous+"``, ``"viscous-"``, ``"kinetic+"``, ``"kinetic-"``, and
        ``"gravity_sin"``, ``"gravity_cos"``, ``"stiffness"``. A mapping adds functions ``f(q, v, a)`` of arrays.
    cutoff : float
        Cut-off frequency of the filter, Hz, > 0 and below half the sampling rate; choose it above the frequencies of
        the motion.
    order : int, default 4
        Order of the Butterworth filter; two passes double it.
    decimation : int, default 10
        One sample in `decimation` is kept; 1 keeps all.
    trim : int, default 50
        Samples cut off at each end against transients of the filters.

    Returns
    -------
    Regression
        ``stderr`` assumes independent errors of equal variance. Filtered errors are not independent, so use it to
        compare records, not as a confidence statement.

    Raises
    ------
    ValueError
        Naming the argument: times that do not increase evenly, too few points, a position that does not move.
    MissingExtraError
        Without SciPy.

    Warns
    -----
    RuntimeWarning
        For unidentifiable parameters, by name: an offset and two kinetic levels are collinear, as only ``offset +
        kinetic+`` forwards and ``offset − kinetic-`` backwards act. Such parameters have infinite `stderr` and
        minimum-norm values.

    Notes
    -----
    Source of the method: Gautier 1997; Janot, Vandanjon and Gautier 2014.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.arange(0.0, 4.0, 1e-3)
    >>> w = 2 * np.pi
    >>> q, v, a = np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)
    >>> force = 2.0 * a + 3.0 * v + 0.5 * np.sign(v) + 0.1
    >>> fit = ss.identify.inverse_dynamics(t, q, force, cutoff=100.0)
    >>> {name: round(value, 2) for name, value in fit.parameters.items()}
    {'mass': 2.0, 'viscous': 3.0, 'kinetic': 0.5, 'offset': 0.1}
    """
    known = _terms(terms)
    times, q, f = columns(4 * (len(known) + 1), t=t, position=position, force=force)
    step = uniform("t", times)
    frequency = positive("cutoff", cutoff)
    if frequency >= 0.5 / step:
        reject("cutoff", cutoff, f"below half the sampling rate, {0.5 / step:g} Hz")
    for name, value, least in (("order", order, 1), ("decimation", decimation, 1), ("trim", trim, 0)):
        if not isinstance(value, (int, np.integer)) or value < least:
            reject(name, value, f"an integer >= {least}")
    if np.ptp(q) == 0.0:
        raise ValueError(f"position is constant ({q[0]:g}): nothing moves, so nothing can be identified")
    rows = (q.size - 2 * trim) // decimation
    if rows <= len(known) or q.size <= 40 * order:
        raise ValueError(
            f"t has {q.size} samples: too few points for {len(known)} parameters, {trim} cut at each end and "
            f"every {decimation}th kept"
        )
    inside = slice(trim, q.size - trim)
    motion = derivatives(q, step, frequency, order)
    mixed_sizes("force", f[in_motion(motion[1])])  # at rest it may be anything down to zero
    made = [np.broadcast_to(np.asarray(column(*motion), dtype=float), q.shape) for column in known.values()]
    kept = [_decimated(values[inside], decimation) for values in (*made, f)]
    return _regress(
        list(known), np.stack(kept[:-1], axis=1), kept[-1], times[inside][::decimation], motion[1]
    )


def derivatives(position: Array, step: float, cutoff: float, order: int = 4) -> tuple[Array, Array, Array]:
    """Return position, velocity and acceleration by a zero-phase Butterworth filter and central differences."""
    signal = scipy("signal")
    sections = signal.butter(order, 2.0 * cutoff * step, output="sos")
    smooth = np.asarray(signal.sosfiltfilt(sections, position), dtype=float)
    velocity = np.gradient(smooth, step)
    return smooth, velocity, np.gradient(velocity, step)


def _terms(terms: Sequence[str] | Mapping[str, Column]) -> dict[str, Column]:
    if isinstance(terms, str) or not terms:
        reject("terms", terms, "a sequence of names or a mapping of names to functions, not empty")
    if isinstance(terms, Mapping):
        return {str(name): column for name, column in terms.items()}
    for name in terms:
        if name not in TERMS:
            raise ValueError(
                f"terms names {name!r}, but known are {listed(map(repr, TERMS))}; or give a mapping"
            )
    return {name: TERMS[name] for name in dict.fromkeys(terms)}


def _decimated(values: Array, factor: int) -> Array:
    if factor == 1:
        return values
    kept: Any = scipy("signal").decimate(values, factor, ftype="iir", zero_phase=True)
    return np.asarray(kept, dtype=float)


def _regress(names: list[str], made: Array, force: Array, t: Array, velocity: Array) -> Regression:
    """Least squares with the information in the columns."""
    length = np.linalg.norm(made, axis=0)
    scaled = made / np.where(length > 0.0, length, 1.0)
    x = np.linalg.lstsq(scaled, force, rcond=1e-9)[0] / np.where(length > 0.0, length, 1.0)
    r = force - made @ x
    freedom = force.size - len(names)
    variance = float(r @ r) / freedom
    info = information(made, 1.0 / np.where(length > 0.0, length, 1.0))
    with np.errstate(invalid="ignore"):
        cov = np.where(info.inverse == 0.0, 0.0, info.inverse * variance)
    cov[info.unknown, info.unknown] = np.inf
    size = float(np.sqrt(np.mean(force**2)))
    seen = assess(info, names, [Series("force", force, r, EXACT * size, filtered=True)], {})
    notes = list(seen.notes)
    if not ((velocity > 0.0).any() and (velocity < 0.0).any()):
        notes.append("the motion has one direction only: friction and offset cannot be separated")
    for text in notes:
        warn(f"inverse_dynamics: {text}", 4)
    return Regression(
        parameters=dict(zip(names, map(float, x), strict=True)),
        stderr=dict(zip(names, np.sqrt(np.diag(cov)).tolist(), strict=True)),
        cov=cov,
        success=seen.sound,
        message="; ".join(notes) or "all parameters are identifiable",
        scale=float(np.sqrt(variance)),
        freedom=freedom,
        condition=info.condition,
        relative_error=float(np.linalg.norm(r) / np.linalg.norm(force)),
        t=t[: force.size],
        force=force,
        predicted=made @ x,
    )
