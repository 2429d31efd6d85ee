"""The defaults that signatures show are those of the engine."""

import inspect

import pytest

import stickslip as ss
from stickslip import _core

NAMES = ["rtol", "max_step", "theta", "rebound_threshold", "max_events", "max_time"]


@pytest.mark.parametrize("name", NAMES)
def test_default_numbers_equal_those_of_the_engine(name):
    shown = inspect.signature(ss.simulate).parameters[name]
    assert shown.default == getattr(_core.flow.Options(), name)


def test_default_names_equal_those_of_the_engine():
    shown = inspect.signature(ss.simulate).parameters
    engine = _core.flow.Options()
    assert _core.flow.Method.__members__[shown["method"].default] == engine.method
    assert _core.flow.Keep.__members__[shown["keep"].default] == engine.keep
