"""The drawings of laws, cones, contacts and machines: their numbers by other ways, their labels apart."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from labels import faults
from scipy.integrate import quad, trapezoid
from scipy.optimize import brentq, minimize, nnls

import stickslip as ss
from stickslip_figures import FigureData, get
from stickslip_figures import chatter_cones as cones
from stickslip_figures import chatter_laws as laws
from stickslip_figures import sketch_contact as contact
from stickslip_figures._gears import SET_2
from stickslip_figures._picture import picture

NAMES = [
    *("servo_1", "servo_3", "servo_5", "bristle2_1", "bristle2_5", "bristle2_9", "laws_basic"),
    *("automaton_2_1", "automaton_3_1", "automaton_4_1", "automaton_4_6"),
    *(
        f"chatter_{n}"
        for n in (
            *(
                "2_1",
                "2_2",
                "2_3",
                "2_4",
                "2_7",
                "2_8",
                "2_9",
                "3_1",
                "3_2",
                "3_3",
                "3_4",
                "4_1",
                "4_2",
                "4_4",
                "4_4_3",
            ),
            *("5_1", "5_2", "5_3", "5_4", "5_5", "5_6", "6_1", "7_2", "a_1", "b_1"),
        )
    ),
]
DATA: dict[str, FigureData] = {}


def data(name: str) -> FigureData:
    if name not in DATA:
        DATA[name] = get(name).compute()
    return DATA[name]


def computed(name: str, start: str) -> float:
    (found,) = (c.computed for c in data(name).checks if c.quantity.startswith(start))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_labels_lie_apart_and_inside(name: str) -> None:
    assert faults(picture(get(name), data(name))) == []


def test_two_labels_in_one_place_are_found() -> None:
    """The test of labels can fail."""
    from stickslip.draw import style as _style

    with _style.style():
        canvas = _style.canvas(40.0)
        ax = canvas.subplots()
        ax.text(0.5, 0.5, "one")
        ax.text(0.51, 0.5, "two")
        ax.text(1.5, 0.5, "far out")
        ax.annotate("beside the axes", (5.0, 5.0), xytext=(0, 3), textcoords="offset points")
    assert len(faults(canvas)) == 3


@pytest.mark.parametrize("name", NAMES)
def test_deviations_from_the_source_are_the_known_ones(name: str) -> None:
    known = {
        "chatter_3_1": {"ġ_T as printed"},
        "chatter_4_4_3": {"lifting: slip speeds up below, prose"},
    }
    assert {c.quantity for c in data(name).checks if not c.within} == known.get(name, set())


# -- friction over speed -------------------------------------------------------------------------------


def test_self_braking_ranges_agree_with_brentq() -> None:
    slope = math.tan(math.radians(12.0))

    def falling(v: float) -> float:
        return 0.18 + 0.14 * math.exp(-v / 0.02) - slope

    def hump(v: float) -> float:
        return 0.16 + 0.12 * v / 0.04 * math.exp(1.0 - v / 0.04) - slope

    assert computed("chatter_2_1", "self-braking below") == pytest.approx(
        brentq(falling, 0.0, 1.0), abs=1e-12
    )
    assert computed("chatter_2_2", "self-braking from") == pytest.approx(brentq(hump, 0.0, 0.04), abs=1e-12)
    assert computed("chatter_2_2", "self-braking up to") == pytest.approx(brentq(hump, 0.04, 1.0), abs=1e-12)


def test_self_braking_wedge_gear_slows_down() -> None:
    """The speed at which a gear with that coefficient neither gains nor loses speed by itself."""
    rows = data("chatter_2_1")[""]
    for speed, mu in zip(rows["sliding velocity"][::40], rows["friction"][::40], strict=True):
        gear = ss.machines.wedge_gear(
            upper_mass=2.42, lower_mass=108.78, angle=laws.ANGLE, friction=float(mu), load=100.0, stiffness=2000.0,
            pull_velocity=0.002,
        )  # fmt: skip
        slows = gear.sliding(0.0, "lowering").lower_acceleration < 0.0
        inside = (
            float(data("chatter_2_1")["range"]["from"][0])
            < speed
            < float(data("chatter_2_1")["range"]["to"][0])
        )
        assert slows == inside


def test_halves_of_coulombs_law_hold_every_complementarity() -> None:
    rows = data("chatter_3_4")[""]
    for one, other in (("plus", "a+"), ("minus", "a-"), ("rest-", "z-"), ("rest+", "z+")):
        assert rows[one].min() >= -1e-16 and rows[other].min() >= -1e-16
        assert np.abs(rows[one] * rows[other]).max() < 1e-16
    np.testing.assert_allclose(rows["rest-"], 0.5 - rows["plus"], atol=1e-15)
    np.testing.assert_allclose(rows["rest+"], 0.5 - rows["minus"], atol=1e-15)


# -- cones ---------------------------------------------------------------------------------------------


def test_farkas_agrees_with_non_negative_least_squares() -> None:
    """a + B u = 0 has a solution u >= 0; with a turned around it has none, and aᵀx < 0 somewhere in the cone."""
    a = -cones.B @ cones.U
    assert nnls(cones.B, -a)[1] < 1e-12
    assert nnls(cones.B, a)[1] > 0.5
    assert np.all(cones.B.T @ [-2.0, -1.0] <= 0.0) and -a @ [-2.0, -1.0] < 0.0


def test_number_of_solutions_agrees_with_all_bases() -> None:
    """Every complementary basis of v − A z = q, solved by itself."""
    for name, q in cones.POINTS.items():
        found = set()
        for basis in itertools.product((False, True), repeat=2):
            columns = np.array([-cones.A[:, k] if z else np.eye(2)[:, k] for k, z in enumerate(basis)]).T
            values = np.linalg.solve(columns, q)
            if values.min() >= 0.0:
                z = tuple(
                    float(np.round(v, 12)) if taken else 0.0 for v, taken in zip(values, basis, strict=True)
                )
                found.add(z)
        assert len(found) == computed("chatter_b_1", f"solutions at {name}")


def test_multipliers_agree_with_projection() -> None:
    """The acceleration nearest to the free one among the admissible (Gauss): by SciPy's minimiser."""
    rows = data("chatter_3_2")[""]
    gradients = np.array([[math.cos(d), math.sin(d)] for d in cones.NORMALS])
    for k in range(3):
        free = np.array([rows["h1"][k], rows["h2"][k]])
        held = [{"type": "ineq", "fun": lambda a, g=g: g @ a} for g in gradients]
        best = minimize(lambda a, f=free: np.sum((a - f) ** 2), [1.0, 1.0], constraints=held, tol=1e-14).x
        np.testing.assert_allclose([rows["a1"][k], rows["a2"][k]], best, atol=1e-6)


# -- slip ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("panel", "side"), [("lowering", -1.0), ("lifting", 1.0)])
def test_states_after_slip_agree_with_the_one_row_problem(panel: str, side: float) -> None:
    """(4.37) and (4.38) evaluated by hand at many extensions; the bands say the same."""
    m1, m2, f, k = SET_2.upper_mass, SET_2.lower_mass, SET_2.load, SET_2.stiffness
    s, c, mu = math.sin(SET_2.angle), math.cos(SET_2.angle), SET_2.friction
    table = data("chatter_4_4_3")[panel]
    for w in np.linspace(-14.9e-3, 1.9e-3, 337):
        free = -f * c / m1 + k * s * w / m2
        per_force = (m2 * c * (c - side * mu * s) + m1 * s * (s + side * mu * c)) / (m1 * m2)
        expected = {"separates"} if free >= 0.0 else set()
        if -free / per_force >= 0.0:
            normal = -free / per_force
            slide = -f * s / m1 - k * c * w / m2
            slide += (m2 * s * (c - side * mu * s) - m1 * c * (s + side * mu * c)) / (m1 * m2) * normal
            expected.add("slips, speeds up" if side * slide > 0.0 else "slips, slows down")
        rows = zip(table["from"].tolist(), table["to"].tolist(), table["state"].tolist(), strict=True)
        assert {state for low, high, state in rows if low < 1e3 * w < high} == (expected or {"no solution"})


# -- impacts -------------------------------------------------------------------------------------------


def test_impacts_on_the_floor_match_hand_calculation() -> None:
    """Unit point mass, µ = ε = 1/2, approach 1 m/s: both phases one after the other."""
    rows = data("chatter_5_4")["floor"]
    for k, side in enumerate(rows["sideways"]):
        first = -math.copysign(min(abs(side), 0.5), side)
        left = side + first
        second = -math.copysign(min(abs(left), 0.25), left)
        assert rows["TC"][k] == pytest.approx(first, abs=1e-15)
        assert rows["TE"][k] == pytest.approx(second, abs=1e-15)
        assert rows["gTE"][k] == pytest.approx(left + second, abs=1e-15)


def test_pulse_areas_equal_the_impulses() -> None:
    rows = data("chatter_5_1")[""]
    for phase, impulse in (("C", 0.1), ("E", 0.06)):
        part = np.flatnonzero(rows["phase"] == phase)
        part = np.concatenate([[part[0] - 1], part]) if phase == "E" else part
        area = trapezoid(rows["force"][part], 1e-3 * rows["time"][part])
        assert area == pytest.approx(impulse, rel=1e-5)


# -- contact of two contours ---------------------------------------------------------------------------


def test_nearest_points_agree_with_a_search() -> None:
    """Least distance of the two ellipses by SciPy's simplex search, and the gap's rate by Newton's law of nothing."""

    def distance(phi: Any) -> float:
        return float(np.linalg.norm(contact.TWO.point(phi[1]) - contact.ONE.point(phi[0])))

    best = minimize(distance, contact.START, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    assert data("chatter_3_1")[""]["gap"][0] == pytest.approx(best.fun, abs=1e-12)


def test_sliding_of_two_circles_matches_closed_form() -> None:
    """Two spinning circles with fixed centres: each contact point stays, so ġ_T is the speed of their surfaces."""
    one = contact.Ellipse(2.0, 2.0, (0.0, 0.0), 0.0, (0.0, 0.0), 0.7)
    two = contact.Ellipse(1.0, 1.0, (0.0, 3.5), 0.0, (0.0, 0.0), -0.4)
    gap, rate, sliding, printed = contact._rates(one, two)
    # Arc lengths run backwards under the nearest point: ṡ1 = −r1·Ω1·(b·z) and so on, g_T' = −ṡ1 − ṡ2.
    assert (gap, rate) == pytest.approx((0.5, 0.0), abs=1e-14)
    assert sliding == pytest.approx(-(2.0 * 0.7 + 1.0 * -0.4), abs=1e-14)
    assert printed != pytest.approx(sliding, abs=0.1)


# -- drives and the automaton --------------------------------------------------------------------------


def test_coulomb_friction_stops_a_mass_and_viscous_does_not() -> None:
    motion = data("laws_basic")["motion"]
    assert motion["coulomb"][-1] == 0.0 and motion["viscous"][-1] > 0.0
    way, _ = quad(lambda t: 0.02 * math.exp(-50.0 * t), 0.0, 0.08)
    assert trapezoid(motion["viscous"], motion["time"]) == pytest.approx(way, rel=1e-5)


def test_matrices_of_the_drive_move_as_the_mechanical_form() -> None:
    """One step of the state equation with friction, against the equations of motion written out."""
    rows = data("servo_5")[""]
    a = np.stack([rows[f"A {k + 1}"] for k in range(4)], axis=1)
    x, force, friction = np.array([3e-3, 1e-3, 1e-5, -2e-5]), 700.0, 58.9
    rate = a @ x + rows["B 1"] * force + rows["A_NL"] * friction
    spring = 5e6 * (x[2] - x[3]) + 1341.64 * (x[0] - x[1])
    np.testing.assert_allclose(
        rate, [(force - spring) / 1e3, (spring - friction) / 1e3, x[0], x[1]], rtol=1e-14
    )


def test_every_arrow_of_the_chart_is_taken() -> None:
    rows = data("automaton_3_1")[""]
    assert len(set(zip(rows["from"].tolist(), rows["to"].tolist(), strict=True))) == 6
    assert np.all(rows["spring"] + rows["shaken"] > 0)


def test_hunting_loop_is_stable_by_hurwitz() -> None:
    """s³ + 6 s² + 3 s + 4: stable by Hurwitz (6·3 > 4), one real pole and a slow pair."""
    rows = data("bristle2_9")[""]
    assert np.all(rows["real"] < 0.0) and 6.0 * 3.0 > 4.0
    for p in rows["real"] + 1j * rows["imaginary"]:
        assert abs(p**3 + 6.0 * p**2 + 3.0 * p + 4.0) < 1e-12
