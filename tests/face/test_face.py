"""``import linerate as lr``: runs, a model, one prediction, a table of them, a validation."""

import subprocess
import sys
from dataclasses import fields

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from threadpoolctl import threadpool_info, threadpool_limits

import linerate as lr
from linerate.errors import BadInputError
from linerate.models.regression import LogOls
from linerate.records import Predictions

from ..models.planted import cells_table, lab_table

CELL = {"program": "map_lookup", "memory_accesses": 300, "frame_bytes": 64, "queues": 2}


@pytest.fixture(scope="module")
def runs(repository):
    return lr.read(str(repository / "data/reference-veth"))


@pytest.fixture(scope="module")
def model(runs):
    return lr.fit(runs, progress=False)


@pytest.fixture(scope="module")
def few():
    """Runs that are fitted at once."""
    return lab_table(queues=(1,), accesses=(0, 100, 400, 800), sizes=(64, 512), reloads=2)


def test_everything_is_offered_and_nothing_is_loaded_before_it_is_used():
    code = "import sys, linerate; print(sorted(dir(linerate))); print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, loaded = done.stdout.splitlines()
    assert names == str(sorted(lr.__all__))
    assert loaded == "False"
    assert all(callable(getattr(lr, name)) for name in lr.__all__ if name != "plot")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute"):
        lr.predict  # noqa: B018


def test_ten_lines_go_from_a_folder_to_an_answer(runs, model, tmp_path):
    answer = model.predict("xdp_native", **CELL)
    assert 3.6 < answer.lower_mpps < answer.predicted_mpps < answer.upper_mpps < 4.8
    assert answer.lower_mpps < answer.lower_median_mpps < answer.predicted_mpps
    assert answer.predicted_mpps < answer.upper_median_mpps < answer.upper_mpps
    assert (answer.bottleneck, answer.in_domain) == ("service", True)
    assert answer.sustains_line_rate < 0.01
    assert "Mpps (" in str(answer)
    model.save(tmp_path / "model.json")
    again = lr.load(str(tmp_path / "model.json")).predict("xdp_native", **CELL)
    assert again.predicted_mpps == answer.predicted_mpps
    assert model.validation.scores.error.median_percent < 3.0


def test_a_table_keeps_its_columns_and_gets_those_of_predictions(model):
    cells = cells_table(memory_accesses=[0, 300], queues=2).assign(note=["a", "b"])
    table = model.predict(cells)
    assert list(table.columns[: len(cells.columns)]) == list(cells.columns)
    one = model.predict("xdp_native", **CELL)
    assert table["predicted_mpps"].iloc[1] == one.predicted_mpps
    assert len(table.columns) == len(cells.columns) + len(fields(Predictions))


def test_a_load_adds_latency_and_cpu(model):
    answer = model.predict("xdp_native", **CELL, offered_mpps=1.0)
    # utilisation is 0.24; cores that look for work, and the generator on them, are busier
    assert answer.load.cpu_busy_ratio == pytest.approx(0.354, rel=0.05)
    assert answer.load.latency_mean_us is None
    assert "without runs of the split mode" in answer.load.why_no_latency
    assert model.predict("xdp_native", **CELL).load is None


@pytest.mark.parametrize(
    ("factors", "predicted"),
    [
        ({"queues": 2}, "missing memory_accesses, frame_bytes"),
        (CELL | {"offered_mpps": 20}, r"offered_mpps=20: above line rate \(14.88 Mpps\)"),
        (CELL | {"program": "nat"}, "not fitted on it"),
    ],
)
def test_half_a_question_is_refused(model, factors, predicted):
    with pytest.raises(BadInputError, match=predicted):
        model.predict("xdp_native", **factors)


def test_a_question_is_a_cell_or_a_table(model):
    with pytest.raises(BadInputError, match="named with factors of one cell"):
        model.predict(cells_table(), queues=2)
    with pytest.raises(BadInputError, match="the table has them already"):
        model.predict(cells_table().assign(predicted_mpps=1.0))


def test_a_model_says_with_how_many_queues_a_program_fits(model):
    answers = model.fits("map_lookup", memory_accesses=0, datapath="xdp_native")
    assert [answer.frame_bytes for answer in answers] == [64, 128, 256, 512, 1024, 1500]
    assert answers[-1].sustains
    with pytest.raises(BadInputError, match=r"ask by name: linerate fits map_lookup"):
        model.fits("build/bpf/map_lookup.bpf.o", memory_accesses=0)


def test_runs_are_filtered_by_column(runs):
    some = runs.filter(datapath="xdp_native", queues=[1, 2])
    assert len(some) == (runs.table["datapath"] == "xdp_native").sum()
    assert some.programs == ("xdp_native/map_lookup",)
    with pytest.raises(BadInputError, match="column=moon"):
        runs.filter(moon=1)


def test_several_paths_are_read_as_one_table(repository):
    folder = repository / "data/reference-veth"
    assert len(lr.read(folder, folder / "runs.csv")) == 2 * len(lr.read(folder))
    with pytest.raises(BadInputError, match="nothing is named"):
        lr.read()


def test_a_validation_does_linear_algebra_in_one_thread(few, monkeypatch):
    """A validation of reference-izolan took 8.4 s of CPU by two threads, and 1.5 s by one."""
    fit, threads = LogOls.fit, set[int]()

    def watched(training):
        threads.update(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return fit(training)

    monkeypatch.setattr(LogOls, "fit", staticmethod(watched))
    with threadpool_limits(2, user_api="blas"):
        lr.validate(few, models=["log_ols"], progress=False)
        after = {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
    assert threads == {1}
    assert after == {2}, "only while it lasts"


def test_a_table_of_ones_own_is_fitted_and_validated(few):
    model = lr.fit(few, "log_ols", progress=False)
    assert model.predict("xdp_native", memory_accesses=200, frame_bytes=64, queues=1).in_domain
    validation = lr.validate(few, models=["log_ols"], progress=False)
    assert list(validation.table["model"]) == ["log_ols"]
    assert "noise floor" in str(validation)
    with pytest.raises(BadInputError, match=r"of=cpu: not supported together with by=all"):
        lr.validate(few, of="cpu", by="all")
    with pytest.raises(BadInputError, match="missing"):
        lr.fit(pd.DataFrame({"datapath": ["xdp_native"]}))


def test_everything_shows_itself_in_a_notebook(runs, model, few):
    answer = model.predict("xdp_native", **CELL)
    validation = lr.validate(few, models=["log_ols"], progress=False)
    for shown in (runs, model, answer, validation):
        assert shown._repr_html_().startswith("<pre")
    assert "<table" in runs._repr_html_()


def test_names_in_a_table_are_no_markup(few):
    shown = lr.Runs(table=few.assign(program="<script>"))._repr_html_()
    assert "<script>" not in shown


def test_measure_is_a_folder_of_modules_and_a_verb(tmp_path):
    from linerate.measure.trials.lint import lint

    assert callable(lint)
    with pytest.raises(BadInputError, match=r"nowhere\.toml"):
        lr.measure(tmp_path / "nowhere.toml", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_figures_are_drawn_in_the_axes_that_are_given(runs, model):
    figure, (left, right) = plt.subplots(1, 2)
    drawn = model.plot("queue_scaling", runs.filter(memory_accesses=0), ax=left)
    assert drawn is left
    assert lr.plot.queue_scaling(runs.filter(memory_accesses=0), model, ax=right) is right
    assert right.lines
    plt.close(figure)


def test_figures_of_several_panels_get_a_figure_of_their_own(runs, model):
    axes = model.plot("throughput_by_accesses", runs)
    assert axes.shape == (2, 2)
    assert plt.get_fignums() == [axes[0, 0].figure.figure.number]
    plt.close("all")


def test_the_figures_are_those_of_a_report():
    assert {"throughput_by_accesses", "line_rate_map"} < set(dir(lr.plot))
    with pytest.raises(AttributeError, match="no figure 'moon'; it has"):
        lr.plot.moon  # noqa: B018
