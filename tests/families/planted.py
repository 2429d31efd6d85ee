"""A family of machines that go wrong, to see that the command says so."""

from __future__ import annotations

import os
import time

import numpy as np

import stickslip as ss
from families.case import Case

GOOD, CRASHES, HANGS, REFUSED = range(4)


def build(seed: int) -> Case:
    """Each seed fails in its own way."""
    if seed == CRASHES:
        os.abort()
    if seed == HANGS:
        time.sleep(1e6)
    initial = {"q0.position": -1.0 if seed == REFUSED else 1.0}
    m = ss.Machine(mass=1.0, force={"q0": -9.81})
    m.add_contact("floor", normal=np.array([1.0]), restitution=0.5)
    return Case(m, 1.0, {"initial": initial})
