"""SymPy's formulas: read as trees, and run through lambdify, against SymPy's own numbers."""

import subprocess
import sys

import numpy as np
import pytest

import stickslip as ss

sympy = pytest.importorskip("sympy")
mechanics = pytest.importorskip("sympy.physics.mechanics")

NUMBERS = {"m1": 1.1, "m2": 0.7, "l1": 0.9, "l2": 0.6, "g": 9.81}
STATE = {"a.position": 0.7, "b.position": -1.2, "a.velocity": 0.4, "b.velocity": 2.1}


def by_lagrange():
    """Mass matrix and forcing of a double pendulum with point masses, from its Lagrangian."""
    a, b = mechanics.dynamicsymbols("a b")
    m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g")
    x1, y1 = l1 * sympy.sin(a), -l1 * sympy.cos(a)
    x2, y2 = x1 + l2 * sympy.sin(a + b), y1 - l2 * sympy.cos(a + b)
    t = mechanics.dynamicsymbols._t
    kinetic = (m1 * (x1.diff(t) ** 2 + y1.diff(t) ** 2) + m2 * (x2.diff(t) ** 2 + y2.diff(t) ** 2)) / 2
    lagrangian = kinetic - g * (m1 * y1 + m2 * y2)
    method = mechanics.LagrangesMethod(lagrangian, [a, b])
    method.form_lagranges_equations()
    names = {a: "a.position", b: "b.position", **{s: NUMBERS[s.name] for s in (m1, m2, l1, l2, g)}}
    return method.mass_matrix, method.forcing, names, {a: 0.7, b: -1.2, a.diff(t): 0.4, b.diff(t): 2.1}


def by_kane():
    """The same machine by Kane's method, with separate symbols for the speeds."""
    a, b, u, w = mechanics.dynamicsymbols("a b u w")
    m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g")
    frame = mechanics.ReferenceFrame("N")
    first = frame.orientnew("A", "Axis", (a, frame.z))
    second = first.orientnew("B", "Axis", (b, first.z))
    first.set_ang_vel(frame, u * frame.z)
    second.set_ang_vel(frame, (u + w) * frame.z)
    origin = mechanics.Point("O")
    origin.set_vel(frame, 0)
    p1 = origin.locatenew("P", -l1 * first.y)
    p1.v2pt_theory(origin, frame, first)
    p2 = p1.locatenew("R", -l2 * second.y)
    p2.v2pt_theory(p1, frame, second)
    bodies = [mechanics.Particle("one", p1, m1), mechanics.Particle("two", p2, m2)]
    loads = [(p1, -m1 * g * frame.y), (p2, -m2 * g * frame.y)]
    method = mechanics.KanesMethod(frame, [a, b], [u, w], [a.diff() - u, b.diff() - w])
    method.kanes_equations(bodies, loads)
    names = {
        **dict(zip((a, b, u, w), STATE, strict=True)),
        **{s: NUMBERS[s.name] for s in (m1, m2, l1, l2, g)},
    }
    return method.mass_matrix, method.forcing, names, {a: 0.7, b: -1.2, u: 0.4, w: 2.1}


def hand() -> tuple[np.ndarray, np.ndarray]:
    """M and h of the double pendulum with relative angles, by hand."""
    m1, m2, l1, l2, g = NUMBERS.values()
    a, b, u, w = STATE.values()
    c, s = m2 * l1 * l2 * np.cos(b), m2 * l1 * l2 * np.sin(b)
    mass = [[(m1 + m2) * l1**2 + m2 * l2**2 + 2 * c, m2 * l2**2 + c], [m2 * l2**2 + c, m2 * l2**2]]
    g2 = m2 * g * l2 * np.sin(a + b)
    forcing = [s * (2 * u * w + w**2) - (m1 + m2) * g * l1 * np.sin(a) - g2, -s * u**2 - g2]
    return np.array(mass), np.array(forcing)


@pytest.mark.parametrize("method", [by_lagrange, by_kane])
def test_double_pendulum_of_sympy_is_converted(method) -> None:
    mass, forcing, names, _ = method()
    M, h = ss.from_sympy(mass, names), ss.from_sympy(forcing, names)
    assert M.shape == (2, 2) and h.shape == (2, 1)
    true_mass, true_forcing = hand()
    np.testing.assert_allclose([[e(STATE) for e in row] for row in M], true_mass, rtol=1e-14)
    np.testing.assert_allclose([e(STATE) for e in h[:, 0]], true_forcing, rtol=1e-13)


def test_lambdified_functions_take_expressions() -> None:
    mass, forcing, names, at = by_lagrange()
    both = sympy.Matrix.hstack(mass, forcing).subs({k: v for k, v in names.items() if isinstance(v, float)})
    function = sympy.lambdify(list(at), both, modules="numpy", cse=True)
    ours = function(*map(ss.Expr, STATE))
    theirs = function(*STATE.values())
    np.testing.assert_allclose([[value(e) for e in row] for row in ours], theirs, rtol=1e-14)
    traced = ss.trace(lambda q, v: function(q["a"], q["b"], v["a"], v["b"]), ["a", "b"])
    np.testing.assert_allclose([[e(STATE) for e in row] for row in traced], theirs, rtol=1e-14)


def value(e) -> float:
    return e(STATE) if isinstance(e, ss.Expr) else float(e)


X, Y = sympy.symbols("x y", real=True)
FORMULAS = [
    X**2 / Y - Y / X,
    sympy.sqrt(1 + X**2) ** -1 + (1 + X**2) ** sympy.Rational(-3, 2),
    sympy.exp(-X) * sympy.log(1 + Y**2) + sympy.pi * X / 3 - sympy.Rational(1, 7),
    sympy.tan(X / 3) + sympy.asin(X / 3) - sympy.acos(Y / 3) + sympy.atan(X) + sympy.atan2(Y, X),
    sympy.sinh(X) * sympy.cosh(Y) - sympy.tanh(X * Y),
    sympy.asinh(X) * sympy.acosh(2 + Y**2) - sympy.atanh(X / (2 + X**2)) + sympy.erf(X * Y),
    sympy.Abs(X - Y) + sympy.sign(X) + sympy.Min(X, Y, 1) * sympy.Max(X, Y),
    sympy.Piecewise((X, (X > 0) & (Y < 1)), (-Y, sympy.Or(X < -1, Y >= 1)), (X * Y, True)),
    sympy.Heaviside(X, sympy.Rational(1, 2)) + sympy.Piecewise((1, sympy.Not(X <= Y)), (2, True)),
    2**X - X**-3 + X**5,
]


@pytest.mark.parametrize("k", range(len(FORMULAS)))
def test_converted_values_agree_with_sympy(k: int) -> None:
    formula = FORMULAS[k]
    ours = ss.from_sympy(formula, {X: "x", Y: "y"})
    for x, y in [(0.4, 1.3), (-1.7, 0.2), (2.1, -0.6), (-0.3, -0.9)]:
        true = float(formula.subs({X: sympy.Float(x, 30), Y: sympy.Float(y, 30)}).evalf(20))
        assert ours({"x": x, "y": y}) == pytest.approx(true, rel=4e-15, abs=1e-15)


def test_names_give_rates_numbers_and_expressions() -> None:
    q, t = mechanics.dynamicsymbols("q"), mechanics.dynamicsymbols._t
    k = sympy.Symbol("k")
    ours = ss.from_sympy(k * q + q.diff() * sympy.sin(t), {q: "arm.position", k: ss.Expr("stiffness")})
    assert ours.inputs == ("arm.position", "arm.velocity", "stiffness", "time")
    assert ss.from_sympy(k**2, {k: 3})({}) == 9.0
    assert ss.from_sympy([k, 2 * k], {k: "a"})[1] == 2.0 * ss.Expr("a")


def test_unknown_symbols_are_all_named() -> None:
    q, m = mechanics.dynamicsymbols("q"), sympy.Symbol("m")
    with pytest.raises(ss.UnknownNameError, match=r"unknown symbols 'm', 'q\(t\)'; known are: 't', 'x'"):
        ss.from_sympy(m * q + X, {X: "x"})
    with pytest.raises(ss.UnknownNameError, match=r"unknown symbol 'Derivative\(q\(t\), \(t, 2\)\)'"):
        ss.from_sympy(q.diff().diff() + q, {q: "arm.position"})


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (sympy.gamma(X), r"expression = gamma\(x\) is not allowed: it must be made of elementary functions"),
        (sympy.I * X, "expression = I is not allowed: it must be real and finite"),
        (sympy.oo + X, "expression = oo is not allowed"),
        (sympy.Piecewise((X, X > 0)), "its last case must hold without a condition"),
        (sympy.log(X - X + sympy.Symbol("c")), "log\\(-1\\) has no finite value"),
    ],
)
def test_unreadable_sympy_formula_is_named(formula, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ss.from_sympy(formula, {X: "x", sympy.Symbol("c"): -1.0})


def test_without_sympy_the_extra_is_named() -> None:
    code = "import sys; sys.modules['sympy'] = None; import stickslip as ss; ss.from_sympy(1, {})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'from_sympy() needs SymPy: pip install "stickslip[sympy]"' in done.stderr
