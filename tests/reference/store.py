"""Reads and writes the stored results; `python -m reference.store` (in tests/) makes them all again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def load(name: str) -> dict[str, Any]:
    """Content of <name>.json: "about", "error" (bound from comparing solvers), and the data."""
    with open(HERE / f"{name}.json", encoding="utf-8") as file:
        return dict(json.load(file))


def save(name: str, data: dict[str, Any]) -> None:
    with open(HERE / f"{name}.json", "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1, default=float)
        file.write("\n")


def lugre_pull() -> dict[str, Any]:
    from . import lugre

    times = [10.0, 20.0, 30.0, 40.0]
    states, reversals = lugre.pull(times)
    return {
        "about": "LuGre block pulled by a spring (lugre.pull): states (x, v, z) at t, reversals of v",
        "error": "collocation and DOP853 agree to 1e-13 in x, SUNDIALS BDF (rtol 1e-12) to 5e-10",
        "t": times,
        "states": states.tolist(),
        "reversals": reversals,
    }


def lugre_hunting() -> dict[str, Any]:
    from . import lugre

    times = [10.0 * k for k in range(1, 11)]
    states, reversals = lugre.hunting(times)
    return {
        "about": "LuGre block under PID (lugre.hunting): states (x, v, z, I) at t, reversals of v",
        "error": "collocation and DOP853 agree to 1e-13 in x, SUNDIALS BDF (rtol 1e-12) to 1e-10",
        "t": times,
        "states": states.tolist(),
        "reversals": reversals,
    }


def automaton() -> dict[str, Any]:
    from . import rigid_limit as module

    pull, at_40 = module.pull(40.0)
    times = [10.0 * k for k in range(1, 11)]
    hunting, states = module.hunting(times)
    return {
        "about": "rigid limits, Stribeck curve (rigid_limit.pull, rigid_limit.hunting): (time, new mode)",
        "error": "events: collocation and DOP853 agree to 1e-12, SUNDIALS Adams to 2e-11",
        "pull_events": pull,
        "pull_state_at_40": at_40.tolist(),
        "hunting_events": hunting,
        "hunting_t": times,
        "hunting_states": states.tolist(),
    }


def load_friction() -> dict[str, Any]:
    from . import load_friction as module

    out: dict[str, Any] = {
        "about": "load_friction.run: (time, new mode), place of each, (x, v) at 14 s",
        "error": "events: collocation and DOP853 agree to 2e-12, SUNDIALS Adams to 2e-11",
    }
    for peak in (0.05, 0.1, 0.2):
        events, places, state = module.run(peak)
        out[f"peak_{peak}"] = {"events": events, "places": places, "state": state.tolist()}
    return out


def memory() -> dict[str, Any]:
    from . import memory as module

    out: dict[str, Any] = {
        "about": "figures 4.2 - 4.5 (memory.run), 20 s: (time, new mode), forces, (x, v, f, s)",
        "error": "events: collocation and DOP853 agree to 5e-12, SUNDIALS Adams to 5e-11",
    }
    for name, parameters in module.RUNS.items():
        run = module.run(parameters, 20.0)
        out[name] = {
            "events": run.events,
            "entry_forces": run.entry_forces,
            "break_away_forces": run.break_away_forces,
            "state": run.state.tolist(),
        }
    return out


def two_mass() -> dict[str, Any]:
    from . import two_mass as module

    out: dict[str, Any] = {
        "about": "two-mass drive, Table 1 (two_mass.run), 3 s: events, worst |xref - xL| over all and over "
        "t >= 1 s, its greatest local maximum there, fraction stuck, (vM, vL, xM, xL, I) at 0.5, 1, ... 3 s",
        "error": "events: collocation and DOP853 agree to 1e-13 s, SUNDIALS Adams to 3e-12; worst 1e-16 m",
    }
    for case in module.CASES:
        run = module.run(case)
        out[case] = {
            "events": run.events,
            "worst": run.worst,
            "worst_late": run.worst_late,
            "peak_late": run.peak_late,
            "stuck": run.stuck,
            "samples": run.samples.tolist(),
        }
    return out


def wedge() -> dict[str, Any]:
    from . import wedge as module

    period = module.chatter_period()
    _, states, hits = module.run(module.SET_2, float("inf"), 0.3, 20)
    heavy, _, _ = module.run(module.SET_2_HEAVY, 3.0)
    one, _, _ = module.run(module.SET_1, 3.0)
    one_static, _, _ = module.run(module.SET_1_STATIC, 10.0)
    return {
        "about": "wedge gear (wedge.run): set 2 with eps = 0 (first separation, first meeting, period) and "
        "eps = 0.3 (rows t, y, x, vy, vx; impulses LNC, LTC, LNE, LTE); "
        "set 2 with m2 = 20; set 1; set 1 with static friction angle 15 degrees",
        "error": "closed forms; times 2e-15 (also against 40 digits), impacts against DOP853 1e-13",
        "chatter": period,
        "restitution_0.3": {
            "impacts": [[s.t, s.y, s.x, s.vy, s.vx] for s in states[1:]],
            "modes": [h.modes for h in hits],
            "impulses": [[*h.compression, *h.expansion] for h in hits],
        },
        "m2_20": heavy,
        "set_1": one,
        "set_1_static": one_static,
    }


STORED: dict[str, Callable[[], dict[str, Any]]] = {
    "lugre_pull": lugre_pull,
    "lugre_hunting": lugre_hunting,
    "automaton": automaton,
    "load_friction": load_friction,
    "memory": memory,
    "two_mass": two_mass,
    "wedge": wedge,
}

if __name__ == "__main__":
    for stored, make in STORED.items():
        save(stored, make())
