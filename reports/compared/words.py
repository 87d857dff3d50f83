"""What a report says of each quantity that is compared."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.models.contrast import RATE
from linerate.reports.language import message


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One quantity; all but ``name`` are messages of the catalogue."""

    name: str
    """Of the files of its figure."""
    title: str
    what: str
    axis: str
    more: str
    """Begins the answer where the second has more of it."""
    less: str
    cell: str
    """Header of its medians."""


QUANTITIES = {
    RATE: Quantity(
        name="compared-rates", title=message("Throughput of two campaigns, cell by cell"),
        what=message("throughput"), axis=message("Throughput of {second} over that of {first}"),
        more=message("{second} is {percent} % faster than {first}"),
        less=message("{second} is {percent} % slower than {first}"),
        cell=message("{name} (Mpps)"),
    ),
    "latency_p50_us": Quantity(
        name="compared-latencies", title=message("Median latency of two campaigns, cell by cell"),
        what=message("median latency"),
        axis=message("Median latency of {second} over that of {first}"),
        more=message("The median latency of {second} is {percent} % longer than that of {first}"),
        less=message("The median latency of {second} is {percent} % shorter than that of {first}"),
        cell=message("{name} (µs)"),
    ),
    "rtt_mean_us": Quantity(
        name="compared-round-trips",
        title=message("Mean round-trip time of two campaigns, cell by cell"),
        what=message("mean round-trip time"),
        axis=message("Mean round-trip time of {second} over that of {first}"),
        more=message(
            "The mean round-trip time of {second} is {percent} % longer than that of {first}"
        ),
        less=message(
            "The mean round-trip time of {second} is {percent} % shorter than that of {first}"
        ),
        cell=message("{name} (µs)"),
    ),
}  # fmt: skip
"""By their columns."""
