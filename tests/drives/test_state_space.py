"""Plants in matrix notation (Krämer, Kempkes, section 3) against the mechanical form of the same system."""

import control as ct
import numpy as np
import pytest
from published.drive import CASCADE
from published.drive import CASE_B as LAW
from published.drive import drive as mechanical
from reference import store, two_mass
from scipy import signal
from truths.cascade_loop import two_mass_matrices

import stickslip as ss

SINE = ss.Sine(amplitude=50e-6, frequency=0.5)
NAMES = ["motor.velocity", "load.velocity", "motor.position", "load.position"]


def matrices() -> tuple[np.ndarray, ...]:
    """States (v_M, v_L, x_M, x_L), inputs (F_M, F_L), outputs the states."""
    m, c, d = 1000.0, 5e6, 1341.64
    A = np.array([[-d / m, d / m, -c / m, c / m], [d / m, -d / m, c / m, -c / m], [1, 0, 0, 0], [0, 1, 0, 0]])
    B = np.array([[1 / m, 0], [0, 1 / m], [0, 0], [0, 0]])
    return A, B, np.eye(4), np.zeros((4, 2))


def drive(law: ss.Law = LAW, **options: object) -> ss.StateSpace:
    A, B, C, D = matrices()
    plant = ss.StateSpace(A, B, C, D, states=NAMES, inputs=["F_M", "F_L"], outputs=NAMES)
    plant.add_friction("load friction", law=law, on="F_L", velocity="load.velocity", normal_load=9810.0)
    plant.add_controller(
        CASCADE, name="control", measure="motor.position", reference=SINE, to="F_M", **options
    )
    return plant


LUGRE = ss.LuGre(stiffness=1e4, damping=10.0, static=7e-4, kinetic=6e-4, stribeck_velocity=1e-3)


@pytest.mark.parametrize("period", [None, 1e-3])
@pytest.mark.parametrize(
    "law", [LAW, ss.Coulomb(static=0.007, kinetic=0.006), LUGRE], ids=lambda x: type(x).__name__
)
def test_the_same_run_as_the_mechanical_form(law: ss.Law, period: float | None) -> None:
    t = np.linspace(0.0, 2.0, 201)
    a = ss.simulate(drive(law, period=period), 2.0, t_eval=t, rtol=1e-11)
    b = ss.simulate(mechanical(law, period=period), 2.0, t_eval=t, rtol=1e-11)
    for name in [*NAMES, "load friction.force", "control.output", "control.error"]:
        assert a[name] == pytest.approx(b[name], rel=0, abs=1e-10 * np.abs(b[name]).max())
    assert [(e.element, e.after) for e in a.events] == [(e.element, e.after) for e in b.events]
    assert [e.time for e in a.events] == pytest.approx([e.time for e in b.events], rel=0, abs=1e-10)


def test_matrices_of_table_1_give_its_events() -> None:
    stored = store.load("two_mass")["b"]
    run = ss.simulate(drive(), t_end=3.0, rtol=1e-12)
    assert [e.time for e in run.events] == pytest.approx([t for t, _ in stored["events"]], rel=0, abs=2e-13)


def test_matrices_stay_and_are_given_back() -> None:
    A, B, C, D = matrices()
    systems = (ct.ss(A, B, C, D), signal.StateSpace(A, B, C, D))
    for system in systems:
        plant = ss.StateSpace(system)
        plant.add_friction("f", law=LAW, on="u1", velocity="y1")
        assert plant.system is system
        for name, given in zip("ABCD", (A, B, C, D), strict=True):
            assert np.array_equal(getattr(plant, name), given)
        assert np.array_equal(plant.A_NL[:, 0], -B[:, 1])
    own = ss.StateSpace(A, B, C, D)
    assert own.system is own
    with pytest.raises(ValueError, match=r"A.dt = 0.1 is not allowed.*continuous in time"):
        ss.StateSpace(ct.ss(A, B, C, D, 0.1))


def test_names_given_elsewhere_are_kept() -> None:
    A, B, C, D = matrices()
    plant = ss.StateSpace(ct.ss(A, B, C, D, inputs=["FM", "FL"], outputs=["a", "b", "c", "d"]))
    assert (plant.inputs, plant.outputs) == (("FM", "FL"), ("a", "b", "c", "d"))
    assert plant.states == ("x0", "x1", "x2", "x3")  # python-control's x[0] … is nobody's choice
    plant.add_friction("f", law=LAW, on="FL", velocity="b")
    other = ss.StateSpace(ct.ss(A, B, C, D, inputs=["FM", "FL"]), inputs=["p", "q"])
    assert (other.inputs, other.outputs) == (("p", "q"), ("y0", "y1", "y2", "y3"))


def test_frictionless_state_space_agrees_with_scipy() -> None:
    """Step response with D against scipy.signal."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(3, 3)) - 3.0 * np.eye(3)
    B, C, D = rng.normal(size=(3, 2)), rng.normal(size=(2, 3)), rng.normal(size=(2, 2))
    plant = ss.StateSpace(A, B, C, D, signals={"u0": 1.0, "u1": ss.Ramp(slope=0.5)})
    t = np.linspace(0.0, 3.0, 61)
    run = ss.simulate(plant, t_end=3.0, t_eval=t)
    _, y, x = signal.lsim((A, B, C, D), np.column_stack([np.ones_like(t), 0.5 * t]), t)
    assert run.y.T == pytest.approx(x, abs=1e-12)
    assert np.column_stack([run["y0"], run["y1"]]) == pytest.approx(y, abs=1e-12)


def test_given_column_and_acceleration_output_match_hand_calculation() -> None:
    """A block on a ramp of force: from t = 5 on it slides with a = 0.2 t - 0.8; D and D_NL make a an
    output.
    """
    plant = ss.StateSpace(
        A=[[0.0]],
        B=[[1.0]],
        C=[[1.0], [0.0]],
        D=[[0.0], [1.0]],
        outputs=["v", "a"],
        signals={"u0": ss.Ramp(slope=0.2)},
    )
    law = ss.Coulomb(static=1.0, kinetic=0.8)
    plant.add_friction("guide", law=law, velocity=[1.0], column=[-1.0], feedthrough={"a": -1.0})
    run = ss.simulate(plant, t_end=8.0, t_eval=[2.0, 6.0, 7.5])
    assert run.events[0].time == pytest.approx(5.0, abs=1e-12)
    assert run["a"] == pytest.approx([0.0, 0.4, 0.7], abs=1e-12)
    v = [0.1 * (t**2 - 25) - 0.8 * (t - 5) for t in (6.0, 7.5)]
    assert run["v"] == pytest.approx([0.0, *v], abs=1e-12)
    e = run.energy
    unknown = [e.kinetic, e.elastic, e.damping, e.drives["u0"], e.imbalance, e.residual]
    assert all(np.isnan(x).all() for x in unknown) and "kinetic          nan J" in repr(e)
    assert run.energy.friction["guide"][-1] == pytest.approx(
        0.8 * (0.1 * (7.5**3 - 125) / 3 - 2.5 * 2.5 - 0.4 * 2.5**2)
    )


def test_feedthrough_in_a_loop_matches_hand_calculation() -> None:
    """y = x + 0.5 u with u from a strictly proper controller: solved by hand as one linear system."""
    plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0, D=0.5)
    plant.add_controller(ss.LTI(A=-2.0, B=1.0, C=3.0), name="c", measure="y0", reference=1.0, to="u0")
    run = ss.simulate(plant, t_end=4.0, t_eval=[1.0, 4.0])
    # x' = -x + 3 z, z' = -2 z + 1 - x - 1.5 z
    _, y, _ = signal.lsim(
        ([[-1, 3], [-1, -3.5]], [[0], [1]], np.eye(2), np.zeros((2, 1))), np.ones(401), np.linspace(0, 4, 401)
    )
    assert run["x0"] == pytest.approx(y[[100, 400], 0], abs=1e-12)
    assert run["y0"] == pytest.approx(y[[100, 400], 0] + 1.5 * y[[100, 400], 1], abs=1e-12)


def test_machine_as_matrices_agrees_with_python_control() -> None:
    """The closed loop of Table 1 by hand, in another order of states, and its response by python-control."""
    machine = mechanical(LAW).machine
    part = machine.to_state_space(
        to=["motor", "load"], measure=["load.velocity", {"motor": 1.0, "load": -1.0}]
    )
    assert (part.outputs, part.states) == (("load.velocity", "y1"), machine.states)
    A, B, _, _ = matrices()
    rows = np.array([[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])  # position and velocity of the motor
    kv, kp, tn = 8 / 60e-3, 700e3, 30e-3
    error = -(kv * rows[0] + rows[1])
    closed = np.block([[A + np.outer(B[:, 0], kp * error), kp / tn * B[:, :1]], [error, 0.0]])
    by_hand = ct.ss(
        closed,
        np.vstack([B, np.zeros((1, 2))]),
        [[0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0, 0.0]],
        np.zeros((2, 2)),
    )
    omega = np.geomspace(1.0, 1e3, 30)
    found = ss.linear.frequency_response(part, omega).response
    expected = by_hand(1j * omega)
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
    assert np.sort_complex(np.linalg.eigvals(part.A)) == pytest.approx(np.sort_complex(machine.poles()))
    for arguments, message in (
        ({"to": "arm", "measure": "load"}, "unknown coordinate 'arm'"),
        (
            {"to": "load", "measure": "arm"},
            "measure names 'arm', which is unknown; known are: 'motor.position'",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            machine.to_state_space(**arguments)


def test_describing_function_of_a_machine_matches_closed_form() -> None:
    """A block on a spring with F = (v³ - v)/2: Rayleigh's balance in closed form.

    Under v = V sin θ its gain is (3 V²/4 - 1)/2, which balances the damping 0.1 at V = sqrt(3.2/3).
    """
    m = ss.Machine(mass=1.0, damping=0.1, stiffness=4.0, names=["block"])
    part = m.to_state_space(to="block", measure="block.velocity")
    (cycle,) = ss.analysis.harmonic_balance(part, lambda v: 0.5 * (v**3 - v))
    assert cycle.omega == pytest.approx(2.0, rel=1e-9) and cycle.stable
    assert cycle.velocity == pytest.approx(np.sqrt(3.2 / 3.0), rel=1e-9)


@pytest.mark.parametrize("make", [ct.ss, signal.StateSpace], ids=["control", "scipy"])
def test_state_space_objects_become_lti_controllers(make) -> None:
    """A lead (50 s + 500)/(s + 50) given as an object is the LTI of its matrices."""
    runs = []
    for control in (make(-50.0, 1.0, -2000.0, 50.0), ss.LTI(A=-50.0, B=1.0, C=-2000.0, D=50.0)):
        m = ss.Machine(mass=1.0, names=["x"])
        assert m.add_controller(control, on="x", reference=1.0) == "lti"
        runs.append(ss.simulate(m, t_end=2.0, dt=0.1)["x.position"])
    assert np.array_equal(*runs)


class TestBadInput:
    def test_algebraic_loop_is_refused(self) -> None:
        plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0, D=0.5)
        plant.add_controller(ss.P(kp=-4.0), name="p", measure="y0", to="u0")
        with pytest.raises(ValueError, match=r"algebraic loop.*'p' <- 'p'"):
            plant.check()

    def test_friction_that_increases_its_velocity_is_refused(self) -> None:
        A, B, C, D = matrices()
        for velocity in ("y0", "y3", {"y1": -1.0}):
            plant = ss.StateSpace(A, B, C, D)
            plant.add_friction("f", law=LAW, on="u1", velocity=velocity)
            with pytest.raises(ValueError, match=r"column of 'f' .*C A_NL = .*must be < 0"):
                plant.check()
        plant = ss.StateSpace(A, B, C, D)
        plant.add_friction("f", law=LAW, column=B[:, 1], velocity="y1")
        with pytest.raises(ValueError, match=r"C A_NL"):
            plant.check()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"A": np.eye(2)}, r"B and C are missing"),
            ({"A": np.eye(2), "B": np.ones(3), "C": np.ones(2)}, r"B has the shape \(3, 1\)"),
            ({"A": np.ones((2, 3)), "B": np.ones(2), "C": np.ones(2)}, r"A has the shape \(2, 3\)"),
            ({"A": np.eye(2), "B": np.ones(2), "C": np.ones(3)}, r"C has the shape \(1, 3\)"),
            (
                {"A": np.eye(2), "B": np.ones(2), "C": np.ones(2), "D": [[1.0, 2.0]]},
                r"D has the shape \(1, 2\)",
            ),
            ({"A": [[np.nan]], "B": 1.0, "C": 1.0}, r"A\[0, 0\] = nan"),
            ({"A": 1j, "B": 1.0, "C": 1.0}, "A = 1j is not allowed: it must be .*numbers"),
            ({"A": 1.0, "B": 1.0, "C": 1.0, "inputs": ["a", "b"]}, "sequence of 1 names"),
            ({"A": 1.0, "B": 1.0, "C": 1.0, "signals": {"u1": 1.0}}, "unknown input 'u1'"),
        ],
    )
    def test_bad_matrices_are_refused(self, arguments: dict, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            ss.StateSpace(**arguments)

    def test_bad_names_are_refused(self) -> None:
        A, B, C, D = matrices()
        plant = ss.StateSpace(A, B, C, D)
        with pytest.raises(ValueError, match="velocity of 'f' names 'w'"):
            plant.add_friction("f", law=LAW, on="u1", velocity="w")
        with pytest.raises(ValueError, match="exactly one"):
            plant.add_friction("f", law=LAW, velocity="y1")
        with pytest.raises(ValueError, match="column of 'f' = 'u1'"):
            plant.add_friction("f", law=LAW, velocity="y1", column="u1")
        with pytest.raises(ValueError, match="velocity of 'f'\\[1\\] = nan"):
            plant.add_friction("f", law=LAW, velocity=[0.0, np.nan, 0.0, 0.0], on="u1")
        with pytest.raises(ValueError, match="feedthrough of 'f' = 'y1' is not allowed"):
            plant.add_friction("f", law=LAW, velocity={"y1": 1.0}, on="u1", feedthrough={"y1": 1.0})
        plant.add_friction("f", law=LAW, on="u1", velocity="y1")
        with pytest.raises(ValueError, match="'f' is taken"):
            plant.add_friction("f", law=LAW, on="u1", velocity="y1")
        with pytest.raises(ValueError, match="replaced by measure and to"):
            plant.add_controller(ss.P(kp=1.0), on="u1")

    def test_two_mass_matrices_equal_the_reference(self) -> None:
        assert two_mass.C == 5e6 and np.array_equal(
            two_mass_matrices(1e3, 1e3, 5e6, 1341.64)[0], matrices()[0]
        )
