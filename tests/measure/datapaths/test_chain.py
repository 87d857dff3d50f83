"""Real packets through real chains of service functions."""

import json
import math
import subprocess
import sys
from contextlib import contextmanager

import pytest

from linerate.cells import Cell, Load, Packet
from linerate.errors import BadInputError, LinerateError
from linerate.measure.datapaths.chain.bench import check_chain_cell, open_chain_bench
from linerate.measure.datapaths.chain.lab import DESTINATION_ADDRESS, open_chain_lab
from linerate.measure.datapaths.chain.settings import ChainSettings
from linerate.measure.datapaths.chain.stages import run_chain, run_rules
from linerate.measure.generators.ping import send_pings
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import CONTENDED_RATIO_MAX
from linerate.settings import columns_of

pytestmark = pytest.mark.root

PINGS_PER_SECOND = 100.0
TRIES = 6
TIMING = Timing(warm_up_seconds=0.05, seconds=0.2)
FUNCTIONS = ("raw_socket", "af_xdp", "tc")
TOPOLOGIES = ("direct", "hub")


def load(**changes):
    return Load(
        **{"frame_mix": ((1, 64),), "arrivals": "constant", "offered_mpps": 0.005} | changes
    )


def pings():
    return load(generator="ping", pings_per_second=PINGS_PER_SECOND)


def cell(offered=None, chain=None, **changes):
    factors = {
        "lab": "veth", "mode": "split", "datapath": "chain", "program": "wire",
        "memory_accesses": 0, "queues": 1, "link_gbps": math.inf,
    }  # fmt: skip
    return Cell(
        **(factors | changes),
        load=offered or load(),
        settings=columns_of(ChainSettings(**(chain or {}))),
    )


@contextmanager
def running_chain(**settings):
    chain = ChainSettings(**settings)
    with open_chain_lab(chain) as lab, run_chain(lab, chain, 1) as running:
        yield lab, running


def ping_through(lab, seconds=0.05):
    return send_pings(
        lab.source.namespace, DESTINATION_ADDRESS,
        pings_per_second=PINGS_PER_SECOND, seconds=seconds,
    )  # fmt: skip


def served(lab, running):
    """Packets that each function has had."""
    return [node.served() for node in running.nodes if node.node in lab.functions]


@pytest.mark.parametrize("length", [0, 1, 3])
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_every_ping_passes_every_function_once(length, topology):
    with running_chain(length=length, topology=topology) as (lab, running):
        answer = ping_through(lab)
        assert answer.received == answer.sent > 0
        assert served(lab, running) == [answer.sent] * length


@pytest.mark.sampled
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("nsh_aware", [False, True])
@pytest.mark.parametrize(("topology", "metadata_type"), [("direct", 2), ("hub", 1)])
def test_every_kind_of_function_is_passed(function, nsh_aware, topology, metadata_type):
    kind = {
        "function": function, "nsh_aware": nsh_aware, "topology": topology,
        "metadata_type": metadata_type,
    }  # fmt: skip
    with running_chain(length=2, **kind) as (lab, running):
        answer = ping_through(lab)
        assert answer.received == answer.sent > 0
        assert served(lab, running) == [answer.sent] * 2
        assert sum(running.dropped().values()) == 0


@pytest.mark.deep
def test_longest_chain_is_passed_with_ttl_to_spare():
    with running_chain(length=32, topology="hub", function="tc") as (lab, running):
        answer = ping_through(lab)
        assert answer.received == answer.sent > 0
        assert served(lab, running) == [answer.sent] * 32


WATCH = """
import json, socket, struct, sys
ALL, NSH, SOL_PACKET, IGNORE_OUTGOING = 3, b"\\x89\\x4f", 263, 23
port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
port.setsockopt(SOL_PACKET, IGNORE_OUTGOING, 1)
port.settimeout(1.0)
print("ready", flush=True)
try:
    while True:
        frame = port.recv(2048)
        if frame[12:14] != NSH:
            continue
        first, path = struct.unpack(">HxxI", frame[14:22])
        print(json.dumps([frame[6:12].hex(":"), frame[:6].hex(":"),
                          first >> 6 & 0x3f, path >> 8, path & 0xff]))
except TimeoutError:
    pass
"""
"""Sees each frame in NSH once, when it comes in at a port of the bridge."""


def hops_of_one_ping(lab):
    watcher = subprocess.Popen(
        lab.network.argv([sys.executable, "-c", WATCH]), stdout=subprocess.PIPE, text=True
    )
    with watcher:
        assert watcher.stdout
        assert watcher.stdout.readline() == "ready\n"
        answer = ping_through(lab, seconds=0.01)
        assert (answer.sent, answer.received) == (1, 1)
        return [json.loads(line) for line in watcher.stdout]


@pytest.mark.parametrize("nsh_aware", [False, True])
def test_service_index_and_ttl_fall_hop_by_hop(nsh_aware):
    with running_chain(length=3, nsh_aware=nsh_aware) as (lab, _):
        macs = [node.mac for node in (lab.source, *lab.functions, lab.destination)]
        assert hops_of_one_ping(lab) == [
            [macs[hop], macs[hop + 1], 62 - hop, 7, 255 - hop] for hop in range(4)
        ]


def test_with_a_hub_every_hop_passes_it():
    with running_chain(length=2, topology="hub") as (lab, _):
        macs = [node.mac for node in (lab.source, *lab.functions, lab.destination)]
        assert lab.hub
        hub = lab.hub.mac
        expected = []
        for hop in range(3):
            # Only the forwarder ages; functions just send to it.
            expected += [
                [macs[hop], hub, 63 - hop, 7, 255 - hop],
                [hub, macs[hop + 1], 62 - hop, 7, 255 - hop],
            ]
        assert hops_of_one_ping(lab) == expected


def test_path_that_is_cut_loses_and_counts_every_packet():
    with running_chain(length=2) as (lab, running):
        run_rules(lab.functions[0], "del-path", "--spi", "7", "--si", "254")
        answer = ping_through(lab)
        assert answer.received == 0
        assert served(lab, running) == [answer.sent, 0]
        fwd = running.nodes[1].stage_counts()["fwd@uplink"]
        assert (fwd.unknown_path, running.dropped()["stages"]) == (answer.sent, answer.sent)


def test_rule_that_is_not_there_is_refused():
    with (
        running_chain(length=1) as (lab, _),
        pytest.raises(LinerateError, match="path=7/9: there is no rule for it; allowed: "),
    ):
        run_rules(lab.source, "del-path", "--spi", "7", "--si", "9")


@pytest.mark.exclusive
def test_trial_of_pings_says_how_long_they_took():
    with open_chain_bench(cell(pings(), {"length": 2})) as bench:
        trial = bench.run_trial(pings(), TIMING)
    assert trial.ping
    assert trial.ping.received == trial.ping.sent == trial.forwarded_packets == 20
    assert 5.0 < trial.ping.rtt.mean_us < 100_000.0
    assert trial.latency is None


@pytest.mark.parametrize("function", FUNCTIONS)
def test_all_of_a_light_load_comes_through_and_is_stamped(function):
    with open_chain_bench(cell(chain={"length": 2, "function": function})) as bench:
        trial = bench.run_trial(load(), TIMING)
    assert trial.forwarded_packets == trial.sent_packets > 100
    assert trial.latency
    assert trial.latency.packets == trial.forwarded_packets
    assert 1.0 < trial.latency.quantile_us(0.5) < 100_000.0
    assert all(0.0 < share <= 1.0 for share in trial.cpu_busy_ratios)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_packet_that_an_overload_loses_is_counted_somewhere(function):
    flood = load(arrivals="flood", offered_mpps=math.inf)
    with open_chain_bench(cell(flood, {"length": 2, "function": function})) as bench:
        trial = bench.run_trial(flood, TIMING)
    lost = trial.sent_packets - trial.forwarded_packets
    assert trial.forwarded_packets > 100
    assert lost > trial.forwarded_packets, "that was no overload"
    assert sum(trial.dropped.values()) == pytest.approx(lost, abs=256)


def test_largest_frames_fit_with_their_header():
    large = load(frame_mix=((1, 1518),))
    with open_chain_bench(cell(large, {"length": 1, "function": "af_xdp"})) as bench:
        trial = bench.run_trial(large, TIMING)
    assert trial.forwarded_packets == trial.sent_packets > 100


def test_headers_of_many_flows_are_kept_apart():
    many = load(flows=1000)
    with open_chain_bench(cell(many, {"length": 2})) as bench:
        trial = bench.run_trial(many, TIMING)
    assert trial.forwarded_packets == trial.sent_packets > 100
    assert trial.dropped["stages"] == 0


def test_echo_requests_go_beside_a_load():
    beside = load(pings_per_second=PINGS_PER_SECOND)
    with open_chain_bench(cell(beside, {"length": 1})) as bench:
        trial = bench.run_trial(beside, TIMING)
    assert trial.ping
    assert trial.ping.received > 0
    assert trial.forwarded_packets == trial.sent_packets > 100


@pytest.mark.exclusive
def test_warm_up_is_in_no_count():
    timing = Timing(warm_up_seconds=0.2, seconds=0.1)
    with open_chain_bench(cell(chain={"length": 1})) as bench:
        trial = bench.run_trial(load(), timing)
        for _ in range(TRIES - 1):
            if trial.contended_ratio <= CONTENDED_RATIO_MAX:
                break  # nobody else held the generator back
            trial = bench.run_trial(load(), timing)
    assert trial.intended_packets == pytest.approx(500, rel=0.05)
    assert trial.forwarded_packets == trial.sent_packets


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"chain": {"length": 33}}, r"length=33: .*; allowed: 0\.\.32"),
        ({"mode": "serial"}, "mode=serial: .*; allowed: split"),
        ({"queues": 2}, "queues=2: .*; allowed: 1"),
        ({"offered": load(generator="hping3")}, "generator=hping3: .*allowed: live_frames, ping"),
        ({"offered": load(packet=Packet(sources=5))}, "sources=5: .*; allowed: 1"),
    ],
)
def test_cell_that_chains_do_not_have_is_refused(changes, words):
    with pytest.raises(BadInputError, match=words):
        check_chain_cell(cell(**changes))
