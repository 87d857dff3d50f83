"""A fast simulator of queues, to check formulas against, and for what has none.

Every time is drawn before a run, from the generator that is passed in; the runs themselves are
loops over arrays, compiled by numba where it is installed (``pip install linerate[simulation]``).
"""

from __future__ import annotations

from linerate.models.queueing.simulation.core import Core, CoreRun, simulate_core
from linerate.models.queueing.simulation.replications import replicate
from linerate.models.queueing.simulation.route import Route, RouteRun, simulate_route
from linerate.models.queueing.simulation.sojourns import Sojourns
from linerate.models.queueing.simulation.stalls import Stalls
from linerate.models.queueing.simulation.station import Station, simulate_station
from linerate.models.queueing.simulation.traffic import Traffic

__all__ = [
    "Core",
    "CoreRun",
    "Route",
    "RouteRun",
    "Sojourns",
    "Stalls",
    "Station",
    "Traffic",
    "replicate",
    "simulate_core",
    "simulate_route",
    "simulate_station",
]
