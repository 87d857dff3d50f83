"""Which packets the kernel cannot lead on together with those before them.

It takes in what comes in one poll as a list. Packets of one protocol go through the hooks as one
list, and behind routing those of one destination do; each change begins another (the kernel's
``__netif_receive_skb_list_core`` and ``ip_list_rcv_finish``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.rulesets.packet import destination_of, parse_packet
from linerate.measure.rulesets.ruleset import Hook

OTHER_PROTOCOL = "other_protocol"
"""Kind of a packet that comes behind one of another protocol."""
OTHER_DESTINATION: Mapping[Hook, str] = {"input": "other_destination", "forward": "other_route"}
"""Of each hook behind routing that of one that comes behind one to another address."""
Changes = tuple[str, ...]
"""Kinds that a packet has by the one before it."""


def changes_of(
    frames: Frames, reached: Mapping[int, Sequence[Hook]]
) -> Mapping[int, Counter[Changes]]:
    """Count by which changes each frame comes, over the order, whose end comes before its begin.

    Parameters
    ----------
    frames
        As they come.
    reached
        Of each frame that comes into such lists, by its place, the hooks that it comes to; others
        are as if they were not there.

    Returns
    -------
    Times by changes of each of these.
    """
    packets = {place: parse_packet(frames.packets[place]) for place in reached}
    order = [place for place in frames.order if place in reached]
    found: dict[int, Counter[Changes]] = {place: Counter() for place in reached}
    protocol, destination = 0, None
    for turn, place in enumerate((*order, *order)):
        packet, changes = packets[place], list[str]()
        if packet.ethertype != protocol:
            changes.append(OTHER_PROTOCOL)
        if reached[place][-1] in OTHER_DESTINATION:
            if changes or destination_of(packet) != destination:
                changes.append(OTHER_DESTINATION[reached[place][-1]])
            destination = destination_of(packet)
        protocol = packet.ethertype
        if turn >= len(order):
            found[place][tuple(changes)] += 1
    return found
