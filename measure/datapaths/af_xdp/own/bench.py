"""The bench of a function of the user's own on the sockets of the veth lab.

A packet that the function has given its verdict on is forwarded, whatever the verdict: that is its
service.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from linerate.cells import Cell, Load
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.af_xdp.forwarder import check_af_xdp, run_forwarder
from linerate.measure.datapaths.af_xdp.own.settings import settings_of
from linerate.measure.datapaths.af_xdp.veth import (
    Forwarder,
    SocketCounts,
    busy_ratios_of,
    dropped_by,
    foreign_wait_ns,
)
from linerate.measure.datapaths.datapath import LabBench
from linerate.measure.datapaths.objects.inputs import frames_of, with_frames
from linerate.measure.datapaths.own import is_own
from linerate.measure.functions.lab import send_frames_to
from linerate.measure.functions.library import read_library
from linerate.measure.generators.live_frames import TrafficReport, send_live_frames, stream_of
from linerate.measure.labs.places import places_of
from linerate.measure.labs.veth import VethLab, open_veth_lab
from linerate.measure.objects.maps.settings import Settings
from linerate.measure.objects.plan import plan_file
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import started
from linerate.measure.trials.trial import trial_of
from linerate.programs.times import VERDICTS
from linerate.records import Trial

COUNTED_BY = "dut_verdicts"
"""What ``forwarded_from`` says of these trials."""
NO_MAPS = Settings(lines=(), filled=(), maps_bytes=0)


def check_function(cell: Cell, folder: Path) -> None:
    """Refuse, before anything is measured, what cannot be loaded or sent; nothing is loaded.

    Raises
    ------
    BadInputError
        The object or what belongs to it is wrong, or there are no cores for the queues.
    CannotHereError
        A runner or program is not built.
    """
    check_af_xdp(cell)
    read_library(folder / cell.program).entry(settings_of(cell).entry or None)
    frames_of(cell, settings_of(cell).traffic, folder)


@contextmanager
def open_function_bench(cell: Cell, folder: Path) -> Iterator[Bench]:
    """Load a function anew into the threads that serve the sockets of the veth lab.

    Raises
    ------
    DeviceFailedError
        It cannot be loaded; the words are the loader's.
    """
    settings = settings_of(cell)
    library = read_library(folder / cell.program)
    entry = library.entry(settings.entry or None)
    frames = frames_of(cell, settings.traffic, folder)
    function: list[str | Path] = ["--function", library.path, "--entry", entry]
    with (
        open_veth_lab(cell.mode, cell.queues, gro=settings.hook == "generic") as lab,
        plan_file(NO_MAPS, frames) as plan,
        started(run_forwarder(lab, settings, function)) as forwarder,
    ):
        dut = _Dut(lab=lab, forwarder=forwarder, replayed=plan if frames else None)

        def run(load: Load, timing: Timing) -> Trial:
            return _run_trial(dut, replace(cell, load=load), timing)

        yield Bench(
            program_hash=built.content_hash(library.path), run_trial=run,
            processes=(forwarder.runner,), probe_point=ProbePoint.of_lab(lab, polled=True),
        )  # fmt: skip


def described(cell: Cell, folder: Path) -> Cell:
    """Say of a cell with frames of a file how large they are, and what the link takes of them."""
    return with_frames(cell, settings_of(cell).traffic, folder) if is_own(cell.program) else cell


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dut:
    lab: VethLab
    forwarder: Forwarder
    replayed: Path | None
    """File with the frames; None where the generator makes them."""

    def send(self, cell: Cell, timing: Timing) -> tuple[TrafficReport, SocketCounts]:
        """Send the cell's load; what the sockets counted from its begin to its end."""
        forwarder, lab = self.forwarder, self.lab
        if self.replayed is not None:
            return send_frames_to(lab, forwarder, self.replayed, stream_of(cell), timing)
        threads = (*forwarder.napi_threads, *forwarder.threads)
        report = send_live_frames(lab, cell, timing, threads, forwarder.partner)
        begin, end = forwarder.read_counts(), forwarder.read_counts()
        return report, end - begin


def _run_trial(dut: _Dut, cell: Cell, timing: Timing) -> Trial:
    """Let the warm-up be a load of its own: counts are read while nothing is on its way."""
    measured = replace(timing, warm_up_seconds=0.0)
    if timing.warm_up_seconds:
        dut.send(cell, replace(measured, seconds=timing.warm_up_seconds))
    report, counts = dut.send(cell, measured)
    trial = trial_of(replace(report, received=0))
    return replace(
        ended(trial, counts, dut.forwarder.settings.hook),
        cpu_busy_ratios=busy_ratios_of(report, dut.forwarder),
        contended_ratio=min(
            1.0, foreign_wait_ns(report, dut.forwarder.napi_threads) / report.duration_ns
        ),
        user_threads=places_of(dut.forwarder.threads),
    )


def ended(trial: Trial, counts: SocketCounts, hook: str) -> Trial:
    """State of a trial what became of its packets.

    Parameters
    ----------
    trial
        What the generator counted.
    counts
        What the sockets did meanwhile.
    hook
        That feeds them.
    """
    dropped = dropped_by(trial.dropped, counts, hook)
    verdicts = dict.fromkeys(VERDICTS, 0) | {
        "aborted": counts.aborted, "drop": counts.ended - counts.aborted,
        "tx": counts.received - counts.ended,
    }  # fmt: skip
    behind = dropped["dut_tx"] + dropped["sink_ring"]
    return replace(
        trial, forwarded_packets=min(trial.sent_packets, max(0, counts.received - behind)),
        forwarded_from=COUNTED_BY, dropped=dropped, ends=verdicts,
    )  # fmt: skip


OWN_FUNCTIONS = LabBench(
    check=lambda cell, where: check_function(cell, where.folder),
    open=lambda cell, where: open_function_bench(cell, where.folder),
)
"""What takes the user's own functions."""
