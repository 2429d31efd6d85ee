"""Controllers of `phase_by_phase`: continuous ones with limits and three ways of anti-windup, and sampled ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.analysis.auditing._control_law import Block, Channel, Sampled, block_of
from stickslip.analysis.auditing._description import Description
from truths.attached import NOTHING, Attached, Guard, Seen

AT_LIMIT = 1e-9  # of the limit
AT_ZERO = 1e-9  # of what the integral does
ON_AN_EDGE = 1e-6  # of the quantum: a sample that is rounded up or down by the last digits
PUT_OUT, SAMPLE = 0, 1


class Unknown(Exception):
    """A controller that is not handled."""


class Loop(Attached):
    """Base class of controllers: their inputs, and the coordinates that they act on."""

    def __init__(self, d: Description, loop: dict[str, Any], others: dict[str, Loop]) -> None:
        block = block_of(loop["control"])
        if block is None or len(loop["to"]) > 1:
            raise Unknown("functions as controllers")
        self.block: Block = block
        self.loop, self.names, self.others = loop, d.names, others
        self.options, self.law = loop["control"]["options"], loop["control"]["law"]["kind"]
        to = loop["to"][0] if loop["to"] else {}
        self.to = d.direction(to) if to else None
        self.low, self.high = (float(np.ravel(self.options["limits"][k])[0]) for k in ("min", "max"))

    def output(self, s: Seen, order: int = 0) -> float:
        """Its output."""
        raise NotImplementedError

    def force(self, s: Seen) -> np.ndarray:
        """Its forces on the coordinates."""
        return np.zeros(len(self.names)) if self.to is None else self.output(s) * self.to

    def _one(self, s: Seen, name: str, order: int) -> float:
        thing, kind = name.rsplit(".", 1)
        if thing in self.others:
            other = self.others[thing]
            if isinstance(other, Continuous) and other.states:
                raise Unknown("outputs with states as references")
            return other.output(Seen(s.t, s.q, s.v, NOTHING, s.a), order)
        level = order + {"position": 0, "velocity": 1}[kind]
        return float((s.q, s.v, s.a)[level][self.names.index(thing)])

    def read(self, s: Seen, more: int = 0) -> np.ndarray:
        """Inputs, or their derivatives."""

        def one(c: Channel) -> float:
            source = self.loop[f"{c.of}s"][c.index]
            if not source["names"]:
                return float(source["signal"].value(s.t, c.order + more))
            return sum(
                factor * self._one(s, name, c.order + more) for name, factor in source["names"].items()
            )

        return np.array([one(c) for c in self.block.channels])


class Continuous(Loop):
    """At a limit the integral runs, is frozen, or follows so that the raw output stays on the limit."""

    def __init__(self, d: Description, loop: dict[str, Any], others: dict[str, Loop]) -> None:
        super().__init__(d, loop, others)
        self.states = self.block.A.shape[0]
        limited = np.isfinite(self.low) or np.isfinite(self.high)
        how = self.options["anti_windup"] if limited else "none"
        self.clamps = how == "clamping" and self.block.integral >= 0
        self.looks = self.clamps
        self.back = how == "back_calculation" and self.block.integral >= 0 and self.block.tracking > 0.0
        if how == "back_calculation" and self.block.gain is not None:
            raise Unknown("matrices with anti-windup")
        self.side, self.hold = 0, "goes on"

    def _raw(self, s: Seen) -> float:
        return float((self.block.C @ s.z + self.block.D @ self.read(s))[0])

    def _limit(self) -> float:
        return self.high if self.side > 0 else self.low

    def output(self, s: Seen, order: int = 0) -> float:
        """Its output; with derivatives for controllers without states only."""
        if self.side:
            return 0.0 if order else self._limit()
        if not order:
            return self._raw(s)
        if self.states:
            raise Unknown("derivatives of outputs with states")
        return float((self.block.D @ self.read(s, order))[0])

    def _own(self, s: Seen) -> np.ndarray:
        return self.block.A @ s.z + self.block.B @ self.read(s)

    def _demand(self, s: Seen) -> tuple[float, float]:
        """Outward: rate of the integral by its law, and the one that keeps the output where it is."""
        own, i = self._own(s), self.block.integral
        rest = own * self.block.C[0]
        rest[i] = 0.0
        keeps = -float(rest.sum() + (self.block.D @ self.read(s, 1))[0])
        return self.side * float(own[i]), self.side * keeps

    def rates(self, s: Seen) -> np.ndarray:
        """Rates of its states."""
        rate = self._own(s)
        if self.side and self.back:
            rate[self.block.integral] += (self._limit() - self._raw(s)) / self.block.tracking
        elif self.hold == "frozen":
            rate[self.block.integral] = 0.0
        elif self.hold == "follows":
            rate[self.block.integral] = self.side * self._demand(s)[1]
        return rate

    def begin(self, s: Seen) -> None:
        """True if it begins at a limit."""
        raw = self._raw(s)
        self.side, self.hold = int(raw > self.high) - int(raw < self.low), "goes on"

    def settle(self, s: Seen, jumps: bool) -> None:
        """Choose the mode by the output and, on the limit, by its rate."""
        raw = self._raw(s)
        on = self.side and abs(raw - self._limit()) <= AT_LIMIT * abs(self._limit())
        if jumps and not on:
            self.begin(s)
        if not (self.clamps and self.side):
            return
        own, keeps = self._demand(s)
        if not on:
            if abs(own) > AT_ZERO * (abs(own) + abs(keeps)):  # else its guard has told
                self.hold = "frozen" if own > 0.0 else "goes on"
        elif keeps < 0.0:  # goes out even where the integral stands still
            self.hold = "frozen" if own > 0.0 else "goes on" if own > keeps else "free"
        else:
            self.hold = "follows" if own > keeps else "free"
        if self.hold == "free":
            self.side, self.hold = 0, "goes on"

    def _reach(self, s: Seen, side: int) -> None:
        self.side = side

    def _leave(self, s: Seen) -> None:
        if not self.clamps:
            self.side = 0

    def _stay(self, s: Seen) -> None:
        """Settled afterwards."""

    def _turn(self, s: Seen) -> None:
        self.hold = "goes on" if self.hold == "frozen" else "frozen"

    def _margin(self, s: Seen) -> float:
        return self.side * (self._raw(s) - self._limit())

    def guards(self) -> list[Guard]:
        """Limits, and what freezes the integral or lets it go."""
        if self.side == 0:
            both: list[Guard] = []
            if np.isfinite(self.high):
                both.append((lambda s: self.high - self._raw(s), lambda s: self._reach(s, 1)))
            if np.isfinite(self.low):
                both.append((lambda s: self._raw(s) - self.low, lambda s: self._reach(s, -1)))
            return both
        if self.hold == "follows":
            return [
                (lambda s: self._demand(s)[1], self._stay),
                (lambda s: self._demand(s)[0] - self._demand(s)[1], self._stay),
            ]
        found: list[Guard] = [(self._margin, self._leave)]
        if self.clamps:
            way = 1.0 if self.hold == "frozen" else -1.0
            found.append((lambda s: way * self.side * self._own(s)[self.block.integral], self._turn))
        return found


class SampledLoop(Loop):
    """Samples at multiples of its period, and puts out then or after its delay; zero before the first time."""

    def __init__(self, d: Description, loop: dict[str, Any], others: dict[str, Loop]) -> None:
        super().__init__(d, loop, others)
        self.sampled = Sampled(self.block, self.options, self.law != "LTI")
        self.u = self.next = 0.0

    def output(self, s: Seen, order: int = 0) -> float:
        """The held output."""
        return 0.0 if order else self.u

    def times(self, t_end: float) -> list[tuple[float, int]]:
        """Sampling instants, and the times of their outputs."""
        period, delay = self.options["period"], self.options["delay"]
        instants = [k * period for k in range(int(t_end / period + 1e-9) + 1)]
        return [(t, SAMPLE) for t in instants] + [(t + delay, PUT_OUT) for t in instants if delay > 0.0]

    def due(self, s: Seen, rank: int) -> None:
        """Sample, or put out."""
        if rank == PUT_OUT:
            self.u = self.next
            return
        w, quantum = self.read(s), self.options["quantum"]
        for value, c in zip(w, self.block.channels, strict=True):
            if quantum and c.of == "measurement" and c.order == 0:
                edge = value / quantum + 0.5
                if abs(edge - round(edge)) < ON_AN_EDGE:
                    raise Unknown("samples on a step of the quantiser")
        self.next = float(self.sampled.sample(w)[0])
        if self.options["delay"] == 0.0:
            self.u = self.next


def of(d: Description) -> list[Loop]:
    """All controllers, each before those that read it."""
    made: dict[str, Loop] = {}
    for loop in d.loops:
        kind = SampledLoop if loop["control"]["options"]["period"] > 0.0 else Continuous
        made[loop["name"]] = kind(d, loop, dict(made))
    return list(made.values())
