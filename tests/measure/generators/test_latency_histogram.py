"""The runner's log-linear histogram holds what it says, of real packets."""

import pytest

from linerate.measure.datapaths.xdp.attach import attach_xdp
from linerate.measure.generators.live_frames import send_live_frames
from linerate.measure.labs.veth import open_veth_lab
from linerate.measure.trials.bench import Timing
from linerate.records import Latency

pytestmark = pytest.mark.root
WIDTH_RATIO_MAX = 0.032
EXACT_BELOW_NS = 64
"""Buckets below are one nanosecond wide."""


@pytest.fixture(scope="module", params=["constant", "poisson"])
def report(request, cell_of):
    cell = cell_of(
        mode="split", memory_accesses=100, load={"arrivals": request.param, "offered_mpps": 0.2}
    )
    with (
        open_veth_lab("split", 1, gro=False) as lab,
        attach_xdp(lab, cell) as program,
    ):
        timing = Timing(warm_up_seconds=0.05, seconds=0.3)
        return send_live_frames(lab, cell, timing, program.dut_threads)


def width_ns(lower_ns):
    """Width of the bucket that begins here: 32 buckets to a doubling."""
    return 1 if lower_ns < EXACT_BELOW_NS else 1 << (lower_ns.bit_length() - 6)


def test_every_packet_that_came_back_is_in_one_bucket(report):
    assert report.received > 1000
    assert sum(count for _, count in report.latency.buckets) == report.received
    assert all(count > 0 for _, count in report.latency.buckets)


def test_buckets_ascend_and_begin_where_a_bucket_can(report):
    lower_ns = [lower for lower, _ in report.latency.buckets]
    assert lower_ns == sorted(set(lower_ns))
    assert all(lower % width_ns(lower) == 0 for lower in lower_ns)


def test_no_bucket_is_wider_than_it_may_be(report):
    for lower, _ in report.latency.buckets:
        assert lower < 32 or width_ns(lower) <= WIDTH_RATIO_MAX * lower


def test_sum_and_maximum_lie_where_the_buckets_put_them(report):
    buckets, seen = report.latency.buckets, report.latency
    least_ns = sum(lower * count for lower, count in buckets)
    most_ns = sum((lower + width_ns(lower)) * count for lower, count in buckets)
    assert least_ns <= seen.sum_ns < most_ns
    last_ns = buckets[-1][0]
    assert last_ns <= seen.max_ns < last_ns + width_ns(last_ns)


def test_quantiles_ascend_between_smallest_and_largest(report):
    lower_ns, counts = zip(*report.latency.buckets, strict=True)
    seen = Latency(
        lower_ns=lower_ns, counts=counts, sum_ns=report.latency.sum_ns,
        max_ns=report.latency.max_ns,
    )  # fmt: skip
    quantiles_us = [seen.quantile_us(share) for share in (0.0001, 0.5, 0.9, 0.99, 0.999, 1.0)]
    assert quantiles_us == sorted(quantiles_us)
    assert lower_ns[0] / 1e3 <= quantiles_us[0]
    assert quantiles_us[-1] <= seen.max_ns / 1e3
    assert 0.2 < seen.quantile_us(0.5) < 100_000, "a path through two cores, in us"
