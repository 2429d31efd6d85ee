"""Published experiments: one function computes each, one draws it.

A figure computes plain arrays (saved as CSV), a list of numbers checked, each with the source of the expected one, and
the inputs: printed, chosen or fitted. Drawing needs matplotlib, computing does not.

Examples
--------
>>> import stickslip_figures as figures
>>> "servo_2" in figures.names()
True
>>> data = figures.get("servo_2").compute()
>>> [check.verdict for check in data.checks if check.failed]
[]
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from stickslip._checks import reject
from stickslip.draw.style import need_matplotlib
from stickslip.errors import MissingExtraError, UnknownNameError
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import Input
from stickslip_figures._picture import picture

__all__ = [
    "Check",
    "Figure",
    "FigureData",
    "Input",
    "MissingExtraError",
    "Origin",
    "Result",
    "Series",
    "get",
    "names",
    "produce",
    "run",
]

# The explicit list: each module holds FIGURES, a tuple of Figure. Order here is order in print.
_MODULES = (
    "belt",
    "servo_stribeck",
    "servo_lugre",
    "servo_drive",
    "servo_map",
    "sketch_drives",
    "laws_basic",
    "laws_compare",
    "bristle_tests",
    "bristle_motion",
    "bristle_identification",
    "hunting",
    "canudas_law",
    "sketch_automaton",
    "automaton_curves",
    "automaton_surface",
    "automaton_pull",
    "automaton_load",
    "sketch_wedge",
    "sketch_wedge_contact",
    "sketch_worm",
    "sketch_contact",
    "chatter_laws",
    "chatter_wedge",
    "chatter_cones",
    "chatter_slip",
    "chatter_maps",
    "chatter_impulses",
    "chatter_impulse_pairs",
    "chatter_friction",
    "chatter_rig",
    "chatter_opposite_flank",
)


@dataclass(frozen=True)
class Result:
    """Result of one figure.

    Attributes
    ----------
    name
        Name of the figure.
    checks
        Computed against expected numbers.
    inputs
        Inputs of the figure.
    files
        The files that were written.
    seconds
        Wall-clock time, s.

    Examples
    --------
    >>> import stickslip_figures as figures
    >>> figures.Result("servo_2", (), (), (), 0.1).name
    'servo_2'
    """

    name: str
    checks: Sequence[Check]
    inputs: Sequence[Input]
    files: Sequence[Path]
    seconds: float


def _registry() -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for module in _MODULES:
        for figure in importlib.import_module(f"stickslip_figures.{module}").FIGURES:
            if figure.name in figures:
                raise RuntimeError(f"two figures are called {figure.name!r}")
            figures[figure.name] = figure
    return figures


def names() -> list[str]:
    """Return the names of all figures, in the order of print.

    Examples
    --------
    >>> import stickslip_figures as figures
    >>> figures.names()[0]
    'belt'
    """
    return list(_registry())


def get(name: str) -> Figure:
    """Return the figure of that name.

    Parameters
    ----------
    name
        As `names` lists them.

    Raises
    ------
    ValueError
        When there is no such figure; the message lists those there are.

    Examples
    --------
    >>> import stickslip_figures as figures
    >>> figures.get("servo_2").title
    'Stribeck curve'
    """
    registry = _registry()
    if name not in registry:
        raise UnknownNameError(f"unknown figure {name!r}; known are: {', '.join(registry)}")
    return registry[name]


def produce(name: str, out: str | Path) -> Result:
    """Compute one figure and write its PNG and CSV files into the folder `out`.

    Parameters
    ----------
    name
        One of `names()`.
    out
        Folder, created when missing.

    Raises
    ------
    ValueError
        For an unknown name.
    MissingExtraError
        When matplotlib is not installed.
    OSError
        When `out` cannot be written.

    Examples
    --------
    >>> import tempfile, stickslip_figures as figures
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = figures.produce("servo_2", folder)
    ...     [path.name for path in result.files]
    ['servo_2.csv', 'servo_2.png']
    """
    start = perf_counter()
    figure = get(name)
    need_matplotlib()
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    data = figure.compute()
    files = data.save(folder, name)
    files.append(folder / f"{name}.png")
    picture(figure, data, files[-1])
    return Result(name, tuple(data.checks), tuple(data.inputs), tuple(files), perf_counter() - start)


def run(chosen: Iterable[str] | None = None, out: str | Path = "out", jobs: int = 1) -> Iterator[Result]:
    """Produce several figures, yielding each as it is done, in the order asked for.

    Parameters
    ----------
    chosen
        Names; all figures when None.
    out
        Folder, created when missing.
    jobs
        Processes to work with, at least 1.

    Raises
    ------
    ValueError
        For an unknown name or fewer than one job, before anything is computed.

    Examples
    --------
    >>> import tempfile, stickslip_figures as figures
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [result.name for result in figures.run(["servo_2"], folder)]
    ['servo_2']
    """
    if jobs < 1:
        reject("jobs", jobs, "at least 1")
    wanted = list(dict.fromkeys(names() if chosen is None else chosen))
    for name in wanted:
        get(name)
    return _results(wanted, Path(out), min(jobs, len(wanted)))


def _results(wanted: Sequence[str], out: Path, jobs: int) -> Iterator[Result]:
    if jobs < 2:
        yield from (produce(name, out) for name in wanted)
        return
    # Spawned, not forked: the engine and matplotlib may hold threads, which a fork does not carry over.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        pending = [pool.submit(produce, name, out) for name in wanted]
        try:
            for future in pending:
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def __dir__() -> list[str]:
    return sorted(__all__)
