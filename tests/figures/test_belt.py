"""The belt figure against the closed form of its machine, so that it can be tested without the engine.

The stand-in below solves one machine by hand: x = v·t in stick, x = c + A·cos ωt + (v/ω)·sin ωt in slip.
"""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import stickslip
from stickslip.figures import _style, belt

OMEGA = math.sqrt(2.0)
SLIP = (2.0 * math.pi - 2.0 * math.atan2(0.1, 0.2 / OMEGA)) / OMEGA


class Run:
    """Belt oscillator from rest on the belt at x = 0, in closed form."""

    def __init__(self, t: np.ndarray, end: float) -> None:
        self.t = t
        since = np.maximum(t - 2.5, 0.0) % (SLIP + 1.0)
        slipping = (t >= 2.5) & (since < SLIP)
        swing = 0.4 + 0.1 * np.cos(OMEGA * since) + 0.2 / OMEGA * np.sin(OMEGA * since)
        speed = -0.1 * OMEGA * np.sin(OMEGA * since) + 0.2 * np.cos(OMEGA * since)
        ride = np.where(t < 2.5, 0.2 * t, 0.3 + 0.2 * (since - SLIP))
        x = np.where(slipping, swing, ride)
        self.signals = {
            "block.position": x,
            "block.velocity": np.where(slipping, speed, 0.2),
            "belt.force": np.where(slipping, -0.8, -2.0 * x),
        }
        changes = np.sort(np.concatenate([a := 2.5 + np.arange(60) * (SLIP + 1.0), a + SLIP]))
        stick, slip = SimpleNamespace(name="stick"), SimpleNamespace(name="slip_backward")
        self.events = [
            SimpleNamespace(time=float(time), before=slip if k % 2 else stick, after=stick if k % 2 else slip)
            for k, time in enumerate(changes[changes <= end])
        ]
        self.energy = SimpleNamespace(residual=1e-15)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]


def simulate(machine: Any, *, t_end: float, initial: dict[str, float], dt: float | None = None) -> Run:
    assert initial == {"block.velocity": 0.2}
    t = np.array([t_end]) if dt is None else np.arange(round(t_end / dt) + 1) * dt
    return Run(t, t_end)


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = SimpleNamespace(add_friction=lambda *_, **__: None)
    monkeypatch.setattr(stickslip, "Machine", lambda **_: machine, raising=False)
    monkeypatch.setattr(stickslip, "Coulomb", lambda **_: None, raising=False)
    monkeypatch.setattr(stickslip, "simulate", simulate, raising=False)


def test_closed_form_has_87_events() -> None:
    released, caught = belt.closed_form(200.0)
    assert (released.size, caught.size) == (44, 43)
    assert released[0] == 2.5
    assert released[1] - caught[0] == pytest.approx(1.0, abs=1e-14)
    assert released[-1] == pytest.approx(199.115917032024, abs=1e-12)


def test_numbers_and_columns(by_hand: None) -> None:
    data = belt.compute()
    assert [(c.quantity, c.deviation) for c in data.checks if not c.within] == []
    assert data["trajectory"].header == [
        "time [s]",
        "displacement [m]",
        "velocity [m/s]",
        "friction force [N]",
    ]
    assert data["events"]["before"][0] == "stick" and data["events"]["time"].size == 87


def test_a_late_event_is_seen(by_hand: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*arguments: Any, **options: Any) -> Run:
        run = simulate(*arguments, **options)
        for event in run.events[5:6]:
            event.time += 1e-9
        return run

    monkeypatch.setattr(stickslip, "simulate", late)
    assert [c.quantity for c in belt.compute().checks if c.failed] == ["worst of all event times, off by [s]"]


def test_picture_shades_what_sticks(by_hand: None) -> None:
    data = belt.compute()
    with _style.style():
        canvas = _style.canvas(105.0)
        belt.draw(data, canvas)
        canvas.canvas.draw()
    spans = belt._stick_spans(data["events"], 20.0)
    assert spans[0] == (0.0, 2.5)
    assert [stop - start for start, stop in spans[1:-1]] == pytest.approx([1.0] * len(spans[1:-1]), abs=1e-12)
    labels = {ax.get_xlabel() for ax in canvas.axes}
    assert {"time t [s]", "displacement x [m]"} <= labels
