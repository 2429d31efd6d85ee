"""Expressions: their values and derivatives against NumPy, SymPy and extended precision."""

import doctest
import math
import operator
import pickle
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st

import stickslip as ss
from stickslip import expressions

X, Y, T = ss.Expr("x"), ss.Expr("y"), ss.Expr("time")
POINT = {"x": 0.37, "y": 1.21, "time": 0.8}

# ours, NumPy's, that of mpmath
FUNCTIONS = {
    "sin": (ss.sin, np.sin, mpmath.sin),
    "cos": (ss.cos, np.cos, mpmath.cos),
    "tan": (ss.tan, np.tan, mpmath.tan),
    "asin": (ss.asin, np.arcsin, mpmath.asin),
    "acos": (ss.acos, np.arccos, mpmath.acos),
    "atan": (ss.atan, np.arctan, mpmath.atan),
    "sinh": (ss.sinh, np.sinh, mpmath.sinh),
    "cosh": (ss.cosh, np.cosh, mpmath.cosh),
    "tanh": (ss.tanh, np.tanh, mpmath.tanh),
    "asinh": (ss.asinh, np.arcsinh, mpmath.asinh),
    "acosh": (lambda x: ss.acosh(x + 1.0), lambda x: np.arccosh(x + 1.0), lambda x: mpmath.acosh(x + 1)),
    "atanh": (ss.atanh, np.arctanh, mpmath.atanh),
    "erf": (ss.erf, scipy.special.erf, mpmath.erf),
    "exp": (ss.exp, np.exp, mpmath.exp),
    "expm1": (ss.expm1, np.expm1, mpmath.expm1),
    "log": (ss.log, np.log, mpmath.log),
    "log1p": (ss.log1p, np.log1p, mpmath.log1p),
    "sqrt": (ss.sqrt, np.sqrt, mpmath.sqrt),
    "square": (lambda x: x**2, np.square, lambda x: x**2),
    "reciprocal": (lambda x: 1.0 / x, np.reciprocal, lambda x: 1 / x),
    "cube": (lambda x: x**3, lambda x: x**3, lambda x: x**3),
    "real power": (lambda x: x**2.5, lambda x: np.power(x, 2.5), lambda x: x**2.5),
    "exponential": (lambda x: 2.0**x, lambda x: np.power(2.0, x), lambda x: mpmath.mpf(2) ** x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_three_derivatives_are_those_of_mpmath(name: str) -> None:
    ours, numpys, exact = FUNCTIONS[name]
    expression = ours(X)
    assert numpys(X)(POINT) == expression(POINT)  # NumPy's function of an expression
    assert ours(0.37) == pytest.approx(float(numpys(0.37)), rel=1e-15)  # ours of a number
    for order in range(4):
        with mpmath.workdps(60):
            true = float(mpmath.diff(exact, mpmath.mpf("0.37"), order))
        assert expression({"x": 0.37}) == pytest.approx(true, rel=5e-15, abs=1e-15)
        expression = expression.gradient("x")["x"]


@pytest.mark.parametrize(
    ("ours", "numpys"),
    [
        (ss.atan2, np.arctan2),
        (ss.hypot, np.hypot),
        (ss.minimum, np.minimum),
        (ss.maximum, np.maximum),
        (operator.pow, np.power),
        (operator.truediv, np.divide),
        (operator.sub, np.subtract),
    ],
)
def test_functions_of_two_values_agree_with_mpmath(ours: Callable, numpys: np.ufunc) -> None:
    values = np.array([-2.0, -0.3, 0.4, 1.7])
    a, b = np.meshgrid(np.abs(values) if numpys is np.power else values, values)
    np.testing.assert_allclose(ours(X, Y)({"x": a, "y": b}), numpys(a, b), rtol=1e-15)
    np.testing.assert_allclose(numpys(X, Y)({"x": a, "y": b}), numpys(a, b), rtol=1e-15)
    np.testing.assert_allclose(ours(0.7, Y)({"y": b}), numpys(0.7, b), rtol=1e-15)
    np.testing.assert_allclose(numpys(X, 0.7)({"x": a}), numpys(a, 0.7), rtol=1e-15)


@pytest.mark.parametrize(
    ("ours", "exact"),
    [
        (ss.atan2, mpmath.atan2),
        (ss.hypot, mpmath.hypot),
        (operator.pow, operator.pow),
        (operator.truediv, operator.truediv),
        (operator.mul, operator.mul),
    ],
)
def test_second_partial_derivatives_agree_with_mpmath(ours: Callable, exact: Callable) -> None:
    expression = ours(X, Y)
    for orders in [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (2, 1)]:
        derivative = expression
        for name, order in zip("xy", orders, strict=True):
            for _ in range(order):
                derivative = derivative.gradient(name)[name]
        with mpmath.workdps(60):
            true = float(mpmath.diff(exact, (mpmath.mpf("0.37"), mpmath.mpf("1.21")), orders))
        assert derivative({"x": 0.37, "y": 1.21}) == pytest.approx(true, rel=5e-15, abs=1e-15)


LEAVES = st.one_of(
    st.sampled_from([X, Y]), st.floats(-2.0, 2.0).map(lambda c: round(c, 2)).filter(lambda c: abs(c) > 0.01)
)
SMOOTH = [
    ss.sin,
    ss.cos,
    ss.tanh,
    ss.atan,
    lambda a: ss.sqrt(1.0 + a * a),
    lambda a: ss.exp(-a * a),
    lambda a: a**3,
]


BINARY = [operator.add, operator.sub, operator.mul, lambda a, b: a / (2.0 + ss.sin(b))]


def grown(parts: st.SearchStrategy) -> st.SearchStrategy:
    two = st.builds(lambda f, a, b: f(a, b), st.sampled_from(BINARY), parts, parts)
    return st.one_of(two, st.builds(lambda f, a: f(a), st.sampled_from(SMOOTH), parts))


EXPRESSIONS = st.recursive(LEAVES, grown, max_leaves=12).filter(lambda e: isinstance(e, ss.Expr))
POINTS = st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))


def complex_value(expression: ss.Expr, x: complex, y: complex) -> complex:
    """The formula as Python reads its text: another evaluation, and one that knows complex numbers."""
    names = {"sin": np.sin, "cos": np.cos, "tanh": np.tanh, "atan": np.arctan, "sqrt": np.sqrt, "exp": np.exp}
    return complex(eval(repr(expression), {**names, "x": x, "y": y}))


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS, POINTS)
def test_random_formulas_read_as_they_print_and_have_complex_step_gradients(expression, point) -> None:
    x, y = point
    if repr(expression).startswith("<"):
        return
    at = {"x": x, "y": y}
    value = expression(at)
    names = {name: getattr(ss, name) for name in ("sin", "cos", "tanh", "atan", "sqrt", "exp")}
    read = eval(repr(expression), {**names, "x": X, "y": Y})
    read = read if isinstance(read, ss.Expr) else as_constant(read)
    assert read(at) == pytest.approx(value, rel=1e-15, abs=1e-15)
    with np.errstate(all="ignore"):
        size = 1.0 + abs(value)
        assert complex_value(expression, x, y).real == pytest.approx(value, rel=1e-12, abs=1e-12 * size)
        slopes = expression.gradient("x", "y")
        for name, step in (("x", (1e-40j, 0.0)), ("y", (0.0, 1e-40j))):
            exact = complex_value(expression, x + step[0], y + step[1]).imag / 1e-40
            assert slopes[name](at) == pytest.approx(exact, rel=1e-9, abs=1e-9 * size)


@settings(max_examples=60, deadline=None)
@given(EXPRESSIONS, POINTS)
def test_second_derivatives_are_symmetric_and_equal_sympys(expression, point) -> None:
    sympy = pytest.importorskip("sympy")
    text = repr(expression)
    if text.startswith("<"):
        return
    x, y = sympy.symbols("x y", real=True)
    theirs = sympy.sympify(text, locals={"x": x, "y": y})
    at = {"x": point[0], "y": point[1]}
    gradient = expression.gradient("x", "y")
    across = gradient["x"].gradient("y")["y"](at)
    back = gradient["y"].gradient("x")["x"](at)
    size = 1.0 + abs(expression(at)) + abs(across)
    assert across == pytest.approx(back, rel=1e-9, abs=1e-9 * size)
    exact = float(
        sympy.diff(theirs, x, y).subs({x: sympy.Float(at["x"], 40), y: sympy.Float(at["y"], 40)}).evalf(30)
    )
    assert across == pytest.approx(exact, rel=1e-8, abs=1e-8 * size)


@settings(max_examples=100, deadline=None)
@given(EXPRESSIONS)
def test_pickled_formula_is_equal(expression) -> None:
    back = pickle.loads(pickle.dumps(expression))
    assert back == expression and hash(back) == hash(expression) and repr(back) == repr(expression)
    at = {"x": 0.3, "y": -0.7}
    assert back(at) == expression(at)


def test_drift_of_a_moving_cam_matches_closed_form() -> None:
    """g = y - f(x, t), f = sin(2 x) cos(t): its second rate by hand with the accelerations zero."""
    x, y = ss.Expr("a.position"), ss.Expr("b.position")
    gap = y - ss.sin(2.0 * x) * ss.cos(T)
    at = {"a.position": 0.4, "b.position": 1.0, "a.velocity": 1.3, "b.velocity": -0.2, "time": 0.7}
    s, c, st_, ct = math.sin(0.8), math.cos(0.8), math.sin(0.7), math.cos(0.7)
    assert gap.rate()(at) == pytest.approx(-0.2 - 2 * 1.3 * c * ct + s * st_, rel=1e-14)
    zeta = 4 * 1.3**2 * s * ct + 2 * 2 * 1.3 * c * st_ + s * ct
    assert gap.rate().rate()(at) == pytest.approx(zeta, rel=1e-14)


def test_conditions_prolong_a_branch_beyond_its_corner() -> None:
    e = abs(X) + ss.maximum(X, Y) + ss.sign(X - Y)
    assert e.conditions == (X, X - Y)
    assert e({"x": 1.0, "y": 1.0}) == 2.0
    assert e({"x": -1.0, "y": 0.0}) == 0.0
    assert e({"x": -1.0, "y": 0.0}, branch=(1, 1)) == -1.0 - 1.0 + 1.0
    assert e({"x": [1.0, -1.0], "y": 0.0}, branch=[-1, -1]).tolist() == [-2.0, 0.0]
    with pytest.raises(ValueError, match="branch has 1 signs, but the expression has 2 conditions"):
        e({"x": 0.0, "y": 0.0}, branch=[1])
    with pytest.raises(ValueError, match="branch = 0 is not allowed: it must be 1 or -1"):
        e({"x": 0.0, "y": 0.0}, branch=[1, 0])


def test_conditions_are_joined() -> None:
    x = np.linspace(-2.0, 2.0, 41)
    inside = (X > -1.0) & (X <= 1.0)
    np.testing.assert_array_equal(ss.where(inside, 1.0, 0.0)({"x": x}), (x > -1.0) & (x <= 1.0))
    np.testing.assert_array_equal(ss.where(~inside, 1.0, 0.0)({"x": x}), ~((x > -1.0) & (x <= 1.0)))
    outside = (X < -1.0) | (1.0 <= X)
    np.testing.assert_array_equal(ss.where(outside, 1.0, 0.0)({"x": x}), (x < -1.0) | (x >= 1.0))


def test_branch_not_taken_may_be_undefined() -> None:
    e = ss.where(X >= 0.0, ss.sqrt(X), 0.0)
    assert e({"x": -1.0}) == 0.0 and e.gradient()["x"]({"x": -1.0}) == 0.0
    assert e.undefined({"x": [-1.0, 4.0]}) is None
    assert e.undefined({"x": -1.0}, branch=[1]) == "sqrt(x) = sqrt(-1) = nan at x = -1"
    assert (1.0 / X).undefined({"x": [1.0, 0.0]}) == "1/x = 1/0 = inf at x = 0"
    assert ss.log(X).undefined({"x": math.nan}) == "input x = nan"


def test_values_keep_their_shape() -> None:
    e = X * Y
    assert type(e({"x": 2.0, "y": 3.0})) is float
    assert e({"x": np.zeros((2, 3)), "y": 1.0}).shape == (2, 3)
    assert e({"x": [[1.0], [2.0]], "y": [1.0, 2.0, 3.0]}).shape == (2, 3)
    assert e({"x": [], "y": 1.0}).shape == (0,)
    assert (e * 0.0)({}) == 0.0
    with pytest.raises(ValueError, match="values lacks 'y', on which x\\*y depends"):
        e({"x": 1.0})
    with pytest.raises(ValueError, match="could not be broadcast|shape mismatch"):
        e({"x": [1.0, 2.0], "y": [1.0, 2.0, 3.0]})


def test_expressions_compare_by_structure() -> None:
    a, b = ss.sin(X) * 2.0, 2.0 * ss.sin(ss.Expr("x"))
    assert a == b and hash(a) == hash(b) and len({a, b}) == 1
    assert a != ss.sin(X) and a != 1.0 and X != Y
    with pytest.raises(AttributeError, match="cannot be changed"):
        a.compiled = b.compiled


def test_arrays_of_expressions_support_numpy() -> None:
    row = np.array([1.0, 2.0]) * X
    assert row.dtype == object and row[1] == 2.0 * X
    assert (np.array([X, Y]) @ np.array([Y, 1.0])) == X * Y + Y
    assert ss.sin(np.array([X, 0.5]))[0] == ss.sin(X)
    assert np.maximum(X, np.array([0.0, 1.0])).shape == (2,)
    with pytest.raises(TypeError, match="np.floor is not defined for expressions; known are: absolute, add"):
        np.floor(X)


BAD: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "if": (
        lambda: bool(X > 0.0),
        TypeError,
        r"write where\(condition, value_if_true, value_if_false\) instead of if",
    ),
    "truth": (lambda: bool(X), TypeError, "an expression has no truth value"),
    "min": (lambda: min(X, Y), TypeError, r"minimum\(a, b\), maximum\(a, b\) instead of min, max"),
    "chain": (lambda: 0.0 < X < 1.0, TypeError, "& | ~ instead of and, or, not"),
    "math": (lambda: math.sin(X), TypeError, "the expression x has no value while a function is traced"),
    "log": (lambda: ss.log(X - X), ValueError, r"log\(0\) has no finite value"),
    "sqrt": (lambda: ss.sqrt(as_constant(-1.0)), ValueError, r"sqrt\(-1\) has no finite value"),
    "zero": (lambda: X / 0.0, ValueError, "division by zero"),
    "nan": (lambda: X + math.nan, ValueError, "nan is not allowed: it must be finite"),
    "name": (lambda: ss.Expr(""), ValueError, "name = '' is not allowed"),
    "number": (lambda: ss.Expr(3), ValueError, "name = 3 is not allowed"),
    "where": (
        lambda: ss.where(X, 1.0, 0.0),
        ValueError,
        "condition = x is not allowed: it must be a comparison",
    ),
    "text": (lambda: ss.where(X > 0.0, "1", 0.0), ValueError, "if_true = '1' is not allowed"),
    "list": (lambda: X + [1.0], TypeError, "unsupported operand"),
    "base": (lambda: (-2.0) ** X, ValueError, "a base that is not positive"),
}


def as_constant(value: float) -> ss.Expr:
    return X - X + value


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    call, error, message = BAD[name]
    with pytest.raises(error, match=message):
        call()


def test_arrays_are_not_changed_in_place() -> None:
    row = np.zeros(2)
    with pytest.raises(TypeError, match="np.add with out is not defined for expressions: write a = a \\+ x"):
        row += X


@pytest.mark.parametrize("module", [expressions.expr, expressions.functions, expressions.tracing])
def test_examples_run(module) -> None:
    tests = [t for t in doctest.DocTestFinder().find(module, extraglobs={"ss": ss}) if t.examples]
    assert tests
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    with np.printoptions(legacy=False):
        assert [t.name for t in tests if runner.run(t).failed] == []


def test_a_long_formula_prints_its_size() -> None:
    e = X
    for _ in range(2000):
        e = ss.sin(e) + Y
    assert repr(e) == "<4000 operations on 'x', 'y'>"
    assert math.isfinite(e.gradient("x")["x"]({"x": 0.1, "y": 0.2}))


def test_all_functions_print_and_pickle_by_name() -> None:
    for name in expressions.__all__:
        value = getattr(expressions, name)
        assert pickle.loads(pickle.dumps(value)) is value
        assert getattr(ss, name, value) is value
        assert value.__doc__
