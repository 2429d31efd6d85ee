"""The belt figure: its closed form, that a wrong event is seen, and that what sticks is shaded."""

from dataclasses import replace
from typing import Any

import pytest

import stickslip
from stickslip.draw import style as _style
from stickslip.run.events import Events
from stickslip_figures import FigureData, belt


@pytest.fixture(scope="module")
def data() -> FigureData:
    return belt.compute()


def test_closed_form_has_87_events() -> None:
    released, caught = belt.closed_form(200.0)
    assert (released.size, caught.size) == (44, 43)
    assert released[0] == 2.5
    assert released[1] - caught[0] == pytest.approx(1.0, abs=1e-14)
    assert released[-1] == pytest.approx(199.115917032024, abs=1e-12)


def test_belt_figure_has_its_columns(data: FigureData) -> None:
    assert data["trajectory"].header == [
        "time [s]",
        "displacement [m]",
        "velocity [m/s]",
        "friction force [N]",
    ]
    log = data["events"]
    assert (log["before"][0], log["after"][0], log["time"].size) == ("stick", "slip-", 87)


def test_friction_force_stays_within_its_levels(data: FigureData) -> None:
    force = data["trajectory"]["friction force"]
    assert force.min() == pytest.approx(-1.0, abs=0.005) and force.min() >= -1.0 - 1e-12
    assert force.max() <= 1e-12


def test_late_event_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = stickslip.simulate

    def late(*arguments: Any, **options: Any) -> Any:
        run = exact(*arguments, **options)
        events = list(run.events)
        if len(events) > 5:
            events[5] = replace(events[5], time=events[5].time + 1e-9)
        vars(run)["events"] = Events(events)
        return run

    monkeypatch.setattr(stickslip, "simulate", late)
    assert [c.quantity for c in belt.compute().checks if c.failed] == ["worst of all event times, off by"]


def test_lost_event_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = stickslip.simulate

    def lossy(*arguments: Any, **options: Any) -> Any:
        run = exact(*arguments, **options)
        vars(run)["events"] = Events(list(run.events)[:-2])
        return run

    monkeypatch.setattr(stickslip, "simulate", lossy)
    failed = {c.quantity for c in belt.compute().checks if c.failed}
    assert {"number of events in 200 s", "last event"} <= failed


def test_picture_shades_what_sticks(data: FigureData) -> None:
    spans = belt._stick_spans(data["events"], 20.0)
    assert spans[0] == (0.0, pytest.approx(2.5, abs=1e-12))
    assert [stop - start for start, stop in spans[1:-1]] == pytest.approx([1.0] * 3, abs=1e-12)
    with _style.style():
        canvas = _style.canvas(105.0)
        belt.draw(data, canvas)
        canvas.canvas.draw()
    over_time = [ax for ax in canvas.axes if ax.get_xlabel() == "time t [s]"]
    assert [len(ax.patches) for ax in over_time] == [len(spans)] * 2
