"""Compliant contacts: normal force as a function of penetration depth and depth rate."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from stickslip._checks import non_negative, positive

__all__ = ["Compliance", "HuntCrossley", "KelvinVoigt"]


@dataclass(frozen=True)
class HuntCrossley:
    r"""Compliant contact of an elastic body, with damping that grows with the depth.

    ``N = max(0, k δ^n (1 + c δ'))`` with the depth ``δ = -gap``; the force is continuous when the contact closes.
    For any mass, k and n the coefficient of restitution e at the impact speed v satisfies
    ``c v - ln(1 + c v) + c e v + ln(1 - c e v) = 0``, so that ``1 - e ≈ (2/3) c v`` for small ``c v``. The contact time
    decreases like ``k^(-1/(n + 1))``; for k → ∞ the contact is rigid with the restitution e(v).

    Parameters
    ----------
    stiffness : float
        k, N/m^n, > 0.
    damping : float, default 0.0
        c, s/m, >= 0.
    exponent : float, default 1.5
        n, > 0: 3/2 for two spheres (Hertz), 1 for flat ends.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    Source: K. H. Hunt and F. R. E. Crossley, *Coefficient of restitution interpreted as damping in vibroimpact*, Journal
    of Applied Mechanics 42 (1975), 440-445; e(v) by integrating ``m δ' dδ'/dδ = -N``.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["ball"], force={"ball": -9.81})
    >>> m.add_contact("floor", normal={"ball": 1.0}, compliance=ss.HuntCrossley(stiffness=1e6, damping=0.1))
    >>> run = ss.simulate(m, 0.6, initial={"ball.position": 1.0})
    >>> [str(e.after) for e in run.events]
    ['closed', 'open']
    """

    stiffness: float
    damping: float = 0.0
    exponent: float = 1.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "stiffness", positive("stiffness of a compliance", self.stiffness))
        object.__setattr__(self, "damping", non_negative("damping of a compliance", self.damping))
        object.__setattr__(self, "exponent", positive("exponent of a compliance", self.exponent))


@dataclass(frozen=True)
class KelvinVoigt:
    """Compliant contact of a spring and a damper in parallel that never pulls.

    ``N = max(0, k δ + d δ')`` with the depth ``δ = -gap`` > 0, else 0. The force jumps to ``d δ'`` when the contact
    closes, and returns to zero before the depth does; the energy then left in the spring is dissipated.

    Parameters
    ----------
    stiffness : float
        k, N/m, > 0.
    damping : float, default 0.0
        d, N s/m, >= 0.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    Source, with the clipping at zero: P. Flores and H. M. Lankarani, *Contact Force Models for Multibody Dynamics*,
    Springer 2016, section 2.3.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.KelvinVoigt(stiffness=1e5, damping=20.0)
    KelvinVoigt(stiffness=100000.0, damping=20.0)
    """

    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "stiffness", positive("stiffness of a compliance", self.stiffness))
        object.__setattr__(self, "damping", non_negative("damping of a compliance", self.damping))


Compliance: TypeAlias = "HuntCrossley | KelvinVoigt"


def described(compliance: Compliance) -> dict[str, Any]:
    """Return the fields of a compliance in the form that the engine uses."""
    return {"kind": type(compliance).__name__, **asdict(compliance)}


def compliance_of(fields: dict[str, Any]) -> Compliance | None:
    """Return the compliance with these fields; None for a rigid contact."""
    kinds: dict[str, Any] = {"HuntCrossley": HuntCrossley, "KelvinVoigt": KelvinVoigt}
    parameters = {key: value for key, value in fields.items() if key != "kind"}
    return kinds[fields["kind"]](**parameters) if fields["kind"] in kinds else None
