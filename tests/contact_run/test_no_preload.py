"""Contacts that could press against each other alone: what they hold by friction is what presses them, and no more."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


def breaks_away(m: ss.Machine, t_end: float) -> float:
    run = ss.simulate(m, t_end)
    assert run.success and ss.analysis.audit(run).passed
    return next(e.time for e in run.events if e.time > 0.0 and str(e.before) == "stick")


@pytest.mark.parametrize("weight", [3.0, -3.0, 0.5])
@pytest.mark.parametrize("floors", [1, 2])
@pytest.mark.parametrize("mu", [(0.3, 0.3), (0.3, 0.6)])
def test_block_between_floor_and_ceiling_breaks_away_by_its_weight(
    weight: float, floors: int, mu: tuple[float, float]
) -> None:
    """Pushed along by t newtons it starts at the friction of the side on which its weight lies."""
    m = ss.Machine(mass=[2.0, 2.0], names=["x", "y"], force={"x": ss.Ramp(slope=1.0), "y": -weight})
    for k in range(floors):
        m.add_contact(f"floor{k}", normal={"y": 1.0}, tangent={"x": 1.0}, friction=mu[0])
    m.add_contact("ceiling", normal={"y": -1.0}, tangent={"x": 1.0}, friction=mu[1])
    level = abs(weight) * (mu[0] if weight > 0.0 else mu[1])
    assert breaks_away(m, 3.0) == pytest.approx(level, rel=1e-12)


@pytest.mark.parametrize("press", [1.0, 4.0])
def test_jaw_that_is_pressed_holds_by_both_of_its_sides(press: float) -> None:
    """A load that presses is no preload: block between an anvil and a jaw under a force P holds 2 mu P."""
    m = ss.Machine(
        mass=np.diag([1.0, 1.0, 1.0]), names=["x", "y", "jaw"], force={"x": ss.Ramp(slope=1.0), "jaw": -press}
    )
    m.add_contact("anvil", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.25)
    m.add_contact("grip", normal={"jaw": 1.0, "y": -1.0}, tangent={"x": 1.0}, friction=0.25)
    m.add_contact("stop", normal={"jaw": -1.0})
    assert breaks_away(m, 4.0) == pytest.approx(0.5 * press, rel=1e-12)


def test_weight_that_changes_its_side_takes_its_friction_with_it() -> None:
    """The weight falls to nothing at t = 1; the block starts when it has halved."""
    m = ss.Machine(mass=[2.0, 2.0], names=["x", "y"], force={"x": 0.1, "y": ss.Ramp(slope=1.0, offset=-1.0)})
    for name, side in (("floor", 1.0), ("ceiling", -1.0)):
        m.add_contact(name, normal={"y": side}, tangent={"x": 1.0}, friction=0.2)
    assert breaks_away(m, 2.0) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("later", [1e-1, 1e-4, 1e-6, 1e-8])
def test_force_reversal_just_after_a_flank_change_is_followed(later: float) -> None:
    """Where the force is zero the walls change over, however soon a breakpoint takes it back.

    A block between two rough walls, pressed by 1 - t until it turns back `later`: it slides on by v' = -mu |force|. What
    slides elsewhere by a curved law keeps the motion from being exact.
    """
    m = ss.Machine(mass=[1.0, 1.0, 1.0], names=["x", "y", "z"])
    for name, side in (("left", 1.0), ("right", -1.0)):
        m.add_contact(name, normal={"x": side}, tangent={"y": 1.0}, friction=0.3)
    m.add_friction("guide", on="z", law=ss.Stribeck(1.0, 0.5, 1.0) + ss.Viscous(0.1))
    m.add_force("x", ss.Samples([0.0, 1.0 + later, 3.0], [-1.0, later, 2.0 * later - 2.0]))
    run = ss.simulate(m, 2.0, initial={"y.velocity": 2.0, "z.velocity": 1.0})
    assert run.success
    t = np.array([0.25, 1.0 + 0.5 * later, 1.0 + 1.5 * later, 2.0])
    force = np.where(t < 1.0 + later, t - 1.0, 1.0 + 2.0 * later - t)
    there = run.at(t)
    np.testing.assert_allclose(there["left.normal_force"], np.maximum(-force, 0.0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(there["right.normal_force"], np.maximum(force, 0.0), rtol=1e-12, atol=1e-15)
    pressed = np.array([0.5 * (1.0 - 0.75**2), 0.5 + 0.125 * later**2, 0.5 + 0.875 * later**2])
    ends = 0.5 + later**2 + 0.5 * (1.0 - 2.0 * later) ** 2
    np.testing.assert_allclose(there["y.velocity"], 2.0 - 0.3 * np.append(pressed, ends), rtol=1e-12)


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_impact_does_not_preload_a_block_between_walls(law: str) -> None:
    """A hammer hits a block that fills a rough slot: momentum alone decides, the walls give no impulse along it."""
    m = ss.Machine(mass=[2.0, 2.0, 1.0], names=["x", "y", "hammer"])
    for name, side in (("floor", 1.0), ("ceiling", -1.0)):
        m.add_contact(name, normal={"y": side}, tangent={"x": 1.0}, friction=0.5, impact=law)
    m.add_contact("face", normal={"x": 1.0, "hammer": -1.0}, gap=0.1, restitution=0.5, impact=law)
    run = ss.simulate(m, 1.0, initial={"hammer.velocity": 3.0})
    assert run.success
    # (1 + e) v m_h/(m_h + m_x) = 1.5 m/s for the block; the hammer has lost twice as much
    np.testing.assert_allclose(run.state.x[3:], [1.5, 0.0, 0.0], atol=1e-14)
    assert all(
        e.normal_impulse == e.tangential_impulse == 0.0
        for e in run.events
        if e.impact and e.element != "face"
    )


@pytest.mark.parametrize("walls", [("left", "right"), ("right", "left")])
@pytest.mark.parametrize("rtol", [1e-6, 1e-10])
def test_forces_of_least_norm_change_walls_with_their_load(walls: tuple[str, str], rtol: float) -> None:
    """A guide holds a pin between two walls; the load t - 1 is half that of the guide, half that of one wall.

    A block that slides along the walls, pushed by 1 N, is braked by 0.3 of what they carry. At t = 1 every choice of walls
    has the same forces, zero: what follows decides, not the order of the walls.
    """
    m = ss.Machine(mass=[2.0, 1.0], names=["pin", "block"])
    m.add_force("pin", ss.Ramp(slope=1.0, offset=-1.0))
    m.add_force("block", 1.0)
    m.add_friction("guide", on="pin", law=2.0)
    for name in walls:
        side = 1.0 if name == "left" else -1.0
        m.add_contact(name, normal={"pin": side}, tangent={"block": 1.0}, friction=0.3)
    run = ss.simulate(m, 2.0, rtol=rtol)
    assert run.success and ss.analysis.audit(run).passed
    t = np.linspace(0.0, 2.0, 33)
    there, load = run.at(t), t - 1.0
    np.testing.assert_allclose(there["guide.force"], 0.5 * load, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(
        there["left.normal_force"], np.maximum(-0.5 * load, 0.0), rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(
        there["right.normal_force"], np.maximum(0.5 * load, 0.0), rtol=1e-12, atol=1e-15
    )
    braked = 0.3 * 0.25 * (1.0 + load * np.abs(load))
    np.testing.assert_allclose(there["block.velocity"], t - braked, rtol=1e-12, atol=1e-15)
