"""The defaults that signatures show are those of the engine."""

import inspect

import pytest

import stickslip as ss
from stickslip import _core

NAMES = ["rtol", "max_step", "theta", "rebound_threshold", "max_events", "max_time"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("function", [ss.simulate, ss.ensemble], ids=["simulate", "ensemble"])
def test_numbers(function, name):
    shown = inspect.signature(function).parameters.get(name)
    if shown is not None:
        assert shown.default == getattr(_core.flow.Options(), name)
    else:
        assert function is ss.ensemble and name in ("theta", "rebound_threshold")


def test_names():
    shown = inspect.signature(ss.simulate).parameters
    engine = _core.flow.Options()
    assert _core.flow.Method.__members__[shown["method"].default] == engine.method
    assert _core.flow.Keep.__members__[shown["keep"].default] == engine.keep
