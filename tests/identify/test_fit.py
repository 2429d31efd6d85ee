"""Fits of machines: every law without noise, closed loops, gaps, noise, and what is refused."""

import signal
import time
import warnings
from typing import Any

import legends
import numpy as np
import pytest

import stickslip as ss
from identify.to_be_found import BRISTLES, LAWS, LEVELS, drive, record, shaken
from stickslip.identify import MachineFit, fit
from stickslip.identify._present import present_number


@pytest.mark.parametrize("name", LAWS)
def test_parameters_without_noise_are_recovered(name: str) -> None:
    law, near = LAWS[name]
    m = shaken(law)
    start = {f"guide.law.{parameter}": value for parameter, value in near.items()}
    # Of an integrated run the last digits depend on how its steps fell: they must lie below what is asked for.
    rtol = 1e-11 if name.startswith("Stribeck") else 1e-8
    data = record(m, "slide.velocity", t_end=2.0 if name == "Leuven" else 3.0, rtol=rtol)
    found = fit(m, {"slide.mass": 1.1, **start}, data, rtol=rtol)
    assert found.success, found.message
    for parameter, value in found.parameters.items():
        assert value == pytest.approx(present_number(m, parameter, {}), rel=1e-6), parameter


def test_fitted_machine_reproduces_the_record() -> None:
    m = shaken(ss.Coulomb(1.5, 1.0))
    found = fit(m, {"guide.law.static": 1.4, "slide.mass": 1.2}, record(m, "slide.position"))
    assert isinstance(found.machine, ss.Machine)
    run, again = (ss.simulate(x, 6.0, dt=0.1) for x in (m, found.machine))
    np.testing.assert_allclose(again["slide.position"], run["slide.position"], atol=1e-12)


class TestClosedLoop:
    """Records under control."""

    def test_sampled_loop_with_limits_is_fitted(self) -> None:
        m = drive()
        run = ss.simulate(m, 5.0, dt=0.01)
        data = {s: (run.t, run[s]) for s in ("motor.position", "loop.output")}
        near = {
            "guide.law.static": 1.4,
            "guide.law.kinetic": 1.1,
            "guide.law.viscous": 0.5,
            "load.mass": 3.2,
            "loop.control.kp": 2.1e3,
        }
        found = fit(m, near, data)
        truth = [1.5, 1.0, 0.4, 3.0, 2e3]
        assert list(found.parameters.values()) == pytest.approx(truth, rel=1e-6)

    def test_builder_function_is_fitted(self) -> None:
        def build(viscous: float, offset: float) -> ss.Machine:
            m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Sine(amplitude=3.0, frequency=0.5)})
            m.add_force("slide", offset)
            m.add_friction("guide", on="slide", law=ss.Coulomb(0.5) + ss.Viscous(viscous))
            return m

        found = fit(build, {"viscous": 1.0, "offset": 0.0}, record(build(0.7, 0.2), "slide.position"))
        assert list(found.parameters.values()) == pytest.approx([0.7, 0.2], rel=1e-6)
        assert isinstance(found.machine, ss.Machine)


def test_initial_values_are_parameters() -> None:
    m = shaken(ss.Coulomb(1.5, 1.0))
    run = ss.simulate(m, 3.0, dt=0.01, initial={"slide.velocity": 0.7, "slide.position": 0.1})
    free = {"slide.velocity": 0.5, "slide.position": 0.0, "guide.law.kinetic": 0.9}
    found = fit(m, free, {"slide.position": (run.t, run["slide.position"])})
    assert list(found.parameters.values()) == pytest.approx([0.7, 0.1, 1.0], rel=1e-6)
    assert found.initial["slide.velocity"] == pytest.approx(0.7)


def test_restarts_bridge_a_gap() -> None:
    """An unknown force acted in the gap: one run cannot cross it, two records can."""
    m = shaken(ss.Stribeck(**LEVELS))
    before = ss.simulate(m, 4.0, dt=0.01)
    start = {"slide.position": 0.37, "slide.velocity": -0.2}
    after = ss.simulate(m, 9.0, t_start=5.0, dt=0.01, initial=start)
    t, x = np.concatenate([before.t, after.t]), np.concatenate([r["slide.position"] for r in (before, after)])
    near = {"guide.law.static": 1.4, "guide.law.kinetic": 0.9, "slide.mass": 1.1}
    one = fit(m, near, {"slide.position": (t, x)}, max_evaluations=15)
    two = fit(m, near, {"slide.position": (t, x)}, restart=[5.0])
    assert one.scale > 0.01
    assert [two.parameters[n] for n in near] == pytest.approx([1.5, 1.0, 1.0], rel=1e-6)
    assert two.parameters["slide.position@5"] == pytest.approx(0.37, rel=1e-6)
    assert two.parameters["slide.velocity@5"] == pytest.approx(-0.2, rel=1e-6)
    assert len(two.runs) == 2


def test_times_of_signals_may_differ() -> None:
    m = shaken(ss.Coulomb(1.5, 1.0))
    run, fine = ss.simulate(m, 6.0, dt=0.01), ss.simulate(m, 6.0, dt=0.007)
    data = {
        "slide.position": (run.t, run["slide.position"]),
        "slide.velocity": (fine.t, fine["slide.velocity"]),
    }
    found = fit(m, {"guide.law.kinetic": 0.9}, data)
    assert found.parameters["guide.law.kinetic"] == pytest.approx(1.0, rel=1e-8)


# The effect of the static level begins with the square of its distance from the kinetic one, which bounds it.
AT_KINETIC = pytest.warns(RuntimeWarning, match=r"guide.law.static ends at its bound")


class TestNoise:
    """Parameters found from data with 1 % of noise."""

    def test_dwell_and_memory_are_recovered_under_noise(self) -> None:
        law = LAWS["StickSlip"][0]
        m = shaken(law)
        near = {"guide.law.memory": 0.07, "guide.law.dwell": 0.4, "guide.law.static": 1.4}
        found = fit(m, near, record(m, "slide.position", "slide.velocity", noise=0.01, seed=5))
        truth = {"guide.law.memory": 0.05, "guide.law.dwell": 0.5, "guide.law.static": 1.5}
        for name, value in truth.items():
            assert abs(found.parameters[name] - value) < 3.0 * found.stderr[name], name
            assert found.stderr[name] < 0.15 * value, name

    def test_intervals_contain_the_true_values(self) -> None:
        """Of 60 repetitions 50 to 60 hold the truth with a probability of 99.9 % (binomial distribution)."""
        m = shaken(ss.Coulomb(1.5, 1.0) + ss.Viscous(0.4))
        truth = {"guide.law.static": 1.5, "guide.law.kinetic": 1.0, "guide.law.coefficient": 0.4}
        inside = dict.fromkeys(truth, 0)
        for seed in range(60):
            data = record(m, "slide.position", noise=0.01, seed=seed, t_end=4.0)
            for name, (low, high) in fit(m, truth, data).intervals().items():
                inside[name] += low <= truth[name] <= high
        assert all(50 <= count <= 60 for count in inside.values()), inside

    def test_robust_loss_resists_outliers(self) -> None:
        m = shaken(ss.Coulomb(1.5, 1.0))
        data = record(m, "slide.position", noise=0.01, seed=2)
        data["slide.position"][1][::40] += 1.0
        truth = {"guide.law.static": 1.5, "guide.law.kinetic": 1.0}
        robust = fit(m, truth, data, loss="soft_l1")
        with AT_KINETIC:
            plain = fit(m, truth, data, loss="linear")
        for name, value in truth.items():
            assert abs(robust.parameters[name] - value) < 4.0 * robust.stderr[name]
        assert robust.scale < 0.2 * plain.scale

    def test_a_known_deviation_sets_the_scale(self) -> None:
        m = shaken(ss.Coulomb(1.5, 1.0))
        t, y = record(m, "slide.position", noise=0.01)["slide.position"]
        free = {"guide.law.kinetic": 0.9}
        sigma = 0.01 * float(y.std())
        once, twice = (fit(m, free, {"slide.position": (t, y, k * sigma)}) for k in (1.0, 2.0))
        assert twice.stderr["guide.law.kinetic"] == pytest.approx(2.0 * once.stderr["guide.law.kinetic"])
        assert once.scale == pytest.approx(1.0, abs=0.1)

    def test_signals_are_weighted_by_their_own_errors(self) -> None:
        """The fit estimates the errors of a good and a poor signal itself, as if they had been given."""
        m = shaken(ss.Coulomb(1.5, 1.0))
        run, rng = ss.simulate(m, 6.0, dt=0.01), np.random.default_rng(11)
        sigma = {
            s: share * float(run[s].std()) for s, share in (("slide.position", 0.2), ("slide.velocity", 1e-3))
        }
        noisy = {s: run[s] + size * rng.normal(size=run.t.size) for s, size in sigma.items()}
        near = {"guide.law.kinetic": 0.95, "slide.mass": 1.02}
        known = fit(m, near, {s: (run.t, y, sigma[s]) for s, y in noisy.items()})
        found = fit(m, near, {s: (run.t, y) for s, y in noisy.items()})
        for name in near:
            assert abs(found.parameters[name] - known.parameters[name]) < 0.1 * known.stderr[name]
            assert found.stderr[name] == pytest.approx(known.stderr[name], rel=0.1)

    def test_static_stays_above_kinetic(self) -> None:
        m = shaken(ss.Coulomb(1.0, 1.0))
        data = record(m, "slide.position", noise=0.05, seed=4)
        with AT_KINETIC:
            found = fit(m, {"guide.law.static": 1.2, "guide.law.kinetic": 0.9}, data)
        assert found.parameters["guide.law.static"] >= found.parameters["guide.law.kinetic"]


class TestWhatIsSaid:
    """Idle and tied parameters, units, and Ctrl-C."""

    def test_parameters_without_effect_are_named(self) -> None:
        m = shaken(ss.Coulomb(1.5, 1.0))
        m.add_friction("idle", on="slide", law=ss.Coulomb(0.5), normal_load=0.0)
        with pytest.warns(RuntimeWarning, match=r"idle.law.kinetic has no effect"):
            found = fit(m, {"idle.law.kinetic": 0.4, "guide.law.kinetic": 0.9}, record(m, "slide.position"))
        assert not found.success and found.stderr["idle.law.kinetic"] == np.inf
        assert found.parameters["guide.law.kinetic"] == pytest.approx(1.0)

    def test_tied_parameters_are_named(self) -> None:
        m = shaken(ss.Coulomb(1.0))
        with AT_KINETIC, pytest.warns(RuntimeWarning, match="only combinations"):
            found = fit(
                m,
                {"guide.law.kinetic": 0.9, "guide.law.static": 1.0, "guide.normal_load": 1.2},
                record(m, "slide.position"),
            )
        assert found.stderr["guide.normal_load"] == np.inf
        product = found.parameters["guide.law.kinetic"] * found.parameters["guide.normal_load"]
        assert product == pytest.approx(1.0, rel=1e-6)

    def test_a_record_that_begins_at_rest_is_not_suspect(self) -> None:
        m = shaken(ss.Coulomb(1.5, 1.0))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for seed in range(5):
                data = record(m, "slide.position", noise=1e-4, seed=seed, t_end=2.0)
                fit(m, {"guide.law.kinetic": 0.9}, data, tolerance=1e-6)

    def test_data_off_by_1000_warn(self) -> None:
        m = shaken(ss.Coulomb(1.5, 1.0))
        t, y = record(m, "slide.position")["slide.position"]
        with pytest.warns(RuntimeWarning, match="slide.position vary 8.4e\\+02 times"):
            fit(m, {"guide.law.kinetic": 0.9}, {"slide.position": (t, 1e3 * y)}, max_evaluations=3)

    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
    def test_ctrl_c_returns_the_best_so_far(self) -> None:
        m = shaken(ss.Leuven(height=3.0, **BRISTLES, **LEVELS))
        data = record(m, "slide.position")

        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, stop)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)  # of about a second
            begin = time.perf_counter()
            found = fit(m, {"guide.law.height": 2.5, "guide.law.stiffness": 700.0}, data, step=1e-7)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)
        assert time.perf_counter() - begin < 3.0
        assert isinstance(found, MachineFit)
        assert (found.message == "interrupted" and not found.success) or found.success

    def test_progress_false_is_silent_and_bad_progress_is_refused(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        m = shaken(ss.Coulomb(1.5, 1.0))
        fit(m, {"guide.law.kinetic": 0.9}, record(m, "slide.position"), progress=False)
        assert capsys.readouterr().err == ""
        with pytest.raises(ValueError, match="progress"):
            fit(m, {"guide.law.kinetic": 0.9}, record(m, "slide.position"), progress="loud")


def test_start_values_are_the_present_parameters() -> None:
    """The value set under a name is read under it, for every readable name of a machine."""
    from stickslip._core.ensemble import with_numbers

    m = drive()
    m.add_friction("second", on="motor", law=LAWS["StickSlip"][0], normal_load=2.0)
    m.add_friction("third", on="motor", law=ss.LuGre(**BRISTLES, **LEVELS) + ss.Viscous(0.3))
    m.add_contact("floor", normal={"load": 1.0}, gap=0.5, restitution=0.3)
    read = {name: present_number(m, name, {}) for name in m.parameters}
    assert sum(value is not None for value in read.values()) > 50
    tried = 0
    for name, value in read.items():
        if value is None or value == 0.0:
            continue
        new = 1.01 * value if not name.endswith(".kinetic") else 0.99 * value
        description, _ = with_numbers(m._description, np.zeros(len(m.states)), [name], np.array([new]))
        assert present_number(m._snapshot(description), name, {}) == pytest.approx(new, rel=1e-15), name
        tried += 1
    assert tried > 30


@pytest.mark.parametrize("signals", [("slide.position",), ("slide.position", "guide.force")])
def test_picture_has_labels(signals: tuple[str, ...]) -> None:
    m = shaken(ss.Coulomb(1.5, 1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        axes = fit(m, {"guide.law.kinetic": 0.99}, record(m, *signals, noise=0.02), step=1e-3).plot()
    assert legends.faults(axes[0].figure) == []
    assert all(ax.get_ylabel() for ax in axes)


T = np.linspace(0.0, 1.0, 50)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (dict(machine=3.0), "machine = 3.0"),
        (dict(free=[]), "free is empty"),
        (dict(free="slide.mass"), "free = 'slide.mass'"),
        (dict(free=["slide.mass", "slide.mass"]), "twice"),
        (dict(free=["guide.law.nothing"]), "guide.law.nothing"),
        (dict(free={"slide.mass": (1.0, 2.0)}), r"\(start, low, high\)"),
        (dict(free={"slide.mass": (1.0, 2.0, 3.0)}), "low <= start <= high"),
        (dict(free={"slide.mass": -1.0}), "free: the machine refuses the start values"),
        (dict(free={"slide.mass": np.nan}), "slide.mass"),
        (dict(data={}), "data = {}"),
        (dict(data={"slide.position": T}), "must be \\(t, y\\)"),
        (dict(data={"slide.position": (T, T[1:])}), "has 49 samples"),
        (dict(data={"slide.position": (T[::-1], T)}), "t of slide.position must increase"),
        (dict(data={"slide.position": (T, np.where(T == T[3], np.nan, T))}), r"\[3\] = nan"),
        (dict(data={"slide.position": (T[:1], T[:1])}), "too few points"),
        (dict(data={"slide.nothing": (T, T)}), "slide.nothing"),
        (dict(data={"slide.position": (T, T, -1.0)}), "sigma of slide.position"),
        (dict(data={"slide.position": (T, T, 1.0), "slide.velocity": (T, T)}), "sigma for some"),
        (dict(loss="huber"), "loss = 'huber'"),
        (dict(step=0.0), "step = 0.0"),
        (dict(restart=[2.0]), "restart = 2.0"),
        (dict(initial={"nobody.position": 1.0}), "nobody"),
        (dict(max_events=0), "max_events"),
    ],
)
def test_bad_input_is_refused(change: dict[str, Any], said: str) -> None:
    m = shaken(ss.Coulomb(1.5, 1.0))
    given = dict(machine=m, free=["guide.law.kinetic"], data={"slide.position": (T, np.sin(T))}) | change
    with pytest.raises(ValueError, match=said):
        fit(**given)
