"""Linear regimes with very fast and very slow modes, against exponentials of matrices in 60 digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

import stickslip as ss

DIGITS = 60


def propagate(A, x, t):
    """exp(A t) x by scaling, Taylor and squaring in decimal numbers; entries are taken as the doubles they are."""
    with localcontext() as context:
        context.prec = DIGITS + 40
        n = len(x)
        M = [[Decimal(float(a)) * Decimal(float(t)) for a in row] for row in A]
        size = max(sum(abs(a) for a in row) for row in M)
        halvings = max(0, int(size.log10() / Decimal(2).log10()) + 2) if size else 0
        M = [[a / 2**halvings for a in row] for row in M]
        one = [[Decimal(int(i == j)) for j in range(n)] for i in range(n)]

        def times(P, Q):
            return [[sum(p * q for p, q in zip(r, c, strict=True)) for c in zip(*Q, strict=True)] for r in P]

        total, term = one, one
        for k in range(1, 60):
            term = [[a / k for a in row] for row in times(term, M)]
            total = [[a + b for a, b in zip(r, s, strict=True)] for r, s in zip(total, term, strict=True)]
        for _ in range(halvings):
            total = times(total, total)
        return [sum(a * Decimal(float(b)) for a, b in zip(row, x, strict=True)) for row in total]


@pytest.mark.parametrize(
    ("damping", "stiffness", "t_end", "steps", "rel"),
    [
        (1e6, 1e8, 0.1, 60, 8e-14),  # rates 1e6 and 1e2
        (1e6, 1e2, 5.0, 60, 1e-14),  # 1e6 and 1e-4
        (1e3, 1e3, 5.0, 60, 3e-14),  # 1e3 and 1
        (1e4, 0.0, 5.0, 60, 1e-14),  # no spring: the mass drifts for ever
        (1e9, 1e3, 1e4, 60, 1e-13),  # 1e9 and 1e-6
    ],
)
def test_damped_mass_takes_few_steps(damping, stiffness, t_end, steps, rel):
    """Steps are of the slow time scale; before the fast mode is gone there are some of its own."""
    m = ss.Machine(mass=1.0, damping=damping, stiffness=stiffness, names=["x"], force={"x": 3.0})
    r = ss.simulate(m, t_end, initial={"x.position": 1.0, "x.velocity": 2.0}, t_eval=[t_end / 7, t_end])
    A = [[0.0, 1.0, 0.0], [-stiffness, -damping, 3.0], [0.0, 0.0, 0.0]]
    for t, y in zip(r.t, r.y.T, strict=True):
        truth = np.array(propagate(A, [1.0, 2.0, 1.0], t)[:2], dtype=float)
        assert y == pytest.approx(truth, rel=rel, abs=0)
    assert r._raw.steps <= steps
    assert r.method == {"linear": "exact, slow subspace"}


def held_behind_a_stiff_damper():
    """A slide that sticks, and a mass behind a stiff damped spring that a ramp pulls: rates 1e6 and 1e3."""
    k, c = 1e9, 1e6
    m = ss.Machine(
        mass=[1.0, 1.0],
        stiffness=[[k, -k], [-k, k]],
        damping=[[c, -c], [-c, c]],
        names=["slide", "puller"],
        force={"puller": ss.Ramp(slope=3.0)},
    )
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=2.0, kinetic=1.0))
    return m, k, c


def test_break_away_behind_a_stiff_damper_matches_60_digits():
    """The held force k x + c v reaches the static level where its exponential does, by bisection."""
    m, k, c = held_behind_a_stiff_damper()
    r = ss.simulate(m, 1.0)
    A = [[0.0, 1.0, 0.0, 0.0], [-k, -c, 3.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]

    def pull(t):
        x, v, *_ = propagate(A, [0.0, 0.0, 0.0, 1.0], t)
        return Decimal(k) * x + Decimal(c) * v - 2

    low, high = 0.5, 1.0
    while high - low > 1e-15:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if pull(middle) < 0 else (low, middle)
    assert r.events[0].time == pytest.approx(high, rel=0, abs=1e-14)
    assert r.method["guide stick"] == "exact, slow subspace"
    held = r.at(np.linspace(0.0, 0.6, 50))
    assert np.all(held["slide.position"] == 0.0) and np.all(held["slide.velocity"] == 0.0)
    assert r._raw.steps < 120


def test_resumed_run_is_bitwise_equal():
    m, *_ = held_behind_a_stiff_damper()
    whole = ss.simulate(m, 0.9)
    for pause in (1e-6, 0.1234, 0.5, 0.7):
        first = ss.simulate(m, pause)
        rest = ss.simulate(m, 0.9, state=first.state)
        assert rest.state == whole.state


def test_harmonic_drive_of_a_stiff_regime_matches_exponential():
    """A damped mass under a sine: the drive's share of the fast mode, and the slow one, by an exponential."""
    c, k, w = 1e6, 1e6, 2.0 * np.pi
    m = ss.Machine(
        mass=1.0, damping=c, stiffness=k, names=["x"], force={"x": ss.Sine(amplitude=5.0, frequency=1.0)}
    )
    r = ss.simulate(m, 3.3, initial={"x.position": 1e-3}, t_eval=[0.5, 3.3])
    A = [[0.0, 1.0, 0.0, 0.0], [-k, -c, 5.0, 0.0], [0.0, 0.0, 0.0, w], [0.0, 0.0, -w, 0.0]]
    for t, y in zip(r.t, r.y.T, strict=True):
        truth = np.array(propagate(A, [1e-3, 0.0, 0.0, 1.0], t)[:2], dtype=float)
        assert y == pytest.approx(truth, rel=0, abs=2e-14 * 1e-3)
    assert r._raw.steps < 60


@pytest.mark.parametrize("seed", range(40))
def test_rates_over_many_scales_match_exponentials(seed):
    """Two masses whose rates differ by up to 1e15: the slow rates keep their digits."""
    random = np.random.default_rng(seed)

    def definite(least, most):
        Q = np.linalg.qr(random.normal(size=(2, 2)))[0]
        S = Q @ np.diag(np.exp(random.uniform(least, most, 2))) @ Q.T
        return 0.5 * (S + S.T)

    mass = 2.0 ** random.integers(
        -12, 13, 2
    )  # so that rates are what the truth computes with, to the last bit
    K, C = definite(-10.0, 12.0), definite(2.0, 20.0)
    t_end = float(np.exp(random.uniform(-3.0, 5.0)))
    m = ss.Machine(mass=np.diag(mass), damping=C, stiffness=K, names=["a", "b"], force={"a": 3.0})
    start = {"a.position": 1.0, "b.position": -1.0, "a.velocity": 2.0}
    r = ss.simulate(m, t_end, initial=start, t_eval=[t_end / 7, t_end])
    k, c = K / mass[:, None], C / mass[:, None]
    A = [
        [0.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0],
        [-k[0, 0], -k[0, 1], -c[0, 0], -c[0, 1], 3.0 / mass[0]],
        [-k[1, 0], -k[1, 1], -c[1, 0], -c[1, 1], 0.0],
        [0.0] * 5,
    ]
    for i, t in enumerate(r.t):
        truth = np.array(propagate(A, [1.0, -1.0, 2.0, 0.0, 1.0], t)[:2], dtype=float)
        got = np.array([r["a.position"][i], r["b.position"][i]])
        assert np.max(np.abs(got - truth)) < 1e-11 * np.max(np.abs(truth))
    assert r._raw.steps < 300
