"""A run keeps the description it was compiled from, whatever is added to the machine while it runs."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stickslip as ss


def growing() -> tuple[ss.Machine, ss.Trajectory]:
    """A free mass at 1 m/s whose own controller adds a force of 1 N to the machine at 0.05 s, and its run."""
    m, added = ss.Machine(1.0, names=["x"]), list[float]()

    def control(t: float, reference: float, measured: float) -> float:
        if t == 0.05 and not added:
            m.add_force("x", 1.0)
            added.append(t)
        return 0.0

    m.add_controller(control, name="u", measure="x", to="x", period=0.01)
    return m, ss.simulate(m, 0.2, initial={"x.velocity": 1.0})


def position(run: ss.Trajectory) -> float:
    return float(run.at([0.2])["x.position"][0])


def test_controller_that_adds_to_its_machine_leaves_the_run_as_it_was() -> None:
    m, run = growing()
    assert position(run) == pytest.approx(0.2, rel=1e-14)  # v t, without the force
    assert run.machine != m
    again = ss.simulate(run.machine, 0.2, initial={"x.velocity": 1.0})
    assert position(again) == position(run)
    with_force = ss.simulate(m, 0.2, initial={"x.velocity": 1.0})
    assert position(with_force) == pytest.approx(0.22, rel=1e-14)  # v t + t² / 2


def test_run_of_machine_that_grew_is_continued_and_audited() -> None:
    _, run = growing()
    on = ss.simulate(run.machine, 0.3, state=run.state)
    assert float(on["x.position"][-1]) == pytest.approx(0.3, rel=1e-14)
    assert ss.analysis.audit(run).passed


def test_adding_from_another_thread_leaves_the_run_as_it_was(tmp_path: Path) -> None:
    def belt() -> ss.Machine:
        m = ss.Machine(1.0, stiffness=2.0, names=["x"])
        law = ss.LuGre(stiffness=1e4, damping=3.0, static=1.0, kinetic=0.8, stribeck_velocity=0.01)
        m.add_friction("f", on="x", law=law, surface_velocity=0.2)
        return m

    alone = ss.simulate(belt(), 300.0)
    for delay in (0.0, 1e-4, 3e-3, 1e-2):  # s; the run takes longer than the last
        m = belt()
        other = threading.Timer(delay, m.add_force, ("x", 5.0))
        other.start()
        run = ss.simulate(m, 300.0)
        other.join()
        if run.machine == belt():
            assert np.array_equal(run.at([300.0]).y, alone.at([300.0]).y)
        assert np.array_equal(ss.simulate(run.machine, 300.0).at([300.0]).y, run.at([300.0]).y)
        run.save(tmp_path / "run")
        assert ss.load(tmp_path / "run").machine == run.machine
        assert ss.simulate(run.machine, 301.0, state=run.state).success


def test_law_that_adds_to_its_machine_while_it_is_compiled() -> None:
    m = ss.Machine(1.0, names=["x"], force={"x": 2.0})

    def level(v: float) -> float:
        if len(m.elements) < 50:  # so many that lists of elements move in memory
            m.add_friction(f"g{len(m.elements)}", on="x", law=0.0)
        return 1.0 if v > 0.0 else -1.0

    m.add_friction("f", on="x", law=ss.Curve(level, static=1.0))
    run = ss.simulate(m, 1.0)
    assert len(run.machine.elements) < len(m.elements)
    assert run["x.velocity"][-1] == pytest.approx(1.0, rel=1e-7)  # (2 N - 1 N) t / 1 kg


def test_value_and_grad_keeps_the_machine_it_was_given() -> None:
    m = ss.Machine(2.0, names=["x"], force={"x": 6.0})

    def way(run: Any) -> Any:
        m.add_friction(f"f{len(m.elements)}", on="x", law=1.0)
        return run["x.position"][-1]

    f = ss.value_and_grad(way, m, ["x.mass"], t_end=2.0)
    for _ in range(2):  # F t² / 2 m and its derivative by m
        value, gradient = f([2.0])
        assert value == pytest.approx(6.0, rel=1e-12)
        assert gradient == pytest.approx([-3.0], rel=1e-9)


def test_point_of_an_ensemble_is_measured_on_the_machine_that_ran() -> None:
    m = ss.Machine(1.0, names=["x"])

    def control(t: float, reference: float, measured: float) -> float:
        m.add_force("x", 1.0)
        return 0.0

    m.add_controller(control, name="u", measure="x", to="x", period=0.1)

    def built(unused: float) -> ss.Machine:
        return m

    def last(run: ss.Trajectory) -> float:
        return float(run["x.position"][-1])

    out = ss.ensemble(
        built,
        {"unused": [0.0]},
        t_end=0.2,
        measure=["x.position.final", last],
        initial={"x.velocity": 1.0},
        executor=ThreadPoolExecutor(1),
    )
    assert out["x.position.final"][0] == pytest.approx(0.2, rel=1e-14)
    assert out["last"][0] == pytest.approx(0.2, rel=1e-14)
