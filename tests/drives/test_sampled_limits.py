"""Limits of sampled controllers as events: at the instants at which the held output changes, and in the limit of short
periods those of the continuous loop."""

import numpy as np
import pytest

import stickslip as ss

LIMITED = dict(kp=40.0, ki=30.0, kd=8.0, limits=(-3.0, 2.0))


def loop(period=None, delay=0.0, friction=True, **changed):
    m = ss.Machine(mass=1.0, damping=0.2, names=["q"])
    if friction:
        m.add_friction("guide", on="q", law=ss.Coulomb(static=0.6, kinetic=0.5))
    reference = ss.Piecewise([0.0, 2.0, 2.5], [0.0, 1.0, 0.4])
    m.add_controller(
        ss.PID(**(LIMITED | changed), period=period, delay=delay), name="c", on="q", reference=reference
    )
    return m


def changes(run):
    return [(e.before, e.after, e.cause) for e in run.events.of("c")]


@pytest.mark.parametrize("anti_windup", ["back_calculation", "clamping", None])
def test_short_periods_give_the_modes_of_the_continuous_loop(anti_windup):
    """Times converge with the first power of the period: a sample sees the crossing up to one period late."""
    whole = ss.simulate(loop(anti_windup=anti_windup), 6.0)
    wanted = whole.events.of("c")
    assert {e.after for e in wanted} == {ss.Mode.HIGH, ss.Mode.LOW, ss.Mode.FREE}
    errors = []
    for period in (4e-4, 1e-4):
        run = ss.simulate(loop(period, anti_windup=anti_windup), 6.0)
        assert changes(run) == changes(whole)
        errors.append(max(abs(a.time - b.time) for a, b in zip(run.events.of("c"), wanted, strict=True)))
    assert errors[1] < 0.35 * errors[0] and errors[1] < 1e-3


@pytest.mark.parametrize("delay", [0.0, 4e-3])
def test_events_equal_changes_of_the_mode_signal(delay):
    period = 1e-2
    run = ss.simulate(loop(period, delay), 6.0)
    shown = run.at(np.arange(600) * period + delay)
    modes = shown["c.mode"].astype(int)
    held = np.flatnonzero(np.diff(modes)) + 1
    events = run.events.of("c")
    assert [int(e.after) for e in events] == [modes[k] for k in held]
    assert [int(e.before) for e in events] == [modes[k - 1] for k in held]
    assert np.allclose([e.time for e in events], shown.t[held], rtol=0, atol=1e-12)
    causes = {
        "high": "c reaches its upper limit",
        "low": "c reaches its lower limit",
        "free": "c returns from its limit",
    }
    for e in events:
        assert e.cause == causes[str(e.after)] and e.rule == "unique" and e.solutions == 1 and not e.ambiguous


def test_friction_change_at_a_sampling_instant_shares_the_instant():
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_friction("guide", on="q", law=ss.Coulomb(static=1.0, kinetic=0.5))
    m.add_controller(lambda t, r, y: 3.0 * (t > 0.95), name="c", on="q", period=0.5)
    m.add_controller(
        ss.control.Callable(lambda t, r, y: 3.0 * (t > 0.95), period=0.5, limits=2.0), name="d", on="q"
    )
    run = ss.simulate(m, 2.0)
    first = [e for e in run.events if e.time == 1.0]
    assert [e.element for e in first] == ["d", "guide"] and len({e.instant for e in first}) == 1


def test_only_limited_outputs_have_events():
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"])
    both = ss.control.Callable(
        lambda t, r, y: [2.0 * (t > 0.55), -2.0 * (t > 0.75)], outputs=2, period=0.1, limits=1.0
    )
    m.add_controller(both, name="c", measure="a", to=["a", "b"])
    m.add_controller(ss.PID(kp=1e3, period=0.1), name="free", on="a", reference=1.0)
    events = ss.simulate(m, 1.0).events
    assert [(e.element, round(e.time, 12), str(e.after)) for e in events] == [
        ("c", 0.6, "high"),
        ("c", 0.8, "low"),
    ]


def test_limit_events_count_and_resumed_run_is_bitwise_equal():
    m = loop(1e-2)
    whole = ss.simulate(m, 6.0)
    half = ss.simulate(m, 2.01)
    rest = ss.simulate(m, 6.0, state=half.state)
    assert [*half.events, *rest.events] == [*whole.events] and rest.state == whole.state
    assert ss.simulate(m, 6.0, keep="nothing")._raw.event_count == len(whole.events)
    assert ss.simulate(m, 6.0, max_events=1).status == "budget"
    out = ss.ensemble(m, {"q.position": [0.0]}, t_end=6.0, measure=["c.events.count", "c.events.first"])
    assert out["c.events.count"][0] == len(whole.events.of("c"))
    assert out["c.events.first"][0] == whole.events.of("c")[0].time
