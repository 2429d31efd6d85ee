"""Friction compensation: feedforward of a law, and the observer of Canudas de Wit et al. 1995."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

TABLE_I = {"stiffness": 1e5, "damping": np.sqrt(1e5), "viscous": 0.4, "stribeck_velocity": 1e-3}
LUGRE = ss.LuGre(static=1.5, kinetic=1.0, **TABLE_I)


def servo(
    law: ss.Law, model: ss.Law | None, reference: ss.Signal | float = 1.0, gain: float = 0.0
) -> ss.Machine:
    """The hunting servo, with an observer of the model added to its PID."""
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=law)
    m.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0), on="slide", reference=reference)
    if model is not None:
        m.add_controller(
            ss.FrictionObserver(model, gain=gain), name="observer", on="slide", reference=reference
        )
    return m


def late_error(m: ss.Machine) -> float:
    run = ss.simulate(m, t_end=150.0, dt=0.05)
    assert run.success
    return float(np.abs(run["pid.error"][run.t > 100.0]).max())


def test_right_model_prevents_hunting() -> None:
    """With the plant's own parameters friction cancels: what is left is the linear loop."""
    run = ss.simulate(servo(LUGRE, LUGRE), t_end=40.0, dt=0.5, rtol=1e-10)

    def linear(_t: float, y: np.ndarray) -> list[float]:
        return [y[1], 3.0 * (1.0 - y[0]) - 6.0 * y[1] + 4.0 * y[2], 1.0 - y[0]]

    exact = solve_ivp(linear, (0, 40), [0, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=run.t)
    assert run["slide.position"] == pytest.approx(exact.y[0], abs=2e-9)
    assert run["observer.output"] == pytest.approx(run["guide.force"], abs=1e-8)
    assert late_error(servo(LUGRE, None)) > 0.05
    assert late_error(servo(LUGRE, LUGRE)) < 1e-6


def test_wrong_parameters_leave_some_of_the_hunting() -> None:
    """Levels 20 % too small leave a fifth of the friction, and a limit cycle that is smaller than a fifth."""
    small = ss.LuGre(static=1.2, kinetic=0.8, **TABLE_I)
    left, without = late_error(servo(LUGRE, small)), late_error(servo(LUGRE, None))
    assert 0.05 * without < left < 0.2 * without


def test_second_order_bristle_reduces_error_as_compensator_only() -> None:
    """The source of the second-order bristle states an error 65 % smaller without saying which it means.

    As the plant's friction it changes the hunting by some per cent. As the compensator of a LuGre plant the
    rms error is 98 % smaller with alpha = sigma_0 (Fs - Fc), and 36 % with alpha = 1e5, whose step at v = 0
    is too large.
    """

    def rms(law: ss.Law, model: ss.Law | None) -> float:
        run = ss.simulate(servo(law, model), t_end=150.0, dt=0.05)
        assert run.success and run.energy.residual < 1e-9
        return float(np.sqrt(np.mean(run["pid.error"][run.t > 50.0] ** 2)))

    second = ss.TwoStateBristle(static=1.5, kinetic=1.0, **TABLE_I)
    stiffer = ss.TwoStateBristle(static=1.5, kinetic=1.0, alpha=1e5, **TABLE_I)
    alone = rms(LUGRE, None)
    assert alone == pytest.approx(0.0603, rel=1e-2)
    assert rms(second, None) / alone == pytest.approx(0.976, abs=5e-3)
    assert rms(stiffer, None) / alone == pytest.approx(1.10, abs=1e-2)
    assert rms(LUGRE, second) / alone == pytest.approx(0.0196, abs=2e-3)
    assert rms(LUGRE, stiffer) / alone == pytest.approx(0.637, abs=1e-2)
    assert rms(LUGRE, LUGRE) / alone < 1e-4


def test_bristle_correction_agrees_with_its_equations() -> None:
    """The observer with gain against an integration of its own equations, on a sine."""
    gain, w = 2e-3, 0.5
    m = servo(
        LUGRE,
        ss.LuGre(static=1.3, kinetic=0.9, **TABLE_I),
        ss.Sine(amplitude=0.1, frequency=w / (2 * np.pi)),
        gain,
    )
    t = np.linspace(0.0, 12.0, 25)
    run = ss.simulate(m, t_end=12.0, t_eval=t, rtol=1e-9)

    def g(v: float, fs: float, fc: float) -> float:
        return (fc + (fs - fc) * np.exp(-((v / 1e-3) ** 2))) / 1e5

    def rhs(s: float, y: np.ndarray) -> list[float]:
        x, v, i, z, zh = y
        e = x - 0.1 * np.sin(w * s)
        dz = v - abs(v) / g(v, 1.5, 1.0) * z
        dzh = v - abs(v) / g(v, 1.3, 0.9) * zh - gain * e
        f = 1e5 * z + np.sqrt(1e5) * dz + 0.4 * v
        fh = 1e5 * zh + np.sqrt(1e5) * dzh + 0.4 * v
        return [v, -3.0 * e - 6.0 * v - 4.0 * i + fh - f, e, dz, dzh]

    exact = solve_ivp(
        rhs,
        (0, 12),
        np.zeros(5),
        method="Radau",
        rtol=1e-9,
        atol=[1e-11, 1e-11, 1e-11, 1e-14, 1e-14],
        t_eval=t,
    )
    assert run["slide.position"] == pytest.approx(exact.y[0], abs=1e-6)
    assert run["observer.z"] + run["observer.injected"] == pytest.approx(exact.y[4], abs=1e-8)
    assert run.energy.residual < 1e-7


@pytest.mark.parametrize("other", ["tanh", "normalised"])
def test_correction_acts_only_through_bristle_damping(other: str) -> None:
    """The output is σ0 z + σ1 z' + the other terms at v, with z' = v - |v| z/g(v) - gain e, put together from the
    states of the run."""
    gain, s0, s1 = 0.5, 1e4, 30.0
    bristle = ss.LuGre(
        stiffness=s0,
        damping=s1,
        static=1.5,
        kinetic=1.0,
        stribeck_velocity=1e-2,
        normalised=other == "normalised",
    )
    model = bristle + ss.Tanh(width=0.05, kinetic=20.0) if other == "tanh" else bristle
    m = ss.Machine(mass=1.0, stiffness=100.0, names=["slide"], damping=5.0)
    m.add_controller(
        ss.FrictionObserver(model, normal_load=0.1, gain=gain),
        name="observer",
        on="slide",
        reference=ss.Sine(0.1, frequency=0.3),
    )
    run = ss.simulate(m, t_end=3.0, dt=0.05, rtol=1e-9, initial={"slide.velocity": 0.2})
    v, e = run["slide.velocity"], run["slide.position"] - 0.1 * np.sin(0.6 * np.pi * run.t)
    q = run["observer.z"] + run["observer.injected"]
    z = q / s0 if other == "normalised" else q
    own = v - s0 * np.abs(v) * z / (1.0 + 0.5 * np.exp(-((v / 1e-2) ** 2)))
    dry = s0 * z + s1 * (own - gain * e) + (20.0 * np.tanh(v / 0.05) if other == "tanh" else 0.0)
    assert np.abs(gain * e).max() > 0.02
    assert run["observer.output"] == pytest.approx(0.1 * dry, rel=1e-9, abs=1e-12)


def test_feedforward_of_the_right_law_cancels_a_sine() -> None:
    """A servo that starts on its reference stays there when friction and inertia are fed forward exactly."""
    law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-2) + ss.Viscous(0.4)
    amplitude, w = 0.1, 2.0
    errors = []
    for model in (law, None):
        m = ss.Machine(mass=1.0, names=["slide"])
        m.add_friction("guide", on="slide", law=law)
        reference = ss.Sine(amplitude=amplitude, frequency=w / (2 * np.pi))
        m.add_force("slide", ss.Sine(amplitude=-amplitude * w * w, frequency=w / (2 * np.pi)))
        m.add_controller(ss.PID(kp=300.0, kd=40.0), on="slide", reference=reference)
        m.add_force("slide", 40.0 * reference.derivative())  # the PID damps the velocity, not its error
        if model is not None:
            m.add_controller(ss.FrictionFeedforward(model), name="model", to="slide", reference=reference)
        run = ss.simulate(m, t_end=6.0, dt=0.01, initial={"slide.velocity": amplitude * w})
        assert run.success and run.energy.residual < 1e-8
        errors.append(np.abs(run["pid.error"]).max())
    assert errors[0] < 1e-4 and errors[1] > 3e-3
    assert errors[0] < 0.02 * errors[1]


@pytest.mark.parametrize("share", [0.0, 0.5, 0.8, 1.0, 1.2])
def test_feedforward_of_wrong_levels_leaves_their_difference(share: float) -> None:
    """At constant speed kp e = kd v + (1 - share) Fc: the servo supplies the force that the model misses."""
    level, kp, kd, speed = 2.0, 300.0, 40.0, 0.1
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.2 * level, kinetic=level))
    reference = ss.Ramp(slope=speed)
    m.add_controller(ss.PID(kp=kp, kd=kd), on="slide", reference=reference)
    if share:
        model = ss.FrictionFeedforward(ss.Coulomb(static=share * level, kinetic=share * level))
        m.add_controller(model, on="slide", reference=reference)
    run = ss.simulate(m, t_end=5.0)
    assert run["pid.error"][-1] == pytest.approx((kd * speed + (1.0 - share) * level) / kp, rel=1e-12)


def test_feedforward_is_the_law_at_the_velocity_of_the_reference() -> None:
    """There and back with a rest between: kinetic level with the sign of the velocity, nothing at rest."""
    law = ss.Coulomb(static=1.2, kinetic=0.8) + ss.Viscous(2.0)
    m = ss.Machine(mass=1.0, names=["slide"])
    reference = ss.Piecewise(t=[0.0, 1.0, 2.0, 3.0, 4.0], values=[0.0, 0.5, 0.5, 0.0, 0.0])
    m.add_controller(
        ss.FrictionFeedforward(law, normal_load=3.0), name="model", to="slide", reference=reference
    )
    run = ss.simulate(m, t_end=5.0, t_eval=[0.5, 1.5, 2.5, 3.5])
    assert run["model.output"] == pytest.approx([3 * 0.8 + 1.0, 0.0, -3 * 0.8 - 1.0, 0.0], abs=1e-14)
    assert run["slide.velocity"][-1] == pytest.approx(0.0, abs=1e-13)
    assert run.energy.controllers["model"][-1] == pytest.approx(run.energy.kinetic[-1], abs=1e-12)
    assert m.elements == () and "model.mode" not in run


class TestBadInput:
    @pytest.mark.parametrize(
        ("control", "arguments", "message"),
        [
            (ss.FrictionObserver(ss.Coulomb(static=1.0, kinetic=0.8)), {"on": "slide"}, "jumps at v = 0"),
            (ss.FrictionObserver(LUGRE), {"to": "slide"}, "measure of 'c' is missing"),
            (
                ss.FrictionObserver(
                    ss.LuGre(**TABLE_I, damping_velocity=0.1, kinetic=1.0, static=1.5), gain=1.0
                ),
                {"on": "slide", "reference": 0.0},
                "damping is constant",
            ),
            (
                ss.FrictionObserver(LUGRE),
                {"measure": "slide"},
                "to of 'c' is missing: .* the output of a FrictionCurve",
            ),
            (ss.FrictionFeedforward(LUGRE), {"on": "slide"}, "reference of 'c' is missing"),
            (ss.FrictionFeedforward(LUGRE), {"on": "slide", "reference": "slide"}, "must be a signal"),
            (ss.FrictionFeedforward(LUGRE), {"on": "slide", "reference": 0.0, "period": 1e-3}, "period"),
        ],
    )
    def test_bad_connections_are_refused(
        self, control: ss.Compensator, arguments: dict, message: str
    ) -> None:
        m = ss.Machine(mass=1.0, names=["slide"])
        with pytest.raises(ValueError, match=message):
            m.add_controller(control, name="c", **arguments)
        assert ss.simulate(m, t_end=1.0).success

    def test_compensator_force_is_not_a_command(self) -> None:
        """Of a continuous one; the sampled form enters a chain, before its limits and lags."""
        law, reference = ss.Coulomb(1.0), ss.Ramp(slope=0.1)
        for sampled in (False, True):
            m = ss.Machine(mass=1.0, damping=10.0, names=["slide"])
            if sampled:
                m.add_controller(ss.FrictionCurve(law, period=1e-3), "c", reference=reference)
            else:
                m.add_controller(ss.FrictionFeedforward(law), "c", reference=reference, to="slide")
            m.add_controller(ss.LowPass(100.0, limits=0.5), "lag", reference="c.output", to="slide")
            if sampled:
                assert ss.simulate(m, t_end=2.0)["slide.velocity"][-1] == pytest.approx(0.05, abs=1e-8)
                continue
            with pytest.raises(
                ValueError, match="reference of 'lag' = 'c.output' is a force .* FrictionCurve"
            ):
                m.check()

    @pytest.mark.parametrize(
        ("control", "arguments", "message"),
        [
            (ss.FrictionObserver(LUGRE), {"measure": "slide.velocity"}, "acceleration"),
            (ss.FrictionFeedforward(LUGRE), {"reference": ss.Step(1.0, start=1.0)}, "jumps at t = 1"),
            (
                ss.FrictionObserver(LUGRE),
                {"measure": "pid.output"},
                "'pid.output' is the output of a controller",
            ),
        ],
    )
    def test_references_without_velocity_are_refused(
        self, control: ss.Compensator, arguments: dict, message: str
    ) -> None:
        m = ss.Machine(mass=1.0, names=["slide"])
        m.add_controller(control, name="c", to="slide", **arguments)
        m.add_controller(ss.PID(kp=1.0), on="slide")
        with pytest.raises(ValueError, match=message):
            m.check()

    def test_bad_values_are_refused(self) -> None:
        with pytest.raises(ValueError, match="gain = -1"):
            ss.FrictionObserver(LUGRE, gain=-1.0)
        with pytest.raises(ValueError, match="law = -3"):
            ss.FrictionFeedforward(-3)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("start", [0.0, 0.5])
def test_feedforward_starts_to_the_side_to_which_the_reference_turns(side: float, start: float) -> None:
    """A reference at rest that moves off either way, in the end with the speed 15/8: the sign of its velocity
    and the curve at it, from the first instant on."""
    law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.1, viscous=0.3)
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_controller(
        ss.FrictionFeedforward(law), name="ff", on="slide", reference=ss.SmoothStep(side, start=start)
    )
    run = ss.simulate(m, t_end=start + 0.9)
    s = np.linspace(1e-9, 0.9, 50)
    v = 30.0 * s**2 * (1.0 - s) ** 2
    expected = side * (1.0 + 0.5 * np.exp(-((v / 0.1) ** 2)) + 0.3 * v)
    assert run.at(start + s)["ff.output"] == pytest.approx(expected, rel=1e-9)
    given = run.energy.controllers["ff"][-1]  # nothing else works on the mass
    assert given == pytest.approx(0.5 * run["slide.velocity"][-1] ** 2, rel=2e-7) and given > 0.1


class TestForceAsASignal:
    LAW = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-2, viscous=0.4)

    @pytest.mark.parametrize(
        "velocity",
        [
            ss.Sine(0.3, 2.0, phase=0.3),
            ss.PointToPoint(0.2, 0.5, 3.0, 60.0).derivative(),
            -1.0 * ss.SmoothStep(0.2, duration=2.0).derivative() + 0.05,
            ss.Sine(0.3, 2.0).clip(-0.2, 0.1),
        ],
    )
    @pytest.mark.parametrize(
        "law", [LAW, ss.Coulomb(1.0) + ss.Viscous(2.0), ss.Table([0.0, 0.1, 0.2], [1.0, 0.6, 0.9])]
    )
    def test_friction_force_equals_the_curve_at_the_velocity(self, law: ss.Law, velocity: ss.Signal) -> None:
        t = np.random.default_rng(2).uniform(0.0, 3.0, 2000)
        force = ss.FrictionForce(law, velocity, normal_load=3.0)
        assert force(t) == pytest.approx(law.force(velocity(t), 3.0), abs=2e-10)

    def test_friction_force_enters_command_before_limit_and_lag(self) -> None:
        """Against SciPy: i' = (limited (force + kp (r - x)) - i)/T, m x'' = i - c x'."""
        reference = ss.SmoothStep(0.4, start=0.1, duration=0.8)
        force = ss.FrictionForce(self.LAW, reference.derivative())
        axis = ss.Drive()
        axis.add("loop", ss.P(kp=30.0), measure="motor.position", reference=reference)
        motor = ss.parts.Motor(
            0.5, command=["loop.output", force], current_lag=5e-3, torque_limit=1.2, friction=ss.Viscous(2.0)
        )
        axis.add("motor", motor)
        run = ss.simulate(axis.machine, t_end=2.0, t_eval=[0.4, 0.9, 2.0], rtol=1e-12)

        def rates(t: float, y: np.ndarray) -> list[float]:
            wanted = 30.0 * (reference(t) - y[0]) + self.LAW.force(reference(t, 1))
            return [y[1], (y[2] - 2.0 * y[1]) / 0.5, (np.clip(wanted, -1.2, 1.2) - y[2]) / 5e-3]

        y, got = np.zeros(3), []
        for a, b in ((0.0, 0.1), (0.1, 0.4), (0.4, 0.9), (0.9, 2.0)):
            y = solve_ivp(rates, (a + 1e-12, b), y, method="DOP853", rtol=1e-11, atol=1e-13, max_step=1e-2).y[
                :, -1
            ]
            got.append(y[0])
        assert run["motor.position"] == pytest.approx(got[1:], abs=1e-8)
        assert sum(e.element == "motor_limit" for e in run.events) >= 4  # at its limit, and off it again


@pytest.mark.parametrize("load", [1.0, 10.0])
def test_feedforward_by_a_formula_is_that_of_the_law(load: float) -> None:
    """F = 0.5 N tanh(v / 0.1) at the velocity of the reference; the second formula reads the load N."""

    def velocity(law: ss.Law) -> np.ndarray:
        m = ss.Machine(mass=1.0, names=["slide"])
        feedforward = ss.FrictionFeedforward(law, normal_load=load)
        m.add_controller(feedforward, name="model", to="slide", reference=ss.Sine(0.2, 0.5))
        return ss.simulate(m, 2.0, dt=0.1, rtol=1e-9)["slide.velocity"]

    expected = velocity(ss.Tanh(0.5, width=0.1))
    formula = velocity(ss.laws.FormulaLaw(lambda v: 0.5 * ss.tanh(v / 0.1)))
    reads = velocity(ss.laws.FormulaLaw(lambda v, load: 0.5 * ss.tanh(v / 0.1) * load**-0.3))
    np.testing.assert_allclose(formula, expected, rtol=0.0, atol=2e-9 * load)
    np.testing.assert_allclose(reads, expected * load**-0.3, rtol=0.0, atol=2e-9 * load)
