"""What the stack takes more of packets that pass: planted costs, so that the answer is known."""

from dataclasses import replace

import pytest

from linerate.models.objects import answer_object
from linerate.models.objects.base import base_costs
from linerate.programs.costs import FORWARD, LOCAL, TAKING, TO_CPU, UNROUTED, behind_name, cost_name

from .planted import asked, cost, planted_box, times

MORE_NS = {FORWARD: (300.0, 400.0), LOCAL: (900.0, 900.0), UNROUTED: (100.0, 100.0)}
"""Of 64 and 1518 B."""


@pytest.fixture
def box():
    plain = planted_box()
    more = {
        behind_name("xdp_native", kind, size): cost(ns)
        for kind, both in MORE_NS.items()
        for size, ns in zip((64, 1518), both, strict=True)
    }
    return replace(plain, costs=plain.costs | more)


def base_ns(box, shares, **behind):
    question = asked(queues=1, behind=tuple(behind.items()))
    return answer_object(times(**shares), box, question).base_ns


def test_packets_that_pass_take_what_lies_behind_by_its_share_and_others_nothing(box):
    passed, half = {"pass": 1.0}, {"pass": 0.5, "drop": 0.5}
    plain_ns = base_ns(box, passed)
    assert base_ns(box, passed, forward=1.0) == pytest.approx(plain_ns + 300.0)
    assert base_ns(box, passed, forward=0.5, local=0.5) == pytest.approx(plain_ns + 600.0)
    assert base_ns(box, half, unrouted=1.0) == pytest.approx(base_ns(box, half) + 50.0)
    assert base_ns(box, {"drop": 1.0}, local=1.0) == pytest.approx(base_ns(box, {"drop": 1.0}))


def test_between_two_sizes_it_is_linear_and_beyond_them_as_at_the_next(box):
    costs = base_costs(box, "xdp_native")
    found = [costs.behind(FORWARD, size) for size in (64, 791, 1518, 2048)]
    assert [each and each.value_ns for each in found] == pytest.approx([300.0, 350.0, 400.0, 400.0])
    assert costs.behind("elsewhere", 64) is None


def test_a_box_of_before_answers_without_it_and_says_that_it_is_outside():
    question = asked(queues=1, behind=((FORWARD, 1.0),))
    passed = answer_object(times(**{"pass": 1.0}), planted_box(), question)
    assert not passed.in_domain
    assert passed.base_ns == pytest.approx(base_ns(planted_box(), {"pass": 1.0}))
    assert answer_object(times(drop=1.0), planted_box(), question).in_domain


@pytest.mark.parametrize(
    ("shares", "behind", "says"),
    [({"pass": 1.0}, (), "behind   the stack drops what passes: it has no address"),
     ({"pass": 1.0}, ((FORWARD, 1.0),), "behind   the stack forwards what passes by another"),
     ({"pass": 0.5, "tx": 0.5}, ((LOCAL, 0.75), (FORWARD, 0.25)),
      "this host, where no socket takes it (75%), forwards what passes by another interface (25%)"),
     ({"tx": 1.0}, ((FORWARD, 1.0),), "")],
)  # fmt: skip
def test_the_answer_names_what_lies_behind(box, shares, behind, says):
    output = str(answer_object(times(**shares), box, asked(queues=1, behind=behind)))
    assert says in output
    assert ("behind " in output) is bool(says)


@pytest.fixture
def queued(box):
    """Return a box on which a redirect takes 45 ns, 15 more to another core, which takes 100."""
    more = {
        name: cost(ns)
        for size in (64, 1518)
        for name, ns in (
            *((cost_name("xdp_native", "redirect", size, queues), 45.0) for queues in (1, 2)),
            (behind_name("xdp_native", TO_CPU, size), 15.0),
            (behind_name("xdp_native", TAKING, size), 100.0),
        )
    }
    return replace(box, costs=box.costs | more)


def handed(box, program_ns=20.0, cpus=1, queues=1, behind=(), **shares):
    to_cpus = ((TO_CPU, 1.0), (TAKING, 1.0 / cpus), *behind)
    question = asked(queues=queues, behind=to_cpus)
    planted = times(program_ns, **(shares or {"redirect": 1.0}))
    return answer_object(planted, box, question)


@pytest.mark.parametrize(
    ("question", "packet_ns"),
    [({}, 100.0), ({"program_ns": 80.0}, 140.0), ({"cpus": 2}, 80.0),
     ({"queues": 2, "cpus": 2}, 100.0), ({"queues": 2}, 200.0),
     ({"behind": ((LOCAL, 1.0),)}, 1000.0)],
)  # fmt: skip
def test_the_slower_of_both_cores_sets_the_rate(queued, question, packet_ns):
    answer = handed(queued, **question)
    assert answer.packet_ns == pytest.approx(packet_ns)
    assert answer.waiting_ns == pytest.approx(
        max(0.0, packet_ns - 60.0 - question.get("program_ns", 20.0))
    )
    assert answer.in_domain


def test_another_core_takes_its_share_alone_and_is_named(queued):
    half = handed(queued, redirect=0.5, drop=0.5)
    assert half.waiting_ns == 0.0
    assert "another core that takes packets from a queue\n" in f"{half}\n"
    assert "2 other cores that take packets from a queue" in str(handed(queued, cpus=2))
    slower = str(handed(queued))
    assert "from a queue, slower by 20 ns a packet" in slower
    assert "limited by the other core" in slower
    assert "limited by CPU time per packet" in str(handed(queued, program_ns=80.0))


def test_the_interval_of_the_slower_core_is_in_the_answer(queued):
    wide = replace(queued, costs=queued.costs | {
        behind_name("xdp_native", TAKING, size): cost(100.0, half=60.0) for size in (64, 1518)
    })  # fmt: skip
    sharp, vague = handed(queued), handed(wide)
    assert vague.lower_mpps < sharp.lower_mpps
    assert handed(wide, program_ns=80.0).lower_mpps == pytest.approx(
        handed(queued, program_ns=80.0).lower_mpps
    )
