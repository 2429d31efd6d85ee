"""Result of an ensemble."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import reject
from stickslip._core import __version__
from stickslip._extras import need
from stickslip.ensembles.design import Design
from stickslip.ensembles.drawing import draw
from stickslip.ensembles.memory import Table
from stickslip.ensembles.task import CODES, Task
from stickslip.ensembles.units import units
from stickslip.errors import UnknownNameError
from stickslip.run.trajectory import Status, Trajectory

__all__ = ["EnsembleResult"]

_WORDS = np.array([s.value for s in CODES])


class EnsembleResult(Mapping[str, NDArray[Any]]):
    """Result of `ensemble`: a mapping of measures to arrays.

    Data in a store are read on first access.

    Attributes
    ----------
    machine : Machine or StateSpace or callable
        The machine, or the function that built the machines.
    parameters : dict of str to ndarray
        Values of the varied parameters, in the shape of the results.
    design : str
        ``"grid"``, ``"zip"``, or the name of the sampler.
    seed : dict or None
        Settings of the sampler: kind, number of points drawn before, and state of its generator.
    dims : tuple of str
        Names of the axes of the results.
    shape : tuple of int
        Shape of every result.
    status : ndarray of str
        Status of each run: see `Status`. ``"interrupted"``: not done; ``"failed"``: refused, see `messages`.
    messages : ndarray of object
        Reason why a run did not finish; empty for finished runs.
    success : ndarray of bool
        True for finished runs.
    t_end : float
        End of each run, s.
    options : dict
        Options of `simulate` that were given.
    version : str
        Version of the package that made the result.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 0.5})
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(0.2))
    >>> out = ss.ensemble(m, {"slide.force": [0.1, 0.3, 0.4]}, t_end=2.0, measure=["slide.position.final"])
    >>> out["slide.position.final"].round(9)
    array([0. , 0.2, 0.4])
    >>> out.rerun(2)["slide.position"][-1:].round(9)
    array([0.4])
    """

    def __init__(self, task: Task, design: Design, table: Table, version: str = __version__) -> None:
        self._task, self._design, self._table, self.version = task, design, table, version

    @property
    def machine(self) -> Any:
        """The machine, or the function that built the machines."""
        return self._task.source

    @property
    def parameters(self) -> dict[str, NDArray[np.float64]]:
        """Values of the varied parameters, in the shape of the results."""
        return {name: self._design.full(name) for name in self._design.names}

    @property
    def design(self) -> str:
        """``"grid"``, ``"zip"``, or the name of the sampler."""
        return self._design.kind

    @property
    def seed(self) -> dict[str, Any] | None:
        """Settings of the sampler of random points; None for other designs."""
        return self._design.seed

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of the axes of the results."""
        return self._design.dims

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of every result."""
        return self._design.shape

    @property
    def t_end(self) -> float:
        """End of each run, s."""
        return self._task.t_end

    @property
    def options(self) -> dict[str, Any]:
        """Options of `simulate` that were given."""
        return dict(self._task.options)

    @property
    def status(self) -> NDArray[np.str_]:
        """Status of each run."""
        names: NDArray[np.str_] = _WORDS[self._codes]
        return names

    @property
    def success(self) -> NDArray[np.bool_]:
        """True for finished runs."""
        reached: NDArray[np.bool_] = self._codes == CODES.index(Status.FINISHED)
        return reached

    @property
    def messages(self) -> NDArray[np.object_]:
        """Reason why a run did not finish; empty for finished runs."""
        out = np.full(self._design.points, "", object)
        for k, text in self._table.messages().items():
            out[k] = text
        return out.reshape(self.shape)

    @property
    def _codes(self) -> NDArray[np.int8]:
        codes: NDArray[np.int8] = self._table.column("status").reshape(self.shape)
        return codes

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._task.kinds:
            known = ", ".join(map(repr, self._task.kinds))
            raise UnknownNameError(f"{name!r} was not measured; known are: {known}")
        return self._table.column(name).reshape(self.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._task.kinds)

    def __len__(self) -> int:
        return len(self._task.kinds)

    def _counts(self) -> str:
        codes, counts = np.unique(self._codes, return_counts=True)
        return ", ".join(f"{n} {CODES[c]}" for c, n in zip(codes, counts, strict=True))

    def __repr__(self) -> str:
        return (
            f"EnsembleResult({', '.join(self)} over {', '.join(self._design.names)}; "
            f"{' x '.join(map(str, self.shape)) or 1} points: {self._counts()})"
        )

    def _repr_html_(self) -> str:
        rows = [(f"{name} (varied)", values) for name, values in self._design.given.items()]
        rows += [(name, self[name][self.success]) for name in self]
        shown = units(self._task)
        cells = "".join(
            f"<tr><td>{html.escape(label)}</td><td>{html.escape(shown.get(label.removesuffix(' (varied)'), ''))}</td>"
            f"<td>{_least(values, np.min)}</td><td>{_least(values, np.max)}</td></tr>"
            for label, values in rows
        )
        return (
            f"<b>EnsembleResult</b>, {' × '.join(map(str, self.shape)) or 1} points: {self._counts()}"
            f"<table><tr><th></th><th>unit</th><th>least</th><th>greatest</th></tr>{cells}</table>"
        )

    def rerun(self, index: int | tuple[int, ...]) -> Trajectory:
        """Repeat the run of one point bitwise and return the complete run.

        Parameters
        ----------
        index : int or tuple of int
            Index in the results.

        Raises
        ------
        IndexError
            If there is no such point.
        ValueError
            If its parameters are refused.
        """
        where = (index,) if isinstance(index, (int, np.integer)) else tuple(index)
        if len(where) != len(self.shape):
            reject("index", index, f"one number for each axis of {self.shape}")
        k = (
            int(
                np.ravel_multi_index(
                    [_place(i, n) for i, n in zip(where, self.shape, strict=True)], self.shape
                )
            )
            if where
            else 0
        )
        return self._task.trajectory(self._design.values(k, k + 1)[:, 0])

    def to_xarray(self) -> Any:
        """Return all measures as an xarray Dataset over the parameters, with units (needs the extra ``data``)."""
        xr = need("xarray", "xarray", "to_xarray() needs", "data")
        known = units(self._task)

        def attributes(name: str) -> dict[str, str]:
            return {"units": known[name]} if name in known else {}

        data = {name: (self.dims, values, attributes(name)) for name, values in self.items()}
        data |= {"status": (self.dims, self.status, {}), "message": (self.dims, self.messages, {})}
        coords = {
            name: (
                () if values.ndim == 0 else (name if name in self.dims else "run",),
                values,
                attributes(name),
            )
            for name, values in self._design.given.items()
        }
        about = {"t_end": self.t_end, "design": self.design, "stickslip": self.version}
        return xr.Dataset(data, coords=coords, attrs=about)

    def to_dataframe(self) -> Any:
        """Return a DataFrame with one row per point: parameters, measures, status, message (needs the extra ``data``)."""
        pd = need("pandas", "pandas", "to_dataframe() needs", "data")
        columns = {**self.parameters, **self, "status": self.status, "message": self.messages}
        return pd.DataFrame({name: np.ravel(values) for name, values in columns.items()})

    def plot(self, measure: str | None = None, ax: Any = None, **keywords: Any) -> Any:
        """Draw one measure over one or two parameters (needs the extra ``figures``).

        Parameters
        ----------
        measure : str, optional
            Name of the measure; the first by default.
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
        **keywords
            For the artist: of a line (``color``, ...), of `pcolormesh` for a map or of `scatter` for points (``cmap``,
            ``norm``, ``vmin``, ``vmax``).

        Returns
        -------
        matplotlib Axes
            A line over one parameter, a map over a grid of two, points over two parameters of a list. Unfinished runs
            are left out.

        Raises
        ------
        ValueError
            If more than two parameters vary, or none.
        """
        name = next(iter(self)) if measure is None else measure
        return draw(self, name, self[name], units(self._task), ax, keywords)


def _place(index: int, length: int) -> int:
    if not -length <= index < length:
        raise IndexError(f"point {index} of {length}")
    return int(index) % length


def _least(values: NDArray[Any], of: Any) -> str:
    finite = values[np.isfinite(values)]
    return f"{of(finite):.6g}" if finite.size else "–"
