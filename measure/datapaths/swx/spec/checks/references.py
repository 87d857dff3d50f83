"""Whether what a .spec file refers to is there, and is of a width that DPDK 22.11 takes.

DPDK itself says of a wrong instruction neither which nor why; the rules here are those of the
``*_translate`` functions in rte_swx_pipeline.c.
"""

from __future__ import annotations

from linerate.errors import BadInputError, bad_input
from linerate.measure.datapaths.swx.spec.checks.bounds import check_bounds
from linerate.measure.datapaths.swx.spec.checks.flow import check_flow
from linerate.measure.datapaths.swx.spec.checks.refusal import refuse
from linerate.measure.datapaths.swx.spec.kinds import HASHES, INSTRUCTION_KINDS
from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec

HASH_OFFSET_BITS_MAX = 255
"""DPDK 22.11 keeps where a hash is written in 8 bits, counted in bits."""
INSTRUCTION_CHARS_MAX = 255
"""DPDK joins an instruction's words in ``RTE_SWX_INSTRUCTION_SIZE`` bytes, unmeasured."""
SIGNATURES = {
    "rx": "m", "tx": "p", "drop": "", "mirror": "nn", "recirculate": "", "recircid": "m",
    "extract": "h", "lookahead": "h", "emit": "h", "validate": "h", "invalidate": "h",
    "mov": "wx", "add": "ds", "sub": "ds", "and": "ds", "or": "ds", "xor": "ds", "shl": "ds",
    "shr": "ds", "ckadd": "kc", "cksub": "kv",
    "regprefetch": "rs", "regrd": "drs", "regwr": "rss", "regadd": "rss",
    "metprefetch": "os", "meter": "osvsd",
    "table": "t", "learn": "amm", "rearm": "m", "forget": "", "entryid": "m", "hash": "#mff",
    "jmp": "l", "jmpv": "lh", "jmpnv": "lh", "jmph": "l", "jmpnh": "l", "jmpa": "la",
    "jmpna": "la", "jmpeq": "lvs", "jmpneq": "lvs", "jmplt": "lvs", "jmpgt": "lvs", "return": "",
}  # fmt: skip
"""One letter for each operand, see ``WANTED``."""
SWAPPED = {"jmpeq": "jmpeq", "jmpneq": "jmpneq", "jmplt": "jmpgt", "jmpgt": "jmplt"}
"""What compares the same with its operands the other way round."""
OPTIONAL = {"extract": "hm", "learn": "am", "rearm": ""}
"""Signatures that some instructions have besides."""
WANTED = {
    "h": "a header, h.NAME",
    "m": "a metadata field of at most 64 bits",
    "p": "a metadata field, or the number of a port",
    "d": "a field of a header or of metadata, at most 64 bits",
    "n": "a field of metadata or an argument, at most 64 bits",
    "w": "a field of a header or of metadata",
    "v": "a field of at most 64 bits",
    "f": "a field",
    "s": "a field of at most 64 bits, or a number",
    "x": "a field, or a number",
    "k": "a header's field of 16 bits",
    "c": "a header's field of at most 64 bits, or a header",
    "r": "a regarray",
    "o": "a metarray",
    "t": "a table, selector or learner",
    "a": "an action",
    "l": "a label",
    "#": " or ".join(HASHES),
}
APPLY_ONLY = frozenset({"rx", "extract", "lookahead", "table", "jmpa", "jmpna"})
ACTION_ONLY = frozenset({"return", "learn", "rearm", "forget"})


def check_spec(spec: Spec) -> None:
    """Refuse references to nothing, code that DPDK refuses, and code that leaves its memory.

    Raises
    ------
    BadInputError
        With file and line.
    """
    for name, struct in [*spec.headers.items(), ("metadata", spec.metadata)]:
        _check_known(spec, 0, name, struct in spec.structs, "a struct that is there")
    for name, table in spec.tables.items():
        for used in (*dict(table.actions), table.default_action):
            _check_known(spec, table.line, used, used in spec.actions, "an action")
        spaces = {field.rpartition(".")[0] for field, _ in table.key}
        for field, _ in table.key:
            _check_known(spec, table.line, field, bool(spec.bits(field)), "a field")
        _check_known(spec, table.line, name, len(spaces) < 2, "a key of one header, or of metadata")
    for action in spec.actions.values():
        known = not action.args or action.args in spec.structs
        _check_known(spec, 0, action.args, known, "a struct that is there")
        _check_code(spec, action.instructions, args=action.args, in_action=True)
    _check_code(spec, spec.apply, args="", in_action=False)
    _check_ends(spec)
    check_bounds(spec)
    check_flow(spec)


def _check_known(spec: Spec, line: int, got: str, known: bool, allowed: str) -> None:
    if not known:
        raise bad_input(
            f"{spec.source}:{line}" if line else spec.source, got, why="it refers to nothing here",
            allowed=allowed, do="correct it",
        )  # fmt: skip


def _check_code(spec: Spec, code: tuple[Instruction, ...], *, args: str, in_action: bool) -> None:
    labels = [each.label for each in code if each.label]
    for each in code:
        if each.name not in INSTRUCTION_KINDS:
            raise refuse(spec, each, "DPDK has no such instruction", ", ".join(INSTRUCTION_KINDS))
        if len(" ".join((each.label, ":", each.name, *each.operands))) > INSTRUCTION_CHARS_MAX:
            raise refuse(spec, each, "DPDK has no room for it", f"{INSTRUCTION_CHARS_MAX} bytes")
        if each.name in (APPLY_ONLY if in_action else ACTION_ONLY):
            place = "apply" if in_action else "an action"
            raise refuse(spec, each, "it cannot stand here", f"within {place}")
        if labels.count(each.label) > 1:
            raise refuse(spec, each, "its label is another's too", "each label once")
        _check_operands(spec, each, args, labels)


def _check_operands(spec: Spec, each: Instruction, args: str, labels: list[str]) -> None:
    ways = [SIGNATURES[each.name], OPTIONAL.get(each.name, SIGNATURES[each.name])]
    letters = next((way for way in ways if len(way) == len(each.operands)), None)
    if letters is None:
        raise refuse(
            spec, each, f"it has {len(each.operands)} operands",
            ", ".join(WANTED[letter] for letter in ways[0]) or "none",
        )  # fmt: skip
    for letter, word in zip(letters, each.operands, strict=True):
        if not (word in labels if letter == "l" else _fits(spec, letter, word, args)):
            if letter == "v" and each.name in SWAPPED and number_of(word) is not None:
                raise _number_first(spec, each)
            raise refuse(spec, each, f"{word} cannot stand there", WANTED[letter])
    if each.name == "mov":
        wide = {spec.bits(word, args) for word in each.operands}
        if max(bits or 0 for bits in wide) > 64 and len(wide) > 1:
            raise refuse(spec, each, "one is wider than 64 bits", "two of the same width")
    if each.name == "hash":
        _check_hash(spec, each, args)


def _number_first(spec: Spec, each: Instruction) -> BadInputError:
    label, number, other = each.operands
    return refuse(spec, each, "DPDK 22.11 compares a field with a number, not the other way round",
                  WANTED["v"], f"write {SWAPPED[each.name]} {label} {other} {number}")  # fmt: skip


def _fits(spec: Spec, letter: str, word: str, args: str) -> bool:
    """Whether a word is what an operand of this letter may be."""
    names = {"r": spec.registers, "o": spec.meters, "a": spec.actions, "#": HASHES,
             "t": {*spec.tables, *spec.selectors}}  # fmt: skip
    if letter in names:
        return word in names[letter]
    if letter in "hc" and word.startswith("h.") and word[2:] in spec.headers:
        return True
    bits = spec.bits(word, args)
    if bits is None:
        return letter in "spx" and number_of(word) is not None
    spaces = {"m": "m", "p": "m", "d": "hm", "w": "hm", "k": "h", "c": "h", "h": "", "n": "mt"}
    narrow = bits == 16 if letter == "k" else bits <= 64 or letter in "wfx"
    return word[0] in spaces.get(letter, "hmt") and narrow


def _check_hash(spec: Spec, each: Instruction, args: str) -> None:
    _, to, first, last = each.operands
    if first.rpartition(".")[0] != last.rpartition(".")[0]:
        raise refuse(spec, each, "fields of two structs", "first and last field of one struct")
    ends = [spec.offset_bits(word, args) or 0 for word in (first, last)]
    if ends[0] > ends[1]:
        raise refuse(spec, each, f"{last} stands before {first}", "the first field first")
    offset_bits = spec.offset_bits(to) or 0
    if offset_bits > HASH_OFFSET_BITS_MAX:
        raise refuse(
            spec, each, f"DPDK 22.11 would write it elsewhere: {to} begins at bit {offset_bits}",
            f"a field that begins by bit {HASH_OFFSET_BITS_MAX}", "move the field to the front",
        )  # fmt: skip


def _check_ends(spec: Spec) -> None:
    apply = spec.apply
    if not apply or apply[0].name != "rx":
        raise bad_input(
            spec.source, "apply", why="it does not begin with rx", allowed="rx first",
            do="correct it",
        )  # fmt: skip
    if apply[-1].name not in ("tx", "drop", "jmp"):
        raise refuse(spec, apply[-1], "no instruction follows the last one", "tx, drop or jmp last")
    for name, action in spec.actions.items():
        if not any(each.name in ("return", "tx", "drop") for each in action.instructions):
            raise bad_input(
                spec.source, f"action {name}", why="it never ends",
                allowed="return, tx or drop at its end", do="add it",
            )  # fmt: skip
