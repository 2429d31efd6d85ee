"""Branches of the cycles of a block on a belt: where they are born, turn and die."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import stickslip as ss


def belt(damping: float, law: ss.Law | None = None) -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=damping, names=["block"])
    m.add_friction("belt", on="block", law=law or ss.Coulomb(1.0, 0.6), surface_velocity=0.5)
    return m


@pytest.fixture(scope="module")
def dry() -> ss.cycles.Branch:
    return ss.cycles.follow(ss.cycles.periodic_orbit(belt(0.05)), "block.damping", (0.0, 0.2))


def test_stick_slip_cycle_dies_where_it_grazes(dry: ss.cycles.Branch) -> None:
    """Slip comes back to the velocity of the belt tangentially: extended precision, an independent program."""
    (death,) = dry.bifurcations
    assert death.name == "grazing" and death.elements == ("belt",)
    assert death.value == pytest.approx(0.0811638871355, abs=1e-12)
    assert dry.ends == ("end of the range, 0", "grazing of 'belt' at 0.0811638871; none was found beyond")
    assert death.orbit.stable and death.orbit.sticking == ("belt",)


def test_branch_begins_with_closed_form_of_undamped_cycle(dry: ss.cycles.Branch) -> None:
    period = 2.0 * 0.4 / 0.5 + 2.0 * (math.pi - math.atan(0.4 / 0.5))
    assert dry.values[0] == 0.0 and dry.periods[0] == pytest.approx(period, rel=1e-12)


def test_branch_is_sequence_of_orbits(dry: ss.cycles.Branch) -> None:
    assert len(dry) == dry.values.size == dry.periods.size == len(dry.multipliers) == len(list(dry))
    assert dry.stable.all() and np.all(dry.multipliers[:, 1] == 0.0)
    assert [orbit.period for orbit in dry[-2:]] == list(dry.periods[-2:])
    assert dry[-1].run["block.velocity"].max() == pytest.approx(0.5, abs=1e-12)
    assert dry[3] is dry[3] and dry.amplitudes("block.position")[3] == dry[3].amplitude("block.position")
    with pytest.raises(IndexError):
        dry[len(dry)]


FALLING = ss.Stribeck(1.0, 0.6, stribeck_velocity=0.3, shape=1.0)


@pytest.fixture(scope="module")
def falling() -> ss.cycles.Branch:
    m = belt(0.3, FALLING)
    start = {"block.position": FALLING.force(0.5), "block.velocity": 0.35}
    return ss.cycles.follow(ss.cycles.periodic_orbit(m, start, 2.0 * math.pi), "block.damping", (0.2, 0.5))


def test_slipping_cycle_begins_at_hopf_point_of_steady_sliding(falling: ss.cycles.Branch) -> None:
    """There the slope of the curve, -(Fs - Fk)/vs exp(-v/vs), cancels the damping."""
    hopf = falling.bifurcations[0]
    assert hopf.name == "Hopf"
    assert hopf.value == pytest.approx(0.4 / 0.3 * math.exp(-0.5 / 0.3), abs=1e-10)
    assert hopf.orbit.period == pytest.approx(2.0 * math.pi, rel=1e-4)


def tangential_damping() -> float:
    """Damping at which slip from break-away comes back to the velocity of the belt tangentially, by SciPy.

    Break-away at a damping d is at x = Fs - d v; the greatest velocity in slip thereafter is that of the belt.
    """

    def missing(d: float) -> float:
        def rates(t: float, y: np.ndarray) -> list[float]:
            x, v = y
            force = 0.6 + 0.4 * math.exp(-(0.5 - v) / 0.3)
            return [v, force - d * v - x]

        def turns(t: float, y: np.ndarray) -> float:
            return rates(t, y)[1]

        turns.direction = -1.0  # type: ignore[attr-defined]
        start = [1.0 - 0.5 * d + 1e-9, 0.5]  # just beyond break-away
        run = solve_ivp(rates, (0.0, 8.0), start, "DOP853", events=turns, rtol=1e-12, atol=1e-13)
        late = run.t_events[0] > 1.0
        return float(run.y_events[0][late][0][1]) - 0.5

    return float(brentq(missing, 0.3, 0.36, xtol=1e-13))


def test_slipping_cycle_becomes_stick_slip_cycle_where_it_grazes(falling: ss.cycles.Branch) -> None:
    """The branch turns there without a multiplier 1; the stable cycle beyond it sticks."""
    birth = falling.bifurcations[1]
    assert birth.name == "birth of stick" and birth.elements == ("belt",)
    assert birth.value == pytest.approx(0.348101, abs=5e-7)
    assert birth.value == pytest.approx(tangential_damping(), abs=1e-7)
    assert [one.name for one in falling.bifurcations] == ["Hopf", "birth of stick"]
    at = int(np.argmax(falling.values))
    assert not falling.stable[:at].any() and falling.stable[at + 2 :].all()
    assert falling[at // 2].sticking == () and falling[-1].sticking == ("belt",)
    assert falling.values[-1] == 0.2


def test_plot_marks_bifurcations_and_dashes_unstable_orbits(falling: ss.cycles.Branch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    ax = falling.plot("period")
    styles = [line.get_linestyle() for line in ax.lines[:2]]
    assert styles == ["--", "-"] and ax.get_xlabel() == "block.damping"
    assert [text.get_text() for text in ax.texts] == ["Hopf", "birth of stick"]
    with pytest.raises(KeyError, match="unknown signal"):
        falling.plot("block.posit")


def test_parameter_must_be_known() -> None:
    orbit = ss.cycles.periodic_orbit(belt(0.05))
    with pytest.raises(ValueError, match="unknown parameter 'belt.damping'"):
        ss.cycles.follow(orbit, "belt.damping", (0.0, 0.2))
    with pytest.raises(ValueError, match="do not depend on initial values"):
        ss.cycles.follow(orbit, "block.position", (-1.0, 1.0))


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ((0.1, 0.2), r"does not contain the orbit, whose machine has block.damping = 0.05"),
        ((0.2, 0.0), "span = .* is not allowed"),
        ((0.0, math.inf), "span = .* is not allowed"),
        (0.2, "span = 0.2 is not allowed"),
    ],
)
def test_span_must_hold_the_orbit(span: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ss.cycles.follow(ss.cycles.periodic_orbit(belt(0.05)), "block.damping", span)  # type: ignore[arg-type]


def test_value_that_the_machine_refuses_is_named() -> None:
    with pytest.raises(ValueError, match=r"span = \(-1, 2\) is not allowed: block.mass = -1: "):
        ss.cycles.follow(ss.cycles.periodic_orbit(belt(0.05)), "block.mass", (-1.0, 2.0))


def test_budget_of_orbits_is_said() -> None:
    orbit = ss.cycles.periodic_orbit(belt(0.05))
    branch = ss.cycles.follow(orbit, "block.damping", (0.0, 0.2), max_points=3)
    assert len(branch) == 7 and branch.ends == ("max_points = 3 orbits", "max_points = 3 orbits")


def test_only_bifurcations_of_the_branch_with_other_branches_are_switched(dry: ss.cycles.Branch) -> None:
    with pytest.raises(ValueError, match="a flip or a branch point"):
        dry.switch(dry.bifurcations[0])
    with pytest.raises(ValueError, match="one of branch.bifurcations"):
        dry.switch("flip")  # type: ignore[arg-type]
