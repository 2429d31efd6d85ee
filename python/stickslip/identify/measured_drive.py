"""Fits of friction models to the public record EMPS, read from the user's file, in closed loop.

The loop consists of a slide of one mass, its friction, and the original controller as an `LTI` with a period of 1 ms
and limits. Models are fitted to the first half of the record and selected there by cross-validation; the second half is
simulated once at the end.

Source: A. Janot, M. Gautier, M. Brunot, *Data Set and Reference Models of EMPS*, Workshop on Nonlinear System
Identification Benchmarks, Eindhoven 2019. The record is not part of the package.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import Array
from stickslip._progress import bar
from stickslip.control.controllers import LTI
from stickslip.identify._need import scipy
from stickslip.identify.simulation import MachineFit, fit
from stickslip.laws import Dahl, LuGre, Table
from stickslip.machine.machine import Machine
from stickslip.run.simulation import simulate
from stickslip.run.trajectory import Trajectory
from stickslip.signals import Piecewise

NAMES = ("t", "qm", "qg", "vir", "gtau", "kp", "kv")


@dataclass(frozen=True, eq=False)
class Record:
    """Measured values.

    Attributes
    ----------
    t, position, reference, force : ndarray, shape (n,)
        Times, s, measured and reference position, m, and commanded force, N.
    gain : float
        Force per volt of the controller's output, N/V.
    kp, kv : float
        Gains of the controller, 1/s and V/(m/s).
    """

    t: Array
    position: Array
    reference: Array
    force: Array
    gain: float
    kp: float
    kv: float

    @property
    def step(self) -> float:
        """Sampling period, s: that of the controller."""
        return float(np.round((self.t[-1] - self.t[0]) / (self.t.size - 1), 9))


def read_record(path: str | Path) -> Record:
    """Read ``DATA_EMPS.mat``.

    Parameters
    ----------
    path : path
        Path of the file (MATLAB level 5), which holds t, qm, qg, vir, gtau, kp and kv.

    Raises
    ------
    OSError
        If there is no such file.
    ValueError
        If the file has other contents.
    """
    with Path(path).open("rb") as file:
        try:
            held = scipy("io").loadmat(file)
        except Exception as error:  # whatever the reader makes of another file
            raise ValueError(f"{str(path)!r} is not a MATLAB file of level 5: {error}") from error
    if missing := [name for name in NAMES if name not in held]:
        raise ValueError(f"{str(path)!r} is not the record: it lacks {', '.join(missing)}")
    t, position, reference, volts, gain, kp, kv = (np.asarray(held[n], dtype=float).ravel() for n in NAMES)
    return Record(t, position, reference, gain[0] * volts, float(gain[0]), float(kp[0]), float(kv[0]))


VOLTS = 10.0  # limit of the controller's output
CUT = 50  # samples that are left out at each end of a half, as in the source
SPEED = 0.1  # m/s, at which viscous forces of all exponents are equal
PITCH = 2.5e-3  # m: the period of the ripple, seen at all three speeds of the record (17, 33 and 50 Hz)
STEP = 1e-4  # of differences: filtered events make the output jump

# Terms of the models besides the mass. Start values; forces N, coefficients N s/m at SPEED, stiffness N/m.
PARTS: dict[str, dict[str, float]] = {
    "symmetric": {"viscous": 200.0, "kinetic": 20.0, "offset": -3.0},
    "asymmetric": {
        "viscous_forward": 170.0,
        "viscous_backward": 240.0,
        "kinetic_forward": 20.0,
        "kinetic_backward": 20.0,
    },
    "Dahl": {"stiffness": 1e6},
    "LuGre": {"stiffness": 1e6, "damping": 100.0},
    "Stribeck": {"drop": 1.0, "stribeck_velocity": 0.01},
    "degressive": {"exponent": 0.8},
    "ripple": {"ripple_cos": 0.0, "ripple_sin": 0.0},
    "travel": {"travel_force": 0.0, "travel_friction": 0.0},
}
MODELS: tuple[tuple[str, ...], ...] = (
    ("symmetric",),
    ("asymmetric",),
    ("asymmetric", "Stribeck"),
    ("asymmetric", "Dahl"),
    ("asymmetric", "LuGre"),
    ("asymmetric", "ripple"),
    ("asymmetric", "degressive"),
    ("asymmetric", "degressive", "Dahl"),
    ("asymmetric", "degressive", "ripple"),
    ("asymmetric", "degressive", "ripple", "travel"),
)


def start_values(parts: tuple[str, ...]) -> dict[str, float]:
    """Start values of a model."""
    return {"mass": 95.0} | {name: value for part in parts for name, value in PARTS[part].items()}


@dataclass(frozen=True, eq=False)
class Stretch:
    """A part of the record, from one sample to another, with the start values of its run.

    Attributes
    ----------
    record : Record
        The whole record.
    first, last : int
        First and last sample, both included.
    """

    record: Record
    first: int
    last: int

    @property
    def t(self) -> Array:
        """Times from its start, s."""
        return np.asarray(np.arange(self.last - self.first + 1) * self.record.step, dtype=float)

    @property
    def position(self) -> Array:
        """Measured position, m."""
        return self.record.position[self.first : self.last + 1]

    @property
    def force(self) -> Array:
        """Commanded force, N."""
        return self.record.force[self.first : self.last + 1]

    @property
    def initial(self) -> dict[str, float]:
        """Position and velocity at its start, from a parabola through the first twelve samples."""
        near = self.position[:12]
        slope = np.polyfit(self.t[: near.size], near, 2)[1]
        return {"slide.position": float(near[0]), "slide.velocity": float(slope)}

    @property
    def reference(self) -> Array:
        """Reference of the controller; its first two samples restore the memory of the difference filter."""
        q, step, kp = self.record.position, self.record.step, self.record.kp
        made = self.record.reference[self.first : self.last + 1].copy()
        velocity = self.initial["slide.velocity"]
        for k in (0, 1):
            at = self.first + k - 2
            before = q[at] if at >= 0 else self.position[0] + (k - 2) * step * velocity
            made[k] += before / (2.0 * step * kp)
        return made

    def controller(self) -> LTI:
        """``u = kp·kv·(r − q) − kv·(q_k − q_(k−2))/(2 dt)``, limited, times the gain: a force."""
        r = self.record
        filtered = r.gain * r.kv / (2.0 * r.step)
        direct = r.gain * r.kp * r.kv
        return LTI(
            A=[[0.0, 0.0], [1.0, 0.0]],  # type: ignore[arg-type]
            B=[[0.0, 1.0], [0.0, 0.0]],  # type: ignore[arg-type]
            C=[[0.0, filtered]],  # type: ignore[arg-type]
            D=[[direct, -direct - filtered]],  # type: ignore[arg-type]
            inputs="both",
            references=1,
            discrete=True,
            period=r.step,
            limits=(-VOLTS * r.gain, VOLTS * r.gain),
        )

    def builder(self, parts: tuple[str, ...]) -> Callable[..., Machine]:
        """Return a function from the parameters of a model to the machine."""
        path = self.path() if {"ripple", "travel"} & {*parts} else None
        control, reference = self.controller(), self.reference

        def build(**p: float) -> Machine:
            m = Machine(mass=[p["mass"]], names=["slide"])
            _friction(m, parts, p)
            if path is not None:
                m.add_force("slide", Piecewise(self.t, -_over_position(path, p)))
            m.add_controller(
                control, "drive", measure="slide.position", reference=Piecewise(self.t, reference), to="slide"
            )
            return m

        return build

    def path(self) -> Trajectory:
        """The run of the asymmetric law, whose positions are used for position-dependent terms.

        It differs by about 1 µm from those of the other models: 1/2500 of the ripple's period.
        """
        return self.run(("asymmetric",), start_values(("asymmetric",)))

    def run(self, parts: tuple[str, ...], parameters: dict[str, float]) -> Trajectory:
        """Simulate a model over this part."""
        machine = self.builder(parts)(**parameters)
        return simulate(machine, float(self.t[-1]), initial=self.initial, t_eval=self.t, rtol=1e-6)

    def errors(self, parts: tuple[str, ...], parameters: dict[str, float]) -> tuple[float, float]:
        """Errors of force and position, 100·‖y − ŷ‖/‖y‖, `CUT` samples left out at each end."""
        run = self.run(parts, parameters)
        inside = slice(CUT, -CUT)
        pairs = ((self.force, run["drive.output"]), (self.position, run["slide.position"]))
        force, position = (
            float(100.0 * np.linalg.norm((y - made)[inside]) / np.linalg.norm(y[inside])) for y, made in pairs
        )
        return force, position

    def fit(
        self,
        parts: tuple[str, ...],
        start: dict[str, float] | None = None,
        keep: NDArray[np.bool_] | None = None,
    ) -> MachineFit:
        """Fit a model to the force at the selected samples."""
        chosen = np.zeros(self.t.size, dtype=bool)
        chosen[CUT:-CUT] = True
        if keep is not None:
            chosen &= keep
        with warnings.catch_warnings():  # models are compared here, of which each leaves out something
            warnings.filterwarnings("ignore", "fit: ", RuntimeWarning)
            return fit(
                self.builder(parts),
                {name: (value, *_limits(name)) for name, value in (start or start_values(parts)).items()},
                {"drive.output": (self.t[chosen], self.force[chosen])},
                initial=self.initial,
                t_start=0.0,
                step=STEP,
                tolerance=1e-3,
                max_evaluations=12,
                rtol=1e-6,
                progress=False,
            )


def _limits(name: str) -> tuple[float, float]:
    """Return the range of a parameter; the machine cannot check parameters of the builder."""
    if name in ("stiffness", "stribeck_velocity", "exponent"):
        return {"stiffness": (1e4, 1e8), "stribeck_velocity": (1e-3, 0.07), "exponent": (0.2, 2.0)}[name]
    positive = name in ("mass", "damping")
    return (0.0 if positive else -np.inf), np.inf


def _curve(parts: tuple[str, ...], p: dict[str, float], level: bool) -> Table:
    """Friction over velocity as a table; `level`: with its jump at rest."""
    if "symmetric" in parts:
        both = (p["viscous"], p["viscous"])
        levels = (p["kinetic"] + p["offset"], p["kinetic"] - p["offset"])
    else:
        both = (p["viscous_forward"], p["viscous_backward"])
        levels = (p["kinetic_forward"], p["kinetic_backward"])
    if "Stribeck" in parts:
        v = np.concatenate([np.linspace(0.0, 4.0, 13) * p["stribeck_velocity"], [0.3]])
    else:
        v = np.concatenate([[0.0], np.geomspace(1e-3, 0.14, 10) if "degressive" in parts else [], [0.3]])
    v = np.unique(v)
    rise = SPEED * (v / SPEED) ** p.get("exponent", 1.0)
    drop = p["drop"] * np.exp(-v / p["stribeck_velocity"]) if "Stribeck" in parts else np.zeros(v.size)
    forward, backward = (b * rise + (drop + f if level else 0.0) for b, f in zip(both, levels, strict=True))
    start = 0 if level else 1  # without a level nothing jumps at rest
    return Table(
        np.concatenate([-v[:0:-1], -v[:1], v[start:]]),
        np.concatenate([-backward[:0:-1], -backward[:1], forward[start:]]),
    )


def _friction(m: Machine, parts: tuple[str, ...], p: dict[str, float]) -> None:
    """The friction of a model: one curve, or a bristle of the mean level with the rest beside it."""
    if "stiffness" not in p:
        m.add_friction("guide", on="slide", law=_curve(parts, p, level=True))
        return
    level = 0.5 * (p["kinetic_forward"] + p["kinetic_backward"])
    m.add_force("slide", -0.5 * (p["kinetic_forward"] - p["kinetic_backward"]))
    bristle = (
        LuGre(stiffness=p["stiffness"], damping=p["damping"], kinetic=level)
        if "LuGre" in parts
        else Dahl(stiffness=p["stiffness"], kinetic=level)
    )
    m.add_friction("guide", on="slide", law=bristle)
    m.add_friction("film", on="slide", law=_curve(parts, p, level=False))


def _over_position(path: Trajectory, p: dict[str, float]) -> Array:
    """Forces against the motion that depend on position: a ripple, and slopes of force and friction along the travel."""
    q, v = path["slide.position"], path["slide.velocity"]
    phase = 2.0 * np.pi * q / PITCH
    made = p.get("ripple_cos", 0.0) * np.cos(phase) + p.get("ripple_sin", 0.0) * np.sin(phase)
    along = p.get("travel_force", 0.0) + p.get("travel_friction", 0.0) * np.tanh(v / 1e-3)
    return np.asarray(made + along * q, dtype=float)


def halves(record: Record) -> tuple[Stretch, Stretch]:
    """Return both halves of a record; each holds two passes of one trajectory."""
    middle = record.t.size // 2
    return Stretch(record, 0, middle), Stretch(record, middle, 2 * middle)


def held_out(stretch: Stretch) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Samples to hold out in turn: six blocks of time, three ranges of speed, four of travel."""
    t, q = stretch.t, stretch.position
    speed = np.abs(np.gradient(stretch.reference, t))
    speed[:3] = speed[3]
    for k in range(6):
        yield "time", (t >= k * t[-1] / 6.0) & (t < (k + 1) * t[-1] / 6.0)
    for low, high in ((0.02, 0.06), (0.06, 0.1), (0.1, 1.0)):
        yield "speed", (speed >= low) & (speed < high)
    ends = np.linspace(q.min(), q.max(), 5)
    for low, high in pairwise(ends):
        yield "travel", (q >= low) & (q <= high)


@dataclass(frozen=True)
class Row:
    """Results of a model.

    Attributes
    ----------
    parts : tuple of str
        Terms of the model.
    parameters : dict of str to float
        Parameters fitted to the first half.
    held_out : dict of str to float
        Error of force, per cent of the norm of the force, over samples held out by time, speed and travel.
    first, second : (float, float)
        Errors of force and position over the halves, per cent.
    """

    parts: tuple[str, ...]
    parameters: dict[str, float]
    held_out: dict[str, float]
    first: tuple[float, float]
    second: tuple[float, float]


def compare(
    record: Record, models: tuple[tuple[str, ...], ...] = MODELS, progress: bool | None = None
) -> list[Row]:
    """Fit models to the first half and hold out parts of it; run the second half once, at the end."""
    first, second = halves(record)
    out = list(held_out(first))
    kept: list[tuple[tuple[str, ...], dict[str, float], dict[str, float]]] = []
    with bar(len(models) * (1 + len(out)), "fit", progress) as shown:
        for parts in models:
            whole = first.fit(parts).parameters
            shown.update()
            squares: dict[str, list[float]] = {}
            for kind, left in out:
                found = first.fit(parts, whole, ~left).parameters
                run = first.run(parts, found)
                here = left.copy()
                here[:CUT] = here[-CUT:] = False
                part = (first.force[here], run["drive.output"][here])
                squares.setdefault(kind, []).append(float(np.sum((part[0] - part[1]) ** 2)))
                squares.setdefault(kind + "/", []).append(float(np.sum(part[0] ** 2)))
                shown.update()
            kinds = dict.fromkeys(kind for kind, _ in out)
            kept.append(
                (
                    parts,
                    whole,
                    {k: 100.0 * float(np.sqrt(sum(squares[k]) / sum(squares[k + "/"]))) for k in kinds},
                )
            )
    return [Row(p, x, e, first.errors(p, x), second.errors(p, x)) for p, x, e in kept]


def chosen(rows: list[Row], most: int = 15) -> Row:
    """Return the model with the least mean error over all held-out samples, among those with few enough parameters."""
    fitting = [row for row in rows if len(row.parameters) <= most]
    return min(fitting, key=lambda row: float(np.mean(list(row.held_out.values()))))


def table(rows: list[Row]) -> list[str]:
    """Return the lines of the table."""
    head = (
        f"{'model':<42}{'p':>3}  held out by time  speed  travel   first half: force, position   second half"
    )
    lines = [head, "-" * len(head)]
    for row in rows:
        errors = "".join(f"{row.held_out[k]:8.3f}" for k in ("time", "speed", "travel"))
        pairs = "".join(f"{force:12.3f} % {position:9.6f} %" for force, position in (row.first, row.second))
        lines.append(f"{', '.join(row.parts):<42}{len(row.parameters):>3}       {errors}  {pairs}")
    best = chosen(rows)
    lines += ["", f"chosen: {', '.join(best.parts)}"]
    lines += [f"  {name:<18}{value:14.6g}" for name, value in best.parameters.items()]
    return lines
