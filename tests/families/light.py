"""Light parts between heavy ones, walls and corners, hit from several sides in rapid succession.

Without friction and forces the velocities follow from the impacts alone: they are held against a program that makes one
impact after the other in decimal arithmetic, wherever gaps and rates that rounding moves lead to the same velocities.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from reference.impact_sequence import Contact, impacts

import stickslip as ss
from families.case import Case, Rng, between, one_of

T_END = 10.0
MOST_IMPACTS, PATIENCE = 6000, 400
# Blur of gaps and rates after each impact, as rounding moves them, and gaps that cannot be told from zero.
DOUBTS = ((0.0, 0.0), (1e-13, 0.0), (1e-12, 0.0), (1e-11, 0.0), (0.0, 1e-15))
SAME = 3e-9  # of the greatest velocity: blurred impacts lead to the same velocities
OFF = 1e-8  # of the greatest velocity: the run differs


@dataclass
class Parts:
    """Bodies with contacts of constant directions, as they are built and as the reference takes them."""

    mass: list[float]
    velocity: list[float]
    law: str
    contacts: list[Contact] = field(default_factory=list)
    forces: dict[str, float] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return [f"q{i}" for i in range(len(self.mass))]

    def touch(self, row: dict[int, float], gap: float, restitution: float, moving: float = 0.0) -> None:
        """Add a contact."""
        whole = [row.get(i, 0.0) for i in range(len(self.mass))]
        self.contacts.append(Contact(whole, gap, restitution, moving))

    def machine(self) -> ss.Machine:
        m = ss.Machine(mass=self.mass, names=self.names)
        for name, force in self.forces.items():
            m.add_force(name, force)
        for i, c in enumerate(self.contacts):
            rough = {} if c.tangent is None else {"tangent": np.array(c.tangent), "friction": c.friction}
            gap = ss.Ramp(slope=c.moving, offset=c.gap) if c.moving else c.gap
            m.add_contact(
                f"c{i}", normal=np.array(c.row), gap=gap, restitution=c.restitution, impact=self.law, **rough
            )
        return m


def _restitution(rng: Rng) -> float:
    return float(
        one_of(rng, 0.0, 0.05, 0.07, 0.1, rng.uniform(0.0, 1.0), rng.uniform(0.2, 0.9), 0.5, 0.95, 1.0)
    )


def _row_of_bodies(rng: Rng) -> Parts:
    """Two to five bodies on a line, light ones among them, with or without walls at the ends, which may move."""
    n = int(rng.integers(2, 6))
    mass = [10.0 ** -rng.uniform(0.0, 6.0) if rng.random() < 0.5 else 1.0 for _ in range(n)]
    parts = Parts(mass, [0.0] * n, one_of(rng, "newton", "poisson"))
    e, same = _restitution(rng), rng.random() < 0.5
    for i in range(n - 1):
        gap = one_of(rng, 0.0, between(rng, 1e-6, 1.0), between(rng, 1e-3, 0.1), 1e-3)
        parts.touch({i: -1.0, i + 1: 1.0}, gap, e if same else _restitution(rng))
    if n == 2 or rng.random() < 0.4:
        moving = one_of(rng, 0.0, 0.0, -float(rng.uniform(0.0, 0.1)))
        gap = 1.1 * -moving * T_END if moving else between(rng, 1e-4, 1.0)
        parts.touch({n - 1: -1.0}, gap, e if same else _restitution(rng), moving)
        if moving:
            _lossy(parts)
    if rng.random() < 0.2:
        parts.touch({0: 1.0}, between(rng, 1e-4, 1.0), e if same else _restitution(rng))
    parts.velocity[0] = 1.0
    if rng.random() < 0.5:
        parts.velocity = [float(x) for x in rng.normal(size=n)]
    return parts


def _bar(rng: Rng) -> Parts:
    """A bar (height, angle) of small moment of inertia on two or three corners, in some a light body below one of them."""
    inertia = between(rng, 1e-6, 0.1)
    parts = Parts(
        [1.0, inertia], [-1.0, one_of(rng, 0.0, float(rng.normal()))], one_of(rng, "newton", "poisson")
    )
    e, height = _restitution(rng), between(rng, 1e-3, 0.1)
    tilt = between(rng, 1e-8, 1e-3) * one_of(rng, 1.0, -1.0)
    corners = [-0.05, 0.05] if rng.random() < 0.6 else [float(x) for x in np.sort(rng.uniform(-0.1, 0.1, 3))]
    for at in corners:
        parts.touch({0: 1.0, 1: at}, height * float(rng.uniform(1.0, 1.0001)) + at * tilt, e)
    if rng.random() < 0.3:
        parts.mass.append(between(rng, 1e-6, 1.0))
        parts.velocity.append(0.0)
        for c in parts.contacts:
            c.row = [*c.row, 0.0]
        below = parts.contacts[0]
        parts.contacts[0] = Contact([*below.row[:2], -1.0], 0.5 * below.gap, e)
        parts.touch({2: 1.0}, 0.6 * below.gap, _restitution(rng))
    return parts


def _oblique(rng: Rng) -> Parts:
    """One to three coordinates of very different masses between two to five oblique walls."""
    n = int(rng.integers(2, 4))
    mass = [10.0 ** -rng.uniform(0.0, 6.0) for _ in range(n)]
    parts = Parts(mass, [float(x) for x in rng.normal(size=n)], one_of(rng, "newton", "poisson"))
    e = _restitution(rng)
    for _ in range(int(rng.integers(2, 6))):
        normal = rng.normal(size=n)
        if rng.random() < 0.7 and normal @ parts.velocity > 0.0:
            normal = -normal
        gap = one_of(rng, 0.0, between(rng, 1e-6, 1.0), between(rng, 1e-3, 0.3))
        parts.contacts.append(Contact([float(x) for x in normal], gap, e))
    return parts


def _lossy(parts: Parts) -> None:
    """No restitution of 1, which under a force or between closing walls means impacts for ever."""
    for c in parts.contacts:
        c.restitution = min(c.restitution, 0.95)


def parts_of(seed: int) -> tuple[Parts, Rng]:
    """The bodies of a seed, without friction and forces, and what is drawn from next."""
    rng = np.random.default_rng([14011, seed])
    return one_of(rng, _row_of_bodies, _row_of_bodies, _bar, _oblique)(rng), rng


def _add_friction(rng: Rng, parts: Parts) -> None:
    """Friction at one or more contacts, along one more coordinate."""
    parts.mass.append(between(rng, 1e-3, 1.0))
    parts.velocity.append(float(rng.normal()))
    for c in parts.contacts:
        c.row = [*c.row, 0.0]
    for c in parts.contacts:
        if rng.random() < 0.5:
            c.tangent, c.friction = [0.0] * (len(parts.mass) - 1) + [1.0], between(rng, 0.05, 0.5)


def truth_of(parts: Parts) -> np.ndarray | None:
    """Velocities after one impact after the other; None where rounding decides, or where they are too many."""
    mass, ends = np.diag(parts.mass).tolist(), []
    for blur, resolution in DOUBTS:
        try:
            found = impacts(
                mass, parts.contacts, parts.velocity, parts.law, t_end=T_END, most=MOST_IMPACTS,
                patience=PATIENCE, blur=blur, resolution=resolution,
            )  # fmt: skip
        except ArithmeticError:  # Newton's law contradicts itself
            return None
        if not found.ended:
            return None
        ends.append(np.array(found.velocity))
    size = np.abs(ends[0]).max() + np.abs(parts.velocity).max()
    return None if max(np.abs(end - ends[0]).max() for end in ends[1:]) > SAME * size else ends[0]


def more_impacts(parts: Parts, than: int) -> str:
    """True if impacts in succession also exceed this number before the end."""
    mass = np.diag(parts.mass).tolist()
    found = impacts(mass, parts.contacts, parts.velocity, parts.law, t_end=T_END, most=than + 1)
    return "proven: more impacts" if found.impacts > than else ""


def complaint(parts: Parts, run: ss.Trajectory) -> str:
    """Difference of the final velocities from those of one impact after the other; empty where they agree."""
    n, truth = len(parts.mass), truth_of(parts)
    if truth is None:
        return ""
    end = run.state.x[n : 2 * n]
    off, size = float(np.abs(end - truth).max()), np.abs(truth).max() + np.abs(parts.velocity).max()
    if off <= OFF * size:
        return ""
    return f"velocities {end.tolist()}, one impact after the other {truth.tolist()}, off by {off:.3g}"


def build(seed: int) -> Case:
    """One in six with friction, one in six with forces."""
    parts, rng = parts_of(seed)
    kind = one_of(rng, "", "", "", "", "rough", "pushed")
    if kind == "rough":
        _add_friction(rng, parts)
    elif kind == "pushed":
        _lossy(parts)
        for name in parts.names:
            if rng.random() < 0.5:
                parts.forces[name] = float(rng.normal()) * parts.mass[parts.names.index(name)]
    initial = {f"{name}.velocity": v for name, v in zip(parts.names, parts.velocity, strict=True)}
    case = Case(parts.machine(), 2.0 if kind == "pushed" else T_END, {"initial": initial})
    if not kind:
        case.check = lambda run: complaint(parts, run)
        case.budget = lambda most: more_impacts(parts, most)
    return case
