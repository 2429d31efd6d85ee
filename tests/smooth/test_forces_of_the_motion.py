"""Forces and mass matrices that are functions of the motion, against closed forms and SciPy."""

import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import stickslip as ss

from .pendulums import G, double_pendulum


def pendulum(dry=None):
    m = ss.Machine(mass=1.0, names=["arm"])
    m.add_force("arm", lambda q: -G * ss.sin(q["arm"]))
    if dry is not None:
        m.add_friction("joint", on="arm", law=dry)
    return m


@pytest.mark.parametrize("amplitude", [0.01, 1.0, 3.0])
def test_pendulum_period_matches_elliptic_integral(amplitude):
    """T = 4 K(sin²(φ0/2)) / ω0: after ten of them it is back."""
    period = 4.0 * ellipk(math.sin(0.5 * amplitude) ** 2) / math.sqrt(G)
    run = ss.simulate(pendulum(), 10.0 * period, rtol=1e-12, initial={"arm.position": amplitude})
    assert run.y[:, -1] == pytest.approx([amplitude, 0.0], abs=2e-8)
    assert run.energy.residual < 1e-11


def test_pendulum_turning_points_match_energy_balance():
    """m g l (cos φ2 − cos φ1) = M_f |φ2 − φ1| between successive turning points, until it rests inside the band of
    stiction, g sin φ < M_s.
    """
    static, kinetic = 0.5, 0.4
    run = ss.simulate(pendulum(ss.Coulomb(static, kinetic)), 60.0, rtol=1e-12, initial={"arm.position": 2.0})
    turns = [2.0, *run.at([e.time for e in run.events])["arm.position"]]
    assert len(turns) > 20
    for first, second in itertools.pairwise(turns):
        left = G * (math.cos(second) - math.cos(first))
        assert left == pytest.approx(kinetic * abs(second - first), abs=1e-10)
    assert str(run.events[-1].after) == "stick"
    assert G * abs(math.sin(turns[-1])) < static < G * abs(math.sin(turns[-2]))
    assert run["arm.position"][-1] == pytest.approx(turns[-1], abs=1e-14)


def accelerations(_t, y):
    a, b, va, vb = y
    c, s = math.cos(a - b), math.sin(a - b)
    f = [-s * vb**2 - 2.0 * G * math.sin(a), s * va**2 - G * math.sin(b)]
    return [va, vb, *np.linalg.solve([[2.0, c], [c, 1.0]], f)]


def test_double_pendulum_agrees_with_scipy():
    run = ss.simulate(double_pendulum(), 5.0, rtol=1e-12, initial={"a.position": 1.0, "b.position": 1.5})
    truth = solve_ivp(accelerations, (0, 5.0), [1.0, 1.5, 0.0, 0.0], method="DOP853", rtol=1e-13, atol=1e-14)
    assert run.y[:, -1] == pytest.approx(truth.y[:, -1], abs=3e-10)
    assert run.energy.residual < 1e-11


def test_double_pendulum_from_sympy_agrees_with_scipy():
    """Lagrange's equations as sympy.physics.mechanics makes them go in as they are."""
    sympy = pytest.importorskip("sympy")
    mechanics = pytest.importorskip("sympy.physics.mechanics")
    a, b = mechanics.dynamicsymbols("a b")
    da, db = (x.diff() for x in (a, b))
    kinetic = da**2 + db**2 / 2 + da * db * sympy.cos(a - b)
    potential = -G * (2 * sympy.cos(a) + sympy.cos(b))
    lagrange = mechanics.LagrangesMethod(kinetic - potential, [a, b])
    lagrange.form_lagranges_equations()
    names = {a: "a.position", b: "b.position", da: "a.velocity", db: "b.velocity"}
    mass = np.array(
        [[ss.from_sympy(lagrange.mass_matrix[i, j], names) for j in range(2)] for i in range(2)], dtype=object
    )
    m = ss.Machine(mass=mass, names=["a", "b"])
    for k, name in enumerate(("a", "b")):
        m.add_force(name, ss.from_sympy(lagrange.forcing[k], names))
    start = {"a.position": 1.0, "b.position": 1.5}
    ours, by_hand = (ss.simulate(x, 3.0, rtol=1e-11, initial=start) for x in (m, double_pendulum()))
    assert ours.y[:, -1] == pytest.approx(by_hand.y[:, -1], abs=1e-9)


def test_a_machine_is_a_value():
    m = double_pendulum()
    again = pickle.loads(pickle.dumps(m))
    assert again == m
    assert ss.Machine.from_dict(m.to_dict()) == m
    start = {"a.position": 1.0}
    assert np.array_equal(ss.simulate(m, 1.0, initial=start).y, ss.simulate(again, 1.0, initial=start).y)
    m.add_force("a", 1.0)
    assert again != m


def test_resumed_run_is_bitwise_equal():
    m, start = pendulum(ss.Coulomb(0.5, 0.4)), {"arm.position": 2.0}
    whole = ss.simulate(m, 6.0, initial=start)
    part = ss.simulate(m, 2.3, initial=start)
    rest = ss.simulate(m, 6.0, state=part.state)
    assert np.array_equal(whole.state.x, rest.state.x)
    assert whole.energy.residual < 1e-8


def test_load_function_matches_closed_form():
    """A block on a wedge spring: N = N0 + k x, so that F_l = µ (N0 + k x) and v² falls as v0² − 2µ(N0 x + k x²/2)."""
    mu, load, k, v0 = 0.3, 2.0, 5.0, 1.5
    m = ss.Machine(mass=1.0, names=["block"])
    m.add_friction("guide", on="block", law=ss.Coulomb(mu), normal_load=lambda q: load + k * q["block"])
    run = ss.simulate(m, 3.0, rtol=1e-11, initial={"block.velocity": v0})
    stop = (-load + math.sqrt(load**2 + k * v0**2 / mu)) / k
    assert run["block.position"][-1] == pytest.approx(stop, abs=1e-11)
    assert str(run.events[-1].after) == "stick"


def test_linear_forces_as_expressions_are_those_of_the_matrices():
    """A two-mass machine with friction, with its springs and dampers in matrices or as expressions."""
    springs = np.array([[30.0, -20.0], [-20.0, 20.0]])
    damping = np.array([[0.3, -0.1], [-0.1, 0.1]])

    def machine(by_matrices):
        extra = {"stiffness": springs, "damping": damping} if by_matrices else {}
        m = ss.Machine(mass=[1.0, 2.0], names=["a", "b"], force={"b": ss.Sine(4.0, 0.4)}, **extra)
        if not by_matrices:
            for i, name in enumerate(("a", "b")):
                m.add_force(
                    name,
                    lambda q, v, i=i: -sum(springs[i, j] * q[j] + damping[i, j] * v[j] for j in range(2)),
                )
        m.add_friction("guide", on="a", law=ss.Coulomb(1.0, 0.6))
        m.add_friction(
            "joint", on=("a", "b"), law=ss.Stribeck(static=0.5, kinetic=0.3, stribeck_velocity=0.1)
        )
        return m

    exact, traced = (ss.simulate(machine(kind), 10.0, rtol=1e-11) for kind in (True, False))
    assert len(exact.events) == len(traced.events) > 10
    for e, f in zip(exact.events, traced.events, strict=True):
        assert (e.element, e.before, e.after) == (f.element, f.before, f.after)
        assert f.time == pytest.approx(e.time, abs=1e-8)
    assert traced.y[:, -1] == pytest.approx(exact.y[:, -1], abs=1e-8)
