"""The tableaux of Lemke's path, in the form of a calculation by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tableau", "tableaux"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tableau:
    """One tableau of Lemke's path: ``w - M z - d z0 = q`` solved for the variables of a basis.

    Attributes
    ----------
    columns : tuple of str
        Names of the variables: ``w1 … wn``, ``z1 … zn``, ``z0``.
    basis : tuple of str
        The basic variable of each row; all others are zero here.
    entries : ndarray, shape (n, 2 n + 1)
        Coefficients, a unit vector below each basic variable.
    rhs : ndarray, shape (n,)
        Values of the basic variables: non-negative, except in the first tableau.
    entering, leaving : str or None
        Variables that enter and leave the basis next. `leaving` is None on a ray, where the path ends without a
        solution; both are None in the tableau of a solution.
    stage : int
        Number of the tableau, from 1, the tableau of the problem as given.
    attempt : int
        Number of the covering vector, from 0.
    """

    columns: tuple[str, ...]
    basis: tuple[str, ...]
    entries: Array
    rhs: Array
    entering: str | None
    leaving: str | None
    stage: int
    attempt: int

    @property
    def row(self) -> int | None:
        """The row of the pivot, counted from 0; None if there is none."""
        return None if self.leaving is None else self.basis.index(self.leaving)

    def renamed(self, w: Sequence[str], z: Sequence[str]) -> Tableau:
        """The same tableau with other names for w and z.

        Parameters
        ----------
        w, z : sequence of str, length n

        Returns
        -------
        Tableau

        Raises
        ------
        ValueError
            If their number is not n.
        """
        n = len(self.basis)
        for name, given in (("w", w), ("z", z)):
            if len(given) != n:
                raise ValueError(f"{name} has {len(given)} names, but the problem has {n} rows")
        name_of = dict(zip(self.columns, (*w, *z, "z0"), strict=True))
        return Tableau(
            tuple(name_of.values()),
            tuple(name_of[v] for v in self.basis),
            self.entries,
            self.rhs,
            None if self.entering is None else name_of[self.entering],
            None if self.leaving is None else name_of[self.leaving],
            self.stage,
            self.attempt,
        )

    def __str__(self) -> str:
        """Basic variables in parentheses, a star at the pivot, or at the column that nothing blocks."""

        def entry(row: int, column: int) -> str:
            text = f"{self.entries[row, column] + 0.0:.5g}"  # without the sign of a zero
            if self.columns[column] == self.basis[row]:
                return f"({text})"
            if self.columns[column] == self.entering and row == self.row:
                return f"{text}*"
            return f"{text} "

        heads = [f"{c}*" if c == self.entering else f"{c} " for c in self.columns]
        table = [["", *heads, "q"]]
        for i, name in enumerate(self.basis):
            table.append([name, *(entry(i, j) for j in range(len(self.columns))), f"{self.rhs[i]:.6g}"])
        widths = [max(len(row[j]) for row in table) for j in range(len(table[0]))]
        n = len(self.basis)
        bars = {1, 1 + n, 1 + 2 * n, 2 + 2 * n}  # before w, z, z0 and q
        lines = []
        for row in table:
            cells = [("| " if j in bars else "") + c.rjust(widths[j]) for j, c in enumerate(row)]
            lines.append(" ".join(cells).rstrip())
        return "\n".join(lines)


def tableaux(
    matrix: Array, q: Array, path: Sequence[tuple[int, int, int]], covers: Array
) -> tuple[Tableau, ...]:
    """All tableaux of a recorded path, from steps (attempt, entering, leaving) and the covering vectors."""
    n = len(q)
    names = (*(f"w{i + 1}" for i in range(n)), *(f"z{i + 1}" for i in range(n)), "z0")
    vectors = covers.reshape(-1, n)
    whole = np.empty((n, 2 * n + 2))
    whole[:, :n], whole[:, n : 2 * n], whole[:, -1] = np.eye(n), -matrix, q
    result: list[Tableau] = []
    basis: list[int] = []

    def show(entering: int | None, leaving: int | None, stage: int, attempt: int) -> None:
        # Computed from the problem as given, so that rounding errors of tableaux do not accumulate.
        solved: Array = np.linalg.solve(whole[:, basis], whole).astype(np.float64)
        solved[:, basis] = np.eye(n)
        result.append(
            Tableau(
                names,
                tuple(names[v] for v in basis),
                solved[:, :-1],
                solved[:, -1],
                None if entering is None else names[entering],
                None if leaving is None else names[leaving],
                stage,
                attempt,
            )
        )

    for k, (attempt, entering, leaving) in enumerate(path):
        if k == 0 or path[k - 1][0] != attempt:
            basis[:] = range(n)
            whole[:, 2 * n] = -vectors[attempt]
            stage = 1
        left = None if leaving < 0 else leaving
        show(entering, left, stage, attempt)
        if left is None:
            continue
        basis[basis.index(left)] = entering
        stage += 1
        if left == 2 * n:
            show(None, None, stage, attempt)
    return tuple(result)
