"""Animations: what moves is what was computed, files are what their names say, gears bring a picture."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import stickslip as ss
from stickslip import animation
from stickslip_figures._gears import RIG, SET_2


@pytest.fixture(scope="module")
def chatter() -> ss.Trajectory:
    return ss.simulate(SET_2, t_end=0.5, dt=0.005)


@pytest.fixture(scope="module")
def drive() -> ss.Trajectory:
    machine = ss.machines.two_mass_drive(motor_mass=1.0, load_mass=2.0, stiffness=100.0)
    return ss.simulate(machine, t_end=1.0, dt=0.01, initial={"motor.velocity": 0.1})


def test_gif_has_its_frames(chatter: ss.Trajectory, tmp_path: Path) -> None:
    chatter.animate(tmp_path / "w.gif", frames=8, rate=10.0)
    with Image.open(tmp_path / "w.gif") as movie:
        assert movie.format == "GIF" and movie.n_frames == 8
        movie.seek(2)
        first = np.asarray(movie.convert("RGB")).astype(int)
        movie.seek(7)
        assert np.abs(np.asarray(movie.convert("RGB")).astype(int) - first).max() > 50, "nothing moves"


@pytest.mark.parametrize("name", ["w.gif", "w.html"])
def test_progress_bar_counts_pictures(
    chatter: ss.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    counted: list[tuple[str, int]] = []

    @contextmanager
    def bar(total: int, unit: str, progress: bool | None) -> Iterator[Any]:
        counted.append((unit, total))
        yield SimpleNamespace(update=lambda: counted.append((unit, 1)))

    monkeypatch.setattr(animation, "bar", bar)
    chatter.animate(tmp_path / name, frames=5)
    assert counted == [("picture", 5), *[("picture", 1)] * 5]


def test_html_holds_every_frame(drive: ss.Trajectory, tmp_path: Path) -> None:
    drive.animate(tmp_path / "d.html", frames=3)
    text = (tmp_path / "d.html").read_text(encoding="utf-8")
    assert text.count("data:image/png;base64") == 3


@pytest.mark.parametrize("gear", [SET_2, RIG], ids=["wedge", "worm"])
def test_flanks_touch_where_the_gap_is_closed_and_never_overlap(gear: object) -> None:
    run = ss.simulate(gear, t_end=0.3, dt=0.001)
    shown = animation.picture(run)
    lower, upper = shown.bodies
    flank = np.asarray(lower.outline)[[3, 2]]
    slope = (flank[1, 1] - flank[0, 1]) / (flank[1, 0] - flank[0, 0])
    corner = np.asarray(upper.outline)[0] + np.asarray(upper.motion)
    surface = flank[0, 1] + slope * (corner[:, 0] - np.asarray(lower.motion)[:, 0])
    distance = corner[:, 1] - surface
    closed = run["flank.gap"] == 0.0
    assert closed.any() and not closed.all()
    assert np.abs(distance[closed]).max() < 1e-9
    assert distance.min() > -1e-9 and distance.max() > 0.2


def test_blocks_move_as_computed(drive: ss.Trajectory) -> None:
    shown = animation.picture(drive)
    assert [body.name for body in shown.bodies] == ["motor", "load"]
    moves = [np.asarray(body.motion)[:, 0] for body in shown.bodies]
    ratio = moves[1][-1] / moves[0][-1]
    assert ratio == pytest.approx(drive["load.position"][-1] / drive["motor.position"][-1])
    (spring,) = shown.springs
    stretch = (np.asarray(spring.end) - np.asarray(spring.start))[:, 0]
    assert stretch - stretch[0] == pytest.approx(moves[1] - moves[0] - (moves[1][0] - moves[0][0]), abs=1e-12)


def test_own_picture_goes_first(drive: ss.Trajectory, tmp_path: Path) -> None:
    body = animation.Body([[0, 0], [1, 0], [1, 1]], np.zeros((drive.t.size, 2)), "mine")
    movie = animation.animate(drive, shown=animation.Picture((body,)), frames=2)
    assert [text.get_text() for text in movie._fig.axes[0].texts] == ["mine"]


def test_bad_input_is_named(drive: ss.Trajectory, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="frames = 1"):
        drive.animate(frames=1)
    with pytest.raises(ValueError, match=r"rate = 0\.0"):
        drive.animate(rate=0.0)
    with pytest.raises(ValueError, match=r"ends in \.mp4, \.gif or \.html"):
        drive.animate(tmp_path / "d.avi")


def test_resampled_run_keeps_its_picture(chatter: ss.Trajectory) -> None:
    assert chatter.at([0.0, 0.1]).model is SET_2
    assert len(animation.picture(chatter.at([0.0, 0.1])).bodies) == 2


def test_a_frame_shows_the_motion_at_its_time() -> None:
    machine = ss.Machine(mass=[1.0], stiffness=[[1.0]], names=["block"])
    run = ss.simulate(machine, t_end=np.pi, dt=1e-3, initial={"block.position": 1.0})
    movie = run.animate(frames=5)
    ax = movie._fig.axes[0]
    block = ax.patches[-1]
    places = []
    for frame in range(5):
        movie._func(frame)
        places.append(float(block.get_xy()[0, 0]))
    assert np.diff(places) == pytest.approx(np.diff(np.cos(np.linspace(0.0, run.t[-1], 5))), abs=1e-6)
    assert ax.get_title(loc="left").startswith("t = 3.141 s")


def test_a_pendulum_swings() -> None:
    """The bob of the hand is at (sin q, -cos q) from the joint: at the right for positive q, above for q = pi."""
    pendulum = ss.machines.pendulum(1.0, 0.5, law=ss.Coulomb(0.1))
    run = ss.simulate(pendulum, t_end=3.0, dt=0.05, initial={"arm.position": 2.0})
    bob = animation.picture(run).bodies[-1]
    places = np.array([bob.at(k).mean(axis=0) - bob.pivot for k in range(run.t.size)])
    q = run["arm.position"]
    assert places == pytest.approx(0.56 * np.stack([np.sin(q), -np.cos(q)], axis=1), abs=1e-12)
    assert np.ptp(places[:, 0]) > 1.0


def test_magnification_of_small_angles_is_in_the_note() -> None:
    rotor = ss.Machine(mass=1.0, stiffness=1.0, names=["rotor"], kind="rotary")
    shown = animation.picture(ss.simulate(rotor, t_end=1.0, dt=0.1, initial={"rotor.position": 0.01}))
    assert np.asarray(shown.bodies[-1].angle)[0] == pytest.approx(0.5)
    assert shown.note == "angles drawn 50 times as large"


def test_springs_of_elements_are_drawn() -> None:
    machine = ss.Machine(mass=[1.0, 1.0], names=["arm", "blade"])
    machine.add_spring("joint", on=("arm", "blade"), stiffness=400.0)
    machine.add_spring("stop", on="blade", stiffness=1e3, backlash=0.1)
    run = ss.simulate(machine, t_end=1.0, dt=0.1, initial={"arm.velocity": 0.1})
    shown = animation.picture(run)
    joint, stop = shown.springs
    length = (np.asarray(joint.end) - np.asarray(joint.start))[:, 0]
    scale = np.abs([run["arm.position"], run["blade.position"]]).max()
    assert length - length[0] == pytest.approx(
        (run["blade.position"] - run["arm.position"]) / scale, abs=1e-12
    )
    assert np.ptp(np.asarray(stop.start), axis=0) == pytest.approx(0.0)  # a post of the ground
    assert np.asarray(stop.end)[-1] - np.asarray(stop.end)[0] == pytest.approx(
        [run["blade.position"][-1] / scale, 0.0]
    )


def test_marks_of_a_belt_move_with_its_surface() -> None:
    """x = v t, in units of the greatest deflection, drawn between one mark and the next."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    run = ss.simulate(m, 10.0, dt=0.05)
    moving = [b for b in ss.animation.picture(run).bodies if not b.name and np.any(b.motion)]
    way = 0.2 * run.t / np.abs(run["block.position"]).max()
    pitch = np.diff([b.at(0)[0, 0] for b in moving])
    assert len(moving) == 6 and np.ptp(pitch) < 1e-12
    for mark in moving:
        off = (np.asarray(mark.motion)[:, 0] - way) / pitch[0]
        assert np.abs(off - np.round(off)).max() < 1e-12


def test_mp4_is_written_by_one_call(drive: ss.Trajectory, tmp_path: Path) -> None:
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        pytest.importorskip("imageio_ffmpeg")
    drive.animate(tmp_path / "d.mp4", frames=5)
    head = (tmp_path / "d.mp4").read_bytes()
    assert head[4:8] == b"ftyp" and b"avc1" in head


def test_mp4_without_ffmpeg_names_the_package_to_install(
    drive: ss.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.animation import FFMpegWriter

    monkeypatch.setattr(FFMpegWriter, "isAvailable", classmethod(lambda _: False))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ImportError, match=r'\*\.mp4 needs ffmpeg: pip install "stickslip\[video\]"'):
        drive.animate(tmp_path / "d.mp4", frames=2)


def test_result_plays_in_a_notebook_and_in_a_window(drive: ss.Trajectory) -> None:
    import matplotlib.pyplot as plt

    movie = drive.animate(frames=2)
    assert plt.get_fignums() == [movie._fig.number]
    assert movie._repr_html_().count("data:image/png;base64") == 2


def test_file_leaves_no_figure_open(drive: ss.Trajectory, tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    drive.animate(tmp_path / "d.gif", frames=2)
    assert plt.get_fignums() == []
