"""Animations of a run: bodies move and turn as computed, contacts open, springs stretch.

A machine with a method ``picture(run) -> Picture``, such as the wedge gear and the worm gear, defines its own picture.
Any other machine is drawn as a row of blocks and discs on springs. matplotlib is imported at the first drawing.

Examples
--------
>>> import stickslip as ss
>>> m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
>>> run = ss.simulate(m, t_end=1.0, dt=0.1, initial={"block.position": 0.5})
>>> [body.name for body in ss.animation.picture(run).bodies if body.name]
['block']
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stickslip import _checks as checks
from stickslip._extras import need
from stickslip._progress import bar
from stickslip.draw import style as _style
from stickslip.draw.spans import elements, mode_name
from stickslip.machine.state_space import StateSpace
from stickslip.run.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

__all__ = ["Body", "Picture", "Spring", "animate", "blocks", "picture"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body in the plane.

    Parameters
    ----------
    outline : array_like, shape (n, 2)
        Corners in picture units at zero displacement.
    motion : array_like, shape (n_times, 2)
        Displacement in picture units at the samples of the run.
    name : str, default ""
        Text in the middle of the body.
    colour : str, optional
        Face colour; light blue by default.
    angle : array_like, shape (n_times,), optional
        Counterclockwise rotation, rad; none by default.
    pivot : array_like, shape (2,), optional
        Centre of rotation in picture units; by default the mean of the corners.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> ss.animation.Body(np.eye(3, 2), np.zeros((5, 2)), "wedge").motion.shape
    (5, 2)
    """

    outline: npt.ArrayLike
    motion: npt.ArrayLike
    name: str = ""
    colour: str = _style.SKY
    angle: npt.ArrayLike | None = None
    pivot: npt.ArrayLike | None = None

    def at(self, frame: int) -> Array:
        """Corners (n, 2) at a sample of the run.

        Parameters
        ----------
        frame : int
            Number of the sample.
        """
        corners = np.asarray(self.outline, dtype=float)
        if self.angle is not None:
            pivot = corners.mean(axis=0) if self.pivot is None else np.asarray(self.pivot, dtype=float)
            turned = float(np.asarray(self.angle)[frame])
            cosine, sine = np.cos(turned), np.sin(turned)
            corners = pivot + (corners - pivot) @ np.array([[cosine, sine], [-sine, cosine]])
        return np.asarray(corners + np.asarray(self.motion, dtype=float)[frame])


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring between two moving points.

    Parameters
    ----------
    start, end : array_like, shape (n_times, 2)
        Positions of its ends in picture units.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> ss.animation.Spring(np.zeros((5, 2)), np.ones((5, 2))).end.shape
    (5, 2)
    """

    start: npt.ArrayLike
    end: npt.ArrayLike


@dataclass(frozen=True)
class Picture:
    """Content of an animation.

    Parameters
    ----------
    bodies, springs : tuple of Body, tuple of Spring
        Moving bodies and springs.
    note : str, default ""
        Caption stating the magnification.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.animation.Picture((), note="empty").springs
    ()
    """

    bodies: Sequence[Body]
    springs: Sequence[Spring] = field(default_factory=tuple)
    note: str = ""


def blocks(run: Trajectory) -> Picture:
    """Draw all coordinates in a row: a linear one as a moving block, a rotary one as a disc with a turning hand.

    Springs of the stiffness matrix and of `add_spring` are drawn between them, or from a post on the ground. A friction
    element with a moving surface under a single block is drawn as a belt whose marks move with the surface. The hand
    points downwards at angle zero, as a pendulum at rest does. Displacements are magnified so that the largest is as
    long as a block; angles are drawn as they are, unless all are below 0.2 rad.

    Parameters
    ----------
    run : Trajectory
        The run.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=[1.0, 1.0], stiffness=[[1.0, -1.0], [-1.0, 1.0]], names=["motor", "load"])
    >>> run = ss.simulate(m, t_end=1.0, dt=0.1, initial={"load.position": 1e-6})
    >>> len(ss.animation.blocks(run).springs)
    1
    """
    machine = run.machine
    if isinstance(machine, StateSpace):
        checks.reject("run", run, "of a machine with coordinates, not of a plant in matrix notation")
    names, kinds = machine.names, machine.kinds
    moves = {name: np.asarray(run[f"{name}.position"], dtype=float) for name in names}
    largest = {
        kind: max((float(np.abs(moves[n]).max()) for n in names if kinds[n] == kind), default=0.0) or 1.0
        for kind in ("linear", "rotary")
    }
    turned = 0.5 / largest["rotary"] if largest["rotary"] < 0.2 else 1.0
    still = np.zeros((run.t.size, 2))
    shifts = {name: np.array([_CELL * k, 0.0]) for k, name in enumerate(names)}
    travel = dict.fromkeys(names, still)
    bodies: list[Body] = []
    for k, name in enumerate(names):
        colour = _style.CYCLE[k % len(_style.CYCLE)]
        if kinds[name] == "rotary":
            bodies += _disc(shifts[name], turned * moves[name], name, colour)
        else:
            travel[name] = np.stack([moves[name] / largest["linear"], still[:, 1]], axis=1)
            bodies.append(Body(_rectangle(0.0, 0.0, 1.0, 0.8) + shifts[name], travel[name], name, colour))
    posts, springs = _springs(machine, names, shifts, travel)
    belts = _belts(run, shifts, {n: 1.0 / largest["linear"] for n in names if kinds[n] == "linear"})
    notes = []
    if "linear" in kinds.values():
        notes.append(f"block width = {largest['linear']:.3g} m")
    if turned != 1.0:
        notes.append(f"angles drawn {turned:.3g} times as large")
    return Picture((*posts, *belts, *bodies), tuple(springs), ", ".join(notes))


_CELL = 3.2  # from one coordinate to the next; a block is 1 wide
_RADIUS = 0.7  # of a disc
_POST = -1.6  # the ground's end of a spring, from the left edge of its block


def _rectangle(left: float, bottom: float, right: float, top: float) -> Array:
    return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])


def _disc(shift: Array, angle: Array, name: str, colour: str) -> list[Body]:
    """A disc on a stand with its name, and the hand that turns: an arm with a bob at its end."""
    centre, still = shift + [0.5, 0.4], np.zeros((angle.size, 2))
    round_ = np.linspace(0.0, 2.0 * np.pi, 49)[:-1]
    circle = np.stack([np.cos(round_), np.sin(round_)], axis=1)
    arm = _rectangle(-0.03, -0.6, 0.03, 0.0) + centre
    return [
        Body(_rectangle(0.0, -0.75, 1.0, -0.4) + shift, still, name, "#FFFFFF"),
        Body(_RADIUS * circle + centre, still, "", "#F2F2F2"),
        Body(arm, still, "", _style.BLACK, angle, centre),
        Body(0.12 * circle + centre - [0.0, 0.56], still, "", colour, angle, centre),
    ]


def _springs(
    machine: Any, names: Sequence[str], shifts: dict[str, Array], travel: dict[str, Array]
) -> tuple[list[Body], list[Spring]]:
    """The springs of the matrix and those of elements, and the posts of those that end at the ground."""
    stiffness = np.asarray(machine.stiffness, dtype=float)
    floor = 1e-12 * np.abs(stiffness).max(initial=0.0)
    pairs: list[tuple[str, str | None]] = []
    for i, name in enumerate(names):
        pairs += [(name, other) for j, other in enumerate(names) if j > i and abs(stiffness[i, j]) > floor]
        pairs += [(name, None)] if abs(stiffness[i].sum()) > floor else []
    for element in machine._description.elements:
        if element["kind"] == "spring" and element["on"]:
            joined = sorted(element["on"], key=list(names).index)
            pairs.append((joined[0], joined[-1] if len(joined) > 1 else None))
    posts, springs, taken = [], [], dict.fromkeys(pairs, 0)
    rim = {name: _RADIUS - 0.5 if kind == "rotary" else 0.0 for name, kind in machine.kinds.items()}
    still = np.zeros_like(next(iter(travel.values()))) if travel else np.zeros((0, 2))
    for first, second in pairs:
        height = (0.4, 0.62, 0.18)[taken[first, second] % 3]
        taken[first, second] += 1
        if second is None:
            post = shifts[first] + [_POST, 0.0]
            if taken[first, second] == 1:
                posts.append(Body(_rectangle(-0.08, -0.1, 0.0, 0.9) + post, still, "", "#9A9A9A"))
            start, end = post + still, shifts[first] - [rim[first], 0.0] + travel[first]
        else:
            start = shifts[first] + [1.0 + rim[first], 0.0] + travel[first]
            end = shifts[second] - [rim[second], 0.0] + travel[second]
        springs.append(Spring(start + [0.0, height], end + [0.0, height]))
    return posts, springs


_PITCH = 0.5  # between the marks of a belt


def _belts(run: Trajectory, shifts: dict[str, Array], magnified: dict[str, float]) -> list[Body]:
    """Belts under blocks: the moving surfaces of friction elements on one linear coordinate."""
    belts: list[Body] = []
    still = np.zeros((run.t.size, 2))
    for element in run.machine._description.elements:
        on = element.get("on", {})
        if element["kind"] != "friction" or len(on) != 1 or not set(on) <= set(magnified):
            continue
        ((name, factor),) = on.items()
        speed = np.asarray(element["surface_velocity"].values(run.t), dtype=float) / factor
        if not speed.any():
            continue
        steps = 0.5 * (speed[1:] + speed[:-1]) * np.diff(run.t)
        way = magnified[name] * np.concatenate([[0.0], np.cumsum(steps)])
        marks = still + np.stack([way % _PITCH, still[:, 1]], axis=1)
        belts.append(Body(_rectangle(-1.0, -0.24, 2.0, -0.04) + shifts[name], still, "", "#D9D9D9"))
        for k in range(6):
            mark = _rectangle(0.0, -0.24, 0.06, -0.04) + shifts[name] + [-1.0 + _PITCH * k, 0.0]
            belts.append(Body(mark, marks, "", _style.BLACK))
    return belts


def picture(run: Trajectory) -> Picture:
    """Return the picture that `animate` shows: the machine's own, or blocks.

    Parameters
    ----------
    run : Trajectory
        The run.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=[1.0], names=["block"])
    >>> ss.animation.picture(ss.simulate(m, t_end=1.0, dt=0.5)).springs
    ()
    """
    own = getattr(run.model, "picture", None)
    return blocks(run) if own is None else own(run)


def _zigzag(start: Array, end: Array) -> Array:
    along = end - start
    across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-12) * 0.12
    share = np.concatenate([[0.0, 0.1], np.linspace(0.15, 0.85, 11), [0.9, 1.0]])
    side = np.concatenate([[0.0, 0.0], np.resize([1.0, -1.0], 11), [0.0, 0.0]])
    return np.asarray(start + share[:, None] * along + side[:, None] * across)


def _modes(run: Trajectory, frame: int) -> str:
    words = [f"{element}: {mode_name(run[f'{element}.mode'][frame])}" for element in elements(run)]
    return ", ".join(words)


def animate(
    run: Trajectory,
    file: str | Path | None = None,
    *,
    frames: int = 120,
    rate: float = 20.0,
    shown: Picture | None = None,
    progress: bool | None = None,
) -> FuncAnimation:
    """Animate a run; write it to a file when one is named: ``animate(run, "run.mp4")``.

    Parameters
    ----------
    run : Trajectory
        The run; frames are evenly spaced between its first and last sample.
    file : str or Path, optional
        ``*.mp4`` (needs ffmpeg, from the system or the extra ``video``), ``*.gif`` or ``*.html`` (one file with
        buttons). By default the animation plays in a notebook as the result of its cell, elsewhere with ``plt.show()``.
    frames : int, default 120
        Number of pictures, at least 2, evenly spaced in time.
    rate : float, default 20.0
        Pictures per second, > 0.
    shown : Picture, optional
        Picture at the samples of the run; by default the machine's own picture, or blocks.
    progress : bool, optional
        Show a progress bar while writing; by default at a terminal and in notebooks, after a second.

    Returns
    -------
    matplotlib.animation.FuncAnimation
        Keep a reference to it while it plays.

    Raises
    ------
    ValueError
        For fewer than 2 frames, a rate that is not positive, or a file of another kind.
    MissingExtraError
        When matplotlib, or ffmpeg for ``*.mp4``, is not installed.

    Examples
    --------
    >>> import stickslip as ss, tempfile, pathlib
    >>> m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
    >>> run = ss.simulate(m, t_end=1.0, dt=0.1, initial={"block.position": 0.5})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = ss.animation.animate(run, pathlib.Path(folder) / "block.gif", frames=3)
    ...     [path.name for path in pathlib.Path(folder).iterdir()]
    ['block.gif']
    """
    if frames < 2:
        checks.reject("frames", frames, "at least 2")
    checks.positive("rate", rate)
    target = None if file is None else Path(file)
    if target is not None and target.suffix not in (".mp4", ".gif", ".html"):
        checks.reject("file", str(file), "a name that ends in .mp4, .gif or .html")
    _style.need_matplotlib()
    from matplotlib.animation import FuncAnimation

    if shown is None:
        run = run.at(np.linspace(run.t[0], run.t[-1], frames))
    seen = picture(run) if shown is None else shown
    even = np.linspace(run.t[0], run.t[-1], frames)
    chosen = np.unique(np.clip(np.searchsorted(run.t, even - 1e-9 * np.ptp(run.t)), 0, run.t.size - 1))
    canvas = _canvas(shown_on_screen=target is None)
    frequency = max(1, round(rate))
    with _style.style(), ExitStack() as stack:
        writer = None if target is None or target.suffix == ".html" else _writer(target.suffix, frequency)
        stage = _stage(run, seen, canvas)
        drawn: set[int] = set()
        counter = stack.enter_context(bar(chosen.size, "picture", progress if target else False))

        def show(frame: int) -> list[Any]:
            if frame not in drawn:  # the first is drawn more than once
                drawn.add(frame)
                counter.update()
            return list(stage(frame))

        movie = FuncAnimation(
            canvas, show, frames=[int(k) for k in chosen], interval=1000.0 / rate, blit=False
        )
        if target is None:
            show(0)
            vars(movie)["_repr_html_"] = lambda: _played(movie, frequency)
            vars(movie)["_draw_was_started"] = True  # else matplotlib warns when nobody shows it
        elif target.suffix == ".html":
            target.write_text(movie.to_jshtml(fps=frequency), encoding="utf-8")
        else:
            movie.save(str(target), writer=writer, dpi=_DPI)
    return movie


_WIDTH, _HEIGHT = 121.92, 60.96  # mm: 960 x 480 pixels at _DPI, as video needs even numbers
_DPI = 200.0


def _played(movie: Any, frequency: int) -> str:
    html: str = movie.to_jshtml(fps=frequency)
    vars(movie)["_draw_was_started"] = True
    return html


def _canvas(shown_on_screen: bool) -> Any:
    """A figure of pyplot where a window can play it; else one unknown to pyplot, which no cell shows as a still picture."""
    if shown_on_screen:
        import matplotlib.pyplot as plt

        if "inline" not in plt.get_backend():
            return plt.figure(figsize=(_WIDTH / 25.4, _HEIGHT / 25.4), layout="constrained")
    return _style.canvas(_HEIGHT, _WIDTH)


def _writer(suffix: str, rate: int) -> Any:
    """The writer of matplotlib for a kind of file."""
    from matplotlib.animation import FFMpegWriter, PillowWriter

    if suffix == ".gif":
        return PillowWriter(fps=rate)
    if not FFMpegWriter.isAvailable():
        import matplotlib as mpl

        ffmpeg = need("imageio_ffmpeg", "ffmpeg", "*.mp4 needs", "video")
        mpl.rcParams["animation.ffmpeg_path"] = (
            ffmpeg.get_ffmpeg_exe()
        )  # inside of the style, which restores it
    # Players and browsers take this format of pixels alone.
    return FFMpegWriter(fps=rate, codec="libx264", extra_args=["-pix_fmt", "yuv420p"])


def _stage(run: Trajectory, seen: Picture, canvas: Any) -> Any:
    """Put everything on an axes; return the function that moves it to a sample."""
    from matplotlib.patches import Polygon

    ax = canvas.subplots()
    ax.set_aspect("equal")
    ax.axis("off")
    shapes, words, lines = [], [], []
    corners = []
    for body in seen.bodies:
        shape = Polygon(
            body.at(0), closed=True, facecolor=body.colour, edgecolor=_style.BLACK, linewidth=0.8, alpha=0.85
        )
        shapes.append((ax.add_patch(shape), body))
        words.append(ax.text(*body.at(0).mean(axis=0), body.name, ha="center", va="center", fontsize=8))
        corners += [body.at(k) for k in range(len(np.asarray(body.motion)))]
    for spring in seen.springs:
        start, end = np.asarray(spring.start, dtype=float), np.asarray(spring.end, dtype=float)
        (line,) = ax.plot([], [], color=_style.BLACK, linewidth=1.0)
        lines.append((line, start, end))
        corners += [start, end]
    every = np.concatenate(corners) if corners else np.array([[0.0, 0.0], [1.0, 1.0]])
    low, high = every.min(axis=0), every.max(axis=0)
    room = 0.04 * (high - low) + 0.1
    ax.set(xlim=(low[0] - room[0], high[0] + room[0]), ylim=(low[1] - room[1], high[1] + room[1]))
    if seen.note:
        ax.text(
            0.5, -0.02, seen.note, transform=ax.transAxes, ha="center", va="top", fontsize=7, color="#5A5A5A"
        )

    ax.set_title("t = 0 s", fontsize=8, loc="left")
    canvas.draw_without_rendering()
    canvas.set_layout_engine("none")  # laid out once: nothing shall jump as the text above changes

    def show(frame: int) -> list[Any]:
        for (shape, body), word in zip(shapes, words, strict=True):
            place = body.at(frame)
            shape.set_xy(place)
            word.set_position(tuple(place.mean(axis=0)))
        for line, start, end in lines:
            points = _zigzag(start[frame], end[frame])
            line.set_data(points[:, 0], points[:, 1])
        ax.set_title(f"t = {run.t[frame]:.3f} s   {_modes(run, frame)}", fontsize=8, loc="left")
        return [shape for shape, _ in shapes]

    return show


def __dir__() -> list[str]:
    return sorted(__all__)
