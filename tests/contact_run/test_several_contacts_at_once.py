"""Impacts in which a contact without a gap separates, slowly or not: no energy goes without a law of impact."""

from __future__ import annotations

import re

import numpy as np
import pytest
from reference.impact_sequence import Contact, impacts

import stickslip as ss

# Seeds of parts without clearance between elastic walls. One coordinate, Newton's law: both impacts reverse the velocity,
# with or without friction, so that two of them return to the same state without a flight (checked in rational numbers).
WITHOUT_END = (92, 207)
SLOW = [0.0, 1e-15, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7]


def corner(away: float, restitution: float, rule: str, scale: float = 1.0) -> ss.Trajectory:
    """B, at 45 degrees, hits while A, which has no gap, separates slowly."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    m.add_contact("A", normal={"y": 1.0}, gap=-1.0 * scale, restitution=restitution, impact=rule)
    m.add_contact(
        "B", normal={"x": 1.0, "y": -1.0}, gap=(1.0 - 1e-4) * scale, restitution=restitution, impact=rule
    )
    initial = {
        "x.position": 2e-4 * scale,
        "y.position": scale,
        "x.velocity": -scale,
        "y.velocity": away * scale,
    }
    return ss.simulate(m, 1e-2, initial=initial)


@pytest.mark.parametrize("rule", ["newton", "poisson"])
@pytest.mark.parametrize("restitution", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("away", SLOW)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_separating_contact_takes_no_part_in_an_impact(
    away: float, restitution: float, rule: str, scale: float
) -> None:
    """One impact after the other in decimal arithmetic; A that touches without a rate takes part: v = (eps, 0)."""
    run = corner(away, restitution, rule, scale)
    contacts = [Contact([0.0, 1.0], 0.0, restitution), Contact([1.0, -1.0], 1e-4, restitution)]
    truth = impacts([[1.0, 0.0], [0.0, 1.0]], contacts, [-1.0, away], rule)
    assert run.success and {e.element for e in run.events} == {"A", "B"}
    v = run.state.x[2:] / scale
    assert v == pytest.approx(truth.velocity, abs=1e-11)
    if away == 0.0:
        assert truth.velocity == pytest.approx([restitution, 0.0], abs=1e-15)
    lost = sum(e.loss for e in run.events if e.impact) / scale**2
    assert 0.5 - lost == pytest.approx(0.5 * float(v @ v), abs=1e-12 + away)
    assert run.energy.residual < 1e-15


def test_elastic_impacts_keep_the_energy_in_sequence_as_well() -> None:
    """B, A, B where A separates so fast that it has a gap when B hits: the same end as that of the joint impact."""
    for away in (1e-5, 1e-4, 1e-3):
        run = corner(away, 1.0, "newton")
        assert [e.element for e in run.events] == ["B", "A", "B"]
        assert run.state.x[2:] == pytest.approx([1.0, 0.0], abs=3.0 * away)
        assert run.energy.residual < 1e-14


def random_contacts(seed: int) -> tuple[ss.Machine, np.ndarray]:
    """A body in one to four directions with two to five contacts, most without a gap, some separating slowly."""
    rng = np.random.default_rng([seed, 41])
    n = int(rng.integers(1, 5))
    a = rng.normal(size=(n, n))
    mass = a @ a.T + 0.3 * np.eye(n)
    m = ss.Machine(mass=mass, names=[f"q{i}" for i in range(n)])
    for i in range(n):
        if rng.random() < 0.6:
            m.add_force(f"q{i}", float(rng.normal()))
    x0, v0 = np.zeros(n), rng.normal(size=n)
    rule = str(rng.choice(["newton", "poisson"]))
    for k in range(int(rng.integers(2, 6))):
        normal = rng.normal(size=n)
        rate = float(normal @ v0)
        slow = rng.random() < 0.5 and n > 1
        if slow:  # turned so that this contact separates slowly
            other = rng.normal(size=n)
            normal = other - (float(other @ v0) - 10.0 ** rng.uniform(-13, -7)) / float(v0 @ v0) * v0
            rate = 1.0
        gap = 0.0 if rng.random() < 0.7 else float(rng.uniform(0.0, 0.3))
        friction = (
            {"tangent": rng.normal(size=n), "friction": float(rng.uniform(0, 0.5))}
            if rng.random() < 0.4
            else {}
        )
        restitution = float(rng.choice([0.0, 0.5, 0.9, 1.0]))
        m.add_contact(f"c{k}", normal=normal if rate > 0 or gap > 0 or rng.random() < 0.5 else -normal, gap=gap,
                      restitution=restitution, impact=rule, **friction)  # fmt: skip
    return m, np.concatenate([x0, v0])


@pytest.mark.parametrize("block", range(6))
def test_no_velocity_changes_without_an_event(block: int) -> None:
    """Energies and normal velocities are accounted for by the impacts of the log, over random machines."""
    told, no_end = 0, []
    for seed in range(50 * block, 50 * (block + 1)):
        m, x0 = random_contacts(seed)
        run = ss.simulate(m, 1.0, initial=x0, max_time=10.0, max_events=3000)
        if (
            run.status == "failed"
        ):  # two elastic contacts of opposed or dependent directions, without clearance
            assert "without clearance between contacts of restitution 1" in run.message, seed
            no_end.append(seed)
            continue
        assert run.status in ("finished", "no_solution", "budget"), (seed, run.message)
        assert run.energy.residual < 1e-9, (seed, run.energy.residual)
        starts = [e for e in run.events if e.impact and e.time == 0.0]
        if run.status != "finished" or not starts:
            continue
        n = x0.size // 2
        kinetic = 0.5 * x0[n:] @ m._description.plant["mass"] @ x0[n:]
        first = run.at([0.0]).energy.kinetic[0]
        assert kinetic - sum(e.loss for e in starts) == pytest.approx(first, abs=1e-9 * kinetic), seed
        told += 1
    assert told >= 5
    assert no_end == [seed for seed in WITHOUT_END if seed // 50 == block]


@pytest.mark.parametrize("rule", ["poisson", "newton"])
def test_impact_does_not_reach_uncoupled_bodies(rule: str) -> None:
    """A body wedged between its own walls neither moves nor has events at impacts elsewhere."""
    m = ss.Machine(mass=[1.0, 0.3, 0.5], names=["ball", "b", "c"], force={"ball": -9.81})
    for name, normal, tangent in (
        ("low", {"b": 1.0}, {"c": 1.0}), ("high", {"b": -1.0}, {"c": 1.0}),
        ("near", {"c": 1.0, "b": -1.0}, None), ("far", {"c": -1.0, "b": 1.0}, None),
    ):  # fmt: skip
        friction = None if tangent is None else 0.2
        m.add_contact(name, normal=normal, tangent=tangent, friction=friction, restitution=0.5, impact=rule)
    m.add_contact("floor", normal={"ball": 1.0}, gap=0.1, restitution=0.5, impact=rule)
    run = ss.simulate(m, 1.0)
    assert run.success and len(run.events) > 10
    assert {e.element for e in run.events} == {"floor"}
    for name in ("b", "c"):
        assert np.all(run[f"{name}.position"] == 0.0) and np.all(run[f"{name}.velocity"] == 0.0)


def test_impulses_at_one_instant_are_all_counted() -> None:
    """Frictional chains of many impacts at large coefficients; some jam, and then an impact without collision follows."""
    several = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 17])
        n = int(rng.integers(2, 5))
        stiffness = rng.normal(size=(n, n))
        m = ss.Machine(
            mass=rng.uniform(0.3, 1.2, n),
            stiffness=0.5 * stiffness @ stiffness.T,
            names=[f"m{i}" for i in range(n)],
            force={f"m{i}": float(2.0 * rng.normal()) for i in range(n)},
        )
        for k in range(3):
            normal, tangent = rng.normal(size=n), rng.normal(size=n)
            gap, friction = float(rng.choice([0.0, rng.uniform(0, 1)])), float(rng.uniform(0.2, 1.5))
            m.add_contact(
                f"c{k}", normal=normal, tangent=tangent, restitution=1.0, gap=gap, friction=friction
            )
        x0 = np.concatenate([np.zeros(n), rng.normal(size=n)])
        run = ss.simulate(m, 2.0, initial=x0, max_events=400, max_time=10.0)
        instants = [e.time for e in run.events if e.impact]
        several += len(instants) - len(set(instants))
        assert run.energy.residual < 1e-9, seed
    assert several > 20  # contacts with an impact at one instant


def test_chain_keeps_every_collision() -> None:
    """More than a thousand impacts of three frictional contacts: energies add up throughout."""
    stiffness = [
        [0.6750936386546271, -0.10594961480350357, 0.051083484268656575, 0.7201466417073422],
        [-0.10594961480350357, 0.7710150771814535, 0.009482452977734033, 0.2539898953197781],
        [0.051083484268656575, 0.009482452977734033, 0.3221862645556565, -0.0190630193430154],
        [0.7201466417073422, 0.2539898953197781, -0.0190630193430154, 1.284694347919127],
    ]
    forces = [-0.19544785412623078, 1.8350487476981852, -2.35263316426121, -0.48250506435451723]
    names = ["m0", "m1", "m2", "m3"]
    m = ss.Machine(
        mass=[0.41852334968953564, 1.053436475215379, 0.8112755896902373, 0.3729404986776032],
        stiffness=stiffness,
        names=names,
        force=dict(zip(names, forces, strict=True)),
    )
    for name, normal, tangent, gap, friction in [
        ("c0", [0.4380360086963464, 1.8142718953775965, 0.959172712065227, 0.9973325253404612],
         [-0.6518527019065951, -0.8796846649913432, 1.0611266471244514, 0.12337647810570324],
         0.8892357429972197, ss.Coulomb(0.6229360604134252, 0.45320045162950207)),
        ("c1", [-0.16637058521525816, -0.49921711867643953, 0.5551869060908952, 0.19183960511132853],
         [0.91128919821284, -0.41996615491067374, 0.6772214184157, 1.1607997643442935], 0.0, 0.9196349813649444),
        ("c2", [0.23437223540164867, -1.2386449327880176, -2.270643234553666, 0.2972390620755206],
         [-2.368403063976702, 0.3748061805284154, -0.3217578118801296, -1.2764107006043148], 0.0, 0.28965509213039153),
    ]:  # fmt: skip
        m.add_contact(name, normal=normal, tangent=tangent, gap=gap, restitution=1.0, friction=friction)
    x0 = [
        0.0,
        0.0,
        0.0,
        0.0,
        -0.9505103924105431,
        0.13098031132691146,
        0.26486809942192435,
        0.3802834085151694,
    ]
    run = ss.simulate(m, 8.0, initial=x0)
    assert run.success and len(run.events) > 500 and run.energy.residual < 1e-13


def test_the_rebound_threshold_ends_a_bounce_and_its_energy_is_a_loss_of_an_impact() -> None:
    """A ball with eps = 1/2 from 1 m: rebounds at v0/2^k until one is below the threshold, a share of v0."""
    m = ss.Machine(mass=2.0, names=["y"], force={"y": -2.0 * 9.81})
    m.add_contact("floor", normal={"y": 1.0}, restitution=0.5)
    for k in (3, 7, 20):
        run = ss.simulate(m, 3.0, initial={"y.position": 1.0}, rebound_threshold=0.75 * 0.5**k)
        hits = [e for e in run.events if e.impact]
        assert len(hits) == k + 1  # the last one, at v0/2^k, leaves nothing
        assert sum(e.loss for e in hits) == pytest.approx(2.0 * 9.81, rel=1e-12)
        assert hits[-1].loss == pytest.approx(2.0 * 9.81 * 0.25**k, rel=1e-6)
        assert run.state.x[1] == 0.0 and run.energy.residual < 1e-14
    with pytest.raises(ValueError, match=r"rebound_threshold = 1.5 is not allowed: it must be in \[0, 1\)"):
        ss.simulate(m, 1.0, rebound_threshold=1.5)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3])
def test_overlap_of_rounding_size_at_the_start_is_removed(scale: float) -> None:
    m = ss.Machine(mass=[1.0, 3.0], names=["x", "y"], force={"y": -9.81 * scale})
    m.add_contact("floor", normal={"y": 1.0, "x": 0.1}, gap=-0.7 * scale)
    m.add_contact("wall", normal={"x": 1.0}, gap=-0.2 * scale)
    start = {"x.position": 0.2 * scale, "y.position": 0.68 * scale}
    for depth in (1e-12 * scale, 3e-10 * scale, 5e-9 * scale):
        run = ss.simulate(
            m, 1.0, initial=start | {"y.position": (0.68 - depth / scale) * scale}, t_eval=[0.0, 1.0]
        )
        assert run["floor.gap"] == pytest.approx([0.0, 0.0], abs=1e-15 * scale)
        assert run["wall.gap"].min() >= -1e-15 * scale
        assert run.success and str(run["floor.mode"][0]) != "open"
        assert float(
            re.search(r"'floor' overlapped by (\S+) m at the start", run.message)[1]
        ) == pytest.approx(depth, rel=1e-3)
    with pytest.raises(
        ValueError, match=r"'floor' overlaps at the start by .* m: .* overlaps up to .* m count as rounding"
    ):
        ss.simulate(m, 1.0, initial=start | {"y.position": 0.679 * scale})


def test_rounded_published_start_values_are_accepted_at_any_size() -> None:
    m = ss.Machine(mass=1.0, names=["y"], force={"y": -9.81})
    m.add_contact("floor", normal={"y": 1.0})
    run = ss.simulate(m, 1.0, initial={"y.position": -1e-12}, t_eval=[0.0, 1.0])
    assert run.success and (run["y.position"] == 0.0).all() and "overlapped by 1e-12 m" in run.message
    with pytest.raises(ValueError, match="overlaps at the start by 1e-11 m"):
        ss.simulate(m, 1.0, initial={"y.position": -1e-11})


@pytest.mark.parametrize("tilt", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
def test_open_gap_stays_open_at_any_scale(tilt: float) -> None:
    """A lightly damped beam falls on one foot, then on the other: after tilt / (5 v / 3.5), v its speed, and not before.

    Without restitution foot0 at -1/2 stops: with 1/m + x²/I = 3.5 the beam turns at -5 v/3.5.
    """
    m = ss.Machine(mass=[1.0, 0.1], damping=1e-3, names=["y", "phi"], force={"y": -9.81})
    for i, x in enumerate((-0.5, 0.5)):
        m.add_contact(f"foot{i}", normal={"y": 1.0, "phi": x})
    run = ss.simulate(m, 1.0, initial={"y.position": 0.3, "phi.position": tilt})
    first, second = (next(e.time for e in run.events if e.element == f"foot{i}") for i in (0, 1))
    assert second - first == pytest.approx(tilt / (5.0 / 3.5 * 9.81 * first), rel=1e-2)
    assert abs(run.state.x[1]) < 1e-15
