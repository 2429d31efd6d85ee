"""The measured drive in closed loop: published and required errors, and the command."""

from pathlib import Path

import numpy as np
import pytest
from pace import million_additions, ratio

from stickslip.identify import measured_drive
from stickslip.identify.measured_drive import MODELS, PARTS, Record, Row, Stretch, halves
from stickslip_figures.__main__ import main

PUBLISHED = {"mass": 95.1089, "viscous": 203.5034, "kinetic": 20.3935, "offset": -3.1648}
BEST = MODELS[-1]


def synthetic(seconds: float = 1.0) -> Record:
    """A record of the same form: what the loop itself does, with known friction."""
    t = np.arange(0.0, seconds, 1e-3)
    reference = 0.05 * (1.0 - np.cos(2.0 * np.pi * t / seconds))
    still = Record(t, np.zeros(t.size), reference, np.zeros(t.size), 35.0, 160.0, 243.0)
    stretch = Stretch(still, 0, t.size - 1)
    run = stretch.run(("symmetric",), PUBLISHED)
    return Record(t, run["slide.position"], reference, run["drive.output"], 35.0, 160.0, 243.0)


def test_own_parameters_are_recovered() -> None:
    stretch = Stretch(synthetic(), 0, 999)
    found = stretch.fit(("symmetric",))
    assert found.parameters == pytest.approx(PUBLISHED, rel=2e-3)
    force, position = stretch.errors(("symmetric",), found.parameters)
    assert force < 0.05 and position < 1e-4


def test_a_run_may_begin_in_motion() -> None:
    """The filter's memory at the start of a stretch is what was measured before it."""
    record = synthetic()
    force, position = Stretch(record, 300, 999).errors(("symmetric",), PUBLISHED)
    assert force < 0.2 and position < 1e-4


@pytest.mark.parametrize("parts", MODELS)
def test_models_have_at_most_15_parameters(parts: tuple[str, ...]) -> None:
    start = measured_drive.start_values(parts)
    assert len(start) == 1 + sum(len(PARTS[part]) for part in parts) <= 15
    stretch = Stretch(synthetic(0.2), 0, 199)
    assert stretch.run(parts, start).success


def test_held_out_samples_cover_the_record() -> None:
    stretch = Stretch(synthetic(), 0, 999)
    left = list(measured_drive.held_out(stretch))
    assert [kind for kind, _ in left] == ["time"] * 6 + ["speed"] * 3 + ["travel"] * 4
    for kind in ("time", "travel"):
        covered = np.sum([mask for k, mask in left if k == kind], axis=0)
        assert covered[:-1].min() >= 1
    assert all(0 < mask.sum() < mask.size for _, mask in left)


def test_choice_uses_only_held_out_samples() -> None:
    def row(name: str, parameters: int, held: float, second: float) -> Row:
        numbers = {str(k): 0.0 for k in range(parameters)}
        return Row((name,), numbers, {"time": held, "speed": held}, (0.0, 0.0), (second, second))

    rows = [row("good", 5, 2.0, 9.0), row("tempting", 5, 3.0, 1.0), row("large", 16, 1.0, 1.0)]
    assert measured_drive.chosen(rows).parts == ("good",)


class TestMeasured:
    """The public record."""

    def test_published_law_has_published_errors(self, record: Record) -> None:
        """Over the second half 4.67 % of force and 0.00111 % of position are reported; reached 4.65 and 0.001108."""
        force, position = halves(record)[1].errors(("symmetric",), PUBLISHED)
        assert force == pytest.approx(4.67, abs=0.03)
        assert position == pytest.approx(0.00111, abs=5e-6)

    def test_asymmetric_law_reduces_the_errors(self, record: Record) -> None:
        """Fitted on the first half: 3.74 % and 0.00084 % on the second."""
        first, second = halves(record)
        found = first.fit(("asymmetric",))
        force, position = second.errors(("asymmetric",), found.parameters)
        assert force == pytest.approx(3.74, abs=0.005)
        assert position == pytest.approx(0.00084, abs=5e-6)

    def test_best_model_meets_the_required_error(self, record: Record) -> None:
        """3.55 % is required and 3.3 % hoped for, with 15 parameters in 10 s of one core: 2.37 % with 10."""
        first, second = halves(record)
        fits = []
        additions = ratio(lambda: fits.append(first.fit(BEST)), million_additions)
        (found,) = fits
        force, position = second.errors(BEST, found.parameters)
        assert found.success and len(found.parameters) == 10
        assert force < 2.38 and position < 0.000531
        assert additions < 400.0  # millions, 280 to 360 of them: ten to twelve seconds

    @pytest.mark.slow
    @pytest.mark.timeout(3600)
    def test_held_out_samples_select_the_confirmed_model(self, record: Record) -> None:
        """The samples held out within the first half choose the model that the second half confirms."""
        rows = measured_drive.compare(
            record, (("asymmetric",), ("asymmetric", "degressive"), BEST), progress=False
        )
        best = measured_drive.chosen(rows)
        assert best.parts == BEST
        assert best.second[0] == min(row.second[0] for row in rows)


class TestCommand:
    """Bad paths are one line and exit code 1."""

    @pytest.mark.parametrize("content", [None, b"not a record"])
    def test_bad_path_is_one_line_and_exit_code_1(
        self, content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "x.mat"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(SystemExit) as exit_:
            main(["measured", str(path)])
        assert exit_.value.code == 1
        assert capsys.readouterr().err.startswith("stickslip: error: ")

    def test_missing_path_names_the_variable(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delenv("STICKSLIP_EMPS", raising=False)
        with pytest.raises(SystemExit):
            main(["measured"])
        assert "STICKSLIP_EMPS" in capsys.readouterr().err

    def test_other_matlab_file_is_refused(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        from scipy.io import savemat

        savemat(tmp_path / "x.mat", {"t": [0.0, 1.0]})
        with pytest.raises(SystemExit):
            main(["measured", str(tmp_path / "x.mat")])
        assert "lacks qm, qg" in capsys.readouterr().err
