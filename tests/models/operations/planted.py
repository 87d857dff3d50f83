"""A table of pipelines with planted costs, as a campaign would write it."""

import json

import numpy as np
import pandas as pd

NONE_NS = 40.0
COST_NS = {
    "register_read_32": 9.0,
    "register_write_32": 1.5,
    "add": 4.0,
    "hash_crc32": 3.0,
    "table_exact": 35.0,
    "table_lpm": 46.0,
}
"""Of each operation alone; a hash costs ``HASH_ONCE_NS`` once besides."""
HASH_ONCE_NS = 40.0
NOISE = 0.01


def alone_ns(kind, times):
    return COST_NS[kind] * times + (HASH_ONCE_NS if kind == "hash_crc32" and times else 0.0)


def row(operations, packet_ns, **columns):
    fixed = {
        "campaign": "planted", "source": "serial", "box": "here", "datapath": "swx",
        "program": "forward", "memory_accesses": 0, "queues": 1, "frame_bytes": 64.0,
        "link_gbps": np.inf, "offered_mpps": np.inf, "forwarded_from": "sink",
        "cpu_busy_ratio": 1.0, "latency_mean_us": np.nan, "unstable": False, "mode": "serial",
    }  # fmt: skip
    own = {"operations": json.dumps(operations), "forwarded_mpps": 1e3 / packet_ns}
    return fixed | own | columns


def table(packets, repetitions=3, seed=0):
    """Rows of (operations, ns) or (operations, ns, columns), with effects of program loads."""
    rng = np.random.default_rng(seed)
    rows = [
        row(operations, packet_ns * np.exp(rng.normal(0.0, NOISE)), repetition=repetition, **more)
        for operations, packet_ns, *rest in packets
        for more in [rest[0] if rest else {}]
        for repetition in range(1, repetitions + 1)
    ]
    return pd.DataFrame(rows)


def singles(kinds=tuple(COST_NS), counts=(5, 20, 80)):
    """The empty packet, and each kind in several numbers; tables in fewer."""
    packets = [({}, NONE_NS)]
    for kind in kinds:
        for times in (1, 3, 8) if kind.startswith("table") else counts:
            packets.append(({kind: times}, NONE_NS + alone_ns(kind, times)))
    return packets
