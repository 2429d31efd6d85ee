"""Constraints that are formulas of the position, and those of machines whose mass follows it.

Against closed forms, and against the same machines in coordinates that leave nothing to constrain, integrated by SciPy.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipj, ellipk

import stickslip as ss

G, LENGTH, MASS = 9.81, 0.7, 1.3


def pendulum(**options):
    """A mass on a rod, in Cartesian coordinates, y upwards."""
    m = ss.Machine(mass=[MASS, MASS], names=["x", "y"], force={"y": -MASS * G})
    m.add_constraint("rod", on=lambda q: ss.hypot(q["x"], q["y"]) - LENGTH, **options)
    return m


def at_angle(angle, rate=0.0):
    """The state of the pendulum at an angle from the lower vertical."""
    s, c = math.sin(angle), math.cos(angle)
    return {
        "x.position": LENGTH * s,
        "y.position": -LENGTH * c,
        "x.velocity": LENGTH * rate * c,
        "y.velocity": LENGTH * rate * s,
    }


def drift(run):
    """Residuals of the length and of its rate, at every step."""
    x, y, vx, vy = run.y
    return np.abs(np.hypot(x, y) - LENGTH).max() / LENGTH, np.abs(x * vx + y * vy).max() / (
        LENGTH * np.hypot(vx, vy).max()
    )


@pytest.mark.parametrize("amplitude", [0.3, 2.5])
def test_cartesian_pendulum_matches_elliptic_functions(amplitude):
    """sin(angle / 2) = k sn(K(k²) - w t, k²) and the tension m (v²/l + g cos)."""
    run = ss.simulate(pendulum(), 8.0, rtol=1e-12, dt=0.05, initial=at_angle(amplitude))
    k2 = math.sin(amplitude / 2.0) ** 2
    sn = ellipj(ellipk(k2) + math.sqrt(G / LENGTH) * run.t, k2)[0]
    angle = 2.0 * np.arcsin(math.sqrt(k2) * sn)
    assert np.abs(np.arctan2(run["x.position"], -run["y.position"]) - angle).max() < 1e-9
    tension = MASS * G * (3.0 * np.cos(angle) - 2.0 * math.cos(amplitude))
    assert run["rod.force"] == pytest.approx(tension, abs=2e-8)
    assert run.energy.residual < 1e-10


def test_closed_loop_does_not_drift():
    """2e4 steps at the tolerance of every day: each ends on the rod, to the last digits."""
    t = np.arange(0.0, 100.0, 0.005)
    run = ss.simulate(pendulum(), 100.0, max_step=0.005, t_eval=t, initial=at_angle(2.0))
    assert run._raw.steps >= t.size
    assert max(drift(run)) < 1e-15


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_million_steps_do_not_drift():
    """The length of the rod and its rate after 1e6 steps, to the last digits."""
    steps, h = 1_000_000, 1e-3
    run = ss.simulate(
        pendulum(), steps * h, max_step=h, t_eval=[steps * h], max_time=800.0, initial=at_angle(2.0)
    )
    assert run.success and run._raw.steps >= steps
    assert max(drift(run)) < 1e-15


@pytest.mark.parametrize("start", [0.0, 0.5, 1.0])
def test_a_crank_as_long_as_its_rod_passes_its_dead_points(start):
    """x = 2 r cos φ, ψ = -φ: at φ = ±90° the slider stands over the shaft, the two constraints depend on each other, and
    the rod could as well turn with the crank. It goes on as it came, and by the energy as it must.
    """
    r, mass, inertia, rod = 0.2, 0.5, 0.01, 0.3
    m = ss.machines.slider_crank(r, r, mass, crank_inertia=inertia, rod_mass=rod)
    places = {"crank.position": start, "rod.position": -start, "slider.position": 2.0 * r * math.cos(start)}
    run = ss.simulate(m, 3.0, rtol=1e-10, dt=0.01, initial={**places, "crank.velocity": 5.0})
    assert run.success
    crank, speed = run["crank.position"], run["crank.velocity"]
    assert crank[-1] > start + 2.0 * math.pi  # over all of them
    assert run["rod.position"] == pytest.approx(-crank, abs=1e-8)
    assert run["slider.position"] == pytest.approx(2.0 * r * np.cos(crank), abs=1e-9)
    s, c = np.sin(crank), np.cos(crank)  # the rod's centre at (1.5 r cos φ, 0.5 r sin φ)
    reduced = (
        inertia + rod * r**2 / 12.0 + rod * r**2 * (2.25 * s**2 + 0.25 * c**2) + mass * (2.0 * r * s) ** 2
    )
    assert reduced * speed**2 == pytest.approx(reduced[0] * 25.0, rel=1e-7)


def test_a_parallelogram_passes_where_it_is_flat():
    """At a = 0 and a = π all bars lie on one line; a uniform turn goes on as a parallelogram."""
    m = ss.Machine(mass=np.eye(3), names=["a", "b", "c"])
    m.add_constraint("x", on=lambda q: ss.cos(q["a"]) + 2.0 * ss.cos(q["b"]) - ss.cos(q["c"]) - 2.0)
    m.add_constraint("y", on=lambda q: ss.sin(q["a"]) + 2.0 * ss.sin(q["b"]) - ss.sin(q["c"]))
    start = {"a.position": 1.0, "c.position": 1.0, "a.velocity": 1.0, "c.velocity": 1.0}
    run = ss.simulate(m, 13.0, initial={**start, "b.position": 0.0, "b.velocity": 0.0})
    assert run.success
    assert run.y[:, -1] == pytest.approx([14.0, 0.0, 14.0, 1.0, 0.0, 1.0], abs=1e-7)


def test_a_cusp_ends_the_run_with_its_name():
    """x³ + y² = 0 ends in a cusp at the origin, where both factors vanish: no force turns the mass round there. On the way
    y = (-x)^(3/2) the speed follows from the energy, v² = 2 (x - x0), and the time by quadrature.
    """
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": 1.0})
    m.add_constraint("cusp", on=lambda q: q["x"] ** 3 + q["y"] ** 2)
    start = {"x.position": -1.0, "y.position": 1.0, "x.velocity": 0.0, "y.velocity": 0.0}
    run = ss.simulate(m, 3.0, initial=start)
    assert run.status == "stalled"
    assert "the factors of the constraint 'cusp' vanish" in run.message and "x.position = " in run.message
    time = quad(lambda u: 2.0 * math.sqrt((1.0 + 2.25 * (1.0 - u * u)) / 2.0), 0.0, 1.0)[0]  # x = -1 + u²
    assert run.t[-1] == pytest.approx(time, abs=1e-7)
    assert run.y[:3, -1] == pytest.approx([0.0, 0.0, math.sqrt(2.0)], abs=1e-6)


def test_bead_on_a_turning_wire_matches_closed_form():
    """y = x tan(w t) written without its pole, with gravity switched off: r = r0 cosh(w t); the wire does the work."""
    w, r0 = 1.5, 0.4
    m = ss.Machine(mass=[2.0, 2.0], names=["x", "y"])
    m.add_constraint("wire", on=lambda q, t: q["y"] * ss.cos(w * t) - q["x"] * ss.sin(w * t))
    start = {"x.position": r0, "y.position": 0.0, "x.velocity": 0.0}  # y' = r0 w follows
    run = ss.simulate(m, 2.0, rtol=1e-12, dt=0.02, initial=start)
    r = r0 * np.cosh(w * run.t)
    assert run.y[0] == pytest.approx(r * np.cos(w * run.t), abs=1e-9)
    assert run.y[1] == pytest.approx(r * np.sin(w * run.t), abs=1e-9)
    assert run["wire.force"] == pytest.approx(
        -2.0 * 2.0 * w * r0 * w * np.sinh(w * run.t), rel=1e-9, abs=1e-9
    )
    gained = 0.5 * 2.0 * ((r0 * w * np.sinh(w * run.t)) ** 2 + (r * w) ** 2)
    assert run.energy.constraints["wire"] == pytest.approx(gained - gained[0], abs=1e-9)


def test_knife_edge_on_a_slope_matches_closed_form():
    """A skate that turns on a slope (Neimark, Fufaev 1972, Dynamics of Nonholonomic Systems): it does not slide down,
    x = g sin(a) / (2 w²) sin²(w t), y = g sin(a) / (2 w²) (w t - sin(2 w t) / 2).
    """
    w, pull = 2.0, 3.0
    m = ss.Machine(mass=[1.0, 1.0, 0.1], names=["x", "y", "turn"], force={"x": pull})
    m.add_constraint("edge", on=lambda q: {"x": ss.sin(q["turn"]), "y": -ss.cos(q["turn"])}, rate=0.0)
    run = ss.simulate(m, 10.0, rtol=1e-12, dt=0.1, initial={"turn.velocity": w})
    size = pull / (2.0 * w * w)
    assert run["x.position"] == pytest.approx(size * np.sin(w * run.t) ** 2, abs=1e-9)
    assert run["y.position"] == pytest.approx(size * (w * run.t - 0.5 * np.sin(2.0 * w * run.t)), abs=1e-9)


CRANK, ROD, SLIDER, INERTIA = 0.1, 0.35, 2.0, 0.05


def slider_crank(redundant=False):
    """Crank, massless rod and slider as a closed loop: two joints of three coordinates."""
    m = ss.Machine(mass=[INERTIA, 1e-2, SLIDER], names=["crank", "rod", "slider"], force={"crank": 1.5})
    m.add_constraint("along", on=lambda q: CRANK * ss.cos(q["crank"]) + ROD * ss.cos(q["rod"]) - q["slider"])
    m.add_constraint("across", on=lambda q: CRANK * ss.sin(q["crank"]) + ROD * ss.sin(q["rod"]))
    if redundant:
        m.add_constraint("again", on=lambda q: 2.0 * (CRANK * ss.sin(q["crank"]) + ROD * ss.sin(q["rod"])))
    return m


def minimal_slider_crank(t, rate):
    """The crank's angle, with the other two and their first two derivatives by the angle eliminated by hand."""

    def motion(_, z):
        phi, w = z
        s, c = CRANK / ROD * math.sin(phi), CRANK / ROD * math.cos(phi)
        root = math.sqrt(1.0 - s * s)
        by = -c / root  # d rod / d crank, rod = -arcsin(s)
        by2 = (s * root - c * c * s / root) / root**2
        x1 = -CRANK * math.sin(phi) + ROD * s * by
        x2 = -CRANK * math.cos(phi) + ROD * (c * by + s * by2)
        mass = INERTIA + 1e-2 * by**2 + SLIDER * x1**2
        half_slope = 1e-2 * by * by2 + SLIDER * x1 * x2
        return [w, (1.5 - half_slope * w * w) / mass]

    return solve_ivp(motion, (0.0, t[-1]), [0.3, rate], "DOP853", t_eval=t, rtol=1e-13, atol=1e-13).y


@pytest.mark.parametrize("redundant", [False, True])
def test_closed_slider_crank_agrees_with_minimal_coordinate(redundant):
    t = np.linspace(0.0, 3.0, 61)
    start = {
        "crank.position": 0.3,
        "rod.position": -math.asin(CRANK / ROD * math.sin(0.3)),
        "crank.velocity": 4.0,
    }
    run = ss.simulate(slider_crank(redundant), 3.0, rtol=1e-12, t_eval=t, initial=start)
    assert run.success
    expected = minimal_slider_crank(t, 4.0)
    assert run["crank.position"] == pytest.approx(expected[0], abs=1e-9)
    assert run["crank.velocity"] == pytest.approx(expected[1], abs=3e-9)
    assert ("not unique" in run.message) == redundant
    if redundant:  # forces of least norm in the forces that each row needs by itself
        assert run["again.force"] == pytest.approx(0.5 * run["across.force"], rel=1e-8, abs=1e-8)


def test_missing_initial_values_close_the_loop():
    run = ss.simulate(slider_crank(), 0.01, initial={"crank.position": 0.3, "crank.velocity": 4.0})
    rod = -math.asin(CRANK / ROD * math.sin(0.3))
    x = run.y[:, 0]
    assert x[1] == pytest.approx(rod, abs=1e-14)
    assert x[2] == pytest.approx(CRANK * math.cos(0.3) + ROD * math.cos(rod), abs=1e-14)
    assert CRANK * math.cos(0.3) * 4.0 + ROD * math.cos(rod) * x[4] == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("held", [{"a": 1.0, "b": -1.0}, lambda q: q["a"] - q["b"]])
def test_constraints_with_variable_mass_agree_with_scipy(held):
    """A double pendulum whose arms are held in line: one of two masses, I = m l² + m (2 l)²."""

    def mass(q):
        c = ss.cos(q["a"] - q["b"])
        return [[2.0, c], [c, 1.0]]

    m = ss.Machine(mass=mass, names=["a", "b"])
    m.add_force("a", lambda q, v: -ss.sin(q["a"] - q["b"]) * v["b"] ** 2 - 2.0 * G * ss.sin(q["a"]))
    m.add_force("b", lambda q, v: ss.sin(q["a"] - q["b"]) * v["a"] ** 2 - G * ss.sin(q["b"]))
    m.add_constraint("weld", on=held)
    run = ss.simulate(m, 10.0, rtol=1e-12, dt=0.05, initial={"a.position": 1.0, "a.velocity": 0.0})
    k2, w = math.sin(0.5) ** 2, math.sqrt(3.0 * G / 5.0)
    angle = 2.0 * np.arcsin(math.sqrt(k2) * ellipj(ellipk(k2) + w * run.t, k2)[0])
    assert run["a.position"] == pytest.approx(angle, abs=1e-9)
    assert run["b.position"] == pytest.approx(angle, abs=1e-9)
    # What the outer arm needs beyond its weight: m (2 l² q'') + m g l sin q is taken from the weld, with -F along `on`.
    moment = -3.0 * G / 5.0 * np.sin(angle) * 2.0 + G * np.sin(angle)
    assert run["weld.force"] == pytest.approx(moment, abs=1e-8)


def test_constraints_transmit_impacts_and_friction():
    """The Cartesian pendulum against a wall and on a rough floor, and the same by its angle alone."""
    wall, mu = 0.25, 0.2
    cartesian = pendulum()
    cartesian.add_contact("wall", gap=lambda q: wall - q["x"], restitution=0.6)
    cartesian.add_friction(
        "air", on=lambda q: {"x": -q["y"] / LENGTH, "y": q["x"] / LENGTH}, law=ss.Coulomb(mu), normal_load=2.0
    )
    angular = ss.Machine(mass=MASS * LENGTH**2, names=["angle"])
    angular.add_force("angle", lambda q: -MASS * G * LENGTH * ss.sin(q["angle"]))
    angular.add_contact("wall", gap=lambda q: wall - LENGTH * ss.sin(q["angle"]), restitution=0.6)
    angular.add_friction("air", on={"angle": LENGTH}, law=ss.Coulomb(mu), normal_load=2.0)
    t = np.linspace(0.0, 8.0, 81)
    one = ss.simulate(cartesian, 8.0, rtol=1e-12, t_eval=t, initial=at_angle(-1.2))
    other = ss.simulate(angular, 8.0, rtol=1e-12, t_eval=t, initial={"angle.position": -1.2})
    assert one.success and other.success
    assert len(one.events) == len(other.events) > 5
    for a, b in zip(one.events, other.events, strict=True):
        assert (a.element, a.after) == (b.element, b.after)
        assert a.time == pytest.approx(b.time, abs=1e-9)
    assert one["x.position"] == pytest.approx(LENGTH * np.sin(other["angle.position"]), abs=1e-9)
    # An impulse I at the wall moves the mass along the rod's normal alone: the rod takes I sin(angle).
    expected = math.sin(math.asin(wall / LENGTH)) * one["wall.normal_impulse"][-1]
    assert -one["rod.impulse"][-1] == pytest.approx(expected, rel=1e-9)
    assert one.energy.residual < 1e-9


def test_jacobian_includes_constraints():
    """Derivatives by complex numbers in the closed form of the constrained acceleration."""
    m = pendulum()
    run = ss.simulate(m, 0.4, initial=at_angle(1.0, rate=2.0))
    x = run.at(0.2).y[:, 0]
    J, _ = run._raw.jacobian(0.2, 0.2, x)

    def acceleration(z):
        q, v = z[:2], z[2:]
        r = (q @ q) ** 0.5
        n = q / r
        drift = (v @ v - (n @ v) ** 2) / r
        free = np.array([0.0, -G])
        return free - n * (n @ free + drift)

    h = 1e-30
    expected = np.column_stack([acceleration(x + 1j * h * e).imag / h for e in np.eye(4)])
    assert J[2:] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_stiff_method_agrees():
    stiff, explicit = (
        ss.simulate(pendulum(), 3.0, rtol=rtol, method=method, initial=at_angle(1.5))
        for method, rtol in (("stiff", 1e-9), ("explicit", 1e-12))
    )
    assert stiff.y[:, -1] == pytest.approx(explicit.y[:, -1], abs=2e-7)


def test_invalid_closed_loops_are_refused():
    m = pendulum()
    with pytest.raises(ValueError, match=r"'rod' is violated by the initial values: .*hypot"):
        ss.simulate(m, 1.0, initial={"x.position": 1.0, "y.position": 1.0})
    with pytest.raises(ValueError, match="value of 'bar' must be left out where `on` is a formula"):
        m.add_constraint("bar", on=lambda q: q["x"] * q["y"], value=1.0)
    with pytest.raises(ValueError, match="value of 'edge' must be a constant rate"):
        m.add_constraint("edge", on=lambda q: [q["x"], q["y"]], rate=ss.Sine(1.0, 1.0))
    assert ss.Machine.from_dict(m.to_dict()) == m


def test_springs_and_controllers_beside_joints_agree_with_angles():
    """A double pendulum in Cartesian coordinates with backlash, dampers and a controller, against its angles."""
    k, backlash, d, kp, kd = 30.0, 0.1, 0.3, 8.0, 0.5
    m = ss.Machine(mass=[1.0, 1.0, 2.0, 2.0], damping=[d] * 4, names=["x1", "y1", "x2", "y2"])
    m.add_force({"y1": 1.0, "y2": 2.0}, -G)
    m.add_constraint("first", on=lambda q: 0.5 * (q["x1"] ** 2 + q["y1"] ** 2 - 1.0))
    m.add_constraint(
        "second", on=lambda q: 0.5 * ((q["x2"] - q["x1"]) ** 2 + (q["y2"] - q["y1"]) ** 2 - 0.8**2)
    )
    m.add_spring("spring", on="x2", stiffness=k, backlash=backlash)
    m.add_controller(ss.PID(kp=kp, kd=kd), on="x1", reference=0.2)

    def motion(_, z):
        a, b, va, vb = z
        sa, ca, sb, cb = math.sin(a), math.cos(a), 0.8 * math.sin(b), 0.8 * math.cos(b)
        by = np.array([[ca, 0.0], [sa, 0.0], [ca, cb], [sa, sb]])  # of x1, y1, x2, y2 by the angles
        drift = np.array(
            [-sa * va * va, ca * va * va, -sa * va * va - sb * vb * vb, ca * va * va + cb * vb * vb]
        )
        v = by @ [va, vb]
        x2 = sa + sb
        f = -d * v - np.array([0.0, G, 0.0, 2.0 * G])
        f[2] -= k * (max(x2 - backlash / 2.0, 0.0) + min(x2 + backlash / 2.0, 0.0))
        f[0] += kp * (0.2 - sa) - kd * v[0]
        mass = np.array([1.0, 1.0, 2.0, 2.0])
        return [va, vb, *np.linalg.solve(by.T @ (mass[:, None] * by), by.T @ (f - mass * drift))]

    a, b = 0.9, -0.3
    start = {
        "x1.position": math.sin(a),
        "y1.position": -math.cos(a),
        "x2.position": math.sin(a) + 0.8 * math.sin(b),
        "y2.position": -math.cos(a) - 0.8 * math.cos(b),
        **{f"{name}.velocity": 0.0 for name in m.names},
    }
    t = np.linspace(0.0, 5.0, 51)
    run = ss.simulate(m, 5.0, rtol=1e-12, t_eval=t, initial=start)
    angles = solve_ivp(
        motion, (0.0, 5.0), [a, b, 0.0, 0.0], "DOP853", t_eval=t, rtol=1e-12, atol=1e-12, max_step=1e-3
    ).y
    assert np.arctan2(run["x1.position"], -run["y1.position"]) == pytest.approx(angles[0], abs=1e-8)
    assert run["x2.position"] == pytest.approx(np.sin(angles[0]) + 0.8 * np.sin(angles[1]), abs=1e-8)
    assert run.energy.residual < 1e-9
