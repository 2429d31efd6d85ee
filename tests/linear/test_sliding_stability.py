"""Stability of sliding against closed forms: mode coupling, falling curves, drives, pendulum, sampled speed loop."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from linear.machines_of_every_law import LAWS, spd

import stickslip as ss
from stickslip.linear.operating_point import operating_point

Array = np.ndarray
K11, K12, K22, KN, PRELOAD = 2.0, 1.0, 2.0, 4.0 / 3.0, 5.0


def two_modes(friction: float, contact: str) -> ss.Machine:
    """Two coordinates of unit mass, x along a surface and y into it, that carries the force k_n y + preload.

    The surface moves towards +x at 10 m/s, so that friction acts along +x as long as x' < 10.
    """
    own = K22 if contact == "formula" else K22 - KN
    m = ss.Machine(mass=np.eye(2), stiffness=[[K11, K12], [K12, own]], names=["x", "y"],
                   force={"y": 0.0 if contact == "formula" else PRELOAD})  # fmt: skip
    if contact == "formula":  # k_n y is part of k22
        m.add_friction("pad", on="x", law=ss.Coulomb(friction), surface_velocity=10.0,
                       normal_load=lambda q: PRELOAD + KN * q[1])  # fmt: skip
    else:
        m.add_contact("pad", normal={"y": -1.0}, tangent={"x": 1.0}, friction=ss.Coulomb(friction),
                      surface_velocity=10.0, compliance=ss.KelvinVoigt(KN))  # fmt: skip
    return m


def growth(machine: ss.Machine) -> float:
    """The greatest real part of the poles of steady sliding."""
    return float(np.max(np.asarray(machine.poles(at="sliding")).real))


@pytest.mark.parametrize("contact", ["formula", "compliant"])
def test_squeal_by_mode_coupling_begins_at_the_critical_friction(contact: str) -> None:
    """(k11 - k22)² + 4 k12 (k12 - mu k_n) < 0 (Hoffmann et al. 2002): mu_c = 0.75, poles in closed form on both sides."""
    critical = (K12 + (K11 - K22) ** 2 / (4.0 * K12)) / KN
    for share in (0.5, 0.999999, 1.000001, 1.6):
        mu = share * critical
        squares = np.linalg.eigvals(np.array([[K11, K12 - mu * KN], [K12, K22]]))
        expected = np.sqrt(-squares.astype(complex))
        found = two_modes(mu, contact).poles(at="sliding")
        both = np.sort_complex(np.concatenate([expected, -expected]))
        # The pair is nearly double beside the critical point, where rounding counts by its root.
        assert np.max(np.min(np.abs(np.asarray(found)[:, None] - both), axis=1)) < (
            1e-9 if share < 0.9 else 2e-8
        )
    assert growth(two_modes(1.001 * critical, contact)) > 1e-3
    assert growth(two_modes(0.999 * critical, contact)) < 1e-9


def growth_of_run(machine: ss.Machine, size: float, t_end: float) -> tuple[complex, complex]:
    """A pole of steady sliding, and the rate at which a small motion in this mode grows in a run.

    With the left eigenvector l of the pole p, l (x - x0) = c exp(p t) for any small motion x.
    """
    system = machine.linearise(at="sliding")
    values, left, right = scipy.linalg.eig(system.A, left=True)
    k = int(np.argmax(values.real + 1e-9 * values.imag))
    steady = sliding_state(machine)
    start = {name: float(steady[name] + size * right[i, k].real) for i, name in enumerate(system.states)}
    run = ss.simulate(machine, t_end=t_end, initial=start, rtol=1e-12, t_eval=[0.0, t_end])
    rows = np.array([run[name] for name in system.states])
    base = np.array([steady[name] for name in system.states])
    amplitude = left[:, k].conj() @ (rows - base[:, None])
    rate = np.log(amplitude[1] / amplitude[0]) / t_end
    turns = np.round((values[k].imag - rate.imag) * t_end / (2.0 * np.pi))
    return complex(values[k]), complex(rate + 2j * np.pi * turns / t_end)


def sliding_state(machine: ss.Machine) -> dict[str, float]:
    point = operating_point(machine, "sliding", None, None)
    assert point is not None
    return dict(zip(machine.states, point.state.x.tolist(), strict=True))


@pytest.mark.parametrize("contact", ["formula", "compliant"])
def test_squeal_grows_as_in_a_run(contact: str) -> None:
    pole, found = growth_of_run(two_modes(1.2, contact), size=1e-6, t_end=8.0)
    assert pole.real > 0.1
    assert found == pytest.approx(pole, rel=1e-7)


def test_judder_of_a_lugre_pad_grows_as_in_a_run() -> None:
    """A law with a bristle: its state is one of the system, and the run is not linear."""
    m = ss.Machine(mass=1.0, stiffness=100.0, names=["pad"])
    m.add_friction(
        "disc", on="pad", surface_velocity=0.2, law=ss.LuGre(1.0, 0.5, 0.1, stiffness=1e4, damping=10.0)
    )
    assert m.linearise(at="sliding").states == ("pad.position", "pad.velocity", "disc.z")
    pole, found = growth_of_run(m, size=1e-7, t_end=1.0)
    assert pole.real > 0.1
    assert found == pytest.approx(pole, rel=1e-6)


def critical(stable_at: Callable[[float], float], low: float, high: float) -> float:
    return float(scipy.optimize.brentq(stable_at, low, high, xtol=1e-13, rtol=1e-13))


def decisive(matrix: Array) -> float:
    """The greatest real part of the poles but that of the angle or the position, which is free: it is 0."""
    values = np.linalg.eigvals(matrix)
    return float(np.max(np.delete(values, np.argmin(np.abs(values))).real))


def drill_string(speed: float, static: float = 5.0, kinetic: float = 2.0, fall: float = 0.5) -> ss.Machine:
    """A table turning at constant speed, a shaft, a bit in rock with a falling torque."""
    m = ss.Machine(mass=[3.0, 2.0], damping=[[0.4, -0.4], [-0.4, 0.4 + 0.3]], stiffness=[[50.0, -50.0], [-50.0, 50.0]],
                   names=["table", "bit"], kind="rotary")  # fmt: skip
    m.add_constraint("drive", "table", rate=speed)
    m.add_friction("rock", on="bit", law=ss.Stribeck(static, kinetic, fall, shape=1.0, viscous=0.1))
    return m


def test_drill_string_is_stable_above_the_critical_speed() -> None:
    """One mode with damping c: v_c = v_s ln(N (Fs - Fc)/(v_s c)), physics of a falling curve with delta = 1."""
    v_c = 0.5 * np.log((5.0 - 2.0) / (0.5 * (0.4 + 0.3 + 0.1)))
    found = critical(lambda v: decisive(drill_string(v).linearise(at="sliding").A), 0.5 * v_c, 1.5 * v_c)
    assert found == pytest.approx(v_c, rel=1e-10)


def drive(speed: float) -> ss.Machine:
    """The two masses of Krämer, Kempkes, table 1, with speed control at the motor; friction at the load falls by 29 N."""
    both = np.array([[1.0, -1.0], [-1.0, 1.0]])
    m = ss.Machine(
        mass=[1000.0, 1000.0], damping=1341.64 * both, stiffness=5e6 * both, names=["motor", "load"]
    )
    m.add_friction("guide", on="load", law=ss.Stribeck(0.009, 0.006, 1e-3, shape=1.0), normal_load=9810.0)
    m.add_controller(ss.PI(kp=7e5, tn=0.03), "speed", measure="motor.velocity", to="motor", reference=speed)
    return m


def drive_matrix(speed: float) -> Array:
    """The same by hand: motor, load, their velocities, integral."""
    slope = -9810.0 * 3e-3 / 1e-3 * np.exp(-speed / 1e-3)
    c, d, kp = 5e6, 1341.64, 7e5
    return np.array([
        [0.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0],
        [-c / 1e3, c / 1e3, -(d + kp) / 1e3, d / 1e3, 1e-3],
        [c / 1e3, -c / 1e3, d / 1e3, -(d + slope) / 1e3, 0.0],
        [0.0, 0.0, -kp / 0.03, 0.0, 0.0],
    ])  # fmt: skip


def test_a_drive_crawls_below_the_speed_of_its_own_equations() -> None:
    expected = critical(lambda v: decisive(drive_matrix(v)), 5e-4, 1e-2)
    found = critical(lambda v: decisive(drive(v).linearise(at="sliding").A), 5e-4, 1e-2)
    assert found == pytest.approx(expected, rel=1e-9)
    # The speed loop holds the motor: the load swings on the coupling with its damping alone.
    for speed, smooth in ((1.2 * expected, True), (0.8 * expected, False)):
        run = ss.simulate(drive(speed), t_end=20.0, initial={"motor.velocity": speed, "load.velocity": speed})
        late = run.at(np.linspace(18.0, 20.0, 400))["load.velocity"]
        assert (np.ptp(late) < 0.05 * speed) == smooth


@pytest.mark.parametrize(("angle", "square"), [(0.0, -9.81 / 2.0), (np.pi, 9.81 / 2.0)])
def test_poles_of_a_pendulum_at_rest(angle: float, square: float) -> None:
    """phi'' = -(g/l) cos(phi0) phi - (c/(m l²)) phi'."""
    m = ss.machines.pendulum(3.0, 2.0, ss.Viscous(1.5), damping=0.6)
    poles = m.poles(at={"arm.position": angle})
    assert np.sort_complex(poles) == pytest.approx(
        np.sort_complex(np.roots([1.0, (1.5 + 0.6) / 12.0, -square])), rel=1e-12
    )


def test_a_sticking_pendulum_has_no_states() -> None:
    m = ss.machines.pendulum(1.0, 2.0, ss.Coulomb(3.0))
    assert m.linearise(at={"arm.position": 0.1}).states == ()


def test_a_rigid_contact_loads_its_friction() -> None:
    """N = k12 x + p with y held: x'' = -(k11 + mu k12) x - c x' in backward slip; elimination by hand."""
    m = ss.Machine(mass=[[2.0, 0.3], [0.3, 1.0]], stiffness=[[8.0, 1.0], [1.0, 3.0]], damping=[[0.5, 0.2], [0.2, 0.4]],
                   names=["x", "y"], force={"y": -40.0})  # fmt: skip
    mu = 0.4
    m.add_contact(
        "floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=ss.Coulomb(mu), surface_velocity=3.0
    )
    system = m.linearise(at="sliding")
    # 2 x'' + 8 x + 0.5 x' = mu N, 0.3 x'' + x + 0.2 x' + 40 = N; the floor moves towards +x.
    mass, stiffness, damping = 2.0 - mu * 0.3, 8.0 - mu * 1.0, 0.5 - mu * 0.2
    assert system.states == ("x.position", "x.velocity")
    assert system.A[1] == pytest.approx([-stiffness / mass, -damping / mass], rel=1e-13)


def test_sampled_speed_control_in_sliding_is_the_exact_discretisation() -> None:
    """m v' = u - F'(v0) v with a PI held over T: v+ = a v + b u, z+ = z - ki T v, u = -kp v + z - ... ."""
    mass, kp, ki, period, v0 = 2.0, 30.0, 200.0, 0.01, 0.05
    m = ss.Machine(mass=mass, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Stribeck(4.0, 2.0, 0.1, shape=1.0))
    m.add_controller(
        ss.PI(kp=kp, ki=ki, period=period), "speed", measure="slide.velocity", to="slide", reference=v0
    )
    run = ss.simulate(m, t_end=20.0)
    assert run["slide.velocity"][-1] == pytest.approx(v0, rel=1e-9)
    slope = -2.0 / 0.1 * np.exp(-v0 / 0.1)
    a = np.exp(-slope * period / mass)
    b = (1.0 - a) / slope
    system = m.linearise("speed.reference", "slide.velocity", at=run.state)
    assert system.period == period
    assert m.linearise("speed.reference", "slide.velocity", at="sliding").A == pytest.approx(
        system.A, rel=1e-8
    )
    law = ss.PI(kp=kp, ki=ki, period=period).matrices
    # State (v, z): u = C z + D (r - v), z+ = A z + B (r - v).
    A, B, C, D = (float(x[0, 0]) for x in (law.A, law.B, law.C, law.D))
    closed = np.array([[a - b * D, b * C], [-B, A]])
    expected = np.linalg.eigvals(closed)
    found = np.asarray(system.poles())
    assert np.min(np.abs(found[:, None] - expected), axis=0) == pytest.approx([0.0, 0.0], abs=1e-10)
    z = np.exp(1j * np.array([1.0, 20.0]) * period)
    reference = [np.array([1.0, 0.0]) @ np.linalg.solve(s * np.eye(2) - closed, [b * D, B]) for s in z]
    assert system.at(np.array([1.0, 20.0]))[0, 0] == pytest.approx(reference, rel=1e-8)


@pytest.mark.parametrize("law", LAWS)
def test_steady_sliding_is_found_with_every_law(law: str) -> None:
    """Three random machines for each law: accelerations vanish, and stay so."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 4))
        names = [f"q{k}" for k in range(n)]
        m = ss.Machine(mass=spd(rng, n, 1.0), damping=spd(rng, n, 0.3), stiffness=spd(rng, n, 20.0), names=names,
                       force={names[0]: 0.5})  # fmt: skip
        m.add_friction("guide", on=names[0], law=LAWS[law](), normal_load=float(rng.uniform(0.5, 2.0)),
                       surface_velocity=float(rng.choice([-1.0, 1.0]) * rng.uniform(0.1, 1.0)))  # fmt: skip
        m.add_spring("stop", on=names[-1], stiffness=30.0, damping=0.5, backlash=float(rng.uniform(0.0, 0.2)))
        point = operating_point(m, "sliding", None, None)
        assert point is not None
        motion = ss._core.linear.linearise(m.compile(), point.state, point.state.x)
        assert np.max(np.abs(motion.rate[: 2 * n])) < 1e-8
        assert np.max(np.abs((motion.by_state @ motion.rate)[n : 2 * n])) < 1e-8


@pytest.mark.parametrize("load", [9.81, -9.81, 100.0, -100.0])
def test_carriage_on_a_guide(load: float) -> None:
    """s² + (d + |N| F'(v)) s + k at v = 0.1 m/s, whichever side of the guide carries the load N."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    m.add_guide("rail", {"y": 1.0}, {"x": 1.0}, ss.Stribeck(0.3, 0.2, 0.05))
    m.add_force({"y": 1.0}, load)
    m.add_spring("drive", {"x": 1.0}, stiffness=100.0, damping=2.0, rest=ss.Ramp(0.1))
    slope = -(0.3 - 0.2) * 2.0 * 0.1 / 0.05**2 * np.exp(-((0.1 / 0.05) ** 2))
    expected = np.roots([1.0, 2.0 + abs(load) * slope, 100.0])
    found = np.asarray(m.poles(at="sliding"))
    assert np.max(np.abs(np.sort_complex(found) - np.sort_complex(expected))) < 1e-12


def test_contact_that_would_pull() -> None:
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    m.add_contact("floor", {"y": 1.0}, tangent={"x": 1.0}, friction=0.2)
    m.add_force({"y": 1.0}, 5.0)
    m.add_spring("drive", {"x": 1.0}, stiffness=10.0, damping=2.0, rest=ss.Ramp(0.1))
    with pytest.raises(ValueError, match="'floor' closed: it would have to pull"):
        m.linearise(at="sliding", modes={"floor": "slip+"})
