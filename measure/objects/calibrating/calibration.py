"""What the hooks of this machine cost by themselves: by verdict, frame size and queues.

Measured on programs that do nothing but give their verdict, for AF_XDP on functions. To redirect
takes a helper, whose time is a program's own, and is taken off. Every cell is loaded anew and
measured in each round, and each round begins with the yardstick, so that a machine whose speed
changes changes both.

Packets that go the same way share some work: what the driver does once for a burst, and what the
processor keeps at hand. Two verdicts by turns take more than the mean of both: measured, too.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

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
    PAIRS,
    REDIRECT,
    SOCKETS,
    TAKES_BURSTS,
    VERDICTS,
    YARDSTICK,
    cost_name,
    mixed_name,
    sharing_name,
)
from linerate.progress import Tell

ROUNDS = 7
"""Of a load each: loads of one program differ more than runs of one load."""
ROUNDS_MORE = 7
"""At most, of what the host stalled in all of these."""
TRIES = 3
"""Until the host did not stall."""
TIMING = Timing(warm_up_seconds=0.02, seconds=0.09)
RAN_RATIO_MIN = 0.5
"""Share of a run in which its threads must have run: of less, packets and time do not match."""
QUEUES_MAX = 8
MEDIAN_ERROR = 1.2533
"""Standard error of a median over that of a mean, of a few or many normal samples."""
_MAD_DEVIATION = 1.4826
"""Standard deviation over the median absolute one, of normal samples but for outliers."""
NORMAL_90 = 1.6449


_SiteT = TypeVar("_SiteT")


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
    yardsticks_ns: list[float] = []

    def measure(site: _Site) -> dict[str, float]:
        yardsticks_ns.append(time_once(of_size(FRAME_BYTES[0])))
        found = _measure(site, helpers_ns[site.datapath])
        return {name: ns / yardsticks_ns[-1] for name, ns in found.items()}

    taken = in_rounds(sites, measure, tell)
    usual_ns = float(np.median(yardsticks_ns))
    costs = {name: cost_of(name, np.array(ratios) * usual_ns) for name, ratios in taken.items()}
    yardstick = Cost(value_ns=usual_ns, lower_ns=usual_ns, upper_ns=usual_ns)
    return {
        YARDSTICK: yardstick, **costs, **measure_sharing(queues[-1], usual_ns, tell),
        **measure_program_costs(tell), **measure_latency(tell),
    }  # fmt: skip


def in_rounds(
    sites: Sequence[_SiteT], measure: Callable[[_SiteT], Mapping[str, float]], tell: Tell
) -> dict[str, list[float]]:
    """Measure each site in turn, then all of them again; then those with a cell that never ran.

    Parameters
    ----------
    sites
        No two have a name in common.
    measure
        Measures one: by name, nan where the host stalled.
    tell
        Called before each.

    Returns
    -------
    By name, one of each of ``ROUNDS`` rounds; more, up to ``ROUNDS_MORE``, where the host had
    stalled in all of them.
    """
    taken: list[defaultdict[str, list[float]]] = [defaultdict(list) for _ in sites]
    for turn in range(ROUNDS + ROUNDS_MORE):
        for place, (site, own) in enumerate(zip(sites, taken, strict=True)):
            if turn >= ROUNDS and all(np.isfinite(values).any() for values in own.values()):
                continue
            tell("calibration", min(turn, ROUNDS - 1) * len(sites) + place, ROUNDS * len(sites))
            for name, value in measure(site).items():
                own[name].append(value)
    return {name: values for own in taken for name, values in own.items()}


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
        return measure_sockets(site.queues, TIMING, unstalled_ns)
    with open_object_lab("serial", site.queues, site.datapath) as lab:
        found = {}
        for verdict, size in product(VERDICTS[site.datapath], FRAME_BYTES):
            packet_ns = _run(lab, site, ("verdicts", base_entry(site.datapath, verdict)), size)
            name = cost_name(site.datapath, verdict, size, site.queues)
            found[name] = packet_ns - (helper_ns if verdict == REDIRECT else 0.0)
        if site.queues == 1:
            found |= _mixed(lab, site, found)
        if site.queues > 1 and site.datapath not in TAKES_BURSTS:
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
        return unstalled_ns(lambda: send_frames(attached, plan, TIMING))


def _mixed(lab: VethLab, site: _Site, found: Mapping[str, float]) -> dict[str, float]:
    """Measure what two verdicts, half each, take beyond the mean of both, ns by name."""
    size = FRAME_BYTES[0]
    return {
        mixed_name(site.datapath, *pair): _run(
            lab, site, ("verdicts", base_entry(site.datapath, "_".join(pair))), size
        )
        - float(np.mean([found[cost_name(site.datapath, each, size, 1)] for each in pair]))
        for pair in PAIRS[site.datapath]
    }  # fmt: skip


def unstalled_ns(send: Callable[[], TrafficReport]) -> float:
    """Time of a packet in the first of some runs in which the host did not stall; nan if in all."""
    for _ in range(TRIES):
        report = send()
        if report.sent and run_ns(report) >= RAN_RATIO_MIN * report.duration_ns:
            return packet_ns(report)
    return np.nan


def cost_of(name: str, samples_ns: NDArray[np.float64]) -> Cost:
    """Take the median of a cell's rounds, with its 90 % interval.

    Raises
    ------
    LinerateError
        There is none.
    """
    tried = samples_ns.size
    samples_ns = samples_ns[np.isfinite(samples_ns)]
    if not samples_ns.size:
        raise LinerateError(f"{name}: the host stalled in all of {tried * TRIES} runs; calibrate "
                            "again when less runs on it")  # fmt: skip
    middle = float(np.median(samples_ns))
    spread = float(np.median(np.abs(samples_ns - middle)))
    half = NORMAL_90 * MEDIAN_ERROR * _MAD_DEVIATION * spread / len(samples_ns) ** 0.5
    return Cost(value_ns=middle, lower_ns=middle - half, upper_ns=middle + half)
