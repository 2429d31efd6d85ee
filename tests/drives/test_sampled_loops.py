"""Sampled controllers: instants k T, held outputs, delay, several rates, encoder, callables."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from published.drive import CASCADE
from published.drive import drive as case_b

import stickslip as ss


def drive(period: float | None = None, **options: object) -> ss.machines.TwoMassDrive:
    """Case b of Table 1."""
    return case_b(control=dataclasses.replace(CASCADE, period=period, **options))


def body(control: ss.Controller, reference: ss.Signal | float = 1.0) -> ss.Machine:
    m = ss.Machine(mass=2.0, damping=1.0, names=["q"])
    m.add_controller(control, name="v", measure="q.velocity", reference=reference, to="q")
    return m


def advance(v: float, u: float, h: float) -> float:
    """2 v' = u - v over h with u held."""
    return v * np.exp(-h / 2) + u * (1 - np.exp(-h / 2))


@pytest.mark.parametrize("delay", [0.0, 0.04, 0.1])
def test_sampled_loop_matches_its_recursion(delay: float) -> None:
    """Zero-order hold of a first-order plant in closed form; a step that falls on an instant is sampled at
    once.
    """
    T, kp, tn = 0.1, 3.0, 0.5
    run = ss.simulate(body(ss.PI(kp=kp, tn=tn, period=T, delay=delay), ss.Step(1.0, start=0.3)), 4.0, dt=T)
    v = i = u = 0.0
    expected, outputs = [], []
    for k in range(41):
        expected.append(v)
        e = (1.0 if k >= 3 else 0.0) - v
        i += kp * T / tn * e
        if delay == T:
            outputs.append(u)
        v = advance(v, u, delay)
        u = kp * e + i
        if delay == 0.0:
            outputs.append(u)
        v = advance(v, u, T - delay)
    assert run["q.velocity"] == pytest.approx(np.array(expected), abs=5e-15)
    if outputs:
        assert run["v.output"] == pytest.approx(np.array(outputs), abs=2e-14)


def test_two_rates_match_hand_calculation() -> None:
    """Position loop every 40 ms, velocity loop every 10 ms, by hand on a free mass: v' = u, x' = v."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=3.0, period=0.04), name="position", measure="q", reference=1.0)
    m.add_controller(
        ss.P(kp=20.0, period=0.01), name="velocity", measure="q.velocity", reference="position.output", to="q"
    )
    run = ss.simulate(m, t_end=2.0, dt=0.01)
    x = v = w = 0.0
    expected = []
    for k in range(201):
        expected.append(x)
        if k % 4 == 0:
            w = 3.0 * (1.0 - x)
        u = 20.0 * (w - v)
        x, v = x + 0.01 * v + 0.5e-4 * u, v + 0.01 * u
    assert run["q.position"] == pytest.approx(np.array(expected), abs=2e-14)


def test_converges_linearly_to_the_continuous_loop() -> None:
    """Halving the period halves the distance, stops and break-aways included."""
    t = np.linspace(0.0, 3.0, 301)
    exact = ss.simulate(drive(), 3.0, t_eval=t, rtol=1e-10)["load.position"]
    distances = []
    for period in (1e-3, 5e-4, 2.5e-4, 1.25e-4):
        run = ss.simulate(drive(period), 3.0, t_eval=t, rtol=1e-10)
        assert len(run.events) == 13 and run.energy.residual < 1e-8
        distances.append(np.abs(run["load.position"] - exact).max())
    ratios = np.array(distances[:-1]) / distances[1:]
    assert ratios == pytest.approx(2.0, abs=0.1)
    assert distances[0] < 3e-8


def test_instants_are_multiples_of_the_period() -> None:
    """Never sums: after 1e5 samples of 0.1 ms their instants still are k * T to the last bit."""
    called: list[float] = []

    def control(t: float, r: float, y: float) -> float:
        called.append(t)
        return r - y

    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(control, measure="q", reference=1.0, to="q", period=1e-4)
    run = ss.simulate(m, t_end=2.0, dt=0.5)
    assert called == [k * 1e-4 for k in range(20_001)]
    assert run.success and len(run.t) == 5


def test_a_callable_is_the_controller_it_computes() -> None:
    """A PI written in Python equals the engine's own to the last bits, and its memory is part of the
    state.
    """
    T, kp, tn = 0.05, 3.0, 0.5

    def pi(t: float, r: float, y: float, z: np.ndarray) -> tuple[float, np.ndarray]:
        i = z[0] + kp * T / tn * (r - y)
        return kp * (r - y) + i, np.array([i])

    control = ss.control.Callable(pi, memory=[0.0], period=T)
    mine, own = body(control), body(ss.PI(kp=kp, tn=tn, period=T))
    a, b = ss.simulate(mine, 3.0, dt=0.1), ss.simulate(own, 3.0, dt=0.1)
    assert a["q.velocity"] == pytest.approx(b["q.velocity"], abs=1e-15)
    half = ss.simulate(mine, 1.23)
    again = ss.simulate(mine, 3.0, state=pickle.loads(pickle.dumps(half.state)))
    assert np.array_equal(again.y[:, -1], a.y[:, -1])


def test_exception_of_a_callable_is_passed_on() -> None:
    def control(t: float, r: float, y: float) -> float:
        if t > 0.25:
            raise KeyError("mine")
        return 0.0

    m = body(ss.control.Callable(control, period=0.1))
    with pytest.raises(RuntimeError, match="function raised KeyError") as info:
        ss.simulate(m, 1.0)
    assert isinstance(info.value.__cause__, KeyError)


@pytest.mark.parametrize("delay", [0.0, 4e-4])
def test_resumed_run_is_bitwise_equal(delay: float) -> None:
    whole = ss.simulate(drive(1e-3, delay=delay), 1.0)
    first = ss.simulate(drive(1e-3, delay=delay), 0.4321)
    second = ss.simulate(drive(1e-3, delay=delay), 1.0, state=pickle.loads(pickle.dumps(first.state)))
    assert second.state == whole.state
    assert [e.time for e in first.events] + [e.time for e in second.events] == [e.time for e in whole.events]


def test_start_between_sampling_instants_is_exact() -> None:
    called: list[float] = []
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(lambda t, r, y: called.append(t) or 1.0, measure="q", to="q", period=0.25)
    run = ss.simulate(m, t_start=0.3, t_end=1.0, t_eval=[0.3, 0.49, 0.5])
    assert called == [0.5, 0.75, 1.0]
    assert run["callable.output"].tolist() == [0.0, 0.0, 1.0]


def test_sampled_clamping_ends_on_the_limit() -> None:
    """Clamping as the docstring says: the step of the integral is shortened so that the raw output is the
    limit.
    """
    m = body(ss.PI(kp=3.0, tn=0.5, period=0.1, limits=2.0, anti_windup="clamping"))
    run = ss.simulate(m, 6.0, dt=0.1)
    assert run["v.mode"][0] == ss.Mode.HIGH and run["v.mode"][-1] == ss.Mode.FREE
    v = i = 0.0
    for k in range(60):
        assert run["q.velocity"][k] == pytest.approx(v, abs=1e-13)
        e = 1.0 - v
        step = 3.0 * 0.1 / 0.5 * e
        raw = 3.0 * e + i + step
        i += step - min(max(raw - 2.0, 0.0), max(step, 0.0)) + min(max(-2.0 - raw, 0.0), max(-step, 0.0))
        v = advance(v, min(max(raw, -2.0), 2.0), 0.1)


def test_encoder_makes_a_quantisation_limit_cycle() -> None:
    """1 kHz velocity and 250 Hz position loop, encoder of 1 um: the reading never comes to rest.

    Velocity is the difference quotient of rounded positions, so one increment reads as 1 mm/s; without the
    encoder's steps the same loops settle.
    """
    swings = []
    for quantum in (1e-6, 0.0):
        m = ss.Machine(mass=100.0, names=["axis"])
        m.add_friction("guide", on="axis", law=ss.Viscous(50.0))
        m.add_controller(
            ss.P(kp=40.0, period=4e-3, quantum=quantum), name="position", measure="axis", reference=10.5e-6
        )
        m.add_controller(
            ss.PI(
                kp=2e4, tn=0.05, period=1e-3, quantum=quantum, controls="rate",
                rate="difference" if quantum else "measured",
            ),
            name="velocity",
            measure="axis.position",
            reference="position.output",
            to="axis",
        )  # fmt: skip
        run = ss.simulate(m, t_end=6.0, dt=1e-3)
        late = run["axis.position"][run.t > 3.0]
        swings.append(np.ptp(late))
        if quantum:
            increments = np.floor(late / quantum + 0.5)
            assert set(increments) == {10.0, 11.0}
            assert np.count_nonzero(np.diff(increments)) > 300
    assert 5e-8 < swings[0] < 1e-6
    assert swings[1] < 1e-12


def test_sampling_instant_without_change_is_cheap() -> None:
    """200 000 instants at which no mode can change take about a second, and none of them is logged."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_friction("guide", on="q", law=ss.Coulomb(static=2.0, kinetic=1.5))
    m.add_controller(ss.P(kp=1.0, period=1e-4), on="q", reference=1.0)
    run = ss.simulate(m, t_end=20.0, dt=1.0, max_time=20.0)
    assert run.success and len(run.events) == 0
    assert np.all(run["q.position"] == 0.0)


def test_sampled_loop_among_themselves_is_refused() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    bad = copy.copy(m)
    bad.add_controller(ss.P(kp=1.0, period=0.1), name="x", measure="q", reference="x.output")
    with pytest.raises(ValueError, match="algebraic loop"):
        bad.check()
    m.add_controller(ss.P(kp=0.5, period=0.1, delay=0.1), name="x", measure="q", reference="x.output", to="q")
    assert ss.simulate(m, t_end=1.0, initial={"q.position": 1.0}).success


@pytest.mark.parametrize(
    ("law", "how"),
    [
        (None, "the state is no longer finite"),
        (ss.Coulomb(1.0, 0.8), "the state is no longer finite"),
        (
            ss.Stribeck(static=1.0, kinetic=0.5, stribeck_velocity=0.1),
            "the step became too small to advance the time",
        ),
    ],
    ids=["linear", "coulomb", "stribeck"],
)
def test_diverging_loop_is_named(law: ss.Law | None, how: str) -> None:
    """Where a Stribeck curve is passed in less than the last digit of t the run ends before numbers do."""
    m = ss.Machine(mass=1.0, names=["q"])
    if law is not None:
        m.add_friction("guide", on="q", law=law)
    m.add_controller(ss.PID(kp=1e3, kd=1e3), on="q", reference=1.0, period=1e-2)
    run = ss.simulate(m, 100.0)
    assert run.status == "stalled"
    assert run.message.startswith(how) and run.message.endswith(", as in an unstable loop")
    assert any(f"'{s}' has grown" in run.message for s in run.states)
    assert np.isfinite(run.events.of("guide")[-1].time if law else 0.0)
