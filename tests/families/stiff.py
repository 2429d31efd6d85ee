"""Friction at its limit, or a contact without force, behind lags and an oscillator with time constants from 1e-10 s to 1 s.

A body rests behind a chain of stages, each a mass on a spring and a damper, all in equilibrium. The force at the far end
then changes with a power of time, and reaches the body through all of them: the first derivative of its load that is not
zero is of the order 2 stages + power. All data are powers of two, so that equilibrium and first decision are exact.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from truths.exact import times

from families.case import Case, Rng
from families.first_decision import FirstDecision
from families.mixed_orders import Parts, Row

T_END = 0.25
SHORTEST = -33  # exponent of two: 1.2e-10 s
LAG, OSCILLATOR = (
    (2.0**-4, 1.0),
    (1.0, 2.0**-3),
)  # mass and damping per stiffness, in units of the time constant


def _stages(rng: Rng) -> tuple[list[float], np.ndarray, np.ndarray]:
    """Masses, stiffness and damping of a chain whose last coordinate is the body."""
    stages = int(rng.integers(1, 4))
    swinging = int(rng.integers(-1, stages))
    n = stages + 1
    mass, k, d = [], np.zeros((n, n)), np.zeros((n, n))
    for i in range(stages):
        tau = 2.0 ** int(rng.integers(SHORTEST, 1))
        m, loss = OSCILLATOR if i == swinging else LAG
        own, link = 2.0 ** rng.integers(-1, 2, 2)
        k[i, i] += own
        k[i : i + 2, i : i + 2] += link * np.array([[1.0, -1.0], [-1.0, 1.0]])
        d[i, i] = loss * own * tau
        mass.append(m * own * tau**2)
    return [*mass, 1.0], k, d


def build(seed: int) -> Case:
    """A machine in equilibrium, and how its load begins to change."""
    rng = np.random.default_rng([14021, seed])
    mass, k, d = _stages(rng)
    n = len(mass)
    place = [float(x) for x in rng.integers(-2, 3, n - 1)] + [0.0]
    place[n - 2] = place[n - 2] or 1.0
    held = k @ place  # forces of equilibrium, without the body's
    load = -float(held[-1])
    power, change = int(rng.integers(1, 4)), float(rng.choice([-1.0, 1.0]))
    force = [[float(f)] for f in held[:-1]]
    force[0] += [0.0] * (power - 1) + [change]
    along = [0.0] * (n - 1) + [1.0]
    p = Parts(mass, k.tolist(), d.tolist(), [*force, [0.0]])
    if rng.random() < 0.6:
        static = abs(load)
        p.friction = [Row("f0", along, [], static, static * float(rng.choice([1.0, 0.5])))]
    else:
        p.force[-1] = [-load]
        p.contacts = [(Row("c0", along, []), None)]
    instant = p.instant()  # from the equilibrium on
    forces = [
        [f[0] - loss, *f[1:]]
        for f, loss in zip(instant.force, times(instant.stiffness, [Fraction(q) for q in place]), strict=True)
    ]
    truth = FirstDecision(
        replace(instant, force=forces),
        ["c0"] * len(p.contacts),
        ["f0"] * len(p.friction),
        [False],
        watched=True,
    )
    return Case(
        p.machine(), T_END, {"initial": {f"q{i}.position": q for i, q in enumerate(place)}}, truth=truth
    )
