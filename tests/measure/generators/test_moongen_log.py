"""What MoonGen's script prints is read or refused, and impossible counts are told as such."""

import json
import math
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from linerate.errors import LinerateError
from linerate.measure.generators.external.moongen.doubts import doubts
from linerate.measure.generators.external.moongen.log import (
    Done,
    Ready,
    Second,
    SentLoad,
    Stamped,
    read_log,
)
from linerate.measure.importers.logs.moongen import parse_moongen

READY = {
    "kind": "ready", "driver": "net_ixgbe", "speed_mbps": 10000, "stamps": "hardware",
    "pattern": "cbr", "rate_mpps": 1.0,
}  # fmt: skip
SECOND = {"kind": "second", "at_ns": 1_000_000_000, "sent": 1_000_000, "received": 999_990}
DONE = {
    "kind": "done", "duration_ns": 1_000_000_000, "looked_tsc_ns": 1_050_000_000,
    "looked_monotonic_ns": 1_050_000_000, "given": 1_000_000, "burst_packets": 2,
    "sent": 1_000_000, "received": 1_000_000, "probes_sent": 1000, "probes_back": 1000,
    "latency": {"sum_ns": 20_000_000, "max_ns": 21_000, "buckets": [[19_968, 1000]]},
}  # fmt: skip
CHATTER = "[INFO]  Initializing DPDK. This will take a few seconds...\n   Device 0: 02:00 (X)\n"
LINE_PACKETS = 14_880_952.0


def output(*objects):
    return CHATTER + "".join(f"LINERATE {json.dumps(fields)}\n" for fields in objects)


@pytest.fixture
def log():
    return read_log(output(READY, SECOND, DONE))


def test_its_lines_are_found_among_moongens_own(log):
    assert log.ready.driver == "net_ixgbe"
    assert [second.sent for second in log.seconds] == [1_000_000]
    assert log.done.latency.buckets == ((19_968, 1000),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it printed nothing"),
        (output(READY, SECOND), "Initializing DPDK"),
        (output(READY, READY, DONE), "did not come to its end"),
        ("[ERROR] Could not find device\ntrace\n[C]\nmore\n", "Could not find device | trace"),
        ("\x1b[31m[FATAL] no memory\x1b[0m\n", r": [FATAL] no memory"),
        (output({**READY, "stamps": "guessed"}, DONE), "cannot be read"),
        (output({**READY, "more": 1}, {"kind": "nosuch"}), "cannot be read"),
        (output(READY, {**DONE, "duration_ns": 0}), "cannot be read"),
        (output(READY, {**DONE, "sent": "many"}), "cannot be read"),
        (output(READY, {**DONE, "given": -1}), "cannot be read"),
        (output(READY, {**DONE, "sent": 10**400}), "cannot be read"),
        (output(READY, {**DONE, "looked_tsc_ns": -(10**400)}), "cannot be read"),
        (output({**READY, "rate_mpps": math.inf}, DONE), "cannot be read"),
        (CHATTER + "LINERATE {\n", "cannot be read"),
    ],
)
def test_what_is_no_log_is_refused_with_its_words(text, words):
    with pytest.raises(LinerateError, match="MoonGen: ") as caught:
        read_log(text)
    assert words in str(caught.value)


def test_a_log_without_a_flaw_is_not_doubted(log):
    assert doubts(log, LINE_PACKETS) == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sent": 20_000_000, "received": 14_000_000}, "sent 1.34 times what its link carries"),
        ({"looked_tsc_ns": 1_052_000_000}, "clock is +0.190% off"),
        ({"sent": 999_999}, "a register of the card went down"),
        ({"received": 1_002_000}, "2000 more packets came back"),
        ({"burst_packets": 64}, "64 packets left at once"),
        ({"duration_ns": 2_000_000_000}, "MoonGen ended before its time"),
        ({"probes_back": 0}, "none of 1000 probes came back"),
    ],
)
def test_each_flaw_is_told(log, changes, words):
    flawed = replace(log, done=replace(log.done, **changes))
    assert [words in remark for remark in doubts(flawed, LINE_PACKETS)] == [True]


def test_an_unknown_link_carries_any_rate(log):
    assert doubts(replace(log, done=replace(log.done, sent=2**40)), math.inf) == ()


@pytest.fixture(scope="module")
def recorded(repository, tmp_path_factory):
    """Counters that MoonGen wrote on the study's hardware, one log a run."""
    archive = repository.parent / "shared/data/capeletti/raw-sample.tar.gz"
    if not archive.is_file():
        pytest.skip(f"needs the logs of study S1 at {archive}")
    folder = tmp_path_factory.mktemp("recorded")
    subprocess.run(["tar", "-xf", archive, "-C", folder], check=True)
    logs = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".csv", ".txt"):
            try:
                logs.append((path, parse_moongen(path.read_text(errors="replace"))))
            except ValueError:  # a log of something else
                continue
    assert len(logs) >= 40
    return logs


def ours(log):
    """The same counters as the script would have printed them."""
    received = np.interp(log.tx_s, log.rx_s, log.rx_packets)
    seconds = tuple(
        Second(at_ns=round(at_s * 1e9), sent=int(sent), received=int(back))
        for at_s, sent, back in zip(log.tx_s, log.tx_packets, received, strict=True)
    )
    last = seconds[-1]
    done = Done(
        duration_ns=last.at_ns, looked_tsc_ns=last.at_ns, looked_monotonic_ns=last.at_ns,
        given=last.sent, burst_packets=64, sent=last.sent, received=last.received, probes_sent=0,
        probes_back=0, latency=Stamped(sum_ns=0, max_ns=0, buckets=()),
    )  # fmt: skip
    ready = Ready(
        driver="net_nfp_pf", speed_mbps=10_000, stamps="software", pattern="flood", rate_mpps=0.0
    )
    return SentLoad(ready=ready, seconds=seconds, done=done)


def test_the_registers_of_the_studys_card_are_not_believed(recorded):
    lying = 0
    for _, counters in recorded:
        if not counters.tx_s.size or not counters.rx_s.size:
            continue
        log = ours(counters)
        # Whatever the frame size: no link of 10 Gbit/s carries more of the smallest.
        line_packets = LINE_PACKETS * log.done.duration_ns / 1e9
        told = doubts(log, line_packets)
        more = log.done.sent > line_packets * 1.001
        assert any("times what its link carries" in words for words in told) == more
        lying += more
    assert lying > 0
