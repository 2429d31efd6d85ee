"""The order in which a machine is put together does not matter."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stickslip as ss

Call = Callable[[Any], Any]


def built(calls: list[Call], mass: list[float], stiffness: Any = None, names: str = "ab") -> ss.Machine:
    m = ss.Machine(mass=mass, stiffness=stiffness, names=list(names[: len(mass)]))
    for call in calls:
        call(m)
    return m


NU, KINETIC, STATIC = 0.4, 0.8, 1.0
LOADED = ss.StickSlip(ss.Coulomb(static=STATIC, kinetic=KINETIC), load_factor=NU)


def pushed(force: float, *, friction_first: bool) -> ss.Machine:
    """A block whose normal load grows with the force that pushes it: F_l is the applied force."""
    m = ss.Machine(mass=1.0, names=["slide"])
    if not friction_first:
        m.add_force("slide", force)
    m.add_friction("guide", on="slide", law=LOADED, load={"slide.applied_force": 1.0})
    if friction_first:
        m.add_force("slide", force)
    return m


@pytest.mark.parametrize("friction_first", [True, False])
@pytest.mark.parametrize("force", [0.5, 3.0, 6.0])
def test_a_load_form_on_the_applied_force_sees_every_force(force: float, friction_first: bool) -> None:
    """Friction per unit load Fk, load 1 + nu F / Fk: it slides by F - Fk - nu F, or is held below Fs (1 + nu F / Fk)."""
    run = ss.simulate(pushed(force, friction_first=friction_first), t_end=2.0)
    level = STATIC * (1.0 + NU * force / KINETIC)
    acceleration = (1.0 - NU) * force - KINETIC if force > level else 0.0
    assert run["slide.position"][-1] == pytest.approx(0.5 * acceleration * 4.0, rel=1e-13, abs=1e-13)
    assert run["guide.load"][-1] == pytest.approx(1.0 + NU * force / KINETIC, rel=1e-14)


@pytest.mark.parametrize("friction_first", [True, False])
def test_an_ensemble_that_varies_the_applied_force_varies_the_load(friction_first: bool) -> None:
    force = np.array([3.0, 4.5, 6.0])
    out = ss.ensemble(
        pushed(0.5, friction_first=friction_first),
        {"slide.force": force},
        2.0,
        ["slide.position.final", "events.count"],
    )
    assert out["slide.position.final"] == pytest.approx(2.0 * ((1.0 - NU) * force - KINETIC), rel=1e-13)
    assert set(out["events.count"]) == {0}


def through(signal_first: bool) -> ss.StateSpace:
    """A velocity that a signal reaches directly: v = x0 + u1, driven at u0."""
    plant = ss.StateSpace(A=[[0.0]], B=[[1.0, 0.0]], C=[[1.0]], D=[[0.0, 1.0]], outputs=["v"])
    law = ss.Coulomb(static=1.0, kinetic=0.8)
    calls: list[Call] = [
        lambda m: m.add_signal("u0", ss.Ramp(slope=0.4)),
        lambda m: m.add_signal("u1", ss.Sine(amplitude=0.3, frequency=0.5)),
        lambda m: m.add_friction("f", law=law, velocity="v", on="u0"),
    ]
    for call in calls if signal_first else reversed(calls):
        call(plant)
    return plant


def test_direct_feedthrough_of_a_state_space_is_read_whenever_it_is_added() -> None:
    a, b = (ss.simulate(through(first), t_end=8.0, dt=0.01) for first in (True, False))
    assert [e.time for e in a.events] == [e.time for e in b.events] and len(a.events) >= 1
    assert np.array_equal(a.y, b.y)
    t = a.t
    assert a["f.velocity"] == pytest.approx(a["x0"] + 0.3 * np.sin(np.pi * t), abs=1e-12)
    assert a["v"] == pytest.approx(a["x0"] + 0.3 * np.sin(np.pi * t), abs=1e-14)


def test_signals_are_listed_in_the_order_of_adding() -> None:
    calls: dict[str, Call] = {
        "floor": lambda m: m.add_contact("floor", normal={"b": 1.0}, gap=1.0),
        "guide": lambda m: m.add_friction("guide", on="a", law=ss.Coulomb(0.1)),
        "pid": lambda m: m.add_controller(ss.PID(kp=1.0), on="a", name="pid"),
        "help": lambda m: m.add_controller(
            ss.FrictionFeedforward(ss.Coulomb(0.1)), to="a", reference=1.0, name="help"
        ),
    }
    for order in (list(calls), list(reversed(calls)), ["guide", "floor", "help", "pid"]):
        m = built([calls[name] for name in order], [1.0, 1.0])
        shown = [name.split(".")[0] for name in ss.simulate(m, 0.1).signals]
        assert list(dict.fromkeys(s for s in shown if s in calls)) == order
        assert m.elements == tuple(name for name in order if name in ("floor", "guide"))


def test_referenced_elements_may_be_added_later() -> None:
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"], force={"b": -9.81})
    m.add_controller(
        ss.PI(kp=4.0, tn=0.5), name="inner", measure="a.velocity", reference="outer.output", to="a"
    )
    with pytest.raises(ss.UnknownNameError, match="'outer.output': unknown controller 'outer'; known are: "):
        m.check()
    m.add_controller(ss.P(kp=2.0), name="outer", measure="a", reference=1.0)
    m.check()
    m.add_friction("guide", on="a", law=LOADED, load="floor.normal_force", normal_load=0.0)
    with pytest.raises(ValueError, match=r"load of 'guide': unknown contact 'floor'; known are: none"):
        ss.simulate(m, t_end=1.0)
    m.add_contact("floor", normal={"b": 1.0})
    run = ss.simulate(m, t_end=20.0)
    assert run["guide.load"][-1] == pytest.approx(NU * 9.81 / KINETIC, rel=1e-12)


# --- random machines

factor = st.floats(0.3, 2.0).map(lambda x: round(x, 3))
where = st.sampled_from(["a", "b", ("a", "b")])
signal = st.one_of(
    factor, st.builds(ss.Sine, amplitude=factor, frequency=factor), st.builds(ss.Ramp, slope=factor)
)


@st.composite
def additions(draw: st.DrawFn) -> list[Call]:
    """Calls that belong to one machine, some of which refer to others."""
    calls: list[Call] = []
    for _ in range(draw(st.integers(1, 3))):
        on, s = draw(where), draw(signal)
        calls.append(lambda m, on=on, s=s: m.add_force(on, s))
    if draw(st.booleans()):
        gap, e = draw(factor), draw(st.sampled_from([0.0, 0.5]))
        calls.append(lambda m: m.add_contact("wall", normal={"a": -1.0}, gap=gap, restitution=e))
    for name in draw(st.sampled_from([["f"], ["f", "g"]])):
        kinetic, on, surface = draw(factor), draw(where), draw(st.sampled_from([0.0, 0.2]))
        law: ss.Law = ss.Coulomb(static=1.3 * kinetic, kinetic=kinetic)
        load = draw(
            st.sampled_from([None, {"a.applied_force": 0.5}, {"a.position": 0.3, "b.applied_force": 0.2}])
        )
        if load is not None:
            law = ss.StickSlip(law, load_factor=0.3)
        calls.append(
            lambda m, name=name, on=on, law=law, load=load, surface=surface: m.add_friction(
                name, on=on, law=law, load=load, surface_velocity=surface
            )
        )
    if draw(st.booleans()):
        r = draw(factor)
        inner = ss.PI(kp=draw(factor), tn=0.7, limits=draw(st.sampled_from([None, 1.0])))
        calls.append(
            lambda m: m.add_controller(
                inner, name="inner", measure="a.velocity", reference="outer.output", to="a"
            )
        )
        calls.append(lambda m: m.add_controller(ss.P(kp=2.0), name="outer", measure="b", reference=r))
    return calls


@settings(max_examples=60, deadline=None)
@given(calls=additions(), random=st.randoms(use_true_random=False))
def test_shuffled_calls_give_the_same_motion(calls: list[Call], random: Any) -> None:
    stiffness = [[3.0, -1.0], [-1.0, 2.0]]
    shuffled = calls.copy()
    random.shuffle(shuffled)
    a, b = (
        ss.simulate(built(c, [1.0, 2.0], stiffness), 2.0, dt=0.02, max_events=200) for c in (calls, shuffled)
    )
    assert a.status == b.status and {*a.states} == {*b.states}
    assert len(a.events) == len(b.events)
    assert [e.time for e in a.events] == pytest.approx([e.time for e in b.events], rel=0, abs=2e-12)
    for name in a.states:
        assert b[name] == pytest.approx(a[name], rel=0, abs=1e-12 * max(1.0, np.abs(a[name]).max()))
