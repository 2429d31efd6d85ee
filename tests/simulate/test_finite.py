"""Motion that leaves the numbers: the run ends there, says when and which state, and keeps what is finite."""

import math
import pickle

import numpy as np
import pytest

import stickslip as ss

FLOWS = {
    "exact": {"method": "exact"},
    "explicit": {"method": "explicit"},
    "stiff": {"method": "stiff"},
    "time stepping": {"method": "time_stepping", "max_step": 1e-3},
}
LARGEST = 1e305  # where a run ends: a few terms of this size still have a sum


def growing(stiffness=0.0, others=0.0):
    """Negative damping: v' = 50 v - stiffness x."""
    m = ss.Machine(mass=[1.0, 1.0], damping=[[-50.0, 0.0], [0.0, others]], stiffness=[[stiffness, 0.0], [0.0, 0.0]],
                   names=["a", "b"])  # fmt: skip
    return m, {"a.velocity": 1.0}


def check(run, state, before=None):
    """Ended at the last finite state, named in the message with its time."""
    assert run.status == "stalled" and not run.success
    assert run.message.startswith(f"the state is no longer finite after t = {run.state.t:.9g} s: '{state}' ")
    assert np.isfinite(run.y).all() and np.isfinite(run.state.x).all()
    assert run.t[-1] == run.state.t and np.array_equal(run.y[:, -1], run.state.x)
    assert before is None or run.state.t < before
    for name in run.signals:
        if not name.endswith((".acceleration", ".limit")):
            assert np.isfinite(run[name]).all(), name
    repr(run.energy), str(run.events)
    again = pickle.loads(pickle.dumps(run))
    assert again.message == run.message and np.array_equal(again.y, run.y)
    later = ss.simulate(run.machine, state=run.state, t_end=run.state.t + 1.0)
    assert later.status == "stalled" and np.isfinite(later.y).all()


@pytest.mark.parametrize("flow", FLOWS)
def test_negative_damping_ends_at_closed_form_overflow(flow):
    m, initial = growing()
    run = ss.simulate(m, 30.0, initial=initial, **FLOWS[flow])
    check(run, "a.velocity")
    assert run.message.endswith(", as in an unstable loop")
    rate = 50.0
    if flow == "time stepping":  # the growth of the rule itself
        rate = 1e3 * math.log((1 + 0.025) / (1 - 0.025))
    assert run.state.t == pytest.approx(math.log(LARGEST) / rate, rel=1e-3)
    assert run.state.t <= math.log(LARGEST) / rate * (1 + 1e-6)
    inside = run.at(np.linspace(0.0, run.state.t, 1001) if flow != "time stepping" else run._raw.step_times())
    wrong = inside["a.velocity"] / np.exp(rate * inside.t) - 1.0
    assert np.abs(wrong).max() < (1e-12 if flow == "exact" else 1e-9 if flow == "time stepping" else 3e-6)


@pytest.mark.parametrize("keep", ["events", "nothing"])
def test_overflow_ends_the_run_for_any_keep(keep):
    m, initial = growing()
    run, whole = ss.simulate(m, 30.0, initial=initial, keep=keep), ss.simulate(m, 30.0, initial=initial)
    check(run, "a.velocity")
    assert run.state == whole.state and run.message == whole.message


def test_growing_oscillation_ends_at_overflow():
    """The closed form of a swing, e^(25 t) sin(w t) / w."""
    m, initial = growing(stiffness=1e4)
    run = ss.simulate(m, 60.0, initial=initial)
    check(run, "a.velocity")
    w = math.sqrt(1e4 - 625.0)
    inside = run.at(np.linspace(0.0, run.state.t, 1001))
    envelope = np.exp(25.0 * inside.t)
    assert np.abs(inside["a.position"] / envelope - np.sin(w * inside.t) / w).max() < 1e-12 / w
    assert run.state.t == pytest.approx(math.log(LARGEST) / 25.0, rel=5e-3)


def test_growth_beside_decayed_modes_ends_at_overflow():
    m, initial = growing(others=1e6)
    run = ss.simulate(m, 30.0, initial=initial | {"b.velocity": 1.0})
    assert "slow subspace" in run.method["linear"]
    check(run, "a.velocity")
    assert run.state.t == pytest.approx(math.log(LARGEST) / 50.0, rel=1e-2)


@pytest.mark.parametrize("method", ["exact", "explicit"])
def test_huge_force_is_followed_to_overflow(method):
    m = ss.Machine(mass=1.0, names=["a"], force={"a": 1e304})
    run = ss.simulate(m, 1000.0, method=method)
    check(run, "a.position")
    assert run.state.t == pytest.approx(math.sqrt(20.0), rel=2e-3)  # x = f t^2 / 2
    assert ss.simulate(m, 4.0, method=method).success


@pytest.mark.parametrize("stiffness", [0.0, 1.0])
@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
def test_huge_initial_values_are_integrated(stiffness, method):
    m = ss.Machine(mass=1.0, stiffness=stiffness, names=["a"])
    run = ss.simulate(m, 1.0, initial={"a.velocity": 1e300}, method=method, rtol=1e-10)
    assert run.success
    assert run["a.velocity"][-1] == pytest.approx(1e300 * (math.cos(1.0) if stiffness else 1.0), rel=1e-8)
    run = ss.simulate(m, 100.0, initial={"a.velocity": 1.7e308}, method=method)
    check(run, "a.velocity")
    assert run.state.t == 0.0 and "unstable" not in run.message


@pytest.mark.parametrize("law", [None, ss.Coulomb(1.0, 0.8)], ids=["free", "coulomb"])
@pytest.mark.parametrize("kp", [1e6, 1e9])
def test_unstable_sampled_loop_is_named(law, kp):
    m = ss.Machine(mass=1.0, names=["a"])
    if law is not None:
        m.add_friction("guide", on="a", law=law)
    m.add_controller(ss.P(kp=kp, period=1e-2), on="a", reference=1.0)
    run = ss.simulate(m, 10.0)
    check(run, "p.held")
    assert run.message.endswith(", as in an unstable loop")
    assert round(run.state.t / 1e-2, 9).is_integer()  # the sample whose output there is no number for


def test_controller_output_overflow_ends_the_run():
    """Even where the run would be over before the next sampling instant."""
    m = ss.Machine(mass=1.0, names=["a"])
    m.add_controller(ss.P(kp=1e300, period=1e-2), on="a", reference=1.0)
    run = ss.simulate(m, 0.015)
    check(run, "p.held")
    assert run.state.t == 0.01 and "is 1e+300 at this time and -inf after the next step" in run.message


def test_infinite_controller_output_ends_the_run():
    m = ss.Machine(mass=1.0, names=["a"])
    m.add_controller(lambda t, r, y: math.inf if t > 0.55 else 1.0, name="mine", on="a", period=0.1)
    run = ss.simulate(m, 2.0)
    assert (
        run.status == "stalled" and "'mine.held' is 1 at this time and inf after the next step" in run.message
    )
    assert run.state.t == pytest.approx(0.6) and run["a.velocity"][-1] == pytest.approx(0.6, rel=1e-14)


def test_step_may_overflow_after_the_end():
    m, initial = growing()
    short = ss.simulate(m, 14.0, initial=initial)
    assert short.success
    long = ss.simulate(m, 30.0, initial=initial)
    on = ss.simulate(m, 30.0, state=short.state)
    assert on.state == long.state and on.message.split(":")[0] == long.message.split(":")[0]


def test_huge_start_does_not_count_as_growth():
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["a"])
    m.add_friction("f", on="a", law=ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.1))
    run = ss.simulate(m, 10.0, initial={"a.velocity": 1e100})
    assert run.status == "stalled" and "has grown" not in run.message


def test_an_ensemble_counts_it_as_stalled():
    m, _ = growing()
    out = ss.ensemble(m, {"a.velocity": [0.0, 1.0]}, 30.0, ["a.velocity.final"])
    assert [str(s) for s in out.status] == ["finished", "stalled"]
    assert np.isfinite(out["a.velocity.final"]).all()
