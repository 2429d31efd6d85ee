"""The same machine in other units of mass, length and time moves the same way."""

import numpy as np
import pytest

import stickslip as ss


def run(mass=1.0, length=1.0, time=1.0, method="auto", law="coulomb", t_end=20.0):
    """Two blocks in units where 1 kg = `mass`, 1 m = `length`, 1 s = `time`; results back in SI."""
    force = mass * length / time**2
    k = force / length * np.array([[5.0, -2.0], [-2.0, 3.0]])
    d = force / (length / time) * np.array([[0.1, 0.0], [0.0, 0.0]])
    push = ss.Sine(amplitude=1.5 * force, frequency=0.3 / time)
    m = ss.Machine(mass=[1.0 * mass, 0.5 * mass], stiffness=k, damping=d, names=["a", "b"], force={"b": push})
    levels = dict(static=0.6, kinetic=0.4)
    curve = (
        ss.Coulomb(**levels)
        if law == "coulomb"
        else ss.Stribeck(**levels, stribeck_velocity=0.1 * length / time, shape=1.0)
    )
    m.add_friction("ground", on="a", law=curve, normal_load=force)
    m.add_friction("belt", on="b", law=curve, normal_load=force, surface_velocity=0.2 * length / time)
    r = ss.simulate(m, t_end=t_end * time, dt=0.1 * time, method=method)
    events = [(e.time / time, e.element, e.after) for e in r.events]
    scale = np.array([length, length, length / time, length / time])[:, None]
    return events, r.y / scale, r.energy.residual


UNITS = [
    dict(mass=1e3, length=1e3, time=1e3),  # g, mm, ms
    dict(mass=1e-3, length=1e3),  # t, mm, s
    dict(mass=1e12, length=1e-9, time=1e6),
    dict(mass=1e-9, length=1e9, time=1e-7),
]


@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
@pytest.mark.parametrize("law", ["coulomb", "stribeck"])
@pytest.mark.parametrize("units", UNITS, ids=str)
def test_other_units_give_the_same_motion(units, law, method):
    events, y, residual = run(method=method, law=law)
    other, z, other_residual = run(**units, method=method, law=law)
    assert len(events) > 20
    assert [e[1:] for e in other] == [e[1:] for e in events]
    # the description is the same up to rounding, so is every step that is taken; numerical steps amplify it
    tolerance = 1e-11 if method == "auto" and law == "coulomb" else 1e-6
    assert [e[0] for e in other] == pytest.approx([e[0] for e in events], abs=tolerance)
    assert np.abs(y - z).max() < tolerance
    assert other_residual == pytest.approx(residual, rel=0.2, abs=1e-13)


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e6])
def test_defaults_suit_small_and_large_machines(size):
    # a belt of `size` m/s under limits of `size` N: all of the published motion times `size`
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction(
        "belt",
        on="block",
        law=ss.Coulomb(static=1.0, kinetic=0.8),
        normal_load=size,
        surface_velocity=0.2 * size,
    )
    for method, tolerance in (("auto", 1e-11), ("explicit", 1e-5)):
        r = ss.simulate(m, t_end=200.0, initial={"block.velocity": 0.2 * size}, method=method)
        assert len(r.events) == 87
        assert r.events[-1].time == pytest.approx(199.115917032024, abs=tolerance)
