"""Rulesets of the user's own in the lab: what is counted of them, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from linerate.cells import Packet
from linerate.errors import BadInputError
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.datapaths.filters.own.bench import (
    check_ruleset,
    described,
    open_ruleset_bench,
)
from linerate.measure.datapaths.filters.own.settings import RulesetSettings
from linerate.measure.trials.bench import Timing
from linerate.settings import columns_of

from ...needs import two_cores
from .. import arriving

TIMING = Timing(warm_up_seconds=0.02, seconds=0.05)
CHAIN = """table {family} t {{
  chain c {{
    type filter hook {hook} priority 0; policy accept;
    tcp dport 9 drop
    {rule}
  }}
}}
"""
PASSES, DROPS = "udp dport 10 drop", "udp dport 9 counter drop"
SAVED = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p udp -m udp --dport {} -j DROP\nCOMMIT\n"
TEXTS = {
    "ingress.nft": ("netdev", 'ingress device "lan0"'),
    "prerouting.nft": ("ip", "prerouting"),
    "input.nft": ("inet", "input"),
}


@pytest.fixture
def ruleset(cell_of, tmp_path):
    def build(name: str, rule: str, **settings):
        text = SAVED.format(9 if rule == DROPS else 10)
        if name in TEXTS:
            family, hook = TEXTS[name]
            text = CHAIN.format(family=family, hook=hook, rule=rule)
        (tmp_path / name).write_text(text)
        datapath = "iptables" if name.endswith(".rules") else "nftables"
        own = columns_of(RulesetSettings(**settings))
        return cell_of(datapath=datapath, program=name, settings=own), tmp_path / name

    return build


@pytest.mark.root
@pytest.mark.parametrize("rule", [DROPS, PASSES])
@pytest.mark.parametrize("name", [*TEXTS, "host.rules"])
def test_packets_end_where_the_rules_are_predicted_to_end_them(ruleset, name, rule):
    cell, path = ruleset(name, rule)
    with open_ruleset_bench(cell, path.parent) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    came = trial.sent_packets - sum(trial.dropped.values())
    assert trial.forwarded_packets == came > 0
    assert trial.ends == {
        "drop": came if rule == DROPS else 0,
        "pass": 0 if rule == DROPS else came,
    }
    passed = dict(described(cell, path.parent).operations).get("passed", 0)
    assert passed == (rule == PASSES)


@pytest.mark.root
def test_a_cell_says_what_packets_walk(ruleset):
    cell, path = ruleset("input.nft", PASSES)
    found = dict(described(cell, path.parent).operations)
    assert (found["rule"], found["compare_transport"], found["to_input"]) == (2, 1, 1)


@pytest.mark.root
@pytest.mark.parametrize("rule", [DROPS, PASSES])
def test_what_is_forwarded_leaves_by_another_interface(ruleset, rule):
    cell, path = ruleset("input.nft", rule)
    path.write_text(CHAIN.format(family="ip", hook="forward", rule=rule))
    with open_ruleset_bench(cell, path.parent) as bench:
        bench.run_trial(cell.load, TIMING)  # a frame comes again, more often than it could live
        trial = bench.run_trial(cell.load, TIMING)
    came = trial.sent_packets - sum(trial.dropped.values())
    passed = 0 if rule == DROPS else came
    assert trial.ends == {"drop": came - passed, "pass": passed}
    found = dict(described(cell, path.parent).operations)
    assert (found["to_forward"], found.get("forwarded", 0)) == (1, int(rule == PASSES))


@pytest.mark.root
@pytest.mark.parametrize("established", [False, True])
@pytest.mark.parametrize("hook", ["input", "forward"])
def test_flows_are_known_where_the_campaign_says_so(ruleset, hook, established):
    cell, path = ruleset("input.nft", PASSES, established=established)
    cell = replace(cell, load=replace(cell.load, flows=64))
    states = "ct state established accept\n    udp dport 9 drop"
    path.write_text(CHAIN.format(family="ip", hook=hook, rule=states))
    check_ruleset(cell, path.parent)
    with open_ruleset_bench(cell, path.parent) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    assert trial.ends["pass" if established else "drop"] == trial.forwarded_packets > 0
    found = dict(described(cell, path.parent).operations)
    assert ("tracked" in found, "conntrack" in found) == (established, not established)


@pytest.mark.root
@pytest.mark.parametrize("rule", ["tcp flags syn reject with tcp reset", "log group 5 drop"])
def test_answers_and_logs_take_longer_than_a_drop(ruleset, rule):
    cell, path = ruleset("input.nft", PASSES)
    packet = Packet(protocol="tcp", tcp_flags="S") if "tcp" in rule else Packet()
    load = replace(cell.load, packet=packet, frame_mix=((1, 90),))
    cell = replace(cell, load=load)
    path.write_text(
        CHAIN.format(family="ip", hook="input", rule=rule).replace("dport 9", "sport 1")
    )
    with open_ruleset_bench(cell, path.parent) as bench:
        trial = bench.run_trial(load, TIMING)
    assert trial.ends == {"drop": trial.forwarded_packets, "pass": 0}
    kind = "reset" if "tcp" in rule else "log_group"
    assert dict(described(cell, path.parent).operations)[kind] == 1


@pytest.mark.root
@pytest.mark.parametrize("hook", ["input", "forward"])
def test_frames_of_a_file_end_where_the_rules_end_them(ruleset, hook):
    """Of ten one is refused by its port, with an answer, and ARP comes to no rule."""
    cell, path = ruleset("input.nft", PASSES, traffic="mixed.json")
    path.write_text(CHAIN.format(family="inet", hook=hook, rule="tcp dport 22 reject"))
    frames = [{"hex": packet.hex(), "weight": 1} for packet in arriving.mixed().packets]
    path.with_name("mixed.json").write_text(json.dumps(frames))
    check_ruleset(cell, path.parent)
    cell = described(cell, path.parent)
    assert cell.load.frame_mix == ((7, 64), (2, 66), (1, 78))
    with open_ruleset_bench(cell, path.parent) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    assert sum(trial.ends.values()) == trial.forwarded_packets == trial.sent_packets
    assert trial.ends["pass"] == pytest.approx(0.8 * trial.sent_packets, rel=0.02)
    assert cell.operations == (), "packets go several ways"


@pytest.mark.root
def test_flows_of_a_file_are_known_where_the_campaign_says_so(ruleset):
    cell, path = ruleset("input.nft", PASSES, traffic="flows.json", established=True)
    path.write_text(CHAIN.format(family="ip", hook="input", rule="ct state established accept"))
    packet = arriving.ipv4(arriving.TCP, arriving.tcp())
    path.with_name("flows.json").write_text(json.dumps([{"hex": packet.hex(), "weight": 1}]))
    check_ruleset(cell, path.parent)
    with open_ruleset_bench(cell, path.parent) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    assert trial.ends["pass"] == trial.forwarded_packets > 0
    found = dict(described(cell, path.parent).operations)
    assert (found["replayed"], found["tracked"]) == (1, 1)


@two_cores
@pytest.mark.root
def test_each_queue_has_flows_of_its_own(ruleset):
    cell, path = ruleset("input.nft", PASSES)
    cell = replace(cell, queues=2, load=replace(cell.load, flows=4))
    of_core = "meta cpu {0} udp sport {{ {1}, {2} }} accept"
    rules = (of_core.format(0, 1024, 1026), of_core.format(1, 1025, 1027), "drop")
    path.write_text(CHAIN.format(family="ip", hook="input", rule="\n    ".join(rules)))
    with open_ruleset_bench(cell, path.parent) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    assert trial.ends == {"drop": 0, "pass": trial.forwarded_packets}
    assert trial.forwarded_packets > 0


@pytest.mark.root
def test_first_packets_of_one_flow_are_refused_where_the_stack_takes_several_at_once(ruleset):
    cell, path = ruleset("input.nft", PASSES)
    path.write_text(CHAIN.format(family="ip", hook="forward", rule="ct state invalid drop"))
    with pytest.raises(BadInputError, match=r"flows=1: .*8 packets at once.*flows = 64"):
        check_ruleset(cell, path.parent)


@pytest.mark.root
def test_the_generators_own_frames_are_not_translated(ruleset):
    """It writes them once, and a packet that was translated would come back so."""
    cell, path = ruleset("input.nft", PASSES)
    nat = CHAIN.format(family="ip", hook="prerouting", rule="dnat to 10.0.0.2")
    path.write_text(nat.replace("type filter", "type nat"))
    with pytest.raises(BadInputError, match="translates addresses of the generator's own frames"):
        check_ruleset(cell, path.parent)


@pytest.mark.root
@pytest.mark.parametrize("named", ["", "lan0,wan0"])
def test_packets_come_by_the_interfaces_that_a_campaign_names(ruleset, named):
    cell, path = ruleset("input.nft", PASSES, interfaces=named)
    rule = 'iifname != "lan0" drop\n    oif != "wan0" drop'
    path.write_text(CHAIN.format(family="ip", hook="forward", rule=rule))
    with open_ruleset_bench(cell, path.parent) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    assert trial.ends["pass" if named else "drop"] == trial.forwarded_packets > 0
    assert dict(described(cell, path.parent).operations).get("forwarded", 0) == int(bool(named))


@pytest.mark.root
@pytest.mark.parametrize(("name", "named"), [("ingress.nft", ""), ("input.nft", "lan0")])
def test_an_interface_by_name_is_refused_in_split_mode(ruleset, name, named):
    cell, path = ruleset(name, PASSES, interfaces=named)
    with pytest.raises(BadInputError, match="threads are found by names"):
        check_ruleset(type(cell)(**{**_fields(cell), "mode": "split"}), path.parent)


def _fields(cell):
    return {name: getattr(cell, name) for name in type(cell).__dataclass_fields__}


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ('program = ["a.rules"]', "takes no such file"),
        ('program = ["a.nft"]\npacket = { sources = 9 }', "get UDP or TCP"),
        ('program = ["a.nft"]\nruleset = { hook = ["output"] }', "hook"),
    ],
)
def test_what_does_not_go_with_a_ruleset_is_refused(tmp_path: Path, block, says):
    path = tmp_path / "campaign.toml"
    path.write_text(
        'name = "t"\nlab = "veth"\nrepetitions = 1\ntrial_seconds = 0.1\n'
        "warm_up_seconds = 0.1\nseed = 1\n[[cells]]\n"
        'mode = "serial"\ndatapath = ["nftables"]\nqueues = [1]\nframe_bytes = [64]\n'
        f'link_gbps = inf\noffered_mpps = ["flood"]\n{block}\n'
    )
    with pytest.raises(BadInputError, match=says):
        read_campaign(path)
