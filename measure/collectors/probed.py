"""A bench whose trials are probed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Literal

from linerate.cells import Load
from linerate.errors import cannot_here
from linerate.measure.collectors.bcc import ProbeCounts, Probes, TracepointKind, open_probes
from linerate.measure.collectors.perf_counters import (
    HARDWARE_EVENTS,
    check_hardware_counters,
    open_perf,
)
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.collectors.sharing import SharingWatch, counts_of, open_sharing_watch
from linerate.measure.collectors.stalls import (
    StallWatch,
    added,
    check_stall_probe,
    open_stall_watch,
)
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.records import Trial

ProbeKind = Literal["napi_batches", "xdp_errors", "softirq", "perf", "stalls", "sharing"]
"""What a campaign may ask for."""
_TRACEPOINT_KINDS: tuple[TracepointKind, ...] = ("napi_batches", "xdp_errors", "softirq")


def check_probes(kinds: Collection[ProbeKind]) -> None:
    """Refuse probes that this machine cannot run, by trying them.

    Raises
    ------
    CannotHereError
        bcc, headers, perf, a PMU or rights are missing.
    """
    if tracepoints := _tracepoints(kinds):
        with open_probes(tracepoints, ["lo"]):
            pass
    if "perf" in kinds:
        check_hardware_counters()
    if "stalls" in kinds:
        check_stall_probe()
    if "sharing" in kinds:
        built.runner("sharing_probe")


@contextmanager
def probed(bench: Bench, kinds: Collection[ProbeKind]) -> Iterator[Bench]:
    """Put probes around the trials of a bench.

    They count from before the generator starts until it has ended, warm-up included: they are
    read while no packet flows, and what is derived from them are ratios.

    Raises
    ------
    CannotHereError
        A probe cannot run here, or the bench has no device to look at.
    """
    if not kinds:
        yield bench
        return
    point, tracepoints = bench.probe_point, _tracepoints(kinds)
    if refused := [kind for kind in kinds if not (bench.cores if kind == "sharing" else point)]:
        raise cannot_here(
            f"probes={', '.join(refused)}", why="the bench of this datapath has no place for them",
            do="leave them out, or give its cells a campaign of their own",
        )  # fmt: skip
    opened = open_probes(tracepoints, [point.device]) if tracepoints and point else nullcontext()
    watch = open_stall_watch(point) if "stalls" in kinds and point else nullcontext()
    looks = open_sharing_watch(bench.cores) if "sharing" in kinds else nullcontext()
    with opened as probes, watch as stalls, looks as sharing:
        trials = _ProbedTrials(bench=bench, point=point, probes=probes, perf="perf" in kinds,
                               stalls=stalls, sharing=sharing)  # fmt: skip
        yield replace(bench, run_trial=trials.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProbedTrials:
    bench: Bench
    point: ProbePoint | None
    probes: Probes | None
    perf: bool
    stalls: StallWatch | None
    sharing: SharingWatch | None

    def run(self, load: Load, timing: Timing) -> Trial:
        """Run one trial and add what was counted around it."""
        before = self.probes.counts() if self.probes else None
        received = self._received()
        trial, events = self._watched(load, timing)
        counts = {name: packets - received[name] for name, packets in self._received().items()}
        if self.probes and before:
            active_s = timing.warm_up_seconds + trial.duration_s
            counts |= self._named(self.probes.counts().since(before), active_s)
        return replace(trial, probes={**trial.probes, **counts, **events})

    def _received(self) -> dict[str, float]:
        """Count what the device received so far, where there is one to be asked."""
        return {"probed_packets": self.point.received_packets()} if self.point else {}

    def _watched(self, load: Load, timing: Timing) -> tuple[Trial, Mapping[str, float]]:
        """Watch idle cores before the trial and after it, and those that the lab leaves beside."""
        if self.stalls is None:
            return self._looked_at(load, timing)
        before = self.stalls.watch()
        with self.stalls.beside() as beside:
            trial, events = self._looked_at(load, timing)
        after = self.stalls.watch()
        return trial, {**events, **added(added(before, beside), after)}

    def _looked_at(self, load: Load, timing: Timing) -> tuple[Trial, Mapping[str, float]]:
        """Look meanwhile whether the device's cores are all its own."""
        if self.sharing is None:
            return self._count_events(load, timing)
        with self.sharing.watching() as looks:
            trial, events = self._count_events(load, timing)
        return trial, {**events, **counts_of(looks, trial)}

    def _count_events(self, load: Load, timing: Timing) -> tuple[Trial, Mapping[str, float]]:
        if not self.perf:
            return self.bench.run_trial(load, timing), {}
        with open_perf(HARDWARE_EVENTS, self.bench.cores) as perf:
            trial = self.bench.run_trial(load, timing)
            events = perf.finish()
        return trial, {name.replace("-", "_").lower(): count for name, count in events.items()}

    def _named(self, counted: ProbeCounts, active_s: float) -> dict[str, float]:
        """Pick what is of our device, cores and program, by the names of the journal."""
        counts: dict[str, float] = {}
        if counted.polls:
            polls = {f"polls_of_{size}": n for size, n in enumerate(counted.polls) if n}
            counts |= {"polled_packets": counted.polled_packets, **polls}
        if counted.softirq_ns:
            counts["softirq_ns"] = counted.softirq_core_ns(self.bench.cores)
            counts["probed_core_ns"] = active_s * 1e9 * len(self.bench.cores)
        # A device without an XDP program has no events of it, which is not the same as none seen.
        if (program := self._program(counted)) is not None:
            counts["xdp_exceptions"] = (counted.xdp_exceptions or {}).get(program, 0)
            counts["xdp_redirect_errors"] = (counted.xdp_redirect_errors or {}).get(program, 0)
        return counts

    def _program(self, counted: ProbeCounts) -> int | None:
        if counted.xdp_exceptions is None or self.point is None:
            return None
        return self.point.xdp_program()


def _tracepoints(kinds: Collection[ProbeKind]) -> tuple[TracepointKind, ...]:
    return tuple(kind for kind in _TRACEPOINT_KINDS if kind in kinds)
