"""Traffic of generators of others: what they are asked for, and a run of it as the agent's."""

import select

from linerate.cells import Load
from linerate.measure.labs.port import PortCounts
from linerate.measure.remote.protocol import Start
from linerate.measure.remote.traffic import Traffic

CARD = "0000:3b:00.0"
NOTHING = PortCounts(rx_packets=0, tx_packets=0, rx_lost=0, tx_lost=0)
"""What the kernel counts of a card that is not its own."""


def start(link_gbps=10.0, seconds=0.5, **changes):
    """Ask for 10 000 packets a second of 64 B, but for what is said otherwise."""
    fields = {"frame_mix": ((1, 64),), "arrivals": "constant", "offered_mpps": 0.01}
    return Start(load=Load(**(fields | changes)), link_gbps=link_gbps, seconds=seconds)


def result_of(argv, seconds):
    """Return what a generator printed; raise what the agent would."""
    traffic = Traffic(argv, seconds)
    while traffic.open_fds:
        for fd in select.select(traffic.open_fds, [], [])[0]:
            traffic.read(fd)
    return traffic.result()
