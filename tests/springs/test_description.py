"""Springs as parts of a description: values, codec, parameters, variables, bad input, refusals."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import stickslip as ss


def _machine(**spring: object) -> ss.Machine:
    m = ss.Machine(mass=[1.0, 2.0], stiffness=[50.0, 0.0], names=["a", "b"], force={"a": ss.Sine(5.0, 0.8)})
    given = {"stiffness": 200.0, "damping": 3.0, "backlash": 0.02} | spring
    m.add_spring("nut", on=("a", "b"), **given)
    m.add_spring("stop", on={"b": -1.0}, stiffness=1e4, damping=10.0, one_sided=True, rest=-0.05)
    m.add_friction("guide", on="b", law=ss.Coulomb(static=0.5, kinetic=0.4))
    return m


def test_springs_are_compared_saved_and_printed() -> None:
    m = _machine()
    assert ss.Machine.from_dict(m.to_dict()) == m
    assert pickle.loads(pickle.dumps(m)) == m
    assert m != _machine(damping=4.0)
    assert "'nut': spring(stiffness=200.0, damping=3.0, backlash=0.02)" in repr(m)
    table = ss.Machine(mass=1.0, names=["q"])
    table.add_spring("t", on="q", table=([0.0, 1.0], [0.0, 2.0]))
    assert ss.Machine.from_dict(table.to_dict()) == table
    assert "table=([0.0, 1.0], [0.0, 2.0])" in repr(table)


def test_saved_runs_and_resume_have_the_same_bits() -> None:
    m = _machine()
    whole = ss.simulate(m, t_end=8.0)
    assert len(whole.events.of("nut")) > 10
    assert len(whole.events.of("stop")) > 2
    assert len(whole.events.of("guide")) > 5
    again = pickle.loads(pickle.dumps(whole))
    assert np.array_equal(again["nut.force"], whole["nut.force"])
    first = ss.simulate(m, t_end=3.3)
    rest = ss.simulate(m, state=pickle.loads(pickle.dumps(first.state)), t_end=8.0)
    assert rest.state == whole.state
    assert np.array_equal(np.concatenate([first.events.time, rest.events.time]), whole.events.time)


def test_the_order_of_adding_does_not_matter() -> None:
    def made(order: list[int]) -> ss.Machine:
        m = ss.Machine(mass=[1.0, 2.0], stiffness=[50.0, 0.0], names=["a", "b"])
        adds = [
            lambda: m.add_force("a", ss.Sine(5.0, 0.8)),
            lambda: m.add_spring("nut", on=("a", "b"), stiffness=200.0, damping=3.0, backlash=0.02),
            lambda: m.add_spring("stop", on={"b": -1.0}, stiffness=1e4, one_sided=True, rest=-0.05),
            lambda: m.add_friction("guide", on="b", law=ss.Coulomb(static=0.5, kinetic=0.4)),
        ]
        for k in order:
            adds[k]()
        return m

    a, b = (ss.simulate(made(order), t_end=5.0) for order in ([0, 1, 2, 3], [3, 2, 1, 0]))
    assert len(a.events) == len(b.events) > 20
    assert np.abs(np.sort(a.events.time) - np.sort(b.events.time)).max() < 1e-11


def test_units_do_not_matter() -> None:
    """In g, mm and ms the events are the same."""

    def made(kg: float, m_: float, s: float) -> ss.Machine:
        newton = kg * m_ / s**2
        m = ss.Machine(mass=2.0 * kg, names=["q"], force={"q": ss.Sine(3.0 * newton, 1.3 / s)})
        m.add_spring(
            "nut",
            on="q",
            stiffness=1e3 * newton / m_,
            damping=5.0 * newton * s / m_,
            backlash=0.02 * m_,
            preload=1.0 * newton,
        )
        return m

    si, other = ss.simulate(made(1.0, 1.0, 1.0), 10.0), ss.simulate(made(1e3, 1e3, 1e3), 1e4)
    assert len(si.events) == len(other.events) > 50
    assert np.abs(other.events.time * 1e-3 - si.events.time).max() < 1e-12


def test_spring_parameters_are_swept() -> None:
    m = _machine()
    stiffness = np.array([100.0, 200.0, 400.0])
    out = ss.ensemble(
        m, {"nut.stiffness": stiffness}, t_end=4.0, measure=["nut.events.count", "a.position.max"]
    )
    for k, value in enumerate(stiffness):
        run = ss.simulate(_machine(stiffness=value), 4.0)
        assert out["nut.events.count"][k] == len(run.events.of("nut"))
    for name in ("damping", "backlash", "preload", "rest"):
        assert f"nut.{name}" in m._description.parameters


def test_spring_signals_have_names_and_values() -> None:
    run = ss.simulate(_machine(), 1.0, dt=0.01)
    names = {n for n in run.signals if n.startswith("nut.")}
    assert names == {"nut.force", "nut.elongation", "nut.elongation_rate", "nut.mode"}
    assert run["nut.elongation"] == pytest.approx(run["a.position"] - run["b.position"], abs=1e-16)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stiffness": -1.0}, r"stiffness of 'nut' = -1 is not allowed: it must be finite and >= 0"),
        ({"damping": -1.0}, r"damping of 'nut' = -1 is not allowed"),
        ({"backlash": -1e-3}, r"backlash of 'nut' = -0.001 is not allowed"),
        ({"preload": float("nan")}, r"preload of 'nut' = nan is not allowed"),
        ({"stiffness": float("inf")}, r"stiffness of 'nut' = inf is not allowed"),
        (
            {"stiffness": 0.0},
            r"stiffness of 'nut' = 0 is not allowed: it must be > 0 for a spring with backlash",
        ),
        ({"stiffness": "hard"}, r"stiffness of 'nut' = 'hard' is not allowed"),
        ({"rest": ss.Step(1.0, start=1.0)}, r"rest of 'nut' jumps"),
        ({"table": ([0.0, 1.0], [0.0, 1.0])}, r"stiffness of 'nut' = 200 is not allowed: it must be 0"),
    ],
)
def test_bad_numbers_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _machine(**given)


@pytest.mark.parametrize(
    ("table", "damping", "message"),
    [
        (([0.0, 0.0], [0.0, 1.0]), 0.0, r"elongations of 't'\[1\] = 0 is not allowed: it must be greater"),
        (([0.0, 1.0], [0.0]), 0.0, r"table of 't' has 2 elongations and 1 forces"),
        (([0.0], [0.0]), 0.0, r"table of 't' has 1 elongations"),
        (([0.0, np.nan], [0.0, 1.0]), 0.0, r"elongations of 't'\[1\] = nan"),
        (([0.0, 1.0], [0.0, np.inf]), 0.0, r"forces of 't'\[1\] = inf"),
        (
            ([-1, 0, 1, 2], [-1, 1, 0, 0]),
            1.0,
            r"damping of 't' = 1 is not allowed: it must be 0 for a one-sided table",
        ),
        (3.0, 0.0, r"table of 't' = 3.0 is not allowed: it must be a pair"),
    ],
)
def test_bad_tables_are_refused(table: object, damping: float, message: str) -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    with pytest.raises(ValueError, match=message):
        m.add_spring("t", on="q", damping=damping, table=table)


def test_bad_names_and_places_are_refused() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    with pytest.raises(ValueError, match="unknown coordinate 'x'; known are: 'q'"):
        m.add_spring("s", on="x", stiffness=1.0)
    with pytest.raises(ValueError, match="on of 's'"):
        m.add_spring("s", on={"q": 0.0}, stiffness=1.0)
    m.add_spring("s", on="q", stiffness=1.0)
    with pytest.raises(ValueError, match="'s' is taken"):
        m.add_spring("s", on="q", stiffness=1.0)


def test_unsupported_uses_of_springs_are_refused() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_spring("stop", on="q", stiffness=1.0, one_sided=True)
    with pytest.raises(ValueError, match="'time_stepping' does not run springs such as 'stop'"):
        ss.simulate(m, 1.0, method="time_stepping", max_step=1e-3)
