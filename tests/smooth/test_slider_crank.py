"""A slider-crank with clearance between slider and guide (Flores, Leine and Glocker 2010, whose parameters these are)."""

import functools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

sympy = pytest.importorskip("sympy")
mechanics = pytest.importorskip("sympy.physics.mechanics")

CRANK, ROD = 0.153, 0.306  # m
HALF_LENGTH, HALF_HEIGHT, CLEARANCE = 0.05, 0.025, 0.001
MASSES, INERTIAS = (0.038, 0.038, 0.076), (7.4e-5, 5.9e-4, 2.7e-6)
G = 9.81


@functools.cache
def slider_crank(restitution=0.4):
    angles = mechanics.dynamicsymbols("crank rod slider")
    rates = [a.diff() for a in angles]
    t = mechanics.dynamicsymbols._t
    crank, rod, _ = angles
    end = sympy.Matrix([CRANK * sympy.cos(crank), CRANK * sympy.sin(crank)])
    along = sympy.Matrix([ROD * sympy.cos(rod), ROD * sympy.sin(rod)])
    centres = (end / 2, end + along / 2, end + along)
    kinetic = sum(m / 2 * r.diff(t).dot(r.diff(t)) for m, r in zip(MASSES, centres, strict=True))
    kinetic += sum(j / 2 * w**2 for j, w in zip(INERTIAS, rates, strict=True))
    potential = G * sum(m * r[1] for m, r in zip(MASSES, centres, strict=True))
    lagrange = mechanics.LagrangesMethod(sympy.expand(kinetic - potential), angles)
    lagrange.form_lagranges_equations()
    names = {a: f"{a.name}.position" for a in angles} | {
        r: f"{a.name}.velocity" for a, r in zip(angles, rates, strict=True)
    }
    mass = np.array(
        [[ss.from_sympy(lagrange.mass_matrix[i, j], names) for j in range(3)] for i in range(3)], dtype=object
    )
    m = ss.Machine(mass=mass, names=[a.name for a in angles])
    for k, name in enumerate(m.names):
        m.add_force(name, ss.from_sympy(lagrange.forcing[k], names))
    corners = {"c1": (-1, 1), "c2": (1, 1), "c3": (-1, -1), "c4": (1, -1)}  # along and across the guide
    for name, (x, y) in corners.items():

        def gap(q, x=x, y=y):
            centre = CRANK * ss.sin(q["crank"]) + ROD * ss.sin(q["rod"])
            corner = x * HALF_LENGTH * ss.sin(q["slider"]) + y * HALF_HEIGHT * ss.cos(q["slider"])
            return HALF_HEIGHT + CLEARANCE - y * (centre + corner)

        def sliding(q, x=x, y=y):
            return {
                "crank": -CRANK * ss.sin(q["crank"]),
                "rod": -ROD * ss.sin(q["rod"]),
                "slider": -x * HALF_LENGTH * ss.sin(q["slider"]) - y * HALF_HEIGHT * ss.cos(q["slider"]),
            }

        m.add_contact(name, gap=gap, tangent=sliding, friction=0.01, restitution=restitution, impact="newton")
    return m


START = {"crank.velocity": 150.0, "rod.velocity": -75.0}


@pytest.mark.parametrize("rtol", [1e-7, 1e-8, 1e-9, 1e-10])
def test_first_turns_agree_with_published_sequence(rtol):
    """Both corners of one side lift off together four times a turn, at instants known to rounding."""
    run = ss.simulate(slider_crank(), 0.1, rtol=rtol, initial=START)
    assert run.success
    first = [e for e in run.events if e.impact]
    assert [e.element for e in first[:2]] == ["c1", "c2"]  # upper left, with the corner beside it
    assert run.energy.residual < 1e-7
    gaps = np.array([run[f"c{k}.gap"] for k in range(1, 5)])
    assert gaps.min() > -1e-11
    assert gaps.max() < 2.0 * CLEARANCE + 2.0 * HALF_LENGTH  # it stays in its guide


def test_events_do_not_depend_on_the_tolerance():
    runs = [ss.simulate(slider_crank(), 0.008, rtol=rtol, initial=START) for rtol in (1e-8, 1e-11)]
    names = [[(e.element, str(e.after)) for e in run.events] for run in runs]
    assert names[0] == names[1]
    times = [np.array([e.time for e in run.events]) for run in runs]
    assert times[0] == pytest.approx(times[1], abs=1e-9)


def test_time_stepping_gives_the_same_sequence():
    """One and a half turns by Moreau's scheme agree with the run by events.

    The first impacts come in the same order, each up to a step late, and later ones inherit this; the error falls with
    the step. Two things differ at any step: the infinitely many rebounds before the slider rests on its guide are
    finite in number, and while it rests, the turn of the rows in each step makes a velocity of the order of the step,
    which restitution reverses, so that contacts open and close again.
    """
    t_end, steps = 0.04, np.array([1e-5, 5e-6, 2.5e-6, 1.25e-6])
    truth = ss.simulate(slider_crank(), t_end, rtol=1e-10, initial=START, dt=1e-4)
    impacts = [(e.element, e.time) for e in truth.events if e.impact][:12]  # six of both upper corners
    rest = next(e.time for e in truth.events if e.after.name.startswith("SLIP"))
    lift = next(e.time for e in truth.events if e.time > rest and e.after == ss.Mode.OPEN)
    late, apart, below = [], [], []
    for h in steps:
        run = ss.simulate(slider_crank(), t_end, method="time_stepping", max_step=h, initial=START, dt=1e-4)
        opened = [(e.element, e.time) for e in run.events if e.after == ss.Mode.OPEN][:12]
        assert [name for name, _ in opened] == [name for name, _ in impacts]
        late.append(max(abs(a[1] - b[1]) for a, b in zip(opened, impacts, strict=True)))
        apart.append(np.abs(run["crank.position"] - truth["crank.position"]).max())
        below.append(min(run[f"c{k}.gap"].min() for k in range(1, 5)))
        resting = [e for e in run.events if rest + 1e-3 < e.time < lift - 1e-3]
        assert len(resting) > 50  # the run by events has none
    assert not [e for e in truth.events if rest < e.time < lift]
    orders = [math.log2(e[0] / e[-1]) / 3.0 for e in (late, apart, np.abs(below))]
    assert orders == pytest.approx([1.0, 1.0, 1.0], abs=0.1)
    assert late[-1] < 4e-5 and apart[-1] < 6e-4 and below[-1] > -8e-7


def test_first_impact_agrees_with_scipy():
    """Crank and rod move freely until the slider's upper corners reach the guide: equations by hand, in SciPy. There
    Newton's law turns the velocity of the slider across the guide round.
    """
    m1, m2, m3 = MASSES
    j1, j2, _ = INERTIAS
    joint = (m2 / 2 + m3) * CRANK * ROD

    def rates(_t, y):
        crank, rod, w1, w2 = y
        both, across = joint * np.cos(crank - rod), joint * np.sin(crank - rod)
        mass = [
            [m1 * CRANK**2 / 4 + j1 + (m2 + m3) * CRANK**2, both],
            [both, m2 * ROD**2 / 4 + j2 + m3 * ROD**2],
        ]
        force = [
            -across * w2**2 - G * (m1 / 2 + m2 + m3) * CRANK * np.cos(crank),
            across * w1**2 - G * (m2 / 2 + m3) * ROD * np.cos(rod),
        ]
        return [w1, w2, *np.linalg.solve(mass, force)]

    def contact(_t, y):
        return CLEARANCE - CRANK * np.sin(y[0]) - ROD * np.sin(y[1])

    contact.terminal = True
    start = [0.0, 0.0, START["crank.velocity"], START["rod.velocity"]]
    truth = solve_ivp(rates, (0.0, 0.01), start, method="DOP853", rtol=1e-12, atol=1e-13, events=contact)
    crank, rod, w1, w2 = truth.y_events[0][0]
    run = ss.simulate(slider_crank(), 0.004, rtol=1e-11, initial=START)
    assert run.events[0].time == pytest.approx(truth.t_events[0][0], abs=1e-12)
    after = run.at([run.events[0].time])
    across = CRANK * np.cos(crank) * after["crank.velocity"][0] + ROD * np.cos(rod) * after["rod.velocity"][0]
    before = CRANK * np.cos(crank) * w1 + ROD * np.cos(rod) * w2
    assert across == pytest.approx(-0.4 * before, rel=1e-9)
