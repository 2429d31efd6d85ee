"""Data of a figure: columns with units, checked values, and inputs."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stickslip_figures._check import Check
from stickslip_figures._input import Input

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Array = npt.NDArray[Any]


class Series:
    """Named columns of equal length, each with its unit; one CSV file.

    Parameters
    ----------
    columns
        Name to one-dimensional array (n,).
    units
        Name to unit, for every column; ``""`` for words and counts.

    Raises
    ------
    ValueError
        When a column is not one-dimensional, has another length than the first, or has no unit.

    Examples
    --------
    >>> import stickslip_figures as figures
    >>> s = figures.Series({"time": [0.0, 0.5], "force": [1.0, 2.0]}, {"time": "s", "force": "N"})
    >>> s.header, float(s["force"].max())
    (['time [s]', 'force [N]'], 2.0)
    """

    def __init__(self, columns: Mapping[str, npt.ArrayLike], units: Mapping[str, str]) -> None:
        self.columns: dict[str, Array] = {name: np.asarray(values) for name, values in columns.items()}
        self.units = dict(units)
        lengths = {name: values.shape for name, values in self.columns.items()}
        first = next(iter(lengths.values()), ())
        for name, shape in lengths.items():
            if len(shape) != 1 or shape != first:
                raise ValueError(
                    f"columns[{name!r}] has shape {shape}, but it must have one dimension and the length of the first"
                )
            if name not in self.units:
                raise ValueError(f"units lacks {name!r}; give '' for a column without unit")

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    @property
    def header(self) -> list[str]:
        """Column titles with units, as in the file's first line."""
        return [f"{name} [{unit}]" if (unit := self.units[name]) else name for name in self.columns]

    def save(self, path: Path) -> None:
        """Write the CSV file; floats keep every digit, so reading them gives the same bits.

        Parameters
        ----------
        path
            The file.
        """
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.header)
            writer.writerows(zip(*(values.tolist() for values in self.columns.values()), strict=True))


@dataclass(frozen=True)
class FigureData:
    """Data of a figure.

    Parameters
    ----------
    series
        Panel name to its columns; a figure with one panel calls it ``""``.
    checks
        The checks of the figure.
    inputs
        The inputs. Those that the source does not print stand under the picture.

    Examples
    --------
    >>> import stickslip_figures as figures
    >>> line = figures.Series({"time": [0.0, 1.0]}, {"time": "s"})
    >>> figures.FigureData({"": line})[""]["time"].size
    2
    """

    series: Mapping[str, Series]
    checks: Sequence[Check] = field(default_factory=tuple)
    inputs: Sequence[Input] = field(default_factory=tuple)

    def __getitem__(self, panel: str) -> Series:
        return self.series[panel]

    def save(self, folder: Path, name: str) -> list[Path]:
        """Write ``<name>.csv``, or ``<name>_<panel>.csv`` for named panels; return the paths.

        Parameters
        ----------
        folder
            Where to write; it must exist.
        name
            How the files begin.
        """
        paths = []
        for panel, series in self.series.items():
            paths.append(folder / (f"{name}_{panel}.csv" if panel else f"{name}.csv"))
            series.save(paths[-1])
        return paths


@dataclass(frozen=True)
class Figure:
    """One published figure.

    Parameters
    ----------
    name
        What it is called on the command line and as a file.
    title
        What it shows, in one line.
    source
        The publication and the number of the figure there, or ``"closed form"``.
    compute
        Returns the data; needs NumPy and the engine only.
    draw
        Draws the data into an empty matplotlib figure.
    height
        Of the picture in mm.

    Examples
    --------
    >>> import stickslip_figures as figures
    >>> figures.get("servo_2").source
    'Krämer, Kempkes, figure 2'
    """

    name: str
    title: str
    source: str
    compute: Callable[[], FigureData]
    draw: Callable[[FigureData, Canvas], None]
    height: float = 85.0
