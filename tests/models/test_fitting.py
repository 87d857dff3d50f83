"""One fit of a whole table, for every caller."""

from __future__ import annotations

from linerate.models import ModelFile, fit_models, load_model, save_model
from linerate.tables.runs import read_runs

FOLDS_AND_PARTS = 7


def test_one_fit_gives_the_whole_file_and_tells_how_far_it_is(tmp_path, reference):
    seen = []
    fitting = fit_models(
        read_runs([reference("veth"), reference("veth-split")]),
        model="capacity",
        progress=lambda *step: seen.append(step),
    )
    assert isinstance(fitting.file, ModelFile)
    assert fitting.file.latency is not None
    assert fitting.validation is not None
    assert fitting.file.scores == fitting.validation.scores
    done = [step[1] for step in seen]
    assert done == sorted(done) and seen[-1][1:] == (FOLDS_AND_PARTS, FOLDS_AND_PARTS)
    save_model(fitting.file, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").predictor.model == fitting.file.predictor.model


def test_a_table_of_operations_alone_needs_no_capacity_model(reference):
    fitting = fit_models(read_runs([reference("izolan-mixes")]))
    assert fitting.file.mixes is not None
    assert not fitting.file.by_accesses
    assert fitting.validation is None
