"""The examples in the docstrings run as printed."""

import doctest

import pytest

from stickslip import lcp
from stickslip.contact import _impact, _transition


@pytest.mark.parametrize("module", [_impact, _transition, lcp])
def test_docstring_examples_run(module):
    result = doctest.testmod(module)
    assert result.attempted > 2 and result.failed == 0
