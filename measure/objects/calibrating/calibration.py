"""What the hooks of this machine cost by themselves: by verdict, frame size and queues.

Measured on programs that do nothing but give their verdict, for AF_XDP on functions. To redirect
takes a helper, whose time is a program's own, and is taken off. Every cell is loaded anew and
measured in each round, and each round begins with the yardstick, so that a machine whose speed
changes changes both. Rounds and yardsticks that others disturbed all the time are left out.

Packets that go the same way share some work: what the driver does once for a burst, and what the
processor keeps at hand. Two verdicts by turns take more than the mean of both: measured, too.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from linerate.box import Cost
from linerate.measure.functions.base import measure_sockets
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.calibrating.around import measure_program_costs
from linerate.measure.objects.calibrating.behind import measure_behind
from linerate.measure.objects.calibrating.latency import measure_latency
from linerate.measure.objects.calibrating.rounds import (
    TIMING,
    TRIES,
    base_entry,
    cost_of,
    in_rounds,
    left_alone,
    run_entry,
    unstalled_ns,
)
from linerate.measure.objects.calibrating.sharing import PROGRAM, measure_sharing, shared_entry
from linerate.measure.objects.lab import (
    open_object_lab,
)
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_once, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.costs import (
    FRAME_BYTES,
    PAIRS,
    REDIRECT,
    SOCKETS,
    TAKES_BURSTS,
    VERDICTS,
    YARDSTICK,
    cost_name,
    is_base,
    mixed_name,
    sharing_name,
)
from linerate.progress import Tell

QUEUES_MAX = 8


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
    beside_ns: defaultdict[str, list[float]] = defaultdict(list)

    def measure(site: _Site) -> dict[str, float]:
        yardstick_ns = time_once(of_size(FRAME_BYTES[0]))
        found = _measure(site, helpers_ns[site.datapath])
        for name in found:
            beside_ns[name].append(yardstick_ns)
        return found

    taken = in_rounds(sites, measure, tell)
    alone_ns = left_alone(np.hstack(list(beside_ns.values())))
    usual_ns, apart_ns = float(np.median(alone_ns)), float(alone_ns.max())
    costs = {}
    for name, each_ns in taken.items():
        own_ns = np.array(beside_ns[name])
        scaled_ns = np.array(each_ns) * usual_ns / np.where(own_ns <= apart_ns, own_ns, usual_ns)
        # Of what is a difference of two runs, no round is a time apart.
        costs[name] = cost_of(name, left_alone(scaled_ns) if is_base(name) else scaled_ns)
    yardstick = Cost(value_ns=usual_ns, lower_ns=usual_ns, upper_ns=usual_ns)
    return {
        YARDSTICK: yardstick, **costs, **measure_behind(usual_ns, tell),
        **measure_sharing(queues[-1], usual_ns, tell),
        **measure_program_costs(tell), **measure_latency(tell),
    }  # fmt: skip


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
            packet_ns = run_entry(
                lab, site.datapath, ("verdicts", base_entry(site.datapath, verdict)), size
            )
            name = cost_name(site.datapath, verdict, size, site.queues)
            found[name] = packet_ns - (helper_ns if verdict == REDIRECT else 0.0)
        if site.queues == 1:
            found |= _mixed(lab, site, found)
        if site.queues > 1 and site.datapath not in TAKES_BURSTS:
            size = FRAME_BYTES[0]
            packet_ns = run_entry(lab, site.datapath, (PROGRAM, shared_entry(site.datapath)), size)
            dropped_ns = found[cost_name(site.datapath, "drop", size, site.queues)]
            found[sharing_name(site.datapath, site.queues)] = packet_ns - dropped_ns
        return found


def _mixed(lab: VethLab, site: _Site, found: Mapping[str, float]) -> dict[str, float]:
    """Measure what two verdicts, half each, take beyond the mean of both, ns by name."""
    size = FRAME_BYTES[0]
    return {
        mixed_name(site.datapath, *pair): run_entry(
            lab, site.datapath, ("verdicts", base_entry(site.datapath, "_".join(pair))), size
        )
        - float(np.mean([found[cost_name(site.datapath, each, size, 1)] for each in pair]))
        for pair in PAIRS[site.datapath]
    }  # fmt: skip
