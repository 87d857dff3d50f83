"""Real echo requests through a veth, alone and beside a load."""

import math
import re
import textwrap
import time
from pathlib import Path

import pytest

from linerate.cells import Cell, Load
from linerate.errors import BadInputError, CannotHereError, LinerateError
from linerate.measure.generators.buckets import bucket_lower_ns
from linerate.measure.generators.external import tools
from linerate.measure.generators.live_frames import send_live_frames
from linerate.measure.generators.ping import Pings, parse_ping, send_pings
from linerate.measure.generators.queues import lead_to_device_queues
from linerate.measure.labs.veth import GENERATOR_DEVICE, open_veth_lab
from linerate.measure.trials.bench import Timing

from ... import warm

DUT_ADDRESS = "198.19.0.1"
REPLIES = """\
PING 198.19.0.1 (198.19.0.1) 56(84) bytes of data.
[1700000000.001050] 64 bytes from 198.19.0.1: icmp_seq=1 ttl=64 time=0.050 ms
[1700000000.012000] 64 bytes from 198.19.0.1: icmp_seq=2 ttl=64 time=1.25 ms
[1700000000.012900] 64 bytes from 198.19.0.1: icmp_seq=2 ttl=64 time=2.11 ms (DUP!)
From 198.18.0.1 icmp_seq=3 Destination Host Unreachable
[1700000000.031000] 64 bytes from 198.19.0.1: icmp_seq=4 ttl=64 time=0.060 ms

--- 198.19.0.1 ping statistics ---
4 packets transmitted, 3 received, +1 duplicates, +1 errors, 25% packet loss, time 31ms
"""


def add_addresses(lab):
    """Give both ends an address, and each the other's without asking for it."""
    ends = (
        (lab.generator, GENERATOR_DEVICE, "198.18.0.1", 1, DUT_ADDRESS, 2),
        (lab.dut, lab.dut_device, DUT_ADDRESS, 2, "198.18.0.1", 1),
    )
    for namespace, device, own, number, peer, peer_number in ends:
        namespace.run(
            ["ip", "-batch", "-"],
            text_in=f"link set dev {device} address 02:00:00:00:00:0{number} arp off\n"
            f"address add {own}/15 dev {device}\n"
            f"neigh replace {peer} lladdr 02:00:00:00:00:0{peer_number} nud permanent "
            f"dev {device}\n",
        )


@pytest.fixture
def lab():
    with open_veth_lab("serial", 1, gro=True) as lab:
        add_addresses(lab)
        yield lab


def test_replies_count_once_and_unreachable_ones_not_at_all():
    ping = parse_ping(REPLIES, ended_at_s=1.8e9)
    assert (ping.sent, ping.received) == (4, 3)
    assert ping.rtt.sum_ns == 50_000 + 1_250_000 + 60_000
    assert ping.rtt.max_ns == 1_250_000
    assert ping.rtt.lower_ns == tuple(map(bucket_lower_ns, (50_000, 60_000, 1_250_000)))


def test_requests_after_the_load_are_neither_sent_nor_lost():
    ping = parse_ping(REPLIES, ended_at_s=1_700_000_000.020)
    assert (ping.sent, ping.received) == (3, 2)


def test_buckets_are_those_of_the_sink():
    # bucket_lower_ns() of measure/native/traffic/report.c, of the bucket that add_latency() takes
    for latency_ns in [*range(200), 1023, 1024, 123_456, 10**9]:
        shift = max(0, latency_ns.bit_length() - 6)
        bucket = shift * 32 + (latency_ns >> shift)
        lower_ns = bucket if bucket < 64 else (32 + bucket % 32) << (bucket // 32 - 1)
        assert bucket_lower_ns(latency_ns) == lower_ns


@pytest.mark.parametrize("text", ["", "ping: usage error\n", "4 packets transmitte"])
def test_what_is_no_answer_of_ping_is_not_taken_for_one(text):
    with pytest.raises(LinerateError, match="cannot be read"):
        parse_ping(text, 0.0)


@pytest.mark.exclusive
@pytest.mark.root
@pytest.mark.parametrize("pings_per_second", [100, 1000])
def test_every_request_through_a_free_path_is_answered(lab, pings_per_second):
    ping = send_pings(
        lab.generator, DUT_ADDRESS, pings_per_second=pings_per_second, seconds=0.3
    )  # fmt: skip
    assert ping.received == ping.sent == round(0.3 * pings_per_second)
    assert ping.rtt.packets == ping.received
    assert 1.0 < ping.rtt.quantile_us(0.5) < 10_000


@pytest.mark.root
def test_a_path_that_drops_all_answers_nothing(lab):
    lab.dut.run(["ip", "route", "add", "blackhole", "198.18.0.1/32"])
    ping = send_pings(lab.generator, DUT_ADDRESS, pings_per_second=50, seconds=0.2)
    assert (ping.sent, ping.received, ping.loss_ratio) == (10, 0, 1.0)
    assert ping.rtt.packets == 0


@pytest.mark.root
def test_a_neighbour_that_is_not_there_is_loss_too(lab):
    lab.generator.run(["ip", "link", "set", GENERATOR_DEVICE, "arp", "on"])
    ping = send_pings(lab.generator, "198.19.0.99", pings_per_second=50, seconds=0.2)
    assert (ping.sent, ping.received) == (10, 0)


@pytest.mark.root
def test_no_way_at_all_is_said(lab):
    with pytest.raises(LinerateError, match=r"ping: .*unreachable"):
        send_pings(lab.generator, "203.0.113.1", pings_per_second=50, seconds=0.1)


@pytest.mark.exclusive
@pytest.mark.root
def test_pings_run_beside_a_load_that_is_foreign_to_them(lab):
    load = Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=0.02, pings_per_second=100)
    cell = Cell(
        lab="veth", mode="serial", datapath="xdp_generic", program="xdp_tx", memory_accesses=0,
        queues=1, link_gbps=math.inf, load=load,
    )  # fmt: skip
    pings = Pings(
        namespace=lab.generator, destination=DUT_ADDRESS, pings_per_second=100, seconds=0.3
    )
    report = send_live_frames(lab, cell, Timing(warm_up_seconds=0.05, seconds=0.3), (), pings)
    ping = pings.answer()
    assert report.sent > 3000
    assert 20 <= ping.sent <= 30
    assert ping.received == ping.sent


@pytest.mark.root
def test_pings_beside_a_load_pass_the_queue_of_the_load(lab):
    def polled():
        output = lab.dut.run(["ethtool", "-S", lab.dut_device])
        return int(re.findall(r"rx_queue_0_xdp_packets: (\d+)", output)[0])

    send_pings(lab.generator, DUT_ADDRESS, pings_per_second=100, seconds=0.2)
    assert polled() == 0, "without a load veth need not poll for them"
    lead_to_device_queues(lab)
    ping = send_pings(lab.generator, DUT_ADDRESS, pings_per_second=100, seconds=0.2)
    assert polled() == ping.sent == 20


@pytest.mark.root
def test_foreign_packets_are_dropped_where_no_ping_is_to_pass(lab):
    load = Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=0.001)
    cell = Cell(
        lab="veth", mode="serial", datapath="xdp_generic", program="xdp_tx", memory_accesses=0,
        queues=1, link_gbps=math.inf, load=load,
    )  # fmt: skip
    pings = Pings(
        namespace=lab.generator, destination=DUT_ADDRESS, pings_per_second=100, seconds=0.1
    )
    send_live_frames(lab, cell, Timing(warm_up_seconds=0.0, seconds=0.1), (), pings)
    assert pings.answer().received == 0


@pytest.mark.root
@pytest.mark.parametrize("rate", [0.0, -1.0, 1001.0, math.nan])
def test_a_rate_that_ping_has_not_got_is_refused(lab, rate):
    with pytest.raises(BadInputError, match=f"pings_per_second={rate}"):
        send_pings(lab.generator, DUT_ADDRESS, pings_per_second=rate, seconds=0.1)


@pytest.mark.root
def test_missing_ping_is_said_with_its_package(lab, monkeypatch):
    monkeypatch.setattr(tools, "tool_path", lambda name: None)
    with pytest.raises(CannotHereError, match=r"^ping: .*apt-get install -y iputils-ping$"):
        send_pings(lab.generator, DUT_ADDRESS, pings_per_second=100, seconds=0.1)


KILLED = textwrap.dedent("""
    import time
    from linerate.measure.generators.ping import Pings
    from linerate.measure.labs.namespace import Namespace
    with Namespace.create() as namespace:
        namespace.run(["ip", "link", "set", "lo", "up"])
        with Pings(
            namespace=namespace, destination="127.0.0.1", pings_per_second=100, seconds=60
        ) as pings:
            time.sleep(0.3)
            print(pings._process.pid, flush=True)
            time.sleep(60)
""")


@pytest.mark.root
def test_ping_goes_with_us_when_we_are_killed():
    owner = warm.start(program=KILLED)
    ping = int(owner.readline())
    assert Path(f"/proc/{ping}/comm").read_text() == "ping\n"
    owner.kill()
    owner.wait()
    end = time.monotonic() + 5.0
    while Path(f"/proc/{ping}").exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert not Path(f"/proc/{ping}").exists()
