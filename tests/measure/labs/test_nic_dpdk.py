"""linerate's generator by DPDK on a generator host: an interface there, by packet sockets."""

import pytest

from linerate.tables.runs import read_runs

from ..remote.two_hosts import needs_sshd, open_two_hosts

pytestmark = [pytest.mark.long, pytest.mark.root, pytest.mark.dpdk, needs_sshd]
CELLS = """
[[cells]]
mode = "split"
datapath = ["xdp_native", "xdp_generic"]
program = ["xdp_tx"]
queues = [1]
frame_bytes = [64, 512]
link_gbps = 10.0
offered_mpps = [0.01]
arrivals = "poisson"
flows = 16
"""
BACK_RATIO_MIN = 0.95
"""Of the run that others on the same cores disturb least."""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    with open_two_hosts(tmp_path_factory.mktemp("hosts")) as made:
        yield made


def test_what_is_due_is_sent_taken_back_and_timed(hosts, tmp_path):
    before = hosts.state()
    plan = hosts.plan(CELLS, seconds=0.3, generator="dpdk")
    code, output = hosts.measured(plan, tmp_path / "out")
    assert code == 0, output
    runs = read_runs([tmp_path / "out"])
    assert len(runs) == 4
    assert (runs["verdict"] != "invalid").all(), runs["verdict_reason"]
    assert (runs["intended_packets"] > 2000).all()
    assert (runs["sent_packets"] <= runs["intended_packets"]).all()
    assert (runs["forwarded_packets"] <= runs["sent_packets"]).all()
    assert (runs["forwarded_packets"] / runs["sent_packets"]).max() > BACK_RATIO_MIN
    assert (runs["latency_p50_us"] > 0).all()
    assert hosts.state() == before


def test_two_cores_are_refused_before_anything_is_sent(hosts, tmp_path):
    plan = hosts.plan(CELLS, generator="dpdk", generator_cores=[0, 1])
    code, output = hosts.measured(plan, tmp_path / "out")
    assert code == 2
    assert "one core sends and receives by DPDK" in output
