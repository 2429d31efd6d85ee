"""Pictures of a trajectory: signals over time, phase plane, mode timeline, friction-velocity loop.

Every function draws into `ax`, or into the current axes of pyplot as pandas and xarray do, passes keywords on to
matplotlib and returns the Axes. Where the current axes hold another kind of picture, such as a schematic, or there are
none, it opens a new figure of pyplot, which notebooks and ``plt.show()`` display. A trajectory is drawn from its dense
form, not from its samples. Stick is shaded grey, separation is hatched, impacts are marked. matplotlib is imported at
the first drawing.

Examples
--------
>>> import numpy as np, stickslip as ss
>>> class Still:
...     t, events, signals = np.array([0.0, 1.0]), (), ("pad.mode",)
...     def __getitem__(self, name):
...         return np.zeros(2, dtype=np.int8) if name == "pad.mode" else np.zeros(2)
>>> [span.kind for span in ss.plotting.mode_spans(Still(), "pad")]
['stick']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stickslip._checks import reject
from stickslip.draw import place
from stickslip.draw import style as _style
from stickslip.draw.interactive import energy, explore, shade, shade_spans, use_style
from stickslip.draw.spans import Span, TrajectoryLike, elements, mode_spans, resolved
from stickslip.draw.state_map import plot as state_map  # noqa: F401 - its home is StateMap.plot
from stickslip.errors import UnknownNameError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Span",
    "energy",
    "explore",
    "friction_velocity_loop",
    "label",
    "mode_spans",
    "mode_timeline",
    "phase_plane",
    "plot",
    "shade",
    "use_style",
]


# Names a signal's last part may have, with title and unit (translational machines; `units` of the run goes
# first).
_UNITS = {
    "position": "m",
    "velocity": "m/s",
    "acceleration": "m/s²",
    "force": "N",
    "gap": "m",
    "normal": "N",
    "normal_force": "N",
    "tangential_force": "N",
    "impulse": "Ns",
    "power": "W",
    "energy": "J",
    "mode": "",
}


def label(name: str, run: object = None) -> str:
    """Return the axis label of a signal: its name and, where known, its unit.

    Parameters
    ----------
    name : str
        Signal, for example ``"block.position"``.
    run : Trajectory
        The run; its mapping ``units`` replaces the default units of a translational machine.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.plotting.label("block.velocity")
    'block.velocity [m/s]'
    """
    known = getattr(run, "units", None) or {}
    unit = known[name] if name in known else _UNITS.get(name.rpartition(".")[2], "")
    return f"{name} [{unit}]" if unit else name


def _impacts(run: TrajectoryLike) -> npt.NDArray[np.float64]:
    """Times of the impacts: events that say so, or whose cause does."""
    hits = [e for e in run.events if getattr(e, "impact", False) or "impact" in str(e.cause).lower()]
    return np.array([event.time for event in hits], dtype=float)


def _element(run: TrajectoryLike, names: Sequence[str], shade: str | bool) -> str | None:
    """Choose whose modes are shaded: the one asked for, else the owner of the first signal that has one."""
    known = elements(run)
    if isinstance(shade, str):
        if shade not in known:
            raise UnknownNameError(
                f"unknown element {shade!r} with modes; known are: {', '.join(map(repr, known)) or 'none'}"
            )
        return shade
    if not shade or not known:
        return None
    owners = [name.rpartition(".")[0] for name in names]
    return next((owner for owner in owners if owner in known), known[0])


def _shading_prefix(run: TrajectoryLike, names: Sequence[str], element: str) -> str:
    """Return the name of the shaded element for the legend, unless it is the only one or has a signal in the plot."""
    owned = any(name.rpartition(".")[0] == element for name in names)
    return "" if owned or len(elements(run)) == 1 else f"{element}: "


def _mark_impacts(ax: Axes, times: npt.NDArray[np.float64]) -> None:
    marked = any(line.get_label() == "impact" for line in ax.lines)
    if times.size:
        ax.plot(
            times, np.zeros_like(times), linestyle="none", marker=6, markersize=5, color=_style.BLACK,
            transform=ax.get_xaxis_transform(), clip_on=False, label=None if marked else "impact",
        )  # fmt: skip


def plot(
    run: TrajectoryLike,
    *names: str,
    ax: Axes | None = None,
    shade: str | bool = True,
    label: str | Sequence[str] | None = None,
    **keywords: Any,
) -> Axes:
    """Draw signals over time; signals of another unit go on the right-hand axis.

    A second run with the same units joins the first in the same axes.

    Parameters
    ----------
    run : Trajectory
        The run.
    *names : str
        Signals, for example ``"block.position", "belt.force"``; of at most two different units. By default all
        positions and all forces of elements, or only the positions if all together have more than two units; all
        states and outputs where there are no positions.
    ax : matplotlib Axes, optional
        Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
    shade : str or bool, default True
        Element whose modes are shaded (stick and locked grey, open hatched); True: the element of the first suitable
        signal, else the first element, unless the axes hold another run; False: none.
    label : str or sequence of str, optional
        Texts of the legend, one for each signal; by default the names of the signals.
    **keywords
        For the lines (`matplotlib.lines.Line2D`), such as ``color`` or ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        The left-hand axes.

    Raises
    ------
    ValueError
        If there is no signal, there are more than two units, or `shade` is no element with modes.
    MissingExtraError
        When matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> class Still:
    ...     t, events, signals = np.array([0.0, 1.0]), (), ("block.position",)
    ...     def __getitem__(self, name):
    ...         return np.zeros(2)
    >>> ss.plotting.plot(Still(), "block.position").get_ylabel()
    'block.position [m]'
    """
    chosen = bool(names)
    names = names or tuple(name for name in run.signals if name.endswith((".position", ".force")))
    names = names or tuple(name for name in run.signals if not name.endswith((".mode", ".limit")))
    if not names:
        raise ValueError("names is empty and the trajectory has no signals")
    units = _by_unit(names, run)
    if len(units) > 2 and not chosen:
        names = tuple(name for name in names if name.endswith(".position"))
        units = _by_unit(names, run)
    if len(units) > 2:
        raise ValueError(
            f"names have {len(units)} different units, but one picture shows at most two: {_listed(names, run)}"
        )
    texts = _texts(names, label)
    element = _element(run, names, shade)
    run = resolved(run, *names)
    with place.axes(ax, "signals in " + " and ".join(sorted(units))) as left:
        before = place.held(left)
        assert before is not None
        first = before.lines == 0
        if element is not None and (first or isinstance(shade, str)):
            shade_spans(left, mode_spans(run, element), _shading_prefix(run, names, element))
        if len(units) == 2 and before.right is None:
            before.right = left.twinx()
            before.right.grid(visible=False)
            before.right.spines["right"].set_visible(True)
            left.figure.sca(left)
        sides = [left, before.right] if len(units) == 2 else [left]
        groups = list(units.values()) if first else _as_before(sides, list(units.values()), run)
        for side, group in zip(sides, groups, strict=True):
            for name in group:
                looks = _style.distinct(before.lines)
                dash = "-" if side is left else "--"
                options = place.line_options(keywords, linestyle=dash, label=texts[name], **looks)
                side.plot(run.t, run[name], **options)
                before.lines += 1
            side.set_ylabel(_axis_label(group, run, side.get_ylabel() if not first else ""))
        _mark_impacts(left, _impacts(run))
        left.set_xlabel("time [s]")
        start, end = (float(run.t[0]), float(run.t[-1]))
        if not first:
            start, end = min(start, left.get_xlim()[0]), max(end, left.get_xlim()[1])
        left.set_xlim(start, end)
        handles = [entry for side in sides for entry in zip(*side.get_legend_handles_labels(), strict=True)]
        if len(handles) > 1:
            artists, words = zip(*handles, strict=True)
            _style.legend_below(sides[-1], artists, words, columns=4)
        return left


def _listed(names: Sequence[str], run: object) -> str:
    return ", ".join(label(name, run) for name in names)


def _texts(names: Sequence[str], label: str | Sequence[str] | None) -> dict[str, str]:
    """Texts of the legend by signal."""
    given = [label] if isinstance(label, str) else list(names if label is None else label)
    if len(given) != len(names):
        reject("label", label, f"{len(names)} texts, one for each signal")
    return dict(zip(names, given, strict=True))


def _by_unit(names: Sequence[str], run: object) -> dict[str, list[str]]:
    units: dict[str, list[str]] = {}
    for name in names:
        units.setdefault(label(name, run).partition(" [")[2], []).append(name)
    return units


def _as_before(sides: Sequence[Axes], groups: list[list[str]], run: object) -> list[list[str]]:
    """Signals by side, so that a unit stays on the side on which the axes have it."""
    unit = label(groups[0][0], run).partition(" [")[2]
    return groups if sides[0].get_ylabel().partition(" [")[2] == unit else groups[::-1]


def _axis_label(names: Sequence[str], run: object, before: str) -> str:
    """Name and unit of one signal, or what several signals, and those drawn before, have in common."""
    if len(names) == 1 and before in ("", label(names[0], run)):
        return label(names[0], run)
    parts = {name.rpartition(".")[2] for name in (*names, *before.partition(" [")[0].split(", ")) if name}
    unit = label(names[0], run).partition(" [")[2]
    return f"{', '.join(sorted(parts))} [{unit}" if unit else ", ".join(sorted(parts))


def phase_plane(
    run: TrajectoryLike,
    coordinate: str,
    *,
    element: str | None = None,
    ax: Axes | None = None,
    **keywords: Any,
) -> Axes:
    """Draw velocity over position of one coordinate; thick and grey while `element` sticks.

    Parameters
    ----------
    run : Trajectory
        The run.
    coordinate : str
        Name of a coordinate.
    element : str, optional
        Element whose stick phases are marked; by default the first one with modes, if any.
    ax : matplotlib Axes, optional
        Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
    **keywords
        For the curve (`matplotlib.lines.Line2D`), such as ``color`` or ``label``.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> class Circle:
    ...     t, events, signals = np.linspace(0.0, 6.0, 50), (), ()
    ...     def __getitem__(self, name):
    ...         return np.sin(self.t) if name == "mass.position" else np.cos(self.t)
    >>> ss.plotting.phase_plane(Circle(), "mass").get_ylabel()
    'mass.velocity [m/s]'
    """
    owner = _element(run, (), element if element is not None else True)
    run = resolved(run, f"{coordinate}.position", f"{coordinate}.velocity")
    with place.axes(ax, "phase plane") as axes:
        x, v = run[f"{coordinate}.position"], run[f"{coordinate}.velocity"]
        if owner is not None:
            text: str | None = "stick"
            for span in mode_spans(run, owner):
                if span.kind == "stick":
                    inside = (run.t >= span.start) & (run.t <= span.end)
                    axes.plot(
                        x[inside],
                        v[inside],
                        color="#A0A0A0",
                        linewidth=4.0,
                        solid_capstyle="butt",
                        label=text,
                    )
                    text = None
        axes.plot(x, v, **place.line_options(keywords, color=_next_colour(axes)))
        axes.set_xlabel(label(f"{coordinate}.position", run))
        axes.set_ylabel(label(f"{coordinate}.velocity", run))
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="best")
        return axes


def _next_colour(ax: Axes) -> str:
    """Colour of the next line of a picture that shares axes with others of its kind."""
    before = place.held(ax)
    assert before is not None
    before.lines += 1
    return _style.CYCLE[(before.lines - 1) % len(_style.CYCLE)]


def friction_velocity_loop(
    run: TrajectoryLike,
    element: str,
    velocity: str | None = None,
    *,
    ax: Axes | None = None,
    **keywords: Any,
) -> Axes:
    """Draw the friction force of an element over a velocity.

    Parameters
    ----------
    run : Trajectory
        The run.
    element : str
        Name of a friction element; its force is ``element.force``, opposing the relative velocity.
    velocity : str, optional
        Signal on the horizontal axis; by default the element's own relative velocity ``element.velocity``.
    ax : matplotlib Axes, optional
        Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
    **keywords
        For the curve (`matplotlib.lines.Line2D`), such as ``color`` or ``label``.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> class Pad:
    ...     t, events, signals = np.linspace(0.0, 6.0, 50), (), ("pad.mode",)
    ...     def __getitem__(self, name):
    ...         return np.sin(self.t)
    >>> ss.plotting.friction_velocity_loop(Pad(), "pad").get_xlabel()
    'pad.velocity [m/s]'
    """
    name = velocity or f"{element}.velocity"
    run = resolved(run, name, f"{element}.force")
    with place.axes(ax, "friction over velocity") as axes:
        axes.plot(
            run[name], run[f"{element}.force"], **place.line_options(keywords, color=_next_colour(axes))
        )
        axes.axhline(0.0, color="#9A9A9A", linewidth=0.6, zorder=0.8)
        axes.axvline(0.0, color="#9A9A9A", linewidth=0.6, zorder=0.8)
        axes.set_xlabel(label(name, run))
        axes.set_ylabel(label(f"{element}.force", run))
        return axes


_FACES: dict[str, dict[str, Any]] = {
    "stick": {"facecolor": _style.STICK_SHADE},
    "slip": {"facecolor": "white"},
    "open": {"facecolor": "white", "hatch": _style.OPEN_HATCH},
    "closed": {"facecolor": _style.SKY},
    "free": {"facecolor": "none"},
    "locked": {"facecolor": _style.STICK_SHADE},
    "other": {"facecolor": _style.ORANGE},
}


def mode_timeline(run: TrajectoryLike, *chosen: str, ax: Axes | None = None, **keywords: Any) -> Axes:
    """Draw one bar per element that shows its modes over time, with the impacts above.

    Parameters
    ----------
    run : Trajectory
        The run.
    *chosen : str
        Elements with modes; by default all.
    ax : matplotlib Axes, optional
        Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
    **keywords
        For the bars (`matplotlib.patches.Rectangle`), such as ``alpha``.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If there is no element with modes, or the named one has none.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> class Still:
    ...     t, events, signals = np.array([0.0, 1.0]), (), ("pad.mode",)
    ...     def __getitem__(self, name):
    ...         return np.zeros(2, dtype=np.int8)
    >>> [tick.get_text() for tick in ss.plotting.mode_timeline(Still()).get_yticklabels()]
    ['pad']
    """
    rows = list(chosen) or elements(run)
    if not rows:
        raise ValueError("chosen is empty and the trajectory has no element with modes")
    for element in rows:
        _element(run, (), element)
    with place.axes(ax, "modes", 14.0 + 9.0 * len(rows), alone=True) as axes:
        named: set[str] = set()
        for row, element in enumerate(rows):
            for span in mode_spans(run, element):
                # slip+ and slip- have the same face; a line at one edge distinguishes them
                looks = {"height": 0.7, "linewidth": 0.4, "edgecolor": _style.OPEN_EDGE, **_FACES[span.kind]}
                axes.barh(
                    row, span.end - span.start, left=span.start,
                    label=None if span.kind in named else span.kind, **place.patch_options(keywords, **looks),
                )  # fmt: skip
                named.add(span.kind)
                side = {"+": -0.35, "-": 0.35}.get(_sign(span.mode))
                if side is not None:
                    axes.plot([span.start, span.end], [row + side] * 2, color=_style.BLUE, linewidth=1.6)
        _mark_impacts(axes, _impacts(run))
        axes.set_yticks(range(len(rows)), rows)
        axes.invert_yaxis()
        axes.grid(visible=False)
        axes.set_xlabel("time [s]")
        axes.set_xlim(float(run.t[0]), float(run.t[-1]))
        _style.legend_below(axes, *axes.get_legend_handles_labels(), columns=5)
        return axes


def _sign(mode: str) -> str:
    return mode[4:] if mode.startswith("slip") else ""


def __dir__() -> list[str]:
    return sorted(__all__)
