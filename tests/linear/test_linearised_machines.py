"""Matrices of linearised machines against differences of the engine's right-hand side and of its signals."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from linear.machines_of_every_law import LAWS, random_machine

import stickslip as ss
from stickslip import _core

Array = np.ndarray
STEPS = (
    1e-4,
    1e-6,
    1e-8,
)  # of the size of a state; the elasto-plastic law has a corner where it slides steadily


def slope(of: Callable[[float], Array], size: float) -> list[Array]:
    """Central differences of sixth order with several steps."""
    found = []
    for step in STEPS:
        h = step * size
        sums = 45.0 * (of(h) - of(-h)) - 9.0 * (of(2 * h) - of(-2 * h)) + (of(3 * h) - of(-3 * h))
        found.append(sums / (60.0 * h))
    return found


def error(found: Array, differences: list[Array], size: Array) -> float:
    """The greatest error of a row, relative to its greatest entry, with columns in the sizes of the states."""
    off = np.min([np.abs(found - one) for one in differences], axis=0) * size
    rows = (np.abs(found) * size).max(axis=1, initial=0.0)
    return float(
        (off.max(axis=1, initial=0.0) / np.maximum(rows, 1e-9 * max(rows.max(initial=0.0), 1e-30))).max(
            initial=0.0
        )
    )


def operating_state(seed: int, law: str) -> tuple[ss.Machine, _core.dynamics.State]:
    """A state of a run in which no element creeps: differences need room on both sides of v = 0."""
    rng = np.random.default_rng(seed)
    m = random_machine(rng, law)
    run = ss.simulate(m, t_end=0.6, rtol=1e-6, max_time=5.0)  # creep between two bodies may take longer
    for t in rng.uniform(0.05, 0.6, 20) * run.t[-1] / 0.6:
        state = _core.linear.state_within(run._raw, float(t))
        speeds = np.abs(_core.linear.linearise(m.compile(), state, state.x).sliding)
        if np.all((speeds > 1e-4) | (np.array(state.modes) == 0)):
            break
    return m, state


def rate(m: ss.Machine, at: _core.dynamics.State, x: Array) -> Array:
    """The right-hand side of the engine."""
    return _core.linear.linearise(m.compile(), at, x).rate


def errors_of_matrices(seed: int, law: str) -> list[float]:
    """Errors of A, B, C and D of one random machine, from a force and a reference to accelerations."""
    m, state = operating_state(seed, law)
    compiled, x = m.compile(), state.x
    controllers = [e["name"] for e in m._description.elements if e["kind"] == "controller"]
    inputs = [m.names[0], *(["control.reference"] if controllers else [])]
    system = m.linearise(inputs, [f"{c}.acceleration" for c in m.names], at=state)
    motion = _core.linear.linearise(compiled, state, x)
    kept = [compiled.states.index(name) for name in system.states]
    assert kept == motion.free
    accelerations = [compiled.states.index(f"{c}.velocity") for c in m.names]
    size = np.maximum(compiled.nominal, np.abs(x))
    size[size == 0.0] = 1.0

    def along(state_number: int, change: Array) -> list[Array]:
        return slope(lambda h: rate(m, state, x + h * change), float(size[state_number]))

    def by_input(name: str) -> list[Array]:
        return slope(
            lambda h: rate(random_machine(np.random.default_rng(seed), law, **{name: h}), state, x), 1.0
        )

    one = np.ones(len(inputs))
    b = [np.column_stack(c) for c in zip(*map(by_input, ("force", "reference")[: one.size]), strict=True)]
    found = [error(system.B, [d[kept] for d in b], one), error(system.D, [d[accelerations] for d in b], one)]
    if kept:
        a = [np.column_stack(c) for c in zip(*map(along, kept, motion.all.T), strict=True)]
        found.append(error(system.A, [d[kept] for d in a], size[kept]))
        found.append(error(system.C, [d[accelerations] for d in a], size[kept]))
    return found


@pytest.mark.parametrize(
    "seeds", [range(3), pytest.param(range(3, 10), marks=pytest.mark.slow)], ids=["3", "7"]
)
@pytest.mark.parametrize("law", LAWS)
def test_matrices_match_differences_of_the_right_hand_side(law: str, seeds: range) -> None:
    """Ten random machines for each of 20 laws; the elasto-plastic law limits the differences, all others reach 1e-9."""
    assert max(max(errors_of_matrices(seed, law)) for seed in seeds) < 5e-7


def test_outputs_of_controllers_match_their_formulas() -> None:
    """C and D of position, error and output of u = 3 e + z, z' = 4 e."""
    m = ss.Machine(mass=2.0, stiffness=1.0, names=["q"])
    m.add_friction("guide", on="q", law=ss.Stribeck(1.0, 0.5, 0.1), surface_velocity=0.3)
    m.add_controller(ss.PI(kp=3.0, ki=4.0), "control", measure="q.velocity", to="q")
    system = m.linearise("control.reference", ["q", "control.error", "control.output"], at="sliding")
    assert system.states == ("q.position", "q.velocity", "control.z")
    assert system.C == pytest.approx(
        np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, -3.0, 1.0]]), abs=1e-14
    )
    assert system.D == pytest.approx(np.array([[0.0], [1.0], [3.0]]), abs=1e-14)


def belt() -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=4.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Stribeck(1.0, 0.5, 0.1, shape=1.0), surface_velocity=0.2)
    return m


def test_a_run_is_linearised_at_any_of_its_times() -> None:
    m = belt()
    run = ss.simulate(m, t_end=3.0)
    at = [m.linearise(at=run, t=t) for t in (0.5, 3.0)]
    assert at[0].A.shape == (0, 0)  # it sticks
    assert run.state.modes == [-1]
    assert at[1].A == pytest.approx(m.linearise(at=run.state).A, abs=0.0)
    assert at[1].A == pytest.approx(m.linearise(at=run).A, abs=0.0)


def test_modes_replace_those_of_the_operating_point() -> None:
    m = belt()
    v = 0.5
    forward = m.linearise(at={"block.velocity": v}, modes={"belt": "slip+"})
    assert forward.A[1, 1] == pytest.approx(0.5 / 0.1 * np.exp(-(v - 0.2) / 0.1), rel=1e-12)
    assert m.linearise(at={"block.velocity": v}, modes={"belt": "stick"}).states == ()


def test_a_spring_has_the_stiffness_of_its_segment() -> None:
    m = ss.Machine(mass=2.0, names=["q"])
    m.add_spring("stop", on="q", stiffness=8.0, damping=1.0, backlash=0.2)
    assert m.poles(at={}) == pytest.approx([0.0, 0.0])
    assert m.poles(at={"q.position": 0.3}) == pytest.approx(np.roots([2.0, 1.0, 8.0])[::-1])


def test_a_closed_contact_reduces_the_order() -> None:
    m = ss.Machine(mass=np.eye(2), stiffness=[[5.0, 1.0], [1.0, 3.0]], names=["x", "y"], force={"y": -2.0})
    m.add_contact("floor", normal={"y": 1.0})
    closed = m.linearise(at={})
    assert closed.states == ("x.position", "x.velocity")
    assert closed.A == pytest.approx(np.array([[0.0, 1.0], [-5.0, 0.0]]), abs=1e-14)
    assert m.linearise(at={"y.position": 0.1}).A.shape == (4, 4)


def test_a_constraint_reduces_a_mass_to_a_pendulum() -> None:
    """x² + y² = l², at rest below and above the centre: poles ±sqrt(∓g/l)."""
    m = ss.Machine(mass=3.0 * np.eye(2), names=["x", "y"], force={"y": -3.0 * 9.81})
    m.add_constraint("rod", lambda q: q[0] ** 2 + q[1] ** 2 - 4.0)
    below = m.linearise(at={"x.position": 0.0, "y.position": -2.0})
    assert below.states == ("x.position", "x.velocity")
    assert np.asarray(below.poles()) == pytest.approx(np.array([-1j, 1j]) * np.sqrt(9.81 / 2.0), rel=1e-12)
    above = m.poles(at={"x.position": 0.0, "y.position": 2.0})
    assert sorted(above.real) == pytest.approx(np.array([-1.0, 1.0]) * np.sqrt(9.81 / 2.0), rel=1e-12)


def test_a_bead_that_moves_in_a_bowl_is_linearised_along_it() -> None:
    """Contact y = x²/(2 R) in motion, from the equation (1 + x²/R²) x'' = -x (x'²/R² + g/R)."""
    g, radius = 9.81, 1.5
    m = ss.Machine(mass=np.eye(2), names=["x", "y"], force={"y": -g})
    m.add_contact("bowl", gap=lambda q: q[1] - q[0] ** 2 / (2.0 * radius))
    run = ss.simulate(m, t_end=0.7, initial={"x.position": 0.5, "y.position": 0.25 / (2.0 * radius)})
    x, v = (float(run[f"x.{part}"][-1]) for part in ("position", "velocity"))
    mass, pull = 1.0 + x**2 / radius**2, v**2 / radius**2 + g / radius
    expected = [
        [0.0, 1.0],
        [-pull / mass + x * pull * 2.0 * x / radius**2 / mass**2, -2.0 * x * v / radius**2 / mass],
    ]
    system = m.linearise(at=run)
    assert system.states == ("x.position", "x.velocity")
    assert system.A == pytest.approx(np.array(expected), rel=1e-10, abs=1e-10)


def test_a_limited_output_is_constant_at_its_limit() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["q"])
    m.add_controller(ss.P(kp=10.0, limits=(-0.5, 0.5)), measure="q", reference=0.0, to="q")
    assert m.poles(at={"q.position": 1.0}) == pytest.approx([-1j, 1j])
    assert m.poles(at={}) == pytest.approx([-1j * 11**0.5, 1j * 11**0.5])


def test_a_sampled_output_at_its_limit_is_refused() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(
        ss.P(kp=10.0, period=0.1, limits=(-0.5, 0.5)), measure="q.velocity", reference=1.0, to="q"
    )
    assert m.poles(at=ss.simulate(m, t_end=9.0)).period == 0.1
    with pytest.raises(ValueError, match=r"'p\.held' is at its limit, 0\.5: a sampled loop is linear within"):
        m.poles(at=ss.simulate(m, t_end=1.0))


def test_an_open_loop_takes_an_operating_point() -> None:
    m = belt()
    m.add_controller(ss.P(kp=3.0), "speed", measure="block.velocity", to="block")
    loop = ss.open_loop(m, at="speed.output", about="sliding")
    slope = -0.5 / 0.1 * np.exp(-2.0)
    w = np.array([0.3, 2.5])
    assert loop(w) == pytest.approx(3.0 * 1j * w / (4.0 - w**2 + 1j * w * slope), rel=1e-12)
    response = m.bode("block", "block.velocity", w, at="sliding").response[0, 0]
    assert response == pytest.approx(1j * w / (4.0 - w**2 + 1j * w * (slope + 3.0)), rel=1e-12)


def test_mode_shapes_are_those_of_scipy() -> None:
    import scipy.linalg

    mass, k = np.diag([1.0, 2.0, 0.5]), np.array([[5.0, -2.0, 0.0], [-2.0, 4.0, -1.0], [0.0, -1.0, 3.0]])
    m = ss.Machine(mass=mass, stiffness=k, names=["a", "b", "c"])
    shapes = m.linearise().mode_shapes()
    squares, vectors = scipy.linalg.eigh(k, mass)
    assert shapes.natural_frequency[::2] == pytest.approx(np.sqrt(squares), rel=1e-12)
    for k_mode in range(3):
        of = np.array([shapes[f"{name}.position"][2 * k_mode] for name in "abc"])
        reference = vectors[:, k_mode] / vectors[np.argmax(np.abs(vectors[:, k_mode])), k_mode]
        assert of == pytest.approx(reference, abs=1e-12)
    with pytest.raises(ss.errors.UnknownNameError, match=r"unknown state 'd'; known are: 'a\.position'"):
        shapes["d"]


def other_machine() -> _core.dynamics.State:
    return ss.simulate(ss.Machine(mass=1.0, names=["q"]), t_end=1.0).state


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"at": "slipping"}, "at = 'slipping' is not allowed: it must be 'frictionless', 'sliding'"),
        (
            {"at": {"speed": 1.0}},
            "unknown state 'speed' in at; known are: 'block.position', 'block.velocity'",
        ),
        ({"at": other_machine()}, "at belongs to another machine"),
        ({"t": 1.0}, "t = 1.0 is not allowed: it must be left out where at = 'frictionless'"),
        ({"at": {}, "modes": {"pad": "stick"}}, "unknown element 'pad' in modes; known are: 'belt'"),
        ({"at": {}, "modes": {"belt": "slips"}}, r"modes\['belt'\] = 'slips' is not allowed"),
        ({"at": {}, "modes": {"belt": "high"}}, r"modes\['belt'\] cannot be 'high'"),
    ],
)
def test_a_wrong_operating_point_is_refused(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        belt().linearise(**keywords)


def test_a_dead_time_is_refused() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_friction("f", on="q", law=ss.StickSlip(ss.Stribeck(1.0, 0.5, 0.1), memory=ss.DeadTime(0.1)))
    with pytest.raises(ValueError, match="the dead time of 'f' has no finite number of states; use a lag"):
        m.linearise(at={})


def test_a_nonlinear_machine_names_the_cure() -> None:
    with pytest.raises(
        ValueError, match=r"needs constant matrices: give an operating point, such as at = run\.state"
    ):
        ss.machines.pendulum(1.0, 2.0).linearise()
