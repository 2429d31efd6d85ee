"""Elements of one body that stick to surfaces, which then move apart: the strongest holds it, the others slide."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

STEP = 0.01


@pytest.mark.parametrize("belt, ground", [(3.0, [1.0]), (1.0, [3.0]), (3.0, [1.0, 1.5]), (2.0, [1.0, 3.0])])
@pytest.mark.parametrize("order", [1, -1])
def test_body_follows_the_surface_that_holds_it_best(belt: float, ground: list[float], order: int) -> None:
    """A belt accelerates by 0.2 m/s² from t = 0.5 s on; kinetic friction is 0.8 of the static one."""
    levels = [belt, *ground]
    m = ss.Machine(mass=2.0, names=["body"])
    for k in list(range(len(levels)))[::order]:
        speed = ss.Samples([0.0, 0.5, 3.0], [0.0, 0.0, 0.5]) if k == 0 else 0.0
        m.add_friction(f"f{k}", on="body", law=ss.Coulomb(levels[k], 0.8 * levels[k]), surface_velocity=speed)
    names = ["body.velocity", *(f"f{k}.force" for k in range(len(levels)))]
    rt = ss.RealTime(m, step=STEP, outputs=names)
    y = rt.run(200)
    t = STEP * np.arange(1, 201)
    late = t > 0.5 + 1.5 * STEP
    strongest = int(np.argmax(levels))
    if strongest == 0:
        np.testing.assert_allclose(y[late, 0], 0.2 * (t[late] - 0.5), rtol=1e-12)
        np.testing.assert_allclose(y[late, 1], -2.0 * 0.2 - 0.8 * sum(ground), rtol=1e-11)
    else:
        np.testing.assert_allclose(y[late, 0], 0.0, atol=1e-15)
        np.testing.assert_allclose(y[late, 1], -0.8 * belt, rtol=1e-12)
    assert rt.late_steps == 0
    # the same by simulate
    there = ss.simulate(m, 2.0).at(t[late])
    for k, name in enumerate(names):
        np.testing.assert_allclose(y[late, k], there[name], rtol=1e-9, atol=1e-12)
