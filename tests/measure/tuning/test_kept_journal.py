"""What is changed is on disk before it is, so nothing that kills the command loses it."""

import json
import os
import signal
import subprocess
import time

import pytest

from linerate.errors import BadInputError, LinerateError
from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.journal import Journal, Owner
from linerate.measure.tuning.restore import restore

CABLE = Interface(name="cable", index=3, mac="02:00:00:00:00:03", namespace=1)
KILLED = """
import os, signal
from linerate.measure.tuning.knobs.offload import Offload
tune, done = Offload.tune, []
def killed(self, interface, value):
    if len(done) == {moment} and not {after}: os.kill(os.getpid(), signal.SIGKILL)
    tune(self, interface, value)
    if len(done) == {moment}: os.kill(os.getpid(), signal.SIGKILL)
    done.append(value)
Offload.tune = killed
wanted = {{'tx_checksum': 'off', 'tso': 'off', 'gso': 'off', 'mtu_bytes': '1400'}}
change(cable, wanted, journal, None)
"""


@pytest.mark.root
@pytest.mark.parametrize("after", [False, True], ids=["before a change", "after it"])
@pytest.mark.parametrize("moment", [0, 1, 2])
def test_cleanup_undoes_what_a_kill_left(cable, moment, after):
    before = cable.settings()
    with pytest.raises(AssertionError):
        cable.python(KILLED.format(moment=moment, after=after))
    assert cable.settings() != before, "the kill came too early to show anything"
    output = cable.python(
        "print(json.dumps([[(o.setting.knob, o.state) for o in restore(journal)] for _ in (1, 2)]))"
    )
    assert [state for _, state in output[0]] == ["restored"] * (moment + 2)
    assert output[1] == []
    assert cable.settings() == before


@pytest.mark.root
def test_settings_of_a_live_process_are_left_to_it_and_of_a_killed_one_undone(cable):
    before = cable.settings()
    holding = cable.start(
        "import time\nfrom linerate.measure.tuning import *\n"
        "with tuned(Interface.named('cable'), {'tso': 'off', 'mtu_bytes': '1400'}):\n"
        "    print('held', flush=True)\n    time.sleep(60)"
    )
    states = "print(json.dumps([outcome.state for outcome in restore(journal)]))"
    assert holding.readline() == "held"
    held = cable.settings()
    assert held != before
    assert cable.python(states) == ["in use", "in use"]
    assert cable.settings() == held
    holding.send_signal(signal.SIGKILL)
    holding.wait()
    assert cable.python(states) == ["restored", "restored"]
    assert cable.settings() == before


@pytest.mark.root
def test_settings_of_another_namespace_wait_for_it_and_go_with_it(cable):
    held = cable.python(
        "print(json.dumps(len(change(cable, {'tso': 'off', 'gso': 'off'}, journal, None))))"
    )
    outside = Journal(cable.journal)
    first = restore(outside)
    assert [outcome.state for outcome in first] == ["elsewhere"] * held
    assert "run it there, nsenter --net" in first[0].words
    assert cable.python("print(json.dumps(find_knob('tso').show(cable)))") == "off"
    cable.namespace.close()
    assert [outcome.state for outcome in restore(outside)] == ["gone"] * held
    assert restore(outside) == ()


FULL = """
import subprocess, os
from linerate.errors import LinerateError
folder = str(journal.folder)
os.makedirs(folder)
subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', folder], check=True)
open(folder + '/lock', 'w').close()
open(folder + '/filler', 'wb').write(bytes(4096))
try:
    change(cable, {'tso': 'off', 'gso': 'off'}, journal, None)
except LinerateError as error:
    print(json.dumps([str(error), len(journal.settings())]))
"""


@pytest.mark.root
def test_on_a_full_disk_nothing_is_changed(cable):
    before = cable.settings()
    words, left = cable.python(FULL)
    assert words.startswith(f"journal={cable.journal}/tuning.jsonl: it cannot grow (No space left")
    assert "tso was not changed; free some space" in words
    assert left == 0
    assert cable.settings() == before


def test_a_line_cut_short_is_no_change(tmp_path):
    journal = Journal(tmp_path)
    kept = journal.begin("tso", CABLE, "on", "off", None)
    with journal.path.open("a") as file:
        file.write('{"setting_id": 2, "knob": "gs')
    assert journal.settings() == (kept,)
    second = journal.begin("gso", CABLE, "on", "off", None)
    assert journal.settings() == (kept, second)


def test_the_last_setting_put_back_takes_the_journal_along(tmp_path):
    journal = Journal(tmp_path)
    first = journal.begin("tso", CABLE, "on", "off", None)
    second = journal.begin("gso", CABLE, "on", "off", Owner.this_process())
    journal.end(second)
    assert journal.settings() == (first,)
    journal.end(first)
    journal.end(first)
    assert not journal.path.exists()


@pytest.mark.parametrize("line", ["{}", "[]", "null", '{"setting_id": "1", "kind": "restored"}'])
def test_a_strange_line_is_refused_with_its_place(tmp_path, line):
    journal = Journal(tmp_path)
    journal.begin("tso", CABLE, "on", "off", None)
    with journal.path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(BadInputError, match=r"tuning\.jsonl:2: this line is not a setting"):
        journal.settings()


def test_the_journal_is_its_owners_alone(tmp_path):
    journal = Journal(tmp_path / "run")
    with journal.held():
        journal.begin("tso", CABLE, "on", "off", None)
    assert journal.folder.stat().st_mode & 0o777 == 0o700
    assert journal.path.stat().st_mode & 0o777 == 0o600


def test_without_a_place_to_write_nothing_begins(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(LinerateError, match="no setting is changed that is not in it"),
        Journal(tmp_path / "file/run").held(),
    ):
        pass


def test_a_process_that_ended_owns_nothing_even_if_its_number_is_taken():
    assert Owner.this_process().alive
    assert not Owner(pid=os.getpid(), started_ticks=1).alive
    with subprocess.Popen(["true"]) as ended:
        time.sleep(0.2)  # it is a zombie now: dead, and still listed
        assert not Owner(pid=ended.pid, started_ticks=0).alive


def test_what_was_written_is_read_back_the_same(tmp_path):
    journal = Journal(tmp_path)
    setting = journal.begin("rps_cpus", CABLE, "0 0", "3", Owner.this_process())
    assert Journal(tmp_path).settings() == (setting,)
    assert json.loads(journal.path.read_text())["before"] == "0 0"
