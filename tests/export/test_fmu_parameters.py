"""Tunable parameters of FMUs, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss
from export.importer import Importer, imported


def block(static: float = 1.0, push: float = 0.9) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["block"], force={"block": push})
    m.add_friction("floor", on="block", law=ss.Coulomb(static=static, kinetic=0.8 * static))
    return m


def tune(one: Importer, values: dict[str, float]) -> None:
    """Set parameters where FMI allows it: between steps, or in event mode."""
    if one.events:
        one.fmu.enterEventMode()
    one.set(values)
    if one.events:
        one.fmu.updateDiscreteStates()
        one.fmu.enterStepMode()


@pytest.mark.parametrize(
    "version",
    ["3.0 with events", *(pytest.param(version, marks=pytest.mark.slow) for version in ("3.0", "2.0"))],
)
def test_mass_changes_while_velocity_stays(version: str) -> None:
    """6 N on 1 kg for 1 s, then on 2 kg: v = 6 + 3 (t - 1)."""
    m = ss.Machine(mass=1.0, names=["q"], force={"q": 6.0})
    with imported(
        m, events="events" in version, outputs=["q.velocity", "q.acceleration"], parameters=["q.mass"],
        version=version[:3],
    ) as one:  # fmt: skip
        one.start()
        one.step(1.0)
        tune(one, {"q.mass": 2.0})
        assert one.get(["q.velocity", "q.acceleration", "q.mass"]) == pytest.approx(
            [6.0, 3.0, 2.0], rel=1e-14
        )
        one.step(1.0)
        assert one.get(["q.velocity"]) == pytest.approx([9.0], rel=1e-14)


def test_lower_friction_releases_a_block_at_once() -> None:
    """0.9 N hold against 1 N; with levels of 0.5 and 0.4 N the block moves with 0.5 m/s²."""
    names = ["floor.law.static", "floor.law.kinetic"]
    with imported(block(), outputs=["block.velocity", "floor.mode"], parameters=names) as one:
        one.start()
        one.step(1.0)
        assert one.get(["block.velocity", "floor.mode"]) == [0.0, 0.0]
        one.set({"floor.law.static": 0.5, "floor.law.kinetic": 0.4})
        assert one.get(["floor.mode"]) == [1.0]
        one.step(2.0)
        assert one.get(["block.velocity"]) == pytest.approx([1.0], rel=1e-14)


def test_gain_of_a_sampled_controller_acts_from_the_next_instant_on() -> None:
    """Unit mass, u = kp (1 - v) held for T: v+ = v + kp T (1 - v); the instant at the point has been computed."""
    T = 0.1
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=2.0, period=T), "loop", measure="q.velocity", reference=1.0, to="q")
    found, expected = [], [0.0]
    with imported(m, outputs=["q.velocity"], parameters=["loop.control.kp"]) as one:
        one.start()
        for k in range(6):
            found += one.get(["q.velocity"])
            if k == 3:
                one.set({"loop.control.kp": 4.0})
            one.step(T)
            expected.append(expected[-1] + (4.0 if k > 3 else 2.0) * T * (1.0 - expected[-1]))
        found += one.get(["q.velocity"])
    assert found == pytest.approx(expected, rel=1e-13)


def test_bristle_keeps_its_deflection() -> None:
    """The force of a stuck LuGre contact does not jump with the mass."""
    m = ss.Machine(mass=1.0, names=["x"], force={"x": 0.5})
    m.add_friction(
        "floor",
        on="x",
        law=ss.LuGre(stiffness=1e3, damping=30.0, static=1.5, kinetic=1.0, stribeck_velocity=1e-3),
    )
    with imported(m, outputs=["floor.force", "x.position"], parameters=["x.mass"]) as one:
        one.start()
        one.step(0.02)
        before = one.get(["floor.force", "x.position"])
        one.set({"x.mass": 5.0})
        assert one.get(["floor.force", "x.position"]) == pytest.approx(before, rel=1e-12)
        assert before[0] > 0.1


def test_state_brings_its_tuned_parameter_back() -> None:
    m = ss.Machine(mass=1.0, names=["q"], force={"q": 6.0})
    with imported(m, outputs=["q.velocity"], parameters=["q.mass"]) as one:
        one.start()
        one.step(1.0)
        one.set({"q.mass": 3.0})
        state = one.fmu.getFMUState()
        ends = []
        for _ in range(2):
            one.t = 1.0
            one.step(1.0)
            ends.append(one.get(["q.velocity", "q.mass"]))
            one.set({"q.mass": 1.0})
            one.fmu.setFMUState(state)
        assert ends[0] == ends[1] == pytest.approx([8.0, 3.0], rel=1e-14)


def test_initial_values_and_dead_times_stay_fixed() -> None:
    late = ss.Machine(mass=1.0, names=["block"], force={"block": 0.9})
    law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.8), memory=ss.DeadTime(0.01))
    late.add_friction("floor", on="block", law=law)
    cases = {"block.velocity": block(), "block.mass": late}
    for name, machine in cases.items():
        with imported(machine, outputs=["block.position"], parameters=[name]) as one:
            parameter = next(v for v in one.variables.values() if v.causality == "parameter")
            assert parameter.variability == "fixed"
            one.start()
            with pytest.raises(Exception, match="fmi3SetFloat64"):
                one.set({parameter.name: 1.5})
            assert f"'{name}' is a fixed parameter" in one.messages[-1]


def test_value_that_is_not_allowed_names_the_parameter() -> None:
    with imported(block(), outputs=["block.velocity"], parameters=["block.mass"]) as one:
        one.start()
        one.step(0.1)
        one.set({"block.mass": -1.0})
        with pytest.raises(Exception, match="fmi3DoStep"):
            one.step(0.1)
        assert "mass" in one.messages[-1]
        one.set({"block.mass": 2.0})
        one.step(0.1)
        assert np.isfinite(one.get(["block.velocity"])[0])
