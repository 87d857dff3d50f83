"""The picture of several models on several splits: what is drawn is what was found."""

import numpy as np
import pandas as pd
import pytest

from linerate.cli import main
from linerate.errors import BadInputError
from linerate.models import MODELS, LogOls, training_of, validate_all
from linerate.models.validation.by_split import Known, of_models, of_scores
from linerate.reports import FIGURES, figure_named
from linerate.reports.drawing.style import colour
from linerate.reports.language import Words
from linerate.reports.validation.files import check_picture
from linerate.reports.validation.splits import dashes, draw_splits, splits_table, write_picture


@pytest.fixture(scope="module")
def found(serial_runs):
    training = training_of(serial_runs)
    return [*validate_all([LogOls], training), *validate_all([LogOls], training, by="frame_bytes")]


def test_shares_rise_with_the_error_up_to_all_cells(found):
    table = splits_table(found)
    for _, rows in table.groupby("by"):
        ordered = rows.sort_values("share")
        assert (np.diff(ordered["error_percent"]) >= 0.0).all()
        assert ordered["share"].iloc[-1] == pytest.approx(1.0)


def test_the_table_says_what_the_scores_say(found):
    table = splits_table(found)
    for validation in found:
        rows = table[table["by"] == validation.scores.by]
        assert rows["error_percent"].median() == pytest.approx(
            validation.scores.error.median_percent
        )


def test_each_split_has_a_row_with_every_cell_and_every_model(found):
    table = splits_table(found)
    figure = draw_splits(table, Words()).whole
    assert len(figure.axes) == 2 * 2
    marks = sum(
        np.size(line.get_xdata())
        for line in figure.axes[0].get_lines()
        if line.get_linestyle() == "None"
    )
    assert marks == (table["by"] == "group").sum()


def test_picture_and_table_are_written_together(found, tmp_path):
    written = write_picture(tmp_path / "errors.png", found, "lab")
    assert written[0].read_bytes().startswith(b"\x89PNG")
    read = pd.read_csv(written[1])
    assert len(read) == sum(validation.scores.cells for validation in found)


@pytest.mark.parametrize("name", ["errors.svg", "errors", "nowhere/errors.png"])
def test_what_is_no_picture_is_refused_before_anything_is_fitted(tmp_path, name):
    with pytest.raises(BadInputError, match="figure="):
        check_picture(tmp_path / name)


def test_all_splits_that_the_runs_allow_are_printed(serial_runs, tmp_path, capsys):
    small = serial_runs.query("queues == queues.min() and datapath == 'xdp_native'")
    small.to_csv(tmp_path / "runs.csv", index=False)
    with pytest.raises(SystemExit) as ended:
        main(["validate", str(tmp_path / "runs.csv"), "--by", "all", "--kind", "capacity",
              "--kind", "log_ols", "--figure", str(tmp_path / "errors.pdf")])  # fmt: skip
    assert ended.value.code == 0
    output = capsys.readouterr()
    for split in ("group", "frame_bytes", "memory_accesses", "random"):
        assert f"Held out by {split}:" in output.out
    assert "Held out by queues" not in output.out
    assert "not held out by queues: by=queues: every run has queues=" in output.err
    assert (tmp_path / "errors.pdf").read_bytes().startswith(b"%PDF")
    beside = pd.read_csv(tmp_path / "errors-by-split.csv")
    assert {"capacity", "log_ols", "floor"} == set(beside["model"])
    assert set(beside["by"]) == {"group", "frame_bytes", "memory_accesses", "random"}


def test_models_are_compared_by_what_validation_says_of_them(section, found):
    """A report holds out anew only what its fit has not held out, and finds the same."""
    drawn = figure_named("models-by-split", FIGURES).table(section)
    assert isinstance(drawn, pd.DataFrame)
    scores = section.validation.scores
    rows = {(row["of"], row["by"], row["model"]): row for row in drawn.to_dict("records")}
    assert rows["rate", "group", "capacity"]["median_percent"] == scores.error.median_percent
    assert rows["rate", "group", "floor"]["p90_percent"] == scores.noise_floor.p90_percent
    by_size = next(of_scores([one.scores for one in found if one.scores.by == "frame_bytes"]))
    known = Known(scores=scores)
    again = next(of_models(section.training, ["frame_bytes"], [LogOls], known))
    assert again.error.mean_percent == pytest.approx(by_size.error.mean_percent)
    assert drawn[drawn["series"] == "measured"]["runs"].sum() == len(section.training)


def test_no_two_models_look_alike():
    looks = {(colour(index), dashes(index)) for index, _ in enumerate(MODELS)}
    assert len(looks) == len(MODELS)
