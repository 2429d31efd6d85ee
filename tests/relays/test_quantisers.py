"""Quantisers: sums of relays."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


def test_quantiser_of_a_ramp_matches_rounding() -> None:
    """x moves uniformly, so the output's instants are those of half steps."""
    plant = ss.StateSpace(
        A=np.zeros((2, 2)), B=[[1.0, 0.0], [0.0, 1.0]], C=np.eye(2), states=["x", "sum"], signals={"u0": 1.0}
    )
    plant.add_quantiser("adc", on="x", step=0.25, levels=8, to="u1")
    run = ss.simulate(plant, 4.0, initial={"x": -1.6}, t_eval=np.linspace(0.0, 4.0, 401))
    half_steps = 0.25 * (np.arange(-8, 8) + 0.5)
    passed = half_steps[half_steps > -1.6]
    assert run.events.time == pytest.approx(passed + 1.6, abs=1e-13)
    assert run.events[0].cause == "adc[-6] switches"
    apart = np.abs(run["x"][:, None] - half_steps).min(axis=1) > 1e-9
    expected = 0.25 * np.clip(np.rint(run["x"] / 0.25), -8, 8)
    assert run["adc.output"][apart] == pytest.approx(expected[apart], abs=1e-13)


def test_quantised_feedback_slides_on_a_threshold() -> None:
    """``v' = 0.7 - Q(v)`` comes to 1/2 between the levels 0 and 1 and stays, with the mean output 0.7."""
    m = ss.Machine(mass=1.0, names=["x"], force={"x": 0.7})
    m.add_quantiser("brake", on="x.velocity", step=1.0, levels=3, to={"x": -1.0})
    run = ss.simulate(m, 2.0)
    (event,) = run.events
    assert (event.cause, event.time) == ("brake[1] slides", pytest.approx(0.5 / 0.7, abs=1e-15))
    assert run["x.velocity"][-1] == 0.5
    assert run["brake.output"][-1] == pytest.approx(0.7, abs=1e-15)
    assert run.energy.residual < 1e-12
    audit = ss.analysis.audit(run)
    assert audit.passed, audit


def test_quantised_position_of_an_oscillator_keeps_its_energy() -> None:
    """``x'' = -Q(x)`` is conservative: its potential is that of a staircase."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_quantiser("spring", on="x", step=0.5, levels=4, to={"x": -1.0})
    run = ss.simulate(m, 30.0, initial={"x.position": 1.1})

    def potential(x: np.ndarray) -> np.ndarray:
        level = np.rint(np.abs(x) / 0.5)
        stored: np.ndarray = 0.5 * level * np.abs(x) - 0.125 * level**2
        return stored

    energy = potential(run["x.position"]) + 0.5 * run["x.velocity"] ** 2
    assert np.abs(energy - energy[0]).max() < 1e-12
    assert len(run.events) > 20
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"step": 0.0}, r"step of 'adc' = 0 is not allowed: it must be finite and > 0"),
        ({"levels": 0}, r"levels of 'adc' = 0 is not allowed: it must be an integer from 1 to 64"),
        ({"levels": 2.5}, r"levels of 'adc' = 2.5 is not allowed: it must be an integer from 1 to 64"),
    ],
)
def test_bad_quantisers(given: dict[str, float], message: str) -> None:
    m = ss.Machine(mass=1.0, names=["x"])
    with pytest.raises(ValueError, match=message):
        m.add_quantiser("adc", **({"on": "x", "step": 1.0, "levels": 3, "to": "x"} | given))  # type: ignore[arg-type]
