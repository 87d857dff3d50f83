"""How long packets take through the split lab, by hook and by how full the device's core is.

Most of it is not a program's: what the generator and the pair of devices take, the time until an
idle core has woken, and the machine's stalls, behind which packets wait the longer the fuller a
core is.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from math import inf
from pathlib import Path

import numpy as np

from linerate.box import Cost
from linerate.cells import Cell, Load, Mode
from linerate.errors import CannotHereError, LinerateError
from linerate.measure.generators.live_frames import TrafficReport, send_live_frames
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.calibrating.loads import cost_over_loads
from linerate.measure.objects.lab import (
    AttachedObject,
    attach_object,
    open_object_lab,
    packet_ns,
    send_frames,
)
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.trial import trial_of
from linerate.programs.costs import (
    FRAME_BYTES,
    LATENCIES,
    SERIAL,
    SPLIT,
    latency_name,
)
from linerate.progress import Tell
from linerate.records import Latency

PERCENTS = (10, 30, 50, 75)
"""Loads, of what is forwarded at most."""
PROGRAM = "answer"
DATAPATHS = ("xdp_native", "xdp_generic", "tc")
ROUNDS = 3
TIMING = Timing(warm_up_seconds=0.05, seconds=0.25)
CORES_MIN = 2
"""The generator's and the device's."""
FLOOD = Load(frame_mix=((1, FRAME_BYTES[0]),), arrivals="flood", offered_mpps=inf)


def measure_latency(tell: Tell) -> dict[str, Cost]:
    """Measure the latency of programs that only send packets back, loaded anew in each round.

    Returns
    -------
    By name (`linerate.programs.costs`), each the median over rounds with the smallest and the
    largest, ns; empty where generator and device have to share a core.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    LinerateError
        No packet came back on a hook, in any round.
    """
    if (os.cpu_count() or 1) < CORES_MIN:
        return {}
    taken: defaultdict[str, list[float]] = defaultdict(list)
    turns = list(product(range(ROUNDS), DATAPATHS))
    failed: dict[str, LinerateError] = {}
    for turn, (_, datapath) in enumerate(turns):
        tell("latency", turn, len(turns))
        try:
            found = dict(_round(datapath))
        except CannotHereError:
            raise
        except LinerateError as error:  # the host stalled: another round is as good
            failed[datapath] = error
            continue
        for name, value_ns in found.items():
            taken[name].append(value_ns)
    for datapath, why in failed.items():
        if f"{SERIAL}{datapath}" not in taken:
            raise why
    return {name: cost_over_loads(np.array(values_ns)) for name, values_ns in taken.items()}


def _round(datapath: str) -> Iterator[tuple[str, float]]:
    """Load the program anew on a shared core and on one of its own: packet times, latencies."""
    with plan_file(NOTHING, of_size(FRAME_BYTES[0])) as plan:
        with _attached("serial", datapath, plan) as attached:
            yield f"{SERIAL}{datapath}", packet_ns(send_frames(attached, plan, TIMING))
        with _attached("split", datapath, plan) as attached:
            full_ns = split_ns(attached)
            yield f"{SPLIT}{datapath}", full_ns
            for percent in PERCENTS:
                latency = split_latency(attached, 1e3 / full_ns * percent / 100.0)
                for which, us in zip(LATENCIES, three_of(latency), strict=True):
                    yield latency_name(which, datapath, percent), 1e3 * us


@contextmanager
def _attached(mode: Mode, datapath: str, plan: Path) -> Iterator[AttachedObject[VethLab]]:
    path, entry = built.program_object(PROGRAM), f"tc_{PROGRAM}" if datapath == "tc" else PROGRAM
    with (
        open_object_lab(mode, 1, datapath) as lab,
        attach_object(lab, datapath, path, entry, plan) as attached,
    ):
        yield attached


def split_ns(attached: AttachedObject[VethLab]) -> float:
    """Flood a program in the split lab: run time of its thread for each packet it took, ns."""
    report = _sent(attached, FLOOD)
    taken = report.sent - report.dropped["dut_ring"]
    if taken <= 0:
        raise LinerateError(f"of {report.sent} packets on {attached.datapath} its device took none;"
                            " try again, and see linerate doctor")  # fmt: skip
    return sum(report.dut_thread_ns) / taken


def split_latency(attached: AttachedObject[VethLab], offered_mpps: float) -> Latency:
    """Offer a program frames of 64 B at exponential gaps, and take the latency of what comes back.

    Raises
    ------
    LinerateError
        Nothing came back.
    """
    report = _sent(attached, replace(FLOOD, arrivals="poisson", offered_mpps=offered_mpps))
    latency = trial_of(report).latency
    if latency is None or not latency.packets:
        raise LinerateError(f"of {report.sent} packets on {attached.datapath} none came back with "
                            "its marks; try again, and see linerate doctor")  # fmt: skip
    return latency


def three_of(latency: Latency) -> tuple[float, float, float]:
    """Take p50, mean and p99 in us, as ``LATENCIES`` names them."""
    return latency.quantile_us(0.5), latency.mean_us, latency.quantile_us(0.99)


def _sent(attached: AttachedObject[VethLab], load: Load) -> TrafficReport:
    cell = Cell(lab="veth", mode="split", datapath=attached.datapath, program="", queues=1,
                memory_accesses=0, link_gbps=inf, load=load)  # fmt: skip
    return send_live_frames(attached.lab, cell, TIMING, attached.dut_threads)
