"""Programs whose packets leave by other ways, and what they look into."""

import random
import shutil
import signal
import time

import pytest

from linerate.errors import BadInputError, DeviceFailedError
from linerate.measure.labs.veth import IN_INDEX, OUT_INDEX
from linerate.measure.objects.lab import attach_object, open_object_lab, send_frames
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import UnderTest, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.progress import telling

from ... import warm
from ...needs import two_cores
from ..leftovers import kernel_objects, left_behind
from .programs.way_sources import ENVIRONMENT, MAPS

TIMING = Timing(warm_up_seconds=0.0, seconds=0.05)
BORDER_PACKETS = 256
"""On their way when the counted time begins or ends, and counted by the other end."""
PATIENCE_SECONDS = 60.0


@pytest.fixture
def maps(tmp_path):
    def write(text):
        path = tmp_path / "maps.toml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def settings(compiled, maps):
    return read_settings(list_object(compiled("ways")), maps(MAPS + ENVIRONMENT))


def sent_by(datapath, path, entry, settings):
    """Return what the generator and its sinks counted, and what became of packets."""
    with (
        open_object_lab("serial", 1, datapath, settings.environment) as lab,
        plan_file(settings, of_size(64)) as plan,
        attach_object(lab, datapath, path, entry, plan, counted=True) as program,
    ):
        begun = program.ends(passed_counted=True)
        report = send_frames(program, plan, TIMING)
        return report, program.ends(passed_counted=True).since(begun)


@pytest.mark.root
@pytest.mark.parametrize(
    ("datapath", "entry"),
    [
        ("xdp_native", "by_index"),
        ("xdp_native", "by_map"),
        ("xdp_native", "by_hash"),
        ("xdp_native", "by_route"),
        ("xdp_generic", "by_map"),
        ("xdp_generic", "by_hash"),
        ("xdp_generic", "by_route"),
        ("tc", "tc_route"),
    ],
)
def test_redirected_packets_are_counted_where_they_arrive(compiled, settings, datapath, entry):
    """Those of ``hashed`` go back, the others on; a route says whom to."""
    report, ends = sent_by(datapath, compiled("ways"), entry, settings)
    assert report.sent > 500
    assert report.received == pytest.approx(ends.redirect, abs=BORDER_PACKETS)
    assert ends.redirect == report.sent - report.dropped["dut_ring"]
    assert ends.undirected == ends.untaken == ends.drop == ends.passed == 0


@pytest.mark.root
def test_example_sends_on_what_the_kernel_has_a_route_for(repository):
    path = built.program_object("route_fib")
    settings = read_settings(
        list_object(path), repository / "bpf/examples/forwarding/route_fib.toml"
    )
    report, ends = sent_by("xdp_native", path, "route_fib", settings)
    assert report.received == pytest.approx(ends.redirect, abs=BORDER_PACKETS)
    assert ends.redirect == report.sent - report.dropped["dut_ring"] > 500


@pytest.mark.root
@pytest.mark.parametrize(("datapath", "entry"), [("tc", "tc_pass"), ("xdp_generic", "to_socket")])
def test_packets_that_the_stack_forwards_have_passed(compiled, settings, datapath, entry):
    """No socket is there: what the program redirects to one it lets pass."""
    report, ends = sent_by(datapath, compiled("ways"), entry, settings)
    assert report.received > 500
    assert ends.passed == report.sent - report.dropped["dut_ring"]
    assert ends.redirect == ends.tx == 0


BEHIND = """
[maps.hashed]
entries = [{{key = 7, value = {{ifindex = {{role = "out"}}}}, program = "{}"}}]
"""


@pytest.mark.root
@pytest.mark.parametrize(("program", "arrive"), [("go_behind", True), ("stop_behind", False)])
def test_a_program_of_an_entry_runs_behind_the_redirect(compiled, maps, program, arrive):
    path = compiled("ways")
    settings = read_settings(list_object(path), maps(BEHIND.format(program)))
    report, ends = sent_by("xdp_native", path, "by_hash", settings)
    assert ends.redirect == report.sent - report.dropped["dut_ring"] > 500
    expected = ends.redirect if arrive else 0
    assert report.received == pytest.approx(expected, abs=BORDER_PACKETS)


@two_cores
@pytest.mark.root
def test_a_program_of_another_cpu_takes_what_comes_there(compiled, maps):
    """It drops what would else come to the stack of that CPU."""
    text = '[maps.cpus]\nentries = [{key = 1, value = {qsize = 4096}, program = "stop_there"}]'
    path = compiled("ways")
    settings = read_settings(list_object(path), maps(text))
    report, ends = sent_by("xdp_native", path, "to_cpu", settings)
    assert ends.redirect == pytest.approx(report.sent - report.dropped["dut_ring"], abs=64)
    assert report.received == ends.passed == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BEHIND.format("by_map"), r"entries\[0\].program=by_map: the object has none of this name; "
         "allowed: stop_behind, go_behind"),
        (BEHIND.format("go_behind").replace("hashed", "ports").replace(
            "{ifindex = {role = \"out\"}}", "{role = \"out\"}").replace("key = 7", "key = 1"),
         "program=go_behind: values of ports have 4 bytes, which hold no program"),
        ('[maps.cpus]\nentries = [{key = 1, value = {qsize = 64}, program = "go_behind"}]',
         "program=go_behind: the object has none of this name; allowed: stop_there"),
    ],
)  # fmt: skip
def test_a_program_of_another_place_is_refused(compiled, maps, text, words):
    with pytest.raises(BadInputError, match=words):
        read_settings(list_object(compiled("ways")), maps(text))


@two_cores
@pytest.mark.root
@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
def test_what_another_cpu_does_not_take_is_lost(compiled, settings, datapath):
    report, ends = sent_by(datapath, compiled("ways"), "to_cpu", settings)
    assert ends.redirect == pytest.approx(report.sent - report.dropped["dut_ring"], abs=64)
    assert ends.tx == ends.drop == ends.passed == 0
    lost = ends.untaken if datapath == "xdp_native" else ends.undirected
    assert 0 <= lost < ends.redirect


@pytest.mark.root
def test_test_run_sees_the_same_routes(compiled, settings, maps):
    """Without a route the program drops; outside of the lab there is no such interface at all."""
    listing = list_object(compiled("ways"))
    no_route = read_settings(listing, maps(MAPS + "[environment]\nforwarding = true\n"))
    for each, verdict in ((settings, "redirect"), (no_route, "drop")):
        tested = UnderTest(path=compiled("ways"), entry="by_route", settings=each)
        with telling(shown=False) as tell:
            (times,) = time_programs((tested,), of_size(64), tell, loads=1)
        assert times.verdict_shares() == {verdict: 1.0}


@pytest.mark.root
def test_what_the_kernel_does_not_take_is_a_result_with_its_words(compiled, maps):
    path = maps(ENVIRONMENT.replace('via = "192.0.2.2"', 'via = "203.0.113.1"'))
    settings = read_settings(list_object(compiled("ways")), path)
    with (
        pytest.raises(DeviceFailedError, match="ip: "),
        open_object_lab("serial", 1, "xdp_native", settings.environment),
    ):
        pass


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[set]\nout_ifindex = {role = "up"}', "set.out_ifindex=up: no interface has this role"),
        ("[environment]\nroute = []", "environment=route: there is no such key"),
        ("[environment]\nforwarding = 1", "forwarding=1: it cannot be so; allowed: true or"),
        ("[environment.interfaces.up]", "interfaces=up: no interface has this role; .*in, out"),
        ('[environment.interfaces.in]\nmac = "x"', "in.mac=x: it is not a MAC address"),
        ('[environment.interfaces.in]\naddresses = ["1.2.3"]', "in.addresses=1.2.3: it is none"),
        ('[environment]\nroutes = [{to = "10.0.0.1/8", role = "in"}]', "has host bits set"),
        ('[environment]\nroutes = [{to = "10.0.0.0/8"}]', r"routes\[0\].role=None: no interface"),
        ('[environment]\nroutes = [{via = "10.0.0.1", role = "in"}]', r"routes\[0\].to=None: it"),
        ("[environment]\nroutes = [1]", r"routes\[0\]=1: it is not a table"),
        ('[environment]\nneighbours = [{address = "10.0.0.1", role = "in"}]', "mac=None: it is no"),
        ("[environment]\nneighbours = 1", "neighbours=1: it is not a list"),
        ("[maps.sockets]\nentries = [{key = 0, value = 1}]", "its entries are AF_XDP sockets"),
    ],
)
def test_what_is_no_environment_is_refused(compiled, maps, text, says):
    with pytest.raises(BadInputError, match=says):
        read_settings(list_object(compiled("ways")), maps(text))


def test_interfaces_stand_by_their_role(compiled, maps):
    settings = read_settings(list_object(compiled("ways")), maps(MAPS))
    index = OUT_INDEX.to_bytes(4, "little").hex()
    assert settings.lines[:2] == (f"set .rodata 0 {index}", f"fill ports 01000000 {index}")
    assert f"{IN_INDEX.to_bytes(4, 'little').hex()}00000000" in settings.lines[2]
    assert settings.environment and not settings.environment.forwarding
    assert read_settings(list_object(compiled("ways")), maps("")).environment is None


@pytest.mark.root
def test_nothing_stays_after_a_kill(tmp_path, repository, mark):
    for name in ("route_fib.bpf.o", "route_fib.toml"):
        folder = repository / "bpf/examples/forwarding"
        source = built.program_object("route_fib") if name.endswith(".o") else folder / name
        shutil.copy(source, tmp_path / name)
    (tmp_path / "plan.toml").write_text(
        'name = "ways"\nlab = "veth"\nrepetitions = 50\ntrial_seconds = 0.05\n'
        "warm_up_seconds = 0.02\n[[cells]]\n"
        'mode = "serial"\ndatapath = ["xdp_native"]\nprogram = ["route_fib.bpf.o"]\n'
        'object = { maps = ["route_fib.toml"] }\nqueues = [1]\nframe_bytes = [64]\n'
        'link_gbps = 10.0\noffered_mpps = ["line"]\n'
    )
    before, journal = kernel_objects(), tmp_path / "out/journal.jsonl"
    process = warm.start("measure", tmp_path / "plan.toml", "--out", tmp_path / "out")
    end = time.monotonic() + PATIENCE_SECONDS
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() < end:
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(0.2 * random.Random(5).random())
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert "redirect" in journal.read_text()
    assert left_behind(before) == {}
