"""A name that moves to another interface takes no setting along."""

import pytest

from linerate.measure.tuning import Interface

pytestmark = pytest.mark.root
SWAP = "ip link set cable name gone && ip link set far name cable"
RACE = """
import os, subprocess
from linerate.measure.tuning.knobs.offload import Offload
tune = Offload.tune
def raced(self, interface, value):
    if {before}: tune(self, interface, value)
    subprocess.run({swap!r}, shell=True, check=True)
    if not {before}: tune(self, interface, value)
Offload.tune = raced
try:
    change(cable, {{'tso': 'off'}}, journal, None)
except Exception as error:
    print(json.dumps([type(error).__name__, str(error), len(journal.settings())]))
"""


@pytest.mark.parametrize("before", [True, False], ids=["after the change", "before it"])
def test_a_rename_between_check_and_use_is_caught(cable, before):
    cable.run("ip", "link", "set", "far", "down")
    cable.run("ip", "link", "set", "cable", "down")
    kind, words, left = cable.python(RACE.format(swap=SWAP, before=before))
    assert kind == "LinerateError"
    assert "interface=cable: it was renamed to gone" in words
    assert left == 0
    for device in ("gone", "cable"):
        assert "tcp-segmentation-offload: on" in cable.run("ethtool", "-k", device)


FILE_RACE = """
import subprocess
subprocess.run({swap!r}, shell=True, check=True)
from linerate.measure.tuning.folder import open_folder
try:
    with open_folder(cable) as folder:
        folder.write('gro_flush_timeout', '1')
except Exception as error:
    print(json.dumps(str(error)))
"""


def test_a_file_of_another_interface_is_not_written(cable):
    cable.run("ip", "link", "set", "far", "down")
    cable.run("ip", "link", "set", "cable", "down")
    words = cable.python(FILE_RACE.format(swap=SWAP))
    assert "/sys/class/net/cable is not that of number" in words
    assert cable.run("cat", "/sys/class/net/cable/gro_flush_timeout").strip() == "0"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ip link set cable address 02:00:00:00:00:77", "its address changed from"),
        ("ip link delete cable", "is gone"),
    ],
)
def test_another_address_or_none_is_not_the_interface(cable, command, words):
    output = cable.python(
        f"import subprocess\nsubprocess.run({command!r}, shell=True, check=True)\n"
        "try:\n    cable.check()\nexcept Exception as error:\n    print(json.dumps(str(error)))"
    )
    assert words in output


def test_another_namespace_has_other_interfaces():
    lo = Interface.named("lo")
    moved = Interface(name="lo", index=lo.index, mac=lo.mac, namespace=lo.namespace + 1)
    assert moved.found() is None
    with pytest.raises(Exception, match="another network namespace"):
        moved.check()


def test_what_was_renamed_meanwhile_is_put_back_under_its_new_name(cable):
    before = cable.settings()["ethtool -k"]
    assert cable.linerate("tune", "cable", "--setting", "tso=off").returncode == 0
    cable.run("ip", "link", "set", "cable", "down")
    cable.run("ip", "link", "set", "cable", "name", "renamed")
    done = cable.linerate("cleanup")
    assert done.returncode == 0, done.stderr
    assert cable.settings("renamed")["ethtool -k"].replace("renamed", "cable") == before


@pytest.mark.parametrize("name", ["", "cable ", "../cable", "a" * 300, "no\nname", "cable\0far"])
def test_no_name_but_the_whole_one_finds_it(cable, name):
    output = cable.python(
        f"try:\n    Interface.named({name!r})\nexcept ValueError as error:\n"
        "    print(json.dumps(str(error)))"
    )
    assert output.endswith("allowed: cable, far; name one of these")
