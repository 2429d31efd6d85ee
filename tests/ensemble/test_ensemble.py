"""Ensembles: closed forms, the same runs one by one, any number of threads, and what is refused."""

import itertools
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.integrate import trapezoid

import stickslip as ss


def belt(speed: float = 0.2, static: float = 1.0, stiffness: float = 2.0) -> ss.Machine:
    """A block on a spring on a belt."""
    m = ss.Machine(mass=1.0, stiffness=stiffness, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=static, kinetic=0.8), surface_velocity=speed)
    return m


def belt_events(
    v: float, t_end: float, m: float = 1.0, k: float = 2.0, fs: float = 1.0, fk: float = 0.8
) -> list[float]:
    """Event times of the belt, started stuck at x = 0: sticking ends at x = fs/k; a slip is an arc of a
    harmonic motion
    around fk/k with the amplitude (fs - fk)/k at the belt's speed, and ends where that speed is reached
    again."""
    w, a = np.sqrt(k / m), (fs - fk) / k
    slip, stick = (2 * np.pi - 2 * np.arctan(a * w / v)) / w, 2 * a / v
    times = [fs / k / v]
    for d in itertools.cycle((slip, stick)):
        if times[-1] + d > t_end:
            return times
        times.append(times[-1] + d)
    raise AssertionError


def test_belt_sweep_matches_closed_form() -> None:
    """Counts, first and last events of 300 speeds; the greatest displacement is that of the arc."""
    v = np.geomspace(0.01, 1.0, 300)
    out = ss.ensemble(
        belt(),
        {"belt.surface_velocity": v, "block.velocity": v},
        t_end=200.0,
        measure=["events.count", "events.first", "events.last", "block.position.max"],
        design="zip",
    )
    truth = [belt_events(x, 200.0) for x in v]
    assert out.success.all()
    assert out["events.count"].dtype == np.int64
    np.testing.assert_array_equal(out["events.count"], [len(t) for t in truth])
    np.testing.assert_allclose(out["events.first"], [t[0] for t in truth], rtol=1e-14)
    np.testing.assert_allclose(out["events.last"], [t[-1] for t in truth], rtol=0, atol=2e-12)
    np.testing.assert_allclose(out["block.position.max"], 0.4 + np.sqrt(0.1**2 + v**2 / 2), rtol=1e-13)


def test_results_are_bitwise_equal_for_any_number_of_workers() -> None:
    v = np.linspace(0.05, 0.9, 130)
    measure = [
        "events.count",
        "events.last",
        "block.position.max",
        "block.velocity.mean",
        "energy.residual",
        "belt.stick_time",
    ]
    runs = [
        ss.ensemble(
            belt(), {"belt.surface_velocity": v, "belt.law.static": 1.0 + v}, 60.0, measure, "zip", workers=w
        )
        for w in (1, 2, 5)
    ]
    for other in runs[1:]:
        for name in measure:
            np.testing.assert_array_equal(other[name], runs[0][name])


def test_streamed_measures_are_those_of_a_kept_run() -> None:
    """Stick time, mean, extremes and events of a single run, taken from its samples and events."""
    run = ss.simulate(belt(0.3), 50.0, initial={"block.velocity": 0.3}, dt=1e-3)
    out = ss.ensemble(
        belt(),
        {"belt.surface_velocity": [0.3]},
        50.0,
        [
            "block.position.mean",
            "block.velocity.min",
            "belt.stick_time",
            "block.position.final",
            "belt.events.count",
            "energy.residual",
        ],
        initial={"block.velocity": 0.3},
    )
    x, v = run["block.position"], run["block.velocity"]
    assert out["block.position.mean"][0] == pytest.approx(trapezoid(x, run.t) / 50.0, abs=2e-7)
    assert v.min() - 1e-6 < out["block.velocity.min"][0] <= v.min()
    ends = [0.0, *(e.time for e in run.events), 50.0]
    stuck = sum(b - a for a, b in itertools.islice(itertools.pairwise(ends), 0, None, 2))
    assert out["belt.stick_time"][0] == pytest.approx(stuck, rel=1e-13)
    assert out["block.position.final"][0] == pytest.approx(x[-1], rel=1e-13)
    assert out["belt.events.count"][0] == len(run.events)
    assert 0.0 < out["energy.residual"][0] < 1e-13


def test_measures_of_a_body_that_never_moves() -> None:
    """Held at 0.3 m by 1 N of friction, 2 N/m of spring: every measure is that number."""
    kinds = ("mean", "min", "max", "final")
    out = ss.ensemble(
        belt(0.0),
        {"block.position": [0.3, -0.2]},
        5.0,
        [*(f"block.position.{k}" for k in kinds), "belt.stick_time", "events.count"],
    )
    for k in kinds:
        assert out[f"block.position.{k}"] == pytest.approx([0.3, -0.2], rel=1e-14)
    assert out["belt.stick_time"] == pytest.approx([5.0, 5.0]) and list(out["events.count"]) == [0, 0]


def test_mean_of_an_early_end_covers_the_time_reached() -> None:
    """Stuck on the belt from x = 0 to fs/k, where the budget of events ends it: the mean is half of that."""
    speeds = np.array([0.1, 0.3])
    out = ss.ensemble(
        belt(),
        {"belt.surface_velocity": speeds, "block.velocity": speeds},
        50.0,
        ["block.position.mean", "block.position.final"],
        "zip",
        max_events=0,
    )
    assert set(out.status) == {"budget"}
    limit = "max_events: the limit of 0 events was reached at t ="
    assert list(out.messages) == [f"{limit} 5 s of 50 s", f"{limit} 1.66667 s of 50 s"]
    assert out["block.position.final"] == pytest.approx([0.5, 0.5], rel=1e-13)
    assert out["block.position.mean"] == pytest.approx([0.25, 0.25], rel=1e-13)


def test_energy_balances_with_moving_walls_and_controllers() -> None:
    """A plate that works on a bouncing ball, and a controller on a mass with friction."""
    plate = ss.Machine(mass=1.0, names=["ball"], force={"ball": -9.81})
    plate.add_contact(
        "plate", normal={"ball": 1.0}, gap=ss.Sine(amplitude=0.05, frequency=3.0), restitution=0.5
    )
    drive = ss.Machine(mass=1.0, names=["slide"])
    drive.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    drive.add_controller(ss.PID(kp=20.0, ki=5.0, kd=4.0), on="slide", reference=ss.Sine(1.0, frequency=0.3))
    for machine, name, start in ((plate, "ball.position", 0.2), (drive, "slide.position", 0.1)):
        out = ss.ensemble(machine, {name: [start]}, 2.0, ["energy.residual", "events.count"])
        assert out["events.count"][0] > 1 and 0.0 < out["energy.residual"][0] < 1e-13


VARIED = {
    "belt.law.static": (1.3, lambda: belt(static=1.3)),
    "block.stiffness": (3.0, lambda: belt(stiffness=3.0)),
    "belt.surface_velocity_scale": (2.0, lambda: belt(0.4)),
}


@pytest.mark.parametrize("name", VARIED)
def test_a_varied_parameter_is_that_of_the_description(name: str) -> None:
    """Against the machine described with that value."""
    value, make = VARIED[name]
    out = ss.ensemble(
        belt(),
        {name: [value]},
        40.0,
        ["events.last", "block.position.final"],
        initial={"block.velocity": 0.2},
    )
    run = ss.simulate(make(), 40.0, initial={"block.velocity": 0.2})
    assert out["events.last"][0] == pytest.approx(run.events[-1].time, rel=1e-13)
    assert out["block.position.final"][0] == pytest.approx(run["block.position"][-1], rel=1e-12)


def test_swept_forces_loads_masses_and_curves_match_closed_form() -> None:
    """Quantities that are known: sliding under a constant force, and integrated runs one by one."""
    m = ss.Machine(mass=[2.0], names=["slide"], force={"slide": 3.0})
    m.add_friction("guide", on="slide", law=ss.Coulomb(0.1), normal_load=5.0)
    force, load, mass = np.array([2.0, 3.0, 0.4]), np.array([5.0, 4.0, 5.0]), np.array([2.0, 4.0, 2.0])
    out = ss.ensemble(
        m,
        {"slide.force": force, "guide.normal_load": load, "slide.mass": mass},
        2.0,
        ["slide.position.final"],
        "zip",
    )
    expected = np.maximum(force - 0.1 * load, 0.0) / mass * 2.0
    np.testing.assert_allclose(out["slide.position.final"], expected, rtol=1e-14)

    def stribeck(vs: float) -> ss.Machine:
        s = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
        law = ss.Stribeck(static=1.0, kinetic=0.5, stribeck_velocity=vs)
        s.add_friction("belt", on="block", law=law, surface_velocity=0.2)
        return s

    speeds = [0.05, 0.1]
    curves = ss.ensemble(
        stribeck(0.3),
        {"belt.law.stribeck_velocity": speeds},
        20.0,
        ["events.last"],
        initial={"block.velocity": 0.2},
    )
    single = [
        ss.simulate(stribeck(vs), 20.0, initial={"block.velocity": 0.2}).events[-1].time for vs in speeds
    ]
    np.testing.assert_allclose(curves["events.last"], single, rtol=1e-12)


def test_grid_results_have_shape_and_labels() -> None:
    v, fs = np.linspace(0.1, 0.3, 3), np.linspace(1.0, 1.5, 4)
    out = ss.ensemble(
        belt(),
        {"belt.surface_velocity": v, "belt.law.static": fs},
        20.0,
        ["events.first", "block.position.max"],
    )
    assert out.shape == (3, 4)
    # From rest the block is carried after a short slip; with every value the first event is one of its own.
    single = ss.ensemble(
        belt(), {"belt.surface_velocity": v[2], "belt.law.static": fs[1]}, 20.0, ["events.first"]
    )
    assert out["events.first"][2, 1] == single["events.first"]
    xarray = pytest.importorskip("xarray")
    data = out.to_xarray()
    assert isinstance(data, xarray.Dataset)
    assert dict(data.sizes) == {"belt.surface_velocity": 3, "belt.law.static": 4}
    assert float(data["events.first"].sel({"belt.law.static": 1.5})[0]) == out["events.first"][0, 3]
    units = {name: data[name].attrs.get("units") for name in [*data.data_vars, *data.coords]}
    assert units == {
        "events.first": "s", "block.position.max": "m", "status": None, "message": None,
        "belt.surface_velocity": "m/s", "belt.law.static": None,
    }  # fmt: skip


def test_million_events_need_constant_memory() -> None:
    """2e5 events here (a million takes a second more): nothing is kept of them, so memory does not grow.
    The last event
    is where the closed form has it, after 4.5e5 s, to a few digits of the time itself."""
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    out = ss.ensemble(
        belt(),
        {"belt.surface_velocity": [0.2]},
        4.57e5,
        ["events.count", "events.last"],
        initial={"block.velocity": 0.2},
    )
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # kB
    truth = belt_events(0.2, 4.57e5)
    assert out["events.count"][0] == len(truth) > 195_000
    assert out["events.last"][0] == pytest.approx(truth[-1], rel=1e-10)
    assert grown < 4_000


def test_runs_without_segments_keep_events_or_end() -> None:
    full = ss.simulate(belt(), 50.0, initial={"block.velocity": 0.2})
    events = ss.simulate(belt(), 50.0, initial={"block.velocity": 0.2}, keep="events")
    nothing = ss.simulate(belt(), 50.0, initial={"block.velocity": 0.2}, keep="nothing")
    assert list(events.events) == list(full.events)
    assert len(nothing.events) == 0
    assert full.state == events.state == nothing.state
    assert nothing.t.tolist() == [50.0]
    assert nothing["block.position"][0] == full["block.position"][-1]
    assert events.method == full.method
    with pytest.raises(ValueError, match="keep = 'events'"):
        ss.simulate(belt(), 50.0, keep="events", dt=0.1)
    with pytest.raises(ValueError, match="keep"):
        ss.simulate(belt(), 50.0, keep="some")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parameters", "measure", "error", "text"),
    [
        ({"belt.speed": [1.0]}, ["events.count"], KeyError, "belt.surface_velocity"),
        ({"belt.law.static": [1.0]}, ["block.position.largest"], KeyError, "block.position.max"),
        ({"belt.law.static": [np.nan]}, ["events.count"], ValueError, r"belt.law.static.*= nan .*finite"),
        ({"belt.law.static": [[1.0, 1.1]]}, ["events.count"], ValueError, r"shape \(1, 2\)"),
        ({"belt.law.static": []}, ["events.count"], ValueError, r"shape \(0,\)"),
        ({"block.force": [1.0]}, ["events.count"], ValueError, "block.force_scale"),
        ({}, ["events.count"], ValueError, "parameters is empty"),
        ({"belt.law.static": [1.0]}, [], ValueError, "measure"),
        ({"belt.law.static": [1.0]}, "events.count", ValueError, "measure"),
        ({"belt.law.static": [1.0]}, [lambda run: 1.0, lambda run: 2.0], ValueError, "all different"),
    ],
)
def test_invalid_parameters_and_measures_are_refused(
    parameters: dict, measure: list, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        m = belt()
        m.add_force("block", ss.Ramp(slope=1e-3))
        ss.ensemble(m, parameters, 1.0, measure)


def test_other_bad_arguments_are_refused() -> None:
    v = {"belt.surface_velocity": [0.1, 0.2], "belt.law.static": [1.0, 1.1, 1.2]}
    with pytest.raises(ValueError, match="'belt.surface_velocity': 2, 'belt.law.static': 3"):
        ss.ensemble(belt(), v, 1.0, design="zip")
    with pytest.raises(ValueError, match="design = 'lattice'.*'grid', 'zip' or a sampler"):
        ss.ensemble(belt(), v, 1.0, design="lattice")
    with pytest.raises(TypeError, match="no option 'rtl'; known are: .*'rtol'"):
        ss.ensemble(belt(), v, 1.0, rtl=1e-3)
    with pytest.raises(ValueError, match="rtol = -1"):
        ss.ensemble(belt(), v, 1.0, rtol=-1.0)
    with pytest.raises(ValueError, match="executor = 3 .*dask.distributed.Client"):
        ss.ensemble(belt(), v, 1.0, executor=3)
    with pytest.raises(ValueError, match="progress = 'much'"):
        ss.ensemble(belt(), v, 1.0, progress="much")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("belt.law.static", [1.0, 0.7, 1.1], "static"),
        ("belt.normal_load", [1.0, -1.0, 2.0], "normal_load"),
        ("block.mass", [1.0, 0.0, 2.0], "mass"),
        ("belt.law.memory", [0.0, 0.1, 0.0], "number of states"),
    ],
)
def test_refused_point_sets_the_status(name: str, values: list[float], text: str) -> None:
    """The points around it are what they are alone."""
    measure = ["events.count", "block.position.final"]
    out = ss.ensemble(belt(), {name: values}, 10.0, measure)
    assert list(out.status) == ["finished", "failed", "finished"]
    assert text in out.messages[1] and list(out.messages[[0, 2]]) == ["", ""]
    assert out["events.count"][1] == -1 and np.isnan(out["block.position.final"][1])
    alone = ss.ensemble(belt(), {name: values[2:]}, 10.0, measure)
    assert all(out[m][2] == alone[m][0] for m in measure)
    with pytest.raises(ValueError, match=text):
        out.rerun(1)


def test_too_many_points_are_refused_with_an_estimate() -> None:
    many = {
        "belt.surface_velocity": np.linspace(0.1, 0.2, 100_000),
        "block.velocity": np.linspace(0.1, 0.2, 10_000),
    }
    begin = time.perf_counter()
    with pytest.raises(
        ValueError,
        match=r"1e\+09 points: about [\d.e+]+ h on \d+ cores, .* 9 GB .*design='zip'.*allow_large=True",
    ):
        ss.ensemble(belt(), many, 20.0)
    assert time.perf_counter() - begin < 2.0


def test_functions_in_python_are_refused() -> None:
    m = ss.Machine(mass=1.0, names=["a"])
    m.add_friction("f", on="a", law=ss.Curve(lambda v: v))
    with pytest.raises(ValueError, match=r"Table\.sample"):
        ss.ensemble(m, {"a.velocity": [1.0]}, 1.0)


INTERRUPTED = """
import sys, numpy as np, stickslip as ss
m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
import signal  # a job in the background inherits that Ctrl-C is ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
try:
    while True:  # a loop around it ends as well
        if sys.argv[1] == "machine":
            ss.ensemble(m, {"belt.surface_velocity": np.full(8, 0.2)}, t_end=1e9)
        else:  # in processes, which a terminal would tell as well
            ss.ensemble(lambda speed: m, {"speed": np.full(8, 0.2)}, t_end=1e9)
except KeyboardInterrupt as stop:
    print(*sorted({*stop.partial.status}), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("source", ["machine", "function"])
def test_ctrl_c_returns_partial_result_soon(source: str) -> None:
    """Ctrl-C is answered soon, although every run would take hours (0.2 s alone on a machine; more is
    allowed here), with a warning, and a KeyboardInterrupt that holds the result as far as it has come."""
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, source], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        begin = time.perf_counter()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.perf_counter() - begin < 2.0
        child.wait(timeout=10)
