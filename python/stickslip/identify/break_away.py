"""Break-away force over the time at rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import Array, choice
from stickslip.draw import place
from stickslip.draw import style as _style
from stickslip.identify._assess import Series, assess
from stickslip.identify._records import columns, mixed_sizes, warn
from stickslip.identify._result import Estimate
from stickslip.identify._solve import EXACT, minimise

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class BreakAwayFit(Estimate):
    """Result of `fit_break_away`: break-away force over time at rest.

    Attributes
    ----------
    rest, force : ndarray
        The samples: time at rest, s, and break-away force, N.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.geomspace(0.01, 100.0, 20)
    >>> fit = ss.identify.fit_break_away(t, 1.0 + 0.5 * t / (t + 2.0))
    >>> float(np.round(fit.predict(2.0), 9))
    1.25
    """

    rest: Array = field(default_factory=lambda: np.empty(0), repr=False)
    force: Array = field(default_factory=lambda: np.empty(0), repr=False)

    def predict(self, rest: ArrayLike) -> Array:
        """Return the fitted break-away force after given times at rest.

        Parameters
        ----------
        rest : float or array_like
            Times at rest, s.

        Returns
        -------
        ndarray
            Force, N, of the shape of `rest`.
        """
        p = self.parameters
        return _level(np.asarray(rest, dtype=float), p["initial"], p["static"] - p["initial"], p["dwell"])

    def plot(self, ax: Axes | None = None, **keywords: Any) -> Axes:
        """Draw samples and fitted curve over time, on a logarithmic axis.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
        **keywords
            For the fitted curve (`matplotlib.lines.Line2D`), such as ``color``.

        Returns
        -------
        Axes
        """
        with place.axes(ax, "break-away force", 80.0) as axes:
            axes.plot(self.rest, self.force, "o", color=_style.BLUE, markersize=3.0, label="measured")
            inside = self.rest[self.rest > 0.0]
            t = np.geomspace(inside.min(), inside.max(), 300)
            options = place.line_options(keywords, color=_style.VERMILION, label="fitted")
            axes.plot(t, self.predict(t), **options)
            axes.set(xlabel="time at rest [s]", ylabel="break-away force [N]", xscale="log")
            axes.legend()
        return axes


def _level(t: Array, initial: float, rise: float, dwell: float) -> Array:
    return np.asarray(initial + rise * t / (t + dwell), dtype=float)


def fit_break_away(rest: ArrayLike, force: ArrayLike, *, loss: str = "soft_l1") -> BreakAwayFit:
    """Fit the static level that grows in stick: ``initial + (static − initial)·t/(t + dwell)``.

    Parameters
    ----------
    rest : array_like, shape (n,)
        Time at rest before each break-away, s, >= 0.
    force : array_like, shape (n,)
        Magnitude of the break-away force, N.
    loss : {"soft_l1", "linear"}
        Robust loss, or least squares.

    Returns
    -------
    BreakAwayFit
        ``initial``, ``static`` (N, static >= initial) and ``dwell`` (s): T_dwell of `StickSlip`.

    Raises
    ------
    ValueError
        Naming the argument: too few points, a time at rest that is negative or the same throughout.
    MissingExtraError
        Without SciPy.

    Notes
    -----
    Source: Klotzbach and Henrichfreise, stick/slip automaton, equation of the dwell time.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.geomspace(0.01, 100.0, 20)
    >>> fit = ss.identify.fit_break_away(t, 1.0 + 0.5 * t / (t + 2.0))
    >>> {name: round(value, 6) for name, value in fit.parameters.items()}
    {'initial': 1.0, 'static': 1.5, 'dwell': 2.0}
    """
    choice("loss", loss, ("soft_l1", "linear"))
    t, f = columns(4, rest=rest, force=force)
    if t.min() < 0.0:
        raise ValueError(f"rest[{int(np.argmin(t))}] = {t.min()} is not allowed: it must be >= 0")
    if np.ptp(t) <= 1e-9 * t.max():
        raise ValueError(f"rest is constant ({t[0]:g} s): vary the time at rest")
    mixed_sizes("force", f)
    size = float(np.sqrt(np.mean(f**2)))
    inside = t[t > 0.0]
    tried = []
    for dwell in np.geomspace(0.1 * inside.min(), 10.0 * inside.max(), 60):
        made = np.stack([np.ones(t.size), t / (t + dwell)], axis=1)
        a = np.linalg.lstsq(made, f, rcond=None)[0]
        a = np.array([max(a[0], 0.0), max(a[1], 0.0)])
        tried.append((float(np.sum(np.abs(f - made @ a))), *a, np.log(dwell)))
    start = np.array(min(tried)[1:])

    def jacobian(x: Array) -> Array:
        dwell = np.exp(x[2])
        share = t / (t + dwell)
        return np.stack([np.ones(t.size), share, -x[1] * share * dwell / (t + dwell)], axis=1)

    found = minimise(
        lambda x: _level(t, x[0], x[1], float(np.exp(x[2]))) - f,
        jacobian,
        start,
        np.array([0.0, 0.0, -np.inf]),
        np.full(3, np.inf),
        np.array([size, size, 1.0]),
        size_of_data=size,
        robust=loss == "soft_l1",
    )
    names = ("initial", "static", "dwell")
    order = np.argsort(t, kind="stable")
    seen = assess(
        found.info,
        names,
        [
            Series(
                "force over the time at rest",
                f[order],
                found.residuals[order],
                EXACT * size,
                robust_scale=found.scale if loss == "soft_l1" else None,
            )
        ],
        {names[i]: ("0", "the initial level")[i] for i in found.on_bound},
    )
    for text in seen.notes:
        warn(f"fit_break_away: {text}", 3)
    dwell = float(np.exp(found.x[2]))
    to = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, dwell]])
    lost = np.isinf(np.diag(found.cov))
    cov = to @ np.where(np.isinf(found.cov), 0.0, found.cov) @ to.T
    cov[lost, lost] = np.inf
    values = (float(found.x[0]), float(found.x[0] + found.x[1]), dwell)
    return BreakAwayFit(
        parameters=dict(zip(names, values, strict=True)),
        stderr=dict(zip(names, np.sqrt(np.diag(cov)).tolist(), strict=True)),
        cov=cov,
        success=found.success and seen.sound,
        message="; ".join([*found.unfinished, *seen.notes]) or "converged",
        scale=found.scale,
        freedom=t.size - 3,
        rest=t,
        force=f,
    )
