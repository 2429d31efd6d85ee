"""Dead zones: differences of two controllers."""

from __future__ import annotations

import pytest

import stickslip as ss


def test_dead_zone_is_a_spring_with_backlash() -> None:
    runs = []
    for spring in (True, False):
        m = ss.Machine(mass=1.0, damping=0.1, names=["x"], force={"x": ss.Sine(amplitude=2.0, frequency=0.3)})
        if spring:
            m.add_spring("gap", on="x", stiffness=40.0, backlash=0.3)
        else:
            m.add_dead_zone("gap", on="x", width=0.3, gain=-40.0, to="x")
        runs.append(ss.simulate(m, 10.0, dt=0.1))
    assert runs[1]["x.position"] == pytest.approx(runs[0]["x.position"], abs=5e-14)
    assert runs[1]["gap.output"] == pytest.approx(-runs[0]["gap.force"], abs=2e-12)
    assert ss.analysis.audit(runs[1]).passed


def test_dead_zone_of_a_controller_leaves_the_error_of_its_band() -> None:
    """The slide stops where the command, 2 (1 - x), comes below 0.2."""
    m = ss.Machine(mass=1.0, damping=8.0, names=["x"])
    m.add_controller(ss.P(kp=2.0), "command", measure="x.position", reference=1.0)
    m.add_dead_zone("valve", on="command.output", width=0.4, gain=3.0, to="x")
    run = ss.simulate(m, 60.0)
    assert run["x.position"][-1] == pytest.approx(0.9, abs=1e-14)


@pytest.mark.parametrize("width", [0.0, -1.0, float("inf")])
def test_bad_widths(width: float) -> None:
    m = ss.Machine(mass=1.0, names=["x"])
    with pytest.raises(
        ValueError, match=rf"width of 'valve' = {width} is not allowed: it must be finite and > 0"
    ):
        m.add_dead_zone("valve", on="x", width=width)
