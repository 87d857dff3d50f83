"""Test runs of a ruleset: each packet is the next frame of a user's traffic, as it came.

What passes is dropped, or forwarded, behind the last rule. The lab's generator makes other packets
than its own; what that takes longer is timed by packets that are dropped where they come in, and
taken off.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from statistics import median

from linerate.cells import Cell, Load
from linerate.errors import LinerateError
from linerate.measure.collectors.alone import ROUNDS, time_alone
from linerate.measure.collectors.sharing import watch_if_possible
from linerate.measure.datapaths.filters.own.arrival import (
    addressed,
    open_arrival_lab,
    sink_flags,
)
from linerate.measure.datapaths.filters.own.first_packets import each_first
from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
from linerate.measure.datapaths.filters.own.loading import named, rules_in
from linerate.measure.datapaths.filters.own.netlink import listening
from linerate.measure.datapaths.filters.own.passed import Left, count_passed, count_reached
from linerate.measure.datapaths.filters.own.tracking import (
    destinations_of,
    flows_of,
    forget_flows,
    know_flows,
)
from linerate.measure.generators.live_frames import (
    TrafficReport,
    replay_flags,
    run_traffic,
    send_live_frames,
    stream_of,
)
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.plan import frames_file
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.rulesets.follow import PASSED
from linerate.measure.rulesets.ruleset import Hook
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.device import started
from linerate.progress import Tell

LOADS = 3
WARM_UP_SECONDS = 0.05
PACKET_NS = 1000.0
"""What a packet takes, about: a trial has so many rounds of the traffic."""
COUNTED_SECONDS = 0.1
"""Of a trial, at least, in which packets are counted at each hook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetRun:
    """What came of the frames."""

    ran_ns: tuple[float, ...]
    """Time of a packet in each load, as if nobody else used the core."""
    made_ns: float
    """What making a frame takes longer than one of the generator's own; not in these."""
    came: Mapping[str, float]
    """Share of the packets that came to each hook, and through the last (``PASSED``)."""


def why_not_run(tested: RulesetUnderTest, frames: Frames) -> str:
    """Say why a ruleset cannot run on frames as it is asked about; empty where it can."""
    if tested.established and not flows_of(frames):
        return ("flows that are known can only be UDP or TCP over IPv4, and packets of theirs that "
                "neither open nor end them")  # fmt: skip
    return ""


def time_ruleset(tested: RulesetUnderTest, frames: Frames, tell: Tell) -> RulesetRun:
    """Load a ruleset several times, each into a namespace of its own, and time it on its traffic.

    Parameters
    ----------
    tested
        What runs.
    frames
        Its traffic, all of it addressed to the device or to hosts behind it.
    tell
        Called before each load, and after the last.

    Raises
    ------
    CannotHereError
        A runner or a tool is missing, or rights are.
    DeviceFailedError
        The kernel refuses the rules.
    LinerateError
        Others used the core in all of the loads.
    """
    arriving = each_first(addressed(frames), tested)
    loads: list[_Load] = []
    with frames_file(arriving) as path:
        for load in range(LOADS):
            tell("test runs", load, LOADS)
            loads.append(_run_load(tested, _Replay(arriving, path), counted=not load))
    tell("test runs", LOADS, LOADS)
    known = [[ns for ns in each if isfinite(ns)] for each in (
        [load.ruled_ns for load in loads], [load.replayed_ns for load in loads],
        [load.usual_ns for load in loads])]  # fmt: skip
    if not all(known):
        raise LinerateError(f"{tested.ruleset.datapath}: other processes used the core in all of "
                            f"{LOADS} test runs; ask again when less runs, see linerate doctor"
                            )  # fmt: skip
    ruled, replayed, usual = known
    made_ns = median(replayed) - median(usual)
    return RulesetRun(ran_ns=tuple(ns - made_ns for ns in ruled), made_ns=made_ns,
                      came=loads[0].came)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Load:
    """What one load took, ns a packet, each of these nan where others left no trial alone."""

    ruled_ns: float
    """With the rules."""
    replayed_ns: float
    """Of the same frames, dropped where they come in."""
    usual_ns: float
    """Of the generator's own frames of their mean size, dropped there."""
    came: Mapping[str, float]
    """As of a run; empty where nobody counted."""


@dataclass(frozen=True, slots=True)
class _Replay:
    """Frames, and the file that the generator reads them from."""

    frames: Frames
    path: str

    @property
    def round_ns(self) -> float:
        """What all of them take, about."""
        return PACKET_NS * len(self.frames.order)


def _run_load(tested: RulesetUnderTest, sent: _Replay, *, counted: bool) -> _Load:
    frames, last = sent.frames, tested.last
    with ExitStack() as stack:
        bare = stack.enter_context(
            open_arrival_lab(_cell(frames), destinations_of(frames, tested), last)
        )
        watch = stack.enter_context(watch_if_possible((bare.main_core,)))
        with count_passed(bare, "ingress"):
            usual = partial(_send_usual, bare, frames)
            usual_ns = time_alone(watch, usual, PACKET_NS)
            replayed_ns = time_alone(watch, partial(_send, bare, sent, last), sent.round_ns)
        lab, _ = stack.enter_context(
            started(rules_in(named(bare, tested.source), tested.source, last))
        )
        stack.enter_context(started(listening(lab.dut.path, tested.ruleset.log_groups)))
        ruled_ns, came = 0.0, dict[str, float]()
        for is_known, share in tested.states:
            if is_known:
                know_flows(lab, flows_of(frames, tested))
            elif tested.ruleset.tracks:
                forget_flows(lab)
            for name, ratio in (_count(lab, sent, last) if counted else {}).items():
                came[name] = came.get(name, 0.0) + share * ratio
            send = partial(_send, lab, sent, last)
            ruled_ns += share * time_alone(watch, send, sent.round_ns)
    return _Load(ruled_ns=ruled_ns, replayed_ns=replayed_ns, usual_ns=usual_ns, came=came)


def _count(lab: VethLab, sent: _Replay, last: Hook) -> dict[str, float]:
    """Count packets at each hook, by a trial of its own: counting takes time.

    What is forwarded came through where it left: a route or a neighbour may be missing behind the
    last hook.
    """
    seconds = max(COUNTED_SECONDS, 1e-9 * ROUNDS * sent.round_ns)
    leaving = Left.by(lab).count if last == "forward" else None
    with count_reached(lab, last) as read:
        before, left = read(), leaving() if leaving else 0
        _send(lab, sent, last, seconds, warm_up_seconds=0.0)
        found = {name: packets - before[name] for name, packets in read().items()}
        if leaving:
            found[PASSED] = leaving() - left
    first = found["ingress"]
    return {name: packets / first if first else 0.0 for name, packets in found.items()}


def _send(
    lab: VethLab, sent: _Replay, last: Hook, seconds: float,
    warm_up_seconds: float = WARM_UP_SECONDS,
) -> TrafficReport:  # fmt: skip
    timing = Timing(warm_up_seconds=warm_up_seconds, seconds=seconds)
    own = replay_flags(lab, sent.path, stream_of(_cell(sent.frames)), timing)
    return run_traffic(lab.generator, [*own, *sink_flags(last)], timing)


def _send_usual(lab: VethLab, frames: Frames, seconds: float) -> TrafficReport:
    timing = Timing(warm_up_seconds=WARM_UP_SECONDS, seconds=seconds)
    return send_live_frames(lab, _cell(frames), timing, ())


def _cell(frames: Frames) -> Cell:
    """Flood one queue with the generator's own frames, of the mean size of some."""
    load = Load(frame_mix=((1, round(frames.mean_frame_bytes)),), arrivals="flood",
                offered_mpps=inf)  # fmt: skip
    return Cell(lab="veth", mode="serial", datapath="nftables", program="", memory_accesses=0,
                queues=1, link_gbps=inf, load=load)  # fmt: skip
