"""R: one fixed step of the two-mass drive of Table 1 c under a P-PI cascade; time per step, error against an
exact run, and on Linux the instructions of the dearest over those of the cheapest of 10^6 steps (of up to
200 steps with each number of transitions, counted one by one)."""

from __future__ import annotations

import json
import subprocess

import numpy as np
from engine import program

import stickslip as ss

from .entries import Entry

STEP = 1e-3


def drive(kind: str) -> ss.machines.TwoMassDrive:
    """Return the same drives as the program."""
    law: ss.Law = ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3)
    if kind == "automaton":
        law = ss.StickSlip(law, memory=0.01, dwell=1.0, presliding=ss.Presliding(5e-6, 1.0))
    return ss.machines.two_mass_drive(
        motor_mass=1000.0, load_mass=1000.0, stiffness=5e6, damping=1341.64, load_friction=law,
        normal_load=9810.0, control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3,
                                               period=STEP if kind == "sampled" else None,
                                               limits=60.0 if kind == "limited" else None),
        reference=ss.Sine(amplitude=50e-6, frequency=0.5))  # fmt: skip


def instructions(kind: str, quick: bool) -> str:
    """Return the ratio as a text, or nothing where it cannot be counted."""
    what = [
        program("real_time_steps"),
        kind,
        "1000" if quick else "1000000",
        "count",
        "2" if quick else "200",
    ]
    done = subprocess.run(what, capture_output=True, text=True)
    if done.returncode != 0 or not done.stdout:
        return ""
    seen = json.loads(done.stdout)
    return f", instructions {seen['least']} to {seen['most']}: {seen['ratio']:.2f}"


def worst_step(kind: str, quick: bool) -> str:
    """Return the longest of all steps as a text."""
    what = [program("real_time_steps"), kind, "1000" if quick else "20000", "worst"]
    seen = json.loads(subprocess.run(what, capture_output=True, text=True, check=True).stdout)
    return f", worst step {seen['worst_ns'] / 1e3:.1f} µs, median {seen['median_ns'] / 1e3:.2f} µs"


def wedge_entries(quick: bool) -> list[Entry]:
    """Rows of a gear that chatters on a rigid contact."""
    gear = ss.machines.wedge_gear(
        upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12), friction=np.tan(np.deg2rad(14)), load=100.0,
        stiffness=4000.0, pull_velocity=0.01)  # fmt: skip
    t = STEP * np.arange(1, 1001)
    exact = ss.simulate(gear, 1.001, t_eval=t, rtol=1e-11)["lower.position"]
    path = ss.RealTime(gear, step=STEP, outputs=["lower.position"]).run(1000)[:, 0]
    text = f"{np.abs(path - exact).max():.0e} m" + worst_step("wedge", quick)
    engine, steps = ss.RealTime(gear, step=STEP)._engine, 1000 if quick else 100_000
    problem = f"R one step of {STEP * 1e3:g} ms of a chattering wedge gear (error over 1 s)"
    return [
        Entry(
            problem, "stickslip.RealTime, wedge", lambda: engine.go(steps), lambda _: text, steps, ours=True
        )
    ]


def entries(quick: bool) -> list[Entry]:
    """Rows of R."""
    rows = []
    steps = 1000 if quick else 100_000
    for kind in ("stribeck", "automaton", "sampled", "limited"):
        machine = drive(kind)
        engine = ss.RealTime(machine, step=STEP)._engine
        t = STEP * np.arange(1, 1001)
        exact = ss.simulate(machine, 1.001, t_eval=t, rtol=1e-11)["load.position"]
        path = ss.RealTime(machine, step=STEP, outputs=["load.position"]).run(1000)[:, 0]
        error = np.abs(path - exact).max()
        text = f"{error:.0e} m" + instructions(kind, quick)
        from_python = ss.RealTime(machine, step=STEP)
        problem = f"R one step of {STEP * 1e3:g} ms of a two-mass drive, {kind} (error over 1 s)"
        rows.append(
            Entry(
                problem,
                f"stickslip.RealTime.step() from Python, {kind}",
                lambda rt=from_python: [rt.step() for _ in range(1000)],
                lambda _, text=text: text,
                1000,
                ours=True,
            )
        )
        rows.append(
            Entry(
                problem,
                f"stickslip.RealTime, {kind}",
                lambda engine=engine: engine.go(steps),
                lambda _, text=text: text,
                steps,
                ours=True,
            )
        )
    return rows + wedge_entries(quick)
