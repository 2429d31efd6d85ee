"""The contact problem of a gear in one state, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stickslip.contact import Contacts, Impacts, impact


@dataclass(frozen=True, eq=False)
class ContactData:
    """Terms of `M·a = h + Wn·λn + Wt·λt` and parameters of the contact laws, for one state.

    Attributes
    ----------
    mass : ndarray, shape (n, n)
        Mass matrix, kg or kg·m².
    force : ndarray, shape (n,)
        Applied forces and torques h, N or Nm.
    normals, tangents : ndarray, shape (contacts, n)
        Gradients of gap and tangential displacement, one row per contact.
    friction, static_friction : ndarray, shape (contacts,)
        Kinetic coefficients at the velocity of this state, and static ones.
    impulse_friction : ndarray, shape (contacts,)
        Coefficients in impacts.
    restitution : ndarray, shape (contacts,)
        Coefficient of restitution.
    gap : ndarray, shape (contacts,)
        Gap, m; zero for a closed contact.
    velocity : ndarray, shape (n,)
        Velocity of the coordinates, m/s or rad/s.

    Examples
    --------
    >>> import stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2.0, lower_mass=1.0, angle=0.2, friction=0.3, load=10.0,
    ...                               stiffness=100.0, pull_velocity=0.1)
    >>> gear.contact_data(0.0).normals.shape
    (1, 2)
    """

    mass: NDArray[np.float64]
    force: NDArray[np.float64]
    normals: NDArray[np.float64]
    tangents: NDArray[np.float64]
    friction: NDArray[np.float64]
    static_friction: NDArray[np.float64]
    impulse_friction: NDArray[np.float64]
    restitution: NDArray[np.float64]
    gap: NDArray[np.float64]
    velocity: NDArray[np.float64]

    @property
    def gap_velocity(self) -> NDArray[np.float64]:
        """Rate of change of the gaps, m/s, shape (contacts,)."""
        return self.normals @ self.velocity

    @property
    def sliding_velocity(self) -> NDArray[np.float64]:
        """Tangential relative velocity, m/s, shape (contacts,)."""
        return self.tangents @ self.velocity

    def contacts(self) -> Contacts:
        """Return the closed contacts as a problem of `stickslip.contact`.

        Open contacts are left out. A contact slides in the direction of its tangential velocity.
        """
        closed = self.gap <= 0.0
        return Contacts(
            mass=self.mass,
            force=self.force,
            normals=self.normals[closed],
            tangents=self.tangents[closed],
            friction=self.friction[closed],
            static=self.static_friction[closed],
            sliding=np.sign(self.sliding_velocity[closed]),
        )

    def impact(self, law: Literal["poisson", "newton"] = "poisson") -> Impacts:
        """Return all solutions of the impact of the closed contacts at the current velocity, by `stickslip.contact`.

        Parameters
        ----------
        law : {"poisson", "newton"}
            Impact law.
        """
        closed = self.gap <= 0.0
        return impact(
            self.mass,
            self.velocity,
            self.normals[closed],
            self.tangents[closed],
            friction=self.impulse_friction[closed],
            restitution=self.restitution[closed],
            law=law,
        )
