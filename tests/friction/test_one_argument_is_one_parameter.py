"""Numbers that a law was not given follow those that it was given, in sweeps, derivatives, copies and files.

A body of 1 kg that starts with v0 against Coulomb friction F stops after v0²/2F; so does any law of one level that has no
other part in sliding, up to the travel of its bristles.
"""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stickslip as ss
from stickslip.laws import stick_slip
from stickslip.machine import _described

V0, F = 2.0, 1.25
START = {"body.velocity": V0}


def body(law: Any) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["body"])
    m.add_friction("guide", on="body", law=law)
    return m


def law_of(machine: Any) -> Any:
    (element,) = (e for e in machine._description.elements if e.get("name") == "guide")
    return _described.law_of(element["law"], element["automaton"])


def stops(machine: ss.Machine, parameters: dict[str, Any], design: str = "grid") -> ss.EnsembleResult:
    return ss.ensemble(
        machine, parameters, 20.0, measure=["body.position.final"], design=design, initial=START, workers=1
    )


ONE_LEVEL = {
    "positional": ss.Coulomb(0.8),
    "static": ss.Coulomb(static=0.8),
    "kinetic": ss.Coulomb(kinetic=0.8),
    "a number": 0.8,
    "Stribeck": ss.Stribeck(kinetic=0.8),
    "StickSlip": ss.StickSlip(ss.Coulomb(0.8), memory=0.1),
}


@pytest.mark.parametrize("law", ONE_LEVEL.values(), ids=ONE_LEVEL)
@pytest.mark.parametrize("name", ["static", "kinetic"])
def test_one_level_moves_under_either_name(law: Any, name: str) -> None:
    levels = np.array([0.5, 0.8, 2.0])
    out = stops(body(law), {f"guide.law.{name}": levels})
    assert out.success.all(), out.messages
    np.testing.assert_allclose(out["body.position.final"], V0**2 / (2.0 * levels), rtol=1e-12)


def test_one_level_of_a_contact_moves_under_either_name() -> None:
    for name in ("static", "kinetic"):
        m = ss.Machine(mass=[1.0, 1.0], names=["body", "up"], force={"up": -10.0})
        m.add_contact("floor", normal={"up": 1.0}, tangent={"body": 1.0}, friction=0.08)
        out = stops(m, {f"floor.friction.{name}": [0.05, 0.2]})
        np.testing.assert_allclose(out["body.position.final"], [V0**2 / 1.0, V0**2 / 4.0], rtol=1e-12)


def test_one_level_of_a_term_of_a_sum_moves_alone() -> None:
    out = stops(body(ss.Coulomb(0.3) + ss.Coulomb(0.5)), {"guide.law.1.kinetic": [0.2, 0.7]})
    np.testing.assert_allclose(out["body.position.final"], V0**2 / (2.0 * np.array([0.5, 1.0])), rtol=1e-12)


def test_two_levels_that_were_given_are_two_parameters_even_if_equal() -> None:
    out = stops(body(ss.Coulomb(0.8, 0.8)), {"guide.law.kinetic": [0.5, 0.9]})
    assert list(out.status) == ["finished", "failed"] and "static" in str(out.messages[1])
    assert law_of(out.rerun(0).machine) == ss.Coulomb(0.8, 0.5)


def test_both_names_at_once_are_two_parameters() -> None:
    both = {"guide.law.static": [1.0, 2.0], "guide.law.kinetic": [0.5, 2.0]}
    out = stops(body(ss.Coulomb(0.8)), both, "zip")
    np.testing.assert_allclose(out["body.position.final"], V0**2 / (2.0 * np.array([0.5, 2.0])), rtol=1e-12)
    assert law_of(out.rerun(0).machine) == ss.Coulomb(1.0, 0.5)
    # which they remain, equal or not
    again = stops(out.rerun(1).machine, {"guide.law.static": [3.0]})
    np.testing.assert_allclose(again["body.position.final"], V0**2 / 4.0, rtol=1e-12)


@pytest.mark.parametrize("name", ["static", "kinetic"])
def test_derivative_by_one_level_matches_closed_form(name: str) -> None:
    """d(v0²/2F)/dF = −v0²/2F²."""
    run = ss.simulate(body(ss.Coulomb(0.8)), 5.0, initial=START, sensitivities=[f"guide.law.{name}"])
    found = run.sensitivity["body.position", f"guide.law.{name}"][-1]
    assert found == pytest.approx(-(V0**2) / (2.0 * 0.8**2), rel=1e-12)


def test_derivatives_by_both_names_differ() -> None:
    """Of sliding, all is due to the kinetic level; along both at once it is their sum."""
    names = ["guide.law.static", "guide.law.kinetic"]
    run = ss.simulate(body(ss.Coulomb(0.8)), 5.0, initial=START, sensitivities=names)
    static, kinetic = (run.sensitivity["body.position", name][-1] for name in names)
    assert static == 0.0
    assert kinetic == pytest.approx(-(V0**2) / (2.0 * 0.8**2), rel=1e-12)


def test_adjoint_by_one_level_matches_closed_form() -> None:
    stop = ss.value_and_grad(
        lambda run: run["body.position"][-1], body(ss.Coulomb(0.8)), ["guide.law.kinetic"], t_end=5.0, mode="reverse",
        initial=START,
    )  # fmt: skip
    value, slope = stop([F])
    assert value == pytest.approx(V0**2 / (2.0 * F), rel=1e-12)
    assert slope == pytest.approx([-(V0**2) / (2.0 * F**2)], rel=1e-10)


DERIVED = {
    "elastic_limit": (ss.ElastoPlastic(stiffness=1e4, kinetic=1.0), 0.7 * 2.0 / 1e4, 0.7 * 1.0 / 2e4),
    "alpha": (
        ss.TwoStateBristle(stiffness=1e4, static=3.0, kinetic=1.0, stribeck_velocity=0.1),
        1e4 * (3.0 - 2.0),
        2e4 * (3.0 - 1.0),
    ),
}


@pytest.mark.parametrize("name", DERIVED)
def test_computed_defaults_follow_their_parameters(name: str) -> None:
    law, with_kinetic, with_stiffness = DERIVED[name]
    for varied, value, expected in (("kinetic", 2.0, with_kinetic), ("stiffness", 2e4, with_stiffness)):
        out = ss.ensemble(body(law), {f"guide.law.{varied}": [value]}, 0.01, workers=1)
        found: Any = law_of(out.rerun(0).machine)
        assert getattr(found, name) == pytest.approx(expected, rel=1e-15)
        assert f"{name}=" not in repr(found)  # it goes on to follow
    own = ss.ensemble(body(law), {"guide.law.kinetic": [2.0], f"guide.law.{name}": [1e-5]}, 0.01, workers=1)
    one: Any = law_of(own.rerun((0, 0)).machine)
    assert getattr(one, name) == 1e-5 and f"{name}=1e-05" in repr(one)


@pytest.mark.parametrize("law", [*ONE_LEVEL.values(), *(law for law, *_ in DERIVED.values())])
def test_copies_and_files_keep_given_arguments(law: Any, tmp_path: Path) -> None:
    m = body(law)
    given = law_of(m)
    names = {**vars(ss), **vars(stick_slip)}
    ss.simulate(m, 0.01).save(tmp_path / "run")
    loaded = ss.load(tmp_path / "run")
    assert isinstance(loaded, ss.Trajectory)
    again = [
        body(eval(repr(given), names)),
        body(pickle.loads(pickle.dumps(given))),
        body(copy.deepcopy(given)),
        pickle.loads(pickle.dumps(m)),
        ss.Machine.from_dict(m.to_dict()),
        loaded.machine,
    ]
    for other in again:
        assert other == m and repr(law_of(other)) == repr(given)


def test_repr_shows_the_arguments() -> None:
    assert repr(ss.Coulomb(0.8)) == "Coulomb(static=0.8)"
    assert repr(ss.Coulomb(0.8, 0.8)) == "Coulomb(static=0.8, kinetic=0.8)"
    assert ss.Coulomb(0.8).kinetic == 0.8 and ss.Coulomb(kinetic=0.8).static == 0.8
    assert body(ss.Coulomb(0.8)) != body(ss.Coulomb(0.8, 0.8))
