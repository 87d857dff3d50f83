"""Probes at the kernel's tracepoints, while a real lab forwards real packets."""

import json
import math
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from linerate.cells import Cell, Load, Mode
from linerate.errors import BadInputError, CannotHereError
from linerate.files.store import Provenance, Store
from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.campaign.run import check_runnable, measure_campaign
from linerate.measure.collectors import bcc
from linerate.measure.collectors.probed import probed
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.processes import built
from linerate.measure.system.describe import this_box
from linerate.measure.trials.bench import Bench, Timing
from linerate.tables.runs import read_runs

TIMING = Timing(warm_up_seconds=0.02, seconds=0.1)
TRACEPOINTS = ("napi_batches", "xdp_errors", "softirq")
XDP_PROGRAM = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp")
int fails(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;

	if (data + 14 > (unsigned char *)(long)ctx->data_end || !data[12])
		return XDP_TX; /* the empty frame of the loader's test run */
	return %s;
}
char LICENSE[] SEC("license") = "GPL";
"""


def load(offered_mpps=math.inf):
    arrivals = "flood" if math.isinf(offered_mpps) else "constant"
    return Load(frame_mix=((1, 64),), arrivals=arrivals, offered_mpps=offered_mpps)


def cell(program="xdp_tx", mode: Mode = "serial", offered_mpps=math.inf):
    return Cell(
        lab="veth", mode=mode, datapath="xdp_native", program=program, memory_accesses=0,
        queues=1, link_gbps=math.inf, load=load(offered_mpps),
    )  # fmt: skip


def probed_trial(kinds, cell):
    with open_bench(cell) as bench, probed(bench, kinds) as looked_at:
        return looked_at.run_trial(cell.load, TIMING)


def polls(trial):
    """Packets that a poll found -> polls."""
    prefix = "polls_of_"
    return {
        int(name.removeprefix(prefix)): count
        for name, count in trial.probes.items()
        if name.startswith(prefix)
    }


@pytest.fixture
def failing_program(tmp_path, monkeypatch):
    """Build a program for the lab that returns what a C expression says."""

    def build(expression):
        folder = tmp_path / "build"
        (folder / "bpf").mkdir(parents=True)
        (folder / "native").symlink_to(built.build_folder() / "native")
        include = f"-I/usr/include/{os.uname().machine}-linux-gnu"
        compile_argv = ["clang", "-O2", "-g", "-target", "bpf", include, "-x", "c", "-c", "-"]
        subprocess.run(
            [*compile_argv, "-o", folder / "bpf/fails.bpf.o"],
            input=XDP_PROGRAM % expression, text=True, check=True,
        )  # fmt: skip
        monkeypatch.setenv("LINERATE_BUILD", str(folder))
        return "fails"

    return build


@pytest.mark.root
@pytest.mark.parametrize("mode", ["serial", "split"])
def test_polls_find_every_packet_that_the_device_received(mode):
    trial = probed_trial(["napi_batches"], cell(mode=mode))
    found = polls(trial)
    assert trial.probes["polled_packets"] == trial.probes["probed_packets"]
    assert (
        sum(packets * count for packets, count in found.items()) == trial.probes["polled_packets"]
    )
    assert trial.probes["polled_packets"] >= trial.forwarded_packets > 0
    assert max(found) <= 64, "more than the kernel's budget"


@pytest.mark.exclusive
@pytest.mark.root
def test_batches_grow_with_load():
    means = []
    for offered_mpps in (0.02, math.inf):
        trial = probed_trial(["napi_batches"], cell(mode="split", offered_mpps=offered_mpps))
        busy = sum(count for packets, count in polls(trial).items() if packets)
        means.append(trial.probes["polled_packets"] / busy)
    assert 1.0 <= means[0] < means[1] <= 64.0


@pytest.mark.exclusive
@pytest.mark.root
def test_in_serial_mode_the_device_spends_its_time_in_softirq():
    started_s = time.monotonic()
    trial = probed_trial(["softirq"], cell())
    spent_s = trial.probes["softirq_ns"] / 1e9
    active_s = trial.probes["probed_core_ns"] / 1e9
    assert active_s == pytest.approx(TIMING.warm_up_seconds + trial.duration_s)
    assert 0.1 * active_s < spent_s < time.monotonic() - started_s, "no core has more time"


@pytest.mark.exclusive
@pytest.mark.root
def test_softirq_time_of_packets_is_that_of_receiving():
    with open_bench(cell()) as bench, bcc.open_probes(["softirq"], ["lo"]) as probes:
        before = probes.counts()
        bench.run_trial(load(), TIMING)
        counted = probes.counts().since(before)
    of_core_0 = {name: ns[0] for name, ns in counted.softirq_ns.items()}
    assert of_core_0["NET_RX"] > 0.9 * sum(of_core_0.values())
    assert counted.softirq_core_ns([0]) == sum(of_core_0.values())


@pytest.mark.root
@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
@pytest.mark.parametrize(
    ("expression", "event", "other"),
    [
        ("XDP_ABORTED", "xdp_exceptions", "xdp_redirect_errors"),
        ("bpf_redirect(1 << 30, 0)", "xdp_redirect_errors", "xdp_exceptions"),
    ],
)
def test_every_packet_that_a_program_fails_on_is_one_event(
    failing_program, expression, event, other, datapath
):
    failing = replace(cell(failing_program(expression)), datapath=datapath)
    trial = probed_trial(["xdp_errors"], failing)
    assert trial.forwarded_packets == 0
    assert trial.probes[event] == trial.probes["probed_packets"] > 1000
    assert trial.probes[other] == 0


@pytest.mark.root
def test_a_program_that_forwards_raises_no_event_while_another_fails(failing_program):
    with open_bench(cell()) as good, probed(good, ["xdp_errors"]) as looked_at:
        failing = failing_program("XDP_ABORTED")

        def both(load, timing):
            trial = good.run_trial(load, timing)
            with open_bench(cell(failing)) as bad:
                bad.run_trial(load, timing)
            return trial

        with probed(
            Bench(program_hash="", run_trial=both, probe_point=looked_at.probe_point),
            ["xdp_errors"],
        ) as mixed:
            trial = mixed.run_trial(load(), TIMING)
    assert trial.probes["xdp_exceptions"] == 0


@pytest.mark.root
def test_without_probes_nothing_is_put_around_a_trial():
    with open_bench(cell()) as bench, probed(bench, []) as same:
        assert same is bench


def test_a_bench_without_a_device_cannot_be_probed():
    blind = Bench(program_hash="", run_trial=lambda load, timing: pytest.fail("it ran"))
    with pytest.raises(CannotHereError, match=r"softirq: the bench .* has no place for them"):
        probed(blind, ["softirq"]).__enter__()


def campaign(probes):
    return campaign_from(
        {
            "name": "probed", "lab": "veth", "repetitions": 1, "trials": 2, "retries": 0,
            "trial_seconds": 0.05,
            "warm_up_seconds": 0.01, "probes": probes,
            "cells": [
                {
                    "mode": "serial", "datapath": ["xdp_native"], "program": ["xdp_tx"],
                    "memory_accesses": [0], "queues": [1], "frame_bytes": [64],
                    "link_gbps": math.inf, "offered_mpps": ["flood"],
                }
            ],
        },
        "probed",
    )  # fmt: skip


@pytest.mark.exclusive
@pytest.mark.root
def test_a_campaign_states_its_probes_and_what_they_saw(tmp_path):
    provenance = Provenance(campaign="probed", git_revision="", argv=())
    store = Store.create(tmp_path / "out", "", this_box(nic="veth"), provenance)
    measure_campaign(campaign(list(TRACEPOINTS)), store, lambda progress: None)
    run = read_runs([tmp_path / "out"]).iloc[0]
    assert run["probes"] == "napi_batches+xdp_errors+softirq"
    assert 1.0 <= run["batch_packets_mean"] <= 64.0
    assert run["probed_packets"] >= run["forwarded_packets"]
    assert run["softirq_ratio"] > 0.1
    assert (run["xdp_exceptions"], run["xdp_redirect_errors"]) == (0, 0)
    sizes = json.loads(run["polls_by_packets"])
    assert sum(int(size) * count for size, count in sizes.items()) == run["probed_packets"]
    assert math.isnan(run["cycles_per_packet"]), "no column without its probe"


def test_an_unknown_probe_is_refused():
    with pytest.raises(BadInputError, match="probes"):
        campaign(["kprobes"])


@pytest.mark.root
def test_a_campaign_whose_probe_cannot_run_is_refused_before_it_begins(monkeypatch):
    monkeypatch.setattr(bcc, "PYTHON", Path(sys.executable))
    with pytest.raises(CannotHereError, match="cannot import bcc"):
        check_runnable(campaign(["softirq"]))
