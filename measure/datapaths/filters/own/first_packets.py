"""Frames of which each is the first of its flow, however many of them the stack takes at once."""

from __future__ import annotations

from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
from linerate.measure.objects.traffic.frames import FRAMES_MAX, Frames, frames_in_order
from linerate.measure.rulesets.packet import (
    ETHERNET_BYTES,
    IPV4,
    IPV4_BYTES,
    IPV6_BYTES,
    parse_packet,
)
from linerate.measure.rulesets.steps import Match
from linerate.measure.rulesets.translation import PORTED

TOGETHER = 8
"""Packets that the stack takes at once (the kernel's net.core.gro_normal_batch)."""
PORT_MAX = 65535


def each_first(frames: Frames, tested: RulesetUnderTest) -> Frames:
    """Give packets source ports of their own, where some would be of a flow that is not yet known.

    Of several that the stack takes together one is entered, and the others clash with it. Checksums
    stay as they are: nothing looks at them, and what translates a packet changes them by what it
    changes.
    """
    if not (is_entered(tested) and _clash(frames)) or _looks_at_source(tested):
        return frames
    if len(frames.packets) * TOGETHER > FRAMES_MAX:
        return frames
    order = frames.order * -(-TOGETHER // len(frames.order))
    packets = [_with_source_port(frames.packets[place], turn % TOGETHER)
               for turn, place in enumerate(order)]  # fmt: skip
    return frames_in_order(packets, len(packets))


def is_entered(tested: RulesetUnderTest) -> bool:
    """Whether first packets come so far that they are entered into the connection table."""
    return tested.ruleset.tracks and tested.last == "forward" and tested.established < 1.0


def _clash(frames: Frames) -> bool:
    """Whether packets that the stack may take together are of one flow."""
    ends = [_ends_of(packet) for packet in frames.packets]
    around = (*frames.order, *frames.order) * -(-TOGETHER // len(frames.order))
    return any(
        ends[place] and any(ends[other] == ends[place] for other in around[at + 1 : at + TOGETHER])
        for at, place in enumerate(frames.order)
    )


def _ends_of(data: bytes) -> bytes:
    """Both ends of a packet of TCP or UDP, and its protocol; empty of others."""
    packet = parse_packet(data)
    at, is_v4 = packet.transport, packet.ethertype == IPV4
    if at is None or packet.protocol not in PORTED:
        return b""
    end = ETHERNET_BYTES + (IPV4_BYTES if is_v4 else IPV6_BYTES)
    addresses = data[end - (8 if is_v4 else 32) : end]
    return bytes([packet.protocol]) + addresses + data[at : at + 4]


def _with_source_port(data: bytes, shift: int) -> bytes:
    """Add to a packet's source port; of other protocols than TCP and UDP as it is."""
    if not (shift and _ends_of(data)):
        return data
    at = parse_packet(data).transport or 0
    port = (int.from_bytes(data[at : at + 2]) - 1 + shift) % PORT_MAX + 1
    return data[:at] + port.to_bytes(2) + data[at + 2 :]


def _looks_at_source(tested: RulesetUnderTest) -> bool:
    """Whether a rule tells packets apart by their source port."""
    steps = (step for chain in tested.ruleset.chains.values() for rule in chain.rules
             for step in rule.steps if isinstance(step, Match))  # fmt: skip
    return any(field.base == "th" and field.at == 0 for step in steps for field in step.fields)
