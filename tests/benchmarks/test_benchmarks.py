"""The benchmarks run, and what they time is right; times themselves are not judged here."""

import json

import pytest

from benchmarks import run


@pytest.mark.timeout(1500)  # where the engine has to be compiled first
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_quick_benchmark_runs(tmp_path, capsys):
    file = tmp_path / "times.json"
    rows = run.main(["--quick", "--json", str(file), "--seed", "1"])
    printed = capsys.readouterr().out
    stored = json.loads(file.read_text(encoding="utf-8"))
    assert stored["rows"] == rows and stored["about"]["quick"]
    assert printed.count("P6: ") == 4 and printed.count("P9: ") == 5
    for row in rows:
        assert row["solver"] in printed
        assert row["best_s"] > 0.0
    ours = {row["solver"]: row["error"] for row in rows if row["ours"]}
    assert ours["stickslip engine"] < 1e-12
    assert ours["stickslip engine 1e-06"] < 1e-5
    assert all(str(e).endswith(", 10") for s, e in ours.items() if s.startswith("stickslip lemke"))
    steps = [e for s, e in ours.items() if s.startswith("stickslip.RealTime")]
    assert len(steps) == 9 and all(float(e.split()[0]) < 2e-9 for e in steps)
    assert ours["stickslip many contacts"] < 1e-12
    (pendulum,) = (row for row in rows if row["ours"] and row["problem"].startswith("P8"))
    assert pendulum["error"] < 1e-6
    assert ours["stickslip tape"] < 1e-14 and ours["stickslip jacobian tape"] < 1e-14
