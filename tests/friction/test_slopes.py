"""The engine's Jacobians against differences of its own rates, in every branch, on both sides of zero."""

import numpy as np
import pytest

import stickslip as ss

LEVELS = dict(static=1.5, kinetic=1.0, stribeck_velocity=0.3)
UNIT = dict(stiffness=3.0, damping=0.7, viscous=0.4, **LEVELS)
LAWS = {
    "lugre": ss.LuGre(**UNIT),
    "lugre shape 1": ss.LuGre(**UNIT, shape=1.0),
    "lugre shape 1/2": ss.LuGre(**UNIT, shape=0.5),
    "lugre lorentzian": ss.LuGre(**UNIT, form="lorentzian", shape=1.5),
    "lugre falling": ss.LuGre(**UNIT, damping_velocity=0.5, viscous_exponent=2.0),
    "lugre normalised": ss.LuGre(**UNIT, normalised=True),
    "dahl": ss.Dahl(stiffness=3.0, kinetic=1.0, exponent=1.5),
    "dahl brittle": ss.Dahl(stiffness=3.0, kinetic=1.0, exponent=0.5),
    "two states": ss.TwoStateBristle(**UNIT, alpha=2.0),
    "elasto-plastic": ss.ElastoPlastic(**UNIT),
    "maxwell": ss.MaxwellSlip(stiffness=[3.0, 1.0, 0.5], attraction=2.0, viscous=0.4, **LEVELS),
    "bouc-wen": ss.BoucWen(stiffness=3.0, kinetic=1.0, exponent=1.5, beta=0.7),
    "leuven": ss.Leuven(**UNIT, height=2.0, exponent=1.5),
    "sum": ss.LuGre(**UNIT) + ss.Coulomb(1.0) + ss.TwoStateBristle(**UNIT) + ss.Tanh(width=0.2, kinetic=1.0),
    "sum of maxwell": ss.MaxwellSlip(stiffness=[3.0, 1.0], attraction=2.0, **LEVELS)
    + ss.Dahl(stiffness=3.0, kinetic=1.0)
    + ss.MaxwellSlip(stiffness=[2.0], attraction=1.0, **LEVELS),
}


def everything(core, v, side, z, branch):
    dry, drag, rates = core.evaluate(v, side, z, branch)
    return np.concatenate([[dry, drag], rates])


@pytest.mark.parametrize("branch", [0, 1, 5])
@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", LAWS)
def test_slopes_agree_with_differences(name, side, branch):
    core = LAWS[name].compiled
    n = core.traits.states
    rng = np.random.default_rng(11)
    for _ in range(10):
        v = side * rng.uniform(0.02, 1.0)
        z = rng.uniform(-0.4, 0.4, n)
        dry_v, drag_v, dry_z, zdot_v, zdot_z = core.linearise(v, side, z, branch)
        h = 1e-6
        by_v = (everything(core, v + h, side, z, branch) - everything(core, v - h, side, z, branch)) / (2 * h)
        np.testing.assert_allclose(np.concatenate([[dry_v, drag_v], zdot_v]), by_v, rtol=2e-8, atol=2e-8)
        for j in range(n):
            d = np.zeros(n)
            d[j] = h
            by_z = (everything(core, v, side, z + d, branch) - everything(core, v, side, z - d, branch)) / (
                2 * h
            )
            np.testing.assert_allclose([dry_z[j], 0.0], by_z[:2], rtol=2e-8, atol=2e-8)
            np.testing.assert_allclose(zdot_z[:, j], by_z[2:], rtol=2e-8, atol=2e-8)


@pytest.mark.parametrize("name", LAWS)
def test_formulas_continue_smoothly_beyond_zero(name):
    """Rates and force on the wrong side are close to those at zero, without a jump."""
    core = LAWS[name].compiled
    z = 0.1 * np.ones(core.traits.states)
    for side in (1, -1):
        at_zero = everything(core, 0.0, side, z, 0)
        for v in (1e-12, -1e-12):
            step = np.abs(everything(core, v, side, z, 0) - at_zero)
            assert np.max(step) < 1e-5  # shape 1/2 goes with the root of v
        if name != "lugre shape 1/2":
            slopes = [core.linearise(v, side, z, 0)[0] for v in (1e-9, 0.0, -1e-9)]
            assert slopes == pytest.approx([slopes[1]] * 3, rel=1e-3)


def test_branch_bits_select_the_element_of_their_term():
    """Bits in the order of all terms' elements; a slipping element relaxes, a sticking one is a spring."""
    core = LAWS["sum of maxwell"].compiled
    assert core.traits.switches == 3 and core.traits.states == 4
    z, v = np.array([0.3, 0.2, 0.05, 0.4]), 0.5
    level = 1.0 + 0.5 * np.exp(-((v / 0.3) ** 2))
    stick = np.array([3.0 * v, 1.0 * v, np.nan, 2.0 * v])
    slip = np.array([2.0 * (0.5 - 0.3 / level), 2.0 * (0.5 - 0.2 / level), np.nan, 1.0 * (1.0 - 0.4 / level)])
    for branch in range(8):
        rates = core.evaluate(v, 1, z, branch)[2]
        for bit, state in enumerate((0, 1, 3)):
            expected = slip[state] if branch >> bit & 1 else stick[state]
            assert rates[state] == pytest.approx(expected, rel=1e-14)
        guards = core.switch_guards(v, 1, z, branch)
        free = np.array([0.3 - 0.5 * level, 0.2 - 0.5 * level, 0.4 - level])
        bits = np.array([branch >> bit & 1 for bit in range(3)])
        assert np.all(guards[bits == 1] < 0.0)
        np.testing.assert_allclose(guards[bits == 0], free[bits == 0], rtol=1e-14)
    np.testing.assert_allclose(core.switch_guards(-v, -1, -z, 0), core.switch_guards(v, 1, z, 0), rtol=1e-15)


def test_rest_interval_of_bristles_is_a_point():
    assert LAWS["lugre"].compiled.rest_interval([0.1]) == pytest.approx((0.3, 0.3), rel=1e-15)
    assert (LAWS["lugre"] + ss.Coulomb(1.0)).compiled.rest_interval([0.1]) == pytest.approx(
        (-0.7, 1.3), rel=1e-15
    )
    assert LAWS["maxwell"].compiled.rest_interval([0.1, 0.2, -0.5]) == pytest.approx((-0.2, -0.2), rel=1e-15)


def test_traits_match_the_law():
    affine = [ss.Coulomb(1.0), ss.Viscous(1.0), ss.Stribeck(kinetic=1.0, viscous=2.0)]
    assert all(law.compiled.traits.affine for law in affine)
    curved = [
        ss.Viscous(1.0, exponent=2.0),
        ss.Stribeck(**LEVELS),
        ss.Tanh(width=1.0, kinetic=1.0),
        LAWS["dahl"],
    ]
    assert not any(law.compiled.traits.affine for law in curved)
    assert (
        ss.Viscous(1.0, exponent=2.0).compiled.traits.reversal_switches
        and not ss.Viscous(1.0).compiled.traits.reversal_switches
    )
    assert not ss.Tanh(width=1.0, **LEVELS).compiled.traits.reversal_switches
    assert ss.Tanh(width=1.0, **LEVELS, shape=1.0).compiled.traits.reversal_switches
    assert not ss.Coulomb(0.0).compiled.traits.sticks and ss.Coulomb(1.0).compiled.traits.sticks
    assert LAWS["lugre"].compiled.traits.reversal_switches and not LAWS["lugre"].compiled.traits.sticks
    assert ss.Table([0.0, 0.5, 1.0], [0.0, 0.4, 1.0], odd=True).compiled.velocity_breakpoints == [
        -1.0,
        -0.5,
        0.5,
        1.0,
    ]
