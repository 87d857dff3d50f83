"""Counters of whole cores, by the perf that is installed."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from linerate.errors import CannotHereError, LinerateError
from linerate.measure.collectors.perf_counters import (
    HARDWARE_EVENTS,
    SOFTWARE_EVENTS,
    check_hardware_counters,
    open_perf,
    parse_counts,
)
from linerate.measure.system import machine
from linerate.records import Trial
from linerate.tables.probe_columns import PER_PACKET, probe_columns

from ... import warm

needs_perf = pytest.mark.skipif(
    machine.tool_path("perf") is None, reason="perf is not installed (Debian: linux-perf)"
)
CORES = sorted(os.sched_getaffinity(0))


@pytest.mark.exclusive
@needs_perf
@pytest.mark.root
def test_a_core_is_counted_whichever_process_runs_on_it():
    started_s = time.monotonic()
    with open_perf(SOFTWARE_EVENTS, CORES[:1]) as perf:
        subprocess.run(
            ["taskset", "-c", str(CORES[0]), "sh", "-c", "for i in 1 2 3 4 5; do sleep 0; done"],
            check=True,
        )
        time.sleep(0.1)
        counts = perf.finish()
    assert set(counts) == set(SOFTWARE_EVENTS)
    assert counts["context-switches"] >= 5, "those of another process"
    assert 100.0 <= counts["task-clock"] <= 1.05e3 * (time.monotonic() - started_s)


@pytest.mark.exclusive
@needs_perf
@pytest.mark.root
def test_task_clock_covers_every_core_asked_for():
    with open_perf(["task-clock"], CORES) as perf:
        started_s = time.monotonic()
        time.sleep(0.2)
        least_ms = 1e3 * (time.monotonic() - started_s)
        counts = perf.finish()
    assert counts["task-clock"] >= len(CORES) * least_ms


@needs_perf
@pytest.mark.root
def test_what_the_machine_cannot_count_is_absent_and_refused():
    with open_perf([*HARDWARE_EVENTS, "task-clock"], CORES) as perf:
        time.sleep(0.05)
        counts = perf.finish()
    assert "task-clock" in counts
    assert 0.0 not in [counts[event] for event in HARDWARE_EVENTS if event in counts]
    if "cycles" in counts:
        check_hardware_counters()
    else:
        with pytest.raises(CannotHereError, match=r"count no cycles.*bare metal"):
            check_hardware_counters()


def test_an_event_that_was_not_counted_is_absent_not_zero():
    """perf 6.1 wrote the first three lines; the fourth is perf's words for a busy counter."""
    lines = [
        "<not supported>,,cycles,0,100.00,,",
        "403.43,msec,task-clock,403427438,100.00,2.000,CPUs utilized",
        "57,,context-switches,403427638,100.00,141.289,/sec",
        "<not counted>,,LLC-load-misses,0,0.00,,",
        "",
    ]
    assert parse_counts(lines) == {"task-clock": 403.43, "context-switches": 57.0}


@pytest.mark.parametrize("line", ["Error: something", "12,,", "many,,cycles,1,100.00"])
def test_words_that_are_no_counts_are_refused(line):
    with pytest.raises(LinerateError, match="cannot be read"):
        parse_counts([line])


def test_a_missing_perf_comes_with_its_package(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(machine, "ROOT_PATH", "")
    with pytest.raises(CannotHereError, match="apt-get install -y linux-perf"):
        check_hardware_counters()


@needs_perf
@pytest.mark.root
def test_perf_ends_when_we_are_killed():
    code = (
        "import time; from linerate.measure.collectors.perf_counters import open_perf\n"
        "with open_perf(['task-clock'], [0]) as perf:\n"
        "    print(perf.held.process.pid, flush=True); time.sleep(60)"
    )
    ours = warm.start(program=code)
    perf = Path(f"/proc/{int(ours.readline())}")
    assert perf.exists()
    ours.kill()
    ours.wait()
    end = time.monotonic() + 5.0
    while perf.exists():
        assert time.monotonic() < end, "perf outlived us"
        time.sleep(0.05)


def test_events_become_columns_per_packet_received():
    events = {event.replace("-", "_").lower(): 500.0 for event in HARDWARE_EVENTS}
    assert set(events) == set(PER_PACKET)
    trial = Trial(
        duration_s=1.0, intended_packets=9, sent_packets=9, forwarded_packets=9,
        probes={"probed_packets": 10, **events},
    )  # fmt: skip
    columns = probe_columns([trial, trial])
    assert columns["probes"] == "perf"
    assert {columns[column] for column in PER_PACKET.values()} == {50.0}
