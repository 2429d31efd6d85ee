"""Impacts in rapid succession, held against one impact after the other in decimals (reference/impact_sequence.py).

Sources of numbers that stand here: inelastic collapse of three balls and its bound 7 - 4√3 for equal masses (McNamara and
Young 1992); momentum, where all bodies end together.
"""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from reference.impact_sequence import Contact, Outcome, impacts, row

import stickslip as ss

LAWS = ("newton", "poisson")


def line(
    mass: list[float],
    gaps: list[float],
    velocity: list[float],
    restitution: float | list[float],
    law: str = "newton",
    wall: float | None = None,
    t_end: float = 100.0,
) -> ss.Trajectory:
    """Bodies on a line at q = 0 with these gaps between them, and behind the last one, if there is a wall."""
    names = [f"b{i}" for i in range(len(mass))]
    m = ss.Machine(mass=mass, names=names)
    e = [restitution] * len(mass) if isinstance(restitution, float) else restitution
    for i, gap in enumerate(gaps):
        normal = {names[i + 1]: 1.0, names[i]: -1.0}
        m.add_contact(f"c{i}", normal=normal, gap=gap, restitution=e[i], impact=law)
    if wall is not None:
        m.add_contact("wall", normal={names[-1]: -1.0}, gap=wall, restitution=e[-1], impact=law)
    start = {f"{name}.velocity": v for name, v in zip(names, velocity, strict=True)}
    return ss.simulate(m, t_end, initial=start)


def velocities(run: ss.Trajectory) -> np.ndarray:
    return run.state.x[len(run.machine.names) : 2 * len(run.machine.names)]


def impacts_of(run: ss.Trajectory) -> int:
    return int(run.events.impact.sum())


@functools.cache
def between_heavy_ones(light: float, restitution: float) -> Outcome:
    return impacts(*row([1.0, light, 1.0], [1e-3, 2e-3], restitution), [1.0, 0.0, 0.0])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("light", [1e-1, 1e-2, 1e-3, 1e-4])
def test_light_part_between_heavy_ones_agrees_with_decimal_sequence(
    light: float, restitution: float, law: str
) -> None:
    """All impacts are made, up to 2·10^5 of them; where they do not end the three move on together."""
    truth = between_heavy_ones(light, restitution)
    run = line([1.0, light, 1.0], [1e-3, 2e-3], [1.0, 0.0, 0.0], restitution, law, t_end=0.1)
    assert truth.ended and run.success
    assert velocities(run) == pytest.approx(truth.velocity, abs=1e-9)
    if len(truth.closed) == 2:
        assert truth.velocity == pytest.approx([1.0 / (2.0 + light)] * 3, abs=1e-14)
        assert "inelastic collapse after" in run.events[-1].rule
    else:
        assert impacts_of(run) == truth.impacts


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("heavy", "restitution"), [(1e3, 0.8), (1e4, 0.95), (1e5, 0.95)])
def test_heavy_and_light_body_before_a_wall_come_to_rest(heavy: float, restitution: float, law: str) -> None:
    """κ = 1 with a wall: impacts do not end for any coefficient of restitution below 1."""
    run = line([heavy, 1.0], [1e-3], [1.0, 0.0], restitution, law, wall=1e-3, t_end=0.05)
    assert run.success and velocities(run) == pytest.approx([0.0, 0.0], abs=1e-9)
    assert ss.analysis.audit(run).passed
    wall = Contact([0.0, -1.0], 1e-3, restitution)
    matrix, contacts = row([heavy, 1.0], [1e-3], restitution)
    truth = impacts(matrix, [*contacts, wall], [1.0, 0.0], most=20_000, patience=1000)
    assert truth.ended and truth.velocity == pytest.approx([0.0, 0.0], abs=1e-12)


def test_impacts_that_repeat_after_hundreds_of_others_come_to_their_limit() -> None:
    """A bar on an elastic corner and, at the other one, on a light body over the floor. The light body makes some 296
    impacts for each one of the elastic corner, as 128-bit arithmetic shows; all rates then have fallen by 0.6 %."""
    m = ss.Machine(mass=[1.0, 1.85e-6, 1.9e-6], names=["y", "s", "light"])
    m.add_contact(
        "left", normal={"y": 1.0, "s": -0.05, "light": -1.0}, gap=0.0238, restitution=1.0, impact="poisson"
    )
    m.add_contact("right", normal={"y": 1.0, "s": 0.05}, gap=0.0477, restitution=1.0, impact="poisson")
    m.add_contact("floor", normal={"light": 1.0}, gap=0.0286, restitution=0.82, impact="poisson")
    run = ss.simulate(m, 1.0, initial={"y.velocity": -1.0})
    assert run.success, run.message
    assert np.abs(velocities(run) * [1.0, 0.05, 1.0]).max() < 1e-9
    assert "inelastic collapse after" in run.events[-1].rule


HALF_LENGTH = 0.05


def bar(inertia: float, tilt: float, kind: str, law: str = "newton", e: float = 0.4) -> ss.Trajectory:
    """A bar falls on two corners; no force acts."""
    m = ss.Machine(mass=[1.0, inertia], names=["y", "s"])
    for name, side in (("left", -1.0), ("right", 1.0)):
        if kind == "linear":
            m.add_contact(name, normal={"y": 1.0, "s": side * HALF_LENGTH}, restitution=e, impact=law)
        else:
            m.add_contact(
                name, gap=lambda q, side=side: q["y"] + side * HALF_LENGTH * ss.sin(q["s"]), restitution=e, impact=law
            )  # fmt: skip
    return ss.simulate(m, 0.01, initial={"y.position": 1e-3, "s.position": tilt, "y.velocity": -1.0})


@pytest.mark.parametrize("inertia", [1e-4, 2.7e-5, 1e-5])
def test_alternating_corners_come_to_rest_whatever_the_tilt(inertia: float) -> None:
    corners = [Contact([1.0, side * HALF_LENGTH], 1e-3 + side * 1e-5, 0.4) for side in (-1.0, 1.0)]
    truth = impacts([[1.0, 0.0], [0.0, inertia]], corners, [-1.0, 0.0])
    assert truth.ended and truth.velocity == pytest.approx([0.0, 0.0], abs=1e-14)
    for tilt, law, kind in itertools.product(
        (1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-8), LAWS, ("linear", "formula")
    ):
        run = bar(inertia, tilt, kind, law)
        speeds = velocities(run) * np.array([1.0, HALF_LENGTH])
        assert run.success and np.abs(speeds).max() < 1e-9, (tilt, law, kind)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("restitution", "end", "count"),
    [
        (0.05, [1.0 / 3.0] * 3, None),
        (0.07, [1.0 / 3.0] * 3, None),
        (0.08, [0.33333185717, 0.33333389049, 0.33333425234], 10),
        (0.09, [0.33326745272, 0.33328638615, 0.33344616113], 7),
        (0.10, [0.3327090625, 0.333631546875, 0.333659390625], 6),
    ],
)
def test_three_equal_balls_collapse_below_the_bound_of_mcnamara_and_young(
    restitution: float, end: list[float], count: int | None, law: str
) -> None:
    """7 - 4√3 = 0.0718."""
    run = line([1.0] * 3, [1.0, 1.0], [1.0, 0.0, 0.0], restitution, law)
    truth = impacts(*row([1.0] * 3, [1.0, 1.0], restitution), [1.0, 0.0, 0.0])
    assert truth.velocity == pytest.approx(end, abs=1e-11)
    assert velocities(run) == pytest.approx(truth.velocity, abs=1e-11)
    if count is not None:
        assert impacts_of(run) == truth.impacts == count


@pytest.mark.parametrize("ratio", [1e2, 1e3, 1e4, 1e5])
@pytest.mark.parametrize("restitution", [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99])
def test_light_body_agrees_with_decimal_sequence(ratio: float, restitution: float) -> None:
    for ends in ([ratio, 1.0], [ratio, 1.0, ratio]):
        wall = 1e-3 if len(ends) == 2 else None
        gaps, velocity = [1e-3] * (len(ends) - 1), [1.0] + [0.0] * (len(ends) - 1)
        matrix, contacts = row(ends, gaps, restitution)
        if wall is not None:
            contacts.append(Contact([0.0, -1.0], wall, restitution))
        truth = impacts(matrix, contacts, velocity, most=10**5, patience=200)
        run = line(ends, gaps, velocity, restitution, wall=wall)
        assert truth.ended and run.success
        assert velocities(run) == pytest.approx(truth.velocity, abs=1e-9)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("restitution", [0.3, 0.5])
def test_slowly_separating_body_is_hit_on_the_way_to_the_limit(law: str, restitution: float) -> None:
    """A fourth body touches the third one and leaves it at 0.2 m/s, until the collapse of the others makes it faster.

    Taken to the limit first the collapse would leave (0.3499, 0.3499, 0.3499, 0.4998) at e = 0.5.
    """
    mass, start = [1.0, 1e-3, 1.0, 1.0], [1.0, 0.0, 1e-3, 0.2]
    truth = impacts(*row(mass, [0.0] * 3, restitution), start)
    run = line(mass, [0.0] * 3, start, restitution, law)
    assert truth.ended and run.success
    if restitution == 0.5:
        assert truth.velocity == pytest.approx([1.201 / 3.001] * 4, abs=1e-12)
    assert velocities(run) == pytest.approx(truth.velocity, abs=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_closed_and_barely_separating_contacts_differ_by_a_finite_jump(law: str) -> None:
    """Ball 3 comes at -1 and e = 1/2; balls 1 and 2 touch, or separate at 1e-13. Physically two different starts."""
    mass, together = [1.0, 0.01, 1.0], [-0.746268656716418, -0.746268656716418, -0.246268656716418]
    apart = [-1.0 / 2.01] * 3
    for rate, end in ((0.0, together), (1e-13, apart), (1e-6, apart)):
        truth = impacts(*row(mass, [0.0, 0.0], 0.5), [0.0, rate, -1.0], law)
        assert truth.velocity == pytest.approx(end, abs=1e-8)
        run = line(mass, [0.0, 0.0], [0.0, rate, -1.0], 0.5, law)
        assert velocities(run) == pytest.approx(truth.velocity, abs=1e-9), rate


def test_chain_of_five_agrees_with_decimal_sequence() -> None:
    """Random masses, gaps, starts and coefficients. Where gaps that move by 1e-13, or gaps and rates that move by up to
    1e-12 after each impact, lead to other velocities, momentum, energy and separation are checked."""
    told = 0
    for seed in range(80):
        rng = np.random.default_rng([35, seed])
        mass = [float(10.0 ** -rng.uniform(0.0, 3.0)) for _ in range(5)]
        gaps = [float(x) for x in rng.uniform(0.1, 1.0, 4)]
        start = [float(x) for x in np.sort(rng.normal(size=5))[::-1]]
        e = float(rng.uniform(0.05, 0.9))
        run = line(mass, gaps, start, e, t_end=1e4)
        assert run.success, (seed, run.message)
        v, m = velocities(run), np.array(mass)
        assert m @ v == pytest.approx(float(m @ start), abs=1e-12)
        assert m @ v**2 <= m @ np.square(start) * (1.0 + 1e-12)
        assert np.diff(v).min() > -1e-11, seed
        shifted = [g + (1e-13 if i % 2 else -1e-13) for i, g in enumerate(gaps)]
        ends = []
        for apart, blur in ((gaps, 0.0), (shifted, 0.0), (gaps, 1e-13), (gaps, 1e-12)):
            found = impacts(*row(mass, apart, e), start, t_end=1e4, most=5000, patience=200, blur=blur)
            ends.append(np.array(found.velocity) if found.ended else np.full(5, np.inf))
        if all(np.isfinite(end).all() and np.abs(end - ends[0]).max() < 1e-9 for end in ends):
            told += 1
            assert v == pytest.approx(ends[0], abs=1e-9), seed
    assert told >= 60


@pytest.mark.parametrize("friction", [0.1, 0.4])
@pytest.mark.parametrize("light", [0.3, 1e-2, 1e-3])
def test_rubbing_light_part_reaches_the_common_velocity(light: float, friction: float) -> None:
    """The first body rubs along the light one, which is free to move along the contact, until both have one velocity."""
    mass = [1.0, light, 1.0, 0.05]
    matrix = np.diag(mass).tolist()
    contacts = [
        Contact([-1.0, 1.0, 0.0, 0.0], 1e-3, 0.3, tangent=[0.0, 0.0, 0.0, 1.0], friction=friction),
        Contact([0.0, -1.0, 1.0, 0.0], 2e-3, 0.3),
    ]
    start = [1.0, 0.0, 0.0, 3.0]
    truth = impacts(matrix, contacts, start, most=60_000)
    m = ss.Machine(mass=mass, names=["a", "b", "c", "side"])
    for i, c in enumerate(contacts):
        rough = {} if c.tangent is None else {"tangent": np.array(c.tangent), "friction": friction}
        m.add_contact(f"c{i}", normal=np.array(c.row), gap=c.gap, restitution=0.3, impact="newton", **rough)
    run = ss.simulate(m, 0.1, initial=dict(zip(("a.velocity", "side.velocity"), (1.0, 3.0), strict=True)))
    assert truth.ended and run.success
    assert velocities(run) == pytest.approx(truth.velocity, abs=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_vibrating_table_throws_a_ball_up(law: str) -> None:
    """A table that comes with u throws a resting ball off with (1 + e) u: the work of the table, no gain of the impact."""
    m = ss.Machine(mass=2.0, names=["ball"])
    m.add_contact(
        "table", normal={"ball": 1.0}, gap=ss.Ramp(slope=-0.5, offset=0.1), restitution=0.8, impact=law
    )
    run = ss.simulate(m, 1.0)
    assert run.success and run["ball.velocity"][-1] == pytest.approx(1.8 * 0.5, abs=1e-14)
    assert "energy gained" not in run.events[0].rule and ss.analysis.audit(run).passed
    assert run.energy.residual < 1e-14


@pytest.mark.parametrize("law", LAWS)
def test_light_ball_between_moving_table_and_heavy_body_gains_no_more_than_the_work(law: str) -> None:
    m = ss.Machine(mass=[1.0, 1e-3], names=["heavy", "ball"])
    m.add_contact("top", normal={"heavy": 1.0, "ball": -1.0}, gap=1e-2, restitution=0.6, impact=law)
    m.add_contact(
        "table", normal={"ball": 1.0}, gap=ss.Ramp(slope=-0.5, offset=1e-2), restitution=0.6, impact=law
    )
    run = ss.simulate(m, 1.0)
    contacts = [Contact([1.0, -1.0], 1e-2, 0.6), Contact([0.0, 1.0], 1e-2, 0.6, moving=-0.5)]
    truth = impacts(
        [[1.0, 0.0], [0.0, 1e-3]], contacts, [0.0, 0.0], law, t_end=1.0, most=20_000, patience=200
    )
    assert truth.ended and run.success
    assert velocities(run) == pytest.approx(truth.velocity, abs=1e-9)
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize("law", LAWS)
def test_part_without_clearance_between_elastic_walls_is_reported(law: str) -> None:
    m = ss.Machine(mass=2.0, names=["part"])
    for name, side in (("low", 1.0), ("high", -1.0)):
        m.add_contact(name, normal={"part": side}, restitution=1.0, impact=law)
    run = ss.simulate(m, 1.0, initial={"part.velocity": 0.3})
    assert run.status == "failed" and not run.success
    assert "'low'" in run.message and "'high'" in run.message
    assert "without end" in run.message and "restitution 1" in run.message
