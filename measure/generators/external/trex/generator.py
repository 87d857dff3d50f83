"""TRex, stateless, on a port of a server that the user has started on the generator host."""

from __future__ import annotations

import json
import math
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from linerate.cells import Load
from linerate.errors import bad_input, cannot_here
from linerate.measure.generators.external.dpdk_load import check_dpdk_load, due_packets
from linerate.measure.generators.external.trex.counts import (
    doubts,
    latency_of_counts,
    read_counts,
)
from linerate.measure.generators.external.usual_paths import TREX, TREX_API
from linerate.measure.labs.port import PortCounts
from linerate.measure.processes import built
from linerate.measure.remote.card_port import CardPort
from linerate.measure.remote.kind import SendingPort
from linerate.measure.remote.protocol import GeneratorReport, Start
from linerate.units import line_rate_mpps

PYTHON = Path("/usr/bin/python3")
"""The system's, which TRex's own programs use; not that of linerate's environment."""
CLIENT = Path(__file__).with_name("client.py")
ARRIVALS = ("flood", "constant")
SLOTS_MAX = 64
"""Each is a stream of its own."""


class TRex:
    """The kind ``trex``."""

    brings_link = False
    """The server drives the card all the time."""
    start_up_seconds = 10.0
    """Its client loads scapy."""

    def port(self, interface: str) -> CardPort:
        """Name a card by its PCI address."""
        return CardPort(interface)

    def check(self, load: Load, cores: tuple[int, ...]) -> None:
        """Refuse a load that TRex has not got; its cores are the server's own matter.

        Raises
        ------
        BadInputError
            Which, and what to do.
        """
        if load.arrivals == "poisson":
            raise bad_input(
                "arrivals", "poisson", why="TRex spaces packets evenly, and has no random gaps",
                allowed=", ".join(ARRIVALS), do='use generator = "moongen" or "linerate"',
            )  # fmt: skip
        check_dpdk_load("TRex", load, ARRIVALS, SLOTS_MAX)

    def version(self, port: SendingPort) -> str:
        """Name the version's folder, and the content of our client.

        Raises
        ------
        CannotHereError
            It is not installed where it was looked for.
        """
        name = _folder(port).resolve().name
        return f"TRex {name}, client {built.content_hash(CLIENT)[:8]}"

    def hold(self, port: SendingPort) -> AbstractContextManager[None]:
        """Leave the card to the server."""
        return nullcontext()

    def argv(self, port: SendingPort, start: Start) -> list[str]:
        """Have the server send, by its own client under the system's Python."""
        self.check(start.load, port.cores)
        asked = {
            "api": str(_folder(port) / TREX_API),
            "pci": port.port.name,
            "frame_bytes": [size for weight, size in start.load.frame_mix for _ in range(weight)],
            "flows": start.load.flows,
            "pps": _pps(start),
            "seconds": start.seconds,
        }
        return [str(PYTHON), "-E", "-s", str(CLIENT), json.dumps(asked)]

    def report(
        self, output: str, start: Start, sent_and_back: PortCounts, port: SendingPort
    ) -> GeneratorReport:
        """State the server's counts of the port, and what makes them doubtful."""
        counts = read_counts(output)
        sent = max(0, counts.sent)
        return GeneratorReport(
            duration_ns=round(start.seconds * 1e9),
            intended=max(sent, due_packets(start, start.seconds)),
            sent=sent,
            received=min(max(0, counts.received), sent),
            latency=latency_of_counts(counts),
            remarks=doubts(counts, start.seconds),
        )


def _folder(port: SendingPort) -> Path:
    folder = Path(port.program) if port.program else TREX
    if not (folder / TREX_API / "trex").is_dir():
        raise cannot_here(
            "TRex", why=f"there is no {folder / TREX_API / 'trex'} on the generator host",
            do="unpack a release there (trex-tgn.cisco.com), start its server with ./t-rex-64 -i, "
            'and name its folder in [nic]: trex = "/opt/trex/v3.06"',
        )  # fmt: skip
    return folder


def _pps(start: Start) -> float | None:
    """Packets a second; None to fill the card's link."""
    line_pps = float(line_rate_mpps(start.link_gbps, start.load.frame_bytes)) * 1e6
    pps = min(start.load.offered_mpps * 1e6, line_pps)
    return pps if math.isfinite(pps) else None
