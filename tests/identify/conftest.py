"""The measured record, where there is one."""

import os

import pytest

from stickslip.identify.measured_drive import Record, read_record


@pytest.fixture(scope="session")
def record() -> Record:
    """The public record, from the path in STICKSLIP_EMPS."""
    path = os.environ.get("STICKSLIP_EMPS")
    if not path:
        pytest.skip("not run: STICKSLIP_EMPS names no DATA_EMPS.mat")
    return read_record(path)
