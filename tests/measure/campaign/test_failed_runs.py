"""Runs whose device failed: what the journal keeps, what counts as finished, what is listed."""

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from linerate.errors import CannotHereError, DeviceFailedError, LinerateError
from linerate.files.store import Store
from linerate.measure.campaign import run, run_search
from linerate.measure.campaign.adaptive import measure_until
from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.campaign.failures import failed_cells
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import failures_are_results, started
from linerate.measure.trials.trial import watched

from ...files.finished import BOX, PLAN, PROVENANCE, entry

FIELDS = {
    "name": "planted", "lab": "veth", "repetitions": 2, "trials": 3, "trial_seconds": 1.0,
    "warm_up_seconds": 0.0, "canary_every": 4,
    "cells": [{
        "mode": "serial", "datapath": ["xdp_native"], "program": ["map_lookup"],
        "memory_accesses": [0, 50, 100], "queues": [1], "frame_bytes": [64], "link_gbps": 10.0,
        "offered_mpps": ["line"],
    }],
}  # fmt: skip
BROKEN = 50
"""Accesses of the cell whose device fails."""
ENDED = DeviceFailedError("xdp: killed by SIGSEGV")


class Device:
    """Stands in for the lab; one cell's device fails, at its start or in a later trial."""

    def __init__(self, error: BaseException = ENDED, after_trials=0):
        self.error, self.after_trials, self.opened = error, after_trials, []

    @contextmanager
    def open(self, cell, folder=None, site=None):
        self.opened.append(cell.memory_accesses)
        trials = iter(range(self.after_trials))

        def run_trial(load, timing):
            if cell.memory_accesses == BROKEN and next(trials, None) is None:
                raise self.error
            return entry(second=len(self.opened)).trial

        if cell.memory_accesses == BROKEN and not self.after_trials:
            raise self.error
        yield Bench(program_hash="0123456789abcdef", run_trial=run_trial)


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path / "out", PLAN, BOX, PROVENANCE)


@pytest.fixture
def plant(monkeypatch):
    def put(device):
        for module in (run, run_search):
            monkeypatch.setattr(module, "open_bench", device.open)
        return device

    return put


def measure(store, fields=FIELDS, **options):
    run.measure_campaign(campaign_from(fields, "planted"), store, lambda _: None, **options)
    return store.write_runs().set_index("run_id")


def test_campaign_goes_on_and_keeps_the_failure(store, plant):
    plant(Device())
    runs = measure(store)
    broken = runs["memory_accesses"] == BROKEN
    assert list(runs.loc[broken, "verdict"]) == ["invalid"] * 2
    assert set(runs.loc[broken, "verdict_reason"]) == {"xdp: killed by SIGSEGV"}
    assert (runs.loc[~broken, "verdict"] == "valid").all()
    assert len(runs) == 6
    (failed,) = failed_cells(store)
    assert failed.runs == tuple(sorted(runs.index[broken], key=lambda name: name[-1]))
    assert "xdp_native map_lookup, 50 accesses, 1 queue, 64 B" in str(failed)


@pytest.mark.parametrize("after_trials", [0, 2])
def test_resuming_leaves_failed_runs_and_retrying_measures_each_once(store, plant, after_trials):
    plant(Device(after_trials=after_trials))
    measure(store)
    lines = store.journal_path.read_bytes()
    again = plant(Device(after_trials=after_trials))
    measure(store)
    assert (again.opened, store.journal_path.read_bytes()) == ([], lines)
    measure(store, retry_failed=True)
    assert again.opened == [BROKEN] * 2
    mended = plant(Device(after_trials=3))
    runs = measure(store, retry_failed=True)
    assert not failed_cells(store)
    assert mended.opened == [BROKEN] * 2
    valid = runs[(runs["memory_accesses"] == BROKEN) & (runs["verdict"] == "valid")]
    assert list(valid["trials"]) == [3, 3]
    assert (runs["verdict"] == "invalid").sum() == 4


def test_retried_run_that_was_interrupted_goes_on(store, plant):
    plant(Device())
    measure(store)
    plant(Device(error=KeyboardInterrupt(), after_trials=1))
    with pytest.raises(KeyboardInterrupt):
        measure(store, retry_failed=True)
    plant(Device(after_trials=3))
    runs = measure(store)
    counted = runs[(runs["memory_accesses"] == BROKEN) & (runs["verdict"] == "valid")]
    assert counted["trials"].sum() == 3
    assert len(failed_cells(store)[0].runs) == 1


@pytest.mark.parametrize("error", [LinerateError("a disk is full"), CannotHereError("root: no")])
def test_what_is_not_the_device_ends_the_campaign(store, plant, error):
    plant(Device(error=error))
    with pytest.raises(LinerateError, match=str(error)):
        measure(store)


def test_adaptive_campaign_does_not_choose_a_failed_run_again(store, plant):
    device = plant(Device())
    campaign = campaign_from(FIELDS, "planted")

    def all_that_is_left(_, left):
        return [number for number, runs in enumerate(left) for _ in range(runs)]

    measure_until(campaign, store, all_that_is_left, lambda _: None)
    assert device.opened.count(BROKEN) == campaign.repetitions


def test_search_whose_device_fails_finds_nothing_and_is_finished(store, plant):
    searches = [{
        "mode": "serial", "datapath": ["xdp_native"], "program": ["map_lookup"],
        "memory_accesses": [BROKEN], "queues": [1], "frame_bytes": [64], "link_gbps": 10.0,
        "goals": ["ndr", "pdr"], "min_mpps": 0.01,
    }]  # fmt: skip
    fields = {**FIELDS, "searches": searches, "repetitions": 1}
    device = plant(Device())
    measure(store, fields)
    table = store.write_searches()
    assert list(table["verdict"]) == ["invalid", "invalid"]
    assert table["lower_mpps"].isna().all()
    assert "s0000-r1" in failed_cells(store)[0].runs + failed_cells(store)[-1].runs
    before = len(device.opened)
    measure(store, fields)
    assert len(device.opened) == before
    measure(store, fields, retry_failed=True)
    assert len(device.opened) == before + 2, "the failed run and the failed search"


def test_journal_of_an_earlier_version_has_no_failures(store):
    store.append(replace(entry(), run_id="c0000-r1"))
    text = re.sub(', "crc32": "[0-9a-f]{8}"', "", store.journal_path.read_text())
    store.journal_path.write_text(text.replace('"failure": "", ', ""))
    assert store.failures() == []
    assert next(store.entries()).trial.failure == ""


def test_refusal_to_start_is_the_devices_but_not_what_the_machine_lacks():
    @contextmanager
    def refusing(error):
        raise error
        yield

    with (
        pytest.raises(DeviceFailedError, match="rule refused"),
        started(refusing(LinerateError("nft: rule refused"))),
    ):
        pass
    with pytest.raises(CannotHereError), failures_are_results():
        raise CannotHereError("nft: not installed")


def test_counts_of_a_device_that_ended_meanwhile_are_no_trial():
    class Ended:
        def check_alive(self):
            raise ENDED

    ended: Any = Ended()
    watching = watched(lambda load, timing: entry().trial, (ended,))
    with pytest.raises(DeviceFailedError, match="SIGSEGV"):
        watching(entry().cell.load, Timing(warm_up_seconds=0.0, seconds=0.1))
