"""Maps of the wedge gear against the closed forms of its boundaries and against enumeration by hand.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007, figures 4.3,
6.2, 6.3.
"""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from published.gears import SET_1, SET_2, rig

import stickslip as ss

SCALE = SET_2.load / SET_2.stiffness


def modes_by_hand(contact, free, friction, offset=(0.0, 0.0)):
    """Modes from which the contact's laws can be met, each tried by solving its own 2×2 problem."""
    frame = np.vstack([contact.normals, contact.tangents])
    delassus = frame @ np.linalg.solve(contact.mass, frame.T)
    offset = np.asarray(offset)
    found = set()
    stick = -np.linalg.solve(delassus, free)
    if stick[0] > 0 and abs((stick + offset)[1]) <= friction * (stick + offset)[0]:
        found.add("stick")
    for sign, name in ((1, "slip+"), (-1, "slip-")):
        # λ_T + offset_T = −μ·sgn·(λ_N + offset_N), ġ_N = 0
        system = np.array([delassus[0], [friction * sign, 1.0]])
        force = np.linalg.solve(system, [-free[0], -offset[1] - friction * sign * offset[0]])
        motion = delassus @ force + free
        if force[0] > 0 and sign * motion[1] > 0:
            found.add(name)
        tangential = -offset[1] - friction * sign * offset[0]
        motion = delassus @ [0.0, tangential] + free
        if motion[0] > 0 and (sign * motion[1] > 0 or not np.any(offset)):
            found.add("open")
    tangential = -free[1] / delassus[1, 1]
    motion = delassus @ [0.0, tangential] + free
    if np.any(offset) and motion[0] > 0 and abs(tangential + offset[1]) <= friction * offset[0]:
        found.add("open without slip")
    return found


def intervals_of(state_map):
    return [solutions for _, _, solutions in state_map.intervals]


def test_map_of_set_2_from_stick_matches_closed_form():
    """The four intervals of w with all their solutions, and both answers of Lemke (enumeration of all 2⁵
    bases).
    """
    angle, rho = SET_2.angle, SET_2.friction_angle
    result = ss.analysis.state_map(SET_2)
    assert intervals_of(result) == [("slip+",), ("stick",), ("stick", "slip-", "open"), ("open",)]
    expected = [
        -SCALE * math.tan(rho + angle),
        SCALE * SET_2.lower_mass / SET_2.upper_mass / math.tan(angle),
        SCALE * math.tan(rho - angle),
    ]
    np.testing.assert_allclose(result.edges[1:-1], expected, rtol=1e-12)
    np.testing.assert_allclose(1e3 * result.edges[1:-1], [-12.19, 0.5287, 0.87302], rtol=3e-4)
    assert [region.lemke_source for region in result.regions] == ["slip+", "stick", "stick", "open"]
    assert [region.lemke_plain for region in result.regions] == ["slip+", "stick", "open", "open"]
    assert list(result.unique) == [True, True, False, True]


def test_set_1_slides_between_stick_and_separation():
    """A gear that does not chatter has a second region of sliding, and one solution everywhere (4.3.3)."""
    result = ss.analysis.state_map(SET_1)
    assert intervals_of(result) == [("slip+",), ("stick",), ("slip-",), ("open",)]
    np.testing.assert_allclose(result.edges[1:-1], [*SET_1.stick_limits, SET_1.opening_limit], rtol=1e-12)
    assert np.all(result.unique)


def test_gear_never_slides_when_lifting_above_cot_gamma():
    """μ > cot γ (cases 3 and 4): the lower wedge cannot be pushed in, however hard."""
    gear = dataclasses.replace(SET_2, friction=6.0)
    result = ss.analysis.state_map(gear, low=-100.0)
    assert intervals_of(result) == [("stick",), ("stick", "slip-", "open"), ("open",)]


def test_bound_of_case_4_is_a_change_of_lemkes_path():
    """Where Lemke with the source's scaling changes to separation although stick still solves the problem.

    The source prints (m1c + m2c − m2s)/(m1(2s − c)); with F/k and the right sign it is met.
    """
    gear = dataclasses.replace(SET_2, friction=6.0)
    s, c, m1, m2 = math.sin(gear.angle), math.cos(gear.angle), gear.upper_mass, gear.lower_mass
    bound = SCALE * (m1 * c + m2 * c - m2 * s) / (m1 * (2 * s + c))
    result = ss.analysis.state_map(gear)
    changes = [a.high for a, b in itertools.pairwise(result.regions) if a.lemke_source != b.lemke_source]
    assert changes == pytest.approx([bound], rel=1e-12)
    assert bound < gear.stick_limits[1]
    assert "stick" in result.at(bound * (1 + 1e-6)).solutions


def test_lowering_slip_has_two_or_no_next_states():
    """(4.41–4.46): lowering has two solutions or none under the chatter condition; lifting has one."""
    lowering = ss.analysis.state_map(SET_2, start="slip-")
    assert intervals_of(lowering) == [(), ("slip-", "open")]
    assert lowering.edges[1] == pytest.approx(SET_2.opening_limit, rel=1e-12)
    assert lowering[0].lemke_source == lowering[0].lemke_plain == "none"
    lifting = ss.analysis.state_map(SET_2, start="slip+")
    assert intervals_of(lifting) == [("slip+",), ("open",)]
    assert lifting.edges[1] == pytest.approx(SET_2.opening_limit, rel=1e-12)


def random_gears(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield dataclasses.replace(
            SET_2,
            upper_mass=10 ** rng.uniform(-1, 3),
            lower_mass=10 ** rng.uniform(-1, 3),
            angle=rng.uniform(0.1, 1.4),
            friction=math.tan(rng.uniform(0.05, 1.4)),
        )


def test_state_maps_hold_what_enumeration_by_hand_finds():
    several = 0
    for gear in random_gears(40, 1):
        result = ss.analysis.state_map(gear)
        for low, high, solutions in result.intervals:
            for part in (0.01, 0.5, 0.99):
                data = gear.contact_data(low + part * (high - low))
                free = np.vstack([data.normals, data.tangents]) @ np.linalg.solve(data.mass, data.force)
                assert set(solutions) == modes_by_hand(data, free, gear.friction)
            several += len(solutions) > 1
        for region in result.regions:
            for answer in (region.lemke_source, region.lemke_plain):
                assert answer == "none" or answer in region.solutions
    assert several >= 5


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_impact_maps_hold_what_enumeration_by_hand_finds(restitution):
    for gear in itertools.chain([SET_2], random_gears(3, 2)):
        result = ss.analysis.impact_map(gear, restitution=restitution)
        data = gear.contact_data(0.0)
        frame = np.vstack([data.normals, data.tangents])
        delassus = frame @ np.linalg.solve(data.mass, frame.T)
        for low, high, solutions in result.compression.intervals:
            for part in (0.02, 0.5, 0.98):
                alpha = low + part * (high - low)
                free = -np.array([np.cos(alpha), np.sin(alpha)])
                assert set(solutions) == modes_by_hand(data, free, gear.friction)
        for low, high, solutions in result.expansion.intervals:
            alpha = 0.5 * (low + high)
            if abs(alpha) >= math.pi / 2 or restitution == 0.0:
                continue
            free = -np.array([np.cos(alpha), np.sin(alpha)])
            after = set()
            for mode in result.compression.at(alpha).solutions:
                if mode == "stick":
                    impulse, motion = -np.linalg.solve(delassus, free), np.zeros(2)
                else:
                    sign = 1 if mode == "slip+" else -1
                    system = np.array([delassus[0], [gear.friction * sign, 1.0]])
                    impulse = np.linalg.solve(system, [-free[0], 0.0])
                    motion = delassus @ impulse + free
                    motion[0] = 0.0
                offset = restitution * impulse
                after |= modes_by_hand(data, motion + delassus @ offset, gear.friction, offset)
            assert set(solutions) == after


def test_maps_agree_with_contact_transitions():
    """The engine's own enumeration of modes, apart from the 5×5 problem of the maps."""
    for gear in itertools.chain([SET_2, SET_1], random_gears(30, 3)):
        for low, high, solutions in ss.analysis.state_map(gear).intervals:
            found = gear.contact_data(0.5 * (low + high)).contacts().transitions()
            names = {"separate": "open"}
            assert {names.get(answer.contacts[0], answer.contacts[0]) for answer in found} == set(solutions)


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_maps_agree_with_contact_impacts(restitution):
    names = {"separate": "open"}
    for gear in itertools.chain([SET_2], random_gears(4, 4)):
        gear = dataclasses.replace(gear, restitution=restitution)
        result = ss.analysis.impact_map(gear)
        data = gear.contact_data(0.0)
        frame = np.vstack([data.normals, data.tangents])
        for alpha in np.linspace(-1.5, 1.5, 31):
            velocity = np.linalg.solve(frame, [-math.cos(alpha), -math.sin(alpha)])
            hits = gear.contact_data(0.0, velocity).impact()
            compression = {names.get(hit.compression[0], hit.compression[0]) for hit in hits}
            assert compression == set(result.compression.at(alpha).solutions)
            separates = {bool(hit.normal_velocity[0] > 1e-9) for hit in hits}
            assert separates == {mode.startswith("open") for mode in result.expansion.at(alpha).solutions}


def test_impact_map_of_set_2_matches_closed_form():
    """Figures 6.2 and 6.3: an approach in lowering ends in stick; expansion separates for ε > 0 with ġ_T =
    0.
    """
    result = ss.analysis.impact_map(SET_2, restitution=0.3)
    for alpha in np.linspace(-math.pi / 4, math.pi / 2 - 1e-9, 50):
        region = result.compression.at(alpha)
        assert region.solutions == ("stick",) and region.lemke_source == region.lemke_plain == "stick"
        region = result.expansion.at(alpha)
        assert region.solutions == ("open without slip",)
        assert region.lemke_source == region.lemke_plain == "open without slip"
        assert SET_2.stick_impact(alpha).sticks
    plastic = ss.analysis.impact_map(SET_2)
    assert plastic.expansion.at(0.5).solutions == ("stick",)
    assert plastic.restitution == 0.0


def test_impact_map_edges_match_closed_form():
    """Stick begins where Λ_T = −μ·Λ_N in the closed form; at π/2 the wedges no longer approach."""
    s, c, m1, m2 = math.sin(SET_2.angle), math.cos(SET_2.angle), SET_2.upper_mass, SET_2.lower_mass
    nn, tt, nt = m1 * c * c + m2 * s * s, m1 * s * s + m2 * c * c, s * c * (m1 - m2)
    begins = math.atan(-(nt + SET_2.friction * nn) / (tt + SET_2.friction * nt))
    result = ss.analysis.impact_map(SET_2).compression
    assert result.edges[1] == pytest.approx(begins, rel=1e-12)
    assert result.edges[2] == pytest.approx(math.pi / 2, rel=1e-12)
    assert result[0].solutions == ("slip+",)


def test_directions_of_separation_are_those_of_the_state_map():
    """Compression and stick share one problem, so beyond π/2 it has the same three solutions.

    The source gives separation there (6.1.3), and for the same direction stick in case 2 of 4.3.3. No
    approach, no impact: only the state map's reading of it has a meaning.
    """
    result = ss.analysis.impact_map(SET_2).compression
    data = SET_2.contact_data(SET_2.stick_limits[1])
    normal, tangential = np.vstack([data.normals, data.tangents]) @ np.linalg.solve(data.mass, data.force)
    assert result.edges[3] == pytest.approx(math.atan2(-tangential, -normal), rel=1e-12)
    assert result.at(1.6).solutions == ("stick", "slip-", "open")


def test_steep_impact_ends_in_slip():
    """γ = 50°, ρ = 60°, m2/m1 = 0.05, α = −44°: slips instead of sticking."""
    gear = dataclasses.replace(
        SET_2, angle=np.deg2rad(50), friction=np.tan(np.deg2rad(60)), lower_mass=0.05 * SET_2.upper_mass
    )
    assert ss.analysis.impact_map(gear).compression.at(np.deg2rad(-44)).solutions == ("slip+",)


def test_worm_gear_is_read_as_its_wedge():
    worm = rig(0.875424)
    result = ss.analysis.state_map(worm)
    assert intervals_of(result) == [("slip+",), ("stick",), ("stick", "slip-", "open"), ("open",)]
    torque = -worm.shaft_stiffness / worm.worm_radius * result.edges[3]
    assert torque == pytest.approx(worm.stick_limits[0], rel=1e-12)
    table = ss.analysis.chatter_map(worm, [0.07, 0.14], [1.0], vary="upper")
    edge = table.boundary * worm.wheel_inertia / worm.wheel_radius**2 * worm.worm_radius**2
    heavy = dataclasses.replace(worm, worm_inertia=edge[1], friction=0.14)
    assert heavy.chatter_margin == pytest.approx(0.0, abs=1e-15)


def test_state_map_is_read_by_index_and_by_value():
    result = ss.analysis.state_map(SET_2)
    assert len(result) == 4 and result[-1].solutions == ("open",)
    assert result.at(0.7e-3) == result[2]
    assert result.present.shape == (4, len(result.modes)) and result.edges.shape == (5,)
    assert result.lemke_plain[2] == result.modes.index("open")
    text = repr(result)
    assert len(text.splitlines()) == 6 and "stick, slip-, open" in text
    with pytest.raises(IndexError):
        result[4]
    with pytest.raises(ValueError, match="value"):
        result.at(1.0)


def test_chatter_map_matches_the_chatter_condition():
    """δ = 0 is the boundary of the direct opening; the pull decides about an opening after a slip."""
    friction, ratio = np.linspace(0.05, 0.5, 30), np.geomspace(1e-4, 0.1, 30)
    result = ss.analysis.chatter_map(SET_2, friction, ratio)
    at_once = result.outcome == result.outcomes.index("opens at once")
    np.testing.assert_array_equal(at_once, result.chatters)
    np.testing.assert_array_equal(result.chatters, ratio[:, None] < result.boundary[None, :])
    np.testing.assert_allclose(
        result.margin,
        ratio[:, None] - np.tan(SET_2.angle) * np.tan(np.arctan(friction) - SET_2.angle),
        atol=1e-15,
    )
    later = result.outcome == result.outcomes.index("opens after a slip")
    braking = friction > math.tan(SET_2.angle)
    limit = SET_2.slip_separation_margin / SET_2.upper_mass
    np.testing.assert_array_equal(
        later[:, braking], ((result.margin > 0) & (result.margin < limit))[:, braking]
    )
    assert np.all(np.isinf(result.separation_time[~(at_once | later)]))
    assert np.all(np.isfinite(result.separation_time[at_once | later]))
    assert "opens at once" in repr(result)


def test_chatter_map_varies_either_mass():
    lower = ss.analysis.chatter_map(SET_2, [0.25], [0.002])
    upper = ss.analysis.chatter_map(SET_2, [0.25], [0.002], vary="upper")
    assert lower.margin[0, 0] == pytest.approx(upper.margin[0, 0], rel=1e-12)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: ss.analysis.state_map(SET_2, start="flight"), "start"),
        (lambda: ss.analysis.state_map(SET_2, low=1.0, high=0.0), "high"),
        (lambda: ss.analysis.state_map(SET_2, low=float("nan")), "low"),
        (lambda: ss.analysis.state_map("gear"), "gear"),
        (lambda: ss.analysis.impact_map(SET_2, restitution=2.0), "restitution"),
        (lambda: ss.analysis.impact_map(SET_2, 1.0, 0.0), "high"),
        (lambda: ss.analysis.chatter_map(SET_2, [-0.1], [0.1]), "friction"),
        (lambda: ss.analysis.chatter_map(SET_2, [0.1], [0.0]), "inertia_ratio"),
        (lambda: ss.analysis.chatter_map(SET_2, [0.1], [0.1], vary="both"), "vary"),
    ],
)
def test_bad_input_names_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()
