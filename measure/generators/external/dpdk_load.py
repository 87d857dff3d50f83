"""Loads as the generators of others take them: what they lack, and what was due."""

from __future__ import annotations

import math
from collections.abc import Sequence

from linerate.cells import Load
from linerate.errors import bad_input
from linerate.measure.remote.protocol import Start
from linerate.units import FRAME_BYTES_MAX, FRAME_BYTES_MIN, line_rate_mpps

FLOWS_MAX = 60000
"""UDP source ports from 1024 on."""
SURPLUS_RATIO_MAX = 0.001


def check_dpdk_load(name: str, load: Load, arrivals: Sequence[str], slots_max: int) -> None:
    """Refuse a load that our scripts for these generators do not make.

    Parameters
    ----------
    name
        The generator's, for the words.
    load
        What is asked for.
    arrivals
        Arrival processes that it has.
    slots_max
        Most that the weights of a mix may add up to.

    Raises
    ------
    BadInputError
        Another arrival process, kind of packet or frame size, too long a mix, or too many flows.
    """
    if load.arrivals not in arrivals:
        raise bad_input(
            "arrivals", load.arrivals, why=f"not supported by {name}",
            allowed=", ".join(arrivals), do='leave it out, or use generator = "linerate"',
        )  # fmt: skip
    if load.packet.protocol != "udp" or load.packet.sources != 1:
        raise bad_input(
            "protocol", f"{load.packet.protocol} from {load.packet.sources} source(s)",
            why=f"{name} is made to send UDP of one address here", allowed="udp, sources = 1",
            do='leave it out, or use generator = "linerate"',
        )  # fmt: skip
    slots = sum(weight for weight, _ in load.frame_mix)
    if slots > slots_max:
        raise bad_input(
            "frame_bytes", f"weights of {slots} in all", why=f"{name} has a slot for each",
            allowed=f"up to {slots_max}", do="shorten the fractions",
        )  # fmt: skip
    _check_frames(name, load)


def _check_frames(name: str, load: Load) -> None:
    sizes = [size for _, size in load.frame_mix]
    if min(sizes) < FRAME_BYTES_MIN or max(sizes) > FRAME_BYTES_MAX:
        raise bad_input(
            "frame_bytes", sizes, why=f"{name} is not made to send others here",
            allowed=f"{FRAME_BYTES_MIN}..{FRAME_BYTES_MAX}", do="correct it",
        )  # fmt: skip
    if not 1 <= load.flows <= FLOWS_MAX:
        raise bad_input(
            "flows", load.flows, why="they are UDP source ports", allowed=f"1..{FLOWS_MAX}",
            do="correct it",
        )  # fmt: skip


def due_packets(start: Start, seconds: float) -> int:
    """Packets that a load with a rate was to send in a time, no more than its link carries.

    >>> from linerate.cells import Load
    >>> load = Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=20.0)
    >>> due_packets(Start(load=load, link_gbps=10.0, seconds=1.0), 1.0)
    14880952
    """
    if math.isinf(start.load.offered_mpps):
        return 0
    line_mpps = float(line_rate_mpps(start.link_gbps, start.load.frame_bytes))
    return round(min(start.load.offered_mpps, line_mpps) * 1e6 * seconds)


def surplus_words(sent: int, received: int) -> str | None:
    """Say so where more came back than was sent, beyond what was on its way at the beginning."""
    surplus = received - sent
    if surplus <= SURPLUS_RATIO_MAX * max(sent, 1):
        return None
    return f"{surplus} more packets came back than were sent: something else sends to the card"
