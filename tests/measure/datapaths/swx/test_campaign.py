"""Campaigns of pipelines from the command line: what is refused, what is marked, what stays."""

import random
import shutil
import signal
import subprocess
import time

import pytest

from linerate.cli import main
from linerate.errors import CannotHereError
from linerate.measure.datapaths.swx.compiled import headers_folder
from linerate.measure.datapaths.swx.lcores import check_hugepages
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.processes import built
from linerate.measure.system import lab_obstacles
from linerate.tables.runs import read_runs

from .... import warm
from ...campaign.plans import FORM
from ...leftovers import await_none_started, named_files, started
from . import swx_programs as programs

OBSTACLES = lab_obstacles("dpdk")
pytestmark = [
    pytest.mark.long,
    pytest.mark.dpdk,
    pytest.mark.skipif(bool(OBSTACLES), reason=f"needs {OBSTACLES[:1]}"),
]
HEAD = """\
name = "pipelines"
lab = "dpdk"
repetitions = 1
retries = 0
trial_seconds = 0.05
warm_up_seconds = 0.02
"""
BLOCK = """
[[cells]]
mode = "serial"
datapath = ["swx"]
program = {program}
{operations}
pipeline = {{ {pipeline} }}
queues = {queues}
frame_bytes = [64]
link_gbps = inf
offered_mpps = ["flood"]
"""
ENTRIES = "match 0x800 action mark value 7\n"
TABLES = ', tables = { kinds = "kinds.txt" }'
KILLS, PATIENCE_SECONDS = 4, 30.0


def block(program='["forward"]', operations="", pipeline="", queues="[1]"):
    pipeline = 'port = ["net_null"]' + pipeline
    return BLOCK.format(program=program, operations=operations, pipeline=pipeline, queues=queues)


def measure(folder, *flags):
    return warm.run(*words(folder, *flags))


def words(folder, *flags):
    return ["measure", folder / "plan.toml", "--out", folder / "out", *flags]


@pytest.fixture
def own(tmp_path):
    """A campaign of a pipeline that somebody wrote."""
    (tmp_path / "mine.spec").write_text(programs.table().spec)
    (tmp_path / "kinds.txt").write_text(ENTRIES)
    (tmp_path / "plan.toml").write_text(HEAD + block('["mine.spec"]', pipeline=TABLES))
    return tmp_path


def spoil(folder, name, old, new):
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))


def test_own_pipeline_is_measured_and_described(own):
    done = measure(own)
    assert done.returncode == 0, done.stderr
    (run,) = read_runs([own / "out"]).to_dict("records")
    assert run["program"] == "mine.spec"
    assert run["forwarded_mpps"] > 0
    assert '"table_exact": 1' in run["operations"]
    assert (own / "out/mine.spec").read_bytes() == (own / "mine.spec").read_bytes()
    assert (own / "out/kinds.txt").read_text() == ENTRIES


@pytest.mark.parametrize(("member", "code"), [(1, 0), (8, 2)])
def test_members_of_a_selector_come_from_a_file_beside_the_campaign(own, member, code):
    (own / "mine.spec").write_text(programs.selector("").spec)
    (own / "kinds.txt").write_text(f"group 0 member {member} weight 3 # of one\n")
    spoil(own, "plan.toml", "{ kinds =", "{ s =")
    done = measure(own)
    assert done.returncode == code, done.stderr
    if code:
        assert "kinds.txt:1=group 0 member 8 weight 3: there is no member 8" in done.stderr
        return
    (run,) = read_runs([own / "out"]).to_dict("records")
    assert run["pipeline_tables"] == '{"s": "kinds.txt"}'
    assert run["forwarded_mpps"] > 0


def test_pipeline_that_cannot_be_built_is_invalid_among_others(own, monkeypatch):
    """A builder that refuses one of the two pipelines."""
    build = own / "build"
    shutil.copytree(built.build_folder(), build, ignore=shutil.ignore_patterns("swx"))
    builder = build / "native/swx_build"
    builder.rename(build / "native/swx_build_all")
    builder.write_text(
        "#!/bin/sh\n"
        'case "$*" in *--spec*) for word; do case $word in *.spec) grep -q mark "$word" && '
        "{ echo no such instruction here >&2; exit 2; }; esac; done; esac\n"
        f'exec {build}/native/swx_build_all "$@"\n'
    )
    builder.chmod(0o755)
    monkeypatch.setenv("LINERATE_BUILD", str(build))
    alone = measure(own)
    assert alone.returncode == 3, "nothing is left to measure"
    assert "swx: no such instruction here" in alone.stderr
    assert not (own / "out").exists()
    (own / "plan.toml").write_text((own / "plan.toml").read_text() + block())
    done = measure(own)
    assert done.returncode == 5, done.stderr
    runs = read_runs([own / "out"]).set_index("program")
    assert runs.loc["mine.spec", "verdict"] == "invalid"
    assert runs.loc["mine.spec", "verdict_reason"] == "swx: no such instruction here"
    assert runs["forwarded_mpps"]["forward"] > 0


def test_pipeline_that_drops_every_packet_is_a_result(own):
    spoil(own, "mine.spec", "\ttx m.port\n", "\tdrop\n")
    done = measure(own)
    assert done.returncode == 0, done.stderr
    (run,) = read_runs([own / "out"]).to_dict("records")
    assert run["verdict"] != "invalid", run["verdict_reason"]
    assert run["forwarded_packets"] == 0
    assert run["dropped_dut_program"] == pytest.approx(run["sent_packets"], rel=0.01)


@pytest.mark.parametrize("place", ["spec", "entry"])
def test_pipeline_has_as_many_ports_as_it_names(own, place):
    """On port 0 packets go back, on port 3 they end."""
    if place == "spec":
        spoil(own, "mine.spec", "\ttx m.port\n", "\tmov m.port 3\n\ttx m.port\n")
    else:
        spoil(own, "mine.spec", "\ttx m.port\n", "\ttx m.value\n")
        spoil(own, "kinds.txt", "value 7", "value 3")
    done = measure(own)
    assert done.returncode == 0, done.stderr
    (run,) = read_runs([own / "out"]).to_dict("records")
    assert run["forwarded_packets"] == 0
    assert run["dropped_dut_program"] == pytest.approx(run["sent_packets"], rel=0.01)


def test_changed_pipeline_is_not_resumed(own):
    assert measure(own).returncode == 0
    assert measure(own, "--resume").returncode == 0
    spoil(own, "kinds.txt", "value 7", "value 8")
    done = measure(own, "--resume")
    assert done.returncode == 2
    assert "file=kinds.txt: it differs from its copy" in done.stderr


def test_entries_are_part_of_what_a_program_is(own):
    hashes = set()
    for value in (7, 8):
        (own / "kinds.txt").write_text(f"match 0x800 action mark value {value}\n")
        shutil.rmtree(own / "out", ignore_errors=True)
        assert measure(own).returncode == 0
        hashes |= set(read_runs([own / "out"])["program_hash"])
    assert len(hashes) == 2


def test_p4_source_is_compiled_where_there_is_a_compiler(own, monkeypatch):
    """A stand-in for the compiler: it puts the .spec where it is told."""
    tools = own / "tools"
    tools.mkdir()
    (tools / "p4c-dpdk").write_text(f'#!/bin/sh\ncp {own}/mine.spec "$4"\n')
    (tools / "p4c-dpdk").chmod(0o755)
    (own / "mine.p4").write_text("control c() { apply { } }\n")
    spoil(own, "plan.toml", "mine.spec", "mine.p4")
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    done = measure(own)
    assert done.returncode == 0, done.stderr
    assert list(read_runs([own / "out"])["program"]) == ["mine.p4"]


@pytest.mark.skipif(bool(shutil.which("p4c-dpdk")), reason="p4c-dpdk is here")
def test_p4_source_without_a_compiler_is_refused(own):
    (own / "mine.p4").write_text("control c() { apply { } }\n")
    spoil(own, "plan.toml", "mine.spec", "mine.p4")
    done = measure(own)
    assert done.returncode == 4
    assert "p4c-dpdk: P4 sources cannot be compiled" in done.stderr


@pytest.mark.parametrize(
    "case",
    [
        ("mine.spec", "\ttable kinds\n", "\tfrobnicate m.value\n", "DPDK has no such instruction"),
        ("mine.spec", "bit<16> ethertype", "bit<12> ethertype", "not of whole bytes"),
        ("mine.spec", "mov m.value t.value", "mov m.value t.nothing", "t.nothing cannot stand"),
        ("kinds.txt", "0x800", "0x18000", "does not fit"),
        ("plan.toml", "kinds.txt", "none.txt", "No such file"),
        ("plan.toml", "kinds =", "sorts =", "table=sorts: mine.spec has no such table"),
        ("plan.toml", "mine.spec", "none.spec", "there is no such file"),
        ("plan.toml", "mine.spec", "../mine.spec", "allowed: a path beside or below"),
        ("plan.toml", "mine.spec", "/etc/mine.spec", "allowed: a path beside or below"),
        ("plan.toml", "kinds.txt", "journal.jsonl", "allowed: a path that ends in .txt"),
        ("plan.toml", "mine.spec", "mine.c", "program=mine.c"),
        ("plan.toml", '["mine.spec"]', '["forward"]', "pipelines of one's own"),
        ("plan.toml", "queues", "operations = [{ add = 1 }]\nqueues", "pipelines of one's own"),
        ("plan.toml", "net_null", "net_nil", "port"),
        ("plan.toml", "queues = [1]", "queues = [99]", "queues=99: "),
        ("plan.toml", '"net_null"]', '"net_null"], registers = [1000]', "powers of two"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused_and_leaves_nothing(mark, own, capsys, case):
    name, old, new, says = case
    spoil(own, name, old, new)
    before = named_files()
    with pytest.raises(SystemExit) as ended:
        main(["measure", str(own / "plan.toml"), "--out", str(own / "out")])
    output = capsys.readouterr()
    assert ended.value.code == 2
    assert says in output.err
    assert FORM.fullmatch(output.err), output.err
    assert output.out == ""
    assert not (own / "out").exists()
    assert named_files() == before


def test_missing_compiler_is_said(own):
    library = own / "mine.so"
    done = subprocess.run(
        [
            built.runner("swx_build"), "--spec", own / "mine.spec", "--library", library,
            "--include", headers_folder(), "--compiler", "no-such-compiler",
        ],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert "compiler=no-such-compiler: " in done.stderr
    assert not list(own.glob("*.so*"))


def test_hugepages_that_are_not_free_are_refused_before_anything_is_measured(tmp_path):
    counted = tmp_path / "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
    counted.parent.mkdir(parents=True)
    for free in ("0", "3"):
        counted.write_text(free + "\n")
        check_hugepages(PipelineSettings(hugepages=False), tmp_path)
    check_hugepages(PipelineSettings(hugepages=True), tmp_path)
    counted.write_text("0\n")
    with pytest.raises(CannotHereError, match="hugepages=true: none is free"):
        check_hugepages(PipelineSettings(hugepages=True), tmp_path)


def test_lcores_that_share_cores_are_marked(tmp_path):
    (tmp_path / "plan.toml").write_text(
        HEAD + block(queues="[3]", pipeline=", oversubscribed = [true]") + block()
    )
    done = measure(tmp_path)
    assert done.returncode == 0, done.stderr
    runs = read_runs([tmp_path / "out"])
    assert dict(zip(runs["lcores"], runs["oversubscribed"], strict=True)) == {3: True, 1: False}
    assert (runs["forwarded_mpps"] > 0).all()


@pytest.mark.deep
def test_kills_leave_nothing_of_pipelines_and_resuming_completes(mark, own):
    text = (own / "plan.toml").read_text().replace("repetitions = 1", "repetitions = 8")
    out = own / "out"
    (own / "plan.toml").write_text(text + block(operations="operations = [{ table_lpm = 1 }]"))
    moments, before = random.Random(11), named_files()
    for kill in range(KILLS):
        flags = ["--resume"] if (out / "journal.jsonl").exists() else []
        process = warm.start(*words(own, *flags))
        end = time.monotonic() + PATIENCE_SECONDS
        while "swx_run" not in started().values() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(moments.random() * 0.5)
        assert process.poll() is None, "it ended by itself"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not await_none_started(), f"after kill {kill}"
        assert named_files() == before, f"after kill {kill}"
    assert (out / "journal.jsonl").read_bytes(), "no trial finished: the test showed nothing"
    done = measure(own, "--resume")
    assert done.returncode == 0, done.stderr
    runs = read_runs([own / "out"])
    repetitions = runs.groupby("program")["repetition"].nunique()
    assert repetitions.to_dict() == {"forward": 8, "mine.spec": 8}
