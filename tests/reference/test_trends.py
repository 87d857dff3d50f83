"""What the reference runs must show on any machine: orders and forms, never absolute rates."""

import json

import numpy as np
import pytest

from linerate.tables.runs import read_runs

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def runs_of(reference):
    def read(study):
        runs = read_runs([reference(study)])
        return runs[runs["verdict"] != "invalid"]

    return read


def median_mpps(runs, **factors):
    """Median rate of the runs that have these factors; there must be some."""
    for name, value in factors.items():
        runs = runs[runs[name].eq(value).fillna(False)]
    assert len(runs), factors
    return runs["forwarded_mpps"].median()


def service_ns(runs, **factors):
    return 1e3 / median_mpps(runs, **factors)


@pytest.fixture
def drop_all(runs_of):
    runs = runs_of("sampaio")
    return runs[(runs["mode"] == "serial") & (runs["program"] == "drop_all")]


def test_the_earlier_a_packet_is_dropped_the_more_are(drop_all):
    rates = [
        median_mpps(drop_all, datapath="xdp_native"),
        median_mpps(drop_all, datapath="xdp_generic"),
        median_mpps(drop_all, datapath="tc"),
        median_mpps(drop_all, datapath="netfilter", filter_hook="prerouting"),
        median_mpps(drop_all, datapath="netfilter", filter_hook="input"),
    ]
    assert rates == sorted(rates, reverse=True)


@pytest.mark.parametrize("hook", ["prerouting", "input"])
def test_with_a_single_rule_the_rule_engines_are_alike(drop_all, hook):
    """An order of nftables and iptables is not to be seen before there are more rules."""
    at_hook = drop_all[drop_all["filter_hook"] == hook]
    at_hook = at_hook[at_hook["datapath"].isin(["nftables", "iptables"])]
    by_way = at_hook.groupby(["datapath", "filter_flavour"], dropna=False)["forwarded_mpps"]
    medians = by_way.median()
    assert len(medians) == 3
    assert medians.max() < 1.15 * medians.min()


@pytest.mark.parametrize("datapath", ["nftables", "iptables", "netfilter"])
def test_what_is_dropped_before_routing_costs_less(drop_all, datapath):
    of_datapath = drop_all[drop_all["datapath"] == datapath]
    early, late = (median_mpps(of_datapath, filter_hook=hook) for hook in ("prerouting", "input"))
    assert early > late


def test_a_filter_that_drops_all_answers_no_ping_and_the_others_do(runs_of):
    runs = runs_of("sampaio")
    pinged = runs[(runs["ping_sent"] > 0).fillna(False) & (runs["generator"] == "live_frames")]
    answered = pinged.groupby("program")["ping_received"].sum()
    assert answered["drop_all"] == 0
    assert (answered.drop("drop_all") > 0).all()


@pytest.fixture
def round_trips(runs_of):
    runs = runs_of("castanho")
    return runs[(runs["generator"] == "ping") & ~runs["nsh_aware"].astype(bool)]


def mean_rtt_us(runs, **factors):
    for name, value in factors.items():
        runs = runs[runs[name] == value]
    means = runs.groupby("chain_length")["rtt_mean_us"].median()
    assert len(means) >= 3, factors
    return means.index.to_numpy(float), means.to_numpy(float)


def line(lengths, rtt_us):
    """Slope of the least-squares line, us a function, and R2."""
    slope, intercept = np.polyfit(lengths, rtt_us, 1)
    residuals = rtt_us - (slope * lengths + intercept)
    return slope, 1.0 - residuals @ residuals / np.sum((rtt_us - rtt_us.mean()) ** 2)


@pytest.mark.parametrize("topology", ["direct", "hub"])
def test_round_trips_grow_linearly_with_the_chain(round_trips, topology):
    """From the first function on: a chain of none has no process to wake on a sleeping core."""
    of_raw = round_trips[round_trips["chain_function"] == "raw_socket"]
    some = of_raw[of_raw["chain_length"] >= 1]
    slope, r_squared = line(*mean_rtt_us(some, chain_topology=topology))
    assert slope > 0
    assert r_squared >= 0.98


def test_a_hub_makes_each_function_dearer(round_trips):
    of_raw = round_trips[round_trips["chain_function"] == "raw_socket"]
    direct, hub = (
        line(*mean_rtt_us(of_raw, chain_topology=topology))[0] for topology in ("direct", "hub")
    )
    assert hub > direct


def test_a_function_in_the_kernel_is_nearer_than_a_process(round_trips):
    direct = round_trips[round_trips["chain_topology"] == "direct"]
    tc, raw = (line(*mean_rtt_us(direct, chain_function=kind))[0] for kind in ("tc", "raw_socket"))
    assert tc < raw


def test_throughput_falls_with_the_chain(runs_of):
    runs = runs_of("castanho")
    flooded = runs[(runs["generator"] == "live_frames") & (runs["chain_function"] == "raw_socket")]
    rates = flooded[flooded["chain_topology"] == "direct"].groupby("chain_length")["forwarded_mpps"]
    assert rates.median().is_monotonic_decreasing


@pytest.fixture
def capacity(runs_of):
    runs = runs_of("capeletti")
    return runs[(runs["mode"] == "serial") & (runs["frame_bytes"] == 64) & (runs["queues"] == 1)]


def test_af_xdp_stays_below_native_xdp(capacity):
    native = median_mpps(capacity, datapath="xdp_native", program="map_lookup", memory_accesses=0)
    for hook in ("native", "generic"):
        assert native > median_mpps(
            capacity, datapath="af_xdp", socket_hook=hook, memory_accesses=0
        )


def test_a_copy_costs_the_same_on_either_hook(capacity):
    costs_ns = []
    for hook in ("native", "generic"):
        none, many = (
            service_ns(capacity, datapath="af_xdp", socket_hook=hook, memory_accesses=copies)
            for copies in (0, 6400)
        )
        costs_ns.append((many - none) / 6400)
    assert costs_ns[0] == pytest.approx(costs_ns[1], rel=0.25)


@pytest.mark.parametrize("kind", ["array", "percpu_array", "hash", "lru_hash", "lpm"])
def test_a_lookup_that_misses_the_caches_costs_more(capacity, kind):
    operations = json.dumps({f"{kind}_lookup": 100})
    hit, miss = (
        service_ns(capacity, program="operations", operations=operations, working_set_bytes=size)
        for size in (16384, 67108864)
    )
    assert miss > 1.5 * hit


def test_operations_add_up(capacity):
    """A mix costs what its parts do, to a fifth."""

    def cost_ns(**counts):
        asked = json.dumps(dict(sorted(counts.items())))
        of_none = {"program": "operations", "working_set_bytes": 0}
        return service_ns(capacity, operations=asked, **of_none) - service_ns(
            capacity, operations="{}", **of_none
        )

    parts = cost_ns(hash_lookup=50) + cost_ns(checksum=10) + cost_ns(packet_write=100)
    assert cost_ns(hash_lookup=50, checksum=10, packet_write=100) == pytest.approx(parts, rel=0.2)
