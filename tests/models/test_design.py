"""Which cells are chosen to be measured, and what a model learns from them."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from linerate.cli.app import app_for
from linerate.errors import BadInputError
from linerate.measure.campaign.campaign import read_campaign
from linerate.models import Capacity, Cells, Pair, cells_of, training_of
from linerate.models.capacity.error import log_slopes
from linerate.models.capacity.prior import DEVIATION, LOAD_SPREAD
from linerate.models.design.adaptive import Chooser
from linerate.models.design.candidates import costs_of
from linerate.models.design.choice import choose_cells, guessed_path
from linerate.models.design.unknown import CONSTANT, NEAR, unknown_of
from linerate.models.loans import loan_of, predictor_of_box
from linerate.models.runs.limit_names import LIMITS
from linerate.tables.runs import read_runs

from .planted import lab_table, planted_box

NATIVE = Pair("xdp_native", "map_lookup")


@pytest.fixture(scope="module")
def candidates(lab_runs):
    return training_of(lab_runs).medians().cells


@pytest.fixture(scope="module")
def guessed(candidates):
    return [guessed_path(pair) for pair in candidates.pairs]


def test_cells_that_only_show_the_line_are_not_measured(guessed, candidates):
    design = choose_cells(guessed, candidates, 20)
    model = Capacity(paths=tuple(guessed))
    limits = model.limits(candidates.take(design.rows))
    far_below = limits.ceiling_mpps < 0.5 * limits.service_mpps
    assert not (far_below & (limits.bottleneck == LIMITS[3])).any()


def test_every_run_leaves_less_unknown(guessed, candidates):
    design = choose_cells(guessed, candidates, 24)
    unknown = [design.spread_before, *design.spread_after]
    assert (np.diff(unknown) < 0.0).all()
    assert unknown[-1] < 0.25 * unknown[0]


def test_what_was_measured_is_not_asked_for_again(guessed, candidates):
    first = choose_cells(guessed, candidates, 8)
    again = choose_cells(guessed, candidates, 1, measured=candidates.take(first.rows))
    assert again.spread_before == pytest.approx(first.spread_after[-1])
    assert again.rows[0] not in first.rows


def test_a_plan_is_better_than_chance(guessed, candidates):
    rng = np.random.default_rng(5)
    planned = choose_cells(guessed, candidates, 12).spread_after[-1]
    chance = [
        choose_cells(
            guessed, candidates, 1,
            measured=candidates.take(rng.choice(len(candidates), 12, replace=False)),
        ).spread_before
        for _ in range(10)
    ]  # fmt: skip
    assert planned < min(chance)


def test_one_cell_is_known_up_to_its_luck(guessed, candidates):
    slow = np.flatnonzero(candidates.memory_accesses == 12800)[:1]
    design = choose_cells(guessed, candidates.take(slow), 1)
    assert design.spread_after[0] == pytest.approx(
        (design.spread_before**-2 + LOAD_SPREAD**-2) ** -0.5, rel=1e-6
    )


def test_a_few_planned_runs_fit_as_well_as_many(guessed, candidates):
    runs = lab_table(noise=0.0)
    training = training_of(runs)
    medians = training.medians()
    design = choose_cells(guessed, medians.cells, 24)
    model = Capacity.fit(medians.take(np.unique(design.rows)))
    error = model.limits(medians.cells).predicted_mpps / medians.forwarded_mpps - 1.0
    assert np.abs(error).max() < 0.02


@pytest.fixture(scope="module")
def lopsided():
    """Give runs of a path of many cells, and of one of four that are worth little beside them."""
    runs = lab_table(queues=(1, 2, 4), noise=0.0, reloads=1)
    few = (runs["queues"] == 1) & (runs["frame_bytes"] == 64)
    kept = (runs["datapath"] == "xdp_native") | (few & (runs["memory_accesses"] >= 1600))
    return training_of(runs[kept])


def test_each_path_gets_the_cells_that_a_fit_needs_before_the_rest_is_chosen(lopsided):
    cells = lopsided.medians().cells
    guessed = [guessed_path(pair) for pair in cells.pairs]
    rows = choose_cells(guessed, cells, 6).rows
    assert np.unique(rows).size == 6
    assert np.bincount(cells.pair[rows]).tolist() == [3, 3]
    medians = lopsided.medians()
    assert len(Capacity.fit(medians.take(rows)).paths) == 2
    more = choose_cells(guessed, cells, 24).rows
    assert more[:6].tolist() == rows.tolist()
    assert np.bincount(cells.pair[more])[cells.pairs.index(NATIVE)] > 16


def test_cells_that_were_measured_count_to_those_that_a_fit_needs(lopsided):
    cells = lopsided.medians().cells
    guessed = [guessed_path(pair) for pair in cells.pairs]
    few = np.flatnonzero(cells.pair != cells.pairs.index(NATIVE))
    native = np.flatnonzero(cells.pair == cells.pairs.index(NATIVE))
    there = np.concatenate([few[[0, 1, 1, 1]], native[:3]])
    chosen = choose_cells(guessed, cells, 2, measured=cells.take(there)).rows
    assert chosen[0] in few[2:]
    assert chosen[1] in native


def drawn_cells(count, pairs=(NATIVE,)):
    """Draw cells without an end of the link, so that only the servers are unknown."""
    rng = np.random.default_rng(3)
    return Cells(
        pairs=pairs, pair=rng.integers(len(pairs), size=count), link_gbps=np.full(count, np.inf),
        memory_accesses=rng.integers(0, 12801, count).astype(float),
        queues=rng.integers(1, 17, count).astype(float),
        frame_bytes=rng.integers(64, 1519, count).astype(float),
        offered_mpps=np.full(count, np.inf),
    )  # fmt: skip


def test_features_add_up_to_the_covariance_of_all_cells():
    cells, path = drawn_cells(40), guessed_path(NATIVE)
    measured = cells.take(np.arange(5))
    places = np.column_stack([
        np.log2(cells.memory_accesses + 1.0), np.log2(cells.queues), np.log2(cells.frame_bytes),
    ]) / NEAR  # fmt: skip
    apart = ((places[:, None] - places) ** 2).sum(axis=2)
    slopes = log_slopes(path, cells)
    whole = CONSTANT**2 * slopes @ slopes.T + DEVIATION**2 * np.exp(-0.5 * apart)
    gain = whole[:, :5] @ np.linalg.inv(whole[:5, :5] + LOAD_SPREAD**2 / 2 * np.eye(5))
    expected = whole - gain @ whole[:5]
    unknown = unknown_of(path, cells, measured, np.full(5, 2.0))
    np.testing.assert_allclose(unknown.variance, np.diag(expected), rtol=1e-6)
    np.testing.assert_allclose(unknown.shared, (expected**2).sum(axis=0), rtol=1e-6)
    after = unknown.measured(9)
    expected -= np.outer(expected[9], expected[9]) / (expected[9, 9] + LOAD_SPREAD**2)
    np.testing.assert_allclose(after.variance, np.diag(expected), rtol=1e-6)
    np.testing.assert_allclose(after.shared, (expected**2).sum(axis=0), rtol=1e-6)


def test_a_plan_needs_no_table_of_all_cells_by_all_cells():
    cells = drawn_cells(4000, (NATIVE, Pair("xdp_generic", "map_lookup")))
    cells = replace(cells, memory_accesses=np.round(cells.memory_accesses, -3),
                    frame_bytes=np.round(cells.frame_bytes, -2) + 64.0)  # fmt: skip
    tracemalloc.start()
    try:
        choose_cells([guessed_path(pair) for pair in cells.pairs], cells, 3)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 0.5 * 8 * len(cells) ** 2


def test_no_budget_is_refused(guessed, candidates):
    with pytest.raises(BadInputError, match="budget=0"):
        choose_cells(guessed, candidates, 0)


def test_a_foreign_pair_is_refused(guessed, candidates):
    foreign = cells_of(lab_table(reloads=1).assign(program="other"))
    with pytest.raises(BadInputError, match="xdp_native/other: the model was not fitted on it"):
        choose_cells(guessed, foreign, 3)


def test_plan_writes_the_cells_to_measure_next(lab_runs, tmp_path):
    lab_runs.to_csv(tmp_path / "runs.csv", index=False)
    output = CliRunner().invoke(
        app_for(["plan"]),
        ["plan", str(tmp_path / "runs.csv"), "--budget", "5", "--out", str(tmp_path / "n.csv")],
    )
    assert output.exit_code == 0, output.output
    written = cells_of(pd.read_csv(tmp_path / "n.csv"))
    assert len(written) == 5


def test_plan_begins_with_cells_alone(lab_runs, tmp_path):
    factors = ["datapath", "program", "memory_accesses", "queues", "frame_bytes", "link_gbps"]
    lab_runs[factors].drop_duplicates().to_csv(tmp_path / "cells.csv", index=False)
    output = CliRunner().invoke(
        app_for(["plan"]),
        ["plan", "--cells", str(tmp_path / "cells.csv"), "--budget", "4", "--json"],
    )
    assert output.exit_code == 0, output.output
    assert output.output.count("unknown_after") == 4


def test_plan_begins_with_the_costs_of_a_box(candidates, tmp_path):
    costs = {"xdp_native.map_lookup.base_ns": 5.0, "xdp_native.map_lookup.access_ns": 0.25}
    lent = loan_of({"small": predictor_of_box(planted_box(costs))}).prior
    paths = {path.pair: path for path in costs_of(candidates, None, lent)[0]}
    known = paths[NATIVE].base_ns, paths[NATIVE].access_ns
    assert known == (pytest.approx(5.0), pytest.approx(0.25))
    generic = Pair("xdp_generic", "map_lookup")
    assert paths[generic] == guessed_path(generic)


def test_plan_chooses_among_the_cells_of_a_campaign(repository):
    argv = ["plan", "--cells", str(repository / "data/campaigns/quick.toml"), "--budget", "3"]
    output = CliRunner().invoke(app_for(argv), [*argv, "--json"])
    assert output.exit_code == 0, output.output
    chosen = json.loads(output.stdout)["cells"]
    assert len(chosen) == 3
    planned = read_campaign(repository / "data/campaigns/quick.toml").campaign.cells()
    assert {cell["program"] for cell in chosen} <= {cell.program for cell in planned}


def test_rounds_need_cells_of_capacity(repository):
    planned = read_campaign(repository / "data/campaigns/izolan-mixes.toml").campaign.cells()
    with pytest.raises(BadInputError, match="capacity can be fitted on none of the 30 cells"):
        Chooser.of(planned, 0.1)


def test_plan_says_where_measuring_on_is_in_vain(repository):
    argv = ["plan", str(repository / "data/reference-veth"), "--budget", "3"]
    assert "These runs add little" in CliRunner().invoke(app_for(argv), argv).output


def test_plan_reads_a_box_file(lab_runs, repository, tmp_path):
    factors = ["datapath", "program", "memory_accesses", "queues", "frame_bytes", "link_gbps"]
    lab_runs[factors].drop_duplicates().to_csv(tmp_path / "cells.csv", index=False)
    box = repository / "data/boxes/amd-epyc-2cpu-6.18.44-veth.toml"
    argv = ["plan", "--cells", str(tmp_path / "cells.csv"), "--prior", str(box), "--budget", "3"]
    output = CliRunner().invoke(app_for(argv), argv)
    assert output.exit_code == 0, output.output


@pytest.mark.deep
def test_until_error_replayed_on_kept_runs_is_within_what_it_promises(repository):
    """The next kept run of a chosen cell stands for measuring it."""
    runs = read_runs([repository / "data/reference-veth"])
    runs = runs[runs["verdict"] == "valid"].sample(frac=1.0, random_state=0)
    factors = ["datapath", "program", "memory_accesses", "queues", "frame_bytes", "link_gbps"]
    cell = runs.groupby(factors).ngroup().to_numpy()
    table = runs[factors].assign(cell=cell).drop_duplicates("cell").sort_values("cell")
    chooser = Chooser(bound_ratio=0.1, numbers=tuple(range(len(table))), cells=cells_of(table))
    taken = []
    while True:
        left = np.bincount(np.delete(cell, taken), minlength=len(table)).tolist()
        chosen = chooser(runs.iloc[taken], left)
        if not chosen:
            break
        for number in chosen:
            rows = np.flatnonzero(cell == number)
            taken.append(int(rows[~np.isin(rows, taken)][0]))
    medians = training_of(runs).medians()
    predicted = Capacity.fit(training_of(runs.iloc[taken])).limits(medians.cells).predicted_mpps
    assert len(chooser.expected) > 1
    assert len(taken) < 60 < len(runs)
    assert np.abs(predicted / medians.forwarded_mpps - 1.0).mean() <= 0.1


def test_plan_needs_something_to_choose_from():
    output = CliRunner().invoke(app_for(["plan"]), ["plan", "--budget", "4"])
    assert output.exit_code != 0


@pytest.mark.parametrize("budget", ["0", "-3", "1000000"])
def test_a_budget_beyond_reason_is_refused_at_once(lab_runs, tmp_path, budget):
    lab_runs.to_csv(tmp_path / "runs.csv", index=False)
    words = ["plan", str(tmp_path / "runs.csv"), "--budget", budget]
    with pytest.raises(BadInputError, match=f"budget={budget}: .*allowed: 1 to 10000 runs"):
        CliRunner().invoke(app_for(["plan"]), words, catch_exceptions=False)


def test_plan_says_what_the_runs_cannot_tell(lab_runs, tmp_path):
    path = tmp_path / "runs.csv"
    lab_runs[lab_runs["queues"] == 1].to_csv(path, index=False)
    output = CliRunner().invoke(app_for(["plan"]), ["plan", str(path), "--budget", "2"])
    assert output.exit_code == 0
    assert "one queue count only, scaling is not identifiable" in output.output
