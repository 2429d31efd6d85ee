"""F: M(q) and h(q, v) of a double pendulum, with and without all their derivatives by q and v; time per evaluation."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import numpy as np
from engine import program

from .entries import Entry, with_peer

STATE = (0.7, -1.2, 0.4, 2.1)
# M11, M12, M22, h1, h2 there, by hand in 40 digits.
TRUE = np.array(
    [1.9839424623843653, 0.3889712311921826, 0.25199999999999995, -10.408279841640072, 2.031698828076335]
)


def formulas():
    """Return M11, M12, M22, h1, h2 and the four states they depend on, as SymPy's; the program has the same."""
    import sympy

    a, b, u, w = sympy.symbols("a b u w")
    m1, m2, l1, l2, g = 1.1, 0.7, 0.9, 0.6, 9.81
    c, s = m2 * l1 * l2 * sympy.cos(b), m2 * l1 * l2 * sympy.sin(b)
    g2 = m2 * g * l2 * sympy.sin(a + b)
    inertia = [(m1 + m2) * l1**2 + m2 * l2**2 + 2 * c, m2 * l2**2 + c, sympy.Float(m2 * l2**2)]
    force = [s * (2 * u * w + w**2) - (m1 + m2) * g * l1 * sympy.sin(a) - g2, -s * u**2 - g2]
    return sympy.Matrix(inertia + force), sympy.Matrix([a, b, u, w])


def compiled(count: int) -> dict:
    """Return what the program has measured itself."""
    done = subprocess.run([program("tape_pendulum"), str(count)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def lambdified(what: str, module: str, count: int) -> Callable[[], np.ndarray]:
    """Return a call that evaluates a function made by lambdify so many times."""
    import sympy

    values, states = formulas()
    wanted = values if what == "values" else sympy.Matrix.hstack(values, values.jacobian(states))
    function = sympy.lambdify(list(states), wanted.tolist(), modules=module, cse=True)

    def call() -> np.ndarray:
        for _ in range(count):
            result = function(*STATE)
        return np.array(result, dtype=float)[:, 0]

    return call


def entries(quick: bool) -> list[Entry]:
    """Rows of F."""
    count = 1000 if quick else 200_000

    def judge(values) -> float:
        got = values["values"] if isinstance(values, dict) else values
        return float(np.abs(np.array(got) - TRUE).max())

    rows = []
    for what, ours in (("values", "tape"), ("values and Jacobian", "jacobian_tape")):
        problem = f"F double pendulum, M and h: {what}"
        rows.append(
            Entry(problem, f"stickslip {ours.replace('_', ' ')}", lambda: compiled(count), judge, ours=True,
                  clock=lambda result, key=ours: result[key] * 1e-9)
        )  # fmt: skip
        if what == "values":
            rows.append(
                Entry(problem, "compiled by hand", lambda: compiled(count), judge,
                      clock=lambda result: result["by_hand"] * 1e-9)
            )  # fmt: skip
        for module in ("numpy", "math"):
            calls = count // 100
            rows += with_peer(
                "sympy",
                lambda p=problem, w=what, m=module, n=calls: [
                    Entry(p, f"SymPy lambdify, {m}, cse", lambdified(w, m, n), judge, n)
                ],
            )
    return rows
