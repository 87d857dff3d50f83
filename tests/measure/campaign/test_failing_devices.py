"""A device under test that fails ends its run; the campaign goes on, on every datapath."""

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from linerate.errors import CannotHereError, DeviceFailedError
from linerate.measure.processes.held import hold_process
from linerate.tables.runs import read_runs

from ... import warm
from ..leftovers import kernel_objects, processes

pytestmark = pytest.mark.long

PATIENCE_SECONDS = 60.0
HEAD = """\
name = "failing"
lab = "{lab}"
repetitions = 1
trials = {trials}
retries = 0
trial_seconds = 1.5
warm_up_seconds = 0.0

[[cells]]
mode = "{mode}"
queues = [1]
frame_bytes = [64, 128]
link_gbps = 10.0
offered_mpps = {offered}
"""
# Name of the process to be killed -> lab, mode, rates and what else the block says.
DATAPATHS = {
    "xdp_dut": ("veth", "serial", "0.1", 'datapath = ["xdp_native"]\nprogram = ["map_lookup"]'),
    "xsk_forward": ("veth", "serial", "0.1", 'datapath = ["af_xdp"]\nprogram = ["xsk_memcpy"]'),
    "filter_dut": ("veth", "serial", "0.1", 'datapath = ["tc"]\nprogram = ["drop_all"]'),
    "nft": ("veth", "serial", "0.1", 'datapath = ["nftables"]\nprogram = ["drop_all"]'),
    "chain_function_raw": (
        "veth", "split", "0.001",
        'datapath = ["chain"]\nprogram = ["wire"]\nchain = { length = [1] }',
    ),
    "swx_run": ("dpdk", "split", "0.1", 'datapath = ["swx"]\nprogram = ["forward"]'),
}  # fmt: skip


QUICK = ("xdp_dut", "swx_run")


def marks_of(name):
    lab = {"veth": pytest.mark.root, "dpdk": pytest.mark.dpdk}[DATAPATHS[name][0]]
    return lab if name in QUICK else [lab, pytest.mark.deep]


def plan_of(name, trials=1):
    lab, mode, offered, block = DATAPATHS[name]
    return HEAD.format(lab=lab, mode=mode, trials=trials, offered=f"[{offered}]") + block + "\n"


def words_of(folder, *flags):
    return ["measure", folder / "plan.toml", "--out", folder / "out", *flags]


def measure(folder, *flags):
    done = warm.run(*words_of(folder, *flags))
    assert "Traceback" not in done.stderr, done.stderr
    return done


def started_as(name):
    """Processes of that program that the test started."""
    for process, marked in processes():
        with suppress(OSError):  # it ended meanwhile
            words = (process / "cmdline").read_bytes().split(b"\0")
            # Before it executes its command nsenter has the same words behind its own.
            if marked and Path(words[0].decode()).name == name:
                yield int(process.name)


def kill_first(folder, name, how=signal.SIGSEGV):
    """Measure, and kill the first process of that name when its load is on."""
    process = warm.start(*words_of(folder))
    end, killed = time.monotonic() + PATIENCE_SECONDS, False
    while not killed:
        seen = set()
        while not (seen := seen & (found := set(started_as(name)))):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end, f"no {name} was started"
            seen = found
            time.sleep(0.1)  # then it is mostly not a short call of a tool
        time.sleep(0.2)  # it is up, and maybe a load is on
        with suppress(ProcessLookupError):  # it was such a call
            os.kill(seen.pop(), how)
            killed = True
    answer, words = process.communicate(timeout=PATIENCE_SECONDS)
    assert "Traceback" not in words, words
    return process.returncode, answer, words


def runs_of(folder):
    return read_runs([folder / "out"]).set_index("run_id")


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks_of(name)) for name in DATAPATHS])
def test_device_that_is_killed_ends_its_run_and_no_other(mark, name, tmp_path):
    (tmp_path / "plan.toml").write_text(plan_of(name))
    before = kernel_objects()
    code, _, words = kill_first(tmp_path, name)
    assert code == 5, words
    assert "1 cell could not be measured" in words
    assert "killed by SIGSEGV" in words
    assert "--resume --retry-failed" in words
    runs = runs_of(tmp_path)
    assert sorted(runs["verdict"] == "invalid") == [False, True]
    (failed,) = runs[runs["verdict"] == "invalid"].to_dict("records")
    assert "killed by SIGSEGV" in failed["verdict_reason"]
    assert failed["sent_packets"] == failed["forwarded_packets"] == 0
    (other,) = runs[runs["verdict"] != "invalid"].to_dict("records")
    assert other["forwarded_packets"] > 0
    after = kernel_objects()
    for kind in ("devices", "rules", "qdiscs"):
        assert after[kind] == before[kind]


@pytest.mark.deep
@pytest.mark.root
def test_failed_run_is_finished_until_it_is_asked_for_again(mark, tmp_path):
    (tmp_path / "plan.toml").write_text(plan_of("xdp_dut"))
    assert kill_first(tmp_path, "xdp_dut")[0] == 5
    journal = tmp_path / "out/journal.jsonl"
    before = journal.read_bytes()
    again = measure(tmp_path, "--resume", "--json")
    assert again.returncode == 5
    assert journal.read_bytes() == before, "a failed run was measured again unasked"
    (failed,) = json.loads(again.stdout.splitlines()[-1])["failed"]
    assert "killed by SIGSEGV" in failed["reason"]
    retried = measure(tmp_path, "--resume", "--retry-failed")
    assert retried.returncode == 0, retried.stderr
    assert "could not be measured" not in retried.stderr
    assert journal.read_bytes().startswith(before), "the failure is kept"
    runs = runs_of(tmp_path)
    (name,) = failed["runs"]
    assert runs["verdict"][name] == "invalid"
    assert runs["forwarded_packets"][f"{name}+1"] > 0
    assert len(runs) == 3


@pytest.mark.root
def test_failure_in_one_trial_makes_its_whole_run_invalid(mark, tmp_path):
    text = plan_of("xdp_dut", trials=4).replace("[64, 128]", "[64]")
    (tmp_path / "plan.toml").write_text(text)
    process = warm.start(*words_of(tmp_path))
    journal = tmp_path / "out/journal.jsonl"
    while process.poll() is None and not (journal.exists() and b"\n" in journal.read_bytes()):
        time.sleep(0.02)
    (runner,) = started_as("xdp_dut")
    os.kill(runner, signal.SIGABRT)
    _, words = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 5, words
    (run,) = runs_of(tmp_path).to_dict("records")
    assert run["verdict"] == "invalid"
    assert "SIGABRT" in run["verdict_reason"]
    assert run["forwarded_packets"] == 0
    assert journal.read_bytes().count(b"\n") >= 2, "the trial before it is kept"


def test_retrying_what_was_never_measured_is_refused(tmp_path):
    (tmp_path / "plan.toml").write_text(plan_of("xdp_dut"))
    done = measure(tmp_path, "--retry-failed")
    assert done.returncode == 2
    assert "--retry-failed with --resume" in done.stderr


def test_end_of_a_device_is_why_something_else_failed():
    with (
        pytest.raises(DeviceFailedError, match="device: killed by SIGKILL"),
        hold_process("device", ["sh", "-c", "echo up; kill -9 $$"], under_test=True) as device,
    ):
        device.process.wait()
        raise CannotHereError("traffic: no answer")


def test_error_beside_a_device_that_lives_is_left_alone():
    with (
        pytest.raises(CannotHereError, match="traffic"),
        hold_process("device", ["sh", "-c", "echo up; cat"], under_test=True),
    ):
        raise CannotHereError("traffic: no answer")


@pytest.mark.parametrize("code", [2, 3, 4, 77])
def test_device_that_refuses_to_start_says_so_in_its_own_words(code):
    script = f"echo no such hook >&2; exit {code}"
    with (
        pytest.raises(DeviceFailedError, match="device: no such hook"),
        hold_process("device", ["sh", "-c", script], under_test=True),
    ):
        pass


def test_device_that_ends_without_a_word_gives_its_exit_code():
    with (
        pytest.raises(DeviceFailedError, match="device: it ended with exit code 77"),
        hold_process("device", ["sh", "-c", "exit 77"], under_test=True),
    ):
        pass
