"""Sets of equilibria that stiction makes, against closed forms and against runs that stay at rest or do not."""

import numpy as np
import pytest

import stickslip as ss
from stickslip.analysis import equilibria, equilibrium_intervals


def held_block(force: float = 3.0) -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=100.0, names=["block"], force={"block": force})
    m.add_friction("table", on="block", law=ss.Coulomb(2.0, 1.0), normal_load=1.5)
    return m


def test_one_block_rests_in_an_interval() -> None:
    """|f - k x| <= N Fs."""
    rest = equilibria(held_block())
    assert rest.bounds["block.position"] == pytest.approx((0.0, 0.06), abs=1e-15)
    assert rest.dimension == 1
    assert rest.margin([0.02]) == pytest.approx(0.02, rel=1e-13)
    assert rest.margin({"block.position": 0.07}) == pytest.approx(-0.01, rel=1e-13)
    assert rest.margin() == pytest.approx(0.0, abs=1e-15)  # the start is on the border
    assert [0.03] in rest and [0.061] not in rest


def test_two_blocks_rest_in_a_parallelogram() -> None:
    """Corners K^-1 (f + F) for F at their limits."""
    k, f, levels = np.array([[5.0, -2.0], [-2.0, 4.0]]), np.array([1.0, 0.5]), np.array([0.6, 0.3])
    m = ss.Machine(mass=np.eye(2), stiffness=k, names=["a", "b"], force={"a": f[0], "b": f[1]})
    m.add_friction("fa", on="a", law=ss.Coulomb(levels[0], 0.1))
    m.add_friction("fb", on="b", law=ss.Coulomb(levels[1], 0.1))
    rest = equilibria(m)
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    corners = np.linalg.solve(k, (f + signs * levels).T).T
    found = rest.vertices()
    assert found.shape == (4, 2)
    for corner in corners:
        assert np.min(np.max(np.abs(found - corner), axis=1)) < 1e-14
    for i, name in enumerate("ab"):
        assert rest.bounds[f"{name}.position"] == pytest.approx(
            (corners[:, i].min(), corners[:, i].max()), rel=1e-12
        )
    middle = np.linalg.solve(k, f)
    assert rest.margin(middle) == pytest.approx(min(levels / np.linalg.norm(k, axis=1)), rel=1e-12)


def test_a_coordinate_that_nothing_holds_is_balanced() -> None:
    m = ss.Machine(mass=np.eye(2), stiffness=[[3.0, -1.0], [-1.0, 2.0]], names=["a", "b"], force={"b": 1.0})
    m.add_friction("fa", on="a", law=ss.Coulomb(0.5, 0.3))
    rest = equilibria(m)
    assert rest.dimension == 1
    # b = (1 + a)/2, 3 a - b = 2.5 a - 0.5 within 0.5.
    assert rest.bounds["a.position"] == pytest.approx((0.0, 0.4), abs=1e-15)
    assert rest.bounds["b.position"] == pytest.approx((0.5, 0.7), rel=1e-14)
    assert rest.margin({"a.position": 0.1, "b.position": 0.9}) < 0.0


def test_two_elements_on_one_body_hold_together() -> None:
    """Statically indeterminate: 0.7 + 0.4 N."""
    m = ss.Machine(mass=1.0, stiffness=10.0, names=["q"])
    m.add_friction("one", on="q", law=ss.Coulomb(0.7, 0.2))
    m.add_friction("other", on="q", law=ss.Coulomb(0.4, 0.2))
    assert equilibria(m).bounds["q.position"] == pytest.approx((-0.11, 0.11), rel=1e-14)


def test_a_contact_holds_by_its_normal_force() -> None:
    """y rests on the floor: N = 4 - k12 x >= 0, |k11 x - 1| <= mu N."""
    m = ss.Machine(
        mass=np.eye(2), stiffness=[[8.0, 2.0], [2.0, 3.0]], names=["x", "y"], force={"x": 1.0, "y": -4.0}
    )
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=ss.Coulomb(0.5, 0.3))
    rest = equilibria(m)
    # The floor pushes y up with N = 4 + 2 x: -(2 + x) <= 1 - 8 x <= 2 + x.
    assert rest.bounds["x.position"] == pytest.approx((-1.0 / 9.0, 3.0 / 7.0), rel=1e-13)
    assert rest.bounds["y.position"] == pytest.approx((0.0, 0.0), abs=1e-15)


def test_wedge_gear_sticks_between_the_extensions_of_its_source() -> None:
    """(F/k) tan(rho ± gamma) for m1 = 2420 kg, m2 = 10.878 kg, gamma = 12°, rho = 14° (Hinrichsen 2007, chapter 6)."""
    gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.radians(12.0), load=100.0,
                                  friction=np.tan(np.radians(14.0)), stiffness=4000.0, pull_velocity=0.01)  # fmt: skip
    low, high = equilibria(gear).bounds["lower.position"]
    extensions = 100.0 / 4000.0 * np.tan(np.radians([14.0 - 12.0, 14.0 + 12.0]))
    assert (-low, high) == pytest.approx(extensions, rel=1e-12)


def test_a_detent_holds_in_its_seat_alone() -> None:
    m = ss.Machine(mass=1.0, names=["q"], stiffness=1.0, force={"q": 0.2})
    m.add_detent("seat", on="q", preload=1.0, width=0.1, pitch=0.5)
    for k in (0, 1):
        rest = equilibria(m, at={"q.position": 0.5 * k})
        assert rest.bounds["q.position"] == pytest.approx((0.5 * k, 0.5 * k), abs=1e-15)
    m.add_force("q", 3.0)
    assert equilibria(m).is_empty


def test_an_integrator_is_bounded_by_friction() -> None:
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.LuGre(2.0, 1.0, 0.01, stiffness=1e5, damping=300.0))
    m.add_controller(ss.PID(kp=10.0, ki=4.0, kd=3.0), "pid", on="slide", reference=0.5)
    rest = equilibria(m)
    assert rest.bounds == {"slide.position": pytest.approx((0.5, 0.5)), "pid.z": pytest.approx((-2.0, 2.0))}
    assert rest.dimension == 1


def test_a_body_without_spring_rests_anywhere_or_nowhere() -> None:
    def slide(force: float) -> ss.Machine:
        m = ss.Machine(mass=1.0, names=["slide"], force={"slide": force})
        m.add_friction("guide", on="slide", law=ss.Coulomb(1.0, 0.5))
        return m

    assert equilibria(slide(0.9)).bounds["slide.position"] == (-np.inf, np.inf)
    assert equilibria(slide(0.9)).margin() == np.inf
    nowhere = equilibria(slide(1.1))
    assert nowhere.is_empty and nowhere.dimension == -1 and nowhere.margin() < 0.0


def test_a_spring_with_backlash_bounds_its_segment() -> None:
    """Within the clearance friction alone holds; beyond it k (x - b) <= Fs."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_friction("guide", on="q", law=ss.Coulomb(1.0, 0.5))
    m.add_spring("stop", on="q", stiffness=50.0, backlash=0.4)
    assert equilibria(m).bounds["q.position"] == pytest.approx((-0.2, 0.2), rel=1e-14)
    beyond = equilibria(m, at={"q.position": 0.21})
    assert beyond.bounds["q.position"] == pytest.approx((0.2, 0.22), rel=1e-12)


def test_body_on_a_moving_belt_has_one_equilibrium() -> None:
    m = ss.Machine(mass=1.0, stiffness=10.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Stribeck(1.0, 0.5, 0.1, shape=1.0), surface_velocity=0.2)
    rest = equilibria(m)
    x = (0.5 + 0.5 * np.exp(-2.0)) / 10.0
    assert rest.bounds["block.position"] == pytest.approx((x, x), rel=1e-13)
    assert rest.dimension == 0


def test_a_plant_in_matrices_has_the_set_of_its_machine() -> None:
    """x'' = -4 x - 0.2 x' + 0.3 - F: (0.3 ± 1)/4; the velocity is a state, too."""
    plant = ss.StateSpace(A=[[0.0, 1.0], [-4.0, -0.2]], B=[0.0, 1.0], C=np.eye(2), outputs=["x", "v"],
                          signals={"u0": 0.3})  # fmt: skip
    plant.add_friction("guide", law=ss.Coulomb(1.0, 0.5), on="u0", velocity="v")
    bounds = equilibria(plant).bounds
    assert bounds["x0"] == pytest.approx((-0.175, 0.325), rel=1e-13)
    assert bounds["x1"] == pytest.approx((0.0, 0.0), abs=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_runs_stay_at_rest_inside_alone(seed: int) -> None:
    """Two or three blocks on springs: a millionth of the width inside the border they rest, outside they move."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 4))
    root = rng.normal(size=(n, n))
    names = [f"q{k}" for k in range(n)]
    m = ss.Machine(mass=np.diag(rng.uniform(0.5, 2.0, n)), stiffness=root @ root.T + np.eye(n), names=names,
                   force=dict(zip(names, rng.normal(size=n).tolist(), strict=True)))  # fmt: skip
    for k in range(n):
        m.add_friction(
            f"f{k}", on=names[k], law=ss.Coulomb(1.0, 0.6), normal_load=float(rng.uniform(0.3, 1.0))
        )
    rest = equilibria(m)
    corners = rest.vertices()
    middle = corners.mean(axis=0)
    for _ in range(20):
        along = rng.normal(size=n)
        steep = rest.A_ub @ along
        reach = np.min(
            np.where(
                steep > 0.0, (rest.b_ub - rest.A_ub @ middle) / np.where(steep > 0.0, steep, 1.0), np.inf
            )
        )
        for share, rests in ((1.0 - 1e-6, True), (1.0 + 1e-6, False)):
            start = dict(zip(rest.states, (middle + share * reach * along).tolist(), strict=True))
            assert (rest.margin(start) > 0.0) == rests
            run = ss.simulate(m, t_end=1.0, initial=start)
            assert np.all(run["q0.velocity"] == 0.0) or not rests
            modes = np.array([run[f"f{k}.mode"][0] for k in range(n)])
            assert np.all(modes == int(ss.Mode.STICK)) == rests


def test_sampled_and_nonlinear_machines_are_refused() -> None:
    m = held_block()
    m.add_controller(ss.P(kp=1.0, period=0.1), measure="block", to="block")
    with pytest.raises(ValueError, match="the set of equilibria needs continuous controllers"):
        equilibria(m)
    with pytest.raises(ValueError, match="are no polyhedron: of one coordinate use equilibrium_intervals"):
        equilibria(ss.machines.pendulum(1.0, 1.0, ss.Coulomb(1.0)))


def test_a_pendulum_rests_in_arcs() -> None:
    """|m g l sin phi| <= M; near the top as well."""
    m = ss.machines.pendulum(2.0, 1.5, ss.Coulomb(4.0, 3.0))
    arc = np.arcsin(4.0 / (2.0 * 9.81 * 1.5))
    found = equilibrium_intervals(m, (-3.0, 7.0))
    expected = [[-arc, arc], [np.pi - arc, np.pi + arc], [2.0 * np.pi - arc, 2.0 * np.pi + arc]]
    assert found == pytest.approx(np.array(expected), abs=1e-14)


def test_intervals_of_a_stop_with_clearance_join() -> None:
    """Both segments of the spring: |k (x - b)| <= Fs beyond the clearance."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_friction("guide", on="q", law=ss.Coulomb(1.0, 0.5))
    m.add_spring("stop", on="q", stiffness=50.0, backlash=0.4)
    assert equilibrium_intervals(m, (-1.0, 1.0)) == pytest.approx(np.array([[-0.22, 0.22]]), rel=1e-13)


def test_a_load_that_depends_on_the_position_bounds_the_interval() -> None:
    """|k x| <= mu (N0 + a x²): a quadratic equation."""
    m = ss.Machine(mass=1.0, stiffness=10.0, names=["q"])
    m.add_friction("guide", on="q", law=ss.Coulomb(0.5, 0.3), normal_load=lambda q: 4.0 + 8.0 * q[0] ** 2)
    low = (10.0 - np.sqrt(100.0 - 32.0)) / 8.0
    high = (10.0 + np.sqrt(100.0 - 32.0)) / 8.0
    found = equilibrium_intervals(m, (-3.0, 3.0))
    assert found == pytest.approx(np.array([[-3.0, -high], [-low, low], [high, 3.0]]), rel=1e-13)
