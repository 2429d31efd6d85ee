"""Samples are evaluated only when read, once, and independently of the way of reading."""

import copy
import math

import numpy as np
import pytest

import stickslip as ss


class Counting:
    """A sliding curve that counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self, v):
        self.calls += 1
        return math.copysign(0.5, v) + 0.1 * v


def counted():
    law = Counting()
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["a"], force={"a": ss.Sine(amplitude=2.0, frequency=0.3)})
    m.add_friction("guide", on="a", law=ss.Curve(law))
    run = ss.simulate(m, 10.0, dt=1e-3)
    law.calls = 0
    return run, law


@pytest.mark.parametrize("signal", ["a.position", "a.velocity", "guide.velocity", "guide.mode"])
def test_motion_and_modes_need_no_force(signal):
    run, law = counted()
    assert run[signal].shape == run.t.shape and law.calls == 0


def test_forces_are_evaluated_once():
    run, law = counted()
    force = run["guide.force"]
    once = law.calls
    assert 0 < once < 1.5 * run.t.size
    again = [run["guide.force"], run["guide.load"], run["a.acceleration"], run["guide.velocity"]]
    assert law.calls == once and np.shares_memory(force, again[0])


def test_samples_of_one_signal_lie_side_by_side():
    run, _ = counted()
    assert run["a.velocity"].flags.c_contiguous and np.shares_memory(run["a.velocity"], run.y)


def test_the_residual_needs_no_samples():
    """The cost of reading is proportional to the steps of the run."""
    run, law = counted()
    assert run.energy.residual < 1e-7
    assert 0 < law.calls < 40 * run._raw.steps
    assert run.at([0.0, 1.0]).energy.residual == run.energy.residual


def test_energies_read_each_segment_once():
    run, law = counted()
    assert run.energy.friction["guide"].shape == run.t.shape
    assert law.calls < 100 * run._raw.steps < 100 * run.t.size / 20


def machines():
    belt = ss.Machine(mass=1.0, stiffness=2.0, names=["block"], force={"block": ss.Sine(0.1, 1.0)})
    belt.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    yield belt, {"block.velocity": 0.2}
    smooth = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    smooth.add_friction("belt", on="block", law=ss.Tanh(static=1.0, width=0.1), surface_velocity=0.2)
    yield smooth, {"block.velocity": -1.0}
    floor = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81, "x": ss.Ramp(slope=0.1)})
    floor.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5, gap=0.1)
    lag = ss.StickSlip(ss.Coulomb(0.2, 0.1), memory=ss.Lag(0.01), dwell=0.5, load_factor=0.3)
    floor.add_friction("guide", on="x", law=lag, load="floor.normal_force")
    floor.add_controller(ss.PI(kp=1.0, tn=0.5, limits=0.3), on="x", reference=0.5)
    yield floor, {"y.position": 0.5, "x.velocity": 1.0}


@pytest.mark.parametrize("machine", list(machines()), ids=["belt", "smooth", "floor"])
def test_a_grid_and_single_times_give_the_same(machine):
    m, initial = machine
    run = ss.simulate(m, 3.0, initial=initial, dt=0.01)
    picked = [run.at(t) for t in run.t]
    for name in reversed(run.signals):  # in another order than they are made in
        one_by_one = np.concatenate([p[name] for p in picked])
        assert np.array_equal(run[name], one_by_one, equal_nan=True), name
    energy, size = run.energy, max(run.energy.kinetic.max(), 1.0)
    for term in ("kinetic", "elastic", "damping", "impacts", "imbalance"):
        one_by_one = np.concatenate([getattr(p.energy, term) for p in picked])
        assert np.abs(getattr(energy, term) - one_by_one).max() < 2e-14 * size, term
    for term in ("drives", "friction", "surfaces", "controllers"):
        for name, values in getattr(energy, term).items():
            one_by_one = np.concatenate([getattr(p.energy, term)[name] for p in picked])
            assert np.abs(values - one_by_one).max() < 2e-14 * size, (term, name)


def test_friction_work_equals_level_times_distance():
    """Coulomb friction takes F_k times the way that has been slid, whatever the motion."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    run = ss.simulate(m, 200.0, dt=0.01, initial={"block.velocity": 0.2})
    slid = 0.2 * run.t - (run["block.position"] - run["block.position"][0])
    taken = run.energy.friction["belt"]
    assert np.abs(taken - 0.8 * slid).max() < 1e-13 * taken[-1]
    assert run.energy.residual < 4e-15


def test_damping_work_equals_lost_vibration_energy():
    m = ss.Machine(mass=1.0, damping=0.2, stiffness=400.0, names=["a"])
    run = ss.simulate(m, 10.0, dt=1e-3, initial={"a.velocity": 1.0})
    rate, w = 0.1, math.sqrt(400.0 - 0.01)
    x = np.exp(-rate * run.t) * np.sin(w * run.t) / w
    v = np.exp(-rate * run.t) * np.cos(w * run.t) - rate * x
    assert np.abs(run.energy.damping - (0.5 - 0.5 * v**2 - 200.0 * x**2)).max() < 2e-14


def test_impulses_add_up_event_by_event():
    m = ss.Machine(mass=2.0, names=["y"], force={"y": -19.62})
    m.add_contact("floor", normal={"y": 1.0}, restitution=0.5)
    run = ss.simulate(m, 3.0, dt=1e-3, initial={"y.position": 1.0})
    hits = run.events.of("floor")
    expected = (hits.time[:, None] <= run.t) * hits.normal_impulse[:, None]
    assert np.array_equal(run["floor.normal_impulse"], np.cumsum(expected, axis=0)[-1])
    v = math.sqrt(2 * 9.81)
    assert run["floor.normal_impulse"][-1] == pytest.approx(2.0 * v * 3.0 - 2.0 * 9.81 * 0.0, rel=1e-6)
    assert run.energy.impacts[-1] == pytest.approx(19.62, rel=1e-12)


@pytest.mark.parametrize("times", [[1.0, 0.5], [-1.0], [11.0], [float("nan")], [[0.0]], []])
def test_bad_sample_times_are_refused(times):
    run, _ = counted()
    with pytest.raises(ValueError, match="t must"):
        run.at(times)


def test_a_run_keeps_its_own_description():
    """Whatever is added to the machine afterwards, and whenever the run is read for the first time."""

    def make():
        m = ss.Machine(mass=[1.0, 1.0], stiffness=np.diag([2.0, 3.0]), names=["a", "b"], force={"a": 1.0})
        m.add_friction("guide", on="a", law=ss.Coulomb(1.5, 1.0))
        m.add_contact("wall", normal={"b": -1.0}, gap=0.3)
        m.add_controller(ss.P(kp=1.0), name="p", on="b", reference=0.5)
        return m

    m = make()
    run, same = (ss.simulate(machine, 5.0, dt=0.1, initial={"a.position": 3.0}) for machine in (m, make()))
    m.add_friction("early", on="b", law=ss.Coulomb(0.5, 0.4))
    m.add_contact("late", normal={"a": 1.0}, gap=9.0)
    m.add_force("b", 3.0)
    m.add_controller(ss.PI(kp=1.0, tn=1.0), name="other", on="a", reference=0.1)
    assert run.states == same.states and run.signals == same.signals
    for name in same.signals:
        assert np.array_equal(run[name], same[name], equal_nan=True), name
    assert run.events == same.events and run.method == same.method
    assert run.energy.drives.keys() == {"a"} and repr(run.energy) == repr(same.energy)
    assert run.machine == make() != m
    stuck = run.t[run["guide.mode"] == 0][0]
    assert repr(run.why_stuck("guide", stuck)) == repr(same.why_stuck("guide", stuck))
    on, on_same = (ss.simulate(r.machine, 7.0, state=r.state) for r in (run, same))
    assert np.array_equal(on.y, on_same.y)
    loaded = copy.deepcopy(run)
    assert loaded.signals == same.signals and loaded.machine == make()


def test_state_space_run_keeps_its_description():
    def make():
        plant = ss.StateSpace(A=[[0.0, 1.0], [-1.0, 0.0]], B=[[0.0], [1.0]], C=np.eye(2), D=[[0.5], [0.0]])
        plant.add_friction("guide", law=ss.Coulomb(0.2, 0.1), on="u0", velocity="y1")
        return plant

    plant = make()
    run, same = (ss.simulate(p, 2.0, dt=0.1, initial={"x0": 1.0}) for p in (plant, make()))
    plant.add_signal("u0", 5.0)
    assert run.signals == same.signals
    for name in same.signals:
        assert np.array_equal(run[name], same[name], equal_nan=True), name


def test_groups_without_elements_are_empty():
    """An impact on a machine without constraints: their impulses ended the process once."""
    m = ss.Machine(mass=[1.0, 1.0, 0.1], names=["x", "y", "tilt"], force={"y": -9.81})
    m.add_contact("floor", gap=lambda q: q["y"] + 0.1 - 0.5 * ss.sin(q["tilt"]), restitution=0.5)
    run = ss.simulate(m, 0.3)
    assert run.events[0].impact
    for group in ("constraint_impulses", "constraint_forces", "spring_forces", "elongations", "loads"):
        assert getattr(run._samples, group).shape == (0, run.t.size)
    assert run["floor.gap"].shape == run.t.shape
