"""Stuck fraction and error over normal load and speed, against programs and closed forms from outside."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import stickslip as ss
from stickslip.analysis import stuck_fraction_map
from stickslip_figures import servo_map

M, C, D = 1000.0, 5e6, 1341.64
KV, KP, TN = 8.0 / 0.06, 7e5, 0.03
AMPLITUDE, WEIGHT, VS = 50e-6, 9810.0, 1e-3
STATIC, KINETIC = 0.007, 0.006


def drive(load: float, frequency: float, kinetic: float = KINETIC) -> ss.machines.TwoMassDrive:
    law = ss.Stribeck(static=STATIC, kinetic=kinetic, stribeck_velocity=VS)
    return ss.machines.two_mass_drive(
        motor_mass=M,
        load_mass=M,
        stiffness=C,
        damping=D,
        load_friction=law,
        normal_load=load,
        control=ss.Cascade(kv=KV, kp=KP, tn=TN),
        reference=ss.Sine(amplitude=AMPLITUDE, frequency=frequency),
    )


def independent(load: float, frequency: float, error_from: float, t_end: float) -> tuple[float, float, int]:
    """Stuck fraction, worst error and stops by DOP853 with events, restarted at each of them."""
    omega = 2.0 * math.pi * frequency
    level = STATIC * load

    def reference(t):
        return AMPLITUDE * np.sin(omega * t)

    def coupling(y):
        return D * (y[0] - y[1]) + C * (y[2] - y[3])

    def rhs(t, y, sign):
        e = KV * (reference(t) - y[2]) - y[0]
        between = coupling(y)
        friction = sign * load * (KINETIC + (STATIC - KINETIC) * math.exp(-((y[1] / VS) ** 2)))
        pull = (between - friction) / M if sign else 0.0
        return [(KP * (e + y[4] / TN) - between) / M, pull, y[0], y[1], e]

    def stop(t, y, sign):
        return sign * y[1]

    def up(t, y, sign):
        return coupling(y) - level

    def down(t, y, sign):
        return -coupling(y) - level

    stop.terminal = up.terminal = down.terminal = True
    stop.direction, up.direction, down.direction = -1.0, 1.0, 1.0
    t, y, sign = 0.0, np.zeros(5), 0.0
    stuck, worst, stops = 0.0, 0.0, 1
    while t < t_end:
        step = solve_ivp(
            rhs,
            (t, t_end),
            y,
            "DOP853",
            args=(sign,),
            events=[stop] if sign else [up, down],
            rtol=1e-10,
            atol=1e-13,
            max_step=2e-3,
            first_step=min(1e-5, t_end - t),
            dense_output=True,
        )
        late = np.linspace(max(t, error_from), step.t[-1], 2000) if step.t[-1] > error_from else np.empty(0)
        if late.size:
            worst = max(worst, float(np.abs(reference(late) - step.sol(late)[3]).max()))
        stuck += step.t[-1] - t if sign == 0.0 else 0.0
        t, y = step.t[-1], step.y[:, -1].copy()
        if step.status != 1:
            break
        if sign == 0.0:
            sign = 1.0 if step.t_events[0].size else -1.0
        else:
            y[1] = 0.0
            between = coupling(y)
            sign = 0.0 if abs(between) <= level else math.copysign(1.0, between)
            stops += sign == 0.0
    return stuck / t_end, worst, stops


@pytest.mark.parametrize(("load", "frequency"), [(3000.0, 1.0), (9810.0, 2.0), (25000.0, 1.0)])
def test_map_points_agree_with_scipy(load: float, frequency: float) -> None:
    """DOP853 at 1e-10 with events; its own times of events are good to about 1e-10 of the run."""
    t_end, error_from = 1.5 / frequency, 0.5 / frequency
    found = stuck_fraction_map(drive, [load], [frequency], t_end=t_end, error_from=error_from, rtol=1e-10)
    fraction, worst, stops = independent(load, frequency, error_from, t_end)
    assert found.fraction[0, 0] == pytest.approx(fraction, abs=2e-8)
    assert found.error[0, 0] == pytest.approx(worst, rel=1e-6)  # 2000 samples per phase miss its top by this
    assert found.stops[0, 0] == stops
    assert 0.05 < fraction < 0.95


def test_fraction_and_error_of_slow_motion_match_closed_form() -> None:
    """Static = kinetic, ever slower: the load follows behind ± Fs/c, stuck at reversals, linearly in speed.

    Closed form: breaks away at A sin θ = Fs/c; after each reversal it waits until A (1 - cos θ) = 2 Fs/c.
    """
    ratio = STATIC * WEIGHT / (C * AMPLITUDE)
    back = math.acos(1.0 - 2.0 * ratio)
    limit = (math.asin(ratio) + 3.0 * back) / (3.0 * math.pi)
    frequencies = np.array([0.08, 0.02, 0.005])
    found = stuck_fraction_map(
        lambda load, f: drive(load, f, kinetic=STATIC),
        [WEIGHT],
        frequencies,
        t_end=1.5 / frequencies,
        error_from=0.5 / frequencies,
    )
    off = np.abs(found.fraction[:, 0] - limit)
    assert off[-1] < 5e-4 and np.all(off[1:] < 0.35 * off[:-1])
    miss = np.abs(found.error[:, 0] - ratio * AMPLITUDE)
    assert miss[-1] < 5e-8 and np.all(miss[1:] < 0.35 * miss[:-1])
    assert servo_map.backlash_fraction(ratio) == pytest.approx(limit, abs=1e-15)


@pytest.mark.parametrize("frequency", [0.1, 0.5, 3.0])
def test_load_sticks_permanently_above_the_coupling_force(frequency: float) -> None:
    """A load that is held sees c x_M + d v_M of the clamped loop (matrix exponential); less than Fs: no slip."""
    omega = 2.0 * math.pi * frequency
    a = np.zeros((5, 5))
    a[0] = [-(KP + D) / M, -(KP * KV + C) / M, KP / TN / M, KP * KV / M, 0.0]
    a[1, 0] = 1.0
    a[2] = [-1.0, -KV, 0.0, KV, 0.0]
    a[3, 4], a[4, 3] = omega, -omega
    step, n = expm(a * 1.5 / frequency / 20000), 20000
    x, greatest = np.array([0.0, 0.0, 0.0, 0.0, AMPLITUDE]), 0.0
    for _ in range(n):
        x = step @ x
        greatest = max(greatest, abs(C * x[1] + D * x[0]))
    limit = greatest / STATIC
    assert servo_map.held_force(frequency) == pytest.approx(greatest, rel=1e-7)
    found = stuck_fraction_map(drive, limit * np.array([0.9999, 1.0001]), [frequency], t_end=1.5 / frequency)
    assert found.fraction[0, 0] < 1.0 and found.stops[0, 0] > 1
    assert found.fraction[0, 1] == 1.0 and found.stops[0, 1] == 1
    assert found.error[0, 1] == pytest.approx(AMPLITUDE, rel=1e-14)


def test_error_is_continuous_between_cases_a_and_c() -> None:
    """The text: a continuous transition. Where a slip is born the stuck fraction rises like a square root."""
    loads = np.array([7794.0, 7795.0])
    for _ in range(4):
        grid = np.linspace(*loads, 9)
        found = stuck_fraction_map(drive, grid, [0.5], t_end=3.0, error_from=1.0, rtol=1e-10)
        steps = np.abs(np.diff(found.fraction[0]))
        worst = int(np.argmax(steps))
        loads = grid[worst : worst + 2]
    assert steps[worst] < 1e-4 and np.ptp(found.stops) <= 1
    assert np.abs(np.diff(found.error[0])).max() < 1e-12


def test_little_friction_reduces_the_error() -> None:
    """The text: a little friction damps the swing. So the error first falls, then rises."""
    found = stuck_fraction_map(
        lambda load, f: servo_map.drive(load, f), [0.0, 98.1, 981.0], [0.5], t_end=3.0, error_from=1.0
    )
    assert found.fraction[0, 0] == 0.0 and found.stops[0, 0] == 0
    assert found.error[0, 1] < 0.7 * found.error[0, 0] < found.error[0, 2]


def test_map_takes_any_machine_and_signal_names() -> None:
    """A block on a slow surface, dragged by a spring: stuck until the spring pulls hard enough."""

    def block(load: float, speed: float) -> ss.Machine:
        m = ss.Machine(mass=1.0, names=["block"], force={"block": ss.Ramp(slope=speed)})
        m.add_friction("floor", on="block", law=ss.Coulomb(static=1.0, kinetic=1.0), normal_load=load)
        m.add_controller(ss.P(kp=0.0), name="nothing", on="block", reference=ss.Constant(0.0))
        return m

    found = stuck_fraction_map(
        block, [1.0, 2.0, 8.0], [1.0, 2.0], t_end=[4.0, 3.0], element="floor", actual="block.position",
        reference="nothing.reference",
    )  # fmt: skip
    # It leaves at t = N/slope and then x = slope (t - N/slope)^3 / 6.
    loads, slopes, ends = np.array([1.0, 2.0, 8.0]), np.array([[1.0], [2.0]]), np.array([[4.0], [3.0]])
    leaves = np.minimum(loads / slopes, ends)
    assert found.fraction == pytest.approx(leaves / ends, abs=1e-13)
    assert found.error == pytest.approx(slopes * (ends - leaves) ** 3 / 6.0, abs=1e-12)
    assert found.complete and "6 normal" not in repr(found) and "3 normal loads and 2 speeds" in repr(found)


def test_a_run_that_ends_early_is_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a budget of 20 events case b (13) gets through and case c (39) does not."""
    monkeypatch.setattr("stickslip.analysis.stuck.simulate", functools.partial(ss.simulate, max_events=20))
    found = stuck_fraction_map(drive, [981.0, 9810.0], [0.5], t_end=3.0)
    assert np.isfinite(found.fraction[0, 0]) and found.stops[0, 0] == 7
    assert np.isnan(found.fraction[0, 1]) and np.isnan(found.error[0, 1]) and found.stops[0, 1] == -1
    assert not found.complete and "1 runs did not reach their ends" in repr(found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drive": 3}, "drive = 3 is not allowed: it must be a function"),
        ({"normal_load": [-1.0]}, "normal_load = -1.0 is not allowed: it must be >= 0"),
        ({"normal_load": 1.0}, "normal_load has the shape"),
        ({"speed": [0.0]}, "speed = 0.0 is not allowed: it must be > 0"),
        ({"speed": [np.nan]}, r"speed\[0\] = nan .*finite"),
        ({"t_end": 0.0}, "t_end = 0.0 is not allowed: it must be > 0"),
        ({"t_end": [1.0, 2.0]}, "t_end has the shape"),
        ({"error_from": 1.0}, "error_from = 1.0 is not allowed: it must be >= 0 and < t_end = 1"),
        ({"error_from": -1.0}, "error_from = -1.0 is not allowed"),
    ],
)
def test_bad_input_is_named(change: dict[str, object], message: str) -> None:
    given = {"drive": drive, "normal_load": [1.0], "speed": [1.0], "t_end": 1.0} | change
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        stuck_fraction_map(**given)  # type: ignore[arg-type]
