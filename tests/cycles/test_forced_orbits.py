"""Forced oscillators with impact and with dry friction, against closed forms."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import stickslip as ss

Array = np.ndarray


def impact_oscillator(frequency: float, stop: float, damping: float, restitution: float) -> ss.Machine:
    """Return x'' + c x' + x = cos ωt above a stop at x = `stop`."""
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=damping, names=["x"])
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=frequency / (2.0 * math.pi), phase=0.5 * math.pi))
    m.add_contact("stop", normal={"x": 1.0}, gap=-stop, restitution=restitution)
    return m


def one_impact_orbits(
    frequency: float, stop: float, damping: float, restitution: float, periods: int
) -> list[tuple[float, float, Array]]:
    """Phase ωt and speed just after the impact of orbits with one impact, and their monodromy matrices.

    Between impacts x = xp(t) + the first row of exp(A (t - t0)) (x - xp, v - vp); the orbit closes if it comes back to
    the stop at the speed v / e. This is linear in v and in (cos, sin) of the phase.
    """
    A = np.array([[0.0, 1.0], [-1.0, -damping]])
    T = 2.0 * math.pi * periods / frequency
    flow = expm(A * T)
    gain = 1.0 / (1.0 - frequency**2 + 1j * damping * frequency)
    # xp = Re(gain e^{iωt}), vp = Re(iω gain e^{iωt}): rows over (cos, sin) of the phase at the impact
    xp, vp = (np.array([g.real, -g.imag]) for g in (gain, 1j * frequency * gain))
    # (σ, -v/e) - p = flow ((σ, v) - p): two equations in p = (xp, vp) for given v
    left = np.eye(2) - flow
    # left @ p = (σ, -v/e) - flow (σ, v)
    constant = np.linalg.solve(left, np.array([stop, 0.0]) - flow @ [stop, 0.0])
    by_v = np.linalg.solve(left, np.array([0.0, -1.0 / restitution]) - flow @ [0.0, 1.0])
    phase = np.linalg.inv(np.array([xp, vp]))
    a, b = phase @ constant, phase @ by_v
    found = []
    for v in np.roots([b @ b, 2.0 * a @ b, a @ a - 1.0]):
        if abs(v.imag) > 1e-12 or v.real <= 0.0:
            continue
        c, s = a + b * v.real
        v_before, v_after = -v.real / restitution, v.real
        f_before = math.cos(math.atan2(s, c)) - damping * v_before - stop
        f_after = math.cos(math.atan2(s, c)) - damping * v_after - stop
        e = restitution
        salt = np.array([[-e, 0.0], [(f_after + e * f_before) / v_before, -e]])
        found.append((math.atan2(s, c), v.real, salt @ flow))
    return found


@pytest.mark.parametrize(
    ("frequency", "stop", "damping", "restitution", "periods"),
    [(1.7, 0.0, 0.1, 0.6, 1), (1.7, -0.4, 0.05, 0.8, 1), (2.8, -0.4, 0.1, 0.6, 2)],
)
def test_impact_orbit_matches_closed_form(
    frequency: float, stop: float, damping: float, restitution: float, periods: int
) -> None:
    m = impact_oscillator(frequency, stop, damping, restitution)
    phase, speed, monodromy = max(
        one_impact_orbits(frequency, stop, damping, restitution, periods), key=lambda one: one[1]
    )
    start = (phase % (2.0 * math.pi)) / frequency
    near = {"x.position": stop, "x.velocity": 1.001 * speed}
    orbit = ss.cycles.periodic_orbit(
        m, ss.simulate(m, (start, start + 60.0 * math.pi / frequency), initial=near)
    )
    assert orbit.events.impact.sum() == 1 and orbit.forcing == periods
    hit = orbit.events.time[0]
    assert orbit.run.at([hit])["x.velocity"][0] == pytest.approx(speed, rel=1e-11)
    assert math.remainder(frequency * hit - phase, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-10)
    assert np.sort_complex(orbit.multipliers) == pytest.approx(
        np.sort_complex(np.linalg.eigvals(monodromy)), abs=1e-10
    )
    determinant = restitution**2 * math.exp(-damping * orbit.period)
    assert np.prod(orbit.multipliers) == pytest.approx(determinant, rel=1e-10)
    assert orbit.stable == bool(np.all(np.abs(np.linalg.eigvals(monodromy)) < 1.0))


def bouncing_ball(gamma: float, restitution: float) -> ss.Machine:
    """A ball on a table that moves as (Γ g / ω²) sin ωt, with g = 1 and ω = 1."""
    m = ss.Machine(mass=1.0, names=["ball"])
    m.add_force("ball", -1.0)
    table = ss.Sine(amplitude=gamma, frequency=1.0 / (2.0 * math.pi))
    m.add_contact("table", normal={"ball": 1.0}, gap=-1.0 * table, restitution=restitution, impact="newton")
    return m


@pytest.mark.parametrize("restitution", [0.5, 0.8])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.99, 1.2])
def test_bouncing_ball_multipliers_match_closed_form(restitution: float, share: float) -> None:
    """Between the fold at Γ = π(1-e)/(1+e) (share 0) and the flip (share 1), and beyond it, where the orbit is unstable.

    One bounce a period: Γ cos φ = π (1-e)/(1+e); trace 1 + e² - (1+e)² Γ sin φ, determinant e².
    """
    e = restitution
    fold = math.pi * (1.0 - e) / (1.0 + e)
    flip = math.hypot(fold, 2.0 * (1.0 + e**2) / (1.0 + e) ** 2)
    gamma = fold + share * (flip - fold)
    phase = math.acos(fold / gamma)
    # half a period after the bounce the ball is at the top of its flight, π g high above its start
    half = math.pi
    start = {"ball.position": gamma * math.sin(phase) + 0.5 * half**2, "ball.velocity": 0.0}
    m = bouncing_ball(gamma, e)
    run = ss.simulate(m, (phase + half, phase + half + 6.0 * math.pi), initial=start)
    orbit = ss.cycles.periodic_orbit(m, run)
    assert orbit.forcing == 1
    trace = 1.0 + e**2 - (1.0 + e) ** 2 * gamma * math.sin(phase)
    expected = np.roots([1.0, -trace, e**2])
    assert np.sort_complex(orbit.multipliers) == pytest.approx(np.sort_complex(expected), abs=1e-9)
    assert orbit.stable == (share < 1.0)


@pytest.mark.parametrize(
    ("frequency", "friction"),
    [(0.4, 0.1), (0.6, 0.2), (0.7, 0.3), (0.9, 0.5), (1.2, 0.5), (1.5, 0.4), (2.0, 0.2), (3.0, 0.08)],
)
def test_dry_friction_oscillator_matches_den_hartog(frequency: float, friction: float) -> None:
    """x'' + x + f sgn x' = cos ωt: amplitude of Den Hartog (1931), and the multipliers by saltation at the two turns."""
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=frequency / (2.0 * math.pi), phase=0.5 * math.pi))
    m.add_friction("pad", on="x", law=ss.Coulomb(friction))
    w, f = frequency, friction
    half = math.pi / w
    V = 1.0 / (1.0 - w**2)
    U = math.sin(half) / (w * (1.0 + math.cos(half)))
    amplitude = math.sqrt(V**2 - (f * U) ** 2)
    assert amplitude > f / w**2  # it does not stop at the turn
    orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, 80.0 * half))
    assert orbit.sticking == () and orbit.forcing == 1
    assert orbit.amplitude("x.position") == pytest.approx(amplitude, rel=1e-11)
    a_before, a_after = (-(w**2) * amplitude - f), (-(w**2) * amplitude + f)
    turn = np.diag([1.0, a_after / a_before])
    flow = expm(np.array([[0.0, 1.0], [-1.0, 0.0]]) * half)
    expected = np.linalg.eigvals(turn @ flow @ turn @ flow)
    assert np.sort_complex(orbit.multipliers) == pytest.approx(np.sort_complex(expected), abs=1e-10)
