"""Crank, rod and slider as a closed loop."""

from __future__ import annotations

from typing import Any

from stickslip import _checks as checks
from stickslip.expressions.functions import cos, sin
from stickslip.machine.machine import Machine

__all__ = ["slider_crank"]


def slider_crank(
    crank: float,
    rod: float,
    slider_mass: float,
    *,
    crank_inertia: float,
    rod_mass: float,
    rod_inertia: float | None = None,
    rod_centre: float = 0.5,
    offset: float = 0.0,
    gravity: float = 0.0,
) -> Machine:
    """Make a slider-crank: the crank turns about the origin, the slider moves along x at the height `offset`.

    Two constraints close the loop, ``r cos φ + l cos ψ = x`` and ``r sin φ + l sin ψ = offset``, so that elements act
    on crank, rod and slider directly, and the forces of the joint are signals. The constraints follow the motion
    without drift (see `Machine.add_constraint`).

    Parameters
    ----------
    crank, rod : float
        Lengths r and l, m, positive.
    slider_mass : float
        kg, positive.
    crank_inertia : float
        Moment of inertia of the crank about its shaft, kg m², positive.
    rod_mass : float
        Mass of the rod, kg, positive.
    rod_inertia : float, optional
        Moment of inertia of the rod about its centre, kg m²; by default that of a uniform rod.
    rod_centre : float, default 0.5
        Distance of its centre from the crank's pin, as a fraction of its length.
    offset : float, default 0.0
        Height of the slider's axis over the shaft, m.
    gravity : float, default 0.0
        Gravity on the rod, along -y, m/s².

    Returns
    -------
    Machine
        With the coordinates "crank" and "rod" (angles from the x axis) and "slider", and the constraints "along" and
        "across", whose forces are those of the pin between rod and slider. Initial values of the crank determine the
        others.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.machines.slider_crank(0.1, 0.3, slider_mass=0.5, crank_inertia=0.01, rod_mass=0.2)
    >>> m.add_friction("guide", on="slider", law=0.2, normal_load=5.0)
    >>> run = ss.simulate(m, t_end=1.0, dt=0.5, initial={"crank.velocity": 10.0})
    >>> round(float(run["slider.position"][0]), 12)
    0.4
    """
    r, length = checks.positive("crank", crank), checks.positive("rod", rod)
    c, m_rod = checks.finite("rod_centre", rod_centre) * length, checks.positive("rod_mass", rod_mass)
    inertia = m_rod * length**2 / 12.0 if rod_inertia is None else rod_inertia
    own = checks.positive("rod_inertia", inertia) + m_rod * c * c
    turning = checks.positive("crank_inertia", crank_inertia) + m_rod * r * r
    slider, height = checks.positive("slider_mass", slider_mass), checks.finite("offset", offset)
    g, coupling = checks.finite("gravity", gravity), m_rod * r * c

    def mass(q: Any) -> Any:
        both = coupling * cos(q["crank"] - q["rod"])
        return [[turning, both, 0.0], [both, own, 0.0], [0.0, 0.0, slider]]

    def on_crank(q: Any, v: Any) -> Any:
        return -coupling * sin(q["crank"] - q["rod"]) * v["rod"] ** 2 - m_rod * g * r * cos(q["crank"])

    def on_rod(q: Any, v: Any) -> Any:
        return coupling * sin(q["crank"] - q["rod"]) * v["crank"] ** 2 - m_rod * g * c * cos(q["rod"])

    m = Machine(
        mass=mass,
        names=["crank", "rod", "slider"],
        force={"crank": on_crank, "rod": on_rod},
        kind={"crank": "rotary", "rod": "rotary"},
    )
    m.add_constraint("along", lambda q: r * cos(q["crank"]) + length * cos(q["rod"]) - q["slider"])
    m.add_constraint("across", lambda q: r * sin(q["crank"]) + length * sin(q["rod"]) - height)
    return m
