"""Tables of runs with known parameters."""

import numpy as np
import pandas as pd

from linerate.box import Box, Cost
from linerate.models import Pair
from linerate.models.latency.path import PathLatency
from linerate.units import line_rate_mpps

ACCESSES = (0, 1, 100, 200, 400, 800, 1600, 3200, 6400, 12800)
SIZES = (64, 128, 256, 512, 1024, 1500)
BASE_NS = {"xdp_native": 93.0, "xdp_generic": 330.0}
ACCESS_NS = 1.5
RUN_SHARE = 0.2
"""Spread of runs beside that of loads: with none, a mixed model's likelihood has no maximum."""


def lab_table(*, queues=(1, 2), accesses=ACCESSES, sizes=SIZES, noise=0.01, reloads=3):
    """Serial runs as the veth lab gives them: the generic base path gains nothing by queue 2."""
    rng = np.random.default_rng(1)
    rows = []
    for datapath, base_ns in BASE_NS.items():
        for count in queues:
            grown = base_ns * (count if datapath == "xdp_generic" else 1)
            for access in accesses:
                for repetition in range(1, reloads + 1):
                    effect = np.exp(noise * rng.standard_normal())
                    for size in sizes:
                        line = float(line_rate_mpps(10.0, size))
                        own = np.exp(RUN_SHARE * noise * rng.standard_normal())
                        mpps = count * 1e3 / (grown + ACCESS_NS * access) * effect * own
                        rows.append((datapath, access, count, size, repetition, line,
                                     min(line, mpps)))  # fmt: skip
    names = ["datapath", "memory_accesses", "queues", "frame_bytes", "repetition", "offered_mpps",
             "forwarded_mpps"]  # fmt: skip
    return pd.DataFrame(rows, columns=names).assign(
        campaign="planted", source="", box="lab", program="map_lookup", link_gbps=10.0,
        forwarded_from="sink", cpu_busy_ratio=1.0, latency_mean_us=np.nan, unstable=False,
        mode="serial", verdict="valid",
    )  # fmt: skip


def split_table(*, capacity_mpps=2.0, ring=256, setup_us=12.0, stall_wait_us=4.0):
    """Load-latency runs of one path, made by the queueing model itself."""
    path = PathLatency(pair=Pair("xdp_native", "map_lookup"), ring_packets=ring, fixed_us=0.0,
                       setup_us=setup_us, stall_wait_us=stall_wait_us)  # fmt: skip
    base = lab_table(queues=(1,), accesses=(100,), sizes=(64,), reloads=1)
    row = base[base["datapath"] == "xdp_native"]
    rows = []
    for access, capacity in ((0, 1.5 * capacity_mpps), (100, capacity_mpps)):
        for repetition in (1, 2):
            for share in (0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.2, 1.5):
                offered = share * capacity
                rows.append(row.assign(
                    mode="split", memory_accesses=access, offered_mpps=offered,
                    forwarded_mpps=min(offered, capacity), repetition=repetition,
                    latency_mean_us=path.mean_us(offered, 1e3 / capacity),
                    cpu_busy_ratio=min(1.0, share),
                ))  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def cells_table(**factors):
    """Cells from scalars and arrays; what is not named is a native 64 B cell on one queue."""
    usual = {"datapath": "xdp_native", "program": "map_lookup", "memory_accesses": [100],
             "queues": 1, "frame_bytes": 64, "link_gbps": 10.0}  # fmt: skip
    if any(np.ndim(value) for value in factors.values()):
        usual["memory_accesses"] = 100
    return pd.DataFrame(usual | factors)


def planted_box(costs, name="small"):
    """Make a box with costs, ns."""
    known = {one: Cost(value_ns=ns, lower_ns=ns, upper_ns=ns) for one, ns in costs.items()}
    return Box(name=name, cpu_model="any", cores=2, threads_per_core=1, memory_gib=4.0, kernel="6",
               mitigations={}, governor="none", hypervisor="none", nic="veth",
               costs=known)  # fmt: skip
