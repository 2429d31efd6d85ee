"""Python functions called once with expressions; SymPy's functions by lambdify among them."""

import numpy as np
import pytest

import stickslip as ss

Q, V, T = ss.Expr("arm.position"), ss.Expr("arm.velocity"), ss.Expr("time")


def test_functions_may_return_dictionary_scalar_or_matrix() -> None:
    def forces(q, v, t):
        return {"arm": -2.0 * ss.sin(q["arm"]) - 0.1 * v["arm"] * abs(v["arm"]), "foot": 3}

    traced = ss.trace(forces, ["arm", "foot"])
    assert traced == {"arm": -2.0 * ss.sin(Q) - 0.1 * V * abs(V), "foot": Q * 0.0 + 3.0}
    assert ss.trace(lambda t, q: np.cos(t) * q[0], ["arm"]) == ss.cos(T) * Q
    mass = ss.trace(lambda q: [[1.0, ss.cos(q["a"] - q["b"])], [ss.cos(q["b"] - q["a"]), 2.0]], ["a", "b"])
    assert mass.shape == (2, 2) and mass[0, 1] == mass[1, 0]
    assert ss.trace(lambda: np.eye(2), ["a"])[1, 0]({}) == 0.0


def test_loops_and_helpers_and_defaults_run_as_they_are() -> None:
    def angle(q, upto=3):
        return sum(q[k] for k in range(upto))

    traced = ss.trace(lambda q: [np.sin(angle(q, k + 1)) for k in range(3)], ["a", "b", "c"])
    assert traced.shape == (3,)
    assert traced[2]({"a.position": 0.1, "b.position": 0.2, "c.position": 0.3}) == pytest.approx(
        np.sin(0.6), rel=1e-15
    )
    assert ss.trace(angle, ["a", "b", "c"]).inputs == ("a.position", "b.position", "c.position")


def test_coordinates_are_a_mapping() -> None:
    seen = {}

    def look(q, v):
        seen["names"], seen["length"], seen["last"] = list(q), len(v), v[-1]
        return q["a"]

    ss.trace(look, ["a", "b"])
    assert seen == {"names": ["a", "b"], "length": 2, "last": ss.Expr("b.velocity")}


def branching(q):
    return 1.0 if q["arm"] > 0.0 else 2.0


def comparing(q):
    return 1.0 if q["arm"] == 0.0 else 2.0


def failing(q):
    raise RuntimeError("the table is not there")


BAD = {
    "branch": (branching, r"branching could not be traced: TypeError: a comparison .* write where\("),
    "equality": (comparing, "a comparison of expressions by == has no truth value"),
    "raises": (failing, "failing could not be traced: RuntimeError: the table is not there"),
    "parameter": (
        lambda q, w: q["arm"],
        "has the parameter 'w': it may have q, v and t, and others with a default",
    ),
    "text": (
        lambda q: "1",
        "the result of <lambda> = '1' is not allowed: it must be a number or an expression",
    ),
    "none": (lambda q: None, "the result of <lambda> = None is not allowed"),
    "nan": (
        lambda q: {"arm": float("nan")},
        "the result of <lambda> for 'arm' = nan is not allowed: it must be finite",
    ),
    "nan in a list": (lambda q: [0.0, np.nan], r"the result of <lambda> at \[1\] = nan is not allowed"),
    "condition": (lambda q: q["arm"] > 0.0, "it must be a number or an expression"),
    "ragged": (lambda q: [[1.0, 2.0], [3.0]], r"the result of <lambda>.* is not"),
    "constant": (lambda q: ss.log(q["arm"] * 0.0), r"log\(0\) has no finite value"),
    "no function": (3.0, "function = 3.0 is not allowed: it must be a function of q, v and t"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_functions_are_named(name: str) -> None:
    function, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        ss.trace(function, ["arm"])


def test_error_of_the_user_is_chained() -> None:
    with pytest.raises(ValueError) as caught:
        ss.trace(failing, ["arm"])
    assert type(caught.value.__cause__) is RuntimeError


def test_unknown_coordinates_are_named() -> None:
    with pytest.raises(ss.UnknownNameError, match="unknown coordinate 'leg'; known are: 'arm'"):
        ss.trace(lambda q: q["leg"], ["arm"])
    with pytest.raises(ss.UnknownNameError, match="unknown coordinate 1; known are: 'arm'"):
        ss.trace(lambda q: q[1], ["arm"])


def test_after_a_trace_expressions_compare_again() -> None:
    with pytest.raises(ValueError):
        ss.trace(comparing, ["arm"])
    assert Q == ss.Expr("arm.position")
