"""From the logs of one run of Capeletti (2022) to one row, or to the reason that there is none."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.line_rate import TOLERANCE_RATIO
from linerate.measure.importers.defects import Defect
from linerate.measure.importers.formats.capeletti.logs import RunLogs
from linerate.measure.importers.formats.capeletti.names import RunKey
from linerate.measure.importers.logs.moongen import moongen_defects
from linerate.measure.importers.logs.perf import perf_defects
from linerate.measure.importers.logs.sar import SarLog, sar_defects
from linerate.measure.importers.logs.steady import Steady
from linerate.measure.trials.lint import sampled_by_ticks
from linerate.units import line_rate_mpps

CAMPAIGN = "capeletti2022"
BOX = "t440-xeon4214r-agilio-cx"
LINK_GBPS = 10.0
WARM_UP_S = 10.0
"""Of the generator's log: before it the device may still be setting up."""
CLOCK_RATIO = 1.00188
"""A second of the generator's clock is 0.188 % short: at line rate it counts as much too many."""
RECEIVER_CAP_MPPS = 12.3
"""From here on the generator's receiver, one core, may be what limits; its own count, its clock."""
BEYOND_RECEIVER_RATIO = 1.02
CLOCK_RATIOS = (1.0008, 1.004)
"""Receive counter over sar's rate that only the clock explains; a wider range is noise."""
AVERAGE_OFF_RATIO = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRead:
    """One run of a study: a row or the reason that it has none, and its defects."""

    key: RunKey
    row: dict[str, object] | None
    left_out: str
    """Why there is no row; empty where there is one."""
    defects: tuple[tuple[str, Defect], ...]
    """Path, or empty for the run as a whole, and defect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rates:
    """Every rate of one run that its logs give."""

    line_mpps: float
    sar: Steady | None
    received: Steady | None
    """By the generator's clock, as counted."""
    sent: Steady | None

    @property
    def receiver_capped(self) -> bool:
        """Whether the generator's receiver may have counted less than came."""
        if self.received is None or self.received.mpps < RECEIVER_CAP_MPPS:
            return False
        counted_mpps = self.received.mpps / CLOCK_RATIO
        return self.sar is None or self.sar.mpps > BEYOND_RECEIVER_RATIO * counted_mpps


def read_run(key: RunKey, logs: RunLogs) -> RunRead:
    """Judge the logs of a run, and take its rate from the one that can be believed."""
    log = logs.generator
    rates = _Rates(
        line_mpps=float(line_rate_mpps(LINK_GBPS, key.frame_bytes)),
        sar=logs.sar.sent() if logs.sar else None,
        received=log.received(WARM_UP_S) if log else None,
        sent=log.sent(WARM_UP_S) if log else None,
    )  # fmt: skip
    chosen, forwarded_from, left_out = _choose(logs, rates)
    defects = logs.presence_defects()
    defects += moongen_defects(log) if log else []
    defects += perf_defects(logs.perf) if logs.perf else []
    defects += _rate_defects(rates)
    defects += _window_defects(logs.sar, rates.sar) if logs.sar else []
    defects += chosen.defects() if chosen else []
    row = _row(key, logs, chosen, forwarded_from) if chosen else None
    if row is not None and sampled_by_ticks(row):
        defects.append(
            Defect(name="cpu_undersampled", detail=f"busy {row['cpu_busy_ratio']} by ticks")
        )
    found = (*logs.defects, *(("", defect) for defect in defects))
    return RunRead(key=key, row=row, left_out=left_out, defects=found)


def _choose(logs: RunLogs, rates: _Rates) -> tuple[Steady | None, str, str]:
    """Take sar's rate, or the generator's where that counts all that comes; say why neither."""
    if rates.sar is not None:
        return rates.sar, "sar_tx", ""
    if rates.received is None:
        seen = "no traffic in sar's" if logs.sar else "no log of sar"
        return None, "", f"no log of the generator that holds a rate, and {seen}"
    if rates.received.mpps <= 0.0:
        return None, "", "the receive counter stood at 0, and no log of sar to check it against"
    if rates.receiver_capped:
        return None, "", (
            f"{rates.received.mpps / CLOCK_RATIO:.2f} Mpps are the most the generator's receiver "
            "counts: the device may have sent more, and no log of sar says"
        )  # fmt: skip
    received = rates.received
    corrected = Steady(
        mpps=received.mpps / CLOCK_RATIO, spread_ratio=received.spread_ratio,
        samples=received.samples, duration_s=received.duration_s * CLOCK_RATIO,
    )  # fmt: skip
    return corrected, "moongen_rx", ""


def _rate_defects(rates: _Rates) -> list[Defect]:
    found = []
    if rates.sent is not None and rates.sent.mpps > TOLERANCE_RATIO * rates.line_mpps:
        times = f"{rates.sent.mpps / rates.line_mpps:.2f} times line rate"
        found.append(Defect(name="tx_above_line", detail=times))
    if rates.receiver_capped and rates.received is not None:
        sar = f"; sar: {rates.sar.mpps:.2f}" if rates.sar else ""
        found.append(Defect(name="rx_capped", detail=f"{rates.received.mpps:.2f} Mpps{sar}"))
    if rates.received is not None and _clock_is_fast(rates):
        found.append(Defect(name="clock_fast", detail=f"divided by {CLOCK_RATIO}"))
    return found


def _clock_is_fast(rates: _Rates) -> bool:
    """Whether the counts of this very run show that the generator's seconds are short."""
    if rates.received is None or rates.received.unsteady:
        return False
    counted_mpps = rates.received.mpps
    if rates.sar is None:
        return rates.line_mpps * TOLERANCE_RATIO < counted_mpps < rates.line_mpps * CLOCK_RATIOS[1]
    low, high = CLOCK_RATIOS
    return low < counted_mpps / rates.sar.mpps < high if rates.sar.mpps else False


def _window_defects(log: SarLog, steady: Steady | None) -> list[Defect]:
    found = sar_defects(log)
    if steady is None:
        return [*found, Defect(name="window_misses_traffic", detail=f"{log.tx_pps.size} samples")]
    share = log.average_tx_pps / 1e6 / steady.mpps if steady.mpps else 1.0
    if share < 1.0 - AVERAGE_OFF_RATIO:
        found.append(Defect(name="idle_averaged", detail=f"{1.0 - share:.0%} too low"))
    return found


def _row(key: RunKey, logs: RunLogs, chosen: Steady, forwarded_from: str) -> dict[str, object]:
    latency_us = round(logs.generator.latency_us(), 2) if logs.generator else float("nan")
    busy = logs.sar.busy(key.queues) if logs.sar and forwarded_from == "sar_tx" else float("nan")
    return {
        "campaign": CAMPAIGN, "source": key.source, "repetition": key.repetition, "box": BOX,
        "lab": "nic", "datapath": key.datapath, "program": key.program,
        "memory_accesses": key.memory_accesses, "queues": key.queues,
        "frame_bytes": key.frame_bytes, "link_gbps": LINK_GBPS,
        "offered_mpps": round(float(line_rate_mpps(LINK_GBPS, key.frame_bytes)), 6),
        "forwarded_mpps": round(chosen.mpps, 6), "forwarded_from": forwarded_from,
        "cpu_busy_ratio": round(busy, 4), "latency_mean_us": latency_us,
        "unstable": chosen.unsteady, "duration_s": round(chosen.duration_s, 3),
    }  # fmt: skip
