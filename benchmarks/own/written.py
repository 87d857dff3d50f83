"""The text of a pipeline as p4c's DPDK back end writes it, from what tells it from the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from linerate.measure.datapaths.swx.spec.generated.text import HEADERS

STRUCTS = {
    "vlan_h": "16 tci, 16 ethertype",
    "ipv6_h": "32 version, 16 length, 8 next_header, 8 hop_limit, 64 src_high, 64 src_low, "
              "64 dst_high, 64 dst_low",
    "tcp_h": "16 src_port, 16 dst_port, 32 seq, 32 ack, 16 flags, 16 window, 16 checksum, "
             "16 urgent",
    "icmp_h": "8 type, 8 code, 16 checksum",
    "label_h": "16 label, 8 bottom, 8 ttl",
    "shim_h": "8 version, 8 hops, 16 left",
    "hop_h": "32 switch, 32 ports, 32 arrival",
    "vxlan_h": "8 flags, 24 reserved, 24 vni, 8 reserved2",
    "state_h": "16 state_0",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What tells a pipeline from the others; instructions are parted by semicolons or lines."""

    headers: Mapping[str, str]
    """Structs of the headers beside Ethernet, IPv4 and UDP."""
    metadata: str
    actions: str
    """Each as ``NAME(ARGUMENTS): INSTRUCTIONS``; no colon within."""
    tables: str
    """Each as ``NAME KEYWORD: KEY -> ACTIONS``; the last action is the default."""
    arrays: tuple[str, ...] = ()
    parser: str
    """Behind IPv4 and UDP; ends by itself at PARSED."""
    body: str
    sent: str
    """Headers in the order that they are emitted."""
    entries: Mapping[str, str] = field(default_factory=dict)
    members: str = ""
    """Fields of the selector, if there is one."""


def _lines(text: str) -> str:
    parts = [part.strip() for part in text.replace("\n", ";").split(";")]
    return "".join(f"\t{part}\n" for part in parts if part)


def _struct(name: str, fields: str) -> str:
    pairs = (each.split() for each in fields.split(","))
    return f"struct {name} {{\n" + "".join(f"\tbit<{b}> {n}\n" for b, n in pairs) + "}\n"


def _action(text: str) -> str:
    head, _, body = text.partition(":")
    name, _, args = head.strip().rstrip(")").partition("(")
    declared = _struct(f"{name}_args_t", args) if args else ""
    kind = f"instanceof {name}_args_t" if args else "none"
    return f"{declared}action {name} args {kind} {{\n{_lines(body)}}}\n"


def _table(text: str) -> str:
    head, _, rest = text.partition(":")
    name, keyword = head.split()
    key, _, actions = rest.partition("->")
    *others, default = (each.strip() for each in actions.split(","))
    marked = [*others, default if keyword == "keyless" else f"{default} @defaultonly"]
    word = "learner" if keyword == "learner" else "table"
    match = "" if word == "learner" else f" {keyword}"
    fields = "".join(
        f"\t\t{each.strip() + match if ' ' not in each.strip() else each.strip()}\n"
        for each in key.split(",") if each.strip()
    )  # fmt: skip
    block = f"\tkey {{\n{fields}\t}}\n" if fields else ""
    listed = "".join(f"\t\t{action}\n" for action in marked)
    tail = "\ttimeout {\n\t\t30\n\t\t3600\n\t}\n" if word == "learner" else ""
    return (f"{word} {name} {{\n{block}\tactions {{\n{listed}\t}}\n"
            f"\tdefault_action {default} args none\n\tsize 4096\n{tail}}}\n")  # fmt: skip


def spec_of(parts: Parts) -> str:
    """Write a pipeline."""
    used = [name for name in STRUCTS if name in parts.headers.values()]
    text = HEADERS + "".join(_struct(name, STRUCTS[name]) for name in used)
    text += "".join(f"header {name} instanceof {each}\n" for name, each in parts.headers.items())
    text += _struct("metadata_t", "32 input_port, 32 output_port, " + parts.metadata)
    text += "metadata instanceof metadata_t\n" + "".join(f"{each}\n" for each in parts.arrays)
    text += "action NoAction args none {\n\treturn\n}\naction lose args none {\n\tdrop\n}\n"
    text += "".join(map(_action, filter(str.strip, parts.actions.split("\n\n"))))
    text += "".join(_table(each) for each in parts.tables.splitlines() if each.strip())
    if parts.members:
        fields = "".join(f"\t\t{each}\n" for each in parts.members.split())
        text += (
            f"selector members {{\n\tgroup_id m.group\n\tselector {{\n{fields}\t}}\n"
            "\tmember_id m.member\n\tn_groups_max 64\n\tn_members_per_group_max 16\n}\n"
        )
    emits = [f"emit h.{name}" for name in parts.sent.split()]
    apply = ["rx m.input_port", "extract h.ethernet", parts.parser, parts.body,
             f"END : {emits[0]}", *emits[1:], "tx m.output_port"]  # fmt: skip
    return f"{text}apply {{\n{''.join(map(_lines, apply))}}}\n"
