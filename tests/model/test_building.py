"""Putting a machine together costs what is added, and nothing is compiled before the first run."""

import time

import numpy as np

import stickslip as ss


def coupled(n: int) -> ss.Machine:
    """Masses in a row, each with a friction element."""
    k = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    m = ss.Machine(mass=np.ones(n), stiffness=k, names=[f"m{i}" for i in range(n)])
    law = ss.Coulomb(static=1.0, kinetic=0.8)
    for i in range(n):
        m.add_friction(f"f{i}", on=f"m{i}", law=law)
    return m


def least(n: int) -> float:
    times = []
    for _ in range(5):
        start = time.process_time()
        coupled(n)
        times.append(time.process_time() - start)
    return min(times)


def test_two_hundred_masses_with_friction_are_described_at_once() -> None:
    coupled(3)  # imports
    assert least(200) < 0.040


def test_a_machine_is_compiled_once_and_only_when_needed() -> None:
    m = coupled(3)
    assert m.compile() is m.compile()
    before = m.compile()
    m.add_force("m0", 1.0)
    assert m.compile() is not before
    ss.simulate(m, 0.1)
    kept = m.compile()
    ss.simulate(m, 0.1)
    assert m.compile() is kept
