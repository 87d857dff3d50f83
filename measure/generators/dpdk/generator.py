"""linerate's own generator on DPDK, at the far end of the cable: the kind ``dpdk``."""

from __future__ import annotations

import math
import shlex
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from linerate.cells import Load
from linerate.errors import CannotHereError, LinerateError, bad_input, cannot_here
from linerate.measure.generators.external.dpdk_load import check_dpdk_load
from linerate.measure.generators.live_frames import last_words
from linerate.measure.labs.card import is_card
from linerate.measure.labs.port import Port, PortCounts, hold_promiscuous
from linerate.measure.processes import built
from linerate.measure.remote.card_port import CardPort
from linerate.measure.remote.kind import SendingPort
from linerate.measure.remote.protocol import Count, GeneratorReport, Histogram, Start
from linerate.measure.system.check import apt
from linerate.units import line_rate_mpps

RUNNER = "dpdk_traffic"
ARRIVALS = ("flood", "constant", "poisson", "burst")
SLOTS_MAX = 16
"""Sizes of a mix, each as often as its weight says."""
SEEDS = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class DpdkCounts:
    """What the runner prints of one load."""

    dpdk: str
    """Version of DPDK."""
    duration_ns: Count
    intended: Count
    sent: Count
    """Packets that the device's ring took."""
    received: Count
    foreign: Count
    """Packets that came and were not sent by it."""
    missed: Count
    """Packets that came back and found no room at the generator."""
    wait_ns: Count
    """Time that the generator's thread was ready while another one held its core."""
    latency: Histogram


_COUNTS = TypeAdapter(DpdkCounts)


class Dpdk:
    """The kind ``dpdk``."""

    brings_link = True
    """A card that DPDK lets go of has no link until the next start."""
    start_up_seconds = 15.0
    """DPDK takes the device over; of a card both ends negotiate the link anew."""

    def port(self, interface: str) -> Port | CardPort:
        """Name a card by its PCI address, or an interface of the kernel (packet sockets)."""
        return CardPort(interface) if is_card(interface) else Port(interface)

    def check(self, load: Load, cores: tuple[int, ...]) -> None:
        """Refuse a load that the runner has not got, and more cores than its one.

        Raises
        ------
        BadInputError
            Which, and what to do.
        """
        check_dpdk_load("the generator dpdk", load, ARRIVALS, SLOTS_MAX)
        if len(cores) != 1:
            raise bad_input(
                "generator_cores", list(cores), why="one core sends and receives by DPDK",
                allowed="one core", do="name one",
            )  # fmt: skip

    def version(self, port: SendingPort) -> str:
        """Name the runner's content.

        Raises
        ------
        CannotHereError
            It is not built, as it is where DPDK is installed.
        """
        try:
            return f"{RUNNER} {built.content_hash(built.runner(RUNNER))}"
        except CannotHereError:
            raise cannot_here(
                'generator = "dpdk"', why="its runner is not built on the generator host: DPDK "
                "was not there when linerate was set up", do=f"there: {apt('dpdk', 'libdpdk-dev')}"
                f", then {built.build_command()}",
            ) from None  # fmt: skip

    def hold(self, port: SendingPort) -> AbstractContextManager[None]:
        """Take frames back whatever address they carry; a card of DPDK's does so by itself."""
        name = port.port.name
        return nullcontext() if is_card(name) else hold_promiscuous(Port(name))

    def argv(self, port: SendingPort, start: Start) -> list[str]:
        """Send and count by the runner, on the one core named."""
        self.check(start.load, port.cores)
        name = port.port.name
        return [
            str(built.runner(RUNNER)), *_device_flags(port.port), "--device", name,
            "--core", str(port.cores[0]), "--load", shlex.join(load_flags(start)),
        ]  # fmt: skip

    def report(
        self, output: str, start: Start, sent_and_back: PortCounts, port: SendingPort
    ) -> GeneratorReport:
        """State the runner's counts, and what makes them doubtful."""
        counts = read_counts(output)
        remarks = (
            f"{counts.missed} packets that came back found no room at the generator; they count as "
            "lost",
        )
        return GeneratorReport(
            duration_ns=counts.duration_ns,
            intended=max(counts.intended, counts.sent),
            sent=counts.sent,
            received=min(counts.received, counts.sent),
            latency=counts.latency if counts.received else None,
            contended_ratio=counts.wait_ns / counts.duration_ns,
            remarks=remarks if counts.missed else (),
        )


def _device_flags(port: Port | CardPort) -> list[str]:
    if is_card(port.name):
        # Without hugepages a card's packets lie on pages that the IOMMU maps one by one.
        return ["--port", "pci", "--hugepages"]
    return ["--port", "af_packet", *(["--veth"] if port.is_virtual else [])]


def load_flags(start: Start) -> list[str]:
    """Say a load as the runner takes it.

    A flood over a link that is slower than the device is paced by that link.

    >>> from linerate.cells import Load
    >>> load = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)
    >>> load_flags(Start(load=load, link_gbps=1.0, seconds=0.5))[:6]
    ['--seconds', '0.5', '--frame-bytes', '64', '--flows', '1']
    """
    load = start.load
    line_mpps = float(line_rate_mpps(start.link_gbps, load.frame_bytes))
    mpps = min(load.offered_mpps, line_mpps)
    sizes = [str(size) for weight, size in load.frame_mix for _ in range(weight)]
    flags = [
        "--seconds", f"{start.seconds:.9g}", "--frame-bytes", ",".join(sizes),
        "--flows", str(load.flows),
    ]  # fmt: skip
    if start.destination_mac:
        flags += ["--destination-mac", start.destination_mac]
    if math.isinf(mpps):
        return [*flags, "--arrivals", "flood"]
    arrivals = "poisson" if load.arrivals == "poisson" else "constant"
    return [
        *flags, "--arrivals", arrivals, "--packets-per-second", f"{mpps * 1e6:.9g}",
        "--burst-packets", str(load.burst_packets),
        # Repetitions are to differ in their random gaps too.
        "--seed", str(time.monotonic_ns() % SEEDS),
    ]  # fmt: skip


def read_counts(output: str) -> DpdkCounts:
    """Read what the runner printed.

    Raises
    ------
    LinerateError
        It is not a line of counts.
    """
    try:
        return _COUNTS.validate_json(output, strict=True)
    except ValidationError as error:
        words = last_words(output) or "nothing"
        raise LinerateError(f"{RUNNER}: it said {words}, which are not counts") from error
