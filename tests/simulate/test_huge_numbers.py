"""A run whose numbers overflow ends with a message; none hangs, none gives NaN."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


@pytest.mark.parametrize("x0", [1e100, 1e150, 1e155, 1e200, 1e300])
def test_distant_free_mass_moves_exactly(x0: float) -> None:
    m = ss.Machine(1.0, names=["x"])
    m.add_friction("f", on="x", law=ss.Coulomb(1.0))
    run = ss.simulate(m, 5.0, initial=[x0, x0])
    assert run.success and run.y[:, -1] == pytest.approx([6.0 * x0, x0], rel=1e-14)


LAWS = [
    ss.Coulomb(1.0),
    ss.Viscous(0.3),
    ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-3),
    ss.LuGre(stiffness=1e3, damping=3.0, static=0.3, kinetic=0.2, stribeck_velocity=0.01),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("x0", [1e150, 1e155, 1e200, 1e300, 1e306])
def test_finished_means_finite(x0: float, law: ss.Law) -> None:
    m = ss.Machine(1.0, stiffness=2.0, names=["x"])
    m.add_friction("f", on="x", law=law)
    run = ss.simulate(m, 5.0, initial={"x.position": x0, "x.velocity": x0}, max_time=20.0)
    assert run.status in ("finished", "stalled") and np.isfinite(run.y).all()
    if run.status == "stalled":
        assert "no longer finite" in run.message


@pytest.mark.parametrize(
    ("stiffness", "force", "t_end"), [(1e-300, 1e300, 1e10), (1e-200, 1e200, 1e120), (0.0, 1e300, 1e10)]
)
def test_force_to_overflow_ends_the_run(stiffness: float, force: float, t_end: float) -> None:
    """x = F/(2 m) t^2 up to 1e305, as long as the spring is soft."""
    run = ss.simulate(
        ss.Machine(1.0, names=["x"], stiffness=stiffness, force={"x": force}), t_end, max_time=20.0
    )
    assert run.status == "stalled" and "no longer finite" in run.message
    assert np.isfinite(run.y).all()
    assert run.state.x[0] == pytest.approx(0.5 * force * run.state.t**2, rel=1e-9)
    assert run.state.x[0] == pytest.approx(1e305, rel=0.01)


@pytest.mark.parametrize("w", [1e-3, 1e-10, 1e-100])
def test_very_soft_spring_matches_closed_form(w: float) -> None:
    """The closed form of a swing where w t is tiny, at a time within its only step."""
    run = ss.simulate(ss.Machine(1.0, names=["x"], stiffness=w**2, force={"x": 2.0}), 3.0)
    assert run.y[:, -1] == pytest.approx(
        [9.0 if w < 1e-6 else 2.0 * (1 - np.cos(3 * w)) / w**2, 6.0], rel=1e-5
    )


@pytest.mark.parametrize("factor", [1e155, 1e200, 1e-160])
def test_direction_with_extreme_factor_is_refused(factor: float) -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"])
    m.add_friction("f", on={"x": factor}, law=ss.Coulomb(1.0))
    with pytest.raises(ValueError, match="on of 'f' .* acceleration per unit force"):
        ss.simulate(m, 1.0, initial=[0, 0, 1.0, 1.0])


@pytest.mark.parametrize("step", [1e-300, 1e-320, 1e-17])
@pytest.mark.parametrize("method", ["auto", "explicit", "stiff", "time_stepping"])
def test_steps_below_time_resolution_are_refused(step: float, method: str) -> None:
    m = ss.Machine(1.0, names=["x"], stiffness=1.0)
    with pytest.raises(
        ValueError, match=r"max_step = .* is not allowed: times up to t_end = 1 have a rounding error"
    ):
        ss.simulate(m, 1.0, initial=[1.0, 0.0], max_step=step, method=method)
