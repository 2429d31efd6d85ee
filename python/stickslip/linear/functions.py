"""Frequency response and feedback of systems given by their matrices."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from stickslip.linear.connect import closed, matrices
from stickslip.linear.response import FrequencyResponse
from stickslip.linear.system import LinearSystem, from_object


def frequency_response(system: Any, omega: ArrayLike | None = None) -> FrequencyResponse:
    """Return C(jω − A)⁻¹B + D, or of a sampled system C(exp(jωT) − A)⁻¹B + D.

    Parameters
    ----------
    system : (A, B, C, D) or object with A, B, C and D
        The linear part; friction is left out. An object with a sampling time ``dt`` is a sampled system.
    omega : array_like, shape (n,), optional
        Angular frequencies, rad/s; by default a grid over all poles and zeros, up to half the sampling rate.

    Returns
    -------
    FrequencyResponse
        Response, shape (outputs, inputs, n).

    Raises
    ------
    ValueError
        If the matrices do not fit together.

    Examples
    --------
    >>> import stickslip as ss
    >>> response = ss.linear.frequency_response(([[-1.0]], [[1.0]], [[1.0]], [[0.0]]), [0.0, 1.0])
    >>> response.magnitude.ravel().round(4)
    array([1.    , 0.7071])
    """
    return from_object("system", system).response(omega)


def feedback(plant: Any, controller: Any, sign: int = -1) -> LinearSystem:
    """Close the loop u = r + sign·controller(y), y the outputs of the plant.

    Parameters
    ----------
    plant, controller : (A, B, C, D) or object with A, B, C and D
        The controller takes all outputs of the plant and drives all its inputs.
    sign : {-1, 1}
        Sign of the feedback; default −1.

    Returns
    -------
    LinearSystem
        From r to y, in continuous time, with the states of the plant, then those of the controller.

    Raises
    ------
    ValueError
        If the parts do not fit, or the algebraic loop through both D has no solution.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.linear.feedback(([[0.0]], [[1.0]], [[1.0]], [[0.0]]), ([], [], [], [[3.0]])).poles()
    Poles([-3.+0.j])
    """
    return LinearSystem(
        *closed(matrices("plant", plant), matrices("controller", controller), sign, "controller")
    )
