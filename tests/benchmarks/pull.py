"""P2: LuGre block pulled by a spring (Canudas de Wit 1995), 40 s: worst position at 10, 20, 30, 40 s."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip import _core

from .block_on_belt import engine, has_cvode, timed_without_python
from .entries import Entry

S0, S1, S2, FC, FS, VS = 1e5, math.sqrt(1e5), 0.4, 1.0, 1.5, 1e-3


def machine() -> ss.Machine:
    """Return the block and its spring, whose end moves at 0.1 m/s."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"], force={"block": ss.Ramp(slope=0.2)})
    law = ss.LuGre(stiffness=S0, damping=S1, viscous=S2, static=FS, kinetic=FC, stribeck_velocity=VS)
    m.add_friction("floor", on="block", law=law)
    return m


def rhs(t, y):
    """As a user would write it: |v|, no phases."""
    x, v, z = y
    rate = v - abs(v) * S0 * z / (FC + (FS - FC) * math.exp(-((v / VS) ** 2)))
    return [v, 2.0 * (0.1 * t - x) - S0 * z - S1 * rate - S2 * v, rate]


def jacobian(t, y):
    """d rhs / d y."""
    _, v, z = y
    fall = (FS - FC) * math.exp(-((v / VS) ** 2))
    per_g = S0 / (FC + fall)
    slope = -2.0 * v / VS**2 * fall
    by_v = 1.0 - math.copysign(1.0, v) * z * per_g + abs(v) * z * per_g * slope / (FC + fall)
    by_z = -abs(v) * per_g
    return [[0.0, 1.0, 0.0], [-2.0, -S1 * by_v - S2, -S0 - S1 * by_z], [0.0, by_v, by_z]]


def scipy_run(method, rtol, times):
    """Return a call of one of SciPy's implicit methods."""
    jac = {"jac": jacobian} if method in ("Radau", "BDF") else {}
    atol = rtol * np.array([1.0, VS, FC / S0])
    return lambda: solve_ivp(
        rhs, (0.0, times[-1]), [0.0] * 3, method=method, t_eval=times, rtol=rtol, atol=atol, **jac
    ).y[0]


def entries(quick: bool) -> list[Entry]:
    """Rows of P2."""
    stored = json.loads(
        (Path(__file__).parents[1] / "reference" / "lugre_pull.json").read_text(encoding="utf-8")
    )
    count = 1 if quick else 4
    times = np.array(stored["t"][:count])
    truth = np.array(stored["states"])[:count, 0]
    t_end = times[-1]
    problem = f"P2 LuGre pull, {t_end:g} s (worst position error, m)"

    def error(x):
        return float(np.abs(x - truth).max())

    m = machine()
    rows = []
    for rtol in (1e-6,) if quick else (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
        rows.append(
            Entry(problem, f"stickslip engine {rtol:.0e}", engine(m, t_end, rtol, [0.0] * 3),
                  lambda r: error(_core.run.Samples(r, times).states[0]), ours=True)
        )  # fmt: skip
    rows.append(
        Entry(
            problem,
            "stickslip.simulate 1e-06",
            lambda: ss.simulate(m, t_end, t_eval=times, rtol=1e-6)["block.position"],
            error,
            ours=True,
        )
    )
    for method, rtol in (
        [("LSODA", 1e-6)] if quick else [("LSODA", 1e-6), ("LSODA", 1e-9), ("Radau", 1e-10), ("BDF", 1e-7)]
    ):
        rows.append(Entry(problem, f"SciPy {method} {rtol:.0e}", scipy_run(method, rtol, times), error))
    if has_cvode():
        rows += [
            Entry(
                problem,
                f"CVODE BDF {rtol:.0e}, timed in C++",
                lambda rtol=rtol: timed_without_python(t_end, rtol, 1 if quick else 5, "cvode_pull"),
                lambda r: error(np.array(r["positions"])),
                clock=lambda r: r["seconds"],
            )
            for rtol in ((1e-6,) if quick else (1e-6, 1e-7, 1e-8, 1e-10))
        ]
    return rows
