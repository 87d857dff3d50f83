"""The veth lab with addresses, so that packets pass the device's network stack as on a host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from linerate.cells import Cell
from linerate.measure.labs.namespace import Namespace
from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab, open_veth_lab


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What one end of the lab is called in the frames of the generator."""

    mac: str
    """A frame to another one is for nobody."""
    address: str
    network: str
    """Half of 198.18.0.0/15 (RFC 2544, appendix C.2.2); sources are drawn from it."""


GENERATOR = End(mac="02:00:00:00:00:01", address="198.18.0.1/16", network="198.18.0.0/16")
DUT = End(mac="02:00:00:00:00:02", address="198.19.0.1/16", network="198.19.0.0/16")


ROUTER = End(mac=DUT.mac, address="198.18.255.254/32", network=GENERATOR.network)
"""The device where it forwards: what is sent to `DUT` is for another host."""
NEXT_HOP_MAC = "02:00:00:00:00:03"


@contextmanager
def open_filter_lab(cell: Cell) -> Iterator[VethLab]:
    """Build a lab whose device has the address that the generator sends to.

    Only native XDP does without receive offload: it has veth poll by itself.
    """
    with open_veth_lab(cell.mode, cell.queues, gro=cell.datapath != "xdp_native") as lab:
        _set_up(lab.generator, GENERATOR_DEVICE, GENERATOR, peer=DUT)
        _set_up(lab.dut, lab.dut_device, DUT, peer=GENERATOR)
        yield lab


@contextmanager
def open_forwarding_lab(cell: Cell) -> Iterator[VethLab]:
    """Build a lab whose device forwards what the generator sends, out of another interface."""
    with open_veth_lab(cell.mode, cell.queues, gro=True, second_way=True) as lab:
        _set_up(lab.generator, GENERATOR_DEVICE, GENERATOR, peer=DUT)
        _set_up(lab.dut, lab.dut_device, ROUTER, peer=GENERATOR)
        far = DUT.address.split("/")[0]
        lab.dut.run(["sysctl", "--quiet", "-w", "net.ipv4.ip_forward=1"])
        lab.dut.run(["ip", "-batch", "-"], text_in=f"route add {DUT.network} dev {lab.out_device}\n"
                    f"neigh replace {far} lladdr {NEXT_HOP_MAC} nud permanent "
                    f"dev {lab.out_device}\n")  # fmt: skip
        yield replace(lab, forwards=True)


def _set_up(namespace: Namespace, device: str, own: End, *, peer: End) -> None:
    """Give a device its addresses and what it must know of the other end.

    Nothing is ever asked by ARP: one neighbour is written down, and every other source is a
    spoofed one, to which an answer need not find its way. Source addresses are not checked.
    """
    namespace.run(
        ["sysctl", "--quiet", "--ignore", "-w", "net.ipv6.conf.all.disable_ipv6=1",
         "net.ipv4.conf.all.rp_filter=0", f"net.ipv4.conf.{device}.rp_filter=0"]
    )  # fmt: skip
    namespace.run(
        ["ip", "-batch", "-"],
        text_in=f"link set dev {device} address {own.mac} arp off\n"
        f"address add {own.address} dev {device}\n"
        f"route add {peer.network} dev {device}\n"
        f"neigh replace {peer.address.split('/')[0]} lladdr {peer.mac} nud permanent "
        f"dev {device}\n",
    )
