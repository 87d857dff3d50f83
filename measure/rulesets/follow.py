"""Frames of a load followed through a ruleset, and the operations that each takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.rulesets.lists import Changes, changes_of
from linerate.measure.rulesets.packet import parse_packet
from linerate.measure.rulesets.ruleset import WAYS, Hook, Ruleset
from linerate.measure.rulesets.walk import Walk, walk
from linerate.units import FRAME_BYTES_MIN, frame_bytes_of

RULES_WALKED_MAX = 2_000_000
"""In all: some seconds."""
CACHE_LINE_BYTES = 64
RECEIVE = "receive"
"""Says that the operations are all of a packet's, and not those on top of a program of ours."""
STAGES: Mapping[str, Mapping[Hook, tuple[str, ...]]] = {
    "nftables": {"ingress": (), "prerouting": ("to_prerouting",),
                 "input": ("to_prerouting", "to_input"),
                 "forward": ("to_prerouting", "to_forward")},
    "iptables": {"ingress": (), "prerouting": (), "input": ("to_input",),
                 "forward": ("to_forward",)},
}  # fmt: skip
"""Of each datapath and hook, the way of a packet up to there from its first hook."""
NOT_UNDERSTOOD = "not_understood"
ALONE: Counter[Changes] = Counter({(): 1})
"""Of a frame of which nothing is known of those before it."""
PASSED = "passed"
"""What comes through the last hook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """One frame's way."""

    walk: Walk
    share: float
    """Of the load, 0 to 1."""
    operations: tuple[tuple[str, int], ...]
    """Pairs (kind, times), by kind."""


def follow(
    ruleset: Ruleset, frames: Frames, last: Hook, established: float = 0.0
) -> tuple[list[Followed], str]:
    """Follow frames up to a hook.

    Parameters
    ----------
    ruleset, frames, last
        What they meet, what they are, and how far they go.
    established
        Share of packets whose flow was answered before, 0 to 1; the others are the first of theirs.

    Returns
    -------
    Their ways; and what was left out, empty where nothing was.
    """
    states = ((False, 1.0 - established), (True, established))
    parts = [state for state in states if state[1]] if ruleset.tracks else [(False, 1.0)]
    walks: list[tuple[int, Walk, float]] = []
    walked = 0
    for place, weight in enumerate(frames.weights):
        packet = parse_packet(frames.packets[place])
        for known, part in parts:
            way = walk(ruleset, packet, last, established=known)
            walks.append((place, way, weight * part))
            walked += way.counts["rule"]
        if walked > RULES_WALKED_MAX:
            break
    total = sum(weight for _, _, weight in walks)
    count, led = len(frames.packets), len(walks) // len(parts)
    left = f"the first {led} of {count} different frames were followed"
    changes = changes_of(_led_on(frames, walks), {place: way.passes for place, way, _ in walks
                                                  if _comes_into_lists(way, last)})  # fmt: skip
    return [
        Followed(walk=way, share=weight / total * times / behind.total(),
                 operations=operations_of(ruleset.datapath, way, len(frames.packets[place]), kinds))
        for place, way, weight in walks
        for behind in [changes.get(place) or ALONE]
        for kinds, times in behind.items()
    ], left if led < count else ""  # fmt: skip


def _led_on(frames: Frames, walks: Iterable[tuple[int, Walk, float]]) -> Frames:
    """Give frames the destinations that they are translated to."""
    packets = list(frames.packets)
    for place, way, _ in walks:
        if to := way.translations.get("destination"):
            packets[place] = to.of(parse_packet(frames.packets[place])).data
    return replace(frames, packets=tuple(packets))


def _comes_into_lists(way: Walk, last: Hook) -> bool:
    """Whether a packet gets past ingress, where packets are one by one."""
    return last != "ingress" and (way.hook, way.end) != ("ingress", "drop")


def shares_at(ways: Iterable[Followed], last: Hook) -> dict[str, float]:
    """Say what share of packets, 0 to 1, comes to each hook up to the last, and through that."""
    found: dict[str, float] = dict.fromkeys((*WAYS[last], PASSED), 0.0)
    for way in ways:
        for hook in way.walk.passes:
            found[hook] += way.share
        if way.walk.end == "accept" and way.walk.hook == last:
            found[PASSED] += way.share
    return found


def operations_of(
    datapath: str, way: Walk, packet_bytes: int, changes: Changes = ()
) -> tuple[tuple[str, int], ...]:
    """Count what a packet took, from the hook that it came in by."""
    assert way.hook
    counts = dict(way.counts)
    # The first base chain is in the cost of the hook.
    counts["chain"] = max(0, counts.get("chain", 0) - 1)
    more_bytes = int(frame_bytes_of(packet_bytes)) - FRAME_BYTES_MIN
    counts["cache_line"] = round(more_bytes / CACHE_LINE_BYTES)
    counts[NOT_UNDERSTOOD] = sum(way.strange.values())
    counts |= dict.fromkeys((*changes, RECEIVE, *STAGES[datapath][way.hook]), 1)
    return tuple(sorted((kind, times) for kind, times in counts.items() if times))
