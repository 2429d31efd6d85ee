"""A surface cannot pull: a run ends where the normal load that a formula gives becomes negative, at its zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stickslip as ss
from stickslip.expressions import Expr

W = math.sqrt(0.5)  # 1/s
# x'' = -(1 - x)/2, x(0) = 0, x'(0) = 3: 1 - x = cosh(w t) - (3/w) sinh(w t), which is zero at
ENDS = math.atanh(W / 3.0) / W
# where v² = 9 - 2 · (integral of (1 - x)/2 from 0 to 1) by energy
SPEED = math.sqrt(8.5)

Load = Callable[..., Any]


def block(load: Load, law: ss.Law | float = 0.5, **options: Any) -> ss.Machine:
    m = ss.Machine(1.0, names=["x"], **options)
    m.add_friction("f", on="x", law=law, normal_load=load)
    return m


def falling(q: dict[str, Expr]) -> Expr:
    return 1.0 - q["x"]


def test_run_ends_where_load_of_position_passes_zero() -> None:
    run = ss.simulate(block(falling), 2.0, initial={"x.velocity": 3.0})
    assert run.status == "failed"
    assert run.state.t == pytest.approx(ENDS, rel=1e-9)
    assert run["x.position"][-1] == pytest.approx(1.0, abs=1e-9)
    assert run["x.velocity"][-1] == pytest.approx(SPEED, rel=1e-8)
    assert run["f.load"].min() >= 0.0
    for word in ("'f'", f"t = {ENDS:.7g}"[:8], "maximum(0, ...)", "add_contact"):
        assert word in run.message


def test_run_ends_where_load_of_time_passes_zero() -> None:
    run = ss.simulate(block(lambda q, t: 1.0 - t, force={"x": 2.0}), 2.0)
    assert run.status == "failed"
    assert run.state.t == pytest.approx(1.0, rel=1e-12)
    assert run["x.velocity"][-1] == pytest.approx(2.0 - 0.25, rel=1e-8)  # 2 t - (t - t²/2)/2


def test_crossing_between_two_steps_is_not_missed() -> None:
    # The load is negative for 0.02 s only, in a motion without forces that takes steps of any length.
    run = ss.simulate(block(lambda q: (q["x"] - 1.0) ** 2 - 1e-4, law=0.0), 9.0, initial={"x.velocity": 1.0})
    assert run.status == "failed"
    assert run.state.t == pytest.approx(1.0 - 1e-2, rel=1e-9)


def test_load_that_an_impact_makes_negative_ends_the_run() -> None:
    m = ss.Machine(1.0, names=["x"])
    m.add_contact("wall", normal={"x": 1.0}, restitution=1.0)
    m.add_friction("f", on="x", law=0.0, normal_load=lambda q, v: 2.0 - 3.0 * v["x"])
    run = ss.simulate(m, 3.0, initial={"x.position": 1.0, "x.velocity": -1.0})
    assert run.status == "failed" and run.state.t == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(
    "load",
    [
        lambda q: ss.maximum(0.0, 1.0 - q["x"]),
        lambda q: ss.maximum(1.0 - q["x"], 0.0),
        lambda q: ss.where(q["x"] < 1.0, 1.0 - q["x"], 0.0),
    ],
    ids=["maximum", "maximum reversed", "where"],
)
def test_clipped_load_lets_the_mass_continue(load: Load) -> None:
    run = ss.simulate(block(load), 2.0, initial={"x.velocity": 3.0})
    assert run.status == "finished"
    assert run["x.velocity"][-1] == pytest.approx(SPEED, rel=1e-8)
    assert run["x.position"][-1] == pytest.approx(1.0 + SPEED * (2.0 - ENDS), rel=1e-8)


@pytest.mark.parametrize(
    "load",
    [
        lambda q: q["x"] * q["x"] - 2.0 * q["x"] + 1.0,
        lambda q: 1.0 - ss.cos(2.0 * math.pi * q["x"]),
        lambda q: abs(1.0 - q["x"]),
        lambda q: ss.sqrt(q["x"] ** 2 + 1.0) - 1.0,
        lambda q: 1e3 * (1.0 - q["x"]) ** 4,
    ],
    ids=["expanded square", "cosine", "abs", "hypot", "fourth power"],
)
@pytest.mark.parametrize("rtol", [1e-5, 1e-8, 1e-11])
def test_load_that_only_touches_zero_is_allowed(load: Load, rtol: float) -> None:
    run = ss.simulate(block(load, law=1e-3), 2.0, initial={"x.velocity": 1.0}, rtol=rtol)
    assert run.status == "finished"
    assert run["f.load"].min() >= 0.0


def test_load_that_stays_at_zero_is_allowed() -> None:
    m = ss.Machine([1.0, 1.0], stiffness=np.diag([0.0, 1.0]), names=["x", "y"])
    m.add_friction("f", on="x", law=0.5, normal_load=lambda q: -1e3 * q["y"])
    run = ss.simulate(m, 20.0, initial={"x.velocity": 1.0})
    assert run.status == "finished" and run["x.position"][-1] == pytest.approx(20.0, rel=1e-12)


@pytest.mark.parametrize("method", ["auto", "stiff"])
def test_negative_load_at_the_start_is_refused(method: Any) -> None:
    with pytest.raises(ValueError, match=r"normal_load of 'f' is negative: it is -0.5 at t = 0, .*maximum"):
        ss.simulate(block(falling), 2.0, initial={"x.position": 1.5}, method=method)


def test_bristles_and_lag_end_at_a_negative_load() -> None:
    lugre = ss.LuGre(stiffness=1e4, damping=50.0, static=0.5, kinetic=0.5, stribeck_velocity=0.01)
    lagged = ss.StickSlip(ss.Coulomb(0.5), memory=ss.Lag(1e-6))
    for law in (lugre, lagged):
        run = ss.simulate(block(falling, law), 2.0, initial={"x.velocity": 3.0})
        assert run.status == "failed" and run.state.t == pytest.approx(ENDS, rel=1e-3)


def test_other_ensemble_points_are_unaffected() -> None:
    # At 0.5 m/s the mass stops before x = 1: v²/2 = 0.125 < 0.25.
    out = ss.ensemble(
        block(falling), {"x.velocity": [0.5, 3.0, 0.4]}, t_end=3.0, measure=["x.position.final"]
    )
    assert list(out.status) == ["finished", "failed", "finished"]
    assert "'f'" in out.messages[1]
    for k, v in ((0, 0.5), (2, 0.4)):  # v² = 1 - (1 - x)² divided by 2
        assert out["x.position.final"][k] == pytest.approx(1.0 - math.sqrt(1.0 - 2.0 * v**2), rel=1e-8)


def test_fit_continues_after_failed_trials() -> None:
    m = block(falling)
    run = ss.simulate(m, 3.0, initial={"x.velocity": 0.5}, dt=0.05)
    found = ss.identify.fit(
        m, {"x.mass": 1.9}, {"x.position": (run.t, run["x.position"])}, initial={"x.velocity": 0.5}
    )
    assert found.success and found.parameters["x.mass"] == pytest.approx(1.0, rel=1e-6)


def test_time_stepping_ends_at_the_step_behind_the_zero() -> None:
    run = ss.simulate(block(falling), 2.0, initial={"x.velocity": 3.0}, method="time_stepping", max_step=1e-3)
    assert run.status == "failed" and ENDS <= run.state.t <= ENDS + 2e-3


def test_real_time_flags_negative_load_of_formula_and_uses_zero() -> None:
    rt = ss.RealTime(block(falling), step=1e-3, initial={"x.velocity": 3.0})
    rt.run(300)
    assert not rt.clipped and rt.clipped_steps == 0
    rt.run(1700)
    assert rt.clipped and rt.clipped_steps == pytest.approx((2.0 - ENDS) / 1e-3, abs=2)
    assert rt.state[1] == pytest.approx(SPEED, rel=1e-3)


def test_real_time_flags_negative_load_of_input_and_uses_zero() -> None:
    m = ss.Machine(1.0, names=["x"])
    m.add_friction("f", on="x", law=0.5, normal_load=ss.Input("N", default=1.0))
    rt = ss.RealTime(m, step=1e-3, initial={"x.velocity": 3.0})
    rt.run(np.full(1000, -4.0))
    assert rt.clipped and rt.clipped_steps == 1000
    assert rt.state[1] == pytest.approx(3.0, rel=1e-12)
    rt.step({"N": 1.0})
    assert not rt.clipped and rt.clipped_steps == 1000
    with pytest.raises(ValueError, match="normal_load of 'f' is negative at the start, -1"):
        m = ss.Machine(1.0, names=["x"])
        m.add_friction("f", on="x", law=0.5, normal_load=ss.Ramp(-1.0, offset=0.0))
        ss.RealTime(m, step=1e-3, t_start=1.0)


def test_real_time_clips_the_load_and_not_the_force_of_the_same_signal() -> None:
    ramp = ss.Ramp(-1.0, offset=1.0)
    m = ss.Machine(1.0, names=["x"], force={"x": ramp})
    m.add_friction("f", on="x", law=0.5, normal_load=ramp)
    rt = ss.RealTime(m, step=1e-4)
    rt.run(20_000)
    # (1 - t)/2 up to 1 s, then 1 - t without friction: 1/4 - 1/2
    assert rt.state[1] == pytest.approx(-0.25, abs=1e-3) and rt.clipped


def test_audit_finds_a_negative_load() -> None:
    from auditing.damage import Damaged

    true = block(lambda q: abs(1.0 - q["x"]))
    run = ss.simulate(true, 2.0, initial={"x.velocity": 3.0})
    assert ss.analysis.audit(run).passed
    found = ss.analysis.audit(Damaged(run, machine=block(falling)))  # type: ignore[arg-type]
    assert "load is not negative" in {one.what for one in found.findings}
