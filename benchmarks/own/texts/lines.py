"""Rules of a firewall, none of which takes the lab's flow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def network(number: int) -> str:
    """Name one of many networks."""
    return f"10.{number % 200}.{number // 200 * 16}.0/20"


def nft_lines(count: int, rng: np.random.Generator) -> Iterator[str]:
    """Give them in nft's words."""
    for number in range(count):
        yield (
            f"ip saddr {network(number)} drop",
            f"tcp dport {2000 + number} accept",
            f"ip saddr 192.0.2.{number % 250} udp dport {3000 + number} counter accept",
            f"udp dport {{ {4000 + number}, {9000 + number} }} accept",
            f"ip daddr 203.0.113.{number % 250} drop",
            f"tcp dport {{ 22, 80, 443 }} ip saddr 172.16.{number % 250}.0/24 accept",
        )[rng.integers(6)]


def saved_lines(count: int, rng: np.random.Generator) -> Iterator[str]:
    """Give the same rules in the words of iptables-save."""
    for number in range(count):
        yield (
            f"-s {network(number)} -j DROP",
            f"-p tcp -m tcp --dport {2000 + number} -j ACCEPT",
            f"-s 192.0.2.{number % 250} -p udp -m udp --dport {3000 + number} -j ACCEPT",
            f"-p udp -m multiport --dports {4000 + number},{9000 + number} -j ACCEPT",
            f"-d 203.0.113.{number % 250} -j DROP",
        )[rng.integers(5)]
