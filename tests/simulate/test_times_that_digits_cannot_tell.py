"""A time constant shorter than the digits of t is refused, not taken for something else."""

from __future__ import annotations

from typing import Any

import pytest

import stickslip as ss


def belt(memory: Any) -> ss.Machine:
    m = ss.Machine(1.0, stiffness=2.0, names=["x"])
    m.add_friction("f", on="x", law=ss.StickSlip(ss.Coulomb(1.0, 0.8), memory=memory), surface_velocity=0.2)
    return m


@pytest.mark.parametrize("time", [1e-15, 1e-100, 1e-300])
def test_memory_shorter_than_digits_of_time_is_refused(time: float) -> None:
    for memory, name in ((time, "memory"), (ss.DeadTime(time), "dead time")):
        with pytest.raises(
            ValueError, match=f"{name} of 'f' = {time:g} s? ?.*is not allowed: times up to t_end"
        ):
            ss.simulate(belt(memory), 30.0, initial={"x.velocity": 0.2})


@pytest.mark.parametrize("method", ["explicit", "stiff"])
def test_memory_refused_whatever_the_method(method: Any) -> None:
    with pytest.raises(ValueError, match="memory of 'f'"):
        ss.simulate(belt(1e-300), 30.0, initial={"x.velocity": 0.2}, method=method)


def test_shortest_memory_acts_as_none() -> None:
    # Break-away at x = 1/2 after 2.5 s; then the cycle of the curve alone.
    short, none = (
        ss.simulate(belt(memory), 30.0, initial={"x.velocity": 0.2}).at([30.0])["x.position"][0]
        for memory in (1e-12, None)
    )
    assert short == pytest.approx(none, rel=1e-9)


def test_energy_is_finite_where_power_overflows() -> None:
    """A fall of 1 m under 1e300 N and its rebounds: force times velocity is 1e450 W, their work 1e300 J."""
    m = ss.Machine(1.0, names=["y"], force={"y": -1e300})
    m.add_contact("c", normal={"y": 1.0}, restitution=0.5)
    run = ss.simulate(m, 2e-149, initial={"y.position": 1.0})
    assert run.status == "finished"
    assert run.energy.residual == pytest.approx(0.0, abs=1e-12)
    assert run.energy.impacts[-1] == pytest.approx(1e300, rel=1e-12)  # all of the potential energy at 1 m
