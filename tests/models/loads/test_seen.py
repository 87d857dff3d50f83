"""Loads that were measured, at other frame sizes: planted effects, so that they are known."""

import json

import numpy as np
import pandas as pd
import pytest

from linerate.cli import main
from linerate.errors import BadInputError
from linerate.models import training_of
from linerate.models.loads.seen import LoadsModel, has_seen_loads
from linerate.models.validation.seen_loads import validate_seen

SIZES = (64, 128, 256, 512)
ACCESSES = (0, 50, 100, 200, 400)
BASE_NS, ACCESS_NS, LOADS = 200.0, 1.0, 3
LOAD_SPREAD, NOISE = 0.15, 0.002


def planted(load_spread=LOAD_SPREAD, anew=False, seed=1):
    """Build runs of 15 loads, each of all sizes; or of each run a load of its own."""
    rng, rows = np.random.default_rng(seed), []
    for accesses in ACCESSES:
        for load in range(LOADS):
            effect = load_spread * rng.standard_normal()
            for size in SIZES:
                effect = load_spread * rng.standard_normal() if anew else effect
                ns = BASE_NS + ACCESS_NS * np.exp(-effect) * accesses
                rows.append({
                    "datapath": "xdp_native", "program": "map_lookup", "memory_accesses": accesses,
                    "queues": 1, "frame_bytes": size, "link_gbps": 1000.0, "repetition": load + 1,
                    "campaign": "planted", "box": "planted", "offered_mpps": np.inf,
                    "forwarded_from": "device", "cpu_busy_ratio": 1.0, "latency_mean_us": np.nan,
                    "unstable": False,
                    "source": f"{accesses}-{load}" if not anew else f"{accesses}-{load}-{size}",
                    "forwarded_mpps": 1e3 / ns * np.exp(NOISE * rng.standard_normal()),
                })  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def runs():
    return planted()


def cell(**changes):
    return {"datapath": "xdp_native", "memory_accesses": 200, "queues": 1, "frame_bytes": 256,
            "link_gbps": 1000.0} | changes  # fmt: skip


def test_a_size_that_was_not_measured_is_answered_by_the_loads_others(runs):
    """Of one access the loads' times differ by 15 %, which the law alone cannot know."""
    seen = training_of(runs[runs["frame_bytes"] != 256])
    model = LoadsModel.fit(seen)
    errors, law = [], []
    for accesses in ACCESSES[1:]:
        here = (runs["memory_accesses"] == accesses) & (runs["frame_bytes"] == 256)
        measured = runs.loc[here, "forwarded_mpps"].median()
        answer = model.predict(cell(memory_accesses=accesses))
        errors.append(abs(answer.predicted_mpps / measured - 1))
        new = model.law.model.limits(seen.cells.take(seen.cells.memory_accesses == accesses))
        law.append(abs(new.service_mpps[0] / measured - 1))
        assert (answer.loads, answer.sizes) == (LOADS, (64.0, 128.0, 512.0))
        assert answer.lower_mpps < answer.predicted_mpps < answer.upper_mpps
    assert max(errors) < 0.01
    assert np.mean(errors) < 0.25 * np.mean(law)


def test_each_size_held_out_is_scored(runs):
    found = validate_seen(training_of(runs))
    assert found is not None
    assert found.cells == len(SIZES) * len(ACCESSES)
    assert found.error.mean_percent < 1.0
    assert found.median_coverage >= 0.8
    assert "Of loads that were seen at other frame sizes" in str(found)


def test_where_each_run_is_a_load_of_its_own_nothing_is_known():
    anew = training_of(planted(anew=True))
    assert not has_seen_loads(anew)
    assert validate_seen(anew) is None
    with pytest.raises(BadInputError, match="each run is a load of its own"):
        LoadsModel.fit(anew)


def test_a_group_that_was_not_measured_is_refused(runs):
    with pytest.raises(BadInputError, match=r"memory_accesses=300, queues=1: no load of xdp_nat"):
        LoadsModel.fit(training_of(runs)).predict(cell(memory_accesses=300))


def test_effects_that_are_not_there_change_nothing():
    model = LoadsModel.fit(training_of(planted(load_spread=0.0)))
    answer = model.predict(cell(frame_bytes=96))
    assert answer.predicted_mpps == pytest.approx(1e3 / (BASE_NS + 200 * ACCESS_NS), rel=0.01)


def test_the_command_answers_in_words_and_json_and_refuses_what_has_no_meaning(
    runs, tmp_path, capsys
):
    path = tmp_path / "runs.csv"
    runs.to_csv(path, index=False)
    flags = ["predict", str(path), "--same-loads", "--datapath", "xdp_native", "--memory-accesses",
             "200", "--queues", "1", "--frame-bytes", "96", "--link-gbps", "1000"]  # fmt: skip
    assert run(*flags) == 0
    assert "the median of 3 loads that were measured at 64, 128, 256, 512 B" in flat(capsys)
    assert run(*flags, "--json") == 0
    assert json.loads(capsys.readouterr().out)["loads"] == LOADS
    assert run(*flags, "--offered-mpps", "1") == 2
    assert "--offered-mpps=1.0: it has no meaning here" in capsys.readouterr().err
    assert run(*flags[:3]) == 2
    assert "datapath=nothing: the cell is not named whole" in capsys.readouterr().err


def flat(capsys):
    return " ".join(capsys.readouterr().out.split())


def run(*argv):
    with pytest.raises(SystemExit) as ended:
        main(list(argv))
    return ended.value.code
