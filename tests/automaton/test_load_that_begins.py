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
