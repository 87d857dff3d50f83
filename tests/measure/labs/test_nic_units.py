"""What the nic lab makes of counts and settings, without a second host."""

import re
from types import SimpleNamespace
from typing import cast

import pytest

from linerate.errors import BadInputError
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.datapaths.benches import check_bench
from linerate.measure.datapaths.filters.settings import FilterSettings
from linerate.measure.datapaths.swx.nic import run_card_trial
from linerate.measure.datapaths.swx.runner import SwxReport, SwxRunner
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.labs.device_times import DeviceTimes
from linerate.measure.labs.nic import NicSite, spare_core
from linerate.measure.labs.port import PortCounts
from linerate.measure.remote.protocol import GeneratorReport, Histogram
from linerate.measure.trials.bench import Timing
from linerate.settings import columns_of

NOTHING = PortCounts(rx_packets=0, tx_packets=0, rx_lost=0, tx_lost=0)
ADDRESSED = {"address": "198.19.0.1/16"}


def table(**changes):
    usual = {
        "interface": "ens2", "generator_host": "loadgen", "generator_interface": "ens3",
        "cores": [0],
    }  # fmt: skip
    return NicTable(**(usual | changes))


def times(interrupt_ns=(0, 0), run_ns=(), wait_ns=()):
    return DeviceTimes(counts=NOTHING, interrupt_ns=interrupt_ns, run_ns=run_ns, wait_ns=wait_ns)


def test_a_core_is_busy_with_its_interrupts_and_its_own_threads():
    assert times((5, 7), run_ns=(10, 20, 100, 200)).busy_ns() == (115, 227)


def test_threads_of_one_core_explain_each_others_waiting():
    assert times(run_ns=(10, 20, 30, 40), wait_ns=(30, 45, 10, 20)).foreign_wait_ns() == 5
    assert times(run_ns=(10, 20), wait_ns=(3, 4)).foreign_wait_ns() == 4
    assert times().foreign_wait_ns() == 0


def test_what_is_beside_the_queues_gets_a_core_that_serves_none(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2})
    assert spare_core([0, 1]) == 2
    assert spare_core([1, 0, 2]) == 1


@pytest.mark.parametrize(
    ("factors", "nic", "why"),
    [
        ({"datapath": "chain", "program": "wire"}, {}, "the nic lab has no bench for it"),
        (
            {"datapath": "netfilter", "settings": columns_of(FilterSettings(flavour="module"))}, {},
            "it would filter every interface",
        ),
        (
            {"datapath": "nftables", "settings": columns_of(FilterSettings(hook="input"))}, {},
            'address = "198.19.0.1/16"',
        ),
        ({"datapath": "iptables"}, {"interface": "0000:3b:00.0"}, "an interface of the kernel's"),
        (
            {"datapath": "swx", "program": "forward",
             "settings": columns_of(PipelineSettings(port="ring"))},
            {}, "its packets come from this host",
        ),
    ],
)  # fmt: skip
def test_what_another_host_cannot_feed_is_refused(cell_of, factors, nic, why):
    cell = cell_of(lab="nic", mode="split", **({"program": "drop_all"} | factors))
    with pytest.raises(BadInputError, match=re.escape(why)):
        check_bench(cell, nic=table(**nic))


@pytest.mark.parametrize("address", ["10.0.0.1/8", "198.19.0.1/8", "198.18.0.300/24", "x"])
def test_an_address_that_others_may_use_is_refused(address):
    with pytest.raises(ValueError, match="benchmark_addresses="):
        table(address=address)
    assert table(**ADDRESSED).address == "198.19.0.1/16"


class FarGenerator:
    """Sends a thousand packets and gets most of them back."""

    def __init__(self):
        self.seconds = []

    def start(self, request):
        self.seconds.append(request.seconds)
        return GeneratorReport(
            duration_ns=10**9, intended=1000, sent=1000, received=990, contended_ratio=0.01,
            latency=Histogram(sum_ns=990_000, max_ns=2000, buckets=((1000, 990),)),
        )  # fmt: skip


class Pipeline:
    """Lost ten packets since it was last asked."""

    def since_last(self):
        return SwxReport(
            duration_ns=2 * 10**9, intended=0, sent=5, received=5,
            dropped={"dut_ring": 8, "dut_program": 0, "dut_tx": 2},
            useful_ratios=(0.25,), worker_run_ns=(10**9,), worker_wait_ns=(0,),
            generator_wait_ns=0,
        )  # fmt: skip


def test_of_a_card_the_generator_counts_packets_and_the_pipeline_what_it_lost(cell_of):
    generator = FarGenerator()
    site = cast(NicSite, SimpleNamespace(generator=generator))
    runner = cast(SwxRunner, Pipeline())
    timing = Timing(warm_up_seconds=0.5, seconds=1.0)
    trial = run_card_trial(site, cell_of(lab="nic", mode="split"), runner, timing)
    assert generator.seconds == [0.5, 1.0]
    assert (trial.sent_packets, trial.forwarded_packets) == (1000, 990)
    assert dict(trial.dropped) == {"dut_ring": 8, "dut_program": 0, "dut_tx": 2}
    assert trial.latency is not None
    assert sum(trial.latency.counts) == 990
    assert trial.cpu_busy_ratios == (0.5,)
    assert trial.contended_ratio == 0.01
