"""Figures 3.2, A.1 and B.1 of Hinrichsen: forces of one-sided constraints, Farkas' theorem, cones of an LCP.

A.1 and B.1 use the numbers of the source, except for the points Q1 to Q4, which it does not print: one is chosen in
each of its regions. Their numbers of solutions are found by enumeration, and so is that of every other direction. In
3.2 a unit point mass under a chosen force stands free of, at, or in the corner of two constraints.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import SOURCE
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# -- A.1 -----------------------------------------------------------------------------------------------

B = np.array([[2.0, 1.0, -1.0], [1.0, -1.0, 3.0]])  # columns n1, n2, n3 (A.2)
U = np.array([0.0, 4.0, 1.0])


def _edges() -> list[float]:
    """Directions (rad) of the edges of the cone Bᵀx <= 0, found as zeros of one row where the others hold."""
    found = []
    for k in range(B.shape[1]):
        for sign in (1.0, -1.0):
            x = sign * np.array([-B[1, k], B[0, k]])
            if np.all(B.T @ x <= 1e-15):
                found.append(math.atan2(x[1], x[0]))
    return sorted(found)


def compute_farkas() -> FigureData:
    """Find the cone of solutions, and the least of aᵀx in it for the source's u."""
    a = -B @ U
    low, high = _edges()
    inside = np.linspace(low, high, 1001)
    least = float(np.min(a @ [np.cos(inside), np.sin(inside)]))
    around = np.linspace(-math.pi, math.pi, 20001)
    x = np.array([np.cos(around), np.sin(around)])
    holds = np.all(B.T @ x <= 0.0, axis=0)
    checks = [
        Check("a1", "", float(a[0]), -3.0, 0.0, Origin.PRINTED, f"{SOURCE}, (A.4)"),
        Check("a2", "", float(a[1]), 1.0, 0.0, Origin.PRINTED, f"{SOURCE}, (A.4)"),
        Check(
            "cone begins at",
            "deg",
            math.degrees(low),
            -180.0 + math.degrees(math.atan(1.0 / 3.0)),
            1e-13,
            Origin.CLOSED_FORM,
            "x1 = 3·x2 < 0",
        ),
        Check(
            "least aᵀx of unit x in the cone",
            "",
            least,
            math.sqrt(2.0),
            1e-13,
            Origin.CLOSED_FORM,
            "at the edge (−1, −1)/√2",
        ),
        Check(
            "opening of the cone",
            "deg",
            math.degrees(high - low),
            45.0 - math.degrees(math.atan(1.0 / 3.0)),
            1e-13,
            Origin.CLOSED_FORM,
            "between (−1, −1) and (−3, −1)",
        ),
        Check(
            "least aᵀx where Bᵀx ≤ 0, all directions",
            "",
            float(np.min((a @ x)[holds])),
            0.0,
            0.0,
            Origin.CLAIMED,
            f"{SOURCE}, (A.5)",
            relation=">",
        ),
    ]
    vectors = {"name": ["n1", "n2", "n3", "a"], "x1": [*B[0], a[0]], "x2": [*B[1], a[1]]}
    edges = {"direction": [math.degrees(low), math.degrees(high)]}
    series = {
        "vectors": Series(vectors, {"name": "", "x1": "", "x2": ""}),
        "cone": Series(edges, {"direction": "deg"}),
    }
    return FigureData(
        series, checks, inputs("printed", "(A.2), (A.4)", ("B", "2 1 −1; 1 −1 3", ""), ("u", "(0, 4, 1)", ""))
    )


def _plane(ax: Axes, reach: float, names: tuple[str, str]) -> None:
    ax.set_aspect("equal")
    ax.axhline(0.0, color="#9A9A9A", linewidth=0.6)
    ax.axvline(0.0, color="#9A9A9A", linewidth=0.6)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xlabel=names[0], ylabel=names[1])
    ax.grid(False)


def _sector(ax: Axes, low: float, high: float, reach: float, **options: Any) -> None:
    """Fill an unbounded sector (deg)."""
    t = np.radians(np.linspace(low, high, 60))
    x, y = 3.0 * reach * np.cos(t), 3.0 * reach * np.sin(t)
    ax.fill([0.0, *x], [0.0, *y], **options)


def draw_farkas(data: FigureData, figure: Canvas) -> None:
    """Draw the half spaces' borders and normals, the cone of solutions and a."""
    from stickslip.draw import parts as _sketch
    from stickslip.draw import style as _style

    left, right = figure.subplots(1, 2, width_ratios=[1.6, 1.0])
    reach = 4.3
    _plane(left, reach, (r"$x_1$", r"$x_2$"))
    low, high = data["cone"]["direction"]
    _sector(left, low, high, reach, color="#BFD9EA", linewidth=0.0, zorder=1)
    rows = data["vectors"]
    colours = (_style.VERMILION, _style.GREEN, _style.PURPLE, _style.BLACK)
    for name, x, y, colour in zip(rows["name"], rows["x1"], rows["x2"], colours, strict=True):
        border = np.array([-y, x]) / math.hypot(x, y) * 7.0
        left.plot(
            [-border[0], border[0]],
            [-border[1], border[1]],
            color=colour,
            linewidth=0.9,
            linestyle=":" if name == "a" else "-",
        )
        _sketch.arrow(left, (0.0, 0.0), (x, y), "", colour=colour)
        size = math.hypot(x, y)
        label = r"$\mathbf{a}$" if name == "a" else rf"$\mathbf{{n}}_{name[1]}$"
        left.annotate(
            label,
            (x, y),
            xytext=(9 * x / size, 9 * y / size),
            textcoords="offset points",
            ha="center",
            va="center",
            color=colour,
        )
    middle = math.radians(0.5 * (low + high))
    left.text(
        3.6 * math.cos(middle),
        3.6 * math.sin(middle),
        r"$\mathbf{B}^T\mathbf{x} \leq 0$",
        ha="center",
        va="center",
    )
    _sketch.start(right, (0.0, 1.0), (0.0, 1.3))
    lines = (
        r"$\mathbf{n}_j^T\mathbf{x} \leq 0$ for $j = 1, 2, 3$: the shaded cone,",
        "on the side of every border (full line)",
        "away from its normal.",
        "",
        r"$\mathbf{a} = -\mathbf{B}\mathbf{u} = -4\,\mathbf{n}_2 - \mathbf{n}_3$ with $\mathbf{u} \geq 0$,",
        r"so $\mathbf{a}^T\mathbf{x} \geq 0$ in the whole cone:",
        "it lies on the side of the dotted border",
        r"to which $\mathbf{a}$ points.",
    )
    right.text(0.0, 1.15, "\n".join(lines), va="top", linespacing=1.6)


# -- B.1 -----------------------------------------------------------------------------------------------

A = np.array([[-1.0, -2.0], [1.0, -1.0]])  # v − A z = q (B.4)
CONES = {"C1": ("v1", "v2"), "C2": ("v1", "z2"), "C3": ("z1", "v2"), "C4": ("z1", "z2")}
POINTS = {"Q1": (2.6, 0.7), "Q2": (1.1, 2.4), "Q3": (2.0, -1.0), "Q4": (-1.8, 0.8)}


def _column(name: str) -> tuple[float, float]:
    k = int(name[1]) - 1
    x, y = np.eye(2)[:, k] if name[0] == "v" else -A[:, k]
    return float(x), float(y)


def compute_cones() -> FigureData:
    """Count the solutions of the LCP for right-hand sides all round, and at four points."""
    from stickslip import lcp

    directions = np.arange(-179.5, 180.0, 1.0)
    counts = [
        len(lcp.solve_all(A, [math.cos(math.radians(d)), math.sin(math.radians(d))])) for d in directions
    ]
    inner = math.degrees(math.atan2(1.0, 2.0))
    expected = [4 if 0.0 < d < inner else 2 if -45.0 < d < 90.0 else 0 for d in directions]
    at = {name: len(lcp.solve_all(A, q)) for name, q in POINTS.items()}
    printed = {"Q1": 4, "Q2": 2, "Q3": 2, "Q4": 0}
    both = lcp.solve_all(A, POINTS["Q3"])
    path = lcp.lemke(A, [2.0, -1.0]).z
    checks = [
        Check("Lemke: z1", "", float(path[0]), 4.0 / 3.0, 3e-16, Origin.CLOSED_FORM, f"{SOURCE}, (B.5)"),
        Check("Lemke: z2", "", float(path[1]), 1.0 / 3.0, 2e-16, Origin.CLOSED_FORM, f"{SOURCE}, (B.5)"),
        Check(
            "the other solution there: z1",
            "",
            float(max(s.z[0] for s in both)),
            2.0,
            0.0,
            Origin.CLOSED_FORM,
            "C3: z = (2, 0)",
        ),
        *(
            Check(
                f"solutions at {name}",
                "",
                float(count),
                float(printed[name]),
                0.0,
                Origin.PRINTED,
                f"{SOURCE}, appendix B",
            )
            for name, count in at.items()
        ),
        Check(
            "directions with a wrong number of solutions",
            "",
            float(np.sum(np.array(counts) != expected)),
            0.0,
            0.0,
            Origin.CLOSED_FORM,
            "sectors that overlap: edges at −45°, 0°, 26.57°, 90°",
        ),
    ]
    flat: dict[str, Any] = {"cone": list(CONES)}
    for k, name in enumerate(("first", "second")):
        ends = [_column(pair[k]) for pair in CONES.values()]
        flat |= {f"{name} q1": [end[0] for end in ends], f"{name} q2": [end[1] for end in ends]}
    series = {
        "cones": Series(flat, dict.fromkeys(flat, "")),
        "points": Series(
            {
                "name": list(POINTS),
                "q1": [q[0] for q in POINTS.values()],
                "q2": [q[1] for q in POINTS.values()],
                "solutions": list(at.values()),
            },
            dict.fromkeys(("name", "q1", "q2", "solutions"), ""),
        ),
        "count": Series(
            {"direction": directions, "solutions": counts}, {"direction": "deg", "solutions": ""}
        ),
    }
    given = (
        *inputs("printed", "(B.4)", ("A", "−1 −2; 1 −1", "")),
        *inputs(
            "chosen",
            "one in each region",
            *((name, f"({q[0]:g}, {q[1]:g})".replace("-", "−"), "") for name, q in POINTS.items()),
        ),
    )
    return FigureData(series, checks, given)


def draw_cones(data: FigureData, figure: Canvas) -> None:
    """Draw the cones on the left, how many solutions there are on the right."""
    from stickslip.draw import parts as _sketch
    from stickslip.draw import style as _style

    left, right = figure.subplots(1, 2)
    reach = 3.4
    rows = data["cones"]
    colours = (_style.BLUE, _style.VERMILION, _style.GREEN, _style.PURPLE)
    names = [(rf"${a[0]}_{a[1]}$", rf"${b[0]}_{b[1]}$") for a, b in CONES.values()]
    _plane(left, reach, (r"$q_1$", r"$q_2$"))
    for k, (cone, colour) in enumerate(zip(rows["cone"], colours, strict=True)):
        ends = [math.degrees(math.atan2(rows[f"{n} q2"][k], rows[f"{n} q1"][k])) for n in ("first", "second")]
        low, high = min(ends), max(ends)
        t = np.radians(np.linspace(low, high, 40))
        radius = 1.5 + 0.42 * k
        left.plot(radius * np.cos(t), radius * np.sin(t), color=colour, linestyle="-", linewidth=1.6)
        tip = math.radians({"C1": 62.0, "C2": 13.0, "C3": 72.0, "C4": -25.0}[str(cone)])
        left.annotate(
            f"{cone}",
            (radius * math.cos(tip), radius * math.sin(tip)),
            ha="center",
            va="center",
            color=colour,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )
    seen = {}
    for (a, b), k in zip(names, range(len(names)), strict=True):
        seen[a] = (rows["first q1"][k], rows["first q2"][k])
        seen[b] = (rows["second q1"][k], rows["second q2"][k])
    for label, (x, y) in seen.items():
        _sketch.arrow(left, (0.0, 0.0), (x, y), "", colour="#000000")
        left.plot([0.0, 6 * x], [0.0, 6 * y], color="#7A7A7A", linewidth=0.6, linestyle=":")
        left.annotate(
            label,
            (x, y),
            xytext=(7 if y <= 0 else -8, 7 if y >= 0 else -6),
            textcoords="offset points",
            ha="center",
        )
    left.set_title("complementary cones")
    _plane(right, reach, (r"$q_1$", r"$q_2$"))
    shades = {0: "#FFFFFF", 2: "#DCEBF5", 4: "#8FBEDD"}
    count = data["count"]
    borders = np.flatnonzero(np.diff(count["solutions"])) + 1
    for part in np.split(np.arange(count["solutions"].size), borders):
        shade = shades[int(count["solutions"][part[0]])]
        low, high = count["direction"][part[0]] - 0.5, count["direction"][part[-1]] + 0.5
        _sector(right, low, high, reach, color=shade, linewidth=0.0, zorder=0.5)
    for number, at in ((4, (1.75, 0.38)), (2, (0.95, 1.3)), (2, (1.35, -0.55)), (0, (-1.5, -1.5))):
        right.text(*at, f"{number} solutions" if number != 4 else "4", ha="center", va="center", fontsize=7)
    points = data["points"]
    for name, x, y in zip(points["name"], points["q1"], points["q2"], strict=True):
        right.plot([x], [y], "o", color="#000000", markersize=4)
        right.annotate(rf"$Q_{name[1]}$", (x, y), xytext=(5, 4), textcoords="offset points")
    right.set_title("how many solutions")


# -- 3.2 -----------------------------------------------------------------------------------------------

NORMALS = (math.radians(80.0), math.radians(10.0))  # directions of ∇g1 and ∇g2
FORCES = {"C": (0.55, 0.75), "B": (-0.95, 0.35), "A": (-0.75, -0.95)}  # M⁻¹h


def compute_multipliers() -> FigureData:
    """Solve the contact problem (3.35) of a unit point mass for three forces."""
    from stickslip.contact import Contacts

    gradients = np.array([[math.cos(d), math.sin(d)] for d in NORMALS])
    rows = []
    for name, force in FORCES.items():
        (one,) = Contacts([1.0, 1.0], force, gradients).transitions()
        rows.append((name, *force, *one.normal_force, *one.acceleration))
    names = ("point", "h1", "h2", "lambda1", "lambda2", "a1", "a2")
    series = Series(
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)),
        dict(zip(names, ("", "N", "N", "N", "N", "m/s²", "m/s²"), strict=True)),
    )
    gram = gradients @ gradients.T
    corner = np.linalg.solve(gram, -gradients @ FORCES["A"])
    alone = -gradients[1] @ FORCES["B"]
    product = max(
        abs(value) for row in rows for value in (np.array(row[3:5]) * (gradients @ row[5:7])).tolist()
    )
    form = Origin.CLOSED_FORM
    checks = [
        Check("A: λ1", "N", rows[2][3], float(corner[0]), 1e-15, form, "(3.37)"),
        Check("A: λ2", "N", rows[2][4], float(corner[1]), 1e-15, form, "(3.37)"),
        Check("B: λ2", "N", rows[1][4], float(alone), 3e-16, form, "(3.36)"),
        Check("C: λ1 + λ2", "N", rows[0][3] + rows[0][4], 0.0, 0.0, form, "free"),
        Check("greatest λ·g̈", "Nm/s²", product, 0.0, 2e-16, form, "(3.35)"),
    ]
    given = inputs(
        "chosen",
        "the figure has no numbers",
        ("m", 1.0, "kg"),
        ("∇g1, ∇g2", "at 80° and 10°", ""),
        ("h of A, B, C", "(−0.75, −0.95), (−0.95, 0.35), (0.55, 0.75) N", ""),
    )
    return FigureData({"": series}, checks, given)


def draw_multipliers(data: FigureData, figure: Canvas) -> None:
    """Draw the admissible accelerations, and how the constraints change the free acceleration at three points."""
    from stickslip.draw import parts as _sketch
    from stickslip.draw import style as _style

    axes, rows = figure.subplots(1, 3, sharey=True), data[""]
    words = {
        "A": r"A: both active, $\lambda_1, \lambda_2 > 0$",
        "B": r"B: one active, $\lambda_2 > 0$",
        "C": r"C: free, $\lambda = 0$",
    }
    gradients = [(math.cos(d), math.sin(d)) for d in NORMALS]
    reach = 1.35
    for ax, point in zip(axes, "ABC", strict=True):
        k = list(rows["point"]).index(point)
        _plane(ax, reach, (r"$\ddot{q}_1$ [m/s²]", r"$\ddot{q}_2$ [m/s²]" if point == "A" else ""))
        grid = np.linspace(-reach, reach, 2)
        (x1, y1), (x2, y2) = gradients
        low, high = math.degrees(NORMALS[1] + 0.5 * math.pi), math.degrees(NORMALS[0] - 0.5 * math.pi)
        _sector(ax, high, low, reach, color="#DCEBF5", linewidth=0.0, zorder=0.4)
        ax.plot(grid, -x1 / y1 * grid, color="#5A5A5A", linestyle="-", linewidth=0.8)
        ax.plot(-y2 / x2 * grid, grid, color="#5A5A5A", linestyle="-", linewidth=0.8)
        free = (float(rows["h1"][k]), float(rows["h2"][k]))
        result = (float(rows["a1"][k]), float(rows["a2"][k]))
        _sketch.arrow(ax, (0.0, 0.0), free, "", colour="#7A7A7A")
        ax.annotate(
            r"$\mathbf{M}^{-1}\mathbf{h}$",
            free,
            xytext=(0, 6 if free[1] > 0 else -9),
            textcoords="offset points",
            ha="center",
            color="#5A5A5A",
        )
        at = free
        for name, (x, y), force in zip(
            "12", gradients, (rows["lambda1"][k], rows["lambda2"][k]), strict=True
        ):
            if force > 0.0:
                to = (at[0] + force * x, at[1] + force * y)
                _sketch.arrow(ax, at, to, "", colour=_style.VERMILION)
                ax.annotate(
                    rf"$\lambda_{name}\nabla g_{name}$",
                    (0.5 * (at[0] + to[0]), 0.5 * (at[1] + to[1])),
                    xytext=(-7, 0) if name == "1" else (-12 if point == "A" else -2, 10),
                    textcoords="offset points",
                    ha="right" if name == "1" else "center",
                    color=_style.VERMILION,
                )
                at = to
        if math.hypot(*result) > 1e-9 and point != "C":
            _sketch.arrow(ax, (0.0, 0.0), result, "", colour=_style.BLUE)
            ax.annotate(
                r"$\ddot{\mathbf{q}}$", result, xytext=(6, 3), textcoords="offset points", color=_style.BLUE
            )
        if point == "A":
            ax.plot([0.0], [0.0], "o", color=_style.BLUE, markersize=4, zorder=6)
            ax.annotate(
                r"$\ddot{\mathbf{q}} = 0$",
                (0.0, 0.0),
                xytext=(5, 6),
                textcoords="offset points",
                color=_style.BLUE,
            )
        ax.set_title(words[point])
    axes[2].text(0.85, 0.05, "admissible:\n" + r"$\ddot{g}_1, \ddot{g}_2 \geq 0$", ha="center", fontsize=7)


FIGURES = (
    Figure(
        "chatter_3_2",
        "forces of one-sided constraints",
        f"{SOURCE}, figure 3.2",
        compute_multipliers,
        draw_multipliers,
        68.0,
    ),
    Figure(
        "chatter_a_1", "the theorem of Farkas", f"{SOURCE}, figure A.1", compute_farkas, draw_farkas, 88.0
    ),
    Figure("chatter_b_1", "complementary cones", f"{SOURCE}, figure B.1", compute_cones, draw_cones, 91.0),
)
