"""Laws that can return more energy than they received: each verdict has a proof or a counterexample.

Table I is that of Canudas de Wit 1995; the three printed energies follow from the second-order law's and
LuGre's own equations under pairs of constant velocities, z = y = 0 at the start.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp, trapezoid
from scipy.optimize import brentq, minimize_scalar

import stickslip as ss
from stickslip.analysis import extractable_energy, passivity

LEVELS = dict(static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
TABLE_I = dict(stiffness=1e5, damping=math.sqrt(1e5), viscous=0.4, **LEVELS)


def pair(v1, t1, v2, t2):
    return [0.0, t1, t1, t1 + t2], [v1, v1, v2, v2]


PRINTED = {
    "two states, printed alpha": (
        ss.TwoStateBristle(**TABLE_I, alpha=1e9),
        pair(1e-6, 5.0, 1.0, 1.0),
        -6277.0,
    ),
    "two states, alpha 0": (
        ss.TwoStateBristle(**TABLE_I, alpha=0.0),
        pair(1e-9, 8.0, -1e-4, 0.05),
        -1.186e-6,
    ),
    "lugre": (ss.LuGre(**TABLE_I), pair(1e-5, 10.0, 1.0, 15e-6), -1.07e-3),
}


@pytest.mark.parametrize("name", PRINTED)
def test_printed_energies_are_reproduced(name):
    law, (t, v), energy = PRINTED[name]
    work = law.response(t, v).work[-1]
    assert work == pytest.approx(energy, rel=1.1e-3)
    found = extractable_energy(law, [pair(1e-3, 1.0, 1e-3, 1.0), (t, v)])
    assert found.found and found.tried == 2 and found.energy >= -work
    np.testing.assert_array_equal(found.velocity, v)


def test_printed_energy_matches_closed_form():
    """LuGre, settled at v1: then z(t) = g2 + (g1 - g2) exp(-v2 t/g2) at v2, work by quadrature."""
    g = [(1.0 + 0.5 * math.exp(-((v / 1e-3) ** 2))) / 1e5 for v in (1e-5, 1.0)]
    s1 = math.sqrt(1e5)
    first, _ = quad(lambda t: 1e-5 * (1e5 * g[0] * -math.expm1(-1e-5 * t / g[0]) + 4e-6), 0, 10, epsabs=1e-16)
    first += s1 * 1e-5 * g[0] * -math.expm1(-1e-5 * 10 / g[0])
    z0 = g[0] * -math.expm1(-1e-5 * 10 / g[0])

    def power(t):
        z = g[1] + (z0 - g[1]) * math.exp(-t / g[1])
        return 1e5 * z + s1 * (1.0 - z / g[1]) + 0.4

    second, _ = quad(power, 0.0, 15e-6, epsabs=1e-16)
    law, (t, v), _ = PRINTED["lugre"]
    np.testing.assert_allclose(law.response(t, v).work[[1, 3]], [first, first + second], rtol=1e-10)


@pytest.mark.parametrize(
    "law",
    [
        ss.LuGre(**TABLE_I),
        ss.LuGre(**TABLE_I, normalised=True),
        ss.TwoStateBristle(**TABLE_I, alpha=1e9),
        ss.TwoStateBristle(**TABLE_I, alpha=0.0),
        ss.ElastoPlastic(**TABLE_I),
        ss.Table([-1.0, 0.1, 1.0], [-1.0, -0.5, 1.0]),
    ],
    ids=lambda law: type(law).__name__,
)
def test_energy_is_found_and_can_be_drawn_again(law):
    found = extractable_energy(law)
    assert found.found
    run = law.response(found.t, found.velocity)
    assert run.work.min() == pytest.approx(-found.energy, rel=1e-6)
    assert passivity(law).passive is not True


def test_search_is_at_least_as_good_as_the_printed_signals():
    for law, _, energy in PRINTED.values():
        assert extractable_energy(law).energy > -energy


@pytest.mark.parametrize(
    "law",
    [
        ss.Dahl(stiffness=1e5, kinetic=1.0),
        *[ss.TwoStateBristle(**TABLE_I, alpha=alpha) for alpha in (2.5e4, 5e4, 1.02e5, 1.08e5)],
        ss.LuGre(**{**TABLE_I, "viscous": 158.2}),
        ss.MaxwellSlip(stiffness=[1e5, 5e4], kinetic=1.0),
    ],
    ids=lambda law: type(law).__name__,
)
def test_passive_laws_deliver_no_energy(law):
    assert passivity(law).passive is True
    found = extractable_energy(law)
    assert not found.found and found.energy == 0.0 and found.tried > 100 and len(found.t) == 0


# -- the answers, each with what it stands on ------------------------------------------------------------


def expected_work(law, phases, load):
    """Work over velocities held one after the other, from the laws' equations by an independent solver."""
    par = law.terms[0].parameters
    further = law.terms[1:]
    two = isinstance(law.terms[0], ss.TwoStateBristle)
    elastic = par.get("elastic_limit")
    s0, s1, levels = par["stiffness"], par["damping"], (par["static"], par["kinetic"])

    def rates(v):
        e = math.exp(-((abs(v) / par["stribeck_velocity"]) ** par["shape"]))
        level = levels[1] + (levels[0] - levels[1]) * e

        def f(_, x):
            z, y, _ = x
            if two:
                dz, dy = v - s0 * abs(v) * z, -y + math.copysign(e, v) / s0
                dry = s0 * levels[1] * z + s1 * dz + s0 * (levels[0] - levels[1]) * y + par["alpha"] * dy
            else:
                plastic, along, end = 1.0, math.copysign(z, z * v), level / s0
                if elastic is not None:
                    inside = (along - (end + elastic) / 2.0) / (end - elastic)
                    plastic = 0.5 + 0.5 * math.sin(math.pi * min(max(inside, -0.5), 0.5))
                dz, dy = v * (1.0 - plastic * along / end), 0.0
                dry = s0 * z + s1 * dz
            viscous = par["viscous"] * abs(v) ** par["viscous_exponent"] * math.copysign(1.0, v)
            other = sum(float(term.force(v, load)) for term in further)
            return [dz, dy, (load * dry + viscous + other) * v]

        return f

    state = np.zeros(3)
    for v, duration in phases:
        atol = [1e-16, 1e-16, 1e-20]
        state = solve_ivp(rates(v), (0, duration), state, "Radau", rtol=1e-9, atol=atol).y[:, -1]
    return state[-1]


CREATES = [
    *[ss.TwoStateBristle(**TABLE_I, alpha=alpha) for alpha in (0.0, 1e4, 2.49e4, 1.09e5, 1.2e5, 1e6, 1e9)],
    *[ss.TwoStateBristle(**TABLE_I, alpha=alpha, shape=0.5) for alpha in (2.7e4, 1.3e5)],
    ss.LuGre(**TABLE_I),
    ss.LuGre(**{**TABLE_I, "viscous": 0.99 * math.sqrt(1e5) / 2.0}),
    ss.LuGre(**TABLE_I, viscous_exponent=0.5),
    ss.LuGre(**TABLE_I) + ss.Coulomb(1.0),
    ss.LuGre(**TABLE_I) + ss.Viscous(100.0, exponent=2.0),
    ss.ElastoPlastic(**TABLE_I),
]


@pytest.mark.parametrize("load", [1.0, 3.0])
@pytest.mark.parametrize("law", CREATES, ids=lambda law: type(law).__name__)
def test_counterexample_delivers_energy_by_independent_integration(law, load):
    known = passivity(law, normal_load=load)
    shown = known.counterexample
    assert known.passive is False and known.margin < 0.0 and known.storage is None
    assert shown.energy > 0.0
    assert expected_work(law, shown.phases, load) == pytest.approx(-shown.energy, rel=2e-3)


OTHERS = [
    ss.LuGre(**TABLE_I, damping_velocity=1.0),
    ss.LuGre(**TABLE_I, normalised=True),
    ss.LuGre(**TABLE_I) + ss.Dahl(stiffness=1e5, kinetic=1.0),
    ss.LuGre(**TABLE_I) + ss.ElastoPlastic(**TABLE_I),
    ss.MaxwellSlip(stiffness=[1e5], **LEVELS, attraction=100.0),
    ss.MaxwellSlip(stiffness=[1e5, 5e4], **LEVELS, attraction=100.0),
    ss.StickSlip(ss.Stribeck(**LEVELS), presliding=ss.Presliding(travel=5e-5, damping=1.0)),
    ss.StickSlip(ss.Coulomb(1.0), memory=0.01, dwell=1.0, presliding=ss.Presliding(travel=5e-5, damping=1.0)),
    ss.LuGre(**{**TABLE_I, "viscous": 200.0}) + ss.Table([-1.0, 0.1, 1.0], [-1.0, -0.5, 1.0]),
    ss.TwoStateBristle(**TABLE_I, alpha=2e5, form="lorentzian"),
    ss.Table([-1.0, 1.0], [0.5, 1.0]),
    ss.Curve(lambda v: v if abs(v) < 1.0 else -v),
]


@pytest.mark.parametrize("law", OTHERS, ids=lambda law: type(law).__name__)
def test_counterexamples_of_other_laws_deliver_energy_in_finer_steps(law):
    """The same phases, each sampled 50 times as finely and the force integrated by hand."""
    known = passivity(law)
    shown = known.counterexample
    assert known.passive is False
    t, v = [], []
    for speed, start, end in zip(shown.velocity[::2], shown.t[::2], shown.t[1::2], strict=True):
        t.append(
            start + (end - start) * np.linspace(0.0, 1.0, 2001) ** 3
        )  # what changes fast is at its start
        v.append(np.full(2001, speed))
    run = law.response(np.concatenate(t), np.concatenate(v))
    power = run.force * run.velocity
    assert trapezoid(power, run.t) == pytest.approx(-shown.energy, rel=2e-3)


def test_maxwell_slip_returns_the_rise_of_its_level():
    """Loaded to Fc, raised to Fs in slow slip for nothing, unloaded: (Fs² − Fc²)/2k at most."""
    shown = passivity(ss.MaxwellSlip(stiffness=[1e5], **LEVELS, attraction=100.0)).counterexample
    limit = (1.5**2 - 1.0**2) / 2e5
    assert 0.95 * limit < shown.energy < limit


PASSIVE = [
    ss.Dahl(stiffness=1e5, kinetic=1.0),
    ss.Dahl(stiffness=1e5, kinetic=1.0, exponent=1.5),
    *[ss.TwoStateBristle(**TABLE_I, alpha=alpha) for alpha in (2.5e4, 5e4, 1e5, 1.02e5, 1.06e5, 1.089e5)],
    *[ss.TwoStateBristle(**TABLE_I, alpha=alpha, shape=0.5) for alpha in (2.8e4, 1.2e5)],
    ss.TwoStateBristle(stiffness=1e5, kinetic=1.0, alpha=1e5),  # no Stribeck velocity: e = 1
    ss.BoucWen(stiffness=1e5, kinetic=1.0, exponent=2.0),
    ss.LuGre(**{**TABLE_I, "viscous": 158.2}),
    ss.LuGre(**{**TABLE_I, "viscous": 200.0}) + ss.Table([-1.0, 0.0, 0.0, 1.0], [-0.7, -0.2, 0.3, 1.0]),
    ss.LuGre(**TABLE_I, damping_velocity=1e-3),
    ss.LuGre(**TABLE_I) + ss.Viscous(1e4, exponent=2.0),
    ss.LuGre(**{**TABLE_I, "viscous": 158.2}) + ss.Coulomb(0.3) + ss.Dahl(stiffness=1e5, kinetic=1.0),
    ss.ElastoPlastic(**{**TABLE_I, "viscous": 158.2}),
    ss.MaxwellSlip(stiffness=[1e5, 5e4], kinetic=1.0),
    ss.Stribeck(**LEVELS) + ss.Viscous(0.1),
]


@pytest.mark.parametrize("load", [1.0, 2.0])
@pytest.mark.parametrize("law", PASSIVE, ids=lambda law: type(law).__name__)
def test_storage_never_rises_by_more_than_the_work(law, load):
    """Random velocities over six decades, held for random times: the definition of a storage function."""
    known = passivity(law, normal_load=load)
    if load == 2.0 and isinstance(law.terms[0], (ss.LuGre, ss.ElastoPlastic)):
        assert known.passive is (known.margin >= 0.0)  # the bristle's damping scales with the load
    if not known.passive:
        assert load == 2.0
        return
    assert known.counterexample is None and known.margin is not None
    rng = np.random.default_rng(20_260)
    for _ in range(5):
        v = rng.choice([-1.0, 1.0], 120) * 10.0 ** rng.uniform(-6.0, 0.0, 120)
        path = 10.0 ** rng.uniform(-7.0, -4.5, 120)
        edges = np.concatenate([[0.0], np.cumsum(path / np.abs(v))])
        run = law.response(np.repeat(edges, 2)[1:-1], np.repeat(v, 2), normal_load=load)
        stored = known.storage.energy(run.states)
        spare = np.diff(run.work) - np.diff(stored)
        assert spare.min() >= -3e-5 * stored.max() - 1e-18
        assert stored.min() >= 0.0


def test_lugre_condition_is_sharp():
    """viscous >= damping (Fs - Fc)/Fc, on both sides of the limit; bristle damping scales with the load."""
    limit = math.sqrt(1e5) * 0.5
    for load in (1.0, 4.0):
        below = passivity(ss.LuGre(**{**TABLE_I, "viscous": 0.999 * load * limit}), normal_load=load)
        above = passivity(ss.LuGre(**{**TABLE_I, "viscous": 1.001 * load * limit}), normal_load=load)
        assert below.passive is False and below.margin == pytest.approx(-1e-3 * load * limit, rel=1e-9)
        assert above.passive is True
        assert below.source == "Barabanov, Ortega 2000"


def least_force(alpha, shape):
    """Least mean force, N, of the first motion out of z = 0 with the second state at its end: closed form."""
    step = alpha / 1e5

    def force(log_speed):
        u = math.exp(log_speed)
        return (math.sqrt(1e5) + 0.4) * u + step * math.exp(-((u / 1e-3) ** shape)) - abs(step - 0.5)

    inner = min(
        minimize_scalar(force, bounds=(a, a + 3.0), method="bounded", options={"xatol": 1e-12}).fun
        for a in np.arange(-25.0, 2.0)
    )
    return min(inner, step - abs(step - 0.5))


@pytest.mark.parametrize(("shape", "printed"), [(2.0, (2.5e4, 1.0893e5)), (0.5, (2.7089e4, 1.27274e5))])
def test_second_order_law_is_passive_between_two_limits(shape, printed):
    """The limits where that force changes its sign; the answer changes there and nowhere else."""
    lower = 2.5e4 if shape == 2.0 else brentq(least_force, 2.5e4, 5e4, args=(shape,), xtol=1e-6)
    upper = brentq(least_force, 5e4, 2e5, args=(shape,), xtol=1e-6)
    assert (lower, upper) == pytest.approx(printed, rel=1e-4)
    answers = {
        alpha: passivity(ss.TwoStateBristle(**TABLE_I, alpha=alpha, shape=shape)).passive
        for edge in (lower, upper)
        for alpha in (edge * (1.0 - 2e-3), edge * (1.0 + 2e-3))
    }
    assert list(answers.values()) == [False, True, True, False]


@pytest.mark.parametrize("alpha", [2.5e4, 1e5, 1.02e5, 1.2e5])
def test_margin_of_the_second_order_law_matches_closed_form(alpha):
    """Near its limits the least force is that of the first motion out of rest; 0.0803 N at alpha = 1e5."""
    margin = passivity(ss.TwoStateBristle(**TABLE_I, alpha=alpha)).margin
    assert margin == pytest.approx(least_force(alpha, 2.0), abs=1e-8)


def test_default_alpha_leaves_one_bristle():
    """At alpha = σ0 (Fs − Fc) y cancels, and the remaining α/σ0 e(|v|) >= 0 dissipates: passive for any damping."""
    for damping in (0.0, 1.0, 1e4):
        assert passivity(ss.TwoStateBristle(**{**TABLE_I, "damping": damping})).passive is True


@pytest.mark.parametrize("load", [0.5, 4.0])
def test_viscous_part_counts_per_load_in_the_second_order_condition(load):
    """F = N (bristle) + s2 v: the same sign of F v - dV/dt as with s2/N under 1 N."""
    given = {"stiffness": 1e5, "damping": 0.0, "static": 1.5, "kinetic": 1.0, "stribeck_velocity": 1e-3}
    for alpha in (0.2e5, 0.4e5):
        whole = ss.TwoStateBristle(**given, alpha=alpha, viscous=0.4)
        part = ss.TwoStateBristle(**given, alpha=alpha, viscous=0.4 / load)
        assert passivity(whole, load).margin == pytest.approx(passivity(part).margin, rel=1e-14)
        assert passivity(part).margin != passivity(whole).margin


def test_curves_are_judged_by_their_quadrants():
    assert passivity(ss.Table([-1.0, 0.0, 0.0, 1.0], [-1.0, -2.0, 1.5, 0.0])).passive is True
    assert passivity(ss.Table([-1.0, 1.0], [0.5, 1.0])).passive is False
    assert passivity(ss.Curve(np.sign)).passive is None
    assert passivity(ss.Leuven(stiffness=1e5, height=2.0, kinetic=1.0)).passive is None
    assert passivity(ss.Curve(lambda v: v if abs(v) < 1.0 else -v)).passive is False
    assert passivity(ss.Table([-1.0, 1.0], [-1.0, 0.5]) + ss.Coulomb(0.5)).passive is True


def test_bad_input_is_refused():
    law = ss.Coulomb(1.0)
    with pytest.raises(ValueError, match="normal_load = -1"):
        passivity(law, normal_load=-1.0)
    with pytest.raises(ValueError, match="max_duration = 0"):
        extractable_energy(law, max_duration=0.0)
    with pytest.raises(ValueError, match="max_velocity = nan"):
        extractable_energy(law, max_velocity=math.nan)
