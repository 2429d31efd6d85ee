"""The measured drive built from parts, with published values.

`measured_drive` fits models of friction to the record EMPS; here nothing is fitted. The axis is a motor with the
amplifier's limit, an encoder, a ball screw and a slide, under the controller that ran it.

Source: A. Janot, M. Gautier, M. Brunot, *Data Set and Reference Models of EMPS*, Workshop on Nonlinear System
Identification Benchmarks, Eindhoven 2019. The record is not part of the package.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from stickslip import parts
from stickslip._checks import Array
from stickslip.control.controllers import LTI
from stickslip.identify._need import scipy
from stickslip.identify.measured_drive import CUT, VOLTS, Record, Stretch
from stickslip.laws import Coulomb, Viscous
from stickslip.parts.drive import Drive
from stickslip.run.simulation import simulate
from stickslip.run.trajectory import Trajectory
from stickslip.signals import Piecewise

# Table of least-squares values: mass kg, viscous N s/m, dry friction N, offset N.
MASS, VISCOUS, DRY, OFFSET = 95.1089, 203.5034, 20.3935, -3.1648
# Per cent of the norms of position, velocity and force that the published simulation leaves.
PUBLISHED = (0.013752, 0.22911, 5.848)
COUNTS = 50_000.0  # of the encoder, for one turn
LEAD = 2.5e-3  # m: the record's positions are multiples of 50 nm, which is LEAD/COUNTS
ROTOR = 0.5  # share of the mass that turns: with a rigid screw the motion knows only the sum
FILTER = 100.0  # Hz, of the measured position before it is differentiated


def axis(record: Record) -> Drive:
    """Make the drive of a record, from its first sample on."""
    whole = Stretch(record, 0, record.t.size - 1)
    travel = LEAD / (2.0 * np.pi)  # of the slide for a radian
    force = record.gain * travel  # torque for a volt
    control = whole.controller()
    volts = LTI(
        control.A, control.B, control.C / record.gain, np.asarray(control.D) / record.gain,
        inputs="both", references=1, discrete=True, period=record.step,
    )  # fmt: skip
    made = Drive()
    rotor = ROTOR * MASS * travel**2
    made.add("motor", parts.Motor(rotor, "drive.output", torque_constant=force, torque_limit=force * VOLTS))
    made.add("encoder", parts.Encoder(lines=COUNTS, interpolation=1.0))
    made.add("screw", parts.BallScrew(LEAD))
    made.add("slide", parts.Slide((1.0 - ROTOR) * MASS, Coulomb(DRY) + Viscous(VISCOUS)))
    made.add_force("slide", -OFFSET)
    made.add("drive", volts, measure={"encoder": travel}, reference=Piecewise(whole.t, whole.reference))
    return made


@dataclass(frozen=True, eq=False)
class Outcome:
    """Comparison of a run of the axis with the record.

    Attributes
    ----------
    run : Trajectory
        The run, sampled as the record.
    position, velocity, force : float
        Errors, per cent of the norm of the measured signal, without `CUT` samples at each end.
    seconds : float
        Computing time of the run.
    """

    run: Trajectory
    position: float
    velocity: float
    force: float
    seconds: float


def outcome(record: Record) -> Outcome:
    """Run the axis over the whole record."""
    whole = Stretch(record, 0, record.t.size - 1)
    machine = axis(record).machine
    begin = time.process_time()
    run = simulate(machine, float(whole.t[-1]), initial=whole.initial, t_eval=whole.t)
    made = run["slide.position"], run["slide.velocity"], record.gain * run["motor_current.output"]
    seconds = time.process_time() - begin
    top, bottom = scipy("signal").butter(4, 2.0 * FILTER * record.step)
    smooth = scipy("signal").filtfilt(top, bottom, record.position)
    measured = record.position, np.gradient(smooth, record.step), record.force
    position, velocity, force = (_share(y, x) for y, x in zip(measured, made, strict=True))
    return Outcome(run, position, velocity, force, seconds)


def _share(measured: Array, made: Array) -> float:
    inside = slice(CUT, -CUT)
    return float(100.0 * np.linalg.norm((measured - made)[inside]) / np.linalg.norm(measured[inside]))


def table(found: Outcome) -> list[str]:
    """Return the lines of the table: errors beside published ones."""
    head = f"{'from parts, published values':<32}{'here':>10}{'published':>12}"
    rows = zip(
        ("position", "velocity", "force"),
        (found.position, found.velocity, found.force),
        PUBLISHED,
        strict=True,
    )
    lines = [head, "-" * len(head)]
    lines += [f"{name:<32}{ours:>8.4f} %{theirs:>10.4f} %" for name, ours, theirs in rows]
    return [*lines, f"{found.seconds:.3f} s of computing for {found.run.t[-1]:.2f} s"]
