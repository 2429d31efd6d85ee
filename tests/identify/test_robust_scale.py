"""The scale of a robust fit is that of the errors, whatever share of the samples the parameters take up."""

import numpy as np
import pytest

from stickslip.identify._solve import _spread


@pytest.mark.parametrize("p", [2, 12])
def test_robust_scale_is_unbiased_for_any_number_of_parameters(p: int) -> None:
    """Residuals of regressions of 30 samples by p parameters, errors of one variance: 1 within 3 %."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(2000):
        q, _ = np.linalg.qr(rng.normal(size=(30, p)))
        e = rng.normal(size=30)
        found.append(_spread(e - q @ (q.T @ e), p) ** 2)
    assert np.sqrt(np.median(found)) == pytest.approx(1.0, abs=0.03)
