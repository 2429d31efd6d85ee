"""P9: what derivatives by ten and by a hundred parameters cost, in runs without them; whole calls, processor time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import stickslip as ss

from .sweep_costs import seconds


@dataclass(frozen=True)
class Case:
    """A machine with ten of its parameters."""

    title: str
    machine: Any
    t_end: float
    parameters: tuple[str, ...]
    initial: dict[str, float] = field(default_factory=dict)

    def runs(self, quick: bool) -> float:
        """The cost of a run with derivatives, in runs without."""
        t_end = 0.05 * self.t_end if quick else self.t_end

        def cost(**options: Any) -> float:
            def call() -> Any:
                return ss.simulate(self.machine, t_end, initial=self.initial, **options)

            return seconds(call, time.process_time, 1 if quick else 9)

        derivatives = cost(sensitivities=list(self.parameters))
        return derivatives / max(cost(), time.get_clock_info("process_time").resolution)


def belt() -> Case:
    """Stick-slip on a belt: exact flows, two events a cycle."""
    m = ss.Machine(mass=1.3, stiffness=2.0, damping=0.01, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    names = (
        "belt.law.static belt.law.kinetic belt.surface_velocity belt.normal_load block.mass block.stiffness"
    )
    more = ("block.damping", "block.velocity", "block.position", "belt.surface_velocity_scale")
    return Case("belt", m, 2000.0, (*names.split(), *more), {"block.velocity": 0.2})


def drive() -> Case:
    """Two masses under a cascade with Stribeck friction: numerical flows between sticks."""
    machine = ss.machines.two_mass_drive(
        motor_mass=1000.0, load_mass=1000.0, stiffness=5e6, damping=1341.64,
        load_friction=ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3), normal_load=9810.0,
        control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3), reference=ss.Sine(amplitude=50e-6, frequency=0.5),
    )  # fmt: skip
    law = tuple(f"load friction.law.{name}" for name in ("static", "kinetic", "stribeck_velocity"))
    control = tuple(
        f"control.{name}" for name in ("control.kp", "control.kv", "control.tn", "reference_scale")
    )
    return Case("drive", machine, 3.0, (*law, *control, "load.mass", "motor.mass", "stiffness[motor,load]"))


def bristles() -> Case:
    """A pull with LuGre friction: one stiff flow."""
    m = ss.Machine(
        mass=1.0, stiffness=2.0, damping=0.01, names=["block"], force={"block": ss.Ramp(slope=0.2)}
    )
    law = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
    m.add_friction("guide", on="block", law=law)
    numbers = ("stiffness", "damping", "static", "kinetic", "stribeck_velocity", "viscous")
    own = ("block.mass", "block.stiffness", "block.damping", "block.force_scale")
    return Case("bristles", m, 100.0, tuple(f"guide.law.{name}" for name in numbers) + own)


def sampled() -> Case:
    """A sampled controller: 4600 sampling instants."""
    m = ss.Machine(mass=2.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.7))
    m.add_controller(
        ss.PID(kp=35.0, ki=41.0, kd=6.0), name="pid", on="slide", period=0.013,
        reference=ss.Sine(amplitude=1.0, frequency=0.2),
    )  # fmt: skip
    names = "guide.law.static guide.law.kinetic guide.normal_load slide.mass pid.control.kp pid.control.ki"
    more = ("pid.control.kd", "pid.reference_scale", "slide.position", "slide.velocity")
    return Case("sampled loop", m, 60.0, (*names.split(), *more), {"slide.velocity": 0.1})


def of_one_number(quick: bool) -> float:
    """Cost of the gradient of one number by a hundred parameters: ten blocks on a belt, coupled by springs."""
    n, t_end = 10, 50.0 if quick else 1000.0
    between = 40.0 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    m = ss.Machine(
        mass=[1.0 + 0.01 * i for i in range(n)], names=[f"b{i}" for i in range(n)],
        stiffness=np.diag([2.0 + 0.1 * i for i in range(n)]) + between, damping=np.diag([0.02] * n),
    )  # fmt: skip
    numbers: dict[str, float] = {}
    for i in range(n):
        law = ss.Coulomb(static=1.0 + 0.003 * i, kinetic=0.8)
        m.add_friction(f"f{i}", on=f"b{i}", law=law, surface_velocity=0.2)
        numbers |= {f"f{i}.law.static": 1.0 + 0.003 * i, f"f{i}.law.kinetic": 0.8, f"f{i}.normal_load": 1.0}
        numbers |= {f"f{i}.surface_velocity": 0.2, f"b{i}.mass": 1.0 + 0.01 * i, f"b{i}.damping": 0.02}
        numbers |= {
            f"b{i}.stiffness": m.stiffness[i, i],
            f"b{i}.position": 0.0,
            f"b{i}.velocity": 0.2 + 0.01 * i,
        }
        numbers |= {f"stiffness[b{i},b{i + 1}]": -40.0} if i + 1 < n else {}
    options: dict[str, Any] = {"t_eval": np.linspace(0.0, t_end, 200)}
    initial = {name: x for name, x in numbers.items() if name.endswith("velocity") and name.startswith("b")}
    gradient = ss.value_and_grad(
        lambda run: np.mean(run["b0.position"] ** 2),
        m,
        list(numbers),
        t_end=t_end,
        initial=initial,
        **options,
    )
    p, times = list(numbers.values()), 1 if quick else 5
    plain = seconds(lambda: ss.simulate(m, t_end, initial=initial, **options).y, time.process_time, times)
    return seconds(lambda: gradient(p), time.process_time, times) / plain


def notes(quick: bool) -> list[str]:
    """Return the lines of P9."""
    return [
        f"P9: derivatives of the {case.title} with respect to {len(case.parameters)} parameters take "
        f"{case.runs(quick):.1f} times as long as a run"
        for case in (belt(), drive(), bristles(), sampled())
    ] + [
        f"P9: the gradient of a scalar of a chain with respect to 99 parameters takes {of_one_number(quick):.1f} times as "
        "long as a run"
    ]
