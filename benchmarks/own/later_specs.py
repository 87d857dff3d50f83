"""Ten more pipelines as p4c's DPDK back end writes them, by which no cost and no form was chosen.

Header unions and stacks are flattened to a header each, of which some are valid; a condition is a
jump over its other branch; what a table did is asked by `jmpnh` and `jmpa`. UDP of the lab's one
flow takes the longest way through each, every time: packets of `net_null` come again as they were
sent, so no pipeline changes what decides its way.
"""

from __future__ import annotations

from written import Parts, spec_of

FLOW = "0xc6120001", "0xc6130000"
"""Source and destination of the lab's flow; its ports are both 0x400."""
_ANY = "0x0/0x0"
_TO_UDP = """\
jmpneq PARSED h.ethernet.ethertype 0x800; extract h.ipv4; jmpneq PARSED h.ipv4.protocol 0x11
extract h.udp
"""
_SEND = "PARSED : mov m.output_port 0x0\n"
_TUPLE = """\
mov m.src h.ipv4.src_addr; mov m.dst h.ipv4.dst_addr; mov m.sport h.udp.src_port
mov m.dport h.udp.dst_port; mov m.protocol h.ipv4.protocol
"""
_TUPLE_FIELDS = "32 src, 32 dst, 16 sport, 16 dport, 8 protocol"
_REWRITE = (
    "rewrite(48 dst, 48 src): mov h.ethernet.dst_addr t.dst; mov h.ethernet.src_addr t.src; "
    "sub h.ipv4.ttl 0x0; return"
)
_HOP = "action rewrite dst 0x20000000002 src 0x20000000001\n"

_PARTS: dict[str, Parts] = {
    # A header union of three, under a union of two: of each one is valid.
    "union": Parts(
        headers={"l3_ipv6": "ipv6_h", "l4_tcp": "tcp_h", "l4_icmp": "icmp_h"},
        metadata=f"{_TUPLE_FIELDS}, 32 class",
        actions="classify(32 class): mov m.class t.class; return",
        tables="classes wildcard: m.src, m.dst, m.sport, m.dport, m.protocol -> classify, lose",
        parser="jmpeq PARSE_IPV4 h.ethernet.ethertype 0x800\n"
        "jmpeq PARSE_IPV6 h.ethernet.ethertype 0x86dd\njmp PARSED\n"
        "PARSE_IPV6 : extract h.l3_ipv6\njmpeq PARSE_TCP h.l3_ipv6.next_header 0x6\njmp PARSED\n"
        "PARSE_IPV4 : extract h.ipv4\njmpeq PARSE_TCP h.ipv4.protocol 0x6\n"
        "jmpeq PARSE_UDP h.ipv4.protocol 0x11\njmpeq PARSE_ICMP h.ipv4.protocol 0x1\njmp PARSED\n"
        "PARSE_ICMP : extract h.l4_icmp\njmp PARSED\nPARSE_TCP : extract h.l4_tcp\njmp PARSED\n"
        "PARSE_UDP : extract h.udp\n",
        body=f"{_SEND}jmpnv END h.ipv4\nmov m.src h.ipv4.src_addr; mov m.dst h.ipv4.dst_addr\n"
        "mov m.protocol h.ipv4.protocol; jmpnv NO_TCP h.l4_tcp; mov m.sport h.l4_tcp.src_port\n"
        "mov m.dport h.l4_tcp.dst_port; jmp PORTS; NO_TCP : jmpnv NO_UDP h.udp\n"
        "mov m.sport h.udp.src_port; mov m.dport h.udp.dst_port; jmp PORTS\n"
        "NO_UDP : mov m.sport 0x0; mov m.dport 0x0\nPORTS : table classes\n"
        "mov h.ipv4.diffserv m.class",
        sent="ethernet l3_ipv6 ipv4 l4_tcp udp l4_icmp",
        entries={"classes": f"match {_ANY} {FLOW[1]}/0xffffffff {_ANY} 0x400/0xffff {_ANY} "
                            "priority 1 action classify class 0x20\n"},
    ),
    # A stack of three labels behind IPv4; the first is swapped, as long as there is time to live.
    "labels": Parts(
        headers={f"labels_{n}": "label_h" for n in range(3)},
        metadata="8 bottom, 32 label, 32 depth",
        actions="swap(48 dst, 16 label): mov h.ethernet.dst_addr t.dst; mov m.label t.label\n"
        "mov h.labels_0.label t.label; return",
        tables="ilm exact: m.label -> swap, lose",
        parser="jmpneq PARSED h.ethernet.ethertype 0x800; extract h.ipv4\n"
        "jmpneq PARSED h.ipv4.protocol 0x11\n"
        + "".join(f"extract h.labels_{n}; mov m.bottom h.labels_{n}.bottom; and m.bottom 0x1\n"
                  "jmpeq PARSED m.bottom 0x1\n" for n in range(2)) + "extract h.labels_2",
        body=f"{_SEND}jmpnv END h.labels_0\nmov m.label h.labels_0.label\ntable ilm\njmpnh END\n"
        "jmpneq ALIVE h.labels_0.ttl 0xff; drop; ALIVE : sub h.labels_0.ttl 0x0\nmov m.depth 0x1\n"
        "jmpnv END h.labels_1; mov m.depth 0x2; jmpnv END h.labels_2; mov m.depth 0x3",
        sent="ethernet ipv4 labels_0 labels_1 labels_2",
        entries={"ilm": "match 0x400 action swap dst 0x20000000002 label 0x400\n"},
    ),
    # In-band telemetry: a hop writes its own into the room that the payload has for it.
    "telemetry": Parts(
        headers={"shim": "shim_h", "hop": "hop_h"},
        metadata="32 switch, 32 seen, 32 index",
        actions="stamp(32 switch): mov m.switch t.switch; return",
        tables="watched exact: h.udp.dst_port -> stamp, NoAction",
        arrays=("regarray seen size 1024 initval 0",),
        parser=f"{_TO_UDP}jmpneq PARSED h.udp.dst_port 0x400; extract h.shim; extract h.hop",
        body=f"{_SEND}jmpnv END h.shim; table watched; jmpnh END; mov m.index h.ipv4.dst_addr\n"
        "and m.index 0x3ff; regadd seen m.index 0x1; regrd m.seen seen m.index\n"
        "mov h.hop.switch m.switch; mov h.hop.ports m.input_port; mov h.hop.arrival m.seen\n"
        "add h.shim.hops 0x0; cksub h.ipv4.hdr_checksum h.ipv4.total_len\n"
        "add h.ipv4.total_len 0x0; ckadd h.ipv4.hdr_checksum h.ipv4.total_len\n"
        "add h.udp.length 0x0",
        sent="ethernet ipv4 udp shim hop",
        entries={"watched": "match 0x400 action stamp switch 0x7\n"},
    ),
    # What comes from an access network goes into VXLAN; all outer headers are made here.
    "overlay": Parts(
        headers={"outer_ethernet": "ethernet_h", "outer_ipv4": "ipv4_h", "outer_udp": "udp_h",
                 "outer_vxlan": "vxlan_h", "vlan": "vlan_h"},
        metadata="32 peer, 32 vni",
        actions="to_peer(32 peer, 24 vni): mov m.peer t.peer; mov m.vni t.vni; return\n\n"
        "encapsulate(48 dst, 48 src, 32 local, 32 remote, 16 sum): validate h.outer_ethernet\n"
        "mov h.outer_ethernet.dst_addr t.dst; mov h.outer_ethernet.src_addr t.src\n"
        "mov h.outer_ethernet.ethertype 0x800; validate h.outer_ipv4\n"
        "mov h.outer_ipv4.ver_ihl 0x45; mov h.outer_ipv4.diffserv 0x0\n"
        "mov h.outer_ipv4.total_len 0x32; add h.outer_ipv4.total_len h.ipv4.total_len\n"
        "mov h.outer_ipv4.identification 0x0; mov h.outer_ipv4.flags_offset 0x4000\n"
        "mov h.outer_ipv4.ttl 0x40; mov h.outer_ipv4.protocol 0x11\n"
        "mov h.outer_ipv4.hdr_checksum t.sum; mov h.outer_ipv4.src_addr t.local\n"
        "mov h.outer_ipv4.dst_addr t.remote; ckadd h.outer_ipv4.hdr_checksum h.ipv4.total_len\n"
        "validate h.outer_udp; mov h.outer_udp.src_port h.udp.src_port\n"
        "mov h.outer_udp.dst_port 0x12b5; mov h.outer_udp.length 0x1e\n"
        "add h.outer_udp.length h.ipv4.total_len; mov h.outer_udp.checksum 0x0\n"
        "validate h.outer_vxlan; mov h.outer_vxlan.flags 0x8; mov h.outer_vxlan.reserved 0x0\n"
        "mov h.outer_vxlan.vni m.vni; mov h.outer_vxlan.reserved2 0x0; return",
        tables="stations exact: h.ethernet.dst_addr -> to_peer, lose\n"
        "peers exact: m.peer -> encapsulate, lose",
        parser="jmpeq PARSE_VLAN h.ethernet.ethertype 0x8100; jmp NO_VLAN\n"
        f"PARSE_VLAN : extract h.vlan\nNO_VLAN : {_TO_UDP}",
        body=f"{_SEND}jmpnv END h.ipv4\ntable stations; jmpnh END; table peers\n"
        "jmpnv END h.vlan; invalidate h.vlan",
        sent="outer_ethernet outer_ipv4 outer_udp outer_vxlan ethernet vlan ipv4 udp",
        entries={"stations": "match 0x20000000002 action to_peer peer 0x9 vni 0x1234\n",
                 "peers": "match 0x9 action encapsulate dst 0x20000000002 src 0x20000000001 "
                          "local 0xa000001 remote 0xa000002 sum 0x26b9\n"},
    ),
    # A port is watched: its packets are mirrored, and routed as all others are.
    "mirrored": Parts(
        headers={"l4_tcp": "tcp_h"},
        metadata="32 slot, 32 session, 32 hop",
        actions="watch(32 session): mov m.slot 0x0; mov m.session t.session\n"
        "mirror m.slot m.session; return\n\n"
        "set_hop(32 hop): mov m.hop t.hop; return\n\n" + _REWRITE,
        tables="watched exact: h.udp.dst_port -> watch, NoAction\n"
        "routes lpm: h.ipv4.dst_addr -> set_hop, lose\nhops exact: m.hop -> rewrite, lose",
        parser=_TO_UDP,
        body=f"{_SEND}jmpnv END h.ipv4; table watched; table routes; table hops",
        sent="ethernet ipv4 l4_tcp udp",
        entries={"watched": "match 0x400 action watch session 0x0\n",
                 "routes": f"match {FLOW[1]}/0xffff0000 action set_hop hop 0x1\n",
                 "hops": f"match 0x1 {_HOP}"},
    ),
    # A stateful firewall: rules for what begins, a learner for what goes on, in both directions.
    "conntrack": Parts(
        headers={"l4_tcp": "tcp_h"},
        metadata=f"{_TUPLE_FIELDS}, 32 verdict, 32 timeout, 32 rule, 32 index",
        actions="established(32 verdict): mov m.rule t.verdict; rearm; return\n\n"
        "begin: mov m.verdict 0x1; mov m.timeout 0x1; learn established m.verdict m.timeout\n"
        "return\n\nallow(32 rule): mov m.rule t.rule; return",
        tables="flows learner: m.src, m.dst, m.sport, m.dport, m.protocol -> established, begin\n"
        "rules wildcard: m.src, m.dst, m.sport, m.dport, m.protocol -> allow, lose",
        arrays=("regarray packets size 4096 initval 0", "regarray bytes size 4096 initval 0"),
        parser=_TO_UDP,
        body=f"{_SEND}jmpnv END h.udp\n{_TUPLE}table flows; jmpa KNOWN established; table rules\n"
        "KNOWN : jmpeq COUNTED m.rule 0x0; mov m.index m.rule; regadd packets m.index 0x1\n"
        "regadd bytes m.index h.ipv4.total_len\nCOUNTED : jmpneq END m.rule 0x2; drop",
        sent="ethernet ipv4 l4_tcp udp",
        entries={"rules": f"match {_ANY} {FLOW[1]}/0xffffffff {_ANY} {_ANY} 0x11/0xff priority 0 "
                          "action allow rule 0x1\n"},
    ),
    # Routing by equal costs: prefixes to groups, a selector to members, these to stations.
    "ecmp": Parts(
        headers={"vlan": "vlan_h", "l4_tcp": "tcp_h"},
        metadata=f"{_TUPLE_FIELDS}, 32 group, 32 member, 32 vrf",
        actions="to_vrf(32 vrf): mov m.vrf t.vrf; return\n\n"
        "to_group(32 group): mov m.group t.group; return\n\n" + _REWRITE,
        tables="stations exact: h.ethernet.dst_addr -> to_vrf, lose\n"
        "routes lpm: m.vrf exact, m.dst lpm -> to_group, lose\n"
        "hops exact: m.member -> rewrite, lose",
        parser="jmpeq PARSE_VLAN h.ethernet.ethertype 0x8100; jmp NO_VLAN\n"
        f"PARSE_VLAN : extract h.vlan\nNO_VLAN : {_TO_UDP}",
        body=f"{_SEND}jmpnv END h.udp; table stations\n{_TUPLE}table routes; table members\n"
        "table hops",
        sent="ethernet vlan ipv4 l4_tcp udp", members="m.src m.dst",
        entries={"stations": "match 0x20000000002 action to_vrf vrf 0x3\n",
                 "routes": f"match 0x3 {FLOW[1]}/0xffff0000 action to_group group 0x0\n",
                 "members": "".join(f"group 0 member {n} weight 1\n" for n in range(8)),
                 "hops": "".join(f"match {n:#x} {_HOP}" for n in range(8))},
    ),
    # Classes of service: a class by mask, a meter each, and what each colour becomes.
    "classes": Parts(
        headers={"vlan": "vlan_h"},
        metadata=f"{_TUPLE_FIELDS}, 32 class, 32 colour, 32 index",
        actions="classify(32 class): mov m.class t.class; return\n\n"
        "mark: mov h.ipv4.diffserv 0x8; return",
        tables="rules wildcard: m.src, m.dst, m.sport, m.dport, m.protocol -> classify, NoAction\n"
        "marks exact: m.colour -> mark, NoAction",
        arrays=("metarray meters size 64", "regarray of_class size 64 initval 0",
                "regarray of_colour size 64 initval 0"),
        parser=_TO_UDP,
        body=f"{_SEND}jmpnv END h.udp\n{_TUPLE}table rules; metprefetch meters m.class\n"
        "meter meters m.class h.ipv4.total_len 0x0 m.colour; regadd of_class m.class 0x1\n"
        "mov m.index m.colour; regadd of_colour m.index h.ipv4.total_len; table marks\n"
        "jmpnh END; mov m.output_port 0x0",
        sent="ethernet vlan ipv4 udp",
        entries={"rules": f"match {_ANY} {FLOW[1]}/0xffffffff {_ANY} {_ANY} {_ANY} priority 2 "
                          "action classify class 0x4\n",
                 "marks": "".join(f"match {n:#x} action mark\n" for n in range(3))},
    ),
    # A sketch that finds heavy flows: three rows of counters by hashes, the least of them counts.
    "sketch": Parts(
        headers={"l4_tcp": "tcp_h"},
        metadata=f"32 hash, {_TUPLE_FIELDS}, 32 row_0, 32 row_1, 32 least, 32 other",
        actions="",
        tables="",
        arrays=tuple(f"regarray row_{n} size 4096 initval 0" for n in range(2)),
        parser=_TO_UDP,
        body=f"{_SEND}jmpnv END h.udp\n{_TUPLE}hash crc32 m.hash m.src m.protocol\n"
        "mov m.row_0 m.hash; and m.row_0 0xfff; hash jhash m.hash m.src m.protocol\n"
        "mov m.row_1 m.hash; and m.row_1 0xfff; regadd row_0 m.row_0 0x1\n"
        "regadd row_1 m.row_1 0x1\n"
        "regrd m.least row_0 m.row_0; regrd m.other row_1 m.row_1\n"
        "jmplt LEAST m.least m.other; mov m.least m.other\n"
        "LEAST : jmplt END m.least 0x3e8; mov h.ipv4.diffserv 0x28",
        sent="ethernet ipv4 l4_tcp udp",
    ),
    # Translation of addresses and ports, with the checksum kept as p4c's InternetChecksum does it.
    "checked": Parts(
        headers={"cksum_state": "state_h"},
        metadata=_TUPLE_FIELDS,
        actions="translate(32 addr, 16 port): mov h.cksum_state.state_0 h.ipv4.hdr_checksum\n"
        "cksub h.cksum_state.state_0 h.ipv4.src_addr\n"
        "cksub h.cksum_state.state_0 h.ipv4.total_len\n"
        "mov h.ipv4.src_addr t.addr; ckadd h.cksum_state.state_0 h.ipv4.src_addr\n"
        "ckadd h.cksum_state.state_0 h.ipv4.total_len\n"
        "mov h.ipv4.hdr_checksum h.cksum_state.state_0\n"
        "mov h.udp.src_port t.port; mov h.udp.checksum 0x0; return",
        tables="translations exact: m.src, m.dst, m.sport, m.dport, m.protocol -> translate, lose",
        parser=_TO_UDP,
        body=f"{_SEND}jmpnv END h.udp\n{_TUPLE}table translations; jmpnh END; sub h.ipv4.ttl 0x0",
        sent="ethernet ipv4 udp",
        entries={"translations": f"match {FLOW[0]} {FLOW[1]} 0x400 0x400 0x11 action translate "
                                 f"addr {FLOW[0]} port 0x400\n"},
    ),
}  # fmt: skip


def later_specs() -> dict[str, tuple[str, dict[str, str]]]:
    """Text of each pipeline, and the entries of its tables, by name."""
    return {name: (spec_of(parts), dict(parts.entries)) for name, parts in _PARTS.items()}
