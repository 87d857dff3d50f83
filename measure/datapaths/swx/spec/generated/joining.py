"""Instructions by which pipelines of one's own parse, join, keep state and send.

They are spread over several fields and headers: of one that is repeated a compiler makes less.
"""

from __future__ import annotations

from collections.abc import Iterator

from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram

PARSED = ("ethernet", "ipv4", "udp")
WORDS = 8
"""Metadata fields of 8 bytes, which no write of another one touches."""
NEAR = 64
"""Fields of 4 bytes: a write of one touches the next."""
SOURCES = ("h.ipv4.src_addr", "h.udp.src_port", "h.ethernet.src_addr", "h.ipv4.dst_addr")
COMPARED = ("h.udp.checksum", "h.ipv4.flags_offset", "h.udp.length", "h.ipv4.total_len")
"""What jumps compare with a number that no packet of ours has there."""
SPARE, PEEKED, ADDED, TAGS = 8, 8, 4, 9
"""Headers: made valid, looked at, put before the others, and behind them in a bare pipeline."""
METERS, LEARNED, GROUPS, MEMBERS = 1024, 65536, 16, 8
LINES = {
    "lookahead": "lookahead h.peeked_{}",
    "validate": "validate h.spare_{}",
    "register_add_64": "regadd values m.index 1",
    "register_prefetch": "regprefetch values m.index",
    "meter": "meter meters h.udp.src_port h.ipv4.total_len 0 m.colour",
    "selector": "table selector_{}",
    "learner": "table learner_{}",
    "mirror": "mirror m.slot m.session",
}
HEADER = """\
struct {name}_h {{
	bit<{bits}> value
}}
"""
LEARNING = """\
struct learnt_args_t {
	bit<32> learnt
}
"""
LEARNER = """\
action keep_{number} args instanceof learnt_args_t {{
	mov m.copied t.learnt
{body}	return
}}

action learn_{number} args none {{
	learn keep_{number} m.learnt m.timeout
{forgetting}	return
}}

learner learner_{number} {{
	key {{
		h.ipv4.dst_addr
	}}
	actions {{
		keep_{number}
		learn_{number} @defaultonly
	}}
	default_action learn_{number} args none const
	size {size}
	timeout {{
		3600
	}}
}}
"""
SELECTOR = """\
selector selector_{number} {{
	group_id m.group
	selector {{
		h.ipv4.dst_addr
	}}
	member_id m.copied
	n_groups_max {groups}
	n_members_per_group_max {members}
}}
"""


def joining_line(kind: str, number: int) -> str:
    """Write the instruction of a kind; empty for what stands within another.

    >>> joining_line("move", 9), joining_line("rearm", 0)
    ('mov m.word_1 h.udp.src_port', '')
    """
    match kind:
        case "move":
            return f"mov m.word_{number % WORDS} {SOURCES[number % len(SOURCES)]}"
        case "stalled":
            return f"mov m.near_{number + 1} h.ipv4.src_addr"
        case "jump":
            field = COMPARED[number % len(COMPARED)]
            return f"jmpeq SEND {field} {0xFFFF - 7 * number:#x}"
        case "checksum_add":
            name = "ckadd" if number % 2 == 0 else "cksub"
            return f"{name} h.ipv4.hdr_checksum h.ipv4.src_addr"
        case "lookahead" | "validate":
            return LINES[kind].format(number % SPARE)
    return LINES[kind].format(number) if kind in LINES else ""


def joining_fields(program: SwxProgram) -> list[tuple[str, int]]:
    """Metadata fields that these kinds use."""
    fields = []
    if program.times("move"):
        fields += [(f"word_{number}", 64) for number in range(WORDS)]
    if program.times("meter"):
        fields.append(("colour", 32))
    if program.times("learner"):
        fields += [("learnt", 32), ("timeout", 32)]
    if program.times("selector"):
        fields.append(("group", 32))
    if program.times("mirror"):
        fields += [("slot", 32), ("session", 32)]
    if program.times("stalled"):  # many: what an instruction writes begins by byte 255
        fields += [(f"near_{number}", 32) for number in range(NEAR + 1)]
    return fields


def joining_text(program: SwxProgram) -> Iterator[str]:
    """Declare the headers, tables and arrays of these kinds."""
    for kind, name, count, bits in (
        ("validate", "spare", SPARE, 32), ("emit_invalid", "spare", SPARE + 4, 32),
        ("lookahead", "peeked", PEEKED, 16), ("header_copy", "added", 2 * ADDED, 32),
    ):  # fmt: skip
        if program.times(kind):
            yield _headers(name, count, bits)
    if program.base == "bare":
        yield _headers("tag", TAGS, 16)
    if program.times("meter"):
        yield f"metarray meters size {METERS}\n"
    if program.times("learner"):
        yield LEARNING
        learners, learns = program.times("learner"), program.times("learn")
        for number in range(learners):
            body = "\trearm\n" if number >= learners - program.times("rearm") else ""
            # What is forgotten at once is learnt by every packet.
            forgetting = "\tforget\n" if number < learns else ""
            yield LEARNER.format(number=number, body=body, forgetting=forgetting, size=LEARNED)
    for number in range(program.times("selector")):
        yield SELECTOR.format(number=number, groups=GROUPS, members=MEMBERS)


def joining_entries(program: SwxProgram) -> dict[str, str]:
    """Members of the selectors' groups."""
    members = "".join(f"group 0 member {number} weight 1\n" for number in range(MEMBERS))
    return {f"selector_{number}": members for number in range(program.times("selector"))}


def joining_operands(program: SwxProgram) -> Iterator[str]:
    """Instructions that the others need before them."""
    if program.times("header_copy"):
        yield from (f"validate {name}" for name in sent_headers(program) if "added" in name)
    if program.times("stalled"):
        yield "mov m.near_0 h.ipv4.src_addr"


def parsed_headers(program: SwxProgram) -> list[str]:
    """Headers that a bare pipeline extracts, in their order."""
    every = [*PARSED, *(f"tag_{number}" for number in range(TAGS))]
    return [f"h.{name}" for name in every[: program.times("extract")]]


def sent_headers(program: SwxProgram) -> list[str]:
    """Headers that are emitted, those first that were not received.

    Every other one is put before, as two of them that adjoin are one for DPDK.
    """
    invalid = [f"h.spare_{number}" for number in range(program.times("emit_invalid"))]
    if program.base == "bare":
        return [*parsed_headers(program)[: program.times("emit")], *invalid]
    added = [f"h.added_{2 * number}" for number in range(program.times("header_copy"))]
    return [*added, *(f"h.{name}" for name in PARSED)]


def _headers(name: str, count: int, bits: int) -> str:
    lines = [HEADER.format(name=name, bits=bits)]
    lines += [f"header {name}_{number} instanceof {name}_h\n" for number in range(count)]
    return "".join(lines)
