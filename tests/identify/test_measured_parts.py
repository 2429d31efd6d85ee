"""The measured drive from parts: the errors of its published values, and that it is the machine that it should be."""

import numpy as np
import pytest
from pace import million_additions, ratio

import stickslip as ss
from stickslip.identify import measured_parts
from stickslip.identify.measured_drive import Record, Stretch
from stickslip.identify.measured_parts import COUNTS, DRY, LEAD, MASS, OFFSET, VISCOUS


def plain() -> Record:
    """A record with a motion in it."""
    t = np.arange(0.0, 1.0, 1e-3)
    reference = 0.05 * (1.0 - np.cos(2.0 * np.pi * t))
    return Record(t, reference - 1e-5, reference, np.ones(t.size), 35.0, 160.0, 243.0)


def one_mass(record: Record) -> ss.Trajectory:
    """A single mass under the same controller, with the published friction and the same scale."""
    whole = Stretch(record, 0, record.t.size - 1)
    m = ss.Machine(mass=MASS, names=["slide"], force={"slide": -OFFSET})
    m.add_friction("guide", "slide", ss.Coulomb(DRY) + ss.Viscous(VISCOUS))
    control = whole.controller()._with(quantum=LEAD / COUNTS)
    m.add_controller(
        control, "drive", measure="slide", reference=ss.Piecewise(whole.t, whole.reference), to="slide"
    )
    return ss.simulate(m, t_end=whole.t[-1], t_eval=whole.t, initial=whole.initial)


def test_parts_equal_one_reduced_mass() -> None:
    """The rotor, the screw and the slide move as their sum; volts become force through the motor and the lead."""
    record = plain()
    found, alone = measured_parts.outcome(record), one_mass(record)
    step = LEAD / COUNTS  # rounding may move a sample by one
    force = record.gain * record.kv * (record.kp + 1.0 / record.step) * step
    assert (
        found.run.success and np.abs(alone["slide.position"] - found.run["slide.position"]).max() < 0.5 * step
    )
    assert np.abs(alone["drive.output"] - record.gain * found.run["drive.output"]).max() <= force
    motor, slide = found.run["motor.position"], found.run["slide.position"]
    assert LEAD * motor / (2.0 * np.pi) == pytest.approx(slide, abs=1e-15)
    assert found.run.units["motor.position"] == "rad" and found.run.units["slide.velocity"] == "m/s"


class TestMeasured:
    """The public record."""

    def test_published_values_have_smaller_errors_than_published(self, record: Record) -> None:
        """Published: 0.013752, 0.22911 and 5.848 %. Reached: 0.00108, 0.1240 and 4.573 %."""
        found = measured_parts.outcome(record)
        assert found.position <= 0.0012
        assert found.velocity <= 0.13
        assert found.force <= 4.6
        text = "\n".join(measured_parts.table(found))
        assert "0.0011 %" in text and "0.0138 %" in text and "5.8480 %" in text

    def test_lead_is_that_of_the_scale(self, record: Record) -> None:
        steps = record.position / (LEAD / COUNTS)
        assert np.abs(steps - np.rint(steps)).max() < 1e-3
        assert np.gcd.reduce(np.diff(np.rint(steps)).astype(int)) == 1

    def test_run_of_the_record_takes_a_tenth_of_a_second(self, record: Record) -> None:
        """1.6 to 2.1 million additions of the interpreter, of which three take a tenth of a second."""
        assert ratio(lambda: measured_parts.outcome(record), million_additions, repeats=5) <= 3.0
