"""Random controlled two-mass drives with one or two friction elements, in real time and exactly."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


def random_drive(rng: np.random.Generator) -> ss.Machine:
    def between(a: float, b: float) -> float:
        return float(np.exp(rng.uniform(np.log(a), np.log(b))))

    spring = np.array([[1.0, -1.0], [-1.0, 1.0]])
    m = ss.Machine(
        mass=[between(0.5, 5), between(0.5, 5)],
        stiffness=between(50, 2000) * spring,
        damping=between(0.1, 5) * spring,
        names=["a", "b"],
    )
    curve: ss.Law = ss.Stribeck(
        static=between(0.5, 2),
        kinetic=0.4,
        stribeck_velocity=between(1e-3, 1e-1),
        shape=float(rng.choice([1.0, 2.0])),
    )
    kind = rng.integers(4)
    if kind > 0:
        presliding = ss.Presliding(1e-3, 1.0) if kind == 3 else None
        curve = ss.StickSlip(curve, memory=0.01, dwell=0.5 if kind > 1 else 0.0, presliding=presliding)
    m.add_friction("fb", on="b", law=curve)
    if rng.integers(3):
        m.add_friction("fa", on=("a", "b") if rng.integers(2) else "a", law=ss.Coulomb(0.3, 0.2))
    period = float(rng.choice([0.0, 0.004, 0.01]))
    sampled = {"period": period, "delay": float(rng.choice([0.0, 0.5, 1.0])) * period} if period else {}
    limits = {"limits": between(0.5, 8), "anti_windup": str(rng.choice(["clamping", "back_calculation"]))}
    reference = [ss.Sine(amplitude=1.0, frequency=0.5), ss.SmoothStep(1.0, duration=0.5)][rng.integers(2)]
    control = ss.Cascade(kv=between(2, 20), kp=between(2, 20), tn=between(0.05, 1), **sampled, **limits)
    if rng.integers(2):
        m.add_controller(control, name="c", measure="a", reference=reference, to="a")
    else:
        m.add_controller(ss.P(kp=control.kv, **sampled), name="p", measure="a", reference=reference)
        loop = ss.PI(kp=control.kp, tn=control.tn, **sampled, **limits)
        m.add_controller(loop, name="v", measure="a.velocity", reference="p.output", to="a")
    return m


@pytest.mark.parametrize("seed", range(24))
def test_error_of_random_drives_decreases_with_the_step(seed: int) -> None:
    """A quarter of the step brings at most half of the error; at 0.25 ms it is below 1e-5 m of some 1 m."""
    m = random_drive(np.random.default_rng([7, seed]))
    run = ss.simulate(m, 3.0, dt=0.01, rtol=1e-10)
    assert run.success
    errors = []
    for h in (1e-3, 2.5e-4):
        rt = ss.RealTime(m, step=h, outputs=["b.position"])
        x = rt.run(round(3.0 / h))[round(0.01 / h) - 1 :: round(0.01 / h), 0]
        errors.append(np.abs(x - run["b.position"][1:]).max())
        assert rt.prebuilt and not rt.failed
    assert errors[1] < 1e-5 and (errors[1] < 0.5 * errors[0] or errors[1] < 1e-9)
