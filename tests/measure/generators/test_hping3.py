"""The generator of the filtering study, for real, in short bursts."""

import math
import os
import re
import struct
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager

import pytest

from linerate.cells import Cell, Load, Mode, Packet
from linerate.errors import BadInputError, CannotHereError, LinerateError
from linerate.measure.generators.external import tools
from linerate.measure.generators.external.hping3 import Hping3
from linerate.measure.labs.veth import open_veth_lab
from linerate.measure.system.machine import tool_path
from linerate.measure.trials.bench import Timing

from ... import warm
from ...frames import captured, sum_of_segment, sum_of_words
from ..leftovers import await_none_started, started
from .test_ping import add_addresses

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(tool_path("hping3") is None, reason="hping3 is not installed"),
]
TIMING = Timing(warm_up_seconds=0.05, seconds=0.2)
STUDY = Packet(protocol="tcp", tcp_flags="SR", payload="_X", sources=2)
STUDY_FRAME_BYTES = 122


def load(**changes):
    flood = {
        "frame_mix": ((1, 64),), "arrivals": "flood", "offered_mpps": math.inf,
        "generator": "hping3",
    }  # fmt: skip
    return Load(**(flood | changes))


def cell(**changes):
    return Cell(
        lab="veth", mode="serial", datapath="xdp_generic", program="xdp_drop", memory_accesses=0,
        queues=1, link_gbps=math.inf, load=load(**changes),
    )  # fmt: skip


def running_hping3():
    return {pid for pid, name in started().items() if name == "hping3"}


@contextmanager
def addressed(mode: Mode = "serial", queues=1):
    with open_veth_lab(mode, queues, gro=True) as lab:
        add_addresses(lab)
        yield lab


@pytest.fixture
def lab():
    with addressed() as lab:
        yield lab


def queue_packets(lab):
    """Packets that each of the device's queues has polled."""
    output = lab.dut.run(["ethtool", "-S", lab.dut_device])
    return [int(count) for count in re.findall(r"rx_queue_\d+_xdp_packets: (\d+)", output)]


@pytest.mark.exclusive
def test_what_was_sent_came_to_the_device_or_is_counted_as_lost(lab):
    seen = []

    @contextmanager
    def window():
        seen.extend(queue_packets(lab))
        yield
        seen.extend(queue_packets(lab))

    report = Hping3().send(lab, cell(), TIMING, (), window())
    assert report.sent == report.intended > 1000
    assert report.duration_ns == pytest.approx(0.2e9, rel=0.5)
    came = seen[1] - seen[0]
    # Both are read one after the other while the flood runs.
    assert came == pytest.approx(report.sent - report.dropped["dut_ring"], rel=0.1)


def test_who_ends_a_flood_comes_before_it_and_its_children_do_not():
    ask = [sys.executable, "-c", "import os; print(os.sched_getscheduler(0))"]
    before = os.sched_getscheduler(0)
    with tools.ahead_of_all():
        assert os.sched_getscheduler(0) == os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
        child = subprocess.run(ask, capture_output=True, check=True)
    assert int(child.stdout) == os.SCHED_OTHER
    assert os.sched_getscheduler(0) == before


@pytest.mark.exclusive
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two queues need two cores")
def test_a_queue_gets_what_its_core_sends():
    spoofed = cell(packet=Packet(sources=2))  # by their hash they would go to both
    with addressed(queues=2) as lab:
        Hping3(processes=1).send(lab, spoofed, TIMING, ())
        first, second = queue_packets(lab)
        assert first > 1000
        assert second == 0
        Hping3(processes=2).send(lab, spoofed, TIMING, ())
        assert queue_packets(lab)[1] > 1000


@pytest.mark.exclusive
def test_constant_rate_is_spread_over_all_processes(lab):
    offered = cell(arrivals="constant", offered_mpps=0.001)
    report = Hping3(processes=3).send(lab, offered, Timing(warm_up_seconds=0.05, seconds=0.5), ())
    rate_pps = report.sent / report.duration_ns * 1e9
    # Its timer has the kernel's ticks: 3 ms may become 4.
    assert 500 < rate_pps <= 1100
    assert report.intended == pytest.approx(0.001e6 * report.duration_ns / 1e9, rel=0.01)
    assert report.generator_run_ns[0] + report.generator_idle_ns[0] >= report.duration_ns


def test_packets_are_those_of_the_study(lab):
    offered = cell(
        arrivals="constant", offered_mpps=0.005, packet=STUDY,
        frame_mix=((1, STUDY_FRAME_BYTES),),
    )  # fmt: skip
    packets = captured(lab, 40, lambda: Hping3().send(lab, offered, TIMING, ()))
    for packet in packets:
        assert len(packet) == STUDY_FRAME_BYTES - 4
        assert packet[23] == 6, "TCP"
        assert packet[47] == 0x02 | 0x04
        assert packet[54:56] == b"_X"
        assert sum_of_words(packet[14:34]) == sum_of_segment(packet) == 0xFFFF
    assert len({packet[26:30] for packet in packets}) > 30, "spoofed, each by another"


def test_udp_is_not_spoofed_unless_asked_for(lab):
    offered = cell(arrivals="constant", offered_mpps=0.005)
    packets = captured(lab, 40, lambda: Hping3().send(lab, offered, TIMING, ()))
    udp = [packet for packet in packets if packet[23] == 17]  # others are its answers
    assert len(udp) >= 10
    for packet in udp:
        assert len(packet) == 60
        assert packet[26:30] == bytes([198, 18, 0, 1])
        assert struct.unpack("!H", packet[36:38]) == (9,)


def test_processes_are_pinned_and_gone_at_the_end(mark, lab):
    seen = []

    @contextmanager
    def window():
        seen.extend(running_hping3())
        assert {tuple(os.sched_getaffinity(process)) for process in seen} == {(0,)}
        assert {os.getpriority(os.PRIO_PROCESS, process) for process in seen} == {-20}
        yield

    Hping3(processes=4).send(lab, cell(), TIMING, (), window())
    assert len(seen) == 4
    assert not await_none_started(["hping3"])


@pytest.mark.exclusive
def test_device_threads_are_timed():
    with addressed("split") as lab:
        threads = lab.start_dut_threads()
        report = Hping3().send(lab, cell(), TIMING, threads)
    assert len(report.dut_thread_ns) == len(report.dut_wait_ns) == 1
    assert 0 < report.dut_thread_ns[0] <= report.duration_ns * 1.2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"frame_mix": ((1, 64), (1, 128))}, "frame_bytes="),
        ({"packet": STUDY, "frame_mix": ((1, 59),)}, "frame_bytes="),
        ({"arrivals": "poisson", "offered_mpps": 0.001}, "arrivals=poisson"),
        ({"arrivals": "constant", "offered_mpps": 100.0}, "offered_mpps=100.0"),
        ({"arrivals": "constant", "offered_mpps": 1e-6}, "offered_mpps=1e-06"),
    ],
)
def test_loads_that_hping3_has_not_got_are_refused_by_their_field(changes, words):
    with pytest.raises(BadInputError, match=words):
        Hping3().check(load(**changes))


def test_missing_hping3_is_said_with_its_package(lab, monkeypatch):
    monkeypatch.setattr(tools, "tool_path", lambda name: None)
    with pytest.raises(CannotHereError, match=r"^hping3: .*apt-get install -y hping3$"):
        Hping3().send(lab, cell(), TIMING, ())


def test_no_way_to_the_device_is_said(monkeypatch):
    monkeypatch.setattr("linerate.measure.generators.external.hping3._START_SECONDS", 0.5)
    with open_veth_lab("serial", 1, gro=True) as bare, pytest.raises(LinerateError, match="hping3"):
        Hping3().send(bare, cell(), TIMING, ())


KILLED = textwrap.dedent("""
    import math
    from linerate.measure.trials.bench import Timing
    from linerate.measure.generators.external.hping3 import Hping3
    from linerate.measure.labs.veth import open_veth_lab
    from tests.measure.generators.test_hping3 import addressed, cell
    with addressed() as lab:
        Hping3().send(lab, cell(), Timing(warm_up_seconds=0.0, seconds=20.0), ())
""")


def test_nothing_is_left_running_when_we_are_killed(mark):
    owner = warm.start(program=KILLED)
    end = time.monotonic() + 10.0
    while len(flood := running_hping3()) < 5 and time.monotonic() < end:
        time.sleep(0.05)
    owner.kill()
    owner.wait()
    assert len(flood) == 5
    assert not await_none_started()
