"""What packets that pass take more because the stack's work empties caches for the program."""

import pytest

from linerate.models.objects import answer_object
from linerate.models.objects.cold_caches import CODE_NS, DEVIATION_NS, FRAMES_NS, cold_caches_ns
from linerate.programs.times import FrameTimes, ProgramTimes

from .planted import asked, planted_box, times

LONG_NS = 1e4
PASSED = times(**{"pass": 1.0})


def of_frames(count):
    frames = tuple(
        FrameTimes(frame_bytes=64, share=1.0 / count, verdict="pass", program_ns=float("nan"))
        for _ in range(count)
    )
    return ProgramTimes(program="p", program_ns=(0.0,), yardstick_ns=(100.0,), frames=frames)


def test_a_long_program_takes_all_of_it_and_one_that_does_nothing_none():
    assert cold_caches_ns(PASSED, LONG_NS, "xdp_native") == pytest.approx((CODE_NS, DEVIATION_NS))
    assert cold_caches_ns(PASSED, 0.0, "xdp_native") == pytest.approx((0.0, DEVIATION_NS))


def test_it_counts_by_the_share_that_passes():
    half = times(**{"pass": 0.5, "drop": 0.5})
    assert cold_caches_ns(half, LONG_NS, "xdp_native") == pytest.approx(
        (CODE_NS / 2, DEVIATION_NS / 2), rel=0.01
    )
    assert cold_caches_ns(times(drop=1.0), LONG_NS, "xdp_native") == (0.0, 0.0)


def test_many_different_frames_take_more_up_to_what_was_measured():
    one, some, many, more = (
        cold_caches_ns(of_frames(count), 0.0, "xdp_native")[0] for count in (1, 501, 1001, 4000)
    )
    assert [one, some, many, more] == pytest.approx([0.0, FRAMES_NS / 2, FRAMES_NS, FRAMES_NS])


@pytest.mark.parametrize("datapath", ["xdp_generic", "tc"])
def test_hooks_that_take_one_packet_at_a_time_have_none_of_it(datapath):
    assert cold_caches_ns(PASSED, LONG_NS, datapath) == (0.0, 0.0)


def test_an_answer_has_it_around_the_program():
    answer = answer_object(times(200.0, **{"pass": 1.0}), planted_box(), asked(queues=1))
    more_ns, _ = cold_caches_ns(times(200.0, **{"pass": 1.0}), answer.alone_ns, "xdp_native")
    assert 0.9 * CODE_NS < more_ns < CODE_NS
    assert answer.base_ns == pytest.approx(300.64 + more_ns)
    assert answer.program_ns == pytest.approx(200.0)
