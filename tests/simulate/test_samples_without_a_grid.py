"""Without dt a run is sampled at the events and on a fine grid; analyses and pictures use the dense output."""

import math
import pickle

import numpy as np
import pytest

import stickslip as ss
from stickslip.run import _dense
from stickslip.run._dense import MOST_SAMPLES, refined


def belt() -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


def worst_line(run: ss.Trajectory, name: str) -> float:
    """Error of straight lines through the samples, relative to the range."""
    return missed_by_lines(run)[name]


def missed_by_lines(run: ss.Trajectory) -> dict[str, float]:
    """Compare every signal that is not a mode, at random times within each step and over the whole run."""
    rng = np.random.default_rng(5)
    first, last = run._raw.t_begin, run._raw.t_end
    steps = np.array(run._raw.step_times())
    inside = np.repeat(steps[:-1], 3) + np.repeat(np.diff(steps), 3) * rng.uniform(
        0.01, 0.99, 3 * (steps.size - 1)
    )
    t = np.sort(np.concatenate([rng.uniform(first, last, 20_000), inside]))
    # Jumps take 1e-9 of the run.
    after = steps[np.minimum(np.searchsorted(steps, t, side="right"), steps.size - 1)]
    t = t[after - t > 1.01e-9 * (last - first)]
    true, out = run.at(t), {}
    for name in run.signals:
        values, samples = true[name], run[name]
        if values.dtype.kind != "f":
            continue
        if name.endswith(".limit"):  # the sign is that of the force
            values, samples = np.abs(values), np.abs(samples)
        line = np.interp(t, run.t, samples)
        assert np.array_equal(np.isnan(line), np.isnan(values)), name
        known = np.concatenate([values, samples])
        size = np.nanmax(known, initial=-np.inf) - np.nanmin(known, initial=np.inf)
        missed = float(np.nanmax(np.abs(line - values), initial=0.0))
        # Ten times the noise of signals that stay as they are.
        out[name] = missed / size if missed > 1e-12 * np.nanmax(np.abs(known), initial=0.0) else 0.0
    return out


def earthquake() -> tuple[ss.Machine, dict[str, float], float]:
    """A block on a spring with rate-and-state friction: a rest of minutes, then one slip of 0.1 s."""
    mu, a, b, length, v0, normal, mass = 0.6, 0.01, 0.015, 1e-5, 1e-6, 5e6, 1e3
    k = 0.8 * normal * (b - a) / length
    m = ss.Machine(
        mass=[mass, 1.0], stiffness=[k, 0.0], names=["slip", "aux"], force={"slip": ss.Ramp(slope=k * v0)}
    )

    def friction(q, v):
        z = v["slip"] / (2 * v0) * ss.exp((mu + b * v["aux"]) / a)
        aged = v0 / length * ss.exp(-v["aux"]) - v["slip"] / length
        return {"slip": -normal * a * ss.log(z + ss.sqrt(z * z + 1.0)), "aux": aged}

    for name, force in ss.trace(friction, m.names).items():
        m.add_force(name, force)
    return m, {"slip.velocity": 1.1e-6, "slip.position": -normal * mu / k, "aux.velocity": 0.3}, 600.0


def test_samples_and_ensembles_show_the_only_peak_of_a_long_run() -> None:
    machine, start, t_end = earthquake()
    run = ss.simulate(machine, t_end=t_end, initial=start)
    t = np.linspace(546.4, 546.7, 300_001)
    true = run.at(t)["slip.velocity"]
    assert run["slip.velocity"].max() == pytest.approx(true.max(), rel=1e-3)
    assert np.abs(np.interp(t, run.t, run["slip.velocity"]) - true).max() < 1e-3 * true.max()
    assert run.t.size < 1000
    swept = ss.ensemble(
        machine, {"slip.velocity": [1.1e-6]}, t_end, initial=start, measure=["slip.velocity.max"]
    )
    assert swept["slip.velocity.max"][0] == pytest.approx(true.max(), rel=1e-8)


def test_crossings_and_pictures_see_the_only_peak_of_a_long_run() -> None:
    machine, start, t_end = earthquake()
    run = ss.simulate(machine, t_end=t_end, initial=start, dt=100.0)
    t = np.linspace(546.4, 546.7, 300_001)
    true = run.at(t)["slip.velocity"]
    up, down = ss.Crossing("slip.velocity", level=0.08).times(run)[0]
    assert up == pytest.approx(t[true > 0.08][0], abs=2e-6) and down == pytest.approx(
        t[true > 0.08][-1], abs=2e-6
    )
    (line,) = run.plot("slip.velocity", shade=False).get_lines()[:1]
    assert np.max(line.get_ydata()) == pytest.approx(true.max(), rel=1e-3)


def sampled_axis() -> ss.Machine:
    m = ss.Machine(
        mass=[1.0, 2.0],
        stiffness=1e6 * np.array([[1.0, -1.0], [-1.0, 1.0]]),
        damping=[5.0, 5.0],
        names=["motor", "load"],
    )
    m.add_friction("guide", on="load", law=ss.Stribeck(static=3.0, kinetic=2.0, stribeck_velocity=1e-3))
    m.add_spring("coupling", on=("motor", "load"), stiffness=1e3, damping=1.0)
    m.add_controller(
        ss.PID(kp=400.0, ki=100.0, kd=30.0, period=2e-3, delay=1e-3, limits=(-20.0, 20.0)), name="loop",
        on="motor", reference=ss.Piecewise([0.0, 0.1, 0.1, 0.5], [0.0, 0.02, 0.05, 0.05]),
    )  # fmt: skip
    return m


def bristle() -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Sine(amplitude=2.0, frequency=0.5)})
    law = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
    m.add_friction("guide", on="slide", law=law, normal_load=1.0)
    return m


def ball() -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["ball"], force={"ball": -9.81})
    m.add_contact("floor", normal={"ball": 1.0}, restitution=0.6)
    return m


def box() -> ss.Machine:
    """Falls on two soft corners with friction: limits of elements that come and go with the contacts."""
    w, h = 0.2, 0.1
    m = ss.Machine(mass=[1.0, 1.0, (w * w + h * h) / 3.0], names=["x", "y", "a"], force={"y": -9.81})
    for name, sx in (("left", -1), ("right", 1)):
        m.add_contact(
            name,
            gap=lambda q, sx=sx: q["y"] + sx * w * ss.sin(q["a"]) - h * ss.cos(q["a"]),
            tangent=lambda q, sx=sx: {"x": 1.0, "a": -sx * w * ss.sin(q["a"]) + h * ss.cos(q["a"])},
            friction=ss.Coulomb(0.3),
            compliance=ss.KelvinVoigt(1e4, 20.0),
        )
    return m


def swing() -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["arm"])
    m.add_force("arm", lambda q: -9.81 * ss.sin(q["arm"]))
    m.add_friction("pin", on="arm", law=ss.Stribeck(static=0.4, kinetic=0.2, stribeck_velocity=0.01))
    return m


@pytest.mark.parametrize(
    ("machine", "start", "t_end"),
    [
        (belt(), {"block.velocity": 0.2}, 60.0),
        earthquake(),
        (sampled_axis(), {}, 0.4),
        (bristle(), {}, 4.0),
        (ball(), {"ball.position": 1.0}, 3.0),
        (box(), {"y.position": 0.3, "a.position": 0.4}, 1.0),
        (swing(), {"arm.position": 3.0}, 30.0),
    ],
    ids=["belt", "earthquake", "sampled axis", "bristle", "ball", "box", "swing"],
)
def test_lines_through_default_samples_follow_every_signal_to_a_thousandth(machine, start, t_end) -> None:
    run = ss.simulate(machine, t_end=t_end, initial=start)
    worst = missed_by_lines(run)
    assert max(worst.values()) < 1e-3, worst
    assert run.t.size < 20_000


def test_samples_hold_every_event_and_follow_the_motion() -> None:
    run = ss.simulate(belt(), t_end=60.0)
    assert np.isin(np.unique(run.events.time), run.t).all()
    assert run.t[0] == 0.0 and run.t[-1] == 60.0 and np.all(np.diff(run.t) > 0.0)
    assert run.t.size < 2000


def test_default_samples_are_limited_with_a_warning() -> None:
    """Masses 1e-9 and 1 on 1e3 N/m: 8000 undamped periods in 0.05 s, for each of which 1e-3 takes 50 samples."""
    m = ss.Machine(mass=[1e-9, 1.0], stiffness=np.array([[1e3, -1e3], [-1e3, 1e3]]), names=["small", "large"])
    run = ss.simulate(m, t_end=0.05, initial={"small.position": 1e-3})
    assert run._raw.steps > 10_000
    with pytest.warns(RuntimeWarning, match="default samples .* has errors of up to") as told:
        assert run.t.size <= MOST_SAMPLES
    said = float(str(told[0].message).split(" %")[0].split()[-1]) / 100
    worst = max(missed_by_lines(run).values())
    assert 1e-3 < worst < said < 0.05


@pytest.mark.filterwarnings("error")
def test_signal_of_subnormal_size_has_samples() -> None:
    """1 / 1e-310 is infinite: such a signal counts as constant, and lines follow the other one as ever."""
    force = {"rest": ss.Ramp(slope=1e-310), "moves": ss.Sine(1.0, 1.0)}
    run = ss.simulate(ss.Machine(mass=[1.0, 1.0], names=["rest", "moves"], force=force), t_end=3.0)
    assert worst_line(run, "moves.position") < 1e-3


def test_oscillation_within_one_step_is_resolved() -> None:
    """Exact flows take one step for a thousand periods."""
    m = ss.Machine(mass=1.0, stiffness=(2.0 * math.pi * 10.0) ** 2, names=["q"])
    run = ss.simulate(m, t_end=20.0, initial={"q.position": 1.0})
    assert run["q.position"].max() > 0.998 and run["q.position"].min() < -0.998
    assert worst_line(run, "q.position") < 1e-3


def test_limit_cycle_without_dt_matches_closed_form() -> None:
    """Closed form: amplitude sqrt(A² + (v0/w)²) about the kinetic level, A = (Fs - Fk)/k = 0.1."""
    found = ss.analysis.limit_cycle(ss.simulate(belt(), t_end=60.0), "block.position")
    omega, step, v0 = math.sqrt(2.0), 0.1, 0.2
    period = 2.0 * step / v0 + 2.0 * (math.pi - math.atan2(omega * step, v0)) / omega
    assert found.found and found.crossings == 1
    assert found.amplitude == pytest.approx(math.hypot(step, v0 / omega), rel=1e-7)
    assert found.period == pytest.approx(period, rel=1e-9)


def test_following_error_without_dt_matches_closed_form() -> None:
    """Steady state of a PD loop under a sine: |1 - T(jw)|."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.PID(kp=1e4, kd=60.0), on="q", reference=ss.Sine(amplitude=1.0, frequency=2.0))
    run = ss.simulate(m, t_end=10.0)
    s = 2j * math.pi * 2.0
    expected = abs(1.0 - 1e4 / (s**2 + 60.0 * s + 1e4))
    for source in (run, ss.simulate(m, t_end=10.0, dt=0.05)):
        error = ss.analysis.following_error(source, "q.position", "pid.reference", start=5.0)
        assert error.max == pytest.approx(expected, rel=5e-7)
        assert error.rms == pytest.approx(expected / math.sqrt(2.0), rel=1e-4)


def test_settling_without_dt_matches_closed_form() -> None:
    m = ss.Machine(mass=1.0, stiffness=100.0, damping=4.0, names=["q"], force={"q": 100.0})
    zeta, omega = 0.2, 10.0
    found = ss.analysis.settling(ss.simulate(m, t_end=5.0), "q.position", target=1.0)
    assert found.overshoot == pytest.approx(math.exp(-math.pi * zeta / math.sqrt(1 - zeta**2)), abs=8e-5)
    fine = ss.simulate(m, t_end=5.0, dt=1e-5)
    assert found.time == pytest.approx(ss.analysis.settling(fine.t, fine["q.position"], 1.0).time, rel=5e-5)
    assert omega * zeta * found.time > 3.0


def test_arrays_are_taken_as_they_are() -> None:
    run = ss.simulate(belt(), t_end=10.0, dt=0.5)
    error = ss.analysis.following_error(run, run["block.position"], "block.position")
    assert error.max == 0.0


def test_pictures_show_the_curve_and_both_sides_of_a_jump() -> None:
    ball = ss.Machine(mass=1.0, names=["ball"], force={"ball": -9.81})
    ball.add_contact("floor", normal={"ball": 1.0}, restitution=0.5)
    run = ss.simulate(ball, t_end=0.6, initial={"ball.position": 1.0}, dt=0.3)
    (line,) = run.plot("ball.velocity", shade=False).get_lines()[:1]
    v, t = line.get_ydata(), line.get_xdata()
    k = int(np.argmax(np.abs(np.diff(v))))
    assert v[k] == pytest.approx(-math.sqrt(2 * 9.81), rel=1e-6)
    assert v[k + 1] == pytest.approx(0.5 * math.sqrt(2 * 9.81), rel=1e-6)
    assert t[k + 1] - t[k] < 1e-8
    axes = ss.plotting.phase_plane(ss.simulate(belt(), t_end=20.0), "block")
    assert max(len(drawn.get_xdata()) for drawn in axes.get_lines()) > 150


def test_saving_and_copying_compute_no_samples() -> None:
    run = ss.simulate(belt(), t_end=10.0)
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.t, run.t) and np.array_equal(again.y, run.y)


def test_a_corner_is_found_and_jumps_end() -> None:
    read = lambda t: np.array([np.abs(t - 0.3217), np.where(t < 0.5, 0.0, 1.0)])  # noqa: E731
    t = refined(read, np.linspace(0.0, 1.0, 11), 1e-3, 10_000, 1e-6)
    assert t.size < 120
    assert np.diff(t)[np.searchsorted(t, 0.5) - 1] < 1e-5
    few = refined(read, np.linspace(0.0, 1.0, 11), 1e-9, 21, 1e-9)
    assert few.size <= 21


def test_samples_of_a_growing_oscillation_are_chosen_in_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line misses most at the last peak of any part: chosen by that alone, one peak would be found in a round."""
    t = np.arange(4000.0)
    values = np.stack([t * (-1.0) ** t, np.zeros_like(t)])
    between, rounds = _dense._between, []
    monkeypatch.setattr(_dense, "_between", lambda a, b: rounds.append(a.size) or between(a, b))
    level = _dense._levels(t, values, np.array([[1.0 / 8000.0], [0.0]]), np.zeros(t.size, dtype=bool), 1e-3)
    assert len(rounds) <= 50  # 47
    for tolerance in (1e-3, 1e-1):
        kept = level > tolerance
        assert np.abs(np.interp(t, t[kept], values[0, kept]) - values[0]).max() <= tolerance * 8000.0
