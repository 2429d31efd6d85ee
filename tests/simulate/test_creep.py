"""Motions that come to rest without ever stopping, and elements that leave rest by a high derivative."""

import numpy as np
import pytest
from scipy.linalg import expm

import stickslip as ss


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("shape", [1.0, 2.0])
def test_drive_that_creeps_to_its_target_at_the_static_level_ends_at_rest(shape, rtol):
    """With F_v above the slope of the curve sliding is stable down to v = 0 and the loop carries just F_s there.

    The speed decays as fast as the loop allows, below any tolerance; a run must neither stall nor log a slip for
    every rounding error.
    """
    k, d = 5e6, 600.0
    m = ss.Machine(
        mass=[40.0, 20.0], stiffness=[[k, -k], [-k, k]], damping=[[d, -d], [-d, d]], names=["motor", "slide"]
    )
    law = ss.Stribeck(static=0.1, kinetic=0.06, stribeck_velocity=2e-3, shape=shape, viscous=30.0)
    m.add_friction("guide", on="slide", law=law, normal_load=200.0)
    control = ss.Cascade(kv=60.0, kp=1.2e4, tn=0.02, position="load", velocity_feedforward=1.0)
    reference = ss.PointToPoint(distance=0.02, velocity=0.1, acceleration=1.0, jerk=50.0)
    m.add_controller(control, measure=("slide", "motor"), to="motor", reference=reference)
    run = ss.simulate(m, 4.0, rtol=rtol)
    assert run.success
    assert len(run.events) < 250  # thousands, where errors of integration are taken for slips
    end = run.at([4.0])
    assert end["slide.position"][0] == pytest.approx(0.02, abs=3e-10)
    assert abs(end["guide.force"][0]) == pytest.approx(20.0, rel=1e-4)


def test_no_slip_of_a_real_motion_is_lost():
    """Slips shorter than the belt's own swing, but as fast as it: a surface that vibrates at 40 times sqrt(k/m)."""
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
    surface = ss.Sine(amplitude=0.03, frequency=40.0 / (2 * np.pi))
    law = ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.1)
    m.add_friction("belt", on="block", law=law, surface_velocity=surface)
    run = ss.simulate(m, 20.0)
    stops = [e for e in run.events if e.after == ss.Mode.STICK]
    assert len(stops) > 200
    assert all(e.rule != "accumulation" for e in run.events)


@pytest.mark.parametrize(
    "force", [ss.Constant(1.0), ss.Ramp(slope=1.0), ss.Sine(amplitude=1.0, frequency=0.5)]
)
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_unloaded_element_at_the_far_end_leaves_rest_by_a_high_derivative(force, damping):
    """Without normal load the element has no effect: the chain follows the matrix exponential."""
    stiffness = np.array([[1.0, -1.0], [-1.0, 1.0]])
    m = ss.Machine(
        mass=[1.0, 1.0],
        stiffness=stiffness,
        damping=damping * stiffness,
        names=["motor", "load"],
        force={"motor": force},
    )
    law = ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=1.0)
    m.add_friction("guide", on="load", law=law, normal_load=0.0)
    run = ss.simulate(m, 3.0, rtol=1e-10)
    assert run.success
    # x' = A x + b u with u'' = a u: the force as states of its own
    A = np.zeros((6, 6))
    A[:2, 2:4] = np.eye(2)
    A[2:4, :2], A[2:4, 2:4] = -stiffness, -damping * stiffness
    A[2, 4], A[4, 5] = 1.0, 1.0
    A[5, 4] = -(np.pi**2) if isinstance(force, ss.Sine) else 0.0
    start = {ss.Constant: [1.0, 0.0], ss.Ramp: [0.0, 1.0], ss.Sine: [0.0, np.pi]}[type(force)]
    expected = (expm(3.0 * A) @ np.array([0, 0, 0, 0, *start]))[:4]
    end = run.at([3.0])
    got = [end[f"{n}.{q}"][0] for q in ("position", "velocity") for n in ("motor", "load")]
    np.testing.assert_allclose(got, expected, rtol=2e-9)
