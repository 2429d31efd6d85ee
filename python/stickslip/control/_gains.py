"""Gains and times of controllers: ``tn = kp/ki`` and ``td = kd/kp``, of which one of each pair is given."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from stickslip._checks import finite, number, optional_number, positive, reject


class Derived(float):
    """A number that nobody gave: a default, or one computed from others. It yields to what was given.

    So `dataclasses.replace`, which hands over all arguments, and ``PID(kp=1.0, tn=other.tn)`` both mean what they say.
    """


def alternative() -> Any:
    """A field that may be given in place of another one, by name only."""
    return field(default=None, kw_only=True, metadata={"option": False})


def reset_time(kp: float, ki: float | None, tn: float | None) -> float:
    """The reset time of a controller that always has an integral."""
    if isinstance(ki, Derived) and tn is not None:
        ki = None
    ki, tn = optional_number("ki", ki), optional_number("tn", tn)
    if (ki is None) == (tn is None):
        given = "are both missing" if ki is None else f"= {ki:g} and {tn:g} exclude each other"
        raise ValueError(
            f"ki and tn {given}: give the integral gain ki or the reset time tn = kp/ki; without an integral use P"
        )
    if tn is not None:
        return tn
    assert ki is not None
    if finite("ki", ki) == 0.0:
        reject("ki", ki, "not 0: without an integral use P")
    if finite("kp", kp) == 0.0:
        reject("kp", kp, "not 0: an integral alone is PID(kp=0.0, ki=...)")
    if kp / ki < 0.0:
        reject("ki", ki, f"of the sign of kp = {kp:g}")
    return kp / ki


def gains(
    kp: float, ki: float, kd: float, tn: float | None, td: float | None
) -> tuple[float, float, float | None, float | None]:
    """``ki, kd, tn, td`` of a PID controller of which gains or times are given; a time is None where there is none."""
    reset = _time("ki", ki, "tn", tn, kp)
    lead = _time("kd", kd, "td", td, kp)
    ki = number("ki", ki) if reset is None else kp / positive("tn", reset)
    kd = number("kd", kd) if lead is None else kp * finite("td", lead)
    return ki, kd, Derived(kp / ki) if kp and ki else None, Derived(kd / kp) if kp else None


def _time(gain: str, value: float, time: str, instead: float | None, kp: float) -> float | None:
    """The time where it is given in place of the gain."""
    if instead is None or (isinstance(instead, Derived) and not isinstance(value, Derived)):
        return None
    if value != 0.0:
        raise ValueError(f"{gain} = {value:g} and {time} = {instead:g} exclude each other: give one of them")
    if kp == 0.0:
        reject(time, instead, f"left out where kp = 0: give {gain}")
    return number(time, instead)
