"""Measuring until a model is good enough: on a planted device, and on the veth lab."""

import json
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from linerate.cli.lab.until import error_ratio
from linerate.errors import BadInputError
from linerate.files.store import Store
from linerate.measure.campaign import run
from linerate.measure.campaign.adaptive import measure_until
from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.trials.bench import Bench
from linerate.models import Capacity, training_of
from linerate.models.design.adaptive import Chooser

from ...files.finished import BOX, PLAN, PROVENANCE, entry
from .test_run import journal_lines, measure

pytestmark = pytest.mark.long

FIELDS = {
    "name": "planted", "lab": "veth", "repetitions": 2, "trial_seconds": 1.0,
    "warm_up_seconds": 0.0, "canary_every": 10,
    "cells": [{
        "mode": "serial", "datapath": ["xdp_native"], "program": ["map_lookup"],
        "memory_accesses": [0, 50, 100, 200, 400, 800, 1600, 3200], "queues": [1, 2, 4],
        "frame_bytes": [64, 256, 1500], "link_gbps": 10.0, "offered_mpps": ["line"],
    }],
}  # fmt: skip
CELLS = 8 * 3 * 3


def mpps(cell):
    """What the planted device forwards: a base path, lookups, and the link."""
    served = cell.queues * 1e3 / (90.0 * cell.queues**0.2 + 1.5 * cell.memory_accesses)
    return min(served, cell.line_rate_mpps)


class Device:
    """Stands in for the lab; each program load has a random effect."""

    def __init__(self, spread):
        self.spread, self.opened, self.fails_after = spread, [], None

    @contextmanager
    def open(self, cell, folder=None, site=None):
        if self.fails_after is not None and len(self.opened) >= self.fails_after:
            raise KeyboardInterrupt
        self.opened.append(cell)
        rng = np.random.default_rng(len(self.opened))
        packets = int(1e6 * mpps(cell) * np.exp(-self.spread * abs(rng.standard_normal())))

        def run_trial(load, timing):
            return replace(
                entry(second=len(self.opened)).trial, duration_s=timing.seconds, dropped={},
                intended_packets=packets, sent_packets=packets, forwarded_packets=packets,
            )  # fmt: skip

        yield Bench(program_hash="0123456789abcdef", run_trial=run_trial)


@pytest.fixture
def device(monkeypatch):
    def make(spread=0.0):
        made = Device(spread)
        monkeypatch.setattr(run, "open_bench", made.open)
        return made

    return make


@pytest.fixture
def campaign():
    return campaign_from(FIELDS, "planted")


@pytest.fixture
def few():
    return campaign_from(
        {**FIELDS, "cells": [{**FIELDS["cells"][0], "frame_bytes": [64], "queues": [1, 4]}]},
        "planted",
    )


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path / "out", PLAN, BOX, PROVENANCE)


def ignore(_):
    pass


def test_a_part_of_the_cells_is_enough_and_all_are_measured_when_asked_for(campaign, store, device):
    made = device(spread=0.02)
    chooser = Chooser.of(campaign.cells(), 0.05)
    measure_until(campaign, store, chooser, ignore)
    assert chooser.reached
    expected, runs = chooser.expected[-1].error_ratio, store.write_runs()
    assert expected <= 0.05
    assert len(runs) < CELLS
    predicted = Capacity.fit(training_of(runs)).limits(chooser.cells).predicted_mpps
    truth = np.array([mpps(cell) for cell in campaign.cells()])
    assert np.abs(predicted / truth - 1.0).mean() <= expected
    entries = list(store.entries())
    loads = sum(not entry.canary for entry in entries)
    assert sum(entry.canary for entry in entries) == -(-loads // campaign.canary_every)
    run.measure_campaign(campaign, store, ignore)
    runs = store.write_runs()
    assert len(runs) == CELLS * campaign.repetitions
    assert runs["run_id"].is_unique
    assert len(made.opened) == len(list(store.entries())), "a run was measured twice"


@pytest.mark.deep
def test_a_bound_below_the_spread_of_program_loads_takes_all_runs_and_no_more(few, store, device):
    device(spread=0.08)
    chooser = Chooser.of(few.cells(), 0.002)
    measure_until(few, store, chooser, ignore)
    assert not chooser.reached
    runs = store.write_runs()
    assert len(runs) == len(few.cells()) * few.repetitions
    assert (runs.groupby(["memory_accesses", "queues"]).size() == few.repetitions).all()
    assert "nothing is left to measure" in str(chooser)


def test_an_interrupted_part_goes_on_from_its_journal(campaign, store, device):
    made = device(spread=0.01)
    made.fails_after = 7
    with pytest.raises(KeyboardInterrupt):
        measure_until(campaign, store, Chooser.of(campaign.cells(), 0.05), ignore)
    kept = store.journal_path.read_bytes()
    made.fails_after = None
    chooser = Chooser.of(campaign.cells(), 0.05)
    measure_until(campaign, store, chooser, ignore)
    assert chooser.reached
    assert store.journal_path.read_bytes().startswith(kept)
    again = len(made.opened)
    measure_until(campaign, store, Chooser.of(campaign.cells(), 0.05), ignore)
    assert len(made.opened) == again, "what was good enough was measured on"


def test_cells_of_another_mode_are_not_chosen():
    split = {**FIELDS["cells"][0], "mode": "split", "memory_accesses": [100], "queues": [1]}
    both = campaign_from({**FIELDS, "cells": [split, *FIELDS["cells"]]}, "planted")
    chooser = Chooser.of(both.cells(), 0.05)
    assert {both.cells()[number].mode for number in chooser.numbers} == {"serial"}


def test_cells_that_capacity_does_not_know_are_refused():
    operations = {**FIELDS["cells"][0], "program": ["operations"], "memory_accesses": [0],
                  "operations": [{"packet_read": 1}]}  # fmt: skip
    campaign = campaign_from({**FIELDS, "cells": [operations]}, "planted")
    with pytest.raises(BadInputError, match="capacity can be fitted on none of the 9 cells"):
        Chooser.of(campaign.cells(), 0.05)


@pytest.mark.parametrize("text", ["5", "0.05", "five%", "0%", "-5%", "200%", "nan%", "%", ""])
def test_a_bound_that_is_none_is_refused(text):
    with pytest.raises(BadInputError, match="until-error="):
        error_ratio(text)


@pytest.mark.deep
@pytest.mark.root
def test_a_real_campaign_ends_early_and_says_what_was_reached(small_campaign, tmp_path):
    plan = small_campaign(repetitions=2)
    text = plan.read_text().replace("memory_accesses = [0, 100]", "memory_accesses = [0, 50, 100, "
                                    "200, 400, 800, 1600, 3200]")  # fmt: skip
    plan.write_text(text.replace('[64, "imix"]', "[64, 512]"))
    out = tmp_path / "out"
    done = measure(plan, out, "--until-error", "60%", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    planned = 2 * 2 * 8 * 2
    assert answer["until"]["reached"] == (answer["until"]["expected_error"] <= 0.6)
    assert answer["until"]["reached"] == (answer["runs"] < planned)
    lines = journal_lines(out)
    again = measure(plan, out, "--until-error", "60%", "--resume")
    assert again.returncode == 0, again.stderr
    assert journal_lines(out) == lines, "what was good enough was measured on"
    assert "expected error" in again.stdout
    assert len(pd.read_csv(out / "runs.csv")) == answer["runs"]
