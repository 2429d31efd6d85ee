"""Against Moreau's time stepping, which knows no modes and no events: one inclusion per step for all.

Source: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988). First order; only
for equal static and kinetic levels. They have loops and shared forces, where modes are hard to tell.
"""

import numpy as np
import pytest

import stickslip as ss

M = np.diag([1.0, 0.5, 2.0])
K = np.array([[6.0, -3.0, 0.0], [-3.0, 5.0, -2.0], [0.0, -2.0, 2.0]])
D = np.diag([0.0, 0.1, 0.0])


def draw_elements(rng):
    """(w, level, belt) with two elements on one coordinate and a loop of three."""
    e = np.eye(3)
    rows = [e[0], e[0], e[1], e[0] - e[1], e[2] - e[1]]
    belt = rng.uniform(-0.3, 0.3)
    return [(w, rng.uniform(0.1, 1.0), belt if i < 3 else 0.0) for i, w in enumerate(rows)]


def moreau(elements, force, t_end, h):
    W = np.array([w for w, _, _ in elements])
    level = np.array([s for _, s, _ in elements])
    belt = np.array([b for _, _, b in elements])
    inverse = np.linalg.inv(M)
    G = W @ inverse @ W.T
    q, v, P = np.array([0.3, -0.2, 0.1]), np.zeros(3), np.zeros(len(elements))
    out = [q]
    for k in range(round(t_end / h)):
        middle = q + h / 2 * v
        free = v + h * inverse @ (force(k * h + h / 2) - K @ middle - D @ v)
        rate = W @ free - belt
        for _ in range(60):  # relaxation over the elements; impulses start from those of the step before
            change = 0.0
            for i in range(len(P)):
                new = np.clip(P[i] + (rate[i] - G[i] @ P) / G[i, i], -h * level[i], h * level[i])
                change = max(change, abs(new - P[i]))
                P[i] = new
            if change < 1e-9 * h:
                break
        v = free - inverse @ W.T @ P
        q = middle + h / 2 * v
        out.append(q)
    return np.array(out).T


@pytest.mark.parametrize("seed", range(4))
def test_event_driven_run_agrees_with_time_stepping(seed):
    rng = np.random.default_rng(seed)
    elements = draw_elements(rng)
    amplitude, frequency = rng.uniform(1, 3), rng.uniform(0.2, 0.8)
    m = ss.Machine(mass=M, stiffness=K, damping=D, names=["a", "b", "c"])
    m.add_force("b", ss.Sine(amplitude=amplitude, frequency=frequency))
    for i, (w, s, belt) in enumerate(elements):
        on = {n: c for n, c in zip("abc", w, strict=True) if c}
        m.add_friction(f"p{i}", on=on, law=ss.Coulomb(static=s, kinetic=s), surface_velocity=belt)
    t_end = 4.0
    r = ss.simulate(m, t_end=t_end, dt=0.01, initial=[0.3, -0.2, 0.1, 0.0, 0.0, 0.0])
    assert r.success and len(r.events) > 4
    push = lambda t: np.array([0.0, amplitude * np.sin(2 * np.pi * frequency * t), 0.0])  # noqa: E731
    errors = [
        np.abs(moreau(elements, push, t_end, h)[:, :: round(0.01 / h)] - r.y[:3]).max() for h in (1e-2, 1e-3)
    ]
    assert errors[1] < 4e-4
    assert errors[1] < 0.4 * errors[0]  # and it converges to what the engine says
