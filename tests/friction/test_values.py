"""Laws as values: text, equality, pickling, parameters, and what bad input says."""

import pickle

import numpy as np
import pytest

import stickslip as ss
from stickslip import (
    BoucWen,
    Coulomb,
    Curve,
    Dahl,
    ElastoPlastic,
    Leuven,
    LuGre,
    MaxwellSlip,
    Stribeck,
    Table,
    Tanh,
    TwoStateBristle,
    Viscous,
)

LEVELS = dict(static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
LAWS = [
    Coulomb(static=1.0, kinetic=0.8),
    Viscous(0.4, exponent=1.5),
    Stribeck(**LEVELS, form="lorentzian", viscous=0.4),
    Tanh(width=1e-3, kinetic=1.0),
    Table([-1.0, 0.0, 0.0, 1.0], [-1.0, -2.0, 1.5, 1.0]),
    Table([0.0, 1.0], [1.0, 2.0], odd=True),
    LuGre(stiffness=1e5, damping=316.0, **LEVELS, damping_velocity=0.1, normalised=True),
    LuGre(stiffness=1e5, kinetic=1.0),
    Dahl(stiffness=1e5, kinetic=1.0, exponent=1.5),
    TwoStateBristle(stiffness=1e5, damping=316.0, **LEVELS, alpha=1e9),
    ElastoPlastic(stiffness=1e5, damping=316.0, **LEVELS),
    MaxwellSlip(stiffness=[1e5, 5e4], share=[0.25, 0.75], attraction=100.0, **LEVELS),
    BoucWen(stiffness=1e5, kinetic=1.0, exponent=2.0, beta=0.6),
    Leuven(stiffness=1e5, height=2.0, damping=316.0, exponent=2.0, **LEVELS, viscous=0.4),
    Coulomb(1.0) + Viscous(0.5) + LuGre(stiffness=1e5, kinetic=1.0),
]


@pytest.mark.parametrize(
    "law",
    [
        *LAWS,
        ss.StickSlip(LAWS[0], memory=0.1, dwell=1.0, presliding=ss.Presliding(1e-4, 2.0), load_factor=0.5),
    ],
    ids=lambda law: type(law).__name__,
)
def test_a_machine_shows_the_law_that_it_was_given(law):
    """Made again from what the engine holds."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_friction("f", on="x", law=law, load={"x.position": 1.0})
    assert repr(m) == f"Machine(names=['x'], friction={{'f': {law!r}}})"


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_text_pickle_and_equality(law):
    assert eval(repr(law)) == law
    copy = pickle.loads(pickle.dumps(law))
    assert copy == law and copy is not law and hash(copy) == hash(law)
    assert pickle.loads(pickle.dumps(law.compiled)) == law.compiled
    v = np.linspace(-1.0, 1.0, 21)
    np.testing.assert_array_equal(copy.force(v), law.force(v))
    assert law != ss.Coulomb(static=7.0, kinetic=0.8) and law != "law"


def test_all_laws_differ():
    assert len({hash(law) for law in LAWS}) == len(LAWS)
    assert all(a != b for i, a in enumerate(LAWS) for b in LAWS[:i])


def test_laws_are_const_values():
    law = Coulomb(1.0)
    with pytest.raises(AttributeError):
        law.static = 2.0
    assert law + 1.0 == law + Coulomb(1.0) and 1.0 + law == law + 1.0
    with pytest.raises(TypeError):
        law + "1"


def test_parameters_are_readable_and_complete():
    assert Coulomb(0.8).parameters == {"static": 0.8, "kinetic": 0.8}
    assert Coulomb(kinetic=0.8).static == 0.8
    law = TwoStateBristle(stiffness=1e5, **LEVELS)
    assert law.alpha == 5e4 and law.shape == 2.0 and law.viscous == 0.0
    assert ElastoPlastic(stiffness=1e5, kinetic=1.0).elastic_limit == pytest.approx(7e-6, rel=1e-15)
    assert MaxwellSlip(stiffness=[1, 2, 3, 4], kinetic=1.0).share == (0.25,) * 4
    assert LuGre(stiffness=np.float32(2.0), kinetic=1).stiffness == 2.0
    assert type(LuGre(stiffness=np.float32(2.0), kinetic=1).kinetic) is float
    assert Stribeck(kinetic=1.0).stribeck_velocity is None


def test_break_away_is_a_number_with_two_sides():
    level = Table([-1.0, 0.0, 0.0, 1.0], [-1.0, -2.0, 1.5, 1.0]).break_away
    again = pickle.loads(pickle.dumps(level))
    assert again == 1.5 and again.negative == -2.0 and again.positive == 1.5
    assert 2.0 * level == 3.0


def test_state_names_match_the_law():
    two = TwoStateBristle(stiffness=1e5, **LEVELS)
    assert two.state_names == ("z", "y") and Coulomb(1.0).state_names == ()
    assert MaxwellSlip(stiffness=[1.0, 2.0], kinetic=1.0).state_names == ("f0", "f1")
    assert (two + Viscous(1.0) + LAWS[7]).state_names == ("0.z", "y", "2.z")


LUGRE = dict(stiffness=1e5, damping=316.0, **LEVELS)
BAD = [
    (Coulomb, dict(static=-1.0, kinetic=-1.0), "static = -1 is not allowed"),
    (Coulomb, dict(static=0.5, kinetic=1.0), "static = 0.5 is not allowed: it must be at least the kinetic"),
    (Coulomb, dict(), "Coulomb needs static or kinetic"),
    (Coulomb, dict(static=float("nan")), "static = nan"),
    (Viscous, dict(coefficient=-1.0), "coefficient = -1"),
    (Viscous, dict(coefficient=1.0, exponent=0.0), "exponent = 0 is not allowed: it must be > 0 and <= 2"),
    (Viscous, dict(coefficient=1.0, exponent=2.5), "exponent = 2.5"),
    (Stribeck, dict(LEVELS, static=0.5), "static = 0.5"),
    (Stribeck, dict(LEVELS, stribeck_velocity=0.0), "stribeck_velocity = 0 "),
    (Stribeck, dict(LEVELS, stribeck_velocity=-1.0), "stribeck_velocity = -1 "),
    (Stribeck, dict(static=1.5, kinetic=1.0), "stribeck_velocity must be given"),
    (Stribeck, dict(LEVELS, shape=0.0), "shape = 0 "),
    (Stribeck, dict(LEVELS, shape=float("inf")), "shape = inf "),
    (Stribeck, dict(LEVELS, form="gauss"), "form = 'gauss' is not allowed"),
    (Stribeck, dict(LEVELS, viscous=-0.1), "viscous = -0.1"),
    (Stribeck, dict(LEVELS, viscous=0.1, viscous_exponent=3.0), "viscous_exponent = 3"),
    (Tanh, dict(width=0.0, kinetic=1.0), "width = 0 "),
    (Table, dict(velocities=[0.0, 1.0], forces=[1.0]), "velocities and forces must have the same number"),
    (Table, dict(velocities=[], forces=[]), "velocities must have at least one point"),
    (Table, dict(velocities=[-1.0, 1.0, 0.5], forces=[0.0, 1.0, 2.0]), "velocities = 0.5 is not allowed"),
    (Table, dict(velocities=[-1.0, 1.0, 1.0], forces=[0.0, 1.0, 2.0]), "velocities = 1 is not allowed"),
    (Table, dict(velocities=[0.0, 0.0, 0.0], forces=[0.0, 1.0, 2.0]), "velocities = 0 is not allowed"),
    (Table, dict(velocities=[0.5, 1.0], forces=[0.0, 1.0]), "velocities must reach from <= 0 to >= 0"),
    (Table, dict(velocities=[0.5, 1.0], forces=[0.0, 1.0], odd=True), "velocities = 0.5"),
    (Table, dict(velocities=[0.0, 1.0], forces=[-1.0, 1.0], odd=True), "forces = -2"),
    (Table, dict(velocities=[-1.0, float("nan")], forces=[0.0, 1.0]), "velocities = nan"),
    (Table, dict(velocities=[-1.0, 1.0], forces=[0.0, float("inf")]), "forces = inf"),
    (Curve, dict(function=lambda v: -np.sign(v)), "function must oppose the motion near v = 0"),
    (Curve, dict(function=lambda v: -1.0, static=1.0), "= -1 must be >= 0"),
    (Curve, dict(function=lambda v: 1.0, static=1.0), "= 1 <= 0"),
    (Curve, dict(function=np.sign, static=0.5), "static = 0.5"),
    (Curve, dict(function=np.sign, velocity_scale=0.0), "velocity_scale = 0 "),
    (LuGre, dict(LUGRE, stiffness=0.0), "stiffness = 0 "),
    (LuGre, dict(LUGRE, damping=-1.0), "damping = -1 "),
    (LuGre, dict(LUGRE, kinetic=0.0), "kinetic = 0 "),
    (LuGre, dict(LUGRE, static=0.9), "static = 0.9 "),
    (LuGre, dict(LUGRE, damping_velocity=0.0), "damping_velocity = 0 "),
    (Dahl, dict(stiffness=-1.0, kinetic=1.0), "stiffness = -1 "),
    (Dahl, dict(stiffness=1.0, kinetic=1.0, exponent=0.0), "exponent = 0 "),
    (TwoStateBristle, dict(LUGRE, alpha=-1.0), "alpha = -1 "),
    (ElastoPlastic, dict(LUGRE, elastic_limit=0.0), "elastic_limit = 0 "),
    (ElastoPlastic, dict(LUGRE, elastic_limit=1e-5), "elastic_limit = 1e-05 "),
    (MaxwellSlip, dict(stiffness=[], kinetic=1.0), "stiffness must have 1 to 32"),
    (MaxwellSlip, dict(stiffness=[1.0] * 33, kinetic=1.0), "stiffness must have 1 to 32"),
    (MaxwellSlip, dict(stiffness=[1.0, -1.0], kinetic=1.0), "stiffness = -1 "),
    (MaxwellSlip, dict(stiffness=[1.0, 1.0], share=[0.5, 0.6], kinetic=1.0), "share = 1.1 "),
    (MaxwellSlip, dict(stiffness=[1.0, 1.0], share=[1.0], kinetic=1.0), "share must have as many"),
    (MaxwellSlip, dict(stiffness=[1.0], **LEVELS), "attraction = 0 "),
    (
        Leuven,
        dict(LUGRE, height=1.5),
        "height = 1.5 is not allowed: it must be greater than the static level",
    ),
    (Leuven, dict(LUGRE, height=float("inf")), "height = inf "),
    (Leuven, dict(LUGRE, height=2.0, stiffness=0.0), "stiffness = 0 "),
    (Leuven, dict(LUGRE, height=2.0, damping=-1.0), "damping = -1 "),
    (Leuven, dict(LUGRE, height=2.0, exponent=0.0), "exponent = 0 "),
    (BoucWen, dict(stiffness=1.0, kinetic=1.0, exponent=0.5), "exponent = 0.5 "),
    (BoucWen, dict(stiffness=1.0, kinetic=1.0, beta=0.4), "beta = 0.4 "),
]


@pytest.mark.parametrize(("law", "arguments", "message"), BAD, ids=lambda x: x if isinstance(x, str) else "")
def test_bad_parameters_are_named(law, arguments, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        law(**arguments)


def test_wrong_types_are_refused():
    with pytest.raises(TypeError, match="static must be a number, not str"):
        Coulomb("a")
    with pytest.raises(TypeError, match="unexpected keyword"):
        Coulomb(level=1.0)
    with pytest.raises(ValueError, match="normal_load = -1 "):
        Coulomb(1.0).force(1.0, normal_load=-1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(t=[0.0, 1.0], velocity=[1.0]), "velocity has 1 samples, but t has 2"),
        (dict(t=[0.0, 1.0, 0.5], velocity=1.0), "t = 0.5 is not allowed"),
        (dict(t=[], velocity=1.0), "t must have at least one time"),
        (dict(t=[0.0, float("inf")], velocity=1.0), r"t\[1\] = inf"),
        (
            dict(t=[0.0, 1.0], velocity=1.0, initial=[1.0, 2.0]),
            "initial must have one value per internal state",
        ),
        (
            dict(t=[0.0, 1.0], velocity=1.0, initial={"q": 1.0}),
            r"unknown internal state 'q' in initial; known are: ",
        ),
        (dict(t=[0.0, 1.0], velocity=1.0, normal_load=-1.0), "normal_load = -1"),
        (dict(t=[0.0, 1.0], velocity=1.0, rtol=0.0), "rtol = 0"),
    ],
)
def test_bad_responses_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        LAWS[7].response(**arguments)
