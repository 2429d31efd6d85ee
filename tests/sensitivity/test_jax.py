"""Numbers made of runs as functions of JAX."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import stickslip as ss

WAY = "guide.law.kinetic", "slide.mass"


def way() -> Any:
    """The position after 2 s under 6 N: (F - F_k) t² / 2 m."""
    m = ss.Machine(mass=2.0, names=["slide"], force={"slide": 6.0})
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=5.0, kinetic=4.0))
    return ss.value_and_grad(lambda run: run["slide.position"][-1], m, WAY, t_end=2.0)


def test_jax_returns_value_and_gradient() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    function = ss.to_jax(way())
    p = jax.numpy.array([4.0, 2.0])
    assert float(jax.jit(function)(p)) == pytest.approx(2.0, rel=1e-12)
    gradient = jax.jit(jax.grad(lambda p: function(p) ** 2))(p)
    np.testing.assert_allclose(gradient, [2 * 2.0 * -1.0, 2 * 2.0 * -1.0], rtol=1e-10)
    several = jax.vmap(jax.grad(function))(jax.numpy.array([[4.0, 2.0], [4.5, 1.0]]))
    np.testing.assert_allclose(several, [[-1.0, -1.0], [-2.0, -3.0]], rtol=1e-10)


def test_missing_jax_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    function, bridge = way(), ss.to_jax
    monkeypatch.setitem(sys.modules, "jax", None)  # its import fails
    with pytest.raises(ImportError, match=r'to_jax\(\) needs JAX: pip install "stickslip\[jax\]"'):
        bridge(function)


def test_to_jax_refuses_non_callables() -> None:
    with pytest.raises(ValueError, match=r"function = 3.* p -> \(value, gradient\)"):
        ss.to_jax(3)  # type: ignore[arg-type]
