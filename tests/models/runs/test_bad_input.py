"""Tables, cells and files that cannot be used: refused in words, never a silent number."""

import numpy as np
import pandas as pd
import pytest

from linerate.errors import BadInputError
from linerate.models import (
    Capacity,
    LogOls,
    fit_predictor,
    training_of,
    validate,
)
from linerate.models.runs.training import refuse_mixed_boxes

from ..planted import cells_table, lab_table


@pytest.fixture(scope="module")
def predictor(lab_runs):
    return fit_predictor(LogOls, training_of(lab_runs), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("factors", "why"),
    [
        ({"memory_accesses": [-1]}, "memory_accesses=-1"),
        ({"memory_accesses": [np.nan]}, "memory_accesses="),
        ({"queues": [0]}, "queues=0"),
        ({"queues": [1.5]}, "queues=1.5: it is a fraction"),
        ({"frame_bytes": ["large"]}, "frame_bytes=large: it is not a number"),
        ({"link_gbps": [-10.0]}, "link_gbps=-10"),
        ({"datapath": ["ebpf"]}, "ebpf.*the model was not fitted on it"),
        ({"datapath": ["tc"]}, "the model was not fitted on it; allowed: .*xdp_native/map_lookup"),
        ({"program": ["other"]}, "xdp_native/other: the model was not fitted on it"),
    ],
)
def test_impossible_cells_are_refused(predictor, factors, why):
    with pytest.raises(BadInputError, match=why):
        predictor.predict(cells_table(**factors))


def test_missing_columns_are_named(predictor):
    with pytest.raises(BadInputError, match="missing queues, link_gbps"):
        predictor.predict(cells_table().drop(columns=["queues", "link_gbps"]))


def test_program_may_be_left_out_where_there_is_no_choice(predictor):
    predicted = predictor.predict(cells_table().drop(columns="program"))
    assert predicted.predicted_mpps == predictor.predict(cells_table()).predicted_mpps


def test_program_must_be_named_where_there_is_a_choice():
    runs = pd.concat([lab_table(reloads=1), lab_table(reloads=1).assign(program="other")])
    predictor = fit_predictor(LogOls, training_of(runs), np.random.default_rng(0))
    with pytest.raises(BadInputError, match="several programs on xdp_native; allowed: map_lookup"):
        predictor.predict(cells_table().drop(columns="program"))


def test_boxes_are_never_pooled(lab_runs):
    other = lab_runs.head(5).assign(box="another")
    with pytest.raises(BadInputError, match="box=lab, another"):
        training_of(pd.concat([lab_runs, other]))


def test_invalid_and_silent_runs_are_left_out_and_counted(lab_runs):
    runs = lab_runs.copy()
    runs.loc[:4, "verdict"] = "invalid"
    runs.loc[5:6, "forwarded_mpps"] = 0.0
    training = training_of(runs)
    assert len(training) == len(runs) - 7
    assert any(note.startswith("5 of") and "invalid" in note for note in training.notes)
    assert any(note.startswith("2 of") and "nothing" in note for note in training.notes)


def test_disturbed_runs_count_only_where_their_cell_has_no_better(lab_runs):
    table = lab_runs.copy()
    alone = table["memory_accesses"] == 100
    disturbed = alone | (table["repetition"] == 1)
    table.loc[disturbed, "verdict"] = "suspect"
    training = training_of(table)
    assert len(training) == len(table) - int((disturbed & ~alone).sum())
    assert any("suspect, and their cell has valid ones" in note for note in training.notes)


def test_unstable_runs_are_kept_and_counted(lab_runs):
    runs = lab_runs.assign(unstable=[True] * 3 + [False] * (len(lab_runs) - 3))
    training = training_of(runs)
    assert len(training) == len(runs)
    assert training.notes == (f"3 of {len(runs)} rows marked unstable, and kept",)


def test_duplicates_count_once(lab_runs):
    training = training_of(pd.concat([lab_runs, lab_runs.head(9)]))
    assert len(training) == len(lab_runs)
    assert any("duplicates" in note for note in training.notes)


def test_a_table_without_usable_runs_is_refused(lab_runs):
    with pytest.raises(BadInputError, match="none can be fitted on"):
        training_of(lab_runs.assign(verdict="invalid"))


def test_a_split_needs_a_second_value(lab_runs):
    runs = lab_runs[lab_runs["queues"] == 1]
    with pytest.raises(BadInputError, match="every run has queues=1"):
        validate(LogOls, training_of(runs), by="queues", rng=np.random.default_rng(0))


def test_a_single_group_cannot_be_calibrated():
    runs = lab_table(queues=(1,), accesses=(400,))
    runs = runs[runs["datapath"] == "xdp_native"]
    with pytest.raises(BadInputError, match="groups=1"):
        fit_predictor(Capacity, training_of(runs), np.random.default_rng(0))


def test_a_factor_that_never_varies_is_named_as_not_identifiable(lab_runs):
    runs = lab_runs[(lab_runs["queues"] == 1) & (lab_runs["memory_accesses"] == 400)]
    notes = " ".join(Capacity.fit(training_of(runs)).notes)
    assert "one access count only" in notes
    assert "one queue count only" in notes


def test_what_scaling_was_never_seen_is_flagged_and_wider():
    training = training_of(lab_table(queues=(1,)))
    predictor = fit_predictor(Capacity, training, np.random.default_rng(0))
    predicted = predictor.predict(cells_table(memory_accesses=[3200] * 3, queues=[1, 2, 8]))
    assert predicted.in_domain.tolist() == [True, False, False]
    width = np.log(predicted.upper_mpps / predicted.lower_mpps)
    assert (np.diff(width) > 0.0).all()


def test_programs_on_one_datapath_keep_costs_of_their_own():
    runs = lab_table(accesses=(400, 800, 1600, 3200), sizes=(64,))
    slow = runs.assign(program="slow", forwarded_mpps=runs["forwarded_mpps"] / 2.0)
    model = Capacity.fit(training_of(pd.concat([runs, slow])))
    costs = {path.pair: path.access_ns for path in model.paths}
    for (datapath, program), access_ns in costs.items():
        if program == "slow":
            fast_ns = next(v for k, v in costs.items() if k == (datapath, "map_lookup"))
            assert access_ns == pytest.approx(2.0 * fast_ns, rel=0.03)


def test_a_rate_that_is_no_number_is_refused(lab_runs):
    runs = lab_runs.copy()
    runs.loc[3, "forwarded_mpps"] = np.nan
    with pytest.raises(BadInputError, match="forwarded_mpps"):
        training_of(runs)


def test_too_few_cells_for_the_constants_are_refused():
    runs = lab_table(queues=(1,), accesses=(400, 1600), sizes=(64,))
    with pytest.raises(BadInputError, match=r"cells=2: too few of xdp_.*; allowed: at least 3"):
        Capacity.fit(training_of(runs))


def test_runs_all_at_line_rate_only_bound_the_service_time():
    runs = lab_table(queues=(2, 4), accesses=(0, 1), sizes=(1024, 1500))
    model = Capacity.fit(training_of(runs))
    assert all(path.bounded for path in model.paths)
    assert all("the service time is only bounded" in note for note in model.notes)
    predictor = fit_predictor(Capacity, training_of(runs), np.random.default_rng(0))
    predicted = predictor.predict(cells_table(queues=[2], frame_bytes=1500, memory_accesses=1))
    assert predicted.bottleneck.tolist() == ["line"]


def test_one_frame_size_and_link_leave_no_cost_of_a_byte():
    model = Capacity.fit(training_of(lab_table(sizes=(64,))))
    assert not any(path.form.by_byte for path in model.paths)


def test_exact_duplicates_change_no_constant(lab_runs):
    once = Capacity.fit(training_of(lab_runs))
    twice = Capacity.fit(training_of(pd.concat([lab_runs, lab_runs])))
    assert [path.values() for path in once.paths] == [path.values() for path in twice.paths]


@pytest.mark.parametrize(
    "wrong",
    [
        {"forwarded_mpps": 8.0},  # bits for bytes
        {"forwarded_mpps": 1.5},  # a counter of two ports
        {"frame_bytes": 8.0},  # bits for bytes
        {"offered_mpps": 1e-3},
    ],
    ids=str,
)
def test_a_table_of_rates_that_cannot_be_is_refused(lab_runs, wrong):
    runs = lab_runs.assign(**{name: lab_runs[name] * by for name, by in wrong.items()})
    with pytest.raises(BadInputError, match="more than line rate or than was offered") as refused:
        training_of(runs)
    assert "linerate lint names each row" in str(refused.value)


def test_a_single_rate_that_cannot_be_is_left_out_and_counted(lab_runs):
    runs = lab_runs.copy()
    runs.loc[7, "forwarded_mpps"] = 20.0
    training = training_of(runs)
    assert len(training) == len(runs) - 1
    assert training.notes[0].startswith(f"1 of {len(runs)} rows left out: they forwarded more than")


def test_a_rate_a_little_over_what_was_offered_is_kept(lab_runs):
    runs = lab_runs.assign(offered_mpps=lab_runs["forwarded_mpps"] / 1.02)
    assert training_of(runs).notes == ()


def test_busy_shares_in_percent_are_not_used_and_counted(lab_runs):
    training = training_of(lab_runs.assign(cpu_busy_ratio=93.0))
    assert np.isnan(training.busy).all()
    assert "cpu_busy_ratio above 1" in training.notes[0]


def test_capacity_of_the_split_mode_alone_says_so(lab_runs):
    assert "no run is of the serial mode" in training_of(lab_runs.assign(mode="split")).notes[0]


def test_rates_that_never_vary_are_told_from_a_service_time():
    runs = lab_table(sizes=(64,)).assign(forwarded_mpps=0.5)
    model = Capacity.fit(training_of(runs))
    assert model.nic_cap_mpps == 0.5
    notes = " ".join(model.notes)
    assert "rates end at 0.5 Mpps whatever the queues and accesses" in notes
    assert "xdp_native/map_lookup: every run is at its ceiling" in notes


def test_runs_of_boxes_that_are_alike_are_pooled_and_others_are_not(lab_runs):
    half = len(lab_runs) // 2
    boxes = ["alpha"] * half + ["beta"] * (len(lab_runs) - half)
    refuse_mixed_boxes(lab_runs.assign(box=boxes, box_hash="0123456789abcdef"))
    for hashes in ({"box_hash": boxes}, {"box_hash": None}, {}):
        with pytest.raises(BadInputError, match="different machines are not pooled"):
            refuse_mixed_boxes(lab_runs.assign(box=boxes, **hashes))
