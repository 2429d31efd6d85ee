"""Identification of the second-order bristle law by regression: for a record, and recursively.

Its force is linear in Fc, σ1, σ2, Fs − Fc and α if its states z and y are known, which depend on the velocity, σ0, vs
and m only. The source writes ``F = U·P`` with six columns (17)–(19), and assumes ``exp(−n|v|^m) = β·exp(−|v|^m)``,
which no constant β satisfies unless vs = 1 m/s. Here the exponential keeps vs; a search finds vs and σ0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import Array, positive, vector
from stickslip.draw import place
from stickslip.identify._assess import Series, assess
from stickslip.identify._need import scipy
from stickslip.identify._records import columns, in_motion, increasing, mixed_sizes, warn
from stickslip.identify._result import Estimate
from stickslip.identify._solve import minimise
from stickslip.laws import TwoStateBristle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AMOUNTS = ("kinetic", "damping", "viscous", "rise", "alpha")
SCALES = ("stiffness", "stribeck_velocity")
SHAPES = (0.5, 2.0)  # of which the source speaks
STATES = 1e-8  # of the force: error that the integrated states z and y make
RANK = 1e-9  # singular values below this share of the greatest, columns scaled to one length, are none
POOR = 1e-7  # of the least eigenvalue of the correlations of columns: below it a sample adds no information


def bristle_regressors(
    t: ArrayLike,
    velocity: ArrayLike,
    stiffness: float,
    stribeck_velocity: float,
    shape: float = 2.0,
    initial: Mapping[str, float] | None = None,
) -> Array:
    """Return the columns ``U = [z, −|v|·z, v, y, −y, sgn(v)·exp(−n|v|^m)]`` of the second-order bristle law.

    Parameters
    ----------
    t, velocity : array_like, shape (n,)
        Increasing times, s, and velocities, m/s, linear in between.
    stiffness : float
        σ0, 1/m, > 0.
    stribeck_velocity, shape : float
        vs, m/s, > 0, and m: ``n = vs^(−m)``.
    initial : mapping of str to float, optional
        ``"z"`` and ``"y"`` at the first time, m; zero by default.

    Returns
    -------
    ndarray, shape (n, 6)
        With ``P = [σ0·Fc, σ0·σ1, σ1 + σ2, σ0·(Fs − Fc), α, α/σ0]`` the force is ``U @ P``. Two columns are y and −y, so
        the rank is at most 5 and only P4 − P5 is determined by them; ``P5 = σ0·P6`` separates the two.

    Notes
    -----
    Source: Martínez-Rosas, Alvarez-Icaza, Noriega-Pineda, (17) to (19). The source has exp(−|v|^m) in the last column,
    with a factor β in P6: no constant β makes the two equal unless vs = 1 m/s.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.linspace(0.0, 10.0, 1001)
    >>> v = 3e-3 * np.sin(2.0 * t)
    >>> u = ss.identify.bristle_regressors(t, v, stiffness=1e5, stribeck_velocity=1e-3)
    >>> u.shape, int(np.linalg.matrix_rank(u / np.linalg.norm(u, axis=0), 1e-9))
    ((1001, 6), 5)
    """
    times, v = columns(2, t=t, velocity=velocity)
    increasing("t", times)
    law = TwoStateBristle(
        stiffness=positive("stiffness", stiffness),
        static=2.0,
        kinetic=1.0,
        stribeck_velocity=positive("stribeck_velocity", stribeck_velocity),
        shape=positive("shape", shape),
    )
    states = law.response(times, v, initial=initial)
    z, y = states["z"], states["y"]
    fall = np.sign(v) * np.exp(-((np.abs(v) / stribeck_velocity) ** shape))
    return np.stack([z, -np.abs(v) * z, v, y, -y, fall], axis=1)


def amounts_of(regressors: Array, stiffness: float) -> Array:
    """Return the columns of Fc, σ1, σ2, Fs − Fc and α in U·P, shape (n, 5)."""
    z, back, v, y, _, fall = regressors.T
    return np.stack([stiffness * z, v + stiffness * back, v, stiffness * y, -y + fall / stiffness], axis=1)


def bristle_parameters(law: TwoStateBristle) -> Array:
    """Return ``P = [σ0·Fc, σ0·σ1, σ1 + σ2, σ0·(Fs − Fc), α, α/σ0]`` of a law, as in (19), without β.

    P2 = σ0·σ1 for any σ1. The source has P2 = σ0^1.5 because it sets σ1 = √σ0; this is no property of the law.

    Parameters
    ----------
    law : TwoStateBristle
        With a linear viscous part.

    Returns
    -------
    ndarray, shape (6,)

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.TwoStateBristle(stiffness=1e4, damping=100.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
    >>> p = ss.identify.bristle_parameters(law)
    >>> print(p[1], law.stiffness**1.5)
    1000000.0 1000000.0
    """
    s0, static, kinetic, alpha = law.stiffness, law.static, law.kinetic, law.alpha
    assert static is not None and kinetic is not None and alpha is not None
    return np.array(
        [
            s0 * kinetic,
            s0 * law.damping,
            law.damping + law.viscous,
            s0 * (static - kinetic),
            alpha,
            alpha / s0,
        ]
    )


@dataclass(frozen=True, eq=False)
class BristleFit(Estimate):
    """Result of `fit_bristle`: a second-order bristle law.

    Attributes
    ----------
    law : TwoStateBristle
        Fitted values.
    P : ndarray, shape (6,)
        Parameters of the law in the form of the source, see `bristle_parameters`.
    rank : int
        Rank of the six columns U, at most 5.
    condition : float
        Condition number of the five columns of Fc, σ1, σ2, Fs − Fc and α, scaled to equal length.
    damping_over_root : float
        ``σ1/√σ0``: 1 where the source's P2 = σ0^1.5 holds.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> law = ss.TwoStateBristle(stiffness=1e4, damping=50.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
    >>> t = np.linspace(0.0, 10.0, 1001)
    >>> v = 3e-3 * (np.sin(2.0 * t) + 0.7 * np.sin(5.3 * t))
    >>> fit = ss.identify.fit_bristle(t, v, law.response(t, v).force, shape=2.0)
    >>> fit.rank, round(fit.damping_over_root, 6)
    (5, 0.5)
    """

    law: TwoStateBristle | None = None
    P: Array = field(default_factory=lambda: np.empty(0))
    rank: int = 0
    condition: float = np.inf
    damping_over_root: float = np.nan

    def predict(
        self, t: ArrayLike, velocity: ArrayLike, *, initial: Mapping[str, float] | None = None
    ) -> Array:
        """Return the friction force of the fitted law for a given velocity.

        Parameters
        ----------
        t : array_like, shape (n,)
            Times, s.
        velocity : array_like, shape (n,)
            Velocity, m/s, linear between the times.
        initial : mapping of str to float, optional
            Internal states at the start, as in `Law.response`.

        Returns
        -------
        ndarray, shape (n,)
            N.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> law = ss.TwoStateBristle(1.5, 1.0, 1e-3, stiffness=1e4, damping=50.0, viscous=0.4)
        >>> t = np.linspace(0.0, 10.0, 1001)
        >>> v = 3e-3 * (np.sin(2.0 * t) + 0.7 * np.sin(5.3 * t))
        >>> fit = ss.identify.fit_bristle(t, v, law.response(t, v).force, shape=2.0)
        >>> force = fit.predict([0.0, 1.0], [0.0, 2e-3])
        >>> bool(np.allclose(force, law.response([0.0, 1.0], [0.0, 2e-3]).force, rtol=1e-6))
        True
        """
        assert self.law is not None
        return np.asarray(self.law.response(t, velocity, initial=initial).force)


def fit_bristle(
    t: ArrayLike,
    velocity: ArrayLike,
    force: ArrayLike,
    *,
    stiffness: float | None = None,
    stribeck_velocity: float | None = None,
    shape: float | None = None,
    initial: Mapping[str, float] | None = None,
) -> BristleFit:
    """Fit the second-order bristle law to velocity and force: linear regression within a search.

    Parameters
    ----------
    t, velocity, force : array_like, shape (n,)
        Times that increase, s, velocities, m/s, and friction forces, N.
    stiffness, stribeck_velocity : float, optional
        σ0 and vs if known; searched for by default.
    shape : float, optional
        Exponent m of the Stribeck curve if known; by default that of 1/2 and 2 which fits better.
    initial : mapping of str to float, optional
        ``"z"`` and ``"y"`` at the first time, m; zero by default.

    Returns
    -------
    BristleFit
        ``stiffness``, ``stribeck_velocity``, ``kinetic``, ``static``, ``damping``, ``viscous``, ``alpha``, all >= 0.

    Raises
    ------
    ValueError
        Naming the argument: too few points, times that do not increase, a velocity that is constant.
    MissingExtraError
        Without SciPy.

    Warns
    -----
    RuntimeWarning
        For each problem of the fit, by name: see `fit`, Notes.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> law = ss.TwoStateBristle(stiffness=1e4, damping=50.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
    >>> t = np.linspace(0.0, 10.0, 1001)
    >>> v = 3e-3 * (np.sin(2.0 * t) + 0.7 * np.sin(5.3 * t))
    >>> fit = ss.identify.fit_bristle(t, v, law.response(t, v).force, shape=2.0)
    >>> round(fit.parameters["stiffness"], 3), round(fit.parameters["static"], 6)
    (10000.0, 1.5)
    """
    times, v, f = columns(12, t=t, velocity=velocity, force=force)
    increasing("t", times)
    if np.ptp(v) <= 1e-9 * np.abs(v).max():
        raise ValueError(
            f"velocity is constant ({v[0]:g} m/s): it does not excite the bristles; use a record with reversals"
        )
    mixed_sizes("force", f[in_motion(v)])
    problem = _Bristle(times, v, f, initial)
    known = {
        "stiffness": None if stiffness is None else positive("stiffness", stiffness),
        "stribeck_velocity": None
        if stribeck_velocity is None
        else positive("stribeck_velocity", stribeck_velocity),
    }
    tried = SHAPES if shape is None else (positive("shape", shape),)
    found, notes = min((problem.fit(known, m) for m in tried), key=lambda pair: pair[0].scale)
    for text in notes:
        warn(f"fit_bristle: {text}", 3)
    return found


def _lengths(columns_: Array) -> Array:
    """Norms of columns; 1 for those that are zero."""
    length = np.linalg.norm(columns_, axis=0)
    return np.where(length > 0.0, length, 1.0)


class _Bristle:
    """A record, and the law at trial scales."""

    def __init__(self, t: Array, v: Array, f: Array, initial: Mapping[str, float] | None) -> None:
        self.t, self.v, self.initial = t, v, initial
        self.moving = v != 0.0  # at rest the force is any of a set, of which the columns say nothing
        self.f = f[self.moving]

    def made(self, scales: Array, shape: float) -> Array:
        """The five columns at σ0 and vs."""
        return amounts_of(self.published(scales, shape), float(scales[0]))

    def published(self, scales: Array, shape: float) -> Array:
        """The six columns at σ0 and vs, of the samples that move."""
        u = bristle_regressors(self.t, self.v, float(scales[0]), float(scales[1]), shape, self.initial)
        return np.asarray(u[self.moving], dtype=float)

    def _start(self, known: Mapping[str, float | None], shape: float) -> tuple[Array, Array]:
        """The best of a grid: amounts by non-negative least squares at each point."""
        path = np.concatenate([[0.0], np.cumsum(0.5 * (self.v[1:] + self.v[:-1]) * np.diff(self.t))])
        reach = float(np.ptp(path))
        speed = np.abs(self.v[self.v != 0.0])
        grids = []
        for name, points in (
            ("stiffness", np.geomspace(3.0, 1e4, 7) / reach),
            ("stribeck_velocity", np.geomspace(0.5 * np.quantile(speed, 0.1), speed.max(), 5)),
        ):
            given = known[name]
            grids.append(points if given is None else np.array([given]))
        best: tuple[float, Array, Array] | None = None
        for s0 in grids[0]:
            for vs in grids[1]:
                scales = np.array([s0, vs])
                made = self.made(scales, shape)
                length = _lengths(made)
                x, off = scipy("optimize").nnls(made / length, self.f)
                if best is None or off < best[0]:
                    best = (float(off), scales, np.asarray(x) / length)
        assert best is not None
        return best[1], best[2]

    def fit(self, known: Mapping[str, float | None], shape: float) -> tuple[BristleFit, list[str]]:
        """All parameters, with warnings."""
        scales, amounts = self._start(known, shape)
        searched = [i for i, name in enumerate(SCALES) if known[name] is None]

        def split(x: Array) -> tuple[Array, Array]:
            at = scales.copy()
            at[searched] = np.exp(x[5:])
            return x[:5], at

        def residuals(x: Array) -> Array:
            a, at = split(x)
            return np.asarray(self.made(at, shape) @ a - self.f, dtype=float)

        def jacobian(x: Array) -> Array:
            out = [self.made(split(x)[1], shape)]
            for i in range(5, x.size):
                ends = []
                for sign in (1.0, -1.0):
                    y = x.copy()
                    y[i] += sign * 1e-4
                    ends.append(residuals(y))
                out.append(((ends[0] - ends[1]) / 2e-4)[:, None])
            return np.hstack(out)

        size = float(np.sqrt(np.mean(self.f**2)))
        length = _lengths(self.made(scales, shape))
        sizes = np.concatenate([size * np.sqrt(self.f.size) / length, np.ones(len(searched))])
        low = np.concatenate([np.zeros(5), np.full(len(searched), -np.inf)])
        x = np.concatenate([amounts, np.log(scales[searched])])
        found = minimise(
            residuals,
            jacobian,
            x,
            low,
            np.full(x.size, np.inf),
            sizes,
            size_of_data=size,
            max_evaluations=100,
        )
        return self._report(found, split(found.x)[1], searched, shape)

    def _report(
        self, found: Any, scales: Array, searched: list[int], shape: float
    ) -> tuple[BristleFit, list[str]]:
        x = found.x
        names = [*AMOUNTS, *(SCALES[i] for i in searched)]
        to = np.eye(x.size)
        to[3, 0] = 1.0  # static = kinetic + rise
        for k, i in enumerate(searched, start=5):
            to[k, k] = scales[i]
        lost = np.isinf(np.diag(found.cov))
        cov = to @ np.where(np.isinf(found.cov), 0.0, found.cov) @ to.T
        cov[lost, :] = cov[:, lost] = 0.0
        cov[lost, lost] = np.inf
        called = ["static" if name == "rise" else name for name in names]
        size = float(np.sqrt(np.mean(self.f**2)))
        seen = assess(
            found.info,
            called,
            [Series("force", self.f, found.residuals, STATES * size)],
            {called[i]: "the kinetic level" if called[i] == "static" else "0" for i in found.on_bound},
        )
        values = dict(zip(SCALES, map(float, scales), strict=True)) | dict(
            zip(AMOUNTS, map(float, x[:5]), strict=True)
        )
        values["static"] = values["kinetic"] + values.pop("rise")
        given: dict[str, Any] = {**values, "kinetic": max(values["kinetic"], 1e-300), "shape": shape}
        law = TwoStateBristle(**given)
        u = self.published(scales, shape)
        made = amounts_of(u, float(scales[0]))
        singular = np.linalg.svd(u / _lengths(u), compute_uv=False)
        five = np.linalg.svd(made / _lengths(made), compute_uv=False)
        fit = BristleFit(
            parameters={name: values[name] for name in called},
            stderr=dict(zip(called, np.sqrt(np.diag(cov)).tolist(), strict=True)),
            cov=cov,
            success=bool(found.success and seen.sound),
            message="; ".join([*found.unfinished, *seen.notes]) or found.message,
            scale=found.scale,
            freedom=self.f.size - x.size,
            law=law,
            P=bristle_parameters(law),
            rank=int(np.count_nonzero(singular > RANK * singular[0])),
            condition=float(five[0] / five[-1]) if five[-1] > 0.0 else np.inf,
            damping_over_root=float(values["damping"] / np.sqrt(scales[0])),
        )
        return fit, seen.notes


@dataclass(frozen=True, eq=False)
class BristleTrack:
    """Result of `track_bristle`: parameters of the bristle law over time.

    Attributes
    ----------
    t : ndarray, shape (n,)
        Times, s.
    parameters : dict of str to ndarray, shape (n,)
        ``kinetic``, ``static``, ``damping``, ``viscous``, ``alpha``, all >= 0.
    excitation : ndarray, shape (n,)
        Smallest eigenvalue of the correlation matrix of the five columns within the memory; 0 if they are collinear.
    excited : ndarray of bool, shape (n,)
        True where the excitation suffices; elsewhere the parameters are held.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.linspace(0.0, 1.0, 11)
    >>> track = ss.identify.track_bristle(t, np.full(11, 0.1), np.ones(11), 1e5, 1e-3, memory=1.0)
    >>> bool(track.excited.any())
    False
    """

    t: Array
    parameters: dict[str, Array]
    excitation: Array
    excited: np.ndarray[Any, np.dtype[np.bool_]]

    def plot(self, *names: str, ax: Axes | None = None, **keywords: Any) -> Axes:
        """Draw parameters over time.

        Parameters
        ----------
        *names : str
            Names of the parameters; by default ``"kinetic"`` and ``"static"``.
        ax : Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
        **keywords
            For the lines (`matplotlib.lines.Line2D`), such as ``color``.

        Returns
        -------
        Axes
        """
        with place.axes(ax, "parameters", 70.0) as axes:
            for name in names or ("kinetic", "static"):
                axes.plot(self.t, self.parameters[name], **place.line_options(keywords, label=name))
            axes.set(xlabel="time [s]", ylabel="level [N]" if not names else "parameter")
            axes.legend()
        return axes


def track_bristle(
    t: ArrayLike,
    velocity: ArrayLike,
    force: ArrayLike,
    stiffness: float,
    stribeck_velocity: float,
    shape: float = 2.0,
    *,
    memory: float,
    initial: Mapping[str, float] | None = None,
) -> BristleTrack:
    """Track drifting parameters of the second-order bristle law by recursive least squares.

    Each sample is weighted by ``exp(−age/memory)``; the estimate is projected onto parameters >= 0, in the metric of
    the data. After a step of a parameter the estimate covers 95 % of the step within three times `memory`, if the
    motion excites all five columns; without sufficient excitation (see `BristleTrack.excited`) the last values are
    held.

    Parameters
    ----------
    t, velocity, force : array_like, shape (n,)
        Times that increase, s, velocities, m/s, and friction forces, N.
    stiffness, stribeck_velocity, shape : float
        σ0, vs and m, as found by `fit_bristle`; assumed constant.
    memory : float
        Time constant of forgetting, s, > 0.
    initial : mapping of str to float, optional
        ``"z"`` and ``"y"`` at the first time, m; zero by default.

    Returns
    -------
    BristleTrack
        The parameters are NaN until the motion has excited all columns.

    Raises
    ------
    ValueError
        Naming the argument.
    MissingExtraError
        Without SciPy.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> law = ss.TwoStateBristle(stiffness=1e4, damping=50.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
    >>> t = np.linspace(0.0, 10.0, 1001)
    >>> v = 3e-3 * (np.sin(2.0 * t) + 0.7 * np.sin(5.3 * t))
    >>> track = ss.identify.track_bristle(t, v, law.response(t, v).force, 1e4, 1e-3, memory=2.0)
    >>> print(round(track.parameters["kinetic"][-1], 6))
    1.0
    """
    times, v, f = columns(2, t=t, velocity=velocity, force=force)
    span = positive("memory", memory)
    u = bristle_regressors(times, v, stiffness, stribeck_velocity, shape, initial)
    made = amounts_of(u, stiffness)
    sizes = _lengths(made)
    rows = vector("force", f)
    nnls = scipy("optimize").nnls
    square, side = np.zeros((5, 5)), np.zeros(5)
    found = np.full((5, times.size), np.nan)
    excitation = np.zeros(times.size)
    held = np.full(5, np.nan)
    fade = np.exp(-np.diff(times, prepend=times[0]) / span)
    for k, row in enumerate(made / sizes):
        seen = float(v[k] != 0.0)  # at rest the force is any of a set, of which the columns say nothing
        square = fade[k] * square + seen * np.outer(row, row)
        side = fade[k] * side + seen * row * rows[k]
        length = np.sqrt(np.diag(square))
        if length.min() > 0.0:
            values, axes = np.linalg.eigh(square / np.outer(length, length))
            excitation[k] = max(0.0, float(values[0]))
            if excitation[k] > POOR:
                # Least squares within x >= 0 on the square root of the information: a projection in its metric.
                root = np.sqrt(values)[:, None] * axes.T
                held = nnls(root, (axes.T @ (side / length)) / np.sqrt(values))[0] / length / sizes
        found[:, k] = held
    given = dict(zip(AMOUNTS, found, strict=True))
    given["static"] = given["kinetic"] + given.pop("rise")
    return BristleTrack(times, given, excitation, excitation > POOR)
