"""Each rule names its reason, and only a trial that breaks none is believed."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.cells import Cell, Load
from linerate.measure.trials.validity import DISTURBED, IMPOSSIBLE, judge
from linerate.records import Latency, Trial

CELL = Cell(
    lab="veth", mode="serial", datapath="xdp_native", program="map_lookup", memory_accesses=100,
    queues=1, link_gbps=10.0,
    load=Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=10.0),
)  # fmt: skip
SPLIT = dataclasses.replace(CELL, mode="split")
FLOOD = dataclasses.replace(
    CELL, load=Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)
)


def latency(mean_ns):
    return Latency(lower_ns=(mean_ns,), counts=(10,), sum_ns=10 * mean_ns, max_ns=mean_ns)


def trial(**changes):
    """One second at 10 Mpps of which nothing was lost."""
    fields = {
        "duration_s": 1.0, "intended_packets": 10**7, "sent_packets": 10**7,
        "forwarded_packets": 10**7, "cpu_busy_ratios": (0.9,), "latency": latency(20_000),
    }  # fmt: skip
    return Trial(**(fields | changes))


SPLIT_FLOOD = dataclasses.replace(SPLIT, load=FLOOD.load)
LOOKS = {"sharing_looks": 60.0, "sharing_shared_looks": 0.0, "sharing_most_shared_ratio": 0.0}


@pytest.mark.parametrize("cell", [CELL, SPLIT, FLOOD], ids=["serial", "split", "flood"])
def test_a_good_trial_is_believed_without_a_word(cell):
    verdict = judge(cell, trial())
    assert (verdict.state, verdict.reasons) == ("valid", ())


@pytest.mark.parametrize(
    ("cell", "changes", "reason"),
    [
        (CELL, {"duration_s": 0.6}, "forwarded 16.667 Mpps exceed line rate 14.881"),
        (
            CELL, {"sent_packets": 0, "forwarded_packets": 0, "intended_packets": 0},
            "no packet was sent in 1 s",
        ),
        (CELL, {"forwarded_packets": 0}, "nothing of 10000000 packets came back"),
        (SPLIT, {"latency": latency(67)}, "mean latency 0.067 us is below the wire's 0.067"),
        (SPLIT, {"latency": latency(0)}, "mean latency 0.000 us is below"),
        (CELL, {"cpu_busy_ratios": (0.5, 1.2)}, "lie outside 0..1"),
        (CELL, {"cpu_busy_ratios": (math.nan,)}, "lie outside 0..1"),
    ],
)  # fmt: skip
def test_what_physics_forbids_is_invalid(cell, changes, reason):
    verdict = judge(cell, trial(**changes))
    assert verdict.state == "invalid"
    assert len(verdict.reasons) == 1
    assert reason in verdict.reasons[0]


@pytest.mark.parametrize(
    ("cell", "changes", "reason"),
    [
        (
            SPLIT, {"sent_packets": 9_900_000, "forwarded_packets": 9_900_000},
            "generator sent 1.00% less than intended",
        ),
        (CELL, {"steal_ratio": 0.05}, "the hypervisor took 5.0% of the CPU time"),
        (CELL, {"contended_ratio": 0.03}, "held a core of the lab for 3.0% of the time"),
        (SPLIT_FLOOD, {"contended_ratio": 0.03}, "held a core of the lab for 3.0% of the time"),
        (SPLIT_FLOOD, {"contended_ratio": 0.05, "probes": LOOKS}, "a core of the lab for 5.0%"),
        (FLOOD, {"contended_ratio": 0.03, "probes": LOOKS}, "held a core of the lab for 3.0%"),
        (CELL, {"forwarded_packets": 9_000_000}, "1000000 of 1000000 lost packets are in no count"),
        (CELL, {"dropped": {"dut_ring": 10**6}}, "1000000 of 0 lost packets are in no counter"),
    ],
)  # fmt: skip
def test_what_may_be_the_lab_is_suspect(cell, changes, reason):
    verdict = judge(cell, trial(**changes))
    assert verdict.state == "suspect"
    assert len(verdict.reasons) == 1
    assert reason in verdict.reasons[0]


@pytest.mark.parametrize(
    ("cell", "changes"),
    [
        (CELL, {"duration_s": 0.6725}),  # line rate within the tolerance of two clocks
        (CELL, {"intended_packets": 2 * 10**7}),  # in serial mode the device held it up
        (FLOOD, {"intended_packets": 2 * 10**7}),
        (SPLIT, {"sent_packets": 9_995_000, "forwarded_packets": 9_995_000}),
        (CELL, {"steal_ratio": 0.01, "contended_ratio": 0.02}),
        (
            SPLIT_FLOOD,
            {"contended_ratio": 0.04, "probes": LOOKS},
        ),  # looks at a flood take some of it
        (CELL, {"forwarded_packets": 9_000_000, "dropped": {"dut_ring": 10**6}}),
        (CELL, {"forwarded_packets": 10**7 - 500}),  # still in a ring when the window closed
        (CELL, {"latency": None, "cpu_busy_ratios": ()}),
        (FLOOD, {"cpu_busy_ratios": (0.0,)}),
    ],
)
def test_what_explains_itself_is_valid(cell, changes):
    assert judge(cell, trial(**changes)).state == "valid"


def test_impossible_outweighs_disturbed():
    verdict = judge(CELL, trial(forwarded_packets=0, steal_ratio=0.5))
    assert verdict.state == "invalid"
    assert len(verdict.reasons) == 1


def test_every_disturbance_is_named():
    verdict = judge(SPLIT, trial(steal_ratio=0.5, contended_ratio=0.5, forwarded_packets=10**6))
    assert (verdict.state, len(verdict.reasons)) == ("suspect", 3)


COUNTS = st.lists(st.integers(0, 10**8), min_size=3, max_size=3).map(sorted)
SHARES = st.floats(0.0, 1.0)


@given(counts=COUNTS, steal=SHARES, contended=SHARES, busy=SHARES, in_split=st.booleans())
def test_a_verdict_has_a_reason_exactly_when_it_is_not_valid(
    counts, steal, contended, busy, in_split
):
    forwarded, sent, intended = counts
    made = trial(
        forwarded_packets=forwarded, sent_packets=sent, intended_packets=intended,
        steal_ratio=steal, contended_ratio=contended, cpu_busy_ratios=(busy,),
    )  # fmt: skip
    verdict = judge(SPLIT if in_split else CELL, made)
    assert bool(verdict.reasons) == (verdict.state != "valid")
    assert all("\n" not in reason and reason for reason in verdict.reasons)


@given(forwarded=st.integers(1, 14_880_952), seconds=st.floats(1.0, 100.0))
def test_a_trial_without_loss_below_line_rate_is_valid(forwarded, seconds):
    made = trial(
        forwarded_packets=forwarded, sent_packets=forwarded, intended_packets=forwarded,
        duration_s=seconds,
    )  # fmt: skip
    assert judge(CELL, made).state == "valid"


def test_a_device_that_failed_is_the_one_reason():
    nothing = {"sent_packets": 0, "forwarded_packets": 0, "intended_packets": 0}
    verdict = judge(CELL, trial(**nothing, failure="xdp: killed by SIGSEGV"))
    assert (verdict.state, verdict.reasons) == ("invalid", ("xdp: killed by SIGSEGV",))


@pytest.mark.parametrize(("program", "state"), [("mine.spec", "valid"), ("forward", "invalid")])
def test_dropping_all_is_a_result_of_a_program_from_a_file(program, state):
    dropped = trial(forwarded_packets=0, dropped={"dut_program": 10**7})
    assert judge(dataclasses.replace(CELL, program=program), dropped).state == state


def test_each_rule_stands_in_one_list():
    assert len(set(IMPOSSIBLE + DISTURBED)) == len(IMPOSSIBLE) + len(DISTURBED)
