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
        "error": "collocation and DOP853 agree to 1e-12 in x, SUNDIALS BDF (rtol 1e-12) to 1e-10",
        "t": times,
        "states": states.tolist(),
        "reversals": reversals,
    }


def automaton() -> dict[str, Any]:
    from . import automaton as module

    pull, at_40 = module.pull(40.0)
    times = [10.0 * k for k in range(1, 11)]
    hunting, states = module.hunting(times)
    return {
        "about": "rigid limits, Stribeck curve (automaton.pull, automaton.hunting): (time, new mode)",
        "error": "events: collocation and DOP853 agree to 1e-12, SUNDIALS Adams to 2e-11",
        "pull_events": pull,
        "pull_state_at_40": at_40.tolist(),
        "hunting_events": hunting,
        "hunting_t": times,
        "hunting_states": states.tolist(),
    }


STORED: dict[str, Callable[[], dict[str, Any]]] = {
    "lugre_pull": lugre_pull,
    "lugre_hunting": lugre_hunting,
    "automaton": automaton,
}

if __name__ == "__main__":
    for stored, make in STORED.items():
        save(stored, make())
