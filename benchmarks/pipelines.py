"""Pipelines of DPDK here and under DPDK's own application: ``python benchmarks/pipelines.py``.

Both run the same generated ``.spec`` on the same core, on generated frames of 64 bytes. They
take turns, so that what slows the machine slows both, and the ratio is taken within a turn. Each
compiles the pipeline itself. Then what the generator's lcore can send into pipelines, which is what
bounds a search where there are two cores.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from dpdk_application import application, run_application

from linerate.cells import Cell, Load
from linerate.errors import CannotHereError, LinerateError
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.datapaths.swx.lcores import place_lcores
from linerate.measure.datapaths.swx.runner import run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.trials.bench import Timing
from linerate.records import Trial
from linerate.settings import columns_of

CLAIM = 0.10
"""How far the median of the ratios may be from 1."""
TIMES = (1, 10, 50)
"""Reads and as many writes of a register, one after the other."""
NULL = PipelineSettings(port="net_null")
GENERATED: tuple[PipelineSettings, ...] = (
    PipelineSettings(port="ring"), PipelineSettings(port="memif"),
)  # fmt: skip
FLOOD = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)
WARM_UP_SECONDS = 0.2


def read_write(times: int) -> SwxProgram:
    """Plan a pipeline that reads and writes a register so often."""
    return SwxProgram(operations=(("register_read_32", times), ("register_write_32", times)))


def linerate_mpps(times: int, seconds: float) -> float:
    """Rate under our runner, while its worker had its core."""
    flags = ["--seconds", str(seconds), "--warm-up-seconds", str(WARM_UP_SECONDS)]
    with run_pipeline(text_of(read_write(times)), NULL, 1) as runner:
        report = runner.trial(flags)
    return 1e3 * report.received / (report.duration_ns - report.worker_wait_ns[0])


def application_mpps(times: int, seconds: float, folder: Path) -> float:
    """Rate under DPDK's application, while its worker had its core."""
    core = place_lcores(NULL, 1).workers[0]
    with run_application(text_of(read_write(times)).spec, folder, core) as running:
        time.sleep(WARM_UP_SECONDS)
        begin = running.read()
        time.sleep(seconds)
        end = running.read()
    return (end.packets - begin.packets) / (end.held_s - begin.held_s) / 1e6


def compare(rounds: int, seconds: float) -> bool:
    """Print both rates and their ratio for each pipeline, and say whether the claim holds."""
    rates: dict[int, list[tuple[float, float]]] = {times: [] for times in TIMES}
    with TemporaryDirectory() as made:
        for number in range(rounds):
            for times in TIMES:
                folder = Path(made) / str(times)
                folder.mkdir(exist_ok=True)
                rates[times].append(_pair(times, seconds, folder, ours_first=number % 2 == 0))
    holds = True
    for times, pairs in rates.items():
        ours, theirs = zip(*pairs, strict=True)
        ratios = [our / their for our, their in pairs]
        print(
            f"{times} read+write: linerate {spread(ours)}, application {spread(theirs)} Mpps, "
            f"ratio {spread(ratios)}"
        )
        holds &= abs(float(np.median(ratios)) - 1.0) <= CLAIM
    return holds


def _pair(times: int, seconds: float, folder: Path, *, ours_first: bool) -> tuple[float, float]:
    if ours_first:
        ours = linerate_mpps(times, seconds)
        return ours, application_mpps(times, seconds, folder)
    theirs = application_mpps(times, seconds, folder)
    return linerate_mpps(times, seconds), theirs


def flood_trial(settings: PipelineSettings, seconds: float) -> Trial:
    """Flood a pipeline that only forwards, one lcore."""
    cell = Cell(
        lab="dpdk", mode="serial" if settings == NULL else "split", datapath="swx",
        program="forward", memory_accesses=0, queues=1, link_gbps=math.inf, load=FLOOD,
        settings=columns_of(settings),
    )  # fmt: skip
    with open_bench(cell) as bench:
        return bench.run_trial(FLOOD, Timing(warm_up_seconds=WARM_UP_SECONDS, seconds=seconds))


def show_ceilings(rounds: int, seconds: float) -> None:
    """Print what the generator sends and what a pipeline that only forwards takes of it."""
    trials: dict[str, list[Trial]] = {port.port: [] for port in (NULL, *GENERATED)}
    for _ in range(rounds):
        for settings in (NULL, *GENERATED):
            trials[settings.port].append(flood_trial(settings, seconds))
    for port, taken in trials.items():
        sent = [trial.sent_packets / trial.duration_s / 1e6 for trial in taken]
        came_back = [trial.forwarded_mpps for trial in taken]
        what = "took" if port == NULL.port else "generator sent"
        print(f"forward, {port}: {what} {spread(sent)}, came back {spread(came_back)} Mpps")


def spread(values: Sequence[float]) -> str:
    """Median with the smallest and the largest."""
    return f"{np.median(values):.3g} [{min(values):.3g}..{max(values):.3g}]"


def main() -> int:
    """Compare, show the ceilings, and say whether the claim holds."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--seconds", type=float, default=0.5, help="counted in each turn")
    chosen = options.parse_args()
    try:
        application()
    except CannotHereError as missing:
        print(f"left out: {missing}", file=sys.stderr)
        return 0
    try:
        holds = compare(chosen.rounds, chosen.seconds)
        show_ceilings(chosen.rounds, chosen.seconds)
    except LinerateError as error:
        print(error, file=sys.stderr)
        return 1
    if not holds:
        print(f"over {CLAIM:.0%} apart; is the machine busy?", file=sys.stderr)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
