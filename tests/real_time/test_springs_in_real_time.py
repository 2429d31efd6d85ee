"""Springs with corners in fixed steps: against simulate() on the same machine, by the order of the method."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

STEPS = (1e-3, 5e-4, 2.5e-4, 1.25e-4)
X, F = [-0.02, -0.01, 0.0, 0.005, 0.03], [-40.0, -5.0, 0.0, 1.0, 60.0]


def geared(damping: float = 0.0, friction: ss.Law | None = None) -> ss.Machine:
    m = ss.Machine(mass=[1.0, 2.0], names=["a", "b"], force={"a": ss.Sine(amplitude=3.0, frequency=0.7)})
    m.add_spring("nut", on={"a": 1.0, "b": -1.0}, stiffness=400.0, damping=damping, backlash=0.02)
    if friction is not None:
        m.add_friction("guide", on="b", law=friction)
    return m


def falling(**spring: object) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["q"], force={"q": -9.81})
    m.add_spring("spring", on="q", **spring)  # type: ignore[arg-type]
    return m


def looped() -> ss.Machine:
    m = ss.Machine(mass=[0.5, 1.0], names=["a", "b"])
    m.add_spring("gear", on={"a": 1.0, "b": -1.0}, stiffness=2e3, damping=1.0, backlash=0.01)
    m.add_friction("guide", on="b", law=ss.Coulomb(0.5, 0.4))
    m.add_controller(
        ss.PI(kp=5.0, tn=0.5, limits=20.0, period=0.002), name="speed", measure="a.velocity",
        reference=ss.Sine(amplitude=0.5, frequency=1.0), to="a",
    )  # fmt: skip
    return m


def pendulum() -> ss.Machine:
    m = ss.Machine(mass=0.5, names=["q"])
    m.add_force("q", lambda q: -9.81 * ss.sin(q["q"]))
    m.add_spring("stop", on="q", stiffness=500.0, damping=1.0, backlash=0.6)
    return m


MOVING = ss.Sine(amplitude=0.05, frequency=1.0)
CASES = {
    "backlash": (geared(), 2.0, {"a.velocity": 0.3}, 1e-7),
    "damped backlash": (geared(2.0), 2.0, {"a.velocity": 0.3}, 2e-8),
    "with Coulomb friction": (geared(0.0, ss.Coulomb(0.5, 0.4)), 2.0, {"a.velocity": 0.3}, 2e-7),
    "with Stribeck friction": (geared(2.0, ss.Stribeck(0.5, 0.4, 0.01)), 2.0, {"a.velocity": 0.3}, 2e-8),
    "table": (falling(table=(X, F)), 2.0, {"q.position": 0.06}, 1e-6),
    "damped table": (falling(damping=2.0, table=(X, F)), 2.0, {"q.position": 0.06}, 1e-6),
    "moving support": (
        falling(stiffness=1e3, damping=6.0, one_sided=True, rest=MOVING), 1.5, {"q.position": 0.3}, 1e-6,
    ),
    "sampled loop": (looped(), 1.0, {}, 2e-8),
    "pendulum": (pendulum(), 1.0, {"q.position": 1.0}, 1e-5),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_springs_converge_with_second_order_to_simulate(case: str) -> None:
    machine, t_end, initial, last = CASES[case]
    run = ss.simulate(machine, t_end, initial=initial, rtol=1e-11)
    keys = [key for key in machine.compile().states if key.endswith((".position", ".velocity"))]
    exact = np.array([run.at([t_end])[key][0] for key in keys])
    errors = []
    for step in STEPS:
        rt = ss.RealTime(machine, step, initial=initial, outputs=keys)
        out = rt.run(round(t_end / step))
        assert not rt.failed and rt.late_steps == 0
        errors.append(np.abs(out[-1] - exact).max())
    assert rt.transitions >= max(len(run.events), 4)
    assert errors[-1] < last
    order = np.log2(errors[0] / errors[-1]) / 3.0
    assert order > 1.8


def test_spring_signals_agree_with_simulate() -> None:
    machine, keys = geared(2.0), ["nut.force", "nut.elongation", "nut.elongation_rate", "nut.mode"]
    run = ss.simulate(machine, 2.0, initial={"a.velocity": 0.3}, t_eval=0.01 * np.arange(1, 201))
    rt = ss.RealTime(machine, 1.25e-4, initial={"a.velocity": 0.3}, outputs=keys)
    out = rt.run(16000)[79::80]
    away = np.abs(run.t[:, None] - run.events.time).min(axis=1) > 1e-3
    assert away.sum() > 150
    for k, key in enumerate(keys):
        assert out[away, k] == pytest.approx(run[key][away].astype(float), abs=2e-5)


def test_rest_on_a_stop_has_no_late_steps() -> None:
    machine = falling(stiffness=1e3, damping=20.0, one_sided=True)
    rt = ss.RealTime(machine, 1e-3, initial={"q.position": 0.1}, outputs=["q.position", "spring.force"])
    last = rt.run(4000)[-1]
    assert last == pytest.approx([-9.81e-3, -9.81], rel=1e-9)
    assert rt.late_steps == 0 and rt.prebuilt
