"""With twice the friction, or bristles twice as stiff, as its formulas assume every figure says that it is off."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import stickslip as ss
import stickslip_figures
from stickslip.machines import WedgeGear, WormGear
from stickslip.machines._flank import scaled
from stickslip_figures import bristle_motion, hunting, servo_stribeck

DOUBLED = ("static", "kinetic", "stiffness")
LAWS = ("Coulomb", "Stribeck", "LuGre", "Dahl", "Tanh", "TwoStateBristle", "Curve")

# Geometry, algebra and loops without friction: what they are tried with is in test_sketches_and_laws.
NO_FRICTION = {
    *(
        "chatter_2_3",
        "chatter_3_1",
        "chatter_3_2",
        "chatter_4_1",
        "chatter_5_1",
        "chatter_6_1",
        "chatter_7_2",
    ),
    *("chatter_a_1", "chatter_b_1", "bristle2_9"),
}


def doubled(law: Any) -> Any:
    """Make a law of twice the levels and the stiffness asked for."""

    def make(**given: Any) -> Any:
        return law(**{name: 2.0 * v if name in DOUBLED else v for name, v in given.items()})

    return make


def doubled_contact(solver: Any) -> Any:
    """Call a solver of contacts with twice the friction."""

    def call(*arguments: Any, friction: Any = 0.0, **options: Any) -> Any:
        return solver(*arguments, friction=2.0 * np.asarray(friction), **options)

    return call


def rougher(function: Any) -> Any:
    """Call a function with the gear it is given at twice its friction."""

    def call(machine: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(machine, (WedgeGear, WormGear)):
            static, mu = machine.static_friction, machine.friction
            machine = dataclasses.replace(
                machine,
                friction=scaled(mu, 2.0) if isinstance(mu, ss.Law) else 2.0 * mu,
                static_friction=None if static is None else 2.0 * static,
            )
        return function(machine, *arguments, **options)

    return call


@pytest.fixture
def twice_the_friction(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in LAWS:
        monkeypatch.setattr(ss, name, doubled(getattr(ss, name)))
    monkeypatch.setattr(servo_stribeck, "Stribeck", ss.Stribeck)
    monkeypatch.setattr(ss, "simulate", rougher(ss.simulate))
    for gear, name in itertools.product((WedgeGear, WormGear), ("sliding", "contact_data")):
        monkeypatch.setattr(gear, name, rougher(getattr(gear, name)))
    for name in ("Contacts", "impact"):
        monkeypatch.setattr(ss.contact, name, doubled_contact(getattr(ss.contact, name)))
    for name in ("state_map", "impact_map"):
        monkeypatch.setattr(ss.analysis, name, rougher(getattr(ss.analysis, name)))
    bristle_motion.pulled.cache_clear()
    hunting.servo.cache_clear()
    yield
    bristle_motion.pulled.cache_clear()
    hunting.servo.cache_clear()


@pytest.mark.parametrize("name", [name for name in stickslip_figures.names() if name not in NO_FRICTION])
def test_doubled_friction_is_detected(name: str, twice_the_friction: None) -> None:
    try:
        checks = stickslip_figures.get(name).compute().checks
    except (AssertionError, LookupError, StopIteration, ValueError, RuntimeWarning):
        return  # an event or a mode that it looks for does not come
    assert [check.quantity for check in checks if check.failed]
