"""Linear systems as files of MATLAB."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io

import stickslip as ss
from stickslip.linear import LinearSystem


def names(cells: np.ndarray) -> list[str]:
    return [str(cell[0]) for cell in cells[:, 0]]


def drive() -> ss.Machine:
    m = ss.Machine(mass=[2.0, 5.0], names=["motor", "slide"])
    m.add_spring("shaft", on=("motor", "slide"), stiffness=2e4, damping=20.0)
    return m


def test_matrices_and_names_are_those_of_the_system(tmp_path: Path) -> None:
    system = drive().linearise("motor", "slide.position")
    saved = scipy.io.loadmat(ss.export.mat(system, tmp_path / "axis.mat"))
    for key in "ABCD":
        assert np.array_equal(saved[key], getattr(system, key))
    assert saved["Ts"].item() == 0.0
    assert names(saved["StateName"]) == [
        "motor.position",
        "slide.position",
        "motor.velocity",
        "slide.velocity",
    ]
    assert names(saved["InputName"]) == list(system.inputs)
    assert names(saved["OutputName"]) == list(system.outputs)


def test_anything_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must be a LinearSystem, as of .*to_mat"):
        ss.export.mat(drive(), tmp_path / "axis.mat")
    assert not (tmp_path / "axis.mat").exists()


def test_path_is_taken_as_it_is(tmp_path: Path) -> None:
    system = drive().linearise("motor", "slide.position")
    assert ss.export.mat(system, tmp_path / "axis").name == "axis" and (tmp_path / "axis").exists()


@pytest.mark.parametrize("period", [None, 1e-3])
def test_system_of_scipy_has_the_same_frequency_response(period: float | None) -> None:
    system = drive().linearise("motor", "slide.position")
    if period is not None:  # Euler's forward rule
        a, b = np.eye(4) + period * system.A, period * system.B
        system = LinearSystem(a, b, system.C, system.D, system.inputs, system.outputs, period)
    converted = system.to_scipy()
    assert converted.dt == period
    omega = np.array([1.0, 20.0, 100.0])
    variable = 1j * omega if period is None else np.exp(1j * omega * period)
    expected = [
        converted.C @ np.linalg.solve(z * np.eye(4) - converted.A, converted.B) + converted.D
        for z in variable
    ]
    assert system.at(omega).ravel() == pytest.approx(np.ravel(expected), rel=1e-9)
