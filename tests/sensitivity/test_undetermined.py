"""Where derivatives end, the run says so and gives no number."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


def pushed(force: float) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": force})
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    return m


def test_derivatives_end_at_a_grazing_guard() -> None:
    """Thrown up just to the ceiling: a little faster it would hit, so the way down has no derivative."""
    m = ss.Machine(mass=[1.0], names=["ball"], force={"ball": -1.0})
    m.add_contact("ceiling", {"ball": -1.0}, gap=0.5, restitution=0.5)
    run = ss.simulate(m, 1.9, dt=0.1, initial={"ball.velocity": 1.0}, sensitivities=["ball.velocity"])
    assert not run.events
    until = run.sensitivity.valid_until
    assert (
        until.time == pytest.approx(1.0, abs=1e-6)
        and "'ceiling'" in until.reason
        and "grazing" in until.reason
    )
    np.testing.assert_allclose(run.sensitivity["ball.position", "ball.velocity"][:10], run.t[:10], rtol=1e-11)
    assert np.isnan(run.sensitivity.end).all()


def test_derivatives_end_where_event_order_changes() -> None:
    """Two balls hit together: the order changes with the height of one, not with gravity."""
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"], force={"a": -1.0, "b": -1.0})
    for name in ("a", "b"):
        m.add_contact(f"floor {name}", {name: 1.0}, restitution=0.5)
    start = {"a.position": 1.0, "b.position": 1.0}
    until = ss.simulate(m, 2.0, initial=start, sensitivities=["a.position"]).sensitivity.valid_until
    assert until.time == pytest.approx(np.sqrt(2)) and "order changes with 'a.position'" in until.reason
    later = ss.simulate(m, 1.4, initial=start, sensitivities=["a.position"])
    assert later.sensitivity.valid_until.time == np.inf


@pytest.mark.parametrize(
    ("force", "parameter", "said"),
    [
        (1.0, "guide.law.static", "start exactly at an event"),  # at the limit to the last digit
        (0.9, "slide.velocity", "a force above its kinetic friction"),  # once moving it would go on
        (
            1.5,
            "slide.velocity",
            "start exactly at an event",
        ),  # at once on its way: friction turns with the start velocity
    ],
)
def test_derivatives_end_at_a_start_on_a_guard(force: float, parameter: str, said: str) -> None:
    run = ss.simulate(pushed(force), 2.0, sensitivities=[parameter])
    assert run.sensitivity.valid_until.time == 0.0
    assert run.sensitivity.valid_until.event is None
    assert said in run.sensitivity.valid_until.reason
    assert np.isnan(run.sensitivity["slide.position", parameter]).all()


def test_derivatives_end_at_start_at_limit_of_vertical_tangent() -> None:
    """With a shape below 1 friction falls infinitely fast; a neighbouring start breaks away later, or has slid further."""
    force = ss.Constant(1.0) + ss.Ramp(slope=0.5)
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": force})
    m.add_friction("guide", on="slide", law=ss.Stribeck(1.0, 0.8, 0.1, shape=0.5))
    run = ss.simulate(m, 2.0, sensitivities=["slide.mass"])
    until = run.sensitivity.valid_until
    assert until.time == 0.0 and "no derivative exists: 'guide' breaks away at the start" in until.reason


def test_start_restored_to_rest_has_derivatives() -> None:
    """Under less than kinetic friction a small start velocity is gone at once: it moves nothing."""
    run = ss.simulate(pushed(0.5), 2.0, sensitivities=["slide.velocity", "slide.position"])
    assert run.sensitivity.valid_until.time == np.inf
    np.testing.assert_allclose(run.sensitivity.end, [[0.0, 1.0], [0.0, 0.0]], atol=1e-12)


def test_slip_start_independent_of_the_parameter_has_derivatives() -> None:
    run = ss.simulate(pushed(1.5), 2.0, sensitivities=["guide.law.kinetic"])
    np.testing.assert_allclose(run.sensitivity.end, [[-2.0], [-2.0]], rtol=1e-11)


def test_derivatives_end_where_two_feet_hit_together() -> None:
    """With another angle, which is zero and has no known size, one contact hits before the other."""
    m = ss.Machine(mass=[1.0, 0.1], names=["y", "phi"], force={"y": -9.81})
    for name, arm in (("left", -0.2), ("right", 0.2)):
        m.add_contact(name, normal={"y": 1.0, "phi": arm}, restitution=0.3)
    run = ss.simulate(m, t_end=0.5, initial={"y.position": 0.5}, sensitivities=["phi.position"])
    until = run.sensitivity.valid_until
    assert until.time == pytest.approx(np.sqrt(1.0 / 9.81), rel=1e-12)
    assert "order changes with 'phi.position'" in until.reason
    assert run.at([0.3]).sensitivity["phi.position", "phi.position"] == pytest.approx([1.0], rel=1e-12)
