"""Simulated boxes: trials whose rates are drawn from a model, as long as trials take."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

import linerate as lr
from linerate.box import Box
from linerate.cells import Cell
from linerate.errors import LinerateError
from linerate.measure.boxes.lab_file import Lab, LabTable
from linerate.measure.boxes.orders import Order
from linerate.measure.campaign.campaign import CampaignFile, campaign_from
from linerate.records import JournalEntry, Trial, Verdict

REFERENCE = Path("data/reference-veth")
SPREAD = 0.02
"""Of rates of one cell, as a standard deviation of logarithms."""
PLAN = """\
name = "many-boxes"
lab = "veth"
repetitions = {repetitions}
trials = 1
retries = 0
trial_seconds = {seconds}
warm_up_seconds = 0.5
[[cells]]
mode = "serial"
datapath = ["xdp_native", "xdp_generic"]
program = ["map_lookup"]
memory_accesses = {accesses}
queues = [1]
frame_bytes = [64, 512]
link_gbps = 10.0
offered_mpps = ["line"]
arrivals = "constant"
burst_packets = 1
flows = 1
"""
CELLS = 100
MACHINE = Box(
    name="drawn", cpu_model="drawn from a model", cores=2, threads_per_core=1, memory_gib=8.0,
    kernel="6.18", mitigations={}, governor="none", hypervisor="none", nic="veth",
)  # fmt: skip


def plan_of(repetitions: int, seconds: float) -> CampaignFile:
    """Plan a campaign of a hundred cells."""
    accesses = [64 * step for step in range(CELLS // 4)]
    text = PLAN.format(repetitions=repetitions, seconds=seconds, accesses=accesses)
    return CampaignFile(campaign=campaign_from(tomllib.loads(text), "plan"), text=text)


def lab_of(count: int, lease_s: float, path: Path = Path("lab.toml")) -> Lab:
    """Name so many boxes."""
    boxes = [{"name": f"box-{number}"} for number in range(count)]
    table = LabTable.model_validate({"boxes": boxes, "lease_seconds": lease_s})
    return Lab(table=table, path=path)


@dataclass(frozen=True, slots=True)
class Draws:
    """What cells forward by a model of the reference campaign, and how long a run takes beside."""

    mpps: dict[tuple[str, int, float], float]
    outside_s: tuple[float, ...]
    """Between the trials of that campaign."""

    @classmethod
    def of(cls, plan: CampaignFile) -> Draws:
        """Fit the reference campaign and predict the plan's cells."""
        cells = plan.campaign.cells()
        table = pd.DataFrame(
            [{"datapath": cell.datapath, "program": cell.program, "queues": cell.queues,
              "memory_accesses": cell.memory_accesses, "frame_bytes": cell.load.frame_bytes}
             for cell in cells]
        )  # fmt: skip
        predicted = lr.fit(lr.read(REFERENCE)).predict(table)["predicted_mpps"]
        rates = {_key(cell): float(mpps) for cell, mpps in zip(cells, predicted, strict=True)}
        return cls(rates, _outside())

    def time_s(self, plan: CampaignFile, rng: np.random.Generator) -> float:
        """Draw how long a run takes its box."""
        campaign = plan.campaign
        trial_s = campaign.warm_up_seconds + campaign.trial_seconds
        return trial_s + float(self.outside_s[rng.integers(len(self.outside_s))])

    def line(self, order: Order, box: str, now_s: float, rng: np.random.Generator) -> str:
        """Draw the trial of a run, as the line of a journal."""
        run = order.run
        if run is None:
            raise LinerateError("order: only runs are drawn")
        rate = self.mpps[_key(run.cell)] * float(rng.lognormal(0.0, SPREAD))
        started_at = datetime.fromtimestamp(now_s, UTC).isoformat(timespec="milliseconds")
        trial = Trial(
            duration_s=1.0, intended_packets=int(14.9e6), sent_packets=int(14.9e6),
            forwarded_packets=int(min(rate, 14.8) * 1e6), started_at=started_at,
        )  # fmt: skip
        entry = JournalEntry(
            run_id=f"{run.run_id}@{box}", repetition=run.repetition, canary=run.canary,
            cell=run.cell, trial=trial, verdict=Verdict(state="valid"), program_hash="", box=box,
        )  # fmt: skip
        return json.dumps(asdict(replace(entry, cost="accesses")))


def _key(cell: Cell) -> tuple[str, int, float]:
    return cell.datapath, cell.memory_accesses, float(cell.load.frame_bytes)


def _outside() -> tuple[float, ...]:
    with (REFERENCE / "journal.jsonl").open() as file:
        trials = [json.loads(line)["trial"] for line in file]
    begins = [datetime.fromisoformat(trial["started_at"]).timestamp() for trial in trials]
    gaps = np.diff(begins) - [trial["duration_s"] for trial in trials[:-1]]
    return tuple(float(gap) for gap in gaps if gap > 0.0)
