"""The [nic] table of a campaign, and campaigns that wait for one."""

import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from linerate.errors import BadInputError
from linerate.measure.campaign.campaign import campaign_from, read_campaign
from linerate.measure.labs.nic import NicLab, NicSite
from linerate.measure.labs.port import Port
from linerate.measure.tuning import Interface

from .plans import plan

SHIPPED = sorted((Path(__file__).resolve().parents[3] / "data/campaigns").glob("*-nic.toml"))
TABLE = """
[nic]
interface = "ens2"
generator_host = "loadgen"
generator_interface = "ens3"
cores = [0, 1]
"""


def campaign(table=TABLE, **changes):
    text = plan(**({"lab": '"nic"', "mode": '"split"'} | changes))
    return campaign_from(tomllib.loads(text + table), "good.toml")


def edited(text):
    """What a reader of the how-to makes of a shipped campaign: names of his own."""
    return re.sub(r'"your-([a-z-]+)"', r'"\1"', text).replace("other-interface", "other0")


def test_its_cells_are_of_the_nic_lab():
    assert {(cell.lab, cell.mode) for cell in campaign().cells()} == {("nic", "split")}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_campaign_waits_for_the_names_of_the_users_hosts(path):
    with pytest.raises(BadInputError, match=r"the example's, not one of yours; .*two-hosts\.md"):
        read_campaign(path)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_campaign_is_read_once_it_is_edited(path):
    fields = tomllib.loads(edited(path.read_text()))
    assert campaign_from(fields, path.name).cells()


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("", "the lab is nic"),
        (TABLE.replace('"ens2"', '"a/b"'), "no interface has such a name"),
        (TABLE.replace('"ens2"', '"sixteen-bytes-xx"'), "no interface has such a name"),
        (TABLE.replace('"loadgen"', '"-oProxyCommand=x"'), "not a name of a host"),
        (TABLE + 'generator = "nosuch"\n', "no generator host knows it"),
        (TABLE + 'generator_command = ["linerate; reboot"]\n', "a shell might take it"),
        (TABLE + 'generator_command = []\n', "generator_command"),
        (TABLE + 'password = "x"\n', "unknown key"),
        (TABLE + 'tune = { queues = "4" }\n', "the lab sets it for each cell"),
        (TABLE + 'tune = { nosuch = "4" }\n', "none of that name"),
        (TABLE.replace("[0, 1]", "[]"), "cores"),
        (TABLE + 'generator = "moongen"\n', "not a PCI address"),
        (TABLE.replace('"ens3"', '"0000:3b:00.0"') + 'generator = "trex"\ntrex = "x y"\n', "trex"),
        (TABLE + 'moongen = "/opt/$(x)"\n', "moongen"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_is_refused(table, why):
    with pytest.raises(BadInputError, match=re.escape(why)):
        campaign(table)


def test_a_generator_of_others_has_a_card_by_its_pci_address():
    card = TABLE.replace('"ens3"', '"0000:3b:00.0"')
    moongen = campaign(card + 'generator = "moongen"\nmoongen = "/srv/MoonGen"\n').nic
    trex = campaign(card + 'generator = "trex"\nmoongen = "/srv/MoonGen"\n').nic
    assert moongen and trex
    assert (moongen.brings_link, moongen.program) == (True, "/srv/MoonGen")
    assert (trex.brings_link, trex.program) == (False, "")


def test_dpdk_has_a_card_or_an_interface_whose_link_the_kernel_keeps():
    own = TABLE + 'generator = "dpdk"\n'
    interface, card = (
        campaign(own.replace('"ens3"', outlet)).nic for outlet in ('"ens3"', '"0000:3b:00.0"')
    )
    assert interface and card
    assert (interface.brings_link, card.brings_link) == (False, True)


def test_a_table_without_its_lab_is_refused():
    with pytest.raises(BadInputError, match="the lab is veth"):
        campaign(lab='"veth"')


def test_serial_mode_is_refused():
    with pytest.raises(BadInputError, match="the generator is on another host"):
        campaign(mode='"serial"')


def test_queues_without_a_core_named_for_them_are_left_out_within_cores(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(plan(lab='"nic"', mode='"split"', queues="[1, 2, 4]") + TABLE)
    kept = read_campaign(path).within_cores(64).campaign
    assert {cell.queues for cell in kept.cells()} == {1, 2}


@pytest.mark.parametrize(
    ("generator", "asks"), [("linerate", True), ("moongen", False), ("dpdk", True), ("dpdk", False)]
)
def test_no_link_is_asked_for_before_a_generator_that_brings_it(monkeypatch, generator, asks):
    asked = []
    monkeypatch.setattr(Port, "await_carrier", lambda port: asked.append(port.name))
    monkeypatch.setattr(Port, "require", lambda port: asked.append(port.name))
    outlet = "ens3" if asks else "0000:3b:00.0"
    table = TABLE.replace('"ens3"', f'"{outlet}"') + f'generator = "{generator}"\n'
    site = SimpleNamespace(table=campaign(table).nic)
    device = SimpleNamespace(name="lo", check=lambda: None)
    lab = NicLab(interface=cast(Interface, device), dut_cores=(), site=cast(NicSite, site))
    assert lab.look(lab.start_dut_threads()).run_ns == ()
    assert asked == ["lo", "lo"] * asks


LAB = """
[[boxes]]
name = "rack1-a"
[boxes.nic]
interface = "ens2"
generator_host = "loadgen"
generator_interface = "ens3"
cores = [0, 1]

[[boxes]]
name = "rack1-b"
"""
OF_LAB = '\n[nic]\nlab_file = "lab.toml"\nbox = "rack1-a"\n'


def read_with(tmp_path, table, lab=LAB):
    (tmp_path / "lab.toml").write_text(lab)
    path = tmp_path / "plan.toml"
    path.write_text(plan(lab='"nic"', mode='"split"') + table)
    return read_campaign(path)


def test_a_lab_file_names_hosts_cables_and_cores_once_for_all_campaigns(tmp_path):
    found = read_with(tmp_path, OF_LAB)
    assert found.campaign.nic == campaign().nic
    assert tomllib.loads(found.text)["nic"] == tomllib.loads(TABLE)["nic"]
    own = read_with(tmp_path, OF_LAB + "cores = [3]\n").campaign.nic
    assert own is not None
    assert (own.cores, own.interface) == ([3], "ens2")


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (OF_LAB.replace("rack1-a", "rack1-c"), "names no such box; allowed: rack1-a, rack1-b"),
        (OF_LAB.replace("rack1-a", "rack1-b"), "names no interface of it"),
        (OF_LAB.replace("box", "bux"), "lab_file=lab.toml box=None: both are names"),
        (OF_LAB.replace('"lab.toml"', "3"), "lab_file=3 box=rack1-a: both are names"),
        (OF_LAB.replace("lab.toml", "other.toml"), "other.toml"),
        (OF_LAB + "interfaces = 3\n", "interfaces"),
        ('\n[nic]\nbox = "rack1-a"\n', "box"),
    ],
)
def test_a_box_that_the_lab_file_does_not_have_is_refused(tmp_path, table, why):
    with pytest.raises(BadInputError, match=why):
        read_with(tmp_path, table)


def test_what_a_lab_file_says_of_an_interface_is_checked(tmp_path):
    with pytest.raises(BadInputError, match=r"lab\.toml"):
        read_with(tmp_path, OF_LAB, LAB.replace("[0, 1]", "[0, 0.5]"))
