"""The start and the end of a run given as a pair, as SciPy's `solve_ivp` takes them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss


def swinging() -> ss.Machine:
    return ss.Machine(
        mass=1.0, stiffness=4.0, names=["q"], force={"q": ss.Sine(amplitude=1.0, frequency=0.3)}
    )


def test_pair_of_times_gives_the_same_run_as_scipy() -> None:
    run = ss.simulate(swinging(), (1.0, 3.0), initial={"q.position": 1.0})
    reference = solve_ivp(
        lambda t, y: [y[1], np.sin(2.0 * np.pi * 0.3 * t) - 4.0 * y[0]], (1.0, 3.0), [1.0, 0.0],
        rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    assert (run.t[0], run.t[-1]) == (1.0, 3.0)
    assert run.y[:, -1] == pytest.approx(reference.y[:, -1], abs=1e-9)


def test_pair_is_the_same_as_start_and_end() -> None:
    apart = ss.simulate(swinging(), t_start=1.0, t_end=3.0)
    for pair in ((1.0, 3.0), [1, 3], np.array([1.0, 3.0])):
        assert ss.simulate(swinging(), pair).state == apart.state
    assert ss.simulate(swinging(), (1.0, 3.0), t_start=1.0).state == apart.state


def test_run_is_continued_over_a_pair_of_times() -> None:
    m = swinging()
    first = ss.simulate(m, (0.0, 1.0))
    assert ss.simulate(m, (1.0, 2.0), state=first.state).state == ss.simulate(m, 2.0).state
    with pytest.raises(ValueError, match=r"t_start = 0.5 is not allowed: the state starts at t = 1"):
        ss.simulate(m, (0.5, 2.0), state=first.state)


@pytest.mark.parametrize(
    ("times", "start", "message"),
    [
        ((0.0, 1.0, 2.0), 0.0, r"t_end = .* is not allowed: it must be a number, or the pair \(start, end\)"),
        (
            (1.0, 2.0),
            0.5,
            r"t_start = 0.5 and t_end\[0\] = 1 exclude each other: give the start of the run once",
        ),
        ((0.0, "end"), 0.0, r"t_end\[1\] = 'end'"),
        ((2.0, 1.0), 0.0, r"t_end = 1.*2"),
    ],
)
def test_impossible_times_are_refused(times: object, start: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ss.simulate(swinging(), times, t_start=start)


def test_ensemble_and_gradient_take_a_pair_of_times() -> None:
    m = ss.Machine(mass=2.0, names=["q"], force={"q": ss.Ramp(slope=1.0)})
    out = ss.ensemble(m, {"q.mass": [1.0, 2.0]}, (1.0, 3.0), measure=["q.velocity.final"])
    assert out["q.velocity.final"] == pytest.approx([4.0, 2.0], rel=1e-12)  # ∫ t dt / mass from 1 to 3
    way = ss.value_and_grad(lambda run: run["q.velocity"][-1], m, ["q.mass"], t_end=(1.0, 3.0))
    value, gradient = way([2.0])
    assert (value, gradient[0]) == pytest.approx((2.0, -1.0), rel=1e-9)
