"""linerate's own live frames, sent out of an interface of the generator host."""

from __future__ import annotations

from contextlib import AbstractContextManager

from linerate.cells import Load
from linerate.measure.generators.live_frames import (
    Stream,
    TrafficReport,
    check_packets,
    parse_report,
    stream_flags,
)
from linerate.measure.labs.port import Port, PortCounts, hold_promiscuous
from linerate.measure.processes import built
from linerate.measure.remote.kind import SendingPort
from linerate.measure.remote.protocol import GeneratorReport, Histogram, Start
from linerate.measure.trials.bench import Timing
from linerate.units import line_rate_mpps

SENT_UNKNOWN = "the driver does not count frames that XDP sends; sent is what was given to it"


class FarFrames:
    """The kind ``linerate``."""

    brings_link = False
    """The kernel keeps the interface up."""
    start_up_seconds = 0.0

    def port(self, interface: str) -> Port:
        """Name an interface of this host."""
        return Port(interface)

    def check(self, load: Load, cores: tuple[int, ...]) -> None:
        """Refuse packets that the runner cannot make; each core adds to the rate."""
        check_packets(load)

    def version(self, port: SendingPort) -> str:
        """Name the runner's content; refuse where it is not built."""
        return f"traffic {built.content_hash(built.runner('traffic'))}"

    def hold(self, port: SendingPort) -> AbstractContextManager[None]:
        """Take frames back whatever address they carry."""
        return hold_promiscuous(self.port(port.port.name))

    def argv(self, port: SendingPort, start: Start) -> list[str]:
        """Send and count by the runner, which knows nothing of the device."""
        stream = Stream(
            load=start.load, mode="split", cores=port.cores,
            line_rate_mpps=float(line_rate_mpps(start.link_gbps, start.load.frame_bytes)),
        )  # fmt: skip
        towards = ["--destination-mac", start.destination_mac] if start.destination_mac else []
        return [
            str(built.runner("traffic")), "--dev", port.port.name, "--dut-counts", "none",
            *towards, *stream_flags(stream, Timing(warm_up_seconds=0.0, seconds=start.seconds)),
        ]  # fmt: skip

    def report(
        self, output: str, start: Start, sent_and_back: PortCounts, port: SendingPort
    ) -> GeneratorReport:
        """State the runner's counts, less what the card did not send."""
        seen = parse_report(output)
        unsent, remarks = _unsent(seen, sent_and_back, virtual=port.port.is_virtual)
        return GeneratorReport(
            duration_ns=seen.duration_ns,
            intended=seen.intended,
            sent=seen.sent - unsent,
            received=seen.received,
            latency=_histogram(seen),
            contended_ratio=max(*seen.generator_wait_ns, seen.held_up_ns) / seen.duration_ns,
            remarks=remarks,
        )


def _unsent(
    seen: TrafficReport, counted: PortCounts, *, virtual: bool
) -> tuple[int, tuple[str, ...]]:
    """Frames that the program gave to the driver and that the card never sent.

    A veth has no ring to send from: what it refuses, the far end had no room for. A card's driver
    refuses what its own ring has no room for and tells nobody, but most count what they did send.
    """
    if virtual:
        return 0, ()
    if counted.tx_packets < seen.received:
        return 0, (SENT_UNKNOWN,)
    return max(0, seen.sent - counted.tx_packets), ()


def _histogram(seen: TrafficReport) -> Histogram | None:
    if seen.latency is None:
        return None
    return Histogram(
        sum_ns=seen.latency.sum_ns, max_ns=seen.latency.max_ns, buckets=seen.latency.buckets
    )
