"""A contact whose sliding gain w_N . M^-1 (w_N - mu w_T) is zero: its normal force follows from no equation while it
slides, and other modes hold. All accelerations were found in rational numbers, mode set by mode set."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import stickslip as ss


def square(factor: float) -> ss.Signal:
    """The signal factor * t^2."""
    return factor * ss.Ramp(slope=1.0) * ss.Ramp(slope=1.0)


@dataclass
class Case:
    mass: list[float]
    force: dict[str, float | ss.Signal]
    normal: dict[str, float]
    tangent: dict[str, float]
    surface: float  # its velocity is surface t^2
    accelerations: list[float]
    stiffness: list[list[float]] | None = None
    extra: list[dict[str, float]] = field(default_factory=list)  # normals of contacts without friction

    def machine(self) -> ss.Machine:
        names = list("abc")[: len(self.mass)]
        m = ss.Machine(mass=self.mass, names=names, stiffness=self.stiffness, force=self.force)
        for k, normal in enumerate(self.extra):
            m.add_contact(f"w{k}", normal=normal)
        surface = square(self.surface) if self.surface else 0.0
        m.add_contact(
            "contact", normal=self.normal, tangent=self.tangent, friction=1.0, surface_velocity=surface
        )
        return m


CASES = {
    # Nothing presses: N = 0.
    "unloaded": Case([2.0], {}, {"a": -1.0}, {"a": 1.0}, 0.5, [0.0]),
    "unloaded, towards": Case([0.5], {}, {"a": 1.0}, {"a": -1.0}, 0.5, [0.0]),
    # A force -t^3 that only later moves the mass away from both contacts.
    "parts later": Case(
        [2.0],
        {"a": -1.0 * ss.Ramp(slope=1.0) * ss.Ramp(slope=1.0) * ss.Ramp(slope=1.0)},
        {"a": -1.0},
        {"a": -1.0},
        -0.5,
        [0.0],
        extra=[{"a": -1.0}],
    ),
    # The springs are at rest, so a = f / m for all three; what opens the gap comes later.
    "opens": Case(
        [1.0, 0.5, 0.5],
        {"a": -2.0, "b": -1.0},
        {"a": -1.0, "b": 1.0},
        {"a": -1.0, "b": 1.0, "c": -1.0},
        -0.5,
        [-2.0, -2.0, 0.0],
        [[4.0, -4.0, 0.0], [-4.0, 8.0, -4.0], [0.0, -4.0, 4.0]],
    ),
    "no force at all": Case([2.0, 2.0], {}, {"a": -1.0}, {"a": 1.0, "b": -1.0}, 0.0, [0.0, 0.0]),
}


@pytest.mark.parametrize("name", CASES)
def test_modes_with_determined_forces_are_preferred(name: str) -> None:
    case = CASES[name]
    run = ss.simulate(case.machine(), t_end=1e-9)
    assert run.status == "finished"
    a = [run[f"{n}.acceleration"][0] for n in "abc"[: len(case.mass)]]
    assert a == pytest.approx(case.accelerations, abs=1e-12)
    assert np.isfinite(run["contact.normal_force"]).all() and np.isfinite(run["contact.force"]).all()


def test_rest_on_friction_matches_hand_calculation() -> None:
    """Rest: e1 = 0.5 from the balance of a, where contact force and its friction cancel; N = 0.6 - 0.5 from that of b."""
    m = ss.Machine(mass=[2.0, 1.0], names=["a", "b"], force={"a": 0.5, "b": 0.6})
    m.add_friction("e1", on={"a": 1.0, "b": 1.0}, law=0.5)
    m.add_contact(
        "e2",
        normal={"a": -1.0},
        tangent={"a": -1.0, "b": 1.0},
        friction=1.0,
        surface_velocity=square(-0.5),
    )
    run = ss.simulate(m, t_end=1e-3)
    assert run.status == "finished"
    assert run["e1.force"] == pytest.approx(0.5, rel=1e-12)
    assert run["e2.normal_force"] == pytest.approx(0.1, rel=1e-10)
    assert run["e2.force"] == pytest.approx(0.1, rel=1e-10)
    assert run["a.acceleration"] == pytest.approx(0.0, abs=1e-13)
    assert run["b.velocity"][-1] == pytest.approx(0.0, abs=1e-15)
    assert ss.analysis.audit(run).passed


def test_jammed_contact_sticks_at_zero_sliding_gain() -> None:
    """It sticks to its surface with a = t^3 / 6. F = t / 2 - 2 t^2 + t^3 / 6 by the balance of a, N = F + t^3 / 6 by that
    of b: near t = 0 the reserve N - F is below the last digit of F."""
    m = ss.Machine(
        mass=[0.5, 1.0], names=["a", "b"], stiffness=[[1.0, -1.0], [-1.0, 1.0]], force={"a": square(2.0)}
    )
    m.add_contact(
        "contact", normal={"b": -1.0}, tangent={"a": -1.0, "b": -1.0}, friction=1.0, surface_velocity=square(-0.5)
    )  # fmt: skip
    run = ss.simulate(m, t_end=0.2)
    assert run.success and len(run.events) <= 1, run.message
    t = run.t
    assert run["a.position"] == pytest.approx(t**3 / 6.0, abs=1e-12)
    assert run["b.position"] == pytest.approx(0.0, abs=1e-14)
    assert run["contact.normal_force"] == pytest.approx(t / 2.0 - 2.0 * t**2 + t**3 / 3.0, abs=1e-10)
