"""The audit differentiates formulas by itself: against the engine's derivatives, which are found in another way."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss
from stickslip.analysis.auditing import _formulas
from stickslip.expressions.expr import applied
from stickslip.machine import _smooth

X, Y = ss.Expr("x.position"), ss.Expr("y.position")
ONE = (
    "square",
    "sqrt",
    "exp",
    "expm1",
    "log",
    "log1p",
    "sin",
    "cos",
    "tan",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "erf",
    "negate",
)
FORMULAS = {name: applied(name, X * Y + 0.3 * X) for name in ONE}
FORMULAS |= {name: applied(name, 0.3 * X * Y) for name in ("asin", "acos")}
FORMULAS |= {"acosh": applied("acosh", 1.2 + X * Y), "atanh": applied("atanh", 0.3 * X * Y)}
FORMULAS |= {name: applied(name, X * X + Y, X * Y) for name in ("add", "subtract", "multiply", "divide")}
FORMULAS |= {name: applied(name, X * X + Y, X * Y) for name in ("power", "atan2", "hypot")}
FORMULAS |= {
    "integer power": (X * Y - 3.0) ** 5 + X**-2,
    "power of numbers": X**2.5 + 2.0**Y,
    "choice": ss.where(X > Y, X**3 * Y, ss.sin(X) / Y) + ss.maximum(X, 1.0) ** 2 + abs(X - Y),
    "time": ss.sin(X * ss.Expr("time")) / Y,
    "no input": 0.0 * X + 3.0,
}
BY = ["x.position", "y.position", "time"]


@pytest.mark.parametrize("name", FORMULAS)
def test_audit_derivatives_agree_with_the_engine(name: str) -> None:
    rng = np.random.default_rng(7)
    known = {key: rng.uniform(0.3, 1.7, 50) for key in (*BY, "x.velocity", "y.velocity")}
    pace = {"x.position": known["x.velocity"], "y.position": known["y.velocity"], "time": 1.0}
    expression = FORMULAS[name]
    formulas = _formulas.Formulas(_smooth.tape([expression]))
    assert _formulas.values(formulas, known)[0] == pytest.approx(expression(known), rel=1e-14)
    first, second = _formulas.slopes(formulas, known, BY)[0], _formulas.bends(formulas, known, BY)[0]
    for i, slope in enumerate(expression.gradient(*BY).values()):
        assert first[i] == pytest.approx(slope(known), rel=1e-12, abs=1e-12)
        for j, bend in enumerate(slope.gradient(*BY).values()):
            assert second[i, j] == pytest.approx(bend(known), rel=1e-11, abs=1e-11)
    rate = expression.rate()
    assert _formulas.rates(formulas, known, pace)[0] == pytest.approx(rate(known), rel=1e-12, abs=1e-12)
    turn = rate.rate()(known)
    assert _formulas.turns(formulas, known, pace)[0] == pytest.approx(turn, rel=1e-11, abs=1e-11)
