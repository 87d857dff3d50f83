"""Tables of the studies beside capacity, with a known truth: a fixture, never a measurement."""

import itertools
import json
import math

import numpy as np
import pandas as pd

from linerate.tables.search_table import SEARCH_COLUMNS

HOOKS = {
    ("xdp_native", "", ""): 9.0,
    ("xdp_generic", "", ""): 3.2,
    ("tc", "", ""): 2.9,
    ("netfilter", "prerouting", ""): 2.5,
    ("netfilter", "prerouting", "module"): 2.6,
    ("nftables", "input", ""): 1.5,
    ("iptables", "input", "nft"): 1.2,
    ("iptables", "input", "legacy"): 1.3,
}
"""Rate at which each drops everything, Mpps."""
PROGRAMS = {
    "drop_all": 1.0, "drop_tcp_subnet": 0.9, "drop_udp_subnet": 0.92,
    "drop_tcp_subnet_flags": 0.85, "drop_tcp_subnet_payload": 0.8,
}  # fmt: skip
CHAIN_NONE_US, HOP_US = 40.0, {"direct": 20.0, "hub": 35.0}
REFERENCE_NS = 200.0
OPERATION_NS = {"hash_lookup": 22.0, "checksum": 150.0, "packet_read": 1.0}
MISS_NS = 60.0
RFC2544_MAX_MPPS = 2.0
FORWARD_NS = 40.0
PIPELINE_NS = {"register_read_32": 9.0, "register_write_32": 1.5, "table_exact": 35.0}
WAIT_NS = 3.0
"""What a read and a write of one register cost together beside their sum."""
PDR_MPPS = {"xdp_native": 1.9, "xdp_generic": 0.8}


def crossed(*factors):
    """Every combination."""
    return itertools.product(*factors)


def _row(run_id, **columns):
    return {
        "campaign": "planted", "source": "serial", "repetition": 1, "box": "planted-box",
        "memory_accesses": 0, "queues": 1, "frame_bytes": 64.0, "link_gbps": math.inf,
        "offered_mpps": math.inf, "arrivals": "flood", "forwarded_mpps": 0.0,
        "forwarded_from": "sink", "cpu_busy_ratio": 1.0, "latency_mean_us": math.nan,
        "unstable": False, "lab": "veth", "mode": "serial", "generator": "live_frames",
        "verdict": "valid", "started_at": "2026-03-01T10:00:00+00:00", "run_id": run_id,
    } | columns  # fmt: skip


def filter_runs(repetitions=3, generators=("live_frames", "hping3"), seed=1):
    """Every filter on every hook; pings are lost where little is dropped."""
    rng = np.random.default_rng(seed)
    factors = crossed(HOOKS, PROGRAMS, generators, range(1, repetitions + 1))
    rows = []
    for hook, program, generator, repetition in factors:
        share = 0.1 if generator == "hping3" else 1.0
        mpps = HOOKS[hook] * PROGRAMS[program] * share * np.exp(rng.normal(0.0, 0.02))
        received = 0 if program == "drop_all" else int(10 * min(1.0, mpps / 3.0))
        rtt_us = 400.0 / mpps if received else math.nan
        rows.append(_row(
            f"f{len(rows):04d}", datapath=hook[0], filter_hook=hook[1], filter_flavour=hook[2],
            program=program, repetition=repetition, generator=generator, forwarded_mpps=mpps,
            forwarded_from="dut_filter", forwarded_packets=int(1e6 * mpps), duration_s=1.0,
            peak_mpps=1.1 * mpps, steady_mpps=mpps, ping_sent=10, ping_received=received,
            rtt_p50_us=rtt_us, memory_bytes=4096, pings_per_second=10.0,
            protocol="udp" if "udp" in program else "tcp",
        ))  # fmt: skip
    return pd.DataFrame(rows)


def chain_runs(lengths=(0, 1, 2, 4, 8), repetitions=3, seed=2):
    """Pings through chains, and a flood; each function adds the same to a round trip."""
    rng = np.random.default_rng(seed)
    functions = ("raw_socket", "af_xdp", "tc")
    factors = crossed(functions, HOP_US, lengths, range(1, repetitions + 1))
    rows = []
    for number, (function, topology, length, repetition) in enumerate(factors):
        chain = {
            "datapath": "chain", "program": "wire", "chain_length": length, "nsh_aware": False,
            "chain_topology": topology, "chain_function": function, "metadata_type": 1,
            "repetition": repetition, "frame_bytes": 128.0,
        }  # fmt: skip
        hop_us = HOP_US[topology] * (1.0 + functions.index(function))
        rtt_us = CHAIN_NONE_US + hop_us * length + rng.normal(0.0, 0.5)
        rows.append(_row(f"p{number}", **chain, generator="ping", ping_sent=100,
                         ping_received=100, rtt_mean_us=rtt_us, pings_per_second=100.0,
                         intended_packets=0, forwarded_packets=0, mode="split"))  # fmt: skip
        mpps = 1.2 / (1.0 + length * (2.0 if topology == "hub" else 1.0))
        rows.append(_row(f"t{number}", **chain, forwarded_mpps=mpps, mode="split",
                         offered_mpps=1.5, arrivals="constant", pings_per_second=0.0,
                         intended_packets=1_500_000,
                         forwarded_packets=int(1e6 * mpps)))  # fmt: skip
    return pd.DataFrame(rows)


def socket_runs(accesses=(0, 100, 800), batches=(1, 4, 16, 64), repetitions=2, seed=3):
    """AF_XDP by hook, batch and busy poll; a batch shares the cost of a system call."""
    rng = np.random.default_rng(seed)
    factors = crossed(
        accesses, batches, ("native", "generic"), (False, True), range(1, repetitions + 1)
    )
    rows = []
    for count, batch, hook, busy_poll, repetition in factors:
        ns = (800.0 if hook == "native" else 1300.0) + 3.0 * count + (
            (700.0 if busy_poll else 1200.0) / batch)  # fmt: skip
        rows.append(_row(
            f"x{len(rows):04d}", datapath="af_xdp", program="xsk_memcpy", memory_accesses=count,
            socket_hook=hook, busy_poll=busy_poll, zero_copy=False, need_wakeup=True,
            socket_batch_packets=batch, sockets="per_queue", repetition=repetition,
            forwarded_mpps=1e3 / ns * np.exp(rng.normal(0.0, 0.01)), link_gbps=10.0,
            offered_mpps=14.880952, arrivals="constant",
            operations=json.dumps({"memcpy_6b": count}),
        ))  # fmt: skip
    rows += [_at_line_rate(count, repetition) for count in accesses for repetition in (1, 2)]
    return pd.DataFrame(rows)


def _at_line_rate(accesses, repetition):
    """A run of the split mode whose latency grows with the accesses."""
    mean_us = 100.0 + accesses
    return _row(
        f"l{accesses}-{repetition}", datapath="af_xdp", program="xsk_memcpy", mode="split",
        memory_accesses=accesses, socket_hook="native", busy_poll=False, zero_copy=False,
        need_wakeup=True, socket_batch_packets=64, sockets="per_queue", repetition=repetition,
        forwarded_mpps=0.5, link_gbps=1.0, offered_mpps=1.4880952, arrivals="constant",
        latency_mean_us=mean_us, latency_p50_us=0.9 * mean_us, latency_p99_us=3.0 * mean_us,
    )  # fmt: skip


def operation_runs(counts=(1, 4, 16, 64), sets=(0, 1 << 12, 1 << 18, 1 << 24), seed=4):
    """Operations of several kinds; a hash lookup misses the cache in the largest tables."""
    rng = np.random.default_rng(seed)
    asked = [({}, size) for size in sets]
    asked += [({kind: count}, size) for kind in OPERATION_NS for count in counts
              for size in (sets[1:] if kind == "hash_lookup" else (0,))]  # fmt: skip
    asked.append(({"hash_lookup": 4, "checksum": 1}, 0))
    rows = []
    for (operations, size), repetition in crossed(asked, (1, 2, 3)):
        miss_ns = MISS_NS if size >= 1 << 24 else 0.0
        ns = REFERENCE_NS + sum(
            count * (OPERATION_NS[kind] + (miss_ns if kind == "hash_lookup" else 0.0))
            for kind, count in operations.items()
        )
        rows.append(_row(
            f"o{len(rows):04d}", datapath="xdp_native", program="operations",
            operations=json.dumps(operations), working_set_bytes=size, repetition=repetition,
            forwarded_mpps=1e3 / ns * np.exp(rng.normal(0.0, 0.002)),
        ))  # fmt: skip
    return pd.DataFrame(rows)


def pipeline_runs(repetitions=3, seed=6):
    """Operations, frame sizes, bursts and lcores of pipelines; a read waits for a write."""
    rng = np.random.default_rng(seed)
    asked = [({kind: count}, {}) for kind in PIPELINE_NS for count in (5, 10, 50)]
    asked += [({"register_read_32": count, "register_write_32": count}, {}) for count in (10, 50)]
    asked += [({"table_exact": 5, "register_read_32": 10}, {})]
    asked += [({"table_exact": count}, {"frame_bytes": 1500.0}) for count in (5, 10)]
    asked += [({}, {"pipeline_burst_packets": burst}) for burst in (1, 8, 32, 64)]
    asked += [({}, {"queues": 2, "lcores": 2}),
              ({}, {"queues": 4, "lcores": 4, "oversubscribed": True})]  # fmt: skip
    rows = []
    for (operations, other), repetition in crossed(asked, range(1, repetitions + 1)):
        ns = FORWARD_NS + sum(PIPELINE_NS[kind] * count for kind, count in operations.items())
        if {"register_read_32", "register_write_32"} <= set(operations):
            ns += WAIT_NS * operations["register_read_32"]
        ns += 32.0 / other.get("pipeline_burst_packets", 32) - 1.0
        cores = min(other.get("queues", 1), 2)
        rows.append(_row(
            f"w{len(rows):04d}", lab="dpdk", datapath="swx", program="forward",
            operations=json.dumps(operations), repetition=repetition, pipeline_port="net_null",
            forwarded_mpps=cores * 1e3 / ns * np.exp(rng.normal(0.0, 0.002)),
            **({"lcores": 1, "pipeline_burst_packets": 32, "hugepages": False, "memory_channels": 0,
                "table_entries": 1024, "registers": 1024, "oversubscribed": False} | other),
        ))  # fmt: skip
    rows += [_pipeline_latency(burst) for burst in (1, 32)]
    return pd.DataFrame(rows)


def _pipeline_latency(burst):
    """A run by rings below capacity; a burst waits until it is full."""
    return _row(
        f"k{burst}", lab="dpdk", datapath="swx", program="forward", mode="split", lcores=1,
        operations="{}", pipeline_port="ring", pipeline_burst_packets=burst, hugepages=False,
        memory_channels=0, oversubscribed=False, forwarded_mpps=5.0, offered_mpps=5.0,
        arrivals="constant", latency_p50_us=1.0 + burst, latency_p99_us=3.0 + burst,
    )  # fmt: skip


def searches(repetitions=2):
    """NDR, PDR and MRR of two hooks; the largest frame has no upper bound below the line."""
    rows = []
    for (datapath, mpps), size, repetition in crossed(
        PDR_MPPS.items(), (64.0, 1518.0), range(1, repetitions + 1)
    ):
        cell = {
            "campaign": "planted", "box": "planted-box", "lab": "veth", "mode": "split",
            "datapath": datapath, "program": "map_lookup", "memory_accesses": 100, "queues": 1,
            "frame_bytes": size, "link_gbps": 10.0, "arrivals": "constant", "burst_packets": 1,
            "search_id": f"{datapath}{size:g}-r{repetition}", "repetition": repetition,
            "preset": "mlrsearch", "verdict": "valid",
            "started_at": "2026-03-01T10:00:00+00:00",
        }  # fmt: skip
        line = size > 1000
        found = 0.81 if line else mpps * (1.0 + 0.01 * repetition)
        for goal, share in (("ndr", 0.9), ("pdr", 1.0)):
            rows.append(cell | {
                "goal": goal, "lower_mpps": share * found,
                "upper_mpps": math.nan if line and goal == "pdr" else share * found * 1.005,
                "lower_loss_ratio": 0.0, "limited_by": "line_rate" if line else "device",
            })  # fmt: skip
        rows.append(cell | {"goal": "mrr", "mrr_mpps": 1.05 * found, "mrr_min_mpps": found,
                            "mrr_max_mpps": 1.1 * found})  # fmt: skip
    rows.append(rows[0] | {
        "search_id": "rfc-r1", "preset": "rfc2544", "goal": "throughput", "datapath": "xdp_native",
        "lower_mpps": 1.2, "upper_mpps": 1.21, "max_mpps": RFC2544_MAX_MPPS, "memory_accesses": 0,
    })  # fmt: skip
    return pd.DataFrame(rows, columns=[column.name for column in SEARCH_COLUMNS])


def curve_runs(percents=(10, 50, 90, 100), repetitions=2):
    """Latency that grows as the load comes near what is carried."""
    rows = []
    for datapath, arrivals, percent, repetition in crossed(
        PDR_MPPS, ("constant", "poisson"), percents, range(1, repetitions + 1)
    ):
        offered = round(PDR_MPPS[datapath] * (1.0 + 0.01 * repetition) * percent / 100, 6)
        p50_us = 5.0 + (0.3 if arrivals == "constant" else 1.0) / (1.02 - percent / 100)
        rows.append(_row(
            f"{datapath}64-r{repetition}-{arrivals}-{offered:.6f}", source="curve", mode="split",
            datapath=datapath, program="map_lookup", memory_accesses=100, link_gbps=10.0,
            offered_mpps=offered, arrivals=arrivals, burst_packets=1, forwarded_mpps=offered,
            repetition=repetition, latency_mean_us=1.1 * p50_us, latency_p50_us=p50_us,
            latency_p99_us=4.0 * p50_us,
        ))  # fmt: skip
    rows += [_frame_loss(percent) for percent in (50, 60, 80, 100)]
    return pd.DataFrame(rows)


def _frame_loss(percent):
    """A load of the frame loss test, with nothing lost up to 60 %."""
    offered = RFC2544_MAX_MPPS * percent / 100
    return _row(
        f"rfc-r1-constant-{offered:.6f}", source="curve", mode="split", datapath="xdp_native",
        program="map_lookup", link_gbps=10.0, offered_mpps=offered, arrivals="constant",
        forwarded_mpps=offered, intended_packets=1000, latency_p50_us=5.0, latency_p99_us=9.0,
        forwarded_packets=1000 - 10 * max(0, percent - 60),
    )  # fmt: skip


def own_runs(repetitions=2):
    """A program of one's own that drops a quarter of the packets and sends the others back."""
    rates = {"xdp_native": 4.0, "xdp_generic": 2.0, "tc": 1.0}
    factors = crossed(rates.items(), range(1, repetitions + 1))
    return pd.DataFrame([
        _row(f"o{datapath}-{repetition}", datapath=datapath, program="mine/quarter.bpf.o",
             repetition=repetition, forwarded_mpps=mpps, duration_s=1.0, cost="program",
             forwarded_from="dut_verdicts", ended_drop=mpps * 0.25e6, ended_tx=mpps * 0.75e6,
             ended_pass=0, ended_redirect=0, ended_aborted=0)
        for (datapath, mpps), repetition in factors
    ])  # fmt: skip


def all_runs():
    """Every study in one table."""
    parts = [own_runs(), filter_runs(), chain_runs(), socket_runs(), operation_runs(), curve_runs(),
             pipeline_runs()]  # fmt: skip
    return pd.concat(parts, ignore_index=True)
