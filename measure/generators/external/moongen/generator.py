"""MoonGen (Emmerich et al., 2015) on a card of the generator host.

References
----------
P. Emmerich et al., MoonGen: A Scriptable High-Speed Packet Generator, IMC 2015.
"""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from linerate.cells import Load
from linerate.errors import bad_input, cannot_here
from linerate.measure.generators.external.dpdk_load import check_dpdk_load, due_packets
from linerate.measure.generators.external.moongen.doubts import doubts
from linerate.measure.generators.external.moongen.log import SentLoad, Stamped, read_log
from linerate.measure.generators.external.usual_paths import MOONGEN
from linerate.measure.labs.port import PortCounts
from linerate.measure.processes import built
from linerate.measure.remote.card_port import CardPort
from linerate.measure.remote.kind import SendingPort
from linerate.measure.remote.protocol import GeneratorReport, Histogram, Start
from linerate.units import line_rate_mpps

SCRIPT = Path(__file__).with_name("linerate.lua")
SETTINGS = Path(__file__).with_name("dpdk-conf.lua")
CORES_MIN = 3
"""The master, which reads the counters, the probes' task, and one that sends."""
SLOTS_MAX = 1024
SEEDS = 2**31
PATTERNS = {"flood": "flood", "constant": "cbr", "poisson": "poisson", "burst": "cbr"}


class MoonGen:
    """The kind ``moongen``."""

    brings_link = True
    """A card that DPDK lets go of has no link until the next start."""
    start_up_seconds = 30.0
    """DPDK takes the card over, and both ends negotiate the link anew."""

    def port(self, interface: str) -> CardPort:
        """Name a card by its PCI address."""
        return CardPort(interface)

    def check(self, load: Load, cores: tuple[int, ...]) -> None:
        """Refuse a load that the script has not got, and too few cores.

        Raises
        ------
        BadInputError
            Which, and what to do.
        """
        check_dpdk_load("MoonGen", load, tuple(PATTERNS), SLOTS_MAX)
        if len(cores) < CORES_MIN:
            raise bad_input(
                "generator_cores", list(cores), why="MoonGen has one for its counters, one for its "
                "probes, and the others send", allowed=f"at least {CORES_MIN}", do="name more",
            )  # fmt: skip

    def version(self, port: SendingPort) -> str:
        """Name the contents of program and script, since MoonGen names no version.

        Raises
        ------
        CannotHereError
            It is not installed where it was looked for.
        """
        return f"MoonGen {built.content_hash(_program(port))}, script {_script_hash()}"

    def hold(self, port: SendingPort) -> AbstractContextManager[None]:
        """Leave the card as it is: whoever gave it to vfio-pci keeps it there."""
        return nullcontext()

    def argv(self, port: SendingPort, start: Start) -> list[str]:
        """Send and count by the script, on the one card and on the cores named."""
        self.check(start.load, port.cores)
        cores = ",".join(map(str, port.cores))
        return [
            "env", f"LINERATE_PCI={port.port.name}", f"LINERATE_CORES={cores}",
            str(_program(port)), str(SCRIPT), f"--dpdk-config={SETTINGS}",
            *_load_flags(start), "--threads", str(len(port.cores) - CORES_MIN + 1),
        ]  # fmt: skip

    def report(
        self, output: str, start: Start, sent_and_back: PortCounts, port: SendingPort
    ) -> GeneratorReport:
        """State the card's registers, and what makes them doubtful."""
        log = read_log(output)
        seconds = _kernel_seconds(log)
        line_packets = _line_mpps(log, start) * 1e6 * seconds
        sent = min(max(0, log.done.sent), _whole(line_packets, log.done.sent))
        return GeneratorReport(
            duration_ns=round(seconds * 1e9),
            intended=max(sent, due_packets(start, seconds)),
            sent=sent,
            received=min(max(0, log.done.received), sent),
            latency=_histogram(log.done.latency, log),
            remarks=doubts(log, line_packets),
        )


def _program(port: SendingPort) -> Path:
    path = Path(port.program) if port.program else MOONGEN
    if not path.is_file():
        raise cannot_here(
            "MoonGen", why=f"there is no {path} on the generator host", do="build it there "
            "(github.com/emmericp/MoonGen: ./build.sh), and name its path in [nic]: "
            'moongen = "/opt/MoonGen/build/MoonGen"',
        )  # fmt: skip
    return path


def _script_hash() -> str:
    return "+".join(built.content_hash(path)[:8] for path in sorted(SCRIPT.parent.glob("*.lua")))


def _load_flags(start: Start) -> list[str]:
    load = start.load
    sizes = [str(size) for weight, size in load.frame_mix for _ in range(weight)]
    flags = [
        "--frame-bytes", ",".join(sizes), "--flows", str(load.flows),
        "--pattern", PATTERNS[load.arrivals], "--burst-packets", str(load.burst_packets),
        "--seconds", f"{start.seconds:.9g}",
        # Repetitions are to differ in their random gaps too.
        "--seed", str(time.monotonic_ns() % SEEDS),
    ]  # fmt: skip
    if math.isfinite(load.offered_mpps):
        flags += ["--rate-mpps", f"{load.offered_mpps:.12g}"]
    if math.isfinite(start.link_gbps):
        flags += ["--link-gbps", f"{start.link_gbps:.9g}"]
    return flags


def _kernel_seconds(log: SentLoad) -> float:
    """Time of sending by the kernel's clock: the two ran over the same time."""
    tsc_ns, monotonic_ns = log.done.looked_tsc_ns, log.done.looked_monotonic_ns
    ratio = monotonic_ns / tsc_ns if tsc_ns > 0 and monotonic_ns > 0 else 1.0
    return log.done.duration_ns / 1e9 * ratio


def _line_mpps(log: SentLoad, start: Start) -> float:
    """Most that the slower of the card's link and the one that is imitated carries."""
    card_gbps = log.ready.speed_mbps / 1e3 or math.inf
    return float(line_rate_mpps(min(card_gbps, start.link_gbps), start.load.frame_bytes))


def _whole(packets: float, otherwise: int) -> int:
    return round(packets) if math.isfinite(packets) else otherwise


def _histogram(stamped: Stamped, log: SentLoad) -> Histogram | None:
    if not stamped.buckets:
        return None
    return Histogram(
        sum_ns=stamped.sum_ns,
        max_ns=stamped.max_ns,
        buckets=stamped.buckets,
        taken=log.ready.stamps,
    )
