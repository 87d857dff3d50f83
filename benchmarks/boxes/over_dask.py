"""A campaign on many simulated boxes over Dask itself, as many as this machine carries.

``python -m benchmarks.boxes.over_dask [--boxes N] [--runs R] [--run-seconds S]``: a scheduler in a
process of its own, as ``linerate scheduler`` starts it, and workers as ``linerate worker`` starts
them, with keys and TLS, hundreds in each of a few processes; each worker sleeps where it would
measure, and answers with a trial drawn from a model. A twentieth of the workers are in a process
that is killed (SIGKILL) on the way. Printed are the makespan over the sum of the times by the
number of boxes, runs lost, trials that began beside another on their box, runs that two boxes
measured, and the scheduler's memory; what a silent box had in hand is named as it goes to another.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Lock, Timer

import dask.config
import numpy as np
from benchmarks.boxes.drawn import MACHINE, Draws, plan_of

from linerate.files.store import Store
from linerate.measure.boxes.cluster import Cluster, SchedulerGoneError
from linerate.measure.boxes.keys import Keys
from linerate.measure.boxes.lab_file import Lab, read_lab
from linerate.measure.boxes.orders import Begin, Begun, Kept, Order
from linerate.measure.boxes.run import Boxes, measure_on_boxes
from linerate.measure.boxes.serving import Listening, Served, serve_scheduler, serve_worker
from linerate.measure.boxes.testbed import Testbed
from linerate.measure.campaign.campaign import CampaignFile
from linerate.measure.campaign.finished import finished_trials
from linerate.measure.campaign.whole import Outset, revision

PORT, HOSTS, KILLED_RATIO, START_S = 18786, 3, 0.05, 900.0
STARTING = 4
"""Workers of a process that begin at a time: handshakes of hundreds at once would be too late."""
SHARED = {
    "distributed.comm.timeouts.connect": "300s",
    "distributed.admin.tick.interval": "10s",
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.worker.profile.enabled": False,
}
"""Of the boxes alone: what each worker does fifty times a second, hundreds need not in one loop."""
FORKS = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTestbed(Testbed):
    """Sleeps where it would measure."""

    plan: CampaignFile
    draws: Draws
    run_s: float
    kept: dict[str, str] = field(default_factory=dict)
    """Lines by the plan's id of their run."""
    busy: Lock = field(default_factory=Lock)

    def begin(self, begin: Begin) -> Begun:
        """Take part."""
        return Begun(machine=MACHINE, lines=tuple(self.kept.values()))

    def measure(self, order: Order) -> Kept:
        """Sleep, and draw a trial; one that is kept from before is not drawn again."""
        run_id = order.run.run_id if order.run else ""
        with self.busy:
            if run_id not in self.kept:
                now_s = time.time()
                time.sleep(self.run_s)
                self.kept[run_id] = self.draws.line(
                    order, self.name, now_s, np.random.default_rng()
                )
        return Kept(lines=(self.kept[run_id],))

    def forget(self, campaign_id: str) -> None:
        """Drop all."""
        self.kept.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is measured."""

    lab: Path
    plan: CampaignFile
    draws: Draws
    run_s: float


def scheduling(lab: Path) -> None:
    """Be the scheduler."""
    asyncio.run(serve_scheduler(read_lab(lab), Listening(port=PORT), lambda line: None))


def working(setting: Setting, names: tuple[str, ...]) -> None:
    """Be the workers of these boxes."""
    with dask.config.set(SHARED):
        asyncio.run(_workers(read_lab(setting.lab), setting, names))


async def _workers(lab: Lab, setting: Setting, names: tuple[str, ...]) -> None:
    def served(name: str) -> Served:
        testbed = DrawnTestbed(
            name=name, spool=setting.lab.parent / "spool", plan=setting.plan, draws=setting.draws,
            run_s=setting.run_s,
        )  # fmt: skip
        return Served(lab=lab, testbed=testbed, scheduler=f"tcp://127.0.0.1:{PORT}",
                      listening=Listening())  # fmt: skip

    starting = asyncio.Semaphore(STARTING)

    async def serve(name: str) -> None:
        await starting.acquire()
        lines: list[str] = []

        def say(line: str) -> None:
            if not lines:
                starting.release()
            lines.append(line)

        await serve_worker(served(name), say)

    await asyncio.gather(*map(serve, names))


def start(boxes: int, setting: Setting) -> tuple[list[BaseProcess], BaseProcess]:
    """Start the scheduler and the workers; those that will be killed are the last."""
    names = [f"box-{number}" for number in range(boxes)]
    killed = int(KILLED_RATIO * boxes)
    groups = [tuple(names[killed:][host::HOSTS]) for host in range(HOSTS)]
    processes: list[BaseProcess] = [FORKS.Process(target=scheduling, args=(setting.lab,))]
    processes += [FORKS.Process(target=working, args=(setting, group)) for group in groups if group]
    doomed = FORKS.Process(target=working, args=(setting, tuple(names[:killed])))
    for process in (*processes, doomed):
        process.start()
    return processes, doomed


def wait_for(lab: Path, boxes: int) -> None:
    """Wait until all workers are there."""
    keys, there = Keys.read(read_lab(lab).keys), 0
    end_s = time.monotonic() + START_S
    while there < boxes and time.monotonic() < end_s:
        with (
            suppress(SchedulerGoneError),
            Cluster(keys=keys, scheduler=f"tcp://127.0.0.1:{PORT}", campaign_id="0") as cluster,
        ):
            while (there := len(cluster.boxes())) < boxes and time.monotonic() < end_s:
                time.sleep(1.0)
    print(f"{there} workers are there", flush=True)


def memory_gib(process: BaseProcess) -> float:
    """Read the most memory that a process had."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024**2


def main() -> int:
    """Measure once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boxes", type=int, default=100)
    parser.add_argument("--runs", type=int, default=10, help="for each box")
    parser.add_argument("--run-seconds", type=float, default=5.0)
    parser.add_argument("--lease-seconds", type=int, default=10)
    given = parser.parse_args()
    revision()  # of what was loaded, as its workers name theirs
    plan = plan_of(max(1, given.boxes * given.runs // 100), given.run_seconds)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        lab = folder / "lab.toml"
        boxes = "".join(f'[[boxes]]\nname = "box-{number}"\n' for number in range(given.boxes))
        lab.write_text(f"lease_seconds = {given.lease_seconds}\n{boxes}")
        Keys.read_or_make(folder / "lab.keys")
        setting = Setting(lab=lab, plan=plan, draws=Draws.of(plan), run_s=given.run_seconds)
        processes, doomed = start(given.boxes, setting)
        try:
            return _measured(setting, processes, doomed, given.boxes)
        finally:
            for process in (*processes, doomed):
                process.kill()


def _measured(
    setting: Setting, processes: list[BaseProcess], doomed: BaseProcess, boxes: int
) -> int:
    plan, out = setting.plan, setting.lab.parent / "out"
    runs = plan.campaign.repetitions * 100
    bound_s = runs * setting.run_s / boxes
    begun_s = time.monotonic()
    wait_for(setting.lab, boxes)
    print(f"scheduler {memory_gib(processes[0]):.2f} GiB, after {time.monotonic() - begun_s:.0f} s",
          flush=True)  # fmt: skip
    dies = Timer(bound_s / 2, lambda: os.kill(doomed.pid or 0, signal.SIGKILL))
    if doomed.pid and boxes * KILLED_RATIO >= 1:
        dies.start()
    begun_s = time.monotonic()
    lab = Boxes(lab=read_lab(setting.lab), scheduler=f"tcp://127.0.0.1:{PORT}", say=print)
    done = measure_on_boxes(plan, Outset(out=out), lab, lambda progress, events: None)
    took_s = time.monotonic() - begun_s
    finished = finished_trials(Store(out), plan.campaign)
    lost = runs - sum(each.is_whole(plan.campaign) for each in finished.values())
    again = len(done.runs) - runs
    beside = trials_beside(Store(out), setting.run_s)
    print(f"{boxes} boxes, {int(boxes * KILLED_RATIO)} killed, {runs} runs of {setting.run_s:g} s: "
          f"{took_s:.1f} s, {took_s / bound_s - 1:.1%} over the bound of {bound_s:.1f} s; {lost} "
          f"lost, {beside} beside another, {again} measured twice; scheduler "
          f"{memory_gib(processes[0]):.2f} GiB, {runs / took_s:.0f} runs a second")  # fmt: skip
    return 1 if lost or beside else 0


def trials_beside(store: Store, run_s: float) -> int:
    """Count the trials that began while their box had another."""
    begun: defaultdict[str, list[float]] = defaultdict(list)
    for entry in store.entries():
        begun[entry.box].append(datetime.fromisoformat(entry.trial.started_at).timestamp())
    least_s = run_s - 0.001  # begins are kept to the millisecond
    return sum(int((np.diff(sorted(begins_s)) < least_s).sum()) for begins_s in begun.values())


if __name__ == "__main__":
    sys.exit(main())
