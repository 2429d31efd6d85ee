"""No class and no function of the engine's core grows beyond what one page shows."""

from __future__ import annotations

from pathlib import Path

import cpp_classes
import pytest

pytestmark = pytest.mark.house

SOURCES = Path(__file__).parents[2] / "src"
ROOMS = ("transition", "dynamics", "flow", "run", "realtime", "contact", "timestepping", "sensitivity")
MOST_FIELDS, MOST_FUNCTIONS, MOST_LINES, MOST_COMPLEXITY = 20, 25, 80, 20

# Larger ones with the sizes that they have, which may only shrink. By class: fields and functions.
CLASSES = {
    # what is stored of a regime, a state, an instant and an event: records without a behaviour of their own
    "Regime": (25, 0),
    "State": (22, 0),
    "Scratch": (23, 4),
    "Jump": (30, 5),
    "Event": (22, 0),
}
# By function: complexity.
FUNCTIONS = {
    # one case after the other, of kinds of guards, labels, causes or damage
    "cause_of": 22,
    "check": 32,
    "sampled_variable": 27,
    "contact::validate": 23,
    "contact::label": 27,
    "contact::label_source_form": 28,
    "State::operator ==": 22,
    # fast paths of the commonest machines
    "contact::choose_single": 24,
    "contact::present_goes_on": 23,
    "QuickTransition::apply": 22,
    "Field::slopes": 24,
}


def test_classes_have_at_most_20_fields_and_25_functions() -> None:
    found = {}
    for path in sorted(p for room in ROOMS for p in (SOURCES / room).glob("*.[ch]pp")):
        for name, fields, functions in cpp_classes.sizes(path.read_text()):
            if fields > MOST_FIELDS or functions > MOST_FUNCTIONS:
                found[name] = (fields, functions)
    assert found == CLASSES


def test_functions_have_at_most_80_lines_and_a_complexity_of_20() -> None:
    import lizard

    found = {}
    for path in sorted(p for room in ROOMS for p in (SOURCES / room).glob("*.[ch]pp")):
        for one in lizard.analyze_file(str(path)).function_list:
            if one.length > MOST_LINES or one.cyclomatic_complexity > MOST_COMPLEXITY:
                found[one.name.removeprefix("stickslip::")] = one.cyclomatic_complexity
    assert found == FUNCTIONS
