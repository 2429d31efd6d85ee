"""Plot helpers, on a hand-made trajectory: a pad that sticks, slips both ways, opens, and is hit."""

from collections.abc import Iterator
from types import SimpleNamespace

import legends
import matplotlib
import numpy as np
import pytest
from matplotlib.patches import Patch

import stickslip as ss
from stickslip import plotting
from stickslip.draw import style as _style


class Hand:
    """stick [0, 2), slip+ [2, 2.001), slip− [2.001, 5), open [5, 6), stick [6, 10]."""

    def __init__(self) -> None:
        self.t = np.linspace(0.0, 10.0, 101)
        self.signals = ("block.position", "pad.force", "pad.mode", "stop.mode")
        change = lambda time, before, after, cause: SimpleNamespace(  # noqa: E731
            time=time, element="pad", before=before, after=after, cause=cause
        )
        self.events = (
            change(2.0, "stick", "slip+", "break-away"),
            change(2.001, "slip+", "slip-", "reversal"),
            change(5.0, "slip-", "open", "separation"),
            change(6.0, "open", "stick", "impact"),
        )

    def __getitem__(self, name: str) -> np.ndarray:
        if name.endswith(".mode"):
            return np.zeros(self.t.size, dtype=np.int8)
        return {
            "block.position": np.sin(self.t),
            "block.velocity": np.cos(self.t),
            "pad.velocity": np.cos(self.t),
            "pad.force": np.sign(np.cos(self.t)),
            "pad.power": self.t,
            "wheel.position": self.t,
        }[name]


@pytest.fixture
def run() -> Hand:
    return Hand()


@pytest.fixture(autouse=True)
def styled() -> Iterator[None]:
    with _style.style():
        yield


def span(patch: Patch) -> tuple[float, float]:
    """Where a shaded part begins and ends, be it a rectangle or, before matplotlib 3.9, a polygon."""
    corners = patch.get_patch_transform().transform(patch.get_path().vertices)
    return float(corners[:, 0].min()), float(corners[:, 0].max())


def test_spans_have_the_exact_times_of_the_events(run: Hand) -> None:
    spans = plotting.mode_spans(run, "pad")
    assert [(s.start, s.end, s.mode) for s in spans] == [
        (0.0, 2.0, "stick"),
        (2.0, 2.001, "slip+"),
        (2.001, 5.0, "slip-"),
        (5.0, 6.0, "open"),
        (6.0, 10.0, "stick"),
    ]
    assert [s.kind for s in spans] == ["stick", "slip", "slip", "open", "stick"]


def test_spans_without_events_come_from_the_signal(run: Hand) -> None:
    assert [(s.start, s.end, s.kind) for s in plotting.mode_spans(run, "stop")] == [(0.0, 10.0, "stick")]


def test_spans_end_with_the_samples_and_events_at_the_start_have_no_span(run: Hand) -> None:
    run.t = np.array([2.0, 4.0])
    assert [(s.start, s.end, s.mode) for s in plotting.mode_spans(run, "pad")] == [
        (2.0, 2.001, "slip+"),
        (2.001, 4.0, "slip-"),
    ]


def test_plot_puts_two_units_on_two_axes(run: Hand) -> None:
    ax = plotting.plot(run, "block.position", "pad.force")
    right = ax.figure.axes[1]
    assert ax.get_ylabel() == "block.position [m]" and right.get_ylabel() == "pad.force [N]"
    assert ax.get_xlabel() == "time [s]" and ax.get_xlim() == (0.0, 10.0)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), run["block.position"])
    np.testing.assert_array_equal(right.lines[0].get_ydata(), run["pad.force"])


def test_plot_shades_stick_and_open_and_marks_impacts(run: Hand) -> None:
    ax = plotting.plot(run, "pad.force")
    found = {(*span(patch), patch.get_hatch()) for patch in ax.patches}
    assert found == {(0.0, 2.0, None), (6.0, 10.0, None), (5.0, 6.0, _style.OPEN_HATCH)}
    impacts = [line for line in ax.lines if line.get_label() == "impact"]
    np.testing.assert_array_equal(impacts[0].get_xdata(), [6.0])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "stick",
        "open",
        "pad.force",
        "impact",
    ]


def test_plot_takes_axes_and_draws_nothing_else(run: Hand) -> None:
    figure = _style.canvas(60.0)
    mine = figure.subplots()
    assert plotting.plot(run, "block.position", "wheel.position", ax=mine, shade=False) is mine
    assert mine.get_ylabel() == "position [m]" and not mine.patches


def test_units_of_the_run_go_first(run: Hand) -> None:
    run.units = {"wheel.position": "rad"}  # type: ignore[attr-defined]
    assert plotting.label("wheel.position", run) == "wheel.position [rad]"
    assert plotting.label("block.position", run) == "block.position [m]"
    assert plotting.label("something", run) == "something"


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        (
            ("block.position", "pad.force", "pad.power"),
            {},
            "3 different units, but one picture shows at most two",
        ),
        (
            ("block.position",),
            {"shade": "nobody"},
            "unknown element 'nobody' with modes; known are: 'pad', 'stop'",
        ),
    ],
)
def test_plot_refuses_bad_input(
    run: Hand, names: tuple[str, ...], options: dict[str, str], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        plotting.plot(run, *names, **options)


def test_phase_plane_marks_stick(run: Hand) -> None:
    ax = plotting.phase_plane(run, "block", element="pad")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("block.position [m]", "block.velocity [m/s]")
    thick = [line for line in ax.lines if line.get_linewidth() == 4.0]
    assert [line.get_xdata().size for line in thick] == [21, 41]


def test_friction_velocity_loop_has_labels(run: Hand) -> None:
    ax = plotting.friction_velocity_loop(run, "pad", "block.velocity")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("block.velocity [m/s]", "pad.force [N]")
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), run["block.velocity"])


def test_mode_timeline_has_a_bar_per_span(run: Hand) -> None:
    ax = plotting.mode_timeline(run)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["pad", "stop"]
    bars = [(patch.get_x(), patch.get_width()) for patch in ax.patches]
    expected = [(0, 2), (2, 0.001), (2.001, 2.999), (5, 1), (6, 4), (0, 10)]
    np.testing.assert_allclose(bars, expected, rtol=0.0, atol=1e-12)
    edges = sorted(line.get_ydata()[0] for line in ax.lines if line.get_label() != "impact")
    assert edges == [-0.35, 0.35]  # slip+ above, slip− below


def test_mode_timeline_refuses_unknown_elements(run: Hand) -> None:
    with pytest.raises(ValueError, match="'nobody'"):
        plotting.mode_timeline(run, "nobody")
    run.signals = ()
    with pytest.raises(ValueError, match="no element with modes"):
        plotting.mode_timeline(run)


def test_new_figure_uses_the_package_style() -> None:
    with matplotlib.rc_context({"font.size": 20.0, "axes.labelsize": 20.0, "legend.fontsize": 20.0}):
        ax = plotting.plot(Hand(), "block.position", "pad.force")
    left, right = ax.figure.axes
    sizes = {left.yaxis.label.get_size(), right.yaxis.label.get_size(), left.xaxis.label.get_size()}
    assert sizes == {8.0}
    assert {text.get_size() for text in right.get_legend().get_texts()} == {7.0}


def test_state_map_shows_every_solution() -> None:
    import stickslip as ss
    from stickslip_figures._gears import SET_2

    found = ss.analysis.state_map(SET_2)
    ax = found.plot(scale=1e3, label="w [mm]")
    assert len(ax.patches) == sum(len(region.solutions) for region in found.regions) == 6
    assert ax.get_xlabel() == "w [mm]"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "Lemke, rows times m1",
        "Lemke, rows not multiplied",
    ]
    widths = sorted(round(patch.get_width(), 6) for patch in ax.patches)
    assert widths.count(round(1e3 * (found.edges[3] - found.edges[2]), 6)) == 3
    bare = found.plot(lemke=False, modes=("open", "stick"))
    assert bare.get_legend() is None and len(bare.patches) == 4


def test_shade_puts_the_modes_on_any_axes(run: Hand) -> None:
    ax = _style.canvas(40.0).subplots()
    assert plotting.shade(run, "pad", ax) is ax
    assert [(span(p)[0], p.get_hatch()) for p in ax.patches] == [
        (0.0, None),
        (5.0, _style.OPEN_HATCH),
        (6.0, None),
    ]


def test_lines_differ_after_all_colours_are_used() -> None:
    looks = [tuple(str(value) for value in _style.distinct(k).values()) for k in range(20)]
    assert len(set(looks)) == 20
    machine = ss.Machine(mass=np.ones(10), stiffness=np.diag(np.arange(1.0, 11.0)))
    run = ss.simulate(machine, 1.0, dt=0.1, initial={f"{name}.velocity": 1.0 for name in machine.names})
    names = [f"{name}.position" for name in machine.names]
    drawn = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in run.plot(*names).lines}
    assert len(drawn) == 10
    with _style.style():
        ax = _style.canvas(60.0).subplots()
        lines = [ax.plot([0.0, 1.0])[0] for _ in range(10)]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 10


def test_legend_does_not_repeat_the_element_in_the_title(run: Hand) -> None:
    with _style.style():
        ax = _style.canvas(60.0).subplots()
        plotting.plot(run, ax=ax).set_title("a title that is as long as the picture is wide, or nearly so")
    assert legends.faults(ax.figure) == []


def test_energy_plot_shows_terms_that_are_not_zero(run: Hand) -> None:
    zero = np.zeros_like(run.t)
    run.energy = SimpleNamespace(  # type: ignore[attr-defined]
        t=run.t, kinetic=zero, elastic=zero, damping=zero, impacts=zero,
        friction={"pad": run.t}, drives={"block": 2.0 * run.t}, surfaces={"pad": zero},
        controllers={"pid": -run.t},
    )  # fmt: skip
    ax = plotting.energy(run)
    assert [(line.get_label(), line.get_linestyle()) for line in ax.lines] == [
        ("drive block", "--"),
        ("controller pid", "--"),
        ("friction pad", "-"),
    ]


def test_use_style_is_for_the_session() -> None:
    with matplotlib.rc_context():
        plotting.use_style(dpi=90.0)
        assert matplotlib.rcParams["figure.dpi"] == 90.0
        assert matplotlib.rcParams["font.size"] == 8.0


def test_explore_without_a_notebook_draws_once_at_the_start() -> None:
    drawn: list[dict[str, float]] = []
    plotting.explore(lambda **at: drawn.append(at), speed=(0.1, 1.0, 0.2), load=(1.0, 2.0, 1.0))
    assert drawn == [{"speed": 0.2, "load": 1.0}]


def test_explore_in_a_notebook_redraws(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ipywidgets")
    import IPython
    import IPython.display
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    shown: list[object] = []
    updated: list[object] = []
    drawn: list[float] = []

    def display(thing: object, display_id: bool = False) -> object:
        shown.append(thing)
        return SimpleNamespace(update=updated.append) if display_id else None

    def draw(speed: float) -> None:
        drawn.append(speed)
        plt.subplots()

    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setattr(IPython.display, "display", display)
    plotting.explore(draw, speed=(0.1, 1.1, 0.2))
    box, picture = shown
    slider = box.children[0]  # type: ignore[attr-defined]
    assert (slider.min, slider.max, slider.value, slider.step) == (0.1, 1.1, 0.2, pytest.approx(0.02))
    slider.value = 0.5
    assert drawn == [0.2, 0.5] and len(updated) == 1 and updated[0] is not picture
    assert plt.get_fignums() == []


@pytest.mark.parametrize("given", [(0.0, 1.0), (0.0, 1.0, 2.0), (1.0, 0.0, 0.5)])
def test_explore_refuses_bad_sliders(given: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"slider speed = .* must be \(lowest, highest, start\)"):
        plotting.explore(print, speed=given)  # type: ignore[arg-type]


def test_legend_names_shaded_element_without_signal_in_the_plot() -> None:
    """Of two blocks one sticks throughout: "stick" alone would not tell which."""
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"], force={"b": 3.0})
    for name in ("a", "b"):
        m.add_friction(f"guide_{name}", on=name, law=ss.Coulomb(1.0))
    run = ss.simulate(m, t_end=1.0)
    for names, label in (
        (("a.velocity", "b.velocity"), "guide_a: stick"),
        (("a.velocity", "guide_a.force"), "stick"),
    ):
        figure = matplotlib.pyplot.figure()
        run.plot(*names)
        legend = next(axes.get_legend() for axes in figure.axes if axes.get_legend())
        assert label in [text.get_text() for text in legend.get_texts()]
