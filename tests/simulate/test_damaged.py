"""Saved runs and states that were damaged, or belong elsewhere, are refused; none brings the program down."""

import copy
import math

import numpy as np
import pytest

import stickslip as ss

pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in cast")


def machine():
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81, "x": ss.Ramp(slope=0.1)})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5, gap=0.1)
    lag = ss.StickSlip(ss.Coulomb(0.2, 0.1), memory=ss.Lag(0.01), dwell=0.5, load_factor=0.3)
    m.add_friction("guide", on="x", law=lag, load="floor.normal_force")
    late = ss.StickSlip(ss.Coulomb(0.02, 0.01), memory=ss.DeadTime(0.05))
    m.add_friction("film", on="x", law=late, surface_velocity=ss.Sine(0.1, 2.0))
    m.add_controller(ss.PI(kp=1.0, tn=0.5, limits=0.3), on="x", reference=0.5)
    m.add_controller(ss.PI(kp=1.0, tn=0.5, period=0.01, delay=0.002), name="held", on="x", reference=0.5)
    return m


M = machine()
RUN = ss.simulate(M, 2.0, initial={"y.position": 0.5, "x.velocity": 1.0})
OTHERS = [None, "text", -1, 2, 10**30, math.nan, math.inf, -1e300, (), [], (1, 2), [-1, 5], {}, np.zeros(0),
          np.full(3, np.nan), np.full((3, 2), 1e300), np.full((3, 4), -7)]  # fmt: skip


def paths(value, at=()):
    """Every place in nested tuples and lists."""
    if at:
        yield at
    if isinstance(value, (tuple, list)):
        for k, item in enumerate(value):
            yield from paths(item, (*at, k))


def replaced(value, at, new):
    if not at:
        return new
    kind = type(value)
    return kind(replaced(item, at[1:], new) if k == at[0] else item for k, item in enumerate(value))


def value_at(value, at):
    for k in at:
        value = value[k]
    return value


def damages(value):
    """Damaged values for one place: other types, and the value with a length or entries changed."""
    yield from OTHERS
    if isinstance(value, (tuple, list)) and value:
        yield value[:-1]
        yield type(value)([*value, value[-1]])
    if isinstance(value, np.ndarray) and value.size:
        yield value[..., :-1]
        if value.dtype.names is None:
            for wrong in (-1, 127, 10**6):
                changed = value.copy()
                changed.flat[changed.size // 2] = wrong
                yield changed
        else:
            for name in value.dtype.names:
                changed = value.copy()
                changed[name][len(changed) // 2] = -100
                yield changed
            yield value[["time", "element"]]


def use(run):
    """Everything that a run that was taken for sound has to bear."""
    _ = run.y, str(run.events), run.message, run.method, repr(run.energy), run.energy.residual
    for name in run.signals:
        _ = run[name]


def test_undamaged_run_is_read():
    again = copy.deepcopy(RUN)
    assert again.events == RUN.events and len(RUN.events) > 10
    use(again)


@pytest.mark.parametrize("at", list(paths(RUN.__getstate__()["run"])), ids=str)
def test_damage_in_a_run_is_refused_or_harmless(at):
    saved = RUN.__getstate__()
    for new in damages(value_at(saved["run"], at)):
        empty = object.__new__(ss.Trajectory)
        try:
            empty.__setstate__(saved | {"run": replaced(saved["run"], at, new)})
        except ValueError:
            continue
        use(empty)


@pytest.mark.parametrize("at", list(paths(RUN.state.__getstate__())), ids=str)
def test_damage_in_a_state_is_refused_or_harmless(at):
    saved = RUN.state.__getstate__()
    for new in damages(value_at(saved, at)):
        state = type(RUN.state).__new__(type(RUN.state))
        try:
            state.__setstate__(replaced(saved, at, new))
            assert isinstance(state == RUN.state, bool)
            run = ss.simulate(M, state=state, t_end=state.t + 0.05, max_events=1000, max_time=2.0)
        except ValueError:
            continue
        use(run)


def other_machines():
    """Some differ in what they hold, some in one number of a law or of the plant alone."""
    yield ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    for level in (0.2, 0.2 * (1 + 2e-16)):
        m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81, "x": ss.Ramp(slope=0.1)})
        m.add_friction("guide", on="x", law=ss.StickSlip(ss.Coulomb(level, 0.1), memory=ss.Lag(0.01)))
        yield m
    yield ss.Machine(mass=[1.0, 1.0 + 3e-16], names=["x", "y"])
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    m.scales = {"x.position": 1e-3}
    yield m


def test_state_of_another_machine_is_refused():
    others = list(other_machines())
    states = [ss.simulate(m, 1.0).state for m in others]
    for i, m in enumerate(others):
        with pytest.raises(
            ValueError, match=r"state belongs to another machine: it is of .*'guide'.*, this one is"
        ):
            ss.simulate(m, state=RUN.state, t_end=3.0)
        for k, state in enumerate(states):
            if i == k:
                assert ss.simulate(copy.deepcopy(m), state=state, t_end=2.0).success
            else:
                with pytest.raises(
                    ValueError, match=r"it is of the machine of 'x', 'y'.*, this one is the machine"
                ):
                    ss.simulate(m, state=state, t_end=3.0)
                assert states[i] != state


def test_lengths_and_modes_are_named():
    saved = RUN.__getstate__()
    for at, new, what in [
        ((3,), np.zeros((3, 0)), "segments"),
        ((5,), np.zeros(3), "coefficients"),
        ((9,), 17, "keep"),
        ((11,), 17, "status"),
        ((8, 1), [], "events"),
    ]:
        with pytest.raises(ValueError, match=rf"run.* damaged.*{what}"):
            object.__new__(ss.Trajectory).__setstate__(saved | {"run": replaced(saved["run"], at, new)})
