"""linerate's generator by DPDK: what it takes, what it says, and a host where DPDK is not."""

import json
import shlex

import pytest

from linerate.cells import Packet
from linerate.errors import BadInputError, CannotHereError, LinerateError
from linerate.measure.generators.dpdk.generator import Dpdk, load_flags, read_counts
from linerate.measure.labs.port import Port
from linerate.measure.remote.card_port import CardPort
from linerate.measure.remote.kind import SendingPort

from .traffic_runs import CARD, NOTHING, start

KIND = Dpdk()
COUNTED = {
    "dpdk": "DPDK 22.11.11", "duration_ns": 500_000_000, "intended": 5000, "sent": 4990,
    "received": 4980, "foreign": 2, "missed": 0, "wait_ns": 5_000_000,
    "latency": {"sum_ns": 49_800_000, "max_ns": 20_000, "buckets": [[9984, 4980]]},
}  # fmt: skip


def port(device="lo", cores=(0,)):
    outlet = CardPort(device) if ":" in device else Port(device)
    return SendingPort(port=outlet, cores=cores)


def flag(request, name):
    flags = load_flags(request)
    return flags[flags.index(f"--{name}") + 1]


@pytest.mark.parametrize("load", [{"packet": Packet(protocol="tcp")}, {"frame_mix": ((1, 9000),)},
                                  {"frame_mix": ((9, 64), (9, 128))}])  # fmt: skip
def test_loads_that_it_does_not_make_are_refused(load):
    with pytest.raises(BadInputError, match="allowed"):
        KIND.check(start(**load).load, (0,))


def test_a_flood_is_paced_by_a_slower_link_alone():
    flood = {"arrivals": "flood", "offered_mpps": float("inf")}
    assert flag(start(link_gbps=float("inf"), **flood), "arrivals") == "flood"
    over_link = start(link_gbps=1.0, **flood)
    assert flag(over_link, "arrivals") == "constant"
    assert float(flag(over_link, "packets-per-second")) == pytest.approx(1e9 / 8 / 84)


def test_a_mix_is_sent_in_its_weights():
    request = start(frame_mix=((2, 64), (1, 512)), arrivals="burst", burst_packets=8)
    assert flag(request, "frame-bytes") == "64,64,512"
    assert (flag(request, "arrivals"), flag(request, "burst-packets")) == ("constant", "8")


@pytest.mark.dpdk
def test_a_card_has_hugepages_and_an_interface_its_sockets():
    card, interface = KIND.argv(port(CARD), start()), KIND.argv(port("lo"), start())
    assert "--hugepages" in card
    assert card[card.index("--port") + 1] == "pci"
    assert interface[interface.index("--port") + 1] == "af_packet"
    assert shlex.split(interface[-1])[:2] == ["--seconds", "0.5"]


def test_counts_are_stated_and_what_found_no_room_is_said():
    report = KIND.report(json.dumps(COUNTED), start(), NOTHING, port())
    assert (report.intended, report.sent, report.received) == (5000, 4990, 4980)
    assert report.contended_ratio == 0.01
    assert report.remarks == ()
    lossy = KIND.report(json.dumps(COUNTED | {"missed": 7}), start(), NOTHING, port())
    (remark,) = lossy.remarks
    assert "7 packets that came back found no room" in remark


def test_words_are_no_counts():
    with pytest.raises(LinerateError, match="EAL: no"):
        read_counts("EAL: no\n")


def test_a_host_without_dpdk_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("LINERATE_BUILD", str(tmp_path))
    with pytest.raises(CannotHereError, match="apt-get install -y dpdk libdpdk-dev, then make set"):
        KIND.version(port())
