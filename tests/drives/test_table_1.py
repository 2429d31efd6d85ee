"""Two-mass drive under a P-PI cascade, Table 1 of Krämer, Kempkes, against independent programs.

The stored results (tests/reference/two_mass.py) come from collocation with event location, checked by DOP853
and SUNDIALS to 1e-12; case a also from the matrix exponential.
"""

import numpy as np
import pytest
from published.drive import drive
from reference import store, two_mass
from truths.cascade_loop import cascade_poles

import stickslip as ss

STORED = store.load("two_mass")
STATES = ["motor.velocity", "load.velocity", "motor.position", "load.position"]


def law(case: str) -> ss.Law | None:
    kinetic, static = two_mass.CASES[case]
    return ss.Stribeck(static=static, kinetic=kinetic, stribeck_velocity=1e-3) if static else None


def worst_error(run: ss.Trajectory, start: float) -> float:
    """Largest |reference - load| from `start` on, on a fine grid."""
    t = np.linspace(start, 3.0, 60_001)
    fine = run.at(t)
    return float(np.abs(fine["control.reference"] - fine["load.position"]).max())


@pytest.mark.parametrize(
    ("case", "events", "late", "everywhere"),
    [("a", 0, 2.17e-6, 3.19e-6), ("b", 13, 3.13e-6, 4.74e-6), ("c", 39, 17.12e-6, 17.13e-6)],
)
def test_table_1_agrees_with_stored_results(case: str, events: int, late: float, everywhere: float) -> None:
    run = ss.simulate(drive(law(case)), t_end=3.0, rtol=1e-12)
    stored = STORED[case]
    assert run.success
    assert len(run.events) == events == len(stored["events"])
    assert [str(e.after) for e in run.events] == [mode for _, mode in stored["events"]]
    times = [e.time for e in run.events]
    assert times == pytest.approx([t for t, _ in stored["events"]], rel=0, abs=2e-13)
    at = run.at(np.arange(0.5, 3.01, 0.5))
    for i, name in enumerate(STATES):
        scale = np.abs(np.array(stored["samples"])[:, i]).max()
        assert at[name] == pytest.approx(np.array(stored["samples"])[:, i], rel=0, abs=1e-10 * scale)
    # A grid misses the very top of the error by its curvature: 1e-6 of it at 60 000 points.
    assert worst_error(run, 0.0) == pytest.approx(stored["worst"], rel=2e-6)
    assert worst_error(run, 1.0) == pytest.approx(stored["worst_late"], rel=2e-6)
    assert stored["worst_late"] == pytest.approx(late, rel=2e-3)
    assert stored["worst"] == pytest.approx(everywhere, rel=2e-3)
    if events:
        edges = [0.0, *times, 3.0]
        stuck = [True, *(e.after is ss.Mode.STICK for e in run.events)]
        share = sum(b - a for a, b, s in zip(edges, edges[1:], stuck, strict=False) if s) / 3.0
        assert share == pytest.approx(stored["stuck"], abs=1e-12)
    assert run.energy.residual < 1e-12


@pytest.mark.parametrize("case", ["b", "c"])
def test_default_tolerance_finds_the_events(case: str) -> None:
    run = ss.simulate(drive(law(case)), t_end=3.0)
    assert [e.time for e in run.events] == pytest.approx(
        [t for t, _ in STORED[case]["events"]], rel=0, abs=5e-9
    )


def test_frictionless_drive_is_the_matrix_exponential() -> None:
    t = np.linspace(0.05, 3.0, 60)
    run = ss.simulate(drive(law("a")), t_end=3.0, t_eval=t)
    exact = two_mass.exact_without_friction(t)
    for i, name in enumerate(STATES):
        assert run[name] == pytest.approx(exact[:, i], rel=0, abs=1e-11 * np.abs(exact[:, i]).max())
    assert set(run.method.values()) == {"exact"}
    assert run.energy.residual < 2e-13


def test_resonances_and_poles_match_closed_form() -> None:
    """sqrt(c/m_L) = 70.71 and sqrt(2c/m) = 100 rad/s; the poles from the closed loop put together by hand."""
    d = drive(law("a"))
    assert (d.antiresonance, d.resonance) == pytest.approx((70.71, 100.0), abs=3e-3)
    assert d.load_damping == pytest.approx(1341.64 / (2 * np.sqrt(5e6 * 1000.0)))
    poles = d.machine.poles()
    by_hand = cascade_poles(1000.0, 1000.0, 5e6, 1341.64, 8 / 60e-3, 700e3, 30e-3)
    assert np.sort_complex(poles) == pytest.approx(np.sort_complex(by_hand), rel=1e-11)


def test_map_over_load_and_speed_contains_table_1() -> None:
    """The stuck fraction grows from case a to case c with the normal load, as the source says."""

    def stuck(load: float, frequency: float) -> float:
        m = drive(law("c"), normal_load=load, frequency=frequency)
        run = ss.simulate(m, t_end=2.0 / frequency, dt=1e-3 / frequency, rtol=1e-7)
        return float(np.mean(run["load friction.mode"][1000:] == 0))

    over_load = [stuck(9810.0 * k, 0.5) for k in (0.01, 0.1, 0.3, 1.0)]
    assert over_load == sorted(over_load) and over_load[0] < 0.03 and over_load[-1] > 0.4
    over_speed = [stuck(9810.0, f) for f in (0.5, 2.0, 8.0)]
    assert over_speed == sorted(over_speed, reverse=True) and over_speed[-1] < 0.2
