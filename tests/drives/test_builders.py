"""Chains and belt oscillators against closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss


@pytest.mark.parametrize("n", [1, 2, 7])
def test_chain_between_walls_has_closed_form_frequencies(n: int) -> None:
    """omega_k = 2 sqrt(c/m) sin(k pi / (2 (n + 1))), the lattice between two walls."""
    m, c = 0.7, 30.0
    chain = ss.machines.chain(mass=np.full(n, m), stiffness=c, left=c, right=c)
    omega = 2 * np.sqrt(c / m) * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1)))
    assert np.sort(np.abs(chain.poles().imag))[::2] == pytest.approx(omega, rel=1e-12)


def test_a_chain_is_the_two_mass_drive() -> None:
    """The same plant and controller built by both: the same run."""
    law = ss.Stribeck(static=0.0007, kinetic=0.0006, stribeck_velocity=1e-3)
    control = ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3)
    reference = ss.Sine(amplitude=50e-6, frequency=0.5)
    chain = ss.machines.chain(
        [1000.0, 1000.0], 5e6, 1341.64, law=[None, law], normal_load=9810.0, names=["motor", "load"]
    )
    chain.add_controller(control, on="motor", reference=reference)
    drive = ss.machines.two_mass_drive(
        1000.0, 1000.0, 5e6, 1341.64, law, 9810.0, control=control, reference=reference
    )
    a, b = ss.simulate(chain, 1.0, dt=0.1), ss.simulate(drive, 1.0, dt=0.1)
    assert np.array_equal(a["load.position"], b["load.position"])
    assert [e.time for e in a.events] == [e.time for e in b.events]


def test_every_mass_of_a_chain_has_its_own_friction() -> None:
    """Pulled at one end, the masses break away one after the other, at F = 1, 1 + 2 and 1 + 2 + 3 N.

    Slow pull, so that springs carry the static forces of the masses behind; first break-away at 1 N exactly.
    """
    law = ss.Coulomb(static=1.0, kinetic=1.0)
    chain = ss.machines.chain([1e-3] * 3, 10.0, 0.5, law=law, normal_load=[1.0, 2.0, 3.0])
    chain.add_force("m1", ss.Ramp(slope=0.01))
    run = ss.simulate(chain, t_end=700.0, dt=1.0)
    first = {name: run.events.of(name)[0].time for name in chain.elements}
    assert first["friction1"] == pytest.approx(100.0, abs=1e-9)
    assert first["friction2"] == pytest.approx(300.0, rel=2e-3)
    assert first["friction3"] == pytest.approx(600.0, rel=2e-3)


def test_belt_oscillator_breaks_away_at_the_static_level() -> None:
    """k v t = N mu_s, in closed form."""
    m = ss.machines.belt_oscillator(
        mass=1.0, stiffness=4.0, law=ss.Coulomb(static=0.3, kinetic=0.2), belt_velocity=0.05, normal_load=2.0
    )
    run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.05})
    assert run.events[0].time == pytest.approx(2.0 * 0.3 / (4.0 * 0.05), abs=1e-12)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="stiffness"):
        ss.machines.chain([1.0, 1.0, 1.0], stiffness=[1.0])
    with pytest.raises(ValueError, match="law"):
        ss.machines.chain([1.0, 1.0], 1.0, law=[None])
    with pytest.raises(ValueError, match="mass"):
        ss.machines.belt_oscillator(-1.0, 1.0, ss.Coulomb(static=1.0, kinetic=1.0), 0.1)


def test_a_machine_shows_all_that_was_added() -> None:
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    assert repr(m) == "Machine(names=['x', 'y'])"
    law, pid = ss.Coulomb(static=1.0, kinetic=0.8), ss.PID(kp=3.0)
    m.add_friction("guide", on="x", law=law)
    m.add_contact("floor", normal={"y": 1.0})
    m.add_controller(pid, on="x", reference=1.0)
    m.add_controller(ss.FrictionFeedforward(law), name="help", to="x", reference=1.0)
    help_ = ss.FrictionFeedforward(law)
    assert repr(m) == (
        f"Machine(names=['x', 'y'], friction={{'guide': {law}}}, contacts={{'floor': None}}, "
        f"controllers={{'pid': {pid}}}, compensation={{'help': {help_}}})"
    )


def test_a_chain_has_its_own_spring_at_each_end() -> None:
    """Pushed in the middle by 1 N, springs in series on both sides: 1/(1/3 + 1/20) left, 1/(1/7 + 1/20) right."""
    m = ss.machines.chain(mass=[1.0, 2.0, 3.0], stiffness=20.0, damping=[0.5, 0.25], left=3.0, right=7.0)
    stiffness = 1.0 / (1.0 / 3.0 + 1.0 / 20.0) + 1.0 / (1.0 / 7.0 + 1.0 / 20.0)
    rest = np.linalg.solve(m.stiffness, [0.0, 1.0, 0.0])
    assert rest[1] == pytest.approx(1.0 / stiffness, rel=1e-14)
    damping = np.array([[0.5, -0.5, 0.0], [-0.5, 0.75, -0.25], [0.0, -0.25, 0.25]])
    inverse = np.diag(1.0 / np.array([1.0, 2.0, 3.0]))
    plant = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ m.stiffness, -inverse @ damping]])
    assert np.sort_complex(m.poles()) == pytest.approx(np.sort_complex(np.linalg.eigvals(plant)), rel=1e-11)


def test_two_mass_drive_has_closed_form_frequencies() -> None:
    """Unequal masses: the load on the resting motor, and both against each other, by eigenvalues."""
    drive = ss.machines.two_mass_drive(motor_mass=500.0, load_mass=2000.0, stiffness=5e6, damping=900.0)
    alone = np.roots([2000.0, 900.0, 5e6])
    assert drive.antiresonance == pytest.approx(np.abs(alone[0]), rel=1e-13)
    assert drive.load_damping == pytest.approx(-alone[0].real / np.abs(alone[0]), rel=1e-12)
    reduced = 1.0 / (1.0 / 500.0 + 1.0 / 2000.0)
    assert drive.resonance == pytest.approx(np.sqrt(5e6 / reduced), rel=1e-13)


def test_damped_belt_oscillator_matches_closed_form() -> None:
    """Sliding far from the belt's speed under Coulomb friction: a decaying cosine around F/k."""
    m, k, d, fk = 2.0, 50.0, 3.0, 0.8
    belt = ss.machines.belt_oscillator(
        m, k, ss.Coulomb(static=1.0, kinetic=fk), belt_velocity=100.0, damping=d
    )
    run = ss.simulate(belt, 2.0, dt=0.1, initial={"block.position": 0.3})
    decay = 0.5 * d / m
    omega = np.sqrt(k / m - decay**2)
    wave = np.cos(omega * run.t) + decay / omega * np.sin(omega * run.t)
    expected = fk / k + (0.3 - fk / k) * np.exp(-decay * run.t) * wave
    assert run["block.position"] == pytest.approx(expected, abs=1e-12)


def test_rate_of_chained_outputs_agrees_with_scipy() -> None:
    """Three loops in a row, A = 2 (r - x), B = 3 (A - x), u = 5 (B - x) + 0.4 (B' - x'), against SciPy with the
    derivative written out: B' = 6 (r' - x') - 3 x'."""
    m = ss.Machine(mass=1.0, names=["x"], damping=0.5)
    w = 2.0 * np.pi * 0.4
    m.add_controller(ss.P(kp=2.0), name="a", measure="x", reference=ss.Sine(0.1, frequency=0.4))
    m.add_controller(ss.P(kp=3.0), name="b", measure="x", reference="a.output")
    m.add_controller(ss.PID(kp=5.0, kd=0.4, derivative_of="error"), name="c", on="x", reference="b.output")
    run = ss.simulate(m, 3.0, dt=0.1, rtol=1e-10, initial={"x.position": 0.05})

    def rates(t, y):
        r, dr = 0.1 * np.sin(w * t), 0.1 * w * np.cos(w * t)
        b = 6.0 * (r - y[0]) - 3.0 * y[0]
        db = 6.0 * (dr - y[1]) - 3.0 * y[1]
        return [y[1], 5.0 * (b - y[0]) + 0.4 * (db - y[1]) - 0.5 * y[1]]

    exact = solve_ivp(rates, (0.0, 3.0), [0.05, 0.0], "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-14)
    assert run["x.position"] == pytest.approx(exact.y[0], abs=1e-9)
