"""Which network cards a pipeline may have: refusals in words, on planted and on real machines."""

from pathlib import Path

import pytest

from linerate.errors import BadInputError, CannotHereError
from linerate.measure.labs.card import check_card
from linerate.measure.tuning.kernel.links import Link
from linerate.measure.tuning.refusals import Surroundings, look_around

CARD = "0000:3b:00.0"
ETHERNET, DISK = "0x020000\n", "0x010000\n"
AROUND = Surroundings(
    links=(
        Link(index=2, name="ens1", mac="02:00:00:00:00:01"),
        Link(index=3, name="ens3", mac="02:00:00:00:00:03"),
        Link(index=4, name="ens9", mac="02:00:00:00:00:09"),
    ),
    default_routes=frozenset({2}),
    ssh_sessions=frozenset({3}),
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


@pytest.mark.parametrize(
    ("interface", "why"),
    [
        ("net/ens1", "ens1, and a default route leaves by it"),
        ("virtio2/net/ens1", "ens1, and a default route leaves by it"),
        ("net/ens3", "ens3, and an SSH session runs over it"),
    ],
)
def test_way_to_this_machine_is_never_taken(machine, interface, why):
    with pytest.raises(BadInputError, match=why):
        check_card(CARD, machine(driver="ixgbe", interface=interface), AROUND)


@pytest.mark.parametrize("driver", ["ixgbe", "uio_pci_generic", "mlx5_core", ""])
def test_card_of_another_driver_is_left_to_the_user(machine, driver):
    words = rf"bound to {driver or 'no driver'}.*dpdk-devbind.py -b vfio-pci {CARD}"
    with pytest.raises(CannotHereError, match=words):
        check_card(CARD, machine(driver=driver, interface="net/ens9" if driver else ""), AROUND)


@pytest.mark.parametrize("missing", [{"group": 0}, {"fence": False}])
def test_card_without_a_fence_is_refused(machine, missing):
    with pytest.raises(CannotHereError, match="no IOMMU stands before it"):
        check_card(CARD, machine(**missing))


def test_this_machine_keeps_its_own_way_out():
    around = look_around()
    names = {link.name for link in around.links if link.index in around.default_routes}
    own = [
        path
        for path in Path("/sys/bus/pci/devices").glob("*")
        for name in names
        if [*path.glob(f"net/{name}"), *path.glob(f"*/net/{name}")]
    ]
    if not own:
        pytest.skip("no PCI card carries a default route here")
    with pytest.raises(BadInputError, match="a default route leaves by it"):
        check_card(own[0].name)
