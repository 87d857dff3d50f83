"""Kinds of operation that a pipeline of DPDK's SWX executes, and which can be asked for."""

from __future__ import annotations

REGISTER_BITS = (16, 32, 64)
"""Widths of the field that a register is read into or written from. The register itself has 64
bits in DPDK whatever a P4 source says."""
HASHES = ("crc32", "jhash")
"""Hash functions that DPDK 22.11 registers with each pipeline."""
MATCHES = ("exact", "lpm", "wildcard")
"""Match kinds of a table's key. In DPDK 22.11 an LPM table **is** a wildcard table whose priority
is the prefix length; only exact keys without gaps have a hash table."""
INSTRUCTION_KINDS = {
    "rx": "receive",
    "tx": "transmit",
    "drop": "drop",
    "mirror": "mirror",
    "recirculate": "recirculate",
    "recircid": "pass_number",
    "extract": "extract",
    "lookahead": "lookahead",
    "emit": "emit",
    "validate": "validate",
    "invalidate": "invalidate",
    "mov": "move",
    "add": "add",
    "sub": "subtract",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "shl": "shift_left",
    "shr": "shift_right",
    "ckadd": "checksum_add",
    "cksub": "checksum_subtract",
    "regprefetch": "register_prefetch",
    "regrd": "register_read",
    "regwr": "register_write",
    "regadd": "register_add",
    "metprefetch": "meter_prefetch",
    "meter": "meter",
    "table": "table",
    "learn": "learn",
    "rearm": "rearm",
    "forget": "forget",
    "entryid": "entry_number",
    "hash": "hash",
    "return": "return",
} | {
    name: "jump"
    for name in ("jmp", "jmpv", "jmpnv", "jmph", "jmpnh", "jmpa", "jmpna",
                 "jmpeq", "jmpneq", "jmplt", "jmpgt")
}  # fmt: skip
"""Kind of each instruction. Reads and writes of registers also have their width, tables their
match kind, hashes their function: ``register_read_32``, ``table_lpm``, ``hash_crc32``. A table
whose key has more than 4 bytes has the next power of two of them: ``table_exact_16``. A search
among prefixes or masks whose entries are known is named by its steps instead, where these are
several: ``table_wildcard_3_steps`` (`searches`); ``table_wildcard_16``, as it is generated, takes
two. One that finds nothing ends earlier: ``table_lpm_miss``; an exact lookup takes as long either
way. Arithmetic on
a header's field has its width where it is not 8: ``add_16``. A header that is emitted where it is
not valid is ``emit_invalid``, and each that is not where it was received costs a ``header_copy``.
An instruction that waits for a write before it (`stalls`) counts as ``stalled`` besides."""
KEY_BYTES = 4
"""Largest key of a table whose kind does not say how large it is."""
ROUGH_NS = {
    "table": 35.0, "selector": 35.0, "learner": 35.0, "learn": 35.0, "recirculate": 16.0,
    "register": 5.0, "meter": 5.0, "hash": 6.0, "extract": 3.0, "lookahead": 3.0, "emit": 3.0,
    "checksum": 3.0, "mirror": 10.0, "header": 3.0, "stalled": 6.0,
}  # fmt: skip
"""Rough cost by a kind's first word, 1 for all others: enough to tell which path of a pipeline is
the most expensive, nothing else. Tables, registers, hashes and recirculation as in
docs/swx-rates.md, the others assumed."""
_ARITHMETIC = {
    "add": "add {} 3",
    "subtract": "sub {} 3",
    "and": "and {} 0x7F",
    "or": "or {} 1",
    "xor": "xor {} 0x55",
    "shift_left": "shl {} 1",
    "shift_right": "shr {} 1",
}
ARITHMETIC = {
    kind + suffix: line.format(field)
    for suffix, field in (("", "h.ipv4.ttl"), ("_16", "h.ipv4.identification"))
    for kind, line in _ARITHMETIC.items()
}
"""What arithmetic is asked for and how it is written: on the TTL, which has 8 bits, and on a field
of 16. A header's field is in network byte order, and each instruction turns it there and back.
Izolan (2023) took the Ethertype for the second; here it is the identification, which is as wide,
and without which a packet is still one of IPv4 to whatever reads it next."""
P4_OPERATORS = {
    "+": "add",
    "-": "subtract",
    "<<": "shift_left",
    ">>": "shift_right",
    "*": "shift_left",
    "/": "shift_right",
    "%": "and",
}
"""Kind that a P4 operator becomes. SWX has **no** instruction that multiplies, divides or takes a
remainder: by a power of two a compiler can write a shift or a mask, by another constant or by a
field the program cannot be compiled at all. So ``*``, ``/`` and ``%`` have no cost of their own."""
OPERATIONS_MAX: dict[str, int] = {
    **{f"register_{way}_{bits}": 1024 for bits in REGISTER_BITS for way in ("read", "write")},
    **{f"table_{match}": 16 for match in MATCHES},
    **{f"hash_{name}": 1024 for name in HASHES},
    **dict.fromkeys(ARITHMETIC, 1024),
    "recirculate": 255,
}
"""Kinds that a program can be asked for, in the order in which a packet gets them, and the most of
each. Several kinds of one program are executed in turn, so that a mix is mixed. Straight code of
1024 operations compiles in seconds; each table is a memory of its own."""

JOINING_MAX: dict[str, int] = {
    "extract": 12, "emit": 12, "emit_invalid": 12, "header_copy": 4,
    "move": 512, "jump": 512, "lookahead": 64, "validate": 8, "checksum_add": 64,
    "register_add_64": 512, "register_prefetch": 64, "meter": 64, "selector": 8,
    "learner": 8, "rearm": 8, "learn": 8, "stalled": 64,
    "table_keyless": 16, "table_exact_8": 16, "table_exact_16": 16, "table_wildcard_16": 16,
    "table_lpm_miss": 8, "table_wildcard_miss": 8, "table_wildcard_16_miss": 8,
    "mirror": 4,
}  # fmt: skip
"""Further kinds, of what pipelines of one's own have beside these: how they parse, join and send,
and what keeps state. In the order of execution, behind those of ``OPERATIONS_MAX``."""
KINDS_MAX = OPERATIONS_MAX | JOINING_MAX
MISS = "_miss"
"""End of the kind of a search that finds nothing."""
SEARCHED = ("table_lpm", "table_wildcard")
"""Tables that are searched: of an empty one nothing is, and what is not there is known sooner."""
PARSING = ("extract", "emit", "emit_invalid", "recirculate")
"""Kinds that a pipeline can be asked for which does not parse anything else."""


def rough_ns(kind: str) -> float:
    """Rough cost of an operation, to compare paths by.

    >>> rough_ns("table_exact"), rough_ns("jump")
    (35.0, 1.0)
    """
    return ROUGH_NS.get(kind.partition("_")[0], 1.0)
