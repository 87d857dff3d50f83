"""Selectors of real pipelines: whom they choose, and what the runner takes for members."""

import pytest

from linerate.errors import DeviceFailedError
from linerate.measure.datapaths.swx.runner import run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings

from ....needs import two_cores
from . import swx_programs as programs

pytestmark = [pytest.mark.dpdk, two_cores]

RING = PipelineSettings(port="ring")


def members_of(runner, senders=64):
    """Member that each of some senders is given."""
    sent = [f"020000000001{sender * 0x10001:012x}0800" for sender in range(senders)]
    answers = [runner.ask(f"packet {packet}{'00' * 46}")["packets"] for packet in sent]
    return [int(answer[:12], 16) for (answer,) in answers]


def test_a_selector_chooses_among_its_members_by_their_weights():
    members = "group 0 member 2 weight 1\ngroup 0 member 6 weight 7\ngroup 1 member 5 weight 1\n"
    with run_pipeline(programs.selector(members), RING, 1) as runner:
        chosen = members_of(runner)
        assert members_of(runner) == chosen, "a sender keeps its member"
    assert set(chosen) == {2, 6}
    assert chosen.count(2) < 24 < 40 < chosen.count(6), "8 and 56 of 64 on average"
    with run_pipeline(programs.selector(members, group=1), RING, 1) as runner:
        assert set(members_of(runner, 8)) == {5}
    with run_pipeline(programs.selector(members, group=2), RING, 1) as runner:
        assert set(members_of(runner, 8)) == {0}, "a group of no members"


@pytest.mark.parametrize(
    "members", ["group 1 member 5 weight 1\n", "group 0 member 5 weight 1 more\n", "group 0 x\n"]
)
def test_the_runner_takes_members_in_no_other_form(members):
    with (
        pytest.raises(DeviceFailedError, match="table=s: line 1"),
        run_pipeline(programs.selector(members), RING, 1),
    ):
        pass
