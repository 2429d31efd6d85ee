"""Objects for users live in public modules, under whose names they are printed and pickled."""

import inspect
import pickle
import pickletools
import types
from collections.abc import Iterator
from typing import Any

import pytest

import stickslip as ss


def listed(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """The classes and functions that a public module lists."""
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            yield f"{module.__name__}.{name}", value


PUBLIC = {name: value for module in (ss, ss.laws, ss.signals, ss.machines) for name, value in listed(module)}


def private(module: str) -> bool:
    return any(part.startswith("_") for part in module.split("."))


def test_there_are_names_to_check() -> None:
    assert {"stickslip.LuGre", "stickslip.Machine", "stickslip.machines.WedgeGear"} <= PUBLIC.keys()


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_a_public_home(name: str) -> None:
    value = PUBLIC[name]
    assert value.__module__.split(".")[0] == "stickslip" and not private(value.__module__)
    assert pickle.loads(pickle.dumps(value)) is value


def machine() -> ss.Machine:
    m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(1.0, 0.8), normal_load=1.0, surface_velocity=0.2)
    return m


VALUES = {
    "law": lambda: ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-3),
    "sum of laws": lambda: ss.Coulomb(1.0) + ss.Viscous(0.5),
    "automaton": lambda: ss.StickSlip(ss.Coulomb(1.0, 0.8), memory=ss.Lag(0.01)),
    "signal": lambda: 2.0 * ss.Sine(amplitude=1.0, frequency=1.0) + 1.0,
    "controller": lambda: ss.PI(kp=1.0, tn=0.1),
    "machine": machine,
    "run": lambda: ss.simulate(machine(), t_end=5.0),
    "events": lambda: ss.simulate(machine(), t_end=5.0).events,
}


@pytest.mark.parametrize("name", VALUES)
def test_a_pickle_names_no_private_module(name: str) -> None:
    value = VALUES[name]()
    saved = pickle.dumps(value)
    assert type(pickle.loads(saved)) is type(value)
    texts = {str(argument) for _, argument, _ in pickletools.genops(saved) if isinstance(argument, str)}
    assert not {text for text in texts if text.startswith("stickslip") and private(text)}


def test_top_level_has_at_most_90_names() -> None:
    assert len(dir(ss)) <= 90


def test_names_with_a_home_of_their_own_are_aliases_at_the_top() -> None:
    for home in (ss.math, ss.compensation):
        for name in home.__all__:
            assert getattr(ss, name) is getattr(home, name) and name not in dir(ss)


@pytest.mark.parametrize(
    ("module", "value"),
    [
        ("trajectory", ss.Trajectory),
        ("trajectory", ss.Status),
        ("events", ss.Events),
        ("machine", ss.Machine),
        ("state_space", ss.StateSpace),
        ("stick_slip", ss.StickSlip),
        ("compliance", ss.KelvinVoigt),
        ("control", ss.PI),
        ("filters", ss.Notch),
        ("crossings", ss.Crossing),
        ("parts", ss.parts.Gear),
        ("drive", ss.Drive),
    ],
)
def test_a_pickle_made_before_a_module_moved_is_read(module: str, value: type) -> None:
    assert pickle.loads(f"cstickslip.{module}\n{value.__name__}\n.".encode()) is value
