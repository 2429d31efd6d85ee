"""Impossible input raises ValueError or KeyError with the argument, its value and the allowed range."""

import numpy as np
import pytest
import sympy

import stickslip as ss

NAN, INF = float("nan"), float("inf")
LAW = ss.Coulomb(static=1.0, kinetic=0.8)
SYMBOL = sympy.Symbol("x")


def block(**more):
    return ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"], **more)


def belt():
    m = block()
    m.add_friction("belt", on="block", law=LAW, surface_velocity=0.2)
    return m


def run(**options):
    return ss.simulate(belt(), **({"t_end": 1.0} | options))


def guide(**options):
    m = block()
    m.add_friction("guide", **({"on": "block", "law": LAW} | options))
    return m


CASES = [
    (lambda: ss.Machine(mass=-1.0), "mass = -1"),
    (lambda: ss.Machine(mass=[[-1.0]]), "mass"),
    (lambda: ss.Machine(mass=[1.0, -1.0]), "mass"),
    (lambda: ss.Machine(mass=[[1, 2], [2, 1]]), "mass is not positive definite"),
    (lambda: ss.Machine(mass=[[1, 0.2], [0.1, 1]]), "mass is not symmetric"),
    (lambda: ss.Machine(mass=[[NAN]]), "mass"),
    (lambda: ss.Machine(mass=INF), "mass"),
    (lambda: ss.Machine(mass="heavy"), "mass = 'heavy'"),
    (lambda: ss.Machine(mass=None), "mass"),
    (lambda: ss.Machine(mass=[]), "mass is empty"),
    (lambda: ss.Machine(mass=np.ones((2, 3))), r"mass has the shape \(2, 3\)"),
    (lambda: ss.Machine(mass=[[1, 2], [1]]), "mass"),
    (lambda: ss.Machine(mass=1.0, stiffness=NAN), "stiffness"),
    (lambda: ss.Machine(mass=1.0, damping=INF), "damping"),
    (lambda: ss.Machine(mass=[1, 1], stiffness=[[1.0]]), r"stiffness has the shape \(1, 1\)"),
    (lambda: ss.Machine(mass=[1, 1], damping=[1.0, 2.0, 3.0]), "damping has the shape"),
    (lambda: ss.Machine(mass=[1, 1], names=["a", "a"]), "names = 'a' is taken"),
    (lambda: ss.Machine(mass=[1, 1], names=["a"]), "names has 1 entries"),
    (lambda: ss.Machine(mass=[1], names=["a.b"]), "names = 'a.b'"),
    (lambda: ss.Machine(mass=[1], names=[""]), "names"),
    (lambda: ss.Machine(mass=[1], names=5), "names = 5"),
    (lambda: block(force={"blok": 1.0}), "unknown coordinate 'blok'.*'block'"),
    (lambda: block(force={"block": NAN}), "force on 'block' = nan"),
    (lambda: block(force={"block": "x"}), "force on 'block' = 'x'"),
    (lambda: block(force=[1.0]), "force"),
    (lambda: block().add_force({"block": NAN}, 1.0), "on of a force"),
    (lambda: block().add_force(3, 1.0), "on of a force = 3"),
    (lambda: ss.Coulomb(static=1.0, kinetic=2.0), "static = 1"),
    (lambda: ss.Coulomb(static=NAN, kinetic=0.8), "static"),
    (lambda: ss.Coulomb(static=1.0, kinetic=-0.1), "kinetic = -0.1"),
    (lambda: ss.Stribeck(static=1.0, kinetic=2.0, stribeck_velocity=1.0), "static"),
    (lambda: ss.Stribeck(static=2.0, kinetic=1.0, stribeck_velocity=0.0), "stribeck_velocity = 0"),
    (lambda: ss.Stribeck(static=2.0, kinetic=1.0, stribeck_velocity=1.0, shape=0.0), "shape = 0"),
    (lambda: ss.Sine(amplitude=NAN, frequency=1.0), "amplitude"),
    (lambda: ss.Ramp(slope=INF), "slope"),
    (lambda: ss.Piecewise([0, 1], [0, NAN]), "values"),
    (lambda: ss.Piecewise([1, 0], [0, 1]), r"t\[1\] = 0"),
    (lambda: guide(on="x"), "unknown coordinate 'x'.*'block'"),
    (lambda: guide(on=("block", "block")), "on of 'guide'"),
    (lambda: guide(on=("block", "a", "b")), "on of 'guide'"),
    (lambda: guide(on=None), "on of 'guide' = None"),
    (lambda: guide(on={}), "on.* of 'guide'"),
    (lambda: guide(on={"block": NAN}), "on.* of 'guide'"),
    (lambda: guide(law="coulomb"), "law = 'coulomb'"),
    (lambda: guide(normal_load=-1.0), "normal_load of 'guide' = -1"),
    (lambda: guide(normal_load=NAN), "normal_load of 'guide' = nan"),
    (lambda: guide(surface_velocity=NAN), "surface_velocity of 'guide' = nan"),
    (lambda: guide(surface_velocity="fast"), "surface_velocity of 'guide' = 'fast'"),
    (lambda: belt().add_friction("belt", on="block", law=LAW), "name = 'belt' is taken"),
    (lambda: belt().add_friction("block", on="block", law=LAW), "name = 'block' is taken"),
    (lambda: belt().add_friction("a.b", on="block", law=LAW), "name = 'a.b'"),
    (lambda: ss.simulate(guide(normal_load=ss.Sine(amplitude=2.0, frequency=1.0, offset=1.0)), t_end=1.0),
     "normal_load of 'guide' becomes negative: it is -1 at t = 0.75"),
    (lambda: ss.simulate(guide(normal_load=ss.Ramp(slope=-1.0, offset=0.5)), t_end=1.0), "normal_load"),
    (lambda: ss.simulate(5, t_end=1.0), "machine = 5"),
    (lambda: run(t_end=-1.0), "t_end = -1"),
    (lambda: run(t_end=0.0), "t_end = 0"),
    (lambda: run(t_end=NAN), "t_end = nan"),
    (lambda: run(t_end=INF), "t_end = inf"),
    (lambda: run(t_end=None), "t_end = None"),
    (lambda: run(t_end=1.0, t_start=2.0), "t_end = 1.*2"),
    (lambda: run(t_start=NAN), "t_start = nan"),
    (lambda: run(t_start="a"), "t_start = 'a'"),
    (lambda: run(rtol=0.0), "rtol = 0"),
    (lambda: run(rtol=-1e-6), "rtol = -1e-06"),
    (lambda: run(rtol=NAN), "rtol = nan"),
    (lambda: run(rtol=None), "rtol = None"),
    (lambda: run(atol=0.0), r"atol\[0\] = 0"),
    (lambda: run(atol=[1.0, 1.0, 1.0]), "atol has 3 entries for 2 states"),
    (lambda: run(atol="a"), "atol = 'a'"),
    (lambda: run(atol=[[1.0, 1.0]]), "atol has the shape"),
    (lambda: run(method="rk"), "method = 'rk'.*'explicit'"),
    (lambda: run(method=["auto"]), "method"),
    (lambda: run(dt=0.0), "dt = 0"),
    (lambda: run(dt=NAN), "dt = nan"),
    (lambda: run(dt="a"), "dt = 'a'"),
    (lambda: run(dt=0.1, t_eval=[0.0]), "dt and t_eval"),
    (lambda: run(dt=1e-14), r"dt = 1e-14 .* 1e\+14 samples do not fit into memory"),
    (lambda: run(dt=5e-324), "dt = 5e-324 .* inf samples do not fit into memory"),
    (lambda: run(t_eval=[0.0, 2.0]), "t_eval reaches"),
    (lambda: run(t_eval=[0.5, 0.2]), "t_eval must not decrease"),
    (lambda: run(t_eval=[NAN]), "t_eval"),
    (lambda: run(t_eval=[]), "t_eval"),
    (lambda: run(max_step=0.0), "max_step = 0"),
    (lambda: run(max_step="a"), "max_step = 'a'"),
    (lambda: run(max_events=-1), "max_events = -1"),
    (lambda: run(max_events=1.5), "max_events = 1.5"),
    (lambda: run(max_events=2**70), f"max_events = {2**70} is not allowed: it must be an integer from 0 to {2**63 - 1}"),
    (lambda: run(t_end=10**400), "t_end = an integer of about 401 digits .* below 1.8e308"),
    (lambda: ss.Machine(mass=10**400), "mass = an integer of about 401 digits .* below 1.8e308"),
    (lambda: ss.Machine(mass=10**5000), "mass = an integer of about 5001 digits"),  # too long for Python to print
    (lambda: ss.Machine(mass=[1.0, 10**400]), r"mass = \[1.0, 10{250,300}\.\.\. is not allowed: .* below 1.8e308"),
    (lambda: ss.Coulomb(10**400), "static is an integer beyond what a double holds"),
    (lambda: run(events=lambda t, y: y[0]), "events = <function .* not a function as in SciPy: .* ss.Crossing"),
    (lambda: run(events=[lambda t, y: y[0]]), "events = <function .* not a function as in SciPy: .* ss.Crossing"),
    (lambda: run(events="block.position"), "events = 'block.position' .* ss.Crossing"),
    (lambda: block().add_force("block", SYMBOL), "force on 'block' = x .*ss.from_sympy"),
    (lambda: block().add_force("block", lambda q: SYMBOL), "the result of <lambda> = x .*ss.from_sympy"),
    (lambda: ss.Machine(mass=SYMBOL), "mass = x .*ss.from_sympy"),
    (lambda: ss.Machine(mass=[[SYMBOL]]), r"mass = \[\[x\]\] .*ss.from_sympy"),
    (lambda: block().add_contact("wall", normal={"block": 1.0}, gap=SYMBOL), "gap of 'wall' = x .*ss.from_sympy"),
    (lambda: run(max_time=0.0), "max_time = 0"),
    (lambda: run(initial={"block.position": NAN}), r"initial\['block.position'\] = nan"),
    (lambda: run(initial={"block.position": "a"}), r"initial\['block.position'\] = 'a'"),
    (lambda: run(initial=[1.0, 2.0, 3.0]), "initial has the shape"),
    (lambda: run(state=5), "state = 5"),
    (lambda: run(t_end=2.0, state=run().state, initial={}), "initial and state"),
    (lambda: run(t_end=2.0, state=run().state, t_start=0.5), "t_start = 0.5"),
    (lambda: run(t_end=0.5, state=run().state), "t_end = 0.5"),
    (lambda: ss.simulate(block(), t_end=2.0, state=run().state), "state belongs to another machine"),
    (lambda: run().at([2.0]), "t = 2.0 .* within the run, 0.0 to 1.0"),
    (lambda: run().at([1.0, 0.5]), "t must"),
    (lambda: run().at([NAN]), "t = nan"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), CASES, ids=[message for _, message in CASES])
def test_bad_values_are_refused_with_their_message(call, message):
    with pytest.raises(ValueError, match=f"^{message}" if message[0].isalpha() else message):
        call()


def test_unknown_names_list_the_known_ones():
    with pytest.raises(KeyError, match=r"'block.speed'.*'block.position', 'block.velocity'"):
        run(initial={"block.speed": 1.0})
    with pytest.raises(KeyError, match=r"'belt.forse'.*'block.position'.*'belt.force'.*'belt.mode'"):
        run()["belt.forse"]
    with pytest.raises(
        KeyError, match="^'block' is not a signal; its signals are 'block.position', 'block.velocity', "
    ):
        run()["block"]


def test_refused_element_leaves_the_machine_unchanged():
    m = belt()
    before = [e.time for e in ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2}).events]
    for call in (
        lambda: m.add_friction("more", on="block", law=LAW, normal_load=-1.0),
        lambda: m.add_friction("belt", on="block", law=LAW),
        lambda: m.add_force("block", NAN),
        lambda: m.add_force({"block": NAN}, 1.0),
    ):
        with pytest.raises(ValueError):
            call()
    assert m.elements == ("belt",)
    assert [e.time for e in ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2}).events] == before


@pytest.mark.parametrize(
    "load",
    [
        ss.Sine(amplitude=1.0, frequency=1.0, offset=1.0),
        ss.Sine(amplitude=-0.3, frequency=3.3, offset=0.3, phase=0.2),
        ss.Ramp(slope=-0.1, offset=1.0),
        ss.Piecewise([0, 1, 2], [1, 0, 3]),
        ss.SmoothStep(0.0, before=3.0, start=1.0),
        ss.Sine(amplitude=1.0, frequency=1.0) + ss.Sine(amplitude=1.0, frequency=2.0) + 1.8,
    ],
    ids=str,
)
def test_a_load_may_touch_zero(load):
    assert ss.simulate(guide(normal_load=load), t_end=10.0).success
