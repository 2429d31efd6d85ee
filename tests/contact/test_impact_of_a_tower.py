"""A tower of blocks rocks onto its other corner: twelve modes, more sets of them than are tried one by one."""

import numpy as np
import pytest

from stickslip.contact import impact

HALF = 0.1  # half width and half height of a block of 1 kg
SHIFTS = (0.0, 0.0123, -0.0077)  # of the blocks along their faces


def tower(tilt: float, spin: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Mass, velocity (one rotation about the left corner), rows of normals and tangents, and centres."""
    n = len(SHIFTS)
    turn = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
    centres = [turn @ [HALF + shift, HALF * (2 * i + 1)] for i, shift in enumerate(SHIFTS)]
    rows: list[list[np.ndarray]] = [[], []]
    for i in range(n):
        for side in (-HALF, HALF):
            corner = turn @ [side, -HALF]
            for along, direction in zip(rows, (turn[:, 1], turn[:, 0]), strict=True):
                row = np.zeros(3 * n)
                row[3 * i : 3 * i + 3] = [*direction, corner[0] * direction[1] - corner[1] * direction[0]]
                if i > 0:
                    x, y = centres[i] + corner - centres[i - 1]
                    row[3 * i - 3 : 3 * i] = [*-direction, -(x * direction[1] - y * direction[0])]
                along.append(row)
    velocity = np.concatenate([[-spin * y, spin * x, spin] for x, y in centres])
    mass = np.tile([1.0, 1.0, 2.0 * HALF**2 / 3.0], n)
    return mass, velocity, np.array(rows[0]), np.array(rows[1]), np.array(centres)


@pytest.mark.parametrize("tilt", [0.0, 0.3, 1e-9])
@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_tower_continues_about_its_other_corner(tilt: float, restitution: float) -> None:
    mass, before, normals, tangents, centres = tower(tilt, spin=-0.3)
    answer = impact(
        mass,
        before,
        normals,
        tangents,
        friction=np.full(6, 0.5),
        restitution=np.array([restitution] + [0.0] * 5) if restitution else np.zeros(6),
    )
    assert len(answer.solutions) >= 1
    after = answer.solutions[0].velocity
    # All stick together: the tower is one body, whose angular momentum about the corner with the impact stays.
    corner = 2.0 * HALF * np.array([np.cos(tilt), np.sin(tilt)])
    arms = centres - corner
    momentum = sum(
        x * before[3 * i + 1] - y * before[3 * i] + mass[3 * i + 2] * before[3 * i + 2]
        for i, (x, y) in enumerate(arms)
    )
    inertia = (arms**2).sum() + mass[2::3].sum()
    assert after[2::3] == pytest.approx(np.full(3, momentum / inertia), rel=1e-9)
    assert tangents @ after == pytest.approx(np.zeros(6), abs=1e-12)
