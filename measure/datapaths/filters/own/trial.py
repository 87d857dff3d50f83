"""A trial of the user's own rules or program of netfilter: which packets are dropped there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from linerate.cells import Cell
from linerate.measure.generators.live_frames import TrafficReport
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.trial import trial_of
from linerate.records import Trial

COUNTED_BY = "dut_rules"
"""What ``forwarded_from`` says of these trials."""


Sender = Callable[[Cell, Timing], TrafficReport]
"""Offers a cell's load for one trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dut:
    """A device with what is measured, what is sent to it, and what counts behind it."""

    send: Sender
    count: Callable[[], int] | None
    """Reads how many packets passed; None where these, and no others, reach the sink."""

    def run_trial(self, cell: Cell, timing: Timing) -> Trial:
        """Let the warm-up be a load of its own: the count is read while nothing is sent."""
        measured = replace(timing, warm_up_seconds=0.0)
        if timing.warm_up_seconds:
            warm_up = replace(measured, seconds=timing.warm_up_seconds)
            self.send(cell, warm_up)
        begun = self.count() if self.count else 0
        report = self.send(cell, measured)
        # Answers, and the device's own reports, come to the sink as well.
        trial = trial_of(replace(report, received=min(report.received, report.sent)))
        passed = self.count() - begun if self.count else trial.forwarded_packets
        return ended(trial, passed)


def ended(trial: Trial, passed_packets: int) -> Trial:
    """State of a trial what became of its packets.

    Parameters
    ----------
    trial
        What the generator counted.
    passed_packets
        Those that no rule dropped; a few may have come before the generator's clock started.
    """
    lost = {place: packets for place, packets in trial.dropped.items() if place != "dut_program"}
    come = max(0, trial.sent_packets - sum(lost.values()))
    passed = min(passed_packets, come)
    return replace(trial, forwarded_packets=come, forwarded_from=COUNTED_BY, dropped=lost,
                   ends={"drop": come - passed, "pass": passed}, latency=None)  # fmt: skip
