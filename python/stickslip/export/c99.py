"""Export of a machine as C99 source for a controller."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from stickslip import _core
from stickslip._checks import positive, reject
from stickslip.errors import UnknownNameError
from stickslip.export._c99_layout import Layout, lay_out
from stickslip.export._c99_numbers import Array, Numbers, is_linear, table
from stickslip.export._c99_work import operations
from stickslip.export._c99_write import LOOSE, Names, Written
from stickslip.export._names import identifier
from stickslip.export._variables import unit_text
from stickslip.machine._units import parameters as quantities_of_parameters
from stickslip.machine._units import quantities
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run.simulation import _initial

__all__ = ["ExportedC99", "c99"]

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while".split()
)


@dataclass(frozen=True)
class ExportedC99:
    """C source that `c99` has written, with the names of its fields.

    Attributes
    ----------
    source, header : Path
        The files.
    prefix : str
        The beginning of the names of functions and types.
    inputs, outputs, parameters : dict of str to str
        Fields of the structures, by the names of the machine.
    mode_sets : int
        Number of combinations of modes in the tables.
    table_bytes : int
        Size of the constant numbers, bytes.
    operations : int
        Upper bound of the floating-point operations of one step; a call of a function of ``math.h`` counts as 20.
    """

    source: Path
    header: Path
    prefix: str
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    mode_sets: int = 0
    table_bytes: int = 0
    operations: int = 0


def c99(
    machine: Machine | StateSpace | Any,
    step: float,
    path: str | os.PathLike[str],
    *,
    outputs: Sequence[str] | None = None,
    parameters: Sequence[str] = (),
    initial: Mapping[str, float] | ArrayLike | None = None,
    t_start: float = 0.0,
    max_transitions: int = 2,
    real: Literal["double", "float"] = "double",
) -> ExportedC99:
    """Write a machine as C99 source and header, for a controller, a PLC or an S-function.

    The code takes the fixed steps of `RealTime` with the same tables, computed here. It allocates no memory, calls
    nothing beyond ``math.h``, has neither recursion nor function pointers, and does a bounded amount of work in a step.

    Parameters
    ----------
    machine : Machine or StateSpace
        A linear machine, or an object with one as ``.machine``: friction by Coulomb, viscous, Stribeck, tanh and table
        laws and their sums, the options of `StickSlip`, piecewise linear springs, continuous and sampled controllers
        with limits, rigid contacts and one-way clutches.
    step : float
        Step, s, > 0; the period of every sampled controller must be a multiple of it.
    path : str or path-like
        The source to write, with the suffix ``.c``; the header stands beside it. The name of the file without its suffix
        is the beginning of all names in the code.
    outputs : sequence of str, optional
        Signals named as in ``run[...]``: by default all states.
    parameters : sequence of str, optional
        Parameters and initial values, named as in `ensemble`, that may be changed in C. The tables must depend on them
        linearly: forces, constant signals, limits, friction levels, gains of sampled controllers.
    initial : mapping or array_like, optional
        Initial values as in `simulate`.
    t_start : float, default 0.0
        Time at the start, s.
    max_transitions : int, default 2
        Greatest number of instants with changes of mode per step, >= 1, as in `RealTime`.
    real : {"double", "float"}, default "double"
        Type of all numbers but times. Thresholds are coarser with ``"float"``.

    Returns
    -------
    ExportedC99
        The files, names, sizes, and the greatest number of operations in a step.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed; for what C code does not support, the element and the cure.
        Refused are functions of the motion, laws with internal states (LuGre, Dahl, ...) or written in Python,
        constraints, friction curves and programs as controllers, tangential restitution, `StickSlip` options beside
        rigid contacts, more than 1024 combinations of modes, and parameters on which the tables do not depend linearly.
    UnknownNameError
        For an unknown output or parameter.

    Notes
    -----
    Every step equals that of `RealTime` to rounding. With rigid contacts the modes after an instant are those of the
    first combination, sticking before sliding and closed before open, in which no guard fires; `RealTime` solves the
    complementarity problem, so that both agree where its solution is unique. Impacts follow Poisson's law, or Newton's
    if a contact says so, with Coulomb friction.

    Examples
    --------
    >>> import stickslip as ss, tempfile, os
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Input("motor")})
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = ss.export.c99(m, 1e-3, os.path.join(folder, "slide.c"), outputs=["slide.velocity", "guide.mode"],
    ...                          parameters=["guide.law.kinetic"])
    >>> made.inputs, made.parameters
    ({'motor': 'motor'}, {'guide.law.kinetic': 'guide_law_kinetic'})
    >>> made.mode_sets
    3
    """
    described = machine
    machine = getattr(machine, "machine", machine)
    if not isinstance(machine, (Machine, StateSpace)):
        reject("machine", described, "a stickslip.Machine or StateSpace, or hold one as .machine")
    if real not in ("double", "float"):
        reject("real", real, "'double' or 'float'")
    if not isinstance(max_transitions, (int, np.integer)) or max_transitions < 1:
        reject("max_transitions", max_transitions, "an integer >= 1")
    for name, given in (("outputs", outputs), ("parameters", parameters)):
        if isinstance(given, str):
            reject(name, given, "a sequence of names")
    path = Path(path)
    if path.suffix != ".c":
        reject("path", str(path), "a file name that ends in .c; the header stands beside it")
    machine = machine._snapshot()
    build = _Builder(
        machine,
        positive("step", step),
        float(t_start),
        int(max_transitions),
        outputs,
        initial,
        real == "float",
    )
    layout, base = build.layout([], [])
    values = [build.value(name) for name in parameters]
    slopes = build.slopes(list(parameters), values, layout, base)
    numbers = table(base, slopes)
    read = list(machine.compile().states if outputs is None else outputs)
    names = Names(
        identifier(path.stem),
        _fields(build.inputs),
        _fields(read),
        _fields(parameters),
    )
    units = {
        key: unit_text(q) for key, q in (quantities(machine) | quantities_of_parameters(machine)).items()
    }
    written = Written(
        layout, numbers, names, values, units, build.step, build.t_start, build.most, build.single
    )
    header = path.with_suffix(".h")
    path.write_text(
        written.source().replace(f"{names.prefix}_header.h", header.name), encoding="utf-8", newline="\n"
    )
    header.write_text(written.header(), encoding="utf-8", newline="\n")
    return ExportedC99(
        path,
        header,
        names.prefix,
        names.inputs,
        names.outputs,
        names.parameters,
        mode_sets=layout.counts["NPLANS"],
        table_bytes=len(numbers.values) * (4 if build.single else 8),
        operations=operations(layout, build.most),
    )


def _fields(names: Iterable[str]) -> dict[str, str]:
    """Identifiers of C for these names, each once."""
    found: dict[str, str] = {}
    for name in names:
        wanted = identifier(name)
        if wanted in _KEYWORDS:
            wanted += "_"
        given, number = wanted, 2
        while given in found.values():
            given, number = f"{wanted}_{number}", number + 1
        found[name] = given
    return found


class _Builder:
    """Tables of a machine for values of its parameters."""

    def __init__(
        self,
        machine: Machine | StateSpace,
        step: float,
        t_start: float,
        most: int,
        outputs: Sequence[str] | None,
        initial: Mapping[str, float] | ArrayLike | None,
        single: bool,
    ) -> None:
        self.machine, self.step, self.t_start, self.most, self.single = machine, step, t_start, most, single
        compiled = machine.compile()
        self.states = list(compiled.states)
        self.initial = _initial(compiled, initial)
        self.read = list(self.states if outputs is None else outputs)
        self.inputs: list[str] = []

    def layout(self, names: list[str], values: list[float]) -> tuple[Layout, Numbers]:
        """Return the layout and its numbers for these values of parameters."""
        tables = _core.export.step_tables(
            self.machine._description, self.initial, names, np.array(values, dtype=float), self.step, self.t_start,
            self.most, self.read,
        )  # fmt: skip
        tables["step"] = self.step
        for loop in tables["loops"]:  # sampled controllers run for the first time in the first step
            held = loop["places"][1]
            if held >= 0:
                tables["x"][held : held + len(loop["lo"])] = self.initial[held : held + len(loop["lo"])]
        self.inputs = list(tables["inputs"])
        numbers = Numbers()
        return lay_out(tables, numbers, loose=LOOSE if self.single else 1.0), numbers

    def value(self, name: str) -> float:
        """Return the present value of a parameter or an initial value."""
        if name in self.states:
            return float(self.initial[self.states.index(name)])
        known = self.machine._description.numbers
        if name not in known:
            raise UnknownNameError(f"unknown parameter '{name}' in parameters; known are: {', '.join(known)}")
        if not np.isfinite(known[name]):
            reject("parameters", name, "a parameter with a finite value")
        return float(known[name])

    def slopes(
        self, names: list[str], values: list[float], layout: Layout, base: Numbers
    ) -> list[list[Array]]:
        """Return the derivative of every block by each parameter; refuse those on which it depends otherwise."""
        slopes, distances = [], []
        for name, value in zip(names, values, strict=True):
            distance, (first, second) = self.beside(name, value, layout)
            one: list[Array] = []
            for a, b, c, fixed in zip(base.blocks, first.blocks, second.blocks, base.fixed, strict=True):
                if not fixed and not is_linear(a, b, c):
                    reject("parameters", name, _LINEAR)
                one.append(np.zeros_like(a) if fixed else _slope(a, c, 2 * distance))
            slopes.append(one)
            distances.append(distance)
        for k in range(len(names)):
            for j in range(k):
                moved = [values[j] + distances[j], values[k] + distances[k]]
                _, both = self.layout([names[j], names[k]], moved)
                for i, a in enumerate(base.blocks):
                    expected = a + distances[j] * slopes[j][i] + distances[k] * slopes[k][i]
                    if not base.fixed[i] and not is_linear(a, 0.5 * (a + expected), both.blocks[i]):
                        reject(
                            "parameters",
                            [names[j], names[k]],
                            "parameters that do not multiply each other: give one of them",
                        )
        return slopes

    def beside(self, name: str, value: float, layout: Layout) -> tuple[float, tuple[Numbers, Numbers]]:
        """Return tables at two values beside this one, at equal distances, and the distance."""
        size = abs(value) or 1.0
        refused: ValueError | None = None
        for share in (0.25, -0.25, 0.01, -0.01):
            try:
                found = [self.layout([name], [value + k * share * size]) for k in (1, 2)]
            except UnknownNameError:
                raise
            except ValueError as error:
                refused = error
                continue
            if all(one.structure() == layout.structure() for one, _ in found):
                return share * size, (found[0][1], found[1][1])
        if refused is not None:
            raise refused
        return reject("parameters", name, _LINEAR)


_LINEAR = (
    "a parameter on which the tables depend linearly, such as a force, a limit, a friction level or the gain of a sampled "
    "controller: export the machine again with another value"
)


def _slope(a: Array, b: Array, distance: float) -> Array:
    out = np.zeros_like(a)
    finite = np.isfinite(a)
    difference = b[finite] - a[finite]
    scale = np.abs(a[finite]).max(initial=0.0)
    difference[np.abs(difference) <= 4 * np.finfo(float).eps * scale] = 0.0
    out[finite] = difference / distance
    return out
