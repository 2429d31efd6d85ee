"""Ctrl-C and budgets end a long run soon; the process and the machine stay usable."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import stickslip as ss


@contextmanager
def interrupted_after(seconds: float) -> Iterator[Callable[[], float]]:
    """Interrupt the block after seconds of processor time; yield a function that returns how long it then took to end.

    Processor time of this process, since other processes delay it at will. The timer counts it in jiffies.
    """

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, interrupt)
    start, ended = time.process_time(), 0.0
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        with pytest.raises(KeyboardInterrupt):
            yield lambda: ended - start - seconds
        ended = time.process_time()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def belt(law=None):
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=law or ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
@pytest.mark.parametrize(
    ("law", "method"),
    [
        (ss.Coulomb(static=1.0, kinetic=0.8), "auto"),
        (ss.Coulomb(static=1.0, kinetic=0.8), "explicit"),
        (ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=1e-3, shape=1.0), "stiff"),
    ],
    ids=["exact", "explicit", "stiff"],
)
def test_ctrl_c_is_answered_within_0_2_s(law, method):
    m = belt(law)
    with interrupted_after(0.3) as answered:
        ss.simulate(m, t_end=1e9, initial={"block.velocity": 0.2}, method=method)
    assert answered() < 0.2
    assert len(ss.simulate(m, t_end=200.0, initial={"block.velocity": 0.2}).events) > 50


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_sigint_interrupts_a_process():
    script = """
import stickslip as ss
m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
import signal  # a job in the background inherits that Ctrl-C is ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
print("go", flush=True)
try:
    ss.simulate(m, t_end=1e9, initial={"block.velocity": 0.2})
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(len(ss.simulate(m, t_end=200.0, initial={"block.velocity": 0.2}).events))
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "go\n"
        time.sleep(0.4)
        sent = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert time.perf_counter() - sent < 0.3  # 0.2 s and what the pipe takes
        assert process.stdout.read() == "87\n"
        assert process.wait() == 0


def test_max_time_ends_the_run():
    start = time.perf_counter()
    r = ss.simulate(belt(), t_end=1e9, initial={"block.velocity": 0.2}, max_time=0.2, keep="events")
    assert time.perf_counter() - start < 0.6
    assert r.status == "budget" and not r.success and "max_time" in r.message
    assert r.t[-1] == r.state.t < 1e9 and len(r.events) > 100


def one_mass_over_equal_contacts(n: int) -> ss.Machine:
    """Each impact is one problem with n statically indeterminate impulses."""
    m = ss.Machine(1.0, names=["y"], force={"y": -9.81})
    for i in range(n):
        m.add_contact(f"c{i}", normal={"y": 1.0}, restitution=0.5)
    return m


LONG_BEFORE_THE_FIRST_STEP = [
    (ss.Machine(np.ones(900)), {}),
    (one_mass_over_equal_contacts(500), {"y.position": 1.0}),
]


@pytest.mark.parametrize(("m", "initial"), LONG_BEFORE_THE_FIRST_STEP, ids=["900 masses", "500 contacts"])
def test_max_time_ends_a_long_decision(m, initial):
    def seconds(budget: float) -> tuple[float, ss.Trajectory]:
        start = time.perf_counter()
        r = ss.simulate(m, 2.0, initial=initial, max_time=budget)
        return time.perf_counter() - start, r

    beside_the_run, _ = seconds(1e-6)
    spent, r = seconds(0.5)
    assert spent < 0.5 + 0.2 + beside_the_run
    assert r.success or (r.status == "budget" and "max_time" in r.message)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_ctrl_c_ends_a_long_decision():
    m = one_mass_over_equal_contacts(500)
    with interrupted_after(0.5) as answered:
        ss.simulate(m, 2.0, initial={"y.position": 1.0})
    assert answered() < 0.2


def test_run_continues_from_an_interrupted_decision():
    """An impact that took too long is made by the run that continues, and ends as without a limit."""
    m = one_mass_over_equal_contacts(250)
    whole = ss.simulate(m, 0.6, initial={"y.position": 1.0})
    assert whole.success and len(whole.events) == 250
    part = ss.simulate(m, 0.6, initial={"y.position": 1.0}, max_time=1e-6)
    assert part.status == "budget" and len(part.events) == 0
    rest = ss.simulate(m, 0.6, state=part.state)
    assert rest.success and rest.state.x == pytest.approx(whole.state.x, rel=1e-14, abs=1e-14)
    assert [e.time for e in rest.events] == [e.time for e in whole.events]


def test_max_events_ends_a_run_that_can_continue():
    r = ss.simulate(belt(), t_end=1e9, initial={"block.velocity": 0.2}, max_events=10)
    assert r.status == "budget" and "max_events" in r.message and len(r.events) == 11
    on = ss.simulate(belt(), t_end=200.0, state=r.state)
    assert len(r.events) + len(on.events) == 87


def test_threads_share_a_machine():
    m = ss.Machine(mass=[1.0] * 6, stiffness=2.0, names=[f"b{i}" for i in range(6)])
    initial = {}
    for i in range(6):
        v = 0.2 * (1 + 0.3 * i)
        m.add_friction(f"f{i}", on=f"b{i}", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=v)
        initial[f"b{i}.velocity"] = v
    results = []

    def run():
        results.append([e.time for e in ss.simulate(m, t_end=60.0, initial=initial).events])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run()
    assert len(results) == 5 and all(r == results[0] for r in results)
