"""Every datapath on a named interface of a host that others live on, too."""

import json
import time

import pandas as pd
import pytest

from linerate.tables.runs import read_runs

from ..remote.two_hosts import await_, needs_sshd, open_two_hosts

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
datapath = ["{0}"]
program = ["{1}"]
{2}
"""
WAYS = (
    ("xdp_native", "xdp_drop", ""),
    ("xdp_native", "drop_udp_subnet", ""),
    ("af_xdp", "xsk_memcpy", 'socket = { hook = ["native", "generic"] }'),
    ("tc", "drop_udp_subnet", ""),
    ("netfilter", "drop_all", 'filter = { hook = ["prerouting", "input"] }'),
    ("nftables", "drop_all", 'filter = { hook = ["prerouting", "input", "ingress"] }'),
    ("iptables", "drop_all", 'filter = { hook = ["prerouting"], flavour = ["nft", "legacy"] }'),
)
PIPELINE = ("swx", "forward", 'pipeline = { port = ["af_xdp"] }')
CELLS = 12
SEARCH = """
[[searches]]
mode = "split"
datapath = ["xdp_native"]
program = ["xdp_tx"]
queues = [1]
frame_bytes = [64]
link_gbps = 0.02
goals = ["pdr"]
min_mpps = 0.001
duration_sum_seconds = 0.1
width_ratio = 0.2
"""
LINE_MPPS = 0.02e3 / ((64 + 20) * 8)
"""0.02 Gbit/s of frames of 64 bytes."""
SETTLE_SECONDS = 20.0


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    with open_two_hosts(tmp_path_factory.mktemp("hosts")) as made:
        made.dut.run(
            ["nft", "-f", "-"],
            text_in="table ip theirs { chain input { type filter hook input priority 5; "
            "ip saddr 203.0.113.9 counter drop; }; }",
        )
        made.dut.run(["iptables-legacy", "-t", "raw", "-A", "PREROUTING", "-s", "203.0.113.9"])
        yield made


def rules(hosts):
    """What others have, and whether anything of ours is there."""
    legacy = hosts.dut.run(["iptables-legacy", "-t", "raw", "-S"])
    tables = json.loads(hosts.dut.run(["nft", "--json", "list", "ruleset"]))["nftables"]
    theirs = [entry for entry in tables if "theirs" in json.dumps(entry)]
    chains = {entry["chain"]["name"] for entry in tables if "chain" in entry}
    return legacy, theirs, "linerate" in chains | {e.get("table", {}).get("name") for e in tables}


def blocks(*ways):
    return "".join(BLOCK.format(*way) for way in ways)


def run(hosts, out, cells):
    code, output = hosts.measured(hosts.plan(cells, address="198.19.0.1/16"), out)
    assert code == 0, output
    return read_runs([out])


def settled(hosts, before):
    end = time.monotonic() + SETTLE_SECONDS
    while (seen := hosts.state()) != before and time.monotonic() < end:
        time.sleep(0.1)
    return seen


def test_every_datapath_counts_and_leaves_others_rules_alone(hosts, tmp_path):
    before, theirs = hosts.state(), rules(hosts)
    runs = run(hosts, tmp_path / "out", blocks(*WAYS))
    assert len(runs) == CELLS
    assert (runs["forwarded_mpps"] > 0).all()
    assert set(runs["forwarded_from"]) == {"sink", "dut_rx_packets", "dut_filter"}
    assert settled(hosts, before) == before
    assert rules(hosts) == theirs
    assert theirs[2] is False


@pytest.mark.dpdk
def test_a_pipeline_on_sockets_of_the_interface_takes_its_program_off(hosts, tmp_path):
    before = hosts.state()
    runs = run(hosts, tmp_path / "out", blocks(PIPELINE))
    assert (runs["forwarded_mpps"] > 0).all()
    assert settled(hosts, before) == before


@pytest.mark.deep
@pytest.mark.parametrize(
    "way",
    [
        PIPELINE,
        ("tc", "drop_udp_subnet", ""),
        ("nftables", "drop_all", 'filter = { hook = ["prerouting"] }'),
        ("iptables", "drop_all", 'filter = { hook = ["prerouting"], flavour = ["legacy"] }'),
    ],
    ids=lambda way: way[0],
)
def test_nothing_is_left_of_it_after_sigkill_and_cleanup(hosts, tmp_path, way):
    before, theirs = hosts.state(), rules(hosts)
    plan = hosts.plan(blocks(way), seconds=60.0, address="198.19.0.1/16")
    process = hosts.measure(plan, tmp_path / "out")
    hosts.await_command(hosts.generator, "native/traffic")
    process.kill()
    process.communicate()
    await_(lambda: not hosts.started(hosts.dut))
    hosts.linerate("cleanup")
    assert settled(hosts, before) == before
    assert rules(hosts) == theirs


@pytest.mark.deep
def test_a_search_between_two_hosts_ends_with_a_bound(hosts, tmp_path):
    code, output = hosts.measured(hosts.plan(SEARCH, seconds=0.1), tmp_path / "out")
    assert code == 0, output
    trials = [
        json.loads(line) for line in (tmp_path / "out/journal.jsonl").read_text().splitlines()
    ]
    assert {trial["purpose"] for trial in trials} == {"search"}
    assert all(trial["trial"]["sent_packets"] > 0 for trial in trials)
    found = pd.read_csv(tmp_path / "out/searches.csv")
    assert list(found["goal"]) == ["pdr"]
    assert 0.0 < found["max_mpps"][0] <= LINE_MPPS * 1.001
