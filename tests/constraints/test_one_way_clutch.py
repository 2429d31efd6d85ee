"""One-way clutches against motions that are derived by hand, phase by phase."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import stickslip as ss


def _freewheel(torque: ss.Signal | float = 0.0) -> ss.Machine:
    m = ss.Machine(mass=[1.0, 2.0], names=["engine", "wheel"], force={"engine": torque})
    m.add_one_way_clutch("freewheel", on=("wheel", "engine"))
    return m


def _first(rises: Any, start: float) -> float:
    """The first time at which a function rises through zero."""
    grid = np.linspace(start, start + 5.0, 5001)
    value = rises(grid)
    k = int(np.flatnonzero((value[:-1] < 0.0) & (value[1:] >= 0.0))[0])
    return float(brentq(rises, grid[k], grid[k + 1], xtol=1e-15))


def test_freewheel_under_oscillating_torque_matches_closed_form() -> None:
    """T = A sin wt + B: locked while T > 0, free from T = 0 until the engine has caught up."""
    a, w, b = 3.0, 0.5 * np.pi, 0.4
    run = ss.simulate(_freewheel(ss.Sine(a, 0.25, offset=b)), t_end=12.0, dt=0.05)

    def turned(t: float) -> float:  # integral of T
        return a / w * (1.0 - np.cos(w * t)) + b * t

    def torque(t: Any) -> Any:
        return a * np.sin(w * t) + b

    expected, t = [], 0.0
    while t < 12.0:
        let = _first(lambda t: -torque(t), t + 1e-6)
        t = _first(lambda t, let=let: turned(t) - turned(let), let + 1e-3)
        expected += [(let, "free"), (t, "locked")]
    expected = [one for one in expected if one[0] < 12.0]
    assert [str(e.after) for e in run.events] == [what for _, what in expected]
    assert len(expected) >= 5
    assert np.abs(run.events.time - [x for x, _ in expected]).max() < 1e-13
    assert all(not e.impact for e in run.events)
    locked = run["freewheel.mode"] == ss.Mode.LOCKED
    assert set(run["freewheel.mode"].tolist()) == {ss.Mode.FREE, ss.Mode.LOCKED}
    assert run["freewheel.force"][locked] == pytest.approx(
        2.0 / 3.0 * torque(run.t[locked]), rel=1e-12, abs=1e-12
    )
    assert np.all(run["freewheel.force"][~locked] == 0.0) and np.all(run["freewheel.velocity"][locked] == 0.0)
    assert run["freewheel.velocity"].min() >= 0.0
    assert run.energy.residual < 1e-12
    assert ss.analysis.audit(run).passed


def test_a_backstop_holds_a_load() -> None:
    """Pushed up by 30 N for a second, then falling: at rest after v/g, and held."""
    m = ss.Machine(mass=2.0, names=["load"], force={"load": ss.Step(-30.0, start=1.0) + (30.0 - 2.0 * 9.81)})
    m.add_one_way_clutch("backstop", on="load")
    run = ss.simulate(m, t_end=4.0)
    speed = (30.0 - 19.62) / 2.0
    (locks,) = run.events
    assert (str(locks.before), str(locks.after), locks.cause) == ("free", "locked", "backstop locks")
    assert locks.time == pytest.approx(1.0 + speed / 9.81, rel=1e-14)
    assert run["load.velocity"][-1] == 0.0
    assert run["backstop.force"][-1] == pytest.approx(19.62, rel=1e-14)


def test_backward_start_begins_with_an_impact() -> None:
    run = ss.simulate(_freewheel(), t_end=1.0, initial={"engine.velocity": 1.5})
    (hit,) = run.events
    assert hit.impact and str(hit.after) == "locked"
    assert hit.normal_impulse == pytest.approx(1.0 * 2.0 / 3.0 * 1.5, rel=1e-14)
    assert hit.loss == pytest.approx(0.5 * 2.0 / 3.0 * 1.5**2, rel=1e-14)
    assert run["wheel.velocity"][-1] == pytest.approx(0.5, rel=1e-14)
    assert run["freewheel.impulse"][-1] == hit.normal_impulse


@pytest.mark.parametrize(("body", "stops"), [("wheel", True), ("engine", False)])
def test_impact_locks_or_frees_the_clutch(body: str, stops: bool) -> None:
    """A wall before the wheel stops the engine behind it as well; a wall before the engine lets the wheel run on."""
    m = _freewheel()
    m.add_contact("wall", normal={body: -1.0}, gap=1.0)
    run = ss.simulate(m, t_end=2.0, initial={"engine.velocity": 1.0, "wheel.velocity": 1.0})
    hits = {e.element: e for e in run.events if e.impact}
    assert hits["wall"].time == pytest.approx(1.0, rel=1e-14)
    assert hits["wall"].normal_impulse == pytest.approx(3.0 if stops else 1.0, rel=1e-13)
    assert run["engine.velocity"][-1] == pytest.approx(0.0, abs=1e-14)
    assert run["wheel.velocity"][-1] == pytest.approx(0.0 if stops else 1.0, abs=1e-14)
    assert run["freewheel.impulse"][-1] == pytest.approx(1.0 if stops else 0.0, abs=1e-13)
    assert ss.analysis.audit(run).passed


def test_two_clutches_rectify_a_motion() -> None:
    """A crank that swings a clutch both ways turns the shaft in one direction only: |A w cos wt| where it drives."""
    m = ss.Machine(mass=[1.0, 1.0, 1.0], damping=[0.0, 0.0, 50.0], names=["crank", "idler", "shaft"])
    m.add_constraint("swing", on="crank", value=ss.Sine(0.5, 1.0))
    m.add_constraint("reverse", on={"idler": 1.0, "crank": 1.0})
    m.add_one_way_clutch("one", on=("shaft", "crank"))
    m.add_one_way_clutch("two", on=("shaft", "idler"))
    run = ss.simulate(m, t_end=3.0, dt=0.001)
    fastest = np.abs(run["crank.velocity"])
    assert np.all(run["shaft.velocity"] >= fastest - 1e-12)
    driven = (run["one.mode"] == ss.Mode.LOCKED) | (run["two.mode"] == ss.Mode.LOCKED)
    assert driven.mean() > 0.9
    assert np.abs(run["shaft.velocity"] - fastest)[driven].max() < 1e-12
    assert len(run.events.of("one")) >= 5
    assert ss.analysis.audit(run).passed


def test_clutches_are_values_and_bad_input_is_refused() -> None:
    m = _freewheel(ss.Sine(3.0, 0.25, offset=0.4))
    assert ss.Machine.from_dict(m.to_dict()) == m
    assert pickle.loads(pickle.dumps(m)) == m
    assert m.elements == ("freewheel",)
    assert "'freewheel': one_way_clutch" in repr(m)
    assert "v = wheel − engine ≥ 0" in " ".join(t.get_text() for t in m.draw().texts)
    whole = ss.simulate(m, t_end=12.0)
    first = ss.simulate(m, t_end=5.3)
    assert ss.simulate(m, state=pickle.loads(pickle.dumps(first.state)), t_end=12.0).state == whole.state
    with pytest.raises(ValueError, match="unknown coordinate 'gone'"):
        m.add_one_way_clutch("x", on="gone")
    m.add_force("engine", lambda q, v: -0.01 * v["engine"] ** 2)
    with pytest.raises(ValueError, match="one-way clutch 'freewheel', which is rigid"):
        ss.RealTime(m, step=1e-3)


def test_clutch_beside_integrated_friction_keeps_its_events() -> None:
    """With integrated friction the events are those of the exact flow, to the tolerance."""

    def made(law: ss.Law) -> ss.Machine:
        m = _freewheel(ss.Sine(3.0, 0.25, offset=0.4))
        m.add_friction("bearing", on="wheel", law=law)
        return m

    smooth = ss.simulate(made(ss.Viscous(0.5)), t_end=12.0)
    curve = ss.simulate(made(ss.Table([-10.0, 0.0, 10.0], [-5.0, 0.0, 5.0])), t_end=12.0, rtol=1e-11)
    assert [str(e.after) for e in smooth.events] == [str(e.after) for e in curve.events]
    assert np.abs(smooth.events.time - curve.events.time).max() < 1e-8
