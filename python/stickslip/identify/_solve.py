"""Least squares, plain and robust, with the information on each parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from stickslip._checks import Array
from stickslip.identify._need import scipy

# Parameter of soft-L1 in units of the scale: an efficiency of 95 % for normal errors.
TUNING = 1.345
MAD = 0.6744897501960817  # of a normal variable of standard deviation 1
TIED = 1e-7  # singular values below this share of the greatest, columns scaled to one length, are none
IDLE = 1e-9  # a column this small beside the greatest, each times the size of its parameter, is none
NEAR = 1e-6  # of its size: a parameter this near to a bound is on it
EXACT = 1e-10  # residuals below this share of the data are rounding, not noise


@dataclass(frozen=True, eq=False)
class Information:
    """Information in a Jacobian: the inverse of JᵀJ over identifiable directions, and unidentifiable parameters.

    Attributes
    ----------
    inverse : ndarray, shape (p, p)
        Rows and columns of unidentifiable parameters are infinite on the diagonal, else 0.
    idle : tuple of int
        Parameters without effect.
    tied : tuple of (tuple of (int, float))
        Combinations of parameters, with weights, that can change without effect.
    condition : float
        Condition number of the Jacobian with columns scaled to equal length, without zero columns.
    """

    inverse: Array
    idle: tuple[int, ...]
    tied: tuple[tuple[tuple[int, float], ...], ...]
    condition: float

    @property
    def unknown(self) -> tuple[int, ...]:
        """Unidentifiable parameters."""
        return tuple(sorted({*self.idle, *(i for tie in self.tied for i, _ in tie)}))


def information(jacobian: Array, sizes: Array) -> Information:
    """Analyse a Jacobian, shape (n, p), for parameters of the given sizes."""
    p = jacobian.shape[1]
    length = np.linalg.norm(jacobian, axis=0)
    weight = length * sizes
    idle = tuple(int(i) for i in np.flatnonzero(weight <= IDLE * weight.max(initial=0.0)))
    live = [i for i in range(p) if i not in idle]
    inverse = np.zeros((p, p))
    inverse[idle, idle] = np.inf
    if not live:
        return Information(inverse, idle, (), np.inf)
    _, s, vt = np.linalg.svd(jacobian[:, live] / length[live], full_matrices=False)
    kept = s > TIED * s[0]
    v = vt[kept].T / s[kept]
    inverse[np.ix_(live, live)] = v @ v.T / np.outer(length[live], length[live])
    ties = []
    for row in vt[~kept]:
        change = row / length[live]
        change = change / np.abs(change).max()
        parts = np.flatnonzero(np.abs(row) > 1e-3)
        ties.append(tuple((live[k], float(change[k])) for k in parts))
    for i, _ in (pair for tie in ties for pair in tie):
        inverse[i, :] = inverse[:, i] = 0.0
        inverse[i, i] = np.inf
    return Information(inverse, idle, tuple(ties), float(s[0] / s[-1]) if kept.all() else np.inf)


@dataclass(frozen=True, eq=False)
class Solution:
    """Minimum of a sum of squares, or of its robust counterpart.

    Attributes
    ----------
    x : ndarray, shape (p,)
        The parameters.
    cov : ndarray, shape (p, p)
        Covariance of the parameters; infinite on the diagonal for unidentifiable ones. Parameters at a bound are held
        there.
    scale : float
        Standard deviation of the residuals; in a robust fit that of the residuals without outliers.
    residuals : ndarray, shape (n,)
        Residuals at the end.
    info : Information
        Information in the Jacobian at the end.
    on_bound : tuple of int
        Parameters that lie on a bound.
    success : bool
        True if the search has converged.
    message : str
        Reason of the end.
    evaluations : int
        Number of evaluations of the residuals, without those for derivatives.
    """

    x: Array
    cov: Array
    scale: float
    residuals: Array
    info: Information
    on_bound: tuple[int, ...]
    success: bool
    message: str
    evaluations: int

    @property
    def unfinished(self) -> list[str]:
        """Reason why the search has not converged; empty if it has."""
        return [] if self.success else [self.message]


def minimise(
    residuals: Callable[[Array], Array],
    jacobian: Callable[[Array], Array],
    start: Array,
    low: Array,
    high: Array,
    sizes: Array,
    *,
    size_of_data: float,
    robust: bool = False,
    tolerance: float = 1e-12,
    max_evaluations: int = 200,
) -> Solution:
    """Solve bounded least squares by a trust-region method; robust: soft-L1, scaled by the median residual."""
    run = _Run(residuals, jacobian, low, high, sizes, max_evaluations, tolerance)
    x = np.clip(start, low, high)
    floor = EXACT * size_of_data
    if not robust:
        x, r, j, success, message = run(x, None)
        scale = float(np.sqrt(r @ r / max(1, r.size - x.size)))
        psi_squared = slope = 1.0
    else:
        scale = _spread(residuals(x), x.size)
        for _ in range(20):
            before = scale
            x, r, j, success, message = run(x, TUNING * max(scale, floor))
            scale = _spread(r, x.size)
            if abs(scale - before) <= 1e-3 * before or scale <= floor:
                break
        psi_squared, slope = _robust_factors(r / max(scale, floor), x.size)
    near = (x - low <= NEAR * sizes, high - x <= NEAR * sizes)
    if any(side.any() for side in near):
        x = np.where(near[0], low, np.where(near[1], high, x))
        r, j = residuals(x), jacobian(x)
    info = information(j, sizes)
    # At a bound an effect may begin with the square of the parameter.
    inside = x + np.where(near[0], 1.0, -1.0) * np.minimum(sizes, high - low)
    least = IDLE * np.linalg.norm(j * sizes, axis=0).max(initial=0.0)
    bent = [
        i
        for i in info.idle
        if (near[0] | near[1])[i]
        and np.linalg.norm(residuals(np.where(np.arange(x.size) == i, inside, x)) - r) > least
    ]
    info = replace(info, idle=tuple(i for i in info.idle if i not in bent))
    on_bound = tuple(i for i in np.flatnonzero(near[0] | near[1]).tolist() if i not in info.unknown)
    free = [i for i in range(x.size) if i not in (*on_bound, *info.unknown)]
    cov = np.zeros((x.size, x.size))
    cov[info.unknown, info.unknown] = np.inf
    variance = scale**2 * psi_squared / slope**2
    cov[np.ix_(free, free)] = variance * information(j[:, free], sizes[free]).inverse
    return Solution(x, cov, scale, r, info, on_bound, success, message, run.evaluations)


class _Run:
    """Successive calls of SciPy, with parameters scaled by their sizes."""

    def __init__(
        self,
        residuals: Callable[[Array], Array],
        jacobian: Callable[[Array], Array],
        low: Array,
        high: Array,
        sizes: Array,
        budget: int,
        tolerance: float,
    ) -> None:
        self.residuals, self.jacobian = residuals, jacobian
        self.low, self.high, self.sizes = low, high, sizes
        self.budget, self.tolerance, self.evaluations = budget, tolerance, 0

    def __call__(self, x: Array, soft: float | None) -> tuple[Array, Array, Array, bool, str]:
        s = self.sizes
        answer = scipy("optimize").least_squares(
            lambda u: self.residuals(u * s),
            np.clip(x, self.low, self.high) / s,
            lambda u: self.jacobian(u * s) * s,
            bounds=(self.low / s, self.high / s),
            ftol=max(1e-14, 0.01 * self.tolerance),
            xtol=self.tolerance,
            gtol=1e-14,
            loss="linear" if soft is None else "soft_l1",
            f_scale=1.0 if soft is None else soft,
            max_nfev=self.budget,
        )
        self.evaluations += int(answer.nfev)
        at = np.asarray(answer.x) * s
        # SciPy hands back the Jacobian weighted by the loss; the covariance is built on the plain one.
        return at, self.residuals(at), self.jacobian(at), bool(answer.success), ENDED[int(answer.status)]


ENDED = {
    0: "max_evaluations is reached",
    1: "converged: the gradient is zero",
    2: "converged: the sum of squares changes by less than the tolerance",
    3: "converged: the parameters change by less than the tolerance",
    4: "converged: parameters and sum of squares change by less than the tolerance",
}
"""Messages by SciPy's status of the search."""


def _spread(r: Array, p: int) -> float:
    """Standard deviation of the bulk of residuals: the median size, with the degrees of freedom used up."""
    return float(np.median(np.abs(r)) / MAD * np.sqrt(r.size / max(1, r.size - p)))


def _robust_factors(u: Array, p: int) -> tuple[float, float]:
    """Mean of psi² and of psi' of soft-L1 at u = r/s, with Huber's correction for p parameters out of n.

    psi = u/sqrt(1 + (u/c)²); Huber, Robust Statistics 1981, (6.5): cov = K² [Σψ²/(n − p)]/[Σψ'/n]² s² (JᵀJ)⁻¹,
    K = 1 + (p/n)·var ψ'/(mean ψ')².
    """
    w = 1.0 + (u / TUNING) ** 2
    slope = w**-1.5
    mean = float(np.mean(slope))
    k = 1.0 + p / u.size * float(np.var(slope)) / mean**2
    return k**2 * float(np.sum(u**2 / w)) / max(1, u.size - p), mean


def differences(
    residuals: Callable[[Array], Array], sizes: Array, low: Array, high: Array, step: float = 1e-5
) -> Callable[[Array], Array]:
    """The Jacobian by central differences over `step` times the size of each parameter; one-sided at bounds."""

    def jacobian(x: Array) -> Array:
        out = []
        for i in range(x.size):
            ends = []
            for sign in (1.0, -1.0):
                y = x.copy()
                y[i] = np.clip(x[i] + sign * step * sizes[i], low[i], high[i])
                ends.append((y[i], residuals(y)))
            (a, ra), (b, rb) = ends
            out.append((ra - rb) / (a - b))
        return np.stack(out, axis=1)

    return jacobian


def describe_ties(info: Information, names: Sequence[str]) -> list[str]:
    """Return sentences on unidentifiable parameters."""
    notes = [f"{names[i]} has no effect on these data" for i in info.idle]
    for tie in info.tied:
        parts = ", ".join(f"{names[i]} {weight:+.3g}" for i, weight in tie)
        notes.append(f"only combinations are identifiable: the residuals do not change along ({parts})")
    return notes
