"""A number is a law among the terms of a sum, as everywhere."""

import pytest

import stickslip as ss


def test_numbers_are_dry_friction() -> None:
    assert ss.laws.Sum([0.3]) == ss.laws.Sum([ss.Coulomb(0.3, 0.3)])
    assert ss.laws.Sum([ss.Viscous(0.5), 0.3]).force(2.0) == 1.3
    with pytest.raises(ValueError, match=r"terms\[1\]"):
        ss.laws.Sum([ss.Viscous(0.5), -0.3])
