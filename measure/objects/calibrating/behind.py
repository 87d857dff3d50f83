"""What packets take more that do not end at a hook: by the stack, or by another core's queue."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from linerate.box import Cost
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.calibrating.rounds import (
    base_entry,
    cost_of,
    in_rounds,
    run_entry,
    unstalled_ns,
)
from linerate.measure.objects.lab import HOOKS, attach_object, open_object_lab, send_frames
from linerate.measure.objects.maps.environment import MACS, Environment, Interface, Neighbour, Route
from linerate.measure.objects.maps.settings import Settings
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import time_once
from linerate.measure.objects.traffic.udp_frames import DESTINATION, SOURCE, of_size
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.programs.costs import (
    BEHIND_BYTES,
    FORWARD,
    LOCAL,
    REDIRECT,
    TAKING,
    TO_CPU,
    TO_CPU_HOOKS,
    UNROUTED,
    behind_name,
)
from linerate.progress import Tell

ROUNDS = 3
"""Fewer than of the base: what the stack does takes far longer than what the host adds."""
GATEWAY, NEXT_HOP = f"{SOURCE + 253}/24", "192.0.2.2"
_PASS = "pass"
CORES_MIN = 2
HANDED_TIMING = Timing(warm_up_seconds=0.02, seconds=0.18)
"""The queue of another core evens out what that core does at times."""
UNTAKEN_MIN = 0.02
"""Share of packets that another core took no more, from which on it is the slower one."""
QUEUE = Settings(lines=("fill cores 01000000 00080000",), filled=(("cores", 1),), maps_bytes=0)
"""The second core, with a queue of 2048 packets."""


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
    """Measure what packets take more where they are delivered, forwarded or go to another core.

    Parameters
    ----------
    yardstick_ns
        Of this machine: times are given as where it takes as long.
    tell
        Called before each site of each round.

    Returns
    -------
    Costs by name (`linerate.programs.costs`), each the median over rounds with its 90 % interval,
    ns more than where the stack has no address, and drops; of another core, where this machine has
    one, than of a redirect back.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    """
    sites = [_Site(datapath=hook, frame_bytes=size) for hook, size in product(HOOKS, BEHIND_BYTES)]

    def measure(site: _Site) -> dict[str, float]:
        scale = yardstick_ns / time_once(of_size(BEHIND_BYTES[0]))
        with open_object_lab("serial", 1, site.datapath) as lab:
            dropped_ns, handed = _passed_ns(lab, site), _handed(lab, site)
        found = {}
        for kind, stack in STACKS.items():
            with open_object_lab("serial", 1, site.datapath, stack) as lab:
                found[kind] = _passed_ns(lab, site) - dropped_ns
        return {
            behind_name(site.datapath, kind, site.frame_bytes): scale * ns
            for kind, ns in (found | handed).items()
        }

    taken = in_rounds(sites, measure, tell, rounds=ROUNDS)
    return {name: cost_of(name, np.array(each)) for name, each in taken.items()}


def _passed_ns(lab: VethLab, site: _Site) -> float:
    entry = base_entry(site.datapath, _PASS)
    return run_entry(lab, site.datapath, ("verdicts", entry), site.frame_bytes)


def _handed(lab: VethLab, site: _Site) -> dict[str, float]:
    """Measure both cores of a redirect to another one, ns by kind; nothing on one core."""
    if site.datapath not in TO_CPU_HOOKS or (os.cpu_count() or 1) < CORES_MIN:
        return {}
    back_ns = run_entry(lab, site.datapath, ("verdicts", REDIRECT), site.frame_bytes)
    with (
        plan_file(QUEUE, of_size(site.frame_bytes)) as plan,
        attach_object(lab, site.datapath, built.program_object(TO_CPU), TO_CPU, plan,
                      counted=True) as attached,
    ):  # fmt: skip
        over_ns = unstalled_ns(lambda: send_frames(attached, plan, HANDED_TIMING))
        ends = attached.ends()
    untaken = ends.untaken / max(ends.packets, 1)
    return {
        TO_CPU: over_ns - back_ns,
        TAKING: over_ns / (1.0 - untaken) if UNTAKEN_MIN <= untaken < 1.0 else 0.0,
    }
