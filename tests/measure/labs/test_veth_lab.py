"""Real frames through real hooks in the veth lab."""

import json
import subprocess

import pytest

from linerate.errors import BadInputError, LinerateError
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.datapaths.xdp.attach import attach_xdp
from linerate.measure.generators.live_frames import send_live_frames
from linerate.measure.labs.namespace import Namespace
from linerate.measure.labs.veth import open_veth_lab
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import CONTENDED_RATIO_MAX

from ...needs import two_cores

pytestmark = pytest.mark.root
TRIES = 6
ENDS = "sleep 0.5 & echo $!; wait"
"""Prints the id of a process that ends, and is waited for, within a second."""
TIMING = Timing(warm_up_seconds=0.02, seconds=0.1)


@pytest.fixture(scope="session")
def trial_of(cell_of):
    """Measure the cell so described once, with a program load of its own."""

    def measure(timing=TIMING, **changes):
        cell = cell_of(**changes)
        with open_bench(cell) as bench:
            trial = bench.run_trial(cell.load, timing)
            for _ in range(TRIES - 1):
                # Another campaign on these cores tells nothing of the lab; a campaign repeats too.
                if trial.sent_packets and trial.contended_ratio <= CONTENDED_RATIO_MAX:
                    break
                trial = bench.run_trial(cell.load, timing)
            return trial

    return measure


@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
def test_serial_mode_loses_nothing(datapath, trial_of):
    trial = trial_of(datapath=datapath)
    assert trial.forwarded_packets == trial.sent_packets > 1000


@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
def test_split_mode_loses_nothing_on_the_way_back(datapath, trial_of):
    trial = trial_of(datapath=datapath, mode="split", memory_accesses=100)
    assert trial.forwarded_packets > 1000
    assert trial.dropped["dut_tx"] == trial.dropped["sink_ring"] == 0
    lost = trial.sent_packets - trial.forwarded_packets
    assert lost == pytest.approx(trial.dropped["dut_ring"], abs=1024)


@pytest.mark.exclusive
def test_each_lookup_takes_its_time(trial_of):
    bare, busy = (trial_of(memory_accesses=n).forwarded_mpps for n in (0, 12800))
    ns_per_lookup = (1e3 / busy - 1e3 / bare) / 12800
    assert 0.1 < ns_per_lookup < 50.0


def test_drop_program_is_counted_at_the_driver(trial_of):
    trial = trial_of(program="xdp_drop")
    assert trial.forwarded_from == "dut_xdp_drops"
    assert trial.forwarded_packets == pytest.approx(trial.sent_packets, rel=0.02)


@pytest.mark.exclusive
def test_constant_rate_is_kept_and_stamped(trial_of):
    load = {"arrivals": "constant", "offered_mpps": 0.02}
    # Long enough that what a stalled machine owes from the warm-up weighs little.
    trial = trial_of(Timing(warm_up_seconds=0.02, seconds=0.5), mode="split", load=load)
    assert trial.intended_packets / trial.duration_s / 1e6 == pytest.approx(0.02, rel=0.1)
    assert trial.latency is not None
    assert trial.latency.packets == trial.forwarded_packets
    assert 0.5 < trial.latency.quantile_us(0.5) < 10_000


@pytest.mark.exclusive
def test_poisson_and_constant_have_the_same_mean_rate(trial_of):
    sent = [
        trial_of(mode="split", load={"arrivals": kind, "offered_mpps": 0.05}).sent_packets
        for kind in ("constant", "poisson")
    ]
    # 5000 packets: four standard deviations of a Poisson count are 6 %
    assert sent[1] == pytest.approx(sent[0], rel=0.06)


def test_mixed_sizes_come_back_whole(trial_of):
    load = {"frame_mix": ((7, 64), (4, 594), (1, 1518)), "flows": 16}
    trial = trial_of(load=load)
    assert trial.forwarded_packets == trial.sent_packets > 1000


@pytest.mark.exclusive
def test_link_limit_is_never_exceeded(trial_of):
    load = {"arrivals": "constant", "offered_mpps": 0.1}
    trial = trial_of(link_gbps=0.0672, load=load)  # 0.1 Mpps of 64 B
    assert trial.forwarded_mpps <= 0.1 * 1.001


def test_program_on_the_interface_already_is_not_replaced(cell_of):
    with open_veth_lab("serial", 1, gro=False) as lab:
        foreign = str(built.program_object("xdp_drop"))
        lab.dut.run(
            ["ip", "link", "set", "dev", lab.dut_device, "xdpdrv", "obj", foreign, "sec", "xdp"]
        )

        def attached_id():
            output = json.loads(lab.dut.run(["ip", "-j", "link", "show", "dev", lab.dut_device]))
            return output[0]["xdp"]["prog"]["id"]

        before = attached_id()
        with (
            pytest.raises(LinerateError, match="busy"),
            attach_xdp(lab, cell_of(program="xdp_tx")),
        ):
            pass
        assert attached_id() == before


def test_a_thread_of_the_device_that_ends_within_a_trial_has_no_time(cell_of):
    """Its counters are gone with it; the difference was 584 years."""
    cell = cell_of()
    with (
        open_veth_lab("serial", 1, gro=False) as lab,
        attach_xdp(lab, cell),
        subprocess.Popen(["sh", "-c", ENDS], stdout=subprocess.PIPE, text=True) as parent,
    ):
        assert parent.stdout is not None
        thread = int(parent.stdout.readline())
        report = send_live_frames(lab, cell, Timing(warm_up_seconds=0, seconds=1.0), (thread,))
    assert (report.dut_thread_ns, report.dut_wait_ns) == ((0,), (0,))


def test_time_of_a_program_alone_grows_as_what_it_does(cell_of):
    """By the clock it took three to seven times as long where others held the core."""
    with open_veth_lab("serial", 1, gro=False) as lab:
        taken_ns = []
        for accesses in (400, 6400):
            with attach_xdp(lab, cell_of(memory_accesses=accesses)) as program:
                taken_ns.append(program.program_ns)
    assert 8.0 < taken_ns[1] / taken_ns[0] < 32.0


@two_cores
def test_each_core_forwards_by_a_queue_of_its_own():
    with open_veth_lab("serial", 2, gro=True, second_way=True) as lab:
        queues = lab.dut.sys_class_net(lab.out_device) / "queues"
        masks = [int((queues / f"tx-{queue}/xps_cpus").read_text(), 16) for queue in range(2)]
    assert masks == [1 << core for core in lab.dut_cores]


def test_more_queues_than_cores_are_refused():
    with (
        pytest.raises(BadInputError, match=r"queues=999: .*; allowed: 1\.\."),
        open_veth_lab("serial", 999, gro=False),
    ):
        pass


def test_namespace_goes_with_its_holder():
    namespace = Namespace.create()
    path = namespace.path
    assert subprocess.run(["test", "-e", path], check=False).returncode == 0
    namespace.close()
    assert subprocess.run(["test", "-e", path], check=False).returncode == 1


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--dev", "x"], "cores=: it is needed"),
        (["--dev", "x", "--dut-dev", "y", "--cores", "nan"], "cores=nan: "),
        (
            ["--dev", "x", "--dut-dev", "y", "--cores", "0", "--frame-bytes", "63"],
            "frame-bytes=63: ",
        ),
        (["--dev", "x", "--dut-dev", "y", "--cores", "0", "--seconds", "-1"], "seconds=-1: "),
        (["--dev", "x", "--dut-dev", "y", "--cores", "0", "--arrivals", "poisson"], "per-second"),
    ],
)
def test_traffic_runner_refuses_bad_flags(argv, words):
    done = subprocess.run(
        [built.runner("traffic"), *argv], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert words in done.stderr
