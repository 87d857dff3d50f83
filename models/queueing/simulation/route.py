"""Simulate packets that pass servers in a fixed order, some of them more than once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.models.arrays import Array
from linerate.models.queueing.simulation.compiled import compiled
from linerate.models.queueing.simulation.core_loop import (
    ARRIVAL_NS,
    COUNT,
    HEAD,
    PLACES,
    RING,
    RING_COLUMNS,
    SOJOURN_NS,
    WORK_NS,
    Ints,
    put,
    take,
)
from linerate.models.queueing.simulation.sojourns import Sojourns, without_warm_up
from linerate.models.queueing.simulation.traffic import Traffic, unit_draws

CHUNK = 8192
"""Packets whose works are drawn at once: few enough to stay in the cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Servers, each with a buffer of its own, and the order in which a packet meets them."""

    hops: tuple[int, ...]
    """Server of each hop, counted from 0: ``(0, 1, 0, 2, 0)`` passes server 0 three times."""
    service_times_ns: tuple[float, ...]
    """Mean time of one packet at each server."""
    service_scv: float = 1.0
    """Squared coefficient of variation of all these times."""
    places: int
    """Packets at each server, the one in service included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteRun:
    """What became of the packets."""

    sojourns: Sojourns
    """Times from the first hop's arrival to the end of the last."""
    lost_by_hop: Ints
    """Packets lost before each hop, shape (hops,), warm-up included."""


def simulate_route(route: Route, traffic: Traffic, rng: np.random.Generator) -> RouteRun:
    """Send the traffic along the route; a packet that finds a buffer full is lost there."""
    hops = np.asarray(route.hops, np.int64)
    times = np.empty((traffic.packets, WORK_NS + hops.size))
    times[:, ARRIVAL_NS], times[:, SOJOURN_NS] = traffic.arrivals_ns(rng), np.nan
    means_ns = np.asarray(route.service_times_ns)[hops]
    for begins in range(0, traffic.packets, CHUNK):
        works_ns = times[begins : begins + CHUNK, WORK_NS:]
        units = unit_draws(route.service_scv, works_ns.size, rng)
        works_ns[:] = units.reshape(works_ns.shape) * means_ns
    links = np.zeros((traffic.packets, 2), np.int64)
    rings = np.zeros((len(route.service_times_ns), RING_COLUMNS), np.int64)
    rings[:, PLACES] = route.places
    lost_by_hop = run_route(times, links, rings, hops)
    return RouteRun(sojourns=without_warm_up(times[:, SOJOURN_NS].copy()), lost_by_hop=lost_by_hop)


HOP = RING
"""In ``links``, where a packet is on its way."""


@compiled
def begin(times: Array, links: Ints, packet: int, now_ns: float) -> float:
    """Into service; when it will end."""
    return float(now_ns + times[packet, WORK_NS + links[packet, HOP]])


@compiled
def earliest(ends_ns: Array) -> int:
    """Find the server that ends first; a loop, since numpy's search looks for nan too."""
    first = 0
    for server in range(1, ends_ns.size):
        if ends_ns[server] < ends_ns[first]:
            first = server
    return first


@compiled
def finish(times: Array, links: Ints, rings: Ints, ends_ns: Array, server: int) -> int:
    """End a service and begin the next one; the packet that was served."""
    packet = take(links, rings, server, 1)
    now_ns, ends_ns[server] = ends_ns[server], np.inf
    if rings[server, COUNT] > 0:
        ends_ns[server] = begin(times, links, rings[server, HEAD], now_ns)
    links[packet, HOP] += 1
    times[packet, SOJOURN_NS] = now_ns - times[packet, ARRIVAL_NS]
    return packet


@compiled
def run_route(times: Array, links: Ints, rings: Ints, hops: Ints) -> Ints:
    """Event by event, an arrival or the earliest end of a service; losses before each hop."""
    ends_ns, lost, arrived = np.full(len(rings), np.inf), np.zeros(hops.size, np.int64), 0
    while True:
        server = earliest(ends_ns)
        now_ns, packet = ends_ns[server], arrived
        if arrived < len(times) and times[arrived, ARRIVAL_NS] <= now_ns:
            now_ns = times[arrived, ARRIVAL_NS]
            arrived += 1
        elif now_ns == np.inf:
            return lost
        else:
            packet = finish(times, links, rings, ends_ns, server)
        hop = links[packet, HOP]
        if hop == hops.size:
            continue
        entered = int(hops[hop])
        if not put(links, rings, entered, packet):
            lost[hop] += 1
            times[packet, SOJOURN_NS] = np.nan
        elif rings[entered, COUNT] == 1:
            ends_ns[entered] = begin(times, links, packet, now_ns)
