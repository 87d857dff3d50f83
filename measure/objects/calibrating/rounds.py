"""Costs in rounds: each is loaded anew in each, and measured until the host did not stall."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from linerate.box import Cost
from linerate.errors import LinerateError
from linerate.measure.collectors.sharing import sent_beside, watch_if_possible
from linerate.measure.generators.live_frames import TrafficReport
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.lab import (
    attach_object,
    packet_ns,
    run_ns,
    send_frames,
    undisturbed_packet_ns,
)
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.normal import MAD_DEVIATION, MEDIAN_ERROR, NORMAL_90
from linerate.progress import Tell
from linerate.stretches import ALONE_RATIO

ROUNDS = 7
"""Of a load each: loads of one program differ more than runs of one load."""
ROUNDS_MORE = 7
"""At most, of what the host stalled in all of these."""
TRIES = 3
"""Until the host did not stall, and others left the cores alone for a while."""
TIMING = Timing(warm_up_seconds=0.02, seconds=0.08)
APART_RATIO = 1.12
"""Times the least from which on one was disturbed: loads differ by 10 %, and others take more, as
the figure of docs/method/shared-cores.md shows."""
RAN_RATIO_MIN = 0.5
"""Share of a run in which its threads must have run: of less, packets and time do not match."""

_SiteT = TypeVar("_SiteT")


def in_rounds(
    sites: Sequence[_SiteT],
    measure: Callable[[_SiteT], Mapping[str, float]],
    tell: Tell,
    *,
    rounds: int = ROUNDS,
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
    rounds
        So many.

    Returns
    -------
    By name, one of each round; more, up to ``ROUNDS_MORE``, where the host had
    stalled in all of them.
    """
    taken: list[defaultdict[str, list[float]]] = [defaultdict(list) for _ in sites]
    for turn in range(rounds + ROUNDS_MORE):
        for place, (site, own) in enumerate(zip(sites, taken, strict=True)):
            if turn >= rounds and all(np.isfinite(values).any() for values in own.values()):
                continue
            tell("calibration", min(turn, rounds - 1) * len(sites) + place, rounds * len(sites))
            for name, value in measure(site).items():
                own[name].append(value)
    return {name: values for own in taken for name, values in own.items()}


def base_entry(datapath: str, verdict: str) -> str:
    """Name the program that gives a verdict."""
    return f"tc_{verdict}" if datapath == "tc" else verdict


def unstalled_ns(send: Callable[[], TrafficReport], cores: Collection[int] = ()) -> float:
    """Time of a packet in the first of some runs that others left alone, if only for a while.

    On more cores than one it is the first in which the host did not stall: where cores contend,
    stretches differ by themselves.

    Parameters
    ----------
    send
        Runs once.
    cores
        Where others are looked for meanwhile: a run beside which nobody is seen counts as it is.

    Returns
    -------
    ns, of the quickest run where others left none of them; nan where the host stalled in all.
    """
    least_ns = np.nan
    with watch_if_possible(cores) as watch:
        for _ in range(TRIES):
            report, slowed = sent_beside(watch, send)
            if not report.sent or run_ns(report) < RAN_RATIO_MIN * report.duration_ns:
                continue
            counted_ns, undisturbed_ns = run_ns(report) / report.sent, packet_ns(report)
            if slowed < ALONE_RATIO:
                return counted_ns
            taken_ns = max(undisturbed_ns, counted_ns / slowed)
            least_ns = float(np.fmin(least_ns, taken_ns))
            if len(report.stretches_ns) != 1 or np.isfinite(undisturbed_packet_ns(report)):
                return taken_ns
    return least_ns


def left_alone(taken_ns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Leave out times of one work that others disturbed all the time, and nan if not all are that.

    >>> left_alone(np.array([200.0, 215.0, 280.0, np.nan, 300.0]))
    array([200., 215.])
    """
    known_ns = taken_ns[np.isfinite(taken_ns)]
    return known_ns[known_ns <= APART_RATIO * known_ns.min()] if known_ns.size else taken_ns


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
    half = NORMAL_90 * MEDIAN_ERROR * MAD_DEVIATION * spread / len(samples_ns) ** 0.5
    return Cost(value_ns=middle, lower_ns=middle - half, upper_ns=middle + half)


def run_entry(lab: VethLab, datapath: str, program: tuple[str, str], frame_bytes: int) -> float:
    """Measure what a packet takes with one of our objects, of which one entry is loaded.

    Parameters
    ----------
    lab, datapath
        Where it is loaded.
    program
        Names of the object and of its program.
    frame_bytes
        Of all frames, FCS included.

    Returns
    -------
    ns; nan where the host stalled each time.
    """
    name, entry = program
    with (
        plan_file(NOTHING, of_size(frame_bytes)) as plan,
        attach_object(lab, datapath, built.program_object(name), entry, plan) as attached,
    ):
        return unstalled_ns(lambda: send_frames(attached, plan, TIMING), lab.generator_cores)
