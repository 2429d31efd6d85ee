"""Branches of orbits with impact: fold, flip, grazing and order of events against closed forms."""

import math

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import stickslip as ss

W, C, E = 2.8, 0.1, 0.6  # frequency, damping, restitution


def impact_oscillator(gap: float) -> ss.Machine:
    """Return x'' + c x' + x = cos ωt above a stop at x = -gap."""
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=C, names=["x"])
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=W / (2.0 * math.pi), phase=0.5 * math.pi))
    m.add_contact("stop", normal={"x": 1.0}, gap=gap, restitution=E)
    return m


class OneImpact:
    """Orbits with one impact in `periods` of the excitation: phase and speed v after it solve |a + b v|² = 1.

    Between impacts x = xp(t) + the first row of exp(A (t - t0)) (x - xp, v - vp); the orbit closes if it comes back to
    the stop at the speed v / e. This is linear in v, in the gap, and in (cos, sin) of the phase.
    """

    def __init__(self, periods: int) -> None:
        self.flow = expm(np.array([[0.0, 1.0], [-1.0, -C]]) * 2.0 * math.pi * periods / W)
        gain = 1.0 / (1.0 - W**2 + 1j * C * W)
        particular = np.array([[g.real, -g.imag] for g in (gain, 1j * W * gain)])
        self.reach = abs(gain)

        def phase_of(right: np.ndarray) -> np.ndarray:
            found: np.ndarray = np.linalg.solve(particular, np.linalg.solve(np.eye(2) - self.flow, right))
            return found

        self.by_gap = phase_of((np.eye(2) - self.flow) @ [-1.0, 0.0])
        self.by_speed = phase_of(np.array([0.0, -1.0 / E]) - self.flow @ [0.0, 1.0])

    def speed(self, gap: float) -> float:
        """Greatest speed after the impact."""
        a, b = self.by_gap * gap, self.by_speed
        return float(max(np.roots([b @ b, 2.0 * a @ b, a @ a - 1.0]).real))

    def fold(self) -> float:
        """Gap at which both speeds are equal: the discriminant (a·b)² - b²(a² - 1) is zero."""
        a, b = self.by_gap, self.by_speed
        return math.sqrt((b @ b) / ((b @ b) * (a @ a) - (a @ b) ** 2))

    def flip(self, low: float, high: float) -> float:
        """Gap at which 1 + trace + determinant of the monodromy matrix is zero."""

        def test(gap: float) -> float:
            v = self.speed(gap)
            force = (self.by_gap * gap + self.by_speed * v)[0]  # cos of the phase
            before, after = force + C * v / E + gap, force - C * v + gap
            jump = np.array([[-E, 0.0], [-(after + E * before) / (v / E), -E]])
            monodromy = jump @ self.flow
            return float(1.0 + np.trace(monodromy) + np.linalg.det(monodromy))

        return float(brentq(test, low, high, xtol=1e-14))


@pytest.fixture(scope="module")
def one_period() -> ss.cycles.Branch:
    m = impact_oscillator(-0.1)
    run = ss.simulate(m, 200.0, initial={"x.position": 1.0})
    return ss.cycles.follow(ss.cycles.periodic_orbit(m, run), "stop.gap", (-0.3, 0.3))


def test_flip_of_impact_orbit_matches_closed_form(one_period: ss.cycles.Branch) -> None:
    flip = next(one for one in one_period.bifurcations if one.name == "flip")
    assert flip.value == pytest.approx(OneImpact(1).flip(-0.1, 0.0), abs=1e-11)
    assert np.min(np.abs(flip.orbit.multipliers + 1.0)) < 1e-9


def test_impact_orbit_ends_in_grazing_orbit_without_impact(one_period: ss.cycles.Branch) -> None:
    """There the amplitude of the linear oscillator is the gap."""
    grazing = one_period.bifurcations[-1]
    assert grazing.name == "grazing" and grazing.elements == ("stop",)
    assert grazing.value == pytest.approx(OneImpact(1).reach, abs=2e-10)
    assert one_period.values[-1] == 0.3 and len(one_period[-1].events) == 0
    assert one_period[0].events.impact.sum() == 1


def test_determinant_of_monodromy_along_branch(one_period: ss.cycles.Branch) -> None:
    """e² exp(-c T), whatever the impact."""
    impacting = np.array([orbit.events.impact.any() for orbit in one_period])
    determinant = np.prod(one_period.multipliers, axis=1)[impacting]
    assert np.abs(determinant.real / (E**2 * math.exp(-C * 2.0 * math.pi / W)) - 1.0).max() < 1e-5


def test_multiplier_grows_as_inverse_of_distance_to_grazing(one_period: ss.cycles.Branch) -> None:
    """The speed of impact is proportional to the distance, and the multiplier to its inverse."""
    one_period = ss.cycles.follow(one_period[-len(one_period)], "stop.gap", (-0.3, 0.3), max_step=1e-3)
    distance = OneImpact(1).reach - one_period.values
    near = (distance > 1e-5) & (distance < 1e-2)
    slope = np.polyfit(np.log(distance[near]), np.log(np.abs(one_period.multipliers[near, 0])), 1)[0]
    assert near.sum() >= 3 and slope == pytest.approx(-1.0, abs=0.02)


@pytest.fixture(scope="module")
def two_periods() -> ss.cycles.Branch:
    m = impact_oscillator(0.4)
    near = {"x.position": -0.4, "x.velocity": 1.001 * OneImpact(2).speed(0.4)}
    phase = OneImpact(2).by_gap * 0.4 + OneImpact(2).by_speed * OneImpact(2).speed(0.4)
    start = (math.atan2(phase[1], phase[0]) % (2.0 * math.pi)) / W
    run = ss.simulate(m, (start, start + 12.0 * math.pi / W), initial=near)
    return ss.cycles.follow(ss.cycles.periodic_orbit(m, run), "stop.gap", (0.1, 0.9))


def test_branch_passes_fold_flip_and_grazing_at_closed_forms(two_periods: ss.cycles.Branch) -> None:
    """It turns at the fold, and again at the grazing, where the stable orbit without impact begins."""
    truth = OneImpact(2)
    assert [one.name for one in two_periods.bifurcations] == ["flip", "fold", "grazing"]
    flip, fold, grazing = (one.value for one in two_periods.bifurcations)
    assert flip == pytest.approx(truth.flip(0.2, 0.25), abs=1e-11)
    assert fold == pytest.approx(truth.fold(), abs=1e-12)
    assert grazing == pytest.approx(truth.reach, abs=2e-10)
    assert two_periods.values[-1] == 0.9 and two_periods.stable[-1]


def test_doubled_branch_begins_at_flip(two_periods: ss.cycles.Branch) -> None:
    doubled = two_periods.switch(two_periods.bifurcations[0])
    assert doubled.periods == pytest.approx(2.0 * two_periods.periods[0], rel=1e-13)
    assert doubled[0].events.impact.sum() == 2 and doubled[0].residual < 1e-10
    assert doubled.values[0] == pytest.approx(two_periods.bifurcations[0].value, abs=1e-3)
    assert doubled[3].stable and doubled.values[3] < two_periods.bifurcations[0].value


@pytest.mark.parametrize("restitution", [0.5, 0.8])
def test_bouncing_ball_has_saddle_node_and_flip_at_closed_forms(restitution: float) -> None:
    """One bounce a period: Γ = π(1-e)/(1+e), and Γ² = [π(1-e)/(1+e)]² + [2(1+e²)/(1+e)²]²; g = 1 and ω = 1."""
    e = restitution
    fold = math.pi * (1.0 - e) / (1.0 + e)
    flip = math.hypot(fold, 2.0 * (1.0 + e**2) / (1.0 + e) ** 2)
    gamma = 0.5 * (fold + flip)
    phase = math.acos(fold / gamma)
    m = ss.Machine(mass=1.0, names=["ball"])
    m.add_force("ball", -1.0)
    table = ss.Sine(amplitude=gamma, frequency=0.5 / math.pi)
    m.add_contact("table", normal={"ball": 1.0}, gap=-1.0 * table, restitution=e, impact="newton")
    top = {"ball.position": gamma * math.sin(phase) + 0.5 * math.pi**2, "ball.velocity": 0.0}
    start = phase + math.pi
    orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, (start, start + 6.0 * math.pi), initial=top))
    branch = ss.cycles.follow(orbit, "table.gap_scale", (0.9 * fold / gamma, 1.1 * flip / gamma))
    turn = next(k for k, one in enumerate(branch.bifurcations) if abs(one.value * gamma - fold) < 1e-3)
    first, second = branch.bifurcations[turn : turn + 2]
    assert (first.name, second.name) == ("fold", "flip")
    assert first.value * gamma == pytest.approx(fold, abs=1e-12)
    assert second.value * gamma == pytest.approx(flip, abs=1e-10)


def test_pair_of_multipliers_leaves_unit_circle_where_damping_vanishes() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.1, names=["x"])
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=0.7 / (2.0 * math.pi)))
    branch = ss.cycles.follow(ss.cycles.periodic_orbit(m), "x.damping", (-0.11, 0.2))
    (torus,) = branch.bifurcations
    assert torus.name == "torus" and torus.value == pytest.approx(0.0, abs=1e-12)
    angle = math.remainder(2.0 * math.pi / 0.7, 2.0 * math.pi)
    assert np.abs(np.angle(torus.orbit.multipliers)) == pytest.approx(abs(angle), abs=1e-9)


def test_simultaneous_impacts_change_their_order() -> None:
    """Two equal oscillators hit their stops at the same instant if the gaps are equal."""
    m = ss.Machine(mass=[1.0, 1.0], stiffness=[1.0, 1.0], damping=[C, C], names=["x", "y"])
    for name, gap in (("x", -0.1), ("y", -0.08)):
        m.add_force(name, ss.Sine(amplitude=1.0, frequency=W / (2.0 * math.pi)))
        m.add_contact(f"stop of {name}", normal={name: 1.0}, gap=gap, restitution=E)
    run = ss.simulate(m, 200.0, initial={"x.position": 1.0, "y.position": 1.0})
    orbit = ss.cycles.periodic_orbit(m, run)
    branch = ss.cycles.follow(orbit, "stop of y.gap", (-0.15, -0.07))
    order = [one for one in branch.bifurcations if one.name == "event order"]
    assert [one.value for one in order] == [pytest.approx(-0.1, abs=1e-9)]
    assert set(order[0].elements) == {"stop of x", "stop of y"}
