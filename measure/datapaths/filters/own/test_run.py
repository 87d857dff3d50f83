"""Test runs of a ruleset: each packet is the next frame of a user's traffic, as it came.

What passes is dropped, or forwarded, behind the last rule. The lab's generator makes other packets
than its own; what that takes longer is timed by packets that are dropped where they come in, and
taken off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from statistics import median

from linerate.errors import LinerateError
from linerate.measure.collectors.alone import ROUNDS, time_alone
from linerate.measure.collectors.sharing import watch_if_possible
from linerate.measure.datapaths.filters.own.arrival import (
    addressed,
    flood,
    flows_of,
    open_arrival_lab,
)
from linerate.measure.datapaths.filters.own.bench import named, rules_in
from linerate.measure.datapaths.filters.own.netlink import establish, listening
from linerate.measure.datapaths.filters.own.passed import count_passed, count_reached
from linerate.measure.generators.live_frames import (
    Stream,
    TrafficReport,
    pace_flags,
    run_traffic,
    stream_flags,
)
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.plan import frames_file
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.rulesets.ruleset import Hook, Ruleset
from linerate.measure.rulesets.source import Source
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
class RulesetUnderTest:
    """A ruleset, and what is asked about it."""

    source: Source
    ruleset: Ruleset
    last: Hook
    """How far packets go that no rule drops."""
    established: float = 0.0
    """Share of packets whose flow was answered before, 0 to 1."""

    @property
    def states(self) -> tuple[tuple[bool, float], ...]:
        """Whether a flow was answered before, with the share of packets that are so."""
        shares = ((False, 1.0 - self.established), (True, self.established))
        return tuple(each for each in shares if each[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetRun:
    """What came of the frames."""

    ran_ns: tuple[float, ...]
    """Time of a packet in each load, as if nobody else used the core."""
    came: Mapping[str, float]
    """Share of the packets that came to each hook, and through the last (``PASSED``)."""


def why_not_run(tested: RulesetUnderTest, frames: Frames) -> str:
    """Say why a ruleset cannot run on frames as it is asked about; empty where it can."""
    if tested.last == "forward" and tested.ruleset.tracks and tested.established < 1.0:
        return ("a packet that was forwarded is known from then on, so that only one is the first "
                "of its flow; with --established 1 it runs")  # fmt: skip
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
    arriving = addressed(frames)
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
    return RulesetRun(ran_ns=tuple(ns - made_ns for ns in ruled), came=loads[0].came)


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


def _run_load(tested: RulesetUnderTest, replay: _Replay, *, counted: bool) -> _Load:
    frames, last = replay.frames, tested.last
    with ExitStack() as stack:
        bare = stack.enter_context(open_arrival_lab(frames, last))
        watch = stack.enter_context(watch_if_possible((bare.main_core,)))
        with count_passed(bare, "ingress"):
            usual = partial(_send_usual, bare, frames.mean_frame_bytes)
            usual_ns = time_alone(watch, usual, PACKET_NS)
            replayed_ns = time_alone(watch, partial(_send, bare, replay, last), replay.round_ns)
        lab, _ = stack.enter_context(
            started(rules_in(named(bare, tested.source), tested.source, last))
        )
        stack.enter_context(started(listening(lab.dut.path, tested.ruleset.log_groups)))
        ruled_ns, came = 0.0, dict[str, float]()
        for is_known, share in tested.states:
            if is_known:
                establish(lab.dut.path, flows_of(frames))
            for name, ratio in (_count(lab, replay, last) if counted else {}).items():
                came[name] = came.get(name, 0.0) + share * ratio
            send = partial(_send, lab, replay, last)
            ruled_ns += share * time_alone(watch, send, replay.round_ns)
    return _Load(ruled_ns=ruled_ns, replayed_ns=replayed_ns, usual_ns=usual_ns, came=came)


def _count(lab: VethLab, replay: _Replay, last: Hook) -> dict[str, float]:
    """Count packets at each hook, by a trial of its own: counting takes time."""
    seconds = max(COUNTED_SECONDS, 1e-9 * ROUNDS * replay.round_ns)
    with count_reached(lab, last) as read:
        before = read()
        _send(lab, replay, last, seconds, warm_up_seconds=0.0)
        found = {name: packets - before[name] for name, packets in read().items()}
    first = found["ingress"]
    return {name: packets / first if first else 0.0 for name, packets in found.items()}


def _send(
    lab: VethLab, replay: _Replay, last: Hook, seconds: float,
    warm_up_seconds: float = WARM_UP_SECONDS,
) -> TrafficReport:  # fmt: skip
    timing = Timing(warm_up_seconds=warm_up_seconds, seconds=seconds)
    flags: Sequence[str] = [
        *lab.traffic_flags, "--frames", replay.path, *pace_flags(_stream(lab, 64), timing),
        # As an skb a packet would be copied for an XDP sink where its headroom was used.
        *(["--sink-skbs"] if last == "forward" else []),
    ]  # fmt: skip
    return run_traffic(lab.generator, flags, timing)


def _send_usual(lab: VethLab, frame_bytes: float, seconds: float) -> TrafficReport:
    timing = Timing(warm_up_seconds=WARM_UP_SECONDS, seconds=seconds)
    flags = [*lab.traffic_flags, *stream_flags(_stream(lab, frame_bytes), timing)]
    return run_traffic(lab.generator, flags, timing)


def _stream(lab: VethLab, frame_bytes: float) -> Stream:
    return Stream(load=flood(frame_bytes), mode=lab.mode, line_rate_mpps=inf,
                  cores=lab.generator_cores)  # fmt: skip
