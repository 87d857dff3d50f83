"""Trials of filters: real loads, what is counted of them, and what is refused beforehand."""

import shutil
import subprocess
from pathlib import Path

import pytest

from linerate.cells import Packet
from linerate.errors import CannotHereError
from linerate.measure.datapaths.filters.bench import check_filter, open_filter_bench
from linerate.measure.datapaths.filters.filter import DropCount
from linerate.measure.datapaths.filters.module import check_netfilter_module
from linerate.measure.datapaths.filters.rates import Looks, packets_by_interval
from linerate.measure.generators.external import tools
from linerate.measure.system.machine import tool_path
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import judge
from linerate.settings import columns_of

from .filter_ways import WAYS, one_of_each_datapath

TIMING = Timing(warm_up_seconds=0.02, seconds=0.35)


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


@pytest.mark.root
@pytest.mark.parametrize("way", [*one_of_each_datapath()])
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
@pytest.mark.sampled
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


@pytest.mark.exclusive
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


@pytest.mark.root
@pytest.mark.parametrize(
    ("way", "tool"),
    [("nftables  input", "nft"), ("iptables legacy input", "iptables-legacy")],
)
def test_missing_tool_is_named_with_its_package(cell, monkeypatch, way, tool):
    monkeypatch.setattr(tools, "tool_path", lambda _: None)
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
        ["make", "-C", repository / "measure/datapaths/filters/netfilter_module", f"OUT={tmp_path}",
         f"KERNEL_HEADERS={headers[-1].parents[2]}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    built = (tmp_path / "linerate_filter.ko").read_bytes()
    for parameter in (b"parmtype=program:charp", b"parmtype=hook:charp", b"parm=dropped:"):
        assert parameter in built
