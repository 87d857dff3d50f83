"""What probes cost: ``sudo .venv/bin/python benchmarks/probes.py``.

Native XDP_TX of 64-byte frames in a flood, serial mode: the highest rate, so a probe shows most.
Every round has one trial without probes and one with each kind, all on the same program load.
"""

from __future__ import annotations

import argparse
import math
from typing import get_args

import numpy as np

from linerate.cells import Cell, Load
from linerate.errors import CannotHereError
from linerate.measure.collectors.probed import ProbeKind, check_probes, probed
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.trials.bench import Bench, Timing

FLOOD = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)
CELL = Cell(
    lab="veth", mode="serial", datapath="xdp_native", program="xdp_tx", memory_accesses=0,
    queues=1, link_gbps=math.inf, load=FLOOD,
)  # fmt: skip


def possible(kind: ProbeKind) -> bool:
    """Whether this machine can run a probe; says why where it cannot."""
    try:
        check_probes([kind])
    except CannotHereError as error:
        print(f"{kind}: not measured: {error}")
        return False
    return True


def rate_mpps(bench: Bench, kinds: tuple[ProbeKind, ...], timing: Timing) -> float:
    """Rate of one trial with these probes around it."""
    with probed(bench, kinds) as looked_at:
        return looked_at.run_trial(FLOOD, timing).forwarded_mpps


def main() -> None:
    """Print rates with and without each probe, and the ratio within a round."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=0.5, help="of one trial")
    options.add_argument("--rounds", type=int, default=9)
    chosen = options.parse_args()
    timing = Timing(warm_up_seconds=0.1, seconds=chosen.seconds)
    kinds = tuple(kind for kind in get_args(ProbeKind) if possible(kind))
    looks: dict[str, tuple[ProbeKind, ...]] = {
        "none": (), **{kind: (kind,) for kind in kinds}, "all": kinds,
    }  # fmt: skip
    with open_bench(CELL) as bench:
        rounds = [
            {name: rate_mpps(bench, look, timing) for name, look in looks.items()}
            for _ in range(chosen.rounds)
        ]
    for name in looks:
        rates = np.array([turn[name] for turn in rounds])
        ratios = np.array([turn[name] / turn["none"] for turn in rounds])
        print(
            f"{name}: {np.median(rates):.2f} Mpps [{rates.min():.2f}..{rates.max():.2f}], "
            f"of none {np.median(ratios):.3f} [{ratios.min():.3f}..{ratios.max():.3f}]"
        )


if __name__ == "__main__":
    main()
