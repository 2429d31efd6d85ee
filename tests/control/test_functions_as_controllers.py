"""A controller that is a Python function: what it gets, and how its errors are told."""

import numpy as np
import pytest

import stickslip as ss


def axis(function: object, **options: object) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(
        ss.control.Callable(function, period=0.1, **options),
        "mine",
        measure="q.velocity",
        reference=1.0,
        to="q",
    )
    return m


def test_function_gets_arrays_for_one_signal_and_for_several() -> None:
    seen = []

    def law(t: float, r: np.ndarray, y: np.ndarray) -> np.ndarray:
        seen.append((type(t), r.shape, y.shape))
        return 3.0 * (r - y)

    run = ss.simulate(axis(law), 0.5)
    assert set(seen) == {(float, (1,), (1,))}
    # Held over each period of 0.1 s: the error shrinks by 1 - 0.3.
    assert run["q.velocity"][-1] == pytest.approx(1.0 - 0.7**5, rel=1e-12)


def test_memory_accepts_numbers_and_arrays() -> None:
    def law(t: float, r: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[object, object]:
        return z[0] + (r - y), (z[0] + 0.5, y)

    run = ss.simulate(axis(law, memory=[0.0, 0.0]), 0.2, dt=0.1)
    assert run["mine.output"][:2] == pytest.approx([1.0, 0.5 + 1.0 - 0.1])


def test_exception_names_controller_and_time_and_keeps_its_cause() -> None:
    def law(t: float, r: np.ndarray, y: np.ndarray) -> float:
        return 1.0 / (0.3 - t) if t < 0.25 else {}["gain"]

    with pytest.raises(
        RuntimeError, match=r"^controller 'mine': function raised KeyError at t = 0.3 s: 'gain'"
    ) as info:
        ss.simulate(axis(law), 1.0)
    cause = info.value.__cause__
    assert isinstance(cause, KeyError) and cause.__traceback__ is not None
    assert cause.__traceback__.tb_frame.f_code.co_name == "law"  # where it was raised


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, r, y: np.nan, r"controller 'mine': function returned nan in its output at t = 0 s"),
        (lambda t, r, y: [1.0, 2.0], r"controller 'mine': function returned 2 numbers .* but 1 are needed"),
        (lambda t, r, y: None, r"controller 'mine': function returned"),
    ],
)
def test_wrong_results_name_the_controller(function: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ss.simulate(axis(function), 1.0)


def test_interrupt_within_a_function_is_passed_on() -> None:
    def law(t: float, r: np.ndarray, y: np.ndarray) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ss.simulate(axis(law), 1.0)
