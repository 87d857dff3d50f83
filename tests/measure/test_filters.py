"""Real packets through real hooks: each filter drops what it should, and counts just that."""

import json
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from linerate.cells import FilterSettings, Packet
from linerate.errors import CannotHereError, LinerateError
from linerate.measure import artifacts
from linerate.measure.bench import Timing
from linerate.measure.datapaths.answering import open_answering
from linerate.measure.datapaths.filter_bench import check_filter, open_filter_bench, put_filter
from linerate.measure.datapaths.filter_lab import open_filter_lab
from linerate.measure.datapaths.filter_rates import Looks, packets_by_interval
from linerate.measure.datapaths.filters import DropCount
from linerate.measure.datapaths.netfilter_module import check_netfilter_module
from linerate.measure.generators import foreign
from linerate.measure.labs.veth import GENERATOR_DEVICE
from linerate.measure.system.machine import tool_path
from linerate.measure.validity import judge

from ..filter_packets import ELSEWHERE, FIXTURES, PROGRAMS

TIMING = Timing(warm_up_seconds=0.02, seconds=0.35)
SETTLE_SECONDS = 5.0
HOOKS: tuple[Literal["prerouting", "input"], ...] = ("prerouting", "input")
HOOKED: tuple[tuple[str, Literal["", "nft", "legacy"]], ...] = (
    ("netfilter", ""), ("nftables", ""), ("iptables", "nft"), ("iptables", "legacy"),
)  # fmt: skip
WAYS: Mapping[str, tuple[str, FilterSettings | None]] = {
    name: (name, None) for name in ("xdp_native", "xdp_generic", "tc")
} | {
    f"{datapath} {flavour} {hook}": (datapath, FilterSettings(hook=hook, flavour=flavour))
    for hook in HOOKS
    for datapath, flavour in HOOKED
}
SEND = textwrap.dedent("""
    import socket, sys
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((sys.argv[1], 0))
        for line in sys.stdin:
            sender.send(bytes.fromhex(line))
            print("sent", flush=True)
""")
HOLD = textwrap.dedent("""
    import math, os, sys
    from linerate.cells import Cell, FilterSettings, Load
    from linerate.measure.datapaths.filter_bench import put_filter
    from linerate.measure.datapaths.filter_lab import open_filter_lab
    datapath, hook, flavour = sys.argv[1:]
    cell = Cell(
        lab="veth", mode="serial", datapath=datapath, program="drop_all", memory_accesses=0,
        queues=1, link_gbps=math.inf, filter=FilterSettings(hook=hook, flavour=flavour),
        load=Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf),
    )
    with open_filter_lab(cell) as lab, put_filter(lab, cell) as under_test:
        under_test.count()
        print(os.stat(lab.dut.path).st_ino, os.stat(lab.generator.path).st_ino, flush=True)
        sys.stdin.read()
""")


@pytest.fixture
def cell(cell_of):
    def build(way, program="drop_all", **changes):
        datapath, settings = WAYS[way]
        return cell_of(datapath=datapath, filter=settings, program=program, **changes)

    return build


@contextmanager
def sender_in(lab):
    argv = [sys.executable, "-c", SEND, GENERATOR_DEVICE]
    with open_answering(lab.generator, "sender", argv) as sender:
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
@pytest.mark.parametrize("way", WAYS)
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


@pytest.mark.root
@pytest.mark.parametrize("way", WAYS)
def test_in_serial_mode_every_frame_sent_is_dropped_and_counted(cell, way):
    wanted = cell(way)
    with open_filter_bench(wanted) as bench:
        trial = bench.run_trial(wanted.load, TIMING)
    assert trial.forwarded_from == "dut_filter"
    assert trial.forwarded_packets == trial.sent_packets > 1000
    assert judge(wanted, trial).state != "invalid"
    assert (trial.program_ns is None) == ("tables" in way)
    assert (trial.memory_bytes is None) == ("tables" in way)


@pytest.mark.root
@pytest.mark.parametrize("way", ["xdp_native", "tc", "nftables  input"])
def test_in_split_mode_what_the_ring_lost_is_not_counted(cell, way):
    wanted = cell(way, mode="split")
    with open_filter_bench(wanted) as bench:
        trial = bench.run_trial(wanted.load, TIMING)
    assert trial.forwarded_packets > 1000
    lost = trial.sent_packets - trial.forwarded_packets
    assert lost >= trial.dropped["dut_ring"]
    assert len(trial.cpu_busy_ratios) == 1


@pytest.mark.root
def test_what_does_not_match_is_not_a_trials_count(cell):
    wanted = cell("tc", "drop_tcp_subnet")
    with open_filter_bench(wanted) as bench:
        trial = bench.run_trial(wanted.load, TIMING)
    assert trial.forwarded_packets == 0
    assert judge(wanted, trial).state == "invalid"


@pytest.mark.root
@pytest.mark.parametrize("program", ["drop_tcp_subnet_flags", "drop_tcp_subnet_payload"])
@pytest.mark.parametrize("way", ["xdp_native", "netfilter  prerouting", "iptables legacy input"])
def test_generators_spoofed_tcp_matches(cell, way, program):
    packet = Packet(protocol="tcp", tcp_flags="SR", payload="_X", sources=500)
    wanted = cell(way, program, load={"packet": packet, "frame_mix": ((1, 122),)})
    with open_filter_bench(wanted) as bench:
        trial = bench.run_trial(wanted.load, TIMING)
    assert trial.forwarded_packets == trial.sent_packets > 1000


@pytest.mark.root
@pytest.mark.parametrize(("program", "answers"), [("drop_udp_subnet", True), ("drop_all", False)])
def test_echo_requests_beside_the_load_meet_the_filter(cell, program, answers):
    wanted = cell("tc", program, load={"pings_per_second": 50.0})
    with open_filter_bench(wanted) as bench:
        trial = bench.run_trial(wanted.load, TIMING)
    assert trial.ping is not None
    assert trial.ping.sent > 0
    assert bool(trial.ping.received) == answers
    # Sent from another core they would draw the load there, and the ring would lose of it.
    assert trial.forwarded_packets == trial.sent_packets > 1000


@pytest.mark.root
@pytest.mark.parametrize("way", ["xdp_native", "iptables nft prerouting"])
def test_hping3_floods_a_filter_too(cell, way):
    if not tool_path("hping3"):
        pytest.skip("needs hping3")
    packet = Packet(protocol="tcp", tcp_flags="SR", payload="_X", sources=500)
    load = {"packet": packet, "frame_mix": ((1, 122),), "generator": "hping3"}
    wanted = cell(way, "drop_tcp_subnet_payload", load=load)
    with open_filter_bench(wanted) as bench:
        trial = bench.run_trial(wanted.load, TIMING)
    assert trial.forwarded_packets == pytest.approx(trial.sent_packets, rel=0.05)
    assert trial.sent_packets > 1000


@pytest.mark.root
def test_rates_are_of_whole_intervals_within_the_load(cell):
    wanted = cell("tc", load={"arrivals": "constant", "offered_mpps": 0.02})
    with open_filter_bench(wanted) as bench:
        trial = bench.run_trial(wanted.load, Timing(warm_up_seconds=0.0, seconds=1.0))
    # Two of ten intervals are cut by the edges; a late look may take others.
    assert 1 <= len(trial.rates) <= 10
    assert sum(trial.rates) / len(trial.rates) == pytest.approx(2000, rel=0.3)


def looks_at(*seen):
    return [DropCount(at_ns=round(at_s * 1e9), packets=packets) for at_s, packets in seen]


def test_late_look_invents_no_peak():
    looks = looks_at((0.1, 50), (0.2, 150), (0.9, 850), (1.0, 950))
    assert packets_by_interval(looks) == (100,) * 9


@pytest.mark.parametrize("seen", [(), ((0.1, 50),), ((0.1, 50), (0.19, 90))])
def test_too_short_a_load_has_no_rates(seen):
    assert packets_by_interval(looks_at(*seen)) == ()


def test_rates_end_with_the_load_though_echo_requests_go_on():
    looks = Looks(count=lambda: DropCount(at_ns=0, packets=0), busy_cores=())
    looks.taken += looks_at((0.0, 0), (0.1, 40), (0.2, 140), (0.3, 240), (0.4, 280), (0.5, 285))
    looks.load_began_ns, looks.load_ended_ns = 60_000_000, 500_000_000
    assert looks.packets_by_interval(duration_ns=280_000_000) == (100, 100)


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
        words = {"device": lab.dut_device, "xdp_drop": artifacts.program_object("xdp_drop")}
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


@pytest.mark.root
@pytest.mark.parametrize("way", WAYS)
def test_killed_holder_leaves_nothing(way):
    datapath, settings = WAYS[way][0], WAYS[way][1] or FilterSettings()
    argv = [sys.executable, "-c", HOLD, datapath, settings.hook, settings.flavour]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        namespaces = set(holder.stdout.readline().split())
        assert len(namespaces) == 2
        assert namespaces <= all_namespaces()
        holder.send_signal(signal.SIGKILL)
    # A program is held by its link or its namespace, a rule by its namespace.
    assert settled(lambda: namespaces & all_namespaces(), set()) == set()


def all_namespaces():
    listed = subprocess.run(
        ["lsns", "-J", "-t", "net"], capture_output=True, text=True, check=True
    ).stdout
    return {str(found["ns"]) for found in json.loads(listed)["namespaces"]}


@pytest.mark.root
@pytest.mark.parametrize(
    ("way", "tool"),
    [("nftables  input", "nft"), ("iptables legacy input", "iptables-legacy")],
)
def test_missing_tool_is_named_with_its_package(cell, monkeypatch, way, tool):
    monkeypatch.setattr(foreign, "tool_path", lambda _: None)
    with pytest.raises(CannotHereError, match=f"{tool}: .*apt-get install"):
        check_filter(cell(way))


def test_unbuilt_object_is_named(cell, monkeypatch, tmp_path):
    monkeypatch.setenv("LINERATE_BUILD", str(tmp_path))
    with pytest.raises(CannotHereError, match="is not built"):
        check_filter(cell("tc"))


def test_module_is_refused_where_the_kernel_takes_none(tmp_path):
    with pytest.raises(CannotHereError, match="loads no modules; use flavour"):
        check_netfilter_module(proc=tmp_path)


def test_module_compiles_against_the_distributions_headers(repository, tmp_path):
    headers = sorted(Path("/usr/src").glob("linux-headers-*/include/generated/autoconf.h"))
    if not headers or not shutil.which("make"):
        pytest.skip("needs the kernel headers of the distribution (linux-headers-amd64) and make")
    done = subprocess.run(
        ["make", "-C", repository / "measure/native/netfilter_module", f"OUT={tmp_path}",
         f"KERNEL_HEADERS={headers[-1].parents[2]}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    built = (tmp_path / "linerate_filter.ko").read_bytes()
    for parameter in (b"parmtype=program:charp", b"parmtype=hook:charp", b"parm=dropped:"):
        assert parameter in built
