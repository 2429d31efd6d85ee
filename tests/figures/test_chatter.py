"""Numbers that the figures of the chatter dissertation claim, and that a wrong model would be seen.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007.
"""

import dataclasses
import math

import numpy as np
import pytest
from reference import store

from stickslip_figures import Check, FigureData, get
from stickslip_figures import chatter_friction as friction
from stickslip_figures import chatter_maps as maps
from stickslip_figures import chatter_wedge as wedge
from stickslip_figures._gears import RIG, RPM, SET_1, SET_2

NAMES = [
    f"chatter_{n}"
    for n in ("2_11", "2_12", "2_13", "4_3", "6_2", "6_3", "7_3", "limits", "7_4", "7_5", "7_6", "7_7", "7_8")
]
DATA: dict[str, FigureData] = {}


def data(name: str) -> FigureData:
    if name not in DATA:
        DATA[name] = get(name).compute()
    return DATA[name]


def check(name: str, quantity: str) -> Check:
    (found,) = (c for c in data(name).checks if c.quantity == quantity)
    return found


# What the source cannot be met in, and nothing else.
KNOWN = {
    "chatter_2_11": {
        "one coefficient: oscillations before the first lasting stick",
        "end of the first stick with μ = 0.25",
    },
    "chatter_2_12": {"the wedges meet again, finite elements"},
    "chatter_2_13": {
        "lower wedge blocked, finite elements",
        "tangential impulse with the printed bracket",
    },
    "chatter_4_3": {
        "case 2: most solutions at one extension",
        "case 1: Lemke leaves stick, bound as printed",
        "case 4: Lemke leaves stick, bound as printed",
    },
    "chatter_6_2": {"most solutions for -45° < α < 180°"},
    "chatter_6_3": set(),
    "chatter_7_3": set(),
    "chatter_limits": {"μ = 0.14: chatters above"},
    "chatter_7_4": {"set 1: flights are longer than contacts by", "sliding speed at 4.5 rpm"},
    "chatter_7_5": {
        "worm in the first flight, mean speed",
        "wheel in the first flight, mean speed",
        "elastic teeth: worm in the first flight, mean speed",
        "elastic teeth: wheel in the first flight, mean speed",
        "elastic teeth: phases of sliding",
    },
    "chatter_7_6": {"wheel stands still for, over the worm", "elastic teeth: phases of sliding"},
    "chatter_7_7": {"wheel stands still for, over the worm", "elastic teeth: phases of sliding"},
    "chatter_7_8": {
        "15 rpm: impacts on the opposite flank in 100 s",
        "15 rpm: first impact on the opposite flank",
        "opposite flank hit from",
        "elastic teeth, 15 rpm: first impact on the opposite flank",
    },
}


@pytest.mark.parametrize("name", NAMES)
def test_deviations_from_the_source_are_the_known_ones(name: str) -> None:
    differing = {c.quantity for c in data(name).checks if not c.within}
    assert differing == KNOWN[name]
    assert all(c.reason for c in data(name).checks if not c.within)


def test_meeting_time_is_the_rigid_one() -> None:
    """0.28697 s, a root of the free flight in closed form, by bisection; at 0.43 s the wedges would overlap by 1.7 mm."""
    m1, m2, k, v0, load = 2420.0, 10.878, 4000.0, 0.01, 100.0
    s, c = math.sin(math.radians(12)), math.cos(math.radians(12))
    start = load / k * math.tan(math.radians(2))
    omega = math.sqrt(k / m2)

    def gap(t: float) -> float:
        w = start * math.cos(omega * t) + v0 / omega * math.sin(omega * t)
        return s * (v0 * t + start - w) - c * load / m1 * t * t / 2

    low, high = 0.15, 0.25
    assert gap(low) > 0.0 > gap(high)
    assert gap(0.43 - start / v0) == pytest.approx(-1.684e-3, abs=1e-6)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(middle) > 0.0 else (low, middle)
    assert wedge.MEETING == pytest.approx(start / v0 + low, abs=1e-15)
    assert check("chatter_2_12", "the wedges meet again").computed == pytest.approx(
        start / v0 + low, abs=1e-12
    )


def test_chatter_alternates_stick_and_flight() -> None:
    modes = data("chatter_2_12")["modes"]["mode"].tolist()
    assert modes == ["stick", "open"] * 5 + ["stick"]
    rows = data("chatter_2_12")["motion"]
    assert rows["gap"].min() >= 0.0 and rows["gap"].max() == pytest.approx(192.0, abs=1.0)
    stick = rows["gap"] == 0.0
    binding = rows["lower wedge"] - rows["upper wedge along the path"]
    assert np.abs(binding[stick]).max() < 1e-12 and binding.min() > -1e-12


def test_set_1_keeps_contact_and_sticks_with_static_above_kinetic() -> None:
    found = data("chatter_2_11")
    for name in ("constant", "static"):
        assert set(found[f"{name}_modes"]["mode"].tolist()) == {"stick", "slip-"}
    lasting = np.diff([found["static_modes"]["from"], found["static_modes"]["to"]], axis=0)[0]
    sticks = lasting[found["static_modes"]["mode"] == "stick"]
    assert sticks[1:-1] == pytest.approx([1.7503021] * (sticks.size - 2), abs=1e-6)


def test_changed_friction_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """With another friction the numbers are off: the checks fail, they do not pass by construction."""
    monkeypatch.setattr(wedge, "SET_2", dataclasses.replace(SET_2, friction=0.3))
    failed = {c.quantity for c in wedge.compute_chatter().checks if c.failed}
    assert {"first separation", "worst of all event times, off by"} <= failed


def test_bands_of_the_published_set_match_closed_form() -> None:
    """Every solution over w, by hand: −12.193, 0.5287 and 0.87302 mm; three solutions in the middle."""
    rows = data("chatter_4_3")["case_2"]
    assert rows["to"][:3] == pytest.approx([-12.193315, 0.528688, 0.873019], abs=1e-6)
    assert rows["solutions"].tolist() == ["slip+", "stick", "stick, slip-, open", "open"]
    assert rows["Lemke, rows times m1"].tolist()[2] == "stick"
    assert rows["Lemke, rows not multiplied"].tolist()[2] == "open"


@pytest.mark.parametrize("case", [1, 4])
def test_corrected_bound_is_no_limit_of_stick(case: int) -> None:
    gear = maps.CASES[case]
    assert maps.lemke_limit(gear) < gear.stick_limits[1]
    assert abs(maps.printed_limit(gear)) > 50.0 * maps.lemke_limit(gear)


def test_map_has_no_sliding_in_lowering() -> None:
    for name, panel in (("chatter_6_2", ""), ("chatter_6_3", "plastic"), ("chatter_6_3", "elastic")):
        rows = data(name)[panel]
        inside = (rows["from"] > -77.5) & (rows["to"] < 90.001)
        inside |= (rows["from"] <= -45.0) & (rows["to"] >= 89.999)
        assert inside.any()
        assert all("slip" not in words.replace("without slip", "") for words in rows["solutions"][inside])


def test_friction_line_is_recovered() -> None:
    points = data("chatter_7_3")["measured"]
    assert np.abs(points["coefficient"] - points["put in"]).max() < 1e-3
    assert points["coefficient"].max() == pytest.approx(0.39, abs=0.01)


def test_changed_friction_line_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(friction, "SPEEDS", np.array([15.0, 60.0]) * RPM)
    slippery = dataclasses.replace(friction.law(), static=0.3)
    monkeypatch.setattr(friction, "law", lambda: slippery)
    assert any(c.failed for c in friction.compute_line().checks)


def test_chatter_limits_match_printed_numbers() -> None:
    """(7.4)–(7.6): 584978 kg·mm² with ρ rounded, 149805 kg·mm², μ > 0.07; set 0 slides, the others open."""
    trials = data("chatter_limits")["simulated"]
    outcome = trials["outcome"]
    assert set(outcome[trials["set"] == 0]) == {"slides"}
    assert set(outcome[(trials["set"] > 0) & (trials["coefficient"] >= 0.14)]) == {"opens at once"}
    fitted = dataclasses.replace(RIG, friction=0.4)  # what the pressure angle of 20° is fitted to
    assert 1e6 * fitted.critical_wheel_inertia == pytest.approx(149805.0, abs=0.03)


@pytest.mark.parametrize("case", maps.CASES)
def test_chosen_parameters_fall_into_their_case(case: int) -> None:
    """(4.26–4.29): the coefficient against the threshold and against cot γ."""
    gear = maps.CASES[case]
    above, steep = gear.friction > maps.threshold(gear), gear.friction > 1.0 / math.tan(gear.angle)
    assert (above, steep) == {1: (True, False), 2: (False, False), 3: (False, True), 4: (True, True)}[case]


def test_stored_times_are_those_of_the_reference() -> None:
    assert [wedge.FIRST, wedge.MEETING, wedge.PERIOD] == store.load("wedge")["chatter"]


def test_parameters_are_those_printed() -> None:
    assert (SET_1.upper_mass, SET_1.lower_mass, SET_1.stiffness, SET_1.pull_velocity) == (
        2.42,
        108.78,
        2000.0,
        2e-3,
    )
    assert (SET_2.upper_mass, SET_2.lower_mass, SET_2.stiffness, SET_2.pull_velocity) == (
        2420.0,
        10.878,
        4000.0,
        0.01,
    )
    assert SET_2.chatters and not SET_1.chatters
    assert SET_2.critical_lower_mass == pytest.approx(17.963, abs=5e-4)  # what ρ = 14° is fitted to
