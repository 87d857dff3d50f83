"""Rows are sums of finished trials, and nothing else."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.cells import Packet
from linerate.measure.datapaths.af_xdp.settings import SocketSettings
from linerate.measure.datapaths.chain.settings import ChainSettings
from linerate.measure.datapaths.filters.settings import FilterSettings
from linerate.records import Latency, Ping, Verdict
from linerate.settings import columns_of
from linerate.tables import tidy
from linerate.tables.columns import COLUMNS
from linerate.tables.runs import check_runs
from linerate.tables.tidy import runs_from

from ..files.finished import BOX, CELL, canary, entry, latency

SUSPECT = Verdict(state="suspect", reasons=("the hypervisor took 5.0% of the CPU time",))
INVALID = Verdict(state="invalid", reasons=("nothing of 990 packets came back",))
NOTHING_SEEN = Latency(lower_ns=(), counts=(), sum_ns=0, max_ns=0)
COUNTS = st.tuples(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9)).map(sorted)


def table(*entries):
    return runs_from(entries, BOX, "made-up", "abc123")


def row(*entries):
    rows = table(*entries)
    assert len(rows) == 1
    return rows.iloc[0]


def test_a_table_has_every_column_in_order_and_passes_its_own_check():
    rows = table(entry(), entry("c0001-r1", 1))
    assert list(rows.columns) == [column.name for column in COLUMNS]
    assert len(check_runs(rows)) == 2


def test_a_table_made_in_chunks_is_the_same(monkeypatch):
    hops, other = ((("hops", number), ("deep", True)) for number in (1, 2))
    entries = [
        entry(f"c{number:04d}-r1", number, cell=dataclasses.replace(CELL, settings=settings))
        for number, settings in enumerate([(), hops, (), other, (("device", "x"),)])
    ]
    whole = table(*entries, canary(0, 8, 10**6), entry("c0001-r1", 9))
    monkeypatch.setattr(tidy, "CHUNK_RUNS", 2)
    pd.testing.assert_frame_equal(table(*entries, canary(0, 8, 10**6), entry("c0001-r1", 9)), whole)


def test_a_row_names_its_cell_and_its_machine():
    one = row(entry())
    assert (one["campaign"], one["box"], one["box_hash"]) == ("made-up", BOX.name, BOX.checked_hash)
    assert (one["datapath"], one["queues"], one["frame_bytes"]) == ("xdp_native", 1, 64.0)
    assert json.loads(one["operations"]) == {}
    assert one["frame_mix"] == "1x64"


@given(trials=st.lists(COUNTS, min_size=1, max_size=5), seconds=st.floats(0.01, 100.0))
def test_rates_are_those_of_the_summed_counts(trials, seconds):
    one = row(
        *(
            entry(second=n, duration_s=seconds, forwarded_packets=forwarded, sent_packets=sent,
                  intended_packets=intended, dropped={"dut_ring": sent - forwarded})
            for n, (forwarded, sent, intended) in enumerate(trials)
        )
    )  # fmt: skip
    forwarded, sent, intended = (sum(counts) for counts in zip(*trials, strict=True))
    assert (one["forwarded_packets"], one["sent_packets"]) == (forwarded, sent)
    assert (one["intended_packets"], one["dropped_dut_ring"]) == (intended, sent - forwarded)
    assert one["duration_s"] == pytest.approx(seconds * len(trials))
    assert one["forwarded_mpps"] == pytest.approx(forwarded / one["duration_s"] / 1e6)
    assert one["trials"] == len(trials)


def test_valid_trials_are_preferred_to_disturbed_ones():
    one = row(entry(forwarded_packets=10, verdict=SUSPECT), entry(second=1))
    assert (one["forwarded_packets"], one["trials"], one["verdict"]) == (900, 1, "valid")
    assert one["verdict_reason"] == ""
    assert not one["unstable"]


def test_disturbed_trials_are_kept_and_marked_where_there_is_no_other():
    one = row(entry(verdict=SUSPECT), entry(second=1, verdict=SUSPECT))
    assert (one["trials"], one["verdict"], bool(one["unstable"])) == (2, "suspect", True)
    assert one["verdict_reason"] == SUSPECT.reasons[0]


def test_impossible_trials_are_summed_only_where_there_is_nothing_else():
    one = row(entry(verdict=SUSPECT), entry(second=1, sent_packets=0, forwarded_packets=0,
                                            dropped={}, verdict=INVALID))  # fmt: skip
    assert (one["trials"], one["verdict"], one["sent_packets"]) == (1, "suspect", 990)
    one = row(entry(verdict=INVALID), entry(second=1, verdict=INVALID))
    assert (one["trials"], one["verdict"]) == (2, "invalid")


@pytest.mark.parametrize(("other", "unstable"), [(900, False), (860, False), (700, True)])
def test_trials_that_differ_too_much_are_marked(other, unstable):
    one = row(entry(), entry(second=1, forwarded_packets=other))
    assert (one["verdict"], bool(one["unstable"])) == ("valid", unstable)


def test_canaries_are_no_rows_and_tell_the_drift():
    rows = table(
        canary(0, 0, forwarded=1_000_000),
        entry("c0000-r1", 5),
        canary(2, 10, forwarded=800_000),
        entry("c0001-r1", 30),
        entry("c0002-r1", 40),
        canary(5, 50, forwarded=900_000),
    )
    assert not rows["run_id"].str.startswith("canary").any()
    # 5 s: half way between 1.0 and 0.8; 30 s: half way between 0.8 and 0.9; of the median, 0.9
    assert list(rows["drift_ratio"]) == pytest.approx(
        [0.9 / 0.9, 0.85 / 0.9, 0.875 / 0.9], rel=1e-9
    )


def test_a_clock_that_is_set_back_moves_no_canary():
    """Half way between two canaries is half way, whatever the clock says."""
    hour = 3600
    rows = table(
        canary(0, hour, forwarded=1_000_000),
        entry("c0000-r1", hour + 10),
        canary(2, hour + 20, forwarded=800_000),
        entry("c0001-r1", 5),
        canary(4, 10, forwarded=900_000),
    )
    assert list(rows["drift_ratio"]) == pytest.approx([0.9 / 0.9, 0.8 / 0.9], rel=1e-9)


def test_an_impossible_canary_says_nothing_of_drift():
    broken = dataclasses.replace(canary(1, 5, forwarded=0), verdict=INVALID)
    rows = table(canary(0, 0, forwarded=10**6), broken, entry(second=5))
    assert rows["drift_ratio"].iloc[0] == 1.0


def test_without_canaries_no_drift_is_seen():
    assert row(entry())["drift_ratio"] == 1.0


def test_quantiles_are_those_of_all_trials_together():
    fast, slow = {1000: 90, 2000: 10}, {1000: 10, 9000: 90}
    one = row(entry(latency=latency(fast)), entry(second=1, latency=latency(slow)))
    assert one["latency_p50_us"] == 1.0
    assert one["latency_p90_us"] == 9.0
    assert one["latency_max_us"] == 9.001
    assert one["latency_mean_us"] == pytest.approx((100 * 1 + 10 * 2 + 90 * 9) / 200)


def test_an_unstamped_load_has_no_latency():
    assert row(entry())[["latency_mean_us", "latency_p999_us"]].isna().all()


def test_busy_shares_are_averaged_core_by_core():
    two_queues = dataclasses.replace(CELL, queues=2)
    one = row(
        entry(cell=two_queues, cpu_busy_ratios=(1.0, 0.5)),
        entry(second=1, cell=two_queues, cpu_busy_ratios=(0.8, 0.3)),
    )
    assert json.loads(one["cpu_per_core"]) == [0.9, 0.4]
    assert one["cpu_busy_ratio"] == pytest.approx(0.65)


def test_disturbance_is_the_worst_of_the_trials():
    one = row(entry(steal_ratio=0.001, contended_ratio=0.01), entry(second=1, steal_ratio=0.009))
    assert (one["steal_ratio"], one["contended_ratio"]) == (0.009, 0.01)


def test_drops_are_summed_by_place():
    one = row(
        entry(dropped={"dut_ring": 1, "sink_ring": 2}),
        entry(second=1, dropped={"dut_ring": 10, "dut_tx": 5}),
    )
    places = ["dropped_dut_ring", "dropped_dut_program", "dropped_dut_tx", "dropped_sink_ring"]
    assert one[places].fillna(0).tolist() == [11, 0, 5, 2]


def test_no_trial_is_no_row():
    rows = table()
    assert rows.empty
    assert list(rows.columns) == [column.name for column in COLUMNS]


def test_canaries_alone_are_no_row():
    assert table(canary(0, 0, forwarded=10**6)).empty


def test_endless_link_and_rate_stay_endless():
    flood = dataclasses.replace(
        CELL, link_gbps=np.inf,
        load=dataclasses.replace(CELL.load, arrivals="flood", offered_mpps=np.inf),
    )  # fmt: skip
    one = row(entry(cell=flood))
    assert np.isinf(one["link_gbps"])
    assert np.isinf(one["offered_mpps"])


def test_pings_of_a_run_are_one_histogram():
    pings = [
        Ping(sent=10, received=9, rtt=latency({100_000: 8, 900_000: 1})),
        Ping(sent=10, received=10, rtt=latency({100_000: 10})),
    ]
    one = row(*(entry(second=n, ping=ping) for n, ping in enumerate(pings)))
    assert (one["ping_sent"], one["ping_received"]) == (20, 19)
    assert one["rtt_p50_us"] == 100.0
    assert one["rtt_mean_us"] == pytest.approx((18 * 100 + 900) / 19)


def test_an_unanswered_ping_has_no_round_trip():
    one = row(entry(ping=Ping(sent=10, received=0, rtt=NOTHING_SEEN)))
    assert (one["ping_sent"], one["ping_received"]) == (10, 0)
    assert np.isnan(one["rtt_mean_us"])


def test_peak_and_steady_rate_are_of_all_sampling_intervals():
    one = row(
        entry(second=0, rates=(1000, 3000, 2000), rate_interval_s=0.1),
        entry(second=1, rates=(2000, 2000), rate_interval_s=0.1),
    )
    assert one["peak_mpps"] == pytest.approx(0.03)
    assert one["steady_mpps"] == pytest.approx(0.02)


def test_losses_at_a_place_without_a_column_are_not_forgotten():
    one = row(entry(dropped={"dut_ring": 5, "attic": 3, "cellar": 2}))
    assert (one["dropped_dut_ring"], one["dropped_elsewhere"]) == (5, 5)


@pytest.mark.parametrize(
    ("settings", "columns"),
    [
        (SocketSettings(busy_poll=True), {"busy_poll": True, "socket_hook": "native"}),
        (FilterSettings(flavour="nft"), {"filter_flavour": "nft", "filter_hook": "prerouting"}),
        (ChainSettings(length=3), {"chain_length": 3, "nsh_aware": False}),
    ],
)  # fmt: skip
def test_a_row_has_the_settings_of_its_datapath_and_no_others(settings, columns):
    one = row(entry(cell=dataclasses.replace(CELL, settings=columns_of(settings))))
    assert {name: one[name] for name in columns} == columns
    others = {"busy_poll", "filter_hook", "chain_length"} - set(columns)
    assert not others & set(one.index)
    assert set(columns) <= set(one["settings"].split("+"))


def test_a_row_says_what_its_packets_were():
    packet = Packet(protocol="tcp", tcp_flags="SR", payload="_X", sources=9)
    one = row(entry(cell=dataclasses.replace(
        CELL, load=dataclasses.replace(CELL.load, packet=packet)
    )))  # fmt: skip
    assert tuple(one[["protocol", "tcp_flags", "payload", "sources"]]) == ("tcp", "SR", "_X", 9)


def test_memory_accesses_are_counted_once_and_not_among_operations():
    cells = {
        "map_lookup": {"memory_accesses": 100},
        "xsk_memcpy": {"memory_accesses": 7},
        "operations": {"memory_accesses": 0, "operations": (("hash_lookup", 4),)},
    }
    counted = [
        json.loads(
            row(entry(cell=dataclasses.replace(CELL, program=name, **changes)))["operations"]
        )
        for name, changes in cells.items()
    ]
    assert counted == [{}, {}, {"hash_lookup": 4}]


def test_a_run_whose_device_failed_is_invalid_whatever_went_before():
    failed = entry(
        second=1, intended_packets=0, sent_packets=0, forwarded_packets=0, dropped={},
        cpu_busy_ratios=(), failure="xdp: killed by SIGSEGV", verdict=INVALID,
    )  # fmt: skip
    one = row(entry(second=0), failed, entry(second=2, verdict=INVALID))
    assert (one["verdict"], one["trials"], one["sent_packets"]) == ("invalid", 1, 0)
