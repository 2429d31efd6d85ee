"""Every figure: its numbers are right, its data are stored bitwise, its axes are labelled."""

import csv
from pathlib import Path

import legends
import numpy as np
import pytest

import stickslip_figures as figures
from stickslip_figures._picture import picture

NAMES = figures.names()


@pytest.fixture(scope="module")
def computed() -> dict[str, figures.FigureData]:
    """Data of the figures, computed once each."""
    return {}


def data_of(name: str, computed: dict[str, figures.FigureData]) -> figures.FigureData:
    if name not in computed:
        computed[name] = figures.get(name).compute()
    return computed[name]


@pytest.mark.parametrize("name", NAMES)
def test_numbers_hold(name: str, computed: dict[str, figures.FigureData]) -> None:
    checks = data_of(name, computed).checks
    assert checks, "a figure claims at least one number"
    assert [(c.quantity, c.computed, c.expected) for c in checks if c.failed] == []
    assert all(c.source and c.quantity for c in checks)


@pytest.mark.parametrize("name", NAMES)
def test_files_keep_every_bit(name: str, computed: dict[str, figures.FigureData], tmp_path: Path) -> None:
    data = data_of(name, computed)
    paths = data.save(tmp_path, name)
    assert len(paths) == len(data.series) == len(list(tmp_path.iterdir()))
    for path, series in zip(paths, data.series.values(), strict=True):
        with path.open(encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        assert header == series.header
        for column, values in zip(zip(*rows, strict=True), series.columns.values(), strict=True):
            if values.dtype.kind == "f":
                np.testing.assert_array_equal(np.array(column, dtype=float), values)
            else:
                assert list(column) == [str(value) for value in values.tolist()]


@pytest.mark.parametrize("name", NAMES)
def test_picture_names_its_axes_and_hides_nothing(name: str, computed: dict[str, figures.FigureData]) -> None:
    canvas = picture(figures.get(name), data_of(name, computed))
    assert legends.faults(canvas) == []
    drawn = [ax for ax in canvas.axes if ax.has_data() and ax.axison]
    # A sketch has no axes, only parts.
    assert drawn or any(ax.patches or ax.lines for ax in canvas.axes)
    for ax in drawn:
        assert ax.get_ylabel() or ax.get_shared_y_axes().get_siblings(ax) != [ax], "an axis without a name"
        if ax.get_label() == "<colorbar>":  # it has one axis only
            continue
        assert ax.get_xlabel() or ax.get_shared_x_axes().get_siblings(ax) != [ax], "an axis without a name"


def test_names_are_unique_and_fit_a_file() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(name.replace("_", "").isalnum() for name in NAMES)


def test_unknown_figure_lists_the_known() -> None:
    with pytest.raises(ValueError, match=r"unknown figure 'x'; known are: belt"):
        figures.get("x")


def test_unknown_figure_name_stops_before_computing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown figure 'x'"):
        figures.run(["servo_2", "x"], tmp_path)
    assert not list(tmp_path.iterdir())


def test_several_processes_do_the_same_as_one(tmp_path: Path) -> None:
    chosen = [*NAMES[:1], *NAMES[:2]]
    one = list(figures.run(chosen, tmp_path / "one"))
    # Two tasks, so that the pool is used even while there is but one figure.
    two = list(figures._results(chosen[:2], tmp_path / "two", 2))
    assert [c.computed for c in one[0].checks] == [c.computed for c in two[0].checks]
    for path in one[0].files:
        if path.suffix == ".csv":
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("columns", "units", "said"),
    [
        ({"t": [0.0, 1.0], "x": [0.0]}, {"t": "s", "x": "m"}, r"columns\['x'\] has shape \(1,\)"),
        ({"t": [[0.0]]}, {"t": "s"}, r"columns\['t'\] has shape \(1, 1\)"),
        ({"t": [0.0]}, {}, "units lacks 't'"),
    ],
)
def test_wrong_columns_are_refused(columns: dict[str, object], units: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        figures.Series(columns, units)
