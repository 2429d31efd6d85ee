"""Table I of Martínez-Rosas, Alvarez-Icaza and Noriega-Pineda, the law of LuGre and its second-order
extension.

Of α the source prints 1e9. With it the step of the force at v = 0 is ±α/σ0 = ±1e4 N, so that a mass of 1 kg
under a few newtons does not move: figures 2, 6, 7 and 10 cannot come from that value. Shown are α = σ0(Fs −
Fc) = 5e4, for which the second state y cancels out of F, and 1e5; the printed one is in the tables. At rest
α·y' alone balances the applied force F, so α·y = ∫F dt; when that impulse reaches α/σ0 = 1e4 Ns the mass breaks away,
and is then pushed by its friction with 1e4 N: the printed law drives.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from stickslip.laws import LuGre, TwoStateBristle

STIFFNESS, DAMPING, VISCOUS = 1e5, math.sqrt(1e5), 0.4
STATIC, KINETIC, STRIBECK_VELOCITY = 1.5, 1.0, 1e-3
CANCELS, DOUBLE, PRINTED = STIFFNESS * (STATIC - KINETIC), 1e5, 1e9  # values of alpha
SOURCE = "Martínez-Rosas, Alvarez-Icaza, Noriega-Pineda"
LUGRE_TABLE = inputs(
    "printed",
    "Table I; Table 1 of Canudas de Wit et al. 1995",
    ("σ0", STIFFNESS, "N/m"),
    ("σ1", DAMPING, "Ns/m"),
    ("σ2", VISCOUS, "Ns/m"),
    ("Fc", KINETIC, "N"),
    ("Fs", STATIC, "N"),
    ("vs", STRIBECK_VELOCITY, "m/s"),
)
TABLE = (*LUGRE_TABLE, *inputs("printed", "Table I", ("α", PRINTED, "Ns/m")))
ALPHAS = inputs("chosen", "instead of the printed 1e9", ("α", "5e4, 1e5", "Ns/m"))
STUCK = (
    "printed alpha = 1e9: at v = 0 the force may be anything within +-alpha/sigma0 = +-1e4 N, so the mass "
    "does not move in this experiment"
)


def lugre() -> LuGre:
    """Return the law of LuGre with the values of Table I."""
    import stickslip as ss

    return ss.LuGre(
        stiffness=STIFFNESS,
        damping=DAMPING,
        viscous=VISCOUS,
        static=STATIC,
        kinetic=KINETIC,
        stribeck_velocity=STRIBECK_VELOCITY,
    )


def two_state(alpha: float) -> TwoStateBristle:
    """Return the extension of second order with the values of Table I and this alpha (N s/m)."""
    import stickslip as ss

    return ss.TwoStateBristle(
        stiffness=STIFFNESS,
        damping=DAMPING,
        viscous=VISCOUS,
        static=STATIC,
        kinetic=KINETIC,
        stribeck_velocity=STRIBECK_VELOCITY,
        alpha=alpha,
    )
