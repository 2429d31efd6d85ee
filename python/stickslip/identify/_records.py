"""Checks of records: lengths, values, times, and implausible units."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import Array, vector

# Two groups of sizes that lie this far apart are taken for two units: no friction spreads over it.
APART = 300.0


def columns(least: int, **given: ArrayLike) -> tuple[Array, ...]:
    """Check vectors: equal length, finite, and a minimum number of samples."""
    found = {name: vector(name, values) for name, values in given.items()}
    (first, size), *others = [(name, values.size) for name, values in found.items()]
    for name, length in others:
        if length != size:
            raise ValueError(f"{name} has {length} samples, but {first} has {size}")
    if size < least:
        raise ValueError(f"{first} has {size} samples: too few points, at least {least} are needed")
    return tuple(found.values())


def increasing(name: str, t: Array) -> None:
    """Check that times increase."""
    wrong = np.flatnonzero(np.diff(t) <= 0.0)
    if wrong.size:
        k = int(wrong[0]) + 1
        raise ValueError(f"{name} must increase, but {name}[{k}] = {t[k]!s} follows {t[k - 1]!s}")


def uniform(name: str, t: Array) -> float:
    """Return the step of evenly spaced times (to 2 %, for times with rounded digits)."""
    increasing(name, t)
    steps = np.diff(t)
    step = float((t[-1] - t[0]) / (t.size - 1))
    worst = int(np.argmax(np.abs(steps - step)))
    if abs(steps[worst] - step) > 0.02 * step:
        raise ValueError(
            f"{name} must be evenly spaced for filters, but the step is {step:.6g} s on average and "
            f"{steps[worst]:.6g} s after {name}[{worst}] = {t[worst]:.9g}"
        )
    return step


def in_motion(velocity: Array) -> Any:
    """Select sliding samples: faster than a twentieth of the greatest speed."""
    return np.abs(velocity) > 0.05 * float(np.abs(velocity).max())


def mixed_sizes(name: str, values: Array) -> None:
    """Warn where a part of the samples is about 1000 times as large as the rest."""
    sizes = np.sort(np.abs(values[values != 0.0]))
    few = max(2, sizes.size // 10)
    if sizes.size < 4 * few:
        return
    # Between two units lies nothing: the widest step on the logarithmic scale that leaves enough on either side.
    steps = np.diff(np.log10(sizes))[few - 1 : -few + 1 or None]
    k = few + int(np.argmax(steps))
    ratio = float(np.median(sizes[k:]) / np.median(sizes[:k]))
    if 10.0 ** steps.max() > 5.0 and ratio > APART:
        warn(
            f"{name}: {sizes.size - k} of {sizes.size} samples are about {ratio:.2g} times as large as the others: "
            "is a part of them in another unit (kN for N, mm for m)?"
        )


def warn(text: str, level: int = 4) -> None:
    """Warn the caller of the public function."""
    warnings.warn(text, RuntimeWarning, stacklevel=level)


def listed(names: Any) -> str:
    """Join names for a sentence."""
    return ", ".join(map(str, names))
