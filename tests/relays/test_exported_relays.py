"""Relays as FMUs and as C code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from export.c_program import COMPILERS
from export.exchange import exchanged
from export.importer import imported
from export.test_c99_motion import largest_difference

import stickslip as ss


def thermostat() -> ss.Machine:
    """A position relay with hysteresis about a moving reference."""
    m = ss.Machine(mass=2.0, damping=0.3, stiffness=1.5, names=["x"])
    r = ss.Sine(amplitude=0.2, frequency=0.1)
    m.add_relay("switch", on="x", low=1.5, high=-1.0, to="x", threshold=r, hysteresis=0.02)
    return m


def surface() -> ss.Machine:
    """Sliding-mode control whose sliding mode a load ends and lets begin again."""
    m = ss.Machine(mass=1.0, names=["x"], force={"x": ss.Sine(amplitude=3.0, frequency=0.4)})
    m.add_relay("surface", on={"x.velocity": 1.0, "x.position": 2.0}, low=2.0, high=-2.0, to="x")
    return m


def twisting() -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_relay("of_x", on="x", low=10.0, high=-10.0, to="x")
    m.add_relay("of_v", on="x.velocity", low=5.0, high=-5.0, to="x")
    return m


def filtered() -> ss.Machine:
    """A relay on a controller with a state, whose reference moves and jumps."""
    m = ss.Machine(mass=1.0, names=["x"], force={"x": ss.Sine(amplitude=0.5, frequency=0.4)})
    reference = ss.Sine(amplitude=0.3, frequency=0.2) + ss.Step(0.5, 4.0)
    m.add_controller(ss.PI(kp=2.0, tn=0.5), "pi", measure="x.velocity", reference=reference)
    m.add_relay("surface", on="pi.output", low=-2.0, high=2.0, to="x")
    return m


CASES = {
    "hysteresis": (thermostat, 9.0, ["x.position", "switch.output", "switch.mode"]),
    "sliding": (surface, 9.0, ["x.position", "surface.output", "surface.mode"]),
    "filtered": (filtered, 9.0, ["x.position", "surface.output", "surface.mode"]),
    "twisting": (twisting, 3.0, ["x.position", "of_x.output"]),
}


@pytest.mark.parametrize("case", CASES)
def test_co_simulation_moves_as_simulate(case: str) -> None:
    make, t_end, outputs = CASES[case]
    start = {"x.velocity": 0.7}
    times = np.linspace(0.0, t_end, 332)
    reference = ss.simulate(make(), t_end, t_eval=times, initial=start)
    with imported(make(), outputs=outputs, initial=start) as one:
        one.start()
        found = one.run(times, outputs)
    for k, output in enumerate(outputs):
        expected = reference[output].astype(float)
        assert found[:, k] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max()), output


@pytest.mark.parametrize("case", ["hysteresis", "sliding", "filtered"])
def test_model_exchange_moves_as_simulate(case: str) -> None:
    make, t_end, outputs = CASES[case]
    options = {"initial": {"x.velocity": 0.7}, "rtol": 1e-11}
    times = np.linspace(0.0, t_end, 202)[:-1]
    times[-1] = t_end
    reference = ss.simulate(make(), t_end, t_eval=times, **options)  # type: ignore[arg-type]
    with exchanged(make(), outputs=outputs, **options) as one:
        one.start()
        found = one.run(times, outputs, max_step=t_end / 50)
    for k, output in enumerate(outputs[:2]):
        expected = reference[output].astype(float)
        assert np.abs(found[1:, k] - expected[1:]).max() < 1e-7 * np.abs(expected).max(), output


@pytest.mark.skipif("gcc" not in COMPILERS, reason="gcc is not installed")
@pytest.mark.parametrize("make", [surface, filtered])
def test_c_code_equals_real_time(make: Callable[[], ss.Machine], tmp_path: Path) -> None:
    outputs = ["x.velocity", "surface.output", "surface.mode"]
    assert largest_difference(make(), 1e-3, 5000, tmp_path, outputs=outputs) < 1e-11


def test_c_code_of_a_relay_with_hysteresis_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has the relay 'switch'"):
        ss.export.c99(thermostat(), 1e-3, tmp_path / "axis.c")
