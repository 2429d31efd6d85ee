"""Machines are values: compared, copied, pickled; what is loaded runs with the same bits."""

import copy
import math
import pickle
import sys

import numpy as np
import pytest

import stickslip as ss


def relay(t, r, y):
    return 3.0 if y < r else -3.0


def slope(v):
    return math.copysign(0.5, v) + 0.1 * v


def belt():
    m = ss.Machine(
        mass=1.0, stiffness=2.0, names=["block"], force={"block": ss.Sine(amplitude=0.1, frequency=1.0)}
    )
    law = ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.05)
    m.add_friction("belt", on="block", law=law, surface_velocity=0.2)
    return m, 10.0, {"block.velocity": 0.2}


def bouncing():
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81, "x": ss.Ramp(slope=0.1)})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5, gap=0.1)
    m.add_friction(
        "guide",
        on="x",
        law=ss.StickSlip(ss.Coulomb(0.2, 0.1), memory=ss.Lag(0.01), dwell=0.5, load_factor=0.3),
        load="floor.normal_force",
    )
    return m, 3.0, {"y.position": 0.5, "x.velocity": 1.0}


def bristles():
    m = ss.Machine(mass=[1.0, 2.0], damping=0.1, stiffness=[[3.0, -1.0], [-1.0, 2.0]], names=["a", "b"])
    lugre = ss.LuGre(
        stiffness=1e4, damping=50.0, viscous=0.1, static=1.2, kinetic=1.0, stribeck_velocity=0.01
    )
    m.add_friction("guide", on=("a", "b"), law=lugre + ss.Viscous(0.1), normal_load=0.5)
    m.add_controller(
        ss.PID(kp=3.0, ki=4.0, kd=1.0, tf=0.01, limits=2.0, anti_windup="clamping"), on="a", reference=1.0
    )
    model = ss.FrictionFeedforward(ss.Tanh(static=1.0, width=0.01))
    m.add_controller(model, reference=ss.Sine(1.0, 1.0), to="b", name="ff")
    return m, 3.0, None


def sampled():
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"])
    m.add_friction("guide", on="a", law=ss.Table([0.0, 0.1, 1.0], [1.0, 0.8, 0.9]))
    m.add_controller(ss.P(kp=3.0), name="outer", measure="a", reference=ss.SmoothStep(1.0, duration=0.5))
    m.add_controller(
        ss.PI(kp=4.0, tn=0.1, period=1e-2, delay=2e-3, quantum=1e-4, limits=(-3.0, None)),
        name="inner", measure="a.velocity", reference="outer.output", to="a",
    )  # fmt: skip
    m.add_controller(ss.LTI(A=-50.0, B=1.0, C=-2000.0, D=50.0), name="lead", on="b", reference=0.1)
    m.add_controller(
        ss.Cascade(kv=2.0, kp=3.0, tn=1.0, period=5e-3), name="cascade", measure=["a", "b"], to="b"
    )
    m.add_controller(relay, name="relay", on=("a", "b"), period=0.02)
    return m, 1.0, None


def python_law():
    m = ss.Machine(mass=1.0, names=["a"], force={"a": ss.Sine(2.0, 1.0)})
    m.add_friction("guide", on="a", law=ss.Curve(slope))
    return m, 2.0, None


def matrices():
    plant = ss.StateSpace(
        A=[[0.0, 1.0], [-1.0, 0.0]], B=[[0.0, 0.0], [1.0, 2.0]], C=np.eye(2), D=[[0.0, 0.1], [0.0, 0.0]],
        outputs=["x", "v"], states=["p", "w"], signals={"u0": ss.Ramp(slope=0.2)},
    )  # fmt: skip
    plant.add_friction(
        "guide", law=ss.Coulomb(static=1.0, kinetic=0.8), on="u0", velocity="w", feedthrough={"x": 0.1}
    )
    plant.add_controller(ss.PI(kp=1.0, tn=1.0, limits=0.5), measure="v", reference=0.1, to="u1")
    return plant, 8.0, {"p": 0.1}


ALL = [belt, bouncing, bristles, sampled, python_law, matrices]
each = pytest.mark.parametrize("make", ALL, ids=lambda f: f.__name__)


def through_pickle(x):
    return pickle.loads(pickle.dumps(x))


COPIES = [through_pickle, copy.copy, copy.deepcopy]
how = pytest.mark.parametrize("again", COPIES, ids=["pickle", "copy", "deepcopy"])


def same_runs(a, b):
    assert a.status == b.status and a.message == b.message
    assert a.events == b.events
    assert a.state == b.state
    assert np.array_equal(a.t, b.t)
    assert a.signals == b.signals
    for name in a.signals:
        assert np.array_equal(a[name], b[name], equal_nan=True), name
    assert np.array_equal(a.energy.imbalance, b.energy.imbalance, equal_nan=True)


@each
@how
def test_a_copy_is_equal_and_runs_with_the_same_bits(make, again):
    m, t_end, initial = make()
    other = again(m)
    assert other is not m and other == m and not other != m
    assert type(other) is type(m)
    assert repr(other) == repr(m) and other.states == m.states and other.elements == m.elements
    same_runs(ss.simulate(m, t_end, initial=initial), ss.simulate(other, t_end, initial=initial))


@each
def test_equal_descriptions_are_equal_and_others_differ(make):
    m = make()[0]
    assert m == make()[0]
    assert m != 1
    for other in ALL:
        assert (m == other()[0]) == (make is other)
    with pytest.raises(TypeError, match="unhashable"):
        hash(m)


@each
@how
def test_adding_to_a_copy_leaves_the_original_unchanged(make, again):
    m = make()[0]
    other = again(m)
    name = m.names[0] if m.names else "u0"
    before = m.states
    if m.names:
        other.add_force(name, 1.0)
        other.add_contact("wall", normal={name: 1.0}, gap=5.0)
    else:
        other.add_signal(name, 1.0)
    other.add_controller(ss.PI(kp=1.0, tn=1.0), measure=name if m.names else "p", to=name, name="new")
    assert other != m and m == make()[0] and m.states == before


CHANGES = {
    "mass": lambda: ss.Machine(mass=2.0, names=["a"]),
    "damping": lambda: ss.Machine(mass=1.0, damping=1.0, names=["a"]),
    "name": lambda: ss.Machine(mass=1.0, names=["b"]),
    "force": lambda: ss.Machine(mass=1.0, names=["a"], force={"a": 1.0}),
    "size": lambda: ss.Machine(mass=[1.0, 1.0], names=["a", "b"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_equality_includes_the_plant(change):
    assert ss.Machine(mass=1.0, names=["a"]) != CHANGES[change]()


@pytest.mark.parametrize(
    "changed",
    [{"law": ss.Coulomb(1.0, 0.7)}, {"normal_load": 2.0}, {"surface_velocity": ss.Ramp(1.0)}, {"on": ("a", "b")},
     {"name": "other"}, {"law": ss.StickSlip(ss.Coulomb(1.0, 0.8), dwell=1.0, memory=0.1)}],
    ids=lambda c: next(iter(c)),
)  # fmt: skip
def test_equality_includes_friction_arguments(changed):
    def make(**given):
        m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"])
        m.add_friction(**({"name": "f", "on": "a", "law": ss.Coulomb(1.0, 0.8)} | given))
        return m

    assert make() == make(on={"a": 1.0})
    assert make() != make(**changed)


@pytest.mark.parametrize(
    "changed",
    [{"normal": {"b": 1.0}}, {"gap": 1.0}, {"restitution": 0.5}, {"impact": "newton"}, {"surface_velocity": 1.0},
     {"friction": 0.4}, {"tangent": {"b": 2.0}}],
    ids=lambda c: next(iter(c)),
)  # fmt: skip
def test_equality_includes_contact_arguments(changed):
    def make(**given):
        m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"])
        m.add_contact(
            "c",
            **({"normal": {"a": 1.0}, "tangent": {"b": 1.0}, "friction": 0.3, "restitution": 0.2} | given),
        )
        return m

    assert make() == make()
    assert make() != make(**changed)


@pytest.mark.parametrize(
    "changed",
    [{"control": ss.PI(kp=1.0, tn=2.0)}, {"control": ss.P(kp=1.0)}, {"reference": 1.0}, {"measure": "b.velocity"},
     {"to": "b"}, {"to": None}, {"period": 0.1}, {"control": ss.PI(kp=1.0, tn=1.0, limits=1.0)}],
    ids=lambda c: next(iter(c)),
)  # fmt: skip
def test_equality_includes_controller_arguments(changed):
    def make(**given):
        m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"])
        m.add_controller(
            **({"control": ss.PI(kp=1.0, tn=1.0), "name": "c", "measure": "a", "to": "a"} | given)
        )
        return m

    assert make() == make(measure="a.position", to={"a": 1.0})
    assert make() != make(**changed)


def test_equality_includes_hidden_matrices():
    def make(**given):
        return ss.StateSpace(**({"A": [[-1.0]], "B": [[1.0]], "C": [[1.0]]} | given))

    assert make() == make()
    for changed in (
        {"D": [[1.0]]},
        {"C": [[2.0]]},
        {"B": [[2.0]]},
        {"outputs": ["z"]},
        {"inputs": ["z"]},
        {"A": -2.0},
    ):
        assert make() != make(**changed)


@each
@pytest.mark.parametrize("keep", ["segments", "events", "nothing"])
def test_a_run_is_pickled_with_its_dense_form(make, keep):
    m, t_end, initial = make()
    run = ss.simulate(m, t_end, initial=initial, keep=keep)
    run["relay.output" if make is sampled else run.states[0]]  # computed before: not saved, yet the same
    for again in (through_pickle, copy.deepcopy, copy.copy):
        other = again(run)
        same_runs(run, other)
        assert other.method == run.method
        assert other.machine == m
        if keep == "segments":
            times = np.linspace(0.0, t_end, 101)
            same_runs(run.at(times), other.at(times))
        on = [ss.simulate(r.machine, 1.2 * t_end, state=r.state) for r in (run, other)]
        same_runs(*on)


def test_time_stepping_run_is_pickled():
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
    run = ss.simulate(
        m, 1.0, initial={"y.position": 0.5, "x.velocity": 1.0}, method="time_stepping", max_step=1e-2
    )
    same_runs(run, through_pickle(run))


def test_objects_that_hold_machines_are_pickled():
    drive = ss.machines.two_mass_drive(
        motor_mass=1000.0, load_mass=1000.0, stiffness=5e6, damping=1341.64, normal_load=9810.0,
        load_friction=ss.Stribeck(static=0.0007, kinetic=0.0006, stribeck_velocity=1e-3),
        control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3), reference=ss.Sine(amplitude=50e-6, frequency=0.5),
    )  # fmt: skip
    other = through_pickle(drive)
    assert other == drive and hash(other) == hash(drive)
    run = ss.simulate(other, 0.01)
    again = through_pickle(run)
    assert again.model == drive and again.model.machine == again.machine
    out = ss.ensemble(belt()[0], {"belt.surface_velocity": [0.1, 0.2]}, t_end=5.0)
    loaded = through_pickle(out)
    assert repr(loaded) == repr(out) and np.array_equal(loaded["events.count"], out["events.count"])
    assert np.array_equal(loaded.status, out.status)


@pytest.mark.parametrize("make", [belt, matrices])
def test_another_format_is_refused(make):
    state = make()[0].__getstate__()
    empty = object.__new__(type(make()[0]))
    with pytest.raises(
        ValueError, match="saved by another version of stickslip: its format is 0, this version"
    ):
        empty.__setstate__(state | {"format": 0})
    packed = state["description"]
    with pytest.raises(
        ValueError, match="machine was saved by another version of stickslip: its format is 99"
    ):
        empty.__setstate__(state | {"description": packed | {"format": 99}})


def test_a_run_of_another_format_or_of_a_changed_machine_is_refused():
    m, t_end, initial = belt()
    run = ss.simulate(m, t_end, initial=initial)
    state = run.__getstate__()
    empty = object.__new__(ss.Trajectory)
    with pytest.raises(ValueError, match="run was saved by another version"):
        empty.__setstate__(state | {"run": (0, *state["run"][1:])})
    m.add_contact("wall", normal={"block": 1.0}, gap=5.0)
    empty.__setstate__(state)  # the run has kept its own
    with pytest.raises(ValueError, match="belongs to another machine"):
        empty.__setstate__(state | {"machine": m})


def test_functions_that_cannot_be_pickled_are_named(monkeypatch):
    for more in ("cloudpickle", "dill"):  # which other tests have loaded
        monkeypatch.delitem(sys.modules, more, raising=False)
    m = ss.Machine(mass=1.0, names=["a"])
    m.add_controller(lambda t, r, y: 0.0, name="mine", on="a", period=0.1)
    with pytest.raises(
        pickle.PicklingError, match=r"controller 'mine' cannot be pickled because its function cannot"
    ):
        pickle.dumps(m)
    m = ss.Machine(mass=1.0, names=["a"])
    m.add_friction("guide", on="a", law=ss.Curve(lambda v: math.copysign(1.0, v)))
    with pytest.raises(
        pickle.PicklingError, match=r"law of 'guide' cannot be pickled because its function cannot"
    ):
        pickle.dumps(m)
    for other in (copy.copy(m), copy.deepcopy(m)):  # copies need no pickle
        assert other == m


class Gain:
    """A callable that compares by value."""

    def __init__(self, k):
        self.k = k

    def __call__(self, t, r, y):
        return self.k * (r - y)

    def __eq__(self, other):
        return isinstance(other, Gain) and self.k == other.k

    __hash__ = None


def test_callables_that_compare_by_value_do_so_after_pickling():
    def make(k):
        m = ss.Machine(mass=1.0, names=["a"])
        m.add_controller(ss.control.Callable(Gain(k), period=0.1), on="a")
        return m

    assert through_pickle(make(2.0)) == make(2.0) != make(3.0)
    assert copy.deepcopy(make(2.0)) == make(2.0)


def test_a_force_is_a_signal_or_a_formula() -> None:
    """Files and C++ can hold both in one; of them the signal was silently left out."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_force("q", lambda q: -ss.sin(q["q"]))
    told = m.to_dict()
    ss.Machine.from_dict(told).compile()
    told["elements"][0]["force"]["pieces"][0]["polynomial"] = [2.0]
    with pytest.raises(ValueError, match="force on 'q'.*is a signal and a formula"):
        ss.Machine.from_dict(told).compile()
