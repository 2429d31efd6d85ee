"""Machines drawn from their descriptions: everything of a machine is in the drawing, and no label lies on another."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from labels import faults
from matplotlib.patches import Circle, Ellipse, Polygon

import stickslip as ss
from stickslip import parts
from stickslip.draw import style as _style
from stickslip.draw import words

TABLE_I: dict[str, float] = {
    "stiffness": 1e5,
    "damping": 316.2,
    "viscous": 0.4,
    "static": 1.5,
    "kinetic": 1.0,
    "stribeck_velocity": 1e-3,
}
STRIBECK = ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3)


def belt() -> ss.Machine:
    law = ss.Coulomb(static=1.0, kinetic=0.8)
    return ss.machines.belt_oscillator(1.0, 2.0, law, belt_velocity=0.2, damping=0.3)


def three() -> ss.Machine:
    """Three masses with every kind of element."""
    m = ss.Machine(
        mass=[1.0, 2.0, 3.0],
        stiffness=[[2.5, -1.0, -0.5], [-1.0, 4.0, -2.0], [-0.5, -2.0, 5.5]],
        damping=[[0.2, -0.2, 0.0], [-0.2, 0.2, 0.0], [0.0, 0.0, 0.0]],
        names=["a", "b", "c"],
        force={"a": ss.Sine(amplitude=1.0, frequency=2.0), "b": ss.Ramp(slope=0.2), "c": -12.0},
    )
    full = ss.StickSlip(STRIBECK, memory=ss.Lag(0.01), dwell=1.0, presliding=ss.Presliding(5e-5, 1.0))
    m.add_friction("guide", on="a", law=full, surface_velocity=0.2)
    m.add_friction("joint", on=("a", "b"), law=ss.LuGre(**TABLE_I), normal_load=3.0)
    m.add_contact("stop", normal={"c": -1.0}, gap=0.1, restitution=0.5)
    return m


def floor() -> ss.Machine:
    m = ss.Machine(mass=[[2.0, 0.5], [0.5, 1.0]], names=["x", "y"], force={"y": -9.81})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
    return m


def servo(**options: Any) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.LuGre(**TABLE_I))
    m.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0, **options), name="pid", on="slide", reference=1.0)
    return m


def observed() -> ss.Machine:
    m = servo(limits=5.0, period=1e-3)
    m.add_controller(ss.FrictionObserver(ss.LuGre(**TABLE_I)), name="observer", on="slide", reference=1.0)
    return m


def drive(**options: Any) -> ss.machines.TwoMassDrive:
    return ss.machines.two_mass_drive(
        motor_mass=1000.0,
        load_mass=1000.0,
        stiffness=5e6,
        damping=1341.64,
        load_friction=STRIBECK,
        normal_load=9810.0,
        control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3, **options),
        reference=ss.Sine(amplitude=50e-6, frequency=0.5),
    )


def loops() -> ss.Machine:
    """A position loop that feeds a velocity loop, and friction fed forward."""
    m = ss.Machine(mass=[1000.0, 1000.0], stiffness=[[5e6, -5e6], [-5e6, 5e6]], names=["motor", "load"])
    reference = ss.Sine(amplitude=50e-6, frequency=0.5)
    position = ss.P(kp=133.3, limits=0.2, feedforward=1.0)
    m.add_controller(position, name="position", measure="motor", reference=reference)
    speed = ss.PI(kp=7e5, tn=0.03, limits=5e3, period=1e-3)
    m.add_controller(speed, name="speed", measure="motor.velocity", reference="position.output", to="motor")
    forward = ss.FrictionFeedforward(ss.Coulomb(static=60.0, kinetic=60.0))
    m.add_controller(forward, name="forward", reference=reference, to="motor")
    return m


def plant() -> ss.StateSpace:
    p = drive().machine.to_state_space(to=["motor", "load"], measure=["motor", "load.velocity"])
    p.add_friction("guide", law=STRIBECK, velocity="load.velocity", on="u1", normal_load=9810.0)
    return p


def led() -> ss.StateSpace:
    p = plant()
    lead = ss.LTI(A=-50.0, B=1.0, C=-2000.0, D=50.0, limits=(-10.0, None))
    p.add_controller(lead, name="lead", measure="motor", reference=1.0, to="u0")
    return p


def axis() -> ss.Drive:
    """A servo axis from parts: motor, gear with backlash, screw, slide, speed control."""
    axis = ss.Drive()
    axis.add("motor", parts.Motor(2e-3, "speed.output", current_lag=5e-4, torque_limit=15.0))
    axis.add("encoder", parts.Encoder(lines=5000))
    axis.add("gear", parts.Gear(ratio=2.0, backlash=2e-4, stiffness=2e4, damping=2.0))
    axis.add("pinion", parts.Inertia(1e-3))
    axis.add("screw", parts.BallScrew(lead=0.01))
    axis.add("slide", parts.Slide(200.0, ss.Stribeck(static=300.0, kinetic=200.0, stribeck_velocity=2e-3)))
    speed = ss.PI(kp=1.2, tn=15e-3, controls="rate", rate="difference", period=125e-6)
    reference = ss.SmoothStep(20.0, duration=0.1)
    axis.add("speed", speed, measure="encoder", reference=reference, limited_by="motor")
    return axis


def rotors() -> ss.Machine:
    m = ss.Machine(
        mass=[0.02, 0.5, 0.1],
        stiffness=[[300.0, -300.0, 0.0], [-300.0, 400.0, -100.0], [0.0, -100.0, 150.0]],
        damping=[[0.1, -0.1, 0.0], [-0.1, 0.1, 0.0], [0.0, 0.0, 0.0]],
        names=["motor", "flywheel", "load"],
        kind="rotary",
        force={"motor": 5.0},
    )
    m.add_friction("brake", on="load", law=ss.Coulomb(static=6.0, kinetic=4.0))
    return m


WEDGE = ss.machines.wedge_gear(
    upper_mass=2420.0,
    lower_mass=10.878,
    angle=math.radians(12.0),
    friction=math.tan(math.radians(14.0)),
    load=100.0,
    stiffness=4000.0,
    pull_velocity=0.01,
)
WORM = ss.machines.worm_gear(
    wheel_inertia=0.875424,
    worm_inertia=1.56e-3,
    wheel_radius=0.05,
    worm_radius=0.036,
    lead_angle=math.radians(3.18),
    friction=0.4,
    load_torque=3.53,
    shaft_stiffness=20.0,
    motor_speed=-0.47,
    clearance=2e-3,
    shaft_damping=0.1,
)
DRAWN: dict[str, tuple[Callable[[], Any], str | None]] = {
    "belt": (belt, None),
    "belt states": (belt, "belt"),
    "belt signals": (belt, "diagram"),
    "three": (three, None),
    "three states": (three, "guide"),
    "three signals": (three, "diagram"),
    "floor": (floor, None),
    "chain": (lambda: ss.machines.chain([1.0] * 4, 100.0, damping=1.0, left=50.0, law=STRIBECK), None),
    "servo": (servo, None),
    "servo masses": (servo, "schematic"),
    "observed": (observed, None),
    "drive": (lambda: drive(limits=5e3, period=1e-3), None),
    "drive masses": (drive, "schematic"),
    "loops": (loops, None),
    "axis": (axis, None),
    "axis masses": (axis, "schematic"),
    "rotors": (rotors, None),
    "plant": (plant, None),
    "led": (led, None),
    "wedge": (lambda: WEDGE, None),
    "steep wedge": (lambda: dataclasses.replace(WEDGE, angle=1.2, friction=0.3, static_friction=0.4), None),
    "wedge masses": (lambda: WEDGE, "schematic"),
    "worm": (lambda: WORM, None),
    "fine worm": (lambda: dataclasses.replace(WORM, worm_radius=0.005, lead_angle=0.6), None),
    "worm masses": (lambda: WORM, "schematic"),
}


def said(ax: Any) -> str:
    return "\n".join(text.get_text() for text in ax.texts)


@pytest.mark.parametrize("name", DRAWN)
def test_labels_lie_apart_and_inside(name: str) -> None:
    made, what = DRAWN[name]
    assert faults(made().draw(what=what).figure) == []


BODIES = {"wedge", "steep wedge", "worm", "fine worm"}  # which touch


@pytest.mark.parametrize("name", ["servo", "observed", "drive", "loops", "axis", "led"])
def test_diagram_fits_a_page(name: str) -> None:
    made, what = DRAWN[name]
    width, height = 25.4 * made().draw(what=what).figure.get_size_inches()
    assert width <= 170.0 and height <= 150.0


def test_rotors_are_discs_on_shafts() -> None:
    """Two ellipses for each rotor, and none for a slide."""
    ax = axis().draw(what="schematic")
    assert sum(isinstance(patch, Ellipse) and not isinstance(patch, Circle) for patch in ax.patches) == 4
    assert {"motor\n0.002 kg m²", "pinion\n0.001 kg m²", "slide\n200 kg"} <= {t.get_text() for t in ax.texts}


@pytest.mark.parametrize("name", sorted(DRAWN.keys() - BODIES))
def test_blocks_with_text_lie_apart(name: str) -> None:
    """No block of a diagram or row covers another; the box of a plant lies behind what is in it."""
    made, what = DRAWN[name]
    ax = made().draw(what=what)
    boxes = []
    for patch in ax.patches:
        if isinstance(patch, Polygon) and patch.get_zorder() == 3:
            corners = patch.get_xy()
            boxes.append((*corners.min(axis=0), *corners.max(axis=0)))
    for k, a in enumerate(boxes):
        for b in boxes[k + 1 :]:
            assert a[2] <= b[0] + 1e-9 or b[2] <= a[0] + 1e-9 or a[3] <= b[1] + 1e-9 or b[3] <= a[1] + 1e-9


def test_schematic_contains_every_element() -> None:
    words_ = said(three().draw())
    for part in (
        *("a\n1 kg", "b\n2 kg", "c\n3 kg"),
        *("1 N/m", "2 N/m", "3 N/m", "0.2 Ns/m", "spring, 0.5 N/m", "spring to ground, 1 N/m"),
        *("F(t)", "0.2 N/s · t", "12 N"),
        *("guide: StickSlip(Stribeck)", "surface at 0.2 m/s", "joint: LuGre", "normal load 3 N", "v = a − b"),
        *("stop: gap −c + 0.1 m ≥ 0", "Poisson, ε = 0.5"),
    ):
        assert part in words_, part
    assert "mass matrix couples: 0.5 kg" in said(floor().draw())
    assert "sliding x, μ = 0.3" in said(floor().draw())


def test_force_as_a_formula_is_no_constant() -> None:
    drawn = said(ss.machines.pendulum(1.0, 0.5).draw())
    assert "M(q, v, t)" in drawn and "0 Nm" not in drawn


def test_springs_are_those_of_the_matrix() -> None:
    """Put together again, the springs that are written make the stiffness matrix."""
    texts = said(ss.machines.chain([1.0, 2.0, 3.0], [10.0, 20.0], left=5.0, right=7.0).draw()).split("\n")
    written = [float(text.split()[0]) for text in texts if text.endswith("N/m")]
    assert sorted(written) == [5.0, 7.0, 10.0, 20.0]


def test_the_diagram_shows_controllers_limits_and_what_is_measured() -> None:
    words_ = said(drive(limits=5e3, period=1e-3, velocity_feedforward=1.0).draw())
    for part in (
        *("r(t)", "P\nkv = 133.3 1/s\n+ ṙ", "PI\nkp = 7e5 Ns/m\nTn = 30 ms"),
        *("limit\n±5000 N", "held for\n1 ms", "control → motor", "motor.position", "motor.velocity"),
        *("motor\n1000 kg", "load friction: Stribeck\nnormal load 9810 N", "5e6 N/m", "1342 Ns/m"),
    ):
        assert part in words_, part
    words_ = said(loops().draw())
    for part in (
        *("position.output", "kp = 133.3 1/s", "limit\n±0.2 m/s", "kp = 7e5 Ns/m", "speed → motor"),
        *("friction feedforward\nCoulomb", "forward → motor"),
    ):
        assert part in words_, part
    assert "friction observer\nLuGre" in said(observed().draw())
    arm = ss.Machine(mass=1.0, names=["arm"], kind="rotary")
    arm.add_controller(ss.P(kp=1.0, limits=3.0), on="arm")
    assert "limit\n±3 Nm" in said(arm.draw())
    assert "−10 … ∞ N" in said(led().draw()) and "1 state" in said(led().draw())


def test_block_after_a_limit_has_a_known_unit() -> None:
    """Outputs of a plant in matrix notation have no known unit."""
    p = plant()
    p.add_controller(ss.P(kp=2.0), measure="motor", reference=1.0, to="u0")
    assert "P\nkp = 2" in said(p.draw()) and "kp = 2 N" not in said(p.draw())


def test_the_chart_shows_the_options_in_use() -> None:
    full, plain = said(three().draw(what="guide")), said(belt().draw(what="belt"))
    for part in ("k\\,s", "T_{fr}", "t_{dwell}", "f_{sa}"):
        assert part in full and part not in plain
    assert "$v = 0$" in plain and "$v = 0$" not in full


def test_gears_are_drawn_with_their_own_angle() -> None:
    ax = WEDGE.draw()
    lower = next(patch for patch in ax.patches if isinstance(patch, Polygon)).get_xy()
    slope = (lower[2] - lower[3])[1] / (lower[2] - lower[3])[0]
    assert slope == pytest.approx(math.tan(WEDGE.angle), rel=1e-12)
    assert "= 12°" in said(ax) and "= 2420 kg" in said(ax)
    assert "(drawn with 40°)" in said(DRAWN["steep wedge"][0]().draw())
    thread = next(line for line in WORM.draw().lines if line.get_linewidth() == 0.9)
    dx, dy = np.ptp(thread.get_xdata()), np.ptp(thread.get_ydata())
    assert dx / dy == pytest.approx(math.tan(WORM.lead_angle), rel=1e-12)
    assert "= 2 mm" in said(WORM.draw()) and "= 0.1 Nms/rad" in said(WORM.draw())


def test_given_axes_are_used_and_letters_shrink() -> None:
    canvas = _style.canvas(40.0, 80.0)
    ax = canvas.subplots()
    assert drive().draw(ax=ax) is ax
    small = {text.get_fontsize() for text in ax.texts}
    assert max(small) < 6.0 <= max(text.get_fontsize() for text in drive().draw().texts)


def test_invalid_drawing_arguments_are_refused() -> None:
    allowed = "unknown picture what = 'joint'; known are: 'schematic', 'diagram', 'guide'"
    with pytest.raises(ss.UnknownNameError) as error:
        three().draw(what="joint")  # a bristle has no states that are modes
    assert str(error.value) == allowed
    with pytest.raises(ss.UnknownNameError, match="'schematic'; known are: 'diagram'"):
        plant().draw(what="schematic")
    with pytest.raises(ss.UnknownNameError, match="what = 'side'"):
        WEDGE.draw(what="side")


def test_drawing_changes_nothing() -> None:
    m, before = three(), three()
    m.draw()
    m.draw(what="diagram")
    assert m == before


def test_message_without_matplotlib_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not installed
    with pytest.raises(ImportError, match=r"stickslip\[figures\]"):
        belt().draw()


def test_numbers_are_written_short() -> None:
    assert [words.amount(x) for x in (5e6, 1341.64, -2.5e-5, 0.2, 12.0)] == [
        "5e6",
        "1342",
        "−2.5e−5",
        "0.2",
        "12",
    ]
    assert words.form({"x": 1.0, "y": -2.0, "z": -1.0}) == "x − 2 y − z"
