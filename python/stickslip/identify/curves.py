"""Fit of a friction curve to pairs of velocity and force."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import Array, choice, positive
from stickslip.draw import place
from stickslip.draw import style as _style
from stickslip.errors import UnknownNameError
from stickslip.identify import _families as families
from stickslip.identify._assess import Series, assess
from stickslip.identify._need import scipy
from stickslip.identify._records import columns, listed, mixed_sizes, warn
from stickslip.identify._result import Estimate
from stickslip.identify._solve import EXACT, Solution, minimise
from stickslip.laws import Law, Stribeck, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIDES = {"forward": 1.0, "backward": -1.0}
STEP = 1e-4  # of central differences in the logarithm of a scale


@dataclass(frozen=True, eq=False)
class CurveFit(Estimate):
    """Result of `fit_curve`: friction over velocity.

    Attributes
    ----------
    forward, backward : Law or None
        The law of each direction, over the magnitude of the velocity; None for a direction without samples.
    velocity, force : ndarray
        The samples.
    normal_load : float
        Normal load of the samples, N.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> v = np.linspace(0.01, 1.0, 50)
    >>> fit = ss.identify.fit_curve(v, 0.8 + 0.5 * v, law=ss.Coulomb(1.0) + ss.Viscous(1.0))
    >>> round(fit.law.force(0.5), 9), fit.backward is None
    (1.05, True)
    """

    forward: Law | None = None
    backward: Law | None = None
    velocity: Array = field(default_factory=lambda: np.empty(0), repr=False)
    force: Array = field(default_factory=lambda: np.empty(0), repr=False)
    normal_load: float = 1.0

    @property
    def law(self) -> Law:
        """One law for both directions: their common law, or a `Table` through both laws at 400 velocities."""
        if self.forward is None or self.backward is None or self.forward == self.backward:
            made = self.backward if self.forward is None else self.forward
            assert made is not None
            return made
        top = float(np.abs(self.velocity).max())
        low = float(np.abs(self.velocity[self.velocity != 0.0]).min())
        half = np.unique(np.concatenate([np.geomspace(1e-2 * low, top, 130), np.linspace(0.0, top, 71)[1:]]))
        forward, backward = self.forward, self.backward
        return Table.sample(
            lambda v: float((forward if v > 0.0 else backward).force(v)),
            np.concatenate([-half[::-1], [0.0], half]),
        )

    def predict(self, velocity: ArrayLike, normal_load: float | None = None) -> Any:
        """Return the fitted friction force at given velocities.

        Parameters
        ----------
        velocity : float or array_like
            Sliding velocities, m/s.
        normal_load : float, optional
            N; by default that of the samples.

        Returns
        -------
        float or ndarray
            Force, N, of the shape of `velocity`; NaN in a direction without samples, 0 at rest.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> v = np.linspace(0.01, 1.0, 50)
        >>> fit = ss.identify.fit_curve(v, 0.8 + 0.5 * v, law=ss.Coulomb(1.0) + ss.Viscous(1.0))
        >>> fit.predict([0.2, 2.0]).round(9)
        array([0.9, 1.8])
        """
        v = np.asarray(velocity, dtype=float)
        load = self.normal_load if normal_load is None else float(normal_load)
        force = np.where(v == 0.0, 0.0, np.nan)
        for side, sign in SIDES.items():
            law: Law | None = getattr(self, side)
            here = sign * v > 0.0
            if law is not None and here.any():
                force[here] = sign * np.asarray(law.force(np.abs(v[here]), load))
        return float(force) if v.ndim == 0 else force

    def plot(self, ax: Axes | None = None, **keywords: Any) -> Axes:
        """Draw the samples and the curve through them.

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
        with place.axes(ax, "friction over velocity", 80.0) as axes:
            axes.plot(
                self.velocity, self.force, ".", color=_style.SKY, markersize=3.0, label="measured", zorder=1.5
            )
            for side, sign in SIDES.items():
                law = getattr(self, side)
                here = sign * self.velocity > 0.0
                if law is None or not here.any():
                    continue
                v = np.geomspace(np.abs(self.velocity[here]).min(), np.abs(self.velocity[here]).max(), 400)
                label = side if self.forward != self.backward else ("fitted" if side == "forward" else None)
                colour = _style.VERMILION if side == "forward" else _style.BLUE
                options = place.line_options(keywords, color=colour, label=label)
                axes.plot(sign * v, sign * law.force(v, self.normal_load), **options)
            axes.set(xlabel="velocity [m/s]", ylabel="friction force [N]")
            axes.legend()
        return axes


def fit_curve(
    velocity: ArrayLike,
    force: ArrayLike,
    law: Any = Stribeck,
    *,
    free: Sequence[str] | None = None,
    directions: str = "separate",
    normal_load: float | None = None,
    loss: str = "soft_l1",
) -> CurveFit:
    """Fit a curve of friction to pairs of sliding velocity and force.

    Start values are found automatically: scales and exponents on a grid, levels and coefficients at each by
    non-negative least squares. The fit is robust: soft-L1, scaled by the median residual. The difference of static and
    kinetic level is fitted and kept >= 0.

    Parameters
    ----------
    velocity : array_like, shape (n,)
        Steady sliding velocities, m/s, of either sign. Samples at rest are left out.
    force : array_like, shape (n,)
        Friction force, N, which opposes the velocity: positive where the velocity is.
    law : law or class of laws, default Stribeck
        `Coulomb`, `Viscous`, `Stribeck`, `Tanh`, `Table`, or a sum of laws. Fixed parameters keep their values (neutral
        defaults if a class is given). A `Table` is odd; its velocities are the nodes, by default eight that divide the
        samples evenly.
    free : sequence of str, optional
        Parameters to fit, by their names in the law (``"0.viscous"`` where several terms of a sum have the name). By
        default all levels and coefficients, ``stribeck_velocity`` and ``width``, but not the exponents. The static
        level of `Coulomb` cannot be found from sliding.
    directions : {"separate", "common"}
        ``"separate"``: each direction has its own parameters, called ``"forward.kinetic"`` and ``"backward.kinetic"``.
        ``"common"``: one odd law for both.
    normal_load : float, optional
        N, > 0: levels are then per unit load. Viscous parts are not.
    loss : {"soft_l1", "linear"}
        Robust loss, or least squares.

    Returns
    -------
    CurveFit
        With `parameters`, `stderr`, `intervals`, `law` and `plot`.

    Raises
    ------
    ValueError
        Naming the argument: too few points, a velocity that is constant, values that are not finite, a law without
        a curve to be fitted.
    MissingExtraError
        Without SciPy.

    Warns
    -----
    RuntimeWarning
        If units look mixed, the sign reversed, or the level implausible as a coefficient of friction; and for each
        problem of the fit, by name: see `fit`, Notes. Residuals are tested for correlation in the order of speed.

    Notes
    -----
    Errors are assumed independent. Covariance: Huber, *Robust Statistics* 1981, (6.5), with Student's t for the
    intervals. A parameter at a bound is held there: a zero difference of the levels does not add to the uncertainty of
    ``static``, and a coefficient of zero has the standard error NaN.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> truth = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.01, viscous=0.4)
    >>> v = np.geomspace(1e-3, 0.5, 60)
    >>> fit = ss.identify.fit_curve(v, truth.force(v))
    >>> {name: round(value, 6) for name, value in fit.parameters.items()}
    {'kinetic': 1.0, 'static': 1.5, 'viscous': 0.4, 'stribeck_velocity': 0.01}
    """
    choice("directions", directions, ("separate", "common"))
    choice("loss", loss, ("soft_l1", "linear"))
    load = 1.0 if normal_load is None else positive("normal_load", normal_load)
    v, f = columns(3, velocity=velocity, force=force)
    _suspect(v, f, normal_load)
    moving = v != 0.0
    if not moving.any():
        raise ValueError("velocity is zero throughout: a curve needs sliding samples")
    speed = np.abs(v[moving])
    groups = {"": moving}
    if directions == "separate" and (v > 0.0).any() and (v < 0.0).any():
        groups = {side: sign * v > 0.0 for side, sign in SIDES.items()}
    fits = {}
    for side, here in groups.items():
        size, push = np.abs(v[here]), f[here] * np.sign(v[here])
        where = f" of the {side} direction" if side else ""
        if np.ptp(size) <= 1e-6 * size.max():
            raise ValueError(
                f"velocity{where} is constant ({size[0]:g} m/s): one speed does not determine a curve; vary the speed"
            )
        parts = families.terms(law, size)
        fits[side] = _Side(parts, _freed(parts, free), size, push, load, where).fit(loss == "soft_l1")
    notes = [text for fit in fits.values() for text in fit.notes]
    for text in notes:
        warn(f"fit_curve: {text}", 3)
    if not moving.all():
        notes.append(f"{np.count_nonzero(~moving)} samples at rest are left out")
    return _joined(fits, notes, v, f, load, speed)


def _suspect(v: Array, f: Array, normal_load: float | None) -> None:
    """Warn of implausible units and signs."""
    mixed_sizes("force", f)
    mixed_sizes("velocity", v)
    if normal_load is not None:
        level = float(np.median(np.abs(f))) / normal_load
        if level > 20.0 or 0.0 < level < 1e-4:
            warn(
                f"force over normal_load is {level:.2g}, which is no coefficient of friction: is one of them in "
                "another unit (mN or kN for N)?"
            )
    if float(np.sum(np.sign(v) * np.sign(f))) < 0.0:
        warn("force acts with the velocity in most samples: friction opposes it; is the sign reversed?")


def _freed(parts: tuple[families.Term, ...], free: Sequence[str] | None) -> set[str]:
    known = [t.prefix + name for t in parts for name in (*t.amounts, *t.inner)]
    if free is None:
        return {t.prefix + name for t in parts for name in families.usual(t)}
    for name in free:
        if name not in known:
            raise UnknownNameError(f"unknown parameter {name!r} in free; known are: {listed(known)}")
    if not free:
        raise ValueError("free is empty: name at least one parameter")
    return {*free}


@dataclass(frozen=True, eq=False)
class _Found:
    """One direction."""

    law: Law
    parameters: dict[str, float]
    cov: Array
    solution: Solution
    notes: list[str]
    sound: bool


class _Side:
    """Samples of one direction, and the curve as amounts times columns."""

    def __init__(
        self,
        parts: tuple[families.Term, ...],
        free: set[str],
        speed: Array,
        force: Array,
        load: float,
        where: str,
    ) -> None:
        self.parts, self.speed, self.force, self.load, self.where = parts, speed, force, load, where
        self.amounts = [(t, a) for t in parts for a in t.amounts if t.prefix + a in free]
        self.inner = [(t, a) for t in parts for a in t.inner if t.prefix + a in free]
        self.held = [(t, a) for t in parts for a in t.amounts if t.prefix + a not in free]
        if speed.size <= len(self.amounts) + len(self.inner):
            raise ValueError(
                f"velocity has {speed.size} samples{where}: too few points for {len(free)} parameters, "
                f"at least {len(free) + 1} are needed"
            )

    def columns(self, logs: Array, which: Sequence[tuple[families.Term, str]]) -> Array:
        """Forces of one unit of each amount, shape (n, amounts), at these logarithms of scales and exponents."""
        own = self._inner(logs)
        made = [t.column(a, own[t.prefix], self.speed, self.load) for t, a in which]
        return np.stack(made, axis=1) if made else np.zeros((self.speed.size, 0))

    def _inner(self, logs: Array) -> dict[str, dict[str, float]]:
        own: dict[str, dict[str, float]] = {t.prefix: {} for t in self.parts}
        for (t, name), x in zip(self.inner, logs, strict=True):
            own[t.prefix][name] = float(np.exp(x))
        return own

    def model(self, x: Array) -> Array:
        """Force at amounts and logarithms of scales."""
        k = len(self.amounts)
        held = np.array([families.held_amount(t, a) for t, a in self.held])
        return np.asarray(
            self.columns(x[k:], self.amounts) @ x[:k] + self.columns(x[k:], self.held) @ held, dtype=float
        )

    def jacobian(self, x: Array) -> Array:
        """Columns, and central differences for scales and exponents."""
        k = len(self.amounts)
        out = [self.columns(x[k:], self.amounts)]
        for i in range(k, x.size):
            up, down = x.copy(), x.copy()
            up[i] = min(x[i] + STEP, self.high[i])
            down[i] = x[i] - STEP
            out.append(((self.model(up) - self.model(down)) / (up[i] - down[i]))[:, None])
        return np.hstack(out)

    def start(self) -> Array:
        """The best point of a grid over scales and exponents, by the sum of soft-L1."""
        k = len(self.amounts)
        held = np.array([families.held_amount(t, a) for t, a in self.held])
        size = float(np.sqrt(np.mean(self.force**2)))
        best, least = np.zeros(k + len(self.inner)), np.inf
        for point in itertools.product(*(families.starts(a, self.speed) for _, a in self.inner)):
            logs = np.log(np.array(point, dtype=float))
            target = self.force - self.columns(logs, self.held) @ held
            amounts, r = self._robust_amounts(self.columns(logs, self.amounts), target)
            spread = max(float(np.median(np.abs(r))), 1e-12 * size)
            # The scale itself is judged: log of the median, and how far the rest strays, each sample counting alike.
            cost = float(np.log(spread) + np.mean(np.sqrt(1.0 + (r / spread) ** 2) - 1.0) / 10.0)
            if cost < least:
                least, best = cost, np.concatenate([amounts, logs])
        return best

    def _robust_amounts(self, made: Array, target: Array) -> tuple[Array, Array]:
        """Amounts >= 0 (of a table any), with outliers weighted down three times over."""
        weight = np.ones(target.size)
        amounts: Any = np.zeros(made.shape[1])
        r: Any = target
        for _ in range(4 if made.shape[1] else 0):
            if any(isinstance(t.law, Table) for t, _ in self.amounts):
                amounts = np.linalg.lstsq(made * weight[:, None], target * weight, rcond=None)[0]
            else:
                amounts = scipy("optimize").nnls(made * weight[:, None], target * weight)[0]
            r = target - made @ amounts
            spread = max(1.5 * float(np.median(np.abs(r))), 1e-12 * float(np.abs(target).max(initial=1e-300)))
            weight = (1.0 + (r / spread) ** 2) ** -0.25
        return amounts, r

    def fit(self, robust: bool) -> _Found:
        """Fit and return the result."""
        k, m = len(self.amounts), len(self.inner)
        size = float(np.sqrt(np.mean(self.force**2)))
        free_sign = np.array(
            [a.startswith("forces[") and a != "forces[0]" for _, a in self.amounts], dtype=bool
        )
        low = np.concatenate([np.where(free_sign, -np.inf, 0.0), np.full(m, -np.inf)])
        self.high = np.concatenate(
            [np.full(k, np.inf), np.log([families.LIMITS.get(a, np.inf) for _, a in self.inner])]
        )
        start = self.start()
        length = np.linalg.norm(self.columns(start[k:], self.amounts), axis=0)
        typical = size * np.sqrt(self.speed.size) / np.where(length > 0.0, length, np.inf)
        sizes = np.concatenate([np.where(typical > 0.0, typical, size or 1.0), np.ones(m)])
        solution = minimise(
            lambda x: self.model(x) - self.force,
            self.jacobian,
            start,
            low,
            self.high,
            sizes,
            size_of_data=size,
            robust=robust,
        )
        return self._report(solution, robust)

    def _report(self, solution: Solution, robust: bool) -> _Found:
        k = len(self.amounts)
        names = [t.prefix + a for t, a in (*self.amounts, *self.inner)]
        x = solution.x
        amounts: dict[str, dict[str, float]] = {t.prefix: {} for t in self.parts}
        for (t, a), value in zip(self.amounts, x[:k], strict=True):
            amounts[t.prefix][a] = float(value)
        for t, a in self.held:
            amounts[t.prefix][a] = families.held_amount(t, a)
        inner = self._inner(x[k:])
        order = np.argsort(self.speed, kind="stable")
        size = float(np.sqrt(np.mean(self.force**2)))
        seen = assess(
            solution.info,
            names,
            [
                Series(
                    "force over speed",
                    self.force[order],
                    solution.residuals[order],
                    EXACT * size,
                    robust_scale=solution.scale if robust else None,
                )
            ],
            {names[i]: self._bound(names[i], x[i]) for i in solution.on_bound},
        )
        notes = [text + self.where for text in seen.notes]
        law = sum_of([t.made(amounts[t.prefix], inner[t.prefix]) for t in self.parts])
        # From what is fitted to what the law has: static = kinetic + difference, scales out of their logarithms.
        map_ = np.eye(x.size)
        values = x.copy()
        for i in range(k, x.size):
            values[i] = map_[i, i] = np.exp(x[i])
        for i, (t, a) in enumerate(self.amounts):
            if a == "static" and not isinstance(t.law, Table):
                values[i] += amounts[t.prefix]["kinetic"]
                other = t.prefix + "kinetic"
                if other in names and np.isfinite(solution.cov[i, i]):
                    map_[i, names.index(other)] = 1.0
        with np.errstate(invalid="ignore"):
            cov = map_ @ np.where(np.isinf(solution.cov), 0.0, solution.cov) @ map_.T
        lost = np.flatnonzero(np.isinf(np.diag(solution.cov)))
        cov[lost, :] = cov[:, lost] = 0.0
        cov[lost, lost] = np.inf
        for i in solution.on_bound:
            if not names[i].endswith("static"):  # of static it is the difference to kinetic that lies there
                cov[i, i] = np.nan
        parameters = dict(zip(names, map(float, values), strict=True))
        return _Found(law, parameters, cov, solution, notes, seen.sound)

    @staticmethod
    def _bound(name: str, x: float) -> str:
        """The bound that a parameter lies on, in words."""
        own = name.rpartition(".")[2]
        if own == "static":
            return "the kinetic level"
        return f"{families.LIMITS[own]:g}" if own in families.LIMITS and x > 0.0 else "0"


def sum_of(laws: Sequence[Law]) -> Law:
    """Return one law, or the sum of several."""
    total = laws[0]
    for other in laws[1:]:
        total = total + other
    return total


def _joined(
    fits: dict[str, _Found], notes: list[str], v: Array, f: Array, load: float, speed: Array
) -> CurveFit:
    """Both directions in one result."""
    parameters: dict[str, float] = {}
    for side, fit in fits.items():
        parameters |= {f"{side}.{name}" if side else name: x for name, x in fit.parameters.items()}
    cov = np.zeros((len(parameters), len(parameters)))
    at = 0
    for fit in fits.values():
        n = len(fit.parameters)
        cov[at : at + n, at : at + n] = fit.cov
        at += n
    only = None if "" not in fits else fits[""].law
    unfinished = [why for fit in fits.values() for why in fit.solution.unfinished]
    sound = all(fit.sound for fit in fits.values())
    squares = sum(fit.solution.scale**2 * fit.solution.residuals.size for fit in fits.values())
    return CurveFit(
        parameters=parameters,
        stderr=dict(zip(parameters, np.sqrt(np.diag(cov)).tolist(), strict=True)),
        cov=cov,
        success=sound and not unfinished,
        message="; ".join([*dict.fromkeys(unfinished), *notes]) or "converged",
        scale=float(np.sqrt(squares / speed.size)),
        freedom=min(fit.solution.residuals.size - len(fit.parameters) for fit in fits.values()),
        forward=fits["forward"].law if only is None else (only if (v > 0.0).any() else None),
        backward=fits["backward"].law if only is None else (only if (v < 0.0).any() else None),
        velocity=v,
        force=f,
        normal_load=load,
    )
