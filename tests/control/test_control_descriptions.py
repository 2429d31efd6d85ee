"""Controllers as values: equality, repr, pickling, and errors that name the argument."""

import doctest
import pickle

import numpy as np
import pytest

import stickslip as ss
from stickslip import _core, control
from stickslip.control.controllers import LTI, PI, PID, Callable, Cascade, Controller, P


def proportional(t, r, y):
    return r - y


EVERY = [
    P(2.0),
    P(2.0, feedforward=1.0, controls="rate", limits=(-1.0, None)),
    PI(2.0, tn=0.1),
    PI(2.0, tn=0.1, limits=3.0, anti_windup="clamping"),
    PI(2.0, tn=0.1, limits=3.0, tracking_time=0.2, period=1e-3, delay=5e-4, quantum=1e-6, rate="difference"),
    PID(3.0, 4.0, 6.0),
    PID(3.0, 4.0, 6.0, tf=0.1, derivative_of="error", anti_windup=None),
    Cascade(133.3, 7e5, tn=0.03),
    Cascade(
        133.3, 7e5, tn=0.03, position="load", velocity_feedforward=1.0, force_feedforward=2000.0, period=1e-3
    ),
    LTI([[0.0, 1.0], [-2.0, -3.0]], [0.0, 1.0], [1.0, 0.0], 0.5, gain=[1.0, 2.0], limits=1.0),
    LTI(-1.0, [[1.0, 2.0]], 1.0, inputs="both", period=0.1, discrete=True),
    LTI([], [], [], 2.0),
    Callable(proportional, period=0.1),
]
every = pytest.mark.parametrize("controller", EVERY, ids=lambda c: repr(c).split(" at ")[0][:50])


@every
def test_a_machine_shows_the_controller_that_it_was_given(controller):
    """Made again from what the engine holds."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_controller(controller, on="x", name="c")
    assert repr(m) == f"Machine(names=['x'], controllers={{'c': {controller!r}}})"


@every
def test_repr_equality_hash_and_pickle(controller):
    names = vars(control) | {"array": np.array}
    if not isinstance(controller, Callable):
        copy = eval(repr(controller), names)
        assert copy == controller and hash(copy) == hash(controller) and repr(copy) == repr(controller)
    again = pickle.loads(pickle.dumps(controller))
    assert again == controller and type(again) is type(controller)
    assert [c == controller for c in EVERY].count(True) == 1
    assert controller != "a controller"


@every
def test_controllers_are_frozen(controller):
    with pytest.raises(AttributeError):
        controller.limits = 1.0


def test_parameters_are_readable():
    c = PI(2, tn=np.float64(0.1), limits=3)
    assert (c.kp, c.tn, c.limits, c.period, c.delay) == (2.0, 0.1, (-3.0, 3.0), None, 0.0)
    assert type(c.kp) is float and type(c.tn) is float
    assert repr(c) == "PI(kp=2.0, tn=0.1, limits=(-3.0, 3.0))"
    lti = EVERY[9]
    assert lti.B.shape == (2, 1) and lti.gain.shape == (2, 1)
    with pytest.raises(ValueError):
        lti.A[0, 0] = 3.0


def test_default_tracking_time_is_the_reset_time():
    assert PI(2.0, tn=0.1, limits=1.0).compiled.block().L == pytest.approx(10.0)
    assert PID(3.0, 4.0, 6.0, limits=1.0).compiled.block().L[0, 0] == pytest.approx(4 / 3)
    assert Cascade(1.0, 2.0, tn=0.1, limits=1.0).compiled.block().L == pytest.approx(10.0)
    assert PI(2.0, tn=0.1, limits=1.0, tracking_time=0.5).compiled.block().L == pytest.approx(2.0)
    assert np.all(PI(2.0, tn=0.1).compiled.block().L == 0.0)


NAN, INF = float("nan"), float("inf")
ONE = [[1.0]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: P(NAN), r"kp = nan .* finite"),
        (lambda: P("2"), r"kp = '2' .* a number"),
        (lambda: P(1.0, controls="speed"), r"controls = 'speed' .* 'value', 'rate'"),
        (lambda: PI(1.0, tn=0.0), r"tn = 0 .* > 0"),
        (lambda: PI(1.0, tn=-1.0), r"tn = -1 .* > 0"),
        (lambda: PI(1.0, tn=1.0, feedforward=INF), r"feedforward = inf"),
        (lambda: PID(1.0, ki=NAN), r"ki = nan"),
        (lambda: PID(1.0, kd=1.0, tf=-0.1), r"tf = -0.1 .* >= 0"),
        (lambda: PID(1.0, kd=1.0, derivative_of="reference"), r"derivative_of = 'reference'"),
        (
            lambda: PID(0.0, ki=1.0, limits=1.0),
            r"tracking_time must be given for back_calculation with kp = 0",
        ),
        (lambda: PID(-1.0, ki=1.0, limits=1.0), r"tracking_time must be given where kp and ki"),
        (lambda: Cascade(1.0, 1.0, tn=0.0), r"tn = 0"),
        (lambda: Cascade(NAN, 1.0, tn=1.0), r"kv = nan"),
        (lambda: Cascade(1.0, 1.0, tn=1.0, position="middle"), r"position = 'middle' .* 'motor', 'load'"),
        (lambda: P(1.0, limits=(1.0, -1.0)), r"limits\[0\] = 1 .* less than limits\[1\] = -1"),
        (lambda: P(1.0, limits=(1.0, 1.0)), r"limits\[0\] = 1 .* less than"),
        (lambda: P(1.0, limits=-1.0), r"limits = -1.0 .* > 0"),
        (lambda: P(1.0, limits=(NAN, 1.0)), r"limits\[0\] = nan"),
        (lambda: P(1.0, limits=NAN), r"limits = nan"),
        (lambda: P(1.0, limits=(1.0, 2.0, 3.0)), r"limits = \(1.0, 2.0, 3.0\) .* a pair"),
        (lambda: P(1.0, limits=(-1.0, "a")), r"limits\[1\] = 'a'"),
        (lambda: PI(1.0, tn=1.0, limits=1.0, anti_windup="reset"), r"anti_windup = 'reset' .* 'clamping'"),
        (lambda: PI(1.0, tn=1.0, limits=1.0, tracking_time=0.0), r"tracking_time = 0 .* > 0"),
        (lambda: P(1.0, period=0.0), r"period = 0 .* > 0"),
        (lambda: P(1.0, period=-1e-3), r"period = -0.001 .* > 0"),
        (lambda: P(1.0, period=INF), r"period = inf"),
        (lambda: P(1.0, period=1e-3, delay=-1e-4), r"delay = -0.0001 .* >= 0"),
        (lambda: P(1.0, period=1e-3, delay=2e-3), r"delay = 0.002 .* at most one period"),
        (lambda: P(1.0, delay=1e-3), r"delay = 0.001 .* give a period"),
        (lambda: P(1.0, quantum=1e-6), r"quantum = 1e-06 .* give a period"),
        (lambda: P(1.0, period=1e-3, quantum=-1.0), r"quantum = -1 .* >= 0"),
        (lambda: PID(1.0, rate="difference"), r"rate = 'difference' .* give a period"),
        (lambda: PID(1.0, rate="guessed"), r"rate = 'guessed'"),
        (lambda: LTI([[1.0, 2.0]], ONE, ONE), r"A is 1 x 2, but it must be 1 x 1"),
        (lambda: LTI(np.eye(2), [1.0], [1.0, 1.0]), r"B is 1 x 1, but it must be 2 x 1"),
        (lambda: LTI(np.eye(2), [1.0, 1.0], [1.0]), r"C is 1 x 1, but it must be 1 x 2"),
        (lambda: LTI(ONE, ONE, ONE, [[1.0, 2.0]]), r"B is 1 x 1, but it must be 1 x 2"),
        (lambda: LTI([[NAN]], ONE, ONE), r"A\[0, 0\] = nan"),
        (lambda: LTI([["a"]], ONE, ONE), r"A = \[\['a'\]\]"),
        (lambda: LTI(np.zeros((1, 1, 1)), ONE, ONE), r"A has the shape \(1, 1, 1\)"),
        (lambda: LTI([], [1.0, 2.0], [], 1.0), r"B is 2 x 1, but it must be 0 x 1"),
        (lambda: LTI(ONE, ONE, ONE, gain=[[1.0, 2.0]]), r"gain is 1 x 2, but it must be 1 x 1"),
        (lambda: LTI(ONE, ONE, ONE, inputs="some"), r"inputs = 'some'"),
        (lambda: LTI(ONE, ONE, ONE, inputs="both", references=2), r"references = 2 .* between 0 and 1"),
        (lambda: LTI(ONE, ONE, ONE, discrete=True), r"period must be given for discrete"),
        (lambda: LTI(ONE, ONE, ONE, limits=1.0, anti_windup="clamping"), r"anti_windup = 'clamping' .* gain"),
        (
            lambda: LTI.from_system(3.0),
            r"system = 3.0 is not allowed: it must be a state space with A, B, C and D",
        ),
        (lambda: Callable(3.0, period=1.0), r"function = 3.0 .* callable"),
        (lambda: Callable(proportional), r"period must be given"),
        (lambda: Callable(proportional, period=1.0, outputs=0), r"outputs = 0 .* >= 1"),
        (lambda: Callable(proportional, period=1.0, references=-1), r"references = -1 .* >= 0"),
        (lambda: Callable(proportional, period=1.0, memory=[NAN]), r"memory\[0\] = nan"),
        (lambda: Callable(proportional, period=1.0).matrices, r"a callable has no matrices"),
        (lambda: _core.control.Ticker(P(1.0).compiled.block()), r"block is continuous"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_base_class_is_not_a_controller():
    with pytest.raises(TypeError, match="use P, PI"):
        Controller()


def test_examples_in_the_docstrings_run():
    results = [doctest.testmod(module) for module in (control.controllers, control.filters)]
    assert sum(r.attempted for r in results) > 5 and not any(r.failed for r in results)


def test_unknown_anti_windup_lists_the_known() -> None:
    with pytest.raises(
        ValueError, match="anti_windup = 'foo' is not allowed: it must be None, 'back_calculation'"
    ):
        ss.PI(kp=1.0, tn=0.1, anti_windup="foo")  # type: ignore[arg-type]
