"""Trials of pipelines whose packets come from outside: the veth lab, or another machine."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from linerate.cells import Cell, Load
from linerate.measure.datapaths.swx.runner import SwxReport, SwxRunner
from linerate.measure.generators.live_frames import send_live_frames
from linerate.measure.generators.partner import Partner
from linerate.measure.labs.veth import VethLab
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.trial import lost_at_socket, stated, trial_of
from linerate.records import Trial


def run_veth_trial(lab: VethLab, cell: Cell, runner: SwxRunner, timing: Timing) -> Trial:
    """Offer live frames to a pipeline on the veth lab's device once."""
    partner = Partner(process=runner.held)
    report = send_live_frames(lab, cell, timing, runner.threads, partner)
    runner.marked()  # the warm-up
    counts = runner.marked()
    return replace(
        trial_of(report),
        dropped=lost_in_pipeline(report.dropped, counts),
        cpu_busy_ratios=useful_shares(counts, report.duration_ns, report.dut_wait_ns),
    )


def lost_in_pipeline(dropped: Mapping[str, int], counts: SwxReport) -> dict[str, int]:
    """Tell by place what the driver lost, what the sockets did and what the pipeline did."""
    lost = lost_at_socket(dropped, counts.dropped["dut_ring"])
    for place in ("dut_program", "dut_tx"):
        lost[place] = lost.get(place, 0) + counts.dropped[place]
    return lost


def useful_shares(counts: SwxReport, duration_ns: int, wait_ns: Sequence[int]) -> tuple[float, ...]:
    """Share of the load's time in which each instance did not look in vain.

    Between two looks at its counts lies also time without a load, in which it was useful to few;
    of either time only what it had its core for counts.

    Parameters
    ----------
    counts
        What the instances counted, over that time and some more.
    duration_ns
        Time that the load was on.
    wait_ns
        Of each instance, time of it that another thread had the core.
    """
    had_ns = [counts.duration_ns - wait for wait in counts.worker_wait_ns]
    window_ns = [duration_ns - wait for wait in wait_ns]
    return tuple(
        min(1.0, ratio * had / max(window, 1))
        for ratio, had, window in zip(counts.useful_ratios, had_ns, window_ns, strict=False)
    )


def watch_card(load: Load, runner: SwxRunner, timing: Timing) -> Trial:
    """Count for the length of a trial what comes to a card, and what becomes of it.

    Whoever sends is elsewhere; the load says what. What the card counted as come was sent, and
    nothing is known of latency.
    """
    time.sleep(timing.warm_up_seconds)
    runner.since_last()
    time.sleep(timing.seconds)
    counts = runner.since_last()
    sent = counts.sent + counts.dropped["dut_ring"]
    offered = 0 if math.isinf(load.offered_mpps) else load.offered_mpps
    intended = max(sent, round(offered * counts.duration_ns / 1e3))
    return stated(
        replace(counts, sent=sent, intended=intended, received=min(counts.received, sent)),
        cpu_busy_ratios=counts.useful_ratios,
        wait_ns=max(counts.worker_wait_ns),
    )
