"""Devices that are pure functions of the load: what a search must find of them is known."""

import math

from linerate.cells import Cell, Load
from linerate.measure.search.limits import Limits
from linerate.measure.search.measurer import Measurer
from linerate.records import Trial

LINE_MPPS = 14.880952380952381
SECONDS = 0.1
PACKET_MPPS = 1.0 / (SECONDS * 1e6)
"""One packet of a trial: what a count can tell apart."""
LIMITS = Limits(min_mpps=0.01, max_mpps=LINE_MPPS, max_from="line_rate")


def cell(**changes):
    factors = {
        "lab": "veth", "mode": "split", "datapath": "xdp_native", "program": "map_lookup",
        "memory_accesses": 100, "queues": 1, "link_gbps": 10.0,
        "load": Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=1.0),
    }  # fmt: skip
    return Cell(**(factors | changes))


def device(capacity_mpps, generator_mpps=100.0, ring_packets=None, disturbed=None, log=None):
    """Forward up to a rate, bursts up to a ring; ``disturbed`` may change a trial's fields."""

    def run(load, timing):
        generator = min(generator_mpps, LINE_MPPS)
        offered = generator if math.isinf(load.offered_mpps) else load.offered_mpps
        intended = round(offered * 1e6 * timing.seconds)
        sent = min(intended, round(generator * 1e6 * timing.seconds))
        forwarded = min(sent, round(capacity_mpps * 1e6 * timing.seconds))
        if ring_packets is not None and load.burst_packets > ring_packets:
            forwarded = round(forwarded * ring_packets / load.burst_packets)
        fields = {
            "duration_s": timing.seconds, "intended_packets": intended, "sent_packets": sent,
            "forwarded_packets": forwarded,
        }  # fmt: skip
        fields |= disturbed(fields) if disturbed else {}
        fields["dropped"] = {"dut_ring": fields["sent_packets"] - fields["forwarded_packets"]}
        if log is not None:
            log.append((load, timing.seconds))
        return Trial(**fields)

    return run


def measurer(run_trial, seconds_max=1e6, **changes):
    return Measurer(
        cell=cell(**changes),
        run_trial=run_trial,
        warm_up_seconds=0.0,
        retries=2,
        seconds_max=seconds_max,
    )


def brackets(bound, truth_mpps):
    below, above = bound.lower_mpps - PACKET_MPPS, bound.upper_mpps + PACKET_MPPS
    return below <= truth_mpps <= above
