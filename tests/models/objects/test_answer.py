"""A user's program on the base costs of a box: planted costs, so that the answer is known."""

import numpy as np
import pytest

from linerate.box import Box, Cost
from linerate.errors import BadInputError
from linerate.models.objects import ObjectQuestion, answer_object
from linerate.object_costs import YARDSTICK, cost_name
from linerate.program_times import FrameTimes, ProgramTimes

BASE_NS = {"drop": 30.0, "tx": 40.0, "pass": 300.0}
GROWTH_NS = 20.0
"""Of every base cost with each queue more."""


def cost(value_ns, half=0.1):
    return Cost(value_ns=value_ns, lower_ns=value_ns - half, upper_ns=value_ns + half)


@pytest.fixture
def box():
    costs = {
        cost_name("xdp_native", verdict, size, queues): cost(
            base + size / 100 + GROWTH_NS * (queues - 1)
        )
        for verdict, base in BASE_NS.items()
        for size in (64, 1518)
        for queues in (1, 2)
    }
    return Box(
        name="planted", cpu_model="none", cores=2, threads_per_core=1, memory_gib=1.0, kernel="6.1",
        mitigations={}, governor="none", hypervisor="none", nic="veth",
        costs={YARDSTICK: cost(100.0), **costs},
    )  # fmt: skip


def times(program_ns=20.0, yardstick_ns=100.0, **shares):
    frames = [
        FrameTimes(frame_bytes=64, share=share, verdict=verdict, program_ns=program_ns)
        for verdict, share in (shares or {"tx": 1.0}).items()
    ]
    return ProgramTimes(
        program="planted", program_ns=(program_ns - 0.1, program_ns, program_ns + 0.1),
        yardstick_ns=(yardstick_ns,) * 3, frames=tuple(frames),
    )  # fmt: skip


def asked(**changes):
    return ObjectQuestion(**({"datapath": "xdp_native", "link_gbps": 10.0} | changes))


def test_a_packet_takes_base_and_program_together(box):
    answer = answer_object(times(), box, asked(queues=1))
    assert answer.base_ns == pytest.approx(40.64)
    assert answer.program_ns == pytest.approx(20.0)
    assert answer.predicted_mpps == pytest.approx(min(1e3 / 60.64, answer.line_rate_mpps))
    assert answer.headroom_ns == pytest.approx(67.2 - 60.64)


def test_the_base_of_a_mix_of_verdicts_is_that_of_each_by_its_share(box):
    answer = answer_object(times(drop=0.5, tx=0.25, **{"pass": 0.25}), box, asked(queues=1))
    assert answer.base_ns == pytest.approx(0.5 * 30 + 0.25 * 40 + 0.25 * 300 + 0.64)
    assert answer.verdicts == {"drop": 0.5, "pass": 0.25, "tx": 0.25}


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
    assert not answer_object(times(redirect=1.0), box, asked(queues=1)).in_domain


def test_a_box_without_such_costs_is_refused(box):
    with pytest.raises(BadInputError, match=r"datapath=tc: .* allowed: xdp_native; .*calibrate"):
        answer_object(times(), box, asked(datapath="tc"))
    with pytest.raises(BadInputError, match=r"queues=3: .* allowed: 1, 2;"):
        answer_object(times(), box, asked(queues=3))


def test_the_answer_says_yes_or_no_and_why(box):
    yes = str(answer_object(times(program_ns=5.0), box, asked()))
    assert yes.startswith("yes, with 1 queue (")
    no = str(answer_object(times(program_ns=500.0), box, asked()))
    assert no.startswith("no (")
    assert "limited by cpu" in no
    assert "too much for line rate" in no
