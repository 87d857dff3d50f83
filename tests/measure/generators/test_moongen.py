"""MoonGen's script, run by luajit on a stand-in of MoonGen: there is no card for DPDK here."""

import os
import shutil
import statistics
import subprocess
import threading
from pathlib import Path

import pytest

from linerate.cells import Packet
from linerate.cli.lab.agent import _guard
from linerate.errors import BadInputError, CannotHereError, LinerateError
from linerate.measure.generators.buckets import bucket_lower_ns
from linerate.measure.generators.external.moongen.generator import CORES_MIN, SCRIPT, MoonGen
from linerate.measure.generators.kinds import KINDS
from linerate.measure.remote import card_port
from linerate.measure.remote.agent import Agent
from linerate.measure.remote.card_port import CardPort
from linerate.measure.remote.kind import SendingPort
from linerate.measure.remote.protocol import Open, line_of

from .traffic_runs import CARD, NOTHING, result_of, start

STUB = Path(__file__).with_name("moongen_stub.lua")
LUAJIT, LUAC = shutil.which("luajit"), shutil.which("luac5.1")
SECONDS = 0.5

pytestmark = pytest.mark.skipif(LUAJIT is None, reason="luajit is not installed")


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "MoonGen"
    path.write_text(f'#!/bin/sh\nexec {LUAJIT} {STUB} "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def port(program):
    """A card, three cores, and a MoonGen that is a stand-in."""
    return SendingPort(port=CardPort(CARD), cores=(0, 1, 2), program=str(program))


class Ran:
    """What came of one load: the report, and what MoonGen was asked for."""

    def __init__(self, port, request):
        argv = MoonGen().argv(port, request)
        done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60)
        self.report = MoonGen().report(done.stdout, request, NOTHING, port)
        told = done.stderr.splitlines()
        self.told = dict(line.split("=", 1) for line in told)
        self.gaps_s = [float(line[4:]) for line in told if line.startswith("gap=")]

    @property
    def sizes(self):
        """Packets of the load by their bytes without FCS."""
        return {int(name[5:]): int(n) for name, n in self.told.items() if name.startswith("size_")}


@pytest.fixture
def ran(port, monkeypatch):
    def run(request, **settings):
        for name, value in settings.items():
            monkeypatch.setenv(f"STUB_{name.upper()}", str(value))
        return Ran(port, request)

    return run


@pytest.mark.parametrize("path", sorted(SCRIPT.parent.glob("*.lua")), ids=lambda path: path.name)
def test_scripts_compile(path, tmp_path):
    for command in ([LUAJIT, "-b", path, tmp_path / "out"], [LUAC, "-p", path]):
        if command[0]:
            subprocess.run(command, check=True)


def test_what_is_due_is_sent_and_counted(ran):
    report = ran(start()).report
    assert report.duration_ns == SECONDS * 1e9
    assert abs(report.intended - 5000) <= 2
    assert report.sent == report.received
    assert abs(report.sent - 5000) <= 2
    assert report.remarks == ()


def test_probes_are_part_of_the_load(ran):
    latency = ran(start()).report.latency
    assert abs(sum(count for _, count in latency.buckets) - 50) <= 1  # one in a hundred
    assert latency.buckets[0][0] == bucket_lower_ns(20_000)
    assert latency.taken == "hardware"


def test_a_card_without_clock_is_probed_by_the_generators(ran):
    one = ran(start(), stamps="software")
    assert one.report.latency.taken == "software"
    assert one.told["rx_queue"] == "0"
    mean_ns = one.report.latency.sum_ns / sum(count for _, count in one.report.latency.buckets)
    assert 20_000 <= mean_ns <= 40_000
    assert one.report.remarks == ()


def test_frames_are_given_without_their_fcs_in_the_weights_of_the_mix(ran):
    sizes = ran(start(frame_mix=((7, 64), (4, 594), (1, 1518)))).sizes
    total = sum(sizes.values())
    assert sizes[60] / total == pytest.approx(7 / 12, abs=0.01)
    assert sizes[590] / total == pytest.approx(4 / 12, abs=0.01)
    assert sizes[1514] / total == pytest.approx(1 / 12, abs=0.01)


def test_flows_are_source_ports(ran):
    assert ran(start(flows=17)).told["ports"] == "17"


def test_constant_gaps_are_even(ran):
    gaps_s = ran(start()).gaps_s
    assert statistics.mean(gaps_s) == pytest.approx(100e-6, rel=0.02)
    assert statistics.stdev(gaps_s) / statistics.mean(gaps_s) < 0.1


def test_poisson_gaps_vary_as_much_as_their_mean(ran):
    one = ran(start(arrivals="poisson", seconds=2.0))
    assert one.report.sent == pytest.approx(20_000, rel=0.03)
    assert statistics.stdev(one.gaps_s) / statistics.mean(one.gaps_s) == pytest.approx(1, abs=0.06)


def test_trains_leave_at_once(ran):
    one = ran(start(arrivals="burst", burst_packets=16))
    assert one.report.sent == pytest.approx(5000, abs=40)
    assert statistics.mean(one.gaps_s) == pytest.approx(1600e-6, rel=0.03)


def test_no_more_is_sent_than_the_imitated_link_carries(ran):
    line = 10e6 / 8 / 84 * SECONDS
    report = ran(start(link_gbps=0.01, offered_mpps=1.0)).report
    assert report.sent == pytest.approx(line, abs=3)
    assert report.intended == pytest.approx(line, abs=3)


def test_a_flood_keeps_to_a_link_slower_than_the_cards(ran):
    request = start(link_gbps=0.01, arrivals="flood", offered_mpps=float("inf"))
    report = ran(request).report
    assert report.sent == pytest.approx(10e6 / 8 / 84 * SECONDS, abs=3)
    assert report.intended == report.sent


def test_a_flood_over_the_cards_own_link_is_not_paced(ran):
    request = start(arrivals="flood", offered_mpps=float("inf"), seconds=0.002)
    report = ran(request).report
    assert report.sent > 0.5 * 14880 * 2
    assert not any("at once" in remark for remark in report.remarks)


def test_more_cores_share_the_load(program):
    port = SendingPort(port=CardPort(CARD), cores=(0, 1, 2, 3), program=str(program))
    one = Ran(port, start())
    assert one.told["tasks"] == "linerateLoad,linerateLoad,linerateProbe"
    assert one.told["tx_queues"] == "3"
    assert abs(one.report.sent - 5000) <= 4


def test_dpdk_gets_the_one_card_and_the_cores_named(ran):
    told = ran(start()).told
    assert (told["pci"], told["cores"]) == (CARD, "0,1,2")
    assert "--huge-unlink" in told["cli"]


def test_its_tasks_end_even_if_nobody_ends_them(ran):
    assert 1 <= float(ran(start()).told["runtime_s"]) <= 20


def test_loss_is_counted_and_is_no_doubt(ran):
    report = ran(start(), loss_ratio=0.5).report
    assert report.received == pytest.approx(report.sent / 2, abs=1)
    assert report.remarks == ()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"clock_factor": 1.00188}, "MoonGen's clock is +0.188% off the kernel's"),
        ({"driver": "net_nfp_pf"}, "counted by driver net_nfp_pf"),
        ({"loss_ratio": -0.2}, "more packets came back than were sent"),
    ],
)
def test_what_makes_counts_doubtful_is_said(ran, settings, words):
    report = ran(start(), **settings).report
    assert [words in remark for remark in report.remarks] == [True]


def test_rates_are_by_the_kernels_clock(ran):
    report = ran(start(), clock_factor=1.00188).report
    assert report.duration_ns / 1e9 == pytest.approx(SECONDS / 1.00188, rel=1e-5)


def test_a_register_of_what_the_card_accepted_is_not_believed(ran):
    line = 10e6 / 8 / 84 * SECONDS
    report = ran(start(link_gbps=0.01, offered_mpps=1.0), sent_factor=1.5).report
    assert report.sent == pytest.approx(line, abs=3)
    assert "sent 1.50 times what its link carries" in report.remarks[0]


@pytest.mark.parametrize(
    ("settings", "words"), [({"link": "down"}, "link is down"), ({"cards": 2}, "finds 2 cards")]
)
def test_a_card_that_cannot_send_is_refused(port, monkeypatch, settings, words):
    for name, value in settings.items():
        monkeypatch.setenv(f"STUB_{name.upper()}", str(value))
    with pytest.raises(CannotHereError, match=words):
        result_of(MoonGen().argv(port, start()), SECONDS)


def test_moongens_own_words_are_quoted_where_it_fails(ran):
    with pytest.raises(LinerateError, match=r"come to its end: \[FATAL\] .*no such offload"):
        ran(start(), fails="no such offload")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"packet": Packet(protocol="tcp", tcp_flags="S"), "frame_mix": ((1, 90),)},
            "protocol=tcp",
        ),
        ({"packet": Packet(sources=5)}, r"udp from 5 source"),
        ({"frame_mix": ((1, 9000),)}, r"allowed: 64\.\.1518"),
        ({"flows": 100_000}, "flows=100000"),
        ({"frame_mix": ((1000, 64), (25, 128))}, "weights of 1025 in all"),
    ],
)
def test_loads_that_the_script_has_not_got_are_refused(port, changes, words):
    with pytest.raises(BadInputError, match=words):
        MoonGen().argv(port, start(**changes))


def test_too_few_cores_are_refused(program):
    port = SendingPort(port=CardPort(CARD), cores=(0, 1), program=str(program))
    with pytest.raises(BadInputError, match=r"generator_cores=\[0, 1\]: .*at least 3"):
        MoonGen().argv(port, start())


def test_the_agent_serves_it_as_any_other_kind(program, monkeypatch):
    monkeypatch.setattr(card_port, "check_card", lambda address: None)
    answers = []
    agent = Agent(
        kinds=KINDS, guard=lambda name: lambda: None, answer=lambda output: answers.append(output)
    )
    reading, writing = os.pipe()
    here = tuple(sorted(os.sched_getaffinity(0))) * CORES_MIN
    opening = Open(
        interface=CARD, generator="moongen", cores=here[:CORES_MIN], program=str(program)
    )
    lines = "".join(f"{line_of(request)}\n" for request in (opening, start()))
    os.write(writing, lines.encode())
    threading.Timer(5.0, os.close, [writing]).start()
    agent.serve(reading)
    os.close(reading)
    opened, report = answers
    assert opened.version.startswith("MoonGen ")
    assert abs(report.sent - 5000) <= 2


def test_an_agent_without_such_a_card_says_so(program):
    answers = []
    agent = Agent(kinds=KINDS, guard=_guard, answer=answers.append)
    reading, writing = os.pipe()
    opening = Open(interface=CARD, generator="moongen", cores=(0,), program=str(program))
    os.write(writing, f"{line_of(opening)}\n".encode())
    os.close(writing)
    agent.serve(reading)
    os.close(reading)
    assert "no network card has this address" in answers[0].words


def test_a_missing_moongen_is_said_with_how_to_get_it(tmp_path):
    port = SendingPort(port=CardPort(CARD), cores=(0, 1, 2), program=str(tmp_path / "MoonGen"))
    with pytest.raises(CannotHereError, match=r"there is no .*/MoonGen .*build it there"):
        MoonGen().version(port)
