"""The study's own logs, where they lie here, against the table made of them independently."""

import math
import subprocess

import pandas as pd
import pytest

from linerate.measure.importers.formats.capeletti import import_capeletti

KEYS = ["source", "datapath", "program", "queues", "memory_accesses", "frame_bytes"]


@pytest.fixture(scope="module")
def study(repository):
    folder = repository.parent / "shared/data/capeletti"
    if not (folder / "raw-sample.tar.gz").is_file():
        pytest.skip(f"no logs at {folder}/raw-sample.tar.gz")
    return folder


@pytest.fixture(scope="module")
def outcome(study):
    return import_capeletti(study / "raw-sample.tar.gz")


@pytest.fixture(scope="module")
def sample(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    subprocess.run(["tar", "-xf", study / "raw-sample.tar.gz", "-C", folder], check=True)
    names = {"source_dir": "source", "mode": "datapath", "packet_size_bytes": "frame_bytes"}
    return pd.read_csv(folder / "SAMPLE.csv").rename(columns=names)


def test_rates_agree_within_half_a_percent(outcome, study):
    both = outcome.runs.merge(pd.read_csv(study / "runs.csv"), on=KEYS, suffixes=("", "_known"))
    assert len(both) >= 40
    assert (both["forwarded_mpps"] / both["forwarded_mpps_known"]).between(0.995, 1.005).all()
    assert (both["forwarded_from"] == both["forwarded_from_known"]).all()


def label(row):
    return (
        f"{row['source']} {row['datapath']} queues={row['queues']} "
        f"accesses={row['memory_accesses']} {row['frame_bytes']} B"
    )


def test_the_same_runs_are_left_out(outcome, sample):
    expected = {label(row) for _, row in sample[sample["exclude"]].iterrows()}
    assert {left.run for left in outcome.left_out} == expected


@pytest.mark.parametrize(
    ("flag", "defect"),
    [
        ("flag_moongen_rx_zero", "rx_zero"),
        ("flag_moongen_capped", "rx_capped"),
        ("flag_log_appended", "log_appended"),
        ("flag_gen_missing", "generator_missing"),
    ],
)
def test_each_known_oddity_is_named_and_no_other(outcome, sample, flag, defect):
    expected = {label(row) for _, row in sample[sample[flag]].iterrows()}
    known = {label(row) for _, row in sample.iterrows()}
    found = {one.run for one in outcome.findings if one.defect.name == defect}
    assert found & known == expected


def test_latencies_come_only_from_logs_with_enough_decimals(outcome, study):
    both = outcome.runs.merge(pd.read_csv(study / "runs.csv"), on=KEYS, suffixes=("", "_known"))
    known = both[both["latency_mean_us_known"].notna() & both["latency_mean_us"].notna()]
    ratios = known["latency_mean_us"] / known["latency_mean_us_known"]
    assert math.isclose(ratios.median(), 1.0, rel_tol=0.01)
    # Where latency jumps between windows, the median depends on which of them are taken.
    assert ratios.between(0.95, 1.05).mean() > 0.85
