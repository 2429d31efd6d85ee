"""The two-mass drive of Krämer, Kempkes, Table 1."""

import stickslip as ss

CASE_B = ss.Stribeck(static=0.0007, kinetic=0.0006, stribeck_velocity=1e-3)
CASCADE = ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3)


def drive(
    law: ss.Law | None = CASE_B,
    control: ss.Controller = CASCADE,
    normal_load: float = 9810.0,
    frequency: float = 0.5,
    **options: object,
) -> ss.machines.TwoMassDrive:
    return ss.machines.two_mass_drive(
        motor_mass=1000.0,
        load_mass=1000.0,
        stiffness=5e6,
        damping=1341.64,
        load_friction=law,
        normal_load=normal_load,
        control=control,
        reference=ss.Sine(amplitude=50e-6, frequency=frequency),
        **options,
    )
