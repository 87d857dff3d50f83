"""Why an interface is left alone: what hangs on it that is not linerate's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from linerate.errors import bad_input
from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.kernel.legacy_tables import legacy_tables_naming
from linerate.measure.tuning.kernel.links import Link, read_links
from linerate.measure.tuning.kernel.nft_tables import nft_tables_naming
from linerate.measure.tuning.kernel.packet_sockets import ANY, packet_sockets
from linerate.measure.tuning.kernel.qdiscs import foreign_qdiscs
from linerate.measure.tuning.kernel.routes import default_route_devices, device_towards
from linerate.measure.tuning.kernel.tcx import tcx_programs
from linerate.measure.tuning.ssh import session_peers


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a network namespace has on its interfaces, those of others included."""

    links: tuple[Link, ...]
    default_routes: frozenset[int] = frozenset()
    """Numbers of the interfaces that a default route leaves by."""
    ssh_sessions: frozenset[int] = frozenset()
    """Numbers of the interfaces that an SSH client is reached by."""
    qdiscs: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Queueing disciplines that somebody added, by the number of the interface."""
    nft_tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tables of nftables that refer to an interface, by its name or a pattern with ``*``."""
    legacy_tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tables of iptables-legacy, likewise."""
    tcx_programs: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Ids of programs on tcx hooks, by the number of the interface."""
    packet_sockets: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Processes that get a copy of each frame, by the number of the interface."""


def look_around() -> Surroundings:
    """Look at this network namespace; changes nothing."""
    towards = (device_towards(peer) for peer in session_peers())
    links = read_links()
    return Surroundings(
        links=links,
        default_routes=default_route_devices(),
        ssh_sessions=frozenset(index for index in towards if index is not None),
        qdiscs=foreign_qdiscs(),
        nft_tables=nft_tables_naming(),
        legacy_tables=legacy_tables_naming(),
        tcx_programs=tcx_programs(link.index for link in links),
        packet_sockets=packet_sockets(),
    )


def refuse_unsafe(interface: Interface, around: Surroundings | None = None) -> None:
    """Refuse an interface that something else lives on, before it is touched.

    Parameters
    ----------
    interface
        The one that the user named.
    around
        What its namespace holds; looked up if left out.

    Raises
    ------
    BadInputError
        It is the loopback, carries a default route or an SSH session, itself or for a bridge, bond
        or VLAN above it, or somebody's program, queueing discipline, rule or packet socket is on
        it.
    LinerateError
        It is not the interface any more that was named.
    """
    interface.check()
    reasons = tuple(objections(interface, around or look_around()))
    if reasons:
        raise bad_input(
            "interface", interface.name, why="; ".join(reasons), allowed="an interface that "
            "nothing else uses", do="name another, or first free this one of what is on it",
        )  # fmt: skip


def objections(interface: Interface, around: Surroundings) -> Iterator[str]:
    """Say everything that forbids touching an interface; nothing where nothing does."""
    link = next((link for link in around.links if link.index == interface.index), None)
    if link is None:
        yield "it is not in this network namespace"
        return
    if link.loopback:
        yield "it is the loopback interface"
    if link.index in _carriers(around, around.default_routes):
        yield "a default route leaves by it"
    if link.index in _carriers(around, around.ssh_sessions):
        yield "an SSH session runs over it"
    yield from _attached(link, around)
    yield from _naming(link, around)


def _attached(link: Link, around: Surroundings) -> Iterator[str]:
    if link.master is not None:
        yield f"it is a port of {_name(around, link.master)}"
    if link.xdp_programs:
        yield f"an XDP program is on it (bpftool prog show id {link.xdp_programs[0]})"
    if kinds := around.qdiscs.get(link.index):
        yield f"somebody added a queueing discipline ({', '.join(kinds)})"
    if programs := around.tcx_programs.get(link.index):
        yield f"a tcx program is on it (bpftool prog show id {programs[0]})"


def _naming(link: Link, around: Surroundings) -> Iterator[str]:
    if tables := _tables(link, around.nft_tables):
        yield f"an nftables table refers to it (table {tables})"
    if tables := _tables(link, around.legacy_tables):
        yield f"a rule of iptables-legacy refers to it (table {tables})"
    for index in (link.index, ANY):
        if owners := around.packet_sockets.get(index):
            yield f"a packet socket takes a copy of its frames ({'; '.join(owners)})"


def _tables(link: Link, tables: Mapping[str, tuple[str, ...]]) -> str:
    """List the tables that refer to an interface by its name or a pattern."""
    found = {
        table
        for name, naming in tables.items()
        for table in naming
        if name == link.name or (name.endswith("*") and link.name.startswith(name[:-1]))
    }
    return ", ".join(sorted(found))


def _carriers(around: Surroundings, indices: frozenset[int]) -> set[int]:
    """Add to interfaces all that carry their packets: ports of a bridge, what a VLAN lies on."""
    carriers, reached = set(indices), set(indices)
    while reached:
        reached = {
            below
            for link in around.links
            for below, above in ((link.index, link.master), (link.parent, link.index))
            if above in reached and below is not None
        } - carriers
        carriers |= reached
    return carriers


def _name(around: Surroundings, index: int) -> str:
    return next((link.name for link in around.links if link.index == index), f"number {index}")
