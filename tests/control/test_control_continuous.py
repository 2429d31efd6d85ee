"""Continuous blocks: linear part against python-control and SciPy, limits against solutions by hand."""

import control as ct
import numpy as np
import pytest
from reference.hybrid import FREE, Loop
from scipy import signal
from scipy.integrate import solve_ivp

from stickslip import _core
from stickslip.control.controllers import LTI, PI, PID, Cascade, P

S = _core.control.Saturation


def transfer(controller, s):
    """Frequency response from every input to the output."""
    A, B, C, D, _ = controller.matrices
    return np.array([C @ np.linalg.solve(x * np.eye(len(A)) - A, B) + D for x in s])[:, 0, :]


s = 1j * np.logspace(-2, 4, 25)


@pytest.mark.parametrize(
    ("controller", "expected"),
    [
        (P(2.0, feedforward=0.3), {"reference": 2.0, "measurement": -2.0, "reference.rate": 0.3}),
        (P(2.0, controls="rate"), {"reference": 2.0, "measurement.rate": -2.0}),
        (
            PI(2.0, tn=0.1, feedforward=4.0),
            {
                "reference": 2 * (1 + 1 / (0.1 * s)),
                "measurement": -2 * (1 + 1 / (0.1 * s)),
                "reference.rate": 4.0,
            },
        ),
        (PID(3.0, 4.0, 6.0), {"reference": 3 + 4 / s, "measurement": -3 - 4 / s, "measurement.rate": -6.0}),
        (
            PID(3.0, 4.0, 6.0, tf=0.01, derivative_of="error"),
            {
                "reference": 3 + 4 / s,
                "measurement": -3 - 4 / s,
                "measurement.rate": -6 / (1 + 0.01 * s),
                "reference.rate": 6 / (1 + 0.01 * s),
            },
        ),
        (
            PID(3.0, kd=6.0, derivative_of="error"),
            {"reference": 3.0, "measurement": -3.0, "measurement.rate": -6.0, "reference.rate": 6.0},
        ),
        (PID(3.0), {"reference": 3.0, "measurement": -3.0}),
        (
            Cascade(5.0, 70.0, tn=0.03, velocity_feedforward=0.9, force_feedforward=2.0),
            {
                "reference": 5 * 70 * (1 + 1 / (0.03 * s)),
                "measurement": -5 * 70 * (1 + 1 / (0.03 * s)),
                "measurement1.rate": -70 * (1 + 1 / (0.03 * s)),
                "reference.rate": 0.9 * 70 * (1 + 1 / (0.03 * s)),
                "reference.acceleration": 2.0,
            },
        ),
        (
            LTI(A=[[-1.0, 2.0], [0.0, -3.0]], B=[1.0, 1.0], C=[1.0, -1.0], D=0.5),
            {"reference": s * 0 + 0.5 + 1 / (s + 1) + 2 / ((s + 1) * (s + 3)) - 1 / (s + 3)},
        ),
    ],
    ids=repr,
)
def test_frequency_response_equals_the_control_law(controller, expected):
    """Written down from the formulas in the docstrings."""
    if isinstance(controller, LTI):
        expected["measurement"] = -expected["reference"]
    names = controller.matrices.inputs
    assert sorted(names) == sorted(expected)
    response = transfer(controller, s)
    for i, name in enumerate(names):
        np.testing.assert_allclose(response[:, i], expected[name] * np.ones_like(s), rtol=1e-13, err_msg=name)


def test_step_response_agrees_with_scipy():
    """PI and filtered PD on a unit error, scipy.signal.step of the transfer function."""
    t = np.linspace(0.0, 2.0, 41)
    block = PI(2.0, tn=0.25).compiled.block()
    _, y = signal.step(signal.TransferFunction([0.5, 2.0], [0.25, 0.0]), T=t)
    _, _, got = Loop(block, lambda s, x, v: (np.array([1.0, 0.0]), np.zeros(2))).run(
        0, 2.0, [], [0.0], t_eval=t
    )
    np.testing.assert_allclose(got[:, -1], y, atol=1e-11)

    # A ramp of y, since the derivative reads its rate: u = -3 t - 6 (1 - exp(-t / tf)).
    block = PID(3.0, kd=6.0, tf=0.2).compiled.block()
    _, y, _ = signal.lsim(signal.TransferFunction([3 * 0.2 + 6, 3], [0.2, 1]), -t, t)
    ramp = lambda s, x, v: (np.array([0.0, s, 1.0]), np.array([0.0, 1.0, 0.0]))  # noqa: E731
    _, _, got = Loop(block, ramp).run(0, 2.0, [], [0.0], t_eval=t)
    np.testing.assert_allclose(got[:, -1], y, atol=1e-11)
    np.testing.assert_allclose(y, -3 * t - 6 * (1 - np.exp(-t / 0.2)), atol=1e-12)


@pytest.mark.parametrize("side", ["motor", "load"])
def test_cascade_closes_the_two_mass_drive(side):
    """Closed-loop poles of Table 1 against python-control's own interconnection of transfer functions.

    Drive of Krämer, Kempkes, table 1; kv = 8 (m/min)/mm.
    """
    m, c, d, kv, kp, tn = 1000.0, 5e6, 1341.64, 8 / 60e-3, 700e3, 30e-3
    F = np.array([[-d, d, -c, c], [d, -d, c, -c], [m, 0, 0, 0], [0, m, 0, 0]]) / m
    G = np.array([1 / m, 0, 0, 0])
    block = Cascade(kv, kp, tn=tn, position=side).compiled.block()
    assert block.inputs == ["reference", "measurement", "measurement1.rate"]
    W = np.zeros((3, 4))
    W[1, 2 if side == "motor" else 3] = 1.0
    W[2, 0] = 1.0
    a = block.affine([FREE])
    closed = np.block([[F + np.outer(G, a.D @ W), np.outer(G, a.C)], [a.B @ W, a.A]])
    ours = np.linalg.eigvals(closed)

    q = ct.tf([1, 0], [1])
    two = m * q * q + d * q + c
    delta = two * two - (d * q + c) * (d * q + c)
    x_m, x_l = two / delta, (d * q + c) / delta
    pi = kp * (1 + 1 / (tn * q))
    position = x_m if side == "motor" else x_l
    characteristic = ct.minreal(1 + pi * (q * x_m + kv * position), verbose=False)
    theirs = ct.zeros(characteristic)
    assert len(theirs) == 5
    for pole in theirs:
        assert np.min(np.abs(ours - pole)) < 1e-6 * np.abs(pole)
    if side == "motor":
        assert ours.real.max() < 0


def test_lti_converts_systems_of_other_packages_both_ways():
    lead = ct.ss(ct.tf([50, 500], [1, 50]))
    for system in (lead, signal.StateSpace(lead.A, lead.B, lead.C, lead.D)):
        assert LTI.from_system(system).matrices.inputs == ("reference", "measurement")
        response = transfer(LTI.from_system(system), s)
        np.testing.assert_allclose(response[:, 0], (50 * s + 500) / (s + 50), rtol=1e-12)
        np.testing.assert_allclose(response[:, 1], -(50 * s + 500) / (s + 50), rtol=1e-12)
    both = LTI(A=-1.0, B=[[1.0, 2.0, 3.0]], C=1.0, inputs="both", references=1)
    assert both.matrices.inputs == ("reference", "measurement", "measurement1")
    np.testing.assert_array_equal(both.matrices.B, [[1.0, 2.0, 3.0]])
    assert LTI([], [], [], [[1.0, 2.0], [3.0, 4.0]]).matrices.D.shape == (2, 4)


# --- limits ---


def constant_error(e):
    return lambda s, x, v: (np.array([e, 0.0]), np.zeros(2))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_back_calculation_matches_hand_calculation(sign):
    """e = 1 until t = 3, then -1; kp = 1, tn = 1, limit 2, tracking time 0.5.

    Free: i = t, on the limit at t = 1 with i = 1. Then i' = 1 + (2 - 1 - i)/0.5, so i = 1.5 - 0.5 exp(-2 (t -
    1)). At t = 3 the raw output falls from 1 + i to i - 1, inside; i then falls with slope -1 until i - 1 =
    -2.
    """
    block = PI(1.0, tn=1.0, limits=2.0, tracking_time=0.5).compiled.block()
    loop = Loop(block, constant_error(sign))
    t = np.array([0.5, 1.0, 1.5, 2.9])
    X, mode, got = loop.run(0.0, 3.0, [], [0.0], t_eval=t)
    i = sign * np.where(t < 1, t, 1.5 - 0.5 * np.exp(-2 * (t - 1)))
    np.testing.assert_allclose(got[:, 1], i, atol=2e-12)
    np.testing.assert_allclose(got[:, 2], sign * np.minimum(2.0, 1 + t), atol=2e-12)
    assert [name for _, name in loop.log] == ["free", "high" if sign > 0 else "low"]
    assert loop.log[1][0] == pytest.approx(1.0, abs=1e-12)
    i3 = 1.5 - 0.5 * np.exp(-4)
    assert X[0] == pytest.approx(sign * i3, abs=2e-12)

    mode = block.mode_anew(0, mode, X, np.array([-sign, 0.0]), np.zeros(2))
    assert mode == FREE
    back = Loop(block, constant_error(-sign))
    X, mode, got = back.run(3.0, 6.0, [], X, mode=mode, t_eval=[3.5, 5.9])
    hit = 3.0 + i3 + 1.0  # i - 1 = -2 -> i = -1
    np.testing.assert_allclose(got[0, 1], sign * (i3 - 0.5), atol=2e-12)
    assert back.log[1] == (pytest.approx(hit, abs=1e-11), "low" if sign > 0 else "high")
    np.testing.assert_allclose(got[1, 1], -sign * (1.5 - 0.5 * np.exp(-2 * (5.9 - hit))), atol=2e-12)


def test_integral_without_anti_windup_winds_up():
    block = PI(1.0, tn=1.0, limits=2.0, anti_windup=None).compiled.block()
    X, mode, got = Loop(block, constant_error(1.0)).run(0.0, 5.0, [], [0.0], t_eval=[4.0])
    assert X[0] == pytest.approx(5.0, abs=1e-11) and mode == S.high
    assert got[0, 2] == 2.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_clamping_matches_hand_calculation(sign):
    """e = 2 - t, kp = 1, tn = 0.1, limit 1: every sub-mode, in closed form.

    Held with i = 0 until e = 1 at t = 1. There the raw output would rise with the integral going on (-1 + 10)
    and fall with it held (-1): the integral follows the limit, i = 1 - e = t - 1, until 10 (2 - t) = 1 at t =
    1.9. Free: i = 0.9 + 5 (0.01 - (2 - t)^2), u = e + i, falling. At the lower limit u = -1 with x = t - 2:
    0.95 - x - 5 x^2 = -1 -> x = (-1 + sqrt(40)) / 10, error negative: held there.
    """
    block = PI(1.0, tn=0.1, limits=1.0, anti_windup="clamping").compiled.block()
    assert block.needs_input_rates
    line = lambda s, x, v: (np.array([sign * (2.0 - s), 0.0]), np.array([-sign, 0.0]))  # noqa: E731
    loop = Loop(block, line)
    t = np.array([0.0, 0.5, 1.2, 1.7, 1.95, 2.2, 2.5, 2.6, 3.0])
    _, _, got = loop.run(0.0, 3.0, [], [0.0], t_eval=t)
    t_low = 2.0 + (-1 + np.sqrt(40.0)) / 10
    free = lambda t: 0.9 + 5 * (0.01 - (2 - t) ** 2)  # noqa: E731
    i = np.select([t < 1, t < 1.9, t < t_low], [0.0, t - 1, free(t)], free(t_low))
    np.testing.assert_allclose(got[:, 1], sign * i, atol=2e-11)
    np.testing.assert_allclose(got[:, 2], sign * np.clip(2 - t + i, -1, 1), atol=2e-11)
    up, down = ("high", "low") if sign > 0 else ("low", "high")
    assert [name for _, name in loop.log] == [f"{up}_frozen", f"{up}_following", "free", f"{down}_frozen"]
    np.testing.assert_allclose([s for s, _ in loop.log], [0.0, 1.0, 1.9, t_low], atol=1e-11)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_clamping_under_saturating_feedforward_matches_hand_calculation(sign):
    """kp = 1, tn = 0.1, limit 1, feedforward 3: the integral moves inwards freely whatever the limit.

    e = 0.5 - t: held until t = 0.5, then i = -5 (t - 0.5)^2, back from the limit when 0.5 - t + i + 3 = 1.
    e = t - 0.5: i = 5 ((t - 0.5)^2 - 0.25) until t = 0.5, then held at -1.25.
    """
    block = PI(1.0, tn=0.1, feedforward=1.0, limits=1.0, anti_windup="clamping").compiled.block()
    up = "high" if sign > 0 else "low"
    assert block.inputs == ["reference", "measurement", "reference.rate"]

    def line(slope):
        e = lambda s: slope * (s - 0.5)  # noqa: E731
        return lambda s, x, v: (sign * np.array([e(s), 0.0, 3.0]), sign * np.array([slope, 0.0, 0.0]))

    loop = Loop(block, line(-1.0))
    back = 0.5 + (-1 + np.sqrt(41)) / 10  # -x - 5 x^2 + 2 = 0
    _, _, got = loop.run(0.0, back + 0.1, [], [0.0], t_eval=[back - 0.1, back + 0.05])
    names = [name for _, name in loop.log]
    assert names == [f"{up}_frozen", up, "free"]
    np.testing.assert_allclose([s for s, _ in loop.log], [0.0, 0.5, back], atol=1e-11)
    np.testing.assert_allclose(got[:, 1], -5 * sign * (got[:, 0] - 0.5) ** 2, atol=1e-11)
    assert got[0, 2] == sign

    loop = Loop(block, line(1.0))
    X, mode, _ = loop.run(0.0, 2.0, [], [0.0])
    assert [name for _, name in loop.log] == [up, f"{up}_frozen"] and mode.name == f"{up}_frozen"
    assert loop.log[1][0] == pytest.approx(0.5, abs=1e-11)
    assert X[0] == pytest.approx(-1.25 * sign, abs=1e-11)


@pytest.mark.parametrize("anti_windup", ["back_calculation", "clamping"])
@pytest.mark.parametrize(("mass", "tn"), [(1.0, 0.3), (1.0, 0.05), (5.0, 0.2)])
def test_saturated_velocity_loop_agrees_with_scipy(anti_windup, mass, tn):
    """A mass brought to 1 m/s by a PI controller of limited force, against an independent integration.

    Back-calculation is one differential equation with a Lipschitz right side, which SciPy integrates as it
    stands. For clamping the reference is the loop by hand in steps of h whose integral stops while the limit
    is exceeded and the error points outwards (the usual conditional integration); it is of first order in h.
    """
    kp, top = 8.0, 2.0
    block = PI(kp, tn=tn, limits=top, anti_windup=anti_windup).compiled.block()
    inputs = lambda s, x, v: (np.array([1.0, x[0]]), np.array([0.0, v[0]]))  # noqa: E731
    loop = Loop(block, inputs, F=np.zeros((1, 1)), G=[1 / mass])
    t = np.linspace(0.0, 8.0, 33)
    _, _, got = loop.run(0.0, 8.0, [0.0], [0.0], t_eval=t)
    assert {"free"} < {name for _, name in loop.log}

    if anti_windup == "back_calculation":

        def rhs(s, X):
            raw = kp * (1 - X[0]) + X[1]
            u = np.clip(raw, -top, top)
            return [u / mass, kp / tn * (1 - X[0]) + (u - raw) / tn]

        ref = solve_ivp(
            rhs, (0, 8), [0, 0], method="DOP853", rtol=1e-12, atol=1e-12, max_step=0.002, t_eval=t
        )
        np.testing.assert_allclose(got[:, 1], ref.y[0], atol=3e-9)
        np.testing.assert_allclose(got[:, 2], ref.y[1], atol=2e-8)
        return

    h = 1e-4
    v, i, samples = 0.0, 0.0, []
    for k in range(round(8 / h) + 1):
        if k % round(0.25 / h) == 0:
            samples.append((v, i))
        e = 1 - v
        raw = kp * e + i
        u = min(max(raw, -top), top)
        if not ((raw >= top and e > 0) or (raw <= -top and e < 0)):
            i += h * kp / tn * e
        v += h * u / mass
    np.testing.assert_allclose(got[:, 1:3], samples, atol=60 * h)
    if mass == 5.0:  # kp tn < mass: the raw output would leave the limit faster than the integral may follow
        assert "high_following" in {name for _, name in loop.log}


def test_modes_of_several_outputs_are_independent():
    """Two outputs of one block with an anti-windup gain, against the matrices put together by hand."""
    rng = np.random.default_rng(3)
    A, B, C, D, L = (rng.normal(size=n) for n in ((3, 3), (3, 2), (2, 3), (2, 2), (3, 2)))
    block = LTI(A, B, C, D, gain=L, limits=(-1.0, 3.0)).compiled.block()
    B, D = np.hstack([B, -B]), np.hstack([D, -D])
    a = block.affine([S.high, S.low])
    np.testing.assert_allclose(a.A, A - L @ C, atol=1e-15)
    np.testing.assert_allclose(a.B, B - L @ D, atol=1e-15)
    np.testing.assert_allclose(a.b, L @ [3.0, -1.0], atol=1e-15)
    np.testing.assert_array_equal(a.C, 0 * C)
    np.testing.assert_array_equal(a.d, [3.0, -1.0])
    a = block.affine([S.free, S.low])
    np.testing.assert_allclose(a.A, A - np.outer(L[:, 1], C[1]), atol=1e-15)
    np.testing.assert_array_equal(a.C, [C[0], 0 * C[1]])
    z, w = rng.normal(size=3), rng.normal(size=4)
    raw = C @ z + D @ w
    for j in range(2):
        high, low = block.guards(j, S.free)
        assert high.z @ z + high.w @ w + high.offset == pytest.approx(raw[j] - 3.0, abs=1e-14)
        assert low.z @ z + low.w @ w + low.offset == pytest.approx(-1.0 - raw[j], abs=1e-14)
        (back,) = block.guards(j, S.low)
        assert back.z @ z + back.w @ w + back.offset == pytest.approx(raw[j] + 1.0, abs=1e-14)
        expected = S.high if raw[j] > 3 else S.low if raw[j] < -1 else S.free
        assert block.mode_anew(j, S.free, z, w) == expected


def test_one_sided_limits_have_one_guard():
    assert [g.trigger.name for g in PI(1.0, tn=1.0, limits=(None, 2.0)).compiled.block().guards(0, FREE)] == [
        "exceeds_max"
    ]
    assert [g.trigger.name for g in PI(1.0, tn=1.0, limits=(0.0, None)).compiled.block().guards(0, FREE)] == [
        "exceeds_min"
    ]
    assert PI(1.0, tn=1.0).compiled.block().guards(0, FREE) == []


@pytest.mark.parametrize(
    ("i", "w", "wdot", "before", "expected"),
    [
        (0.0, 0.5, 0.0, "free", "free"),
        (0.0, 1.5, 0.0, "free", "high_frozen"),
        (3.0, -0.5, 0.0, "free", "high"),  # beyond the limit, the integral moves inwards
        (0.0, -1.5, 0.0, "free", "low_frozen"),
        (-3.0, 0.5, 0.0, "free", "low"),
        # On the limit: i' = 10 w. The raw output rises, follows, or falls.
        (0.5, 0.5, 1.0, "free", "high_frozen"),
        (0.5, 0.5, -1.0, "free", "high_following"),
        (0.5, 0.5, -6.0, "high_frozen", "free"),
        (-0.5, -0.5, 1.0, "free", "low_following"),
        (1.0, 0.0, 0.0, "high", "high"),  # all rates zero: as before
        (1.0, 0.0, 0.0, "free", "free"),
        (0.1 + 0.2, 0.7 - 1e-16, -1.0, "free", "high_following"),  # on it up to rounding
    ],
)
def test_mode_after_a_jump_matches_expected(i, w, wdot, before, expected):
    block = PI(1.0, tn=0.1, limits=1.0, anti_windup="clamping").compiled.block()
    mode = block.mode_anew(0, getattr(S, before), [i], [w, 0.0], [wdot, 0.0])
    assert mode == getattr(S, expected)
