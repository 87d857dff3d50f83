"""Two hosts over ssh: a whole campaign, and whatever may happen to either end of it."""

import os
import signal
import time

import pytest

from linerate.runs import read_runs

from .two_hosts import HOST, SSHD, open_two_hosts

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(SSHD is None, reason="needs sshd (apt-get install openssh-server)"),
]
CELLS = 20
FEW = """
[[cells]]
mode = "split"
datapath = ["xdp_native", "xdp_generic"]
program = ["xdp_tx"]
queues = [1]
frame_bytes = [64]
link_gbps = 10.0
offered_mpps = [0.01]
"""
LONG_SECONDS = 60.0
"""Of a trial that something is to happen to; none lasts so long."""
SETTLE_SECONDS = 20.0


@pytest.fixture
def hosts(tmp_path):
    with open_two_hosts(tmp_path) as made:
        yield made


def settled(hosts, before):
    """State of the hosts, once what is ending has ended."""
    end = time.monotonic() + SETTLE_SECONDS
    while (seen := hosts.state()) != before and time.monotonic() < end:
        time.sleep(0.1)
    return seen


def lines(out):
    return (out / "journal.jsonl").read_bytes().count(b"\n")


def finished(hosts, out):
    """Go on with the campaign, in short trials, until every cell is measured."""
    code, said = hosts.measured(hosts.folder / "plan.toml", out, "--resume")
    assert code == 0, said
    return len(read_runs([out]))


def test_a_campaign_of_twenty_cells_runs_and_leaves_both_hosts_as_they_were(hosts, tmp_path):
    before = hosts.state()
    code, said = hosts.measured(hosts.plan(), tmp_path / "out")
    assert code == 0, said
    runs = read_runs([tmp_path / "out"])
    assert len(runs) == CELLS
    assert (runs["verdict"] != "invalid").all()
    assert (runs["forwarded_mpps"] > 0).all()
    assert (runs["latency_p50_us"] > 0).all()
    assert settled(hosts, before) == before


def test_it_goes_on_after_the_device_host_was_killed(hosts, tmp_path):
    before, out = hosts.state(), tmp_path / "out"
    process = hosts.measure(hosts.plan(), out)
    while not (out / "journal.jsonl").exists() or not lines(out):
        time.sleep(0.05)
    process.kill()
    process.communicate()
    kept = lines(out)
    hosts.cleaned()
    assert settled(hosts, before) == before
    assert finished(hosts, out) == CELLS
    assert lines(out) >= kept > 0


@pytest.mark.parametrize("victim", ["agent", "native/traffic"])
def test_it_says_so_and_goes_on_after_the_generator_was_killed(hosts, tmp_path, victim):
    before, out = hosts.state(), tmp_path / "out"
    process = hosts.measure(hosts.plan(FEW, seconds=LONG_SECONDS), out)
    sending = hosts.await_command(hosts.generator, "native/traffic")
    pid = sending if victim != "agent" else hosts.await_command(hosts.generator, "linerate agent")
    os.kill(pid, signal.SIGKILL)
    words = process.communicate()[1]
    assert process.returncode == 3, words
    assert f"generator host {HOST}: " in words
    assert settled(hosts, before) == before


def test_traffic_ends_when_the_connection_is_lost(hosts, tmp_path):
    before = hosts.state()
    process = hosts.measure(hosts.plan(FEW, seconds=LONG_SECONDS), tmp_path / "out")
    hosts.await_command(hosts.generator, "native/traffic")
    os.kill(hosts.await_command(hosts.generator, "sshd: root"), signal.SIGKILL)
    words = process.communicate()[1]
    assert process.returncode == 3, words
    assert settled(hosts, before) == before


def test_traffic_ends_when_the_connection_hangs(hosts, tmp_path):
    before = hosts.state()
    process = hosts.measure(hosts.plan(FEW, seconds=LONG_SECONDS), tmp_path / "out")
    hosts.await_command(hosts.generator, "native/traffic")
    hosts.generator.run(["ip", "link", "set", "ctl", "down"])
    words = process.communicate()[1]
    assert process.returncode == 3, words
    hosts.generator.run(["ip", "link", "set", "ctl", "up"])
    assert settled(hosts, before) == before


def test_a_remote_that_hangs_is_given_up_and_leaves_nothing(hosts, tmp_path):
    before = hosts.state()
    process = hosts.measure(hosts.plan(FEW, seconds=LONG_SECONDS), tmp_path / "out")
    hosts.await_command(hosts.generator, "native/traffic")
    agent = hosts.await_command(hosts.generator, "linerate agent")
    os.kill(agent, signal.SIGSTOP)
    words = process.communicate()[1]
    assert "no sign of life" in words
    os.kill(agent, signal.SIGCONT)
    assert settled(hosts, before) == before


def test_a_link_that_goes_down_is_no_loss_of_the_device(hosts, tmp_path):
    out = tmp_path / "out"
    process = hosts.measure(hosts.plan(FEW, seconds=2.0), out)
    hosts.await_command(hosts.generator, "native/traffic")
    hosts.generator.run(["ip", "link", "set", "far0", "down"])
    words = process.communicate()[1]
    assert process.returncode in (3, 4), words
    assert "link is down" in words or "Network is down" in words
    assert lines(out) == 0
    hosts.generator.run(["ip", "link", "set", "far0", "up"])
    assert finished(hosts, out) == 2


def test_another_key_is_refused_before_anything_is_touched(hosts, tmp_path):
    plan, known = hosts.plan(FEW), (hosts.folder / "known_hosts").read_text()
    hosts.stop_sshd()
    hosts.make_keys()
    hosts.start_sshd()
    (hosts.folder / "known_hosts").write_text(known)
    before = hosts.state()
    code, said = hosts.measured(plan, tmp_path / "out")
    assert code == 3, said
    assert f"the key of {HOST} is not the one that is known" in said
    assert not (tmp_path / "out").exists()
    assert settled(hosts, before) == before


def test_an_unknown_key_is_refused_and_not_stored(hosts, tmp_path):
    (hosts.folder / "known_hosts").write_text("")
    code, said = hosts.measured(hosts.plan(FEW), tmp_path / "out")
    assert code == 3, said
    assert f"the key of {HOST} is not known: log in once by hand" in said
    assert (hosts.folder / "known_hosts").read_text() == ""


def test_nothing_is_written_on_the_generator_host(hosts, tmp_path):
    """Where no file can grow by a byte, as on a full disk, the campaign runs all the same."""
    hosts.stop_sshd()
    hosts.start_sshd("prlimit", "--fsize=0")
    code, said = hosts.measured(hosts.plan(FEW), tmp_path / "out")
    assert code == 0, said
    assert len(read_runs([tmp_path / "out"])) == 2


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"generator_interface": "ctl"}, "an SSH session runs over it"),
        ({"generator_interface": "nosuch0"}, "nosuch0"),
        ({"interface": "lo"}, "loopback"),
        ({"interface": "nosuch0"}, "there is none of that name"),
        ({"generator_cores": [63]}, "generator_cores=63"),
        ({"cores": [63]}, "this host has no such core"),
        ({"generator_command": ["/nowhere/linerate"]}, "linerate is not where generator_command"),
        ({"interface": "your-interface"}, "the example's"),
        ({"generator_host": "-oProxyCommand=true"}, "no name of a host"),
    ],
)
def test_what_must_not_be_is_refused_in_clear_words(hosts, tmp_path, changes, why):
    before = hosts.state()
    code, said = hosts.measured(hosts.plan(FEW, **changes), tmp_path / "out")
    assert code in (2, 3, 4), said
    assert why in said
    assert settled(hosts, before) == before
