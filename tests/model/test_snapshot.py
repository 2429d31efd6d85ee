"""A run keeps the description that it had; a machine has one truth."""

import copy

import numpy as np
import pytest

import stickslip as ss


def slide() -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Ramp(slope=1.0)})
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    return m


def grow(m: ss.Machine) -> None:
    """States, elements and controllers of every kind, some of which come before those that are there."""
    m.add_friction("other", on="slide", law=ss.Dahl(stiffness=10.0, kinetic=0.1))
    m.add_contact("wall", normal={"slide": -1.0}, gap=9.0)
    m.add_controller(ss.PI(kp=1.0, tn=1.0), on="slide", name="late")


def test_extending_a_machine_does_not_change_its_runs() -> None:
    m = slide()
    run = ss.simulate(m, t_end=3.0, dt=0.1)
    before = {name: run[name].copy() for name in run.signals}
    fresh = ss.simulate(m, t_end=3.0, dt=0.1)  # nothing of it is read before the machine grows
    grow(m)
    assert m.states != run.states and run.states == ("slide.position", "slide.velocity")
    for r in (run, fresh):
        assert r.signals == tuple(before)
        for name, values in before.items():
            assert np.array_equal(r[name], values, equal_nan=True), name
        assert [e.element for e in r.events] == ["guide"]
        assert list(r.energy.friction) == ["guide"] and r.energy.residual < 1e-12
        assert r.machine == slide() != m
        assert all(name.startswith("guide ") for name in r.method)
        again = ss.simulate(r.machine, state=r.state, t_end=4.0)
        assert again.states == r.states
    assert ss.simulate(m, t_end=0.1).states == m.states


def test_extending_a_copy_does_not_change_the_machine() -> None:
    m = slide()
    for other in (ss.simulate(m, t_end=1.0).machine, copy.copy(m), copy.deepcopy(m)):
        grow(other)
        assert m == slide() != other
        assert ss.simulate(m, t_end=1.0).states == ("slide.position", "slide.velocity")


def test_the_fixed_step_form_keeps_its_description() -> None:
    m = slide()
    rt = ss.RealTime(m, step=1e-3)
    grow(m)
    rt.run(1500)
    assert rt.modes == {"guide": ss.Mode.SLIP_FORWARD} and rt.machine == slide()


def test_machine_state_is_its_description() -> None:
    m = slide()
    m.stiffness[:] = 3.0  # a copy
    assert m == slide() and m.stiffness[0, 0] == 0.0
    assert set(vars(m)) == {"_description"}


@pytest.mark.parametrize("method", ["add_force", "add_friction", "add_contact", "add_controller"])
def test_refused_call_leaves_machine_unchanged(method: str) -> None:
    m = slide()
    bad = {
        "add_force": lambda: m.add_force("arm", 1.0),
        "add_friction": lambda: m.add_friction("guide", on="slide", law=ss.Coulomb(1.0)),
        "add_contact": lambda: m.add_contact("slide", normal={"slide": 1.0}),
        "add_controller": lambda: m.add_controller(ss.P(kp=1.0), name="guide", on="slide"),
    }
    with pytest.raises(ValueError):
        bad[method]()
    assert m == slide()
