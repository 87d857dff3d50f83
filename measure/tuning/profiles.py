"""Sets of settings for a purpose."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_BASELINE = {
    # what changes by itself while one measures
    "adaptive_rx": "off",
    "adaptive_tx": "off",
    "governor": "performance",
    # frames that the program would not see one by one, or that a neighbour holds up
    "lro": "off",
    "rx_pause": "off",
    "tx_pause": "off",
    # one core for each queue, the same in every run
    "interrupt_cores": "spread",
}

PROFILES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "baseline": _BASELINE,
        "throughput": _BASELINE
        | {"rx_ring_packets": "max", "tx_ring_packets": "max", "rx_coalesce_us": "50"},
        "latency": _BASELINE
        | {"rx_coalesce_us": "0", "tx_coalesce_us": "0", "wake_latency_us": "n/a"},
    }
)
"""Number of queues and offloads of the stack are the campaign's to say, so they are in none."""
