"""Latency at a load: what is queued before a packet, and the packet itself."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.objects import answer_object
from linerate.models.queueing import md1_wait_ns, overload_latency_us
from linerate.programs.costs import LATENCIES, SERIAL, SPLIT, latency_name
from linerate.programs.times import FrameTimes, ProgramTimes

from .planted import asked, box_of, cost, times

RESTED_US = {10: (12.0, 15.0, 60.0), 50: (16.0, 24.0, 120.0), 75: (24.0, 40.0, 200.0)}
"""p50, mean and p99 of a program that sends back, by load in percent."""
SERIAL_NS, SPLIT_NS = 45.0, 85.0
"""What it takes of a shared core, and of one of its own."""


@pytest.fixture
def rested(box):
    """A machine whose latency was calibrated."""
    costs = {f"{SPLIT}xdp_native": cost(SPLIT_NS), f"{SERIAL}xdp_native": cost(SERIAL_NS)}
    for percent, latencies_us in RESTED_US.items():
        for which, us in zip(LATENCIES, latencies_us, strict=True):
            costs[latency_name(which, "xdp_native", percent)] = cost(1e3 * us, half=50.0 * us)
    return box_of({**box.costs, **costs})


def named(answer):
    return {load.name: load for load in answer.loads}


def test_packets_that_are_alike_wait_as_in_m_d_1(box):
    answer = answer_object(times(), box, asked(queues=1))
    half = named(answer)["50%"]
    wait_ns = float(md1_wait_ns(half.load_mpps, answer.packet_ns))
    assert half.model == "M/D/1/256"
    assert half.mean_us == pytest.approx(1e-3 * (answer.packet_ns + wait_ns), rel=1e-6)
    assert half.load_mpps == pytest.approx(0.5 * answer.predicted_mpps)
    assert half.cpu_busy_ratio == pytest.approx(
        0.5 * answer.predicted_mpps * answer.packet_ns / 1e3
    )


def test_latency_grows_with_load_and_p99_lies_above_the_mean(box):
    answer = answer_object(times(program_ns=300.0), box, asked(queues=2))
    loads = [named(answer)[name] for name in ("50%", "80%", "95%", "line rate")]
    means = [load.mean_us for load in loads]
    assert means == sorted(means)
    assert all(load.p99_us > load.mean_us for load in loads)
    assert all(load.lower_mean_us < load.mean_us < load.upper_mean_us for load in loads)
    assert all(load.lower_p99_us <= load.p99_us <= load.upper_p99_us for load in loads)


def test_in_overload_the_ring_is_full_and_the_rest_is_lost(box):
    answer = answer_object(times(program_ns=300.0), box, asked(queues=2))
    line = named(answer)["line rate"]
    full_us = float(overload_latency_us(256, queues=2, forwarded_mpps=answer.predicted_mpps))
    assert line.mean_us == pytest.approx(full_us, rel=0.02)
    assert line.loss_ratio == pytest.approx(1 - answer.predicted_mpps / line.load_mpps, rel=1e-3)
    assert "lost" in str(line)


def test_packets_that_differ_wait_longer(box):
    uneven = ProgramTimes(
        program="planted", program_ns=(100.0,) * 3, yardstick_ns=(100.0,) * 3,
        frames=tuple(
            FrameTimes(frame_bytes=64, share=share, verdict="tx", program_ns=ns)
            for share, ns in ((0.9, 10.0), (0.1, 910.0))
        ),
    )  # fmt: skip
    even = named(answer_object(times(program_ns=100.0), box, asked(queues=1)))["80%"]
    mixed = named(answer_object(uneven, box, asked(queues=1)))["80%"]
    assert mixed.model == "M/G/1/256"
    # Pollaczek and Khinchine: 1 + scv times as long; the service is in the mean, too.
    scv = (0.9 * 90**2 + 0.1 * 810**2) / 140.64**2
    assert (mixed.mean_us - 0.14064) / (even.mean_us - 0.14064) == pytest.approx(1 + scv, rel=0.02)
    assert mixed.p99_us > 2 * even.p99_us


def test_a_load_that_is_offered_is_answered_first(box):
    answer = answer_object(times(), box, asked(queues=1, offered_mpps=5.0))
    assert answer.loads[0].name == "5 Mpps"
    assert answer.loads[0].load_mpps == 5.0
    assert "at 5 Mpps 0.0" in str(answer)


def test_a_link_that_carries_less_than_is_offered_brings_line_rate(box):
    assert "20 Mpps" not in named(answer_object(times(), box, asked(queues=1, offered_mpps=20.0)))
    for load in (0.0, np.nan, np.inf):
        with pytest.raises(BadInputError, match=r"offered_mpps=.* no load that has a latency"):
            asked(offered_mpps=load)


def test_on_a_link_without_end_shares_of_the_capacity_are_answered(box):
    answer = answer_object(times(), box, asked(queues=1, link_gbps=np.inf))
    assert list(named(answer)) == ["50%", "80%", "95%"]


def test_a_calibrated_latency_is_taken_over_at_the_same_utilisation(box, rested):
    # 60.64 ns in the serial lab, and 40 more on a core of its own: 4.968 Mpps fill half of it.
    question = asked(queues=1, offered_mpps=500.0 / 100.64)
    alone, load = (answer_object(times(), each, question).loads[0] for each in (box, rested))
    assert alone.p50_us < 0.1
    assert load.model == "M/D/1/256 and waking up"
    assert load.p50_us == pytest.approx(16.0, abs=0.1)
    assert load.mean_us == pytest.approx(24.0, abs=0.1)
    assert load.p99_us == pytest.approx(120.0, abs=0.2)
    assert load.lower_p50_us < 0.96 * load.p50_us


def test_a_program_that_takes_long_waits_for_itself(rested):
    answer = answer_object(times(program_ns=20_000.0), rested, asked(queues=1))
    half = named(answer)["50%"]
    assert half.mean_us == pytest.approx(24.0 + 30.06, rel=0.02)  # M/D/1: 1.5 services
    assert half.p99_us == pytest.approx(120.0 + 20.06, rel=0.01)


def test_beyond_what_was_calibrated_latency_grows_until_the_ring_is_full(rested):
    answer = answer_object(times(), rested, asked(queues=1, link_gbps=np.inf))
    shares = [named(answer)[name] for name in ("50%", "80%", "95%")]
    assert [load.p50_us for load in shares] == sorted(load.p50_us for load in shares)
    assert shares[2].p50_us == pytest.approx(24.0 + 256 * 0.06064, rel=0.01)
    over = answer_object(times(), rested, asked(queues=1, link_gbps=100.0))
    assert named(over)["line rate"].p50_us == pytest.approx(24.0 + 256 * 0.06064, rel=0.01)


def test_nothing_is_taken_over_from_another_datapath(box, rested):
    of_tc = {name.replace("xdp_native", "tc"): each for name, each in box.costs.items()}
    answer = answer_object(
        times(), box_of({**of_tc, **rested.costs}), asked(datapath="tc", queues=1)
    )
    assert answer.loads[0].p50_us < 1.0
