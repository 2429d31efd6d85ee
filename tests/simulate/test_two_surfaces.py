"""Two elements on one relative motion whose surfaces move apart: one stops, the other is torn off at the same instant."""

import numpy as np

import stickslip as ss


def machine(seed: int) -> tuple[ss.Machine, np.ndarray]:
    rng = np.random.default_rng([11, seed])

    def wave() -> ss.Sine:
        return ss.Sine(amplitude=rng.uniform(0.1, 1.0), frequency=rng.uniform(0.1, 0.6))

    m = ss.Machine(
        mass=rng.uniform(0.3, 3.0, 2),
        stiffness=np.diag(rng.uniform(0.0, 2.0, 2)),
        names=["a", "b"],
        force={"b": ss.Sine(amplitude=rng.uniform(1, 4), frequency=rng.uniform(0.1, 0.8))},
    )
    law = ss.Coulomb(rng.uniform(0.3, 1.0)) + ss.Viscous(rng.uniform(0.1, 0.5))
    m.add_friction("f", on=("a", "b"), law=law, surface_velocity=wave())
    level = rng.uniform(0.3, 1.0)
    falling = ss.Stribeck(
        static=1.2 * level, kinetic=level, stribeck_velocity=rng.uniform(0.3, 1.0), shape=1.0
    )
    m.add_friction("g", on=("b", "a"), law=falling, surface_velocity=wave())
    return m, rng.normal(size=4)


def test_an_error_of_integration_on_the_wrong_side_of_zero_starts_no_loop():
    """One of a hundred such machines came to "more than 100 transitions at one instant"."""
    for seed in range(300):
        m, initial = machine(seed)
        run = ss.simulate(m, 20.0, initial=initial)
        assert run.success, (seed, run.message)
        assert run.energy.residual < 1e-6, (seed, run.energy.residual)
