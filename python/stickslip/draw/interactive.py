"""Tools for notebooks: style of a session, shading of modes on any axes, energy plots, and sliders."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from stickslip._checks import reject
from stickslip.draw import place
from stickslip.draw import style as _style
from stickslip.draw.spans import Span, TrajectoryLike, mode_spans, resolved

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def use_style(dpi: float = 110.0) -> None:
    """Use the style of the package for all further figures (sets matplotlib's ``rcParams``).

    Parameters
    ----------
    dpi : float, default 110.0
        Resolution of pictures on the screen; `stickslip figures` writes 200.

    Raises
    ------
    MissingExtraError
        When matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib, stickslip as ss
    >>> with matplotlib.rc_context():
    ...     ss.plotting.use_style()
    ...     matplotlib.rcParams["axes.spines.top"]
    False
    """
    chosen = _style.settings()
    import matplotlib as mpl

    mpl.rcParams.update(chosen)
    mpl.rcParams["figure.dpi"] = dpi
    mpl.rcParams["figure.figsize"] = (_style.WIDTH * _style.MILLIMETRE, 60.0 * _style.MILLIMETRE)


def shade(run: TrajectoryLike, element: str, ax: Axes) -> Axes:
    """Shade the modes of an element on axes over time: stick and locked grey, open hatched, slip plain.

    Parameters
    ----------
    run : Trajectory
        The run.
    element : str
        Name of an element with modes.
    ax : matplotlib Axes
        Axes with time in s on the horizontal axis.

    Returns
    -------
    matplotlib.axes.Axes
        The given axes.

    Examples
    --------
    >>> import matplotlib.figure, stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Ramp(slope=0.2)})
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    >>> ax = ss.plotting.shade(ss.simulate(m, t_end=10.0), "guide", matplotlib.figure.Figure().subplots())
    >>> len(ax.patches)
    1
    """
    shade_spans(ax, mode_spans(run, element))
    return ax


def shade_spans(ax: Axes, spans: Iterable[Span], prefix: str = "") -> None:
    """Shade intervals of time: stick and locked grey, open hatched, each with one entry in the legend, after a prefix."""
    named: set[str] = set()
    for span in spans:
        if span.kind not in ("stick", "locked", "open"):
            continue
        text = None if span.kind in named else prefix + span.kind
        named.add(span.kind)
        if span.kind != "open":
            ax.axvspan(span.start, span.end, color=_style.STICK_SHADE, linewidth=0.0, zorder=0.4, label=text)
        else:
            ax.axvspan(
                span.start, span.end, facecolor="none", edgecolor=_style.OPEN_EDGE, hatch=_style.OPEN_HATCH,
                linewidth=0.0, zorder=0.4, label=text,
            )  # fmt: skip


def energy(run: Any, ax: Axes | None = None, **keywords: Any) -> Axes:
    """Draw the cumulative terms of the energy balance over time.

    Parameters
    ----------
    run : Trajectory
        The run; see `Energy`.
    ax : matplotlib Axes, optional
        Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
    **keywords
        For the lines (`matplotlib.lines.Line2D`), such as ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Sources (drives, controllers, moving surfaces) are dashed, stored and dissipated energy solid.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Ramp(slope=0.2)})
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    >>> ss.plotting.energy(ss.simulate(m, t_end=10.0)).get_ylabel()
    'energy [J]'
    """
    book = resolved(run, *getattr(run, "states", ())).energy
    terms = {
        "kinetic": book.kinetic,
        "elastic": book.elastic,
        "damping": book.damping,
        "impacts": book.impacts,
    }
    terms |= {f"friction {name}": work for name, work in book.friction.items()}
    sources = {f"drive {name}": work for name, work in book.drives.items()}
    sources |= {f"controller {name}": work for name, work in book.controllers.items()}
    sources |= {f"surface {name}": work for name, work in book.surfaces.items()}
    dashed = [("--", *term) for term in sources.items()] + [("-", *term) for term in terms.items()]
    drawn = [(dash, name, work) for dash, name, work in dashed if abs(work).max() > 0.0]
    with place.axes(ax, "energy", alone=True) as axes:
        for k, (dash, name, work) in enumerate(drawn):
            options = place.line_options(keywords, linestyle=dash, label=name, **_style.distinct(k))
            axes.plot(book.t, work, **options)
        axes.set(xlabel="time [s]", ylabel="energy [J]", xlim=(float(book.t[0]), float(book.t[-1])))
        _style.legend_below(axes, *axes.get_legend_handles_labels(), columns=4)
        return axes


def explore(draw: Callable[..., Any], **sliders: tuple[float, float, float]) -> None:
    """Draw a picture with sliders above it that redraw it; without ipywidgets draw the picture only.

    The picture for the start values is an ordinary output of the cell, so a saved notebook shows it as well.

    Parameters
    ----------
    draw : callable
        Function that draws one picture with pyplot for the values of the sliders, given by name, without showing it.
    **sliders : tuple of three float
        ``name=(lowest, highest, start)`` for each slider.

    Raises
    ------
    ValueError
        If a slider is not (lowest, highest, start) with the start in between.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.plotting.explore(lambda speed: print("drawn at", speed), speed=(0.1, 1.0, 0.2))
    drawn at 0.2
    """
    for name, given in sliders.items():
        if len(given) != 3 or not given[0] <= given[2] <= given[1] or given[0] >= given[1]:
            reject(f"slider {name}", given, "(lowest, highest, start)")
    draw(**{name: float(at) for name, (_, _, at) in sliders.items()})
    try:
        import ipywidgets
        import matplotlib.pyplot as plt
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        return
    if not hasattr(get_ipython(), "kernel") or not plt.get_fignums():
        return
    # No output widget: its messages to the front end cost more than they give, and a stored notebook would
    # not hold the picture.
    handles = {
        name: ipywidgets.FloatSlider(
            value=at,
            min=low,
            max=high,
            step=(high - low) / 50.0,
            description=name,
            continuous_update=False,
            readout_format=".3g",
            style={"description_width": "initial"},
        )
        for name, (low, high, at) in sliders.items()
    }
    display(ipywidgets.VBox(list(handles.values())))
    shown = plt.gcf()
    picture = display(shown, display_id=True)
    plt.close(shown)

    def again(_change: object) -> None:
        draw(**{name: handle.value for name, handle in handles.items()})
        fresh = plt.gcf()
        picture.update(fresh)
        plt.close(fresh)

    for handle in handles.values():
        handle.observe(again, names="value")
