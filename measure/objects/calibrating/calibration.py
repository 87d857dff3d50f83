"""What the hooks of this machine cost by themselves: by verdict, frame size and queues.

Measured on programs that do nothing but give their verdict, for AF_XDP on functions. To redirect
takes a helper, whose time is a program's own, and is taken off. Every cell is loaded anew and
measured in each round, and each round begins with the yardstick, so that a machine whose speed
changes changes both.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from linerate.box import Cost
from linerate.errors import LinerateError
from linerate.measure.functions.base import measure_sockets
from linerate.measure.generators.live_frames import TrafficReport
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.calibrating.around import measure_program_costs
from linerate.measure.objects.calibrating.latency import measure_latency
from linerate.measure.objects.calibrating.sharing import PROGRAM, measure_sharing, shared_entry
from linerate.measure.objects.lab import (
    attach_object,
    open_object_lab,
    packet_ns,
    run_ns,
    send_frames,
)
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_once, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.programs.costs import (
    FRAME_BYTES,
    REDIRECT,
    SOCKETS,
    VERDICTS,
    YARDSTICK,
    cost_name,
    sharing_name,
)
from linerate.progress import Tell

ROUNDS = 5
TRIES = 3
TIMING = Timing(warm_up_seconds=0.02, seconds=0.09)
"""Of one of the tries, of which the middle one counts: runs are seldom as fast as the fastest."""
RAN_RATIO_MIN = 0.5
"""Share of a run in which its threads must have run: of less, packets and time do not match."""
QUEUES_MAX = 8
_DEVIATION_OF_MEDIAN = 1.2533 * 1.4826
"""Standard error of a median, in median absolute deviations over the root of the rounds, where
samples are normal but for outliers."""
_NORMAL_90 = 1.6449


@dataclass(frozen=True, slots=True, kw_only=True)
class _Site:
    datapath: str
    queues: int


def calibrate(tell: Tell) -> dict[str, Cost]:
    """Measure this machine's base costs, those of a program's operations, and latency at rest.

    Returns
    -------
    Costs by name (`linerate.programs.costs`), each the median over rounds with its 90 %
    interval, ns.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    LinerateError
        The host stalled all the time.
    """
    queues = [q for q in (1, 2, 4, 8) if q <= min(os.cpu_count() or 1, QUEUES_MAX)]
    sites = [_Site(datapath=name, queues=q) for name, q in product(VERDICTS, queues)]
    helpers_ns = {
        datapath: _helper_ns(datapath, tell) if REDIRECT in verdicts else 0.0
        for datapath, verdicts in VERDICTS.items()
    }
    taken: defaultdict[str, list[float]] = defaultdict(list)
    for turn in range(ROUNDS):
        for place, site in enumerate(sites):
            tell("calibration", turn * len(sites) + place, ROUNDS * len(sites))
            yardstick_ns = time_once(of_size(FRAME_BYTES[0]))
            taken[YARDSTICK].append(yardstick_ns)
            for name, ns in _measure(site, helpers_ns[site.datapath]).items():
                taken[name].append(ns / yardstick_ns)
    usual_ns = float(np.median(taken.pop(YARDSTICK)))
    costs = {name: cost_of(name, np.array(ratios) * usual_ns) for name, ratios in taken.items()}
    yardstick = Cost(value_ns=usual_ns, lower_ns=usual_ns, upper_ns=usual_ns)
    return {
        YARDSTICK: yardstick, **costs, **measure_sharing(queues[-1], usual_ns, tell),
        **measure_program_costs(tell), **measure_latency(tell),
    }  # fmt: skip


def base_entry(datapath: str, verdict: str) -> str:
    """Name the program that gives a verdict."""
    return f"tc_{verdict}" if datapath == "tc" else verdict


def _helper_ns(datapath: str, tell: Tell) -> float:
    """Time what a program does that redirects and nothing else."""
    tested = UnderTest(
        path=built.program_object("verdicts"), entry=base_entry(datapath, REDIRECT),
        settings=NOTHING, datapath=datapath,
    )  # fmt: skip
    (times,) = time_programs((tested,), of_size(FRAME_BYTES[0]), tell, TRIES)
    return float(np.median(times.program_ns))


def _measure(site: _Site, helper_ns: float) -> dict[str, float]:
    """Measure all verdicts and sizes in one lab, and what is shared, ns a packet by name."""
    if site.datapath == SOCKETS:
        return measure_sockets(site.queues, TIMING, TRIES, usual_run_ns)
    with open_object_lab("serial", site.queues, site.datapath) as lab:
        found = {}
        for verdict, size in product(VERDICTS[site.datapath], FRAME_BYTES):
            packet_ns = _run(lab, site, ("verdicts", base_entry(site.datapath, verdict)), size)
            name = cost_name(site.datapath, verdict, size, site.queues)
            found[name] = packet_ns - (helper_ns if verdict == REDIRECT else 0.0)
        if site.queues > 1:
            size = FRAME_BYTES[0]
            packet_ns = _run(lab, site, (PROGRAM, shared_entry(site.datapath)), size)
            dropped_ns = found[cost_name(site.datapath, "drop", size, site.queues)]
            found[sharing_name(site.datapath, site.queues)] = packet_ns - dropped_ns
        return found


def _run(lab: VethLab, site: _Site, program: tuple[str, str], frame_bytes: int) -> float:
    """Measure what a packet takes with one of our objects, of which one entry is loaded."""
    name, entry = program
    with (
        plan_file(NOTHING, of_size(frame_bytes)) as plan,
        attach_object(lab, site.datapath, built.program_object(name), entry, plan) as attached,
    ):
        return usual_run_ns([send_frames(attached, plan, TIMING) for _ in range(TRIES)])


def usual_run_ns(tries: Sequence[TrafficReport]) -> float:
    """Time of a packet in the middle one of some runs; nan where the host stalled in all."""
    ran = [
        report for report in tries
        if report.sent and run_ns(report) >= RAN_RATIO_MIN * report.duration_ns
    ]  # fmt: skip
    return float(np.median([packet_ns(report) for report in ran])) if ran else np.nan


def cost_of(name: str, samples_ns: NDArray[np.float64]) -> Cost:
    """Take the median of a cell's rounds, with its 90 % interval.

    Raises
    ------
    LinerateError
        There is none.
    """
    samples_ns = samples_ns[np.isfinite(samples_ns)]
    if not samples_ns.size:
        raise LinerateError(f"{name}: the host stalled in all of {ROUNDS * TRIES} runs; calibrate "
                            "again when less runs on it")  # fmt: skip
    middle = float(np.median(samples_ns))
    spread = float(np.median(np.abs(samples_ns - middle)))
    half = _NORMAL_90 * _DEVIATION_OF_MEDIAN * spread / len(samples_ns) ** 0.5
    return Cost(value_ns=middle, lower_ns=middle - half, upper_ns=middle + half)
