"""Chattering gears in the engine against closed forms.

Source: Hinrichsen 2007, sections 2, 4, 6, 7; the closed forms are those of tests/reference/wedge.py.
"""

import dataclasses
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from published.gears import SET_1, SET_1_STATIC, SET_2, SET_2_HEAVY, rig
from reference import wedge

import stickslip as ss
from contact_run.complementarity import residual

STORED = json.loads((Path(__file__).parents[1] / "reference" / "wedge.json").read_text(encoding="utf-8"))


def named(events):
    """The words of the reference: open, impact, stick, slip."""
    words = {
        ss.Mode.OPEN: "open",
        ss.Mode.STICK: "stick",
        ss.Mode.SLIP_BACKWARD: "slip",
        ss.Mode.SLIP_FORWARD: "lift",
    }
    return [(e.time, "impact" if e.impact else words[e.after]) for e in events]


def test_chatter_of_set_2_matches_closed_form() -> None:
    """ε = 0: 16 events in 3 s, reached to 1e-13; no sliding sample; impulses and losses of the closed
    form."""
    run = ss.simulate(SET_2, t_end=3.0, dt=1e-3)
    expected, states, hits = wedge.run(wedge.SET_2, 3.0)
    found = named(run.events)
    assert [name for _, name in found] == [name for _, name in expected]
    assert [t for t, _ in found] == pytest.approx([t for t, _ in expected], abs=1e-12)
    separation, meeting, period = STORED["chatter"]
    assert [found[0][0], found[1][0]] == pytest.approx([separation, meeting], abs=1e-12)
    assert np.diff([t for t, name in found if name == "impact"]) == pytest.approx(period, abs=1e-12)
    assert set(run["flank.mode"]) == {ss.Mode.STICK, ss.Mode.OPEN}
    assert np.all(run["flank.velocity"][run["flank.mode"] == ss.Mode.STICK] == 0.0)
    with_impact = [e for e in run.events if e.impact]
    for event, hit in zip(with_impact, hits, strict=True):
        assert event.normal_impulse == pytest.approx(hit.compression[0], rel=1e-11)
        assert event.tangential_impulse == pytest.approx(-hit.compression[1], rel=1e-11)
    x = run.at([s.t for s in states])["lower.position"]
    assert x == pytest.approx([s.x for s in states], abs=1e-13)
    assert residual(run, ["flank"], {"flank": (SET_2.friction,) * 2}) < 1e-12
    assert residual(run, ["flank"], {"flank": (SET_2.friction,) * 2}, run.t) < 1e-12
    assert run.energy.residual < 1e-14
    assert all(event.loss > 0.0 for event in with_impact)


def test_first_ten_impacts_agree_with_stored_table() -> None:
    """ε = 0.3 against the stored table (closed forms, impacts also against an independent integration)."""
    run = ss.simulate(dataclasses.replace(SET_2, restitution=0.3), t_end=1.0)
    with_impact = [e for e in run.events if e.impact]
    table, impulses = STORED["restitution_0.3"]["impacts"][:10], STORED["restitution_0.3"]["impulses"][:10]
    assert [e.time for e in with_impact[:10]] == pytest.approx([row[0] for row in table], abs=1e-13)
    after = run.at([e.time for e in with_impact[:10]])
    names = ("upper.position", "lower.position", "upper.velocity", "lower.velocity")
    for name, column in zip(names, np.array(table).T[1:], strict=True):
        assert after[name] == pytest.approx(column, rel=1e-9, abs=1e-13)
    total = np.array(impulses) @ np.array([[1, 0], [0, 1], [1, 0], [0, 1]])
    assert [e.normal_impulse for e in with_impact[:10]] == pytest.approx(total[:, 0], rel=1e-9)
    # λ_T of the reference acts along w_T, the engine's force opposes it
    assert [-e.tangential_impulse for e in with_impact[:10]] == pytest.approx(
        total[:, 1], rel=1e-8, abs=1e-12
    )
    assert run.energy.residual < 1e-12
    assert run.success


def test_accumulation_of_chatter_ends() -> None:
    """ε = 0.3: rebounds come closer and closer, and end in stick in finite time."""
    run = ss.simulate(dataclasses.replace(SET_2, restitution=0.3), t_end=0.5)
    with_impact = [e for e in run.events if e.impact]
    assert with_impact[-1].after is not ss.Mode.OPEN and with_impact[-1].time < 0.38
    rests = next(e for e in run.events if e.time > with_impact[-1].time - 1e-15 and e.after is ss.Mode.STICK)
    assert rests.time - with_impact[-1].time < 1e-8
    assert run.events[-1].after is ss.Mode.OPEN and run.events[-1].before is ss.Mode.STICK
    assert len(with_impact) < 80 and run.success


def test_set_1_never_separates() -> None:
    """One constant μ: the speed only touches zero, every 1.46522 s.

    A touch is a stick of no duration. The engine may log it, as stop and break-away within a microsecond:
    whether the speed comes to zero or to 1e-15 m/s is not decided by double precision. The motion is the
    same.
    """
    run = ss.simulate(SET_1, t_end=6.0, dt=1e-2)
    expected, states, _ = wedge.run(wedge.SET_1, 6.0)
    assert all(e.after is not ss.Mode.OPEN for e in run.events)
    assert np.all(run["flank.normal_force"] > 50.0)
    touches = [t for t, name in expected if name == "touch"]
    assert np.diff(touches) == pytest.approx(1.46522, abs=5e-6)
    logged = [e.time for e in run.events[1:]]
    assert all(min(abs(t - touch) for touch in touches) < 1e-6 for t in logged)
    x = run.at([s.t for s in states])["lower.position"]
    assert x == pytest.approx([s.x for s in states], abs=1e-12)


def test_set_1_with_static_friction_sticks() -> None:
    run = ss.simulate(SET_1_STATIC, t_end=6.0)
    expected, _, _ = wedge.run(wedge.SET_1_STATIC, 6.0)
    assert [name for _, name in named(run.events)] == [name for _, name in expected]
    assert [e.time for e in run.events] == pytest.approx([t for t, _ in expected], abs=1e-11)


def test_heavier_lower_wedge_slips_first() -> None:
    """Set 2 with m2 = 20, δ > 0: break-away into slip, contact lost 10.25 ms later."""
    run = ss.simulate(SET_2_HEAVY, t_end=2.0)
    expected, _, _ = wedge.run(wedge.SET_2_HEAVY, 2.0)
    assert [name for _, name in named(run.events)] == [name for _, name in expected]
    assert [e.time for e in run.events] == pytest.approx([t for t, _ in expected], abs=1e-12)
    assert run.events[1].time - run.events[0].time == pytest.approx(10.25e-3, abs=5e-8)
    static = (SET_2_HEAVY.friction,) * 2
    assert residual(run, ["flank"], {"flank": static}) < 1e-12


@pytest.mark.parametrize("relative", [1e-6, 1e-4, 1e-2])
def test_condition_is_sharp_for_the_direct_transition(relative: float) -> None:
    """δ = 0 parts slip from separation, within a millionth."""
    limit = SET_2.critical_lower_mass
    light = ss.simulate(dataclasses.replace(SET_2, lower_mass=limit * (1 - relative)), t_end=0.1).events[0]
    heavy = ss.simulate(dataclasses.replace(SET_2, lower_mass=limit * (1 + relative)), t_end=0.1).events[0]
    assert (light.before, light.after) == (ss.Mode.STICK, ss.Mode.OPEN)
    assert (heavy.before, heavy.after) == (ss.Mode.STICK, ss.Mode.SLIP_BACKWARD)
    assert light.time == pytest.approx(heavy.time, abs=1e-14)


def test_chatter_map_agrees_with_simulation() -> None:
    """Simulation and closed form agree in every cell, lowering and lifting."""
    friction, ratio = np.linspace(0.05, 0.5, 14), np.geomspace(1e-4, 0.1, 14)
    found = ss.analysis.chatter_map(SET_2, friction, ratio, simulate=True)
    np.testing.assert_array_equal(found.simulated, found.outcome)
    assert set(np.unique(found.simulated)) == {0, 1, 2}
    assert "simulated" in repr(found)
    lifting = dataclasses.replace(SET_2, pull_velocity=-0.01)
    found = ss.analysis.chatter_map(lifting, friction[::3], ratio[::3], simulate=True)
    np.testing.assert_array_equal(found.simulated, found.outcome)


def test_sliding_gear_keeps_sliding() -> None:
    """(4.43): between 0.5287 and 0.873 mm lowering persists, beside separation; its branch ends where λ_N =
    0.

    There slip has no continuation: an impact without collision stops the wedges.
    """
    w = 0.7e-3
    gear = dataclasses.replace(SET_2, pull_velocity=-0.02)
    sine, cosine = math.sin(gear.angle), math.cos(gear.angle)
    start = {
        "lower.position": -w,
        "upper.position": w * sine / cosine,
        "upper.velocity": -1e-3 * sine,
        "lower.velocity": 1e-3 * cosine,
    }
    run = ss.simulate(gear, t_end=0.02, initial=start)
    assert run["flank.mode"][0] == ss.Mode.SLIP_BACKWARD
    first = run.events[0]
    assert first.impact and "without collision" in first.cause
    assert (first.before, first.after) == (ss.Mode.SLIP_BACKWARD, ss.Mode.STICK)
    assert first.normal_impulse > 0.0 and first.loss > 0.0
    extension = gear.pull_velocity * first.time - run.at([first.time])["lower.position"][0]
    assert extension == pytest.approx(gear.opening_limit, rel=1e-9)
    assert run.energy.residual < 1e-9


# ---------------------------------------------------------------- worm


def test_worm_moves_like_its_wedge() -> None:
    """Same times in the worm and in the wedge gear with the same motion; Θ1 = 875424 kg·mm² chatters."""
    gear = rig(0.875424)
    worm, equal = ss.simulate(gear, t_end=1.0), ss.simulate(gear.wedge, t_end=1.0)
    assert [e.time for e in worm.events] == pytest.approx([e.time for e in equal.events], abs=1e-12)
    assert worm.at([0.3])["worm.position"] * -gear.worm_radius == pytest.approx(
        equal.at([0.3])["lower.position"], rel=1e-10
    )
    cycle = gear.chatter_cycle
    assert worm.events[0].time == pytest.approx(gear.separation_time, abs=1e-13)
    assert worm.events[1].time == pytest.approx(gear.meeting_time, abs=1e-13)
    assert cycle is not None
    assert {(e.before, e.after) for e in worm.events} == {
        (ss.Mode.STICK, ss.Mode.OPEN),
        (ss.Mode.OPEN, ss.Mode.STICK),
    }


@pytest.mark.parametrize("speed", [4.5, 15.0])
@pytest.mark.parametrize("stiffness", [2.0, 20.0, 200.0])
def test_worm_with_small_inertia_slides(speed: float, stiffness: float) -> None:
    """Set 0, Θ1 = 14343 kg·mm²: slides without chatter, whatever the stiffness of the shaft."""
    gear = rig(0.014343, speed=speed, stiffness=stiffness)
    run = ss.simulate(gear, t_end=max(1.0, 2.0 * gear.first_motion.time), dt=1e-3)
    assert not gear.chatters
    assert ss.Mode.SLIP_BACKWARD in run["flank.mode"] and ss.Mode.OPEN not in run["flank.mode"]
    assert not any(e.impact for e in run.events)


@pytest.mark.parametrize("stiffness", [2.0, 20.0, 200.0])
def test_worm_with_large_inertia_chatters(stiffness: float) -> None:
    """Set 1, Θ1 = 875424 kg·mm²: free flight and stick-impacts, no sliding."""
    gear = rig(0.875424, stiffness=stiffness)
    run = ss.simulate(gear, t_end=5.0 * gear.meeting_time, dt=1e-4)
    assert gear.chatters
    assert set(run["flank.mode"]) == {ss.Mode.STICK, ss.Mode.OPEN}
    assert sum(e.impact for e in run.events) >= 3


def test_both_flanks_are_hit_within_the_clearance() -> None:
    """Clearance 2 mm, soft shaft: at 15 rpm both flanks are hit, and both gaps stay within the
    clearance."""
    gear = rig(0.875424, speed=15.0, stiffness=1.3, clearance=2e-3)
    run = ss.simulate(gear, t_end=3.0, dt=1e-3)
    assert {e.element for e in run.events if e.impact} == {"flank", "opposite_flank"}
    assert run["flank.gap"] + run["opposite_flank.gap"] == pytest.approx(gear.normal_clearance, abs=1e-12)
    assert min(run["flank.gap"].min(), run["opposite_flank.gap"].min()) > -1e-15
    assert (
        residual(run, ["flank", "opposite_flank"], {n: (0.4, 0.4) for n in ("flank", "opposite_flank")})
        < 1e-10
    )
    assert run.energy.residual < 1e-12
    slow = ss.simulate(dataclasses.replace(gear, motor_speed=-4.5 * math.pi / 30), t_end=10.0)
    assert {e.element for e in slow.events if e.impact} == {"flank"}


def test_speed_map_contains_the_printed_speeds() -> None:
    """Printed: one flank at 4.5 rpm, both from 12 to 15 rpm on. The stiffness is not printed; there are some
    that fit.

    With ε = 0 and impacts that end in stick, all flights are the first one, whose limit is known in closed
    form.
    """
    rpm = math.pi / 30.0
    grid = np.array([2.0, 4.5, 8.0, 15.0, 30.0, 60.0]) * rpm
    found = ss.analysis.opposite_flank_map(
        rig(0.875424, clearance=2e-3), [1.25, 1.3, 1.35, 1.6], [0.14, 0.4], [0.0, 0.3], speed=grid
    )
    assert found.speed.shape == (4, 2, 2)
    one_then_both = (found.speed > 4.5 * rpm) & (found.speed <= 15.0 * rpm)
    assert np.any(one_then_both[:, 1, 0]) and np.any(one_then_both[:, 1, 1])
    assert found.speed[:, 1, 0] == pytest.approx(found.first_flight[:, 1], rel=2e-4)
    assert np.all(np.diff(found.first_flight, axis=0) > 0.0)
    assert np.all(found.first_flight[:, 0] > found.first_flight[:, 1])
    assert np.all(found.speed[:, :, 1] <= found.speed[:, :, 0] * (1 + 2e-4))
    assert len(repr(found).splitlines()) == 17


def test_opening_grows_with_speed() -> None:
    gaps = []
    for speed in (2.0, 4.5, 8.0, 12.0, 15.0):
        gear = rig(0.875424, speed=speed, stiffness=1.3)
        flight = ss.simulate(gear, t_end=gear.meeting_time)
        t = np.linspace(gear.separation_time, gear.meeting_time, 400)[:-1]
        gaps.append(flight.at(t)["flank.gap"].max())
        assert gaps[-1] == pytest.approx(gear.greatest_gap, rel=1e-4)
    assert all(a < b for a, b in itertools.pairwise(gaps))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"stiffness": [0.0]}, "shaft_stiffness"),
        ({"speed": [2.0, 1.0]}, "speed"),
        ({"flights": 0}, "flights"),
        ({"gear": rig(0.875424)}, "clearance"),
        ({"gear": SET_2}, "gear"),
    ],
)
def test_speed_map_names_bad_input(change, match) -> None:
    given = {
        "gear": rig(0.875424, clearance=2e-3),
        "stiffness": [1.3],
        "friction": [0.4],
        "speed": [1.0],
        **change,
    }
    with pytest.raises(ValueError, match=match):
        ss.analysis.opposite_flank_map(**given)
