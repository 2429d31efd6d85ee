"""Saved expressions: read back as they were, refused where they are damaged, and never read outside of their slots."""

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stickslip as ss

X, Y = ss.Expr("x"), ss.Expr("y")
FORMULA = ss.where(X * Y > 1.0, ss.sin(X) ** 3, ss.atan2(X, Y + 2.5)) + abs(Y) ** 1.5


def state() -> dict[str, Any]:
    return FORMULA.__getstate__()


def restored(saved: dict[str, Any]) -> ss.Expr:
    out = ss.Expr("x")
    out.__setstate__(saved)
    return out


def test_state_is_plain_and_complete() -> None:
    saved = json.loads(json.dumps(state()))
    assert restored(saved) == FORMULA
    assert set(saved) == {"format", "inputs", "parameters", "constants", "code", "conditions", "outputs"}
    assert saved["code"][0] == {"operation": "multiply", "a": 0, "b": 1, "c": 0}


def test_copies_are_equal() -> None:
    assert copy.copy(FORMULA) == FORMULA == copy.deepcopy(FORMULA) == pickle.loads(pickle.dumps(FORMULA))
    together = pickle.loads(pickle.dumps({"a": FORMULA, "b": np.array([FORMULA, X])}))
    assert together["a"] == together["b"][0] and together["b"][1] == X


DAMAGE = {
    "another format": (lambda s: s.update(format=99), "another version"),
    "no format": (lambda s: s.pop("format"), "another version"),
    "unknown operation": (lambda s: s["code"][0].update(operation="sum"), "operation = 'sum' is not allowed"),
    "unknown field": (lambda s: s.update(more=1), "fields that are unknown"),
    "slot beyond": (lambda s: s["code"][0].update(a=1000), "reads slot 1000"),
    "slot before": (lambda s: s["code"][-1].update(b=-1), "reads slot -1"),
    "slot that is not used": (lambda s: s["code"][2].update(b=24), "reads slot 24"),
    "huge slot": (lambda s: s["code"][0].update(a=2**40), "damaged|cast"),
    "no number": (lambda s: s["constants"].__setitem__(0, "x"), "is not a number"),
    "not finite": (lambda s: s["constants"].__setitem__(0, "inf"), "inf is not allowed"),
    "two outputs": (lambda s: s["outputs"].append(0), "one output"),
    "no output": (lambda s: s["outputs"].clear(), "one output"),
    "same names": (lambda s: s.update(inputs=["x", "x"]), "occurs twice"),
    "no name": (lambda s: s.update(inputs=["x", ""]), "has no name"),
    "condition": (lambda s: s["conditions"].clear(), "condition that does not exist"),
    "code": (lambda s: s.update(code=3), "damaged"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named(name: str) -> None:
    damage, message = DAMAGE[name]
    saved = copy.deepcopy(state())
    damage(saved)
    with pytest.raises(ValueError, match=message):
        restored(saved)


VALUES = st.one_of(
    st.integers(-3, 40), st.floats(), st.text(max_size=3), st.none(), st.lists(st.integers(), max_size=2)
)
OPERATIONS = st.sampled_from(
    ["add", "power", "select_above", "integer_power", "divide", "hypot", "sin", "negate"]
)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_random_damage_is_an_error_or_another_formula(data) -> None:
    saved = copy.deepcopy(state())
    for _ in range(data.draw(st.integers(1, 4))):
        part = data.draw(st.sampled_from(["inputs", "constants", "code", "conditions", "outputs"]))
        index = data.draw(st.integers(0, len(saved[part]) - 1)) if saved[part] else None
        if index is None:
            saved[part].append(data.draw(VALUES))
        elif part == "code" and isinstance(saved[part][index], dict):
            key = data.draw(st.sampled_from(["operation", "a", "b", "c"]))
            saved[part][index][key] = data.draw(OPERATIONS if key == "operation" else VALUES)
        else:
            saved[part][index] = data.draw(VALUES)
    try:
        other = restored(saved)
    except ValueError:
        return
    at = dict.fromkeys(other.inputs, np.array([-1.3, 0.0, 2.0]))
    other(at)
    other.gradient()
    other.undefined(at)
    assert restored(other.__getstate__()) == other
