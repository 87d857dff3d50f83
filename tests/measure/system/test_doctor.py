"""The doctor: says what is there, changes nothing, and is quick."""

import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from linerate.cli import main
from linerate.cli.app import app_for
from linerate.cli.lab.findings import draw
from linerate.errors import LinerateError
from linerate.measure.system import (
    CHECKS,
    datapaths,
    lab_obstacles,
    labs,
    machine,
    survey,
    tools,
)
from linerate.measure.system.machine import Attempt, run_probe

ALL_CAPABILITIES = "CapEff:\t000001ffffffffff"
ATTEMPTS = (
    "live_frames", "veth", "xdp_native", "xdp_generic", "af_xdp", "tc", "netfilter_link",
    "nftables", "iptables_nft", "iptables_legacy", "pmu",
)  # fmt: skip
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="root: hooks are tried only as root")


def tried(**reasons):
    return [Attempt(name=name, reason=reason) for name, reason in reasons.items()]


def able(**changes):
    """Attempts that all worked, but for those given."""
    return tried(**{**dict.fromkeys(ATTEMPTS), **changes})


def snapshot():
    """State of the machine that a careless doctor would change."""
    commands = (
        ("ip", "-o", "link"), ("ip", "netns"), ("tc", "qdisc"), ("nft", "list", "ruleset"),
        ("bpftool", "-j", "link"), ("iptables-legacy-save",),
    )  # fmt: skip
    seen = []
    for argv in commands:
        try:
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
            seen.append(done.stdout)
        except OSError:
            seen.append("")
    return [*seen, sorted(os.listdir("/run"))]


@pytest.fixture(scope="module")
def answer():
    done = subprocess.run(
        [sys.executable, "-c", "from linerate.cli.lab.doctor import doctor; doctor(as_json=True)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def test_every_answer_says_what_was_found_why_it_matters_and_how_to_get_it(answer):
    checks = answer["checks"]
    assert len(checks) == len(CHECKS)
    for check in checks:
        assert check["ok"] in (True, False, None)
        for field in ("name", "detail", "why", "remedy"):
            assert check[field]
            assert "\n" not in check[field]


def test_answers_have_names_of_their_own(answer):
    names = [check["name"] for check in answer["checks"]]
    assert len(set(names)) == len(names)


def test_the_summary_names_each_lab_and_datapath(answer):
    from linerate.measure.datapaths.registry import datapaths

    assert {lab["name"] for lab in answer["labs"]} >= {"veth", "dpdk"}
    assert {path["name"] for path in answer["datapaths"]} == set(datapaths())


@pytest.mark.exclusive
@pytest.mark.root
@needs_root
def test_the_doctor_leaves_the_machine_as_it_was():
    before = snapshot()
    survey()
    assert snapshot() == before


def test_without_root_nothing_is_promised_and_nothing_fails(bare):
    findings = {finding.name: finding for finding in survey(bare())}
    assert findings["root"].ok is False
    assert findings["xdp_native"].answer == "unknown"
    assert {lab.name: lab.can for lab in labs(findings.values())}["veth"] is False


def lab_machine(bare, monkeypatch, **reasons):
    ready = dataclasses.replace(tools.clang(bare()), name="objects", ok=True)
    checks = [check for check in CHECKS if check is not tools.objects]
    monkeypatch.setattr("linerate.measure.system.findings.CHECKS", (*checks, lambda _: ready))
    monkeypatch.setattr(tools, "LAB_TOOLS", ("sh",))
    return bare({"proc/self/status": ALL_CAPABILITIES}, attempts=able(**reasons))


def test_nothing_keeps_the_veth_lab_from_an_able_machine(bare, monkeypatch):
    assert lab_obstacles("veth", lab_machine(bare, monkeypatch)) == []


def test_what_keeps_the_veth_lab_is_named_and_nothing_else(bare, monkeypatch):
    box = lab_machine(bare, monkeypatch, live_frames="Invalid argument", tc="no", pmu="no")
    assert [finding.name for finding in lab_obstacles("veth", box)] == ["live_frames"]


def test_what_could_not_be_tried_is_an_obstacle(bare):
    names = {finding.name for finding in lab_obstacles("veth", bare())}
    assert {"root", "live_frames", "xdp_native"} <= names


def test_a_datapath_is_unknown_as_long_as_nothing_speaks_against_it(bare):
    abilities = {ability.name: ability.can for ability in datapaths(survey(bare()))}
    assert abilities["xdp_native"] is None
    can_generic = survey(bare(attempts=able(tc="no")))
    assert {a.name: a.can for a in datapaths(can_generic)}["chain"] is False


def test_a_probe_that_hangs_is_ended_and_what_it_said_is_kept(monkeypatch, tmp_path):
    script = tmp_path / "probe.py"
    script.write_text(
        "import time\n"
        'print(\'{"name": "pmu", "reason": null}\', flush=True)\n'
        "print('{\"name\": \"cut', end='', flush=True)\n"
        "time.sleep(60)\n"
    )
    monkeypatch.setattr(machine, "PROBE", script)
    assert run_probe(timeout_s=2.0) == (Attempt(name="pmu", reason=None),)


def test_a_probe_that_somebody_kills_is_no_want_of_root(tmp_path, monkeypatch):
    script = tmp_path / "probe.py"
    script.write_text("import os; os.kill(os.getpid(), 9)")
    monkeypatch.setattr(machine, "PROBE", script)
    with pytest.raises(LinerateError, match="SIGKILL ended it") as refused:
        run_probe()
    assert refused.value.exit_code == 3


@pytest.mark.root
@needs_root
def test_the_probe_ends_with_its_parent():
    code = (
        "import os, subprocess, sys, time\n"
        f"p = subprocess.Popen([sys.executable, '-I', '-S', {str(machine.PROBE)!r}],"
        " stdout=subprocess.PIPE)\n"
        "p.stdout.readline(); print(p.pid, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    deadline = time.monotonic() + 5.0
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


def test_the_table_fits_a_hundred_columns(bare, capsys):
    draw(survey(bare()))
    table = capsys.readouterr().out.partition("To get what is missing")[0]
    assert max(map(len, table.splitlines())) <= 100


def test_each_command_that_helps_is_printed_once_and_whole(bare, capsys):
    findings = survey(bare())
    draw(findings)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    for remedy in {finding.remedy for finding in findings if finding.ok is not True}:
        assert lines.count(remedy) == 1


def invoke(monkeypatch, box, *options):
    monkeypatch.setattr("linerate.measure.system.survey", lambda: survey(box))
    with pytest.raises(SystemExit) as ended:
        main(["doctor", *options])
    return ended.value.code


def test_the_doctor_never_fails_unless_asked_to(bare, monkeypatch, capsys):
    assert invoke(monkeypatch, bare()) == 0
    assert "veth no" in capsys.readouterr().out


def test_check_fails_with_4_where_the_veth_lab_cannot_run(bare, monkeypatch, capsys):
    assert invoke(monkeypatch, bare(), "--check") == 4
    assert "live_frames" in capsys.readouterr().err


def test_check_passes_where_the_veth_lab_can_run(bare, monkeypatch, capsys):
    assert invoke(monkeypatch, lab_machine(bare, monkeypatch), "--check") == 0
    assert capsys.readouterr().err == ""


def test_json_is_the_only_thing_on_stdout(bare, monkeypatch):
    monkeypatch.setattr("linerate.measure.system.survey", lambda: survey(bare()))
    output = CliRunner().invoke(app_for(["doctor"]), ["doctor", "--json"]).stdout
    assert set(json.loads(output)) == {"checks", "labs", "datapaths"}
