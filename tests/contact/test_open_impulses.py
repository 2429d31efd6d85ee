"""Impacts of a body with three degrees of freedom on two contacts that both stick: four impulses, three equations.

The impulses of compression are a segment. Its ends and the outcomes of expansion (Hinrichsen 2007, 5.22) are computed here
by trying all modes with NumPy.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from stickslip import contact

SIGNS = np.diag([1.0, 1.0, -1.0, -1.0])  # friction impulses oppose the motion


def segment(G: np.ndarray, v: np.ndarray, mu: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Both ends of the impulses (N, S) with v + G (N, -S) = 0 and |S| <= mu N; None unless there is a bounded segment."""
    left, size, right = np.linalg.svd(G @ SIGNS)
    start, free = -right[:3].T @ ((left.T @ v)[:3] / size[:3]), right[3]
    low, high = -np.inf, np.inf
    for i, sign in itertools.product(range(2), (1.0, -1.0)):
        rate, room = sign * free[2 + i] - mu[i] * free[i], mu[i] * start[i] - sign * start[2 + i]
        if rate > 0.0:
            high = min(high, room / rate)
        else:
            low = max(low, room / rate)
    if not (np.isfinite([low, high]).all() and high - low > 1e-6):
        return None
    return start + low * free, start + high * free


def expansions(G: np.ndarray, compression: np.ndarray, mu: np.ndarray, eps: np.ndarray) -> list[np.ndarray]:
    """Velocities (normal, tangential) after expansion, of every set of modes that solves it."""
    given = np.r_[eps * compression[:2], 0.0, 0.0]
    free, product, found = G @ given, G @ SIGNS, []
    for closed, slip in itertools.product(
        itertools.product((True, False), repeat=2), itertools.product((-1, 0, 1), repeat=2)
    ):
        A, b = np.zeros((4, 4)), np.zeros(4)
        for i in range(2):
            A[i], b[i] = (product[i], -free[i]) if closed[i] else (np.eye(4)[i], 0.0)
            if slip[i] == 0:
                A[2 + i], b[2 + i] = product[2 + i], -free[2 + i]
            else:
                A[2 + i, 2 + i], A[2 + i, i], b[2 + i] = 1.0, -slip[i] * mu[i], slip[i] * mu[i] * given[i]
        if np.linalg.cond(A) > 1e11:
            continue
        x = np.linalg.solve(A, b)
        velocity, limit, slack = free + product @ x, mu * (given[:2] + x[:2]), 1e-9 * (1.0 + np.abs(x).max())
        if (
            min(x[:2].min(), velocity[:2].min(), (limit - np.abs(x[2:])).min()) > -slack
            and (np.array(slip) * velocity[2:] > -slack).all()
        ):
            found.append(velocity)
    return found


def is_in(velocity: np.ndarray, others: list[np.ndarray], tolerance: float = 1e-8) -> bool:
    return any(np.abs(velocity - other).max() < tolerance for other in others)


def velocities(hits: contact.Impacts) -> list[np.ndarray]:
    return [np.r_[hit.normal_velocity, hit.tangent_velocity] for hit in hits]


@pytest.mark.parametrize("seed", range(4))
def test_indeterminate_impulses_list_both_ends_and_are_ambiguous(seed: int) -> None:
    rng = np.random.default_rng([seed, 39])
    judged = {True: 0, False: 0}
    for trial in range(1200):
        angle, arm = rng.uniform(0.0, 2.0 * np.pi, 2), rng.normal(size=(2, 2))
        n, t = np.c_[np.cos(angle), np.sin(angle)], np.c_[-np.sin(angle), np.cos(angle)]
        if trial % 3 == 0:  # feet on a floor: the normal impulses are determinate, and so is the outcome
            n, t = np.array([[0.0, 1.0]] * 2), np.array([[1.0, 0.0]] * 2)
            arm[:, 1] = arm[0, 1]
        moment = [arm[:, 0] * w[:, 1] - arm[:, 1] * w[:, 0] for w in (n, t)]
        W = np.vstack([np.c_[n, moment[0]], np.c_[t, moment[1]]])
        mass, velocity = rng.uniform(0.3, 2.0, 3), rng.normal(size=3)
        mu, eps = rng.uniform(0.1, 4.0, 2), rng.uniform(0.0, 1.0, 2) if trial % 2 else np.full(2, 0.5)
        G, before = W / mass @ W.T, W @ velocity
        ends = segment(G, before, mu) if (before[:2] < 0.0).all() else None
        if ends is None:
            continue
        hits = contact.impact(mass, velocity, W[:2], W[2:], friction=mu, restitution=eps)
        assert hits.complete
        for end in ends:
            assert all(is_in(v, velocities(hits)) for v in expansions(G, end, mu, eps))
        if hits[0].compression != ("stick", "stick"):  # the impulses that the engine takes are determinate
            continue
        taken = np.r_[hits[0].compression_normal_impulse, hits[0].compression_friction_impulse]
        now = expansions(G, taken, mu, eps)
        assert is_in(velocities(hits)[0], now)
        between = [(1.0 - f) * ends[0] + f * ends[1] for f in np.linspace(0.0, 1.0, 9)]
        depends = any(not is_in(v, now) for x in between for v in expansions(G, x, mu, eps))
        assert hits.ambiguous == depends
        judged[depends] += 1
    assert judged[True] > 10 and judged[False] > 10


def test_several_expansions_are_ambiguous() -> None:
    """Of three expansions of the impulses taken and three of an end, neighbours in the order do not tie."""
    W = np.array(
        [
            [0.99311368, -0.11715468, 2.09691774],
            [0.80890476, -0.5879397, -0.38402102],
            [0.11715468, 0.99311368, -0.87740802],
            [0.5879397, 0.80890476, -0.11229328],
        ]
    )
    mass, velocity = (
        np.array([0.44178492, 1.22099099, 1.35917214]),
        np.array([-0.62008716, 1.68034198, -0.03514103]),
    )
    mu, eps = np.array([3.50528677, 1.62946954]), np.ones(2)
    hits = contact.impact(mass, velocity, W[:2], W[2:], friction=mu, restitution=eps)
    G = W / mass @ W.T
    ends = segment(G, W @ velocity, mu)
    assert ends is not None and all(len(expansions(G, end, mu, eps)) == 3 for end in ends)
    assert hits.ambiguous and hits.complete
    for end in ends:
        assert all(is_in(v, velocities(hits)) for v in expansions(G, end, mu, eps))
