"""Ten pipelines as p4c's DPDK back end writes them.

Keys are copied to metadata, states of the parser are labels, every header is emitted.
UDP of the lab's one flow takes the longest way through each.
"""

from __future__ import annotations

from linerate.measure.datapaths.swx.spec.generated.text import HEADERS

FLOW = "0xc6120001", "0xc6130000"
"""Source and destination of the lab's flow."""
_MORE = """\
struct vlan_h {
	bit<16> tci
	bit<16> ethertype
}
struct outer_h {
	bit<64> head
	bit<64> tail
}
header vlan instanceof vlan_h
header outer instanceof outer_h
struct metadata_t {
	bit<32> hash_value
	bit<32> port_in
	bit<32> port_out
	bit<32> key_src
	bit<32> key_dst
	bit<16> key_sport
	bit<16> key_dport
	bit<8> key_protocol
	bit<32> next_hop
	bit<32> group
	bit<32> member
	bit<32> colour
	bit<32> index
	bit<32> learnt
	bit<32> timeout
	bit<64> seen
}
metadata instanceof metadata_t
regarray counters size 1024 initval 0
regarray sizes size 1024 initval 0
metarray meters size 1024
struct hop_args_t {
	bit<32> next_hop
}
struct rewrite_args_t {
	bit<48> dst_addr
	bit<48> src_addr
}
struct nat_args_t {
	bit<32> address
	bit<16> port
}
struct learnt_args_t {
	bit<32> learnt
}
action NoAction args none {
	return
}
action lose args none {
	drop
}
action set_hop args instanceof hop_args_t {
	mov m.next_hop t.next_hop
	return
}
action rewrite args instanceof rewrite_args_t {
	mov h.ethernet.dst_addr t.dst_addr
	mov h.ethernet.src_addr t.src_addr
	return
}
action nat args instanceof nat_args_t {
	cksub h.ipv4.hdr_checksum h.ipv4.src_addr
	mov h.ipv4.src_addr t.address
	ckadd h.ipv4.hdr_checksum h.ipv4.src_addr
	mov h.udp.src_port t.port
	return
}
action known args instanceof learnt_args_t {
	mov m.next_hop t.learnt
	rearm
	return
}
action add_key args none {
	learn known m.learnt m.timeout
	return
}
action count args none {
	regadd counters m.index 1
	regadd sizes m.index h.ipv4.total_len
	return
}
"""
_PARSER = """\
	rx m.port_in
	extract h.ethernet
	jmpeq PARSE_IPV4 h.ethernet.ethertype 0x800
	jmpeq PARSE_VLAN h.ethernet.ethertype 0x8100
	jmp PARSED
	PARSE_VLAN : extract h.vlan
	jmpneq PARSED h.vlan.ethertype 0x800
	PARSE_IPV4 : extract h.ipv4
	jmpneq PARSED h.ipv4.protocol 0x11
	extract h.udp
	PARSED : mov m.port_out 0
"""
_DEPARSER = """\
	END : emit h.outer
	emit h.ethernet
	emit h.vlan
	emit h.ipv4
	emit h.udp
	tx m.port_out
"""
_TUPLE = """\
	mov m.key_src h.ipv4.src_addr
	mov m.key_dst h.ipv4.dst_addr
	mov m.key_sport h.udp.src_port
	mov m.key_dport h.udp.dst_port
	mov m.key_protocol h.ipv4.protocol
"""


def _table(name: str, key: str, actions: str, default: str = "lose", keyword: str = "table") -> str:
    fields = "".join(f"\t\t{line}\n" for line in key.splitlines())
    named = "".join(f"\t\t{action}\n" for action in actions.split(","))
    tail = "\ttimeout {\n\t\t3600\n\t}\n" if keyword == "learner" else ""
    return (f"{keyword} {name} {{\n\tkey {{\n{fields}\t}}\n\tactions {{\n{named}\t}}\n"
            f"\tdefault_action {default} args none\n\tsize 1024\n{tail}}}\n")  # fmt: skip


_SELECTOR = """\
selector members {
	group_id m.group
	selector {
		m.key_src
		m.key_dst
	}
	member_id m.member
	n_groups_max 16
	n_members_per_group_max 16
}
"""
_KEY5 = "m.key_src {0}\nm.key_dst {0}\nm.key_sport {0}\nm.key_dport {0}\nm.key_protocol {0}"
_HOP = "action set_hop next_hop 0x1\n"
_ANY = "0x0/0x0"
_ROUTES = _table("routes", "h.ipv4.dst_addr lpm", "set_hop,lose @defaultonly")
_HOPS = _table("hops", "m.next_hop exact", "rewrite,lose @defaultonly")
_OF_ROUTES = {"routes": f"match 0xc6130000/0xffff0000 {_HOP}"}
_OF_HOPS = {"hops": "match 0x1 action rewrite dst_addr 0x20000000002 src_addr 0x20000000001\n"}

# Pairs of declarations and code between parser and deparser, and the entries.
_PARTS: dict[str, tuple[str, str, dict[str, str]]] = {
    "bridge": (
        _table("stations", "h.ethernet.dst_addr exact", "set_hop,lose @defaultonly"),
        "\ttable stations\n\tjmpneq END m.next_hop 0x1\n\tmov m.port_out 0\n",
        {"stations": f"match 0x20000000002 {_HOP}"},
    ),
    "router": (
        _ROUTES + _HOPS,
        "\tjmpnv END h.ipv4\n\ttable routes\n\ttable hops\n\tsub h.ipv4.ttl 0\n",
        {**_OF_ROUTES, **_OF_HOPS},
    ),
    "filter": (
        _table("rules", _KEY5.format("wildcard"), "NoAction,lose @defaultonly"),
        f"\tjmpnv END h.udp\n{_TUPLE}\ttable rules\n",
        {"rules": f"match {_ANY} 0xc6130000/0xffffffff {_ANY} {_ANY} 0x11/0xff priority 0 "
                  "action NoAction\n"},
    ),
    "nat": (
        _table("translations", "m.key_src exact\nm.key_dst exact", "nat,NoAction @defaultonly",
               "NoAction"),
        f"\tjmpnv END h.udp\n{_TUPLE}\ttable translations\n",
        {"translations": f"match {FLOW[0]} {FLOW[1]} action nat address {FLOW[0]} port 0x400\n"},
    ),
    "balancer": (
        _SELECTOR + _HOPS.replace("m.next_hop", "m.member"),
        f"\tjmpnv END h.udp\n{_TUPLE}\tmov m.group 0x0\n\ttable members\n\ttable hops\n",
        {"members": "".join(f"group 0 member {n} weight 1\n" for n in range(4)),
         "hops": "".join(f"match {n:#x} action rewrite dst_addr 0x20000000002 src_addr 0x1\n"
                         for n in range(4))},
    ),
    "counter": (
        "",
        f"\tjmpnv END h.udp\n{_TUPLE}\thash jhash m.hash_value m.key_src m.key_protocol\n"
        "\tmov m.index m.hash_value\n\tregadd counters m.index 1\n"
        "\tregadd sizes m.index h.ipv4.total_len\n\tregrd m.seen counters m.index\n",
        {},
    ),
    "policer": (
        _ROUTES,
        "\tjmpnv END h.ipv4\n\ttable routes\n\tmov m.index m.next_hop\n"
        "\tmeter meters m.index h.ipv4.total_len 0x0 m.colour\n\tjmpeq END m.colour 0x7\n",
        _OF_ROUTES,
    ),
    "learning": (
        _table("flows", "m.key_src\nm.key_dst", "known,add_key @defaultonly", "add_key", "learner"),
        f"\tjmpnv END h.udp\n{_TUPLE}\tmov m.learnt 0x1\n\tmov m.timeout 0x0\n\ttable flows\n",
        {},
    ),
    "tunnel": (
        _ROUTES,
        "\tjmpnv END h.ipv4\n\ttable routes\n\tvalidate h.outer\n\tmov h.outer.head m.seen\n"
        "\tmov h.outer.tail m.seen\n",
        _OF_ROUTES,
    ),
    "gateway": (
        _table("rules", _KEY5.format("wildcard"), "NoAction,lose @defaultonly") + _ROUTES + _HOPS
        + _table("quotas", "m.key_dst exact", "count,NoAction @defaultonly", "NoAction"),
        f"\tjmpnv END h.udp\n{_TUPLE}\tmov m.index 0x5\n\ttable rules\n\ttable routes\n"
        "\ttable hops\n\ttable quotas\n",
        {**_OF_ROUTES, **_OF_HOPS, "quotas": f"match {FLOW[1]} action count\n",
         "rules": f"match {_ANY} 0xc6130000/0xffffffff {_ANY} {_ANY} 0x11/0xff priority 0 "
                  "action NoAction\n"},
    ),
}  # fmt: skip


def own_specs() -> dict[str, tuple[str, dict[str, str]]]:
    """Text of each pipeline, and the entries of its tables, by name."""
    return {
        name: (f"{HEADERS}{_MORE}{declared}apply {{\n{_PARSER}{body}{_DEPARSER}}}\n", entries)
        for name, (declared, body, entries) in _PARTS.items()
    }
