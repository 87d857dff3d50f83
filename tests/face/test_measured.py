"""Runs of an object on its box: which of them tell the time of a packet."""

import pandas as pd
import pytest

from linerate.errors import BadInputError
from linerate.face.fits.measured import runs_there

LINE_MPPS = 14.88


def table(path, rows):
    common = {
        "campaign": "c", "source": "s", "repetition": 1, "box": "other", "datapath": "xdp_native",
        "program": "mine.bpf.o", "memory_accesses": 0, "queues": 1, "frame_bytes": 64,
        "link_gbps": 10.0, "offered_mpps": LINE_MPPS, "forwarded_mpps": 5.0,
        "forwarded_from": "dut_verdicts", "cpu_busy_ratio": 1.0, "latency_mean_us": None,
        "unstable": False, "mode": "serial", "verdict": "valid",
    }  # fmt: skip
    pd.DataFrame([common | row for row in rows]).to_csv(path, index=False)
    return path


def test_runs_below_line_rate_tell_the_time_of_a_packet(tmp_path):
    rows = [{}, {"queues": 2}, {"forwarded_mpps": LINE_MPPS}, {"program": "other.bpf.o"},
            {"verdict": "invalid"}, {"mode": "split"}, {"datapath": "xdp_generic"},
            {"offered_mpps": 5.0}, {"verdict": "suspect"}]  # fmt: skip
    found, note = runs_there([table(tmp_path / "runs.csv", rows)], "mine.bpf.o", "xdp_native")
    assert [(run.queues, run.packet_ns) for run in found] == [(1, 200.0), (2, 400.0)]
    assert note.startswith("2 of 4 runs of ")
    assert note.endswith("the others forwarded all that came, and tell no time")


def test_suspect_runs_count_where_none_is_valid(tmp_path):
    rows = [{"verdict": "suspect"}, {"verdict": "invalid"}]
    found, note = runs_there([table(tmp_path / "runs.csv", rows)], "mine.bpf.o", "xdp_native")
    assert len(found) == 1
    assert note == f"1 of 1 runs of {tmp_path / 'runs.csv'} are counted in"


def test_a_table_without_a_run_of_the_object_is_refused(tmp_path):
    path = table(tmp_path / "runs.csv", [{"program": "other.bpf.o"}])
    with pytest.raises(BadInputError, match=r"no run of mine\.bpf\.o .* but other\.bpf\.o on"):
        runs_there([path], "mine.bpf.o", "xdp_native")


def test_too_many_runs_are_refused(tmp_path):
    path = table(tmp_path / "runs.csv", [{"repetition": number} for number in range(1, 1002)])
    with pytest.raises(BadInputError, match=r"1001 runs of mine\.bpf\.o; allowed: at most 1000"):
        runs_there([path], "mine.bpf.o", "xdp_native")
