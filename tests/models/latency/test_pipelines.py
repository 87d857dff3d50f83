"""Median latency of pipelines: the law, its fit, and its errors on what it had not seen."""

import numpy as np
import pandas as pd
import pytest

from linerate.models import fit_models, load_model, save_model
from linerate.models.answers import UnderLoad, predict_cell
from linerate.models.kinds.kind import Rates
from linerate.models.kinds.pipelines import KIND
from linerate.models.latency.pipelines import (
    Asked,
    PortLatency,
    fit_asked,
    fit_pipelines,
    pipeline_runs,
)
from linerate.models.latency.turns import instructions_of, turns_of
from linerate.models.operations.rates import PacketTimes
from linerate.models.validation.kinds import validate_latency
from linerate.tables.runs import read_runs

PIPELINE = {
    "datapath": "swx", "program": "forward", "operations": '{"table_exact": 5}', "queues": 1,
    "frame_bytes": 64.0, "link_gbps": 40.0, "pipeline_port": "ring", "offered_mpps": 0.5,
}  # fmt: skip
PORT = PortLatency(port="ring", fixed_us=0.5, port_us=0.1, poll_us=0.005, slower_us=0.01, runs=99)


def asked(load_mpps, *, burst=32, operations=(), service_us=0.2):
    load = np.atleast_1d(np.asarray(load_mpps, dtype=float))
    return Asked(
        load_mpps=load, service_us=np.full(load.shape, service_us),
        burst_packets=np.full(load.shape, float(burst)),
        turns=np.full(load.shape, float(turns_of(operations))),
        instructions=np.full(load.shape, float(instructions_of(operations))),
        port=("ring",) * load.size,
    )  # fmt: skip


@pytest.fixture(scope="module")
def runs(reference):
    return read_runs([reference("pipeline-latency")])


@pytest.fixture(scope="module")
def fitted(runs):
    model = fit_pipelines(runs)
    assert model is not None
    return model


def test_a_packet_that_is_sent_alone_is_not_held():
    load = [0.1, 0.5, 1.5]
    held_us = PORT.p50_us(asked(load)) - PORT.p50_us(asked(load, burst=1))
    assert (held_us > 0.0).all()
    full_us = 31.0 / (2.0 * np.array(load))
    assert (held_us <= full_us + 1e-9).all()


def test_a_flush_ends_the_hold_where_bursts_do_not_fill():
    light_us = PORT.p50_us(asked(0.01))[0]
    assert light_us == pytest.approx(0.5 + 0.3 + (15 + 64) * 0.005, rel=0.02)


def test_a_packet_waits_for_fifteen_others_whenever_a_lookup_waits_for_memory():
    once, five = (("table_exact", 1),), (("table_exact", 5),)
    added_us = PORT.p50_us(asked(0.01, operations=five)) - PORT.p50_us(asked(0.01, operations=once))
    assert added_us[0] == pytest.approx(8 * 15 * 0.005, rel=0.02)
    assert turns_of((("table_lpm", 5), ("add", 100))) == 1


def test_nothing_is_said_from_four_fifths_of_saturation_on():
    assert np.isfinite(PORT.p50_us(asked([2.6, 2.7]))).tolist() == [True, False]


def test_a_fit_finds_the_law_that_made_the_runs(runs):
    _, of_runs = pipeline_runs(runs)
    model = fit_asked(of_runs, PORT.unbounded_us(of_runs))
    assert model is not None
    load = [0.1, 0.7, 2.0]
    assert model.p50_us(asked(load)) == pytest.approx(PORT.p50_us(asked(load)), rel=0.02)


def test_medians_of_pipelines_that_were_held_out_are_within_a_fifth(runs):
    found = validate_latency(runs, by="group", rng=np.random.default_rng(0))
    score = next(one for one in found.scores if one.name == "all")
    assert score.quantity == "p50 of pipelines" and score.runs > 100
    assert score.error.median_percent < 20.0
    assert 2.0 * score.error.mean_percent < score.level_error.mean_percent


def test_pipelines_that_it_had_not_seen_are_within_a_fifth(fitted, reference):
    """The second campaign was measured when the form had been chosen: other works and loads."""
    timed, of_runs = pipeline_runs(read_runs([reference("pipeline-latency-2")]))
    error = np.abs(fitted.p50_us(of_runs) / timed["latency_p50_us"].to_numpy(dtype=float) - 1.0)
    assert np.isfinite(error).sum() > 100
    assert np.nanmedian(error) < 0.2


def test_intervals_hold_the_medians_of_pipelines_that_were_not_seen(fitted, reference):
    """Nine of ten are promised, and the later campaign is other pipelines, bursts and loads."""
    timed, of_runs = pipeline_runs(read_runs([reference("pipeline-latency-2")]))
    lower_us, upper_us = fitted.interval_us(of_runs)
    asked = np.isfinite(lower_us)
    measured_us = timed["latency_p50_us"].to_numpy(dtype=float)[asked]
    inside = (lower_us[asked] <= measured_us) & (measured_us <= upper_us[asked])
    assert asked.sum() > 100
    assert inside.mean() >= 0.9
    assert upper_us[asked] == pytest.approx(fitted.p50_us(of_runs)[asked] ** 2 / lower_us[asked])
    assert np.median(upper_us[asked] / lower_us[asked]) < 2.0


def test_an_interval_comes_of_whole_pipelines_held_out(runs):
    """Runs of one pipeline tell nothing of another: of one alone there is no interval."""
    one = runs[(runs["program"] == "l2l3")]
    model = fit_pipelines(one)
    assert model is not None and model.ports[0].reach is None
    _, of_runs = pipeline_runs(one)
    assert np.isnan(model.interval_us(of_runs)).all()


def test_a_saved_model_answers_the_median_of_a_pipeline(runs, tmp_path):
    routed = runs[runs["program"] == "l2l3"]
    save_model(fit_models(routed).file, tmp_path / "model.json")
    cell = PIPELINE | {"program": "l2l3", "operations": "{}", "offered_mpps": 1.0}
    answer = predict_cell(load_model(tmp_path / "model.json"), cell)
    rows = (routed["offered_mpps"] == 1.0) & (routed["pipeline_burst_packets"] == 32)
    measured_us = routed[rows]["latency_p50_us"].astype(float).median()
    assert answer.to_dict()["latency_p50_us"] == pytest.approx(measured_us, rel=0.25)
    assert ", p50 " in str(answer)
    assert "latency_p50_lower_us" not in answer.to_dict(), "one pipeline was measured"
    full = predict_cell(load_model(tmp_path / "model.json"), cell | {"offered_mpps": 6.0})
    assert "latency_p50_us" not in full.to_dict()
    assert full.load is not None and "80 %" in full.load.why_no_latency


def test_an_answer_has_the_interval_of_one_runs_median(fitted):
    packets = PacketTimes(times_ns=np.array([200.0]), widths=np.full(1, 0.1), load_reach=0.0,
                          inside=np.ones(1, dtype=bool))  # fmt: skip
    predicted = packets.rates(np.ones(1), np.array([59.5]), np.array([0.5]))
    rates = Rates(predicted=predicted, service_mpps=np.array([5.0]))
    answered = {name: values[0] for name, values in
            KIND.answer(fitted, pd.DataFrame([PIPELINE]), rates).items()}  # fmt: skip
    lower, middle, upper = (answered[f"latency_p50_{end}us"] for end in ("lower_", "", "upper_"))
    assert lower < middle < upper
    assert str(UnderLoad(**answered)).endswith(" in 90 % of runs)")


def test_only_pipelines_on_ports_that_were_measured_are_answered(fitted):
    others = [{"pipeline_port": "pci"}, {"offered_mpps": np.inf}, {"datapath": "tc"}, {}]
    cells = pd.DataFrame([PIPELINE | other for other in others])
    assert fitted.knows(cells).tolist() == [False, False, False, True]
    assert not fitted.knows(cells.drop(columns="pipeline_port")).any()


def test_runs_without_serial_ones_of_the_same_pipeline_fit_nothing(runs):
    assert fit_pipelines(runs[runs["mode"] == "split"]) is None
