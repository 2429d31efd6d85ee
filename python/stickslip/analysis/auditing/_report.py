"""Result of an audit: findings, and laws that could not be checked."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Finding:
    """One violation of physics in a run.

    Attributes
    ----------
    what : str
        The law that is violated, in words.
    element : str
        Name of the element, coordinate or state.
    time : float
        Time of the largest violation, s.
    value, allowed : float
        Size of the violation there, and the largest size that passes, in the unit of `what`.
    """

    what: str
    element: str
    time: float
    value: float
    allowed: float

    def __str__(self) -> str:
        return f"{self.time:.12g} s  {self.element}: {self.what}: {self.value:.3g} > {self.allowed:.3g}"


@dataclass
class Audit:
    """Result of :func:`audit`; prints as a table.

    Attributes
    ----------
    findings : list of Finding
        Violations, the largest ratio of value to allowed value first.
    checked : dict
        Number of places, samples or instants at which each law was checked.
    unchecked : dict
        Laws and elements that could not be checked, by name, with the reason.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> ss.analysis.audit(ss.simulate(m, t_end=10.0)).findings
    []
    """

    findings: list[Finding] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)
    unchecked: dict[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """True if no violation was found."""
        return not self.findings

    def hold(
        self,
        what: str,
        element: str,
        t: NDArray[np.float64] | float,
        value: NDArray[np.float64] | float,
        allowed: NDArray[np.float64] | float,
    ) -> None:
        """Record the worst place at which `value` exceeds `allowed`. NaN exceeds every allowed value."""
        t, value, allowed = np.broadcast_arrays(*map(np.atleast_1d, (t, value, allowed)))
        self.checked[what] = self.checked.get(what, 0) + value.size
        wrong = ~(value <= allowed)
        if not wrong.any():
            return
        excess = np.where(np.isnan(value), np.inf, value) / np.maximum(allowed, 1e-300)
        worst = int(np.argmax(np.where(wrong, excess, -1.0)))
        at = (float(x[worst]) for x in (t, value, allowed))
        self.findings.append(Finding(what, element, *at))

    def skip(self, what: str, why: str) -> None:
        """Record that a law cannot be checked, and why."""
        self.unchecked[what] = why

    def sort(self) -> None:
        """Sort findings, the worst first; a law violated by one element at several instants is listed once."""
        worst: dict[tuple[str, str], Finding] = {}
        ordered = sorted(self.findings, key=lambda f: -_excess(f))
        for f in ordered:
            worst.setdefault((f.what, f.element), f)
        self.findings = list(worst.values())

    def __str__(self) -> str:
        rows = [("what", "element", "time / s", "value", "allowed")]
        for f in self.findings:
            rows.append((f.what, f.element, f"{f.time:.9f}", f"{f.value:.3g}", f"{f.allowed:.3g}"))
        width = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(c.ljust(w) for c, w in zip(r, width, strict=True)).rstrip() for r in rows]
        lines.insert(1, "  ".join("-" * w for w in width))
        if self.passed:
            lines = [f"nothing found in {sum(self.checked.values())} comparisons"]
        lines += [f"not checked: {name} ({why})" for name, why in self.unchecked.items()]
        return "\n".join(lines)

    __repr__ = __str__


def _excess(f: Finding) -> float:
    return np.inf if np.isnan(f.value) else f.value / max(f.allowed, 1e-300)
