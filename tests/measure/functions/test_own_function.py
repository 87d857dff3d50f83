"""Functions of the user's own on real sockets: what is counted, what breaks, what is refused."""

import json
import math
from dataclasses import replace

import pytest

from linerate.cells import Cell, Load, Mode
from linerate.errors import BadInputError, DeviceFailedError
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.datapaths.af_xdp.own.bench import check_function, described
from linerate.measure.datapaths.af_xdp.own.settings import FunctionSettings
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.functions.base import measure_sockets
from linerate.measure.objects.calibrating.rounds import TIMING as CALIBRATION
from linerate.measure.objects.calibrating.rounds import unstalled_ns
from linerate.measure.trials.bench import Timing
from linerate.programs.costs import FRAME_BYTES
from linerate.settings import columns_of

from ...needs import two_cores
from ...shared_object import compile_shared, function_of

TIMING = Timing(warm_up_seconds=0.02, seconds=0.05)
BORDER_PACKETS = 256
"""On their way when the counted time begins or ends, and counted by one end alone."""
SORT = "return frame[14 + 15] & 1 ? LINERATE_DROP : LINERATE_TX;"
"""By the last bit of the source address."""
CAMPAIGN = """
name = "own"
lab = "veth"
repetitions = 1
trial_seconds = 0.2
warm_up_seconds = 0.0
[[cells]]
mode = "serial"
datapath = ["af_xdp"]
program = ["mine.so"]
queues = [1]
link_gbps = inf
offered_mpps = ["flood"]
"""


@pytest.fixture
def cell(tmp_path):
    """Make a cell with a function's body as its program."""

    def cell(body, mode: Mode = "serial", offered_mpps=math.inf, queues=1, **settings):
        compile_shared(tmp_path / "mine.so", function_of(body))
        load = Load(
            frame_mix=((1, 64),), arrivals="flood" if math.isinf(offered_mpps) else "constant",
            offered_mpps=offered_mpps,
        )  # fmt: skip
        return Cell(
            lab="veth", mode=mode, datapath="af_xdp", program="mine.so", memory_accesses=0,
            queues=queues, link_gbps=math.inf, load=load,
            settings=columns_of(FunctionSettings(**settings)),
        )  # fmt: skip

    return cell


def trial_of(wanted, folder):
    with open_bench(wanted, folder) as bench:
        return bench.run_trial(wanted.load, TIMING)


def frames_file(folder, *last):
    """Frames whose source ends in these, one after the other."""
    ip = "4500002e00000000401100000a0000{:02x}0a000002"
    frames = [{"hex": "020000000002020000000001" + "0800" + ip.format(one) + "00" * 26}
              for one in last]  # fmt: skip
    (folder / "frames.json").write_text(json.dumps(frames))
    return "frames.json"


@pytest.mark.root
@pytest.mark.parametrize(
    ("body", "ended"),
    [
        ("return LINERATE_TX;", "tx"),
        ("return LINERATE_DROP;", "drop"),
        ("return 2;", "aborted"),
    ],
)
def test_every_verdict_is_counted_where_packets_end(cell, tmp_path, body, ended):
    trial = trial_of(cell(body), tmp_path)
    assert trial.forwarded_packets > 500
    assert trial.ends[ended] == sum(trial.ends.values())
    assert trial.ends[ended] == pytest.approx(trial.sent_packets, abs=BORDER_PACKETS)


@pytest.mark.root
def test_frames_of_a_file_are_sorted_by_the_function(cell, tmp_path):
    wanted = cell(SORT, traffic=frames_file(tmp_path, 1, 2, 3))
    trial = trial_of(wanted, tmp_path)
    assert trial.ends["drop"] == pytest.approx(2 * trial.ends["tx"], abs=BORDER_PACKETS)
    assert trial.ends["tx"] > 100


@pytest.mark.root
def test_with_a_core_of_its_own_what_comes_back_has_its_latency(cell, tmp_path):
    """In overload the ring loses some, which a shared host may make any number of."""
    trial = trial_of(cell("return LINERATE_TX;", mode="split", offered_mpps=0.01), tmp_path)
    assert trial.latency is not None
    assert trial.ends["tx"] == pytest.approx(trial.latency.packets, abs=BORDER_PACKETS)


@pytest.mark.root
@two_cores
def test_each_queue_has_a_state_of_its_own(cell, tmp_path):
    """The first frame that finds its state empty is sent: one for each queue."""
    trial = trial_of(cell("uint64_t *n = state; return (*n)++ < 7 ? 3 : 1;", queues=2), tmp_path)
    assert trial.ends["tx"] == 0, "the warm-up had them"
    assert trial.ends["drop"] > 500


@pytest.mark.root
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("volatile int *volatile none = 0; *none = 1; return 1;", "SIGSEGV"),
        ('for (;;) __asm__ volatile(""); return 1;', "entry=fn: it has not returned after"),
    ],
)
def test_a_function_that_breaks_is_a_result_with_a_reason(cell, tmp_path, body, words):
    with pytest.raises(DeviceFailedError, match=words):
        trial_of(cell(body), tmp_path)


@pytest.mark.root
def test_a_function_finds_no_rights_in_the_process_that_measures_it(cell, tmp_path):
    """It sends what it gets only if it cannot make a socket that needs a capability."""
    body = "return socket(17, 3, 0) < 0 ? LINERATE_TX : LINERATE_DROP;"
    wanted = cell("return 1;")
    compile_shared(tmp_path / "mine.so", "#include <sys/socket.h>\n" + function_of(body))
    trial = trial_of(wanted, tmp_path)
    assert trial.ends["tx"] == sum(trial.ends.values()) > 0


@pytest.mark.root
@pytest.mark.exclusive
def test_to_drop_costs_less_than_to_send_back():
    timing = replace(CALIBRATION, seconds=0.03)
    costs = measure_sockets(1, timing, unstalled_ns)
    assert set(costs) == {f"af_xdp.{v}.{size}.1" for v in ("drop", "tx") for size in FRAME_BYTES}
    assert costs["af_xdp.tx.64.1"] > costs["af_xdp.drop.64.1"] > 0


@pytest.mark.root
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"entry": "gone"}, "entry=gone: .* exports no such function; allowed: fn"),
        ({"queues": 999}, "queues=999"),
        ({"traffic": "gone.json"}, "gone.json: it cannot be read"),
        ({"batch_packets": 0}, "batch_packets=0"),
    ],
)
def test_what_cannot_be_measured_is_refused_before(cell, tmp_path, changes, words):
    with pytest.raises(BadInputError, match=words):
        check_function(cell("return 1;", **changes), tmp_path)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("frame_bytes = [64]\nsocket = { batch_packets = [32] }", "socket=a table: functions of"),
        ("frame_bytes = [64]\nmemory_accesses = [5]", "memory_accesses"),
        ("frame_bytes = [64]\npacket = { sources = 7 }", "packet=.*in serial mode own"),
        ('frame_bytes = [64]\nfunction = { traffic = ["f.json"] }', "frame_bytes=.64.: the frames"),
        ('function = { traffic = ["f.txt"] }', "traffic=f.txt"),
    ],
)
def test_what_does_not_go_together_is_refused_when_it_is_read(tmp_path, lines, words):
    (tmp_path / "c.toml").write_text(CAMPAIGN + lines)
    with pytest.raises(BadInputError, match=words):
        read_campaign(tmp_path / "c.toml")


def test_a_campaign_names_entry_and_frames_and_says_how_large_they_are(tmp_path):
    lines = f'function = {{ entry = ["fn"], traffic = ["{frames_file(tmp_path, 1, 2)}"] }}\n'
    (tmp_path / "c.toml").write_text(CAMPAIGN + lines)
    (cell,) = read_campaign(tmp_path / "c.toml").campaign.cells()
    assert dict(cell.settings)["function_entry"] == "fn"
    assert described(cell, tmp_path).load.frame_mix == ((1, 64),)
