"""The experiments of Canudas de Wit, Olsson, Åström, Lischinsky, IEEE TAC 40 (1995) 419-425, in machines.

s0 = 1e5, s1 = sqrt(1e5), s2 = 0.4, Fc = 1, Fs = 1.5, vs = 0.001, 1 kg.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

S0, S1, FC, FS, VS = 1e5, math.sqrt(1e5), 1.0, 1.5, 1e-3


def law(**other):
    given = {
        "stiffness": S0,
        "damping": S1,
        "viscous": 0.4,
        "static": FS,
        "kinetic": FC,
        "stribeck_velocity": VS,
    }
    return ss.LuGre(**{**given, **other})


def slide(force, **other):
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": force})
    m.add_friction("guide", on="slide", law=law(**other))
    return m


def pull(friction, name="block"):
    """A block on a spring of 2 N/m whose end moves at 0.1 m/s."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=[name], force={name: ss.Ramp(slope=0.2)})
    m.add_friction("floor", on=name, law=friction)
    return m


@pytest.fixture(scope="module")
def run():
    half = TestPresliding.HALF
    force = ss.Piecewise([0.0, half, 2 * half], [0.0, TestPresliding.TOP, 0.0])
    return ss.simulate(slide(force), 2 * half, dt=0.05, rtol=1e-10)


class TestPresliding:
    """Force ramped to 0.95 Fs within 100 s, quasi-statically, and back to zero."""

    TOP, HALF = 0.95 * FS, 100.0

    def test_loading_and_unloading_match_closed_form(self, run):
        """dx/dF = 1/(s0 (1 - F/Fs)) going up, 1/(s0 (1 + F/Fs)) coming back, from v -> 0 in z' (g = Fs/s0).

        The pace of 0.01425 N/s leaves v/vs below 3e-3; damping of the bristle moves x by less than 1e-3.
        """
        f = run["guide.force"]
        x = run["slide.position"]
        up = run.t <= self.HALF
        expected = -FS / S0 * np.log1p(-f[up] / FS)
        np.testing.assert_allclose(x[up], expected, atol=1e-3 * x.max())
        back = x[up][-1] - FS / S0 * (math.log1p(self.TOP / FS) - np.log1p(f[~up] / FS))
        np.testing.assert_allclose(x[~up], back, atol=1e-3 * x.max())

    def test_presliding_slopes_match_closed_form(self, run):
        """1/s0 well below Fs; on unloading from 0.95 Fs it begins with 1/(1.95 s0)."""
        x, f = run["slide.position"], run["guide.force"]
        start = (f[20] - f[2]) / (x[20] - x[2])
        assert start == pytest.approx(S0 * (1.0 - 0.5 * (f[20] + f[2]) / FS), rel=2e-3)
        top = np.argmax(f)
        end = (f[top + 1] - f[top + 21]) / (x[top + 1] - x[top + 21])
        assert end == pytest.approx(S0 * (1.0 + 0.5 * (f[top + 1] + f[top + 21]) / FS), rel=2e-3)
        assert end == pytest.approx(1.95 * S0, rel=1e-2)

    def test_residual_displacement_and_work_match_closed_form(self, run):
        """x(0) = Fs/s0 (ln 20 - ln 1.95) stays; the area is the work that friction took."""
        x, f = run["slide.position"], run["guide.force"]
        assert x[-1] == pytest.approx(FS / S0 * (math.log(20.0) - math.log(1.95)), rel=1e-3)
        area = np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(x))
        up = FS * FS / S0 * (math.log(20.0) - 0.95)  # integral of F dx, with F from 0 to 0.95 Fs
        down = FS * FS / S0 * (0.95 - math.log(1.95))
        assert area == pytest.approx(up - down, rel=2e-3)


@pytest.mark.parametrize("name", ["machine", "response"])
def test_hysteresis_in_velocity_widens_with_frequency(name):
    """v = 0.001 (sin wt + 1): less force on decreasing speed, and loops that widen with w.

    The third period of each, against z' solved by SciPy (Radau, 1e-10). In the machine a
    block of 1e13 kg stands on a surface that moves with -v.
    """
    widths = []
    for w in (1.0, 10.0, 25.0):
        period = 2 * np.pi / w
        t = np.linspace(2 * period, 3 * period, 201)

        def rate(s, z, w=w):
            v = 1e-3 * (math.sin(w * s) + 1.0)
            g = (FC + (FS - FC) * math.exp(-((v / VS) ** 2))) / S0
            return v - v / g * z

        z = solve_ivp(rate, (0.0, t[-1]), [0.0], t_eval=t, method="Radau", rtol=1e-10, atol=1e-17).y[0]
        v = 1e-3 * (np.sin(w * t) + 1.0)
        g = (FC + (FS - FC) * np.exp(-((v / VS) ** 2))) / S0
        expected = S0 * z + S1 * (v - v / g * z) + 0.4 * v
        velocity = 1e-3 + ss.Sine(1e-3, frequency=w / (2 * np.pi))
        if name == "machine":
            m = ss.Machine(mass=1e13, names=["block"])
            m.add_friction("floor", on="block", law=law(), surface_velocity=-1.0 * velocity)
            run = ss.simulate(m, t[-1], t_eval=np.minimum(t, t[-1]), rtol=1e-10)
            force = run["floor.force"]
        else:
            force = law().response(np.concatenate([[0.0], t]), velocity).force[1:]
        np.testing.assert_allclose(force, expected, atol=2e-7)
        # Widest vertical opening of the loop, at equal speeds on the way up and down.
        half = (len(t) - 1) // 4  # t[0]: wt = 4 pi, rising
        rising = np.concatenate([force[3 * half :], force[:half]])
        falling = force[half : 3 * half + 1][::-1][: len(rising)]
        opening = (rising - falling)[5:-5]
        assert np.all(opening[20:-20] > 0.0)
        widths.append(opening.max())
    assert widths[0] < widths[1] < widths[2]


def test_break_away_force_falls_with_the_rate():
    """Ramps of 1 ... 50 N/s from rest; break-away is the greatest friction force.

    Truth: SciPy's Radau at 1e-10, the greatest of its dense output.
    """
    peaks = []
    for slope in (1.0, 2.0, 5.0, 10.0, 20.0, 50.0):
        t = np.linspace(0.0, 2.5 / slope, 4001)
        run = ss.simulate(slide(ss.Ramp(slope=slope)), t[-1], t_eval=t, rtol=1e-9)

        def rhs(s, y, slope=slope):
            g = (FC + (FS - FC) * math.exp(-((y[1] / VS) ** 2))) / S0
            rate = y[1] - abs(y[1]) / g * y[2]
            return [y[1], slope * s - S0 * y[2] - S1 * rate - 0.4 * y[1], rate]

        y = solve_ivp(rhs, (0.0, t[-1]), [0.0] * 3, method="Radau", rtol=1e-9, atol=1e-14, t_eval=t).y
        g = (FC + (FS - FC) * np.exp(-((y[1] / VS) ** 2))) / S0
        force = S0 * y[2] + S1 * (y[1] - np.abs(y[1]) / g * y[2]) + 0.4 * y[1]
        early = y[1] < 0.1  # before viscous friction takes over
        peaks.append(run["guide.force"][early].max())
        assert peaks[-1] == pytest.approx(force[early].max(), rel=1e-6)
    assert np.all(np.diff(peaks) < 0.0)
    assert 1.0 < peaks[-1] < peaks[0] < FS


REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "lugre_pull.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("rtol", "error"),
    [(1e-4, 5e-4), (1e-5, 2e-4), (1e-6, 2e-6), (1e-7, 6e-7), (1e-8, 1e-8), (1e-9, 3e-10), (1e-10, 3e-11)],
)
def test_stick_slip_follows_the_tolerance(rtol, error):
    """Positions at 10, 20, 30, 40 s; the reference holds three independent solvers that agree to 5e-10."""
    run = ss.simulate(pull(law()), 40.0, t_eval=REFERENCE["t"], rtol=rtol)
    assert np.abs(run["block.position"] - np.array(REFERENCE["states"])[:, 0]).max() < error


def test_stick_slip_agrees_with_independent_solution():
    """Position, velocity, bristle; velocities count 20 reversals, none of them an event."""
    run = ss.simulate(pull(law()), 40.0, t_eval=REFERENCE["t"], rtol=1e-10)
    np.testing.assert_allclose(run.y.T, REFERENCE["states"], rtol=2e-7, atol=1e-13)
    assert len(run.events) == 0
    dense = run.at(np.linspace(0.0, 40.0, 400_001))
    assert np.count_nonzero(np.diff(np.sign(dense["block.velocity"][1:])) != 0) == len(REFERENCE["reversals"])


def test_methods_agree():
    """The explicit pair, limited by stability to 1/(s0 v), the stiff method and the automatic choice."""
    runs = [
        ss.simulate(pull(law()), 10.4, t_eval=[5.0, 10.0, 10.4], rtol=1e-9, method=m)
        for m in ("auto", "explicit", "stiff")
    ]
    assert runs[0].method == {"floor slip+": "stiff", "floor slip-": "stiff"}
    for run in runs[1:]:
        np.testing.assert_allclose(run.y, runs[0].y, rtol=1e-7, atol=1e-10)


def test_stiff_bristles_converge_to_the_rigid_law():
    """As s0 grows, with s1 = 2 zeta sqrt(s0 m), zeta = 1/2, the motion tends to that of the set-valued curve.

    Greatest difference in position around the first slip (break-away at 7.5 s). Measured: 2.3e-2 m at 1e5,
    7.4e-5 m at 1e9; it falls like s0^-0.77 while the time to deflect prevails (Fs/s0 at speeds below vs),
    and like s0^-1/2, the period of the bristle, from 1e7 on.
    """
    curve = ss.Stribeck(static=FS, kinetic=FC, stribeck_velocity=VS, shape=2.0, viscous=0.4)
    t = np.array([7.0, 7.5, 8.0, 9.0, 10.0, 11.0])
    rigid = ss.simulate(pull(curve), t[-1], t_eval=t, rtol=1e-11)
    assert rigid.events[0].time == pytest.approx(7.5, rel=1e-12)
    stiffness = np.geomspace(1e5, 1e9, 9)
    error = []
    for s0 in stiffness:
        run = ss.simulate(pull(law(stiffness=s0, damping=math.sqrt(s0))), t[-1], t_eval=t, rtol=1e-9)
        error.append(np.abs(run["block.position"] - rigid["block.position"]).max())
    rates = -np.diff(np.log(error)) / np.diff(np.log(stiffness))
    assert np.all((rates[:3] > 0.7) & (rates[:3] < 0.85))
    assert np.all((rates[4:] > 0.48) & (rates[4:] < 0.6))
    assert error[-1] < 1e-4


@pytest.mark.parametrize("v", [1e-4, 1e-3, 5e-3, 0.1, -2e-3])
def test_steady_sliding_is_the_curve(v):
    """A block of 1 kg held by a stiff spring and damper on a moving surface: F settles on the curve."""
    laws = [
        law(),
        law(normalised=True),
        ss.Dahl(stiffness=S0, kinetic=FC),
        ss.BoucWen(stiffness=S0, kinetic=FC, exponent=2.0, beta=0.8),
        ss.TwoStateBristle(
            stiffness=S0, damping=S1, viscous=0.4, static=FS, kinetic=FC, stribeck_velocity=VS
        ),
        ss.ElastoPlastic(
            stiffness=S0,
            damping=S1,
            elastic_limit=5e-6,
            viscous=0.4,
            static=FS,
            kinetic=FC,
            stribeck_velocity=VS,
        ),
        ss.MaxwellSlip(
            stiffness=(5e4, 3e4, 2e4),
            attraction=50.0,
            static=FS,
            kinetic=FC,
            stribeck_velocity=VS,
            viscous=0.4,
        ),
    ]
    for friction in laws:
        m = ss.Machine(mass=1.0, stiffness=1e4, damping=2000.0, names=["block"])
        m.add_friction("f", on="block", law=friction, surface_velocity=-v)
        run = ss.simulate(m, 60.0, t_eval=[60.0], rtol=1e-10, initial={"block.velocity": 0.0})
        assert run["f.force"][0] == pytest.approx(friction.force(v), rel=1e-10), friction
