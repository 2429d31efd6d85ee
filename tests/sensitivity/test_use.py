"""Requests for derivatives, and requests that are refused."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


def block() -> ss.Machine:
    m = ss.Machine(mass=[1.3], stiffness=[[2.0]], names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


def run(*parameters: str) -> ss.Trajectory:
    return ss.simulate(block(), 20.0, dt=0.5, initial={"block.velocity": 0.2}, sensitivities=parameters)


def test_sensitivities_leave_the_run_bitwise_equal() -> None:
    plain, other = run(), run("belt.law.static", "block.mass")
    assert plain.state == other.state
    np.testing.assert_array_equal(plain.y, other.y)
    assert plain.events == other.events


def test_derivatives_of_other_signals_agree_with_differences() -> None:
    """The friction force is k x + m a where it slides, and k x where it sticks."""
    r = run("block.stiffness", "belt.law.kinetic")
    s = r.sensitivity
    slides = r["belt.mode"] != ss.Mode.STICK
    force = s["belt.force", "belt.law.kinetic"]
    np.testing.assert_allclose(force[slides], np.sign(r["belt.force"][slides]), atol=1e-9)
    held = s["belt.force", "block.stiffness"][~slides]
    moved = -(r["block.position"] + 2.0 * s["block.position", "block.stiffness"])[~slides]
    np.testing.assert_allclose(held, moved, rtol=1e-8)
    np.testing.assert_allclose(
        s["block.acceleration", "belt.law.kinetic"][slides],
        -(force + 2.0 * s["block.position", "belt.law.kinetic"])[slides] / 1.3, rtol=1e-7,
    )  # fmt: skip


def test_derivatives_have_documented_shapes() -> None:
    r = run("belt.law.static", "block.mass")
    assert r.sensitivity.parameters == ("belt.law.static", "block.mass")
    assert r.sensitivity.states.shape == (2, 2, r.t.size)
    np.testing.assert_array_equal(r.sensitivity["block.velocity", "block.mass"], r.sensitivity.states[1, 1])
    again = r.at([3.25, 7.5])
    np.testing.assert_array_equal(again.sensitivity["block.position", "block.mass"].shape, (2,))
    np.testing.assert_allclose(again.sensitivity.states[:, :, 1], r.sensitivity.states[:, :, 15])
    part = r.events[1:3]
    assert part[0].sensitivity["block.mass"] == r.events[1].sensitivity["block.mass"]
    assert run().events[0].sensitivity is None


def test_derivatives_on_both_sides_of_an_event_match() -> None:
    """At the start of stick the velocity is that of the belt on both sides, for any parameters."""
    r = run("belt.law.static", "belt.surface_velocity")
    stops = next(e for e in r.events if e.after == ss.Mode.STICK)
    assert stops.sensitivity is not None
    for side in (stops.sensitivity.before, stops.sensitivity.after):
        np.testing.assert_allclose(side[1], [0.0, 1.0], atol=1e-10)
    assert (
        list(stops.sensitivity) == ["belt.law.static", "belt.surface_velocity"]
        and len(stops.sensitivity) == 2
    )


def test_derivative_at_a_bound_is_one_sided() -> None:
    """Kinetic friction at the static level can only fall."""
    m = ss.Machine(mass=2.0, names=["slide"], force={"slide": -3.0})
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=1.0))
    r = ss.simulate(m, 2.0, initial={"slide.velocity": 5.0}, sensitivities=["guide.law.kinetic"])
    np.testing.assert_allclose(r.sensitivity.end[:, 0], [-1.0, -1.0], rtol=1e-9)


def test_crossings_do_not_shift_event_derivatives() -> None:
    """Marks among the events shift the derivatives of no event."""
    mark = ss.Crossing("block.position", level=0.2)
    plain = run("belt.law.static")
    r = ss.simulate(
        block(), 20.0, initial={"block.velocity": 0.2}, sensitivities=["belt.law.static"], events=mark
    )
    changes = [e for e in r.events if e.element == "belt"]
    assert len(r.events) > len(changes) == len(plain.events)
    for one, other in zip(changes, plain.events, strict=True):
        assert one.sensitivity is not None and other.sensitivity is not None
        assert one.sensitivity["belt.law.static"] == other.sensitivity["belt.law.static"]


def test_bad_sensitivities_are_refused() -> None:
    with pytest.raises(ss.UnknownNameError, match="unknown parameter 'belt.nothing'"):
        run("belt.nothing")
    with pytest.raises(ValueError, match="'block.mass' is given twice"):
        run("block.mass", "block.mass")
    with pytest.raises(ValueError, match="sequence of names"):
        ss.simulate(block(), 1.0, sensitivities="block.mass")
    r = run("block.mass")
    with pytest.raises(ss.UnknownNameError, match="no derivatives by 'belt.law.static' were requested"):
        r.sensitivity["block.position", "belt.law.static"]
    with pytest.raises(ss.UnknownNameError, match="unknown signal 'nothing'"):
        r.sensitivity["nothing", "block.mass"]
    with pytest.raises(ValueError, match="a mode has no derivative"):
        r.sensitivity["belt.mode", "block.mass"]
    with pytest.raises(ValueError, match="a signal and a parameter"):
        r.sensitivity["block.mass"]
    with pytest.raises(ValueError, match="no derivatives: request them"):
        _ = run().sensitivity
    for options in ({"keep": "events"}, {"method": "time_stepping", "max_step": 1e-3}, {"state": r.state}):
        with pytest.raises(ValueError, match="sensitivities and .* exclude each other: "):
            ss.simulate(block(), 40.0, sensitivities=["block.mass"], **options)


def test_a_value_at_which_the_law_changes_its_kind_is_refused() -> None:
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Viscous(0.5))
    with pytest.raises(ValueError, match="'guide.law.exponent'.*of another kind"):
        ss.simulate(m, 1.0, sensitivities=["guide.law.exponent"])


def test_quantisers_and_delays_are_refused_by_name() -> None:
    m = block()
    m.add_controller(ss.PID(kp=3.0, quantum=1e-3, period=0.01), name="loop", on="block", reference=1.0)
    with pytest.raises(ValueError, match="quantisation of controller 'loop'"):
        ss.simulate(m, 1.0, sensitivities=["block.mass"])
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction(
        "guide", on="slide", law=ss.StickSlip(ss.Stribeck(1.0, 0.8, 0.1), memory=ss.DeadTime(0.01))
    )
    with pytest.raises(ValueError, match="dead time, which 'guide' has"):
        ss.simulate(m, 1.0, sensitivities=["slide.mass"])


def test_infinite_values_are_refused_by_name() -> None:
    """Zero quantum and infinite limit: near the first every value makes steps, near the second there is no value."""
    m = block()
    m.add_controller(ss.PID(kp=3.0, period=0.01), name="loop", on="block", reference=1.0)
    with pytest.raises(ValueError, match=r"'loop.control.quantum': quantisation has no derivative"):
        ss.simulate(m, 1.0, sensitivities=["loop.control.quantum"])
    for name in ("loop.control.limits.min", "loop.control.limits.max"):
        with pytest.raises(ValueError, match=rf"'{name}', which is infinite"):
            ss.simulate(m, 1.0, sensitivities=[name])
