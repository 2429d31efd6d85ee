"""Exact discrete-time system of a machine with sampled controllers.

The order of computation is the engine's: at a sampling instant delayed outputs become active; then the due controllers
sample the plant, in the order in which they read each other, and outputs without delay become active; between instants
the plant moves with held outputs. The state consists of the state of the plant just before an instant, the memory of
the controllers (their states, the previous sample of each difference quotient), and pending delayed outputs. Variables
without further influence, such as a held output that the next instant overwrites, are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.control.controllers import LTI
from stickslip.linear.bench import Answer, Bench, Element, Probe
from stickslip.machine._described import controller_of

Array = NDArray[np.float64]
# Rates whose common period holds more instants than this are refused.
MOST_INSTANTS = 20_000


@dataclass
class Sampled:
    """One sampled controller in its machine."""

    name: str
    block: _core.control.Block
    rows: list[int]  # probes of what it samples
    differences: list[int]  # channels of which it forms the difference quotient itself
    reads: list[str]  # outputs that it samples
    held: list[int]  # its held outputs among the states
    memory: slice = field(
        default_factory=lambda: slice(0, 0)
    )  # states, then previous samples, then outputs not yet put out

    @property
    def period(self) -> float:
        """Sampling period, s."""
        return float(self.block.period)


def block_of(element: Element) -> _core.control.Block:
    """The controller in its form for the engine."""
    return controller_of(element["control"]).compiled.block()


def sampled_controllers(bench: Bench) -> list[Sampled]:
    """Return the sampled controllers in order of computation, with probes of all sampled signals."""
    found: dict[str, Sampled] = {}
    for element in bench.controllers:
        if not element["control"]["options"]["period"]:
            continue
        block = block_of(element)
        if block.is_program and element["control"]["law"]["kind"] == "Callable":
            raise ValueError(
                f"'{element['name']}' is a Python function, which has no linear part: give it as ss.LTI or as one of "
                "the controllers of this package"
            )
        _refuse_limit(bench, element)
        one = Sampled(element["name"], block, [], [], [], [])
        for k, channel in enumerate(block.inputs):
            base, _, kind = channel.partition(".")
            sources = element["references" if base.startswith("reference") else "measurements"]
            names = sources[_number(base)]["names"]
            order = {"": 0, "difference": 0, "rate": 1, "acceleration": 2}[kind]
            if kind == "difference":
                one.differences.append(k)
            one.rows.append(bench.look_at(Probe(names, order)))
            one.reads += names
        found[one.name] = one
    return _in_order(found)


def _refuse_limit(bench: Bench, element: Element) -> None:
    """Refuse an output that is held at its limit at the operating point."""
    low, high = (element["control"]["options"]["limits"][end] for end in ("min", "max"))
    for name, value in bench.point.values.items() if bench.point else ():
        if name.rpartition(".held")[0] == element["name"] and not low < value < high:
            raise ValueError(
                f"'{name}' is at its limit, {value:g}: a sampled loop is linear within its limits only; choose another "
                "operating point"
            )


def _number(channel: str) -> int:
    """Return the index of the reference or measurement of a channel; 0 without one."""
    digits = channel.lstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits or 0)


def _in_order(found: dict[str, Sampled]) -> list[Sampled]:
    """Depth first in the order of adding; who reads a fresh output comes after it."""
    order: list[Sampled] = []

    def visit(one: Sampled) -> None:
        if one in order:
            return
        for read in one.reads:
            other = found.get(read.rpartition(".output")[0])
            if other is not None and other is not one and other.block.delay == 0.0:
                visit(other)
        order.append(one)

    for one in found.values():
        visit(one)
    return order


def sampling_periods(bench: Bench) -> dict[str, float]:
    """Sampling period of each sampled controller, s."""
    periods = {e["name"]: e["control"]["options"]["period"] for e in bench.controllers}
    return {name: float(t) for name, t in periods.items() if t}


def common_period(periods: Mapping[str, float]) -> tuple[float, dict[str, int]]:
    """Return the common period of all sampling instants, and the number of instants of each controller per period.

    Raises
    ------
    ValueError
        If there is no common period with at most 20 000 sampling instants.
    """
    shortest = min(periods.values())
    ratios = {name: Fraction(t / shortest).limit_denominator(1000) for name, t in periods.items()}
    numerators, denominators = zip(*((r.numerator, r.denominator) for r in ratios.values()), strict=True)
    whole = Fraction(math.lcm(*numerators), math.gcd(*denominators))
    together = all(abs(float(ratios[name]) * shortest - t) <= 1e-12 * t for name, t in periods.items())
    if not together or whole > MOST_INSTANTS:
        listed = ", ".join(f"'{name}' {t:g} s" for name, t in periods.items())
        raise ValueError(
            f"the sampling periods have no common period of at most {MOST_INSTANTS} instants: {listed}; choose periods "
            "that are whole multiples of the shortest"
        )
    counts = {name: int(whole / ratio) for name, ratio in ratios.items()}
    name = next(iter(counts))
    return counts[name] * periods[name], counts


@dataclass(frozen=True)
class PeriodMap:
    """Map of the state over one period, Phi X + sum_k Gamma[k] v_k; C and D give the outputs at its start."""

    period: float
    Phi: Array
    Gamma: tuple[Array, Array, Array]
    C: Array
    D: tuple[Array, Array, Array]
    states: tuple[str, ...]


class _Motion:
    """Components of the state as rows over the state at the start of the period and the inputs."""

    def __init__(self, answer: Answer, controllers: list[Sampled], opened: str | None) -> None:
        self.answer, self.controllers, self.opened = answer, controllers, opened
        count = len(answer.states)
        self.states = slice(0, count)
        self.names = list(answer.states)
        for c in controllers:
            c.held = [
                i for i, n in enumerate(answer.states) if n.rpartition(".held")[0] == c.name and ".held" in n
            ]
            size = c.block.A.shape[0] + len(c.differences) + c.block.D.shape[0]
            c.memory = slice(count, count + size)
            count += size
            parts = {"z": c.block.A.shape[0], "previous": len(c.differences), "computed": c.block.D.shape[0]}
            self.names += [f"{c.name}.{part}{k}" for part, number in parts.items() for k in range(number)]
        # An opened output becomes a new input, which the bench does not have.
        self.given = answer.B[0].shape[1]
        self.inputs = self.given + (1 if opened else 0)
        self.size = count
        self.R = np.hstack([np.eye(count), np.zeros((count, 3 * self.inputs))])
        self.seen: Array = np.zeros((0, self.R.shape[1]))
        self.pending: dict[str, int] = {}

    def input_rows(self, order: int) -> Array:
        rows = np.zeros((self.given, self.R.shape[1]))
        start = self.size + order * self.inputs
        rows[:, start : start + self.given] = np.eye(self.given)
        return rows

    def read(self, rows: list[int]) -> Array:
        a = self.answer
        out: Array = a.C[rows] @ self.R[self.states]
        for order in range(3):
            out = out + a.D[order][rows] @ self.input_rows(order)
        return out

    def sample(self, c: Sampled) -> None:
        block, at = c.block, c.memory.start
        n, m, p = block.A.shape[0], len(c.differences), block.D.shape[0]
        z, before, computed = slice(at, at + n), slice(at + n, at + n + m), slice(at + n + m, at + n + m + p)
        w = self.read(c.rows)
        if m:
            samples = w[c.differences]
            w[c.differences] = (samples - self.R[before]) / c.period
            self.R[before] = samples
        u = block.C @ self.R[z] + block.D @ w
        self.R[z] = block.A @ self.R[z] + block.B @ w
        if self.opened is not None and self.opened.rpartition(".output")[0] == c.name:
            part = int(self.opened.rpartition(".output")[2] or 0)
            self.seen = u[[part]]
            u[part] = 0.0
            u[part, self.size + self.given] = 1.0
        self.R[computed] = u
        if block.delay == 0.0:
            self.put_out(c)

    def put_out(self, c: Sampled) -> None:
        p = c.block.D.shape[0]
        self.R[c.held] = self.R[c.memory.stop - p : c.memory.stop]

    def move(self, dt: float) -> None:
        a = self.answer
        held = LTI(A=a.A, B=np.hstack([a.B[0], np.zeros((len(a.states), 1))]), C=np.zeros((1, len(a.states))),
                   inputs="both", references=0, period=dt).matrices  # fmt: skip
        self.R[self.states] = held.A @ self.R[self.states] + held.B[:, :-1] @ self.input_rows(0)


def period_map(bench: Bench, looked: list[int], opened: str | None = None) -> PeriodMap:
    """Return the map over one common period of all sampled controllers.

    Parameters
    ----------
    bench : Bench
        With its inputs, which are held over the period, and probes.
    looked : list of int
        Rows of the probes to return.
    opened : str, optional
        A sampled output to replace by an input; the output computed by the controller is then returned.
    """
    controllers = sampled_controllers(bench)
    period, counts = common_period({c.name: c.period for c in controllers})
    answer = bench.answer()
    if any(np.any(b) for b in answer.B[1:]):
        raise ValueError(
            "a continuous controller reads the rate of an input, which jumps where a sampled machine holds its inputs: "
            "remove its feedforward, or sample it as well"
        )
    motion = _Motion(answer, controllers, opened)
    outputs = np.zeros((0, motion.R.shape[1]))
    for k, (time, due) in enumerate(instants := _instants(controllers, counts, period)):
        for c, what in due:
            (motion.put_out if what == "put out" else motion.sample)(c)
        if k == 0:
            outputs = np.vstack([motion.read(looked), motion.seen])
        until = instants[k + 1][0] if k + 1 < len(instants) else period
        if until > time:
            motion.move(until - time)
    n, i = motion.size, motion.inputs
    alive = _alive(motion.R[:, :n], outputs[:, :n])
    columns = [slice(n + k * i, n + (k + 1) * i) for k in range(3)]
    gamma, d = (
        [motion.R[np.ix_(alive, range(s.start, s.stop))] for s in columns],
        [outputs[:, s] for s in columns],
    )
    return PeriodMap(
        period,
        motion.R[np.ix_(alive, alive)],
        (gamma[0], gamma[1], gamma[2]),
        outputs[:, alive],
        (d[0], d[1], d[2]),
        tuple(motion.names[k] for k in alive),
    )


def _instants(
    controllers: list[Sampled], counts: Mapping[str, int], period: float
) -> list[tuple[float, list[tuple[Sampled, str]]]]:
    """Times within one period and what is done at each: first what is put out, then who samples, in their order."""
    steps: list[tuple[float, int, int, Sampled, str]] = []
    for rank, c in enumerate(controllers):
        for k in range(counts[c.name]):
            steps.append((k * c.period, 1, rank, c, "sample"))
            if c.block.delay > 0.0:
                # An output at the end of the period is one at its start.
                late = k * c.period + c.block.delay
                steps.append((0.0 if late >= period * (1.0 - 1e-12) else late, 0, rank, c, "put out"))
    together = 1e-12 * period
    out: list[tuple[float, list[tuple[Sampled, str]]]] = []
    order: dict[int, list[tuple[int, int, Sampled, str]]] = {}
    for time, first, rank, c, what in sorted(steps, key=lambda s: s[0]):
        if not out or time > out[-1][0] + together:
            out.append((time, []))
        order.setdefault(len(out) - 1, []).append((first, rank, c, what))
    return [
        (t, [(c, w) for _, _, c, w in sorted(order[k], key=lambda s: s[:2])]) for k, (t, _) in enumerate(out)
    ]


def _alive(phi: Array, c: Array) -> list[int]:
    """Components that influence what comes after, found from the end: all others are overwritten before being read."""
    alive = list(range(phi.shape[0]))
    while True:
        kept = [j for j in alive if np.any(phi[alive, j]) or np.any(c[:, j])]
        if kept == alive:
            return alive
        alive = kept
