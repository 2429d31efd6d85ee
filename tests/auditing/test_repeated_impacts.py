"""Impacts in rapid succession: the audit accepts their limit and finds impacts that gain energy or lead elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from auditing.damage import Damaged, changed, within

import stickslip as ss

MASS = np.array([1.0, 1e-3, 1.0])


def light_part(restitution: float = 0.8, law: str = "newton") -> ss.Trajectory:
    """A light part between two heavy ones, the first of which comes with 1 m/s; all end together at 1/2.001."""
    names = ["a", "b", "c"]
    m = ss.Machine(mass=MASS, names=names)
    for i, gap in enumerate((1e-3, 2e-3)):
        normal = {names[i + 1]: 1.0, names[i]: -1.0}
        m.add_contact(f"c{i}", normal=normal, gap=gap, restitution=restitution, impact=law)
    return ss.simulate(m, 0.1, initial={"a.velocity": 1.0})


def ending(end: list[float], says: str) -> Damaged:
    """The last impacts lead to other velocities, with impulses and losses that belong to them."""
    run, rows = light_part(), np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    time = run.events[-1].time
    last = [i for i, e in enumerate(run.events) if e.instant == run.events[-1].instant]
    old = np.zeros(2)
    for i in last:
        old[int(run.events[i].element[1])] = run.events[i].normal_impulse
    after = run.at([time]).y[3:, 0]
    before = after - rows.T @ old / MASS
    pushed = MASS * (np.array(end) - before)
    impulse = np.array([-pushed[0], pushed[2]])
    loss = -0.5 * impulse * (rows @ before + rows @ np.array(end))
    events = run.events
    for i in last:
        k = int(events[i].element[1])
        events = changed(events, i, normal_impulse=impulse[k], loss=loss[k], rule=says)
    signals: dict[str, Any] = {
        f"{name}.velocity": within(time, 1.0, lambda x, v=v: v + 0.0 * x)
        for name, v in zip("abc", end, strict=True)
    }
    return Damaged(run, events=events, signals=signals)


@pytest.mark.parametrize("law", ["newton", "poisson"])
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 0.95])
def test_repeated_impacts_and_their_limit_pass(restitution: float, law: str) -> None:
    report = ss.analysis.audit(light_part(restitution, law))
    assert report.passed, report
    if restitution == 0.8:
        assert report.checked["contact rests after a collapse"] > 0


@pytest.mark.parametrize("says", ["unique", "unique, energy gained"])
def test_frictionless_energy_gain_is_found_with_any_mark_of_the_event(says: str) -> None:
    """(-0.301, 1.299, 1.299), where momentum gives 0.49975 for all: a contact that separates was taken into the impact."""
    first = -0.301
    end = [first, (1.0 - first) / 1.001, (1.0 - first) / 1.001]
    assert MASS @ np.square(end) == pytest.approx(1.78, abs=5e-3)
    report = ss.analysis.audit(ending(end, says))
    assert any(f.what == "no energy gain in an impact" for f in report.findings), report


def test_impacts_that_miss_their_limit_are_found() -> None:
    """Momentum is kept and energy lost, but the contacts do not come to rest."""
    end = [0.45, 0.5, (1.0 - 0.45 - 0.5e-3)]
    report = ss.analysis.audit(ending(end, "unique, inelastic collapse after 4 impacts"))
    assert any(f.what == "contact rests after a collapse" for f in report.findings), report


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_more_energy_than_the_work_of_a_moving_table_is_found(law: str) -> None:
    m = ss.Machine(mass=2.0, names=["ball"])
    m.add_contact(
        "table", normal={"ball": 1.0}, gap=ss.Ramp(slope=-0.5, offset=0.1), restitution=0.8, impact=law
    )
    run = ss.simulate(m, 1.0)
    assert ss.analysis.audit(run).passed and run.energy.kinetic[-1] > 0.0
    impulse = 1.2 * run.events[0].normal_impulse
    loss = -0.5 * impulse * (-0.5 + (0.5 * impulse - 0.5))
    damaged = Damaged(
        run,
        events=changed(run.events, 0, normal_impulse=impulse, loss=loss, rule="unique, energy gained"),
        signals={"ball.velocity": within(run.events[0].time, 1.0, lambda v: 1.2 * v)},
    )
    report = ss.analysis.audit(damaged)
    assert any(f.what == "no energy gain in an impact" for f in report.findings), report
