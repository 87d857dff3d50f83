"""The columns of the tidy table of runs; data/README.md prints this list."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

COSTS = ("accesses", "operations", "program")
"""What a packet costs by: memory accesses that a program makes, operations that it executes, or the
program as it is."""
Kind = Literal["text", "count", "number", "flag"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of the table."""

    name: str
    kind: Kind
    meaning: str
    """Unit and meaning, as data/README.md prints it."""
    required: bool = False
    """Whether every table has it."""
    nullable: bool = True
    minimum: float = -math.inf
    maximum: float = math.inf
    """Largest finite value: what is beyond is in another unit."""
    words: tuple[str, ...] = ()
    """Every word that a text may be; empty where it may be any."""

    def holds(self, value: float) -> bool:
        """Whether a finite number may stand in it."""
        whole = self.kind != "count" or float(value).is_integer()
        return self.minimum <= value <= self.maximum and whole


def _column(name: str, kind: Kind, meaning: str, words: tuple[str, ...] = ()) -> Column:
    return Column(name=name, kind=kind, meaning=meaning, words=words)


def _always(
    name: str, kind: Kind, meaning: str, *, nullable: bool = False,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Column:  # fmt: skip
    return Column(name=name, kind=kind, meaning=meaning, required=True, nullable=nullable,
                  minimum=within[0], maximum=within[1])  # fmt: skip


COLUMNS = (
    _always("campaign", "text", "name of the campaign"),
    _always("source", "text", "where within it: file, folder or lab mode", nullable=True),
    _always("repetition", "count", "which repetition, from 1", within=(0, math.inf)),
    _always("box", "text", "name of the machine's box file"),
    Column(
        name="datapath",
        kind="text",
        meaning="hook and driver path",
        required=True,
        nullable=False,
    ),
    _always("program", "text", "what runs per packet"),
    _always("memory_accesses", "count", "memory accesses a packet asks for", within=(0, 1e9)),
    _always("queues", "count", "receive queues, one core each", within=(1, 65536)),
    _always("frame_bytes", "number", "B with FCS; the mean of a mix", within=(64, 65536)),
    _always("link_gbps", "number", "Gbit/s; inf for no link limit", within=(1e-9, 5000)),
    _always(
        "offered_mpps",
        "number",
        "Mpps intended over all queues",
        within=(0, 10_000),
        nullable=True,
    ),
    _always("forwarded_mpps", "number", "Mpps that came back", within=(0, 10_000)),
    _always("forwarded_from", "text", "what counted them", nullable=True),
    _always(
        "cpu_busy_ratio",
        "number",
        "0..1 over the queues' cores",
        within=(0, math.inf),
        nullable=True,
    ),
    _always("latency_mean_us", "number", "us, mean one-way latency", nullable=True),
    _always("unstable", "flag", "marked as not repeatable", nullable=True),
    _column("run_id", "text", "one program load; its trials share it"),
    _column("lab", "text", "veth, dpdk or nic", ("veth", "dpdk", "nic")),
    _column("mode", "text", "serial or split", ("serial", "split")),
    _column("frame_mix", "text", "weight x frame_bytes, joined by +"),
    _column("lcores", "count", "worker cores of a DPDK pipeline; empty for kernel datapaths"),
    _column(
        "operations", "text", "JSON, operation kind -> count per packet, without memory accesses"
    ),
    _column(
        "working_set_bytes", "count", "B of each table that the lookups of one queue range over"
    ),
    _column("settings", "text", "columns that hold settings of its datapath, joined by +"),
    _column("generator", "text", "what sent: live_frames, hping3 or ping"),
    _column("protocol", "text", "udp or tcp"),
    _column("tcp_flags", "text", "letters of FSRPAU"),
    _column("payload", "text", "first bytes of the payload, ASCII"),
    _column("sources", "count", "distinct source addresses, drawn at random"),
    _column("pings_per_second", "number", "echo requests a second beside the load"),
    _column("arrivals", "text", "flood, constant, poisson or burst"),
    _column("burst_packets", "count", "packets of one burst"),
    _column("flows", "count", "distinct UDP source ports"),
    _column("duration_s", "number", "s of measured sending, all trials together"),
    _column("trials", "count", "trials summed in this row"),
    _column("intended_packets", "count", "packets the generator was asked to send"),
    _column("sent_packets", "count", "packets that left the generator"),
    _column("forwarded_packets", "count", "packets the sink counted"),
    _column("dropped_dut_ring", "count", "lost: the device's receive ring was full"),
    _column("dropped_dut_program", "count", "lost: the program's own drop or abort"),
    _column("dropped_dut_tx", "count", "lost: the device could not transmit"),
    _column("dropped_sink_ring", "count", "lost: the sink's ring was full"),
    _column(
        "dropped_elsewhere", "count", "lost at places without a column; the journal says where"
    ),
    _column("ended_aborted", "count", "own programs: packets by verdict, XDP_ABORTED or none"),
    _column("ended_drop", "count", "own programs: packets by verdict, XDP_DROP"),
    _column("ended_pass", "count", "own programs: packets by verdict, XDP_PASS"),
    _column("ended_tx", "count", "own programs: packets by verdict, XDP_TX"),
    _column("ended_redirect", "count", "own programs: packets by verdict, XDP_REDIRECT"),
    _column("peak_mpps", "number", "Mpps forwarded in the best sampling interval"),
    _column("steady_mpps", "number", "Mpps forwarded in the median sampling interval"),
    _column("latency_p50_us", "number", "us, median latency"),
    _column("latency_p90_us", "number", "us, 90th percentile"),
    _column("latency_p99_us", "number", "us, 99th percentile"),
    _column("latency_p999_us", "number", "us, 99.9th percentile"),
    _column("latency_max_us", "number", "us, largest latency seen"),
    _column("ping_sent", "count", "echo requests sent"),
    _column("ping_received", "count", "echo requests answered"),
    _column("rtt_mean_us", "number", "us, mean round-trip time of the answered ones"),
    _column("rtt_p50_us", "number", "us, median round-trip time"),
    _column("rtt_p90_us", "number", "us, 90th percentile"),
    _column("rtt_p99_us", "number", "us, 99th percentile"),
    _column("rtt_p999_us", "number", "us, 99.9th percentile"),
    _column("rtt_max_us", "number", "us, largest round-trip time seen"),
    _column("user_cpus", "text", "JSON list, CPU of each thread of the device in user space"),
    _column("user_siblings", "text", "JSON list, other hardware threads of the core of each"),
    _column("memory_bytes", "count", "B of kernel memory that program and tables hold"),
    _column("cpu_per_core", "text", "JSON list, busy ratio of each queue's core"),
    _column("program_ns", "number", "ns of one pass of the program alone (kernel test run)"),
    _column("contended_ratio", "number", "0..1, largest share a lab thread was kept off its core"),
    _column("steal_ratio", "number", "0..1 of CPU time the hypervisor gave to others"),
    _column("drift_ratio", "number", "speed of the canary cell around then over its median"),
    _column("probes", "text", "kinds of probe that ran, joined by +; empty for none"),
    _column(
        "probed_packets", "count", "packets the device received while probed, warm-up included"
    ),
    _column(
        "batch_packets_mean",
        "number",
        "mean packets of a NAPI poll that found any; empty: not probed",
    ),
    _column("polls_by_packets", "text", "JSON, packets found -> NAPI polls; 65 for more than 64"),
    _column("stall_watched_ns", "count", "ns that idle cores were watched for stalls"),
    _column("stall_beside_ns", "count", "ns of these beside the trials, on spare cores"),
    _column("stall_gaps", "count", "gaps of 5 us and more in that time"),
    _column("stall_gap_ns", "count", "ns of these gaps together"),
    _column("stall_longest_ns", "count", "ns of the longest of them"),
    _column("stall_gaps_by_us", "text", "JSON, lower bound in us -> gaps up to twice as long"),
    _column("shared_core_ratio", "number", "0..1 of looks at which others used the core, too"),
    _column("unshared_mpps", "number", "Mpps with the cores to itself, of undisturbed stretches"),
    _column("softirq_ratio", "number", "0..1 of the device's cores' time spent in softirqs"),
    _column(
        "xdp_exceptions", "count", "packets the XDP program aborted or could not send as it said"
    ),
    _column("xdp_redirect_errors", "count", "packets the XDP program could not redirect"),
    _column("cycles_per_packet", "number", "CPU cycles of the device's cores per packet received"),
    _column("instructions_per_packet", "number", "instructions, likewise"),
    _column("branches_per_packet", "number", "branches, likewise"),
    _column("branch_misses_per_packet", "number", "mispredicted branches, likewise"),
    _column("l1_loads_per_packet", "number", "loads from the first-level data cache, likewise"),
    _column("l1_load_misses_per_packet", "number", "loads that missed it, likewise"),
    _column(
        "llc_load_misses_per_packet", "number", "loads that missed the last-level cache, likewise"
    ),
    _column("verdict", "text", "valid, suspect or invalid", ("valid", "suspect", "invalid")),
    _column("verdict_reason", "text", "why not valid"),
    _column("defects", "text", "imported runs: names of what their logs get wrong, joined by +"),
    _column("cost", "text", "what a packet costs by: accesses, operations or program", COSTS),
    _column("box_hash", "text", "hash of the box's checked metadata"),
    _column("program_hash", "text", "hash of the object file that was loaded"),
    _column("git_revision", "text", "revision of linerate that measured"),
    _column("started_at", "text", "UTC start of the first trial"),
    _column("schema_version", "count", "version of these columns"),
)
"""Every column a table may have, in the order a written table has them."""

KNOWN = {column.name: column for column in COLUMNS}
CELL_FACTORS = ("datapath", "program", "memory_accesses", "queues", "frame_bytes", "link_gbps")
"""What a capacity model may know of a cell."""
OF_EVERY_DATAPATH = (
    "operations", "working_set_bytes", "generator", "protocol", "tcp_flags", "payload", "sources",
    "pings_per_second",
)  # fmt: skip
"""What else makes a cell of its own, on any datapath, and a capacity model does not know."""
CELL = (
    *CELL_FACTORS, "offered_mpps", "frame_mix", "arrivals", "burst_packets", "flows",
    *OF_EVERY_DATAPATH, "box", "lab", "mode",
)  # fmt: skip
"""Columns in which runs of one cell are alike, beside its datapath's settings: what a campaign asks
for, on one machine."""
