"""The fixed-step form of machines whose masses, forces, rows, loads and constraints are functions of their motion, against
runs by events and against what is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from smooth.cam_followers import START, cam_follower
from smooth.pendulums import G, double_pendulum

import stickslip as ss

STEPS = np.array([2e-3, 1e-3, 5e-4, 2.5e-4])


def errors(machine, t_end, signal, initial, steps=STEPS):
    """Worst error of a signal over the run for each step; the last of the steppers, and the run by events."""
    out = []
    for h in steps:
        n = round(t_end / h)
        rt = ss.RealTime(machine, step=h, initial=initial, outputs=[signal])
        x = rt.run(n)[:, 0]
        t = np.minimum(h * np.arange(1, n + 1), t_end)
        run = ss.simulate(machine, t_end, initial=initial, t_eval=t, rtol=1e-11)
        assert run.success and not rt.failed and rt.late_steps == 0
        out.append(np.abs(x - run[signal]).max())
    return np.array(out), rt, run


def of_second_order(e, least=1.9):
    return math.log2(e[0] / e[-1]) / (len(e) - 1) >= least


def instants(run):
    return len({e.instant for e in run.events})


MASS, LENGTH, TORQUE = 1.0, 1.0, 0.8


def pendulum(static=1.2):
    m = ss.Machine(mass=MASS * LENGTH**2, names=["arm"])
    m.add_force("arm", lambda q: -MASS * G * LENGTH * ss.sin(q["arm"]))
    m.add_friction("joint", on="arm", law=ss.Coulomb(static=static, kinetic=1.0), normal_load=TORQUE)
    return m


def turning_points(start):
    """m g l (cos b - cos a) = M_f |b - a| for successive turning points a, b (energy)."""
    points = [start]
    while MASS * G * LENGTH * abs(math.sin(points[-1])) > 1.2 * TORQUE:
        a = points[-1]

        def left(b, a=a):
            return MASS * G * LENGTH * (math.cos(b) - math.cos(a)) - TORQUE * abs(b - a)

        points.append(brentq(left, a * (1.0 - 1e-6), -a, xtol=1e-14))
    return points


def test_pendulum_with_dry_friction_converges_with_second_order():
    """Order 2, the transitions of the run by events, and every turning point of the energy equation."""
    start = {"arm.position": 2.5}
    e, rt, run = errors(pendulum(), 20.0, "arm.position", start, STEPS[1:])
    assert of_second_order(e) and e[-1] < 1e-6
    assert rt.prebuilt and rt.transitions == instants(run)
    assert rt.modes == {"joint": ss.Mode.STICK}
    h = 1e-3
    path = ss.RealTime(pendulum(), step=h, initial=start, outputs=["arm.position"]).run(20000)
    x, v = path[:, 0], np.diff(path[:, 0])
    turns = x[1:-1][(v[:-1] * v[1:] < 0.0)]
    points = turning_points(2.5)
    assert len(turns) == len(points) - 2  # at the last one it stays
    assert turns == pytest.approx(points[1:-1], abs=1e-5)
    assert x[-1] == pytest.approx(points[-1], abs=1e-5)


def test_double_pendulum_converges_with_second_order():
    e, rt, _ = errors(double_pendulum(), 2.0, "a.position", {"a.position": 1.0, "b.position": 1.5})
    assert of_second_order(e, 1.98) and e[-1] < 1e-6
    assert rt.prebuilt and rt.transitions == 0


def test_variable_rows_loads_and_masses_converge():
    """M(q), a sliding direction w(q) and a load N(q): all turn within a step."""
    m = ss.Machine(
        mass=lambda q: [[1.0 + 0.3 * ss.cos(q["a"] - q["b"]), 0.2], [0.2, 1.0]],
        names=["a", "b"],
        force={"a": ss.Sine(amplitude=3.0, frequency=0.7)},
    )
    m.add_friction(
        "f",
        on=lambda q: {"a": 1.0, "b": 0.5 * ss.cos(q["a"])},
        law=ss.Coulomb(static=1.0, kinetic=0.7),
        normal_load=lambda q: 1.0 + 0.3 * ss.sin(q["a"]),
    )
    e, rt, run = errors(m, 6.0, "a.position", {"a.position": 0.3, "b.velocity": 1.0})
    assert of_second_order(e) and e[-1] < 5e-7
    assert rt.prebuilt and rt.transitions == instants(run) > 4


CRANK, ROD = 0.1, 0.3


def closed_loop():
    m = ss.Machine(
        mass=np.diag([0.02, 1.0]),
        names=["crank", "slide"],
        force={"crank": ss.Sine(amplitude=0.5, frequency=0.3)},
    )

    def rod(q):
        return (q["slide"] - CRANK * ss.cos(q["crank"])) ** 2 + (CRANK * ss.sin(q["crank"])) ** 2 - ROD**2

    m.add_constraint("rod", on=rod)
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=0.3, kinetic=0.25), normal_load=5.0)
    return m


def test_slider_crank_keeps_its_constraint():
    """A constraint g(q) = 0, kept to rounding; the guide sticks, slips and turns round at the dead centres."""
    start = {
        "crank.position": 0.5,
        "slide.position": CRANK * math.cos(0.5) + math.sqrt(ROD**2 - (CRANK * math.sin(0.5)) ** 2),
    }
    e, rt, run = errors(closed_loop(), 4.0, "slide.position", start)
    assert of_second_order(e) and e[-1] < 2e-6
    assert rt.transitions == instants(run) == 10
    assert not rt.prebuilt  # a redundant constraint would need memory
    crank, slide = rt.state[:2]
    assert (slide - CRANK * math.cos(crank)) ** 2 + (CRANK * math.sin(crank)) ** 2 == pytest.approx(
        ROD**2, rel=1e-13
    )


def test_compliant_cam_follower_agrees_with_simulate():
    """A follower on a turning eccentric, pressed by a spring, with friction in its contact: it jumps and comes down."""
    m = cam_follower()
    e, rt, run = errors(m, 1.0, "follower.position", START)
    assert of_second_order(e, 1.8) and e[-1] < 1e-6
    assert {ss.Mode.OPEN} <= {event.after for event in run.events}  # it does jump
    assert rt.prebuilt
    both = ss.RealTime(
        m, step=1e-4, initial=START, outputs=["contact.gap", "contact.normal_force", "contact.mode"]
    )
    gap, force, mode = both.run(10000).T
    assert np.all((force > 0.0) == (mode != ss.Mode.OPEN)) and np.all(force[gap > 0.0] == 0.0)
    assert force.max() == pytest.approx(
        ss.simulate(m, 1.0, initial=START, dt=1e-4)["contact.normal_force"].max(), rel=1e-3
    )


def test_rod_on_a_compliant_floor_stays_stable():
    """Painleve's rod with mu = 0.5, on a tip of Kelvin-Voigt: stiff at this step, which stays stable."""
    m = ss.Machine(mass=np.diag([1.0, 1.0, 1.0 / 3.0]), names=["x", "y", "angle"], force={"y": -G})
    m.add_contact(
        "tip",
        gap=lambda q: q["y"] - ss.sin(q["angle"]),
        tangent=lambda q: {"x": 1.0, "angle": ss.sin(q["angle"])},
        friction=ss.Coulomb(static=0.5, kinetic=0.5),
        compliance=ss.KelvinVoigt(stiffness=1e5, damping=300.0),
    )
    start = {"angle.position": 1.2, "y.position": math.sin(1.2), "x.velocity": 2.0}
    e, rt, _ = errors(m, 0.25, "angle.position", start)
    assert of_second_order(e, 1.4) and e[-1] < 2e-6
    assert rt.prebuilt


@pytest.mark.parametrize("options", [{}, {"period": 0.01}, {"limits": 8.0}, {"period": 0.01, "limits": 8.0}])
def test_controlled_pendulum_converges_with_second_order(options):
    m = ss.Machine(mass=1.0, names=["arm"])
    m.add_force("arm", lambda q: -G * ss.sin(q["arm"]))
    law = ss.Stribeck(static=1.2, kinetic=1.0, stribeck_velocity=0.05, viscous=0.1)
    m.add_friction("joint", on="arm", law=law, normal_load=TORQUE)
    m.add_controller(
        ss.PID(kp=30.0, ki=20.0, kd=6.0, **options),
        name="hold",
        measure="arm.position",
        reference=ss.Sine(amplitude=1.0, frequency=0.5),
        to="arm",
    )
    e, rt, _ = errors(m, 4.0, "arm.position", {})
    assert of_second_order(e) and e[-1] < 1e-7
    assert rt.prebuilt


def test_bristles_converge_with_second_order():
    m = ss.Machine(mass=1.0, names=["arm"])
    m.add_force("arm", lambda q, t: -G * ss.sin(q["arm"]) + 8.0 * ss.sin(2.0 * t))
    law = ss.LuGre(stiffness=1e4, damping=100.0, viscous=0.1, static=1.2, kinetic=1.0, stribeck_velocity=0.05)
    m.add_friction("joint", on="arm", law=law, normal_load=TORQUE)
    e, rt, _ = errors(m, 4.0, "arm.position", {})
    assert of_second_order(e, 1.8) and e[-1] < 1e-5
    assert rt.prebuilt


def test_unsupported_elements_are_refused_by_name():
    m = pendulum()
    m.add_contact("stop", gap=lambda q: 2.0 - q["arm"])
    with pytest.raises(
        ValueError, match="has the contact 'stop', which is rigid, and functions of the motion"
    ):
        ss.RealTime(m, step=1e-3)


def test_singular_mass_matrix_keeps_the_state():
    """The state that was last known is kept, and `failed` says so."""
    m = ss.Machine(mass=lambda q: [[q["arm"]]], names=["arm"])
    rt = ss.RealTime(m, step=1e-3, initial={"arm.position": 0.1, "arm.velocity": -1.0})
    rt.run(1000)
    assert rt.failed and np.all(np.isfinite(rt.state))


KINKS = {
    "abs": lambda q: -50.0 * q["q"] - 30.0 * abs(q["q"]),
    "where": lambda q: ss.where(q["q"] > 0.0, -400.0 * q["q"], -100.0 * q["q"]),
    "maximum": lambda q: -ss.maximum(100.0 * q["q"], -2.0),
}
JUMPS = {
    "of a position": lambda q: ss.where(q["q"] > 0.0, -20.0 - 40.0 * q["q"], 20.0 - 40.0 * q["q"]),
    "of a velocity": lambda q, v: -100.0 * q["q"] - ss.where(v["q"] > 0.5, 1.0, 0.0),
    "of time": lambda q, t: -100.0 * q["q"] + ss.where(t > 0.33333, 5.0, 0.0),
}


@pytest.mark.parametrize("case", [*KINKS, *JUMPS])
def test_corners_within_steps_have_the_documented_order(case: str) -> None:
    """Order fitted to six steps, since corners lie anywhere in a step: second at kinks, first at jumps."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_force("q", (KINKS | JUMPS)[case])
    start, t_end = {"q.velocity": 1.3}, 2.0
    run = ss.simulate(m, t_end, initial=start, rtol=1e-11)
    exact = [run.at([t_end])[key][0] for key in ("q.position", "q.velocity")]
    steps = 2e-3 / 2.0 ** np.arange(6)
    errors = [np.abs(ss.RealTime(m, h, initial=start).run(round(t_end / h))[-1] - exact).max() for h in steps]
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert 1.9 < order < 2.2 if case in KINKS else 0.3 < order < 1.3
