"""Formulas that read the normal load N: closed forms, in rest, at break-away and in every method."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq

import stickslip as ss
from stickslip.laws import FormulaLaw

LOAD, FORCE = 10.0, 8.0


def block(law: ss.Law, force: ss.Signal | float, normal_load: ss.Signal | float = LOAD) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["block"], force={"block": force})
    m.add_friction("ground", on="block", law=law, normal_load=normal_load)
    return m


def by_events(m: ss.Machine, t: float) -> float:
    return float(ss.simulate(m, t)["block.velocity"][-1])


def by_time_stepping(m: ss.Machine, t: float) -> float:
    return float(ss.simulate(m, t, method="time_stepping", max_step=1e-3)["block.velocity"][-1])


def in_real_time(m: ss.Machine, t: float) -> float:
    real_time = ss.RealTime(m, 1e-3)
    real_time.run(round(t / 1e-3))
    return float(real_time.state[1])


@pytest.mark.parametrize("method", [by_events, by_time_stepping, in_real_time])
@pytest.mark.parametrize("jumps", [True, False])
def test_friction_grows_less_than_the_load(method: Callable[[ss.Machine, float], float], jumps: bool) -> None:
    """F = 0.5 N^0.7: v = (F_drive - F) t. Without a jump, F = b v with b = 0.3 N^0.7: v = F_drive (1 - exp(-b t)) / b."""
    if jumps:
        law = FormulaLaw(lambda v, load: ss.sign(v) * 0.5 * load**-0.3, levels=0.5)
        expected = (FORCE - 0.5 * LOAD**0.7) * 2.0
    else:
        law = FormulaLaw(lambda v, load: 0.3 * v * load**-0.3)
        b = 0.3 * LOAD**0.7
        expected = FORCE / b * (1.0 - np.exp(-2.0 * b))
    accuracy = {by_events: 1e-9, by_time_stepping: 2e-3, in_real_time: 1e-7}  # with steps of 1 ms
    if jumps:
        accuracy = dict.fromkeys(accuracy, 1e-9)
    assert method(block(law, FORCE), 2.0) == pytest.approx(expected, rel=accuracy[method])


def test_friction_falls_to_the_level_of_its_load_at_break_away() -> None:
    """Static 0.4 N = 4 N, kinetic 0.5 N^0.7 = 2.51 N; at a load of 1 N the kinetic level would be the higher one."""
    run = ss.simulate(
        block(FormulaLaw(lambda v, load: ss.sign(v) * 0.5 * load**-0.3, levels=0.4), ss.Ramp(slope=1.0)), 6.0
    )
    (breaks_away,) = run.events
    assert breaks_away.time == pytest.approx(4.0, rel=1e-15)
    assert run["block.velocity"][-1] == pytest.approx(10.0 - 2.0 * 0.5 * LOAD**0.7, rel=1e-12)


def test_states_at_rest_follow_the_load() -> None:
    """z' = N - z under N = 10 + 5 t: z = 5 + 5 t - 5 exp(-t)."""
    law = FormulaLaw(
        lambda v, z: ss.sign(v) * (0.5 + 0.0 * z),
        {"z": lambda load, z: load - z},
        states={"z": 0.0},
        levels=0.8,
    )
    run = ss.simulate(block(law, 1.0, ss.Constant(LOAD) + ss.Ramp(slope=5.0)), 2.0, rtol=1e-9)
    np.testing.assert_allclose(run["ground.z"], 5.0 + 5.0 * run.t - 5.0 * np.exp(-run.t), rtol=0.0, atol=2e-8)


def test_rates_change_their_slope_where_the_load_does() -> None:
    """Wear above 5 N alone: z' = v where N = t > 5; at constant v = 1 + (t - 1)^2 / 20 under the load t."""
    law = FormulaLaw(
        lambda v, z: ss.sign(v) * 0.1 + 0.0 * z,
        {"z": lambda v, load: ss.where(load > 5.0, v, 0.0 * v)},
        states={"z": 0.0},
        levels=0.1,
    )
    m = block(law, ss.Constant(0.1) + ss.Ramp(slope=0.1), ss.Ramp(slope=1.0))
    run = ss.simulate(m, 10.0, initial={"block.velocity": 1.0})
    worn = run["block.position"][-1] - run.sol(5.0)[0]
    assert run["ground.z"][-1] == pytest.approx(worn, rel=1e-9)
    assert worn == pytest.approx(8.75, rel=1e-9)  # v = 1 + 0.1 t


def test_law_with_states_leaves_rest_from_its_limit_at_the_start() -> None:
    law = FormulaLaw(
        lambda v, z: ss.sign(v) * 0.5 + 0.0 * z, {"z": lambda v, z: abs(v) - z}, states={"z": 0.0}, levels=0.8
    )
    run = ss.simulate(block(law, ss.Constant(0.8) + ss.Ramp(slope=1.0), 1.0), 2.0)
    assert run.status is ss.Status.FINISHED
    assert run["block.velocity"][-1] == pytest.approx(0.3 * 2.0 + 2.0, rel=1e-12)


@pytest.mark.parametrize("jumps", [False, True])
def test_steady_states_are_those_of_the_load(jumps: bool) -> None:
    """F = 0.5 N^0.7 tanh(v / 0.1); or F = N z sgn v, with a state z that settles to 0.5 N^-0.3."""
    level, v = 0.5 * LOAD**0.7, np.array([-0.3, 0.05])
    if jumps:
        law = FormulaLaw(
            lambda v, z: ss.sign(v) * z,
            {"z": lambda v, z, load: abs(v) * (0.5 * load**-0.3 - z)},
            states={"z": 0.1},
            levels=0.5,
        )
        force, slope = level * np.sign(v), np.zeros(2)
    else:
        law = FormulaLaw(lambda v, load: 0.5 * ss.tanh(v / 0.1) * load**-0.3)
        force, slope = level * np.tanh(v / 0.1), level / 0.1 / np.cosh(v / 0.1) ** 2
    np.testing.assert_allclose(law.force(v, LOAD), force, rtol=1e-12)
    np.testing.assert_allclose(law.linearise(v, LOAD).slope, slope, rtol=1e-12, atol=1e-12 * level)
    sizes = [0.1, 1.0]
    np.testing.assert_allclose(
        ss.analysis.describing_function(law, sizes, normal_load=LOAD),
        ss.analysis.describing_function(lambda v: level * (np.sign(v) if jumps else np.tanh(v / 0.1)), sizes),
        rtol=1e-12,
    )
    if jumps:
        gain = ss.analysis.describing_function(law, 2.0, normal_load=LOAD)
        assert gain == pytest.approx(4.0 * level / (np.pi * 2.0), rel=1e-12)


def test_sliding_surface_warms_up_to_the_temperature_of_its_load() -> None:
    """N mu exp(-T / scale) v = conductance T, F = N mu exp(-T / scale)."""
    mu, scale, conductance, v, load = 0.4, 100.0, 2.0, 1.5, 300.0
    rise = brentq(lambda T: load * mu * np.exp(-T / scale) * v - conductance * T, 0.0, 1e3, xtol=1e-12)
    law = ss.laws.thermal_weakening(mu, scale, 10.0, conductance)
    assert law.force(v, normal_load=load) == pytest.approx(load * mu * np.exp(-rise / scale), rel=1e-12)


def test_describing_function_multiplies_dry_friction_alone_by_the_load() -> None:
    gain = ss.analysis.describing_function(ss.Coulomb(0.3) + ss.Viscous(0.4), 2.0, normal_load=LOAD)
    assert gain == pytest.approx(4.0 * 0.3 * LOAD / (np.pi * 2.0) + 0.4, rel=1e-12)
