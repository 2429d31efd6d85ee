"""Derivatives behind the last bounce: those of the limit of infinitely many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stickslip as ss

GRAVITY, HEIGHT, E = 9.81, 1.0, 0.5


def ball(restitution: float = E) -> ss.Machine:
    m = ss.Machine(mass=[2.0], names=["ball"], force={"ball": -2.0 * GRAVITY})
    m.add_contact("floor", {"ball": 1.0}, restitution=restitution)
    return m


def test_end_of_bouncing_matches_closed_form() -> None:
    """It rests from T = sqrt(2h/g) (1 + e)/(1 - e) on, on the floor for all parameters."""
    names = ["floor.restitution", "ball.position", "ball.force"]
    run = ss.simulate(ball(), 5.0, initial={"ball.position": HEIGHT}, sensitivities=names)
    assert run.sensitivity.valid_until.time == np.inf
    fall = np.sqrt(2.0 * HEIGHT / GRAVITY)
    end = fall * (1.0 + E) / (1.0 - E)
    known = [2.0 * fall / (1.0 - E) ** 2, 0.5 * end / HEIGHT, 0.5 * end / (2.0 * GRAVITY)]
    last = run.events[-1].sensitivity
    assert last is not None
    # The bounces left out take about the threshold 1e-9 of that time, and thirty times as much of its slope.
    assert [last[name] for name in names] == pytest.approx(known, rel=1e-7)
    assert run.sensitivity.end == pytest.approx(np.zeros((2, 3)), abs=1e-12)


@pytest.mark.parametrize("threshold", [1e-2, 1e-4, 1e-6])
def test_body_carried_by_another_after_bounces_matches_closed_form(threshold: float) -> None:
    """A ball is pressed against a free plate and comes to rest on it: both then move as their centre of mass."""
    m, plate, force, h, t = 0.7, 2.0, 3.0, 0.4, 6.0
    machine = ss.Machine(mass=[m, plate], names=["ball", "plate"], force={"ball": -force})
    machine.add_contact("seat", {"ball": 1.0, "plate": -1.0}, restitution=0.6)
    names = ["ball.mass", "plate.mass", "ball.force", "ball.position", "seat.restitution"]
    run = ss.simulate(
        machine, t, initial={"ball.position": h}, sensitivities=names, rebound_threshold=threshold
    )
    assert run.sensitivity.valid_until.time == np.inf
    both, centre = m + plate, m * h - 0.5 * force * t**2
    x = [(h * both - centre) / both**2, -centre / both**2, 0.5 * t**2 / both, m / both, 0.0]
    v = [force * t / both**2, force * t / both**2, t / both, 0.0, 0.0]
    for row in range(2):
        assert run.sensitivity.end[row] == pytest.approx(x, rel=1e-10, abs=1e-10)
        assert run.sensitivity.end[2 + row] == pytest.approx(v, rel=1e-10, abs=1e-10)


def test_threshold_decides_how_many_bounces_are_differentiated() -> None:
    """With a coarse threshold the last impact is the n-th: t_n = sqrt(2h/g) (1 + 2 (e + ... + e^(n-1)))."""
    run = ss.simulate(
        ball(),
        5.0,
        initial={"ball.position": HEIGHT},
        sensitivities=["floor.restitution"],
        rebound_threshold=1e-2,
    )
    k = np.arange(1, sum(e.impact for e in run.events))
    slope = np.sqrt(2.0 * HEIGHT / GRAVITY) * 2.0 * np.sum(k * E ** (k - 1.0))
    last = run.events[-1].sensitivity
    assert last is not None
    assert last["floor.restitution"] == pytest.approx(slope, rel=1e-10)


def test_adjoint_ends_where_a_body_comes_to_rest_on_another() -> None:
    """Only tangents pass the last bounce: along a single state its time moves without bound."""
    machine = ss.Machine(mass=[0.7, 2.0], names=["ball", "plate"], force={"ball": -3.0})
    machine.add_contact("seat", {"ball": 1.0, "plate": -1.0}, restitution=0.6)
    options = {"t_end": 6.0, "initial": {"plate.position": 0.0}, "rebound_threshold": 1e-6}

    def end(run: Any) -> Any:
        return run.at(6.0)["plate.position"][0]

    of = ss.value_and_grad(end, machine, ["ball.position"], **options)
    assert of([0.4])[1] == pytest.approx([0.7 / 2.7], rel=1e-9)
    with pytest.raises(ValueError, match="mode = 'reverse' is not possible here"):
        ss.value_and_grad(end, machine, ["ball.position"], mode="reverse", **options)([0.4])
