"""Real packets through real hooks: each filter drops what it should, and counts just that."""

import sys
import textwrap
import time
from contextlib import contextmanager
from typing import Any

import pytest

from linerate.errors import LinerateError
from linerate.measure.datapaths.filters.bench import put_filter
from linerate.measure.datapaths.filters.lab import open_filter_lab
from linerate.measure.datapaths.filters.settings import FilterSettings
from linerate.measure.labs.veth import GENERATOR_DEVICE
from linerate.measure.processes import built
from linerate.measure.processes.held import hold_process
from linerate.settings import columns_of

from ... import warm
from ...filter_packets import ELSEWHERE, FIXTURES, PROGRAMS
from ..leftovers import await_none_started, started
from .filter_ways import WAYS, one_of_each_datapath

SETTLE_SECONDS = 5.0
SEND = textwrap.dedent("""
    import socket, sys
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((sys.argv[1], 0))
        for line in sys.stdin:
            sender.send(bytes.fromhex(line))
            print("sent", flush=True)
""")
HOLD = textwrap.dedent("""
    import math, sys, time
    from linerate.cells import Cell, Load
    from linerate.measure.datapaths.filters.settings import FilterSettings
    from linerate.measure.datapaths.filters.bench import put_filter
    from linerate.measure.datapaths.filters.lab import open_filter_lab
    from linerate.settings import columns_of
    datapath, hook, flavour = sys.argv[1:]
    cell = Cell(
        lab="veth", mode="serial", datapath=datapath, program="drop_all", memory_accesses=0,
        queues=1, link_gbps=math.inf,
        settings=columns_of(FilterSettings(hook=hook, flavour=flavour)),
        load=Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf),
    )
    with open_filter_lab(cell) as lab, put_filter(lab, cell) as under_test:
        under_test.count()
        print(lab.dut.pid, lab.generator.pid, flush=True)
        time.sleep(60)
""")


@pytest.fixture
def cell(cell_of):
    def build(way, program="drop_all", **changes):
        datapath, settings = WAYS[way]
        return cell_of(
            datapath=datapath,
            program=program,
            **changes,
            settings=columns_of(settings) if settings else (),
        )

    return build


@contextmanager
def sender_in(lab):
    argv = [sys.executable, "-c", SEND, GENERATOR_DEVICE]
    with hold_process("sender", lab.generator.argv(argv), greets=False) as sender:
        yield lambda packet: sender.ask(packet.hex())


def delivered(lab):
    """Packets that the device's stack gave to a protocol: no filter dropped them."""
    lines = lab.dut.run(["cat", "/proc/net/snmp"]).splitlines()
    names, values = (line.split() for line in lines if line.startswith("Ip:"))
    return int(values[names.index("InDelivers")])


def settled(look, expected):
    end = time.monotonic() + SETTLE_SECONDS
    while (seen := look()) != expected and time.monotonic() < end:
        time.sleep(0.01)
    return seen


def has_elsewhere(lab):
    """Make an address outside the filters' subnet the device's too, so that it delivers there."""
    address = ".".join(map(str, ELSEWHERE))
    lab.dut.run(["ip", "address", "add", f"{address}/32", "dev", lab.dut_device])


@pytest.mark.root
@pytest.mark.parametrize("way", [*one_of_each_datapath()])
def test_just_what_matches_is_dropped_and_the_rest_delivered(cell, way):
    with open_filter_lab(cell(way)) as lab, sender_in(lab) as send:
        has_elsewhere(lab)
        for program in PROGRAMS:
            with put_filter(lab, cell(way, program)) as under_test:
                # The stack keeps fragments until the rest has come, on some hooks before them.
                for fixture in (found for found in FIXTURES if found.delivered):
                    drops = fixture.drops(program)
                    counted, passed = under_test.count().packets, delivered(lab)
                    send(fixture.packet)
                    expected = (counted + drops, passed + (not drops))
                    seen = settled(lambda: (under_test.count().packets, delivered(lab)), expected)
                    assert seen == expected, (program, fixture.what)


@pytest.mark.root
@pytest.mark.sampled
@pytest.mark.parametrize("way", [way for way in WAYS if "input" not in way])
def test_fragments_match_only_where_layer_4_begins(cell, way):
    with open_filter_lab(cell(way)) as lab, sender_in(lab) as send:
        for program in PROGRAMS[1:]:
            with put_filter(lab, cell(way, program)) as under_test:
                for fixture in (found for found in FIXTURES if not found.delivered):
                    counted = under_test.count().packets
                    send(fixture.packet)
                    time.sleep(0.005)  # one that is counted against its will comes no later
                    expected = counted + fixture.drops(program)
                    seen = settled(lambda: under_test.count().packets, expected)
                    assert seen == expected, (program, fixture.what)


FOREIGN = {
    "xdp_native": (
        ["ip", "link", "set", "dev", "{device}", "xdpdrv", "obj", "{xdp_drop}", "sec", "xdp"],
        ["ip", "-d", "link", "show", "dev", "{device}"],
    ),
    "xdp_generic": (
        ["ip", "link", "set", "dev", "{device}", "xdpgeneric", "obj", "{xdp_drop}", "sec", "xdp"],
        ["ip", "-d", "link", "show", "dev", "{device}"],
    ),
    "tc": (
        ["tc", "qdisc", "add", "dev", "{device}", "clsact"],
        ["tc", "qdisc", "show", "dev", "{device}"],
    ),
    "nftables  input": (
        ["nft", "add table ip linerate; add counter ip linerate theirs"],
        ["nft", "list", "ruleset"],
    ),
    "iptables nft prerouting": (
        ["iptables-nft", "-t", "raw", "-A", "PREROUTING", "-p", "udp", "-j", "ACCEPT"],
        ["iptables-nft", "-t", "raw", "-S"],
    ),
    "iptables legacy input": (
        ["env", "XTABLES_LOCKFILE=/dev/null", "iptables-legacy", "-A", "INPUT", "-j", "ACCEPT"],
        ["env", "XTABLES_LOCKFILE=/dev/null", "iptables-legacy", "-S"],
    ),
}
"""Command that puts something of others there, and one that shows it."""


@pytest.mark.root
@pytest.mark.parametrize("way", FOREIGN)
def test_what_is_of_others_is_refused_and_stays(cell, way):
    wanted = cell(way)
    with open_filter_lab(wanted) as lab:
        words = {"device": lab.dut_device, "xdp_drop": built.program_object("xdp_drop")}
        put, show = ([word.format(**words) for word in argv] for argv in FOREIGN[way])
        lab.dut.run(put)
        before = lab.dut.run(show)
        with pytest.raises(LinerateError), put_filter(lab, wanted):
            pass
        assert lab.dut.run(show) == before


@pytest.mark.root
@pytest.mark.parametrize("way", ["netfilter  prerouting", "netfilter  input"])
def test_second_program_at_a_hooks_priority_is_refused(cell, way):
    wanted = cell(way)
    with (
        open_filter_lab(wanted) as lab,
        sender_in(lab) as send,
        put_filter(lab, wanted) as first,
    ):
        before = first.count().packets
        with pytest.raises(LinerateError, match="busy"), put_filter(lab, wanted):
            pass
        send(FIXTURES[0].packet)
        assert settled(lambda: first.count().packets, before + 1) == before + 1


@pytest.mark.root
@pytest.mark.parametrize("way", WAYS)
def test_filter_goes_with_its_context_and_may_be_put_again(cell, way):
    wanted = cell(way)
    with open_filter_lab(wanted) as lab, sender_in(lab) as send:
        for _ in range(2):
            with put_filter(lab, wanted) as under_test:
                counted = under_test.count().packets
                send(FIXTURES[0].packet)
                assert settled(lambda: under_test.count().packets, counted + 1) == counted + 1
            before = delivered(lab)
            send(FIXTURES[0].packet)
            assert settled(lambda: delivered(lab), before + 1) == before + 1
        assert "clsact" not in lab.dut.run(["tc", "qdisc", "show", "dev", lab.dut_device])
        assert "linerate" not in lab.dut.run(["nft", "list", "tables"])


class Shared:
    """A lab, as one whose namespace others live in, too."""

    is_shared = True

    def __init__(self, lab):
        self.lab = lab

    def __getattr__(self, name):
        return getattr(self.lab, name)


@pytest.mark.root
@pytest.mark.parametrize("way", ["tc", "iptables nft prerouting", "iptables legacy prerouting"])
def test_what_a_killed_holder_left_is_taken_off_while_the_campaign_lives(cell, way):
    wanted = cell(way)
    with open_filter_lab(wanted) as lab:
        tool = "-".join(way.split()[:2])
        rules = ["tc", "qdisc"] if way == "tc" else [tool, "-t", "raw", "-S"]
        before = lab.dut.run(rules)
        shared: Any = Shared(lab)
        for _ in range(2):
            with put_filter(shared, wanted) as under_test:
                assert lab.dut.run(rules) != before
                (holder,) = under_test.processes
                holder.process.kill()
                holder.process.wait()
            assert lab.dut.run(rules) == before


@pytest.mark.root
@pytest.mark.parametrize("way", WAYS)
def test_killed_holder_leaves_nothing(mark, way):
    datapath, settings = WAYS[way][0], WAYS[way][1] or FilterSettings()
    owner = warm.start(datapath, settings.hook, settings.flavour, program=HOLD)
    holders = set(map(int, owner.readline().split()))
    assert len(holders) == 2
    assert holders <= started().keys()
    owner.kill()
    owner.wait()
    # A program is held by its link or its namespace, a rule by its namespace, that by a process.
    assert not await_none_started()
