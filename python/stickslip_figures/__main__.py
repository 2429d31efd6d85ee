"""The command line: ``stickslip`` is also ``python -m stickslip_figures``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import stickslip
import stickslip_figures as figures
from stickslip._progress import bar
from stickslip.draw.style import need_matplotlib
from stickslip.identify import measured_drive, measured_parts
from stickslip_figures import _table


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # argparse would print the usage and exit with 2; bad input gives one line and exit code 1.
        _fail(message)


def _fail(message: str) -> NoReturn:
    print(f"stickslip: error: {message}", file=sys.stderr)
    raise SystemExit(1)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="stickslip",
        description="Simulation of mechanical systems with dry friction, backlash and impact: published figures and a "
        "measured drive.",
    )
    parser.add_argument("--version", action="version", version=f"stickslip {stickslip.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    commands.add_parser("list", help="list the published figures that can be re-run")
    draw = commands.add_parser(
        "figures",
        help="re-run published figures: PNG, CSV and a table of computed against expected numbers",
        description="Re-run published figures. Without NAME: all of them.",
    )
    draw.add_argument(
        "names", nargs="*", metavar="NAME", help="which figures (see 'stickslip list'); default: all"
    )
    draw.add_argument(
        "--out", type=Path, default=Path("out"), metavar="DIR", help="where to write (default: out)"
    )
    draw.add_argument(
        "--jobs",
        type=int,
        default=min(4, os.cpu_count() or 1),
        metavar="N",
        help="processes (default: %(default)s)",
    )
    draw.add_argument(
        "--progress",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="a bar on the standard error (default: at a terminal)",
    )
    drive = commands.add_parser(
        "measured",
        help="fit models of friction to a measured drive, the public record EMPS",
        description="Run the axis of the public record EMPS with its published values, put together from parts, and fit "
        "models of friction to it in closed loop: fitted and chosen on its first half, run once on the second. Takes some "
        "minutes.",
    )
    drive.add_argument(
        "path",
        nargs="?",
        default=os.environ.get("STICKSLIP_EMPS"),
        metavar="PATH",
        help="DATA_EMPS.mat (default: the path in STICKSLIP_EMPS)",
    )
    drive.add_argument(
        "--progress",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="a bar on the standard error (default: at a terminal)",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, or 1 if a number is outside of its tolerance.

    Parameters
    ----------
    arguments
        As in ``sys.argv[1:]``, which is the default.

    Raises
    ------
    SystemExit
        With code 1, after one line on the standard error, for bad input.

    Examples
    --------
    >>> from stickslip_figures.__main__ import main
    >>> main(["list"])  # doctest: +ELLIPSIS
    belt ...
    0
    """
    options = _parser().parse_args(arguments)
    try:
        return {"list": _list, "figures": _figures, "measured": _measured}[options.command](options)
    except KeyboardInterrupt:
        print("stickslip: interrupted", file=sys.stderr)
        return 130


def _list(_: argparse.Namespace) -> int:
    chosen = [figures.get(name) for name in figures.names()]
    width = max(len(figure.name) for figure in chosen)
    for figure in chosen:
        print(f"{figure.name:<{width}}  {figure.title} ({figure.source})")
    return 0


def _figures(options: argparse.Namespace) -> int:
    out, progress = options.out, options.progress
    try:
        wanted = list(dict.fromkeys(options.names)) or figures.names()
        results = figures.run(wanted, out, options.jobs)
        need_matplotlib()
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):  # an unwritable folder is found before minutes of work
            pass
        done = list(_counted(results, len(wanted), progress))
        _table.save(done, out)
    except ValueError as error:
        _fail(str(error))
    except figures.MissingExtraError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"cannot write to {str(out)!r}: {error.strerror or error}")
    for line in _table.lines(done):
        print(line)
    pictures = sum(path.suffix == ".png" for result in done for path in result.files)
    print(f"\n{pictures} picture{'s' * (pictures != 1)}, their data, checks.csv and inputs.csv are in {out}")
    return int(any(check.failed for result in done for check in result.checks))


def _measured(options: argparse.Namespace) -> int:
    if options.path is None:
        _fail("measured needs the path of DATA_EMPS.mat, as an argument or in STICKSLIP_EMPS")
    try:
        record = measured_drive.read_record(options.path)
        print("\n".join(measured_parts.table(measured_parts.outcome(record))), end="\n\n", flush=True)
        rows = measured_drive.compare(record, progress=options.progress)
    except OSError as error:
        _fail(f"cannot read {options.path!r}: {error.strerror or error}")
    except (ValueError, figures.MissingExtraError) as error:
        _fail(str(error))
    print("\n".join(measured_drive.table(rows)))
    return 0


def _counted(
    results: Iterable[figures.Result], total: int, progress: bool | None
) -> Iterator[figures.Result]:
    """Pass results through, with a bar."""
    with bar(total, "figure", progress) as shown:
        for result in results:
            shown.update()
            yield result


if __name__ == "__main__":
    raise SystemExit(main())
