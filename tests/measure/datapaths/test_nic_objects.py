"""Objects of the user's own on a named interface, with packets from another host."""

import shutil

import pytest

from linerate.measure.processes import built
from linerate.tables.runs import read_runs

from ..remote.two_hosts import needs_sshd, open_two_hosts

pytestmark = [
    pytest.mark.root,
    needs_sshd,
]
BLOCK = """
[[cells]]
mode = "split"
queues = [1]
frame_bytes = [64]
link_gbps = 10.0
offered_mpps = [0.01]
datapath = [{datapath}]
program = ["mine/{program}.bpf.o"]
{more}
"""
SECONDS = 0.1


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hosts")
    with open_two_hosts(folder) as made:
        (made.folder / "mine").mkdir()
        for name in ("xdp_tx", "xdp_drop", "route_lpm", "filter_tc"):
            shutil.copy(built.program_object(name), made.folder / "mine")
        (made.folder / "mine/routed.toml").write_text("[environment]\nforwarding = true\n")
        yield made


def block(program, *datapaths, more=""):
    named = ", ".join(f'"{each}"' for each in datapaths)
    return BLOCK.format(datapath=named, program=program, more=more)


@pytest.mark.deep
def test_verdicts_are_counted_and_the_interface_is_as_before(hosts, tmp_path):
    before = hosts.state()
    cells = (
        block("xdp_tx", "xdp_native", "xdp_generic")
        + block("xdp_drop", "xdp_native", "xdp_generic")
        + block("filter_tc", "tc")
    )
    code, output = hosts.measured(hosts.plan(cells, seconds=SECONDS), tmp_path / "out")
    assert code == 0, output
    runs = read_runs([tmp_path / "out"])
    assert len(runs) == 5
    verdicts = ["ended_aborted", "ended_drop", "ended_pass", "ended_tx", "ended_redirect"]
    ended = runs[verdicts].sum(axis=1)
    assert (ended >= 0.9 * runs["sent_packets"]).all()
    sent_back = runs[runs["program"] == "mine/xdp_tx.bpf.o"]
    assert (sent_back["ended_tx"] == ended[sent_back.index]).all()
    assert (sent_back["latency_p50_us"] > 0).all()
    dropped = runs[runs["program"] == "mine/xdp_drop.bpf.o"]
    assert (dropped["ended_drop"] == ended[dropped.index]).all()
    assert (runs["forwarded_packets"] >= 0.9 * runs["sent_packets"]).all()
    assert set(runs["forwarded_from"]) == {"dut_verdicts"}
    assert hosts.state() == before


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ('object = { maps = ["mine/routed.toml"] }', "this host's routes are its own"),
        ('object = { traffic = ["mine/frames.json"] }', "generator host sends frames of its own"),
    ],
)
def test_what_would_change_this_host_or_is_not_sent_is_refused(hosts, tmp_path, more, says):
    (hosts.folder / "mine/frames.json").write_text(f'[{{"hex": "{"00" * 60}", "weight": 1}}]')
    cells = block("route_lpm", "xdp_native", more=more)
    if "traffic" in more:
        cells = cells.replace("frame_bytes = [64]\n", "")
    code, output = hosts.measured(hosts.plan(cells), tmp_path / "out")
    assert code == 2, output
    assert says in output
    assert not (tmp_path / "out").exists()
