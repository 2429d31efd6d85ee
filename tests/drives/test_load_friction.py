"""Friction behind an elastic coupling: what a motor-side compensation can do against it, and what it cannot.

Source: Krämer and Kempkes, table 1, case c, and their outlook on compensation. At a constant speed v of the reference
the motor lags by v/KV, and the coupling is twisted by F(v)/c whatever the motor does.
"""

import numpy as np
import pytest

import stickslip as ss

STIFFNESS, LOAD, GAIN = 5e6, 9810.0, 8 / 60e-3
LAW = ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3)
SINE = ss.Sine(amplitude=50e-6, frequency=0.5)


def drive(
    reference: ss.Signal,
    *,
    stiffness: float = STIFFNESS,
    position: str = "motor",
    gain: float = GAIN,
    model: float = 0.0,
) -> ss.machines.TwoMassDrive:
    """Case c; `model` is the share of the friction that is added to the motor's force."""
    made = ss.machines.two_mass_drive(
        motor_mass=1000.0,
        load_mass=1000.0,
        stiffness=stiffness,
        damping=1341.64 * np.sqrt(stiffness / STIFFNESS),
        load_friction=LAW,
        normal_load=LOAD,
        control=ss.Cascade(kv=gain, kp=700e3, tn=30e-3, position=position),  # type: ignore[arg-type]
        reference=reference,
    )
    if model:
        feedforward = ss.FrictionFeedforward(LAW, normal_load=model * LOAD)
        made.machine.add_controller(feedforward, name="model", to="motor", reference=reference)
    return made


def pretwisted(reference: ss.Signal, share: float = 1.0) -> ss.Signal:
    """The reference plus the twist F(v)/c that the model expects of the coupling."""
    return reference + ss.FrictionForce(LAW, reference.derivative(), share * LOAD / STIFFNESS)


def worst(made: ss.machines.TwoMassDrive, body: str = "load") -> float:
    """Greatest error of a body against the sine from 1 s on, µm."""
    run = ss.simulate(made, t_end=3.0, dt=1e-3)
    late = run.t >= 1.0
    return 1e6 * float(np.abs(SINE(run.t) - run[f"{body}.position"])[late].max())


def test_steady_error_is_the_twist_of_the_coupling() -> None:
    """v/KV + F(v)/c, with and without the force of friction added at the motor; v/KV with the twist in the reference."""
    speed = 0.02
    lag, twist = speed / GAIN, float(LAW.force(speed, LOAD)) / STIFFNESS
    ramp = ss.Ramp(slope=speed)
    for made, expected in (
        (drive(ramp), lag + twist),
        (drive(ramp, model=1.0), lag + twist),
        (drive(pretwisted(ramp)), lag),
    ):
        run = ss.simulate(made, t_end=30.0, dt=30.0)
        assert speed * 30.0 - run["load.position"][-1] == pytest.approx(expected, abs=1e-11)


def test_motor_side_compensation_leaves_the_error_of_case_c() -> None:
    """17.120 µm before and after; the motor's own error is 1.28 µm, as its integral part already carries friction."""
    plain, helped = drive(SINE), drive(SINE, model=1.0)
    assert worst(plain) == pytest.approx(17.120, abs=5e-4)
    assert worst(helped) == pytest.approx(worst(plain), abs=5e-3)
    assert worst(plain, "motor") == pytest.approx(1.279, abs=5e-4)


def test_stiffer_coupling_and_twist_in_the_reference_reduce_the_load_error_of_case_c() -> None:
    """The twist added to the reference helps most, then a stiffer coupling, then measurement at the load."""
    assert worst(drive(pretwisted(SINE))) == pytest.approx(1.81, abs=0.01)
    assert worst(drive(pretwisted(SINE, 0.9))) == pytest.approx(3.46, abs=0.01)
    assert worst(drive(pretwisted(SINE, 1.1))) == pytest.approx(2.80, abs=0.01)
    assert worst(drive(SINE, stiffness=2.0 * STIFFNESS)) == pytest.approx(9.14, abs=0.01)
    assert worst(drive(SINE, stiffness=10.0 * STIFFNESS)) == pytest.approx(2.62, abs=0.01)
    assert worst(drive(SINE, position="load", gain=0.25 * GAIN)) == pytest.approx(10.49, abs=0.01)
