"""Several blocks on one belt, joined by springs, against a motion put together phase by phase with SciPy."""

import numpy as np
import pytest
from reference.phases import advance

import stickslip as ss

N = 3
STATIC = np.array([1.0, 0.7, 0.9])
KINETIC = np.array([0.8, 0.5, 0.6])
MASS = np.array([1.0, 0.6, 1.7])
BELT = 0.25


def stiffness(n):
    k = np.diag(np.full(n, 2.0))
    for i in range(n - 1):
        k[i : i + 2, i : i + 2] += 1.5 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return k


def by_hand(n, t_end, force=lambda t: 0.0, rtol=1e-13):
    """(time, block, mode) of all events; each block has its own element: no release changes another force."""
    k, m = stiffness(n), MASS[:n]
    load = lambda t, y: -k @ y[:n] + force(t) * np.eye(n)[0]  # noqa: E731
    y = np.concatenate([np.zeros(n), np.full(n, BELT)])
    modes, t, events = np.zeros(n, int), 0.0, []
    while t < t_end:
        slides = modes != 0

        def rhs(s, y, slides=slides, kinetic=KINETIC[:n] * modes):
            a = np.where(slides, (load(s, y) - kinetic) / m, 0.0)
            return np.concatenate([y[n:], a])

        guards = {}
        for i in range(n):
            if slides[i]:
                guards[f"{i} stops"] = lambda s, y, i=i, d=modes[i]: d * (y[n + i] - BELT)
            else:
                guards[f"{i} +"] = lambda s, y, i=i: STATIC[i] - load(s, y)[i]
                guards[f"{i} -"] = lambda s, y, i=i: STATIC[i] + load(s, y)[i]
        t, y, name = advance(rhs, t, y, t_end, guards, solver="dop853", rtol=rtol, atol=1e-15, max_step=0.1)
        if name is None:
            return events, y
        i, what = name.split()
        i = int(i)
        if what == "stops":
            y[n + i] = BELT
            f = load(t, y)[i]
            modes[i] = 0 if abs(f) <= STATIC[i] else int(np.sign(f))
        else:
            modes[i] = 1 if what == "+" else -1
        events.append((t, f"belt{i}", int(modes[i])))
    return events, y


def machine(n, force=None):
    names = [f"b{i}" for i in range(n)]
    m = ss.Machine(mass=MASS[:n], stiffness=stiffness(n), names=names, force=force)
    for i in range(n):
        law = ss.Coulomb(static=STATIC[i], kinetic=KINETIC[i])
        m.add_friction(f"belt{i}", on=names[i], law=law, surface_velocity=BELT)
    return m, {f"{name}.velocity": BELT for name in names}


@pytest.mark.parametrize(("method", "tolerance"), [("auto", 1e-10), ("explicit", 1e-7)])
@pytest.mark.parametrize("n", [2, 3])
def test_coupled_blocks_on_a_belt_agree_with_scipy(n, method, tolerance):
    expected, y = by_hand(n, 30.0)
    m, initial = machine(n)
    r = ss.simulate(m, t_end=30.0, initial=initial, method=method, rtol=1e-10)
    assert len(expected) > 12 and len({e[1] for e in expected}) == n
    assert [(e.element, int(e.after)) for e in r.events] == [e[1:] for e in expected]
    assert [e.time for e in r.events] == pytest.approx([e[0] for e in expected], abs=tolerance)
    assert r.state.x == pytest.approx(y, abs=tolerance)


def test_blocks_under_a_vibrating_force_agree_with_scipy():
    expected, y = by_hand(2, 20.0, lambda t: 0.6 * np.sin(2 * np.pi * 0.37 * t))
    m, initial = machine(2, {"b0": ss.Sine(amplitude=0.6, frequency=0.37)})
    r = ss.simulate(m, t_end=20.0, initial=initial)
    assert [(e.element, int(e.after)) for e in r.events] == [e[1:] for e in expected]
    assert [e.time for e in r.events] == pytest.approx([e[0] for e in expected], abs=1e-10)
    assert r.state.x == pytest.approx(y, abs=1e-10)


def test_friction_between_free_blocks_matches_closed_form():
    # a is pushed; b goes with it until the friction between them is exceeded: F > mu (1 + m_a/m_b)
    m = ss.Machine(mass=[1.0, 2.0], names=["a", "b"], force={"a": ss.Ramp(slope=1.0)})
    m.add_friction("between", on=("a", "b"), law=ss.Coulomb(static=1.0, kinetic=0.75))
    r = ss.simulate(m, t_end=3.0)
    assert [e.time for e in r.events] == pytest.approx([1.5], abs=1e-15)
    together = 1.5**2 / 2 / 3
    assert r["a.velocity"][-1] == pytest.approx(together + (9 - 2.25) / 2 - 0.75 * 1.5, abs=1e-14)
    assert r["b.velocity"][-1] == pytest.approx(together + 0.75 * 1.5 / 2, abs=1e-14)


def test_lever_matches_closed_form():
    # a mapping of factors: a carriage gripped by a belt around a drum of radius r, v = x' - r phi'
    r, inertia, mass = 0.3, 0.05, 2.0
    m = ss.Machine(mass=[mass, inertia], names=["carriage", "drum"], force={"carriage": 3.0})
    m.add_friction("grip", on={"carriage": 1.0, "drum": -r}, law=ss.Coulomb(static=4.0, kinetic=3.0))
    run = ss.simulate(m, t_end=1.0)
    a = 3.0 / (mass + inertia / r**2)
    assert run.state.x == pytest.approx([a / 2, a / 2 / r, a, a / r], rel=1e-14)
    assert run["grip.force"][-1] == pytest.approx(inertia * a / r**2, rel=1e-13)
