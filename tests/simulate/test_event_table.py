"""The events of a run as a table: columns, single events and parts of it say the same."""

import dataclasses
import pickle

import numpy as np
import pytest

import stickslip as ss


@pytest.fixture(scope="module")
def run():
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81, "x": 0.5})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
    m.add_friction("guide", on="x", law=ss.Coulomb(0.4, 0.3), surface_velocity=ss.Sine(1.0, 1.0))
    m.add_controller(ss.PI(kp=2.0, tn=0.5, limits=0.5), name="pi", on="x", reference=ss.Sine(1.0, 2.0))
    return ss.simulate(m, 3.0, initial={"y.position": 0.5, "x.velocity": 1.0})


def test_columns_equal_the_events(run):
    events = list(run.events)
    assert len(events) == len(run.events) > 20
    for field in dataclasses.fields(ss.Event):
        if not field.compare:  # derivatives, of which there are none here
            continue
        column = getattr(run.events, field.name)
        expected = [getattr(e, field.name) for e in events]
        if field.name == "solutions":
            expected = [-1 if n is None else n for n in expected]
        assert column.shape == (len(events),) and column.tolist() == expected, field.name
    assert run.events.time.dtype == float and run.events.after.dtype == np.int8
    assert np.all(np.diff(run.events.time) >= 0)


def test_event_attributes_are_consistent(run):
    first = run.events[0]
    assert isinstance(first, ss.Event) and isinstance(first.before, ss.Mode) and type(first.time) is float
    assert type(first.impact) is bool and type(first.instant) is int and type(first.element) is str
    assert run.events[-1] == list(run.events)[-1] and run.events[np.int64(1)] == run.events[1]
    with pytest.raises(IndexError):
        run.events[len(run.events)]


def test_slices_of_events_are_events(run):
    events = run.events
    assert isinstance(events[2:5], ss.Events) and list(events[2:5]) == list(events)[2:5]
    assert list(events[::-1]) == list(events)[::-1]
    for element in ("floor", "guide", "pi"):
        own = events.of(element)
        assert len(own) > 0 and list(own) == [e for e in events if e.element == element]
    with pytest.raises(
        ss.UnknownNameError, match="unknown element 'nobody'; known are: 'guide', 'floor', 'pi'"
    ):
        events.of("nobody")
    assert str(events[:0]) == "no events"
    assert events[0] in events and next(reversed(events)) == events[-1]


def test_a_table_from_single_events_is_equal(run):
    again = ss.Events(list(run.events))
    assert again == run.events and hash(again) == hash(run.events) and str(again) == str(run.events)
    assert pickle.loads(pickle.dumps(run.events)) == run.events
    later = [dataclasses.replace(e, time=e.time + 1.0) for e in run.events]
    assert ss.Events(later) != run.events != run.events[1:]
    told = dataclasses.replace(run.events[0], cause="something else")
    assert ss.Events([told, *run.events[1:]]) != run.events
    assert len(ss.Events()) == 0 and ss.Events() == run.events[:0]


def test_long_tables_are_cut_in_print():
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    events = ss.simulate(m, 200.0, initial={"block.velocity": 0.2}).events
    lines = str(events).splitlines()
    assert len(lines) == 43 and lines[22] == f"... {len(events) - 40} more ..."
    frame = events.to_dataframe()
    assert frame["after"][0] == "slip-" and frame["time"][0] == events[0].time and len(frame) == len(events)
