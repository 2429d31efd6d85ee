"""Frictional impacts: closed forms of the wedge gear and of simple bodies, energy, and the known gains.

Source: Hinrichsen 2007, chapters 5 and 6, with the corrections of physics.md 4 (6.9, 6.18, 6.14).
"""

import numpy as np
import pytest

from stickslip import _core, contact

DEG = np.pi / 180


def wedge(alpha, *, gamma=12 * DEG, rho=14 * DEG, m1=2420.0, m2=10.878, speed=1.0, **options):
    """Wedge gear that meets with g'_N = -v cos(alpha), g'_T = -v sin(alpha)."""
    s, c = np.sin(gamma), np.cos(gamma)
    W = np.array([[c, s], [s, -c]])
    velocity = np.linalg.solve(W, [-speed * np.cos(alpha), -speed * np.sin(alpha)])
    return contact.impact([m1, m2], velocity, W[:1], W[1:], friction=np.tan(rho), **options)


def closed_form(alpha, gamma=12 * DEG, m1=2420.0, m2=10.878, speed=1.0):
    """Impulses of a compression that ends in stick, 6.9 and 6.18 with the last bracket put right."""
    s, c = np.sin(gamma), np.cos(gamma)
    normal = speed * ((m1 * c**2 + m2 * s**2) * np.cos(alpha) + s * c * (m1 - m2) * np.sin(alpha))
    tangential = speed * (s * c * (m1 - m2) * np.cos(alpha) + (m1 * s**2 + m2 * c**2) * np.sin(alpha))
    return normal, tangential


ANGLES = np.linspace(-np.pi / 4, np.pi / 2, 62)[1:-1]


@pytest.mark.parametrize("speed", [1.0, 0.03])
def test_compression_of_the_wedge_ends_in_stick(speed):
    for alpha in ANGLES:
        hit = wedge(alpha, speed=speed)
        normal, tangential = closed_form(alpha, speed=speed)
        assert len(hit) == 1 and hit.complete and hit[0].compression == hit[0].expansion == ("stick",)
        assert hit[0].normal_impulse[0] == pytest.approx(normal, rel=2e-12)
        assert -hit[0].friction_impulse[0] == pytest.approx(tangential, rel=2e-12)
        assert hit[0].normal_velocity[0] == 0 and hit[0].tangent_velocity[0] == 0
        assert hit[0].loss > 0 and not hit.gains_energy


@pytest.mark.parametrize("eps", [0.05, 0.5, 1.0])
def test_expansion_of_the_wedge_separates_without_sliding(eps):
    """g'_T = 0 and g'_N = eps v [cos(alpha) + sin(alpha) sc (m1 - m2)/(m1 c^2 + m2 s^2)]."""
    m1, m2, s, c = 2420.0, 10.878, np.sin(12 * DEG), np.cos(12 * DEG)
    for alpha in ANGLES:
        hit = wedge(alpha, restitution=eps)
        ratio = s * c * (m1 - m2) / (m1 * c**2 + m2 * s**2)
        assert len(hit) == 1 and hit[0].compression == ("stick",) and hit[0].expansion == ("separate",)
        assert hit[0].tangent_velocity[0] == 0
        expected = eps * (np.cos(alpha) + np.sin(alpha) * ratio)
        assert hit[0].normal_velocity[0] == pytest.approx(expected, rel=1e-11)
        assert hit[0].compression_normal_impulse[0] == pytest.approx(closed_form(alpha)[0], rel=2e-12)


def test_separating_wedges_have_no_impulse_or_jam():
    """alpha > pi/2: g'_N > 0 before and separation with zero impulses, as in the source; but up to the
    alpha at which stick needs mu Lambda_N, impulses that stop the parting wedges solve the problem as
    well."""
    m1, m2, s, c, mu = 2420.0, 10.878, np.sin(12 * DEG), np.cos(12 * DEG), np.tan(14 * DEG)
    last = np.pi + np.arctan(
        (mu * (m1 * c**2 + m2 * s**2) - s * c * (m1 - m2)) / (m1 * s**2 + m2 * c**2 - mu * s * c * (m1 - m2))
    )
    for alpha in (0.5001 * np.pi, 0.501 * np.pi, 0.999999 * last, 1.000001 * last, 0.6 * np.pi, 0.9 * np.pi):
        hit = wedge(alpha)
        labels = [h.compression[0] for h in hit]
        assert labels[0] == "separate" and not hit[0].normal_impulse.any() and hit[0].loss == 0
        assert sorted(labels) == (["separate", "slip-", "stick"] if alpha < last else ["separate"])


def test_steep_wedge_slips_instead_of_sticking():
    """gamma = 50, rho = 60, m2/m1 = 0.05, alpha = -44 degrees."""
    (only,) = wedge(-44 * DEG, gamma=50 * DEG, rho=60 * DEG, m1=1.0, m2=0.05)
    assert only.compression[0].startswith("slip")
    assert abs(only.friction_impulse[0]) == pytest.approx(
        np.tan(60 * DEG) * only.normal_impulse[0], rel=1e-14
    )
    normal, tangential = closed_form(-44 * DEG, gamma=50 * DEG, m1=1.0, m2=0.05)
    assert abs(tangential) > np.tan(60 * DEG) * normal  # stick would need more than friction can give
    assert wedge(-30 * DEG, gamma=50 * DEG, rho=60 * DEG, m1=1.0, m2=0.05)[0].compression == ("stick",)


@pytest.mark.parametrize("copies", [1, 2, 3, 4, 8, 256])
def test_hoop_sticks_below_0_6_however_often_its_contact_is_listed(copies):
    """m = R = I = 1, mu = 0.1, falling with 3 m/s: Lambda_T = v_x/2 <= mu 3 if and only if |v_x| < 0.6."""
    for v in (0.5999999, 0.6000001) if copies > 8 else (-0.61, -0.59, 0.0, 0.3, 0.5999999, 0.6000001, 2.0):
        hit = contact.impact([1, 1, 1], [v, -3, 0], [[0, 1, 0]] * copies, [[1, 0, 1]] * copies, friction=0.1)
        assert len(hit) == 1
        expected = [v / 2, 0, -v / 2] if abs(v) < 0.6 else [v - np.sign(v) * 0.3, 0, -np.sign(v) * 0.3]
        np.testing.assert_allclose(hit[0].velocity, expected, atol=1e-14 * copies)
        label = "stick" if abs(v) < 0.6 else "slip+" if v > 0 else "slip-"
        if copies > 8:  # Lemke's answer, in which some carry nothing
            assert label in hit[0].compression and set(hit[0].compression) <= {label, "separate"}
        else:
            assert hit[0].compression == (label,) * copies
        assert hit[0].normal_impulse.sum() == pytest.approx(3.0, rel=1e-14 * copies)


def test_energy_gain_of_newton_with_friction_is_marked():
    """Uniform rod at 50 degrees, mu = 0.5, eps = 1, velocity (0.5, -1): +18 %; Poisson loses."""
    s, c = np.sin(50 * DEG), np.cos(50 * DEG)
    data = ([1, 1, 1 / 3], [0.5, -1, 0], [[0, 1, -c]], [[1, 0, s]])
    newton = contact.impact(*data, friction=0.5, restitution=1.0, law="newton")
    assert newton.gains_energy and newton[0].gains_energy
    assert newton[0].energy_change / 0.625 == pytest.approx(0.1835, abs=5e-5)
    assert -newton[0].loss == newton[0].energy_change
    assert newton[0].normal_velocity[0] == 1.0
    poisson = contact.impact(*data, friction=0.5, restitution=1.0)
    assert not poisson.gains_energy and poisson[0].loss >= 0


def test_energy_gain_of_poisson_with_unequal_restitution_is_marked():
    """Unit point mass between normals at 285 and 0 degrees, mu = 1, eps = (1, 0), unit velocity at 135
    degrees.

    Rigidity leaves the impulses of compression open, and the outcome hangs on them: up to 0.5 -> 2 +
    sqrt(3) J. Six regular sets of modes solve compression (in four of them the second wall alone stops the
    mass, in one the first, in one both); they lead to rest, to 3/8 J and to the gain.
    """
    a = 285 * DEG
    normals = np.array([[np.cos(a), np.sin(a)], [1.0, 0.0]])
    tangents = np.c_[-normals[:, 1], normals[:, 0]]
    v = [np.cos(135 * DEG), np.sin(135 * DEG)]
    hit = contact.impact([1, 1], v, normals, tangents, friction=1.0, restitution=[1, 0])
    assert len(hit) > 1 and hit.ambiguous and not any(h.unique_impulse for h in hit)
    energies = [0.5 + h.energy_change for h in hit]
    assert max(energies) == pytest.approx(2 + np.sqrt(3), rel=1e-12)
    for outcome in (0.0, 0.375):
        assert min(abs(e - outcome) for e in energies) < 1e-12
    assert [h.gains_energy for h in hit] == [e > 0.5 for e in energies]
    for h in hit:
        assert 0.5 * h.velocity @ h.velocity == pytest.approx(0.5 + h.energy_change, abs=1e-12)
        assert (np.abs(h.friction_impulse) <= h.normal_impulse + 1e-9).all()


def random_impacts(rng, k, contacts, dof):
    a = rng.normal(size=(k, dof, dof))
    inverse = np.linalg.inv(a @ a.transpose(0, 2, 1) + 0.2 * np.eye(dof))
    W = rng.normal(size=(k, 2 * contacts, dof))
    v = rng.normal(size=(k, 2 * contacts))
    v[:, :contacts] = -np.abs(v[:, :contacts])
    return W @ inverse @ W.transpose(0, 2, 1), v


@pytest.mark.parametrize(("contacts", "dof", "k"), [(1, 3, 60_000), (2, 5, 35_000), (3, 7, 5_000)])
def test_poisson_loses_energy(contacts, dof, k):
    """10^5 random impacts: one contact, or several with one eps against fixed walls."""
    rng = np.random.default_rng(100 + contacts)
    G, v = random_impacts(rng, k, contacts, dof)
    mu = rng.uniform(0, 2, (k, contacts))
    eps = np.repeat(rng.uniform(0, 1, (k, 1)), contacts, axis=1)
    after, energy, count = _core.transition.impact_batch(
        G, v, contacts, np.arange(contacts), mu, eps, "poisson"
    )
    assert (count > 0).all()
    impulse = np.linalg.solve(G, (after - v)[..., None])[..., 0]
    change = (impulse * (after + v)).sum(axis=1) / 2
    size = np.abs(impulse * (after + v)).sum(axis=1) / 2
    np.testing.assert_allclose(energy, change, atol=1e-9 * size.max())
    assert (energy <= 1e-9 * size).all()
    assert (after[:, :contacts] >= -1e-9).all()
    assert (impulse[:, :contacts] >= -1e-9 * np.abs(impulse).max(axis=1, keepdims=True)).all()
    load = mu * impulse[:, :contacts]
    assert (np.abs(impulse[:, contacts:]) <= load + 1e-8 * np.abs(impulse).max(axis=1, keepdims=True)).all()


def test_newton_of_one_frictionless_contact_and_poisson_agree():
    rng = np.random.default_rng(9)
    G, v = random_impacts(rng, 200, 1, 3)
    zero, eps = np.zeros((200, 1)), rng.uniform(0, 1, (200, 1))
    a = _core.transition.impact_batch(G, v, 1, np.arange(1), zero, eps, "newton")
    b = _core.transition.impact_batch(G, v, 1, np.arange(1), zero, eps, "poisson")
    np.testing.assert_allclose(a[0], b[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(a[0][:, 0], -eps[:, 0] * v[:, 0], rtol=1e-12)


def test_all_closed_contacts_take_part():
    """Newton's cradle of two equal blocks at rest against a wall: the resting contact takes up the impulse.

    x1 hits x2, which rests at the wall: without restitution everything stops.
    """
    normals = [[-1.0, 1.0], [0.0, -1.0]]
    (only,) = contact.impact([1.0, 1.0], [2.0, 0.0], normals)
    np.testing.assert_allclose(only.velocity, [0, 0], atol=1e-15)
    np.testing.assert_allclose(only.normal_impulse, [2, 2], rtol=1e-14)
    assert only.compression == ("closed", "closed")
    (elastic,) = contact.impact([1.0, 1.0], [2.0, 0.0], normals, restitution=1.0)
    np.testing.assert_allclose(elastic.velocity, [-2, 0], atol=1e-14)
    assert elastic.loss == pytest.approx(0, abs=1e-14)


def test_moving_wall_does_work():
    """A ball at rest hit by a wall at 2 m/s, eps = 1: leaves with 4 m/s, the wall gives 8 J, nothing is
    lost."""
    (only,) = contact.impact([1.0], [0.0], [[1.0]], restitution=1.0, normal_drift=-2.0)
    np.testing.assert_allclose(only.velocity, [4.0])
    assert (only.energy_change, only.wall_work, only.loss) == (8.0, 8.0, 0.0)
    (soft,) = contact.impact([1.0], [0.0], [[1.0]], normal_drift=-2.0)
    assert (soft.energy_change, soft.wall_work, soft.loss) == (2.0, 4.0, 2.0)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"restitution": 1.2}, r"restitution = .*\[0, 1\]"),
        ({"restitution": -0.1}, r"restitution = .*\[0, 1\]"),
        ({"friction": -1.0}, "friction = .*>= 0"),
        ({"normals": [[0.0, 0.0]]}, r"normals\[0\] = .*other than zero"),
        ({"normals": [[1.0, 0.0, 0.0]]}, "normals has the shape"),
        ({"velocity": [np.inf, 0.0]}, r"velocity\[0\] = inf .*finite"),
        ({"law": "einstein"}, "law = 'einstein' is not allowed"),
        ({"mass": [-1.0, 1.0]}, "mass must be symmetric positive definite"),
    ],
)
def test_bad_input_is_named(change, text):
    good = {"mass": [1, 1], "velocity": [0, -1], "normals": [[0, 1]], "tangents": [[1, 0]]}
    with pytest.raises(ValueError, match=text):
        contact.impact(**{**good, **change})


def test_outcomes_that_share_their_compression_are_ordered_by_the_work_of_expansion():
    """Two walls at a point mass: rigidity leaves the impulses of compression open, so the mean ones come first
    and the extreme ones after them, by ½ Λ_E·G Λ_E with Λ_E = Λ - Λ_C, worked out with NumPy."""
    rng = np.random.default_rng(1)
    several = 0
    for _ in range(400):
        angle = rng.uniform(0.0, 2.0 * np.pi, 2)
        normals = np.column_stack([np.cos(angle), np.sin(angle)])
        tangents = np.column_stack([-np.sin(angle), np.cos(angle)])
        velocity = rng.normal(size=2)
        if np.any(normals @ velocity > 0.0):
            continue
        hits = contact.impact(
            [1.0, 1.0],
            velocity,
            normals,
            tangents,
            friction=rng.uniform(0.3, 1.5, 2),
            restitution=rng.uniform(0.0, 1.0, 2),
        )
        W = np.vstack([normals, tangents])
        first, second, mean = [], [], []
        for h in hits:
            c = np.r_[h.compression_normal_impulse, -h.compression_friction_impulse]
            e = np.r_[h.normal_impulse, -h.friction_impulse] - c
            first.append(0.5 * c @ W @ W.T @ c)
            second.append(0.5 * e @ W @ W.T @ e)
            compressed = h.compression_normal_impulse - hits[0].compression_normal_impulse
            mean.append(bool(np.abs(compressed).max() < 1e-9))
        if len(hits) < 3 or np.ptp(first) > 1e-9 * first[0]:
            continue
        several += 1
        assert mean == sorted(mean, reverse=True)
        for which in (True, False):
            work = [x for x, m in zip(second, mean, strict=True) if m is which]
            assert np.all(np.diff(work) > -1e-9 * max(second))
    assert several > 20


@pytest.mark.parametrize("mu", [(0.377, 0.325, 0.665), (0.4, 0.0, 1e-9), (1e-12, 0.5, 0.0)])
def test_feet_that_stick_stand_still(mu: tuple[float, ...]) -> None:
    """Three feet under one block: of each outcome, where one foot sticks the block stands still to the last digits,
    however unequal the friction that the feet share. (They hold m v and m u, so some share of the load stops it.)
    """
    m, u, v = 0.76, 0.125, 2.87
    hits = contact.impact(
        [m, m, 0.104], [u, -v, 0.0], [[0, 1, -0.5], [0, 1, 0], [0, 1, 0.5]], [[1, 0, 0]] * 3, friction=mu
    )
    assert any("stick" in hit.compression for hit in hits)
    for hit in hits:
        assert hit.normal_impulse.sum() == pytest.approx(m * v, rel=1e-14)
        assert (np.abs(hit.friction_impulse) <= np.multiply(mu, hit.normal_impulse) + 1e-11).all()
        if "stick" in hit.compression:
            assert np.abs(hit.velocity).max() < 3e-15
            assert hit.friction_impulse.sum() == pytest.approx(m * u, rel=1e-14)


def test_zero_tangents_name_the_cure() -> None:
    with pytest.raises(ValueError, match="leave `tangents` out for contacts without friction"):
        contact.impact([1.0, 1.0], [1.0, 0.0], [[-1.0, 1.0]], [[0.0, 0.0]])
    (hit,) = contact.impact([1.0, 1.0], [1.0, 0.0], [[-1.0, 1.0]], restitution=1.0)
    assert hit.velocity.tolist() == [0.0, 1.0]
