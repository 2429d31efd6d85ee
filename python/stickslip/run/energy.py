"""Energy balance of a run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.run._owners import owner, sums

if TYPE_CHECKING:
    from stickslip.machine.machine import Machine
    from stickslip.machine.state_space import StateSpace

__all__ = ["Energy"]

Array = NDArray[np.float64]


class Energy:
    """Terms of the energy balance over time, in J, cumulative from the start of the run.

    ``kinetic + elastic - (their start values) = drives + controllers + surfaces + constraints - damping - friction -
    springs - compliances - impacts``, up to `imbalance`.

    For a `StateSpace` only the work of friction and of moving surfaces is known (force times relative velocity); the
    matrices do not determine the other terms, so these and the residual are NaN.

    Each term is computed when it is first read; `residual` needs no samples.

    Attributes
    ----------
    t : ndarray
        Times, s.
    kinetic, elastic : ndarray
        Stored energies.
    damping : ndarray
        Energy dissipated by the damping matrix.
    drives : dict of ndarray
        Work done by each external force.
    controllers : dict of ndarray
        Work that each controller's output does on the machine.
    surfaces : dict of ndarray
        Work done by the moving surface of each friction element, by the moving wall of each contact, and by the moving
        end of each spring.
    constraints : dict of ndarray
        Work done by each constraint; 0 unless it prescribes a motion.
    springs : dict of ndarray
        Energy dissipated by the damper of each spring and detent, including the energy left in a flank when contact ends.
    compliances : dict of ndarray
        Energy dissipated by the damping of each compliant contact.
    friction : dict of ndarray
        Work done by the motion on each friction element; bristles may store a part of it.
    impacts : ndarray
        Energy lost in impacts.
    imbalance : ndarray
        Error of the balance.
    residual : float
        Greatest imbalance at the end of any step, relative to the total work done in the run.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2})
    >>> run.energy.residual < 1e-12
    True
    """

    def __init__(self, machine: Machine | StateSpace, t: Array, raw: _core.run.Trajectory) -> None:
        self.t = t
        self._raw = raw

    @cached_property
    def residual(self) -> float:
        """Greatest imbalance at the end of any step, relative to the total work done in the run."""
        return self._raw.energy_residual

    @cached_property
    def _terms(self) -> dict[str, Any]:
        return self._raw.energy(self.t)

    def _term(self, name: str) -> Array:
        term: Array = self._terms[name]
        return term

    @property
    def kinetic(self) -> Array:
        """Kinetic energy."""
        return self._term("kinetic")

    @property
    def elastic(self) -> Array:
        """Energy stored in the stiffness matrix, in springs, detents and compliant contacts."""
        return self._term("elastic")

    @property
    def damping(self) -> Array:
        """Energy dissipated by the damping matrix, and taken or supplied by the circulatory part of the stiffness."""
        return self._term("damping")

    @cached_property
    def drives(self) -> dict[str, Array]:
        """Work done by each external force."""
        relays = self._raw.compiled.compensators
        return {name: work for name, work in self._applied.items() if name not in relays}

    @cached_property
    def _applied(self) -> dict[str, Array]:
        """Work of external forces and of the mean outputs of relays."""
        drives: dict[str, Array] = {}
        for name, work in zip(self._raw.compiled.drives, self._term("drives"), strict=True):
            drives[name] = drives[name] + work if name in drives else work
        return drives

    @cached_property
    def _places(self) -> list[str]:
        return self._raw.compiled.friction

    @cached_property
    def controllers(self) -> dict[str, Array]:
        """Work that each controller's output does on the machine."""
        compiled = self._raw.compiled
        names = [name for name, *_ in compiled.controllers]
        controllers = dict(zip(names, self._term("controllers"), strict=True))
        taken = sums(self._places, self._term("friction"))
        added = {name: self._applied.get(name, 0.0) - taken[name] for name in compiled.compensators}
        return controllers | added

    @cached_property
    def surfaces(self) -> dict[str, Array]:
        """Work done by moving surfaces of friction elements, moving walls of contacts and moving ends of springs."""
        compiled = self._raw.compiled
        surfaces = sums(self._places, self._term("surfaces"))
        for name in compiled.compensators:
            del surfaces[name]
        for name, work in self._walls.items():
            if owner(name) != name or (name in compiled.clutches and not work.any()):
                continue
            surfaces[name] = surfaces[name] + work if name in surfaces else work
        return surfaces | dict(zip(compiled.springs, self._term("supports"), strict=True))

    @cached_property
    def _walls(self) -> dict[str, Array]:
        names = (name for name, _ in self._raw.compiled.contacts)
        return dict(zip(names, self._term("walls"), strict=True))

    @cached_property
    def constraints(self) -> dict[str, Array]:
        """Work done by each constraint that prescribes a motion."""
        bilateral = dict(zip(self._raw.compiled.constraints, self._term("constraints"), strict=True))
        opposite = {name: work for name, work in self._walls.items() if owner(name) != name}
        return bilateral | sums(opposite, opposite.values())

    @cached_property
    def springs(self) -> dict[str, Array]:
        """Energy dissipated by the damper of each spring and detent."""
        return dict(zip(self._raw.compiled.springs, self._term("dampers"), strict=True))

    @cached_property
    def compliances(self) -> dict[str, Array]:
        """Energy dissipated by the damping of each compliant contact."""
        compiled = self._raw.compiled
        taken = zip(compiled.contacts, self._term("compliances"), strict=True)
        return {name: work for (name, _), work in taken if name in compiled.compliances}

    @cached_property
    def friction(self) -> dict[str, Array]:
        """Work done by the motion on each friction element."""
        compiled = self._raw.compiled
        taken = sums(self._places, self._term("friction"))
        others = {*compiled.compensators, *compiled.springs}  # a detent is both, and stores what it takes
        return {name: work for name, work in taken.items() if name not in others}

    @property
    def impacts(self) -> Array:
        """Energy lost in impacts."""
        return self._term("impacts")

    @property
    def imbalance(self) -> Array:
        """Error of the balance."""
        return self._term("imbalance")

    def __repr__(self) -> str:
        rows = {"kinetic": self.kinetic[-1], "elastic": self.elastic[-1], "damping": self.damping[-1]}
        rows |= {f"drive {k}": v[-1] for k, v in self.drives.items()}
        rows |= {f"controller {k}": v[-1] for k, v in self.controllers.items()}
        rows |= {f"surface {k}": v[-1] for k, v in self.surfaces.items()}
        rows |= {f"friction {k}": v[-1] for k, v in self.friction.items()}
        rows |= {f"spring {k}": v[-1] for k, v in self.springs.items()}
        rows |= {f"constraint {k}": v[-1] for k, v in self.constraints.items() if v.any()}
        rows |= {f"compliance {k}": v[-1] for k, v in self.compliances.items()}
        if self.impacts[-1] != 0.0:
            rows["impacts"] = self.impacts[-1]
        width = max(map(len, rows))
        lines = [f"{k:<{width}}  {v: .9g} J" for k, v in rows.items()]
        return "\n".join([f"Energy at t = {self.t[-1]:g} s", *lines, f"residual {self.residual:.3g}"])
