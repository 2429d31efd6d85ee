"""Relays and quantisers that read outputs of controllers."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.control import LTI


def test_relay_on_proportional_output_is_a_relay_on_its_form() -> None:
    def machine(on: str | dict[str, float]) -> ss.Machine:
        m = ss.Machine(1.0, damping=0.2, stiffness=1.0, names=["x"])
        m.add_controller(ss.P(kp=1.0), "pd", measure={"x.position": 1.0, "x.velocity": 0.7})
        m.add_relay("surface", on=on, low=-3.0, high=3.0, to="x")
        return m

    times, start = np.linspace(0.0, 6.0, 121), {"x.position": 1.0, "x.velocity": 2.0}
    of_output, of_states = (
        ss.simulate(machine(on), 6.0, initial=start, t_eval=times)
        for on in ("pd.output", {"x.position": -1.0, "x.velocity": -0.7})
    )
    assert [e.cause for e in of_output.events] == [e.cause for e in of_states.events]
    assert any(e.cause == "surface slides" for e in of_output.events)
    assert ss.analysis.audit(of_output).passed
    for name in ("x.position", "surface.output"):
        np.testing.assert_allclose(of_output[name], of_states[name], rtol=0, atol=1e-12)


def test_relay_slides_on_a_filtered_velocity() -> None:
    # y = (s + 1)/(s + 5) v: z' = v - 5 z, y = v - 4 z. On y = 0: v = 4 z, z' = -z, and the force is m v' = -4 m z.
    mass, v0 = 2.0, 1.0
    m = ss.Machine(mass, names=["x"])
    m.add_controller(LTI(-5.0, 1.0, -4.0, 1.0, inputs="both", references=1), "filter", reference="x.velocity")
    m.add_relay("surface", on="filter.output", low=4.0, high=-4.0, to="x")
    run = ss.simulate(m, 3.0, initial={"x.velocity": v0})
    slides = next(e.time for e in run.events if e.cause == "surface slides")
    # before: v' = -2
    z = solve_ivp(lambda t, z: v0 - 2.0 * t - 5.0 * z, (0.0, slides), [0.0], rtol=1e-12, atol=1e-14).y[0, -1]
    assert v0 - 2.0 * slides == pytest.approx(4.0 * z, abs=1e-10)
    assert ss.analysis.audit(run).passed
    later = np.linspace(slides, 3.0, 50)[1:]
    found = run.at(later)
    np.testing.assert_allclose(found["x.velocity"], 4.0 * z * np.exp(-(later - slides)), atol=1e-10)
    np.testing.assert_allclose(
        found["surface.output"], -4.0 * mass * z * np.exp(-(later - slides)), atol=1e-9
    )


def test_relay_slides_on_a_moving_reference() -> None:
    # u = kp (r - v) = 0: the relay gives the force m r'; after the step of r it drives v there with its greatest force.
    mass, w, step, high = 0.5, 3.0, 2.0, 4.0
    reference = ss.Sine(1.0, w / (2.0 * np.pi)) + ss.Step(0.5, step)
    m = ss.Machine(mass, names=["x"])
    m.add_controller(ss.P(kp=2.0), "p", measure="x.velocity", reference=reference)
    m.add_relay("drive", on="p.output", low=-high, high=high, to="x")
    run = ss.simulate(m, 4.0)
    times = np.array([0.3, 0.9, 1.5, 1.99, 2.5, 3.7])
    found = run.at(times)
    np.testing.assert_allclose(found["x.velocity"], np.sin(w * times) + 0.5 * (times > step), atol=1e-12)
    np.testing.assert_allclose(found["drive.output"], mass * w * np.cos(w * times), atol=1e-10)
    assert ss.analysis.audit(run).passed
    chase = [e for e in run.events if e.element == "drive" and e.time >= step]
    assert [e.time == step for e in chase] == [True, False]
    # sin(2 w) + 8 tau = sin(w (2 + tau)) + 1/2
    tau = chase[1].time - step
    assert np.sin(w * step) + high / mass * tau == pytest.approx(np.sin(w * (step + tau)) + 0.5, abs=1e-12)


def test_twisting_relays_reach_a_moving_reference() -> None:
    # of kp (r - x), of relative degree two, and of r' - v: the sliding mode holds x = r
    w = 2.0
    m = ss.Machine(1.0, names=["x"])
    m.add_controller(ss.P(kp=3.0), "p", measure="x.position", reference=ss.Sine(0.2, w / (2.0 * np.pi)))
    m.add_relay("of_position", on="p.output", low=-10.0, high=10.0, to="x")
    m.add_relay(
        "of_velocity", on="x.velocity", low=5.0, high=-5.0, to="x",
        threshold=ss.Sine(0.2 * w, w / (2.0 * np.pi), phase=0.5 * np.pi),
    )  # fmt: skip
    run = ss.simulate(m, 4.0, initial={"x.position": 0.3})
    late = run.at(np.linspace(3.0, 4.0, 21))
    np.testing.assert_allclose(late["x.position"], 0.2 * np.sin(w * late.t), atol=1e-10)
    total = late["of_position.output"] + late["of_velocity.output"]
    np.testing.assert_allclose(total, -0.2 * w**2 * np.sin(w * late.t), atol=1e-8)


def test_real_time_relay_follows_a_moving_reference() -> None:
    m = ss.Machine(0.5, names=["x"])
    reference = ss.Sine(1.0, 0.5) + ss.Step(0.5, 2.0)
    m.add_controller(ss.P(kp=2.0), "p", measure="x.velocity", reference=reference)
    m.add_relay("drive", on="p.output", low=-4.0, high=4.0, to="x")
    program = ss.RealTime(m, step=1e-3, outputs=["x.velocity"])
    found = [float(program.step()[0]) for _ in range(3000)]
    expected = ss.simulate(m, 3.0).at(1e-3 * np.arange(1, 3001))["x.velocity"]
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_quantiser_of_a_sampled_output_acts_at_sampling_instants() -> None:
    period, mass, quantum = 0.05, 1.0, 0.5
    m = ss.Machine(mass, names=["x"])
    m.add_controller(
        ss.P(kp=6.0, period=period), "p", measure={"x.position": 1.0, "x.velocity": 0.4}, reference=1.0
    )
    m.add_quantiser("valve", on="p.output", step=quantum, levels=20, to="x")
    run = ss.simulate(m, 3.0)
    assert ss.analysis.audit(run).passed
    x, v, expected = 0.0, 0.0, []
    for _ in range(60):
        u = quantum * np.round(6.0 * (1.0 - x - 0.4 * v) / quantum) / mass
        x, v = x + period * v + 0.5 * period**2 * u, v + period * u
        expected.append((x, v))
    found = run.at(period * np.arange(1, 61))
    np.testing.assert_allclose(np.transpose([found["x.position"], found["x.velocity"]]), expected, atol=1e-12)


def test_hysteresis_relay_behind_a_filter_switches_as_in_scipy() -> None:
    # z' = 3 (x - z), v' = u - v; u = -1 from z = 0.1 upwards, +1 from z = -0.1 downwards
    m = ss.Machine(1.0, damping=1.0, names=["x"])
    m.add_controller(LTI(-3.0, 3.0, 1.0, inputs="both", references=1), "lag", reference="x.position")
    m.add_relay("switch", on="lag.output", low=1.0, high=-1.0, hysteresis=0.2, to="x")
    run = ss.simulate(m, 20.0, initial={"x.position": 1.0})
    t, y, u, switchings = 0.0, [1.0, 0.0, 0.0], 1.0, []
    while t < 20.0:

        def crosses(_: float, y: list[float], u: float = u) -> float:
            return y[2] - 0.1 * u

        crosses.terminal, crosses.direction = True, u  # type: ignore[attr-defined]
        part = solve_ivp(
            lambda _, y, u=u: [y[1], u - y[1], 3.0 * (y[0] - y[2])],
            (t, 20.0), y, "DOP853", events=crosses, rtol=1e-12, atol=1e-13,
        )  # fmt: skip
        t, y, u = part.t[-1], part.y[:, -1], -u
        if t < 20.0:
            switchings.append(t)
    found = [e.time for e in run.events if e.element == "switch"]
    np.testing.assert_allclose(found, switchings, atol=1e-9)
    assert len(found) > 4


@pytest.mark.parametrize(
    ("control", "on", "message"),
    [
        (ss.P(kp=1.0, period=0.1), {"c.output": -1.0, "x.velocity": -1.0}, "a hysteresis > 0"),
        (ss.P(kp=1.0, limits=(-1.0, 1.0)), "c.output", "give it a period, or leave its limits out"),
        (ss.P(kp=1.0), "d.output", "unknown controller 'd'"),
        (ss.P(kp=1.0), "c.output1", "'c' has 1 outputs"),
    ],
)
def test_outputs_that_a_relay_cannot_read_are_named(control, on, message) -> None:
    m = ss.Machine(1.0, names=["x"])
    m.add_controller(control, "c", measure="x.position")
    m.add_relay("r", on=on, low=-1.0, high=1.0, to="x")
    with pytest.raises((ValueError, KeyError), match=message):
        ss.simulate(m, 1.0)
