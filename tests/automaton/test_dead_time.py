"""Dead time of friction: v(t - tau) in the curve, against closed forms and a method of steps by other means."""

import copy
import pickle

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from reference.dead_time import Belt

import stickslip as ss
from stickslip import analysis

FILM = ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=0.1, viscous=0.05)


def belt(tau=0.05, law=FILM, surface=0.2, **options):
    m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
    m.add_friction(
        "belt",
        on="block",
        law=ss.StickSlip(law, memory=ss.DeadTime(tau), **options),
        surface_velocity=surface,
    )
    return m


def test_falling_line_under_constant_force_matches_closed_form():
    """f = 2 - v up to 1 m/s: m v' = F - 2 + v(t - tau) is a polynomial of one degree more in each tau."""
    tau, force, v0, mass = 0.3, 1.7, 0.5, 2.0
    m = ss.Machine(mass=mass, names=["a"], force={"a": force})
    line = ss.Table([0.0, 1.0, 2.0], [2.0, 1.0, 1.0], odd=True)
    m.add_friction("guide", on="a", law=ss.StickSlip(line, memory=ss.DeadTime(tau)))
    run = ss.simulate(m, 1.2, initial={"a.velocity": v0}, t_eval=np.linspace(0.0, 1.2, 241), rtol=1e-12)
    past, v, speeds = Polynomial([v0]), v0, []
    for k in range(4):
        now = v + ((force - 2.0 + past) / mass).integ()
        inside = (run.t >= k * tau - 1e-12) & (run.t < (k + 1) * tau - 1e-12)
        speeds.append(now(run.t[inside] - k * tau))
        past, v = now, now(tau)
    speeds.append([v])
    assert run.success
    assert run["a.velocity"] == pytest.approx(np.concatenate(speeds), abs=2e-15)
    assert run["guide.force"][:60] == pytest.approx(2.0 - v0, abs=1e-15)


def test_the_static_level_holds_on_for_one_dead_time():
    """Coulomb, 1.5 and 1 N, pulled by 0.1 N/s t: sliding from 15 s on at 1.5 N for tau, then at 1 N; in closed form."""
    tau, rate = 0.2, 0.1
    m = ss.Machine(mass=1.0, names=["a"], force={"a": ss.Ramp(slope=rate)})
    m.add_friction("guide", on="a", law=ss.StickSlip(ss.Coulomb(1.5, 1.0), memory=ss.DeadTime(tau)))
    run = ss.simulate(m, 16.0, t_eval=[14.0, 15.0 + tau / 2, 15.0 + tau, 16.0], rtol=1e-10)
    assert [e.time for e in run.events] == pytest.approx([15.0], abs=1e-12)
    assert run["guide.force"] == pytest.approx([1.4, 1.5, 1.0, 1.0], abs=1e-12)
    s = np.array([tau / 2, tau, 1.0])
    speed = rate * s**2 / 2 + 0.5 * np.maximum(s - tau, 0.0)
    assert run["a.velocity"][1:] == pytest.approx(speed, rel=1e-12)


@pytest.mark.parametrize("tau", [0.01, 0.05, 0.3, 1.0])
def test_stick_slip_agrees_with_the_method_of_steps(tau):
    truth = Belt(tau=tau)
    end = truth.run(0.0, 0.0, 14.0)
    run = ss.simulate(belt(tau), 14.0, rtol=1e-11)
    assert len(truth.events) >= 5
    assert [e.after.name == "STICK" for e in run.events] == [kind == "stick" for _, kind in truth.events]
    assert [e.time for e in run.events] == pytest.approx([t for t, _ in truth.events], abs=3e-10)
    assert run.y[:2, -1] == pytest.approx(end, abs=3e-10)
    assert run.energy.residual < 1e-9


def test_error_follows_rtol():
    end = Belt(tau=0.3).run(0.0, 0.0, 14.0)
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
        run = ss.simulate(belt(0.3), 14.0, rtol=rtol)
        assert np.abs(run.y[:2, -1] - end).max() < 20.0 * rtol


@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
def test_all_methods_agree(method):
    run = ss.simulate(belt(0.3), 14.0, rtol=1e-9, method=method)
    assert run.y[:2, -1] == pytest.approx(Belt(tau=0.3).run(0.0, 0.0, 14.0), abs=2e-8)


def test_delayed_velocity_is_the_velocity_of_one_dead_time_ago():
    """Same in stick, across stops, and on a moving surface."""
    tau = 0.25
    run = ss.simulate(belt(tau, surface=ss.Sine(amplitude=4.0, frequency=0.2)), 30.0, dt=0.01, rtol=1e-10)
    late = run["belt.delayed_velocity"][25:]
    slid = np.where(run["belt.mode"] == 0, 0.0, run["belt.velocity"])
    assert len(run.events) > 6
    assert late == pytest.approx(slid[:-25], abs=2e-8)


def test_two_elements_with_different_dead_times_converge():
    """Coupled, one with presliding and dwell: every run of half the tolerance is nearer, and the audit agrees."""
    m = ss.Machine(mass=[1.0, 2.0], stiffness=[[5.0, -2.0], [-2.0, 4.0]], names=["a", "b"])
    first = ss.StickSlip(FILM, memory=ss.DeadTime(0.07))
    m.add_friction("one", on="a", law=first, surface_velocity=0.1)
    second = ss.StickSlip(FILM, memory=ss.DeadTime(0.11), dwell=0.5, presliding=ss.Presliding(1e-2, 0.5))
    m.add_friction("two", on="b", law=second, surface_velocity=0.15)
    runs = [ss.simulate(m, 20.0, dt=0.05, rtol=r) for r in (1e-6, 1e-8, 1e-11)]
    errors = [np.abs(run.y[:4] - runs[-1].y[:4]).max() for run in runs[:-1]]
    assert errors[0] < 1e-5 and errors[1] < 5e-7
    report = analysis.audit(runs[-1])
    assert report.passed, str(report)
    assert runs[-1].energy.residual < 1e-8


def test_film_of_a_short_stop_lowers_the_level_with_dwell():
    """f_sa is the force with which it stopped, that of the velocity tau before (automaton, 11)."""
    tau, dwell = 0.05, 2.0
    run = ss.simulate(belt(tau, dwell=dwell), 25.0, rtol=1e-10)
    stops = [e.time for e in run.events if e.after is ss.Mode.STICK]
    leaves = [e.time for e in run.events if e.before is ss.Mode.STICK]
    level = 1.0
    assert len(leaves) > 2
    for stop, leave in zip(stops, leaves, strict=False):
        speed = abs(run.at(stop - tau)["belt.velocity"][0])
        reached = 0.6 + (level - 0.6) * np.exp(-((speed / 0.1) ** 2))
        level = reached + (1.0 - reached) * (leave - stop) / (leave - stop + dwell)
        assert abs(2.0 * run.at(leave)["block.position"][0]) == pytest.approx(level, abs=1e-8)


def test_contact_friction_with_dead_time_starts_at_landing():
    """Lands at 0.5 m/s, slides under mu N(t) of the velocity tau ago; m v' = -mu(|v(t - tau)|) m g."""
    g, tau = 9.81, 0.02
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -g})
    curve = ss.Table([0.0, 1.0, 2.0], [0.2, 0.1, 0.1], odd=True)
    m.add_contact(
        "floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=ss.StickSlip(curve, memory=ss.DeadTime(tau))
    )
    run = ss.simulate(m, 0.5, initial={"x.velocity": 0.9, "y.position": 0.05}, rtol=1e-11)
    landing = run.events[0].time
    assert landing == pytest.approx(np.sqrt(0.1 / g), rel=1e-12)
    v0 = run.at(landing)["x.velocity"][0]
    t = landing + tau
    assert v0 - run.at(t)["x.velocity"][0] == pytest.approx((0.2 - 0.1 * v0) * g * tau, rel=1e-12)
    second = np.array([(0.2 - 0.1 * v0) * g * (tau + 0.1 * g * tau**2 / 2)])
    assert run.at(t)["x.velocity"] - run.at(t + tau)["x.velocity"] == pytest.approx(second, rel=1e-11)


def test_resumed_run_is_bitwise_equal():
    m, whole = belt(0.3), ss.simulate(belt(0.3), 9.0)
    for stop in (0.01, 0.1, 0.31, 2.0, whole.events[0].time, whole.events[1].time + 0.3, 7.7):
        first = ss.simulate(m, stop)
        state = pickle.loads(pickle.dumps(first.state))
        assert state == first.state and copy.deepcopy(state) == state
        rest = ss.simulate(m, state=state, t_end=9.0)
        assert rest.state == whole.state
        assert [*first.events, *rest.events] == [*whole.events] or len(rest.events) < len(whole.events)


def test_delayed_velocities_are_part_of_the_state():
    """Two runs that came to the same place with the same velocity are different states."""
    m = belt(0.3)
    a = ss.simulate(m, 0.2).state
    saved = a.__getstate__()
    past = [tuple(np.array(x) for x in one) for one in saved[20]]
    past[0][2][0, 0] += 1e-3
    other = type(a).__new__(type(a))
    other.__setstate__((*saved[:20], past, *saved[21:]))
    assert other != a
    ends = [ss.simulate(m, state=s, t_end=0.25).y[1, -1] for s in (a, other)]
    assert ends[0] != ends[1]


def test_memory_is_bounded():
    m = belt(0.3)
    sizes = [len(pickle.dumps(ss.simulate(m, t, keep="nothing").state)) for t in (7.0, 70.0, 700.0)]
    assert max(sizes) < 2.0 * sizes[0]


def test_step_count_stays_bounded():
    """A jump comes back a few times, not for ever."""
    steps = [len(ss.simulate(belt(0.02), t).t) for t in (50.0, 100.0)]
    assert steps[1] < 2.2 * steps[0]


def test_dead_time_is_swept_and_saved():
    m = belt(0.3)
    assert "belt.law.dead_time" in m.parameters
    result = ss.ensemble(m, {"belt.law.dead_time": [0.1, 0.3]}, t_end=9.0, measure=["block.position.final"])
    ends = [ss.simulate(belt(tau), 9.0)["block.position"][-1] for tau in (0.1, 0.3)]
    assert result["block.position.final"].tolist() == ends
    again = pickle.loads(pickle.dumps(m))
    assert again == m and again != belt(0.31) and "DeadTime(delay=0.3)" in repr(m)
    law = ss.StickSlip(FILM, memory=ss.DeadTime(0.3))
    assert law == pickle.loads(pickle.dumps(law)) and law != ss.StickSlip(FILM, memory=0.3)


def test_sampled_controller_around_dead_time_agrees_with_reference():
    """Sampling instants are kinks of the velocity; they come back too."""
    m = ss.Machine(mass=1.0, names=["a"])
    m.add_friction("guide", on="a", law=ss.StickSlip(FILM, memory=ss.DeadTime(0.033)))
    m.add_controller(
        ss.PI(kp=20.0, tn=0.2, period=0.02), measure="a.velocity", to="a", reference=ss.Sine(0.2, 0.5)
    )
    runs = [ss.simulate(m, 4.0, dt=0.01, rtol=r) for r in (1e-7, 1e-11)]
    assert np.abs(runs[0].y - runs[1].y).max() < 1e-5
    assert analysis.audit(runs[1]).passed


@pytest.mark.parametrize("law", [FILM, ss.Coulomb(1.0, 0.6)], ids=["stribeck", "coulomb"])
def test_real_time_error_decreases_with_the_step(law):
    m = belt(0.05, law)
    exact = ss.simulate(m, 8.0, dt=0.1, rtol=1e-11)["block.position"]
    errors = []
    for h in (2e-3, 1e-3, 5e-4, 2.5e-4):
        rt = ss.RealTime(m, step=h, outputs=["block.position"])
        x = rt.run(round(8.0 / h))[:, 0]
        errors.append(np.abs(x[round(0.1 / h) - 1 :: round(0.1 / h)] - exact[1:]).max())
    assert errors[-1] < 1e-3 and errors[-1] < 0.25 * errors[0]


def test_real_time_refuses_steps_longer_than_the_dead_time():
    with pytest.raises(ValueError, match=r"step = 0.1 .* no longer than the dead time of 'belt', 0.05"):
        ss.RealTime(belt(0.05), step=0.1)


@pytest.mark.parametrize("tau", [0.0, -1.0, np.nan, np.inf, "x", None])
def test_bad_delays_are_refused(tau):
    with pytest.raises(ValueError, match=r"delay of memory = .* is not allowed"):
        ss.DeadTime(tau)


def test_bad_memory_and_curves_are_refused():
    with pytest.raises(ValueError, match=r"memory = 'late' is not allowed: it must be a Lag, a DeadTime"):
        ss.StickSlip(FILM, memory="late")
    rising = ss.StickSlip(ss.Table([0.0, 1.0], [0.5, 1.0], odd=True), memory=ss.DeadTime(0.1))
    m = ss.Machine(mass=1.0, names=["a"])
    with pytest.raises(ValueError, match=r"law of 'guide' gives 1 at v = 1, above its static level 0.5"):
        m.add_friction("guide", on="a", law=rising)


def test_repeated_jumps_do_not_multiply_steps():
    """Two dead times without a common measure, and sliding throughout: steps grow with time, not with its powers."""
    m = ss.Machine(mass=[1.0, 1.0], stiffness=[[4.0, -1.0], [-1.0, 3.0]], names=["a", "b"])
    for name, tau in (("a", 0.1), ("b", 0.1 * np.sqrt(2.0))):
        law = ss.StickSlip(FILM, memory=ss.DeadTime(tau))
        m.add_friction(f"on_{name}", on=name, law=law, surface_velocity=ss.Sine(3.0, 0.3))
    steps = [len(ss.simulate(m, t).t) for t in (10.0, 20.0)]
    assert steps[1] < 2.5 * steps[0] < 2500
