"""Energy balance of a run, compared with the work of its forces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._contacts import pushed_by_spring, stored
from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._impacts import Rubs
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels, Samples
from stickslip.analysis.auditing._spring_law import Line
from stickslip.analysis.auditing._surfaces import Surface
from stickslip.analysis.auditing._tolerances import Sizes

Array = NDArray[np.float64]
_MOST = 40  # instants at which the balance is read
_ROOM = 1e-7  # of the work turned over: works are summed over the panels as they are, which are not refined


def check_energy(
    audit: Audit,
    run: Any,
    d: Description,
    panels: Panels,
    surfaces: list[Surface],
    rubs: Rubs,
    sizes: Sizes,
) -> None:
    """Check every term of the energy balance against the samples."""
    ends = np.unique(np.linspace(0, panels.b.size - 1, _MOST).astype(int))
    t = panels.b[ends]
    stated = run.at(t).energy
    work = _Work(d, panels, surfaces)
    spread = max(10.0 * sizes.relative, _ROOM)
    room = spread * work.turned_over[ends] + 1e-300
    at = Samples(run, t, d)
    kinetic = 0.5 * (at.v * d.mass.momentum(at)).sum(axis=0)
    elastic = 0.5 * np.einsum("it,ij,jt->t", at.q, d.stiffness, at.q) + _in_springs(at, d)
    heavy = d.mass.greatest(panels.at)
    full = [float(0.5 * s @ np.abs(k) @ s) for s, k in ((sizes.v, heavy), (sizes.q, d.stiffness))]
    full[1] += sum(float(stored(c, panels.at).max()) for c in d.contacts if not c.rigid)
    full[1] += sum(float(one.stored(one.distance(panels.at.q)).max()) for one in d.detents)
    full[1] += sum(
        float(np.abs(line.stored(np.array([-1.0, 1.0]) * reach)).max()) for line, reach in _reaches(d, sizes)
    )
    audit.hold("energy: kinetic", "machine", t, np.abs(stated.kinetic - kinetic), spread * full[0] + 1e-300)
    audit.hold("energy: elastic", "machine", t, np.abs(stated.elastic - elastic), spread * full[1] + 1e-300)
    room = room + spread * (full[0] + full[1]) + sizes.relative * sizes.span * float(sizes.force @ sizes.v)

    def held(what: str, value: Any, own: Array) -> None:
        audit.hold(what, "machine", t, np.abs(np.asarray(value) - own), room)

    zero = np.zeros(t.size)
    held("energy: drives", sum(stated.drives.values(), zero), work.drives[ends])
    held("energy: controllers", sum(stated.controllers.values(), zero), work.controllers[ends])
    held("energy: damping", stated.damping, work.damping[ends])
    for name, taken in stated.friction.items():
        audit.hold("energy: friction", name, t, np.abs(taken - work.friction[name][ends]), room)
    for name, taken in stated.springs.items():
        audit.hold("energy: springs", name, t, np.abs(taken - work.springs[name][ends]), room)
    for name, taken in stated.compliances.items():
        audit.hold("energy: compliant contacts", name, t, np.abs(taken - work.compliances[name][ends]), room)
    given = sum(stated.surfaces.values(), zero)
    held("energy: surfaces", given, work.surfaces[ends] + _walls(run, d, t) + _belts(d, rubs, t))
    for name, done in stated.constraints.items():
        audit.hold("energy: constraints", name, t, np.abs(done - work.constraints[name][ends]), room)
    events = run.events
    at_impacts, losses = events.time[events.impact], events.loss[events.impact]
    lost = np.append(0.0, np.cumsum(losses))[np.searchsorted(at_impacts, t, side="right")]
    held("energy: impacts", stated.impacts, lost)
    taken = (
        sum(stated.friction.values(), zero)
        + sum(stated.springs.values(), zero)
        + sum(stated.compliances.values(), zero)
        + stated.impacts
        + stated.damping
    )
    put = sum(stated.drives.values(), zero) + sum(stated.controllers.values(), zero) + given
    put = put + sum(stated.constraints.values(), zero)
    with_impact = events.impact & (
        events.time <= run._raw.t_begin
    )  # the first sample is behind an impact at the start
    change = stated.kinetic + stated.elastic - _start(run, d) - events.loss[with_impact].sum()
    change = change + _walls(run, d, np.array([run._raw.t_begin]))
    room = room + 1e-12 * events.loss[with_impact].sum() + spread * (np.abs(taken) + np.abs(put))
    audit.hold("energy: balance", "machine", t, np.abs(change - put + taken), room)


def _start(run: Any, d: Description) -> float:
    at = Samples(run, np.array([run._raw.t_begin]), d)
    q, v = at.q[:, 0], at.v[:, 0]
    return float(0.5 * v @ d.mass.momentum(at)[:, 0] + 0.5 * q @ d.stiffness @ q + _in_springs(at, d)[0])


def _reaches(d: Description, sizes: Sizes) -> list[tuple[Line, float]]:
    """The characteristics of springs, and how far their elongations reach."""
    found = []
    for s in d.springs:
        rest = np.abs(s.rest.values(np.linspace(0.0, sizes.span, 65))).max()
        found += [(line, float(np.abs(s.along) @ sizes.q + rest)) for line in s.parts]
    return found


def _in_springs(at: Samples, d: Description) -> Array:
    """Energy stored in springs, and in contacts that yield."""
    total = np.zeros(at.t.size)
    for s in d.springs:
        x = s.elongation(at.q, at.t)
        total = total + np.sum([line.stored(x) for line in s.parts], axis=0)
    for one in d.detents:
        total = total + one.stored(one.distance(at.q))
    for c in d.contacts:
        if not c.rigid:
            total = total + stored(c, at)
    return total


def _walls(run: Any, d: Description, t: Array) -> Array:
    """Work of moving walls in impacts: -L dg/dt and -S times the speed of the surface."""
    total = np.zeros(t.size)
    for c in d.unilateral:
        own = run.events.of(c.name)
        with_impact = own.impact
        if not with_impact.any():
            continue
        times = own.time[with_impact]
        at = Samples(run, times, d)
        moved = d.demanded(at)  # by constraints, as by walls
        wall = c.gap.shift(at) + (c.normal.at(at) * moved).sum(axis=0)
        belt, along = 0.0 * times, 0.0 * times
        if c.place is not None:
            belt, along = c.place.surface_velocity.values(times), (c.place.along.at(at) * moved).sum(axis=0)
        work = -own.normal_impulse[with_impact] * wall - own.tangential_impulse[with_impact] * (belt - along)
        total = total + np.append(0.0, np.cumsum(work))[np.searchsorted(times, t, side="right")]
    return total


def _belts(d: Description, rubs: Rubs, t: Array) -> Array:
    """Work of moving surfaces in impacts along further directions of contacts."""
    surfaces = {p.name: p.surface_velocity for p in d.impulsive}
    total = np.zeros(t.size)
    for (time, _), own in rubs.items():
        total = total - sum(s * surfaces[name].value(time, 0) for name, s in own.items()) * (t >= time)
    return total


class _Work:
    """Work since the start of the run, at the end of each panel, by own integrals."""

    def __init__(self, d: Description, panels: Panels, surfaces: list[Surface]) -> None:
        at, v = panels.at, panels.at.v
        self.turned_over = np.zeros(panels.a.size)

        def total(power: Array) -> Array:
            self.turned_over = self.turned_over + np.cumsum(panels.integral(np.abs(power)))
            return np.cumsum(panels.integral(power))

        skew = 0.5 * (d.stiffness - d.stiffness.T)
        self.damping = total(np.einsum("it,it->t", v, d.damping @ v + skew @ at.q))
        self.drives, self.controllers = total(0.0 * at.t), total(0.0 * at.t)
        for push in d.pushes:
            along = push.along @ v
            if push.sampled:
                self.controllers = self.controllers + total(at[push.sampled] * along)
            else:
                self.drives = self.drives + total(push.value(at) * along)
        if (
            d.mass.moves
        ):  # forces contain those of the moving masses, v' d/dt(M) v / 2 of whose work they keep
            self.drives = self.drives + total(0.5 * (v * d.mass.turning(at)).sum(axis=0))
        self.friction = {}
        self.surfaces = total(0.0 * at.t)
        for place, one in zip(d.surfaces, surfaces, strict=True):
            self.friction[place.name] = total(one.force * one.velocity)
            self.surfaces = self.surfaces - total(one.force * place.surface_velocity.values(at.t))
        self.springs, self.compliances = {}, {}
        for s in d.springs:
            x, rate = s.elongation(at.q, at.t), s.rate(v, at.t)
            force = s.force(x, rate)
            self.springs[s.name] = total((force - s.line(x)) * rate)
            self.surfaces = self.surfaces - total(force * s.rest.values(at.t, 1))
        for detent in d.detents:
            self.springs[detent.name] = total(detent.damping * (detent.along @ v) ** 2)
        self.constraints = {
            held.name: total(-at[f"{held.name}.force"] * held.rate(at)) for held in d.constraints
        }
        for c in d.contacts:
            pressed = at[f"{c.name}.normal_force"]
            self.surfaces = self.surfaces - total(pressed * c.gap.shift(at))
            if not c.rigid:
                deeper = -c.gap.rate(at)
                self.compliances[c.name] = total((pressed - pushed_by_spring(c, at)) * deeper)
