"""Loops opened at a controller's output against python-control: response, margins, peaks, bandwidth."""

import control as ct
import numpy as np
import pytest
from scipy import optimize, signal

import stickslip as ss

# python-control sets the shape of arrays, which newer versions of NumPy advise against.
pytestmark = pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")

MOTOR, LOAD, STIFFNESS, DAMPING = 2.0, 3.0, 4e4, 12.0
T = 125e-6


def two_masses() -> ss.Machine:
    k, d = np.array([[1.0, -1.0], [-1.0, 1.0]]) * STIFFNESS, np.array([[1.0, -1.0], [-1.0, 1.0]]) * DAMPING
    return ss.Machine(mass=[MOTOR, LOAD], stiffness=k, damping=d, names=["motor", "load"])


def plant() -> ct.StateSpace:
    """From motor force to (motor position, motor velocity)."""
    s = ct.tf("s")
    load = DAMPING * s + STIFFNESS
    velocity = (LOAD * s**2 + load) / (s * (MOTOR * LOAD * s**2 + (MOTOR + LOAD) * load))
    full = ct.ss(velocity)
    a, b, c = full.A, full.B, full.C
    n = a.shape[0]
    wide = np.block([[a, np.zeros((n, 1))], [c, np.zeros((1, 1))]])
    out = np.vstack([np.eye(1, n + 1, n), np.hstack([c, [[0.0]]])])
    return ct.ss(wide, np.vstack([b, [[0.0]]]), out, np.zeros((2, 1)))


def cascade(**sampling: float) -> ss.Machine:
    m = two_masses()
    m.add_controller(ss.P(kp=30.0, **sampling), "position", measure="motor.position", reference=0.0)
    speed = ss.PI(kp=900.0, tn=0.02, **sampling)
    m.add_controller(speed, "speed", measure="motor.velocity", reference="position.output", to="motor")
    return m


def opened(parts: ct.StateSpace, law: ct.TransferFunction) -> ct.StateSpace:
    """The cascade opened at its force: minus the law of 30 (0 - x) - v."""
    return ct.ss(law) * ct.ss([], [], [], [[30.0, 1.0]], parts.dt) * parts


def same_margins(loop: ss.OpenLoop, other: ct.StateSpace, rel: float = 1e-10) -> None:
    gm, pm, _, wcg, wcp, _ = ct.stability_margins(ct.tf(other), method="poly")
    got = loop.margins()
    assert got.pm == pytest.approx(pm, rel=rel) and got.wcp == pytest.approx(wcp, rel=rel)
    if np.isfinite(gm):
        assert got.gm == pytest.approx(gm, rel=rel) and got.wcg == pytest.approx(wcg, rel=rel)


def test_a_continuous_cascade_is_the_loop_of_python_control() -> None:
    loop = ss.open_loop(cascade(), at="speed.output")
    law = 900.0 * ct.tf([0.02, 1.0], [0.02, 0.0])
    other = opened(plant(), law)
    omega = np.geomspace(0.5, 5e3, 200)
    assert loop(omega) == pytest.approx(other(1j * omega), rel=1e-10)
    assert loop.bode(omega).response.shape == other(1j * omega, squeeze=False).shape == (1, 1, 200)
    assert loop.period is None


@pytest.mark.parametrize("delay", [0.0, 0.4 * T, T])
def test_a_sampled_loop_has_hold_and_delay(delay: float) -> None:
    """The rule of backward rectangles is kp (1 + T/tn z/(z - 1)); a delay splits the hold."""
    m = two_masses()
    m.add_controller(
        ss.PI(kp=900.0, tn=0.02, period=T, delay=delay), "speed", measure="motor.velocity", to="motor"
    )
    loop = ss.open_loop(m, at="speed.output")
    z = ct.tf("z")
    law = ct.tf([1.0 + T / 0.02, -1.0], [1.0, -1.0], T) * 900.0
    velocity = plant()[1, 0]
    # y(k+1) has the part of u(k-1) that still acts until the delay, and that of u(k) after it.
    late, soon = (ct.sample_system(velocity, t) if t else None for t in (delay, T - delay))
    n = velocity.A.shape[0]
    phi = ct.sample_system(velocity, T).A
    b0 = soon.B if soon is not None else np.zeros((n, 1))
    b1 = (soon.A if soon is not None else np.eye(n)) @ late.B if late is not None else np.zeros((n, 1))
    held = ct.ss(np.block([[phi, b1], [np.zeros((1, n + 1))]]), np.vstack([b0, [[1.0]]]),
                 np.hstack([velocity.C, [[0.0]]]), [[0.0]], T)  # fmt: skip
    other = ct.ss(law) * held
    omega = np.geomspace(1.0, 0.999 * np.pi / T, 200)
    assert loop(omega) == pytest.approx(other(np.exp(1j * omega * T)), rel=1e-9)
    assert loop.period == T and z.dt is True


def test_margins_of_continuous_loops_are_those_of_python_control() -> None:
    s = ct.tf("s")
    for system in (10.0 / (s * (s + 1.0) * (0.1 * s + 1.0)), 50.0 / ((s + 1.0) * (s + 2.0) * (s + 5.0)),
                   4.0 * (s + 1.0) / (s**2 * (0.2 * s + 1.0))):  # fmt: skip
        same_margins(ss.OpenLoop(ct.ss(system)), system)


def test_margins_of_sampled_loops_are_those_of_python_control() -> None:
    s = ct.tf("s")
    for system in (2.0 / (s * (s + 1.0)), 5.0 / ((s + 1.0) * (s + 3.0))):
        sampled = ct.sample_system(ct.ss(system), 0.1)
        same_margins(ss.OpenLoop(sampled), ct.tf(sampled), 1e-9)


def test_gain_margin_at_half_the_sampling_rate_is_found() -> None:
    """v' = u/m with u = -k v held over T is unstable from k = 2 m/T on, at z = -1."""
    m = ss.Machine(mass=2.0, names=["q"])
    m.add_controller(ss.P(kp=100.0, period=1e-2), "speed", measure="q.velocity", to="q")
    got = ss.open_loop(m, at="speed.output").margins()
    assert got.gm == pytest.approx(2.0 * 2.0 / 1e-2 / 100.0, rel=1e-12)
    assert got.wcg == pytest.approx(np.pi / 1e-2)


@pytest.mark.parametrize("inertia", [2e-3, 0.05, 20.0])
def test_margins_with_three_integrators_match_closed_form(inertia: float) -> None:
    """A sampled P-PI cascade opened at its speed: position, velocity and integral are poles at z = 1.

    L = kp (1 + T/tn z/(z - 1)) (kv + (1 - 1/z)/T) G, with G of the body and its lag by SciPy.
    """
    kv, kp, tn, lag, period = 30.0, 600.0 * inertia, 15e-3, 5e-4, 125e-6
    axis = ss.Drive()
    axis.add("motor", ss.parts.Motor(inertia, "speed.output", current_lag=lag))
    axis.add("position", ss.P(kp=kv, period=period), measure="motor")
    speed = ss.PI(kp=kp, tn=tn, controls="rate", rate="difference", period=period)
    axis.add("speed", speed, measure="motor", reference="position.output")
    a = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0 / inertia], [0.0, 0.0, -1.0 / lag]])
    b, c = np.array([[0.0], [0.0], [1.0 / lag]]), np.array([[1.0, 0.0, 0.0]])
    phi, gamma, *_ = signal.cont2discrete((a, b, c, np.zeros((1, 1))), period)

    def answer(omega: float) -> complex:
        z = np.exp(1j * omega * period)
        law = kp * (1.0 + period / tn * z / (z - 1.0)) * (kv + (1.0 - 1.0 / z) / period)
        return complex(law * (c @ np.linalg.solve(z * np.eye(3) - phi, gamma))[0, 0])

    crossed = [
        optimize.brentq(lambda w: answer(w).imag, *ends, xtol=1e-10) for ends in ((20.0, 90.0), (2e3, 6e3))
    ]
    wcg = min(crossed, key=lambda w: abs(np.log(-answer(w).real)))
    wcp = optimize.brentq(lambda w: abs(answer(w)) - 1.0, 100.0, 2e3, xtol=1e-11)
    found = ss.open_loop(axis, at="speed.output").margins()
    assert (found.wcg, found.wcp) == (pytest.approx(wcg, rel=1e-8), pytest.approx(wcp, rel=1e-9))
    assert found.gm == pytest.approx(-1.0 / answer(wcg).real, rel=1e-8)
    assert found.pm == pytest.approx(180.0 + np.degrees(np.angle(answer(wcp))), abs=1e-6)


def test_no_crossing_of_a_narrow_resonance_is_missed() -> None:
    """A resonance of damping 1e-6 lifts the gain over 1 for a millionth of its frequency only."""
    zeta, w0 = 1e-6, 300.0
    system = ct.ss(
        ct.tf([1.0], [1.0, 1.0]) + ct.tf([1e-4 * w0**2 * zeta * 20000], [1.0, 2 * zeta * w0, w0**2])
    )
    loop = ss.OpenLoop(system)
    crossings = ss.linear.margins.gain_crossings(loop.system, 1.0)
    assert np.sum((crossings > 299.0) & (crossings < 301.0)) == 2
    assert abs(abs(complex(loop(crossings[-1]))) - 1.0) < 1e-6


def test_sensitivity_peak_and_bandwidth_agree_with_python_control() -> None:
    """Against python-control's H-infinity norm and bandwidth."""
    s = ct.tf("s")
    system = 10.0 / (s * (s + 1.0) * (0.05 * s + 1.0))
    loop = ss.OpenLoop(ct.ss(system))
    sensitivity = ct.ss(ct.minreal(1.0 / (1.0 + system), verbose=False))
    omega = np.linspace(0.9, 1.1, 20_001) * loop.sensitivity_peak.omega
    assert loop.sensitivity_peak.value == pytest.approx(np.abs(sensitivity(1j * omega)).max(), rel=1e-9)
    assert loop.sensitivity_peak.value >= np.abs(sensitivity(1j * np.geomspace(1e-3, 1e4, 4001))).max()
    assert loop.bandwidth == pytest.approx(ct.bandwidth(ct.feedback(system)), rel=1e-8)
    ours, theirs = (
        np.sort_complex(np.asarray(p)) for p in (loop.closed_poles(), ct.feedback(system).poles())
    )
    assert ours == pytest.approx(theirs, rel=1e-10)
    assert abs(complex(loop.closed.at(np.array([loop.bandwidth]))[0, 0, 0])) == pytest.approx(
        10**-0.15, rel=1e-12
    )


@pytest.mark.parametrize("period", [None, 1e-2])
def test_bandwidth_of_a_velocity_loop_matches_closed_form(period: float | None) -> None:
    """The position, which nobody reads, is a pole at zero that the response does not show.

    Continuous: |T|² = ((kp w)² + k²)/((k - m w²)² + ((d + kp) w)²) = 10^-0.3, a quadratic in w².
    """
    mass, d, kp, tn = 2.0, 0.1, 5.0, 0.3
    m = ss.Machine(mass=mass, damping=d, names=["q"])
    m.add_controller(ss.PI(kp=kp, tn=tn, period=period), "speed", measure="q.velocity", to="q")
    found = ss.open_loop(m, at="speed.output").bandwidth
    if period is None:
        k, level = kp / tn, 10.0**-0.3
        a = level * mass**2
        b = level * ((d + kp) ** 2 - 2.0 * k * mass) - kp**2
        expected = np.sqrt(np.roots([a, b, (level - 1.0) * k**2]).max())
    else:
        keeps = np.exp(
            -d * period / mass
        )  # v(k+1) = keeps v(k) + (1 - keeps)/d u(k), u = (kp + kp T/tn z/(z - 1)) e

        def below(omega: float) -> float:
            z = np.exp(1j * omega * period)
            loop = kp * (1.0 + period / tn * z / (z - 1.0)) * (1.0 - keeps) / d / (z - keeps)
            return abs(loop / (1.0 + loop)) - 10.0**-0.15

        expected = optimize.brentq(below, 2.0, 10.0, xtol=1e-13)
    assert found == pytest.approx(expected, rel=1e-9)


def test_bandwidth_of_widely_spaced_poles_matches_closed_form() -> None:
    """w/(s + w) with a pole of 1e8 rad/s beside it, which hardly counts, and one at zero that nobody sees."""
    w = 0.3
    a = np.diag([0.0, 0.0, -1e8])
    loop = ss.OpenLoop((a, [[1.0], [w], [1e-3]], [[0.0, 1.0, 1e-3]], [[0.0]]))
    assert loop.bandwidth == pytest.approx(w * np.sqrt(10.0**0.3 - 1.0), rel=1e-9)


def test_the_inner_loop_of_a_cascade_is_opened_alone() -> None:
    """Opened at the position's output, the speed loop stays closed."""
    m = cascade()
    loop = ss.open_loop(m, at="position.output")
    velocity = plant()[1, 0]
    inner = ct.feedback(ct.ss(900.0 * ct.tf([0.02, 1.0], [0.02, 0.0])) * velocity)
    omega = np.geomspace(1.0, 1e3, 50)
    expected = 30.0 * inner(1j * omega) / (1j * omega)
    assert loop(omega) == pytest.approx(expected, rel=1e-9)


def test_every_opening_closes_to_the_poles_of_the_machine() -> None:
    for sampling in ({}, {"period": 1e-3}, {"period": 1e-3, "delay": 4e-4}):
        m = cascade(**sampling)
        for at in ("position.output", "speed.output"):
            closed = ss.open_loop(m, at=at).closed_poles()
            closed = closed[np.abs(closed) > 1e-9]
            poles = m.poles()[np.abs(m.poles()) > 1e-9]
            assert np.sort_complex(np.asarray(closed)) == pytest.approx(
                np.sort_complex(np.asarray(poles)), abs=1e-7
            )


def test_unknown_and_impossible_places_are_refused() -> None:
    m = two_masses()
    with pytest.raises(ss.UnknownNameError, match="unknown output at = .*: the machine has no controllers"):
        ss.open_loop(m, at="speed.output")
    m.add_controller(ss.P(kp=3.0, period=2e-3), "outer", measure="motor.position")
    m.add_controller(
        ss.PI(kp=9.0, tn=0.1, period=1e-3), "speed", measure="motor.velocity", reference="outer.output"
    )
    lag = ss.LTI(A=-2000.0, B=2000.0, C=1.0, inputs="both", references=1)
    m.add_controller(lag, "current", reference="speed.output", to="motor")
    with pytest.raises(
        ss.UnknownNameError, match=r"known are: 'outer.output', 'speed.output', 'current.output'"
    ):
        ss.open_loop(m, at="speed")
    with pytest.raises(
        ValueError, match=r"at = 'current.output' is not allowed: it must be a sampled output"
    ):
        ss.open_loop(m, at="current.output")
    with pytest.raises(ValueError, match="the output of the slowest controller"):
        ss.open_loop(m, at="speed.output")
    assert ss.open_loop(m, at="outer.output").period == 2e-3
    with pytest.raises(ValueError, match="sampled at several rates"):
        m.bode("motor", "load")


def test_open_loop_refuses_nonlinear_machines() -> None:
    arm = ss.Machine(mass=1.0, names=["arm"])
    arm.add_force("arm", lambda q: -9.81 * ss.sin(q["arm"]))
    arm.add_controller(ss.PID(kp=1.0), on="arm")
    with pytest.raises(ValueError, match="linear part"):
        ss.open_loop(arm, at="pid.output")
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(lambda t, r, y: r - y, "mine", on="q", period=1e-3)
    with pytest.raises(ValueError, match="'mine' is a Python function, which has no linear part"):
        m.poles()


def test_pictures_have_labels() -> None:
    loop = ss.open_loop(cascade(period=1e-3), at="speed.output")
    gain, phase = loop.bode().plot(Hz=True)
    assert gain.get_ylabel() == "gain [dB]" and phase.get_xlabel() == "frequency [Hz]"
    assert gain.get_title(loc="left") == "open loop at speed.output"
    angle = phase.get_lines()[-2].get_ydata()
    assert loop.margins().pm == pytest.approx(
        (180.0 + np.interp(loop.margins().wcp, loop.bode().omega, angle)) % 360.0, abs=0.1
    )
    assert loop.nyquist().get_xlabel() == "real part"
    axes = cascade().bode(["motor", "load"], "load.velocity").plot()
    assert len(axes[1].get_legend().get_texts()) == 2
