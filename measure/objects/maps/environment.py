"""What a program's helpers look into: interfaces, routes and neighbours of the machine it runs on.

They are those of the lab's own namespace, never the machine's. Interfaces are named by their role:
packets come in by ``in``, and may leave by it or by ``out``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface, ip_network

from linerate.measure.labs.veth import IN_INDEX, OUT_INDEX
from linerate.measure.objects.maps.fields import check_keys, table_of
from linerate.measure.objects.maps.values import refused

ROLES = {"in": IN_INDEX, "out": OUT_INDEX}
"""Indices of the interfaces, which a program sees."""
MACS = {"in": "02:00:00:00:00:02", "out": "02:00:00:00:00:03"}
"""Theirs where none is given: that of ``in`` is what the generator's frames go to."""
LINES_MAX = 65536
"""Of routes, and of neighbours."""
_MAC = re.compile(r"(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """An interface of the device."""

    role: str
    mac: str
    addresses: tuple[str, ...] = ()
    """Each with the length of its network's prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where packets of a network go."""

    to: str
    role: str
    via: str = ""
    """Empty where the network is at the interface itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Who has an address."""

    address: str
    mac: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """All that is set up beside the program."""

    forwarding: bool = False
    """Of the network stack: packets that pass are routed, and a lookup of routes finds them."""
    interfaces: tuple[Interface, ...] = tuple(
        Interface(role=role, mac=mac) for role, mac in MACS.items()
    )
    routes: tuple[Route, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()


def with_indices(value: object, where: str, found: list[str]) -> object:
    """Put an interface's index where a value says its role; such roles are added to ``found``.

    >>> with_indices({"ifindex": {"role": "out"}, "port": 1}, "value", [])
    {'ifindex': 22, 'port': 1}
    """
    if isinstance(value, list):
        return [with_indices(each, where, found) for each in value]
    if not isinstance(value, dict):
        return value
    if list(value) == ["role"] and isinstance(value["role"], str):
        found.append(_role(where, value["role"]))
        return ROLES[value["role"]]
    return {key: with_indices(each, where, found) for key, each in value.items()}


def read_environment(where: str, fields: object) -> Environment:
    """Read the table ``environment`` of a maps file.

    Raises
    ------
    BadInputError
        Another key, or what is not an address, network or role; with its place.
    """
    table = table_of(where, fields)
    check_keys(where, table, ("forwarding", "interfaces", "routes", "neighbours"))
    forwarding = table.get("forwarding", False)
    if not isinstance(forwarding, bool):
        raise refused(f"{where}.forwarding", forwarding, "it cannot be so", "true or false")
    named = table_of(f"{where}.interfaces", table.get("interfaces", {}))
    for role in named:
        _role(f"{where}.interfaces", role)
    return Environment(
        forwarding=forwarding,
        interfaces=tuple(
            _interface(f"{where}.interfaces.{role}", role, named.get(role, {})) for role in ROLES
        ),
        routes=tuple(_route(*each) for each in _list(where, table, "routes")),
        neighbours=tuple(_neighbour(*each) for each in _list(where, table, "neighbours")),
    )


def _list(where: str, table: dict[str, object], key: str) -> list[tuple[str, dict[str, object]]]:
    values = table.get(key, [])
    if not isinstance(values, list) or len(values) > LINES_MAX:
        raise refused(f"{where}.{key}", values, f"it is not a list of {key}",
                      f"up to {LINES_MAX} tables")  # fmt: skip
    places = [f"{where}.{key}[{place}]" for place in range(len(values))]
    return [(place, table_of(place, each)) for place, each in zip(places, values, strict=True)]


def _interface(where: str, role: str, fields: object) -> Interface:
    table = table_of(where, fields)
    check_keys(where, table, ("mac", "addresses"))
    addresses = table.get("addresses", [])
    if not isinstance(addresses, list):
        raise refused(f"{where}.addresses", addresses, "it is not a list", '["192.0.2.1/24"]')
    return Interface(
        role=role, mac=_mac(where, table.get("mac", MACS[role])),
        addresses=tuple(
            _checked(ip_interface, f"{where}.addresses", each, '"192.0.2.1/24"')
            for each in addresses
        ),
    )  # fmt: skip


def _route(where: str, table: dict[str, object]) -> Route:
    check_keys(where, table, ("to", "via", "role"))
    via = table.get("via")
    return Route(
        to=_checked(ip_network, f"{where}.to", table.get("to"), '"10.0.0.0/8"'),
        role=_role(f"{where}.role", table.get("role")),
        via="" if via is None else _checked(ip_address, f"{where}.via", via, '"192.0.2.2"'),
    )


def _neighbour(where: str, table: dict[str, object]) -> Neighbour:
    check_keys(where, table, ("address", "mac", "role"))
    return Neighbour(
        address=_checked(ip_address, f"{where}.address", table.get("address"), '"192.0.2.2"'),
        mac=_mac(where, table.get("mac")), role=_role(f"{where}.role", table.get("role")),
    )  # fmt: skip


def _role(where: str, role: object) -> str:
    if not isinstance(role, str) or role not in ROLES:
        raise refused(where, role, "no interface has this role", ", ".join(ROLES))
    return role


def _mac(where: str, text: object) -> str:
    if not isinstance(text, str) or not _MAC.fullmatch(text):
        raise refused(f"{where}.mac", text, "it is not a MAC address", '"02:00:00:00:00:04"')
    return text


def _checked(kind: Callable[[str], object], where: str, text: object, allowed: str) -> str:
    try:
        return str(kind(text if isinstance(text, str) else ""))
    except ValueError as error:
        raise refused(where, text, f"it is none ({error})", allowed) from None


def commands(environment: Environment, devices: dict[str, str]) -> Sequence[str]:
    """Write the lines for ``ip -batch`` that set it up.

    Parameters
    ----------
    devices
        Names of the interfaces by role.
    """
    lines = []
    for each in environment.interfaces:
        lines.append(f"link set dev {devices[each.role]} address {each.mac}")
        lines += (f"address add {one} dev {devices[each.role]}" for one in each.addresses)
    for neighbour in environment.neighbours:
        lines.append(f"neigh replace {neighbour.address} lladdr {neighbour.mac} nud permanent "
                     f"dev {devices[neighbour.role]}")  # fmt: skip
    for route in environment.routes:
        via = f"via {route.via} " if route.via else ""
        lines.append(f"route add {route.to} {via}dev {devices[route.role]}")
    return lines
