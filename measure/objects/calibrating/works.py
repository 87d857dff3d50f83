"""What some packets take on this machine that are known by all that they execute.

By these the costs of rulesets, pipelines and chains, which come from another machine, are carried
over. The packets are those of a short campaign, several program loads of each.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

import linerate
from linerate.box import Cost
from linerate.errors import CannotHereError, LinerateError
from linerate.measure.campaign.campaign import Campaign, read_campaign
from linerate.measure.campaign.run import check_runnable
from linerate.measure.campaign.whole import Outset, measure_into
from linerate.measure.live.events import Event
from linerate.measure.live.progress import Progress
from linerate.measure.objects.calibrating.loads import cost_over_loads
from linerate.measure.objects.calibrating.rounds import left_alone
from linerate.programs.costs import CHAIN, FRAME_BYTE, PASSED, work_name
from linerate.progress import Tell
from linerate.tables.rates import is_estimated, with_own_cores

CAMPAIGNS = Path(linerate.__file__).parent / "data/campaigns"
CONTENDED_MAX = 0.75
"""Share of a run for which others may hold its core: of more, time and packets do not match."""


def measure_works(datapath: str, tell: Tell) -> dict[str, Cost]:
    """Measure the packets of a datapath's campaign, in a minute at most.

    Parameters
    ----------
    datapath
        ``nftables``, ``iptables``, ``swx``, or a chain's (`linerate.programs.costs.CHAIN`).
    tell
        Called after each program load.

    Returns
    -------
    Costs by name (`linerate.programs.costs.work_name`), each the median over program loads with
    the smallest and the largest, ns, with the core to itself where the run tells that, else less
    what other processes held it; loads that were disturbed, or that took far longer than the
    quickest, only where all were.

    Raises
    ------
    CannotHereError
        Rights, a runner or a tool are missing.
    LinerateError
        Nothing was forwarded, or others held the cores nearly all the time.
    """
    whole = read_campaign(CAMPAIGNS / f"probe-{datapath}.toml")
    plan = replace(whole, campaign=_runnable(whole.campaign, whole.folder))

    def hear(progress: Progress, events: Sequence[Event]) -> None:
        tell(f"costs of {datapath} here", len(progress.verdicts), len(progress.runs))

    with tempfile.TemporaryDirectory() as folder:
        runs = measure_into(plan, Outset(out=Path(folder) / "out"), hear).runs
    runs = runs[(runs["forwarded_mpps"] > 0.0) & (runs["contended_ratio"] <= CONTENDED_MAX)]
    runs = runs.assign(packet_ns=packet_ns(runs))
    if datapath.startswith(CHAIN):
        runs = runs.assign(operations=[
            json.dumps({PASSED: int(length), FRAME_BYTE: int(size)})
            for length, size in zip(runs["chain_length"], runs["frame_bytes"], strict=True)
        ])  # fmt: skip
    found = {}
    for operations, own in runs.groupby("operations"):
        taken_ns = own["packet_ns"].to_numpy(dtype="float64")
        sound = own["verdict"].eq("valid").to_numpy(dtype=bool)
        taken_ns = left_alone(taken_ns[sound]) if sound.any() else taken_ns
        counted = tuple(sorted(json.loads(str(operations)).items()))
        found[work_name(datapath, counted)] = cost_over_loads(taken_ns)
    if not found:
        raise LinerateError(f"{datapath}: no packet was forwarded, or other processes held the "
                            "cores; ask again when less runs, see linerate doctor")  # fmt: skip
    return found


def packet_ns(runs: pd.DataFrame) -> pd.Series:
    """Time of a packet with the core to itself, else less what other processes held it, ns.

    Parameters
    ----------
    runs
        Those that forwarded something.
    """
    held_ratio = runs["contended_ratio"].mask(is_estimated(runs), 0.0)
    return 1e3 * (1.0 - held_ratio) / with_own_cores(runs)["forwarded_mpps"]


def _runnable(campaign: Campaign, folder: Path) -> Campaign:
    """Leave out blocks that need a tool that is missing here, but for the first, which must run."""
    first, *others = campaign.cell_blocks
    kept = [first]
    for block in others:
        try:
            check_runnable(campaign.model_copy(update={"cell_blocks": [block]}), folder)
        except CannotHereError:
            continue
        kept.append(block)
    return campaign.model_copy(update={"cell_blocks": kept})
