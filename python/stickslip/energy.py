"""The energy balance of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from stickslip.machine import Machine
    from stickslip.state_space import StateSpace

__all__ = ["Energy"]

Array = NDArray[np.float64]


class Energy:
    """Every term of the energy balance over time, in J, cumulative from the start of the run.

    ``kinetic + elastic - (their start values) = drives + controllers + surfaces - damping - friction - impacts``,
    up to `imbalance`.

    Of a `StateSpace` only what friction takes and moving surfaces give is known (force times relative velocity);
    matrices do not say what is stored, damped or driven, so all other terms and the residual are NaN.

    Attributes
    ----------
    t : ndarray
        Times, s.
    kinetic, elastic : ndarray
        Stored energies.
    damping : ndarray
        Energy taken by the damping matrix.
    drives : dict of ndarray
        Work done by each external force.
    controllers : dict of ndarray
        Work that each controller's output does on the machine.
    surfaces : dict of ndarray
        Work done by the moving surface of each friction element, and by contacts whose gap moves by itself.
    friction : dict of ndarray
        Energy taken at each friction element; bristles may hold some of it.
    impacts : ndarray
        Energy lost in impacts.
    imbalance : ndarray
        What is left over.
    residual : float
        The greatest imbalance, relative to all the work done.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2})
    >>> run.energy.residual < 1e-12
    True
    """

    def __init__(self, machine: Machine | StateSpace, t: Array, raw: dict[str, Any]) -> None:
        compiled = machine.compile()
        places = compiled.places
        self.t = t
        self.kinetic: Array = raw["kinetic"]
        self.elastic: Array = raw["elastic"]
        self.damping: Array = raw["damping"]
        self.drives: dict[str, Array] = {}
        for (name, _), work in zip(machine._forces, raw["drives"], strict=True):
            self.drives[name] = self.drives[name] + work if name in self.drives else work
        self.controllers: dict[str, Array] = dict(zip(machine.controllers, raw["controllers"], strict=True))
        self.surfaces: dict[str, Array] = dict(zip(places, raw["surfaces"], strict=True))
        self.friction: dict[str, Array] = dict(zip(places, raw["friction"], strict=True))
        for name in compiled.compensators:
            self.controllers[name] = -self.friction.pop(name)
            del self.surfaces[name]
        walls = dict(zip((name for name, _ in compiled.contacts), raw["walls"], strict=True))
        for name, work in walls.items():
            self.surfaces[name] = self.surfaces[name] + work if name in self.surfaces else work
        self.impacts: Array = raw["impacts"]
        self.imbalance: Array = raw["imbalance"]
        self.residual: float = raw["residual"]

    def __repr__(self) -> str:
        rows = {"kinetic": self.kinetic[-1], "elastic": self.elastic[-1], "damping": self.damping[-1]}
        rows |= {f"drive {k}": v[-1] for k, v in self.drives.items()}
        rows |= {f"controller {k}": v[-1] for k, v in self.controllers.items()}
        rows |= {f"surface {k}": v[-1] for k, v in self.surfaces.items()}
        rows |= {f"friction {k}": v[-1] for k, v in self.friction.items()}
        if self.impacts[-1] != 0.0:
            rows["impacts"] = self.impacts[-1]
        width = max(map(len, rows))
        lines = [f"{k:<{width}}  {v: .9g} J" for k, v in rows.items()]
        return "\n".join([f"Energy at t = {self.t[-1]:g} s", *lines, f"residual {self.residual:.3g}"])
