"""Random machines with constraints, and the same machines in minimal coordinates, eliminated by hand.

With ``W' q = c(t)`` solved for some coordinates, ``q = Z y + B c``, so that

    Z' M Z y'' + Z' D Z y' + Z' K Z y = Z' (f - M B c'' - D B c' - K B c),

a rate w . q' is (Z' w) . y' + w . B c', and a gap w . q + g is (Z' w) . y + g + w . B c.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import stickslip as ss

Array = np.ndarray


@dataclass
class Swing:
    """``offset + amplitude sin(omega t + phase)`` with its derivatives as signals."""

    amplitude: float = 0.0
    omega: float = 1.0
    phase: float = 0.0
    offset: float = 0.0

    def at(self, t: Any, order: int = 0) -> Any:
        """Its value."""
        swing = self.amplitude * self.omega**order * np.sin(self.omega * t + self.phase + 0.5 * np.pi * order)
        return swing + (self.offset if order == 0 else 0.0)

    def signal(self, factor: float = 1.0, order: int = 0) -> ss.Signal:
        """A multiple of a derivative."""
        size = factor * self.amplitude * self.omega**order
        constant = factor * self.offset if order == 0 else 0.0
        return ss.Sine(
            size, self.omega / (2.0 * np.pi), phase=self.phase + 0.5 * np.pi * order, offset=constant
        )


@dataclass
class Plan:
    """A machine by numbers, over any coordinates."""

    mass: Array
    damping: Array
    stiffness: Array
    forces: list[tuple[Array, ss.Signal]] = field(default_factory=list)
    friction: list[tuple[str, Array, Any, ss.Signal | float]] = field(default_factory=list)
    contacts: list[tuple[str, Array, Array | None, float, ss.Signal | float, float, ss.Signal | float]] = (
        field(default_factory=list)
    )
    pressed: list[tuple[str, Array, float, ss.Signal | float]] = field(default_factory=list)  # by the stop
    springs: list[tuple[str, Array, dict[str, Any]]] = field(default_factory=list)
    controllers: list[tuple[str, Any, Array, Array, ss.Signal | float]] = field(default_factory=list)

    def machine(self) -> ss.Machine:
        """The machine as described in the package."""
        n = len(self.mass)
        names = [f"q{i}" for i in range(n)]
        m = ss.Machine(self.mass, self.damping, self.stiffness, names)

        def on(w: Array, what: str = "") -> dict[str, float]:
            return {name + what: float(x) for name, x in zip(names, w, strict=True) if x != 0.0}

        for w, signal in self.forces:
            m.add_force(on(w), signal)
        for name, w, law, surface in self.friction:
            m.add_friction(name, on=on(w), law=law, surface_velocity=surface)
        for name, normal, tangent, mu, gap, bounce, surface in self.contacts:
            m.add_contact(
                name, normal=on(normal), gap=gap, restitution=bounce, surface_velocity=surface,
                **({} if tangent is None else {"tangent": on(tangent), "friction": mu}),
            )  # fmt: skip
        for name, w, mu, surface in self.pressed:
            m.add_friction(
                name, on=on(w), law=ss.Coulomb(mu, mu), load="stop.normal_force", surface_velocity=surface
            )
        for name, w, numbers in self.springs:
            m.add_spring(name, on=on(w), **numbers)
        for name, control, read, to, reference in self.controllers:
            m.add_controller(
                control, name=name, measure=on(read, ".position"), reference=reference, to=on(to)
            )
        return m


@dataclass
class Constrained:
    """A plan with constraints ``rows @ q = values``."""

    plan: Plan
    rows: Array
    values: list[Swing]

    def machine(self) -> ss.Machine:
        """With constraints."""
        m = self.plan.machine()
        for k, (w, value) in enumerate(zip(self.rows, self.values, strict=True)):
            m.add_constraint(
                f"c{k}", on={f"q{i}": float(x) for i, x in enumerate(w) if x}, value=value.signal()
            )
        return m

    def elimination(self) -> tuple[Array, Array]:
        """Z and B: solved for the coordinates that can be solved for best."""
        from itertools import combinations

        n, held = self.rows.shape[1], np.linalg.matrix_rank(self.rows)
        dependent = max(
            combinations(range(n), held), key=lambda d: np.linalg.svd(self.rows[:, d])[1][held - 1]
        )
        free = [i for i in range(n) if i not in dependent]
        solve = np.linalg.pinv(self.rows[:, dependent])
        z, b = np.zeros((n, len(free))), np.zeros((n, len(self.values)))
        z[free, range(len(free))] = 1.0
        z[list(dependent)] = -solve @ self.rows[:, free]
        b[list(dependent)] = solve
        return z, b

    def reduced(self) -> Plan:
        """In minimal coordinates."""
        p = self.plan
        z, b = self.elimination()

        def moved(w: Array, order: int, factor: float = 1.0) -> ss.Signal | float:
            parts = w @ b
            total: Any = 0.0
            for part, value in zip(parts, self.values, strict=True):
                if part and (value.amplitude or value.offset):
                    total = value.signal(factor * part, order) + total
            return total

        out = Plan(z.T @ p.mass @ z, z.T @ p.damping @ z, z.T @ p.stiffness @ z)
        for w, signal in p.forces:
            out.forces.append((z.T @ w, signal))
        for order, matrix in enumerate((p.stiffness, p.damping, p.mass)):
            for j in range(z.shape[1]):
                push = moved(matrix.T @ z[:, j], order, -1.0)
                if not isinstance(push, float):
                    out.forces.append((np.eye(z.shape[1])[j], push))
        for name, w, law, surface in p.friction:
            out.friction.append((name, z.T @ w, law, moved(w, 1, -1.0) + surface))
        for name, normal, tangent, mu, gap, bounce, surface in p.contacts:
            along = None if tangent is None else z.T @ tangent
            surface = surface if tangent is None else moved(tangent, 1, -1.0) + surface
            out.contacts.append((name, z.T @ normal, along, mu, moved(normal, 0) + gap, bounce, surface))
        for name, w, mu, surface in p.pressed:
            out.pressed.append((name, z.T @ w, mu, moved(w, 1, -1.0) + surface))
        for name, w, numbers in p.springs:
            out.springs.append((name, z.T @ w, numbers | {"rest": moved(w, 0, -1.0)}))
        for name, control, read, to, reference in p.controllers:
            out.controllers.append((name, control, z.T @ read, z.T @ to, moved(read, 0, -1.0) + reference))
        return out


def random_machine(
    seed: int, moving: bool = False, contacts: bool = True, directions: int = 0
) -> Constrained:
    """Some masses, gears between them, and what acts on them; `directions` of friction under one stop."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    held = int(rng.integers(1, n - 1))
    mass = np.diag(10.0 ** rng.uniform(-1.0, 1.0, n))
    links = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.4)
    stiffness = 30.0 * links @ links.T + np.diag(rng.uniform(1.0, 20.0, n))
    p = Plan(mass, np.diag(rng.uniform(0.0, 1.0, n)), stiffness)
    rows = np.zeros((held, n))
    for k in range(held):
        while True:
            rows[k] = 0.0
            some = rng.choice(n, size=int(rng.integers(2, min(n, 3) + 1)), replace=False)
            rows[k, some] = rng.uniform(0.4, 2.5, some.size) * rng.choice([-1.0, 1.0], some.size)
            if np.linalg.svd(rows[: k + 1])[1].min() > 0.3:
                break
    values = [Swing() for _ in range(held)]
    if moving:
        values[0] = Swing(0.3, float(rng.uniform(1.0, 4.0)), float(rng.uniform(0.0, 6.0)), 0.1)
    out = Constrained(p, rows, values)
    z, _ = out.elimination()

    def row(most: int = 2) -> Array:
        """Random row with a component along a motion that the constraints allow."""
        while True:
            w = np.zeros(n)
            some = rng.choice(n, size=int(rng.integers(1, most + 1)), replace=False)
            w[some] = rng.uniform(0.5, 1.5, some.size) * rng.choice([-1.0, 1.0], some.size)
            if np.linalg.norm(z.T @ w) > 0.2:
                return w

    for _ in range(2):
        p.forces.append((row(), ss.Sine(float(rng.uniform(2.0, 8.0)), float(rng.uniform(0.1, 0.7)))))
    for k in range(int(rng.integers(1, 4))):
        kinetic = float(rng.uniform(0.3, 1.5))
        law = ss.Coulomb(static=kinetic * float(rng.uniform(1.0, 1.5)), kinetic=kinetic)
        surface = 0.0 if rng.random() < 0.6 else float(rng.normal() * 0.3)
        p.friction.append((f"f{k}", row(), law, surface))
    if contacts and rng.random() < 0.7:
        tangent = None if rng.random() < 0.5 else row()
        gap, bounce = float(rng.uniform(0.8, 1.2)), float(rng.choice([0.0, 0.6]))
        moves = 0.0 if tangent is None or rng.random() < 0.5 else 0.3
        p.contacts.append(("stop", row(1), tangent, 0.2, gap, bounce, moves))
    if directions:
        p.contacts.append(("stop", row(), None, 0.0, 1.0, float(rng.choice([0.0, 1.0])), 0.0))
        first, second = row(), row()
        for k, angle in enumerate(np.pi / directions * np.arange(directions)):
            along = np.cos(angle) * first + np.sin(angle) * second
            p.pressed.append((f"stop[{k}]", along, 0.3 * float(np.sin(0.5 * np.pi / directions)), 0.0))
    if rng.random() < 0.5:
        p.springs.append(("nut", row(), {"stiffness": 200.0, "damping": 2.0, "backlash": 0.1}))
    if rng.random() < 0.4:
        p.controllers.append(("pd", ss.PID(kp=20.0, kd=2.0, derivative_of="error"), row(1), row(1), 0.0))
    return out
