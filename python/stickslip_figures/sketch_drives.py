"""Figures 1, 3 and 5 of Krämer and Kempkes; 1, 5 and 9 of Martínez-Rosas and others: models and their block diagrams.

Numbers beside the drawings are read from the machines that the other figures of these sources run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw import parts as sk
from stickslip_figures import _mass_sketch as mass
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs
from stickslip_figures.bristle_table import CANCELS, two_state
from stickslip_figures.bristle_table import SOURCE as BRISTLE2

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from stickslip.laws import Law

SERVO = "Krämer, Kempkes"
FORM, SAID = Origin.CLOSED_FORM, Origin.CLAIMED
TABLE_I: dict[str, Any] = {
    "stiffness": 1e5,
    "damping": math.sqrt(1e5),
    "viscous": 0.4,
    "static": 1.5,
    "kinetic": 1.0,
    "stribeck_velocity": 1e-3,
}
PRINTED = inputs(
    "printed",
    "table I",
    ("σ0", 1e5, "N/m"),
    ("σ1", "√σ0", "Ns/m"),
    ("σ2", 0.4, "Ns/m"),
    ("Fc", 1.0, "N"),
    ("Fs", 1.5, "N"),
    ("vs", 1e-3, "m/s"),
)

# -- servo 1: forces on a mass -------------------------------------------------------------------------

MASS, DRIVING, NORMAL, MU = 2.0, 12.0, 19.62, 0.3  # kg, N, N


def compute_mass() -> FigureData:
    """A mass that moves under a force: acceleration by the engine against m·a = F − μ·F_N."""
    import stickslip as ss

    machine = ss.Machine(mass=MASS, names=["mass"], force={"mass": DRIVING})
    machine.add_friction("ground", on="mass", law=ss.Coulomb(kinetic=MU), normal_load=NORMAL)
    run = ss.simulate(machine, 1.0, dt=0.5, rtol=1e-12, initial={"mass.velocity": 0.1})
    gained = float(run["mass.velocity"][-1] - run["mass.velocity"][0])
    friction = float(run["ground.force"][-1])
    checks = [
        Check("friction force", "N", friction, MU * NORMAL, 0.0, FORM, "μ·F_N"),
        Check("acceleration", "m/s²", gained, (DRIVING - MU * NORMAL) / MASS, 1e-15, FORM, "(F − μ·F_N)/m"),
    ]
    columns = {
        "driving force": [DRIVING],
        "friction": [friction],
        "normal force": [NORMAL],
        "acceleration": [gained],
    }
    units = {"driving force": "N", "friction": "N", "normal force": "N", "acceleration": "m/s²"}
    given = inputs(
        "chosen",
        "the figure has no numbers",
        ("m", MASS, "kg"),
        ("F", DRIVING, "N"),
        ("F_N", NORMAL, "N"),
        ("μ", MU, ""),
    )
    return FigureData({"": Series(columns, units)}, checks, given)


def draw_mass(data: FigureData, figure: Canvas) -> None:
    """Draw the mass with its forces to scale."""
    ax, rows, scale = figure.subplots(), data[""], 0.085
    drive, friction, normal = (
        scale * float(rows[name][0]) for name in ("driving force", "friction", "normal force")
    )
    sk.start(ax, (-3.2, 3.2), (-1.9, 2.2))
    mass.forced(ax, ("$F$", drive), ("", 0.0), (r"$F_{fr}$", friction))
    sk.arrow(ax, (0.25, -0.2 - normal), (0.25, -0.2), "$F_N$", "right")
    sk.arrow(ax, (-0.45, 1.35), (0.45, 1.35), "$v$", "right-end", sk.MOTION)


# -- servo 3: the bristle ------------------------------------------------------------------------------


def compute_bristle() -> FigureData:
    """Deflection of the bristle before slip, at rest and in fast sliding."""
    import stickslip as ss

    law = ss.LuGre(**TABLE_I)
    slow = law.response([0.0, 100.0], 1e-5)
    fast = law.response([0.0, 1.0], 0.1)
    at_rest = (1.0 + 0.5 * math.exp(-((1e-5 / 1e-3) ** 2))) / 1e5
    checks = [
        Check("bent in creeping", "m", float(slow["z"][-1]), at_rest, 2e-20, FORM, "g(v) = level/σ0"),
        Check("bent in fast sliding", "m", float(fast["z"][-1]), 1.0 / 1e5, 1e-20, FORM, "Fc/σ0"),
        Check("force in fast sliding", "N", float(fast.force[-1]), 1.0 + 0.04, 1e-15, FORM, "Fc + σ2·v"),
    ]
    columns = {"velocity": [1e-5, 0.1], "deflection": [float(slow["z"][-1]), float(fast["z"][-1])]}
    given = inputs(
        "chosen",
        "the figure has no numbers; table I of Canudas de Wit 1995",
        ("σ0", 1e5, "N/m"),
        ("Fs", 1.5, "N"),
        ("Fc", 1.0, "N"),
        ("vs", 1e-3, "m/s"),
    )
    return FigureData({"": Series(columns, {"velocity": "m/s", "deflection": "m"})}, checks, given)


def _bristles(ax: Axes, bend: float, title: str, name: str) -> None:
    sk.start(ax, (-2.2, 2.6), (-0.7, 2.5))
    sk.block(ax, -1.7, 1.35, 3.4, 0.55, "", "#DCEBF5")
    sk.ground(ax, (-2.0, 0.0), (2.2, 0.0))
    for x in (-1.25, -0.42, 0.42, 1.25):
        y = np.linspace(0.0, 1.0, 30)
        ax.plot(x + bend * y**2, 0.0 + 0.68 * y, color=sk.MOTION, linestyle="-", linewidth=1.4, zorder=3)
        ax.plot(
            x + bend * (2.0 - y**2) - 0.0 * y,
            1.35 - 0.67 * y,
            color=sk.MOTION,
            linestyle="-",
            linewidth=1.4,
            zorder=3,
        )
    sk.arrow(ax, (-0.4, 2.15), (0.5, 2.15), "$v$", "right-end", sk.MOTION)
    if bend:
        x = 0.42
        sk.line(ax, (x, 0.0), (x, 1.35), linewidth=0.6, linestyle=":")
        sk.dimension(ax, (x, 1.17), (x + 2 * bend, 1.17), "", (0.0, 0.0))
        sk.label(ax, (x + bend, -0.15), name, "below")
    ax.set_title(title)


def draw_bristle(data: FigureData, figure: Canvas) -> None:
    """Draw the bristles unbent, bent in creeping, bent in fast sliding; the deflection to scale."""
    rest, slow, fast = figure.subplots(1, 3)
    scale = 0.24 / float(data[""]["deflection"][0])
    _bristles(rest, 0.0, "undeflected", "")
    words = [f"$z$ = {1e6 * z:.1f} µm" for z in data[""]["deflection"]]
    _bristles(slow, scale * float(data[""]["deflection"][0]), "creeping, 0.01 mm/s", words[0])
    _bristles(fast, scale * float(data[""]["deflection"][1]), "sliding, 0.1 m/s", words[1])


# -- servo 5: friction in matrix notation --------------------------------------------------------------


ORDER = [2, 3, 0, 1]  # of the source, velocities first; the plant has positions first


def _plant() -> Any:
    import stickslip as ss

    drive = ss.machines.two_mass_drive(motor_mass=1000.0, load_mass=1000.0, stiffness=5e6, damping=1341.64)
    plant = drive.machine.to_state_space(to=["motor", "load"], measure=["motor", "load", "load.velocity"])
    law = ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3)
    plant.add_friction("guide", law=law, velocity="load.velocity", on="u1", normal_load=9810.0)
    return plant


def compute_matrices() -> FigureData:
    """The matrices of the two-mass drive, and that friction leaves A and B as they are."""
    import stickslip as ss

    plant = _plant()
    law = ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3)
    slow = 9810.0 * (0.006 + 0.001 / math.e)
    m, c, d = 1000.0, 5e6, 1341.64
    expected = np.array([[-d, d, -c, c], [d, -d, c, -c], [1, 0, 0, 0], [0, 1, 0, 0]]) / np.array(
        [[m], [m], [1], [1]]
    )
    a, b, a_nl = plant.A[np.ix_(ORDER, ORDER)], plant.B[ORDER], plant.A_NL[ORDER]
    checks = [
        Check(
            "NL at 1 mm/s, the Stribeck velocity",
            "N",
            law.force(1e-3, 9810.0),
            slow,
            2e-14,
            FORM,
            "m_L·g·(μk + (μs − μk)/e)",
        ),
        Check(
            "A differs by at most",
            "1/s²",
            float(np.abs(a - expected).max()),
            0.0,
            0.0,
            FORM,
            "equations of motion",
        ),
        Check(
            "A_NL + column of B where a load force enters",
            "1/kg",
            float(np.abs(a_nl[:, 0] + b[:, 1]).max()),
            0.0,
            0.0,
            SAID,
            f"{SERVO}, section 3",
        ),
    ]
    columns: dict[str, Any] = {"state": ["v_M", "v_L", "x_M", "x_L"]}
    columns |= {f"A {k + 1}": a[:, k] for k in range(4)}
    columns |= {"B 1": b[:, 0], "B 2": b[:, 1], "A_NL": a_nl[:, 0]}
    printed = inputs(
        "printed",
        "table 1",
        ("m_M", 1000.0, "kg"),
        ("m_L", 1000.0, "kg"),
        ("c", 5e6, "N/m"),
        ("d", 1341.64, "Ns/m"),
    )
    return FigureData({"": Series(columns, dict.fromkeys(columns, ""))}, checks, printed)


def _matrix(rows: Any) -> list[str]:
    return ["   ".join(f"{value + 0.0:g}".replace("-", "−").rjust(7) for value in row) for row in rows]


def draw_matrices(data: FigureData, figure: Canvas) -> None:
    """Draw the matrices of the two-mass drive, and the structure below."""
    ax, below = figure.subplots(2, 1, height_ratios=[1.5, 4.8])
    sk.start(ax, (0.0, 12.6), (1.6, 3.5))
    _plant().draw(ax=below)
    rows = data[""]
    text = "two-mass drive, state $(v_M, v_L, x_M, x_L)$, input $(F_M, F_L)$, friction at the load:"
    ax.text(0.2, 3.35, text, va="top")
    a = _matrix(np.stack([rows[f"A {k + 1}"] for k in range(4)], axis=1))
    b = _matrix(np.stack([rows["B 1"], rows["B 2"]], axis=1))
    n = _matrix(rows["A_NL"][:, None])
    for x, name, lines, width in (
        (0.2, "$A$ =", a, 4.9),
        (6.6, "$B$ =", b, 2.5),
        (10.2, "$A_{NL}$ =", n, 1.2),
    ):
        ax.text(x, 2.3, name, va="center", fontsize=7)
        left = x + (1.05 if "NL" in name else 0.7)
        ax.text(
            left + width / 2,
            2.3,
            "\n".join(lines),
            va="center",
            ha="center",
            fontsize=6,
            family="DejaVu Sans Mono",
        )
        for side, turn in ((left, 1.0), (left + width, -1.0)):
            sk.line(
                ax,
                (side + 0.1 * turn, 2.85),
                (side, 2.85),
                (side, 1.75),
                (side + 0.1 * turn, 1.75),
                linewidth=0.8,
            )


# -- bristle2 1, 5, 9 ----------------------------------------------------------------------------------


def compute_loop() -> FigureData:
    """The two states at the end of one second of creeping: the parts of the force."""
    import stickslip as ss

    law = ss.TwoStateBristle(**TABLE_I)
    speed = 1e-5
    run = law.response([0.0, 1.0], speed)
    e = math.exp(-((speed / 1e-3) ** 2))
    z, y = -math.expm1(-1e5 * speed) / 1e5, -math.expm1(-1.0) * e / 1e5
    force = 1.0 * 1e5 * z + math.sqrt(1e5) * (speed - 1e5 * speed * z) + 0.4 * speed + 0.5 * e
    checks = [
        Check("z after 1 s at 0.01 mm/s", "m", float(run["z"][-1]), z, 2e-20, FORM, "(1 − exp(−σ0·v·t))/σ0"),
        Check("y after 1 s at 0.01 mm/s", "m", float(run["y"][-1]), y, 2e-20, FORM, "(1 − exp(−t))·e(v)/σ0"),
        Check(
            "F after 1 s at 0.01 mm/s",
            "N",
            float(run.force[-1]),
            force,
            2e-15,
            FORM,
            "(4), α = σ0(Fs − Fc): y cancels",
        ),
    ]
    columns = {"z": [float(run["z"][-1])], "y": [float(run["y"][-1])], "force": [float(run.force[-1])]}
    given = (*PRINTED, *inputs("chosen", "y cancels out of F", ("α", 5e4, "Ns/m")))
    return FigureData({"": Series(columns, {"z": "m", "y": "m", "force": "N"})}, checks, given)


def _slide(law: Law, force: Any = None) -> Any:
    import stickslip as ss

    machine = ss.Machine(mass=1.0, names=["slide"], force=force)
    machine.add_friction("friction", on="slide", law=law)
    return machine


def _controlled(machine: Any) -> Any:
    """The machine with the controller of Canudas de Wit 1995."""
    import stickslip as ss

    machine.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0), name="pid", on="slide", reference=1.0)
    return machine


def draw_loop(data: FigureData, figure: Canvas) -> None:
    """Draw the mass with dynamic friction in its feedback."""
    import stickslip as ss

    machine = _slide(two_state(CANCELS), {"slide": ss.Ramp(slope=0.2)})
    machine.draw(ax=figure.subplots(), what="diagram")


def compute_pulled() -> FigureData:
    """The mass on the pulled spring: how long it takes to the first break-away of a rigid law."""
    import stickslip as ss

    machine = ss.Machine(mass=1.0, stiffness=2.0, names=["mass"], force={"mass": ss.Ramp(slope=0.2)})
    machine.add_friction("floor", on="mass", law=ss.Coulomb(static=1.5, kinetic=1.0), normal_load=1.0)
    run = ss.simulate(machine, 9.0, dt=0.1, rtol=1e-12)
    first = float(run.events[0].time)
    checks = [
        Check("rigid surface breaks away after", "s", first, 1.5 / (2.0 * 0.1), 1e-14, FORM, "Fs/(k·v)")
    ]
    given = (
        *inputs(
            "printed",
            "Canudas de Wit et al. 1995, whose experiment it is",
            ("k", 2.0, "N/m"),
            ("pull", 0.1, "m/s"),
            ("m", 1.0, "kg"),
        ),
        *PRINTED[3:5],
    )
    return FigureData({"": Series({"break-away": [first]}, {"break-away": "s"})}, checks, given)


def draw_pulled(data: FigureData, figure: Canvas) -> None:
    """Draw the mass, its spring and the end that is pulled."""
    ax = figure.subplots()
    sk.start(ax, (-3.2, 4.6), (-0.9, 2.0))
    mass.pulled(ax, "$m$ = 1 kg", "$k$ = 2 N/m", "$v$ = 0.1 m/s", "$x$", "$F$")


def compute_pid() -> FigureData:
    """The loop with a PID controller: its poles without friction, against the polynomial."""
    import stickslip as ss

    machine = _controlled(ss.Machine(mass=1.0, names=["slide"]))
    poles = np.linalg.eigvals(machine.to_state_space(to="slide", measure="slide").A)
    poles = poles[np.argsort(poles.real)]
    roots = np.roots([1.0, 6.0, 3.0, 4.0])
    roots = roots[np.argsort(roots.real)]
    worst = float(np.abs(np.sort_complex(poles[np.abs(poles) > 1e-9]) - np.sort_complex(roots)).max())
    checks = [Check("poles differ by at most", "1/s", worst, 0.0, 1e-13, FORM, "s³ + Kv·s² + Kp·s + Ki = 0")]
    given = inputs(
        "printed",
        "Canudas de Wit et al. 1995, whose gains the source uses",
        ("Kp", 3.0, "N/m"),
        ("Kv", 6.0, "Ns/m"),
        ("Ki", 4.0, "N/(m·s)"),
        ("m", 1.0, "kg"),
    )
    return FigureData(
        {"": Series({"real": roots.real, "imaginary": roots.imag}, {"real": "1/s", "imaginary": "1/s"})},
        checks,
        given,
    )


def draw_pid(data: FigureData, figure: Canvas) -> None:
    """Draw the loop: reference, PID, mass with friction, position fed back."""
    machine = _slide(two_state(CANCELS))
    _controlled(machine).draw(ax=figure.subplots())


FIGURES = (
    Figure("servo_1", "forces on a moving mass", f"{SERVO}, figure 1", compute_mass, draw_mass, 60.0),
    Figure(
        "servo_3", "the bristle of the LuGre law", f"{SERVO}, figure 3", compute_bristle, draw_bristle, 45.0
    ),
    Figure(
        "servo_5", "friction in matrix notation", f"{SERVO}, figure 5", compute_matrices, draw_matrices, 85.0
    ),
    Figure(
        "bristle2_1", "a mass with dynamic friction", f"{BRISTLE2}, figure 1", compute_loop, draw_loop, 56.0
    ),
    Figure(
        "bristle2_5", "a mass on a pulled spring", f"{BRISTLE2}, figure 5", compute_pulled, draw_pulled, 58.0
    ),
    Figure(
        "bristle2_9",
        "a mass with friction under PID control",
        f"{BRISTLE2}, figure 9",
        compute_pid,
        draw_pid,
        55.0,
    ),
)
