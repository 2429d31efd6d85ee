"""Sliding modes of relays, their beginning and end, and switchings that accumulate."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


def _spiral() -> ss.StateSpace:
    """Filippov (1988): ``x' = -2 [[1, -1.5], [1.5, 1]] sgn x``."""
    b = -2.0 * np.array([[1.0, -1.5], [1.5, 1.0]])
    plant = ss.StateSpace(A=np.zeros((2, 2)), B=b, C=np.eye(2), states=["x", "y"])
    plant.add_relay("first", on="x", low=-1.0, high=1.0, to="u0")
    plant.add_relay("second", on="y", low=-1.0, high=1.0, to="u1")
    return plant


def test_spiral_of_filippov_rests_after_infinitely_many_switchings() -> None:
    """``d/dt (|x| + |y|) = -4``, so that it ends at (3 + 3) / 4."""
    run = ss.simulate(_spiral(), 2.0, initial={"x": 3.0, "y": 3.0}, dt=0.25)
    assert run.events[-1].time == pytest.approx(1.5, abs=1e-12)
    assert len(run.events) > 20
    assert run["first.mode"][-1] == run["second.mode"][-1] == ss.Mode.FREE
    assert np.abs(run.y[:, -1]).max() < 1e-30
    assert run["first.output"][-1] == run["second.output"][-1] == 0.0


def _settled(gain: float, beta: float, x: float, v: float) -> float:
    """End of ``x'' = -gain (sgn x + beta sgn x')`` from x, v > 0: swings with accelerations ``gain (1 +- beta)``."""
    out, back = gain * (1.0 + beta), gain * (1.0 - beta)
    top = x + v**2 / (2.0 * out)
    speed, ratio = np.sqrt(2.0 * back * top), np.sqrt(back / out)
    settled: float = v / out + speed / back + speed * (1.0 / out + ratio / back) / (1.0 - ratio)
    return settled


def _twisting_matrices(gain: float, beta: float) -> ss.StateSpace:
    plant = ss.StateSpace(A=[[0.0, 1.0], [0.0, 0.0]], B=[0.0, 1.0], C=np.eye(2), states=["x", "v"])
    plant.add_relay("of_x", on="x", low=gain, high=-gain, to="u0")
    plant.add_relay("of_v", on="v", low=beta * gain, high=-beta * gain, to="u0")
    return plant


def _twisting_machine(gain: float, beta: float) -> ss.Machine:
    m = ss.Machine(mass=2.0, names=["slide"])
    m.add_relay("of_x", on="slide", low=2.0 * gain, high=-2.0 * gain, to="slide")
    m.add_relay("of_v", on="slide.velocity", low=2.0 * beta * gain, high=-2.0 * beta * gain, to="slide")
    return m


@pytest.mark.parametrize("made", [_twisting_matrices, _twisting_machine])
def test_twisting_ends_in_its_limit(made: object) -> None:
    """Levant (1993), G = 10, beta = 0.3 from (10, 10)."""
    end = _settled(10.0, 0.3, 10.0, 10.0)
    assert end == pytest.approx(12.264208764653927, abs=4e-15)
    machine = made(10.0, 0.3)  # type: ignore[operator]
    x, v = machine.states[:2]
    run = ss.simulate(machine, 13.0, initial={x: 10.0, v: 10.0}, dt=0.5)
    assert run.success
    last = run.events.of("of_x")[-1]
    assert last.time == pytest.approx(end, abs=2e-10)
    assert str(last.after) == "free"
    assert run.events[-1].time == last.time
    assert run.y[:2, -1].tolist() == [0.0, 0.0]


def test_twisting_about_a_moving_threshold_follows_it() -> None:
    """``x'' = -G (sgn(x - r) + beta sgn(x' - r'))`` with a quadratic r moves as ``x'' = d`` relative to it."""
    m = ss.Machine(mass=1.0, names=["x"])
    r = ss.Sine(amplitude=1.0, frequency=0.1)
    m.add_relay("of_x", on="x", low=10.0, high=-10.0, to="x", threshold=r)
    m.add_relay("of_v", on="x.velocity", low=5.0, high=-5.0, to="x", threshold=r.derivative())
    run = ss.simulate(m, 10.0, initial={"x.position": 0.5}, dt=0.5)
    late = run.t > 5.0
    w = 2.0 * np.pi * 0.1
    assert np.abs(run["x.position"] - np.sin(w * run.t))[late].max() < 1e-10
    total = run["of_x.output"] + run["of_v.output"]
    assert total[late] == pytest.approx(-(w**2) * np.sin(w * run.t[late]), abs=1e-10)


def test_sliding_mode_control_matches_closed_form() -> None:
    """``x'' = -u sgn(x' + c x) + d``: from the surface on ``x = x_1 exp(-c (t - t_1))``, with the output ``c^2 x - d``."""
    c, u, d = 2.0, 5.0, 0.7
    m = ss.Machine(mass=1.0, names=["x"], force={"x": d})
    m.add_relay("surface", on={"x.velocity": 1.0, "x.position": c}, low=u, high=-u, to="x")
    run = ss.simulate(m, 4.0, initial={"x.position": 1.0}, dt=0.25)
    hit = run.events[0]
    a = d - u  # x' + c x = a t + c (1 + a t^2 / 2) = 0
    t1 = (-a - np.sqrt(a**2 - 2.0 * a * c**2)) / (a * c)
    t1 = max(np.roots([0.5 * a * c, a, c]).real)
    assert hit.time == pytest.approx(t1, abs=1e-14)
    assert (hit.cause, str(hit.after)) == ("surface slides", "free")
    x1 = 1.0 + 0.5 * a * t1**2
    later = run.t > t1
    x = x1 * np.exp(-c * (run.t[later] - t1))
    assert run["x.position"][later] == pytest.approx(x, abs=1e-14)
    assert run["surface.output"][later] == pytest.approx(c**2 * x - d, abs=1e-13)
    audit = ss.analysis.audit(run)
    assert audit.passed, audit
    assert run.energy.residual < 1e-12


def test_sliding_ends_where_the_equivalent_control_reaches_an_output() -> None:
    m = ss.Machine(mass=2.0, names=["x"], force={"x": ss.Ramp(slope=1.5)})
    m.add_relay("hold", on="x.velocity", low=4.0, high=-3.0, to="x")
    run = ss.simulate(m, 3.0, dt=0.5)
    (event,) = run.events
    assert (event.time, event.cause, str(event.after)) == (2.0, "hold stops sliding", "high")
    assert run["hold.output"][1] == pytest.approx(-0.75, abs=1e-15)
    assert run["x.velocity"][-1] == pytest.approx(0.75 * 1.0**2 / 2.0, abs=1e-15)
    assert ss.analysis.audit(run).passed


def test_sliding_follows_a_moving_threshold() -> None:
    m = ss.Machine(mass=2.0, names=["x"])
    m.add_relay("drive", on="x.velocity", low=4.0, high=-4.0, to="x", threshold=ss.Ramp(slope=0.5, start=1.0))
    run = ss.simulate(m, 3.0, dt=0.5)
    assert run["x.velocity"] == pytest.approx(0.5 * np.maximum(run.t - 1.0, 0.0), abs=1e-15)
    assert run["drive.output"][run.t > 1.0] == pytest.approx(1.0, abs=1e-15)
    assert run.energy.residual < 1e-12
    assert ss.analysis.audit(run).passed


def test_sliding_ends_where_the_threshold_jumps() -> None:
    speed = ss.Piecewise([0.0, 1.0, 1.0, 2.0], [0.0, 0.0, 1.0, 1.0])
    m = ss.Machine(mass=2.0, names=["x"])
    m.add_relay("drive", on="x.velocity", low=4.0, high=-4.0, to="x", threshold=speed)
    run = ss.simulate(m, 2.0)
    assert [(e.time, str(e.before), str(e.after)) for e in run.events] == [
        (1.0, "free", "low"),
        (1.5, "low", "free"),
    ]


def test_relay_and_friction_share_one_decision() -> None:
    """A relay holds a block against a belt: it slides until the belt's friction exceeds its output."""
    m = ss.Machine(mass=1.0, names=["x"], force={"x": ss.Ramp(slope=1.0)})
    m.add_friction("guide", on="x", law=ss.Coulomb(static=1.0, kinetic=0.5))
    m.add_relay("hold", on="x.velocity", low=2.0, high=-2.0, to="x")
    run = ss.simulate(m, 4.0)
    assert np.array(run.events.time) == pytest.approx(3.0, abs=1e-15)
    assert run["x.velocity"][-1] == pytest.approx(0.5 * 1.0 + 0.5 * 1.0, abs=1e-14)
    assert ss.analysis.audit(run).passed
