"""TRex behind the protocol of generators, against a stand-in of its Python client: none is here."""

import json
import math
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from linerate.cells import Packet
from linerate.errors import BadInputError, CannotHereError, LinerateError
from linerate.measure.generators.external.trex.counts import latency_of_counts, read_counts
from linerate.measure.generators.external.trex.generator import PYTHON, TRex
from linerate.measure.generators.external.usual_paths import TREX_API
from linerate.measure.remote.card_port import CardPort
from linerate.measure.remote.kind import SendingPort

from .traffic_runs import CARD, NOTHING, result_of, start

STAND_IN = Path(__file__).with_name("trex_stand_in.py")
WAIT_SECONDS = 20.0

pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason=f"there is no {PYTHON}")


@pytest.fixture
def port(tmp_path, monkeypatch):
    """Unpack a TRex that is a stand-in; the port that its server has."""
    package = tmp_path / "v3.06" / TREX_API / "trex"
    (package / "stl").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "stl/__init__.py").touch()
    shutil.copy(STAND_IN, package / "stl/api.py")
    monkeypatch.setenv("TREX_CALLS", str(tmp_path / "calls"))
    return SendingPort(port=CardPort(CARD), cores=(0,), program=str(tmp_path / "v3.06"))


@pytest.fixture
def calls(tmp_path):
    """Read what the server was asked for, in order."""

    def read(name=None):
        path = tmp_path / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        told = [json.loads(line) for line in lines]
        return [call for call in told if name in (None, call["call"])]

    return read


@pytest.fixture
def answers(monkeypatch):
    def answer(**settings):
        monkeypatch.setenv("TREX_ANSWER", json.dumps(settings))

    return answer


def run(port, request):
    output = result_of(TRex().argv(port, request), request.seconds)
    return TRex().report(output, request, NOTHING, port)


def test_the_servers_counts_of_the_port_are_the_report(port):
    report = run(port, start(seconds=0.3))
    assert (report.sent, report.received, report.intended) == (1000, 990, 3000)
    assert report.duration_ns == 300_000_000
    assert report.remarks == ()


def test_latency_is_of_buckets_and_their_middles(port):
    latency = run(port, start()).latency
    assert latency is not None
    assert latency.buckets == ((0, 2), (10_000, 5), (50_000, 1))
    assert latency.sum_ns == 2 * 5_000 + 5 * 15_000 + 52_000  # no more than the largest seen
    assert (latency.max_ns, latency.taken) == (52_000, "software")


def test_without_a_probe_there_is_no_latency(port, answers):
    answers(without_latency=True)
    assert run(port, start()).latency is None


def test_the_port_is_the_one_that_has_the_card(port, calls):
    run(port, start())
    assert [call["ports"] for call in calls("start")] == [[1]]
    assert calls("set_port_attr")[0]["promiscuous"] is True


def test_the_server_is_told_when_to_end(port, calls):
    run(port, start(seconds=0.25))
    assert [call["duration"] for call in calls("start")] == [0.25]


def test_frames_are_told_without_their_fcs_and_share_the_rate(port, calls):
    run(port, start(frame_mix=((2, 64), (1, 594)), offered_mpps=0.03))
    *mix, probes = calls("add_streams")[0]["streams"]
    assert [stream["bytes"] for stream in mix] == [60, 60, 590]
    assert sum(stream["pps"] for stream in (*mix, probes)) == pytest.approx(30_000)
    assert len({stream["pps"] for stream in mix}) == 1
    assert (probes["pps"], probes["group"]) == (300, 7)


def test_flows_are_source_ports(port, calls):
    run(port, start(flows=10))
    variable, write = calls("add_streams")[0]["streams"][0]["steps"]
    assert (variable["min_value"], variable["max_value"]) == (1024, 1033)
    assert write["pkt_offset"] == "UDP.sport"


def test_no_more_is_sent_than_the_imitated_link_carries(port, calls):
    run(port, start(link_gbps=0.01, offered_mpps=1.0))
    streams = calls("add_streams")[0]["streams"]
    assert sum(stream["pps"] for stream in streams) == pytest.approx(10e6 / 8 / 84)


def test_a_flood_without_a_link_fills_the_cards_own(port, calls):
    report = run(port, start(link_gbps=float("inf"), arrivals="flood", offered_mpps=float("inf")))
    assert calls("start")[0]["mult"] == "100%"
    assert report.intended == report.sent


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"port": {"ipackets": 1200}}, "200 more packets came back than were sent"),
        ({"port": {"ierrors": 50}}, "the generator's card lost 50 frames"),
        ({"warnings": ["a core\nis slow"]}, "TRex warns: a core is slow"),
        ({"seconds": 0.0}, "TRex sent for"),
    ],
)
def test_what_makes_counts_doubtful_is_said(port, answers, settings, words):
    answers(**settings)
    report = run(port, start(seconds=0.5))
    assert [words in remark for remark in report.remarks] == [True]
    assert report.received <= report.sent


def test_busy_cores_of_the_server_are_told_while_it_sends(port, answers):
    answers(**{"global": {"cpu_util": 97.0}})
    assert any("97 % busy" in remark for remark in run(port, start(seconds=0.5)).remarks)


def test_a_server_that_does_not_answer_is_quoted(port, answers):
    answers(refuses=True)
    with pytest.raises(LinerateError, match=r"STLError: .*did not respond second line"):
        run(port, start())


def test_a_card_that_the_server_has_not_got_is_named(port, answers):
    answers(cards=["0000:01:00.0"])
    with pytest.raises(LinerateError, match=r"no port on 0000:3b:00.0; it has 0000:01:00.0"):
        run(port, start())


def test_a_client_that_does_not_load_says_under_which_python(port):
    (Path(port.program) / TREX_API / "trex/stl/api.py").write_text("import imp_of_old\n")
    with pytest.raises(CannotHereError, match=r"not load under .*python3.* 3\.\d+.*imp_of_old"):
        run(port, start())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_traffic_is_stopped_when_the_client_is_killed(port, calls, number):
    client = subprocess.Popen(TRex().argv(port, start(seconds=30.0)), stdout=subprocess.DEVNULL)
    await_call(calls, "wait_on_traffic", "start")
    os.kill(client.pid, number)
    client.wait()
    assert await_call(calls, "stop")
    assert calls("acquire")[-1] == {"call": "acquire", "ports": [1], "force": True}


def test_nothing_is_stopped_after_a_trial_that_came_to_its_end(port, calls):
    run(port, start())
    time.sleep(0.3)
    assert calls("stop") == []


def await_call(calls, *names):
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        if any(calls(name) for name in names):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"arrivals": "poisson"}, "TRex spaces packets evenly, and has no random gaps"),
        ({"arrivals": "burst", "burst_packets": 4}, "not supported by TRex"),
        (
            {"packet": Packet(protocol="tcp", tcp_flags="S"), "frame_mix": ((1, 90),)},
            "protocol=tcp",
        ),
        ({"frame_mix": ((1, 9000),)}, "allowed: 64..1518"),
        ({"frame_mix": ((60, 64), (40, 128))}, "weights of 100 in all"),
        ({"flows": 100_000}, "flows=100000"),
    ],
)
def test_loads_that_trex_has_not_got_are_refused(port, changes, words):
    with pytest.raises(BadInputError, match=words):
        TRex().argv(port, start(**changes))


def test_a_missing_trex_is_said_with_how_to_get_it(tmp_path):
    port = SendingPort(port=CardPort(CARD), cores=(0,), program=str(tmp_path))
    with pytest.raises(CannotHereError, match=r"TRex: there is no .*; unpack a release there"):
        TRex().version(port)


def test_its_version_names_the_release(port):
    assert TRex().version(port).startswith("TRex v3.06, client ")


@pytest.mark.parametrize("output", ["", "hello\n", 'LINERATE {"sent": 1}\n', "LINERATE {\n" * 2])
def test_what_is_no_answer_is_refused(output):
    with pytest.raises(LinerateError, match=r"TRex: (no counts|its answer)"):
        read_counts(output)


ANSWER = {
    "sent": 9, "received": 9, "send_errors": 0, "receive_errors": 0, "histogram": [[20, 3]],
    "max_us": 22.0, "warnings": [], "cpu_percent": 1.0, "queue_full": 0, "lasted_s": 0.3,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_us", math.inf), ("max_us", math.nan), ("histogram", [[10**400, 1]]), ("sent", 10**400),
     ("receive_errors", 10**400), ("lasted_s", math.inf), ("cpu_percent", math.nan)],
)  # fmt: skip
def test_numbers_that_no_card_counts_are_refused(name, value):
    assert latency_of_counts(read_counts(f"LINERATE {json.dumps(ANSWER)}\n"))
    with pytest.raises(LinerateError, match="TRex: its answer cannot be read"):
        read_counts(f"LINERATE {json.dumps(ANSWER | {name: value})}\n")
