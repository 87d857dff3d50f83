"""A user's program on the base costs of a box: planted costs, so that the answer is known."""

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.objects import answer_object
from linerate.models.objects.base import base_costs
from linerate.models.objects.cold_caches import cold_caches_ns
from linerate.programs.costs import cost_name, mixed_name
from linerate.programs.times import FrameTimes, ProgramTimes

from .planted import GROWTH_NS, asked, cost, times


def test_a_packet_takes_base_and_program_together(box):
    answer = answer_object(times(), box, asked(queues=1))
    assert answer.base_ns == pytest.approx(40.64)
    assert answer.program_ns == pytest.approx(20.0)
    assert answer.predicted_mpps == pytest.approx(min(1e3 / 60.64, answer.line_rate_mpps))
    assert answer.headroom_ns == pytest.approx(67.2 - 60.64)


def test_the_base_of_a_mix_of_verdicts_is_that_of_each_by_its_share(box):
    found = times(drop=0.5, tx=0.25, **{"pass": 0.25})
    answer = answer_object(found, box, asked(queues=1))
    colder_ns, _ = cold_caches_ns(found, answer.alone_ns, "xdp_native")
    apart_ns = 0.5 * 30 + 0.25 * 40 + 0.25 * 300 + 0.64
    assert answer.base_ns == pytest.approx(apart_ns + colder_ns)
    assert {path.verdict: path.share for path in answer.paths} == {
        "drop": 0.5, "pass": 0.25, "tx": 0.25
    }  # fmt: skip


def test_the_base_between_two_sizes_is_that_of_the_nearest_on_both_sides(box):
    middle = {cost_name("xdp_native", verdict, 256, queues): cost(60.0)
              for verdict in ("drop", "tx", "pass") for queues in (1, 2)}  # fmt: skip
    costs = base_costs(replace(box, costs=box.costs | middle), "xdp_native")
    assert [costs.of("tx", size, 1).value_ns for size in (64, 160, 256, 887)] == pytest.approx(
        [40.64, 50.32, 60.0, 57.59]
    )


def test_packets_between_those_of_another_verdict_take_more(box):
    name = mixed_name("xdp_native", "pass", "drop")
    mixed = replace(box, costs={**box.costs, name: cost(10.0)})
    for shares, more_ns in (
        ({"drop": 0.5, "pass": 0.5}, 10.0), ({"drop": 0.25, "pass": 0.75}, 7.5),
        ({"aborted": 0.5, "pass": 0.5}, 10.0), ({"drop": 0.5, "tx": 0.5}, 0.0),
        ({"drop": 1.0}, 0.0),
    ):  # fmt: skip
        apart, together = (
            answer_object(times(**shares), each, asked(queues=1)).base_ns for each in (box, mixed)
        )
        assert together - apart == pytest.approx(more_ns)


def test_a_hook_that_was_tried_again_is_surer_the_steadier_the_host_was(box):
    widths = []
    for deviation in (0.01, 0.08, nan, None):
        question = asked(queues=1, link_gbps=inf, now_deviation=deviation)
        answer = answer_object(times(), box, question)
        widths.append(answer.upper_mpps / answer.lower_mpps)
    assert widths[0] < widths[1] < widths[2] == widths[3]


def test_queues_double_what_the_program_can_do_and_the_base_grows(box):
    one = answer_object(times(program_ns=400.0), box, asked(queues=1))
    two = answer_object(times(program_ns=400.0), box, asked(queues=2))
    assert one.predicted_mpps == pytest.approx(1e3 / 440.64)
    assert two.predicted_mpps == pytest.approx(2e3 / (440.64 + GROWTH_NS))


def test_the_fewest_queues_that_sustain_line_rate_are_found(box):
    assert answer_object(times(program_ns=5.0), box, asked()).queues == 1
    two = answer_object(times(program_ns=50.0), box, asked())
    assert two.queues == 2
    assert two.sustains
    assert two.bottleneck == "link"
    none = answer_object(times(program_ns=500.0), box, asked())
    assert (none.queues, none.sustains, none.bottleneck) == (2, False, "cpu")


def test_nothing_is_above_line_rate_and_a_tie_is_even(box):
    quick = answer_object(times(program_ns=0.0), box, asked(queues=1))
    assert quick.upper_mpps <= quick.line_rate_mpps
    budget_ns = 1e3 / quick.line_rate_mpps / 0.99
    tie = answer_object(times(program_ns=budget_ns - quick.base_ns), box, asked(queues=1))
    assert tie.sustains_line_rate == pytest.approx(0.5, abs=0.02)
    assert tie.lower_mpps < tie.predicted_mpps


def test_a_machine_that_was_slow_at_the_test_run_is_not_blamed_on_the_program(box):
    slow = answer_object(times(program_ns=40.0, yardstick_ns=200.0), box, asked(queues=1))
    assert slow.program_ns == pytest.approx(20.0, rel=1e-3)


def test_interval_widens_with_the_spread_of_loads(box):
    apart = ProgramTimes(
        program="planted", program_ns=(10.0, 100.0, 190.0), yardstick_ns=(100.0,) * 3,
        frames=times().frames,
    )  # fmt: skip
    wide = answer_object(apart, box, asked(queues=1, link_gbps=100.0))
    narrow = answer_object(times(program_ns=100.0), box, asked(queues=1, link_gbps=100.0))
    assert wide.predicted_mpps == pytest.approx(narrow.predicted_mpps)
    assert np.ptp([wide.lower_mpps, wide.upper_mpps]) > 3 * np.ptp(
        [narrow.lower_mpps, narrow.upper_mpps]
    )


def test_what_was_not_calibrated_is_outside_the_domain(box):
    assert answer_object(times(), box, asked(queues=1)).in_domain
    stood_in = answer_object(times(redirect=1.0), box, asked(queues=1, link_gbps=100.0))
    assert not stood_in.in_domain
    own = {f"xdp_native.redirect.{size}.1": cost(500.0) for size in (64, 1518)}
    known = answer_object(
        times(redirect=1.0), replace(box, costs={**box.costs, **own}),
        asked(queues=1, link_gbps=100.0),
    )  # fmt: skip
    assert known.in_domain
    assert known.base_ns == pytest.approx(500.0) != stood_in.base_ns


def test_a_box_without_such_costs_is_refused(box):
    with pytest.raises(BadInputError, match=r"datapath=tc: .* allowed: xdp_native; .*calibrate"):
        answer_object(times(), box, asked(datapath="tc"))
    with pytest.raises(BadInputError, match=r"queues=65: .* allowed: 1..64;"):
        answer_object(times(), box, asked(queues=65))


def test_the_answer_says_yes_or_no_and_why(box):
    yes = str(answer_object(times(program_ns=5.0), box, asked()))
    assert yes.startswith("yes, with 1 queue (")
    assert "ns a packet at line rate" in yes
    assert "tx 100% after 5 ns" in yes
    no = str(answer_object(times(program_ns=500.0), box, asked()))
    assert no.startswith("no (")
    assert "limited by CPU time per packet" in no
    assert "too much for line rate" in no


def test_one_more_load_of_the_program_lies_in_its_interval(box):
    calm, apart = (
        answer_object(
            ProgramTimes(
                program="planted", program_ns=loads, yardstick_ns=(100.0,) * 3,
                frames=times().frames,
            ), box, asked(queues=1),
        )
        for loads in ((20.0, 20.0, 20.0), (19.0, 20.0, 21.0))
    )  # fmt: skip
    assert (calm.lower_program_ns, calm.upper_program_ns) == (20.0, 20.0)
    # Student: 2.92 deviations of one load, of three.
    assert apart.upper_program_ns == pytest.approx(20.0 + 2.92 * (4 / 3) ** 0.5, rel=1e-3)


def test_time_by_path_is_that_of_its_frames_by_their_share(box):
    frames = (
        FrameTimes(frame_bytes=64, share=0.6, verdict="drop", program_ns=10.0),
        FrameTimes(frame_bytes=64, share=0.2, verdict="drop", program_ns=30.0),
        FrameTimes(frame_bytes=64, share=0.2, verdict="pass", program_ns=float("nan")),
    )
    mixed = ProgramTimes(
        program="planted", program_ns=(20.0,) * 3, yardstick_ns=(200.0,) * 3, frames=frames
    )
    drop, passed = answer_object(mixed, box, asked(queues=1)).paths
    assert (drop.verdict, drop.frames, drop.timed_frames) == ("drop", 2, 2)
    assert drop.program_ns == pytest.approx(15.0 / 2)  # the machine was half as fast
    assert np.isnan(passed.program_ns)
    assert str(passed) == "pass 20%"


def test_operations_that_fit_are_counted_where_they_were_calibrated(box):
    known = {"clock": 2.0, "lpm_lookup": 5.0, "hash_lookup_again": 1.5}
    costs = {f"operation.{name}": cost(ns) for name, ns in known.items()}
    answer = answer_object(times(), replace(box, costs={**box.costs, **costs}), asked(queues=1))
    assert answer.headroom_ns == pytest.approx(6.56)
    assert [(room.operation, room.count) for room in answer.room] == [
        ("lpm_lookup", 1), ("clock", 3)
    ]  # fmt: skip
    assert "1 LPM lookup or 3 clock reads" in str(answer)
    assert answer_object(times(), box, asked(queues=1)).room == ()


@pytest.mark.parametrize("link_gbps", [0.0, -5.0, nan])
def test_a_link_without_a_rate_is_refused(link_gbps):
    with pytest.raises(BadInputError, match=r"link_gbps=.*: a link has a rate"):
        asked(link_gbps=link_gbps)


def test_rates_are_told_on_the_wire_too(box):
    answer = answer_object(times(), box, asked(queues=2))
    assert answer.predicted_mpps == answer.line_rate_mpps
    assert answer.predicted_gbps == pytest.approx(10.0)
    half = answer_object(times(program_ns=93.76), box, asked(queues=1))
    assert half.predicted_gbps == pytest.approx(10.0 * half.predicted_mpps / half.line_rate_mpps)


def test_costs_of_another_kind_of_cpu_are_a_guess(box):
    alike, other = (
        answer_object(times(), box, asked(queues=1, link_gbps=inf, other_machine=True, carried=far))
        for far in (False, True)
    )
    assert other.upper_mpps / other.lower_mpps > 2 * alike.upper_mpps / alike.lower_mpps
