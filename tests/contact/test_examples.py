"""The examples in the docstrings run as printed."""

import doctest

import pytest

from stickslip.contact import _impact, _transition
from stickslip.lcp import classification, enumeration, pivoting, residuals


@pytest.mark.parametrize("module", [_impact, _transition, classification, enumeration, pivoting, residuals])
def test_docstring_examples_run(module):
    result = doctest.testmod(module)
    assert result.attempted > 1 and result.failed == 0
