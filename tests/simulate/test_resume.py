"""A run stopped anywhere goes on with the same bits; two runs have the same bits; states survive pickling."""

import pickle

import numpy as np
import pytest

import stickslip as ss

METHODS = ["auto", "explicit", "stiff"]


def belt(law):
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=law, surface_velocity=0.2)
    return m, {"block.velocity": 0.2}


def breakpoints():
    force = ss.Piecewise([0, 1.5, 3, 3, 7, 9], [0, 2, -1, 1, 0.2, -1.8])
    m = ss.Machine(
        mass=[1.0, 0.7], stiffness=[[5.0, -3.0], [-3.0, 3.0]], names=["a", "b"], force={"b": force}
    )
    m.add_force("a", ss.Sine(amplitude=0.8, frequency=0.7))
    m.add_friction(
        "under_a",
        on="a",
        law=ss.Coulomb(static=0.6, kinetic=0.4),
        normal_load=ss.SmoothStep(1.5, start=2.0, before=0.5),
    )
    law = ss.Stribeck(static=0.5, kinetic=0.3, stribeck_velocity=0.1, shape=1.0)
    m.add_friction("under_b", on="b", law=law, surface_velocity=ss.Ramp(slope=0.05, start=4.0, stop=6.0))
    return m, {"a.position": 0.1}


def lugre():
    law = ss.LuGre(static=1.5, kinetic=1.0, stribeck_velocity=0.1, stiffness=1e4, damping=100.0, viscous=0.4)
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Sine(amplitude=2.5, frequency=0.3)})
    m.add_friction("guide", on="slide", law=law)
    return m, None


MACHINES = {
    "coulomb": lambda: belt(ss.Coulomb(static=1.0, kinetic=0.8)),
    "stribeck": lambda: belt(ss.Stribeck(static=1.0, kinetic=0.7, stribeck_velocity=0.05, shape=0.5)),
    "dead time": lambda: belt(
        ss.StickSlip(ss.Stribeck(static=1.0, kinetic=0.7, stribeck_velocity=0.05), memory=ss.DeadTime(0.3))
    ),
    "breakpoints": breakpoints,
    "lugre": lugre,
}


def record(*runs):
    events = [
        (e.time, e.element, e.before, e.after, e.cause, e.rule, e.instant) for r in runs for e in r.events
    ]
    return events, runs[-1].state


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MACHINES)
def test_run_split_anywhere_is_bitwise_equal(name, method):
    m, initial = MACHINES[name]()
    whole = ss.simulate(m, t_end=10.0, initial=initial, method=method)
    assert whole.success
    times = [1e-9, 0.3, 1.5, 2.5, 3.0, 3.9, 6.0, 9.999, *(e.time for e in whole.events[:4])]
    times += [float(t) for t in whole.t[1:-1:7]][:10]  # ends of steps
    grid = np.linspace(0.0, 10.0, 201)
    for t in times:
        first = ss.simulate(m, t_end=t, initial=initial, method=method)
        assert first.state.t == t == first.t[-1]
        second = ss.simulate(m, t_end=10.0, state=first.state, method=method)
        assert record(first, second) == record(whole)
        assert np.array_equal(
            first.at(grid[grid < t]).y if np.any(grid < t) else 0,
            whole.at(grid[grid < t]).y if np.any(grid < t) else 0,
        )
        assert np.array_equal(second.at(grid[grid >= t]).y, whole.at(grid[grid >= t]).y)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MACHINES)
def test_run_in_many_pieces_is_bitwise_equal(name, method):
    m, initial = MACHINES[name]()
    whole = ss.simulate(m, t_end=8.0, initial=initial, method=method)
    runs, state = [], None
    for t in np.linspace(0.0, 8.0, 41)[1:]:
        start = {"initial": initial} if state is None else {"state": pickle.loads(pickle.dumps(state))}
        runs.append(ss.simulate(m, t_end=float(t), method=method, **start))
        state = runs[-1].state
    assert record(*runs) == record(whole)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MACHINES)
def test_repeated_run_is_bitwise_equal(name, method):
    results = []
    for _ in range(2):
        m, initial = MACHINES[name]()
        r = ss.simulate(m, t_end=10.0, initial=initial, method=method, dt=0.01)
        results.append((record(r), r.y.tobytes()))
    assert results[0] == results[1]


def test_state_is_a_value():
    m, initial = MACHINES["breakpoints"]()
    a, b = (ss.simulate(m, t_end=t, initial=initial).state for t in (2.0, 2.5))
    assert a != b and pickle.loads(pickle.dumps(a)) == a
    assert a.t == 2.0 and a.x.shape == (4,)


def test_energy_and_samples_of_a_resumed_run_start_at_the_split():
    m, initial = MACHINES["coulomb"]()
    first = ss.simulate(m, t_end=3.3, initial=initial)
    second = ss.simulate(m, t_end=9.0, state=first.state)
    assert second.t[0] == 3.3 and second.energy.residual < 1e-13
    assert second.energy.friction["belt"][0] == 0.0
    assert np.array_equal(ss.simulate(m, t_end=9.0, state=first.state, dt=0.1).t[:2], [3.3, 3.3 + 0.1])
