"""P1: a block on a belt, 1 kg, 2 N/m, 0.2 m/s, static 1 N, kinetic 0.8 N, 200 s; all events known."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
from engine import program as engine_program
from reference.belt import Belt
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip import _core

from .entries import Entry

BELT = Belt()


def machine(speed: float = BELT.belt_velocity) -> ss.Machine:
    """Return the block, its spring and its belt."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    law = ss.Coulomb(static=BELT.static, kinetic=BELT.kinetic)
    m.add_friction("belt", on="block", law=law, surface_velocity=speed)
    return m


def engine(m: ss.Machine, t_end: float, rtol: float, initial: list[float]):
    """Return a call of the compiled engine alone, without samples and events as Python objects."""
    compiled, options = m.compile(), _core.flow.Options(t_end=t_end, rtol=rtol)

    def call():
        return _core.run.simulate(compiled, compiled.initial_state(0.0, np.array(initial)), options)

    return call


def timed_without_python(t_end: float, rtol: float, count: int, name: str = "belt_run", *more: str) -> dict:
    """Return the best time of so many runs in a C++ program, and what the last one found."""
    command = [engine_program(name), str(t_end), str(rtol), str(count), *more]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def stepwise(integrate):
    """Events of the belt from a function (mode, t, y) -> (time of the next event, state there)."""

    def call():
        t, y, mode, times = 0.0, np.array([0.0, BELT.belt_velocity]), "stick", []
        while True:
            hit = integrate(mode, t, y)
            if hit is None:
                return np.array(times)
            t, y = hit
            times.append(t)
            mode = "slip" if mode == "stick" else "stick"
            if mode == "stick":
                y[1] = BELT.belt_velocity

    return call


def _rhs(mode):
    if mode == "stick":
        return lambda t, y: [BELT.belt_velocity, 0.0]
    return lambda t, y: [y[1], -2.0 * y[0] + BELT.kinetic]


def _guard(mode):
    if mode == "stick":
        return lambda t, y: BELT.static - 2.0 * y[0]
    return lambda t, y: BELT.belt_velocity - y[1]


def scipy_run(method: str, rtol: float, t_end: float):
    """Return a call that runs SciPy from event to event."""
    events = {}
    for mode in ("stick", "slip"):
        g = _guard(mode)
        g.terminal, g.direction = True, -1
        events[mode] = g

    def integrate(mode, t, y):
        run = solve_ivp(
            _rhs(mode), (t, t_end), y, method=method, rtol=rtol, atol=rtol * 1e-2, events=events[mode]
        )
        return (run.t[-1], run.y[:, -1].copy()) if run.status == 1 else None

    return stepwise(integrate)


def has_cvode() -> bool:
    """True if scikit-sundae has installed the SUNDIALS libraries."""
    found = Path(sysconfig.get_path("purelib"), "scikit_sundae.libs").is_dir()
    if not found:
        print("the libraries of SUNDIALS are not installed: their rows are left out")
    return found


def has_odeint() -> bool:
    """True if the headers of Boost are installed beside this Python, as by the extra `bench`."""
    found = Path(sysconfig.get_path("purelib"), "cmeel.prefix/include/boost/numeric/odeint.hpp").exists()
    if not found:
        print("Boost is not installed: its row is left out")
    return found


def entries(quick: bool) -> list[Entry]:
    """Rows of P1."""
    t_end = 20.0 if quick else 200.0
    truth = np.array([t for t, _ in BELT.events(t_end)])
    problem = f"P1 belt, {t_end:g} s, {len(truth)} events (worst event error, s)"

    def error(times):
        if len(times) != len(truth):
            return f"{len(times)} events"
        return float(np.abs(times - truth).max())

    m = machine()
    start = [0.0, BELT.belt_velocity]
    rows = [
        Entry(
            problem,
            "stickslip engine",
            engine(m, t_end, 1e-8, start),
            lambda r: error(r.events[0]["time"]),
            ours=True,
        ),
        Entry(
            problem,
            "stickslip engine, timed in C++",
            lambda: timed_without_python(t_end, 1e-8, 1 if quick else 20),
            lambda r: error(np.array(r["events"])),
            ours=True,
            clock=lambda r: r["seconds"],
        ),
        Entry(
            problem,
            "stickslip.simulate",
            lambda: ss.simulate(m, t_end, initial={"block.velocity": BELT.belt_velocity}),
            lambda r: error(np.array([e.time for e in r.events])),
            ours=True,
        ),
        Entry(
            problem,
            "stickslip.simulate, events read",
            lambda: [
                e.time for e in ss.simulate(m, t_end, initial={"block.velocity": BELT.belt_velocity}).events
            ],
            lambda r: error(np.array(r)),
            ours=True,
        ),
        Entry(problem, "SciPy RK45 1e-9", scipy_run("RK45", 1e-9, t_end), error),
        Entry(problem, "SciPy DOP853 1e-9", scipy_run("DOP853", 1e-9, t_end), error),
    ]
    count = 1 if quick else 20

    def peer(solver: str, rtol: float, *program: str) -> Entry:
        return Entry(
            problem,
            f"{solver} {rtol:.0e}, timed in C++",
            lambda: timed_without_python(t_end, rtol, count, *program),
            lambda r: error(np.array(r["events"])),
            clock=lambda r: r["seconds"],
        )

    if has_cvode():
        rows += [peer("CVODE Adams", rtol, "cvode_belt") for rtol in (1e-8, 1e-12)]
        rows.append(peer("CVODE BDF", 1e-12, "cvode_belt", "bdf"))
    if has_odeint():
        rows += [peer("Boost.odeint dopri5", rtol, "odeint_belt") for rtol in (1e-8, 1e-12)]
    if not quick:
        rows.append(Entry(problem, "SciPy RK45 1e-12", scipy_run("RK45", 1e-12, t_end), error))
        rows.append(Entry(problem, "SciPy DOP853 1e-12", scipy_run("DOP853", 1e-12, t_end), error))
        rows.append(Entry(problem, "SciPy LSODA 1e-12", scipy_run("LSODA", 1e-12, t_end), error))
    return rows
