"""Latency against load: rates in percent of a rate that was found to be carried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from linerate.cells import Arrivals, Load
from linerate.measure.search.measurer import Measurement, Measurer


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Points of a load-latency curve."""

    percents: tuple[float, ...]
    """Of the rate that is carried."""
    arrivals: tuple[Arrivals, ...]
    burst_packets: int
    """Packets of one burst of ``burst`` arrivals."""
    trials: int
    """Trials at each point."""


def curve_loads(load: Load, carried_mpps: float, curve: Curve) -> Iterator[Load]:
    """Each load of a curve, arrivals by arrivals, rates ascending."""
    for arrivals in curve.arrivals:
        for percent in sorted(curve.percents):
            yield replace(
                load,
                arrivals=arrivals,
                offered_mpps=round(carried_mpps * percent / 100, 6),
                burst_packets=curve.burst_packets if arrivals == "burst" else 1,
            )


def measure_curve(
    measurer: Measurer, carried_mpps: float, curve: Curve, seconds: float
) -> tuple[Measurement, ...]:
    """Offer each load of a curve."""
    return tuple(
        measurer.measure(load, seconds, exact=True)
        for load in curve_loads(measurer.cell.load, carried_mpps, curve)
        for _ in range(curve.trials)
    )
