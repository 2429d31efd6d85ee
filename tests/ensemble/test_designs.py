"""Points of a design, the information kept about them, and the display of results."""

import inspect
import pickle
import sys

import numpy as np
import pytest
from ensemble import sweep_builds as builds
from scipy.stats import qmc

import stickslip as ss
from stickslip._progress import bar

SEED = "rng" if "rng" in inspect.signature(qmc.QMCEngine.__init__).parameters else "seed"  # since SciPy 1.15
V, FS = np.linspace(0.1, 0.3, 3), np.linspace(1.0, 1.5, 4)
# Processes are forked where the system does that; pytest-xdist has threads of its own.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def grid(**options: object) -> ss.EnsembleResult:
    return ss.ensemble(
        builds.belt(), {"belt.surface_velocity": V, "block.position": 0.1, "belt.law.static": FS}, 20.0,
        ["events.count", "block.position.final"], **options,
    )  # fmt: skip


def test_a_grid_has_an_axis_for_each_vector() -> None:
    out = grid()
    assert out.shape == (3, 4) and out.dims == ("belt.surface_velocity", "belt.law.static")
    np.testing.assert_array_equal(out.parameters["belt.surface_velocity"], V[:, None] + 0 * FS)
    np.testing.assert_array_equal(out.parameters["belt.law.static"], 0 * V[:, None] + FS)
    assert np.all(out.parameters["block.position"] == 0.1)
    zipped = ss.ensemble(
        builds.belt(),
        {name: values.reshape(-1) for name, values in out.parameters.items()},
        20.0,
        list(out),
        "zip",
    )
    assert zipped.dims == ("run",)
    for name in out:
        np.testing.assert_array_equal(zipped[name], out[name].reshape(-1))


@pytest.mark.parametrize("index", [(0, 0), (2, 1), (-1, -1)])
def test_rerun_of_a_point_is_bitwise_equal(index: tuple[int, int]) -> None:
    out = grid(rtol=1e-6)
    run = out.rerun(index)
    assert len(run.events) == out["events.count"][index]
    assert run.state.x[0] == out["block.position.final"][index]
    built = ss.ensemble(builds.belt, {"speed": V, "static": FS}, 20.0, ["block.position.final"], workers=1)
    assert built.rerun(index).state.x[0] == built["block.position.final"][index]
    for wrong in ((3, 0), (0, 4)):
        with pytest.raises(IndexError):
            out.rerun(wrong)
    with pytest.raises(ValueError, match="index = 3"):
        out.rerun(3)


def test_result_holds_its_design() -> None:
    out = grid(initial={"block.velocity": 0.1}, max_events=50)
    assert out.machine == builds.belt() and out.t_end == 20.0 and out.version == ss.__version__
    assert out.options == {"initial": {"block.velocity": 0.1}, "max_events": 50}
    assert out.design == "grid" and out.seed is None
    again = pickle.loads(pickle.dumps(out))
    assert repr(again) == repr(out) and again.rerun((1, 1)).state == out.rerun((1, 1)).state
    assert repr(out) == (
        "EnsembleResult(events.count, block.position.final over belt.surface_velocity, block.position, "
        "belt.law.static; 3 x 4 points: 12 finished)"
    )


def sobol(seed: int) -> qmc.Sobol:
    return qmc.Sobol(2, **{SEED: seed})


def test_sampler_points_equal_scipys_scaled_points() -> None:
    """Random points are SciPy's, scaled; the same call draws the same; the seed is kept."""
    sampler = sobol(7)
    ends = {"belt.surface_velocity": (0.1, 0.5), "belt.law.static": (1.0, 2.0)}
    out = ss.ensemble(builds.belt(), ends, 5.0, design=sampler, samples=16)
    truth = qmc.scale(sobol(7).random(16), [0.1, 1.0], [0.5, 2.0])
    np.testing.assert_allclose(np.array(list(out.parameters.values())).T, truth, rtol=1e-14)
    assert out.design == "Sobol" and out.shape == (16,) and out.dims == ("run",)
    again = ss.ensemble(builds.belt(), ends, 5.0, design=sampler, samples=16)
    np.testing.assert_array_equal(again.parameters["belt.law.static"], out.parameters["belt.law.static"])
    other = ss.ensemble(builds.belt(), ends, 5.0, design=sobol(8), samples=16)
    assert again.seed == out.seed != other.seed
    bent = {"belt.surface_velocity": [0.1, 0.2, 1.0], "belt.law.static": (1.0, 2.0)}
    drawn = ss.ensemble(builds.belt(), bent, 5.0, design=sampler, samples=16).parameters[
        "belt.surface_velocity"
    ]
    assert np.sum(drawn < 0.2) == 8
    with pytest.raises(ValueError, match=r"design = Sobol\(d=2\) does not fit 1 parameters"):
        ss.ensemble(builds.belt(), {"belt.law.static": (1.0, 2.0)}, 5.0, design=sampler)
    with pytest.raises(ValueError, match=r"parameters\['belt.law.static'\] = 1.0 .*low, high"):
        ss.ensemble(builds.belt(), ends | {"belt.law.static": 1.0}, 5.0, design=sampler)
    with pytest.raises(ValueError, match="samples = 0"):
        ss.ensemble(builds.belt(), ends, 5.0, design=sampler, samples=0)


def broken(run: ss.Trajectory) -> float:
    if run["block.position"].max() > 0.6:
        raise RuntimeError("too far")
    return 1.0


def chain(speed: float, k: float) -> ss.Machine:
    return builds.belt(speed * k)


def nothing(run: ss.Trajectory) -> None:
    return None


def test_failing_function_sets_the_status() -> None:
    varied = {"belt.surface_velocity": [0.1, 0.5]}
    out = ss.ensemble(
        builds.belt(), varied, 20.0, [broken, "block.position.max"], initial={"block.velocity": 0.1}
    )
    assert list(out.status) == ["finished", "failed"] and out.messages[1] == "RuntimeError: too far"
    assert out["broken"][0] == 1.0 and np.isnan(out["broken"][1]) and out["block.position.max"][1] > 0.6
    out = ss.ensemble(builds.belt(), varied, 20.0, [nothing])
    assert "the result of nothing = None is not allowed: it must be a number" in out.messages[0]
    out = ss.ensemble(lambda speed: speed, {"speed": [1.0]}, 20.0, workers=1)
    assert "<lambda> = 1.0 is not allowed: it must be a machine" in out.messages[0]


def test_builder_function_names_are_checked() -> None:
    with pytest.raises(KeyError, match="belt has no parameter 'sped'; known are: 'speed', 'static'"):
        ss.ensemble(builds.belt, {"sped": [0.1]}, 1.0)
    with pytest.raises(ValueError, match="chain needs 'speed' as well: .*functools.partial"):
        ss.ensemble(chain, {"k": [0.1]}, 1.0)


def test_results_convert_to_tables() -> None:
    pandas = pytest.importorskip("pandas")
    out = grid()
    table = out.to_dataframe()
    assert isinstance(table, pandas.DataFrame) and len(table) == 12
    row = table[(table["belt.surface_velocity"] == V[1]) & (table["belt.law.static"] == FS[2])]
    assert float(row["block.position.final"].iloc[0]) == out["block.position.final"][1, 2]
    assert set(table["status"]) == {"finished"}
    shown = out._repr_html_()
    assert "<td>m/s</td><td>0.1</td><td>0.3</td>" in shown and "12 finished" in shown


def test_results_are_drawn_as_line_and_map() -> None:
    pytest.importorskip("matplotlib")
    line = ss.ensemble(
        builds.belt(), {"belt.law.static": [1.0, 1.5, 0.5]}, 20.0, ["block.position.max"]
    ).plot()
    x, y = line.lines[0].get_data()
    assert list(x) == [0.5, 1.0, 1.5] and np.isnan(y[0]) and np.isfinite(y[1:]).all()
    assert (line.get_xlabel(), line.get_ylabel()) == ("belt.law.static", "block.position.max [m]")
    out = grid()
    picture = out.plot("block.position.final")
    assert (picture.get_xlabel(), picture.get_ylabel()) == ("belt.surface_velocity [m/s]", "belt.law.static")
    np.testing.assert_array_equal(
        picture.collections[0].get_array().reshape(4, 3), out["block.position.final"].T
    )
    ends = {"belt.surface_velocity": (0.1, 0.5), "belt.law.static": (1.0, 2.0)}
    cloud = ss.ensemble(builds.belt(), ends, 5.0, design=qmc.Halton(2), samples=10).plot()
    assert len(cloud.collections[0].get_offsets()) == 10
    with pytest.raises(ValueError, match="0 parameters"):
        ss.ensemble(builds.belt(), {"belt.law.static": 1.0}, 1.0).plot()


def test_progress_is_shown_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    with bar(3, "run") as hidden:
        hidden.update(3)
    assert capfd.readouterr().err == ""
    with bar(3, "run", progress=True) as shown:
        shown.delay = 0.0
        shown.update(3)
    assert "3/3" in capfd.readouterr().err


def test_progress_without_tqdm_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with bar(3, "run") as hidden:
        hidden.update()
    with pytest.raises(ImportError, match=r"progress=True needs tqdm: pip install \"stickslip\[data\]\""):
        bar(3, "run", progress=True)
