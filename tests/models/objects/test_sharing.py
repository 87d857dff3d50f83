"""Cores that write to the same entries: planted times alone and together."""

from dataclasses import replace

import numpy as np
import pytest

from linerate.face.fits.notes import notes_of_cores
from linerate.models.objects import answer_object
from linerate.models.objects.base import base_costs
from linerate.models.objects.sharing import BETWEEN_RATIO, meeting_share, shared_ns
from linerate.programs.costs import ALONE, TOGETHER, sharing_name
from linerate.programs.times import CoreTimes

from .planted import BASE_NS, GROWTH_NS, asked, cost, planted_box, times

DROP_NS = BASE_NS["drop"] + 0.64 + GROWTH_NS


def one_by_one():
    """Box of a hook that is called for one packet after the other."""
    box = planted_box()
    return replace(box, costs={
        name.replace("xdp_native", "xdp_generic"): each for name, each in box.costs.items()
    })  # fmt: skip


def calibrated(lab_ns, together_ns=110.0, datapath="xdp_generic", alone_ns=10.0):
    """Costs of such a hook where counting in one entry was calibrated, too."""
    known = {sharing_name(ALONE, 1): alone_ns, sharing_name(TOGETHER, 2): together_ns,
             sharing_name(datapath, 2): lab_ns}  # fmt: skip
    box = one_by_one()
    counted = {name: cost(ns) for name, ns in known.items()}
    return base_costs(replace(box, costs={**box.costs, **counted}), "xdp_generic")


def shared(alone_ns, *together_ns, yardstick_ns=100.0):
    """Times of a program alone, and on 2, 3, ... cores at once."""
    together = (
        CoreTimes(cores=cores, program_ns=(ns,) * 3, yardstick_ns=(yardstick_ns,) * 3, share=1.0)
        for cores, ns in enumerate(together_ns, start=2)
    )
    return replace(times(program_ns=alone_ns), together=tuple(together))


def test_cores_meet_as_often_as_they_are_in_the_program():
    answer = answer_object(
        shared(40.0, 140.0), one_by_one(), asked(queues=2, datapath="xdp_generic")
    )
    busy = answer.program_ns / (answer.program_ns + answer.base_ns)
    assert answer.program_ns == pytest.approx(40.0 + 100.0 * busy, rel=1e-3)
    assert answer.base_ns == pytest.approx(40.64 + GROWTH_NS)
    assert answer.alone_ns == pytest.approx(40.0)
    assert "takes 40 ns on one core alone: the cores write to the same entries" in str(answer)


def test_packets_of_a_burst_meet_less_often_than_time_does_since_those_that_meet_take_longer(box):
    """A core is in a burst for a share of its time; of that, packets are quick or slow in turn."""
    answer = answer_object(shared(40.0, 140.0), box, asked(queues=2))
    between_ns = BETWEEN_RATIO * answer.base_ns
    met = (answer.program_ns - 40.0) / 100.0
    slow_ns, quick_ns = met * (140.0 + between_ns), (1.0 - met) * (40.0 + between_ns)
    in_burst = (answer.program_ns + between_ns) / (answer.program_ns + answer.base_ns)
    assert slow_ns / (slow_ns + quick_ns) == pytest.approx(in_burst, rel=1e-3)
    assert met < in_burst
    assert "takes 40 ns on one core alone: the cores write to the same entries" in str(answer)


def test_one_queue_and_entries_of_each_core_are_as_alone(box):
    one = answer_object(shared(40.0, 140.0), box, asked(queues=1))
    apart = answer_object(shared(40.0, 40.0), box, asked(queues=2))
    assert one.program_ns == apart.program_ns == pytest.approx(40.0)
    assert "same entries" not in f"{one}{apart}"


def test_without_a_base_they_always_meet(box):
    costs = base_costs(box, "xdp_native")
    assert shared_ns(shared(40.0, 140.0), costs, 0.0, 2) == pytest.approx([140.0] * 3)


def test_what_a_calibrated_program_took_behind_the_hook_is_what_it_is_predicted_to():
    for lab_ns in (70.0, 105.0, 150.0):
        predicted_ns = np.median(shared_ns(shared(10.0, 110.0), calibrated(lab_ns), DROP_NS, 2))
        assert predicted_ns == pytest.approx(min(lab_ns, 110.0), rel=0.01)


def test_cores_meet_as_often_as_the_calibrated_program_did_and_more_the_longer_they_are_in_it():
    costs = calibrated(60.0)
    assert meeting_share(costs, 2) == pytest.approx(0.5)
    assert meeting_share(calibrated(54.9, alone_ns=-0.2), 2) == pytest.approx(0.5)
    assert np.median(shared_ns(shared(20.0, 120.0), costs, 500.0, 2)) == pytest.approx(70.0)
    long_ns = np.median(shared_ns(shared(500.0, 600.0), costs, 100.0, 2))
    assert long_ns == pytest.approx(500.0 + 100.0 * long_ns / (long_ns + 100.0), rel=1e-3)


def test_a_calibration_that_does_not_tell_leaves_the_share_of_time():
    assert meeting_share(base_costs(one_by_one(), "xdp_generic"), 2) == 0.0
    assert meeting_share(calibrated(60.0), 1) == 0.0
    assert meeting_share(calibrated(9.0), 2) == 0.0
    assert meeting_share(calibrated(60.0, together_ns=9.0), 2) == 0.0
    assert meeting_share(calibrated(60.0, datapath="xdp_native"), 2) == 0.0


def test_more_queues_meet_more_often_and_those_that_were_not_tried_go_on_in_a_straight_line():
    tried = shared(40.0, 90.0, 160.0)
    costs = base_costs(one_by_one(), "xdp_generic")
    two, three, many = (np.median(shared_ns(tried, costs, 50.0, queues)) for queues in (2, 3, 64))
    assert 40.0 < two < 90.0 < three < 160.0
    assert many == pytest.approx(40.0 + 60.0 * 63, rel=0.02)
    calm = shared(40.0, 41.0, 42.0)
    assert np.median(shared_ns(calm, costs, 50.0, 64)) == pytest.approx(42.0, abs=0.5)


def test_a_machine_that_both_cores_slow_down_is_no_sharing(box):
    slow, costs = shared(40.0, 80.0, yardstick_ns=200.0), base_costs(box, "xdp_native")
    assert np.median(shared_ns(slow, costs, 50.0, 2)) == pytest.approx(40.0, abs=0.2)


def test_cores_that_others_took_are_named():
    calm = shared(40.0, 140.0)
    taken = replace(calm, together=tuple(replace(each, share=0.3) for each in calm.together))
    assert notes_of_cores([calm]) == notes_of_cores([times()]) == ()
    assert "took the cores" in notes_of_cores([calm, taken])[0]
