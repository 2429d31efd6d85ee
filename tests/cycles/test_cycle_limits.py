"""Design limits: slowest smooth speed, critical damping and load without hunting, against independent programs."""

import math

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq, fsolve

import stickslip as ss

STATIC, KINETIC = 300.0, 200.0  # N


def axis(
    mass: float = 200.0, stiffness: float = 2e6, damping: float = 4e3, speed: float = 1e-3
) -> ss.Machine:
    """A slide on a spring and damper, in the frame of its drive."""
    m = ss.Machine(mass=mass, stiffness=stiffness, damping=damping, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(STATIC, KINETIC), surface_velocity=speed)
    return m


def grazing_speed(mass: float, stiffness: float, damping: float, drop: float) -> float:
    """Speed at which slip from break-away comes back to rest tangentially, in closed form.

    From break-away the deviation u from steady sliding starts at u' = v, u = (drop - d v)/k; it moves as exp(A t). Its
    velocity has its next maximum where u'' = 0.
    """
    A = np.array([[0.0, 1.0], [-stiffness / mass, -damping / mass]])
    period = 2.0 * math.pi / math.sqrt(stiffness / mass)

    def peak(v: float) -> float:
        start = np.array([(drop - damping * v) / stiffness, v])
        acceleration = lambda t: (A @ expm(A * t) @ start)[1]  # noqa: E731
        t = brentq(acceleration, 0.5 * period, 1.2 * period, xtol=1e-16)
        return float((expm(A * t) @ start)[1] - v)

    scale = drop / math.sqrt(stiffness * mass)
    return float(brentq(peak, 0.1 * scale, 10.0 * scale, xtol=1e-16))


@pytest.mark.parametrize(("stiffness", "damping"), [(2e6, 4e3), (5e5, 4e3)])
def test_slowest_smooth_speed_matches_closed_form(stiffness: float, damping: float) -> None:
    truth = grazing_speed(200.0, stiffness, damping, STATIC - KINETIC)
    limit = ss.cycles.slowest_smooth_speed(
        axis(stiffness=stiffness, damping=damping), "guide.surface_velocity", (0.2 * truth, 2.0 * truth)
    )
    assert limit.value == pytest.approx(truth, rel=1e-9)
    assert limit.bifurcation.name == "grazing" and limit.bifurcation.elements == ("guide",)
    assert float(limit) == limit.value and "grazing of 'guide'" in repr(limit)


def test_load_without_hunting_scales_with_speed() -> None:
    """Equations of motion are the same for (N, v) and (c N, c v): the limits are in proportion."""
    limit = ss.cycles.largest_load_without_hunting(axis(speed=0.02), "guide.normal_load", (2.0, 20.0))
    assert limit.value == pytest.approx(0.02 / grazing_speed(200.0, 2e6, 4e3, STATIC - KINETIC), rel=1e-9)


def test_critical_damping_of_belt_matches_independent_program() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(1.0, 0.6), surface_velocity=0.5)
    limit = ss.cycles.critical_damping(m, "block.damping", (0.0, 0.2))
    assert limit.value == pytest.approx(0.0811638871355, abs=1e-11)


@pytest.mark.slow
def test_certificate_of_falling_curve_is_turn_of_branch() -> None:
    """There the stable cycle that sticks meets the unstable one that slips: 0.348101 by an independent program."""
    law = ss.Stribeck(1.0, 0.6, stribeck_velocity=0.3, shape=1.0)
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
    m.add_friction("belt", on="block", law=law, surface_velocity=0.5)
    limit = ss.cycles.critical_damping(m, "block.damping", (0.2, 0.5))
    assert limit.value == pytest.approx(0.348101, abs=5e-7)
    assert limit.bifurcation.name == "death of stick" and not limit.branch.stable[-1]
    assert limit.branch.ends[1].startswith("Hopf")


def test_range_without_limit_and_range_without_cycle_are_refused() -> None:
    with pytest.raises(ValueError, match=r"reaches guide.surface_velocity = 0.002 without a bifurcation"):
        ss.cycles.slowest_smooth_speed(axis(), "guide.surface_velocity", (1e-3, 2e-3))
    with pytest.raises(
        ss.cycles.NoOrbitError, match="no cycle was found between guide.surface_velocity = 0.5"
    ):
        ss.cycles.slowest_smooth_speed(axis(), "guide.surface_velocity", (0.5, 1.0))
    with pytest.raises(ValueError, match="unknown parameter 'guide.speed'"):
        ss.cycles.slowest_smooth_speed(axis(), "guide.speed", (0.5, 1.0))


# Table 1 of Krämer, Kempkes with Coulomb friction at the load, static 0.007 and kinetic 0.006 of 9810 N.
M, C, D, KV, KP, TN = 1000.0, 5e6, 1341.64, 8.0 / 60e-3, 700e3, 30e-3
HELD, SLIDES = 0.007 * 9810.0, 0.006 * 9810.0


def flow(sticks: bool, v: float, t: float, y: np.ndarray) -> np.ndarray:
    """Motion of (v_M, x_M - v t, v_L, x_L - v t, z), z' = e/Tn, by the matrix exponential of the affine equations."""
    A = np.zeros((6, 6))
    A[0] = np.array([-KP - D, -KP * KV - C, D, C, KP, 0.0]) / M
    A[1, [0, 5]] = 1.0, -v
    if not sticks:
        A[2] = np.array([D, C, -D, -C, 0.0, -SLIDES]) / M
    A[3, [2, 5]] = 1.0, -v
    A[4, [0, 1]] = -1.0 / TN, -KV / TN
    return np.asarray((expm(A * t) @ np.append(y, 1.0))[:5])


@pytest.mark.slow
def test_slowest_smooth_speed_of_table_1_matches_matrix_exponentials() -> None:
    """Slip from break-away to a stop with zero acceleration, stick until break-away in the same state again."""
    drive = ss.machines.two_mass_drive(
        motor_mass=M,
        load_mass=M,
        stiffness=C,
        damping=D,
        load_friction=ss.Coulomb(static=0.007, kinetic=0.006),
        normal_load=9810.0,
        control=ss.Cascade(kv=KV, kp=KP, tn=TN),
        reference=ss.Ramp(slope=1.0),
    )
    limit = ss.cycles.slowest_smooth_speed(drive, "control.reference_scale", (2e-4, 6e-4))
    assert limit.bifurcation.name == "grazing" and limit.bifurcation.elements == ("load friction",)
    orbit = limit.bifurcation.orbit
    leave = next(e.time for e in orbit.events if e.before == ss.Mode.STICK)
    stop = next(e.time for e in orbit.events if e.after == ss.Mode.STICK)
    at = orbit.run.at([leave])
    behind = at["load.position"][0] - at["control.reference"][0]
    force = C * (at["motor.position"][0] - at["load.position"][0])
    slip = (stop - leave) % orbit.period
    size = np.array([1e-4, 1e-6, 1e-5, 1e-2, 1e-2, 1e-4])
    start = np.array([at["motor.velocity"][0], behind, force / KP, slip, orbit.period - slip, limit.value])

    def state(u: np.ndarray) -> np.ndarray:
        """At break-away: spring and damper carry the static level."""
        return np.array([u[0], u[1] + (HELD - D * u[0]) / C, 0.0, u[1], u[2]])

    def missing(scaled: np.ndarray) -> np.ndarray:
        u = start + size * scaled
        first = state(u)
        end = flow(False, u[5], u[3], first)
        acceleration = (D * (end[0] - end[2]) + C * (end[1] - end[3]) - SLIDES) / M
        after = flow(True, u[5], u[4], np.where(np.arange(5) == 2, 0.0, end))
        return np.array(
            [end[2] / 1e-4, acceleration / 1e-2, *((after - first)[[0, 1, 3, 4]] / [1e-4, 1e-6, 1e-6, 1e-5])]
        )

    found, _, done, text = fsolve(missing, np.zeros(6), full_output=True, xtol=1e-13)
    assert np.abs(missing(found)).max() < 1e-6, (text, done)
    assert limit.value == pytest.approx(start[5] + size[5] * found[5], rel=1e-11)
