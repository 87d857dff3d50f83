"""Records refuse what cannot have happened."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.cells import Cell, Load
from linerate.errors import BadInputError
from linerate.records import Latency, Trial

COUNTS = st.lists(st.integers(0, 10**9), min_size=3, max_size=3).map(sorted)
BUCKETS = st.dictionaries(st.integers(0, 10**9), st.integers(1, 10**6), min_size=1, max_size=50)


def trial(**changes):
    counts = {"intended_packets": 100, "sent_packets": 98, "forwarded_packets": 90}
    return Trial(**{"duration_s": 2.0, **counts, **changes})


def latency(buckets):
    lower_ns, counts = zip(*sorted(buckets.items()), strict=True)
    total = sum(lower * count for lower, count in buckets.items())
    return Latency(lower_ns=lower_ns, counts=counts, sum_ns=total, max_ns=lower_ns[-1])


def load(**changes):
    spec = {"frame_mix": ((1, 64),), "arrivals": "constant", "offered_mpps": 1.0}
    return Load(**{**spec, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"forwarded_packets": 99},  # more came back than left
        {"sent_packets": 101},  # more left than was meant to
        {"forwarded_packets": -1},
        {"duration_s": 0.0},
        {"duration_s": -1.0},
        {"duration_s": math.nan},
    ],
)
def test_counts_that_cannot_be_are_refused(changes):
    with pytest.raises(ValueError, match="must"):
        trial(**changes)


def test_refused_counts_name_what_was_got_and_what_to_do():
    with pytest.raises(ValueError, match=r"got 99, 98, 100; .*drain"):
        trial(forwarded_packets=99)


@given(counts=COUNTS)
def test_every_packet_is_either_forwarded_or_lost(counts):
    forwarded, sent, intended = counts
    of = trial(forwarded_packets=forwarded, sent_packets=sent, intended_packets=intended)
    assert 0.0 <= of.loss_ratio <= 1.0
    assert of.loss_ratio * intended == pytest.approx(intended - forwarded)


def test_a_frame_that_could_not_be_sent_counts_as_lost():
    assert trial(sent_packets=90).loss_ratio == pytest.approx(0.1)


def test_nothing_intended_is_nothing_lost():
    idle = trial(intended_packets=0, sent_packets=0, forwarded_packets=0)
    assert (idle.loss_ratio, idle.forwarded_mpps) == (0.0, 0.0)


def test_rate_is_count_over_time():
    rate = trial(
        duration_s=0.5,
        intended_packets=2_000_000,
        sent_packets=2_000_000,
        forwarded_packets=2_000_000,
    )
    assert rate.forwarded_mpps == pytest.approx(4.0)


@given(buckets=BUCKETS, share=st.floats(0.0, 1.0))
def test_quantile_is_a_latency_that_was_seen(buckets, share):
    assert latency(buckets).quantile_us(share) * 1e3 == pytest.approx(
        min(buckets, key=lambda lower: abs(lower - latency(buckets).quantile_us(share) * 1e3))
    )


@given(buckets=BUCKETS, share=st.floats(0.0, 1.0))
def test_at_least_the_share_lies_at_or_below_its_quantile(buckets, share):
    seen = latency(buckets)
    quantile_ns = round(seen.quantile_us(share) * 1e3)
    below = sum(count for lower, count in buckets.items() if lower <= quantile_ns)
    assert below >= share * seen.packets - 1e-6 * seen.packets


@given(buckets=BUCKETS)
def test_quantiles_grow_with_the_share_up_to_the_largest_bucket(buckets):
    seen = latency(buckets)
    quantiles = [seen.quantile_us(share) for share in (0.0, 0.5, 0.9, 0.99, 0.999, 1.0)]
    assert quantiles == sorted(quantiles)
    assert quantiles[-1] * 1e3 == pytest.approx(max(buckets))


@given(buckets=BUCKETS)
def test_mean_latency_is_exact_whatever_the_buckets(buckets):
    total = sum(lower * count for lower, count in buckets.items())
    expected = total / sum(buckets.values()) / 1e3
    assert latency(buckets).mean_us == pytest.approx(expected)


def test_no_packets_have_no_latency():
    empty = Latency(lower_ns=(), counts=(), sum_ns=0, max_ns=0)
    assert math.isnan(empty.mean_us)
    assert math.isnan(empty.quantile_us(0.5))


def test_buckets_and_counts_pair_up():
    with pytest.raises(ValueError, match="pair up, got 2 and 1"):
        Latency(lower_ns=(1, 2), counts=(1,), sum_ns=1, max_ns=2)


@pytest.mark.parametrize("rate_mpps", [0.0, -1.0, math.nan])
def test_a_load_without_a_positive_rate_is_refused(rate_mpps):
    with pytest.raises(BadInputError, match=r"offered_mpps=.*; allowed: > 0"):
        load(offered_mpps=rate_mpps)


@pytest.mark.parametrize(
    ("arrivals", "rate_mpps"), [("flood", 1.0), ("constant", math.inf), ("poisson", math.inf)]
)
def test_only_a_flood_is_endless(arrivals, rate_mpps):
    with pytest.raises(BadInputError, match="flood with inf"):
        load(arrivals=arrivals, offered_mpps=rate_mpps)


def test_simple_imix_has_its_known_mean():
    imix = load(frame_mix=((7, 64), (4, 594), (1, 1518)))
    assert imix.frame_bytes == pytest.approx(361.83, abs=0.01)


def test_a_cell_knows_the_line_rate_of_its_load():
    cell = Cell(
        lab="veth",
        mode="serial",
        datapath="xdp_native",
        program="xdp_tx",
        memory_accesses=0,
        queues=1,
        link_gbps=10.0,
        load=load(),
    )
    assert cell.line_rate_mpps == pytest.approx(14.880952, abs=1e-6)


def test_records_do_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(trial(), "sent_packets", 1)  # noqa: B010 - what types forbid, the record must too


@pytest.mark.parametrize("mix", [(), ((0, 64),), ((1, 0),), ((1, 10**400),), ((-1, 64), (2, 64))])
def test_a_mix_of_no_frames_is_refused(mix):
    """Its mean size was divided by nothing, or by more than a number holds, when it was asked."""
    with pytest.raises(BadInputError, match=r"frame_mix=.*not a mix of frames"):
        Load(frame_mix=mix, arrivals="constant", offered_mpps=1.0)
