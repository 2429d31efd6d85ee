"""Several elements on one body: of surfaces that move apart the strongest holds it, and a brake put on at rest helps."""

from __future__ import annotations

import numpy as np
import pytest
from families import generator

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


@pytest.mark.parametrize("later", [ss.Step(1.0, start=1.0), ss.Ramp(slope=1.0, start=1.0, stop=2.0)])
@pytest.mark.parametrize("speed", [0.5, -0.5])
def test_brake_that_is_applied_at_rest_helps_to_hold(later: ss.Signal, speed: float) -> None:
    """One brake of 2 N stops the body; another one of 1 N is put on later. Pushed by t newtons it starts at t = 3."""
    m = ss.Machine(mass=1.0, names=["body"], force={"body": ss.Ramp(slope=1.0)})
    m.add_friction("first", on="body", law=2.0)
    m.add_friction("second", on="body", law=1.0, normal_load=later)
    rt = ss.RealTime(m, step=STEP, initial={"body.velocity": speed}, outputs=["body.velocity"])
    v = rt.run(350)[:, 0]
    t = STEP * np.arange(1, 351)
    rests = (t > 0.6) & (t < 3.0)
    assert np.all(v[rests] == 0.0)
    np.testing.assert_allclose(v[t > 3.0 + STEP], 0.5 * (t[t > 3.0 + STEP] - 3.0) ** 2, atol=STEP**2)


@pytest.mark.parametrize("family, seed", [("brakes", 139), ("chains", 115)])
def test_machine_of_a_family_moves_as_in_simulate(family: str, seed: int) -> None:
    """Brakes: those of two bodies, which a third one ties, stop within rounding of each other, and none pushes on.
    Chains: a surface with a memory reverses without a load; when the load comes, the memory begins anew.
    """
    case = generator(family)(seed)
    run = ss.simulate(case.machine, case.t_end, **case.options)
    names = [name for name in case.machine.states if name.endswith("position")]
    steps = 6400
    rt = ss.RealTime(
        case.machine,
        case.t_end / steps,
        initial=case.options.get("initial"),
        outputs=names,
        max_transitions=6,
    )
    y = rt.run(steps)
    exact = run.at(case.t_end / steps * np.arange(1, steps))
    for k, name in enumerate(names):
        np.testing.assert_allclose(y[:-1, k], exact[name], atol=2e-4)
