"""Real frames through real AF_XDP sockets in the veth lab."""

import json
import math
import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from linerate.cells import Cell, Load, Mode
from linerate.errors import BadInputError, DeviceFailedError, LinerateError
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.af_xdp.forwarder import check_af_xdp, forward, open_af_xdp_bench
from linerate.measure.datapaths.af_xdp.settings import SocketSettings
from linerate.measure.datapaths.af_xdp.veth import SocketCounts
from linerate.measure.labs.veth import open_veth_lab
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import CONTENDED_RATIO_MAX, judge
from linerate.settings import columns_of

from ... import warm

pytestmark = pytest.mark.root
TRIES = 6
TIMING = Timing(warm_up_seconds=0.02, seconds=0.05)
DESTINATION, SOURCE = bytes.fromhex("020000000002"), bytes.fromhex("020000000001")
EXCHANGE = """
import json, select, socket, sys, time
frames = [bytes.fromhex(word) for word in sys.argv[1:]]
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as gen:
    gen.bind(("gen", 0))
    began, back = time.monotonic(), []
    for frame in frames:
        gen.send(frame)
    while len(back) < len(frames) and select.select([gen], [], [], 1.0)[0]:
        frame, (_, _, kind, _, _) = gen.recvfrom(2048)
        if kind != socket.PACKET_OUTGOING:
            back.append(frame.hex())
print(json.dumps({"back": back, "seconds": time.monotonic() - began}))
"""
HOLD = """
import time
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.af_xdp.forwarder import forward
from linerate.measure.labs.veth import open_veth_lab
from tests.measure.datapaths.test_af_xdp import cell
with open_veth_lab("serial", 1, gro=False) as lab, forward(lab, cell()) as forwarder:
    print(forwarder.threads[0], ProbePoint.of_lab(lab).xdp_program(), flush=True)
    time.sleep(60)
"""


def cell(mode: Mode = "serial", memory_accesses=0, queues=1, offered_mpps=math.inf, **socket):
    return Cell(
        lab="veth", mode=mode, datapath="af_xdp", program="xsk_memcpy",
        memory_accesses=memory_accesses, queues=queues, link_gbps=math.inf,
        load=Load(
            frame_mix=((1, 64),), offered_mpps=offered_mpps,
            arrivals="flood" if math.isinf(offered_mpps) else "constant",
        ),
        settings=columns_of(SocketSettings(**socket)),
    )  # fmt: skip


def trials_of(wanted, count=1, timing=TIMING):
    with open_af_xdp_bench(wanted) as bench:
        return [bench.run_trial(wanted.load, timing) for _ in range(count)]


def is_calm(trial):
    """Whether others on these cores, who tell nothing of the lab, let it be."""
    return trial.sent_packets > 1000 and trial.contended_ratio <= CONTENDED_RATIO_MAX


def calm_trial_of(wanted, timing=TIMING):
    with open_af_xdp_bench(wanted) as bench:
        trial = bench.run_trial(wanted.load, timing)
        for _ in range(TRIES - 1):
            if is_calm(trial):
                break
            trial = bench.run_trial(wanted.load, timing)
        return trial


def ip_frame(number=0):
    header = bytes.fromhex("4500002e00000000401100") + bytes([number])
    return (
        DESTINATION + SOURCE + b"\x08\x00" + header + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + bytes(26)
    )


def exchange(lab, frames):
    done = subprocess.run(
        lab.generator.argv([sys.executable, "-c", EXCHANGE, *(frame.hex() for frame in frames)]),
        capture_output=True, text=True, check=True, timeout=20,
    )  # fmt: skip
    output = json.loads(done.stdout)
    return [bytes.fromhex(word) for word in output["back"]], output["seconds"]


def counts_now(forwarder):
    os.write(forwarder.partner.process.input_fd, b"\n")
    return forwarder.read_counts()


@pytest.mark.parametrize("hook", ["native", "generic"])
def test_addresses_are_swapped_and_nothing_else_is_touched(hook):
    wanted = cell(memory_accesses=3, hook=hook)
    with open_veth_lab("serial", 1, gro=hook == "generic") as lab, forward(lab, wanted):
        (back,), _ = exchange(lab, [ip_frame()])
    sent = ip_frame()
    assert back == SOURCE + DESTINATION + sent[12:26] + sent[30:34] + sent[26:30] + sent[34:]


def test_frames_without_an_ip_header_keep_their_payload():
    arp = DESTINATION + SOURCE + b"\x08\x06" + bytes(range(46))
    with open_veth_lab("serial", 1, gro=False) as lab, forward(lab, cell()):
        (back,), _ = exchange(lab, [arp])
    assert back == SOURCE + DESTINATION + arp[12:]


@pytest.mark.exclusive
def test_partial_batch_comes_back_at_once_and_is_counted():
    frames = [ip_frame(number) for number in range(3)]
    with (
        open_veth_lab("serial", 1, gro=False) as lab,
        forward(lab, cell(batch_packets=64)) as forwarder,
    ):
        before = counts_now(forwarder)
        back, seconds = exchange(lab, frames)
        counts = counts_now(forwarder) - before
    assert [frame[25] for frame in back] == [0, 1, 2]
    assert seconds < 0.5
    assert counts.received == counts.sent == 3


@pytest.mark.parametrize("hook", ["native", "generic"])
@pytest.mark.parametrize("batch_packets", [1, 64, 256])
def test_serial_mode_loses_nothing(hook, batch_packets):
    trial = calm_trial_of(cell(hook=hook, batch_packets=batch_packets))
    assert trial.forwarded_packets == trial.sent_packets > 0
    assert sum(trial.dropped.values()) == 0


@pytest.mark.exclusive
def test_taking_turns_on_a_core_is_no_contention():
    assert any(is_calm(trial) for trial in trials_of(cell(), 2 * TRIES))


@pytest.mark.exclusive
def test_each_copy_takes_its_time():
    bare, busy = (
        max(trial.forwarded_mpps for trial in trials_of(cell(memory_accesses=n), TRIES))
        for n in (0, 12800)
    )
    ns_per_copy = (1e3 / busy - 1e3 / bare) / 12800
    assert 0.05 < ns_per_copy < 10.0


@pytest.mark.exclusive
def test_paced_load_is_kept_in_serial_mode():
    # Long enough that what a stalled machine owes from the warm-up weighs little.
    wanted = cell(offered_mpps=0.05)
    trial = calm_trial_of(wanted, Timing(warm_up_seconds=0.02, seconds=0.5))
    assert trial.intended_packets / trial.duration_s / 1e6 == pytest.approx(0.05, rel=0.25)
    assert trial.forwarded_packets == trial.sent_packets > 0


@pytest.mark.exclusive
@pytest.mark.parametrize("hook", ["native", "generic"])
def test_split_mode_finds_every_lost_packet_in_overload(hook):
    wanted = cell(mode="split", hook=hook)
    trials = trials_of(wanted, TRIES, Timing(warm_up_seconds=0.05, seconds=0.2))
    unexplained = [any("no counter" in r for r in judge(wanted, t).reasons) for t in trials]
    assert all(trial.dropped["dut_socket"] > 0 for trial in trials)
    assert not all(unexplained), "others on this machine may delay a count, but not each"


@pytest.mark.exclusive
def test_split_mode_takes_latency_and_the_time_of_both_threads():
    wanted = cell(mode="split", offered_mpps=0.02)
    trial = calm_trial_of(wanted, replace(TIMING, seconds=0.3))
    assert trial.latency is not None
    assert trial.latency.packets == trial.forwarded_packets > 0
    assert len(trial.cpu_busy_ratios) == 1
    assert 0.0 < trial.cpu_busy_ratios[0] <= 1.0
    assert [place.cpu for place in trial.user_threads] == [1], "the core of the device's queue"


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")
def test_single_socket_returns_what_its_own_queue_brings():
    trial = calm_trial_of(cell(queues=2, sockets="queue_0"))
    lost = trial.sent_packets - trial.forwarded_packets
    assert trial.forwarded_packets > 0
    assert trial.dropped["dut_stack"] == pytest.approx(lost, abs=512)
    assert lost > 0


def test_zero_copy_is_refused_where_the_driver_has_none():
    with (
        pytest.raises(DeviceFailedError, match=r"zero_copy=true: .* no zero-copy AF_XDP; allowed"),
        open_af_xdp_bench(cell(zero_copy=True)),
    ):
        pass


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"busy_poll": True}, "busy_poll=true: .*split"),
        ({"busy_poll": True, "mode": "split", "hook": "generic"}, "busy_poll=true: .*native"),
        ({"batch_packets": 0}, r"batch_packets=0: .*1\.\.256"),
        ({"queues": 999}, "queues=999"),
        ({"queues": os.cpu_count() or 1, "hook": "generic"}, "queues=.*native"),
    ],
)
def test_settings_that_no_socket_can_have_are_refused(changes, words):
    with pytest.raises(BadInputError, match=words):
        check_af_xdp(cell(**changes))


def test_busy_polling_that_polls_nothing_is_not_called_so():
    counts = dict.fromkeys(SocketCounts.__slots__, 0) | {"received": 1}
    SocketCounts(**counts | {"polling_sockets": 1}).check_polled()
    with pytest.raises(DeviceFailedError, match="busy_poll=true"):
        SocketCounts(**counts).check_polled()


def test_program_on_the_interface_already_is_not_replaced():
    with open_veth_lab("serial", 1, gro=False) as lab:
        foreign = str(built.program_object("xdp_drop"))
        lab.dut.run(
            ["ip", "link", "set", "dev", lab.dut_device, "xdpdrv", "obj", foreign, "sec", "xdp"]
        )
        before = ProbePoint.of_lab(lab).xdp_program()
        with pytest.raises(LinerateError, match="busy"), forward(lab, cell()):
            pass
        assert ProbePoint.of_lab(lab).xdp_program() == before is not None


def test_nothing_outlives_a_killed_parent():
    parent = warm.start(program=HOLD)
    thread, program = parent.readline().split()
    assert os.path.exists(f"/proc/{thread}")
    assert program_exists(program)
    parent.kill()
    parent.wait()
    end = time.monotonic() + 10.0
    while (os.path.exists(f"/proc/{thread}") or program_exists(program)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{thread}")
    assert not program_exists(program)


def program_exists(number):
    argv = ["bpftool", "prog", "show", "id", number]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--dev", "x"], "object=: it is needed"),
        (
            ["--object", "o", "--dev", "x", "--cores", "0", "--batch-packets", "257"],
            "batch-packets=257: ",
        ),
        (["--object", "o", "--dev", "x", "--cores", "0,1", "--sockets", "queue_0"], "one core"),
        (["--object", "o", "--dev", "x", "--cores", "0", "--wake-fds", "5,6"], "wake-fds="),
        (
            ["--object", "o", "--dev", "x", "--cores", "0", "--hook", "offload"],
            "hook=offload: unknown",
        ),
    ],
)
def test_forwarder_refuses_bad_flags(argv, words):
    done = subprocess.run(
        [built.runner("xsk_forward"), *argv], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert words in done.stderr
