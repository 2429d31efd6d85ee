"""Output of a run: the script of the quick start, samples, tables, data sets, pictures."""

import csv
import subprocess
import sys

import numpy as np
import pytest

import stickslip as ss


@pytest.fixture(scope="module")
def run():
    m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
    m.add_friction(
        "belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), normal_load=1.0, surface_velocity=0.2
    )
    return ss.simulate(m, t_end=60.0, dt=0.01, initial={"block.velocity": 0.2})


def test_quick_start_script_prints_its_results(tmp_path):
    pytest.importorskip("matplotlib")
    script = """
import stickslip as ss
m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
law = ss.Coulomb(static=1.0, kinetic=0.8)
m.add_friction("belt", on="block", law=law, normal_load=1.0, surface_velocity=0.2)
run = ss.simulate(m, t_end=60.0, dt=0.01, initial={"block.velocity": 0.2})
print(run.events); print(run.energy.residual)
run.plot("block.position", "belt.force").figure.savefig("belt.png")
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    *table, residual = done.stdout.splitlines()
    assert "2.500000000" in table[2] and "breaks away" in table[2]
    assert float(residual) < 1e-13
    assert (tmp_path / "belt.png").read_bytes()[:4] == b"\x89PNG"


def test_samples_are_on_the_requested_grid(run):
    assert run.success and run.status == "finished"
    assert run.t.shape == (6001,) and np.array_equal(run.t, 0.01 * np.arange(6001))
    assert run.y.shape == (2, 6001) and run.states == ("block.position", "block.velocity")
    assert np.array_equal(run.y[0], run["block.position"])
    assert run["belt.mode"].dtype == np.int8 and set(np.unique(run["belt.mode"])) == {-1, 0}
    assert run["belt.velocity"] == pytest.approx(run["block.velocity"] - 0.2, abs=1e-15)
    assert run["block.acceleration"] == pytest.approx(
        -2 * run["block.position"] - run["belt.force"], abs=1e-14
    )
    assert "belt.force" in run and "belt.forse" not in run
    assert all(run[name].shape == run.t.shape for name in run.signals)


def test_default_samples_include_events_and_both_ends(run):
    r = ss.simulate(run.machine, t_end=60.0, initial={"block.velocity": 0.2})
    assert r.t[0] == 0.0 and r.t[-1] == 60.0 and np.all(np.diff(r.t) > 0)
    assert set(e.time for e in r.events) <= set(r.t)
    assert np.array_equal(run.at(r.t).y, r.y)


@pytest.mark.parametrize(("dt", "t_end"), [(0.1, 0.3), (0.1, 0.7), (1 / 3, 1.0), (0.3, 1.0), (2.0, 1.0)])
def test_grids_end_where_they_should(run, dt, t_end):
    t = ss.simulate(run.machine, t_end=t_end, dt=dt).t
    assert len(t) == int(np.floor(t_end / dt + 1e-9)) + 1 and t[-1] <= t_end
    assert t == pytest.approx(dt * np.arange(len(t)), abs=1e-15)


def test_run_converts_to_xarray(run):
    pytest.importorskip("xarray")
    data = run.to_xarray()
    assert set(data.data_vars) == set(run.signals)
    assert float(data["block.position"].sel(time=2.5)) == pytest.approx(0.5)


def test_run_is_read_like_a_dictionary(run):
    assert list(run) == list(run.keys()) == list(run.signals) and len(run) == len(run.signals)
    assert [name for name, _ in run.items()] == list(run)
    for (name, values), again in zip(run.items(), run.values(), strict=True):
        assert np.array_equal(values, run[name], equal_nan=True) and np.array_equal(
            again, run[name], equal_nan=True
        )
    assert dict(run).keys() == set(run.signals) and bool(run)


def test_run_as_dataframe(run):
    pytest.importorskip("pandas")
    table = run.to_dataframe()
    assert list(table) == list(run) and table.index.name == "time" and table.shape == (6001, len(run))
    assert table.loc[0.5, "block.position"] == run["block.position"][50]
    assert table["belt.mode"].dtype == np.int8


def test_csv_is_read_with_the_same_bits(run, tmp_path):
    run.to_csv(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="") as file:
        names, *rows = csv.reader(file)
    assert names == ["time", *run]
    read = np.array(rows, dtype=float).T
    assert np.array_equal(read, [run.t, *run.values()], equal_nan=True)


def test_matlab_reads_a_struct_for_each_element(run, tmp_path):
    """Read by SciPy; a column for each signal."""
    io = pytest.importorskip("scipy.io")
    run.to_mat(tmp_path / "run.mat")
    read = io.loadmat(tmp_path / "run.mat")
    assert read["time"].shape == (6001, 1)
    for name, values in run.items():
        element, signal = name.split(".")
        assert np.array_equal(read[element][signal][0, 0][:, 0], values, equal_nan=True)


def test_names_forbidden_in_matlab_are_replaced(tmp_path):
    io = pytest.importorskip("scipy.io")
    m = ss.Machine(mass=[1.0, 1.0], names=["2nd axis", "_b"])
    ss.simulate(m, t_end=1.0, dt=0.5).to_mat(tmp_path / "run.mat")
    assert {"x2nd_axis", "x_b"} < set(io.loadmat(tmp_path / "run.mat"))
    twice = ss.Machine(mass=[1.0, 1.0], names=["a b", "a_b"])
    with pytest.raises(
        ValueError, match="signal 'a_b.position' cannot be written: in MATLAB a_b.position is another"
    ):
        ss.simulate(twice, t_end=1.0, dt=0.5).to_mat(tmp_path / "other.mat")
    assert not (tmp_path / "other.mat").exists()


def test_events_convert_to_a_table(run):
    pytest.importorskip("pandas")
    table = run.events.to_dataframe()
    assert len(table) == len(run.events)
    assert list(table["after"][:2]) == ["slip-", "stick"]
    assert table["time"].iloc[0] == pytest.approx(2.5, abs=1e-14)


def test_plot_draws_the_motion(run):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    axes = run.plot("block.position", "belt.force")
    lines = [line for ax in np.ravel(axes.figure.axes) for line in ax.get_lines()]
    drawn = [np.asarray(line.get_ydata()) for line in lines]
    shown = [np.interp(run.t, line.get_xdata(), line.get_ydata()) for line in lines[:1]]
    assert np.abs(shown[0] - run["block.position"]).max() < 1e-3 and len(drawn[0]) != run.t.size
    plt.close(axes.figure)


def test_objects_with_a_machine_are_simulated(run):
    class Holder:
        machine = run.machine

    assert ss.simulate(Holder(), t_end=60.0, initial={"block.velocity": 0.2}).events == run.events
