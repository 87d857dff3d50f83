"""Real pipelines of DPDK: what they do to packets, what is counted, and what is refused."""

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from linerate.errors import BadInputError, CannotHereError, DeviceFailedError, LinerateError
from linerate.measure.datapaths.swx import compiled
from linerate.measure.datapaths.swx.compiled import PipelineText, compile_program, headers_folder
from linerate.measure.datapaths.swx.runner import run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of
from linerate.measure.datapaths.swx.spec.generated.program import REGISTER_INITIAL, SwxProgram
from linerate.measure.processes import built

from .... import warm
from ....needs import two_cores
from ...leftovers import named_files
from . import swx_programs as programs

pytestmark = pytest.mark.dpdk

IPV4, ARP = "0200000000020200000000010800", "0200000000020200000000010806"
RING, NULL = PipelineSettings(port="ring"), PipelineSettings(port="net_null")
HUGEPAGES_MIN = 192
"""Of 2 MiB: what one pipeline takes by default, and room for its rings."""


@two_cores
@pytest.mark.parametrize("port", ["ring", "memif"])
def test_packet_comes_back_as_the_program_leaves_it(port):
    swap = "\tmov h.ethernet.dst_addr h.ethernet.src_addr"
    with run_pipeline(programs.pipeline(swap), PipelineSettings(port=port), 1) as runner:
        answer = runner.ask(f"packet {IPV4}beef")
    assert answer == {"packets": ["0200000000010200000000010800beef"], "dropped": 0}


@two_cores
def test_registers_count_packets():
    with run_pipeline(programs.registers(), RING, 1) as runner:
        for _ in range(3):
            runner.ask(f"packet {IPV4}")
        assert runner.ask("register seen 2 2")["values"] == [[0, 3]]


@two_cores
def test_table_decides_by_its_entries():
    with run_pipeline(programs.table(), RING, 1) as runner:
        assert runner.ask(f"packet {IPV4}")["packets"] == [IPV4]
        assert runner.ask(f"packet {ARP}") == {"packets": [], "dropped": 1}
        (seen,) = runner.ask("table kinds")["instances"]
    assert seen == {"hits": 1, "misses": 1, "actions": {"mark": 1, "miss": 1}}


@two_cores
@pytest.mark.parametrize("port", ["ring", "memif"])
def test_every_packet_is_accounted_for(port):
    flags = ["--seconds", "0.1", "--arrivals", "poisson", "--packets-per-second", "100000"]
    with run_pipeline(programs.registers(), PipelineSettings(port=port), 1) as runner:
        report = runner.trial([*flags, "--frame-bytes", "64,1518", "--flows", "10"])
    assert report.latency is not None
    assert report.sent == report.received + sum(report.dropped.values())
    assert sum(count for _, count in report.latency.buckets) == report.received > 0


@two_cores
def test_flood_loses_at_the_ring_what_the_pipeline_cannot_take():
    with run_pipeline(programs.registers(200), RING, 1) as runner:
        report = runner.trial(["--seconds", "0.05", "--warm-up-seconds", "0.02"])
    assert report.dropped["dut_ring"] > report.received > 0


@pytest.mark.exclusive
def test_work_costs_throughput():
    def forwarded(program):
        """Take the best of a few: what else the host does only makes it slower."""
        with run_pipeline(program, NULL, 1) as runner:
            return max(runner.trial(["--seconds", "0.1"]).received for _ in range(5))

    assert forwarded(programs.registers(1)) > 4 * forwarded(programs.registers(100))


def test_dropped_packets_are_the_programs():
    with run_pipeline(programs.pipeline("\tmov m.port 1"), NULL, 1) as runner:
        report = runner.trial(["--seconds", "0.02"])
    assert report.received == 0
    assert report.dropped["dut_program"] == pytest.approx(report.sent, rel=0.05)


def test_each_lcore_runs_an_instance():
    settings = PipelineSettings(port="net_null", oversubscribed=True)
    with run_pipeline(programs.registers(), settings, 2) as runner:
        runner.trial(["--seconds", "0.05"])
        assert all(value > 0 for (value,) in runner.ask("register seen 3 1")["values"])


@pytest.mark.parametrize("lcores", [1, 2])
def test_every_flow_from_nowhere_has_its_turn_on_one_lcore(lcores):
    flows = 3000
    program = text_of(SwxProgram(operations=(("register_write_16", 1),), registers=1 << 16))
    settings = PipelineSettings(port="net_null", oversubscribed=True)
    with run_pipeline(program, settings, lcores, ("--flows", str(flows))) as runner:
        runner.trial(["--seconds", "0.1"])
        values = runner.ask(f"register values 1024 {flows}")["values"]
        beyond = runner.ask(f"register values {1024 + flows} 100")["values"]
    touched = [[value != REGISTER_INITIAL for value in each] for each in values]
    assert [sum(flow) for flow in zip(*touched, strict=True)] == [1] * flows
    assert all(sum(each) > flows // lcores // 2 for each in touched)
    assert {value for each in beyond for value in each} == {REGISTER_INITIAL}


def test_nothing_stays_when_the_runner_is_killed(mark):
    before = named_files()
    with run_pipeline(programs.table(), NULL, 1) as runner:
        runner.held.process.kill()
        runner.held.process.wait(5)
    assert named_files() == before


def test_runner_ends_with_the_process_that_started_it():
    program = programs.registers()
    script = (
        "import os, signal\n"
        "from linerate.measure.datapaths.swx.settings import PipelineSettings\n"
        "from linerate.measure.datapaths.swx.compiled import PipelineText\n"
        "from linerate.measure.datapaths.swx.runner import run_pipeline\n"
        f"with run_pipeline(PipelineText(spec={program.spec!r}),\n"
        "        PipelineSettings(port='net_null'), 1) as runner:\n"
        "    print(runner.held.process.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = warm.run(program=script)
    assert done.returncode == -signal.SIGKILL
    state = Path(f"/proc/{int(done.stdout)}/stat")
    end = time.monotonic() + 5.0
    # Whoever adopts it may leave it unburied.
    while state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] != "Z":
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("\tfly m.value", "no such instruction"),
        ("\tregrd m.nowhere seen 3", "m.nowhere cannot stand there"),
        ('\tmov m.value "x"', "character without meaning"),
    ],
)
def test_wrong_pipeline_is_refused(body, why):
    with pytest.raises(BadInputError, match=why):
        compile_program(programs.pipeline(body))


def test_wrong_width_is_refused_by_its_line():
    spec = programs.pipeline().spec.replace("bit<32> value", "bit<33> value")
    with pytest.raises(BadInputError, match=r"spec:\d+=bit<33> value: .*whole bytes"):
        compile_program(PipelineText(spec=spec))


def test_wrong_entry_is_refused_by_its_line():
    program = programs.table("match 0x800 action mark value 7\nmatch 0x806 action fly\n")
    with (
        pytest.raises(DeviceFailedError, match="table=kinds: line 2"),
        run_pipeline(program, NULL, 1),
    ):
        pass


def test_unknown_register_ends_the_runner_with_its_name():
    with (
        run_pipeline(programs.registers(), NULL, 1) as runner,
        pytest.raises(LinerateError, match="nowhere"),
    ):
        runner.ask("register nowhere 0 1")


def test_more_lcores_than_cores_are_refused():
    with (
        pytest.raises(BadInputError, match="queues=99"),
        run_pipeline(programs.registers(), NULL, 99),
    ):
        pass


def free_hugepages():
    counts = Path("/sys/kernel/mm/hugepages").glob("*/free_hugepages")
    return sum(int(path.read_text()) for path in counts)


@pytest.mark.exclusive
def test_hugepages_are_given_back_also_after_a_kill():
    free = free_hugepages()
    if free < HUGEPAGES_MIN:
        pytest.skip(f"needs {HUGEPAGES_MIN} free hugepages: sysctl -w vm.nr_hugepages=512")
    settings = PipelineSettings(port="net_null", hugepages=True)
    with run_pipeline(programs.registers(), settings, 1) as runner:
        assert runner.trial(["--seconds", "0.05"]).received > 0
        assert free_hugepages() < free
        runner.held.process.kill()
        runner.held.process.wait(5)
    assert free_hugepages() == free


@pytest.mark.exclusive
def test_hugepages_that_are_not_there_are_not_promised():
    if free_hugepages():
        pytest.skip("hugepages are free here")
    settings = PipelineSettings(port="net_null", hugepages=True)
    with (
        pytest.raises(DeviceFailedError, match="hugepages=true: none is free"),
        run_pipeline(programs.registers(), settings, 1),
    ):
        pass


def test_pipeline_is_compiled_once(monkeypatch):
    library = compile_program(programs.registers(2))
    monkeypatch.setattr(compiled, "_build", None)
    assert compile_program(programs.registers(2)) == library


def test_missing_compiler_is_named(tmp_path):
    (tmp_path / "a.spec").write_text(programs.registers().spec)
    done = subprocess.run(
        [
            built.runner("swx_build"), "--spec", tmp_path / "a.spec", "--library",
            tmp_path / "a.so", "--include", headers_folder(), "--compiler", "no-such-cc",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == CannotHereError.exit_code
    assert "compiler=no-such-cc" in done.stderr
    assert not (tmp_path / "a.so").exists()


@two_cores
@pytest.mark.parametrize(
    ("request_line", "why"),
    [
        ("trial --seconds 1 --flows 1.5", "flows=1.5: not a whole number; allowed: 1..60000; "),
        ("trial --seconds nan", "seconds=nan: not a number; allowed: 0.001..3600; "),
        ("trial --flows 1", "seconds=: it is needed; "),
        ("trial --seconds 1 --burst-packets 2", "burst-packets=: only constant arrivals have "),
        ("register seen 1.5 2", "register=seen: not a range of it; "),
        ("register seen 1", "register=seen: not a range of it; "),
        ("packet 0f0", "packet=0f0: not the bytes of a packet; "),
    ],
)
def test_requests_are_refused_in_the_words_of_flags(request_line, why):
    with (
        pytest.raises(LinerateError, match=re.escape(why)),
        run_pipeline(programs.registers(), RING, 1) as runner,
    ):
        runner.ask(request_line)


@two_cores
def test_what_the_warm_up_left_unsent_is_not_owed_in_the_window():
    """A burst is due at the beginning; the warm-up ends before it is sent."""
    flags = ["--seconds", "0.02", "--warm-up-seconds", "0.00001", "--arrivals", "constant"]
    with run_pipeline(programs.registers(), RING, 1) as runner:
        report = runner.trial([*flags, "--packets-per-second", "1000", "--burst-packets", "65536"])
    assert report.intended >= report.sent
