"""Friction laws written as formulas: against the laws of the engine, closed forms, quadrature and SciPy."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.laws import FormulaLaw, rate_and_state, slip_weakening, thermal_weakening

LEVELS = {"static": 1.5, "kinetic": 1.0, "vs": 1e-2}


def stribeck(v: Any, static: Any, kinetic: Any, vs: Any) -> Any:
    return kinetic + (static - kinetic) * ss.exp(-((v / vs) ** 2))


def lugre() -> FormulaLaw:
    def rate(v: Any, z: Any, s0: Any, static: Any, kinetic: Any, vs: Any) -> Any:
        return v - s0 * abs(v) * z / stribeck(v, static, kinetic, vs)

    def force(v: Any, z: Any, s0: Any, s1: Any, s2: Any, static: Any, kinetic: Any, vs: Any) -> Any:
        return s0 * z + s1 * rate(v, z, s0, static, kinetic, vs) + s2 * v

    numbers = {"s0": 1e4, "s1": 50.0, "s2": 0.4, **LEVELS}
    return FormulaLaw(force, {"z": rate}, states={"z": 0.0}, parameters=numbers)


def dahl() -> FormulaLaw:
    return FormulaLaw(
        lambda z, k: k * z,
        {"z": lambda v, z, k, level: v - k * abs(v) * z / level},
        states={"z": 0.0},
        parameters={"k": 1e4, "level": 1.2},
    )


def jump(static: float, kinetic: float) -> FormulaLaw:
    return FormulaLaw(
        lambda v, kinetic: kinetic * ss.sign(v),
        levels=lambda static: static,
        parameters={"static": static, "kinetic": kinetic},
    )


def elasto_plastic(elastic: float) -> FormulaLaw:
    def rate(v: Any, z: Any, s0: Any, elastic: Any, static: Any, kinetic: Any, vs: Any) -> Any:
        end, along = stribeck(v, static, kinetic, vs) / s0, ss.sign(v) * z
        between = 0.5 + 0.5 * ss.sin(math.pi * (along - 0.5 * (end + elastic)) / (end - elastic))
        plastic = ss.where(along <= elastic, 0.0, ss.where(along >= end, 1.0, between))
        return v * (1.0 - plastic * along / end)

    def force(v: Any, z: Any, s0: Any, s1: Any, elastic: Any, static: Any, kinetic: Any, vs: Any) -> Any:
        return s0 * z + s1 * rate(v, z, s0, elastic, static, kinetic, vs)

    numbers = {"s0": 1e4, "s1": 50.0, "elastic": elastic, **LEVELS}
    return FormulaLaw(force, {"z": rate}, states={"z": 0.0}, parameters=numbers)


def bouc_wen() -> FormulaLaw:
    def rate(v: Any, z: Any, s0: Any, level: Any) -> Any:
        w = s0 * z / level
        return v - 0.7 * abs(v) * abs(w) ** 1.5 * ss.sign(w) - 0.3 * v * abs(w) ** 1.5

    return FormulaLaw(
        lambda z, s0: s0 * z, {"z": rate}, states={"z": 0.0}, parameters={"s0": 1e4, "level": 1.2}
    )


# A law of the engine, the same as a formula. Maxwell slip and Leuven's law remember switches, and TwoStateBristle jumps
# about a force of its states: FormulaLaw has neither.
PAIRS: dict[str, tuple[ss.Law, Callable[[], FormulaLaw]]] = {
    "LuGre": (ss.LuGre(1.5, 1.0, 1e-2, stiffness=1e4, damping=50.0) + ss.Viscous(0.4), lugre),
    "Dahl": (ss.Dahl(1.2, stiffness=1e4), dahl),
    "tanh": (
        ss.Tanh(1.2, width=1e-2),
        lambda: FormulaLaw(lambda v, w: 1.2 * ss.tanh(v / w), parameters={"w": 1e-2}),
    ),
    "elasto-plastic": (
        ss.ElastoPlastic(1.5, 1.0, 1e-2, stiffness=1e4, damping=50.0, elastic_limit=7e-5),
        lambda: elasto_plastic(7e-5),
    ),
    "Bouc-Wen": (ss.BoucWen(1.2, stiffness=1e4, exponent=1.5, beta=0.7), bouc_wen),
    "Coulomb": (ss.Coulomb(1.2, 1.0), lambda: jump(1.2, 1.0)),
    "Stribeck": (
        ss.Stribeck(1.5, 1.0, 1e-2),
        lambda: FormulaLaw(
            lambda v, static, kinetic, vs: ss.sign(v) * stribeck(v, static, kinetic, vs),
            levels=lambda static: static,
            parameters=LEVELS,
        ),
    ),
}


def belt(law: ss.Law) -> ss.Machine:
    m = ss.Machine(mass=1.0, damping=0.2, stiffness=2.0, names=["block"], force={"block": ss.Sine(0.4, 0.3)})
    m.add_friction("belt", on="block", law=law, surface_velocity=0.1)
    return m


@pytest.mark.parametrize("name", PAIRS)
def test_law_of_the_engine_as_a_formula_gives_its_run(name: str) -> None:
    ours, formula = PAIRS[name]
    runs = [
        ss.simulate(belt(law), 20.0, initial={"block.velocity": 0.3}, rtol=1e-11, dt=0.05)
        for law in (ours, formula())
    ]
    for signal in ("block.position", "block.velocity"):
        scale = np.abs(runs[0][signal]).max()
        np.testing.assert_allclose(runs[1][signal], runs[0][signal], rtol=0.0, atol=1e-9 * scale)
    assert ss.analysis.audit(runs[1], rtol=1e-11).passed


@pytest.mark.parametrize("name", PAIRS)
def test_steady_curve_and_break_away_are_those_of_the_law(name: str) -> None:
    ours, formula = PAIRS[name]
    v = np.array([-0.5, -1e-3, 1e-3, 0.02, 1.0])
    np.testing.assert_allclose(formula().force(v), ours.force(v), rtol=1e-12)
    np.testing.assert_allclose(formula().linearise(v).slope, ours.linearise(v).slope, rtol=1e-9, atol=1e-12)
    if name != "tanh":
        assert formula().break_away == pytest.approx(ours.break_away, rel=1e-9)


def test_response_is_that_of_the_law() -> None:
    t = np.linspace(0.0, 2.0, 41)
    velocity = 0.02 * np.sin(5.0 * t)
    ours, formula = PAIRS["LuGre"]
    one, other = (law.response(t, velocity, normal_load=1.0) for law in (ours, formula()))
    np.testing.assert_allclose(other.force, one.force, rtol=0.0, atol=1e-9)


# Rate-and-state friction, physics of a spring-slider: σ = 5e6 Pa, m = 1 kg/m².
A, B, DC, V, SIGMA, F0 = 0.01, 0.015, 1e-5, 1e-5, 5e6, 0.6
CRITICAL = (B - A) * SIGMA / DC * (1.0 + V**2 / (A * SIGMA * DC))


def slider(k: float, law: ss.Law) -> ss.Machine:
    m = ss.Machine(1.0, stiffness=k, names=["x"], force={"x": ss.Ramp(slope=k * V) + SIGMA * F0})
    m.add_friction("fault", on="x", law=law, normal_load=SIGMA)
    return m


@pytest.mark.parametrize("evolution", ["ageing", "slip"])
def test_critical_stiffness_and_period_are_the_closed_form(evolution: Any) -> None:
    assert CRITICAL == pytest.approx(2.5000000005e9, rel=1e-12)
    law = rate_and_state(A, B, DC, reference=F0, reference_velocity=V, evolution=evolution)
    by_v, _, by_z, rate_by_v, rate_by_z = law.compiled.linearise(V, 1, np.zeros(1))
    J = np.array(
        [
            [0.0, 1.0, 0.0],
            [-CRITICAL, -SIGMA * by_v, -SIGMA * by_z[0]],
            [0.0, rate_by_v[0], rate_by_z[0, 0]],
        ]
    )
    pair = max(np.linalg.eigvals(J), key=lambda s: s.imag)
    assert 2.0 * math.pi / pair.imag == pytest.approx(8.885765876, rel=1e-9)
    assert abs(pair.real) < 1e-7 * pair.imag


def ageing_law() -> FormulaLaw:
    return FormulaLaw(
        lambda v, theta, a, b, dc: (
            a * ss.asinh(v / (2.0 * V) * ss.exp((F0 + b * ss.log(V * theta / dc)) / a))
        ),
        {"theta": lambda v, theta, dc: 1.0 - abs(v) * theta / dc},
        states={"theta": 1.05 * DC / V},
        parameters={"a": A, "b": B, "dc": DC},
    )


@pytest.mark.parametrize(
    "law",
    [
        ageing_law(),
        rate_and_state(A, B, DC, reference=F0, reference_velocity=V, age=1.05 * DC / V),
    ],
    ids=["theta", "logarithm"],
)
def test_earthquake_cycle_has_the_peaks_of_radau(law: ss.Law) -> None:
    # SciPy's Radau at rtol = 1e-10: 79.2282 s (0.02855 m/s) and 100.0387 s (3.770 m/s)
    run = ss.simulate(slider(0.8 * CRITICAL, law), 120.0, initial={"x.velocity": V}, rtol=1e-8)
    for around, time, peak in ((79.2, 79.2282, 0.02855), (100.0, 100.0387, 3.770)):
        t = np.linspace(around - 0.5, around + 0.5, 400001)
        v = run.sol(t)[1]
        k = int(np.argmax(v))
        assert t[k] == pytest.approx(time, abs=2e-4)
        assert v[k] == pytest.approx(peak, rel=1e-3)


def test_slip_weakening_is_the_closed_form() -> None:
    # m s'' = F - N (μs - (μs - μk) s/Dc): s = a/λ² (cosh λt - 1), then constant acceleration
    static, kinetic, dc, F, N = 0.6, 0.4, 1e-3, 65.0, 100.0
    m = ss.Machine(2.0, names=["x"], force={"x": F})
    m.add_friction("f", on="x", law=slip_weakening(static, kinetic, dc), normal_load=N)
    a, rate = (F - N * static) / 2.0, math.sqrt(N * (static - kinetic) / dc / 2.0)
    weak = math.acosh(1.0 + dc * rate**2 / a) / rate  # when the slip is Dc
    speed = a / rate * math.sinh(rate * weak)
    run = ss.simulate(m, 0.5, rtol=1e-12, t_eval=[0.5 * weak, weak, 0.5])
    later = 0.5 - weak
    expected = [
        a / rate**2 * (math.cosh(0.5 * rate * weak) - 1.0),
        dc,
        dc + speed * later + 0.5 * (F - N * kinetic) / 2.0 * later**2,
    ]
    np.testing.assert_allclose(run["x.position"], expected, rtol=1e-9)


def test_slip_weakening_is_restored_by_a_stop() -> None:
    m = ss.Machine(1.0, names=["x"], force={"x": ss.Ramp(slope=10.0)})
    m.add_friction("f", on="x", law=slip_weakening(0.6, 0.4, 1e-3), normal_load=100.0)
    run = ss.simulate(m, 7.0, initial={"x.velocity": 0.5})
    kinds = [(e.time, e.after) for e in run.events if e.element == "f"]
    assert len(kinds) == 2  # it stops, and breaks away at the static level
    assert kinds[1][0] == pytest.approx(6.0, rel=1e-9)
    assert ss.analysis.audit(run).passed


def test_thermal_weakening_is_the_run_of_scipy() -> None:
    level, scale, capacity, conductance, N = 0.4, 100.0, 2.0, 0.5, 50.0

    def rates(_: float, y: list[float]) -> list[float]:
        friction = N * level * math.exp(-y[1] / scale)
        return [30.0 - friction, (friction * y[0] - conductance * y[1]) / capacity]

    expected = solve_ivp(rates, (0.0, 3.0), [1.0, 0.0], "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    m = ss.Machine(1.0, names=["x"], force={"x": 30.0})
    m.add_friction("f", on="x", law=thermal_weakening(level, scale, capacity, conductance), normal_load=N)
    run = ss.simulate(m, 3.0, initial={"x.velocity": 1.0}, rtol=1e-11)
    assert [run["x.velocity"][-1], run["f.z"][-1]] == pytest.approx(list(expected), rel=1e-8)
    assert ss.analysis.audit(run).passed


def test_derivatives_are_those_of_the_law() -> None:
    ours, formula = PAIRS["Dahl"]
    names = {"stiffness": "k", "kinetic": "level"}
    one = ss.simulate(belt(ours), 5.0, sensitivities=[f"belt.law.{n}" for n in names], rtol=1e-10)
    other = ss.simulate(
        belt(formula()), 5.0, sensitivities=[f"belt.law.{n}" for n in names.values()], rtol=1e-10
    )
    for old, new in names.items():
        expected = one.sensitivity["block.position", f"belt.law.{old}"][-1]
        assert other.sensitivity["block.position", f"belt.law.{new}"][-1] == pytest.approx(expected, rel=1e-6)


def test_sweep_and_identification_take_its_parameters() -> None:
    m = belt(dahl())
    out = ss.ensemble(m, {"belt.law.level": [0.8, 1.6]}, t_end=5.0, measure=["block.position.final"])
    alone = [
        ss.simulate(belt(ss.Dahl(level, stiffness=1e4)), 5.0)["block.position"][-1] for level in (0.8, 1.6)
    ]
    np.testing.assert_allclose(out["block.position.final"], alone, rtol=1e-5)
    record = ss.simulate(belt(ss.Dahl(0.9, stiffness=1e4)), 5.0, dt=0.05)
    data = {"block.position": (record.t, record["block.position"])}
    found = ss.identify.fit(m, ["belt.law.level"], data)
    assert found.parameters["belt.law.level"] == pytest.approx(0.9, rel=1e-4)


def test_law_holds_a_parameter_of_the_machine() -> None:
    level = ss.Parameter("level", 0.8)
    m = belt(FormulaLaw(lambda v: level * ss.tanh(v / 1e-2)))
    m.add_force("block", lambda: -level)
    run = ss.simulate(m, 3.0, sensitivities=["level"], rtol=1e-11)
    h = 1e-4
    near = ss.ensemble(m, {"level": [0.8 - h, 0.8 + h]}, 3.0, ["block.position.final"], rtol=1e-11)
    low, high = near["block.position.final"]
    assert run.sensitivity["block.position", "level"][-1] == pytest.approx((high - low) / (2.0 * h), rel=1e-4)


def test_friction_of_a_contact_may_be_a_formula() -> None:
    def floor(law: ss.Law) -> ss.Trajectory:
        m = ss.Machine([1.0, 1.0], names=["x", "y"], force={"y": -9.81, "x": ss.Sine(8.0, 1.0)})
        m.add_contact("floor", normal={"y": 1.0}, gap=0.1, tangent={"x": 1.0}, friction=law, restitution=0.3)
        return ss.simulate(m, 3.0, initial={"x.velocity": 0.5}, rtol=1e-10)

    runs = [floor(ss.Coulomb(0.5, 0.4)), floor(jump(0.5, 0.4))]
    assert runs[1]["x.position"][-1] == pytest.approx(runs[0]["x.position"][-1], rel=1e-8)


def test_bristle_of_a_contact_with_impacts_may_be_a_formula() -> None:
    def floor(law: ss.Law) -> float:
        m = ss.Machine([1.0, 1.0], names=["x", "y"], force={"y": -9.81, "x": ss.Sine(8.0, 1.0)})
        m.add_contact("floor", normal={"y": 1.0}, gap=0.1, tangent={"x": 1.0}, friction=law, restitution=0.3)
        return float(ss.simulate(m, 3.0, initial={"x.velocity": 0.5}, rtol=1e-10)["x.position"][-1])

    formula = FormulaLaw(
        lambda v, z: 1e4 * z + 50.0 * (v - 1e4 * abs(v) * z / stribeck(v, **LEVELS)),
        {"z": lambda v, z: v - 1e4 * abs(v) * z / stribeck(v, **LEVELS)},
        states={"z": 0.0},
    )
    ours = ss.LuGre(1.5, 1.0, 1e-2, stiffness=1e4, damping=50.0)
    assert floor(formula) == pytest.approx(floor(ours), rel=1e-6)


def test_contact_refuses_a_law_without_a_level() -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"])
    with pytest.raises(ValueError, match=r"friction of 'c' grows with the velocity.*ss\.Viscous"):
        m.add_contact("c", normal={"y": 1.0}, tangent={"x": 1.0}, friction=lugre())


def test_reversals_change_states() -> None:
    # m x'' + k x = -N (1 + n): half a swing each, n reversals after n half periods; it loses 2 N (1 + n)/k each time
    law = FormulaLaw(
        lambda v, n: ss.tanh(v / 1e-9) * (1.0 + n),
        {"n": 0.0},
        states={"n": 0.0},
        on_reversal={"n": lambda n: n + 1.0},
    )
    m = ss.Machine(1.0, stiffness=100.0, names=["x"])
    m.add_friction("f", on="x", law=law, normal_load=1.0)
    run = ss.simulate(
        m, 0.9 * math.pi / 10.0 * 4.0, initial={"x.position": 1.0, "x.velocity": -1e-6}, rtol=1e-10
    )
    turns = math.pi / 10.0 * np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(run.sol(turns)[0], [-0.98, 0.94, -0.88], atol=1e-6)
    assert run["f.z"][-1] == 3.0 and ss.analysis.audit(run).passed


def test_state_with_the_rate_v_is_the_position() -> None:
    law = FormulaLaw(
        lambda v, s: ss.tanh(v / 1e-2) * (1.0 + 0.5 * ss.sin(3.0 * s)), {"s": lambda v: v}, states={"s": 0.0}
    )
    m = ss.Machine(1.0, damping=0.2, stiffness=2.0, names=["block"], force={"block": ss.Sine(0.4, 0.3)})
    m.add_friction(
        "belt", on="block", law=ss.Tanh(1.0, width=1e-2), surface_velocity=0.1,
        normal_load=lambda q, t: 1.0 + 0.5 * ss.sin(3.0 * (q["block"] - 0.1 * t)),
    )  # fmt: skip
    ends = [
        ss.simulate(one, 5.0, initial={"block.velocity": 0.3}, rtol=1e-10)["block.position"][-1]
        for one in (belt(law), m)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_adjoint_and_forward_derivatives_agree() -> None:
    names = ["belt.law.k", "belt.law.level"]
    both = [
        ss.value_and_grad(
            lambda run: run["block.position"][-1], belt(dahl()), names, t_end=5.0, mode=mode, rtol=1e-10
        )([1e4, 1.2])
        for mode in ("forward", "reverse")
    ]
    np.testing.assert_allclose(both[0][1], both[1][1], rtol=1e-6)


def test_saved_run_is_read_back(tmp_path: Any) -> None:
    run = ss.simulate(belt(lugre()), 2.0)
    run.save(tmp_path / "run.npz")
    again = ss.load(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.y, run.y)
    assert again.machine == run.machine


def test_real_time_takes_it() -> None:
    ours, formula = PAIRS["LuGre"]
    ends = []
    for law in (ours, formula()):
        ends.append(ss.RealTime(belt(law), 1e-4).run(5000)[-1, 0])
    assert ends[1] == pytest.approx(ends[0], rel=1e-9)


@pytest.mark.parametrize("law", [lugre(), jump(1.2, 1.0), slip_weakening(0.6, 0.4, 1e-3)])
def test_law_and_machine_are_saved(law: FormulaLaw) -> None:
    for again in (pickle.loads(pickle.dumps(law)), copy.deepcopy(law)):
        assert again == law and hash(again) == hash(law) and repr(again) == repr(law)
    m = belt(law)
    assert ss.Machine.from_dict(m.to_dict()) == m
    assert (law.states, law.parameters) == (
        pickle.loads(pickle.dumps(law)).states,
        pickle.loads(pickle.dumps(law)).parameters,
    )


def test_law_prints_its_formulas() -> None:
    assert repr(dahl()) == (
        "FormulaLaw(force=k*z, rates={'z': v - k*abs(v)*z/level}, states={'z': 0.0}, "
        "parameters={'k': 10000.0, 'level': 1.2})"
    )


def test_run_starts_from_its_states() -> None:
    run = ss.simulate(slider(2.0 * CRITICAL, ageing_law()), 0.1, initial={"x.velocity": V})
    assert run["fault.z"][0] == 1.05 * DC / V


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "position": (lambda: FormulaLaw(lambda q: q), "reads 'q'.*normal_load="),
    "unknown input": (lambda: FormulaLaw(ss.Expr("w")), "reads 'w'; it may read 'v', 'load'"),
    "missing rate": (lambda: FormulaLaw(1.0, states={"z": 0.0}), "every state needs one rate"),
    "reset without levels": (lambda: FormulaLaw(1.0, on_stop={}), "on_reversal"),
    "reversal with levels": (lambda: FormulaLaw(1.0, levels=1.0, on_reversal={}), "on_stop"),
    "negative level": (lambda: FormulaLaw(1.0, levels=-1.0), "levels = -1"),
    "level over velocity": (lambda: FormulaLaw(1.0, levels=lambda v: v), "levels reads 'v'"),
    "name": (lambda: FormulaLaw(1.0, parameters={"v": 1.0}), "name in parameters"),
    "error": (lambda: FormulaLaw(lambda v: v.real), "could not be traced"),
    "options": (lambda: belt(ss.StickSlip(lugre(), dwell=1.0)), "internal states"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_law_names_the_cure(name: str) -> None:
    make, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        make()


def test_run_ends_where_a_formula_is_undefined() -> None:
    m = ss.Machine(1.0, names=["x"], force={"x": -1.0})
    m.add_friction("f", on="x", law=FormulaLaw(lambda v: ss.log(v + 1e-3)))
    run = ss.simulate(m, 5.0, initial={"x.velocity": -1.0})
    assert (
        run.status == "stalled" and "law of 'f': log(v + 0.001) = log(-0.999) = nan at v = -1" in run.message
    )


def test_contact_refuses_a_law_of_its_load() -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"])
    with pytest.raises(ValueError, match="reads the load.*without load"):
        m.add_contact(
            "c", normal={"y": 1.0}, tangent={"x": 1.0}, friction=FormulaLaw(lambda v, load: ss.tanh(v) * load)
        )


def test_contact_refuses_a_state_that_starts_elsewhere() -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"])
    with pytest.raises(ValueError, match="friction of 'c' has a state that does not start from zero"):
        m.add_contact("c", normal={"y": 1.0}, tangent={"x": 1.0}, friction=ageing_law())


OPTIONS: dict[str, dict[str, Any]] = {
    "memory and dwell": {"memory": 0.01, "dwell": 0.5},
    "presliding": {"presliding": ss.Presliding(1e-4, 1.0)},
    "load factor": {"load_factor": 0.3},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_of_the_automaton_take_a_formula_with_levels(name: str) -> None:
    formula = FormulaLaw(lambda v: ss.sign(v) * (1.0 + 0.5 * ss.exp(-((v / 1e-2) ** 2))), levels=1.5)
    ends = []
    for law in (ss.Stribeck(1.5, 1.0, 1e-2), formula):
        m = ss.Machine(1.0, stiffness=20.0, damping=0.1, names=["x"], force={"x": ss.Sine(3.0, 0.4)})
        m.add_friction(
            "f", on="x", law=ss.StickSlip(law, **OPTIONS[name]), surface_velocity=0.05,
            load={"x.position": 20.0} if name == "load factor" else None,
        )  # fmt: skip
        ends.append(ss.simulate(m, 5.0, rtol=1e-10)["x.position"][-1])
    assert ends[1] == pytest.approx(ends[0], rel=1e-9)


def test_units_of_states_and_parameters_are_printed_and_stored() -> None:
    law = FormulaLaw(
        lambda v, s, heat, width, scale: ss.tanh(v / width) * ss.exp(-heat / scale) * (1.0 + s),
        {"s": lambda v: v, "heat": lambda v: v * v},
        states={"s": 0.0, "heat": 0.0},
        parameters={"width": 0.1, "scale": 5.0, "plain": 1.0},
        units={"s": "m", "heat": "K", "width": "m/s", "scale": "K"},
    )
    again = pickle.loads(pickle.dumps(law))
    assert again == law and again.units == {"s": "m", "heat": "K", "width": "m/s", "scale": "K"}
    assert "units={'s': 'm', 'heat': 'K', 'width': 'm/s', 'scale': 'K'}" in repr(law)
    m = belt(law)
    assert ss.Machine.from_dict(m.to_dict()) == m
    run = ss.simulate(m, 0.1)
    assert (run.units["belt.z0"], run.units["belt.z1"]) == ("m", "K")
    names = ["belt.law.width", "belt.law.scale", "belt.law.plain"]
    out = ss.ensemble(m, {name: [0.5, 1.0] for name in names}, 0.1, ["belt.z0.final"])
    data = out.to_xarray()
    assert [data[name].attrs.get("units", "") for name in (*names, "belt.z0.final")] == ["m/s", "K", "", "m"]


def test_units_along_an_angle_are_those_of_the_angle() -> None:
    m = ss.Machine(1.0, names=["shaft"], kind="rotary")
    m.add_friction("bearing", on="shaft", law=slip_weakening(0.6, 0.4, 0.1))
    assert ss.simulate(m, 0.1).units["bearing.z"] == "rad"


def test_unknown_unit_names_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown name 'q' in units; known are: 'k'"):
        FormulaLaw(1.0, parameters={"k": 1.0}, units={"q": "m"})
    with pytest.raises(ValueError, match=r"units\['k'\] = 1"):
        FormulaLaw(1.0, parameters={"k": 1.0}, units={"k": 1})  # type: ignore[dict-item]


def test_laws_draw_their_steady_force() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    for law, scale in ((ss.Stribeck(1.5, 1.0, 1e-3), "linear"), (ageing_law(), "log")):
        figure, axes = plt.subplots()
        law.plot(ax=axes)
        v, f = axes.lines[0].get_data()
        moves = v != 0.0
        np.testing.assert_allclose(f[moves], law.force(v[moves]), rtol=1e-12)
        assert axes.get_xscale() == scale
        plt.close(figure)
    figure, axes = plt.subplots()
    jump(1.2, 1.0).plot([-0.1, 0.1], 2.0, ax=axes)
    np.testing.assert_allclose(
        axes.lines[0].get_data(), [[-0.1, 0.0, 0.0, 0.1], [-2.0, -2.4, 2.4, 2.0]], rtol=1e-9
    )
    plt.close(figure)
