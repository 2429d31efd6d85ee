"""Searches that find nothing say why."""

import stickslip as ss
from stickslip import lcp


def test_extractable_energy_of_a_passive_law_states_the_motions_tried() -> None:
    found = ss.analysis.extractable_energy(ss.Coulomb(1.0))
    assert not found.found
    assert found.message == (
        f"no energy extracted: the law absorbed net energy in each of the {found.tried} velocities tried"
    )
    driving = ss.analysis.extractable_energy(ss.Table([-1.0, 1.0], [0.5, 1.0]), max_velocity=1.0)
    assert driving.message.startswith(f"{driving.energy:.6g} J are extracted within ")


def test_problem_without_solution_states_its_proof() -> None:
    """w1 = -z2 - 1 < 0 for every z >= 0: there is no solution."""
    m, q = [[0.0, -1.0], [-1.0, 0.0]], [-1.0, -1.0]
    assert lcp.lemke(m, q).message.startswith("no solution found: all of ")
    assert lcp.solve_all(m, q).message == "no solution: 0 bases examined, all others excluded by signs"
    assert lcp.lemke([[1.0]], [2.0]).message == "solved by z = 0: q >= 0"
    assert lcp.solve_all([[1.0]], [-2.0]).message == "1 solution"
    assert lcp.solve_all([[0.0]], [0.0]).message == "1 solution, with continua"
