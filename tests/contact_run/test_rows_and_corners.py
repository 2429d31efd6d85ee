"""Elastic and other impacts whose outcome is known in closed form: rows of balls, corners, a block that rocks."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

LAWS = ("poisson", "newton")


def row(mass: list[float], gaps: tuple[float, float], restitution: float, law: str) -> ss.Trajectory:
    """Three balls, of which the first comes with 1 m/s."""
    names = ["a", "b", "c"]
    m = ss.Machine(mass=mass, names=names)
    for first, second, gap in (("a", "b", gaps[0]), ("b", "c", gaps[1])):
        m.add_contact(
            first + second,
            normal={second: 1.0, first: -1.0},
            gap=gap,
            restitution=restitution,
            impact=law,
        )
    return ss.simulate(m, 10.0, initial={"a.velocity": 1.0})


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("approach", [0.0, 0.5])
def test_three_balls_that_touch_share_an_elastic_impact(law: str, approach: float) -> None:
    """(1, 0, 0) -> (-1/3, 2/3, 2/3): both contacts take part at once, by either law."""
    run = row([1.0, 1.0, 1.0], (approach, 0.0), 1.0, law)
    assert run.state.x[3:] == pytest.approx([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], abs=1e-15)
    assert [e.time for e in run.events] == [approach] * 2
    assert sum(e.loss for e in run.events) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("gap", [1e-9, 1e-6, 1e-3, 1.0])
def test_three_balls_with_gaps_pass_the_motion_on(law: str, gap: float) -> None:
    """(1, 0, 0) -> (0, 0, 1), however small the gaps."""
    run = row([1.0, 1.0, 1.0], (gap, gap), 1.0, law)
    assert run.state.x[3:] == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)
    assert [e.element for e in run.events] == ["ab", "bc"]
    assert [e.time for e in run.events] == pytest.approx([gap, 2.0 * gap], rel=1e-13)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_touching_unequal_balls_match_closed_form(law: str, restitution: float) -> None:
    """All three end compression with the speed u = m_a/m; Poisson's and Newton's law then add ε of what they lost."""
    mass = [1.0, 2.0, 4.0]
    run = row(mass, (0.0, 0.0), restitution, law)
    u = mass[0] / sum(mass)
    after = u + restitution * (u - np.array([1.0, 0.0, 0.0]))
    if restitution > 0.0 and law == "newton":  # ε times the approach on each contact: (1, 0)
        assert np.diff(after) == pytest.approx([restitution, 0.0])
    assert run.state.x[3:] == pytest.approx(after, abs=1e-15)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n", [2, 3])
def test_ball_leaves_a_right_angled_corner_reversed(law: str, restitution: float, n: int) -> None:
    """v -> -ε v, whichever wall is hit first, or all of them at once; also in other coordinates."""
    rng = np.random.default_rng([n, 7])
    for k in range(60):
        turn, _ = np.linalg.qr(rng.normal(size=(n, n)))
        shape = rng.normal(size=(n, n)) + 2.0 * np.eye(n)  # q = shape p, p in the directions of the walls
        walls = np.linalg.inv(shape)
        gaps = np.zeros(n) if k % 3 == 0 else rng.uniform(0.1, 1.0, n)
        speed = -rng.uniform(0.2, 1.0, n)
        if k % 3 == 1:
            gaps = -0.7 * speed  # all at once, after a flight
        m = ss.Machine(mass=2.0 * walls.T @ walls, names=[f"q{i}" for i in range(n)])
        for i in range(n):
            m.add_contact(f"w{i}", normal=walls[i], gap=float(gaps[i]), restitution=restitution, impact=law)
        run = ss.simulate(m, 12.0, initial=np.concatenate([np.zeros(n), shape @ speed]))
        hit = {e.element: e.time for e in run.events if e.before is ss.Mode.OPEN or k % 3 == 0}
        assert run.success and len(hit) == n
        assert [hit[f"w{i}"] for i in range(n)] == pytest.approx(-gaps / speed, rel=1e-12, abs=1e-15)
        assert walls @ run.state.x[n:] == pytest.approx(-restitution * speed, abs=1e-13)


# ---------------------------------------------------------------- a block that rocks

HALF_WIDTH, HALF_HEIGHT, G = 0.1, 0.5, 9.81


def block(law: str, upright: bool) -> ss.Machine:
    """A uniform block of 1 kg on its two lower corners, which do not slide, linear in its angle.

    `upright` adds what its weight does about the upright position, as a negative stiffness.
    """
    inertia = (HALF_WIDTH**2 + HALF_HEIGHT**2) / 3.0
    names = ["x", "y", "phi"]
    stiffness = np.diag([0.0, 0.0, -G * HALF_HEIGHT if upright else 0.0])
    m = ss.Machine(mass=[1.0, 1.0, inertia], stiffness=stiffness, names=names, force={"y": -G})
    for name, at in (("left", -HALF_WIDTH), ("right", HALF_WIDTH)):
        m.add_contact(
            name,
            normal={"y": 1.0, "phi": at},
            tangent={"x": 1.0, "phi": HALF_HEIGHT},
            friction=5.0,
            impact=law,
        )
    return m


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("upright", [False, True])
def test_rocking_block_loses_speed_by_housner(law: str, upright: bool) -> None:
    """Housner 1963: each impact leaves 1 - 2 m b²/I of the angular speed, I about a corner.

    Between impacts I φ'' = m g (h φ - b) about the left corner (φ < 0 mirrored), in the limit of h = 0 there with
    constant deceleration: from φ' = w it is back after 2 I w/(m g b), or (2/p) artanh(w p I/(m g b)), p² = m g h/I.
    """
    about = 4.0 / 3.0 * (HALF_WIDTH**2 + HALF_HEIGHT**2)
    left = 1.0 - 2.0 * HALF_WIDTH**2 / about
    w, slow = 0.3, G * HALF_WIDTH / about
    run = ss.simulate(
        block(law, upright),
        20.0,
        initial={"phi.velocity": w, "y.velocity": HALF_WIDTH * w, "x.velocity": -HALF_HEIGHT * w},
    )
    assert run.success
    p = np.sqrt(G * HALF_HEIGHT / about)
    times = [0.0]
    while len(times) < 40:
        flight = 2.0 / p * np.arctanh(w * p / slow) if upright else 2.0 * w / slow
        times.append(times[-1] + flight)
        w *= left
    hit = [e for e in run.events if e.impact and e.normal_impulse > 0.0]
    assert [e.time for e in hit[:39]] == pytest.approx(times[1:], rel=1e-11)
    assert [e.element for e in hit[:4]] == ["right", "left", "right", "left"]
    after = run.at([e.time for e in hit[:39]])["phi.velocity"]
    assert np.abs(after) == pytest.approx(0.3 * left ** np.arange(1, 40), rel=1e-11)
    assert np.abs(run.y[3:, -1]).max() < 1e-20
