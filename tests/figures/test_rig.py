"""The worm rig's figures: the fit of its shaft, its cycle in closed form, and what every check would be seen by.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007, 7.3.
"""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from published import rig_fit, teeth_fit
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip_figures import Check, chatter_opposite_flank, get
from stickslip_figures import _rig_runs as runs
from stickslip_figures import _rig_teeth as teeth
from stickslip_figures import chatter_rig as rig
from stickslip_figures._gears import DAMPING, INERTIAS, RESTITUTION, RIG, SHAFT, TEETH
from stickslip_figures._rig_cycle import RigCycle

# -- the fit -------------------------------------------------------------------------------------------


def test_stored_shaft_is_an_optimum() -> None:
    """Across the valley a per cent of stiffness shows; along it, with rests kept, a tenth of the damping."""
    best = rig_fit.misfit(rig_fit.gear(SHAFT, DAMPING))
    assert best == pytest.approx(0.7125, abs=2e-4)
    for factor in (0.99, 1.01):
        assert rig_fit.misfit(rig_fit.gear(factor * SHAFT, DAMPING)) > best + 0.1
    for damping, stiffness in ((0.9 * DAMPING, 37.04717), (1.1 * DAMPING, 29.3457)):
        along = rig_fit.gear(stiffness, damping)
        assert rig_fit.rests(rig_fit.lower(along))[0] == pytest.approx(0.025, abs=2e-5)
        assert rig_fit.misfit(along) > best + 3e-3


@pytest.mark.slow
@pytest.mark.parametrize("start", [(60.0, 0.06), (15.0, 0.25)])
def test_stored_shaft_is_what_the_fit_finds(start: tuple[float, float]) -> None:
    found = rig_fit.fit(start=start)
    assert found[:2] == pytest.approx((SHAFT, DAMPING), rel=2e-4)


def test_fit_residuals_are_small() -> None:
    """The rest is met to 3 µs, half a unit of its last digit is 500; the path bends by less than an encoder's line."""
    run = rig_fit.lower(rig_fit.gear(SHAFT, DAMPING))
    found, _ = rig_fit.rests(run)
    assert found == pytest.approx([0.0249972] * found.size, abs=1e-7)
    assert math.degrees(rig_fit.bend(run)) == pytest.approx(0.0371, abs=1e-4)
    assert rig_fit.bend(run) < rig_fit.LINE


@pytest.mark.parametrize("restitution", [0.01, 0.05, 0.2, 0.5, 0.84])
def test_restitution_prevents_rests_after_impacts(restitution: float) -> None:
    """Most or all impacts are not followed by a rest, and the misfit is three orders greater."""
    gear = rig_fit.gear(SHAFT, DAMPING, restitution)
    found, _ = rig_fit.rests(rig_fit.lower(gear))
    assert np.mean(found == 0.0) > 0.7
    assert rig_fit.misfit(gear) > 1000.0
    assert RESTITUTION == 0.0


# -- elastic teeth -------------------------------------------------------------------------------------


def test_standstill_is_the_longest_span_within_one_line() -> None:
    """Against every pair of samples."""
    rng = np.random.default_rng(3)
    time, angle = np.arange(120.0), np.cumsum(rng.normal(size=120))
    for line in (0.5, 2.0, 6.0):
        pairs = (
            time[b] - time[a] for a in range(120) for b in range(a, 120) if np.ptp(angle[a : b + 1]) < line
        )
        assert teeth.standstill(time, angle, line) == max(pairs)


def test_stored_stiffness_gives_the_printed_standstill() -> None:
    """0.025 s; a per cent of stiffness is a half per cent of the standstill, the damping hardly enters."""
    run = teeth_fit.lower(TEETH.stiffness, TEETH.damping)
    found = np.mean(teeth.standstills(run, "worm"))
    assert found == pytest.approx(0.025, abs=2e-5)
    for factor in (0.97, 1.03):
        other = teeth_fit.lower(factor * TEETH.stiffness, TEETH.damping)
        assert np.mean(teeth.standstills(other, "worm")) == pytest.approx(0.025 / factor**0.5, abs=1e-4)
    for damping in (2.5e3, 1.5e4):
        other = teeth_fit.lower(TEETH.stiffness, damping)
        assert np.mean(teeth.standstills(other, "worm")) == pytest.approx(0.025, abs=1.5e-4)


def test_stored_damping_is_the_middle_of_the_window() -> None:
    low, high = teeth_fit.window(TEETH.stiffness)
    assert (low, high) == pytest.approx((6.6e3, 8.3e3), rel=0.01)
    assert TEETH.damping == pytest.approx(math.sqrt(low * high), rel=0.01)


def test_figures_7_4_and_7_5_leave_the_damping_open() -> None:
    assert teeth_fit.bounds(TEETH.stiffness) == pytest.approx((2.41e3, 3.30e4), rel=0.01)


def test_flights_contacts_and_slides_of_elastic_teeth() -> None:
    """The numbers in the table of coverage: 78 against 24 ms, later slopes, and slides of 0.12 mm at most."""
    worst = 0.0
    for inertia_set in (1, 3, 5):
        run = runs.lower(rig.rig(inertia_set, compliance=TEETH), rig.SPAN, 30000)
        for span in runs.spans(runs.log(run)):
            if span.kind == "slip":
                during = (run.t >= span.start) & (run.t <= span.end)
                speed = run["flank.velocity"][during]
                worst = max(
                    worst, abs(float(np.sum(0.5 * (speed[1:] + speed[:-1]) * np.diff(run.t[during]))))
                )
        if inertia_set == 1:
            flights = np.mean([end - start for start, end in teeth.flights(run)])
            assert (flights, np.mean(teeth.contacts(run))) == pytest.approx((0.078, 0.024), abs=5e-4)
            assert teeth.slopes(run, 2) == pytest.approx((38.1, 1.42), abs=0.05)
            assert teeth.slopes(run, 13) == pytest.approx((33.6, 1.24), abs=0.05)
    assert worst == pytest.approx(0.12e-3, abs=5e-6)


def test_first_flight_slopes_contradict_the_standstills() -> None:
    """53.9 °/s at the least, printed 26.8: the shaft unwinds."""
    for damping in (1.0, 2.5e3, 3e4):
        assert teeth.slopes(teeth_fit.lower(TEETH.stiffness, damping, end=0.2), 0)[0] > 53.9


def test_opposite_flank_is_hit_at_15_rpm_only() -> None:
    """Figure 7.8; the first impact is at 2.24 s, printed 1.4 s, and no tolerance of the integrator moves it."""
    assert [teeth_fit.first_impact(TEETH.stiffness, TEETH.damping, rate) for rate in (4.5, 12.0)] == [
        math.inf
    ] * 2
    assert teeth_fit.first_impact(TEETH.stiffness, TEETH.damping, 15.0) == pytest.approx(2.2411, abs=1e-4)
    gear = rig.rig(1, compliance=TEETH, motor_speed=-15.0 * rig.RPM)
    sharp = ss.simulate(gear, t_end=2.5, rtol=1e-12).events.of("opposite_flank")
    assert sharp.time[0] == pytest.approx(2.2411, abs=1e-4)


# -- closed form ---------------------------------------------------------------------------------------


def cycle_by_integration(gear: ss.machines.WormGear) -> tuple[float, float, float]:
    """Flight, rest and greatest gap from the equations of motion with SciPy's DOP853."""
    normal = gear.contact_data(0.0).normals[0]
    speed, damping, stiffness = gear.motor_speed, gear.shaft_damping, gear.shaft_stiffness
    limit = gear.stick_limits[0]
    start = (limit - damping * speed) / stiffness

    def rates(t: float, y: Any) -> list[float]:
        torque = stiffness * (start + speed * t - y[1]) + damping * (speed - y[3])
        return [y[2], y[3], -gear.load_torque / gear.wheel_inertia, torque / gear.worm_inertia]

    def lands(t: float, y: Any) -> float:
        return float(normal @ y[:2]) if t > 1e-4 else 1.0

    def turns(t: float, y: Any) -> float:
        return float(normal @ y[2:])

    lands.terminal, lands.direction, turns.direction = True, -1, -1  # type: ignore[attr-defined]
    run = solve_ivp(rates, (0.0, 1.0), np.zeros(4), "DOP853", events=(lands, turns), rtol=1e-13, atol=1e-17)
    flight, landed = run.t_events[0][0], run.y_events[0][0]
    twist = start + speed * flight - landed[1]
    widest = max(normal @ y[:2] for y in run.y_events[1])
    return flight, (start - twist) / speed, widest


@pytest.mark.parametrize("inertia_set", [1, 3, 5])
@pytest.mark.parametrize(
    ("stiffness", "damping"), [(SHAFT, DAMPING), (60.0, 0.0), (10.0, 0.25), (5.0, 0.265)]
)
def test_cycle_agrees_with_integration(inertia_set: int, stiffness: float, damping: float) -> None:
    """Holds above the critical damping, too: 2·sqrt(k·Θ2) = 0.25 and 0.177 Nms/rad for the last two."""
    gear = rig_fit.gear(stiffness, damping, inertia_set=inertia_set)
    cycle = RigCycle(gear)
    flight, rest, widest = cycle_by_integration(gear)
    assert (cycle.flight, cycle.rest) == pytest.approx((flight, rest), abs=2e-11)
    found = max(cycle.gap(float(t)) for t in np.linspace(0.0, flight, 4001))
    assert found == pytest.approx(widest, rel=1e-6)


def test_undamped_cycle_equals_the_chatter_cycle() -> None:
    gear = dataclasses.replace(RIG, shaft_damping=0.0)
    closed, cycle = gear.chatter_cycle, RigCycle(gear)
    assert closed is not None
    assert (cycle.separation, cycle.flight, cycle.rest, cycle.period) == pytest.approx(
        (closed.separation_time, closed.flight, closed.stuck, closed.period), abs=1e-15
    )


@pytest.mark.parametrize(("stiffness", "damping"), [(SHAFT, DAMPING), (60.0, 0.03), (10.0, 0.25)])
def test_rests_bind_flights_whatever_the_shaft(stiffness: float, damping: float) -> None:
    """M1·T²/2Θ1 = ω(r2/r1)tan γ·(T + r): why 26.8 °/s and 0.025 s exclude each other."""
    cycle = RigCycle(rig_fit.gear(stiffness, damping))
    fall = 0.5 * RIG.load_torque / RIG.wheel_inertia * cycle.flight**2
    path = -RIG.motor_speed * RIG.radius_ratio * math.tan(RIG.lead_angle) * (cycle.flight + cycle.rest)
    assert fall == pytest.approx(path, rel=1e-12)


def test_slopes_from_rests_match_closed_form() -> None:
    """20.7 ms of flight, 59.7 and 2.39 °/s, as the figures say."""
    fall, path = (
        RIG.load_torque / RIG.wheel_inertia,
        -RIG.motor_speed * RIG.radius_ratio * math.tan(RIG.lead_angle),
    )
    flight = (path + math.sqrt(path**2 + 2.0 * fall * path * 0.025)) / fall
    wheel = math.degrees(0.5 * fall * flight)
    assert 1e3 * flight == pytest.approx(20.66, abs=5e-3)
    assert wheel == pytest.approx(2.387, abs=5e-4)
    assert wheel / (RIG.radius_ratio * math.tan(RIG.lead_angle)) == pytest.approx(59.67, abs=5e-3)


# -- the figures ---------------------------------------------------------------------------------------


def test_figure_7_8_needs_an_ε_that_figure_7_5_excludes() -> None:
    """ε = 0.81 … 0.835: both flanks at 15 rpm, one at 12 and 4.5; but the worm rests nowhere."""
    for restitution in (0.81, 0.835):
        assert chatter_opposite_flank.impacts(15.0, 5.0, restitution=restitution).size > 5
        for rate in (4.5, 12.0):
            assert (
                chatter_opposite_flank.impacts(
                    rate, chatter_opposite_flank.LONG, restitution=restitution
                ).size
                == 0
            )
        assert not rig_fit.rests(rig_fit.lower(rig_fit.gear(SHAFT, DAMPING, restitution)))[0].any()
    assert chatter_opposite_flank.impacts(15.0, chatter_opposite_flank.LONG, restitution=0.80).size == 0
    assert chatter_opposite_flank.impacts(12.0, chatter_opposite_flank.LONG, restitution=0.84).size > 0


def test_set_0_slides_and_set_1_flies() -> None:
    found = get("chatter_7_4").compute()
    assert found["set_0_modes"]["mode"].tolist() == ["stick", "slip-"]
    assert set(found["set_1_modes"]["mode"].tolist()) == {"stick", "open", "impact"}


def test_without_damping_set_0_moves_in_a_staircase() -> None:
    """Without damping the speed touches zero once per oscillation, for ever."""
    run = ss.simulate(rig.rig(0, shaft_damping=0.0), t_end=1.5, dt=1e-4)
    swings = np.flatnonzero(np.diff(np.sign(np.diff(-run["worm.velocity"]))) > 0)
    slowest = -run["worm.velocity"][swings + 1][1:]
    assert slowest.size > 20 and slowest.max() < 2e-3 * -RIG.motor_speed


SAME = {"wheel_inertia": INERTIAS[0]}  # of set 0, which does not chatter
SOFT = {"clearance": 5e-6}  # 5 µm instead of 2 mm
STANDS = "wheel stands still for, over the worm"
# Every check of a rig figure: what the engine is given instead, by which the check changes its verdict.
# The rigid gear is changed for checks of the rigid gear, elastic teeth are changed for their checks.
NEIGHBOURS: dict[str, dict[str, dict[str, float]]] = {
    "chatter_7_4": {
        "set 0: separations": {"wheel_inertia": INERTIAS[1]},
        "set 0: sticks after the first": {"shaft_damping": 0.0},
        "set 0: slides for": {"shaft_stiffness": SHAFT * (1.0 + 1e-9)},
        "set 0: torque of the shaft at the end": {"friction": 0.2 * (1.0 + 1e-9)},
        "set 1: separations in 1.5 s": {"shaft_stiffness": 32.0},
        "set 1: phases of sliding": {"restitution": 0.05, "shaft_damping": 0.03},
        "set 1: impacts on the opposite flank": SOFT,
        "set 1: flights are longer than contacts by": {"shaft_stiffness": 60.0},
        "elastic teeth, set 0: separations": {"wheel_inertia": INERTIAS[1]},
        "elastic teeth, set 0: sticks after the first": {"wheel_inertia": INERTIAS[1]},
        "elastic teeth, set 1: flights are longer than contacts by": {
            "compliance": dataclasses.replace(TEETH, damping=4e4)
        },
    },
    "chatter_7_8": {
        "15 rpm: first separation": {"shaft_stiffness": SHAFT * (1.0 + 1e-9)},
        "4.5 rpm: impacts on the opposite flank in 100 s": {"restitution": 0.96},
        "12 rpm: impacts on the opposite flank in 100 s": {"restitution": 0.84},
        "15 rpm: impacts on the opposite flank in 100 s": {"restitution": 0.82},
        "elastic teeth: dampings allowed by 7.4 with one flank at 12 rpm, both at 15": {
            "motor_speed": -4.5 * rig.RPM
        },
    },
}
for name, before in (("chatter_7_5", None), ("chatter_7_6", 1), ("chatter_7_7", 3)):
    NEIGHBOURS[name] = {
        "the first change is stick → separation": SAME,
        "first separation": {"shaft_stiffness": SHAFT * (1.0 + 1e-9)},
        "impacts that do not end in stick": {"restitution": 0.01},
        "phases of sliding": SAME,
        "worm at rest in an impact": {"shaft_damping": DAMPING * (1.0 + 1e-9)},
        "free flight": {"shaft_damping": DAMPING * (1.0 + 1e-9)},
        "elastic teeth: contacts without stick": {"shaft_damping": 2.0}
        if before is None
        else {"friction": 0.08},
    }
    if before is not None:
        gap, lighter = f"greatest gap over that of set {before}", {"wheel_inertia": 0.99 * INERTIAS[before]}
        NEIGHBOURS[name] |= {
            gap: lighter,
            f"elastic teeth: {gap}": lighter,
            f"elastic teeth: {STANDS}": {"compliance": ss.KelvinVoigt(1e8, 1e5)},
        }

# Algebra of printed numbers, the balance of energy, and statements of the source that no neighbour meets.
WITHOUT = {
    "sliding speed at 4.5 rpm",
    "wheel in contact at 26.8 °/s of the worm",
    "worm in the first flight, mean speed",
    "wheel in the first flight, mean speed",
    "15 rpm: first impact on the opposite flank",
    "opposite flank hit from",
    STANDS,
    "elastic teeth: phases of sliding",
    "elastic teeth: worm in the first flight, mean speed",
    "elastic teeth: wheel in the first flight, mean speed",
    "elastic teeth, 15 rpm: first impact on the opposite flank",
}


def within(name: str) -> dict[str, bool]:
    return {check.quantity: check.within for check in get(name).compute().checks}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_every_check_detects_a_neighbouring_value(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    true, run = within(name), runs.lower
    balances = {quantity for quantity in true if quantity.endswith("over the work")}
    assert set(true) - WITHOUT - balances == set(NEIGHBOURS[name])
    missed = []
    for quantity, changes in NEIGHBOURS[name].items():
        elastic = quantity.startswith("elastic teeth")

        def other(
            gear: Any, end: float, samples: int, changes: Any = changes, elastic: bool = elastic
        ) -> Any:
            concerned = elastic is (gear.compliance is not None)
            return run(dataclasses.replace(gear, **changes) if concerned else gear, end, samples)

        monkeypatch.setattr(runs, "lower", other)
        try:
            if within(name)[quantity] is true[quantity]:
                missed.append(quantity)
        finally:
            monkeypatch.setattr(runs, "lower", run)
    assert missed == []


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_slope_of_contact_is_pinned(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """1.07 °/s is seen by one per cent of the radius ratio."""
    monkeypatch.setattr(rig, "RIG", dataclasses.replace(RIG, worm_radius=factor * RIG.worm_radius))
    check: Check = next(c for c in get("chatter_7_5").compute().checks if "26.8" in c.quantity)
    assert check.failed
