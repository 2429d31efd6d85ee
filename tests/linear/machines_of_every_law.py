"""Random machines with every friction law, springs, contacts and controllers, for tests of linearisation."""

from collections.abc import Callable

import numpy as np

import stickslip as ss

Generator = np.random.Generator


def falling(v: float) -> float:
    """A curve of a Python function."""
    return float(np.sign(v) * (0.8 + 0.3 * np.exp(-20.0 * abs(v))))


LAWS: dict[str, Callable[[], ss.Law]] = {
    "Coulomb": lambda: ss.Coulomb(1.0, 0.7),
    "Stribeck": lambda: ss.Stribeck(1.0, 0.6, 0.05, shape=1.0, viscous=0.3),
    "Lorentzian": lambda: ss.Stribeck(1.0, 0.6, 0.05, form="lorentzian", viscous=0.2, viscous_exponent=1.5),
    "Viscous": lambda: ss.Viscous(0.8, exponent=1.4),
    "Tanh": lambda: ss.Tanh(1.0, 0.7, 0.1, width=0.02),
    "Table": lambda: ss.Table([0.0, 0.05, 0.2, 2.0], [1.0, 0.7, 0.6, 0.9], odd=True),
    "Curve": lambda: ss.Curve(falling, static=1.1, velocity_scale=0.05),
    "Sum": lambda: ss.Coulomb(0.5, 0.4) + ss.Viscous(0.3) + ss.Stribeck(0.4, 0.2, 0.1),
    "Dahl": lambda: ss.Dahl(0.8, stiffness=300.0),
    "LuGre": lambda: ss.LuGre(1.0, 0.7, 0.05, stiffness=500.0, damping=3.0, viscous=0.3),
    "TwoStateBristle": lambda: ss.laws.TwoStateBristle(1.0, 0.7, 0.05, stiffness=500.0, damping=3.0, viscous=0.3),
    "ElastoPlastic": lambda: ss.laws.ElastoPlastic(1.0, 0.7, 0.05, stiffness=500.0, damping=3.0, viscous=0.3),
    "MaxwellSlip": lambda: ss.laws.MaxwellSlip(1.0, 0.7, 0.05, stiffness=[400.0, 100.0], attraction=5.0, viscous=0.1),
    "BoucWen": lambda: ss.laws.BoucWen(0.8, stiffness=400.0),
    "Leuven": lambda: ss.laws.Leuven(1.0, 0.7, 0.05, stiffness=500.0, height=2.0, damping=2.0),
    "rate_and_state": lambda: ss.laws.rate_and_state(0.02, 0.03, 1e-2, reference_velocity=0.1),
    "slip_weakening": lambda: ss.laws.slip_weakening(1.0, 0.6, 0.05),
    "Lag": lambda: ss.StickSlip(ss.Stribeck(1.0, 0.6, 0.05), memory=ss.Lag(0.05)),
    "Dwell": lambda: ss.StickSlip(ss.Stribeck(1.0, 0.6, 0.05), memory=ss.Lag(0.05), dwell=0.3),
    "Presliding": lambda: ss.StickSlip(ss.Stribeck(1.0, 0.6, 0.05), presliding=ss.Presliding(0.01, 0.5)),
}  # fmt: skip


def spd(rng: Generator, n: int, size: float) -> np.ndarray:
    """A random symmetric positive definite matrix."""
    root = rng.normal(size=(n, n))
    made: np.ndarray = size * (root @ root.T / n + 0.3 * np.eye(n))
    return made


def random_machine(rng: Generator, law: str, force: float = 0.0, reference: float = 0.0) -> ss.Machine:
    """One to three coordinates with this law, and at random another law, a spring, a wall and controllers.

    `force` is added at the first coordinate, `reference` to the reference of the controller.
    """
    n = int(rng.integers(1, 4))
    names = [f"q{k}" for k in range(n)]
    m = ss.Machine(
        mass=spd(rng, n, 1.0),
        damping=spd(rng, n, 0.3),
        stiffness=spd(rng, n, 20.0),
        names=names,
        force={names[0]: 0.5 + force + ss.Sine(amplitude=2.0, frequency=float(rng.uniform(0.3, 1.5)))},
    )
    m.add_friction("guide", on=names[0], law=LAWS[law](), normal_load=float(rng.uniform(0.5, 2.0)),
                   surface_velocity=float(rng.uniform(-0.5, 0.5)))  # fmt: skip
    if rng.random() < 0.5:
        other = list(LAWS)[int(rng.integers(len(LAWS)))]
        m.add_friction("seal", on=names[-1], law=LAWS[other](), normal_load=float(rng.uniform(0.2, 1.0)))
    if rng.random() < 0.5:
        m.add_spring("stop", on=names[-1], stiffness=30.0, damping=0.5, backlash=float(rng.uniform(0.0, 0.2)))
    if rng.random() < 0.3:
        m.add_contact("wall", normal={names[-1]: -1.0}, gap=float(rng.uniform(0.0, 0.1)))
    kind = int(rng.integers(5))
    if kind == 1:
        m.add_controller(ss.PI(kp=3.0, tn=0.7), "control", measure=f"{names[0]}.velocity", to=names[-1],
                         reference=reference + ss.Ramp(slope=0.2))  # fmt: skip
    elif kind == 2:
        m.add_controller(
            ss.PID(kp=5.0, ki=2.0, kd=1.0, tf=0.05), "control", on=names[0], reference=0.1 + reference
        )
    elif kind == 3:
        m.add_controller(ss.P(kp=4.0), "control", measure=names[0], reference=0.2 + reference)
        m.add_controller(ss.PI(kp=3.0, tn=0.5, limits=(-1.5, 1.5)), "inner", measure=f"{names[0]}.velocity",
                         reference="control.output", to=names[0])  # fmt: skip
    return m
