"""Two hosts over ssh: a whole campaign, and whatever may happen to either end of it."""

import os
import re
import signal
import time

import pytest

from linerate.records import planned_id
from linerate.tables.runs import read_runs

from ..remote.two_hosts import HOST, fill, needs_sshd, open_two_hosts

pytestmark = [
    pytest.mark.long,
    pytest.mark.root,
    needs_sshd,
]
CELLS = 20
VICTIMS = (
    "linerate agent",
    pytest.param("native/traffic", marks=pytest.mark.deep),
    pytest.param(": root", id="sshd", marks=pytest.mark.deep),  # sshd-session: root, of OpenSSH 10
)
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
DISK_BYTES = 512 * 1024


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    with open_two_hosts(tmp_path_factory.mktemp("hosts")) as made:
        yield made


@pytest.fixture
def before(hosts):
    """State of both hosts, which a test leaves as it found it."""
    return settled(hosts, None)


def settled(hosts, before):
    """State of the hosts, once what is ending has ended."""
    end = time.monotonic() + SETTLE_SECONDS
    while True:
        seen = hosts.state()
        ended = not seen["processes"] if before is None else seen == before
        if ended or time.monotonic() > end:
            return seen
        time.sleep(0.1)


def lines(out):
    journal = out / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def await_first_trial(process, out):
    """Wait until the journal has a line; a campaign that ended without one says why."""
    while not lines(out):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)


def go_on(hosts, out):
    """Go on with the campaign until every cell is measured."""
    code, output = hosts.measured(hosts.folder / "plan.toml", out, "--resume")
    assert code == 0, output


def cells_of(runs):
    """Count planned runs; one that was begun again had been disturbed until it was killed."""
    planned = runs["run_id"].map(planned_id)
    begun_again = runs[planned.duplicated(keep="last")]
    assert (begun_again["verdict"] == "suspect").all(), begun_again
    return planned.nunique()


@pytest.fixture
def sending(hosts, tmp_path):
    """Start a campaign of one long trial, and wait until it sends; the process."""
    process = hosts.measure(hosts.plan(FEW, seconds=LONG_SECONDS), tmp_path / "out")
    hosts.await_command(hosts.generator, "native/traffic")
    yield process
    process.kill()
    process.communicate()


@pytest.mark.deep
def test_a_campaign_of_twenty_cells_runs_and_leaves_both_hosts_as_they_were(
    hosts, before, tmp_path
):
    code, output = hosts.measured(hosts.plan(), tmp_path / "out")
    assert code == 0, output
    runs = read_runs([tmp_path / "out"])
    assert len(runs) == CELLS
    assert (runs["verdict"] != "invalid").all()
    assert (runs["forwarded_mpps"] > 0).all()
    assert (runs["latency_p50_us"] > 0).all()
    assert settled(hosts, before) == before


@pytest.mark.deep
def test_cleanup_puts_back_what_a_killed_campaign_left_and_it_goes_on(hosts, before, tmp_path):
    out = tmp_path / "out"
    process = hosts.measure(hosts.plan(FEW), out)
    await_first_trial(process, out)
    process.kill()
    process.communicate()
    kept = lines(out)
    assert settled(hosts, None) != before
    hosts.linerate("cleanup")
    assert settled(hosts, before) == before
    go_on(hosts, out)
    assert cells_of(read_runs([out])) == 2
    assert lines(out) >= kept > 0


@pytest.mark.parametrize("victim", VICTIMS)
def test_it_says_so_when_something_of_the_generator_host_is_killed(hosts, before, sending, victim):
    os.kill(hosts.await_command(hosts.generator, victim), signal.SIGKILL)
    words = sending.communicate()[1]
    assert sending.returncode == 3, words
    assert f"generator host {HOST}: " in words
    assert settled(hosts, before) == before


@pytest.mark.deep
def test_traffic_ends_when_the_connection_hangs(hosts, before, sending):
    hosts.generator.run(["ip", "link", "set", "ctl", "down"])
    words = sending.communicate()[1]
    assert sending.returncode == 3, words
    hosts.generator.run(["ip", "link", "set", "ctl", "up"])
    assert settled(hosts, before) == before


@pytest.mark.deep
def test_a_remote_that_hangs_is_given_up_and_leaves_nothing(hosts, before, sending):
    agent = hosts.await_command(hosts.generator, "linerate agent")
    os.kill(agent, signal.SIGSTOP)
    words = sending.communicate()[1]
    assert "no sign of life" in words
    os.kill(agent, signal.SIGCONT)
    assert settled(hosts, before) == before


@pytest.mark.deep
def test_a_link_that_goes_down_is_no_loss_of_the_device(hosts, before, tmp_path):
    out = tmp_path / "out"
    process = hosts.measure(hosts.plan(FEW, seconds=1.5), out)
    hosts.await_command(hosts.generator, "native/traffic")
    hosts.generator.run(["ip", "link", "set", "far0", "down"])
    words = process.communicate()[1]
    assert process.returncode in (3, 4), words
    assert "link is down" in words or "Network is down" in words
    assert lines(out) == 0
    hosts.generator.run(["ip", "link", "set", "far0", "up"])
    hosts.await_cable()
    assert settled(hosts, before) == before


def test_another_key_is_refused_before_anything_is_touched(hosts, tmp_path):
    plan, known = hosts.plan(FEW), (hosts.folder / "known_hosts").read_text()
    hosts.stop_sshd()
    hosts.make_keys()
    hosts.start_sshd()
    new = (hosts.folder / "known_hosts").read_text()
    (hosts.folder / "known_hosts").write_text(known)
    before = settled(hosts, None)
    code, output = hosts.measured(plan, tmp_path / "out")
    assert code == 3, output
    assert f"the key of {HOST} is not the one that is known" in output
    assert not (tmp_path / "out").exists()
    assert settled(hosts, before) == before
    (hosts.folder / "known_hosts").write_text(new)


def test_an_unknown_key_is_refused_and_not_stored(hosts, tmp_path):
    known = (hosts.folder / "known_hosts").read_text()
    (hosts.folder / "known_hosts").write_text("")
    code, output = hosts.measured(hosts.plan(FEW), tmp_path / "out")
    assert code == 3, output
    assert f"the key of {HOST} is not known: log in once by hand" in output
    assert (hosts.folder / "known_hosts").read_text() == ""
    (hosts.folder / "known_hosts").write_text(known)


def test_nothing_is_written_on_the_generator_host(hosts, tmp_path):
    """Where no file can grow by a byte, as on a full disk, the campaign runs all the same."""
    hosts.stop_sshd()
    hosts.start_sshd("prlimit", "--fsize=0")
    code, output = hosts.measured(hosts.plan(FEW), tmp_path / "out")
    hosts.stop_sshd()
    hosts.start_sshd()
    assert code == 0, output
    assert len(read_runs([tmp_path / "out"])) == 2


@pytest.mark.deep
def test_a_full_disk_here_costs_the_trial_that_found_no_room_and_no_other(hosts, before, tmp_path):
    with hosts.disk(tmp_path, DISK_BYTES) as disk:
        process = hosts.measure(hosts.plan(FEW, seconds=2.0), tmp_path / "out")
        await_first_trial(process, disk / "out")
        fill(disk / "fill")
        words = process.communicate()[1]
        assert process.returncode == 3, words
        assert "No space left" in words
        assert "every trial before this one is" in words
        assert settled(hosts, before) == before
        (disk / "fill").unlink()
        kept = (disk / "out/journal.jsonl").read_bytes()
        whole = kept[: kept.rfind(b"\n") + 1]
        go_on(hosts, tmp_path / "out")
        assert cells_of(read_runs([disk / "out"])) == 2
        assert whole
        assert (disk / "out/journal.jsonl").read_bytes().startswith(whole)


REFUSED = (
    ({"generator_interface": "ctl"}, "an SSH session runs over it"),
    ({"generator_interface": "nosuch0"}, "nosuch0"),
    ({"interface": "lo"}, "loopback"),
    ({"interface": "nosuch0"}, "there is none of that name"),
    ({"generator_cores": [63]}, "generator_cores=63"),
    ({"cores": [63]}, "this host has no such core"),
    ({"generator_command": ["/nowhere/linerate"]}, "linerate is not where generator_command"),
)


def test_what_must_not_be_is_refused_in_clear_words(hosts, before, tmp_path):
    """By one process, which begins each campaign in turn."""
    begin = (
        "import sys\nfrom linerate.cli import main\n"
        "for number, plan in enumerate(sys.argv[2:]):\n"
        "    try:\n"
        "        main(['measure', plan, '--out', f'{sys.argv[1]}/out{number}'])\n"
        "    except SystemExit as ended:\n"
        "        print('exit', ended.code, file=sys.stderr)\n"
    )
    plans = []
    for number, (changes, _) in enumerate(REFUSED):
        plans.append(tmp_path / f"{number}.toml")
        plans[-1].write_text(hosts.plan(FEW, **changes).read_text())
    words = hosts.python(begin, tmp_path, *plans)
    output = re.split(r"^exit (\d+)$", words, flags=re.MULTILINE)
    assert len(output) == 2 * len(REFUSED) + 1, words
    for (_, why), told, code in zip(REFUSED, output[::2], output[1::2], strict=False):
        assert why in told
        assert code in "234"
    assert settled(hosts, before) == before
