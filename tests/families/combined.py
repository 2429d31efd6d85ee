"""Elements of every kind in one machine: two to six of them at chains of masses that other families meet one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

import stickslip as ss
from families.case import Case, Rng, between, one_of, signal
from families.chains import any_law


class _Builder:
    """A chain of masses to which elements are added; coordinates that a constraint determines are taken."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        n = int(rng.integers(2, 6))
        self.names = [f"m{i}" for i in range(n)]
        damping, stiffness = np.zeros((n, n)), 0.02 * np.eye(n)
        for i in range(n - 1):
            e = np.zeros(n)
            e[[i, i + 1]] = 1.0, -1.0
            damping += one_of(rng, 0.0, between(rng, 0.3, 300.0)) * np.outer(e, e)
            stiffness += one_of(rng, 0.0, between(rng, 0.01, 3.0)) * np.outer(e, e)
        self.m = ss.Machine(10.0 ** rng.uniform(-1.0, 1.0, n), damping, stiffness, names=self.names)
        self.taken: set[str] = set()
        self.touches = False
        self.kinds = (
            self.friction, self.friction, self.spring, self.wall, self.floor, self.detent, self.clutch, self.relay,
            self.gear, self.shoe, self.control, self.dead_zone,
        )  # fmt: skip

    def one(self) -> str:
        return str(self.rng.choice(self.names))

    def pair(self) -> tuple[str, str]:
        one, other = self.rng.choice(self.names, 2, replace=False).tolist()
        return str(one), str(other)

    def beside(self, name: str) -> str:
        return str(self.rng.choice([n for n in self.names if n != name]))

    def place(self) -> Any:
        return one_of(self.rng, self.one(), self.one(), self.pair())

    def free(self) -> str | None:
        """A coordinate that no constraint has taken yet, which is taken now."""
        left = [name for name in self.names if name not in self.taken]
        if len(left) < 2:
            return None
        name = str(self.rng.choice(left))
        self.taken.add(name)
        return name

    def friction(self, name: str) -> None:
        rng = self.rng
        load = one_of(
            rng, 1.0, float(rng.uniform(0.3, 2.0)), ss.Sine(0.7, between(rng, 0.1, 2.0), offset=1.0)
        )
        belt = signal(rng, between(rng, 0.05, 1.0), smooth=True) if rng.random() < 0.25 else 0.0
        pressed = {f"{self.one()}.position": between(rng, 0.1, 10.0)}  # for laws with a load factor
        self.m.add_friction(name, self.place(), any_law(rng), load, belt, load=pressed)

    def spring(self, name: str) -> None:
        rng = self.rng
        self.m.add_spring(
            name, self.place(), between(rng, 1.0, 300.0), one_of(rng, 0.0, between(rng, 0.05, 3.0)),
            backlash=one_of(rng, 0.0, between(rng, 0.01, 0.5)), preload=one_of(rng, 0.0, 0.0, between(rng, 0.1, 2.0)),
        )  # fmt: skip

    def wall(self, name: str) -> None:
        rng, side = self.rng, one_of(self.rng, 1.0, -1.0)
        soft = one_of(rng, None, None, ss.KelvinVoigt(between(rng, 100.0, 1e4), between(rng, 0.1, 5.0)))
        rebound = one_of(rng, 0.0, float(rng.uniform(0.1, 0.9))) if soft is None else 0.0
        gap = one_of(rng, 0.0, float(rng.uniform(0.0, 0.5)))
        self.touches = True
        self.m.add_contact(name, {self.one(): side}, gap=gap, restitution=rebound, compliance=soft)

    def floor(self, name: str) -> None:
        """Pressed onto a floor whose friction acts on another coordinate."""
        rng, down = self.rng, self.free()
        if down is None:
            return
        other = self.beside(down)
        law = one_of(rng, float(rng.uniform(0.1, 0.6)), ss.Coulomb(0.5, 0.3), ss.Stribeck(0.5, 0.3, 0.1))
        self.m.add_contact(name, {down: 1.0}, {other: 1.0}, law, restitution=one_of(rng, 0.0, 0.4))
        self.m.add_force(down, -between(rng, 1.0, 20.0))

    def detent(self, name: str) -> None:
        rng = self.rng
        pitch = between(rng, 0.05, 0.5)
        shape = (
            {"pitch": pitch, "width": 0.4 * pitch}
            if rng.random() < 0.5
            else {"stiffness": between(rng, 0.1, 30.0)}
        )
        self.m.add_detent(name, self.place(), between(rng, 0.3, 5.0), **shape)

    def clutch(self, name: str) -> None:
        self.m.add_one_way_clutch(name, self.place())

    def relay(self, name: str) -> None:
        """Without hysteresis only where it acts on the velocity that it measures."""
        rng, size, one = self.rng, between(self.rng, 0.3, 5.0), self.one()
        direct = rng.random() < 0.3
        self.m.add_relay(
            name, f"{one}.velocity" if direct else f"{self.one()}.{one_of(rng, 'position', 'velocity')}", size, -size,
            to=one, threshold=one_of(rng, 0.0, 0.2), hysteresis=0.0 if direct else between(rng, 0.01, 0.2),
        )  # fmt: skip

    def gear(self, name: str) -> None:
        rng, one = self.rng, self.free()
        if one is None:
            return
        other = self.beside(one)
        self.m.add_gear(
            name, (one, other), between(rng, 0.3, 3.0) * one_of(rng, 1.0, -1.0),
            float(rng.uniform(0.7, 1.0)), backlash=one_of(rng, 0.0, 0.0, between(rng, 0.01, 0.2)),
        )  # fmt: skip

    def shoe(self, name: str) -> None:
        """Friction that a constraint's force loads."""
        rng, held = self.rng, self.free()
        if held is None:
            return
        other = self.beside(held)
        self.m.add_constraint(f"{name}_rail", {held: 1.0})
        self.m.add_friction(name, other, ss.Coulomb(0.3, float(rng.uniform(0.1, 0.3))), f"{name}_rail.force")
        self.m.add_force(held, signal(rng, between(rng, 1.0, 10.0)))

    def control(self, name: str) -> None:
        rng = self.rng
        law = ss.PI(between(rng, 1.0, 30.0), between(rng, 0.3, 30.0), limits=one_of(rng, None, 5.0))
        one = self.one()
        self.m.add_controller(
            law, name, one, reference=signal(rng, between(rng, 0.1, 1.0), smooth=True),
            period=one_of(rng, None, 0.01, 0.04),
        )  # fmt: skip

    def dead_zone(self, name: str) -> None:
        rng = self.rng
        self.m.add_dead_zone(
            name, f"{self.one()}.position", between(rng, 0.02, 0.5), gain=-between(rng, 1.0, 30.0), to=self.one()
        )  # fmt: skip

    def build(self) -> Case:
        rng = self.rng
        for i in range(int(rng.integers(2, 7))):
            one_of(rng, *self.kinds)(f"e{i}")
        for name in self.names:
            if rng.random() < 0.6:
                self.m.add_force(name, signal(rng, between(rng, 0.3, 10.0)))
        initial = {}
        moves = not self.taken and not self.touches and rng.random() < 0.7
        for name in self.names if moves else ():
            initial |= {
                f"{name}.position": 0.3 * float(rng.normal()),
                f"{name}.velocity": float(rng.normal()),
            }
        return Case(self.m, 2.0, {"initial": initial} if initial else {})


def build(seed: int) -> Case:
    """A chain of two to five masses with two to six elements."""
    return _Builder(np.random.default_rng([14041, seed])).build()
