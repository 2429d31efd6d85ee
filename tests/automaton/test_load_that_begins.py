"""A brake that closes while the part moves: its surface takes over at once, and is left at once."""

import pytest

import stickslip as ss


@pytest.mark.parametrize("memory", [None, ss.Lag(0.05)])
def test_events_of_one_instant_follow_each_other(memory: ss.Lag | None) -> None:
    m = ss.Machine(mass=1.0, names=["part"])
    curve = ss.Stribeck(static=1.2, kinetic=1.0, stribeck_velocity=0.05)
    law = ss.StickSlip(curve, memory=memory, presliding=ss.Presliding(travel=0.004))
    m.add_friction("brake", on="part", law=law, normal_load=ss.Step(0.9, start=1.0))
    run = ss.simulate(m, t_end=1.5, initial={"part.velocity": 2.0})
    told = [(e.time, str(e.before), str(e.after)) for e in run.events.of("brake")]
    assert told[0][:2] == (1.0, "free") and told[-1][2] == "slip+"
    assert [before for _, before, _ in told[1:]] == [after for _, _, after in told[:-1]]
    assert ss.analysis.audit(run).passed
