"""Gains and times of controllers: ``tn = kp/ki`` and ``td = kd/kp``; the caller gives one of each pair."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from stickslip._checks import finite, number, optional_number, positive, reject


class Derived(float):
    """A number that the caller did not give: a default or computed value. A given argument replaces it.

    `dataclasses.replace`, which passes all arguments, and ``PID(kp=1.0, tn=other.tn)`` therefore give the expected
    gains.
    """


def alternative() -> Any:
    """Return a keyword-only field that may be given in place of another one."""
    return field(default=None, kw_only=True, metadata={"option": False})


def reset_time(kp: float, ki: float | None, tn: float | None) -> float:
    """Return the reset time of a controller that always has an integral."""
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
    """Return ``ki, kd, tn, td`` of a PID controller from gains or times; None for an undefined time."""
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
