"""The filters, by name: the programs of Sampaio (2017)."""

from __future__ import annotations

FILTERS = (
    "drop_all",
    "drop_tcp_subnet",
    "drop_udp_subnet",
    "drop_tcp_subnet_flags",
    "drop_tcp_subnet_payload",
)
