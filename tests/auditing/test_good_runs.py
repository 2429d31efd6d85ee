"""Good runs of all kinds of elements pass: the audit raises no false alarm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import generator

import stickslip as ss

STRIBECK = {"static": 1.5, "kinetic": 1.0, "stribeck_velocity": 0.1}
LAWS: dict[str, ss.Law] = {
    "coulomb and viscous": ss.Coulomb(static=1.0, kinetic=0.8) + ss.Viscous(0.3, exponent=1.5),
    "stribeck": ss.Stribeck(**STRIBECK, viscous=0.2),
    "lorentzian": ss.Stribeck(**STRIBECK, form="lorentzian", shape=1.0),
    "steep stribeck": ss.Stribeck(**STRIBECK, shape=0.5),
    "tanh": ss.Tanh(width=0.01, kinetic=1.0),
    "table": ss.Table([-1.0, 0.0, 0.0, 1.0], [-1.0, -2.0, 1.5, 1.0]),
    "odd table": ss.Table([0.0, 0.1, 1.0], [1.5, 1.0, 1.2], odd=True),
    "curve": ss.Curve(lambda v: float(np.copysign(1.0 + 0.5 * np.exp(-abs(v) / 0.1), v))),
    "lugre": ss.LuGre(stiffness=100.0, damping=2.0, viscous=0.1, **STRIBECK),
    "normalised lugre": ss.LuGre(stiffness=100.0, damping=2.0, damping_velocity=0.2, normalised=True, **STRIBECK),
    "dahl": ss.Dahl(stiffness=100.0, kinetic=1.0, exponent=1.5),
    "two states": ss.TwoStateBristle(stiffness=100.0, damping=2.0, viscous=0.1, **STRIBECK),
    "elasto-plastic": ss.ElastoPlastic(stiffness=100.0, damping=2.0, **STRIBECK),
    "maxwell slip": ss.MaxwellSlip(stiffness=[100.0, 30.0], kinetic=1.0),
    "bouc-wen": ss.BoucWen(stiffness=100.0, kinetic=1.0, exponent=2.0),
    "leuven": ss.Leuven(stiffness=100.0, height=2.0, damping=1.0, **STRIBECK),
    "memory": ss.StickSlip(ss.Stribeck(**STRIBECK), memory=0.05),
    "memory and dwell": ss.StickSlip(ss.Stribeck(**STRIBECK), memory=0.05, dwell=0.5),
    "presliding": ss.StickSlip(ss.Coulomb(1.5, 1.0), presliding=ss.Presliding(1e-2, 1.0)),
    "load": ss.StickSlip(ss.Stribeck(**STRIBECK, viscous=0.1), load_factor=0.5),
    "all options": ss.StickSlip(
        ss.Stribeck(**STRIBECK), memory=0.05, dwell=0.5, presliding=ss.Presliding(1e-2), load_factor=0.3
    ),
}  # fmt: skip


def passes(machine: Any, t_end: float, **options: Any) -> ss.Trajectory:
    run = ss.simulate(machine, t_end, **options)
    report = ss.analysis.audit(run, rtol=options.get("rtol", 1e-8))
    assert report.passed, report
    return run


@pytest.mark.parametrize("name", LAWS)
def test_runs_with_every_law_pass(name: str) -> None:
    force = ss.Sine(amplitude=4.0, frequency=0.3)
    m = ss.Machine(
        mass=[1.0, 0.5], stiffness=[[6.0, -3.0], [-3.0, 3.0]], names=["a", "b"], force={"a": force}
    )
    load = ss.Sine(amplitude=0.5, frequency=0.2, offset=1.0)
    m.add_friction("guide", on="a", law=LAWS[name], normal_load=load, load={"b.position": 1.0})
    m.add_friction("between", on=("a", "b"), law=ss.Coulomb(0.4, 0.3), surface_velocity=0.1)
    passes(m, 8.0)


@pytest.mark.parametrize(
    "name", ["coulomb and viscous", "table", "lugre", "maxwell slip", "memory and dwell"]
)
@pytest.mark.parametrize("method", ["explicit", "stiff"])
def test_runs_with_coarse_tolerances_pass(name: str, method: Any) -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=LAWS[name], surface_velocity=0.2)
    passes(m, 20.0, method=method, rtol=1e-5, initial={"block.velocity": 0.2})


CONTROLLERS: dict[str, dict[str, Any]] = {
    "pid": {"control": ss.PID(kp=30.0, ki=40.0, kd=6.0, tf=0.01, derivative_of="error", limits=6.0)},
    "clamped pid": {"control": ss.PID(kp=30.0, ki=40.0, kd=6.0, limits=6.0, anti_windup="clamping")},
    "sampled pid": {
        "control": ss.PID(kp=30.0, ki=40.0, kd=6.0, tf=0.01, limits=6.0, period=0.01, delay=0.004)
    },
    "encoder": {"control": ss.PID(kp=30.0, kd=6.0, period=0.01, quantum=1e-4, rate="difference")},
    "cascade": {
        "control": ss.Cascade(kv=5.0, kp=20.0, tn=0.2, velocity_feedforward=1.0, force_feedforward=1.0)
    },
    "sampled cascade": {"control": ss.Cascade(kv=5.0, kp=20.0, tn=0.2, period=0.01, limits=(-9.0, 7.0))},
    "velocity pi": {"control": ss.PI(kp=20.0, tn=0.2, controls="rate", feedforward=0.1)},
    "lead": {"control": ss.LTI(A=-50.0, B=1.0, C=-2000.0, D=50.0, limits=8.0)},
    "sampled lead": {"control": ss.LTI(A=-50.0, B=1.0, C=-2000.0, D=50.0, period=0.01)},
    "function": {"control": ss.control.Callable(lambda t, r, y: 5.0 if y[0] < r[0] else -5.0, period=0.02)},
}


@pytest.mark.parametrize("name", CONTROLLERS)
def test_runs_with_every_controller_pass(name: str) -> None:
    m = ss.Machine(mass=1.0, damping=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Stribeck(**STRIBECK))
    m.add_controller(**CONTROLLERS[name], on="slide", reference=ss.SmoothStep(1.0, start=0.2, duration=0.7))
    passes(m, 3.0)


def test_runs_with_chained_controllers_and_compensation_pass() -> None:
    m = ss.Machine(mass=1.0, names=["slide"])
    law, move = ss.Stribeck(**STRIBECK), ss.SmoothStep(1.0, duration=0.8)
    m.add_friction("guide", on="slide", law=law)
    m.add_controller(ss.P(kp=8.0, limits=1.0), name="position", measure="slide", reference=move, period=0.02)
    m.add_controller(
        ss.PI(kp=20.0, tn=0.2), name="speed", measure="slide.velocity", reference="position.output", to="slide",
        period=0.01,
    )  # fmt: skip
    m.add_controller(ss.FrictionFeedforward(law), on="slide", reference=move, name="ahead")
    run = passes(m, 3.0)
    assert list(ss.analysis.audit(run).unchecked) == ["output of 'ahead'"]


@pytest.mark.parametrize("impact", ["poisson", "newton"])
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_runs_with_moving_walls_pass(impact: str, restitution: float) -> None:
    m = ss.Machine(mass=[1.0, 2.0], stiffness=1.0, names=["x", "y"], force={"y": -9.81})
    table = ss.Sine(amplitude=-0.1, frequency=1.3)
    m.add_contact(
        "table", normal={"y": 1.0}, tangent={"x": 1.0}, friction=ss.Coulomb(0.5, 0.3), gap=table, impact=impact,
        restitution=restitution, surface_velocity=0.3,
    )  # fmt: skip
    m.add_contact("wall", normal={"x": -1.0, "y": 0.3}, gap=0.4, restitution=restitution, impact=impact)
    passes(m, 2.0, initial={"y.position": 1.0, "x.velocity": 1.0})


def test_runs_with_load_from_a_contact_pass() -> None:
    m = ss.Machine(
        mass=[1.0, 1.0],
        names=["x", "y"],
        force={"y": ss.Sine(2.0, 0.7, offset=-9.0), "x": ss.Ramp(slope=3.0)},
    )
    m.add_contact("floor", normal={"y": 1.0})
    law = ss.StickSlip(ss.Coulomb(0.5, 0.4), load_factor=0.2)
    m.add_friction("guide", on="x", law=law, load="floor.normal_force")
    passes(m, 4.0)


def _ready() -> dict[str, Callable[[], tuple[Any, float]]]:
    make = ss.machines
    angle, friction = np.deg2rad(12), np.tan(np.deg2rad(14))
    wedge = {"angle": angle, "friction": friction, "load": 100.0, "stiffness": 4000.0, "pull_velocity": 0.01}
    return {
        "belt": lambda: (make.belt_oscillator(1.0, 2.0, LAWS["stribeck"], belt_velocity=0.2), 30.0),
        "chain": lambda: (
            make.chain([1.0, 2.0, 1.0], [3.0, 4.0], law=LAWS["coulomb and viscous"], surface_velocity=0.2, left=5.0), 20.0),
        "wedge": lambda: (make.wedge_gear(upper_mass=2420.0, lower_mass=10.878, **wedge), 1.0),
        "elastic wedge": lambda: (make.wedge_gear(upper_mass=2420.0, lower_mass=10.878, restitution=0.3, **wedge), 0.5),
        "worm": lambda: (
            make.worm_gear(
                wheel_inertia=0.875424, worm_inertia=1.56e-3, wheel_radius=0.05, worm_radius=0.036, friction=0.4,
                lead_angle=np.deg2rad(3.18), load_torque=3.53, shaft_stiffness=20.0, motor_speed=-0.47), 1.0),
    }  # fmt: skip


@pytest.mark.parametrize("name", _ready())
def test_runs_of_ready_machines_pass(name: str) -> None:
    machine, t_end = _ready()[name]()
    run = ss.simulate(machine, t_end)
    report = ss.analysis.audit(run)
    assert report.passed, report


def test_audit_time_is_proportional_to_the_run() -> None:
    """An audit samples each step a few times: it stays in proportion to the run."""
    report = ss.analysis.audit(
        ss.simulate(ss.machines.belt_oscillator(1.0, 2.0, LAWS["stribeck"], 0.2), 60.0)
    )
    assert report.passed
    assert sum(report.checked.values()) < 200_000


def test_audit_lists_unchecked_laws() -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=LAWS["leuven"], surface_velocity=0.2)
    report = ss.analysis.audit(ss.simulate(m, 5.0))
    assert report.passed
    assert "memory of 'belt'" in report.unchecked
    assert "not checked: memory of 'belt'" in str(report)


def test_unsupported_runs_are_refused() -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    with pytest.raises(ValueError, match="with its segments"):
        ss.analysis.audit(ss.simulate(m, 5.0, keep="events"))
    with pytest.raises(ValueError, match="time stepping"):
        ss.analysis.audit(ss.simulate(m, 5.0, method="time_stepping", max_step=1e-2))
    plant = ss.StateSpace(A=[[0.0]], B=[1.0], C=[[1.0]], outputs=["x"])
    with pytest.raises(ValueError, match="of a stickslip.Machine"):
        ss.analysis.audit(ss.simulate(plant, 1.0))


def test_belt_of_the_readme_passes() -> None:
    """The first example of the README."""
    text = (Path(__file__).parents[2] / "README.md").read_text()
    assert 'law = ss.Coulomb(static=1.0, kinetic=0.8)\nm.add_friction("belt"' in text
    m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
    m.add_friction(
        "belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), normal_load=1.0, surface_velocity=0.2
    )
    passes(m, 60.0, dt=0.01, initial={"block.velocity": 0.2})


def test_relay_at_rest_after_an_accumulation_exceeds_its_outputs_as_friction_may() -> None:
    """By 1e-6 of an output, as an element of friction may exceed its limit."""
    case = generator("combined")(1098)
    run = ss.simulate(case.machine, case.t_end, **case.options)
    assert "accumulation" in {str(rule) for rule in run.events.of("e4").rule}
    audit = ss.analysis.audit(run)
    assert not [f for f in audit.findings if f.element == "e4"]
    beyond = np.abs(run.at(np.linspace(1.663, 1.6638, 4001))["e4.output"]).max() / 2.5157233686241467 - 1.0
    assert 0.0 < beyond < 1.1e-6
