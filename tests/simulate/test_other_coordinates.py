"""One machine in other coordinates q = T p: the same motion. Products with the mass matrix then cancel to rounding."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

STIFFNESS = 37.0 * np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
MASS = np.diag([1.0, 2.0, 1.0])
START, END = 0.4229670332661486, 1.5
TRANSFORMS = {
    "sums": [[1, 2, 0], [0, 1, -1], [0, 0, 1]],
    "differences": [[1, -1, 0], [0, 1, -1], [0, 0, 1]],
    "all": [[2, 1, 1], [1, 1, 1], [1, 1, 2]],
}


def _run(transform: np.ndarray, gain: float) -> ss.Trajectory:
    """Three masses on springs, the middle one held by friction, and a lead controller on the first one."""
    names = ["p0", "p1", "p2"]
    m = ss.Machine(transform.T @ MASS @ transform, stiffness=transform.T @ STIFFNESS @ transform, names=names)

    def row(mass: int) -> dict[str, float]:
        return {name: float(part) for name, part in zip(names, transform[mass], strict=True) if part}

    m.add_friction("guide", on=row(1), law=ss.Coulomb(static=2.5, kinetic=2.0))
    reference = ss.SmoothStep(1.0, START, END + 1.0)
    lead = ss.LTI(A=-88.0, B=1.0, C=-60.0 * gain, D=gain)
    position = {f"{name}.position": part for name, part in row(0).items()}
    m.add_controller(lead, "loop", measure=position, reference=reference, to=row(0))
    return ss.simulate(m, END)


@pytest.mark.parametrize("gain", [0.0, 10.0, 100.0])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_the_motion_is_that_in_other_coordinates(transform: str, gain: float) -> None:
    T = np.array(TRANSFORMS[transform], dtype=float)
    run, other = _run(np.eye(3), gain), _run(T, gain)
    assert run.status == other.status == "finished"
    assert [(e.element, str(e.after)) for e in run.events] == [
        (e.element, str(e.after)) for e in other.events
    ]
    assert other.events.time == pytest.approx(run.events.time, abs=1e-12)
    t = np.linspace(0.0, END, 31)
    np.testing.assert_allclose(T @ other.sol(t)[:3], run.sol(t)[:3], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_friction_loaded_by_a_constraint_without_force_holds_a_body_without_load(seed: int) -> None:
    """A force on one body alone: the rail of the second has no force, up to rounding in other coordinates."""
    rng = np.random.default_rng(seed)
    T = np.eye(4)
    for _ in range(4):
        i, j = rng.choice(4, 2, replace=False)
        T[i] += rng.choice([-1, 1]) * T[j]
    mass, force = rng.uniform(1.0, 3.0, 4), -0.259
    names = ["p0", "p1", "p2", "p3"]
    m = ss.Machine(T.T @ np.diag(mass) @ T, names=names)

    def row(body: int) -> dict[str, float]:
        return {name: float(part) for name, part in zip(names, T[body], strict=True) if part}

    m.add_constraint("rail", on=row(1))
    m.add_friction("guide", on=row(3), law=ss.Coulomb(static=0.3, kinetic=0.15), normal_load="rail.force")
    m.add_force(row(0), force)
    run = ss.simulate(m, 2.0)
    assert run.status == "finished"
    t = np.linspace(0.0, 2.0, 11)
    body = T @ run.sol(t)[:4]
    np.testing.assert_allclose(body[0], 0.5 * force / mass[0] * t**2, rtol=1e-13)
    np.testing.assert_allclose(body[1:], 0.0, atol=1e-15)
