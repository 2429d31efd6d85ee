"""Gradients of functions of arrays, against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stickslip.run._tape import Noted, NotNoted, gradients

A = np.array([[0.3, -1.2, 0.7], [2.0, 0.1, 0.4]])

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda x, y: np.sum((x + 2.0) * y / (3.0 + x * x) - x**3 + 2.0**y),
    "elementary": lambda x, y: np.sum(np.sin(x) * np.exp(y) + np.tanh(x) / np.sqrt(4.0 + y) + np.log1p(x * x)),
    "more of them": lambda x, y: np.sum(np.cos(x) + np.tan(0.3 * y) + np.arctan2(x, y) + np.hypot(x, y) + np.cosh(y)),
    "inverse hyperbolic": lambda x, y: np.sum(np.arcsinh(x) + np.arccosh(2.0 + x * x) * np.arctanh(y / (2.0 + y * y))),
    "still more": lambda x, y: np.sum(np.sinh(x) + np.expm1(y) + np.log(3.0 + x) + np.arctan(y) + 1.0 / (4.0 + x)),
    "sums": lambda x, y: x.mean() * y.sum() + np.var(x) + np.std(y, ddof=1) + np.mean(x[None, :] * y[:, None], axis=0)[1],
    "products": lambda x, y: np.dot(A @ x, A @ y) + x @ y + np.inner(x, x) + (y @ A.T)[0],
    "indices": lambda x, y: x[0] * y[-1] + np.sum(np.diff(x) ** 2) + x[1:] @ y[:-1] + np.sum(x[[0, 0, 2]]),
    "joined": lambda x, y: np.sum(np.concatenate([x, y]) ** 2 * np.arange(6)) + np.stack([x[0], y[1]]) @ np.ones(2),
    "chosen": lambda x, y: np.sum(np.where(x > 0.5, x * x, y)) + np.max(x) + np.min(y) + np.sum(np.maximum(x, y)),
    "more chosen": lambda x, y: np.abs(x - 0.1).sum() + np.sum(np.minimum(x, 0.4)) + np.linalg.norm(x - y) - sum(y),
    "areas": lambda x, y: np.trapezoid(x**2, np.array([0.0, 1.0, 3.0])) if hasattr(np, "trapezoid") else np.sum(x),
    "broadcast": lambda x, y: np.sum((x.reshape(3, 1) - y) ** 2 * np.arange(3.0)) + np.square(x).T.ravel()[1],
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_recorded_gradients_agree_with_differences(name: str) -> None:
    f, at = FUNCTIONS[name], [np.array([0.9, 0.2, -0.4]), np.array([0.35, 1.1, 0.8])]
    noted = [Noted(x) for x in at]
    made = f(*noted)
    assert float(made.value) == pytest.approx(float(f(*at)), rel=1e-14)
    h = 1e-3
    for which, gradient in enumerate(gradients(made, noted)):
        for k in range(3):

            def beside(step: float, which: int = which, k: int = k) -> float:
                moved = [x.copy() for x in at]
                moved[which][k] += step * h
                return float(f(*moved))

            slope = sum(w * (beside(n) - beside(-n)) for n, w in ((1, 0.75), (2, -0.15), (3, 1 / 60))) / h
            assert gradient[k] == pytest.approx(slope, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize(
    "f",
    [
        float,
        np.asarray,
        np.fft.fft,
        np.cumsum,
        lambda x: np.add.accumulate(x),
        lambda x: x[x],
        lambda x: np.sum(x, out=x),
    ],
)
def test_unknown_operations_are_named(f: Callable[[Any], Any]) -> None:
    with pytest.raises(NotNoted):
        f(Noted(np.array([1.0, 2.0])))
