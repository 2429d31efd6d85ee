"""P8: a double pendulum of unit masses and rods for 10 s, from expressions, beside SciPy with right-hand sides by
lambdify; each solver with the loosest tolerance of a ladder that keeps the error.

Reached in one run on a busy machine: at an error of 1e-6 44 to 50 times the speed of RK45 and 26 to 30 times that of DOP853
(right-hand sides by `math` and by NumPy), at 1e-9 70 to 79 and 25 to 28 times; of DOP853 it takes about as many steps, each
of three evaluations more, for its dense output.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp
from smooth.pendulums import G
from smooth.pendulums import double_pendulum as machine

from stickslip import _core

from .block_on_belt import engine
from .entries import Entry, with_peer

START = [1.0, 1.5, 0.0, 0.0]
LADDER = 10.0 ** -np.arange(3.0, 13.26, 0.25)


def right_hand_side(module: str) -> Callable:
    """Return the accelerations, solved for and compiled by SymPy; `module` as lambdify calls it."""
    import sympy

    a, b, u, w, t = sympy.symbols("a b u w t")
    c, s = sympy.cos(a - b), sympy.sin(a - b)
    mass = sympy.Matrix([[2, c], [c, 1]])
    force = sympy.Matrix([-s * w**2 - 2 * G * sympy.sin(a), s * u**2 - G * sympy.sin(b)])
    rates = [u, w, *mass.LUsolve(force)]
    return sympy.lambdify([t, (a, b, u, w)], rates, modules=module, cse=True)


def scipy_run(method: str, right: Callable, rtol: float, t_end: float) -> Callable[[], np.ndarray]:
    """Return a call of SciPy's solver that gives the state at the end."""
    return lambda: solve_ivp(right, (0.0, t_end), START, method=method, rtol=rtol, atol=rtol).y[:, -1]


def heyoka_run() -> Callable[[float], Callable[[], np.ndarray]]:
    """Return what makes a call of heyoka's Taylor integrator for a tolerance; it is compiled beforehand."""
    import heyoka

    a, b, u, w = heyoka.make_vars("a", "b", "u", "w")
    c, s = heyoka.cos(a - b), heyoka.sin(a - b)
    on_a, on_b = -s * w**2 - 2 * G * heyoka.sin(a), s * u**2 - G * heyoka.sin(b)
    det = 2.0 - c**2
    rates = [(a, u), (b, w), (u, (on_a - c * on_b) / det), (w, (2 * on_b - c * on_a) / det)]

    def make(tolerance: float, t_end: float) -> Callable[[], np.ndarray]:
        solver = heyoka.taylor_adaptive(rates, START, tol=tolerance)

        def call() -> np.ndarray:
            solver.time = 0.0
            solver.state[:] = START
            solver.propagate_until(t_end)
            return solver.state.copy()

        return call

    return make


def loosest(make: Callable, error: Callable, target: float) -> tuple[float, Callable]:
    """Return the first tolerance of the ladder with which no error is greater, and its call."""
    for rtol in LADDER:
        call = make(rtol)
        if error(call()) <= target:
            return rtol, call
    raise AssertionError(f"no tolerance reaches {target}")


def entries(quick: bool) -> list[Entry]:
    """Rows of P8."""
    t_end = 2.0 if quick else 10.0

    def ours(rtol):
        run = engine(m, t_end, rtol, START)
        return lambda: _core.run.Samples(run(), [t_end]).states[:, 0]

    def peers():
        right = {module: right_hand_side(module) for module in ("numpy", "math")}
        for method in ("RK45", "DOP853"):
            rtol, _ = loosest(
                lambda tol, method=method: scipy_run(method, right["math"], tol, t_end), error, target
            )
            for module in right:
                call = scipy_run(method, right[module], rtol, t_end)
                yield Entry(problem, f"SciPy {method} {rtol:.1e}, lambdify, {module}", call, error)

    def taylor():
        make = heyoka_run()
        tolerance, call = loosest(lambda tol: make(tol, t_end), error, target)
        yield Entry(problem, f"heyoka {tolerance:.1e}, compiled before", call, error)

    m = machine()
    truth = _truth(t_end)

    def error(state):
        return float(np.abs(state - truth).max())

    rows = []
    for target in (1e-6,) if quick else (1e-6, 1e-9):
        problem = f"P8 double pendulum, {t_end:g} s, error at the end at most {target:.0e}"
        rtol, call = loosest(ours, error, target)
        rows.append(Entry(problem, f"stickslip engine {rtol:.1e}", call, error, ours=True))
        rows += with_peer("sympy", peers)
        rows += with_peer("heyoka", taylor)
    return rows


def _truth(t_end: float) -> np.ndarray:
    """Return the state at the end, to some 1e-12: what SciPy's method of the highest order makes with the finest steps."""
    return scipy_run("DOP853", right_hand_side("math"), 3e-14, t_end)()
