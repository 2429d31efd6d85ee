"""Transfer functions and state spaces of python-control and SciPy as controllers."""

import control as ct
import numpy as np
import pytest
from scipy import signal

import stickslip as ss

# python-control sets the shape of arrays, which newer versions of NumPy advise against.
pytestmark = pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")

NUM, DEN = [50.0, 500.0], [1.0, 50.0]
OMEGA = np.geomspace(0.1, 1e3, 40)


def machine(law: object, **options: object) -> ss.Machine:
    m = ss.Machine(mass=1.0, damping=2.0, names=["q"])
    m.add_controller(law, "law", on="q", reference=1.0, **options)
    return m


@pytest.mark.parametrize(
    "law",
    [
        ct.tf(NUM, DEN),
        ct.zpk([-10.0], [-50.0], 50.0),
        ct.ss(ct.tf(NUM, DEN)),
        signal.TransferFunction(NUM, DEN),
        signal.ZerosPolesGain([-10.0], [-50.0], 50.0),
        signal.StateSpace(-50.0, 1.0, -2000.0, 50.0),
        signal.lti(NUM, DEN),
    ],
    ids=lambda law: f"{type(law).__module__.split('.')[0]}-{type(law).__name__}",
)
def test_all_forms_of_a_lead_are_one_controller(law: object) -> None:
    m = machine(law)
    s = 1j * OMEGA
    assert ss.open_loop(m, at="law.output")(OMEGA) == pytest.approx(
        (50.0 * s + 500.0) / (s + 50.0) / (s * (s + 2.0)), rel=1e-11
    )
    lead = ss.LTI(A=-50.0, B=1.0, C=-2000.0, D=50.0)
    t = np.linspace(0.0, 3.0, 50)
    a, b = (ss.simulate(x, t_end=3.0, t_eval=t)["q.position"] for x in (m, machine(lead)))
    assert a == pytest.approx(b, rel=0, abs=1e-12)


def test_a_sampled_transfer_function_runs_with_its_period() -> None:
    law = ct.tf([8.0, -6.0], [1.0, -0.5], 0.02)
    m = machine(law)
    held = ct.sample_system(ct.ss(ct.tf([1.0], [1.0, 2.0, 0.0])), 0.02)
    closed = ct.feedback(ct.ss(law) * held)
    assert m.poles().period == 0.02
    assert np.sort_complex(np.asarray(m.poles())) == pytest.approx(np.sort_complex(closed.poles()), abs=1e-10)
    run = ss.simulate(m, t_end=2.0, dt=0.02)
    assert run["q.position"] == pytest.approx(ct.step_response(closed, run.t).outputs, abs=1e-10)
    assert ss.LTI.from_system(signal.dlti([1.0], [1.0, -0.5], dt=0.1)).period == 0.1


def test_a_filter_reads_its_reference_alone() -> None:
    notch = ss.LTI.from_system(ct.tf([1.0, 0.0, 400.0], [1.0, 40.0, 400.0]), inputs="both", references=1)
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=3.0), "p", measure="q.velocity")
    m.add_controller(notch, "notch", reference="p.output", to="q")
    s = 1j * OMEGA
    assert ss.open_loop(m, at="notch.output")(OMEGA) == pytest.approx(
        3.0 / s * (s**2 + 400.0) / (s + 20.0) ** 2, abs=1e-11
    )


def test_invalid_systems_are_refused_with_a_cure() -> None:
    with pytest.raises(
        ValueError,
        match="num = .* of degree 1 at most, that of den: .* needs a low-pass",
    ):
        machine(ct.tf([1.0, 0.0, 0.0], [1.0, 1.0]))
    with pytest.raises(ValueError, match=r"1 outputs is not allowed|make it a state space first, control.ss"):
        machine(ct.tf([[[1.0], [1.0]]], [[[1.0, 1.0], [1.0, 1.0]]]))
    with pytest.raises(ValueError, match="a state space or a transfer function, if it is one of"):
        machine(ct.frd([1.0, 2.0], [1.0, 2.0]))
    m = ss.Machine(mass=1.0, names=["q"])
    with pytest.raises(
        ValueError, match="for a filter of the reference alone use LTI.*inputs='both', references=1"
    ):
        m.add_controller(ct.tf([1.0], [1.0, 1.0]), reference="p.output", to="q")
    with pytest.raises(ValueError, match="discrete"):
        machine(ct.tf([1.0], [1.0, -0.5], True))


def test_missing_python_control_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from stickslip.errors import MissingExtraError

    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(MissingExtraError, match=r'pip install "stickslip\[control\]"'):
        machine(ss.P(kp=1.0)).to_control("q", "q.velocity")
