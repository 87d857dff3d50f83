"""What a lab refuses: other versions, clocks, machines, keys and addresses."""

import os
import sys
import time
from dataclasses import replace

import pytest

from linerate.box import Box, write_box
from linerate.cli import main
from linerate.cli.lab import boxes as command
from linerate.errors import BadInputError, CannotHereError
from linerate.files.lab_boxes import LabBoxes
from linerate.measure.boxes.books import Books, new_campaign_id
from linerate.measure.boxes.keys import CERTIFICATE, KEY, TOKEN, Keys
from linerate.measure.boxes.lab_file import read_lab
from linerate.measure.boxes.orders import Begun
from linerate.measure.boxes.testbed import Testbed
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.campaign.whole import revision

from .lab import write_plan

MACHINE = Box(
    name="made-up", cpu_model="made up", cores=2, threads_per_core=1, memory_gib=4.0,
    kernel="6.18.0", mitigations={}, governor="none", hypervisor="none", nic="veth",
)  # fmt: skip
NEWER = replace(MACHINE, kernel="6.19.0")


@pytest.fixture
def lab_file(tmp_path):
    def write(text='[[boxes]]\nname = "alpha"\n[[boxes]]\nname = "beta"\n'):
        path = tmp_path / "lab.toml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def books(lab_file, tmp_path):
    plan = read_campaign(write_plan(tmp_path / "plan.toml"))
    return Books(lab=read_lab(lab_file()), plan=plan, campaign_id=new_campaign_id())


@pytest.fixture
def greeting(tmp_path):
    return Testbed(name="alpha", spool=tmp_path).greet()


def begun(machine):
    return Begun(machine=machine, lines=())


def test_a_box_of_this_version_and_clock_is_taken(books, greeting):
    books.check(greeting, time.time())


def test_a_process_names_the_source_that_it_began_with(monkeypatch):
    began_with = revision()
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # the clone goes on to another commit, or away
    assert revision() == began_with


@pytest.mark.parametrize(
    "other", [{"version": "0.0.1"}, {"protocol": 99}, {"revision": "0ther0ne"}], ids=str
)
def test_a_box_of_another_version_is_refused(books, greeting, other):
    known = replace(greeting, revision="unknown") if "revision" not in other else greeting
    if known.revision == "unknown" and "revision" in other:
        known = replace(known, revision="th1s0ne")
    with pytest.raises(BadInputError, match=r"box alpha=.*another than this one.*install the same"):
        books.check(replace(known, **other), time.time())


@pytest.mark.parametrize(("off_s", "word"), [(60.0, "ahead"), (-60.0, "behind")])
def test_a_box_whose_clock_is_off_is_refused(books, greeting, off_s, word):
    with pytest.raises(BadInputError, match=rf"(?:5|6)\d\.\d s {word}.*within 5 s.*set its clock"):
        books.check(replace(greeting, clock_s=time.time() + off_s), time.time())


def test_a_box_that_is_slow_to_answer_has_no_clock_that_is_off(books, greeting):
    books.check(replace(greeting, clock_s=time.time() - 50.0), asked_s=time.time() - 60.0)


def test_another_machine_under_the_same_name_is_refused(books):
    lab = books.joined(LabBoxes(campaign_id="1"), "alpha", begun(MACHINE))
    with pytest.raises(BadInputError, match=r"kernel 6.18.0 -> 6.19.0.*measured under this name"):
        books.joined(lab, "alpha", begun(NEWER))


def test_a_box_unlike_the_others_is_refused(books):
    lab = books.joined(LabBoxes(campaign_id="1"), "alpha", begun(MACHINE))
    assert set(books.joined(lab, "beta", begun(MACHINE)).boxes) == {"alpha", "beta"}
    with pytest.raises(BadInputError, match=r"differs from box alpha.*each kind in a folder"):
        books.joined(lab, "beta", begun(NEWER))


def test_a_machine_that_is_not_its_box_files_is_refused(books, lab_file, tmp_path):
    write_box(MACHINE, tmp_path / "alpha.toml")
    path = lab_file('[[boxes]]\nname = "alpha"\nbox_file = "alpha.toml"\n')
    books.lab = read_lab(path)
    books.joined(LabBoxes(campaign_id="1"), "alpha", begun(MACHINE))
    with pytest.raises(BadInputError, match="not the machine of its box file"):
        books.joined(LabBoxes(campaign_id="1"), "alpha", begun(NEWER))


def test_a_lab_keeps_its_boxes_in_the_campaigns_folder(tmp_path):
    lab = LabBoxes(campaign_id="1").joined("alpha", MACHINE)
    lab.write(tmp_path)
    assert LabBoxes.read(tmp_path) == lab
    (tmp_path / "boxes.json").write_text('{"boxes": 3}')
    with pytest.raises(BadInputError, match="as it was written"):
        LabBoxes.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "boxes"),
        ("boxes = []", "boxes"),
        ('[[boxes]]\nname = "a b"', "pattern"),
        ('[[boxes]]\nname = "a"\n[[boxes]]\nname = "a"', "two boxes have it"),
        ('lease_seconds = 0\n[[boxes]]\nname = "a"', "lease_seconds"),
        ('colour = "red"\n[[boxes]]\nname = "a"', "unknown key"),
    ],
)
def test_a_lab_file_is_refused_in_words(lab_file, text, word):
    with pytest.raises(BadInputError, match=word):
        read_lab(lab_file(text))


def test_keys_are_made_once_and_for_their_owner_alone(tmp_path):
    folder = tmp_path / "keys"
    keys = Keys.read_or_make(folder)
    assert keys.encrypted
    assert [(folder / name).stat().st_mode & 0o077 for name in (TOKEN, KEY)] == [0, 0]
    assert Keys.read_or_make(folder) == keys


def test_keys_that_others_may_read_are_refused(tmp_path):
    Keys.read_or_make(tmp_path / "keys")
    (tmp_path / "keys" / TOKEN).chmod(0o644)
    with pytest.raises(BadInputError, match=r"others may read it.*chmod go="):
        Keys.read(tmp_path / "keys")


def test_without_a_certificate_nothing_goes_beyond_loopback(tmp_path):
    folder = tmp_path / "keys"
    Keys.read_or_make(folder)
    (folder / CERTIFICATE).unlink()
    keys = Keys.read(folder)
    keys.check_host("listen", "127.0.0.1")
    with pytest.raises(BadInputError, match=r"in the clear.*an address of loopback"):
        keys.check_host("listen", "10.0.0.1")


def test_no_token_is_refused_with_what_makes_one(tmp_path):
    with pytest.raises(BadInputError, match="start linerate scheduler"):
        Keys.read(tmp_path)


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(CannotHereError, match=r"pip install 'linerate\[boxes\]'"):
        command.need_dask()


def test_a_campaign_on_one_machine_loads_no_dask():
    program = "import sys, linerate.measure.campaign.whole; sys.exit('distributed' in sys.modules)"
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", program]) == 0


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (("--boxes", "lab.toml"), "--boxes and --workers go together"),
        (("--workers", "tcp://127.0.0.1:1"), "--boxes and --workers go together"),
        (("--boxes", "lab.toml", "--workers", "udp://h:1"), "tcp://HOST:PORT"),
    ],
)
def test_options_that_do_not_fit_are_refused(lab_file, tmp_path, capsys, words, output):
    path, out = write_plan(tmp_path / "plan.toml"), tmp_path / "out"
    named = [str(lab_file()) if word == "lab.toml" else word for word in words]
    Keys.read_or_make(tmp_path / "lab.keys")
    with pytest.raises(SystemExit) as ended:
        main(["measure", str(path), "--out", str(out), *named])
    assert ended.value.code == 2
    assert output in capsys.readouterr().err
    assert not out.exists()
