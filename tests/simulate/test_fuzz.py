"""Saved states, runs and machines with random damage: refused or run, never a crash.

Each batch runs in a process of its own, so that a crash shows as the seed at which it happened.
"""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import stickslip as ss

REFUSED = (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError)


def machine() -> ss.Machine:
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
    m.add_friction("f", on="x", law=ss.StickSlip(ss.Coulomb(1.0, 0.8), memory=0.01, dwell=0.1))
    bristle = ss.LuGre(stiffness=1e3, damping=3.0, static=0.3, kinetic=0.2, stribeck_velocity=0.01)
    m.add_friction("g", on="x", law=bristle)
    m.add_friction("h", on="x", law=ss.MaxwellSlip(stiffness=[50.0, 80.0], static=0.2, kinetic=0.2))
    control = ss.PID(3.0, 4.0, 1.0, tf=0.01, limits=2.0, period=0.01, delay=0.005)
    m.add_controller(control, name="c", reference=ss.Sine(1.0, 1.0), measure="x", to="x")
    return m


M = machine()
RUN = ss.simulate(M, 0.5, initial={"y.position": 0.2, "x.velocity": 1.0})
SAVED = {"state": RUN.state.__getstate__(), "run": RUN.__getstate__()["run"], "machine": M.__getstate__()}
SHARE = {"state": 0.08, "run": 0.02, "machine": 0.01}
NUMBERS = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, 1e-300, -5.0, 1e18]
INTEGERS = [-1, 0, 1, 2, 5, 99, 127, -128, 10**6, -(10**6), 2**31 - 1, 2**40, 2**63 - 1, -(2**63)]


def damaged(value: Any, rng: random.Random, share: float) -> Any:
    """The same value with some of its entries changed, dropped or repeated."""
    hit = rng.random() < share
    if isinstance(value, dict):
        return {k: damaged(v, rng, share) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        items = [damaged(item, rng, share) for item in value]
        if hit and items:
            k = rng.randrange(len(items))
            items = [items[:k] + items[k + 1 :], [*items, items[-1]], []][rng.randrange(3)]
        return type(value)(items)
    if isinstance(value, np.ndarray):
        if not (hit or rng.random() < share):
            return value
        if (how := rng.randrange(4)) == 0 and value.size:
            return value[..., :-1]
        if how == 1 and value.ndim:
            return np.concatenate([value, value], axis=-1)
        changed = value.copy()
        if changed.size and changed.dtype.names is None:
            changed.flat[rng.randrange(changed.size)] = rng.choice(
                INTEGERS if changed.dtype.kind == "i" else NUMBERS
            )
        elif changed.size:
            raw = changed.view(np.uint8).reshape(-1)
            raw[rng.randrange(raw.size)] = rng.randrange(256)
        return changed
    if not hit:
        return value
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice(INTEGERS)
    if isinstance(value, float):
        return rng.choice(NUMBERS)
    if isinstance(value, str):
        return rng.choice(["", "x", "zz", "y", "floor", value * 2])
    return rng.choice([None, 1.0, ()])


def use(run: ss.Trajectory) -> None:
    for read in (lambda: run.y, lambda: list(run.events), lambda: str(run.events), lambda: run["f.force"],
                 lambda: run["floor.normal_force"], lambda: run.energy.residual, lambda: run.method):  # fmt: skip
        read()


def load(kind: str, saved: Any) -> None:
    if kind == "run":
        raw = ss._core.run.Trajectory.unpack(M.compile(), saved)
        use(ss.Trajectory(M, raw, np.linspace(raw.t_begin, min(raw.t_end, 10.0), 20)))
        return
    if kind == "state":
        state = type(RUN.state).__new__(type(RUN.state))
        state.__setstate__(saved)
        use(ss.simulate(M, state.t + 0.1, state=state, max_time=1.0, max_events=2000))
        return
    other = object.__new__(ss.Machine)
    other.__setstate__(saved)
    use(ss.simulate(other, 0.2, dt=0.01, max_time=1.0, max_events=2000))


def batch(kind: str, begin: int, end: int) -> None:
    for seed in range(begin, end):
        print(seed, flush=True)
        rng = random.Random(seed)
        try:
            load(kind, damaged(SAVED[kind], rng, SHARE[kind] * (1.0, 0.25)[seed % 2]))
        except REFUSED:
            continue


def survives(kind: str, begin: int, end: int) -> None:
    done = subprocess.run(
        [sys.executable, __file__, kind, str(begin), str(end)],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    last = done.stdout.split()[-1] if done.stdout.split() else "none"
    assert done.returncode == 0, f"{kind} {last}: {done.returncode}\n{done.stderr[-2000:]}"
    assert last == str(end - 1)


def test_a_first_impact_without_an_answer_ends_the_run() -> None:
    # Nothing is known of the elements yet: no earlier instant was decided.
    begin, speed = 6, 3
    saved = list(SAVED["state"])
    saved[begin] = saved[begin].copy()
    saved[begin][speed] = 1e300
    state = type(RUN.state).__new__(type(RUN.state))
    state.__setstate__(tuple(saved))
    run = ss.simulate(M, state.t + 0.1, state=state)
    assert run.status == "failed"
    assert "'y.velocity' has grown to 1e+300" in run.message


@pytest.mark.parametrize(("kind", "count"), [("state", 400), ("run", 400), ("machine", 40)])
def test_random_damage_is_refused_or_harmless(kind: str, count: int) -> None:
    survives(kind, 0, count)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize(("kind", "count"), [("state", 4000), ("run", 4000), ("machine", 2000)])
def test_random_damage_of_1e5_objects_is_refused_or_harmless(kind: str, count: int, block: int) -> None:
    survives(kind, count * block, count * (block + 1))


if __name__ == "__main__":
    batch(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
