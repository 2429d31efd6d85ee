"""Machines of hundreds of coordinates against their modes in closed form."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

import stickslip as ss

Array = NDArray[np.float64]


def chain(n: int) -> Array:
    """Stiffness of n unit masses in a row, unit springs between neighbours, both ends free."""
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    K[0, 0] = K[-1, -1] = 1.0
    return K


def motion(fixed: bool, q: Array, v: Array) -> Callable[[float], tuple[Array, Array]]:
    """Free motion of such a row, its left end free or on a spring to a fixed point, mode by mode.

    Free at both ends: w = 2 sin(k π / 2n), shapes cos(k π (j + 1/2) / n), k = 0, 1, ...; fixed and free:
    w = 2 sin((2k - 1) π / (2 (2n + 1))), shapes sin((2k - 1) π j / (2n + 1)), j, k = 1, 2, ... . As numbers
    of an eigenvalue solver the slowest frequencies would be known to 1e-12 only.
    """
    n = len(q)
    j, k = np.arange(n)[:, None], np.arange(n)[None, :]
    if fixed:
        w = 2.0 * np.sin((2 * k[0] + 1) * np.pi / (2 * (2 * n + 1)))
        shapes = np.sin((2 * k + 1) * np.pi * (j + 1) / (2 * n + 1))
    else:
        w = 2.0 * np.sin(k[0] * np.pi / (2 * n))
        shapes = np.cos(k * np.pi * (j + 0.5) / n)
    modes = shapes / np.linalg.norm(shapes, axis=0)
    a, b = modes.T @ q, modes.T @ v

    def at(t: float) -> tuple[Array, Array]:
        c, s = np.cos(w * t), np.sin(w * t)
        drift = np.where(w > 0.0, s / np.where(w > 0.0, w, 1.0), t)
        return modes @ (a * c + b * drift), modes @ (b * c - a * w * s)

    return at


@pytest.mark.parametrize("n", [33, 65, 100, 200, 500])
def test_chain_after_an_impact_agrees_with_reference(n: int) -> None:
    names = [f"u{i}" for i in range(n)]
    m = ss.Machine(mass=np.ones(n), stiffness=chain(n), names=names)
    t_end = 40.0 if n < 500 else 5.0
    run = ss.simulate(m, t_end, initial={"u0.velocity": 1.0})
    q, v = motion(False, np.zeros(n), np.eye(n)[0])(t_end)
    assert [run[f"{u}.position"][-1] for u in names] == pytest.approx(q, rel=0, abs=1e-14)
    assert [run[f"{u}.velocity"][-1] for u in names] == pytest.approx(v, rel=0, abs=1e-14)


def bar_against_a_wall(n: int, t_end: float) -> tuple[list[float], Array]:
    """A bar of n elements that flies at a wall with unit speed: instants of touching and letting go, end state.

    While it touches, node 0 stands still after a plastic impact, and the wall pushes with the force of the
    first spring; it lets go when that would pull (Signorini's conditions in each phase, solved by modes).
    """
    q, v = np.zeros(n), np.full(n, -1.0)
    times, t, touches = [0.0], 0.0, True
    v[0] = 0.0
    while True:
        if touches:
            inner = motion(True, q[1:], v[1:])

            def state(tau: float, inner: Callable[..., tuple[Array, Array]] = inner) -> tuple[Array, Array]:
                p, u = inner(tau)
                return np.concatenate([[0.0], p]), np.concatenate([[0.0], u])

            def margin(tau: float, state: Callable[..., tuple[Array, Array]] = state) -> float:
                return -float(state(tau)[0][1])

        else:
            state = motion(False, q, v)

            def margin(tau: float, state: Callable[..., tuple[Array, Array]] = state) -> float:
                return float(state(tau)[0][0])

        tau = 0.05  # far shorter than the shortest period, π; margins grow from zero at the start of a phase
        while t + tau < t_end and margin(tau) > 0.0:
            tau += 0.05
        if t + tau >= t_end:
            return times, np.concatenate(state(t_end - t))
        tau = brentq(margin, tau - 0.05, tau, xtol=1e-14)
        q, v = state(tau)
        t += tau
        touches = not touches
        if touches:
            q[0] = v[0] = 0.0
        times.append(t)


def test_bar_impact_on_a_wall_agrees_with_reference() -> None:
    """100 elements: contact lasts about as long as a wave runs to the free end and back, 2 · 100."""
    n, t_end = 100, 240.0
    names = [f"u{i}" for i in range(n)]
    m = ss.Machine(mass=np.ones(n), stiffness=chain(n), names=names)
    m.add_contact("wall", normal={"u0": 1.0})
    run = ss.simulate(m, t_end, initial={f"{u}.velocity": -1.0 for u in names})
    times, end = bar_against_a_wall(n, t_end)
    assert len(times) >= 2 and 190.0 < times[1] < 210.0
    assert [e.time for e in run.events] == pytest.approx(times, abs=2e-13)
    reached = [run[f"{u}.{kind}"][-1] for kind in ("position", "velocity") for u in names]
    assert reached == pytest.approx(end, rel=0, abs=2e-13)
    assert run.energy.residual < 3e-14
