"""Base costs of a box whose paths were fitted on runs: what a packet takes that is sent back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pandas as pd

from linerate.box import Cost
from linerate.models.capacity.paths import PathCost
from linerate.models.runs.cells import cells_of
from linerate.programs.costs import FRAME_BYTES, cost_name

SENDS_BACK = "map_lookup"
"""The program of the paths: without accesses it does nothing but send its packets back."""
DATAPATHS = ("xdp_native", "xdp_generic")


def base_costs_of(paths: Iterable[PathCost], queues: Sequence[int]) -> dict[str, Cost]:
    """Take the time of a packet of a program that only sends back, by hook, size and queues.

    Parameters
    ----------
    paths
        As they were fitted; those of other programs are left out.
    queues
        Numbers that were measured.

    Returns
    -------
    By name (`linerate.programs.costs`), ns on one core, each with the interval of the base path.
    """
    costs = {}
    for path in paths:
        if path.pair.program != SENDS_BACK or path.pair.datapath not in DATAPATHS:
            continue
        sites = list(product(FRAME_BYTES, queues))
        asked = pd.DataFrame(
            {"datapath": path.pair.datapath, "program": SENDS_BACK, "memory_accesses": 0,
             "link_gbps": np.inf, "frame_bytes": size, "queues": count} for size, count in sites
        )  # fmt: skip
        mpps, _ = path.service_mpps(cells_of(asked))
        lower, upper = path.intervals.get("base_ns", (path.base_ns, path.base_ns))
        for (size, count), rate in zip(sites, mpps, strict=True):
            value_ns = 1e3 * count / float(rate)
            costs[cost_name(path.pair.datapath, "tx", size, count)] = Cost(
                value_ns=value_ns, lower_ns=value_ns * lower / path.base_ns,
                upper_ns=value_ns * upper / path.base_ns,
            )  # fmt: skip
    return costs
