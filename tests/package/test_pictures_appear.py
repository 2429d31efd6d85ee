"""Every plot call makes a picture that pyplot and notebooks show, and follows the habits of pandas and xarray."""

from __future__ import annotations

import functools
import gc
import pickle
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from matplotlib.axes import Axes
from nbclient import NotebookClient

import stickslip as ss
from stickslip_figures.__main__ import main
from stickslip_figures._gears import SET_2


@functools.cache
def belt() -> ss.Machine:
    m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


@functools.cache
def belt_run() -> ss.Trajectory:
    return ss.simulate(belt(), t_end=10.0)


@functools.cache
def speed_loop() -> Any:
    m = ss.Machine(mass=2.0, names=["s"])
    m.add_controller(ss.PI(kp=200.0, tn=0.05), "speed", measure="s.velocity", to="s")
    return ss.open_loop(m, at="speed.output")


@functools.cache
def sweep(*speeds: float) -> Any:
    return ss.ensemble(belt(), {"belt.surface_velocity": speeds}, t_end=5.0, progress=False)


@functools.cache
def grid() -> Any:
    varied = {"belt.surface_velocity": [0.1, 0.2], "belt.law.static": [1.0, 1.2]}
    return ss.ensemble(belt(), varied, t_end=5.0, progress=False)


@functools.cache
def curve_fit() -> Any:
    v = np.linspace(0.01, 1.0, 40)
    return ss.identify.fit_curve(v, 1.0 + 0.5 * v, ss.Coulomb(1.0) + ss.Viscous(0.1), directions="common")


@functools.cache
def break_away_fit() -> Any:
    rest = np.geomspace(0.01, 100.0, 30)
    return ss.identify.fit_break_away(rest, 1.0 + 0.5 * rest / (rest + 2.0))


@functools.cache
def regression() -> Any:
    t = np.arange(0.0, 4.0, 1e-3)
    x, a = np.sin(5.0 * t), -25.0 * np.sin(5.0 * t)
    return ss.identify.inverse_dynamics(t, x, 2.0 * a, ("mass",), cutoff=50.0)


@functools.cache
def machine_fit() -> Any:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["x"])
    t = np.linspace(0.0, 5.0, 60)
    data = {"x.position": (t, np.cos(t))}
    return ss.identify.fit(m, free=["x.stiffness"], data=data, initial={"x.position": 1.0}, progress=False)


# Name to (call, number of axes, keyword of an artist or None).
CALLS: dict[str, tuple[Callable[..., Any], int]] = {
    "run.plot": (lambda **k: belt_run().plot(**k), 1),
    "phase_plane": (lambda **k: ss.plotting.phase_plane(belt_run(), "block", **k), 1),
    "friction_velocity_loop": (lambda **k: ss.plotting.friction_velocity_loop(belt_run(), "belt", **k), 1),
    "mode_timeline": (lambda **k: ss.plotting.mode_timeline(belt_run(), **k), 1),
    "energy": (lambda **k: ss.plotting.energy(belt_run(), **k), 1),
    "state_map": (lambda **k: ss.analysis.state_map(SET_2).plot(**k), 1),
    "machine.draw": (lambda **k: belt().draw(**k), 1),
    "gear.draw": (lambda **k: SET_2.draw(**k), 1),
    "bode": (lambda **k: speed_loop().bode().plot(**k), 2),
    "nyquist": (lambda **k: speed_loop().nyquist(**k), 1),
    "ensemble line": (lambda **k: sweep(0.1, 0.2).plot(**k), 1),
    "ensemble map": (lambda **k: grid().plot(**k), 1),
    "fit of a curve": (lambda **k: curve_fit().plot(**k), 1),
    "fit of break-away": (lambda **k: break_away_fit().plot(**k), 1),
    "regression": (lambda **k: regression().plot(**k), 1),
    "fit of a machine": (lambda **k: machine_fit().plot(**k), 2),
}
EACH = pytest.mark.parametrize("name", CALLS)


@EACH
def test_figure_is_known_to_pyplot(name: str) -> None:
    call, count = CALLS[name]
    drawn = call()
    assert [isinstance(ax, Axes) for ax in np.ravel(drawn)] == [True] * count
    assert isinstance(drawn, Axes) == (count == 1)
    assert plt.get_fignums() == [np.ravel(drawn)[0].figure.number]
    assert plt.gcf() is np.ravel(drawn)[0].figure


@EACH
def test_empty_current_figure_is_drawn_into(name: str) -> None:
    call, count = CALLS[name]
    mine, axes = plt.subplots(count, 1, squeeze=False)
    plt.sca(axes[0, 0])
    assert list(np.ravel(call())) == list(axes[:, 0])
    assert plt.get_fignums() == [mine.number]
    assert mine.get_size_inches() == pytest.approx((6.4, 4.8))


@EACH
def test_given_axes_are_drawn_into(name: str) -> None:
    call, count = CALLS[name]
    _, axes = plt.subplots(count, 1, squeeze=False)
    other = plt.figure()
    assert list(np.ravel(call(ax=axes[:, 0] if count > 1 else axes[0, 0]))) == list(axes[:, 0])
    assert not other.axes


@EACH
def test_keywords_reach_the_artists(name: str) -> None:
    call, _ = CALLS[name]
    axes = np.ravel(call(alpha=0.321))
    artists = [artist for ax in axes for artist in ax.get_children()]
    artists += [
        artist for ax in axes for twin in ax.figure.axes if twin is not ax for artist in twin.get_children()
    ]
    assert 0.321 in [artist.get_alpha() for artist in artists]


def test_unknown_keyword_is_refused_by_matplotlib() -> None:
    with pytest.raises(AttributeError, match="colour"):
        belt_run().plot(colour="red")


def test_second_run_joins_the_first_in_the_next_colours() -> None:
    other = ss.simulate(belt(), t_end=12.0)
    left = belt_run().plot("block.position", "belt.force")
    right = left.figure.axes[1]
    assert other.plot("belt.force", "block.position", label=["F of the other", "x of the other"]) is left
    assert left.figure.axes == [left, right] and plt.get_fignums() == [left.figure.number]
    assert [line.get_label() for line in left.lines] == ["block.position", "x of the other"]
    assert [line.get_label() for line in right.lines] == ["belt.force", "F of the other"]
    assert len({line.get_color() for ax in (left, right) for line in ax.lines}) == 4
    assert left.get_ylabel() == "block.position [m]" and left.get_xlim() == (0.0, 12.0)
    assert {text.get_size() for text in right.get_legend().get_texts()} == {7.0}


def test_picture_of_another_kind_gets_its_own_figure() -> None:
    drawing = belt().draw()
    position = belt_run().plot("block.position")
    force = belt_run().plot("belt.force")
    assert len({ax.figure.number for ax in (drawing, position, force)}) == 3
    assert belt().draw().figure is not drawing.figure


def test_current_axes_of_the_user_are_shared_as_in_pandas() -> None:
    _, ax = plt.subplots()
    ax.plot([0.0, 10.0], [0.5, 0.5], "k:")
    assert belt_run().plot("block.position") is ax
    assert len(ax.lines) >= 2


def test_two_loops_share_a_bode_diagram() -> None:
    first = speed_loop().bode().plot(label="first")
    second = speed_loop().bode().plot(label="second", Hz=False)
    assert list(first) == list(second)
    assert [text.get_text() for text in first[1].get_legend().get_texts()] == ["first", "second"]
    with pytest.raises(ValueError, match="ax = '1 axes' is not allowed: it must be 2 axes"):
        speed_loop().bode().plot(ax=plt.gca())


def test_closed_figures_are_released_and_can_be_pickled() -> None:
    ax = belt_run().plot("block.position", "belt.force")
    again = pickle.loads(pickle.dumps(ax.figure))
    assert len(again.axes) == 2
    gone = weakref.ref(ax)
    plt.close("all")
    del ax, again
    gc.collect()
    assert gone() is None


def test_number_of_labels_is_checked() -> None:
    with pytest.raises(ValueError, match=r"label = 'a' is not allowed: it must be 2 texts"):
        belt_run().plot("block.position", "belt.force", label="a")


def test_style_of_the_package_ends_with_its_pictures() -> None:
    before = dict(plt.rcParams)
    ax = belt_run().plot("block.position")
    assert dict(plt.rcParams) == before
    ax.figure.canvas.draw()  # ticks are made outside of the style
    assert {tick.get_size() for tick in ax.get_xticklabels()} == {7.0}
    assert ax.figure.dpi == before["figure.dpi"]


def test_published_figures_leave_none_open(tmp_path: Path) -> None:
    assert main(["figures", "belt", "laws_basic", "--out", str(tmp_path)]) == 0
    assert len(list(tmp_path.rglob("*.png"))) == 2
    assert plt.get_fignums() == []


def test_notebook_shows_every_picture(tmp_path: Path) -> None:
    """Cells that import no matplotlib: one PNG in the outputs of each."""
    head = """
import stickslip as ss
m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
run = ss.simulate(m, t_end=10.0)
q = ss.Machine(mass=2.0, names=["s"])
q.add_controller(ss.PI(kp=200.0, tn=0.05), "speed", measure="s.velocity", to="s")
loop = ss.open_loop(q, at="speed.output")
"""
    cells = [
        "run.plot()",
        "m.draw()",
        "ss.plotting.energy(run)",
        "ss.plotting.phase_plane(run, 'block');",
        "loop.bode().plot();",
        "loop.nyquist()",
        "ss.ensemble(m, {'belt.surface_velocity': [0.1, 0.2]}, t_end=5.0).plot()",
        "import matplotlib.pyplot as plt\n_, (one, two) = plt.subplots(1, 2)\n"
        "run.plot('block.position', ax=one)\nrun.plot('belt.force', ax=two)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (head, *cells)])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in notebook.cells[1:]:
        pictures = [out for out in cell.outputs if "image/png" in out.get("data", {})]
        assert len(pictures) == 1, cell.source
        assert len(pictures[0]["data"]["image/png"]) > 4000, cell.source
