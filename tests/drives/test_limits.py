"""Limited controllers in machines: saturation modes are guards of the regime, located and logged."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss


def test_clamping_matches_hand_calculation() -> None:
    """e = 2 - t, kp = 1, tn = 0.1, limit 1: every sub-mode in closed form.

    Held with i = 0 until e = 1 at t = 1; then the integral follows the limit, i = t - 1, until 10 (2 - t) = 1
    at t = 1.9; free: i = 0.9 + 5 (0.01 - (2 - t)^2); at -1 with x = t - 2: 0.95 - x - 5 x^2 = -1.
    """
    m = ss.Machine(mass=1.0, names=["rail"])
    m.add_controller(
        ss.PI(kp=1.0, tn=0.1, limits=1.0, anti_windup="clamping"),
        name="loop",
        measure="rail.position",
        reference=ss.Ramp(slope=-1.0, offset=2.0),
    )
    run = ss.simulate(m, t_end=3.0)
    low = 2.0 + (-1 + np.sqrt(40.0)) / 10
    assert [(str(e.before), str(e.after)) for e in run.events] == [("high", "free"), ("free", "low")]
    assert [e.time for e in run.events] == pytest.approx([1.9, low], abs=1e-12)
    assert [e.cause for e in run.events] == ["loop returns from its limit", "loop reaches its lower limit"]
    t = np.array([1.91, 1.95, 2.2, 2.5])
    at = run.at(t)
    i = 0.9 + 5 * (0.01 - (2 - t) ** 2)
    assert at["loop.output"] == pytest.approx(2 - t + i, abs=1e-12)
    assert run.at([0.5, 1.5, 2.0, 2.9])["loop.mode"].tolist() == [
        ss.Mode.HIGH,
        ss.Mode.HIGH,
        ss.Mode.FREE,
        ss.Mode.LOW,
    ]
    assert run.at([0.0, 1.0, 1.89, 2.6])["loop.output"].tolist() == [1.0, 1.0, 1.0, -1.0]


@pytest.mark.parametrize(("mass", "tn"), [(1.0, 0.3), (1.0, 0.05), (5.0, 0.2)])
def test_back_calculation_agrees_with_independent_integration(mass: float, tn: float) -> None:
    """The loop is one equation with a Lipschitz right side, which DOP853 integrates as it stands."""
    kp, top = 8.0, 2.0
    m = ss.Machine(mass=mass, names=["body"])
    m.add_controller(
        ss.PI(kp=kp, tn=tn, limits=top), name="v", measure="body.velocity", reference=1.0, to="body"
    )
    t = np.linspace(0.0, 8.0, 33)
    run = ss.simulate(m, t_end=8.0, t_eval=t)

    def rhs(_s: float, x: np.ndarray) -> list[float]:
        raw = kp * (1 - x[0]) + x[1]
        u = np.clip(raw, -top, top)
        return [u / mass, kp / tn * (1 - x[0]) + (u - raw) / tn]

    exact = solve_ivp(rhs, (0, 8), [0, 0], method="DOP853", rtol=1e-12, atol=1e-12, max_step=0.002, t_eval=t)
    assert run["body.velocity"] == pytest.approx(exact.y[0], abs=3e-9)
    assert run["v.z"] == pytest.approx(exact.y[1], abs=3e-8)
    assert len(run.events) >= 1 and run.energy.residual < 1e-13


@pytest.mark.parametrize(("mass", "tn"), [(1.0, 0.3), (1.0, 0.05), (5.0, 0.2)])
def test_clamping_agrees_with_small_steps(mass: float, tn: float) -> None:
    """Conditional integration by hand in steps of h, of first order; two step sizes show the limit h -> 0."""
    kp, top = 8.0, 2.0
    m = ss.Machine(mass=mass, names=["body"])
    m.add_controller(
        ss.PI(kp=kp, tn=tn, limits=top, anti_windup="clamping"),
        name="v",
        measure="body.velocity",
        reference=1.0,
        to="body",
    )
    run = ss.simulate(m, t_end=4.0, dt=0.25)

    def by_hand(h: float) -> np.ndarray:
        v, i, out = 0.0, 0.0, []
        for k in range(round(4 / h) + 1):
            if k % round(0.25 / h) == 0:
                out.append(v)
            e = 1 - v
            raw = kp * e + i
            u = min(max(raw, -top), top)
            if not ((raw >= top and e > 0) or (raw <= -top and e < 0)):
                i += h * kp / tn * e
            v += h * u / mass
        return np.array(out)

    fine, finer = by_hand(2e-4), by_hand(1e-4)
    assert np.abs(run["body.velocity"] - finer).max() < 3e-3
    assert np.abs(run["body.velocity"] - (2 * finer - fine)).max() < 1e-3


def test_cascade_of_two_controllers_keeps_its_velocity_limit() -> None:
    """A P controller limited to 0.2 m/s feeds a PI: a long move runs at 0.2 m/s and ends without
    overshoot.
    """
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=0.5, kinetic=0.4))
    m.add_controller(ss.P(kp=5.0, limits=0.2), name="position", measure="slide", reference=1.0)
    m.add_controller(
        ss.PI(kp=50.0, tn=0.1),
        name="velocity",
        measure="slide.velocity",
        reference="position.output",
        to="slide",
    )
    run = ss.simulate(m, t_end=20.0, dt=0.01)
    assert run.at([2.0])["slide.velocity"] == pytest.approx(0.2, rel=1e-6)
    assert run.at([0.0])["position.mode"] == ss.Mode.HIGH
    (back,) = run.events.of("position")
    assert back.before is ss.Mode.HIGH and back.after is ss.Mode.FREE
    assert 1.0 - run.at([back.time])["slide.position"] == pytest.approx(0.2 / 5.0, rel=1e-9)
    assert run["slide.position"].max() < 1.002
    assert np.abs(run["velocity.reference"] - run["position.output"]).max() == 0.0
    assert run.energy.residual < 1e-11


def test_two_controllers_equal_one_cascade() -> None:
    """P and PI wired by hand equal `Cascade`, which is one block."""
    runs = []
    for split in (False, True):
        m = ss.Machine(mass=1.0, stiffness=10.0, names=["slide"])
        reference = ss.Sine(amplitude=0.1, frequency=0.3)
        if split:
            m.add_controller(ss.P(kp=20.0, feedforward=0.7), name="p", measure="slide", reference=reference)
            m.add_controller(
                ss.PI(kp=30.0, tn=0.2), name="v", measure="slide.velocity", reference="p.output", to="slide"
            )
        else:
            control = ss.Cascade(kv=20.0, kp=30.0, tn=0.2, velocity_feedforward=0.7)
            m.add_controller(control, on="slide", reference=reference)
        runs.append(ss.simulate(m, t_end=5.0, dt=0.1)["slide.position"])
    assert runs[0] == pytest.approx(runs[1], abs=1e-14)


@pytest.mark.parametrize("duration", [0.3, 0.7, 1.0, 2.0])
@pytest.mark.parametrize("value", [1e-4, 0.1, 1.0, 2.0])
@pytest.mark.parametrize("before", [0.0, 0.1])
def test_full_feedforward_follows_a_smooth_step_exactly(value: float, duration: float, before: float) -> None:
    """Its speed ends at zero up to rounding: no jump. A rigid mass then follows without any error."""
    m = ss.Machine(mass=2.0, names=["x"])
    control = ss.Cascade(kv=50.0, kp=200.0, tn=0.05, velocity_feedforward=1.0, force_feedforward=2.0)
    reference = ss.SmoothStep(value, duration=duration, before=before)
    m.add_controller(control, name="c", on="x", reference=reference)
    run = ss.simulate(m, t_end=3.0, dt=0.01, initial={"x.position": before})
    assert run["x.position"][-1] == pytest.approx(value, rel=1e-12)
    assert np.abs(run["c.error"]).max() < 1e-14 * max(1.0, value)


def test_rate_of_another_output_matches_closed_form() -> None:
    """Feedforward of the rate of a continuous output: closed form of a double integrator chain.

    p puts out 2 (t - x); the second one adds 0.5 times its rate 2 (1 - v).
    """
    m = ss.Machine(mass=1.0, damping=3.0, names=["slide"])
    m.add_controller(ss.P(kp=2.0), name="p", measure="slide", reference=ss.Ramp(slope=1.0))
    m.add_controller(
        ss.P(kp=1.0, feedforward=0.5), name="v", measure="slide", reference="p.output", to="slide"
    )
    t = np.linspace(0.0, 4.0, 9)
    run = ss.simulate(m, t_end=4.0, t_eval=t)

    def rhs(s: float, y: np.ndarray) -> list[float]:
        return [y[1], 2 * (s - y[0]) - y[0] + 0.5 * 2 * (1 - y[1]) - 3 * y[1]]

    exact = solve_ivp(rhs, (0, 4), [0, 0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t)
    assert run["slide.position"] == pytest.approx(exact.y[0], abs=1e-11)


class TestBadInput:
    def machine(self) -> ss.Machine:
        m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"])
        m.add_friction("guide", on="a", law=ss.Coulomb(static=1.0, kinetic=0.8))
        return m

    def test_algebraic_loop_is_refused(self) -> None:
        m = self.machine()
        m.add_controller(ss.P(kp=1.0), name="x", measure="a", reference="y.output")
        with pytest.raises(
            ss.UnknownNameError, match=r"reference of 'x' = 'y.output': unknown controller 'y'"
        ):
            m.check()
        m.add_controller(ss.P(kp=1.0), name="y", measure="a", reference="x.output")
        with pytest.raises(ValueError, match=r"algebraic loop.*'x' <- 'y' <- 'x'"):
            m.check()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                {"on": "a", "reference": ss.Step(1.0, start=1.0)},
                r"reference of 'p' is not allowed: 'p' needs its derivative.*jumps at t = 1",
            ),
            (
                {"measure": "a", "reference": "held.output"},
                r"'held.output'.*a sampled output jumps",
            ),
            ({"on": "a", "reference": "q.output"}, "reference of 'p' = 'q.output'"),
        ],
    )
    def test_limits_refuse_missing_rates_and_unknown_names(self, arguments: dict, message: str) -> None:
        m = self.machine()
        m.add_controller(ss.P(kp=1.0, feedforward=1.0), name="p", **arguments)
        m.add_controller(ss.P(kp=1.0, period=0.1), name="held", measure="a", reference=0.0)
        with pytest.raises(ValueError, match=message):
            m.check()

    def test_rate_of_a_velocity_is_refused(self) -> None:
        m = self.machine()
        m.add_controller(ss.PID(kp=1.0, kd=1.0), measure="a.velocity", to="a")
        with pytest.raises(ValueError, match=r"'a.velocity'.*acceleration, which jumps"):
            ss.simulate(m, t_end=1.0)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"measure": "c", "to": "a"}, "names 'c', which is unknown; known are: 'a.position'"),
            ({"measure": "a", "to": "c"}, "unknown coordinate 'c'"),
            ({"to": "a"}, "measure of 'p' is missing"),
            ({"on": "a", "measure": "a"}, "on of 'p'"),
            (
                {"measure": ["a", "b"], "to": "a"},
                "measure of 'p' gives 2 signals, but the controller reads 1",
            ),
            ({"measure": "a", "to": ["a", "b"]}, "to of 'p' names 2 targets for 1 outputs"),
            ({"on": "a", "reference": [1.0, 2.0]}, "reference of 'p' gives 2 signals"),
            ({"on": "a", "name": "guide"}, "'guide' is taken"),
            ({"on": "a", "name": "x.y"}, "contains a dot"),
            ({"on": "a", "period": 0.0}, "period = 0"),
            ({"on": "a", "period": -1e-3}, "period = -0.001"),
        ],
    )
    def test_bad_connections_are_refused(self, arguments: dict, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            self.machine().add_controller(ss.P(kp=1.0), **({"name": "p"} | arguments))

    def test_other_objects_as_controllers_are_refused(self) -> None:
        with pytest.raises(ValueError, match=r"control = 3\.0"):
            self.machine().add_controller(3.0, on="a")
        with pytest.raises(ValueError, match=r"control = <class .*P'> is not allowed"):
            self.machine().add_controller(ss.P, on="a")

    def test_impossible_controllers_are_refused(self) -> None:
        with pytest.raises(ValueError, match=r"limits\[0\]"):
            ss.P(kp=1.0, limits=(2.0, 1.0))
        with pytest.raises(ValueError, match=r"t\[2\] = 1"):
            ss.Piecewise(t=[0.0, 2.0, 1.0], values=[0.0, 1.0, 2.0])

    def test_a_failed_addition_leaves_the_machine_as_it_was(self) -> None:
        m = self.machine()
        before = ss.simulate(m, t_end=1.0, initial={"a.velocity": 1.0}).y
        with pytest.raises(ValueError, match="unknown"):
            m.add_controller(ss.P(kp=1.0), measure="nowhere", to="a")
        assert m.controllers == ()
        assert np.array_equal(before, ss.simulate(m, t_end=1.0, initial={"a.velocity": 1.0}).y)
