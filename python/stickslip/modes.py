"""Modes of elements."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Mode"]


class Mode(IntEnum):
    """Mode of an element, the values of every ``.mode`` signal (int8).

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Mode(0)
    <Mode.STICK: 0>
    >>> str(ss.Mode.SLIP_FORWARD)
    'slip+'
    """

    SLIP_BACKWARD = -1
    STICK = 0
    SLIP_FORWARD = 1
    OPEN = 2
    CLOSED = 3
    FREE = 4
    HIGH = 5
    LOW = 6
    LOCKED = 7

    def __str__(self) -> str:
        return _NAMES[self]


_NAMES = {
    Mode.SLIP_BACKWARD: "slip-",
    Mode.STICK: "stick",
    Mode.SLIP_FORWARD: "slip+",
    Mode.OPEN: "open",
    Mode.CLOSED: "closed",
    Mode.FREE: "free",
    Mode.HIGH: "high",
    Mode.LOW: "low",
    Mode.LOCKED: "locked",
}
