"""Contact transitions and frictional impacts: what the closed contacts and the friction elements do next.

``M q'' = h + sum(w_N lambda_N + w_T lambda_T)``; a contact stays closed or opens, sticks or slips, and all
of them decide together, as a linear complementarity problem. With friction it can have one solution,
several or none (Painlevé); every one is listed here with its label, forces and accelerations.

Source: L. Hinrichsen, dissertation 2007, chapters 3 (transitions) and 5 (impacts), with the static levels
in the sticking rows of 3.56-3.59 and the sign of 5.23 put right.
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
