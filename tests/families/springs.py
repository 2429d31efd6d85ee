"""Bodies between elastic stops, with backlash, preload and tables, on friction, floors and controllers."""

from __future__ import annotations

from typing import Any

import numpy as np

import stickslip as ss
from families.case import Case, Rng, between, one_of, signal


def _table(rng: Rng, k: float) -> tuple[np.ndarray, np.ndarray]:
    """A characteristic through zero, with backlash in half of the cases, some of it falling."""
    x = np.cumsum(rng.uniform(1e-3, 0.05, int(rng.integers(2, 7))))
    f = k * np.cumsum(np.diff(x, prepend=0.0) * rng.uniform(-0.1, 2.0, x.size))
    backlash = float(one_of(rng, 0.0, rng.uniform(1e-3, 0.03)))
    both = np.concatenate([-(backlash + x)[::-1], [-backlash, backlash] if backlash else [0.0], backlash + x])
    forces = np.concatenate([-f[::-1], [0.0, 0.0] if backlash else [0.0], f])
    return both, forces


def _spring(rng: Rng, size: float) -> dict[str, Any]:
    k = between(rng, 10.0, 1e4)
    rest = signal(rng, 0.02, smooth=True) if rng.random() < 0.2 else float(rng.uniform(-0.05, 0.05))
    damping = one_of(rng, 0.0, between(rng, 1e-3, 0.5) * np.sqrt(k))
    if rng.random() < 0.25:
        x, f = _table(rng, k)
        falls = bool(np.any(f[x > 0.0] <= 0.0) and np.any(f == 0.0))
        return {"table": (x, f), "damping": 0.0 if falls else damping, "rest": rest}
    return {
        "stiffness": k,
        "damping": damping,
        "backlash": one_of(rng, 0.0, between(rng, 1e-4, 0.1)),
        "preload": one_of(rng, 0.0, 0.0, size * between(rng, 0.1, 3.0)),
        "one_sided": bool(rng.random() < 0.3),
        "rest": rest,
    }


def build(seed: int) -> Case:
    """One to three bodies in a row with springs between them and to the ground."""
    rng = np.random.default_rng([16001, seed])
    n = int(rng.integers(1, 4))
    names = [f"b{i}" for i in range(n)]
    m = ss.Machine(
        mass=10.0 ** rng.uniform(-1.0, 1.0, n), stiffness=one_of(rng, 0.0, between(rng, 1.0, 100.0)),
        damping=one_of(rng, 0.0, 0.1), names=names,
    )  # fmt: skip
    for i, name in enumerate(names):
        if i == 0 or rng.random() < 0.6:
            m.add_force(name, signal(rng, between(rng, 0.5, 20.0)))
        if rng.random() < 0.5:
            on: Any = name if i == 0 or rng.random() < 0.5 else (name, names[i - 1])
            level = between(rng, 0.1, 5.0)
            law = one_of(
                rng, ss.Coulomb(level), ss.Coulomb(1.3 * level, level),
                ss.Stribeck(static=1.2 * level, kinetic=level, stribeck_velocity=0.05), ss.Viscous(level),
            )  # fmt: skip
            m.add_friction(f"guide of {name}", on=on, law=law, surface_velocity=one_of(rng, 0.0, 0.1))
        if rng.random() < 0.2:
            m.add_contact(
                f"wall of {name}", normal={name: one_of(rng, 1.0, -1.0)}, gap=one_of(rng, 0.0, 0.05),
                restitution=one_of(rng, 0.0, 0.6),
            )  # fmt: skip
    for i in range(n):
        for k in range(int(rng.integers(1, 3))):
            form = names[i] if i == 0 or rng.random() < 0.5 else (names[i], names[i - 1])
            m.add_spring(f"s{i}{k}", on=form, **_spring(rng, 5.0))
    if rng.random() < 0.2:
        limits = one_of(rng, None, (-5.0, 5.0))
        m.add_controller(
            ss.PID(kp=5.0, ki=2.0, kd=1.0, limits=limits, period=one_of(rng, None, 0.01)), on=names[0],
            reference=ss.Constant(0.02),
        )  # fmt: skip
    return Case(m, 2.0)
