"""Friction loaded by the force of a constraint, which depends on that friction."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference.lossy_gear import LossyGear
from scipy.integrate import quad

import stickslip as ss
from contact_run.test_guides import BAND, KAPPA, LENGTH, G, swings
from contact_run.test_guides import ring as guided_ring


def ring(friction: float, weight: float = G) -> ss.Machine:
    """A bead on a ring around the origin, as `guided_ring` without a guide."""
    m = ss.Machine(mass=[2.0, 2.0], names=["x", "y"], force={"y": -2.0 * weight})
    m.add_constraint("ring", lambda q: ss.math.hypot(q["x"], q["y"]) - LENGTH)
    m.add_friction("pin", lambda q: [-q["y"] / LENGTH, q["x"] / LENGTH], friction, normal_load="ring.force")
    return m


def at_angle(phi: float) -> dict[str, float]:
    return {"x.position": LENGTH * math.sin(phi), "y.position": -LENGTH * math.cos(phi)}


def rail(force: ss.Signal | float = 4.0, friction: ss.Law | float = 0.3, **held: Any) -> ss.Machine:
    """A body on a horizontal rail."""
    m = ss.Machine([1.0, 1.0], names=["x", "y"], force={"x": force, "y": -G})
    m.add_constraint("rail", on="y", **held)
    m.add_friction("shoe", "x", friction, normal_load="rail.force")
    return m


def test_pendulum_with_friction_of_its_pin_matches_quadrature() -> None:
    expected = swings(1.4)
    run = ss.simulate(ring(KAPPA), 1.1 * sum(t for _, t in expected), initial=at_angle(1.4), rtol=1e-11)
    times = [e.time for e in run.events if e.time > 0.0]
    assert [e.element for e in run.events] == ["pin"] * len(expected)
    x, y = run.sol(np.array(times))[:2]
    np.testing.assert_allclose(np.arctan2(x, -y), [phi for phi, _ in expected], atol=2e-11)
    np.testing.assert_allclose(np.diff([0.0, *times]), [t for _, t in expected], atol=1e-11)
    assert str(run.events[-1].after) == "stick"
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize("beyond", [-1e-6, 1e-6])
def test_pendulum_rests_within_the_band_of_its_pin(beyond: float) -> None:
    run = ss.simulate(ring(KAPPA), 0.5, initial=at_angle(math.asin(BAND) + beyond))
    moved = abs(run["x.position"][-1] - run["x.position"][0])
    assert (moved > 1e-8) == (beyond > 0.0)


def test_constraint_moves_as_the_guide_does() -> None:
    ours, guide = (ss.simulate(m, 9.0, initial=at_angle(1.4)) for m in (ring(0.2), guided_ring(0.2)))
    np.testing.assert_array_equal(ours.state.x, guide.state.x)
    t = np.linspace(0.0, 9.0, 201)
    one, two = ours.at(t), guide.at(t)
    lower, upper = two["ring_lower.normal_force"], two["ring_upper.normal_force"]
    np.testing.assert_array_equal(one["ring.force"], upper - lower)
    np.testing.assert_array_equal(one["pin.load"], upper + lower)
    np.testing.assert_array_equal(one["pin.force"], two["ring_lower.force"] + two["ring_upper.force"])


def test_force_of_the_constraint_is_the_one_without_friction() -> None:
    force = ss.Sine(20.0, 0.25)
    machines = [ss.Machine([1.0, 1.0], names=["x", "y"], force={"x": 5.0, "y": force}) for _ in range(2)]
    for m in machines:
        m.add_constraint("rail", on={"y": -2.0}, value=ss.Sine(0.01, 1.0))
    machines[0].add_friction("shoe", "x", 0.2, normal_load="rail.force")
    t = np.linspace(0.0, 4.0, 101)
    loaded, plain = (ss.simulate(m, 4.0).at(t) for m in machines)
    np.testing.assert_allclose(loaded["rail.force"], plain["rail.force"], rtol=0.0, atol=1e-13)
    assert plain["rail.force"].min() < -9.0 and plain["rail.force"].max() > 9.0


def test_reaction_that_changes_its_sign_loads_a_rail() -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"], force={"x": 5.0, "y": ss.Sine(20.0, 0.25) - G})
    m.add_constraint("rail", on="y")
    m.add_friction("shoe", "x", 0.1, normal_load={"rail.force": -1.0})
    m.add_friction("seal", {"x": 2.0}, 0.05, normal_load="rail.force")  # two elements under one reaction
    run = ss.simulate(m, 4.0)
    w = 0.5 * math.pi
    turn = math.asin(G / 20.0) / w
    lost, _ = quad(
        lambda t: abs(20.0 * math.sin(w * t) - G), 0.0, 4.0, points=[turn, 2.0 - turn], epsabs=1e-13
    )
    assert run["x.velocity"][-1] == pytest.approx(20.0 - 0.2 * lost, rel=1e-12)
    assert ss.analysis.audit(run).passed


def test_rail_that_moves_carries_the_body() -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"], force={"x": 4.0})
    m.add_constraint("rail", on="y", value=ss.Sine(0.01, 1.0))
    m.add_friction("shoe", "x", 0.3, normal_load="rail.force")
    run = ss.simulate(m, 2.0)  # the velocity at the start follows
    w = 2.0 * math.pi
    # |reaction| = 0.01 w² |sin w t|, whose mean is 2/pi of its peak
    assert run["x.velocity"][-1] == pytest.approx(8.0 - 0.3 * 0.01 * w**2 * 2.0 / math.pi * 2.0, rel=1e-10)
    assert ss.analysis.audit(run).passed
    # the rail takes -F v, whose integral is that of the kinetic energy
    np.testing.assert_allclose(
        run.energy.constraints["rail"], 0.5 * (run["y.velocity"] ** 2 - (0.01 * w) ** 2), atol=1e-12
    )


# LossyGearDemo1 of the Modelica Standard Library: ratio 2, efficiency 1/2, so a coefficient of 1/3
TORQUE = {"p1": ss.Sine(10.0, 1.0), "p2": ss.Ramp(slope=2.5, offset=-10.0, stop=2.0)}


def test_efficiency_as_friction_by_the_torque_has_the_times_of_the_lossy_gear() -> None:
    m = ss.Machine(mass=[1.0, 1.5], names=["p1", "p2"], force=TORQUE)
    m.add_gear("mesh", on=("p1", "p2"), ratio=2.0, friction=0.0)
    m.add_friction("teeth", {"p1": 1.0, "p2": 2.0}, 1.0 / 3.0, normal_load="mesh.force")
    lossy = ss.Machine(mass=[1.0, 1.5], names=["p1", "p2"], force=TORQUE)
    lossy.add_gear("mesh", on=("p1", "p2"), ratio=2.0, efficiency=0.5)
    truth = LossyGear(
        inertia=(1.0, 1.5), ratio=2.0, friction=1.0 / 3.0,
        torque=(lambda t: 10.0 * np.sin(2.0 * np.pi * t), lambda t: -10.0 + 2.5 * min(t, 2.0)),
    )  # fmt: skip
    expected, end = truth.run(0.5, np.zeros(4), -1)
    run = ss.simulate(m, 0.5)
    times = sorted({e.time for e in run.events})
    np.testing.assert_allclose(times, [t for t, _ in expected], rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(run.state.x, end, rtol=0.0, atol=1e-14)
    again = ss.simulate(lossy, 0.5)
    np.testing.assert_allclose(times, sorted({e.time for e in again.events}), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("friction", [0.9, 1.1])
def test_loss_of_uniqueness_is_reported_as_that_of_a_guide(friction: float) -> None:
    # With equal inertias and a ratio of 3, F = 1/(1 - friction·0.8 s) of the reaction without friction: beyond 1.25
    # there is no answer, or several
    def machine(guide: bool) -> ss.Machine:
        m = ss.Machine([1.0, 1.0], names=["a", "b"], force={"a": ss.Ramp(slope=1.0), "b": 0.2})
        on, along = {"a": 1.0, "b": -3.0}, {"a": 1.0, "b": 3.0}
        if guide:
            m.add_guide("mesh", on, along, 1.25 * friction)
        else:
            m.add_constraint("mesh", on)
            m.add_friction("teeth", along, 1.25 * friction, normal_load="mesh.force")
        return m

    start = {"a.velocity": 3.0, "b.velocity": 1.0}
    ours, guide = (ss.simulate(machine(guide), 1.0, initial=start) for guide in (False, True))
    assert (ours.status, ours.state.t) == (guide.status, guide.state.t)
    np.testing.assert_allclose(ours.state.x, guide.state.x, rtol=1e-13, atol=1e-15)
    assert {e.rule for e in ours.events} == {e.rule for e in guide.events}


def test_log_and_signals_name_the_elements_of_the_description() -> None:
    run = ss.simulate(rail(ss.Sine(6.0, 0.5)), 3.0)
    assert {e.element for e in run.events} == {"shoe"}
    assert not [name for name in run.signals if "[" in name]
    np.testing.assert_allclose(run["rail.force"], -G, rtol=1e-14)
    np.testing.assert_allclose(run["shoe.load"], G, rtol=1e-14)
    assert set(run.energy.friction) == {"shoe"} and set(run.energy.constraints) == {"rail"}
    assert "[" not in repr(run.energy) and "[" not in "".join(run.method)
    held = ss.simulate(rail(1.0), 1.0).why_stuck("shoe")
    assert held.force == pytest.approx(1.0) and held.limit == pytest.approx((-0.3 * G, 0.3 * G))


def test_impact_reaches_the_constraint() -> None:
    # A rod that hits a stop: the rail's impulse loads the shoe, as the normal impulse of a contact loads its friction
    m = ss.Machine([[1.0, 0.5], [0.5, 1.0]], names=["x", "y"])
    m.add_constraint("rail", on="y")
    m.add_friction("shoe", "x", 0.2, normal_load="rail.force")
    m.add_contact("stop", normal={"x": -1.0}, gap=0.5)
    run = ss.simulate(m, 1.0, initial={"x.velocity": 1.0})
    assert run["x.velocity"][-1] == pytest.approx(0.0, abs=1e-14)
    assert run["rail.impulse"][-1] == pytest.approx(0.5, rel=1e-12)  # y of M (0 - 1)
    assert ss.analysis.audit(run).passed


def test_start_is_completed_and_checked_as_that_of_a_constraint() -> None:
    run = ss.simulate(
        ring(0.2), 0.5, initial={"x.position": 0.3, "y.position": -0.4 * math.sqrt(2.5), "x.velocity": 0.2}
    )
    x, y, vx, vy = run.y[:, 0]
    assert x * vx + y * vy == pytest.approx(0.0, abs=1e-15)
    assert ss.simulate(rail(value=0.25), 0.1)["y.position"][0] == 0.25
    with pytest.raises(ValueError, match="constraint 'rail' is violated by the initial values"):
        ss.simulate(rail(), 1.0, initial={"y.position": 0.1})
    with pytest.raises(ValueError, match="constraint 'ring' is violated by the initial values"):
        ss.simulate(ring(0.2), 1.0, initial={"x.position": 0.1, "y.position": 0.1})


def test_description_is_saved_and_printed(tmp_path: Path) -> None:
    m = rail()
    assert ss.Machine.from_dict(m.to_dict()) == m and pickle.loads(pickle.dumps(m)) == m
    assert "shoe" in repr(m) and "rail" in repr(m)
    run = ss.simulate(m, 1.0)
    run.save(tmp_path / "run.npz")
    again = ss.load(tmp_path / "run.npz")
    assert again.machine == m
    np.testing.assert_array_equal(again["rail.force"], run["rail.force"])


def test_derivatives_and_sweeps_follow_the_law_and_the_belt() -> None:
    h = 1e-4
    m = rail(ss.Sine(6.0, 0.5, phase=1.0))
    start = {"x.velocity": 1.0}
    run = ss.simulate(m, 1.7, initial=start, sensitivities=["shoe.law.kinetic", "shoe.surface_velocity"])
    for name, at in (("shoe.law.kinetic", 0.3), ("shoe.surface_velocity", 0.0)):
        out = ss.ensemble(m, {name: [at - h, at + h]}, 1.7, ["x.velocity.final"], initial=start)
        low, high = out["x.velocity.final"]
        assert run.sensitivity["x.velocity", name][-1] == pytest.approx(
            (high - low) / (2.0 * h), rel=1e-5, abs=1e-8
        )


def test_derivatives_of_the_bead_match_differences() -> None:
    h = 1e-5
    names = ["pin.law.kinetic", "y.force_scale"]
    run = ss.simulate(ring(0.2), 2.0, initial=at_angle(1.4), sensitivities=names, rtol=1e-10)
    for name, at in zip(names, (0.2, 1.0), strict=True):
        out = ss.ensemble(
            ring(0.2), {name: [at - h, at + h]}, 2.0, ["x.position.final"], initial=at_angle(1.4), rtol=1e-11
        )
        low, high = out["x.position.final"]
        assert run.sensitivity["x.position", name][-1] == pytest.approx((high - low) / (2.0 * h), rel=1e-5)


def test_real_time_time_stepping_and_linearisation_take_it() -> None:
    m = rail(ss.Sine(6.0, 0.5, phase=1.0))
    exact = ss.simulate(m, 1.0)["x.velocity"][-1]
    signals = ss.RealTime(m, 1e-3, outputs=["x.velocity", "rail.force", "shoe.load"]).run(1000)[-1]
    np.testing.assert_allclose(signals, [exact, -G, G], rtol=1e-5)
    stepped = ss.simulate(m, 1.0, method="time_stepping", max_step=1e-3)
    assert stepped["x.velocity"][-1] == pytest.approx(exact, abs=2e-3)
    assert stepped["rail.force"][-1] == pytest.approx(-G, rel=1e-9)
    damped = rail(4.0, ss.Viscous(0.2))
    poles = damped.linearise(at=ss.simulate(damped, 5.0).state).poles()
    assert min(poles.real) == pytest.approx(-0.2 * G, rel=1e-9)  # 0.2 s/m times the load
    with pytest.raises(ValueError, match="rigid contacts in linear machines only"):
        ss.RealTime(ring(0.2), 1e-3, initial=at_angle(1.4))


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "sum": ({"normal_load": {"rail.force": 1.0, "x.velocity": 1.0}}, "must be the only term, with factor 1"),
    "factor": ({"normal_load": {"rail.force": 0.5}}, "scale the law instead"),
    "table": ({"load": "rail.force", "load_table": ([0.0, 1.0], [0.0, 1.0])}, "name it as the normal_load"),
    "options": (
        {"load": "rail.force", "law": ss.StickSlip(0.3, load_factor=0.1)}, "of a friction element of its own",
    ),
    "velocities": ({"normal_load": "speed.force"}, "give 'value' in place of 'rate'"),
    "unknown": ({"normal_load": "rod.force"}, "unknown spring or constraint 'rod'"),
    "two": ({"normal_load": ("rail.force", "speed.force")}, "no force of a constraint, or of one that loads other"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_load_names_the_cure(name: str) -> None:
    given, words = REFUSED[name]
    m = rail()
    m.add_constraint("speed", on="x", rate=1.0)
    with pytest.raises(ValueError, match=words):
        m.add_friction("f", **{"on": "x", "law": 0.1} | given)
        m.check()
