"""Tables with a known truth, for figures and pages: a fixture, never a measurement."""

import itertools
import json

import numpy as np
import pandas as pd

from linerate.models.queueing.textbook.mg1k import mg1k
from linerate.units import line_rate_mpps

BASE_NS = {"xdp_native": 90.0, "xdp_generic": 330.0}
EXPONENT = {"xdp_native": 0.0, "xdp_generic": 1.0}
ACCESS_NS = 1.5
SPLIT_BASE_NS = 280.0
RING = 256


def serial_runs(
    accesses=(0, 10, 100, 400, 1600), sizes=(64, 256, 1500), queues=(1, 2), repetitions=2, seed=1
):
    """Runs of the serial mode: q / (base * q^exponent + access * N), at most line rate."""
    rng = np.random.default_rng(seed)
    factors = itertools.product(BASE_NS, accesses, queues, sizes, range(1, repetitions + 1))
    rows = [_serial_row(chosen, rng.normal(0.0, 0.01)) for chosen in factors]
    return pd.DataFrame(rows).assign(run_id=[f"c{number:04d}" for number in range(len(rows))])


def _serial_row(chosen, noise):
    datapath, accesses, queues, size, _ = chosen
    service_ns = BASE_NS[datapath] * queues ** EXPONENT[datapath] + ACCESS_NS * accesses
    line_mpps = float(line_rate_mpps(10.0, size))
    capacity_mpps = queues * 1e3 / service_ns * np.exp(noise)
    return _common(*chosen) | {
        "source": "serial", "mode": "serial", "offered_mpps": line_mpps, "arrivals": "constant",
        "forwarded_mpps": min(line_mpps, capacity_mpps),
        "cpu_busy_ratio": min(1.0, line_mpps / capacity_mpps), "latency_mean_us": np.nan,
        "cpu_per_core": json.dumps([min(1.0, line_mpps / capacity_mpps)] * queues),
        "instructions_per_packet": 10.0 * BASE_NS[datapath] + 11.0 * accesses,
        "branches_per_packet": 2.0 * BASE_NS[datapath] + 2.0 * accesses,
        "l1_loads_per_packet": 3.0 * BASE_NS[datapath] + 3.0 * accesses,
        "l1_load_misses_per_packet": 0.05 * BASE_NS[datapath],
    }  # fmt: skip


def split_runs(loads=(0.1, 0.5, 1.0, 1.5, 2.0, 3.0), accesses=(0, 100), repetitions=2, seed=2):
    """Runs of the split mode: a queue under evenly spaced and Poisson arrivals."""
    rng = np.random.default_rng(seed)
    factors = itertools.product(accesses, ("constant", "poisson"), loads, range(1, repetitions + 1))
    rows = [_split_row(*chosen, effect=rng.normal(0.0, 0.03)) for chosen in factors]
    return pd.DataFrame(rows).assign(run_id=[f"s{number:04d}" for number in range(len(rows))])


def _split_row(accesses, arrivals, load, repetition, *, effect):
    service_ns = SPLIT_BASE_NS + ACCESS_NS * accesses
    scv = 1.0 if arrivals == "poisson" else 0.1
    queue = mg1k(load_mpps=load, service_time_ns=service_ns, service_scv=scv, places=RING)
    mean_us = (3.0 + 8.0 * (1.0 - queue.busy_ratio) + queue.sojourn_ns * 1e-3) * np.exp(effect)
    return _common("xdp_native", accesses, 1, 64, repetition) | {
        "source": "split", "mode": "split", "offered_mpps": load, "arrivals": arrivals,
        "forwarded_mpps": min(load, 1e3 / service_ns),
        "cpu_busy_ratio": queue.busy_ratio * 0.98,
        "latency_mean_us": mean_us,
        "latency_p50_us": 0.9 * mean_us, "latency_p99_us": 4.0 * mean_us,
    }  # fmt: skip


def _common(datapath, accesses, queues, size, repetition):
    return {
        "campaign": "planted", "repetition": repetition, "box": "planted-box",
        "datapath": datapath, "program": "map_lookup", "memory_accesses": accesses,
        "queues": queues, "frame_bytes": float(size), "link_gbps": 10.0,
        "forwarded_from": "sink", "unstable": False, "lab": "veth", "verdict": "valid",
        "started_at": f"2026-03-0{repetition}T10:00:00+00:00",
    }  # fmt: skip
