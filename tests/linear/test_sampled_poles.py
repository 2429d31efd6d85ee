"""Poles of sampled loops: z-plane poles against python-control and against what runs do."""

import control as ct
import numpy as np
import pytest

import stickslip as ss


def sorted_poles(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values)
    return np.sort_complex(values[np.abs(values) > 1e-6])


def test_a_loop_that_blows_up_is_unstable() -> None:
    """v' = -30 v sampled every 0.1 s: z = 1 - 3."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=30.0, period=0.1), measure="q.velocity", to="q")
    poles = m.poles()
    assert poles.period == 0.1 and not poles.stable
    assert poles[0] == pytest.approx(-2.0, rel=1e-14)
    run = ss.simulate(m, t_end=20.0, dt=0.1, initial={"q.velocity": 1.0})
    assert run["q.velocity"][-1] / run["q.velocity"][-2] == pytest.approx(poles[0].real, rel=1e-12)


def test_continuous_poles_stay_what_they_are() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_friction("f", on="q", law=ss.LuGre(stiffness=1e5, damping=300.0, static=1.5, kinetic=1.0,
                                             stribeck_velocity=1e-3))  # fmt: skip
    m.add_controller(ss.PID(kp=2.0, kd=3.0), on="q")
    poles = m.poles()
    assert poles.period is None and poles.stable
    assert np.asarray(poles) == pytest.approx([-1.0, -2.0])


def test_a_servo_axis_is_the_sampled_loop_of_python_control() -> None:
    """Current loop as a lag, velocity from encoder differences, P-PI at 125 us: all poles to 1e-10."""
    T, lag, mass, kv, kp, tn = 125e-6, 5e-4, 4.0, 60.0, 2000.0, 8e-3
    m = ss.Machine(mass=mass, names=["axis"])
    m.add_controller(ss.P(kp=kv, period=T), "position", measure="axis", reference=1.0)
    speed = ss.PI(kp=kp, tn=tn, controls="rate", rate="difference", period=T)
    m.add_controller(speed, "speed", measure="axis", reference="position.output")
    current = ss.LTI(A=-1 / lag, B=1 / lag, C=1.0, inputs="both", references=1)
    m.add_controller(current, "current", reference="speed.output", to="axis")
    s, z = ct.tf("s"), ct.tf([1.0, 0.0], [1.0], T)
    held = ct.sample_system(ct.ss(1.0 / (mass * s**2 * (lag * s + 1.0))), T)
    law = kp * (1.0 + T / tn * z / (z - 1.0))
    back = ct.ss(law * (kv + (z - 1.0) / (T * z)))
    loop = back * held
    closed = ct.feedback(loop)
    poles = m.poles()
    assert poles.stable
    # A pole that python-control has twice, in the law and in the feedback, may come in once here.
    expected = sorted_poles(closed.poles())
    got = sorted_poles(poles)
    assert len(got) == len(expected)
    assert got == pytest.approx(expected, abs=1e-8)
    polynomial = np.poly(np.asarray(poles))
    direct = ct.tf(loop)
    both = np.polyadd(direct.num[0][0], direct.den[0][0])
    both = both / both[0]
    assert np.trim_zeros(np.where(np.abs(polynomial) < 1e-13, 0, polynomial), "b") == pytest.approx(
        np.trim_zeros(np.where(np.abs(both) < 1e-10, 0, both), "b"), abs=1e-7
    )


def random_machine(rng: np.random.Generator) -> tuple[ss.Machine, float]:
    """Two bodies, a continuous lag, and sampled controllers with delays, differences and one or two rates."""
    k, d = rng.uniform(20.0, 60.0), rng.uniform(0.1, 0.6)
    both = np.array([[1.0, -1.0], [-1.0, 1.0]])
    m = ss.Machine(
        mass=rng.uniform(0.5, 2.0, 2), stiffness=k * both + np.diag([3.0, 0.0]), damping=d * both,
        names=["a", "b"],
    )  # fmt: skip
    T = 0.05
    slow = T * int(rng.integers(1, 4))
    delay = float(rng.choice([0.0, 0.3 * T, T]))
    m.add_controller(
        ss.P(kp=rng.uniform(0.5, 1.5), period=slow, delay=float(rng.choice([0.0, 0.4 * slow]))), "outer",
        measure=str(rng.choice(["a", "b"])), reference=0.0,
    )  # fmt: skip
    rate = str(rng.choice(["measured", "difference"]))
    inner = ss.PI(kp=rng.uniform(0.5, 3.0), tn=0.8, controls="rate", rate=rate, period=T, delay=delay)
    m.add_controller(inner, "inner", measure="a", reference="outer.output")
    lag = ss.LTI(A=-8.0, B=8.0, C=1.0, inputs="both", references=1)
    m.add_controller(lag, "lag", reference="inner.output", to="a")
    return m, m.poles().period


@pytest.mark.parametrize("seed", range(12))
def test_runs_follow_the_characteristic_polynomial(seed: int) -> None:
    """By Cayley and Hamilton every sample of every run obeys it, at several rates from one common period to the next."""
    m, period = random_machine(np.random.default_rng(seed))
    poles = m.poles()
    polynomial = np.poly(np.asarray(poles)).real
    n = len(polynomial)
    start = {"a.position": 0.3, "b.position": -0.2, "b.velocity": 0.5}
    run = ss.simulate(m, t_end=(3 * n + 3) * period, dt=period, initial=start)
    y = run["b.position"][2:]
    size = max(np.abs(y).max() * np.abs(polynomial).max(), 1e-3)
    left = np.array([polynomial[::-1] @ y[k : k + n] for k in range(len(y) - n)])
    assert np.abs(left).max() < 1e-11 * size
    assert np.abs(np.diff(y)).max() > 1e-3  # something moves


@pytest.mark.parametrize("seed", range(4))
def test_the_slowest_pole_is_the_growth_of_a_run(seed: int) -> None:
    m, period = random_machine(np.random.default_rng(100 + seed))
    poles = m.poles()
    run = ss.simulate(m, t_end=400 * period, dt=period, initial={"a.position": 0.3})
    y = run["a.position"]
    ends = [np.abs(y[a:b]).max() for a, b in ((200, 300), (300, 400))]
    assert (ends[1] / ends[0]) ** 0.01 == pytest.approx(np.abs(poles[0]), rel=5e-3)
    assert poles.stable == (np.abs(poles[0]) < 1.0)


def test_periods_without_a_common_one_are_refused() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=1.0, period=1e-3), "a", measure="q", to="q")
    m.add_controller(ss.P(kp=1.0, period=1e-3 * np.sqrt(2.0)), "b", measure="q.velocity", to="q")
    with pytest.raises(
        ValueError, match=r"no common period of at most 20000 instants: 'a' 0.001 s, 'b' 0.00141421 s"
    ):
        m.poles()


def test_poles_keep_what_they_mean_when_picked_and_pickled() -> None:
    import pickle

    poles = ss.linear.Poles([0.5, -0.9], 0.1)
    assert pickle.loads(pickle.dumps(poles)).period == poles[:1].period == 0.1
    assert poles.continuous[0] == pytest.approx(np.log(-0.9 + 0j) / 0.1)
    assert ss.linear.Poles([-1.0 + 1.0j, -1.0 - 1.0j]).damping == pytest.approx(np.sqrt(0.5))
    assert not ss.linear.Poles([0.0, -1.0]).stable
