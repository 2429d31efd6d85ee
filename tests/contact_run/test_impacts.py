"""Impacts in runs: bouncing, walls, rows of masses, starts that are inconsistent, bad input."""

import pickle

import numpy as np
import pytest
from published.gears import SET_2

import stickslip as ss
from contact_run.complementarity import residual

G = 9.81


def ball(restitution, mass=2.0, **options):
    m = ss.Machine(mass=mass, names=["ball"], force={"ball": -mass * G})
    m.add_contact("floor", normal={"ball": 1.0}, restitution=restitution, **options)
    return m


@pytest.mark.parametrize("impact", ["poisson", "newton"])
@pytest.mark.parametrize("restitution", [0.0, 0.2, 0.5, 0.8, 0.95])
def test_bounce_times_match_closed_form(restitution: float, impact: str) -> None:
    """t_n = t_0 (1 + 2 Σ ε^k), accumulating at t_0 (1 + ε)/(1 − ε); then rest.

    The run ends the bounces at a rebound of 1e-9 of the greatest speed seen: that much before the
    accumulation point.
    """
    run = ss.simulate(ball(restitution, impact=impact), t_end=20.0, initial={"ball.position": 1.0})
    impacts = [e for e in run.events if e.impact]
    t0 = np.sqrt(2.0 / G)
    powers = restitution ** np.arange(1, len(impacts))
    times = t0 * (1.0 + 2.0 * np.concatenate([[0.0], np.cumsum(powers)]))
    assert [e.time for e in impacts] == pytest.approx(times, abs=2e-12)
    end = t0 * (1.0 + restitution) / (1.0 - restitution)
    assert impacts[-1].time == pytest.approx(end, abs=1e-7)
    assert impacts[-1].after is ss.Mode.CLOSED and run.events[-1] == impacts[-1]
    assert len(impacts) <= 3 + (np.log(1e-9) / np.log(restitution) if restitution > 0.0 else 0)
    speed = np.sqrt(2.0 * G)
    losses = [m * (1 - restitution**2) for m in speed**2 * restitution ** (2.0 * np.arange(5))]
    assert [e.loss for e in impacts[:5]] == pytest.approx(losses[: len(impacts)], rel=1e-9)
    rest = run.at([end + 1e-3, 20.0])
    assert np.all(rest["ball.velocity"] == 0.0) and np.all(rest["floor.gap"] == 0.0)
    assert rest["floor.normal_force"] == pytest.approx(2.0 * G)
    assert np.abs(rest["ball.position"]).max() < 1e-13
    assert run.energy.residual < 1e-14
    assert residual(run, ["floor"], {}) < 1e-13


def test_elastic_bouncing_never_ends() -> None:
    run = ss.simulate(ball(1.0), t_end=20.0, initial={"ball.position": 1.0})
    t0 = np.sqrt(2.0 / G)
    assert [e.time for e in run.events] == pytest.approx(
        t0 * (1.0 + 2.0 * np.arange(len(run.events))), abs=1e-12
    )
    assert len(run.events) == 22
    assert np.ptp(run.energy.kinetic - run.energy.drives["ball"]) < 1e-12


def test_budget_of_events_ends_a_run() -> None:
    run = ss.simulate(ball(0.99), t_end=100.0, initial={"ball.position": 1.0}, max_events=20)
    assert run.status == "budget" and len(run.events) == 21


@pytest.mark.parametrize("restitution", [1.0, 0.9, 0.3])
def test_ball_between_walls_matches_closed_form(restitution: float) -> None:
    """Speed ε^n, so the n-th crossing takes 1/ε^n."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_contact("left", normal={"x": 1.0}, restitution=restitution)
    m.add_contact("right", normal={"x": -1.0}, gap=1.0, restitution=restitution)
    run = ss.simulate(m, t_end=30.0, initial={"x.position": 0.25, "x.velocity": 1.0}, dt=0.01)
    times = 0.75 + np.concatenate([[0.0], np.cumsum(restitution ** -np.arange(1.0, 40))])
    times = times[times <= 30.0]
    assert [e.time for e in run.events] == pytest.approx(times, abs=1e-12)
    assert [e.element for e in run.events[:4]] == ["right", "left", "right", "left"][: len(times)]
    assert min(run["left.gap"].min(), run["right.gap"].min()) > -1e-12
    assert residual(run, ["left", "right"], {}) < 1e-12


def test_oscillating_wall_hits_at_closed_form_times() -> None:
    """A ball on a vibrating plate against a search for roots of the closed-form flight, ε = 0.5."""
    amplitude, frequency, eps = 0.05, 3.0, 0.5
    omega = 2.0 * np.pi * frequency
    m = ball(eps, mass=1.0, gap=0.0)
    m = ss.Machine(mass=1.0, names=["ball"], force={"ball": -G})
    m.add_contact(
        "plate", normal={"ball": 1.0}, gap=ss.Sine(amplitude=amplitude, frequency=frequency), restitution=eps
    )
    run = ss.simulate(m, t_end=2.0, initial={"ball.position": 0.2}, dt=1e-3)
    from scipy.optimize import brentq

    t, x, v = 0.0, 0.2, 0.0
    for event in run.events:

        def gap(s, t=t, x=x, v=v):
            return x + v * s - 0.5 * G * s * s + amplitude * np.sin(omega * (t + s))

        grid = np.linspace(1e-7, 1.5, 200_000)
        first = int(np.argmax(gap(grid) < 0.0))
        s = brentq(gap, grid[first - 1], grid[first], xtol=1e-15)
        x, v, t = x + v * s - 0.5 * G * s * s, v - G * s, t + s
        wall = -amplitude * omega * np.cos(omega * t)
        assert event.time == pytest.approx(t, abs=1e-10)
        assert event.normal_impulse == pytest.approx((1 + eps) * (wall - v), rel=1e-8)
        v = wall - eps * (v - wall)
    assert len(run.events) >= 6
    assert run.energy.residual < 1e-14
    assert run["plate.gap"].min() > -1e-14


def test_wall_that_starts_to_move_hits() -> None:
    """A resting mass and a wall whose ramp begins at t = 1: an impact at the breakpoint; ε = 0.5 throws it
    ahead."""
    m = ss.Machine(mass=3.0, names=["x"])
    m.add_contact(
        "wall", normal={"x": 1.0}, gap=ss.Piecewise([0.0, 1.0, 2.0], [0.0, 0.0, -0.5]), restitution=0.5
    )
    run = ss.simulate(m, t_end=3.0)
    assert [e.time for e in run.events] == [1.0]
    assert run.state.x[1] == pytest.approx(0.75, abs=1e-14)
    assert run.events[0].normal_impulse == pytest.approx(3.0 * 0.75)
    assert run.energy.surfaces["wall"][-1] == pytest.approx(3.0 * 0.75 * 0.5)
    assert run.energy.residual < 1e-14


def row(restitution, separation, impact=("poisson", "poisson")):
    m = ss.Machine(mass=[1.0, 1.0, 1.0], names=["a", "b", "c"])
    for name, second, first, law in (("ab", "b", "a", impact[0]), ("bc", "c", "b", impact[1])):
        m.add_contact(name, normal={second: 1.0, first: -1.0}, restitution=restitution, impact=law)
    return ss.simulate(
        m, t_end=5.0, initial={"a.position": -1.0, "a.velocity": 1.0, "c.position": separation}
    )


def test_separated_masses_collide_in_sequence() -> None:
    """Newton's cradle with a gap: two impacts in the order of time, each of two masses."""
    run = row(1.0, 0.5)
    assert [(e.element, e.time) for e in run.events] == [("ab", 1.0), ("bc", 1.5)]
    assert run.state.x[3:] == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)
    run = row(0.5, 0.5)
    assert run.events[1].time == pytest.approx(1.0 + 0.5 / 0.75, abs=1e-14)
    assert run.state.x[3:] == pytest.approx([0.25, 0.1875, 0.5625], abs=1e-15)


@pytest.mark.parametrize(
    ("restitution", "after"), [(0.0, (1, 1, 1)), (1.0, (-1, 2, 2)), (0.5, (0.0, 1.5, 1.5))]
)
def test_touching_masses_share_one_impact(restitution, after) -> None:
    """Without a gap: one impact of both contacts, logged as one instant.

    It is not the limit of a gap that closes (0, 0, 1 at ε = 1): order matters, and a rigid row has none.
    Poisson: the compression ends with the common speed 1/3 and impulses 2/3 and 1/3, of which ε comes back.
    """
    run = row(restitution, 0.0)
    assert run.state.x[3:] == pytest.approx(np.array(after) / 3.0, abs=1e-15)
    assert [e.element for e in run.events] == ["ab", "bc"]
    assert len({e.instant for e in run.events}) == 1 and all(e.impact for e in run.events)
    impulses = np.array([2.0, 1.0]) / 3.0 * (1 + restitution)
    assert [e.normal_impulse for e in run.events] == pytest.approx(impulses, rel=1e-14)
    assert run.energy.residual < 1e-14
    assert sum(e.loss for e in run.events) == pytest.approx((1 - restitution**2) / 3.0, abs=1e-15)


def test_mixed_impact_laws_use_newton() -> None:
    """One impact has one law: Newton's for both contacts, and the event says so."""
    mixed, newton = row(0.5, 0.0, ("poisson", "newton")), row(0.5, 0.0, ("newton", "newton"))
    assert np.all(mixed.state.x == newton.state.x)
    assert all("laws of impact differ" in e.cause for e in mixed.events if e.impact)
    assert not any("differ" in e.cause for e in newton.events)


@pytest.mark.parametrize("law", ["newton", "poisson"])
@pytest.mark.parametrize("v", [-1.0, 0.3])
def test_body_between_touching_walls_stops(law, v) -> None:
    """The walls are hit in turn, and each impact takes speed: an inelastic collapse, by either law, at v = 0."""
    m = ss.Machine(mass=2.0, names=["x"])
    m.add_contact("low", normal={"x": 1.0}, restitution=0.5, impact=law)
    m.add_contact("high", normal={"x": -0.7}, restitution=0.8, impact=law)
    run = ss.simulate(m, t_end=1.0, initial={"x.velocity": v})
    assert run.status == "finished"
    assert np.abs(run.y).max() < 1e-15
    impulse = sum(w * e.normal_impulse for e in run.events for w in [1.0 if e.element == "low" else -0.7])
    assert impulse == pytest.approx(-2.0 * v, rel=1e-13)
    rules = [e.rule for e in run.events if e.impact]
    assert "inelastic collapse after 4 impacts" in rules[-1]
    assert not any("Newton's law has no answer" in e.cause for e in run.events)


def test_gain_of_energy_is_reported() -> None:
    """Uniform rod at 50°, μ = 0.5, Newton with ε = 1, velocity (0.5, −1): +18 % (physics of the impact, not
    of the run)."""
    angle, length = np.deg2rad(50.0), 1.0
    inertia = length**2 / 12.0
    m = ss.Machine(mass=[1.0, 1.0, inertia], names=["x", "y", "phi"])
    s, c = 0.5 * length * np.sin(angle), 0.5 * length * np.cos(angle)
    m.add_contact(
        "tip",
        normal={"y": 1.0, "phi": -c},
        tangent={"x": 1.0, "phi": s},
        friction=0.5,
        restitution=1.0,
        impact="newton",
        gap=0.1,
    )
    run = ss.simulate(m, t_end=0.2, initial={"x.velocity": 0.5, "y.velocity": -1.0})
    assert run.events[0].time == pytest.approx(0.1)
    energy = 0.5 * np.array([1.0, 1.0, inertia]) @ run.state.x[3:] ** 2
    assert energy / 0.625 == pytest.approx(1.18, abs=5e-3)
    assert run.events[0].loss == pytest.approx(0.625 - energy, rel=1e-12)
    assert "energy gained" in run.events[0].rule
    assert run.energy.residual < 1e-14


def test_inconsistent_start_is_resolved_by_an_impact() -> None:
    m = ball(0.0, mass=1.0)
    run = ss.simulate(m, t_end=1.0, initial={"ball.velocity": -2.0})
    first = run.events[0]
    assert (first.time, first.impact, first.after) == (0.0, True, ss.Mode.CLOSED)
    assert first.cause.startswith("start")
    assert first.normal_impulse == 2.0 and first.loss == 2.0
    assert np.all(run["ball.velocity"] == 0.0)
    assert run.energy.residual < 1e-15 and run.energy.impacts[0] == 2.0


def test_start_in_contact_needs_no_event() -> None:
    run = ss.simulate(ball(0.5), t_end=1.0)
    assert len(run.events) == 0 and np.all(run["floor.mode"] == ss.Mode.CLOSED)


def test_overlap_at_the_start_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'floor' overlaps at the start by 1.5e-07 m"):
        ss.simulate(ball(0.5), t_end=1.0, initial={"ball.position": -1.5e-7})


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"normal": {"x": 0.0}}, "normal of 'c'"),
        ({"normal": [np.nan]}, "normal of 'c'"),
        ({"normal": [1.0, 2.0]}, "normal of 'c'"),
        ({"normal": {"z": 1.0}}, "unknown coordinate 'z'"),
        ({"restitution": 1.5}, r"restitution of 'c' = 1.5 .* \[0, 1\]"),
        ({"restitution": -0.1}, r"restitution of 'c'"),
        ({"restitution": np.nan}, r"restitution of 'c'"),
        ({"friction": 0.3}, "both tangent and friction"),
        ({"friction": -1.0, "tangent": {"x": 1.0}}, "friction of 'c'"),
        ({"friction": 0.3, "tangent": {"x": 0.0}}, "tangent of 'c'"),
        ({"impact": "hard"}, "impact of 'c'"),
        ({"gap": "wide"}, "gap of 'c'"),
        ({"gap": ss.Samples([0.0, 1.0, 2.0], [1.0, 2.0, 2.0], kind="hold")}, "gap of 'c'.*jumps"),
    ],
)
def test_bad_input_names_the_argument(change, match) -> None:
    m = ss.Machine(mass=1.0, names=["x"])
    with pytest.raises(ValueError, match=match):
        m.add_contact("c", **{"normal": {"x": 1.0}, **change})
    assert m.elements == ()


def test_resumed_run_is_bitwise_equal() -> None:
    from dataclasses import replace

    gear = replace(SET_2, restitution=0.3)
    whole = ss.simulate(gear, t_end=1.0)
    for cut in (0.05, 0.286974, 0.3, 0.3766, 0.37661, 0.5, whole.events[3].time):
        first = ss.simulate(gear, t_end=cut)
        state = pickle.loads(pickle.dumps(first.state))
        second = ss.simulate(gear, state=state, t_end=1.0)
        assert second.state == whole.state
        assert [e.time for e in first.events] + [e.time for e in second.events] == [
            e.time for e in whole.events
        ]


@pytest.mark.parametrize("impact", ["poisson", "newton"])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_impact_on_a_belt_matches_hand_calculation(side: float, impact: str) -> None:
    """Sliding impact by hand: Λ_N = m v, the kinetic μ Λ_N along the belt (not the static), which the belt's
    motor pays: W = μ Λ_N u, and the loss is what then is missing."""
    mass, drop, mu, belt = 2.0, 0.5, 0.3, 4.0 * side
    m = ss.Machine(mass=[mass, mass], names=["x", "y"], force={"y": -mass * G})
    m.add_contact(
        "belt",
        normal={"y": 1.0},
        tangent={"x": 1.0},
        friction=ss.Coulomb(static=0.6, kinetic=mu),
        surface_velocity=belt,
        impact=impact,
    )
    run = ss.simulate(m, t_end=0.5, initial={"y.position": drop})
    (hit,) = (e for e in run.events if e.impact)
    speed = np.sqrt(2.0 * G * drop)
    assert hit.time == pytest.approx(speed / G, abs=1e-15)
    assert hit.normal_impulse == pytest.approx(mass * speed, rel=1e-13)
    along = mu * mass * speed * side
    assert hit.tangential_impulse == pytest.approx(-along, rel=1e-13)
    after = run.at(hit.time)
    assert after["x.velocity"][0] == pytest.approx(along / mass, rel=1e-13)
    taken = 0.5 * mass * speed**2 - 0.5 * along**2 / mass + along * belt
    assert hit.loss == pytest.approx(taken, rel=1e-13)
    # from there on friction μ m g drives it, and the belt works on
    later = run.t[-1] - hit.time
    assert run.energy.surfaces["belt"][-1] == pytest.approx(
        (along + mu * mass * G * later * side) * belt, rel=1e-12
    )
    assert run.energy.residual < 1e-14


def test_closed_contact_follows_an_accelerating_plate() -> None:
    """A mass stays on a plate A (1 - cos ωt) while A ω² < g: λ_N = m (g + A ω² cos ωt); faster it leaves where
    cos ωt = -g/(A ω²)."""
    amplitude, frequency, mass = 0.01, 4.0, 2.0
    omega = 2.0 * np.pi * frequency
    plate = -1.0 * (ss.Constant(amplitude) + ss.Sine(amplitude, frequency=frequency, phase=-0.5 * np.pi))
    m = ss.Machine(mass=mass, names=["y"], force={"y": -mass * G})
    m.add_contact("plate", normal={"y": 1.0}, gap=plate)
    run = ss.simulate(m, t_end=1.0, dt=0.01)
    assert run.events == () or len(run.events) == 0
    expected = mass * (G + amplitude * omega**2 * np.cos(omega * run.t))
    assert run["plate.normal_force"] == pytest.approx(expected, rel=1e-12)
    assert run["y.position"] == pytest.approx(amplitude * (1.0 - np.cos(omega * run.t)), abs=1e-13)
    assert run.energy.residual < 1e-13
    fast = ss.simulate(ball_on_plate(2.0 * G / omega**2, frequency), t_end=0.2)
    assert fast.events[0].after is ss.Mode.OPEN
    assert fast.events[0].time == pytest.approx(np.arccos(-0.5) / omega, abs=1e-13)


def ball_on_plate(amplitude, frequency):
    m = ss.Machine(mass=1.0, names=["y"], force={"y": -G})
    plate = ss.Constant(amplitude) + ss.Sine(amplitude, frequency=frequency, phase=-0.5 * np.pi)
    m.add_contact("plate", normal={"y": 1.0}, gap=-1.0 * plate)
    return m


def test_energy_balances_after_an_initial_impact_of_a_moving_wall() -> None:
    """3 kg meet a wall that comes with 0.5 m/s at t = 0: they leave with 0.5 + ε (0.5 + 1), and the wall's work
    counts as before the start."""
    m = ss.Machine(mass=3.0, names=["x"])
    m.add_contact("wall", normal={"x": 1.0}, gap=ss.Ramp(slope=-0.5), restitution=0.4)
    run = ss.simulate(m, t_end=1.0, initial={"x.velocity": -1.0})
    (hit,) = run.events
    assert hit.time == 0.0 and hit.normal_impulse == pytest.approx(3.0 * 1.4 * 1.5, rel=1e-14)
    assert run["x.velocity"] == pytest.approx(0.5 + 0.4 * 1.5, rel=1e-14)
    assert hit.loss == pytest.approx(0.5 * 3.0 * (1.0 - 0.4**2) * 1.5**2, rel=1e-13)
    assert run.energy.residual < 1e-14
