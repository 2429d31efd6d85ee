"""Random drives under limited controllers: every run ends, stays within its limits and keeps its energy
balance.
"""

import numpy as np
import pytest

import stickslip as ss

LAWS = [
    ss.Coulomb(static=1.0, kinetic=0.7),
    ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=1e-2),
    ss.LuGre(stiffness=1e4, damping=100.0, static=1.0, kinetic=0.7, stribeck_velocity=1e-2),
    ss.Coulomb(static=1.0, kinetic=1.0),
]
REFERENCES = [
    ss.Sine(amplitude=0.5, frequency=0.3),
    ss.Step(1.0, start=0.2),
    ss.PointToPoint(distance=1.0, velocity=0.5, acceleration=2.0, jerk=20.0),
    ss.Piecewise(t=[0.0, 1.0, 2.0, 3.0], values=[0.0, 1.0, -1.0, 0.0]),
]


def machine(rng: np.random.Generator, law: ss.Law) -> tuple[ss.Machine, float]:
    """A chain of two masses, and the limit of its force."""
    m = ss.machines.chain(rng.uniform(0.5, 2, 2), rng.uniform(50, 500), rng.uniform(0, 2), names=["a", "b"])
    m.add_friction("f", on=["a", "b"][rng.integers(2)], law=law, normal_load=rng.uniform(0.2, 3))
    reference = REFERENCES[rng.integers(4)]
    limit = float(rng.uniform(0.5, 6))
    options = {"limits": limit, "anti_windup": ["clamping", "back_calculation", None][rng.integers(3)]}
    if rng.random() < 0.3:
        options["period"] = [1e-3, 7e-3, 1e-2][rng.integers(3)]
    kind = rng.integers(3)
    kp, tn = rng.uniform(5, 40), rng.uniform(0.05, 0.5)
    if kind == 0:
        pid = ss.PID(kp=kp, ki=rng.uniform(1, 40), kd=rng.uniform(1, 8), **options)
        m.add_controller(pid, on="a", reference=reference)
    elif kind == 1:
        m.add_controller(
            ss.Cascade(kv=rng.uniform(1, 8), kp=kp, tn=tn, **options), on="a", reference=reference
        )
    else:
        position = ss.P(kp=rng.uniform(1, 8), limits=rng.uniform(0.1, 1))
        m.add_controller(position, name="p", measure="a", reference=reference)
        velocity = ss.PI(kp=kp, tn=tn, **options)
        m.add_controller(velocity, name="v", measure="a.velocity", reference="p.output", to="a")
    return m, limit


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{type(law).__name__}-{law.kinetic}")
def test_random_limited_loops_stay_within_limits_and_balance(law: ss.Law) -> None:
    rng = np.random.default_rng(11)
    for _ in range(25):
        m, limit = machine(rng, law)
        run = ss.simulate(m, t_end=8.0, dt=0.1)
        assert run.success, (run.message, m)
        assert np.abs(run[f"{m.controllers[-1]}.output"]).max() <= limit * (1 + 1e-9)
        assert run.energy.residual < 1e-6
