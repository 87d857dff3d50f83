"""Which network cards a pipeline may have: refusals in words, on planted and on real machines."""

from pathlib import Path

import pytest

from linerate.errors import BadInputError, CannotHereError
from linerate.measure.labs.card import check_card, default_route_interfaces, ssh_interfaces

CARD = "0000:3b:00.0"
ETHERNET, DISK = "0x020000\n", "0x010000\n"
ROUTES = (
    "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
    "ens1\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
    "ens2\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
)
NO_ADDRESS = "0" * 32
ROUTES_6 = (
    f"{NO_ADDRESS} 00 {NO_ADDRESS} 00 fe80 00000400 00000001 00000000 00000003 ens6\n"
    f"{NO_ADDRESS} 00 {NO_ADDRESS} 00 {NO_ADDRESS} ffffffff 00000001 00000000 00200200 lo\n"
)


@pytest.fixture
def machine(tmp_path):
    """Plant a machine of one card, which a pipeline may have unless told otherwise."""

    def build(kind=ETHERNET, driver="vfio-pci", interface="", group=7, fence=True):
        folder = tmp_path / "sys/bus/pci/devices" / CARD
        folder.mkdir(parents=True)
        (folder / "class").write_text(kind)
        if driver:
            _link(folder / "driver", tmp_path / "sys/bus/pci/drivers" / driver)
        if group:
            _link(folder / "iommu_group", tmp_path / "sys/kernel/iommu_groups" / str(group))
        if interface:
            (folder / interface).mkdir(parents=True)
        if fence:
            (tmp_path / "dev/vfio").mkdir(parents=True)
            (tmp_path / f"dev/vfio/{group}").touch()
        (tmp_path / "proc/net").mkdir(parents=True)
        (tmp_path / "proc/net/route").write_text(ROUTES)
        (tmp_path / "proc/net/ipv6_route").write_text(ROUTES_6)
        return tmp_path

    return build


def _link(link, to):
    to.mkdir(parents=True)
    link.symlink_to(to)


def test_fenced_card_of_vfio_is_taken(machine):
    check_card(CARD, machine())


@pytest.mark.parametrize(
    "address", ["", "3b:00.0", "0000:3b:00", "0000:3B:00.0", "0000:3b:00.8", f"{CARD},x=1", "eth0"]
)
def test_what_is_no_address_is_refused(machine, address):
    with pytest.raises(BadInputError, match=r"not a PCI address; allowed: as in 0000:3b:00\.0"):
        check_card(address, machine())


@pytest.mark.parametrize(("kind", "known"), [(ETHERNET, CARD), (DISK, "this machine has no such")])
def test_absent_card_is_refused_beside_those_there_are(machine, kind, known):
    with pytest.raises(BadInputError, match=f"device=0000:3c:00.0: no network card.*{known}"):
        check_card("0000:3c:00.0", machine(kind=kind))


def test_other_devices_than_network_cards_are_refused(machine):
    with pytest.raises(BadInputError, match="no network card"):
        check_card(CARD, machine(kind=DISK))


@pytest.mark.parametrize("interface", ["net/ens1", "virtio2/net/ens1", "net/ens6"])
def test_way_out_of_the_machine_is_never_taken(machine, interface):
    with pytest.raises(BadInputError, match=r"carries the default route.*another card"):
        check_card(CARD, machine(driver="virtio-pci", interface=interface))


def test_way_of_the_ssh_session_is_never_taken(machine, monkeypatch):
    monkeypatch.setattr(
        "linerate.measure.labs.card.ssh_interfaces", lambda _: {"ens3"}, raising=True
    )
    with pytest.raises(BadInputError, match="ens3 carries your SSH session"):
        check_card(CARD, machine(driver="ixgbe", interface="net/ens3"))


@pytest.mark.parametrize("driver", ["ixgbe", "uio_pci_generic", "mlx5_core", ""])
def test_card_of_another_driver_is_left_to_the_user(machine, driver):
    words = rf"bound to {driver or 'no driver'}.*dpdk-devbind.py -b vfio-pci {CARD}"
    with pytest.raises(CannotHereError, match=words):
        check_card(CARD, machine(driver=driver, interface="net/ens9" if driver else ""))


@pytest.mark.parametrize("missing", [{"group": 0}, {"fence": False}])
def test_card_without_a_fence_is_refused(machine, missing):
    with pytest.raises(CannotHereError, match="no IOMMU stands before it"):
        check_card(CARD, machine(**missing))


def test_default_routes_of_both_protocols_are_seen(machine):
    assert default_route_interfaces(machine()) == {"ens1", "ens6"}


def test_session_is_found_though_its_variable_is_hidden(tmp_path, monkeypatch):
    for pid, parent, variables in (
        (4, 3, b"HOME=/\0"),
        (3, 1, b"SSH_CONNECTION=127.0.0.1 5 ::1 22\0"),
    ):
        (tmp_path / "proc" / str(pid)).mkdir(parents=True)
        (tmp_path / "proc" / str(pid) / "environ").write_bytes(variables)
        (tmp_path / "proc" / str(pid) / "status").write_text(f"Name:\tx\nPPid:\t{parent}\n")
    monkeypatch.setattr("os.getpid", lambda: 4)
    assert ssh_interfaces(tmp_path) == {"lo"}


def test_this_machine_keeps_its_own_way_out():
    own = [
        path
        for path in Path("/sys/bus/pci/devices").glob("*")
        for name in default_route_interfaces()
        if [*path.glob(f"net/{name}"), *path.glob(f"*/net/{name}")]
    ]
    if not own:
        pytest.skip("no PCI card carries a default route here")
    with pytest.raises(BadInputError, match="carries the default route"):
        check_card(own[0].name)
