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


def test_continuous_poles_are_eigenvalues() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_friction("f", on="q", law=ss.LuGre(stiffness=1e5, damping=300.0, static=1.5, kinetic=1.0,
                                             stribeck_velocity=1e-3))  # fmt: skip
    m.add_controller(ss.PID(kp=2.0, kd=3.0), on="q")
    poles = m.poles()
    assert poles.period is None and poles.stable
    assert np.asarray(poles) == pytest.approx([-1.0, -2.0])


def test_a_servo_axis_is_the_sampled_loop_of_python_control() -> None:
    """Current loop as a lag of 0.5 ms, motor and slide on a coupling, velocity from encoder differences, P-PI at 125 us:
    poles and step response to 1e-10.
    """
    T, lag, kv, kp, tn = 125e-6, 5e-4, 60.0, 1500.0, 8e-3
    mass, both = [1.5, 2.5], np.array([[1.0, -1.0], [-1.0, 1.0]])
    m = ss.Machine(mass=mass, stiffness=4e6 * both, damping=300.0 * both, names=["motor", "slide"])
    m.add_controller(ss.P(kp=kv, period=T), "position", measure="motor", reference=1.0)
    speed = ss.PI(kp=kp, tn=tn, controls="rate", rate="difference", period=T)
    m.add_controller(speed, "speed", measure="motor", reference="position.output")
    m.add_controller(
        ss.LowPass(frequency=1.0 / (2.0 * np.pi * lag)), "current", reference="speed.output", to="motor"
    )

    inverse = np.diag(1.0 / np.array(mass))
    a = np.zeros((5, 5))
    a[:2, 2:4] = np.eye(2)
    a[2:4, :2], a[2:4, 2:4] = -inverse @ (4e6 * both), -inverse @ (300.0 * both)
    a[2, 4], a[4, 4] = 1.0 / mass[0], -1.0 / lag
    b = np.zeros((5, 1))
    b[4] = 1.0 / lag
    plant = ct.sample_system(ct.ss(a, b, np.eye(2, 5), np.zeros((2, 1))), T)
    # From (reference, motor position): v_ref - (x - x_before)/T into kp (1 + T/tn z/(z - 1)).
    law = ct.ss(
        [[0.0, 0.0], [kp * T / tn / T, 1.0]],
        [[0.0, 1.0], [kp * T / tn * kv, -kp * T / tn * (kv + 1.0 / T)]],
        [[kp * (1.0 + T / tn) / T, 1.0]],
        [[kp * (1.0 + T / tn) * kv, -kp * (1.0 + T / tn) * (kv + 1.0 / T)]],
        T,
    )
    n, k = plant.A.shape[0], law.A.shape[0]
    x = plant.C[:1]
    closed = ct.ss(
        np.block([[plant.A + plant.B @ law.D[:, 1:] @ x, plant.B @ law.C], [law.B[:, 1:] @ x, law.A]]),
        np.vstack([plant.B @ law.D[:, :1], law.B[:, :1]]),
        np.hstack([plant.C, np.zeros((2, k))]),
        np.zeros((2, 1)),
        T,
    )
    poles = m.poles()
    assert poles.stable and len(poles) == n + k
    assert np.sort_complex(np.asarray(poles)) == pytest.approx(np.sort_complex(closed.poles()), abs=1e-10)
    time = T * np.arange(400)
    expected = ct.step_response(closed, time).outputs[:, 0]
    ours = m.to_control("position.reference", ["motor", "slide"])
    assert ct.step_response(ours, time).outputs[:, 0] == pytest.approx(expected, abs=1e-10)
    # A run forms no difference quotient at its first instant; here the axis rests at 0 there, as before it.
    run = ss.simulate(m, t_end=time[-1], t_eval=time)
    assert np.array([run["motor.position"], run["slide.position"]]) == pytest.approx(expected, abs=1e-10)
    loop = ss.open_loop(m, at="speed.output")
    omega = np.geomspace(1.0, 0.99 * np.pi / T, 100)
    direct = ct.ss(law.A, law.B[:, 1:], law.C, law.D[:, 1:], T) * plant[0, 0]
    assert loop(omega) == pytest.approx(-direct(np.exp(1j * omega * T)), rel=1e-9)


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


def test_poles_keep_their_period_when_indexed_and_pickled() -> None:
    import pickle

    poles = ss.linear.Poles([0.5, -0.9], 0.1)
    assert pickle.loads(pickle.dumps(poles)).period == poles[:1].period == 0.1
    assert poles.continuous[0] == pytest.approx(np.log(-0.9 + 0j) / 0.1)
    assert ss.linear.Poles([-1.0 + 1.0j, -1.0 - 1.0j]).damping == pytest.approx(np.sqrt(0.5))
    assert not ss.linear.Poles([0.0, -1.0]).stable
