"""A brake that closes while the part moves: its surface takes over at once, and is left at once."""

import pytest

import stickslip as ss


@pytest.mark.parametrize("memory", [None, ss.Lag(0.05)])
def test_events_of_one_instant_follow_each_other(memory: ss.Lag | None) -> None:
    m = ss.Machine(mass=1.0, names=["part"])
    curve = ss.Stribeck(static=1.2, kinetic=1.0, stribeck_velocity=0.05)
    law = ss.StickSlip(curve, memory=memory, presliding=ss.Presliding(travel=0.004))
    m.add_friction("brake", on="part", law=law, normal_load=ss.Step(0.9, start=1.0))
    m.add_force("part", 3.0)
    run = ss.simulate(m, t_end=1.5)
    told = [(e.time, str(e.before), str(e.after)) for e in run.events.of("brake")]
    assert told == [(1.0, "free", "stick"), (1.0, "stick", "slip+")]
    assert ss.analysis.audit(run).passed


def test_what_nothing_presses_stays_free() -> None:
    m = ss.Machine(mass=1.0, stiffness=30.0, names=["part"])
    law = ss.StickSlip(ss.Stribeck(static=1.2, kinetic=1.0, stribeck_velocity=0.05), ss.Lag(0.05))
    m.add_friction("brake", on="part", law=law, normal_load=0.0, surface_velocity=ss.Step(0.5, start=0.3))
    run = ss.simulate(m, t_end=3.0, initial={"part.position": 0.2})
    assert len(run.events) == 0 and set(run["brake.mode"]) == {float(ss.Mode.FREE)}
