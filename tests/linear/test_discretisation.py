"""The exact response to held inputs of stiff drives in SI units, against the exponential series with 50 digits."""

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import matrix_balance

import stickslip as ss

Array = NDArray[np.float64]
# In units of max(1, |A T|_1), A balanced; reached in 1000 drives: 2.8e-14, the median 7e-17.
TOLERANCE = 4e-14


def stiff_drive(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Mass, stiffness and damping of two to five rotors and slides in a row, springs 1 to 1e12 N/m or N·m/rad."""
    n = int(rng.integers(2, 6))
    rotary = rng.random(n) < 0.6
    mass = np.where(rotary, 10.0 ** rng.uniform(-5.0, 1.0, n), 10.0 ** rng.uniform(-2.0, 4.0, n))
    K, D = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n - 1):
        row = np.zeros(n)
        # One metre of the slide against one radian of the rotor, by the lead of a screw or the radius of a pinion.
        row[i], row[i + 1] = (10.0 ** rng.uniform(-3.5, -1.0) if r else 1.0 for r in rotary[i : i + 2])
        row[i + 1] *= -1.0
        k = 10.0 ** rng.uniform(0.0, 12.0)
        K += k * np.outer(row, row)
        D += 2.0 * rng.uniform(0.0, 0.2) * np.sqrt(k * mass[i : i + 2].min()) * np.outer(row, row)
    return mass, K, D


def state_space(mass: Array, K: Array, D: Array) -> tuple[Array, Array]:
    n = mass.size
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K / mass[:, None], -D / mass[:, None]]])
    B = np.zeros((2 * n, 2))
    B[n, 0], B[2 * n - 1, 1] = 1.0 / mass[0], -1.0 / mass[-1]
    return A, B


def held_with_fifty_digits(A: Array, B: Array, T: float, scale: Array) -> tuple[Array, Array]:
    """The matrices of the exact step with D = diag(scale), as D^-1 Ad D and D^-1 Bd."""
    n, m = B.shape
    all_of = np.zeros((n + m, n + m))
    all_of[:n, :n], all_of[:n, n:] = A * (scale / scale[:, None]), B / scale[:, None]
    with mp.workdps(50):
        flow = mp.expm(mp.matrix(all_of.tolist()) * mp.mpf(T))
        out = np.array(flow.tolist(), dtype=float)
    return out[:n, :n], out[:n, n:]


def worst_error(seed: int) -> float:
    """Of the step matrix and, column by column, of the response to each input, in units of max(1, |A T|_1)."""
    rng = np.random.default_rng(seed)
    A, B = state_space(*stiff_drive(rng))
    T = 10.0 ** rng.uniform(-5.0, -2.0)
    balanced, (scale, _) = matrix_balance(A, permute=False, separate=True)
    size = max(1.0, np.abs(balanced * T).sum(axis=0).max())
    made = ss.LTI(A=A, B=B, C=np.eye(A.shape[0]), inputs="both", references=0, period=T).matrices
    Ad, Bd = held_with_fifty_digits(A, B, T, scale)
    error = np.abs(made.A * (scale / scale[:, None]) - Ad).max() / np.abs(Ad).max()
    columns = np.abs(made.B / scale[:, None] - Bd).max(axis=0) / np.abs(Bd).max(axis=0)
    return float(max(error, columns.max()) / size)


def test_held_response_of_stiff_drives_matches_fifty_digits():
    assert max(worst_error(seed) for seed in range(100)) < TOLERANCE


@pytest.mark.slow
def test_held_response_of_a_thousand_stiff_drives_matches_fifty_digits():
    assert max(worst_error(seed) for seed in range(1000)) < TOLERANCE


def nut_axis(nut: float) -> tuple[Array, Array, Array]:
    """Motor and screw in rad, a slide of 150 kg in m behind a nut of so many N/m (lead 20 mm)."""
    twist, nut_row = np.array([1.0 / 3.0, -1.0, 0.0]), np.array([0.0, 0.02 / (2.0 * np.pi), -1.0])
    K = 3e4 * np.outer(twist, twist) + nut * np.outer(nut_row, nut_row)
    D = 3.0 * np.outer(twist, twist) + 2e3 * np.outer(nut_row, nut_row)
    return np.array([1.5e-3, 4e-3, 150.0]), K, D


@pytest.mark.parametrize("nut", [1e6, 3e7, 1e8, 1e9])
def test_open_loop_and_poles_of_sampled_axis_match_fifty_digits(nut):
    mass, K, D = nut_axis(nut)
    T, kp = 125e-6, 0.9
    A, B = state_space(mass, K, D)
    Ad, Bd = held_with_fifty_digits(A, B[:, :1], T, np.ones(6))
    m = ss.Machine(mass=mass, stiffness=K, damping=D, names=["motor", "screw", "slide"])
    m.add_controller(ss.P(kp=kp, period=T), "speed", measure="motor.velocity", reference=0.0, to="motor")
    for frequency in (130.0, 2000.0):
        w = 2.0 * np.pi * frequency
        truth = kp * np.linalg.solve(np.exp(1j * w * T) * np.eye(6) - Ad, Bd)[3, 0]
        assert abs(ss.open_loop(m, at="speed.output")(w).item() - truth) < 1e-13 * abs(truth)
    truths = np.linalg.eigvals(Ad - kp * Bd @ np.eye(6)[3:4])
    poles = np.asarray(m.poles())
    # Eigenvalues of a matrix of norm 1e3 in SI units: LAPACK's own rounding.
    assert all(np.abs(truths - p).min() < 2e-14 for p in poles) and len(poles) == 6
