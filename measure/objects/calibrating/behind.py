"""What the stack takes more of packets that pass a hook, where it has addresses and routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from linerate.box import Cost
from linerate.measure.objects.calibrating.rounds import base_entry, cost_of, in_rounds, run_entry
from linerate.measure.objects.lab import HOOKS, open_object_lab
from linerate.measure.objects.maps.environment import MACS, Environment, Interface, Neighbour, Route
from linerate.measure.objects.test_run import time_once
from linerate.measure.objects.traffic.udp_frames import DESTINATION, SOURCE, of_size
from linerate.programs.costs import BEHIND_BYTES, FORWARD, LOCAL, UNROUTED, behind_name
from linerate.progress import Tell

ROUNDS = 3
"""Fewer than of the base: what the stack does takes far longer than what the host adds."""
GATEWAY, NEXT_HOP = f"{SOURCE + 253}/24", "192.0.2.2"
_PASS = "pass"


def _at(role: str, *addresses: str) -> Interface:
    return Interface(role=role, mac=MACS[role], addresses=addresses)


STACKS: Mapping[str, Environment] = {
    UNROUTED: Environment(interfaces=(_at("in", GATEWAY), _at("out"))),
    LOCAL: Environment(interfaces=(_at("in", GATEWAY, f"{DESTINATION}/32"), _at("out"))),
    FORWARD: Environment(
        forwarding=True,
        interfaces=(_at("in", GATEWAY), _at("out", "192.0.2.1/24")),
        routes=(Route(to=f"{DESTINATION}/32", via=NEXT_HOP, role="out"),),
        neighbours=(Neighbour(address=NEXT_HOP, mac="02:00:00:00:00:09", role="out"),),
    ),
}
"""What a namespace has for the stack to do so with our frames."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Site:
    datapath: str
    frame_bytes: int


def measure_behind(yardstick_ns: float, tell: Tell) -> dict[str, Cost]:
    """Measure what packets that pass take more where they are delivered or forwarded.

    Parameters
    ----------
    yardstick_ns
        Of this machine: times are given as where it takes as long.
    tell
        Called before each site of each round.

    Returns
    -------
    Costs by name (`linerate.programs.costs`), each the median over rounds with its 90 % interval,
    ns more than where the stack has no address, and drops.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    """
    sites = [_Site(datapath=hook, frame_bytes=size) for hook, size in product(HOOKS, BEHIND_BYTES)]

    def measure(site: _Site) -> dict[str, float]:
        scale = yardstick_ns / time_once(of_size(BEHIND_BYTES[0]))
        dropped_ns = _run(site, None)
        return {
            behind_name(site.datapath, kind, site.frame_bytes): scale * (
                _run(site, stack) - dropped_ns
            )
            for kind, stack in STACKS.items()
        }  # fmt: skip

    taken = in_rounds(sites, measure, tell, rounds=ROUNDS)
    return {name: cost_of(name, np.array(each)) for name, each in taken.items()}


def _run(site: _Site, stack: Environment | None) -> float:
    with open_object_lab("serial", 1, site.datapath, stack) as lab:
        entry = base_entry(site.datapath, _PASS)
        return run_entry(lab, site.datapath, ("verdicts", entry), site.frame_bytes)
