"""The .spec text of a generated pipeline, in the language of DPDK 22.11.

A pipeline has two ports: 0 sends back, 1 is where it drops. The path of an IPv4 packet of UDP whose
flow every table knows is the longest one; operations are on it only.
"""

from __future__ import annotations

from collections.abc import Iterable

from linerate.measure.datapaths.swx.spec.generated.joining import (
    joining_fields,
    joining_text,
    parsed_headers,
    sent_headers,
)
from linerate.measure.datapaths.swx.spec.generated.operation_lines import (
    TUPLE,
    copies,
    operation_lines,
    table_names,
    uses,
    uses_tuple,
    widths,
)
from linerate.measure.datapaths.swx.spec.generated.program import REGISTER_INITIAL, SwxProgram
from linerate.measure.datapaths.swx.spec.kinds import MISS

HEADERS = """\
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

struct udp_h {
	bit<16> src_port
	bit<16> dst_port
	bit<16> length
	bit<16> checksum
}

header ethernet instanceof ethernet_h
header ipv4 instanceof ipv4_h
header udp instanceof udp_h
"""
ROUTING = """\
struct route_args_t {
	bit<48> dst_addr
	bit<48> src_addr
	bit<32> port_out
}

// The TTL is the upper byte of a word of the checksum: it grows by what the word lost (RFC 1624,
// 3), and by the carry. The arithmetic is that of P4, which has no externs for it on this target.
action route args instanceof route_args_t {
	mov h.ethernet.dst_addr t.dst_addr
	mov h.ethernet.src_addr t.src_addr
	mov m.port_out t.port_out
	sub h.ipv4.ttl 1
	mov m.sum h.ipv4.hdr_checksum
	add m.sum 0x100
	mov m.carry m.sum
	shr m.carry 16
	add m.sum m.carry
	mov h.ipv4.hdr_checksum m.sum
	return
}

struct bridge_args_t {
	bit<32> port_out
}

action bridge args instanceof bridge_args_t {
	mov m.port_out t.port_out
	return
}

action unknown args none {
	drop
}

table routes {
	key {
		h.ipv4.dst_addr lpm
	}
	actions {
		route
		unknown
	}
	default_action unknown args none const
	size 65536
}

table stations {
	key {
		h.ethernet.dst_addr exact
	}
	actions {
		bridge
		unknown
	}
	default_action unknown args none const
	size 65536
}
"""
COPYING = """\
struct copy_args_t {
	bit<32> value
}

action copy args instanceof copy_args_t {
	mov m.copied t.value
	return
}
"""
KEYS = {
    "keyless": "",
    "exact_8": "\t\th.ipv4.src_addr exact\n\t\th.ipv4.dst_addr exact\n",
    "exact_16": "\t\th.ethernet.dst_addr exact\n\t\th.ethernet.src_addr exact\n",
    "wildcard_16": "".join(f"\t\th.ipv4.{name} wildcard\n" for name in
                           ("identification", "ttl", "protocol", "src_addr", "dst_addr")),
}  # fmt: skip
"""Fields of a table's key, by what its kind says of it; else it is where packets go to."""


def spec_text(program: SwxProgram) -> str:
    """Write a pipeline; the same program has the same text.

    >>> apply = spec_text(SwxProgram()).partition("apply")[2]
    >>> [line.strip() for line in apply.splitlines()][1:4]
    ['rx m.port_in', 'extract h.ethernet', 'extract h.ipv4']
    """
    parts = [HEADERS, _metadata(program)]
    if program.base == "l2l3":
        parts.append(ROUTING)
    if uses(program, "table"):
        parts.append(COPYING)
        parts += [
            _table(name, match, program.table_entries) for name, match in table_names(program)
        ]
    parts += joining_text(program)
    if uses(program, "register"):
        parts.append(f"regarray values size {program.registers} initval {REGISTER_INITIAL:#x}\n")
    parts.append(_block("apply", _apply(program)))
    return "\n".join(parts)


def _metadata(program: SwxProgram) -> str:
    """Fields of what is used; the hash first: DPDK 22.11 loses an offset beyond 255 bits there."""
    fields = [("hash", 32)] if uses(program, "hash") else []
    fields += [("port_in", 32), ("port_out", 32)]
    if program.times("recirculate"):
        fields.append(("pass_id", 32))
    if program.base == "l2l3":
        fields += [("sum", 32), ("carry", 32)]
    if uses_tuple(program):
        fields += [(name, bits) for name, bits, _ in TUPLE]
    if copies(program):
        fields.append(("copied", 32))
    if uses(program, "register"):
        fields.append(("index", 32))
    fields += [(f"read_{bits}", bits) for bits in widths(program, "read")]
    fields += [(f"written_{bits}", bits) for bits in widths(program, "write")]
    fields += joining_fields(program)
    lines = [f"bit<{bits}> {name}" for name, bits in fields]
    return _block("struct metadata_t", lines) + "\nmetadata instanceof metadata_t\n"


def _table(name: str, match: str, entries: int) -> str:
    match = match.removesuffix(MISS)
    fields = KEYS.get(match, f"\t\th.ipv4.dst_addr {match}\n")
    key = f"\tkey {{\n{fields}\t}}\n" if fields else ""
    return f"""\
table {name} {{
{key}	actions {{
		copy
	}}
	default_action copy args value 0 const
	size {entries}
}}
"""


def _apply(program: SwxProgram) -> list[str]:
    if program.base == "bare":
        parsed = [f"extract {name}" for name in parsed_headers(program)]
        body = ["rx m.port_in", *_passes(program), *parsed, *_emits(program, "SEND"),
                "tx m.port_in"]  # fmt: skip
    elif program.base == "l2l3":
        body = [
            "rx m.port_in",
            "extract h.ethernet",
            "jmpneq L2 h.ethernet.ethertype 0x0800",
            "extract h.ipv4",
            "jmpneq L3 h.ipv4.protocol 17",
            "extract h.udp",
            *_passes(program),
            *operation_lines(program),
            "L3 : table routes",
            "jmp SEND",
            "L2 : table stations",
            *_emits(program, "SEND"),
            "tx m.port_out",
        ]
    else:
        body = [
            "rx m.port_in",
            "extract h.ethernet",
            "extract h.ipv4",
            "extract h.udp",
            "mov m.port_out 0",
            *_passes(program),
            *operation_lines(program),
            *_emits(program, "SEND" if program.times("jump") else ""),
            "tx m.port_out",
        ]
    return body + (_again(program) if program.times("recirculate") else [])


def _passes(program: SwxProgram) -> list[str]:
    """All passes but the last do nothing else."""
    times = program.times("recirculate")
    return ["recircid m.pass_id", f"jmplt AGAIN m.pass_id {times}"] if times else []


def _again(program: SwxProgram) -> list[str]:
    sent = "tx m.port_in" if program.base == "bare" else "tx m.port_out"
    return ["AGAIN : recirculate", *_emits(program), sent]


def _emits(program: SwxProgram, label: str = "") -> list[str]:
    """Emit every header; what jumps there needs the label."""
    lines = [f"emit {name}" for name in sent_headers(program)]
    return [f"{label} : {lines[0]}", *lines[1:]] if label and lines else lines


def _block(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"{name} {{", *(f"\t{line}" for line in lines), "}", ""])
