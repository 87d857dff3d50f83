"""No interface is touched that something else lives on, whatever the machine looks like."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.measure.tuning import refusals
from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.kernel.links import Link
from linerate.measure.tuning.refusals import Surroundings, objections, refuse_unsafe

NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789.@-", min_size=1, max_size=15)
INDICES = st.integers(1, 8)
SOME = st.sets(INDICES, max_size=3).map(frozenset)


@st.composite
def namespaces(draw):
    """Any interfaces on and below each other, cycles too, with anything on any of them."""
    indices = sorted(draw(st.sets(INDICES, min_size=1)))
    names = draw(st.lists(NAMES, min_size=len(indices), max_size=len(indices), unique=True))
    other = st.none() | st.sampled_from(indices)
    links = tuple(
        Link(
            index=index, name=name, mac=f"02:00:00:00:00:{index:02x}", loopback=draw(st.booleans()),
            master=draw(other), parent=draw(other),
            xdp_programs=tuple(draw(st.sets(st.integers(1, 99), max_size=2))),
        )
        for index, name in zip(indices, names, strict=True)
    )  # fmt: skip
    return Surroundings(
        links=links,
        default_routes=draw(SOME),
        ssh_sessions=draw(SOME),
        qdiscs=draw(st.dictionaries(INDICES, st.just(("clsact",)), max_size=2)),
        nft_tables=draw(st.dictionaries(st.sampled_from(names), st.just(("ip a",)), max_size=2)),
        legacy_tables=draw(st.dictionaries(st.sampled_from(names), st.just(("ip a",)), max_size=2)),
        tcx_programs=draw(st.dictionaries(INDICES, st.just((7,)), max_size=2)),
        packet_sockets=draw(st.dictionaries(INDICES, st.just(("dhclient",)), max_size=2)),
    )


def interface(link):
    return Interface(name=link.name, index=link.index, mac=link.mac, namespace=1)


def below(around, index):
    """The interfaces that carry an interface's packets, by walking down from it."""
    found, left = set(), [index]
    while left:
        here = left.pop()
        if here not in found:
            found.add(here)
            for link in around.links:
                if link.master == here:
                    left.append(link.index)
                if link.index == here and link.parent is not None:
                    left.append(link.parent)
    return found


@given(namespaces(), st.data())
def test_what_is_accepted_carries_nothing_of_others(around, data):
    link = data.draw(st.sampled_from(around.links))
    used = {
        carrier
        for index in around.default_routes | around.ssh_sessions
        for carrier in below(around, index)
    }
    free = not (
        link.loopback
        or link.master is not None
        or link.xdp_programs
        or link.index in used | set(around.qdiscs) | set(around.tcx_programs)
        or link.index in around.packet_sockets
        or link.name in around.nft_tables.keys() | around.legacy_tables.keys()
    )
    assert free == (list(objections(interface(link), around)) == [])


@given(namespaces())
def test_an_interface_that_is_not_there_is_refused(around):
    stranger = Interface(name="stranger", index=9, mac="02:00:00:00:00:09", namespace=1)
    assert list(objections(stranger, around)) == ["it is not in this network namespace"]


@given(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.from_regex(r"[a-z]{0,5}", fullmatch=True))
def test_a_pattern_of_nftables_covers_the_names_it_begins(prefix, rest):
    link = Link(index=1, name=prefix + rest, mac="")
    around = Surroundings(links=(link,), nft_tables={f"{prefix}*": ("inet filter",)})
    assert list(objections(interface(link), around)) == [
        "an nftables table refers to it (table inet filter)"
    ]


def test_every_reason_is_named_at_once(monkeypatch):
    link = Link(index=2, name="eth0", mac="02::", master=3, xdp_programs=(7,))
    around = Surroundings(
        links=(link, Link(index=3, name="br0", mac="02::")),
        default_routes=frozenset({3}), ssh_sessions=frozenset({3}), qdiscs={2: ("ingress",)},
        nft_tables={"eth0": ("inet fw",)},
    )  # fmt: skip
    monkeypatch.setattr(refusals.Interface, "check", lambda _: None)
    with pytest.raises(ValueError) as refused:
        refuse_unsafe(interface(link), around)
    assert str(refused.value) == (
        "interface=eth0: a default route leaves by it; an SSH session runs over it; it is a port "
        "of br0; an XDP program is on it (bpftool prog show id 7); somebody added a queueing "
        "discipline (ingress); an nftables table refers to it (table inet fw); allowed: an "
        "interface that nothing else uses; name another, or first free this one of what is on it"
    )


LEGACY = "env XTABLES_LOCKFILE=/dev/null"
ON_IT = {
    "a default route leaves by it": [
        "ip address add 198.18.0.1/24 dev cable", "ip route add default via 198.18.0.2",
    ],
    "default route leaves by it": [
        "ip address add 198.18.0.1/24 dev cable", "ip route add 0.0.0.0/1 via 198.18.0.2 table 77",
    ],
    "a default route": ["ip -6 route add default dev cable table 77"],
    "default route": [
        "ip link add name bridge0 type bridge", "ip link set cable master bridge0",
        "ip address add 198.18.0.1/24 dev bridge0", "ip link set bridge0 up",
        "ip route add default via 198.18.0.2",
    ],
    "default": [
        "ip address add 198.18.0.1/24 dev cable", "ip address add 198.18.1.1/24 dev lo",
        "ip route add default nexthop dev cable nexthop dev far",
    ],
    "queueing discipline (clsact)": ["tc qdisc add dev cable clsact"],
    "queueing discipline (tbf)": [
        "tc qdisc add dev cable root handle 1: tbf rate 1gbit burst 10k latency 1ms",
    ],
    "table ip fw": [
        "nft add table ip fw", "nft add chain ip fw c", "nft add rule ip fw c iifname cable drop",
    ],
    "table inet fw": [
        "nft add table inet fw", "nft add chain inet fw c",
        "nft add rule inet fw c oif { lo, cable } drop",
    ],
    "table ip6 fw": [
        "nft add table ip6 fw", "nft add chain ip6 fw c", "nft add rule ip6 fw c iifname cab* drop",
    ],
    "table netdev fw": [
        "nft add table netdev fw",
        "nft add chain netdev fw c { type filter hook ingress device cable priority 0 ; }",
    ],
    "table netdev many": [
        "nft add table netdev many",
        "nft add chain netdev many c "
        "{ type filter hook ingress devices = { far, cable } priority 0 ; }",
    ],
    "iptables-legacy refers to it (table ip filter)": [
        f"{LEGACY} iptables-legacy -A INPUT -i cable -j ACCEPT",
    ],
    "iptables-legacy refers to it (table ip6 raw)": [
        f"{LEGACY} ip6tables-legacy -t raw -A PREROUTING -i cab+ -j ACCEPT",
    ],
    "table ip maps": [
        "nft add table ip maps",
        "nft add set ip maps ports { type ifname ; elements = { cable } ; }",
    ],
}  # fmt: skip


TCX = 46
"""``BPF_TCX_INGRESS`` (linux/bpf.h)."""
TRIED = """
try:
    print(json.dumps([setting.knob for setting in change(cable, {'tso': 'off'}, journal, None)]))
except ValueError as error:
    print(json.dumps(str(error)))
"""


def others(cable):
    commands = ("nft list ruleset", "tc qdisc", "ip route", "ip -6 route", "ip link show cable")
    return [cable.run(*command.split()) for command in commands]


@pytest.mark.root
@pytest.mark.parametrize("reason", ON_IT)
def test_what_others_put_on_an_interface_stays_and_refuses_it(cable, reason):
    for command in ON_IT[reason]:
        cable.run(*command.split())
    before = others(cable)
    assert reason in cable.python(TRIED)
    assert others(cable) == before
    assert not (cable.journal / "tuning.jsonl").exists()


@pytest.mark.root
def test_rules_for_others_do_not_refuse_it(cable):
    for command in (
        "nft add table inet fw", "nft add chain inet fw c",
        "nft add rule inet fw c iifname cables drop", "nft add rule inet fw c oif lo accept",
        f"{LEGACY} iptables-legacy -A INPUT -i cables -j ACCEPT",
        "tc qdisc add dev far clsact", "ip address add 198.18.0.1/24 dev cable",
    ):  # fmt: skip
        cable.run(*command.split())
    assert cable.python(TRIED) == ["tso"]


@pytest.mark.root
def test_a_foreign_xdp_program_stays_and_refuses_it(cable, repository):
    program = repository / "build/bpf/xdp_drop.bpf.o"
    if not program.exists():
        pytest.skip(f"needs {program}: make -C bpf")
    cable.run("ip", "link", "set", "cable", "xdpgeneric", "obj", str(program), "sec", "xdp")
    assert "an XDP program is on it" in cable.python(TRIED)
    assert "xdpgeneric" in cable.run("ip", "link", "show", "cable")


@pytest.mark.root
@pytest.mark.parametrize("bound", ["cable", ""])
def test_a_packet_socket_of_others_refuses_it_and_who_holds_it_is_named(cable, bound):
    listening = (
        "import socket\n"
        "one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))\n"
        f"{f'one.bind(({bound!r}, 3))' if bound else ''}\n"
        "print('listens', flush=True)\nopen(0).read()"
    )
    child = subprocess.Popen(
        cable.argv(sys.executable, "-c", listening),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "listens\n"
        output = cable.python(TRIED)
        child.communicate("")
    assert "a packet socket takes a copy of its frames (python" in output
    assert cable.python(TRIED) == ["tso"]


@pytest.mark.root
def test_a_tcx_program_of_others_stays_and_refuses_it(cable):
    """Its link goes with the process that made it."""
    attached = (
        "from linerate.measure.system import probe\nimport socket, struct\n"
        "program = probe.load(probe.PROG_SCHED_CLS, 0)\n"
        "index = socket.if_nametoindex('cable')\n"
        f"link = probe.bpf(probe.LINK_CREATE, struct.pack('=IIII', program, index, {TCX}, 0))\n"
    )
    assert "a tcx program is on it (bpftool prog show id " in cable.python(attached + TRIED)


@pytest.mark.root
def test_the_interface_of_this_session_is_refused(cable):
    cable.run("ip", "address", "add", "198.18.0.1/24", "dev", "cable")
    argv = cable.argv("env", "SSH_CONNECTION=198.18.0.9 40000 198.18.0.1 22")
    output = cable.namespace.run([*argv[argv.index("env"):], sys.executable, "-c",
        "from linerate.measure.tuning import *\n"
        "try: refuse_unsafe(Interface.named('cable'))\n"
        "except ValueError as error: print(error)"], pins=True)  # fmt: skip
    assert "an SSH session runs over it" in output
