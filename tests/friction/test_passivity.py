"""Which laws can give out more energy than they took, and that the search finds it where it is there.

Table I is that of Canudas de Wit 1995; the three printed energies follow from the second-order law's and
LuGre's own equations under pairs of constant velocities, z = y = 0 at the start.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad

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
def test_printed_energies(name):
    law, (t, v), energy = PRINTED[name]
    work = law.response(t, v).work[-1]
    assert work == pytest.approx(energy, rel=1.1e-3)
    found = extractable_energy(law, [pair(1e-3, 1.0, 1e-3, 1.0), (t, v)])
    assert found.found and found.tried == 2 and found.energy >= -work
    np.testing.assert_array_equal(found.velocity, v)


def test_printed_energy_in_closed_form():
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
        ss.Dahl(stiffness=1e5, kinetic=1.0, exponent=1.5),
        *[ss.TwoStateBristle(**TABLE_I, alpha=alpha) for alpha in (2.5e4, 3e4, 5e4, 1e5, 1.02e5)],
        ss.BoucWen(stiffness=1e5, kinetic=1.0, exponent=2.0),
        ss.LuGre(**{**TABLE_I, "viscous": 158.2}),
        ss.MaxwellSlip(stiffness=[1e5, 5e4], kinetic=1.0),
        ss.Stribeck(**LEVELS) + ss.Viscous(0.1),
        ss.LuGre(**TABLE_I) + ss.Viscous(158.0),
    ],
    ids=lambda law: type(law).__name__,
)
def test_passive_laws_give_nothing(law):
    assert passivity(law).passive is True
    found = extractable_energy(law)
    assert not found.found and found.energy == 0.0 and found.tried > 100 and len(found.t) == 0


def test_lugre_condition():
    """viscous >= damping (Fs - Fc)/Fc, on both sides of the limit; bristle damping scales with the load."""
    limit = math.sqrt(1e5) * 0.5
    for load in (1.0, 4.0):
        below = passivity(ss.LuGre(**{**TABLE_I, "viscous": 0.999 * load * limit}), normal_load=load)
        above = passivity(ss.LuGre(**{**TABLE_I, "viscous": 1.001 * load * limit}), normal_load=load)
        assert below.passive is False and below.margin == pytest.approx(-1e-3 * load * limit, rel=1e-9)
        assert above.passive is True
        assert below.source == "Barabanov, Ortega 2000"
    assert passivity(ss.LuGre(**TABLE_I, damping_velocity=1.0)).passive is None


def test_second_order_condition():
    """The least bracket at alpha = 1e5 is 0.0198 N; it holds from 2.5e4 to a little above 1.02e5."""
    margin = [passivity(ss.TwoStateBristle(**TABLE_I, alpha=a)).margin for a in (2.5e4, 1e5, 1.02e5, 1.03e5)]
    assert margin[0] == pytest.approx(0.0, abs=1e-12)
    assert margin[1] == pytest.approx(0.0198, abs=5e-5)
    assert margin[2] > 0.0 > margin[3]
    assert passivity(ss.TwoStateBristle(**TABLE_I, alpha=2.49e4)).passive is None


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
    assert passivity(ss.Curve(lambda v: v if abs(v) < 1.0 else -v)).passive is False
    assert passivity(ss.Table([-1.0, 1.0], [-1.0, 0.5]) + ss.Coulomb(0.5)).passive is True
    assert passivity(ss.LuGre(**TABLE_I) + ss.Coulomb(1.0)).passive is None


def test_bad_input():
    law = ss.Coulomb(1.0)
    with pytest.raises(ValueError, match="normal_load = -1"):
        passivity(law, normal_load=-1.0)
    with pytest.raises(ValueError, match="max_duration = 0"):
        extractable_energy(law, max_duration=0.0)
    with pytest.raises(ValueError, match="max_velocity = nan"):
        extractable_energy(law, max_velocity=math.nan)
