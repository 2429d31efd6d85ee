"""A check has a verdict, a source of its expected number, and a tolerance that can be missed."""

import math
from collections.abc import Iterator

import pytest

import stickslip_figures as figures
from stickslip_figures import Check, Input, Origin

NAMES = figures.names()
CLOSED, PRINTED, CLAIMED, PACKAGE = Origin.CLOSED_FORM, Origin.PRINTED, Origin.CLAIMED, Origin.PACKAGE
SOURCES = (PRINTED, CLAIMED)

# Deviations that have a cause (a slow ramp, samples beside the top): the tolerance is this often what was reached.
SLACK = 30.0
# Deviations of the last digits change with the machine; below this share of the number they are roundings.
ROUNDING = 5e-9


@pytest.fixture(scope="module")
def found() -> dict[str, figures.FigureData]:
    """Data of all figures, computed once."""
    return {name: figures.get(name).compute() for name in NAMES}


def checks(found: dict[str, figures.FigureData]) -> Iterator[tuple[str, Check]]:
    for name, data in found.items():
        yield from ((f"{name}: {check.quantity}", check) for check in data.checks)


def test_printed_numbers_are_met_to_half_a_unit_of_the_last_digit(
    found: dict[str, figures.FigureData],
) -> None:
    for name, check in checks(found):
        if check.origin is PRINTED and check.relation == "=" and check.tolerance and check.expected:
            # 0.873 ± 0.0005: the number is a whole multiple of a power of ten that is twice the tolerance.
            digit = 2.0 * check.tolerance
            assert math.log10(digit) == pytest.approx(round(math.log10(digit)), abs=1e-9), name
            assert check.expected / digit == pytest.approx(round(check.expected / digit), abs=1e-6), name


def test_wrong_sign_and_factor_of_two_are_detected(found: dict[str, figures.FigureData]) -> None:
    for name, check in checks(found):
        if check.relation == "=" and check.expected and check.within:
            assert check.tolerance < 0.05 * abs(check.expected) or check.origin in SOURCES, name
            for wrong in (-1.0, 0.5, 2.0):
                assert abs(wrong * check.computed - check.expected) > check.tolerance, name


def test_tolerances_state_what_was_reached(found: dict[str, figures.FigureData]) -> None:
    for name, check in checks(found):
        if check.relation == "=" and check.within and check.origin not in SOURCES:
            least = ROUNDING * abs(check.expected) if check.expected else 1e-11
            assert check.tolerance <= max(SLACK * abs(check.deviation), least), name


def test_only_what_is_printed_may_differ(found: dict[str, figures.FigureData]) -> None:
    for name, check in checks(found):
        assert check.within or check.origin in SOURCES, name
        assert check.reason == "" or not check.within, f"{name} has a reason but agrees"


def test_every_figure_is_checked_from_outside(found: dict[str, figures.FigureData]) -> None:
    for name, data in found.items():
        assert any(check.origin is not PACKAGE for check in data.checks), name


def test_inputs_are_named(found: dict[str, figures.FigureData]) -> None:
    for name, data in found.items():
        assert data.inputs, f"{name} says nothing of what was put in"
        printed = [one.name for one in data.inputs if one.kind == "printed"]
        assert len(set(printed)) == len(printed), name
    fitted = {one.name: one.source for data in found.values() for one in data.inputs if one.kind == "fitted"}
    assert set(fitted) == {"ρ", "α_n", "k_φ", "d_φ", "ε", "k_N", "d_N"}


def test_claims_in_words_give_no_number(found: dict[str, figures.FigureData]) -> None:
    """A sign, a count or a bound; a number that a source prints is a printed one."""
    for name, check in checks(found):
        if check.origin is CLAIMED and check.relation == "=":
            assert (
                float(check.expected).is_integer() or "text: once the spring pulls with Fs" in check.source
            ), name


def test_verdicts_follow_tolerance_and_claim() -> None:
    def check(computed: float, expected: float, tolerance: float = 0.1, reason: str = "") -> Check:
        return Check("x", "m", computed, expected, tolerance, CLOSED, "s", reason)

    assert check(1.0, 1.05).verdict == "agrees"
    assert check(1.0, 2.0).verdict == "FAILS"
    assert check(1.0, 2.0, reason="a known defect").verdict == "differs"
    assert check(float("nan"), 2.0).verdict == "FAILS"


@pytest.mark.parametrize(("relation", "verdicts"), [(">", ("agrees", "FAILS")), ("<", ("FAILS", "agrees"))])
def test_bounds_are_strict(relation: str, verdicts: tuple[str, str]) -> None:
    for computed, verdict in zip((1e-9, -1e-9), verdicts, strict=True):
        assert Check("x", "m", computed, 0.0, 0.0, CLAIMED, "s", relation=relation).verdict == verdict  # type: ignore[arg-type]
    for computed in (0.0, float("nan")):
        assert Check("x", "m", computed, 0.0, 0.0, CLAIMED, "s", relation=relation).failed  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tolerance", "relation", "said"),
    [
        (-1.0, "=", "tolerance"),
        (0.1, "<", "tolerance"),
        (float("nan"), "=", "tolerance"),
        (0.0, "≤", "relation"),
    ],
)
def test_meaningless_check_is_refused(tolerance: float, relation: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Check("x", "m", 1.0, 1.0, tolerance, CLOSED, "s", relation=relation)  # type: ignore[arg-type]


def test_fitted_input_names_its_data() -> None:
    with pytest.raises(ValueError, match="fitted to"):
        Input("k", 60.0, "Nm/rad", "fitted")
    with pytest.raises(ValueError, match="kind = 'guessed'"):
        Input("k", 60.0, "Nm/rad", "guessed")  # type: ignore[arg-type]


def test_inputs_not_printed_are_listed_under_the_picture() -> None:
    from stickslip_figures._input import caption
    from stickslip_figures._picture import picture

    figure = figures.get("automaton_4_2")
    data = figure.compute()
    line = caption(tuple(data.inputs))
    assert line.startswith("chosen, not printed: m = 0.1 kg, c = 10 N/m, v_d = 0.0005 m/s, Fs = 0.01 N")
    assert "T_fr" not in line
    drawn = picture(figure, data)
    texts = [text.get_text() for part in drawn.subfigs for text in part.texts]
    assert " ".join(" ".join(texts).split()) == line


def test_caption_lists_fitted_inputs_separately() -> None:
    from stickslip_figures._input import caption

    given = (
        Input("a", 1.0, "m", "printed"),
        Input("b", -2.0, "", "chosen"),
        Input("c", 3.0, "s", "fitted", "d"),
    )
    assert caption(given) == "chosen, not printed: b = −2; fitted: c = 3 s to d"
    assert caption(given[:1]) == ""
