"""Random chains with every option of friction: each run ends, and its energy balances.

Not a check of numbers (these have tests of their own) but of transitions: elements that share a body, reach
limits together, are held by a lag, creep, meet moving surfaces and loads that change.
"""

import numpy as np
import pytest

import stickslip as ss


def spread(rng, low, high):
    """Rounded: the last bit of exp changes with NumPy, and so would the machines."""
    return float(f"{np.exp(rng.uniform(np.log(low), np.log(high))):.9g}")


def signal(rng, size):
    kinds = (
        lambda: ss.Constant(size),
        lambda: ss.Ramp(slope=size),
        lambda: ss.Sine(amplitude=size, frequency=spread(rng, 0.2, 3.0)),
        lambda: ss.Step(size, start=0.5),
        lambda: ss.SmoothStep(size, duration=0.7),
        lambda: ss.Piecewise([0.0, 0.5, 1.0, 2.0], [0.0, size, -size, size]),
    )
    return kinds[rng.integers(len(kinds))]()


def law(rng):
    static = spread(rng, 0.2, 2.0)
    if rng.integers(2):
        curve = ss.Coulomb(static=static, kinetic=static * rng.choice([0.5, 0.8, 1.0]))
    else:
        curve = ss.Stribeck(
            static=static,
            kinetic=0.6 * static,
            stribeck_velocity=spread(rng, 1e-3, 0.2),
            shape=float(rng.choice([0.5, 1.0, 2.0])),
            viscous=float(rng.choice([0.0, 0.3])),
        )
    options = {}
    if rng.integers(3) == 0:
        options["memory"] = ss.Lag(spread(rng, 1e-3, 0.05))
        if rng.integers(2):
            options["dwell"] = spread(rng, 0.05, 1.0)
    if rng.integers(4) == 0:
        options["presliding"] = ss.Presliding(spread(rng, 1e-4, 1e-2), spread(rng, 0.1, 3.0))
    if rng.integers(4) == 0:
        options["load_factor"] = spread(rng, 0.05, 0.4)
    return ss.StickSlip(curve, **options) if options else curve


def chain(rng):
    n = int(rng.integers(1, 6))
    stiffness, damping = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n - 1):
        for matrix, value in ((stiffness, spread(rng, 20.0, 2000.0)), (damping, spread(rng, 0.05, 5.0))):
            matrix[i : i + 2, i : i + 2] += value * np.array([[1.0, -1.0], [-1.0, 1.0]])
    if rng.integers(2):
        stiffness[0, 0] += spread(rng, 1.0, 100.0)
    names = [f"m{i}" for i in range(n)]
    pushed = names[rng.integers(n)]
    m = ss.Machine(
        mass=[spread(rng, 0.3, 3.0) for _ in names],
        stiffness=stiffness,
        damping=damping,
        names=names,
        force={pushed: signal(rng, spread(rng, 0.5, 5.0))},
    )
    for j in range(rng.integers(1, 5)):
        friction = law(rng)
        i = int(rng.integers(n))
        on = names[i] if n == 1 or rng.integers(2) else (names[i], names[(i + 1) % n])
        surfaces = (0.0, spread(rng, 0.01, 1.0), ss.Sine(amplitude=0.2, frequency=spread(rng, 0.3, 3.0)))
        loads = (1.0, spread(rng, 0.2, 3.0), ss.Sine(amplitude=0.4, frequency=1.1, offset=1.0))
        follows = isinstance(friction, ss.StickSlip) and friction.load_factor > 0
        m.add_friction(
            f"f{j}",
            on=on,
            law=friction,
            normal_load=loads[rng.integers(3)],
            surface_velocity=0.0 if isinstance(on, tuple) else surfaces[rng.integers(3)],
            load={names[i] + ".position": spread(rng, 1.0, 10.0)} if follows else None,
        )
    return m


@pytest.mark.parametrize("seed", range(8))
def test_every_run_ends_and_balances(seed):
    rng = np.random.default_rng([2026, seed])
    moved = 0
    for k in range(40):
        m = chain(rng)
        run = ss.simulate(m, 2.0, rtol=1e-8, max_events=20_000, max_time=20.0)
        assert run.success, (k, run.message, m)
        times = [e.time for e in run.events]
        assert times == sorted(times)
        if times:
            moved += 1
            assert abs(run.energy.residual) < 2e-6, (k, m)
    assert moved > 25
