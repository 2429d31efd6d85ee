"""Animations of a run: the bodies move as computed, contacts open, springs stretch.

A machine that has a method ``picture(run) -> Picture`` says what its bodies look like; the wedge gear and
the worm gear do. Any other machine is drawn as a row of blocks on springs. matplotlib is imported when
first drawn.

Examples
--------
>>> import stickslip as ss
>>> m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
>>> run = ss.simulate(m, t_end=1.0, dt=0.1, initial={"block.position": 0.5})
>>> [body.name for body in ss.animation.picture(run).bodies]
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
from stickslip._drawing import _style
from stickslip._progress import bar
from stickslip._spans import elements, mode_name
from stickslip.state_space import StateSpace
from stickslip.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

__all__ = ["Body", "Picture", "Spring", "animate", "blocks", "picture"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body in the plane that moves without turning.

    Parameters
    ----------
    outline
        Corners (n, 2) in picture units at zero displacement.
    motion
        Displacement (n_times, 2) in picture units at the samples of the run.
    name
        Written in its middle.
    colour
        Face colour.

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


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring between two points that move.

    Parameters
    ----------
    start, end
        Positions (n_times, 2) of its ends in picture units.

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
    """What an animation shows.

    Parameters
    ----------
    bodies, springs
        What moves.
    note
        One line that says what is drawn larger than it is.

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
    """Draw every coordinate as a block in a row, springs where the stiffness matrix has them.

    Displacements are magnified so that the largest is as long as a block.

    Parameters
    ----------
    run
        A trajectory.

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
    names = machine.names
    moves = np.array([run[f"{name}.position"] for name in names])
    largest = float(np.abs(moves).max()) or 1.0
    scale = 1.0 / largest
    stiffness = machine.stiffness
    still = np.zeros_like(run.t)
    bodies, springs = [], []
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.8], [0.0, 0.8]])
    for k, name in enumerate(names):
        shift = np.array([3.2 * k, 0.0])
        colour = _style.CYCLE[k % len(_style.CYCLE)]
        bodies.append(Body(square + shift, np.stack([scale * moves[k], still], axis=1), name, colour))
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            if stiffness[i, j] != 0.0:
                left = np.stack([3.2 * i + 1.0 + scale * moves[i], still + 0.4], axis=1)
                right = np.stack([3.2 * j + scale * moves[j], still + 0.4], axis=1)
                springs.append(Spring(left, right))
    return Picture(tuple(bodies), tuple(springs), f"the width of a block is {largest:.3g} m of motion")


def picture(run: Trajectory) -> Picture:
    """Return what `animate` shows: the machine's own picture, or blocks.

    Parameters
    ----------
    run
        A trajectory.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=[1.0], names=["block"])
    >>> ss.animation.picture(ss.simulate(m, t_end=1.0, dt=0.5)).springs
    ()
    """
    own = getattr(run.described, "picture", None)
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
    """Animate a run; write it to a file when one is named.

    Parameters
    ----------
    run
        A trajectory; its frames are even in time, between its first and its last sample.
    file
        ``*.gif`` (needs pillow, which matplotlib brings) or ``*.html`` (pictures and buttons in one file).
    frames
        Number of pictures, at least 2, spread evenly over the samples.
    rate
        Pictures per second, > 0.
    shown
        What to show; None: the machine's own picture, or blocks.
    progress
        Whether to show a progress bar while writing; None: at a terminal and in notebooks, after a second.

    Returns
    -------
    matplotlib.animation.FuncAnimation
        Keep it while it plays; in a notebook ``HTML(animation.to_jshtml())`` shows it.

    Raises
    ------
    ValueError
        For fewer than 2 frames, a rate that is not positive, or a file that is neither GIF nor HTML.
    MissingExtraError
        When matplotlib is not installed.

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
    if target is not None and target.suffix not in (".gif", ".html"):
        checks.reject("file", str(file), "a name that ends in .gif or .html")
    _style.need_matplotlib()
    from matplotlib.animation import FuncAnimation, PillowWriter

    seen = picture(run) if shown is None else shown
    if isinstance(run, Trajectory):
        run = run.at(np.linspace(run.t[0], run.t[-1], frames))
    chosen = np.unique(np.linspace(0, run.t.size - 1, frames).round().astype(int))
    with _style.style(), ExitStack() as stack:
        canvas = _style.canvas(62.0, 120.0)
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
            # matplotlib warns of animations that nobody drew; the caller may only want the object.
            vars(movie)["_draw_was_started"] = True
        elif target.suffix == ".gif":
            movie.save(str(target), writer=PillowWriter(fps=max(1, round(rate))), dpi=100)
        else:
            target.write_text(movie.to_jshtml(fps=max(1, round(rate))), encoding="utf-8")
    return movie


def _stage(run: Trajectory, seen: Picture, canvas: Any) -> Any:
    """Put everything on an axes; return the function that moves it to a sample."""
    from matplotlib.patches import Polygon

    ax = canvas.subplots()
    ax.set_aspect("equal")
    ax.axis("off")
    shapes, words, lines = [], [], []
    corners = []
    for body in seen.bodies:
        outline, motion = np.asarray(body.outline, dtype=float), np.asarray(body.motion, dtype=float)
        shape = Polygon(
            outline, closed=True, facecolor=body.colour, edgecolor=_style.BLACK, linewidth=0.8, alpha=0.85
        )
        shapes.append((ax.add_patch(shape), outline, motion))
        words.append(ax.text(*outline.mean(axis=0), body.name, ha="center", va="center", fontsize=8))
        corners += [outline + motion.min(axis=0), outline + motion.max(axis=0)]
    for spring in seen.springs:
        start, end = np.asarray(spring.start, dtype=float), np.asarray(spring.end, dtype=float)
        (line,) = ax.plot([], [], color=_style.BLACK, linewidth=1.0)
        lines.append((line, start, end))
        corners += [start, end]
    every = np.concatenate(corners) if corners else np.array([[0.0, 0.0], [1.0, 1.0]])
    low, high = every.min(axis=0), every.max(axis=0)
    room = 0.04 * (high - low) + 0.1
    ax.set(xlim=(low[0] - room[0], high[0] + room[0]), ylim=(low[1] - room[1], high[1] + room[1]))
    ax.set_title("", fontsize=8)
    if seen.note:
        ax.text(
            0.5, -0.02, seen.note, transform=ax.transAxes, ha="center", va="top", fontsize=7, color="#5A5A5A"
        )

    def show(frame: int) -> list[Any]:
        for (shape, outline, motion), word in zip(shapes, words, strict=True):
            place = outline + motion[frame]
            shape.set_xy(place)
            word.set_position(tuple(place.mean(axis=0)))
        for line, start, end in lines:
            points = _zigzag(start[frame], end[frame])
            line.set_data(points[:, 0], points[:, 1])
        ax.set_title(f"t = {run.t[frame]:.3f} s   {_modes(run, frame)}", fontsize=8)
        return [shape for shape, _, _ in shapes]

    return show


def __dir__() -> list[str]:
    return sorted(__all__)
