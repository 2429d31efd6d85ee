"""Linear systems of other packages, read by their attributes: python-control's and SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import reject, vector

Array = NDArray[np.float64]
_STATE_SPACE = ("A", "B", "C", "D")
_FRACTION = ("num", "den")
_ZEROS_POLES_GAIN = ("zeros", "poles", "gain")


def is_system(given: object) -> bool:
    """True if this is a state space, a transfer function, or zeros, poles and gain."""
    return any(
        all(hasattr(given, name) for name in names) for names in (_STATE_SPACE, _FRACTION, _ZEROS_POLES_GAIN)
    )


def matrices_of(system: Any) -> tuple[Array, Array, Array, Array]:
    """Return A, B, C, D of a system; a transfer function is converted to controllable canonical form.

    Raises
    ------
    ValueError
        If it is no linear system, is not proper, or is a transfer function with several inputs or outputs.
    """
    if all(hasattr(system, name) for name in _STATE_SPACE):
        a, b, c, d = (np.asarray(getattr(system, name), dtype=float) for name in _STATE_SPACE)
        return a, b, c, d
    if all(hasattr(system, name) for name in _FRACTION):
        return canonical(_only(system, system.num), _only(system, system.den))
    if all(hasattr(system, name) for name in _ZEROS_POLES_GAIN):
        top, bottom = np.poly(system.zeros) * system.gain, np.poly(system.poles)
        return canonical(np.real_if_close(top), np.real_if_close(bottom))
    reject(
        "system", system, "a state space with A, B, C and D, a transfer function, or zeros, poles and gain"
    )


def _only(system: Any, polynomials: Any) -> ArrayLike:
    """The polynomial of one input and one output; python-control has a list of lists of them."""
    if getattr(system, "ninputs", 1) != 1 or getattr(system, "noutputs", 1) != 1:
        sizes = f"{system.ninputs} inputs and {system.noutputs} outputs"
        reject(
            "system", f"a transfer function of {sizes}", "of one input and one output: make it a state space first, "
            "control.ss(system)",
        )  # fmt: skip
    while isinstance(polynomials, (list, tuple)) or np.ndim(polynomials) > 1:
        polynomials = polynomials[0]
    given: ArrayLike = polynomials
    return given


def canonical(num: ArrayLike, den: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """Controllable canonical form of num(s)/den(s), coefficients of falling powers.

    Raises
    ------
    ValueError
        If the degree of the numerator is above that of the denominator.
    """
    top, bottom = (
        np.trim_zeros(vector(given[0], np.atleast_1d(np.asarray(given[1]))), "f")
        for given in (("num", num), ("den", den))
    )
    if bottom.size == 0:
        reject("den", den, "not zero")
    n = bottom.size - 1
    if top.size > n + 1:
        cure = "a controller that differentiates needs a low-pass, 1/(T·s + 1)"
        reject("num", num, f"of degree {n} at most, that of den: {cure}")
    top = np.concatenate([np.zeros(n + 1 - top.size), top]) / bottom[0]
    bottom = bottom / bottom[0]
    a = np.eye(n, k=-1)
    b, d = np.zeros((n, 1)), np.array([[top[0]]])
    if n:
        a[0] = -bottom[1:]
        b[0] = 1.0
    return a, b, (top[1:] - top[0] * bottom[1:])[None, :], d
