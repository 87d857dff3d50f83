"""A router in the words of DPDK, and frames for it."""

import numpy as np

from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.following.paths import shared_paths

ROUTER = """
struct ethernet_h {
	bit<48> dst_addr
	bit<48> src_addr
	bit<16> ethertype
}
struct ipv4_h {
	bit<8> ver_ihl
	bit<8> diffserv
	bit<16> total_len
	bit<16> identification
	bit<16> flags_offset
	bit<8> ttl
	bit<8> protocol
	bit<16> hdr_checksum
	bit<32> src_addr
	bit<32> dst_addr
}
header ethernet instanceof ethernet_h
header ipv4 instanceof ipv4_h
struct metadata_t {
	bit<32> port
	bit<32> hop
}
metadata instanceof metadata_t
struct route_args_t {
	bit<32> hop
}
action route args instanceof route_args_t {
	mov m.hop t.hop
	return
}
action lose args none {
	drop
}
table routes {
	key {
		h.ipv4.dst_addr lpm
	}
	actions {
		route
		lose
	}
	default_action lose args none
	size 1024
}
apply {
	rx m.port
	extract h.ethernet
	jmpneq OUT h.ethernet.ethertype 0x0800
	extract h.ipv4
	table routes
	jmpeq OUT m.hop 7
	sub h.ipv4.ttl 1
	jmpgt OUT h.ipv4.ttl 0
	drop
	OUT : emit h.ethernet
	emit h.ipv4
	tx m.port
}
"""
ENTRIES = (
    "match 0xc6130000/0xffff0000 action route hop 0x1\n"
    "match 0xc6130100/0xffffff00 action route hop 0x7\n"
    "match 0xc6130200/0xffffff00 action lose\n"
)


def router():
    return parse_spec(ROUTER, "router.spec")


def frame(destination, ttl=64, ethertype=0x0800):
    """Bytes of an Ethernet frame to an IPv4 address."""
    ip = bytes([0x45, 0, 0, 46, 0, 0, 0, 0, ttl, 17, 0, 0])
    addresses = (0xC6120001).to_bytes(4) + destination.to_bytes(4)
    return (bytes(12) + ethertype.to_bytes(2) + ip + addresses).ljust(60, b"\0")


def operations(*body):
    head, _, _ = ROUTER.partition("apply {")
    lines = "\n".join(("rx m.port", "extract h.ethernet", "extract h.ipv4", *body, "tx m.port"))
    (path,) = shared_paths(parse_spec(f"{head}apply {{\n{lines}\n}}\n"), np.random.default_rng(1))
    return dict(path.operations)
