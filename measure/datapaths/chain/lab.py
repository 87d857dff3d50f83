"""The chain lab: a source, service functions and a destination, joined by one bridge.

As the guests of Castanho et al. are on the bridge of their host, each node is a namespace of its
own, with a veth pair from its ``uplink`` to a bridge in the namespace of the network. A hub, where
there is one, is one more node. Addresses of all are known from the start: nothing is asked by ARP
and no frame is flooded. The generator has a namespace too: its frames enter by a device of the
source, and come back by one of the destination to a sink of its own.

The generator runs on core 0, the functions in turn on all others. The source's NAPI thread is on
core 1. A packet runs on, through bridge and veth pairs, on the core that sent it, until it reaches
the next socket: so functions of tc run on the source's core one behind the other. The hub has a
NAPI thread of its own: as another machine it would have to be woken for a packet, as the process of
a function is. With two cores the source, every function and the hub share core 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from linerate.errors import bad_input
from linerate.measure.datapaths.chain.settings import LENGTH_MAX, ChainSettings
from linerate.measure.labs.namespace import Namespace
from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab

UPLINK = "uplink"
SINK_DEVICE = "sink"
"""The generator's device that frames come back to."""
BACK_DEVICE = "back"
"""The destination's device that leads there."""
INNER_DEVICE, INNER_PEER = "inner", "innerpeer"
"""A pair within the namespace of an AF_XDP function: what such a socket sends passes no stage of
tc egress, so it sends into this pair, and the peer hands it to the uplink's."""
SOURCE_ADDRESS, DESTINATION_ADDRESS = "198.18.0.1", "198.19.0.1"
PREFIX_BITS = 15
MTU_BYTES = 1600
"""1500, the inner Ethernet header, and the longest NSH that the stages keep."""
_BRIDGE = "bridge0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One place of the chain."""

    name: str
    namespace: Namespace
    mac: str
    """Address of its uplink."""
    core: int
    """Where its process runs, if it has one, or its NAPI thread."""
    uplink: str = UPLINK
    """Device towards the bridge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLab:
    """A chain whose nodes reach each other; no stage is in place yet."""

    network: Namespace
    source: Node
    functions: tuple[Node, ...]
    destination: Node
    hub: Node | None
    traffic: VethLab
    """Generator and the source's device for its frames."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every node on the bridge, the hub last."""
        ends = (self.source, *self.functions, self.destination)
        return (*ends, self.hub) if self.hub else ends

    def start_threads(self) -> tuple[tuple[int, int], ...]:
        """Start the NAPI threads of source and hub; needed after every attach.

        Returns
        -------
        Pairs (core, process id).
        """
        (thread,) = self.traffic.start_dut_threads()
        threads = [(self.source.core, thread)]
        if self.hub:
            own = replace(self.traffic, dut=self.hub.namespace, dut_device=self.hub.uplink)
            (thread,) = own.start_dut_threads()
            os.sched_setaffinity(thread, {self.hub.core})
            threads.append((self.hub.core, thread))
        return tuple(threads)

    def links(self) -> list[tuple[Namespace, str]]:
        """Every device that sends along the chain, for its count of what found no room."""
        own = [(node.namespace, node.uplink) for node in self.nodes]
        ports = [(self.network, _port(index)) for index in range(len(self.nodes))]
        return [*own, *ports, (self.destination.namespace, BACK_DEVICE)]


def check_chain(chain: ChainSettings) -> None:
    """Refuse a chain that the lab cannot build.

    Raises
    ------
    BadInputError
        More functions than the lab has addresses for, or too few cores.
    """
    if not 0 <= chain.length <= LENGTH_MAX:
        raise bad_input(
            "length", chain.length, why="the chain lab cannot build it",
            allowed=f"0..{LENGTH_MAX} functions", do="correct it",
        )  # fmt: skip
    if (cores := os.cpu_count() or 1) < 2:
        raise bad_input(
            "datapath", "chain", why=f"functions need a core beside the generator's, of {cores}",
            allowed="a machine of 2 cores or more", do="run it on another machine",
        )  # fmt: skip


def function_core(index: int) -> int:
    """Core of the function at a position: all but the generator's, in turn."""
    return 1 + index % max(1, (os.cpu_count() or 1) - 1)


@contextmanager
def open_chain_lab(chain: ChainSettings) -> Iterator[ChainLab]:
    """Build the namespaces and links of a chain, and take them down again.

    Raises
    ------
    BadInputError
        The chain cannot be built here.
    LinerateError
        The kernel refused something.
    """
    check_chain(chain)
    own = os.getpid() % 100000  # NAPI threads carry a device's name, seen machine-wide
    with ExitStack() as stack:

        def make(name: str, number: int, core: int = 1, uplink: str = UPLINK) -> Node:
            namespace = stack.enter_context(Namespace.create())
            mac = f"02:00:00:00:10:{number:02x}"
            return Node(name=name, namespace=namespace, mac=mac, core=core, uplink=uplink)

        generator = stack.enter_context(Namespace.create())
        source = make("source", 0)
        lab = ChainLab(
            network=stack.enter_context(Namespace.create()),
            source=source,
            functions=tuple(
                make(f"function {index + 1}", index + 1, function_core(index))
                for index in range(chain.length)
            ),
            destination=make("destination", 0xFE),
            hub=make("hub", 0xFF, function_core(chain.length), f"hub{own}")
            if chain.topology == "hub"
            else None,
            traffic=VethLab(
                mode="split", queues=1, generator=generator, dut=source.namespace,
                dut_device=f"src{own}",
            ),
        )  # fmt: skip
        _join(lab)
        _join_generator(lab)
        if chain.function == "af_xdp":
            for node in lab.functions:
                _add_inner_pair(node)
        yield lab


def _port(index: int) -> str:
    return f"port{index}"


def _join(lab: ChainLab) -> None:
    plan = [
        f"link add {_BRIDGE} mtu {MTU_BYTES} type bridge mcast_snooping 0 stp_state 0",
        f"link set {_BRIDGE} addrgenmode none up",
    ]
    known = []
    for index, node in enumerate(lab.nodes):
        port = _port(index)
        plan += [
            f"link add {port} mtu {MTU_BYTES} type veth peer name {node.uplink} mtu {MTU_BYTES} "
            f"address {node.mac} netns {node.namespace.pid}",
            f"link set {port} master {_BRIDGE} addrgenmode none up",
        ]
        known += [f"fdb add {node.mac} dev {port} master static", f"link set dev {port} flood off"]
    lab.network.run(["ip", "-batch", "-"], text_in="\n".join(plan))
    for node in lab.nodes:
        node.namespace.run(["ip", "link", "set", node.uplink, "addrgenmode", "none", "up"])
    if lab.hub:  # without XDP veth delivers by NAPI, to be threaded, only where these are so
        lab.hub.namespace.run(["ethtool", "-K", lab.hub.uplink, "gro", "on"])
        lab.network.run(["ethtool", "-K", _port(len(lab.nodes) - 1), "tso", "off"])
    lab.network.run(["bridge", "-batch", "-"], text_in="\n".join(known))
    _set_address(lab.source, SOURCE_ADDRESS, DESTINATION_ADDRESS, lab.destination)
    _set_address(lab.destination, DESTINATION_ADDRESS, SOURCE_ADDRESS, lab.source)


def _set_address(node: Node, own: str, other: str, peer: Node) -> None:
    node.namespace.run(
        ["ip", "-batch", "-"],
        text_in=f"address add {own}/{PREFIX_BITS} dev {UPLINK}\n"
        f"neighbour add {other} lladdr {peer.mac} dev {UPLINK} nud permanent\n",
    )


def _join_generator(lab: ChainLab) -> None:
    traffic, back = lab.traffic, lab.destination.namespace
    traffic.generator.run(
        ["ip", "-batch", "-"],
        text_in=f"link add {GENERATOR_DEVICE} type veth peer name {traffic.dut_device} "
        f"netns {traffic.dut.pid}\n"
        f"link add {SINK_DEVICE} type veth peer name {BACK_DEVICE} netns {back.pid}\n"
        f"link set {GENERATOR_DEVICE} addrgenmode none up\n"
        f"link set {SINK_DEVICE} addrgenmode none up\n",
    )
    traffic.dut.run(["ip", "link", "set", traffic.dut_device, "addrgenmode", "none", "up"])
    # veth takes redirected frames only by NAPI, which this turns on.
    traffic.dut.run(["ethtool", "-K", traffic.dut_device, "gro", "on"])
    back.run(["ip", "link", "set", BACK_DEVICE, "addrgenmode", "none", "up"])


def _add_inner_pair(node: Node) -> None:
    node.namespace.run(
        ["ip", "-batch", "-"],
        text_in=f"link add {INNER_DEVICE} mtu {MTU_BYTES} type veth peer name {INNER_PEER} "
        f"mtu {MTU_BYTES}\n"
        f"link set {INNER_DEVICE} addrgenmode none up\n"
        f"link set {INNER_PEER} addrgenmode none up\n",
    )
