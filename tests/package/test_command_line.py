"""The command line: what it prints, what it writes, and how it answers bad input."""

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import stickslip
import stickslip_figures
from stickslip_figures import Check, Input, Origin, Result
from stickslip_figures import __main__ as cli


def command(*arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
    start = [sys.executable, "-c", code] if code else [sys.executable, "-m", "stickslip_figures"]
    return subprocess.run([*start, *arguments], capture_output=True, text=True, timeout=120)


def test_help_lists_the_commands() -> None:
    done = command("--help")
    assert done.returncode == 0 and done.stderr == ""
    assert "list" in done.stdout and "figures" in done.stdout


def test_version_is_printed() -> None:
    assert command("--version").stdout == f"stickslip {stickslip.__version__}\n"


def test_list_names_all_figures() -> None:
    done = command("list")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == stickslip_figures.names()


@pytest.fixture(scope="module")
def produced(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """One figure in a folder that did not exist."""
    out = tmp_path_factory.mktemp("figures") / "new" / "folder"
    return command("figures", "servo_2", "--out", str(out)), out


def test_one_figure_writes_its_files(produced: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    done, out = produced
    assert done.returncode == 0, done.stderr
    written = {path.name for path in out.iterdir()}
    assert written == {"servo_2.png", "servo_2.csv", "checks.csv", "inputs.csv"}
    table = done.stdout.splitlines()
    titles = "figure quantity computed expected tolerance verdict expected from source"
    assert table[0].split() == titles.split()
    assert table[1].startswith("servo_2  force just above rest [N]") and "agrees   closed form" in table[1]
    assert "servo_2  printed  section 2.1: vs = 0.001 m/s, δ = 1 or 2" in table
    assert table[-1].startswith("1 picture")


def test_checks_are_saved(produced: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    _, out = produced
    with (out / "checks.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["figure"] for row in rows} == {"servo_2"}
    for row in rows:
        assert float(row["computed"]) - float(row["expected"]) == float(row["deviation"])
        assert row["verdict"] == "agrees" and row["expected from"] in {str(origin) for origin in Origin}
        assert row["source"] and row["relation"] == "=" and float(row["tolerance"]) > 0.0
    with (out / "inputs.csv").open(encoding="utf-8") as file:
        given = list(csv.DictReader(file))
    assert {row["how"] for row in given} == {"printed", "chosen"}
    assert ("Fs", "1.5", "N") in {(row["name"], row["value"], row["unit"]) for row in given}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["figures", "no_such_figure"], "unknown figure 'no_such_figure'; known are: belt"),
        (["figures", "--jobs", "0"], "jobs = 0 is not allowed"),
        (["figures", "--jobs", "many"], "--jobs"),
        (["figures", "--nonsense"], "--nonsense"),
        (["dance"], "dance"),
        ([], "COMMAND"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_1(
    arguments: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([*arguments, *(["--out", str(tmp_path)] if arguments[:1] == ["figures"] else [])])
    assert ended.value.code == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("stickslip: error: ") and printed.err.count("\n") == 1
    assert text in printed.err
    assert not list(tmp_path.iterdir())


def test_file_in_place_of_the_output_folder_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for out in (file, file / "below"):
        with pytest.raises(SystemExit) as ended:
            cli.main(["figures", "servo_2", "--out", str(out)])
        assert ended.value.code == 1
        error = capsys.readouterr().err
        assert error.startswith(f"stickslip: error: cannot write to '{out}': ") and error.count("\n") == 1


def test_missing_matplotlib_names_the_extra(tmp_path: Path) -> None:
    code = "import sys; sys.modules['matplotlib'] = None; from stickslip_figures.__main__ import main; sys.exit(main())"
    done = command("figures", "servo_2", "--out", str(tmp_path), code=code)
    assert done.returncode == 1
    assert done.stderr == 'stickslip: error: pictures need matplotlib: pip install "stickslip[figures]"\n'


GIVEN = (Input("k", 60.0, "Nm/rad", "fitted", "a rest of 0.025 s"), Input("c", 1.0, "N/m", "chosen"))


def check(computed: float, origin: Origin = Origin.CLOSED_FORM, reason: str = "") -> Check:
    return Check("x", "m", computed, 1.0, 0.1, origin, "a figure", reason)


def results(*checks: Check) -> Iterator[Result]:
    yield Result("sample", checks, GIVEN, (Path("sample.png"),), 0.1)


def test_a_source_that_cannot_be_met_is_shown_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = check(0.287, Origin.PRINTED, "the source deforms, this is rigid")
    monkeypatch.setattr(cli.figures, "run", lambda *_: results(known))
    assert cli.main(["figures", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "differs" in said and "    because: the source deforms, this is rigid\n" in said


@pytest.mark.parametrize("computed", [1.2, float("nan"), float("inf")])
def test_a_number_that_is_off_fails(
    computed: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli.figures, "run", lambda *_: results(check(computed)))
    assert cli.main(["figures", "--out", str(tmp_path)]) == 1
    assert "FAILS" in capsys.readouterr().out


def test_the_summary_counts_origins_and_inputs_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = check(2.0, Origin.PRINTED, "known")
    words = check(1.0, Origin.CLAIMED)
    mixed = (check(1.0), check(1.0, Origin.PRINTED), known, known, words, check(1.0, Origin.PACKAGE))
    monkeypatch.setattr(cli.figures, "run", lambda *_: results(*mixed))
    assert cli.main(["figures", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out.splitlines()
    summary = said[said.index("expected from        agrees  differs  FAILS") :]
    assert [line.split()[-3:] for line in summary[1:6]] == [
        ["1", "2", "0"],
        ["1", "0", "0"],
        ["1", "0", "0"],
        ["0", "0", "0"],
        ["1", "0", "0"],
    ]
    assert summary[6] == "inputs, not checked: 0 printed, 1 chosen, 1 fitted"
    assert "sample  fitted to  a rest of 0.025 s: k = 60 Nm/rad" in said


def test_a_bound_is_printed_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bound = Check("gap", "m", 0.2, 0.0, 0.0, Origin.PRINTED, "a figure", relation=">")
    monkeypatch.setattr(cli.figures, "run", lambda *_: results(bound))
    assert cli.main(["figures", "--out", str(tmp_path)]) == 0
    assert "> 0" in capsys.readouterr().out.splitlines()[1]


def test_interruption_prints_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> Iterator[Result]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(cli.figures, "run", interrupted)
    assert cli.main(["figures", "--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "stickslip: interrupted\n"


def test_progress_is_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    two = [Result("quick", (), (), (), 0.5), Result("slow", (), (), (), 1.0)]
    assert list(cli._counted(two, 2, None)) == two
    assert capsys.readouterr().err == ""
    assert list(cli._counted(two, 2, True)) == two
