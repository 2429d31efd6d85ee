"""Independent implementation of the controllers as linear blocks: ``z' = A z + B w``, ``u = C z + D w``.

The inputs w are named by channels: what is read (reference or measurement), which of them, and how often it is
differentiated; ``difference`` stands for the difference quotient of successive samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Channel:
    """One input of a controller."""

    of: str
    index: int = 0
    order: int = 0
    difference: bool = False


@dataclass
class Block:
    """A controller as matrices; `integral` is the index of the state with anti-windup, -1 if there is none."""

    A: Array
    B: Array
    C: Array
    D: Array
    channels: list[Channel]
    integral: int = -1
    tracking: float = 0.0
    gain: Array | None = None
    discrete: bool = False


def _block(states: int, rows: list[tuple[Channel, float, list[float]]]) -> Block:
    """Return the direct effect of each input, and its effect on the rate of each state."""
    D = np.array([[direct for _, direct, _ in rows]])
    B = np.array([effect for _, _, effect in rows]).reshape(len(rows), states).T
    return Block(np.zeros((states, states)), B, np.ones((1, states)), D, [c for c, _, _ in rows])


def _rate(of: str, index: int, difference: bool) -> Channel:
    return Channel(of, index, 0 if difference else 1, difference)


def _proportional(law: dict[str, Any], difference: bool) -> Block:
    y = Channel("measurement") if law["controls"] == "value" else _rate("measurement", 0, difference)
    rows: list[tuple[Channel, float, list[float]]] = [
        (Channel("reference"), law["kp"], []),
        (y, -law["kp"], []),
    ]
    return _block(0, rows + [(Channel("reference", 0, 1), law["feedforward"], [])] * bool(law["feedforward"]))


def _integral(law: dict[str, Any], difference: bool) -> Block:
    kp, tn = law["kp"], law["tn"]
    y = Channel("measurement") if law["controls"] == "value" else _rate("measurement", 0, difference)
    rows = [(Channel("reference"), kp, [kp / tn]), (y, -kp, [-kp / tn])]
    if law["feedforward"]:
        rows.append((Channel("reference", 0, 1), law["feedforward"], [0.0]))
    block = _block(1, rows)
    block.integral, block.tracking = 0, tn
    return block


def _pid(law: dict[str, Any], difference: bool) -> Block:
    kp, ki, kd, tf = law["kp"], law["ki"], law["kd"], law["tf"]
    integral, filtered = int(ki != 0.0), int(kd != 0.0 and tf > 0.0)
    pad = [0.0] * filtered
    rows = [
        (Channel("reference"), kp, [ki] * integral + pad),
        (Channel("measurement"), -kp, [-ki] * integral + pad),
    ]
    if kd != 0.0:
        for of, gain in (("measurement", -kd), ("reference", kd)):
            if of == "measurement" or law["derivative_of"] == "error":
                effect = [0.0] * integral + [gain / tf] * filtered if filtered else [0.0] * integral
                rows.append((_rate(of, 0, difference), 0.0 if filtered else gain, effect))
    block = _block(integral + filtered, rows)
    if filtered:
        block.A[integral, integral] = -1.0 / tf
    if integral:
        block.integral, block.tracking = 0, kp / ki
    return block


def _cascade(law: dict[str, Any], difference: bool) -> Block:
    kv, kp, tn = law["kv"], law["kp"], law["tn"]
    parts = [
        (Channel("reference"), kv),
        (Channel("measurement"), -kv),
        (_rate("measurement", 1, difference), -1.0),
    ]
    if law["velocity_feedforward"]:
        parts.append((Channel("reference", 0, 1), law["velocity_feedforward"]))
    rows = [(c, kp * part, [kp / tn * part]) for c, part in parts]
    if law["force_feedforward"]:
        rows.append((Channel("reference", 0, 2), law["force_feedforward"], [0.0]))
    block = _block(1, rows)
    block.integral, block.tracking = 0, tn
    return block


def _linear(law: dict[str, Any], difference: bool) -> Block:
    A, B, C, D = (np.asarray(law[key], dtype=float) for key in "ABCD")
    inputs = D.shape[1]
    if law["error"]:
        B, D = np.hstack([B, -B]), np.hstack([D, -D])
        references = measurements = inputs
    else:
        references, measurements = law["references"], inputs - law["references"]
    channels = [Channel("reference", i) for i in range(references)]
    channels += [Channel("measurement", i) for i in range(measurements)]
    gain = np.asarray(law["gain"], dtype=float) if np.size(law["gain"]) else None
    return Block(A, B, C, D, channels, gain=gain, discrete=bool(law["discrete"]))


_LAWS = {"P": _proportional, "PI": _integral, "PID": _pid, "Cascade": _cascade, "LTI": _linear}


def block_of(control: dict[str, Any]) -> Block | None:
    """Return the matrices of a described controller; None for a Python function."""
    law, options = control["law"], control["options"]
    made = _LAWS.get(law["kind"])
    if made is None:
        return None
    block = made(law, options["rate"] == "difference")
    if options["tracking_time"] is not None:
        block.tracking = options["tracking_time"]
    return block


def _exponential(a: Array) -> Array:
    """Scaling and squaring of the Taylor series, in units in which rows and columns have equal norms (Osborne 1960)."""
    n = a.shape[0]
    scale = np.ones(n)
    for _ in range(30):
        for i in range(n):
            rest = np.arange(n) != i
            row = (np.abs(a[i, rest]) * scale[rest]).sum() / scale[i]
            column = (np.abs(a[rest, i]) / scale[rest]).sum() * scale[i]
            # Norms below 1/8 need no halving.
            scale[i] *= 2.0 ** np.round(0.5 * np.log2(max(row, 0.125) / max(column, 0.125)))
    a = a * (scale / scale[:, None])
    halvings = max(0, int(np.ceil(np.log2(max(np.abs(a).sum(axis=1).max(initial=0.0), 1e-300)))) + 2)
    term = total = np.eye(n)
    for k in range(1, 20):
        term = term @ a / 2.0**halvings / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    result: Array = total * (scale[:, None] / scale)
    return result


class Sampled:
    """A sampled controller: backward rectangle rule, or for matrices the exact response to held inputs."""

    def __init__(self, block: Block, options: dict[str, Any], backward: bool) -> None:
        self.block, self.options, self.backward = block, options, backward
        self.period = options["period"]
        self.z = np.zeros(block.A.shape[0])
        self.before: dict[int, float] = {}
        n, m = block.B.shape
        if not backward and not block.discrete and n:
            gain = np.zeros((n, block.C.shape[0])) if block.gain is None else block.gain
            p = gain.shape[1]
            flow = np.zeros((n + m + p, n + m + p))
            flow[:n] = np.hstack([block.A, block.B, gain])
            e = _exponential(flow * self.period)
            self.A, self.B, self.L = e[:n, :n], e[:n, n : n + m], e[:n, n + m :]
        else:
            self.A, self.B = block.A, block.B
            self.L = np.zeros((n, block.C.shape[0])) if block.gain is None else block.gain

    def _inputs(self, samples: Array) -> Array:
        w = samples.copy()
        for i, c in enumerate(self.block.channels):
            quantum = self.options["quantum"]
            if c.of == "measurement" and c.order == 0 and quantum > 0.0:
                w[i] = quantum * np.floor(w[i] / quantum + 0.5)
            if c.difference:
                here = float(w[i])
                w[i] = (here - self.before.get(i, here)) / self.period
                self.before[i] = here
        return w

    def sample(self, samples: Array) -> Array:
        """Return the output at the next sampling instant."""
        w, low, high = self._inputs(samples), self.options["limits"]["min"], self.options["limits"]["max"]
        if not self.backward:
            raw = self.block.C @ self.z + self.block.D @ w
            u = np.clip(raw, low, high)
            self.z = self.A @ self.z + self.B @ w + self.L @ (u - raw)
            return u
        n, T = self.z.size, self.period
        after = np.linalg.solve(np.eye(n) - T * self.A, self.z + T * (self.B @ w)) if n else self.z
        raw = self.block.C @ after + self.block.D @ w
        u = np.clip(raw, low, high)
        i = self.block.integral
        if i >= 0 and self.options["anti_windup"] == "back_calculation":
            after[i] += T / (T + self.block.tracking) * float(u[0] - raw[0])
        elif i >= 0 and self.options["anti_windup"] == "clamping":
            step, excess = float(after[i] - self.z[i]), float(raw[0] - u[0])
            after[i] -= np.sign(excess) * min(abs(excess), max(0.0, np.sign(excess) * step))
        self.z = after
        return u
