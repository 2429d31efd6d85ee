"""Runs in files and machines as dictionaries: the same bits again, and damage is an error that says where."""

import copy
import io
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stickslip as ss


def belt() -> ss.Machine:
    m = ss.Machine(
        mass=1.0, stiffness=2.0, names=["block"], force={"block": ss.Sine(amplitude=0.1, frequency=1.0)}
    )
    law = ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.05)
    m.add_friction("belt", on="block", law=law, surface_velocity=0.2)
    m.scales = {"block.position": 0.5}
    return m


def contact() -> ss.Machine:
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81, "x": ss.Ramp(slope=0.1)})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5, gap=0.1)
    lag = ss.StickSlip(ss.Coulomb(0.2, 0.1), memory=ss.Lag(0.01), dwell=0.5, load_factor=0.3)
    m.add_friction("guide", on="x", law=lag, load="floor.normal_force")
    return m


def drive() -> ss.Machine:
    m = ss.Machine(mass=[1.0, 2.0], damping=0.1, stiffness=[[3.0, -1.0], [-1.0, 2.0]], names=["a", "b"])
    lugre = ss.LuGre(
        stiffness=1e4, damping=50.0, viscous=0.1, static=1.2, kinetic=1.0, stribeck_velocity=0.01
    )
    m.add_friction("guide", on=("a", "b"), law=lugre + ss.Table([0.0, 0.1], [0.1, 0.2]), normal_load=0.5)
    m.add_controller(ss.PID(kp=3.0, ki=4.0, kd=1.0, tf=0.01, limits=(None, 2.0)), on="a", reference=1.0)
    m.add_controller(ss.PI(kp=4.0, tn=0.1, period=1e-2), measure="a.velocity", reference="pid.output", to="b")
    m.add_controller(ss.LTI(A=np.zeros((0, 0)), B=np.zeros((0, 1)), C=np.zeros((1, 0)), D=2.0), on="b")
    m.add_controller(
        ss.FrictionFeedforward(ss.Tanh(static=1.0, width=0.01)), reference=ss.Sine(1.0, 1.0), to="b"
    )
    return m


def matrices() -> ss.StateSpace:
    plant = ss.StateSpace(
        A=[[0.0, 1.0], [-1.0, 0.0]], B=[[0.0, 0.0], [1.0, 2.0]], C=np.eye(2), outputs=["x", "v"],
        signals={"u0": ss.Samples([0.0, 1.0, 2.0], [0.0, 1.0, 0.5])},
    )  # fmt: skip
    plant.add_friction("guide", law=ss.Coulomb(1.0, 0.8), on="u0", velocity="x1", feedthrough={"x": 0.1})
    return plant


ALL = [belt, contact, drive, matrices]
each = pytest.mark.parametrize("make", ALL, ids=lambda f: f.__name__)


@each
def test_machine_is_restored_from_json(make: Any) -> None:
    m = make()
    text = json.dumps(m.to_dict(), allow_nan=False)
    again = type(m).from_dict(json.loads(text))
    assert type(again) is type(m) and again == m and json.dumps(again.to_dict()) == text
    before, after = ss.simulate(m, 2.0), ss.simulate(again, 2.0)
    assert after.state == before.state and after.events == before.events
    again.add_friction(
        "other", law=ss.Coulomb(1.0), **({"on": m.names[0]} if m.names else {"on": "u0", "velocity": "x1"})
    )
    assert again != m


def test_a_dictionary_is_readable_and_complete() -> None:
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Ramp(slope=0.2, start=1.0)})
    d = m.to_dict()
    assert d["stickslip"] == ss.__version__ and isinstance(d["format"], int)
    assert d["plant"] == {
        "kind": "mechanical",
        "mass": [[1.0]],
        "damping": [[0.0]],
        "stiffness": [[0.0]],
        "names": ["slide"],
        "rotary": [],
    }
    pieces = [
        {"start": "-inf", "anchor": 0.0, "polynomial": [0.0], "harmonics": []},
        {"start": 1.0, "anchor": 1.0, "polynomial": [0.0, 0.2], "harmonics": []},
    ]
    force = {"pieces": pieces, "input": "", "input_gain": 1.0, "input_default": 0.0}
    force |= {"period": 0.0, "repeats": 0}
    assert d["elements"] == [{"kind": "force", "on": {"slide": 1.0}, "force": force}]


def test_from_dict_refuses_other_formats_kinds_and_damage() -> None:
    d = belt().to_dict()
    with pytest.raises(ValueError, match="another version of stickslip: its format is 1"):
        ss.Machine.from_dict(d | {"format": 1})
    with pytest.raises(ValueError, match="plant of the kind 'mechanical', but a StateSpace is 'matrices'"):
        ss.StateSpace.from_dict(d)
    with pytest.raises(ValueError, match="saved = 'text'"):
        ss.Machine.from_dict("text")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="damaged"):
        ss.Machine.from_dict({k: v for k, v in d.items() if k != "plant"})
    m = ss.Machine(mass=1.0, names=["a"])
    m.add_controller(lambda t, r, y: 0.0, name="mine", on="a", period=0.1)
    with pytest.raises(ValueError, match="controller 'mine' holds a Python function"):
        m.to_dict()


def test_a_friction_without_a_velocity_is_refused() -> None:
    """Found by damaging dictionaries: it ended the interpreter."""
    plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0)
    with pytest.raises(ValueError, match="velocity of 'brake' is missing"):
        plant.add_friction("brake", law=ss.Coulomb(1.0), velocity={}, on="u0")


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*at, key))


WRONG = [None, "text", "inf", "nan", -1, 2, 10**30, 1e308, True, [], {}, [1, 2], [[1.0], [2.0, 3.0]], {"shape": [0, 3]},
         {"shape": [-1, 0]}, {"kind": "none"}, ["Coulomb", {}], {"kind": "Coulomb"}]  # fmt: skip


@each
@pytest.mark.filterwarnings("ignore:.*has no effect")
def test_damage_in_a_dictionary_is_refused_or_harmless(make: Any) -> None:
    """Another value, or nothing, in every place: refused, or a machine that can be asked."""
    m = make()
    whole = m.to_dict()
    for at in places(whole):
        for wrong in [*WRONG, ...]:
            d = copy.deepcopy(whole)
            holder = d
            for key in at[:-1]:
                holder = holder[key]
            if wrong is ...:
                del holder[at[-1]]
            else:
                holder[at[-1]] = wrong
            try:
                other = type(m).from_dict(d)
                other.check()
                _ = other.to_dict(), repr(other), other.states, other.parameters
            except ValueError:
                continue


@each
def test_a_run_is_read_with_the_same_bits(make: Any, tmp_path: Path) -> None:
    run = ss.simulate(make(), 3.0, dt=0.01)
    run.save(tmp_path / "run.any")
    assert [p.name for p in tmp_path.iterdir()] == ["run.any"]
    again = ss.load(tmp_path / "run.any")
    assert isinstance(again, ss.Trajectory)
    assert again.state == run.state and again.events == run.events and again.machine == run.machine
    for name in run.signals:
        np.testing.assert_array_equal(again[name], run[name])
    on = [ss.simulate(one.machine, 4.0, state=one.state).state for one in (run, again)]
    assert on[0] == on[1]
    np.testing.assert_array_equal(again.at([0.5, 1.5]).y, run.at([0.5, 1.5]).y)


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    with pytest.raises(FileNotFoundError):
        ss.load(file)
    archive, evil = io.BytesIO(), io.BytesIO()
    np.savez(archive, a=np.zeros(3))
    np.savez(evil, about=np.array([{"a": 1}], dtype=object))
    for data in (
        b"",
        b"text",
        b"PK text",
        b"PK\x03\x04 text",
        pickle.dumps({"a": 1}),
        archive.getvalue(),
        evil.getvalue(),
    ):
        file.write_bytes(data)
        with pytest.raises(ValueError, match=r"run\.npz is not a saved run, or is damaged") as refused:
            ss.load(file)
        assert "pickle" not in str(refused.value)  # NumPy would advise to load them all the same
    with pytest.raises(ValueError, match="not a store of an ensemble"):
        ss.load(tmp_path)


def packed(about: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    np.savez(out, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)
    return out.getvalue()


def test_files_of_another_format_and_damaged_files_are_refused(tmp_path: Path) -> None:
    """Any byte changed, any end cut off; entries of the description changed behind the checks of the archive."""
    file = tmp_path / "run.npz"
    run = ss.simulate(contact(), 1.0, initial={"y.position": 0.1})
    run.save(file)
    whole = file.read_bytes()
    with np.load(file) as archive:
        about = json.loads(archive["about"].tobytes())
        arrays = {name: archive[name] for name in archive.files if name != "about"}
    file.write_bytes(packed(about, arrays))
    again = ss.load(file)
    assert isinstance(again, ss.Trajectory) and again.state == run.state
    file.write_bytes(packed(about | {"run_format": 9, "stickslip": "7.0"}, arrays))
    with pytest.raises(ValueError, match="another version of stickslip, 7.0: its format is 9"):
        ss.load(file)
    rng = np.random.default_rng(3)
    damaged = [whole[:n] for n in rng.integers(0, len(whole), 40)]
    for k in rng.integers(0, len(whole), 300):
        damaged.append(whole[:k] + bytes([whole[k] ^ int(rng.integers(1, 256))]) + whole[k + 1 :])
    for at in list(places(about))[::7]:
        changed = copy.deepcopy(about)
        holder = changed
        for key in at[:-1]:
            holder = holder[key]
        holder[at[-1]] = WRONG[int(rng.integers(len(WRONG)))]
        damaged.append(packed(changed, arrays))
    refused = 0
    for data in damaged:
        file.write_bytes(data)
        try:
            read = ss.load(file)
            assert isinstance(read, ss.Trajectory)
            _ = read.y, str(read.events), read.energy.residual
        except ValueError as error:
            refused += 1
            assert "run.npz" in str(error)
    assert refused > 0.8 * len(damaged)
