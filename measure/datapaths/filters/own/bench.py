"""The bench of a ruleset of the user's own, in the veth lab.

Every packet that reached the rules is forwarded, whatever they say: that is their service. What no
rule drops is dropped behind the last of them, so that nothing else of the host is measured.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

from linerate.cells import Cell, Load
from linerate.errors import bad_input
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.datapath import LabBench
from linerate.measure.datapaths.filters.lab import open_filter_lab, open_forwarding_lab
from linerate.measure.datapaths.filters.own.arrival import (
    addressed,
    open_arrival_lab,
    sink_flags,
)
from linerate.measure.datapaths.filters.own.first_packets import TOGETHER, each_first, is_entered
from linerate.measure.datapaths.filters.own.inputs import RulesetInputs, read_inputs
from linerate.measure.datapaths.filters.own.load import frames_of, own_flows
from linerate.measure.datapaths.filters.own.loading import named, rules_in
from linerate.measure.datapaths.filters.own.netlink import Flow, listening
from linerate.measure.datapaths.filters.own.passed import Left
from linerate.measure.datapaths.filters.own.settings import settings_of
from linerate.measure.datapaths.filters.own.tracking import (
    destinations_of,
    flows_of,
    forget_flows,
    is_translated,
    know_flows,
)
from linerate.measure.datapaths.filters.own.trial import Dut, Sender
from linerate.measure.datapaths.objects.inputs import with_frames
from linerate.measure.datapaths.own import is_own
from linerate.measure.generators.live_frames import (
    TrafficReport,
    replay_flags,
    run_traffic,
    send_live_frames,
    stream_of,
)
from linerate.measure.labs.veth import VethLab, check_cores
from linerate.measure.objects.plan import frames_file
from linerate.measure.processes import built
from linerate.measure.rulesets.follow import Followed, follow
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import started
from linerate.records import Trial
from linerate.units import FRAME_BYTES_MIN

Operations = tuple[tuple[str, int], ...]
REPLAYED = "replayed"
"""Kind of a frame of a file, which the generator takes longer to make."""
SMALLEST = ((1, FRAME_BYTES_MIN),)


def check_ruleset(cell: Cell, folder: Path) -> None:
    """Refuse, before anything is measured, rules that cannot be loaded here.

    Raises
    ------
    BadInputError
        The rules are wrong, or the frames, or there are no cores for the queues.
    CannotHereError
        A runner is not built, or a tool is missing.
    """
    check_cores(cell.mode, cell.queues)
    built.runner("traffic")
    inputs = read_inputs(cell, folder)
    _check_flows(cell, inputs)
    if inputs.tested.source.called.comes_by and cell.mode == "split":
        raise bad_input(
            "mode", cell.mode, why="rules name their interface, threads are found by names",
            allowed="serial", do="measure it in serial mode",
        )  # fmt: skip


@contextmanager
def open_ruleset_bench(cell: Cell, folder: Path) -> Iterator[Bench]:
    """Load a cell's ruleset anew into the device's namespace; both are gone at the end."""
    inputs = read_inputs(cell, folder)
    tested, source = inputs.tested, inputs.tested.source
    with (
        _open_lab(cell, inputs) as bare,
        started(rules_in(named(bare, source), source, tested.last)) as (lab, passed),
        started(listening(lab.dut.path, tested.ruleset.log_groups)),
        _sender(lab, inputs) as send,
    ):
        if tested.established:
            know_flows(lab, _flows(cell, inputs))
        elif tested.ruleset.tracks:
            forget_flows(lab)
        count = passed.count if passed else None
        if inputs.frames and not passed:  # answers come back to the sink as well
            count = Left.by(lab).count
        dut = Dut(send=send, count=count)

        def run(load: Load, timing: Timing) -> Trial:
            return dut.run_trial(replace(cell, load=load), timing)

        yield Bench(
            program_hash=hashlib.sha256(source.text.encode()).hexdigest()[:16], run_trial=run,
            processes=(passed.tool,) if passed else (), probe_point=ProbePoint.of_lab(lab),
        )  # fmt: skip


def _open_lab(cell: Cell, inputs: RulesetInputs) -> AbstractContextManager[VethLab]:
    if inputs.frames:
        destinations = destinations_of(inputs.frames, inputs.tested)
        return open_arrival_lab(cell, destinations, inputs.tested.last)
    return open_forwarding_lab(cell) if inputs.tested.last == "forward" else open_filter_lab(cell)


@contextmanager
def _sender(lab: VethLab, inputs: RulesetInputs) -> Iterator[Sender]:
    """Send the generator's own frames, or those of a file."""
    threads = lab.start_dut_threads()
    if inputs.frames is None:
        yield lambda cell, timing: send_live_frames(lab, cell, timing, threads)
        return
    waited = ("--dut-threads", ",".join(map(str, threads))) if threads else ()
    with frames_file(each_first(addressed(inputs.frames), inputs.tested)) as path:

        def send(cell: Cell, timing: Timing) -> TrafficReport:
            own = replay_flags(lab, path, stream_of(cell), timing)
            flags = [*own, *waited, *sink_flags(inputs.tested.last)]
            return run_traffic(lab.generator, flags, timing)

        yield send


def described(cell: Cell, folder: Path) -> Cell:
    """Say of a cell with a ruleset of the user's own what a packet executes there, in the mean.

    Of frames of a file it is said where all take the same, and are of the smallest size: what the
    generator takes longer to make one was learnt of these.
    """
    if not is_own(cell.program):
        return cell
    inputs = read_inputs(cell, folder)
    tested, frames = inputs.tested, inputs.frames or frames_of(cell.load)
    cell = with_frames(cell, settings_of(cell).traffic, folder)
    ways, _ = follow(tested.ruleset, frames, tested.last, tested.established)
    if inputs.frames is None:
        return replace(cell, operations=_mean(ways))
    alike = len({way.operations for way in ways}) == 1 and cell.load.frame_mix == SMALLEST
    counted = tuple(sorted((*ways[0].operations, (REPLAYED, 1)))) if alike else ()
    return replace(cell, operations=counted)


def _mean(ways: Sequence[Followed]) -> Operations:
    counts: dict[str, float] = {}
    for way in ways:
        for kind, times in way.operations:
            counts[kind] = counts.get(kind, 0.0) + way.share * times
    return tuple((kind, round(times)) for kind, times in sorted(counts.items()) if round(times))


def _flows(cell: Cell, inputs: RulesetInputs) -> Sequence[Flow]:
    """List the flows that can be written down as known; none where some cannot."""
    if inputs.frames is not None:
        return flows_of(inputs.frames, inputs.tested)
    return own_flows(cell.load) if cell.load.packet.protocol == "udp" else ()


def _check_flows(cell: Cell, inputs: RulesetInputs) -> None:
    """Refuse flows that are not what a packet of the lab meets."""
    known, ruleset = inputs.tested.established, inputs.tested.ruleset
    if known and not (ruleset.tracks and _flows(cell, inputs)):
        raise bad_input("established", True, why="only rules that ask for ct state see it, and "
                        "only flows of UDP are written down, of a file UDP and TCP over IPv4 "
                        "whose packets neither open nor end a flow", allowed="false",
                        do="leave it out")  # fmt: skip
    if inputs.frames is None and is_entered(inputs.tested) and cell.load.flows < TOGETHER:
        raise bad_input("flows", cell.load.flows, why=f"the stack takes {TOGETHER} packets at "
                        "once, and of one flow only one of them is its first",
                        allowed=f"{TOGETHER} or more", do="flows = 64")  # fmt: skip
    if inputs.frames is None and is_translated(frames_of(cell.load), inputs.tested):
        raise bad_input("ruleset", cell.program, why="it translates addresses of the generator's "
                        "own frames, which it writes once", allowed="frames of a file, each made "
                        "anew", do='ruleset = { traffic = ["frames.json"] }')  # fmt: skip


OWN_RULESETS = LabBench(
    check=lambda cell, where: check_ruleset(cell, where.folder),
    open=lambda cell, where: open_ruleset_bench(cell, where.folder),
)
"""What takes the user's own rulesets."""
