"""Every setting, in the order in which they are set; they are put back in the reverse."""

from __future__ import annotations

from linerate.errors import bad_input
from linerate.measure.tuning.kernel.ethtool import CHANNELS, COALESCING, PAUSE, RINGS
from linerate.measure.tuning.knobs.addresses import BenchmarkAddresses
from linerate.measure.tuning.knobs.device_file import DeviceFile, QueueCores
from linerate.measure.tuning.knobs.interrupts import InterruptCores
from linerate.measure.tuning.knobs.knob import Held, Knob
from linerate.measure.tuning.knobs.machine import MachineFiles
from linerate.measure.tuning.knobs.numbers import Number, Switch
from linerate.measure.tuning.knobs.offload import Offload
from linerate.measure.tuning.knobs.sleep import DmaLatency, IdleStatesOff
from linerate.measure.tuning.knobs.spreading import Indirection, UdpHash
from linerate.measure.tuning.knobs.stack import Mtu, ReversePathFilter
from linerate.measure.tuning.knobs.xdp import XdpProgram

_S32_MAX, _S64_MAX, _U64_MAX = 2**31 - 1, 2**63 - 1, 2**64 - 1

_CPU = "sys/devices/system/cpu"
_GOVERNORS = ("performance", "powersave", "ondemand", "conservative", "schedutil", "userspace")

KNOBS: tuple[Knob, ...] = (
    # queues first: a driver makes rings, interrupts and masks of cores anew with them
    Number(name="queues", group=CHANNELS, kind=9, max_kind=5),
    Number(name="rx_queues", group=CHANNELS, kind=6, max_kind=2),
    Number(name="tx_queues", group=CHANNELS, kind=7, max_kind=3),
    # the MTU next: buffers of the rings are as large as it asks for
    Mtu(),
    Number(name="rx_ring_packets", group=RINGS, kind=6, max_kind=2),
    Number(name="tx_ring_packets", group=RINGS, kind=9, max_kind=5),
    # adaptive coalescing before its numbers, which it would write over
    Switch(name="adaptive_rx", group=COALESCING, kind=11),
    Switch(name="adaptive_tx", group=COALESCING, kind=12),
    Number(name="rx_coalesce_us", group=COALESCING, kind=2),
    Number(name="rx_coalesce_packets", group=COALESCING, kind=3),
    Number(name="tx_coalesce_us", group=COALESCING, kind=6),
    Number(name="tx_coalesce_packets", group=COALESCING, kind=7),
    # negotiation before the directions that it decides
    Switch(name="pause_autonegotiation", group=PAUSE, kind=2),
    Switch(name="rx_pause", group=PAUSE, kind=3),
    Switch(name="tx_pause", group=PAUSE, kind=4),
    # checksums before the offloads that need them, receive before send
    Offload(name="rx_checksum", feature="rx-checksum"),
    Offload(name="lro", feature="rx-lro"),
    Offload(name="gro", feature="rx-gro"),
    Offload(name="gro_hardware", feature="rx-gro-hw"),
    Offload(name="tx_checksum", feature="tx-checksum-ip-generic"),
    Offload(name="scatter_gather", feature="tx-scatter-gather"),
    Offload(name="tso", feature="tx-tcp-segmentation"),
    Offload(name="tso_ipv6", feature="tx-tcp6-segmentation"),
    Offload(name="gso", feature="tx-generic-segmentation"),
    Offload(name="rx_vlan", feature="rx-vlan-hw-parse"),
    Offload(name="tx_vlan", feature="tx-vlan-hw-insert"),
    Offload(name="rx_hash", feature="rx-hashing"),
    # NAPI: how long it polls on, and who polls
    DeviceFile(name="napi_defer_hard_irqs", file="napi_defer_hard_irqs", most=_S32_MAX),
    DeviceFile(name="gro_flush_timeout_ns", file="gro_flush_timeout", most=_U64_MAX),
    DeviceFile(name="napi_threaded", file="threaded", most=1),
    # cores last: queues and threads must be there
    QueueCores(name="rps_cpus", queues="rx-", file="rps_cpus"),
    QueueCores(name="xps_cpus", queues="tx-", file="xps_cpus"),
    InterruptCores(),
    Indirection(),
    UdpHash(),
    ReversePathFilter(),
    BenchmarkAddresses(),
    XdpProgram(),
    # the namespace's beside the interface's, since the larger of the two counts
    MachineFiles(
        name="rp_filter_all",
        files="proc/sys/net/ipv4/conf/all/rp_filter",
        words=("0", "1", "2"),
        scope="namespace",
    ),
    # the machine's after the interface's: a refusal above leaves the neighbours alone
    MachineFiles(
        name="governor", files=f"{_CPU}/cpu[0-9]*/cpufreq/scaling_governor", words=_GOVERNORS
    ),
    MachineFiles(name="boost", files=f"{_CPU}/cpufreq/boost", words=("0", "1")),
    MachineFiles(name="intel_no_turbo", files=f"{_CPU}/intel_pstate/no_turbo", words=("0", "1")),
    MachineFiles(
        name="wake_latency_us",
        files=f"{_CPU}/cpu[0-9]*/power/pm_qos_resume_latency_us",
        words=("n/a",),  # the kernel's word for no sleep at all, where 0 is not a limit
        most=_S32_MAX,
    ),
    IdleStatesOff(),
    MachineFiles(name="bpf_jit_enable", files="proc/sys/net/core/bpf_jit_enable", words=("0", "1")),
    MachineFiles(
        name="bpf_jit_harden", files="proc/sys/net/core/bpf_jit_harden", words=("0", "1", "2")
    ),
    MachineFiles(
        name="bpf_jit_kallsyms", files="proc/sys/net/core/bpf_jit_kallsyms", words=("0", "1")
    ),
    MachineFiles(
        name="bpf_jit_limit_bytes", files="proc/sys/net/core/bpf_jit_limit", most=_S64_MAX
    ),
    # last: filling them may take long
    MachineFiles(
        name="huge_pages",
        files="sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
        most=_S32_MAX,
    ),
)


HELD: tuple[Held, ...] = (DmaLatency(),)
"""Settings that `tuned` alone can make, as they end with the process."""


def find_held(name: str) -> Held | None:
    """Look up a setting that a process holds; None if it is none of these."""
    return next((held for held in HELD if held.name == name), None)


def find_knob(name: str) -> Knob:
    """Look up a setting that stays by name.

    Raises
    ------
    BadInputError
        There is none of that name.
    """
    if find_held(name):
        raise bad_input(
            "setting", name, why="it holds only while a process keeps it open",
            allowed="in the [nic] table of a campaign, or by tuned() in Python",
            do="set wake_latency_us in its place, which stays",
        )  # fmt: skip
    for knob in KNOBS:
        if knob.name == name:
            return knob
    raise bad_input(
        "setting", name, why="there is none of that name",
        allowed=", ".join(knob.name for knob in KNOBS), do="name one of these",
    )  # fmt: skip
