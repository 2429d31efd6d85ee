"""Relays in files, texts, drawings, ensembles, derivatives and exports."""

from __future__ import annotations

import pickle
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import stickslip as ss

mpl.use("Agg")


def _oscillator(low: float = 1.0, hysteresis: float = 0.0, threshold: float = 0.1) -> ss.Machine:
    m = ss.Machine(mass=2.0, damping=0.3, stiffness=1.5, names=["x"])
    m.add_relay("switch", on="x", low=low, high=-1.0, to="x", threshold=threshold, hysteresis=hysteresis)
    return m


def _brake(low: float = 2.0, force: ss.Signal | float = ss.Sine(amplitude=3.0, frequency=0.4)) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["x"], force={"x": force})
    m.add_relay("hold", on="x.velocity", low=low, high=-2.0, to="x")
    return m


def test_value_codec_text_and_resume() -> None:
    m = _oscillator(hysteresis=0.05)
    m.add_quantiser("adc", on="x.velocity", step=0.5, levels=2, to={"x": -0.1})
    assert ss.Machine.from_dict(m.to_dict()) == m == pickle.loads(pickle.dumps(m))
    assert m.relays == ("switch", "adc")
    text = repr(m)
    assert (
        "'switch': relay(on={'x.position': 1.0}, low=1.0, high=-1.0, threshold=0.1, hysteresis=0.05)" in text
    )
    assert "'adc': quantiser(on={'x.velocity': 1.0}, step=0.5, levels=2)" in text
    start = {"x.position": 1.0}
    whole, first = ss.simulate(m, 3.0, initial=start), ss.simulate(m, 1.1, initial=start)
    rest = ss.simulate(m, state=pickle.loads(pickle.dumps(first.state)), t_end=3.0)
    assert rest.state == whole.state
    assert whole.units["switch.output"] == "N"


def test_saved_run_is_the_same(tmp_path: Path) -> None:
    run = ss.simulate(_oscillator(), 5.0, initial={"x.velocity": 0.9})
    run.save(tmp_path / "run.npz")
    again = ss.load(tmp_path / "run.npz")
    assert isinstance(again, ss.Trajectory)
    assert np.array_equal(again["switch.output"], run["switch.output"])
    assert str(again.events) == str(run.events)


def test_ensemble_varies_outputs_and_thresholds() -> None:
    low, hysteresis = np.array([0.5, 1.0, 1.5]), np.array([0.0, 0.1, 0.2])
    out = ss.ensemble(
        _oscillator(hysteresis=0.1),
        {"switch.low": low, "switch.hysteresis": hysteresis, "switch.threshold": np.array([0.1, 0.0, -0.1])},
        design="zip",
        t_end=20.0,
        measure=["events.count", "x.position.final"],
    )
    for k in range(3):
        m = _oscillator(low[k], hysteresis[k], [0.1, 0.0, -0.1][k])
        alone = ss.simulate(m, 20.0)
        assert out["events.count"][k] == len(alone.events)
        assert out["x.position.final"][k] == pytest.approx(alone["x.position"][-1], abs=1e-15)


@pytest.mark.parametrize("parameter", ["switch.low", "switch.threshold", "switch.hysteresis", "x.mass"])
def test_sensitivities_of_a_switching_relay_match_differences(parameter: str) -> None:
    def end(change: float, sensitivities: list[str] | None = None) -> ss.Trajectory:
        given = {"switch.low": 1.0, "switch.hysteresis": 0.05, "switch.threshold": 0.1, "x.mass": 2.0}
        given[parameter] += change
        m = ss.Machine(mass=given["x.mass"], damping=0.3, stiffness=1.5, names=["x"])
        m.add_relay(
            "switch",
            on="x",
            low=given["switch.low"],
            high=-1.0,
            to="x",
            threshold=given["switch.threshold"],
            hysteresis=given["switch.hysteresis"],
        )
        start = {"x.velocity": 0.9}
        return ss.simulate(m, 9.0, initial=start, t_eval=[9.0], sensitivities=sensitivities or [])

    run = end(0.0, [parameter])
    assert len(run.events) > 4
    h = 1e-6
    ahead, behind = end(h), end(-h)
    for name in ("x.position", "x.velocity"):
        by_differences = (ahead[name][-1] - behind[name][-1]) / (2.0 * h)
        assert run.sensitivity[name, parameter][-1] == pytest.approx(by_differences, rel=1e-6, abs=1e-8)


def test_sensitivities_of_a_sliding_relay_match_differences() -> None:
    def end(low: float, sensitivities: list[str] | None = None) -> ss.Trajectory:
        return ss.simulate(_brake(low), 3.3, t_eval=[3.3], sensitivities=sensitivities or [])

    run = end(2.0, ["hold.low"])
    assert "free" in {str(e.after) for e in run.events}
    h = 1e-6
    by_differences = (end(2.0 + h)["x.position"][-1] - end(2.0 - h)["x.position"][-1]) / (2.0 * h)
    assert run.sensitivity["x.position", "hold.low"][-1] == pytest.approx(by_differences, rel=1e-6)


def test_drawings_show_a_relay() -> None:
    m = _oscillator()
    for what in ("schematic", "diagram"):
        ax = m.draw(what=what)
        shown = " ".join(text.get_text() for text in ax.figure.findobj(mpl.text.Text))
        assert "switch" in shown
    plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0)
    plant.add_relay("heater", on="x0", low=2.0, high=0.0, to="u0")
    shown = " ".join(text.get_text() for text in plant.draw().figure.findobj(mpl.text.Text))
    assert "heater: relay of x0" in shown
    assert repr(plant) == "StateSpace(1 states, 1 inputs, 1 outputs, friction=[], relays=['heater'])"


def test_real_time_runs_a_relay_with_a_sliding_mode() -> None:
    """Held by its output up to t = 1, then accelerated by 2.5 - 2."""
    force = ss.Piecewise([0.0, 1.0, 1.0, 2.0], [1.5, 1.5, 2.5, 2.5])
    run = ss.simulate(_brake(force=force), 2.0, t_eval=np.linspace(0.0, 2.0, 2001))
    rt = ss.RealTime(_brake(force=force), step=1e-3)
    by_steps = np.array([rt.step()[1] for _ in range(2000)])
    assert np.abs(by_steps - run["x.velocity"][1:]).max() < 1e-12
    assert run["x.velocity"][-1] == pytest.approx(0.5, abs=1e-14)


def test_real_time_refuses_a_relay_that_only_switches() -> None:
    with pytest.raises(
        ValueError, match=r"has the relay 'switch', which RealTime supports only without hysteresis"
    ):
        ss.RealTime(_oscillator(), step=1e-3)


def test_time_stepping_refuses_relays() -> None:
    with pytest.raises(ValueError, match="'switch'"):
        ss.simulate(_oscillator(), 1.0, method="time_stepping", max_step=1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"high": 1.0}, r"high of 'switch' = 1 is not allowed: it must be different from low"),
        ({"hysteresis": -1.0}, r"hysteresis of 'switch' = -1 is not allowed"),
        ({"low": np.inf}, r"low of 'switch' = inf is not allowed: it must be finite"),
        ({"on": {"x.position": 0.0}}, r"on of 'switch' must be a form of states that is finite and not zero"),
        ({"on": 3.0}, r"on of 'switch' = 3.0 is not allowed: it must be a name"),
        ({"on": "y"}, r"on of 'switch' names 'y', which is unknown"),
        ({"to": {"x": 0.0}}, r"to of 'switch' must be finite and not zero"),
    ],
)
def test_bad_relays(given: dict[str, object], message: str) -> None:
    m = ss.Machine(mass=1.0, names=["x"])
    with pytest.raises(ValueError, match=message):
        m.add_relay("switch", **({"on": "x", "low": 1.0, "high": -1.0, "to": "x"} | given))  # type: ignore[arg-type]


def test_moving_mass_is_refused() -> None:
    m = ss.Machine(mass=lambda q: [[2.0 + ss.math.cos(q["x"])]], names=["x"])
    m.add_relay("switch", on="x", low=1.0, high=-1.0, to="x")
    with pytest.raises(
        ValueError, match=r"mass matrix or a joint that is a function of the position.*'switch'"
    ):
        ss.simulate(m, 1.0)
