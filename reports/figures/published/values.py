"""Numbers that the repeated studies published, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One published number, and which runs of ours are of the same thing."""

    value: float
    """Mpps of a rate; us of a time."""
    source: str
    """Who published it."""
    runs: Mapping[str, object]
    """Columns of the table of runs and what they hold."""


CAPELETTI = "Capeletti 2022, T440, Netronome 10GbE, recomputed from its logs"
IZOLAN = "Izolan 2023, T440, XL710 10GbE, 2 lcores allocated"
SAMPAIO = "Sampaio 2017, KVM guest, e1000, pktgen, peak"
CASTANHO = "Castanho et al. 2018, KVM guests, 1GbE"
CHAINING_BOX = "chaining-box, its published results over veth"


def _capacity(value: float, datapath: str) -> Published:
    program = "xsk_memcpy" if datapath == "af_xdp" else "map_lookup"
    runs = {
        "datapath": datapath,
        "program": program,
        "memory_accesses": 0,
        "queues": 1,
        "frame_bytes": 64.0,
    }
    return Published(value=value, source=CAPELETTI, runs=MappingProxyType(runs))


def _pipeline(value: float, operations: str) -> Published:
    runs = {"datapath": "swx", "operations": operations, "queues": 1, "frame_bytes": 64.0,
            "pipeline_port": "net_null", "pipeline_burst_packets": 32, "flows": 1}  # fmt: skip
    return Published(value=value, source=IZOLAN, runs=MappingProxyType(runs))


def _filter(peak_pps: int, datapath: str, program: str) -> Published:
    runs: dict[str, object] = {"datapath": datapath, "program": program}
    runs |= {"filter_hook": "prerouting"} if datapath == "netfilter" else {}
    return Published(value=peak_pps / 1e6, source=SAMPAIO, runs=MappingProxyType(runs))


RATES = (
    _capacity(7.5, "xdp_native"),
    _capacity(1.08, "xdp_generic"),
    _capacity(0.90, "af_xdp"),
    _pipeline(8.56, '{"register_read_32": 10, "register_write_32": 10}'),
    _pipeline(13.83, '{"add": 10}'),
    _filter(98316, "xdp_native", "drop_all"),
    _filter(90741, "tc", "drop_all"),
    _filter(87228, "netfilter", "drop_all"),
    _filter(26364, "xdp_native", "drop_tcp_subnet"),
    _filter(24175, "tc", "drop_tcp_subnet"),
    _filter(21737, "netfilter", "drop_tcp_subnet"),
    _filter(87847, "xdp_native", "drop_udp_subnet"),
    _filter(86210, "tc", "drop_udp_subnet"),
    _filter(83866, "netfilter", "drop_udp_subnet"),
    _filter(75657, "xdp_native", "drop_tcp_subnet_flags"),
    _filter(59785, "tc", "drop_tcp_subnet_flags"),
    _filter(57163, "netfilter", "drop_tcp_subnet_flags"),
    _filter(70629, "xdp_native", "drop_tcp_subnet_payload"),
    _filter(53643, "tc", "drop_tcp_subnet_payload"),
    _filter(55978, "netfilter", "drop_tcp_subnet_payload"),
)  # fmt: skip
"""Median or mean rates of the studies; of Sampaio the highest, the only ones printed."""
PER_FUNCTION = (
    Published(value=200.0, source=CASTANHO, runs=MappingProxyType({"datapath": "chain"})),
    Published(value=78.0, source=CHAINING_BOX, runs=MappingProxyType({"datapath": "chain"})),
)
"""Round-trip time that each function adds: about 0.2 ms, and about 78 us a hop."""
