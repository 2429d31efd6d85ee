"""Leuven's law: its memory against closed forms, its limits against other laws, a machine against SciPy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

K, H, SPEED = 1000.0, 2.0, 1e-3
# Below half the level |q|^60 is less than 1e-18: dz/dt = v to the last bit, z is the displacement.
ELASTIC = ss.Leuven(stiffness=K, height=H, exponent=60.0, kinetic=1.2)


def virgin(x):
    return np.sign(x) * H * (1.0 - np.exp(-K * np.abs(x) / H))


def along(law, turns, samples=()):
    """The response from x = 0 to each turn at ±SPEED; after the last turn it is sampled where x is asked for."""
    t, v, x = [0.0], [], 0.0
    for turn in turns:
        t += [t[-1] + abs(turn - x) / SPEED] * 2
        v += [math.copysign(SPEED, turn - x)] * 2
        x = turn
    last = t[-3] if len(turns) > 1 else 0.0
    before = turns[-2] if len(turns) > 1 else 0.0
    times = [*t[:-1], *(last + abs(np.asarray(samples, float) - before) / SPEED)]
    times = np.unique(np.round(times, 15))
    return law.response(times, ss.Piecewise(t[:-1], v), rtol=1e-13)


def at_end(law, turns):
    run = along(law, turns)
    return run.force[-1], run["reversals"][-1]


def test_first_loading_follows_the_virgin_curve():
    run = along(ELASTIC, [6e-4], np.linspace(0.0, 6e-4, 13))
    np.testing.assert_allclose(run.force, virgin(run.t * SPEED), rtol=2e-13, atol=1e-15)


def test_a_closed_inner_loop_leaves_no_trace():
    without, none = at_end(ELASTIC, [6e-4])
    inner, left = at_end(ELASTIC, [4e-4, 1e-4, 6e-4])
    assert none == left == 0.0 and inner == pytest.approx(without, rel=1e-12)
    # on a curve that came from a reversal, with a loop within the loop
    without, one = at_end(ELASTIC, [6e-4, -4e-4])
    inner, left = at_end(ELASTIC, [6e-4, 0.0, 3e-4, 1e-4, 2e-4, -4e-4])
    assert one == left == 1.0 and inner == pytest.approx(without, rel=1e-12)
    assert without == pytest.approx(virgin(6e-4) - 2.0 * virgin(5e-4), rel=1e-12)


def test_open_inner_loop_changes_the_force():
    """On the way up within the loop, before it closes, the curve of its own lower reversal is followed."""
    force, open_ones = at_end(ELASTIC, [4e-4, 1e-4, 3e-4])
    low = virgin(4e-4) - 2.0 * virgin(1.5e-4)
    assert open_ones == 2.0 and force == pytest.approx(low + 2.0 * virgin(1e-4), rel=1e-12)


def test_a_larger_excursion_wipes_the_memory_out():
    nested = [3e-4, -2e-4, 2e-4, -1e-4, 1e-4]
    assert at_end(ELASTIC, nested)[1] == 4.0
    force, left = at_end(ELASTIC, [*nested, -5e-4])
    assert left == 0.0 and force == pytest.approx(virgin(-5e-4), rel=1e-12)


def test_major_loop_is_symmetric():
    """Down: f(A) - 2 f((A - x)/2), up: its mirror image; one period later the same."""
    a = 5e-4
    x = np.linspace(-a, a, 21)[1:-1]
    for turns in ([a, -a], [a, -a, a, -a]):
        run = along(ELASTIC, turns, x)
        tail = run.t > run.t[-1] - 2.0 * a / SPEED + 1e-12
        place = -a + (run.t[-1] - run.t[tail]) * SPEED
        np.testing.assert_allclose(run.force[tail], virgin(a) - 2.0 * virgin((a - place) / 2.0), atol=2e-12)


def test_full_memory_deletes_the_innermost_loop():
    """Fourteen reversals are kept. The way that a forgotten loop has taken is not given back (4.3e-4 N here)."""
    sizes = 5e-4 * 0.9 ** np.arange(18)
    spiral = list(sizes * (-1.0) ** np.arange(18))
    counts = [at_end(ELASTIC, spiral[: n + 1])[1] for n in range(18)]
    assert counts == [*range(14), 14, 13, 14, 13]
    outer = at_end(ELASTIC, spiral[:6])[0]
    for turns, reached in ((14, 1e-12), (18, 4.5e-4)):
        back = at_end(ELASTIC, [*spiral[:turns], spiral[5]])[0]
        assert back == pytest.approx(outer, abs=reached)
        force, left = at_end(ELASTIC, [*spiral[:turns], 6e-4])
        assert left == 0.0 and force == pytest.approx(virgin(6e-4), abs=reached)


LEVELS = {"static": 1.5, "kinetic": 1.0, "stribeck_velocity": 0.05}


@pytest.mark.parametrize("v", [-0.3, -0.02, 1e-3, 0.05])
def test_steady_sliding_is_the_stribeck_curve(v):
    law = ss.Leuven(stiffness=2000.0, height=2.0, damping=30.0, exponent=3.0, viscous=0.4, **LEVELS)
    run = law.response([0.0, 0.1 / abs(v)], v)
    level = 1.0 + 0.5 * math.exp(-((v / 0.05) ** 2))
    assert run.force[-1] == pytest.approx(math.copysign(level, v) + 0.4 * v, rel=1e-12)


def test_a_level_that_falls_below_the_last_reversal_is_followed():
    """The level passes the force at the last reversal, where the rate of 2000 has its pole."""
    law = ss.Leuven(stiffness=2000.0, height=2.0, exponent=2.0, **LEVELS)
    t = [0.0, 10.0, 10.0, 10.001, 10.001, 10.5, 11.5]
    v = [1e-3, 1e-3, -1e-3, -1e-3, 0.0, 0.4, 0.4]
    run = law.response(np.linspace(0.0, 11.5, 1151), ss.Piecewise(t, v))
    reversal = run.force[run.t <= 10.001][-1]
    assert reversal > 1.49 and run.force.max() < 1.5
    assert run.force[-1] == pytest.approx(1.0, rel=1e-12)


def test_lugre_is_the_limit_of_a_great_height():
    same = {"stiffness": 2000.0, "damping": 30.0, "viscous": 0.4, **LEVELS}
    t = np.linspace(0.0, 3.0, 61)
    motion = ss.Sine(0.01, frequency=1.0) + ss.Sine(0.006, frequency=3.1)
    lugre = ss.LuGre(**same).response(t, motion).force
    gaps = [
        np.max(np.abs(ss.Leuven(height=h, **same).response(t, motion).force - lugre)) for h in (1e4, 1e6, 1e8)
    ]
    assert gaps[0] < 2e-4 and gaps[1] == pytest.approx(gaps[0] / 100.0, rel=0.02) and gaps[2] < 2e-8


@pytest.mark.parametrize(
    "other",
    [
        ss.MaxwellSlip(stiffness=[500.0, 900.0], kinetic=0.5),
        ss.Leuven(stiffness=700.0, height=1.5, exponent=2.0, **{**LEVELS, "static": 1.2}),
    ],
    ids=lambda law: type(law).__name__,
)
def test_each_term_of_a_sum_keeps_its_own_memory(other):
    """Under a prescribed motion the forces of the terms add, whichever stands first."""
    law = ss.Leuven(stiffness=2000.0, height=2.0, damping=30.0, exponent=3.0, **LEVELS)
    motion = ss.Sine(0.004, frequency=1.0) + ss.Sine(0.006, frequency=3.1)
    t = np.linspace(0.0, 3.0, 61)
    apart = law.response(t, motion, rtol=1e-12).force + other.response(t, motion, rtol=1e-12).force
    for both in (law + other, other + law):
        np.testing.assert_allclose(both.response(t, motion, rtol=1e-12).force, apart, atol=1e-10)


def maxwell(n, reach):
    """n elements whose polygon has its corners on the virgin curve at equal distances."""
    x = reach * np.arange(n + 1) / n
    slope = np.append(np.diff(virgin(x)) / np.diff(x), 0.0)
    k = -np.diff(slope)
    height = float(k @ x[1:])
    return ss.MaxwellSlip(stiffness=k, share=k * x[1:] / height, kinetic=height)


def test_many_maxwell_elements_become_the_hysteresis():
    """A chord is off by f'' d²/8 at most, on a curve of Masing by twice that: four reversals add up to 9/8 at most."""
    turns = [6e-4, -3e-4, 2e-4, -1e-4, 5e-4]
    samples = np.linspace(-1e-4, 5e-4, 61)
    truth = along(ELASTIC, turns, samples).force
    gaps = []
    for n in (8, 16, 32):
        gaps.append(np.max(np.abs(along(maxwell(n, 6.5e-4), turns, samples).force - truth)))
        assert gaps[-1] < 9.0 / 8.0 * K**2 / H * (6.5e-4 / n) ** 2
    assert gaps[2] < gaps[0] / 8.0 and gaps[2] < 1e-4


class Pulled:
    """1 kg on 50 N/m, pulled; deflection z with reversal points (z, F), phase by phase with DOP853."""

    k, h, s1, n, viscous = 2000.0, 2.0, 30.0, 2.0, 0.4

    def __init__(self):
        self.points, self.side, self.most, self.closed = [], 1, 0, 0

    def curve(self, y):
        return math.copysign(self.h * -math.expm1(-self.k * abs(y) / self.h), y)

    def hysteresis(self, z):
        if not self.points:
            return self.curve(z)
        zm, fm = self.points[-1]
        return fm + 2.0 * self.curve((z - zm) / 2.0)

    def rhs(self, t, y):
        x, v, z = y
        fh = self.hysteresis(z)
        q = fh / (self.side * (1.0 + 0.5 * math.exp(-((v / 0.05) ** 2))))
        rate = v * (1.0 - math.copysign(abs(q) ** self.n, q))
        return [v, pull(t) - 50.0 * x - fh - self.s1 * rate - self.viscous * v, rate]

    def end_of_loop(self, z):
        if not self.points:
            return 1.0
        return self.side * ((self.points[-2][0] if len(self.points) > 1 else -self.points[0][0]) - z)

    def run(self, times):
        t, y, out = 0.0, np.zeros(3), [np.zeros(3)]

        def stops(t, y):
            return self.side * y[1]

        def closes(t, y):
            return self.end_of_loop(y[2])

        for event in (stops, closes):
            event.terminal, event.direction = True, -1
        for end in times[1:]:
            while t < end:
                got = solve_ivp(
                    self.rhs, (t, end), y, method="DOP853", rtol=1e-12, atol=1e-15,
                    events=[stops, closes], first_step=min(1e-5, end - t), max_step=2e-3,
                )  # fmt: skip
                t, y = got.t[-1], got.y[:, -1].copy()
                if len(got.t_events[0]):
                    y[1] = 0.0
                    self.points.append((y[2], self.hysteresis(y[2])))
                    self.side = -self.side
                    self.most = max(self.most, len(self.points))
                elif len(got.t_events[1]):
                    del self.points[-2:]
                    self.closed += 1
            out.append([y[0], y[1], self.hysteresis(y[2])])
        return np.array(out)


def pull(t):
    return 1.6 * math.sin(3.0 * t) + 1.1 * math.sin(11.0 * t)


def test_a_pulled_block_agrees_with_scipy():
    times = np.linspace(0.0, 5.0, 51)
    truth = Pulled()
    expected = truth.run(times)
    assert truth.most >= 3 and truth.closed >= 5
    law = ss.Leuven(stiffness=2000.0, height=2.0, damping=30.0, exponent=2.0, viscous=0.4, **LEVELS)
    two = ss.Sine(1.6, frequency=1.5 / math.pi) + ss.Sine(1.1, frequency=5.5 / math.pi)
    m = ss.Machine(mass=1.0, stiffness=50.0, names=["block"], force={"block": two})
    m.add_friction("guide", on="block", law=law)
    run = ss.simulate(m, 5.0, t_eval=times, rtol=1e-10)
    got = run.y[:3].T
    assert np.max(np.abs(got - expected) / np.abs(expected).max(axis=0)) < 1e-9
