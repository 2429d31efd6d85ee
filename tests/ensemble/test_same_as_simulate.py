"""An ensemble gives what simulate() gives of a machine built with the changed number, for every number there is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stickslip as ss

Values = dict[str, float]


class Book:
    """Numbers by their names in an ensemble; requested names are recorded."""

    def __init__(self, changed: Values) -> None:
        self.changed, self.written = changed, {}

    def __call__(self, name: str, value: float) -> float:
        self.written[name] = value
        return self.changed.get(name, value)


OPTIONS = ("memory", "dead_time", "dwell", "travel", "surface_damping", "load_factor")


def drive(n: Book) -> ss.Machine:
    """Two masses, friction with all options, a contact with friction, controllers, compensation."""
    names = ["a", "b"]
    matrices = {}
    for kind, entries in {
        "mass": (1.0, 0.1, 2.0),
        "damping": (0.2, -0.1, 0.3),
        "stiffness": (3.0, -1.0, 2.0),
    }.items():
        aa, ab, bb = n(f"a.{kind}", entries[0]), n(f"{kind}[a,b]", entries[1]), n(f"b.{kind}", entries[2])
        if f"{kind}[b,a]" in n.changed:
            ab = n.changed[f"{kind}[b,a]"]
        n.written[f"{kind}[b,a]"] = entries[1]
        matrices[kind] = [[aa, ab], [ab, bb]]
    m = ss.Machine(**matrices, names=names)
    m.add_force("a", n("a.force", 3.0))
    m.add_force("b", n("b.force", -1.0))
    law = ss.StickSlip(
        ss.Coulomb(static=n("guide.law.static", 1.2), kinetic=n("guide.law.kinetic", 0.9)),
        memory=ss.Lag(n("guide.law.memory", 0.01)),
        dwell=n("guide.law.dwell", 0.5),
        presliding=ss.Presliding(n("guide.law.travel", 1e-3), n("guide.law.surface_damping", 2.0)),
        load_factor=n("guide.law.load_factor", 0.2),
    )
    n.written["guide.law.dead_time"] = 0.0
    m.add_friction(
        "guide", on="a", law=law, normal_load=n("guide.normal_load", 1.0),
        surface_velocity=n("guide.surface_velocity", 0.1), load={"a.applied_force": 0.5, "b.position": 0.1},
    )  # fmt: skip
    m.add_contact(
        "stop", normal={"b": -1.0}, tangent={"a": 1.0}, gap=n("stop.gap", 0.2), restitution=n("stop.restitution", 0.5),
        friction=ss.Coulomb(n("stop.friction.static", 0.3), n("stop.friction.kinetic", 0.2)),
        surface_velocity=n("stop.surface_velocity", 0.05),
    )  # fmt: skip
    n.written |= {f"stop.friction.{o}": 0.0 for o in OPTIONS}
    pi = ss.PI(
        kp=n("pi.control.kp", 2.0), tn=n("pi.control.tn", 0.5), feedforward=n("pi.control.feedforward", 0.1),
        limits=(n("pi.control.limits.min", -2.0), n("pi.control.limits.max", 1.5)),
        tracking_time=n("pi.control.tracking_time", 0.4),
    )  # fmt: skip
    m.add_controller(pi, measure="a.velocity", reference=n("pi.reference", 0.3), to="a")
    n.written |= {f"pi.control.{o}": 0.0 for o in ("period", "delay", "quantum")}
    tanh = ss.Tanh(
        static=n("help.law.static", 0.5), kinetic=n("help.law.kinetic", 0.4), width=n("help.law.width", 0.01),
        stribeck_velocity=n("help.law.stribeck_velocity", 0.1), shape=n("help.law.shape", 2.0),
        viscous=n("help.law.viscous", 0.1), viscous_exponent=n("help.law.viscous_exponent", 1.0),
    )  # fmt: skip
    observer = ss.FrictionObserver(tanh, normal_load=n("help.normal_load", 1.0))
    m.add_controller(observer, name="help", measure="b", to="b")
    n.written["help.gain"] = 0.0  # of laws with bristles
    return m


def belts(n: Book) -> ss.Machine:
    """Without controllers, signals are exchanged in place."""
    m = ss.Machine(mass=n("x.mass", 1.0), stiffness=n("x.stiffness", 2.0), names=["x"])
    n.written["x.damping"] = 0.0
    m.add_force("x", n("x.force", 0.2))
    m.add_friction(
        "belt", on="x", law=ss.Coulomb(n("belt.law.static", 1.0), n("belt.law.kinetic", 0.8)),
        normal_load=n("belt.normal_load", 1.0), surface_velocity=n("belt.surface_velocity", 0.2),
    )  # fmt: skip
    n.written |= {f"belt.law.{o}": 0.0 for o in OPTIONS}
    model = ss.FrictionFeedforward(
        ss.Coulomb(static=n("help.law.static", 0.3), kinetic=n("help.law.kinetic", 0.2)),
        normal_load=n("help.normal_load", 1.0),
    )
    slope = 0.1 * n.changed.get("help.reference_scale", 1.0)
    m.add_controller(model, name="help", reference=ss.Ramp(slope=slope), to="x")
    n.written |= {"help.reference": 0.0, "help.gain": 0.0}  # a ramp is varied by its scale
    return m


def matrices(n: Book) -> ss.StateSpace:
    """A plant in matrix notation whose velocity an input reaches directly."""
    rows, columns, outs = ["p", "w"], ["u", "d"], ["y", "v"]
    shown: dict[str, Any] = {}
    for kind, r, c, base in (
        ("A", rows, rows, [[0.0, 1.0], [-2.0, -0.1]]),
        ("B", rows, columns, [[0.0, 0.1], [1.0, 0.5]]),
        ("C", outs, rows, [[1.0, 0.0], [0.0, 1.0]]),
        ("D", outs, columns, [[0.0, 0.2], [0.0, 0.1]]),
    ):
        shown[kind] = [[n(f"{kind}[{i},{j}]", base[k][m]) for m, j in enumerate(c)] for k, i in enumerate(r)]
    plant = ss.StateSpace(**shown, states=rows, inputs=columns, outputs=outs)
    plant.add_friction(
        "f", law=ss.Coulomb(n("f.law.static", 1.0), n("f.law.kinetic", 0.8)), velocity="v", on="u",
        normal_load=n("f.normal_load", 0.5), surface_velocity=n("f.surface_velocity", 0.1),
    )  # fmt: skip
    n.written |= {f"f.law.{o}": 0.0 for o in OPTIONS}
    for o in ("feedforward", "limits.min", "limits.max", "period", "delay", "quantum"):
        n.written[f"p1.control.{o}"] = 0.0
    plant.add_signal("u", n("u.signal", 1.5))
    plant.add_signal("d", n("d.signal", 0.4))
    plant.add_controller(
        ss.P(kp=n("p1.control.kp", 0.5)), name="p1", measure="y", reference=n("p1.reference", 1.0), to="u"
    )
    return plant


MACHINES: dict[str, Callable[[Book], Any]] = {"drive": drive, "belts": belts, "matrices": matrices}


def written(name: str) -> Values:
    book = Book({})
    MACHINES[name](book)
    return book.written


def same(name: str, path: str, value: float) -> None:
    machine, changed = MACHINES[name](Book({})), MACHINES[name](Book({path: value}))
    measure = [*(f"{s}.final" for s in changed.states), "events.count"]
    out = ss.ensemble(machine, {path: [value, value]}, 2.0, measure, workers=1)
    run = ss.simulate(changed, 2.0)
    assert out.status[0] == run.status
    assert out["events.count"][1] == len(run.events)
    for k, state in enumerate(run.states):
        size = max(1.0, np.abs(run[state]).max())
        assert out[f"{state}.final"][1] == pytest.approx(run.y[k, -1], rel=0, abs=1e-12 * size), (path, state)


@pytest.mark.parametrize("name", MACHINES)
def test_every_number_of_a_machine_can_be_varied(name: str) -> None:
    """The machine lists exactly the parameters that were noted when it was built."""
    missing = {*written(name)} ^ {*MACHINES[name](Book({})).parameters}
    assert not missing


@settings(max_examples=40, deadline=None)
@given(data=st.data(), factor=st.sampled_from([0.9, 1.05, 1.1]))
@pytest.mark.parametrize("name", MACHINES)
def test_ensemble_equals_simulate(name: str, data: st.DataObject, factor: float) -> None:
    numbers = {path: value for path, value in written(name).items() if value != 0.0}
    path = data.draw(st.sampled_from(sorted(numbers)))
    same(name, path, numbers[path] * factor)


def test_load_exchanged_in_place_affects_one_element() -> None:
    """The compensator's load is the same number as the element's, and stays when that changes."""
    same("belts", "belt.normal_load", 1.5)
    same("belts", "belt.surface_velocity", -0.1)
    same("belts", "help.normal_load", 2.0)
    same("belts", "help.reference_scale", 3.0)
