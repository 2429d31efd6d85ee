"""Figures 3.1 and 5.1 of Hinrichsen: the kinematics of two contours, and an impact in two phases.

3.1: two ellipses in motion. Where they are nearest, t1 and t2 are parallel and the line between the points stands on both;
the rates of gap and sliding, (3.11) to (3.13), are checked against differences of the nearest points themselves; (3.14)
as printed does not follow from them.
5.1: the force over time of a mass that hits an elastic wall; Poisson's ratio of impulses changes its expansion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw import parts as sk
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import MM, SOURCE
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

FORM, PRINTED = Origin.CLOSED_FORM, Origin.PRINTED

# -- 3.1 -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ellipse:
    """A contour that moves: half axes (m), centre, angle, velocity of the centre and angular velocity."""

    a: float
    b: float
    centre: tuple[float, float]
    angle: float
    velocity: tuple[float, float]
    spin: float

    def at(self, time: float) -> Ellipse:
        """The same after a time, s."""
        x, y = np.add(self.centre, np.multiply(time, self.velocity))
        return Ellipse(
            self.a, self.b, (float(x), float(y)), self.angle + self.spin * time, self.velocity, self.spin
        )

    def point(self, phi: Any, order: int = 0) -> Any:
        """Point of the contour, or its derivative by the parameter."""
        turn = np.asarray(phi) + 0.5 * math.pi * order
        local = np.array([self.a * np.cos(turn), self.b * np.sin(turn)])
        c, s = math.cos(self.angle), math.sin(self.angle)
        moved = np.array([[c, -s], [s, c]]) @ local
        return moved + np.reshape(self.centre, (2, *[1] * np.ndim(phi))) if order == 0 else moved

    def curvature(self, phi: float) -> float:
        """Curvature, 1/m, positive."""
        speed = np.linalg.norm(self.point(phi, 1))
        return float(self.a * self.b / speed**3)

    def material_velocity(self, at: Any) -> Any:
        """Velocity of the body's point there."""
        x, y = np.subtract(at, self.centre)
        return np.add(self.velocity, self.spin * np.array([-y, x]))


ONE = Ellipse(2.0, 1.1, (-0.6, -1.35), 0.25, (0.3, 0.2), 0.4)
TWO = Ellipse(1.5, 0.9, (1.2, 1.85), -0.45, (-0.5, -0.3), -0.3)
START = (1.2, -1.7)


def nearest(one: Ellipse, two: Ellipse, start: tuple[float, float] = START) -> tuple[float, float]:
    """Parameters of the nearest points, by Newton on half the square of the distance."""
    phi = np.array(start)
    for _ in range(60):
        d = two.point(phi[1]) - one.point(phi[0])
        t1, t2, c1, c2 = (
            one.point(phi[0], 1),
            two.point(phi[1], 1),
            one.point(phi[0], 2),
            two.point(phi[1], 2),
        )
        slope = np.array([-d @ t1, d @ t2])
        hesse = np.array([[t1 @ t1 - d @ c1, -t1 @ t2], [-t1 @ t2, t2 @ t2 + d @ c2]])
        step = np.linalg.solve(hesse, slope)
        phi = phi - step
        if np.abs(step).max() < 1e-15:
            break
    return float(phi[0]), float(phi[1])


def _frame(body: Ellipse, phi: float, other: Any) -> tuple[Any, Any]:
    """Unit tangent, and normal towards the other body, with b = t × n = +1."""
    normal = np.subtract(other, body.point(phi))
    normal = normal / np.linalg.norm(normal)
    return np.array([normal[1], -normal[0]]), normal


def _rates(one: Ellipse, two: Ellipse) -> tuple[float, float, float, float]:
    """Gap, its rate (3.11), and the sliding velocity that follows from (3.12) and (3.13), and as printed in (3.14).

    (3.12) and (3.13) give ``[t1ᵀ(v1 − v2)(κ1 + κ2) + g_N·bᵀ(κ2·Ω1 + κ1·Ω2)]/(κ1 + κ2 + g_N·κ1·κ2)``; (3.14) has a minus
    between κ2·Ω1 and κ1·Ω2. The source's normals point into the bodies, so its b = t1 × n1 is −1 here.
    """
    p, q = nearest(one, two)
    first, second = one.point(p), two.point(q)
    gap = float(np.linalg.norm(second - first))
    t1, n1 = _frame(one, p, second)
    v1, v2 = one.material_velocity(first), two.material_velocity(second)
    k1, k2 = one.curvature(p), two.curvature(q)
    whole = k1 + k2 + gap * k1 * k2
    level = float(t1 @ (v1 - v2)) * (k1 + k2)
    solved = (level - gap * (k2 * one.spin + k1 * two.spin)) / whole
    printed = (level - gap * (k2 * one.spin - k1 * two.spin)) / whole
    return gap, float(n1 @ (v2 - v1)), solved, printed


def _arc(body: Ellipse, low: float, high: float) -> float:
    """Length of the contour between two parameters (Gauss, 40 points)."""
    x, w = np.polynomial.legendre.leggauss(40)
    phi = 0.5 * (high + low) + 0.5 * (high - low) * x
    return float(0.5 * (high - low) * w @ np.linalg.norm(body.point(phi, 1), axis=0))


def _differences(h: float) -> tuple[float, float, float]:
    """Rates of the gap and of the sliding from the nearest points before and after."""
    base = nearest(ONE, TWO)
    gaps, arcs = [], []
    for time in (-h, h):
        one, two = ONE.at(time), TWO.at(time)
        p, q = nearest(one, two, base)
        gaps.append(float(np.linalg.norm(two.point(q) - one.point(p))))
        arcs.append((_arc(ONE, base[0], p), _arc(TWO, base[1], q)))
    s1, s2 = ((b - a) / (2.0 * h) for a, b in zip(*arcs, strict=True))
    return (gaps[1] - gaps[0]) / (2.0 * h), s1, s2


def compute_kinematics() -> FigureData:
    """Find the nearest points and their rates."""
    p, q = nearest(ONE, TWO)
    gap, rate, sliding, printed = _rates(ONE, TWO)
    t1, t2 = ONE.point(p, 1), TWO.point(q, 1)
    d = TWO.point(q) - ONE.point(p)
    crossed = float(t1[0] * t2[1] - t1[1] * t2[0]) / float(np.linalg.norm(t1) * np.linalg.norm(t2))
    by_gap, s1, s2 = _differences(1e-4)
    rolled = _sliding_from_arcs(s1, s2, p, q)
    checks = [
        Check(
            "t1ᵀ·r_D over its size",
            "",
            float(t1 @ d / np.linalg.norm(t1) / gap),
            0.0,
            1e-14,
            FORM,
            f"{SOURCE}, (3.9)",
        ),
        Check("t1 × t2 over its size", "", crossed, 0.0, 1e-14, FORM, f"{SOURCE}, (3.9)"),
        Check(
            "ġ_N by (3.11)", "m/s", rate, by_gap, 1e-8, FORM, "difference of the nearest distance over 0.2 ms"
        ),
        Check(
            "ġ_T by (3.12) and (3.13)",
            "m/s",
            sliding,
            rolled,
            5e-9,
            FORM,
            "differences of the arc lengths, (3.1)",
        ),
        Check(
            "ġ_T as printed",
            "m/s",
            rolled,
            printed,
            0.0,
            PRINTED,
            f"{SOURCE}, (3.14)",
            "(3.12) and (3.13), its origin, give κ2·Ω1 + κ1·Ω2 in the numerator; at g_N = 0 both agree",
        ),
    ]
    columns: dict[str, Any] = {
        "parameter 1": [p],
        "parameter 2": [q],
        "gap": [gap],
        "gap rate": [rate],
        "sliding": [sliding],
    }
    units = {"parameter 1": "rad", "parameter 2": "rad", "gap": "m", "gap rate": "m/s", "sliding": "m/s"}
    given = inputs(
        "chosen",
        "the figure has no numbers",
        ("half axes", "2, 1.1 m and 1.5, 0.9 m", ""),
        ("velocities", "(0.3, 0.2) and (−0.5, −0.3) m/s", ""),
        ("Ω", "0.4 and −0.3 rad/s", ""),
    )
    return FigureData({"": Series(columns, units)}, checks, given)


def _sliding_from_arcs(s1: float, s2: float, p: float, q: float) -> float:
    """ġ_T = −ṡ1* − ṡ2* (3.1), the arc lengths counted along t1 and t2 = −t1."""
    t1, _ = _frame(ONE, p, TWO.point(q))
    first = s1 * float(np.sign(t1 @ ONE.point(p, 1)))
    second = s2 * float(np.sign(-t1 @ TWO.point(q, 1)))
    return -first - second


def draw_kinematics(data: FigureData, figure: Canvas) -> None:
    """Draw both bodies with the frames at their nearest points."""
    ax, rows = figure.subplots(), data[""]
    sk.start(ax, (-4.2, 5.8), (-2.8, 3.5))
    phi = np.linspace(0.0, 2.0 * math.pi, 200)
    for body, name, fill in ((ONE, "1", sk.FILL), (TWO, "2", sk.SECOND)):
        x, y = body.point(phi)
        sk.polygon(ax, list(zip(x, y, strict=True)), fill=fill)
        sk.ball(ax, body.centre, 0.05, fill="#000000")
        sk.label(ax, body.centre, rf"$S_{name}$", "below" if name == "1" else "above")
    p, q = float(rows["parameter 1"][0]), float(rows["parameter 2"][0])
    first, second = ONE.point(p), TWO.point(q)
    t1, n1 = _frame(ONE, p, second)
    for at, t, n, name, place in ((first, t1, n1, "1", "below-end"), (second, -t1, -n1, "2", "above-end")):
        sk.arrow(ax, tuple(at), tuple(at + 1.15 * t), rf"$\mathbf{{t}}_{name}$", place, "#000000")
        sk.arrow(
            ax,
            tuple(at),
            tuple(at - 0.8 * n),  # into the body, as in the source
            rf"$\mathbf{{n}}_{name}$",
            "right-end",
            "#000000",
        )
    for body, at, name in ((ONE, first, "1"), (TWO, second, "2")):
        v = body.material_velocity(at)
        sk.arrow(
            ax,
            tuple(at),
            tuple(np.add(at, 0.9 * v)),
            rf"$\mathbf{{v}}_{{C{name}}}$",
            "left-end",
            sk.MOTION,
        )
        sk.line(ax, body.centre, tuple(at), linewidth=0.6, linestyle=":", zorder=4)
    sk.line(ax, tuple(first), tuple(second), linewidth=0.6, linestyle="--")
    gap, rate, sliding = (float(rows[name][0]) for name in ("gap", "gap rate", "sliding"))
    words = (
        rf"$g_N$ = {gap:.3f} m".replace("-", "−"),
        rf"$\dot{{g}}_N$ = {rate:.3f} m/s".replace("-", "−"),
        rf"$\dot{{g}}_T$ = {sliding:.3f} m/s".replace("-", "−"),
    )
    ax.text(2.9, -1.2, "\n".join(words), va="top", linespacing=1.7)


# -- 5.1 -----------------------------------------------------------------------------------------------

MASS, SPEED, STIFFNESS, EPSILON = 0.1, 1.0, 1e5, 0.6


def compute_pulse() -> FigureData:
    """Force on an elastic wall: m·x'' = −k·x in compression; in expansion quicker, so that Λ_E = ε·Λ_C."""
    from stickslip.contact import impact

    omega = math.sqrt(STIFFNESS / MASS)
    end_c, end_e = 0.5 * math.pi / omega, 0.5 * math.pi / omega * (1.0 + EPSILON)
    t = np.concatenate([np.linspace(0.0, end_c, 201), np.linspace(end_c, end_e, 201)[1:]])
    peak = MASS * SPEED * omega
    force = np.where(t <= end_c, peak * np.sin(omega * t), peak * np.cos(omega * (t - end_c) / EPSILON))
    x, w = np.polynomial.legendre.leggauss(20)
    first = 0.5 * end_c * float(w @ (peak * np.sin(omega * 0.5 * end_c * (x + 1.0))))
    length = end_e - end_c
    second = 0.5 * length * float(w @ (peak * np.cos(omega * 0.5 * length * (x + 1.0) / EPSILON)))
    (solved,) = impact([MASS], [-SPEED], [[1.0]], restitution=EPSILON)
    compression = float(solved.compression_normal_impulse[0])
    checks = [
        Check("Λ_C by the engine", "Ns", compression, first, 2e-16, FORM, "area under the force up to t_C"),
        Check(
            "Λ_E by the engine",
            "Ns",
            float(solved.normal_impulse[0]) - compression,
            second,
            2e-16,
            FORM,
            "area from t_C to t_E",
        ),
        Check("velocity after", "m/s", float(solved.velocity[0]), EPSILON * SPEED, 2e-16, FORM, "ε·v"),
    ]
    given = inputs(
        "chosen",
        "the figure has no numbers",
        ("m", MASS, "kg"),
        ("v", SPEED, "m/s"),
        ("k", STIFFNESS, "N/m"),
        ("ε", EPSILON, ""),
    )
    columns: dict[str, Any] = {
        "time": t * MM,
        "force": force,
        "phase": ["C" if one <= end_c else "E" for one in t],
    }
    return FigureData({"": Series(columns, {"time": "ms", "force": "N", "phase": ""})}, checks, given)


def draw_pulse(data: FigureData, figure: Canvas) -> None:
    """Draw the force with the two impulses as areas."""
    from stickslip.draw import style as _style

    ax, rows = figure.subplots(), data[""]
    compression = rows["phase"] == "C"
    join = int(np.flatnonzero(compression)[-1])
    t, force = rows["time"], rows["force"]
    ax.fill_between(t[: join + 1], force[: join + 1], color="#BFD9EA", linewidth=0.0)
    ax.fill_between(t[join:], force[join:], color=sk.SECOND, linewidth=0.0)
    ax.plot(t, force, color=_style.BLUE)
    ax.text(0.62 * t[join], 0.35 * force[join], r"$\Lambda_C = mv$" + f"\n= {MASS * SPEED:g} Ns", ha="center")
    ax.text(
        t[join] + 0.36 * (t[-1] - t[join]),
        0.3 * force[join],
        r"$\Lambda_E = \varepsilon\Lambda_C$" + f"\n= {EPSILON * MASS * SPEED:g} Ns",
        ha="center",
    )
    ax.set(
        xlabel="time t [ms]",
        ylabel=r"contact force $\lambda(t)$ [N]",
        xlim=(-0.1, 1.08 * t[-1]),
        ylim=(0.0, 1.2 * force[join]),
    )
    for x, name in ((0.0, "$t_A$"), (t[join], "$t_C$"), (t[-1], "$t_E$")):
        ax.axvline(x, color="#7A7A7A", linewidth=0.6, linestyle=":")
        ax.annotate(
            name, (x, 1.0), xycoords=("data", "axes fraction"), xytext=(3, -8), textcoords="offset points"
        )


FIGURES = (
    Figure(
        "chatter_3_1",
        "kinematics of two contours",
        f"{SOURCE}, figure 3.1",
        compute_kinematics,
        draw_kinematics,
        92.0,
    ),
    Figure(
        "chatter_5_1", "an impact in two phases", f"{SOURCE}, figure 5.1", compute_pulse, draw_pulse, 65.0
    ),
)
