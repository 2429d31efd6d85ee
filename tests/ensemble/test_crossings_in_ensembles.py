"""Events of the user's in ensembles: in closed form, ending runs, in stores and processes."""

from pathlib import Path

import numpy as np
import pytest

import stickslip as ss


def slide() -> ss.Machine:
    return ss.Machine(mass=1.0, names=["slide"], force={"slide": 1.0})


FORCES = np.array([1.0, 2.0, 4.0])


def test_times_are_those_of_the_closed_form() -> None:
    half = ss.Crossing("slide.position", level=0.5, name="half")
    never = ss.Crossing("slide.position", level=-1.0, name="never")
    measure = ["half.events.first", "half.events.last", "half.events.count", "never.events.first"]
    out = ss.ensemble(slide(), {"slide.force": FORCES}, t_end=3.0, events=[half, never], measure=measure)
    assert out["half.events.first"] == pytest.approx(np.sqrt(1.0 / FORCES), rel=1e-14)
    assert out["half.events.last"] == pytest.approx(out["half.events.first"])
    assert out["half.events.count"].dtype == np.int64 and list(out["half.events.count"]) == [1, 1, 1]
    assert np.isnan(out["never.events.first"]).all()
    assert out.success.all()


def test_terminal_crossing_ends_all_measures() -> None:
    def fastest(run: ss.Trajectory) -> float:
        return float(run.state.x[1])

    half = ss.Crossing("slide.position", level=0.5, terminal=True, name="half")
    measure = ["slide.velocity.final", "slide.position.max", fastest]
    out = ss.ensemble(slide(), {"slide.force": FORCES}, t_end=0.9, events=half, measure=measure)
    stops = np.sqrt(1.0 / FORCES) < 0.9
    assert list(out.status) == ["stopped" if s else "finished" for s in stops]
    assert out.messages[1].startswith("stopped at t = 0.70710678")
    end = np.minimum(np.sqrt(1.0 / FORCES), 0.9)
    assert out["slide.velocity.final"] == pytest.approx(FORCES * end, rel=1e-14)
    assert out["slide.position.max"] == pytest.approx(0.5 * FORCES * end**2, rel=1e-14)
    assert list(out["fastest"]) == list(out["slide.velocity.final"])


def test_crossings_do_not_change_machine_events() -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    varied, options = {"block.position": [0.0, 0.1]}, {"t_end": 20.0, "measure": ["events.count"]}
    plain = ss.ensemble(m, varied, **options)
    marked = ss.ensemble(m, varied, events=ss.Crossing("block.position"), **options)
    assert list(plain["events.count"]) == list(marked["events.count"])


def test_stores_keep_crossings(tmp_path: Path) -> None:
    half = ss.Crossing("slide.position", level=0.5, name="half")
    call = {"t_end": 3.0, "measure": ["half.events.first"], "store": tmp_path / "out"}
    out = ss.ensemble(slide(), {"slide.force": FORCES}, events=[half], **call)
    kept = ss.load(tmp_path / "out")
    assert list(kept["half.events.first"]) == list(out["half.events.first"])
    assert kept.rerun(1).events.of("half").time[0] == out["half.events.first"][1]
    with pytest.raises(ValueError, match=r"options\.events"):
        ss.ensemble(
            slide(),
            {"slide.force": FORCES},
            events=[ss.Crossing("slide.position", level=1.0, name="half")],
            **call,
        )


def test_events_must_be_crossings() -> None:
    with pytest.raises(ValueError, match="Crossing"):
        ss.ensemble(slide(), {"slide.force": FORCES}, t_end=1.0, events=["slide.position"])
    with pytest.raises(ValueError, match=r"other\.events\.first"):
        ss.ensemble(
            slide(), {"slide.force": FORCES}, t_end=1.0, events=ss.Crossing("slide.position"),
            measure=["other.events.first"],
        )  # fmt: skip
