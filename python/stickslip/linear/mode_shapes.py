"""Vibration modes of linear systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickslip.errors import UnknownNameError
from stickslip.linear.poles import Poles, slowest_first

Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False, repr=False)
class ModeShapes:
    """Vibration modes of a linear system: one for each pole, slowest first.

    ``shapes[state]`` is the component of this state in every mode.

    Attributes
    ----------
    poles : Poles
        The poles, slowest first.
    shapes : ndarray of complex, shape (states, modes)
        Eigenvectors. The largest position of each is 1; without positions, its largest component.
    states : tuple of str
        Names of the rows of `shapes`.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=4.0, damping=0.4, names=["q"])
    >>> m.linearise().mode_shapes()
    ModeShapes(
      pole [1/s]         frequency [rad/s]  damping ratio
      -0.2-1.98997j                      2            0.1
      -0.2+1.98997j                      2            0.1)
    """

    poles: Poles
    shapes: Complex
    states: tuple[str, ...] = ()

    @property
    def damping(self) -> NDArray[np.float64]:
        """Damping ratios; negative for modes that grow."""
        return self.poles.damping

    @property
    def natural_frequency(self) -> NDArray[np.float64]:
        """Natural frequencies, rad/s."""
        return self.poles.natural_frequency

    def __getitem__(self, state: str) -> Complex:
        if state not in self.states:
            listed = ", ".join(map(repr, self.states)) or "none"
            raise UnknownNameError(f"unknown state {state!r}; known are: {listed}")
        component: Complex = self.shapes[self.states.index(state)]
        return component

    def __len__(self) -> int:
        return len(self.poles)

    def __repr__(self) -> str:
        unit = "1/s" if self.poles.period is None else "z"
        lines = [f"  {f'pole [{unit}]':<17}  frequency [rad/s]  damping ratio"]
        for pole, frequency, ratio in zip(
            np.asarray(self.poles).tolist(), self.natural_frequency, self.damping, strict=True
        ):
            shown = f"{pole.real:.6g}" + (f"{pole.imag:+.6g}j" if pole.imag else "")
            lines.append(f"  {shown:<17}  {frequency:17.6g}  {ratio:13.4g}")
        return "ModeShapes(\n" + "\n".join(lines) + ")"


def mode_shapes(a: NDArray[np.float64], period: float | None, states: tuple[str, ...]) -> ModeShapes:
    """Return the vibration modes of x' = A x, or of the map x -> A x."""
    values, vectors = np.linalg.eig(a)
    shapes = vectors[:, slowest_first(values.astype(np.complex128), period)].astype(np.complex128)
    positions = [k for k, name in enumerate(states) if name.endswith((".position", ".angle"))]
    for k in range(shapes.shape[1]):
        rows = positions if np.any(shapes[positions, k]) else range(len(shapes))
        candidates = shapes[list(rows), k]
        largest = candidates[int(np.argmax(np.round(np.abs(candidates), 12)))]
        shapes[:, k] /= largest if largest else 1.0
    return ModeShapes(Poles(values, period), shapes, states)
