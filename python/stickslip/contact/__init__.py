"""Contact transitions and frictional impacts: the next modes of closed contacts and friction elements.

``M q'' = h + sum(w_N lambda_N + w_T lambda_T)``; each contact stays closed or opens, sticks or slips. One linear
complementarity problem over all contacts decides. With friction it can have one solution, several or none (Painlevé);
each solution is listed with its modes, forces and accelerations.

Source: L. Hinrichsen, dissertation 2007, chapters 3 (transitions) and 5 (impacts), with static levels in the sticking
rows of 3.56-3.59 and the sign of 5.23 corrected.
"""

from __future__ import annotations

from stickslip.contact._impact import Impact, Impacts, impact
from stickslip.contact._transition import Contacts, Decision, Guide, Transition, Transitions, transitions

__all__ = [
    "Contacts",
    "Decision",
    "Guide",
    "Impact",
    "Impacts",
    "Transition",
    "Transitions",
    "impact",
    "transitions",
]


def __dir__() -> list[str]:
    return sorted(__all__)
