"""Named numbers in formulas: swept, differentiated, identified, printed and saved by their names."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

START = {"arm.position": 1.2}


def pendulum(gl: float | ss.Expr = 9.81) -> ss.Machine:
    m = ss.Machine(1.0, names=["arm"])
    m.add_force("arm", lambda q, v: -gl * ss.sin(q["arm"]) - 0.1 * v["arm"])
    return m


def named(value: float = 9.81) -> ss.Machine:
    return pendulum(ss.Parameter("gl", value))


def test_run_is_that_of_the_number() -> None:
    by_name, by_number = (ss.simulate(m, 2.0, initial=START) for m in (named(), pendulum()))
    np.testing.assert_allclose(by_name["arm.position"], by_number["arm.position"], rtol=1e-13)


def test_sweep_gives_the_runs_of_the_numbers() -> None:
    values = [4.0, 9.81, 25.0]
    out = ss.ensemble(named(), {"gl": values}, t_end=2.0, initial=START, measure=["arm.position.final"])
    alone = [ss.simulate(pendulum(g), 2.0, initial=START)["arm.position"][-1] for g in values]
    np.testing.assert_allclose(out["arm.position.final"], alone, rtol=1e-9)


def test_derivative_is_that_of_the_variational_equation() -> None:
    def rates(_: float, y: list[float]) -> list[float]:
        q, v, dq, dv = y  # and their derivatives by g/l
        return [v, -9.81 * math.sin(q) - 0.1 * v, dv, -math.sin(q) - 9.81 * math.cos(q) * dq - 0.1 * dv]

    expected = solve_ivp(rates, (0.0, 2.0), [1.2, 0.0, 0.0, 0.0], "DOP853", rtol=1e-12, atol=1e-13).y[2, -1]
    run = ss.simulate(named(), 2.0, initial=START, sensitivities=["gl"], rtol=1e-11)
    assert run.sensitivity["arm.position", "gl"][-1] == pytest.approx(expected, rel=1e-8)
    last = ss.value_and_grad(
        lambda r: r["arm.position"][-1], named(), ["gl"], t_end=2.0, initial=START, rtol=1e-11
    )
    assert last([9.81])[1] == pytest.approx([expected], rel=1e-8)


def falling() -> ss.Machine:
    """A mass of m + 1 falls from a height of h onto the ground, and there slides."""
    m, h, mu = ss.Parameter("m", 2.0), ss.Parameter("h", 1.0), ss.Parameter("mu", 0.5)
    out = ss.Machine(lambda q: [[m + 1.0, 0.0], [0.0, m + 1.0]], names=["y", "x"])
    out.add_force("y", lambda: -9.81 * (m + 1.0))
    out.add_contact("ground", gap=lambda q: q["y"] + h, tangent={"x": 1.0}, friction=0.0)
    out.add_friction("slide", on="x", law=1.0, normal_load=lambda q: mu * (m + 1.0))
    return out


def test_parameters_stand_in_masses_gaps_and_loads() -> None:
    run = ss.simulate(falling(), 1.0, initial={"x.velocity": 3.0}, sensitivities=["m", "h", "mu"])
    impact = run.events[0]
    assert impact.time == pytest.approx(math.sqrt(2.0 / 9.81), rel=1e-9)
    # t = √(2h/g); x = v t - mu t²/2
    assert impact.sensitivity["h"] == pytest.approx(1.0 / math.sqrt(2.0 * 9.81), rel=1e-6)
    assert impact.sensitivity["m"] == pytest.approx(0.0, abs=1e-9)
    assert run["x.position"][-1] == pytest.approx(3.0 - 0.25, rel=1e-9)
    assert run.sensitivity["x.position", "mu"][-1] == pytest.approx(-0.5, rel=1e-6)


def test_identification_finds_it() -> None:
    record = ss.simulate(named(9.0), 3.0, initial=START, dt=0.05)
    data = {"arm.position": (record.t, record["arm.position"])}
    found = ss.identify.fit(named(9.81), ["gl"], data, initial=START)
    assert found.parameters["gl"] == pytest.approx(9.0, rel=1e-6)


@pytest.mark.parametrize("saved", ["dict", "pickle", "copy"])
def test_saved_machine_keeps_the_parameter(saved: str, tmp_path: Path) -> None:
    again: dict[str, Callable[[ss.Machine], ss.Machine]] = {
        "dict": lambda m: ss.Machine.from_dict(m.to_dict()),
        "pickle": lambda m: pickle.loads(pickle.dumps(m)),
        "copy": copy.deepcopy,
    }
    made = again[saved](named())
    assert made == named() and made != named(9.8)
    assert made.parameters == named().parameters and "gl" in made.parameters


def test_saved_run_keeps_the_parameter(tmp_path: Path) -> None:
    ss.simulate(named(), 0.5, initial=START).save(tmp_path / "run.npz")
    assert "gl" in ss.load(tmp_path / "run.npz").machine.parameters


def test_expression_prints_and_evaluates_it() -> None:
    gl, q = ss.Parameter("gl", 9.81), ss.Expr("q")
    torque = -gl * ss.sin(q)
    assert repr(torque) == "-gl*sin(q)" and repr(gl) == "gl"
    assert (gl.name, gl.value, torque.inputs, torque.parameters) == ("gl", 9.81, ("q",), {"gl": 9.81})
    assert torque({"q": 0.5}) == -9.81 * math.sin(0.5)
    np.testing.assert_array_equal(
        torque({"q": 0.5, "gl": [1.0, 2.0]}), [-math.sin(0.5), -2.0 * math.sin(0.5)]
    )
    assert torque.gradient("gl")["gl"]({"q": 0.5}) == pytest.approx(-math.sin(0.5), rel=1e-15)
    assert pickle.loads(pickle.dumps(gl)) == gl
    of_ten = ss.log(ss.Parameter("a", 4.0) - ss.Expr("x")).undefined({"x": 10.0})
    assert of_ten == "log(a - x) = log(-6) = nan at x = 10, a = 4"


def test_value_of_one_does_not_fold_the_formula() -> None:
    m = ss.Machine(1.0, names=["a"])
    m.add_force("a", lambda q: ss.Parameter("k", 0.0) * (1.0 - q["a"]))
    run = ss.simulate(m, 1.0, sensitivities=["k"])
    assert run.sensitivity["a.position", "k"][-1] == pytest.approx(0.5, rel=1e-6)  # t²/2


@pytest.mark.parametrize("name", ["", "a.b", "time", 3])
def test_bad_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"name = .* is not allowed"):
        ss.Parameter(name, 1.0)


def test_two_values_of_one_name_are_refused() -> None:
    m = named()
    m.add_force("arm", lambda q: ss.Parameter("gl", 9.0) * q["arm"])
    with pytest.raises(ValueError, match=r"'gl' is 9.81 in one formula and 9 in another"):
        m.compile()
    with pytest.raises(ValueError, match=r"'gl' has two values in one formula, 9 and 9.81"):
        repr(ss.Parameter("gl", 9.0) + ss.Parameter("gl", 9.81))


def test_name_of_an_element_is_refused() -> None:
    m = pendulum(ss.Parameter("arm", 1.0))
    with pytest.raises(ValueError, match="'arm' has the name of a coordinate or an element"):
        m.compile()


def test_unknown_name_lists_it() -> None:
    with pytest.raises(ss.UnknownNameError, match="'gl'"):
        ss.ensemble(named(), {"g": [1.0]}, t_end=1.0, measure=["arm.position.final"])
