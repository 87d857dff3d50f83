"""Round trips of chains: what validate scores can be asked, of a saved model too."""

import numpy as np
import pandas as pd
import pytest

from linerate.models import fit_models, load_model, save_model
from linerate.models.answers import predict_cell
from linerate.models.latency.round_trips import fit_round_trips
from linerate.models.validation.kinds import validate_latency
from linerate.tables.runs import read_runs

CHAIN = {
    "datapath": "chain", "chain_length": 4, "chain_function": "raw_socket",
    "chain_topology": "direct", "queues": 1,
    "frame_bytes": 64.0, "link_gbps": 10.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(reference):
    return read_runs([reference("castanho")])


def test_a_saved_model_answers_the_round_trip_of_a_chain(runs, tmp_path):
    save_model(fit_models(runs).file, tmp_path / "model.json")
    answer = predict_cell(load_model(tmp_path / "model.json"), CHAIN).to_dict()
    measured = runs[
        (runs["chain_length"] == 4) & (runs["chain_function"] == "raw_socket")
        & (runs["chain_topology"] == "direct") & ~runs["nsh_aware"].astype(bool)
    ]["rtt_mean_us"].median()  # fmt: skip
    assert answer["rtt_mean_us"] == pytest.approx(measured, rel=0.1)
    assert answer["rtt_in_domain"]


def test_what_is_asked_is_the_line_that_was_held_out_against(runs):
    """Leaving one length out and asking for it is what validate scores."""
    pinged = runs[(runs["chain_function"] == "raw_socket") & (runs["chain_topology"] == "direct")]
    left = fit_round_trips(pinged[pinged["chain_length"] != 8])
    assert left is not None
    asked = pd.DataFrame([CHAIN | {"chain_length": 8}])
    rows = validate_latency(pinged, by="group", rng=np.random.default_rng(0)).frame
    scored = rows[(rows["quantity"] == "round trip mean") & rows["cell"].str.endswith("/8")]
    assert left.answer(asked)["rtt_mean_us"][0] == pytest.approx(scored["predicted_us"].iloc[0])
    assert not left.answer(asked)["rtt_in_domain"][0]


def test_chains_of_other_kinds_are_not_answered(runs):
    model = fit_round_trips(runs)
    assert model is not None
    cells = pd.DataFrame([CHAIN | {"chain_function": "smoke_signal"}, CHAIN, {"datapath": "swx"}])
    assert model.knows(cells).tolist() == [False, True, False]


def test_pings_alone_are_enough_for_a_model(runs):
    file = fit_models(runs[runs["generator"] == "ping"]).file
    assert list(file.fitted) == ["round_trips"]
    assert not file.by_accesses
