"""Gradients backwards along a run: against closed forms, and against those forwards, which know differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from families import generator

import stickslip as ss
from stickslip.identify._present import present_number

from .random_machines import parameters


def present(machine: Any, names: list[str], initial: dict[str, float]) -> list[float]:
    """The numbers of a machine as they are."""
    states = machine.compile().states
    return [
        initial.get(name, 0.0) if name in states else present_number(machine, name, initial) or 0.0
        for name in names
    ]


def off(f: Any, machine: Any, names: list[str], p: list[float] | None = None, **options: Any) -> float:
    """Difference of both gradients, as a share of the greater one in units of the parameters."""
    p = p or present(machine, names, dict(options.get("initial") or {}))
    value, back = ss.value_and_grad(f, machine, names, mode="reverse", **options)(p)
    same, forward = ss.value_and_grad(f, machine, names, mode="forward", **options)(p)
    assert value == same
    assert np.isfinite(forward).all()
    assert np.any(forward != 0.0)
    sizes = np.maximum(np.abs(p), 1e-3)
    return float(np.max(np.abs(back - forward) * sizes) / np.max(np.abs(forward) * sizes))


def chain(n: int) -> tuple[ss.Machine, list[str], dict[str, float]]:
    """Blocks on a belt, coupled by springs, with ten parameters each."""
    names = [f"b{i}" for i in range(n)]
    between = 10.0 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    m = ss.Machine(
        mass=[1.0 + 0.01 * i for i in range(n)], names=names,
        stiffness=np.diag([2.0 + 0.1 * i for i in range(n)]) + between, damping=np.diag([0.02] * n),
    )  # fmt: skip
    every = []
    for i in range(n):
        law = ss.Coulomb(static=1.0 + 0.003 * i, kinetic=0.8)
        m.add_friction(f"f{i}", on=f"b{i}", law=law, surface_velocity=0.2)
        every += [f"f{i}.{what}" for what in ("law.static", "law.kinetic", "surface_velocity", "normal_load")]
        every += [f"b{i}.{what}" for what in ("mass", "stiffness", "damping", "position", "velocity")]
        every += [f"stiffness[b{i - 1},b{i}]"] if i else []
    return m, every, {f"b{i}.velocity": 0.2 + 0.01 * i for i in range(n)}


def test_adjoint_of_the_period_matches_closed_form() -> None:
    """T = 2A/v + 2 (π - arctan(ωA/v))/ω with A = (Fs - Fk)/k, between two times of coming to rest."""
    m = ss.Machine(mass=1.3, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    names = ["belt.law.static", "belt.law.kinetic", "belt.surface_velocity", "block.stiffness", "block.mass"]
    value, gradient = ss.value_and_grad(
        lambda run: run.events[6].time - run.events[4].time,
        m, names, t_end=60.0, mode="reverse", initial={"block.velocity": 0.2},
    )([1.0, 0.8, 0.2, 2.0, 1.3])  # fmt: skip

    def period(fs: float, fk: float, v: float, k: float, mass: float) -> float:
        w, a = math.sqrt(k / mass), (fs - fk) / k
        return 2.0 * a / v + 2.0 * (math.pi - math.atan(w * a / v)) / w

    at = np.array([1.0, 0.8, 0.2, 2.0, 1.3])
    assert value == pytest.approx(period(*at), rel=1e-11)
    h, truth = 1e-3, []
    for j in range(5):
        e = np.eye(5)[j] * h
        truth.append(
            sum(
                w * (period(*(at + k * e)) - period(*(at - k * e)))
                for k, w in ((1, 0.75), (2, -0.15), (3, 1 / 60))
            )
            / h
        )
    assert gradient == pytest.approx(truth, rel=1e-10)


def test_adjoint_of_twenty_bounces_matches_closed_form() -> None:
    """t_n = √(2h/g) (1 + 2 Σ e^k) with k from 1 to n - 1."""
    ball = ss.Machine(mass=1.0, names=["ball"], force={"ball": -9.81})
    ball.add_contact("floor", normal={"ball": 1.0}, restitution=0.9)
    names = ["floor.restitution", "ball.position", "ball.force"]
    value, gradient = ss.value_and_grad(
        lambda run: run.events[19].time,
        ball,
        names,
        t_end=8.0,
        mode="reverse",
        initial={"ball.position": 1.0},
    )([0.9, 1.0, -9.81])
    k = np.arange(1, 20)
    fall, sums = math.sqrt(2.0 / 9.81), 1.0 + 2.0 * np.sum(0.9**k)
    assert value == pytest.approx(fall * sums, rel=1e-12)
    truth = [2.0 * fall * np.sum(k * 0.9 ** (k - 1)), 0.5 * fall * sums, 0.5 * fall * sums / 9.81]
    assert gradient == pytest.approx(truth, rel=1e-9)


def test_adjoint_of_100_parameters_agrees_with_forward() -> None:
    m, names, initial = chain(10)
    t = np.linspace(0.0, 60.0, 301)
    for f in (lambda run: np.mean(run["b3.position"] ** 2), lambda run: run.events[7].time):
        assert off(f, m, names, t_end=60.0, t_eval=t, initial=initial) < 1e-11


def test_adjoint_of_a_limited_sampled_loop_agrees_with_forward() -> None:
    m = ss.Machine(mass=2.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.7))
    m.add_controller(
        ss.PID(kp=35.0, ki=41.0, kd=6.0, limits=(-4.0, 4.0)), name="pid", on="slide", period=0.013,
        reference=ss.Sine(amplitude=1.0, frequency=0.2),
    )  # fmt: skip
    numbers = {
        "guide.law.static": 1.0, "guide.law.kinetic": 0.7, "slide.mass": 2.0, "slide.position": 0.0,
        "slide.velocity": 0.1, "pid.control.kp": 35.0, "pid.control.ki": 41.0, "pid.control.kd": 6.0,
        "pid.control.limits.max": 4.0, "pid.reference_scale": 1.0,
    }  # fmt: skip
    options: dict[str, Any] = {"t_end": 12.0, "dt": 0.1, "initial": {"slide.velocity": 0.1}}

    def error(run: Any) -> Any:
        return np.mean((run["slide.position"] - np.sin(run.t)) ** 2)

    assert off(error, m, list(numbers), list(numbers.values()), **options) < 1e-10


@pytest.mark.parametrize("law", ["stribeck", "bristles"])
def test_adjoint_of_integrated_motion_agrees_with_forward(law: str) -> None:
    laws: dict[str, Any] = {
        "stribeck": ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.1, viscous=0.2),
        "bristles": ss.LuGre(
            stiffness=1e3, damping=30.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=0.1
        ),
    }
    pull = ss.Ramp(slope=0.2)
    m = ss.Machine(mass=1.0, stiffness=2.0, damping=0.01, names=["block"], force={"block": pull})
    m.add_friction("guide", on="block", law=laws[law])
    names = [f"guide.law.{name}" for name in ("static", "kinetic", "stribeck_velocity", "viscous")]
    names += ["block.mass", "block.stiffness", "block.damping", "block.velocity", "guide.normal_load"]
    assert off(lambda run: np.sum(run["block.position"] ** 2), m, names, t_end=30.0, dt=1.0) < 1e-10


def test_adjoint_of_values_at_given_times_agrees_with_forward() -> None:
    m, names, initial = chain(2)
    options: dict[str, Any] = {"t_end": 20.0, "t_eval": np.linspace(0.0, 20.0, 41), "initial": initial}

    def several(run: Any) -> Any:
        later = run.at([3.0, 11.5])["b1.velocity"]
        start = np.exp(-run["b0.position"][0]) if run.success else 0.0
        return (
            start + later @ np.array([1.0, 2.0]) + np.hypot(run["b1.position"][-1], 0.3) / run.events[0].time
        )

    assert off(several, m, names, **options) < 1e-11


@pytest.mark.parametrize("family", ["chains", "drives", "springs", "stops", "supports"])
def test_adjoint_of_random_machines_agrees_with_forward(family: str) -> None:
    """Wherever both are known they are the same."""
    known = 0
    for seed in range(8):
        case = generator(family)(seed)
        names = parameters(case.machine, np.random.default_rng(seed), 4)
        t = np.linspace(0.0, case.t_end, 12)
        options = {**case.options, "t_eval": t, "max_events": 2000, "max_time": 5.0}
        machine = getattr(case.machine, "machine", case.machine)
        p = present(machine, names, dict(case.options.get("initial") or {}))

        def f(run: Any, state: str = machine.states[0]) -> Any:
            return np.sum(run[state] ** 2)

        try:
            back = ss.value_and_grad(f, machine, names, t_end=case.t_end, mode="reverse", **options)(p)[1]
            forward = ss.value_and_grad(f, machine, names, t_end=case.t_end, mode="forward", **options)(p)[1]
        except ValueError:
            continue
        if not (np.isfinite(back).all() and np.isfinite(forward).all()):
            assert not np.isfinite(back).all()  # what forwards is not known is not known backwards
            continue
        assert back * p == pytest.approx(
            forward * p, rel=0.0, abs=1e-8 * np.max(np.abs(forward * p), initial=0.0)
        )
        known += 1
    assert known > 0


def test_adjoint_after_a_touch_is_nan() -> None:
    m = ss.Machine(mass=[1.0], names=["ball"], force={"ball": -1.0})
    m.add_contact("ceiling", {"ball": -1.0}, gap=0.5, restitution=0.5)
    where: dict[str, Any] = {"t_end": 1.9, "t_eval": [0.1, 1.9], "mode": "reverse"}
    early = ss.value_and_grad(lambda run: run["ball.position"][0], m, ["ball.velocity"], **where)
    late = ss.value_and_grad(lambda run: run["ball.position"][1], m, ["ball.velocity"], **where)
    assert early([1.0])[1] == pytest.approx([0.1], abs=1e-12)
    assert np.isnan(late([1.0])[1]).all()


def test_auto_uses_forward_mode_where_reverse_is_impossible() -> None:
    """Reverse says why it is not possible; auto goes forwards."""
    m, names, initial = chain(2)
    options: dict[str, Any] = {"t_end": 5.0, "dt": 0.5, "initial": initial}
    p = present(m, names, initial)

    def force(run: Any) -> Any:
        return np.sum(run["f0.force"] ** 2)

    def outside(run: Any) -> Any:
        return math.exp(run["b0.position"][-1])

    for f, why in ((force, "'f0.force', which is not a state"), (outside, r"float\(\), math")):
        with pytest.raises(ValueError, match=f"mode = 'reverse' is not possible here: {why}"):
            ss.value_and_grad(f, m, names, mode="reverse", **options)(p)
        chosen = ss.value_and_grad(f, m, names, **options)(p)
        forward = ss.value_and_grad(f, m, names, mode="forward", **options)(p)
        assert chosen[1] == pytest.approx(forward[1], rel=1e-12)
    with pytest.raises(ValueError, match="mode = 'backward' is not allowed"):
        ss.value_and_grad(force, m, names, mode="backward", t_end=1.0)  # type: ignore[arg-type]
