"""Tangentially reversible impacts (figure 5.3 of the source) against closed forms and enumeration of all modes."""

import itertools
import pickle

import numpy as np
import pytest

import stickslip as ss
from stickslip import contact

BALL = 2 / 5  # moment of inertia of a solid ball over m R^2


def bounce(spin, velocity, *, law="poisson", friction=10.0, restitution=1.0, reversal=1.0):
    """A ball of mass and radius 1 falls with 1 m/s: coordinates x, y and the angle times R."""
    return contact.impact(
        [1.0, 1.0, BALL],
        [velocity, -1.0, spin],
        [[0.0, 1.0, 0.0]],
        [[1.0, 0.0, 1.0]],
        friction=friction,
        restitution=restitution,
        tangential_restitution=reversal,
        law=law,
    )


@pytest.mark.parametrize("law", ["poisson", "newton"])
@pytest.mark.parametrize(("velocity", "spin"), [(1.0, 0.0), (0.3, 2.0), (-0.7, 0.2)])
def test_a_superball_reverses_the_velocity_of_its_contact_and_keeps_its_energy(law, velocity, spin):
    """Garwin 1969: at e = e_T = 1 the velocity of the point of contact turns round in both directions."""
    (hit,) = bounce(spin, velocity, law=law)
    assert hit.tangent_velocity == pytest.approx([-(velocity + spin)], rel=1e-14)
    assert hit.normal_velocity == pytest.approx([1.0], rel=1e-14)
    assert hit.energy_change == pytest.approx(0.0, abs=1e-14)
    # The friction impulse acts on the centre as on the spin: 2 (v + w) / (1 + 1 / BALL).
    impulse = 2.0 * (velocity + spin) / (1.0 + 1.0 / BALL)
    assert hit.velocity == pytest.approx([velocity - impulse, 1.0, spin - impulse / BALL], rel=1e-13)


@pytest.mark.parametrize(("law", "back"), [("poisson", 0.6 * 0.8), ("newton", 0.6)])
def test_velocity_inside_the_cone_reverses_by_its_share(law, back):
    """Poisson returns e_T eps of the impulse, Newton e_T of the velocity."""
    (hit,) = bounce(0.0, 1.0, law=law, restitution=0.8, reversal=0.6)
    assert hit.tangent_velocity == pytest.approx([-back], rel=1e-13)


def test_sliding_compression_stores_the_friction_limit():
    """mu = 0.1: S_C = mu, S_E = mu eps while it slides on; just faster than it can be stopped."""
    response = 1.0 + 1.0 / BALL
    stops = 0.1 * (1.0 + 0.8) * response  # speed that friction takes in the whole impact
    (slides,) = bounce(0.0, 1.2 * stops, friction=0.1, restitution=0.8, reversal=0.6)
    assert slides.tangent_velocity > 0.0
    assert slides.friction_impulse == pytest.approx([0.1 * 1.8], rel=1e-14)
    (sticks,) = bounce(0.0, 0.95 * stops, friction=0.1, restitution=0.8, reversal=0.6)
    assert sticks.tangent_velocity == [0.0]
    compressed, least = 0.1, 0.6 * 0.8 * 0.1  # from here on it is thrown back
    (turns,) = bounce(
        0.0, 0.95 * (compressed + least) * response, friction=0.1, restitution=0.8, reversal=0.6
    )
    assert turns.tangent_velocity < 0.0
    assert turns.friction_impulse == pytest.approx([compressed + least], rel=1e-14)


def test_friction_without_reversal_is_dry_in_both_phases():
    plain = bounce(0.0, 1.0, reversal=None)[0]
    assert plain.tangent_velocity == [0.0]
    same = bounce(0.0, 1.0, reversal=np.nan)[0]
    assert (same.velocity == plain.velocity).all()


def outcomes(response, before, mu, eps, back):
    """Velocities after by trying all modes of both phases, Poisson's law; rows normals, then tangents."""
    n = len(mu)
    found = []

    def phase(start, floor, low, high):
        """low, high: constants and shares of Lambda_N of the friction impulse for slip- and slip+."""
        answers = []
        for modes in itertools.product(itertools.product((0, 1), (-1, 0, 1)), repeat=n):
            a, b = np.zeros((2 * n, 2 * n)), np.zeros(2 * n)
            flipped = np.hstack([response[:, :n], -response[:, n:]])
            for k, (closed, slip) in enumerate(modes):
                if closed:
                    a[k], b[k] = flipped[k], -start[k]
                else:
                    a[k, k], b[k] = 1.0, floor[k]
                if slip == 0:
                    a[n + k], b[n + k] = flipped[n + k], -start[n + k]
                else:
                    constant, share = (high if slip > 0 else low)[k]
                    a[n + k, n + k], a[n + k, k], b[n + k] = 1.0, -share, constant
            if abs(np.linalg.det(a)) < 1e-12:
                continue
            x = np.linalg.solve(a, b)
            after = start + flipped @ x
            ok = (after[:n] > -1e-11).all() and (x[:n] > floor - 1e-11).all()
            for k, (_, slip) in enumerate(modes):
                least, most = (c + s * x[k] for c, s in (low[k], high[k]))
                ok &= (least - 1e-11 < x[n + k] < most + 1e-11) if slip == 0 else slip * after[n + k] > -1e-11
            if ok:
                answers.append((x, after))
        return answers

    dry = [(0.0, -m) for m in mu], [(0.0, m) for m in mu]
    for x, after in phase(before, np.zeros(n), *dry):
        low, high = list(dry[0]), list(dry[1])
        for k in range(n):
            given = back[k] * eps[k] * x[n + k]
            if x[n + k] > 0.0:
                low[k] = (given, 0.0)
            elif x[n + k] < 0.0:
                high[k] = (given, 0.0)
        found += [end for _, end in phase(after, eps * x[:n], low, high)]
    return found


@pytest.mark.parametrize("n", [1, 2])
def test_impacts_agree_with_enumeration_of_all_modes(n):
    rng = np.random.default_rng(40 + n)
    several = 0
    for _ in range(150):
        dof = 2 * n + 1
        root = rng.normal(size=(dof, dof))
        mass = root @ root.T + 0.3 * np.eye(dof)
        normals, tangents = rng.normal(size=(n, dof)), rng.normal(size=(n, dof))
        mu, eps, back = rng.uniform(0.05, 0.8, n), rng.uniform(0, 1, n), rng.uniform(0, 1, n)
        velocity = rng.normal(size=dof)
        rows = np.vstack([normals, tangents])
        before = rows @ velocity
        if (before[:n] > 0).any():
            continue
        expected = outcomes(rows @ np.linalg.solve(mass, rows.T), before, mu, eps, back)
        hits = contact.impact(
            mass, velocity, normals, tangents, friction=mu, restitution=eps, tangential_restitution=back
        )
        scale = np.abs(before).max() + max((np.abs(e).max() for e in expected), default=0.0)
        several += len(hits) > 1
        for hit in hits:
            after = np.r_[hit.normal_velocity, hit.tangent_velocity]
            assert min(np.abs(after - e).max() for e in expected) < 1e-9 * scale
        for e in expected:
            assert (
                min(np.abs(np.r_[h.normal_velocity, h.tangent_velocity] - e).max() for h in hits)
                < 1e-9 * scale
            )
    assert several < 20


def test_one_contact_gains_no_energy_by_poissons_law():
    """For all 0 <= eps, e_T <= 1 (Pfeiffer, Glocker 1996)."""
    rng = np.random.default_rng(5)
    for _ in range(400):
        root = rng.normal(size=(3, 3))
        hits = contact.impact(
            root @ root.T + 0.1 * np.eye(3),
            rng.normal(size=3),
            rng.normal(size=(1, 3)),
            rng.normal(size=(1, 3)),
            friction=rng.uniform(0, 2),
            restitution=rng.uniform(),
            tangential_restitution=rng.uniform(),
        )
        for hit in hits:
            assert hit.energy_change <= 1e-12 * (1.0 + np.abs(hit.normal_impulse).max() ** 2)


def superball(reversal=0.5, impact="poisson"):
    m = ss.Machine(mass=[1.0, 1.0, BALL], names=["x", "y", "turn"], force={"y": -9.81})
    m.add_contact(
        "floor",
        normal={"y": 1.0},
        tangent={"x": 1.0, "turn": 1.0},
        friction=2.0,
        restitution=0.8,
        tangential_restitution=reversal,
        impact=impact,
    )
    return m


@pytest.mark.parametrize(("impact", "back"), [("poisson", 0.4), ("newton", 0.5)])
def test_superball_reverses_its_spin_at_every_bounce(impact, back):
    run = ss.simulate(superball(impact=impact), 1.5, initial={"y.position": 0.5, "x.velocity": 1.0})
    hits = [e for e in run.events if e.impact]
    assert len(hits) >= 3
    for k, e in enumerate(hits[:3]):
        after = run.at([e.time + 1e-9])["floor.velocity"][0]
        assert after == pytest.approx((-back) ** (k + 1), rel=1e-9)
    report = ss.analysis.audit(run)
    assert report.passed, report


def test_tangential_restitution_is_part_of_the_description():
    m, other = superball(0.5), superball(0.6)
    assert m != other and pickle.loads(pickle.dumps(m)) == m and ss.Machine.from_dict(m.to_dict()) == m
    assert m != superball(None)
    swept = ss.ensemble(
        m,
        {"floor.tangential_restitution": [0.5, 0.6]},
        t_end=0.4,
        measure=["x.velocity.final"],
        initial={"y.position": 0.5, "x.velocity": 1.0},
    )
    single = ss.simulate(other, 0.4, initial={"y.position": 0.5, "x.velocity": 1.0})
    assert swept["x.velocity.final"][1] == single.at([0.4])["x.velocity"][0]


def test_bad_input_is_refused():
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    with pytest.raises(ValueError, match="tangential_restitution of 'floor' needs a tangent"):
        m.add_contact("floor", normal={"y": 1.0}, tangential_restitution=0.5)
    for wrong in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match="tangential_restitution"):
            m.add_contact(
                "floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, tangential_restitution=wrong
            )
    with pytest.raises(ValueError, match=r"tangential_restitution = .*1\.5.* \[0, 1\], or NaN"):
        bounce(0.0, 1.0, reversal=1.5)
    with pytest.raises(ValueError, match="needs tangents"):
        contact.impact([1.0], [-1.0], [[1.0]], tangential_restitution=0.5)
    with pytest.raises(ValueError, match="does not know tangential_restitution, which 'floor' has"):
        ss.simulate(superball(), 1.0, method="time_stepping", max_step=1e-3)
