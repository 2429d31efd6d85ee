"""Derivatives of sums of normal impulses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import stickslip as ss


def test_impulse_derivatives_of_a_ball_match_closed_form() -> None:
    """Sum of m v (1 + e) e^k over the bounces so far, with v = √(2 |F| h / m)."""
    e, h, mass, force = 0.8, 1.0, 1.5, -15.0
    ball = ss.Machine(mass=mass, names=["ball"], force={"ball": force})
    ball.add_contact("floor", normal={"ball": 1.0}, restitution=e)
    names = ["floor.restitution", "ball.position", "ball.mass", "ball.force"]
    t = np.array([0.2, 1.0, 2.5, 3.9])
    run = ss.simulate(ball, 4.0, initial={"ball.position": h}, t_eval=t, sensitivities=names)
    speed = math.sqrt(-2.0 * force * h / mass)
    for j, time in enumerate(t):
        k = np.arange(sum(event.impact and event.time <= time for event in run.events))
        sums, by_e = np.sum(e**k), np.sum(k * e ** np.maximum(k - 1, 0))
        total = mass * speed * (1.0 + e) * sums
        assert run["floor.normal_impulse"][j] == pytest.approx(total, rel=1e-12)
        by_restitution = mass * speed * (sums + (1.0 + e) * by_e)
        truth = [by_restitution, 0.5 * total / h, 0.5 * total / mass, 0.5 * total / force]
        found = [run.sensitivity["floor.normal_impulse", name][j] for name in names]
        assert found == pytest.approx(truth, rel=1e-9, abs=1e-12)


def test_impulse_derivatives_after_an_accumulation_match_closed_form() -> None:
    """The sum is proportional to m v, with v = √(2 |F| h / m); impacts below the threshold 1e-9 are left out."""
    ball = ss.Machine(mass=1.0, names=["ball"], force={"ball": -9.81})
    ball.add_contact("floor", normal={"ball": 1.0}, restitution=0.5)
    run = ss.simulate(
        ball, 2.0, initial={"ball.position": 0.1}, t_eval=[0.2, 2.0], sensitivities=["ball.mass"]
    )
    impulse = run.sensitivity["floor.normal_impulse", "ball.mass"]
    assert impulse == pytest.approx(0.5 * run["floor.normal_impulse"], rel=3e-8)
