"""Simulate one queue before one or more servers: G/G/c/K, first come first served, tail drop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.queueing.simulation.compiled import compiled
from linerate.models.queueing.simulation.sojourns import Sojourns, without_warm_up
from linerate.models.queueing.simulation.stalls import Stalls
from linerate.models.queueing.simulation.traffic import Traffic, unit_draws


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """Servers that share one buffer."""

    service_time_ns: float
    """Mean time of one packet at one server."""
    service_scv: float = 1.0
    """Squared coefficient of variation of that time."""
    servers: int = 1
    """Packets served at once."""
    places: int | None = None
    """Packets in the system, those in service included; None for no end."""

    def __post_init__(self) -> None:
        if not self.servers >= 1:
            raise bad_input("servers", self.servers, why="nobody would serve", allowed=">= 1",
                            do="name one")  # fmt: skip
        if self.places is not None and self.places < self.servers:
            raise bad_input("places", self.places, why="packets in service need room too",
                            allowed=f">= {self.servers}", do="raise it")  # fmt: skip


def simulate_station(
    station: Station, traffic: Traffic, rng: np.random.Generator, *, stalls: Stalls | None = None
) -> Sojourns:
    """Serve the traffic; a packet that finds all places taken is lost.

    Parameters
    ----------
    station, traffic, rng
        What serves, what is offered, and what draws.
    stalls
        When the whole machine stands still; None for never.

    Examples
    --------
    >>> light = Traffic(load_mpps=1.0, packets=100, gap_scv=0.0)
    >>> paced = Station(service_time_ns=500.0, service_scv=0.0)
    >>> simulate_station(paced, light, np.random.default_rng(0)).mean_ns
    500.0
    """
    arrivals_ns = traffic.arrivals_ns(rng)
    services_ns = station.service_time_ns * unit_draws(station.service_scv, traffic.packets, rng)
    places = traffic.packets + station.servers if station.places is None else station.places
    if stalls is None:
        return without_warm_up(fifo(arrivals_ns, services_ns, station.servers, places))
    clock = stalls.draw(float(arrivals_ns[-1] + services_ns.sum()), rng)
    served_ns = fifo(clock.machine_ns(arrivals_ns), services_ns, station.servers, places)
    return without_warm_up(clock.sojourns_ns(arrivals_ns, served_ns))


@compiled
def fifo(arrivals_ns: Array, services_ns: Array, servers: int, places: int) -> Array:
    """Sojourn of each packet, nan where lost; in order of arrival, since starts are too."""
    free_ns = np.zeros(servers)
    # Starts of packets let in: who waits is who has not started. At most `places` matter at once.
    starts_ns = np.zeros(min(places, arrivals_ns.size) + 1)
    sojourns_ns = np.empty(arrivals_ns.size)
    let_in = started = 0
    for packet in range(arrivals_ns.size):
        now_ns = arrivals_ns[packet]
        while started < let_in and starts_ns[started % starts_ns.size] <= now_ns:
            started += 1
        server = int(np.argmin(free_ns))
        if free_ns[server] > now_ns and let_in - started >= places - servers:
            sojourns_ns[packet] = np.nan
            continue
        start_ns = max(now_ns, free_ns[server])
        starts_ns[let_in % starts_ns.size] = start_ns
        let_in += 1
        free_ns[server] = start_ns + services_ns[packet]
        sojourns_ns[packet] = free_ns[server] - now_ns
    return sojourns_ns
