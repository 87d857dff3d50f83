"""A campaign of any number of runs, as ``linerate measure`` would have kept it, without a packet.

``python benchmarks/large/planted.py FOLDER RUNS`` writes one without its tables.

Rates come from the capacity model's formula (base time, time per access, the line), latencies from
its queue; each run is a program load of its own, as in a campaign, with a random effect of 2 %.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from linerate.files.lines import with_checksum
from linerate.files.store import Store
from linerate.units import line_rate_mpps

MEASURED = Path(__file__).resolve().parents[2] / "data/reference-veth"
"""Campaign whose plan, box and provenance stand for those of the planted one."""
BASE_NS = {"xdp_native": 93.0, "xdp_generic": 330.0}
ACCESS_NS, LOAD_RATIO = 1.5, 0.02
ACCESSES = np.unique(np.append(0, np.geomspace(1, 12800, 59).astype(int)))
QUEUES, FRAME_BYTES = (1, 2), (64, 128, 256, 512, 1024, 1500)
CURVE_ACCESSES, LOADS = ACCESSES[::15], np.linspace(0.1, 1.2, 12)
LINK_GBPS, TRIAL_S, FLOOR_NS = 10.0, 0.5, 20_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
PROBES = 64
"""Latencies of a trial that are kept."""


def plant(folder: Path, runs: int, seed: int = 1) -> Path:
    """Write the folder of a campaign of so many runs, a trial each, without its tables."""
    folder.mkdir(parents=True)
    for name in ("campaign.toml", "box.json", "provenance.json"):
        shutil.copy(MEASURED / name, folder)
    rng = np.random.default_rng(seed)
    with Store(folder).journal_path.open("wb") as journal:
        for number, fields in zip(range(runs), _runs(rng), strict=False):
            started = BEGIN + timedelta(seconds=number * TRIAL_S)
            fields["trial"]["started_at"] = started.isoformat(timespec="milliseconds")
            journal.write(with_checksum(json.dumps(fields).encode()) + b"\n")
    return folder


def _runs(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Repeat every cell without end: floods of all sizes, and loads of one path's queue."""
    repetition = 0
    while True:
        repetition += 1
        number = 0
        for datapath, base_ns in BASE_NS.items():
            for queues in QUEUES:
                for accesses in map(int, ACCESSES):
                    capacity = 1e3 * queues / (base_ns + ACCESS_NS * accesses)
                    loads = LOADS if queues == 1 and accesses in CURVE_ACCESSES else ()
                    cells = [("serial", size, float(line_rate_mpps(LINK_GBPS, size)))
                             for size in FRAME_BYTES]  # fmt: skip
                    cells += [("split", 64, float(share * capacity)) for share in loads]
                    for mode, size, offered in cells:
                        cell = _cell(mode, datapath, (accesses, queues, size), offered)
                        own = capacity * np.exp(LOAD_RATIO * rng.standard_normal())
                        number += 1
                        yield {"run_id": f"c{number:04d}-r{repetition}", "repetition": repetition,
                               "canary": False, "cell": cell,
                               "trial": _trial(rng, cell, queues, float(own), offered),
                               "verdict": {"state": "valid", "reasons": []},
                               "program_hash": "0" * 16, "schema_version": 1}  # fmt: skip


def _cell(
    mode: str, datapath: str, factors: tuple[int, int, int], offered_mpps: float
) -> dict[str, object]:
    accesses, queues, frame_bytes = factors
    load = {"frame_mix": [[1, frame_bytes]], "arrivals": "constant", "burst_packets": 1,
            "flows": 1, "offered_mpps": offered_mpps}  # fmt: skip
    return {"lab": "veth", "mode": mode, "datapath": datapath, "program": "map_lookup",
            "memory_accesses": accesses, "queues": queues, "link_gbps": LINK_GBPS,
            "load": load, "settings": []}  # fmt: skip


def _trial(
    rng: np.random.Generator, cell: dict[str, object], queues: int, capacity_mpps: float,
    offered_mpps: float,
) -> dict[str, object]:  # fmt: skip
    is_split = cell["mode"] == "split"
    intended = round(offered_mpps * TRIAL_S * 1e6)
    forwarded = round(min(capacity_mpps, offered_mpps) * TRIAL_S * 1e6)
    sent = intended if is_split else forwarded  # a serial generator waits for the device
    busy = min(1.0, offered_mpps / capacity_mpps)
    lost = {"dut_ring": sent - forwarded, "dut_program": 0, "dut_tx": 0, "sink_ring": 0}
    waits_ns = np.sort(
        FLOOR_NS + rng.exponential(1e3 / capacity_mpps / max(1 - busy, 0.01), PROBES)
    )
    latency = {
        "lower_ns": [int(wait) for wait in np.unique(waits_ns.astype(int) // 500 * 500)],
        "sum_ns": int(waits_ns.sum()), "max_ns": int(waits_ns[-1]) + 500,
    }  # fmt: skip
    latency["counts"] = np.unique(waits_ns.astype(int) // 500, return_counts=True)[1].tolist()
    return {
        "duration_s": TRIAL_S, "intended_packets": intended, "sent_packets": sent,
        "forwarded_packets": forwarded, "dropped": lost, "latency": latency if is_split else None,
        "forwarded_from": "sink", "cpu_busy_ratios": [busy] * queues, "contended_ratio": 0.001,
        "program_ns": None, "steal_ratio": 0.0,
    }  # fmt: skip


if __name__ == "__main__":
    plant(Path(sys.argv[1]), int(sys.argv[2]))
