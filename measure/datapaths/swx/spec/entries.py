"""Read the entries of a pipeline's tables and selectors, as strictly as the pipeline itself.

DPDK stops at the first wrong line and says neither which field nor why.
"""

from __future__ import annotations

from pathlib import Path

from linerate.errors import bad_input
from linerate.measure.datapaths.swx.spec.checks.ports import PORT_MAX, port_args
from linerate.measure.datapaths.swx.spec.lines import Line, canonical_number, lines_of, number_of
from linerate.measure.datapaths.swx.spec.members import members_text
from linerate.measure.datapaths.swx.spec.spec import Spec
from linerate.measure.datapaths.swx.spec.text_file import read_text

ENTRIES_BYTES_MAX = 64 << 20


def check_entries(spec: Spec, table: str, path: Path) -> int:
    """Count the entries of a table's file, refused unless each fits the table.

    Raises
    ------
    BadInputError
        No such table, no such file, or an entry that does not fit; with the line.
    """
    return read_entries(spec, table, path).count("\n")


def fillable(spec: Spec) -> tuple[str, ...]:
    """List the tables that have entries from outside, and the selectors, which have members."""
    filled = (name for name, each in spec.tables.items() if each.key and not each.learns)
    return (*filled, *spec.selectors)


def read_entries(spec: Spec, table: str, path: Path) -> str:
    """Read a table's or selector's file and write its entries anew, one a line, as DPDK gets them.

    Raises
    ------
    BadInputError
        No such table, no such file, or an entry that does not fit; with the line.
    """
    if table not in fillable(spec):
        raise bad_input(
            "table", table, why=f"{spec.source} has no such table with a key, and no selector",
            allowed=", ".join(fillable(spec)) or "none", do="correct the name",
        )  # fmt: skip
    text = read_text(path, f"table {table}", ENTRIES_BYTES_MAX)
    if table in spec.selectors:
        return members_text(spec.selectors[table], lines_of(text, path.name))
    return "".join(f"{_entry(spec, table, line)}\n" for line in lines_of(text, path.name))


def _entry(spec: Spec, table: str, line: Line) -> str:
    """Check an entry, and write it: its words are names of the pipeline's, or numbers."""
    _check_entry(spec, table, line)
    return " ".join("/".join(map(canonical_number, word.split("/"))) for word in line.words)


def _check_entry(spec: Spec, table: str, line: Line) -> None:
    key = spec.tables[table].key
    words = list(line.words)
    if words.pop(0) != "match" or len(words) < len(key):
        raise line.refuse("it is not an entry", f"match and {len(key)} values, action NAME ARGS")
    for field, match in key:
        bits = spec.bits(field) or 0
        value, slash, mask = words.pop(0).partition("/")
        _check_value(line, value, bits)
        if slash:
            _check_value(line, mask, bits)
        if slash and match == "exact":
            raise line.refuse(f"{field} is matched exactly", "values without a mask")
        if match == "lpm" and slash and not _is_prefix(number_of(mask) or 0, bits):
            raise line.refuse(f"{mask} is not a prefix", "a mask of ones, then zeros")
    if words[:1] == ["priority"] and len(words) > 1:
        _check_value(line, words[1], 32)
        words = words[2:]
    _check_action(spec, table, line, words)


def _check_action(spec: Spec, table: str, line: Line, words: list[str]) -> None:
    actions = spec.tables[table].entry_actions
    if words[:1] != ["action"] or len(words) < 2 or words[1] not in actions:
        raise line.refuse("it names no action of the table", f"action {' | '.join(actions)}")
    args = spec.structs.get(spec.actions[words[1]].args, {})
    if words[2::2] != list(args) or len(words) != 2 + 2 * len(args):
        allowed = " ".join(f"{name} VALUE" for name in args) or "none"
        raise line.refuse("the action has other arguments", f"arguments in order: {allowed}")
    ports = port_args(spec, words[1])
    for name, word, bits in zip(args, words[3::2], args.values(), strict=True):
        _check_value(line, word, bits)
        if name in ports and (number_of(word) or 0) > PORT_MAX:
            raise line.refuse(f"there is no port {word}", f"{name} 0..{PORT_MAX}")


def _check_value(line: Line, word: str, bits: int) -> None:
    number = number_of(word)
    if number is None or number >> bits:
        raise line.refuse(f"{word} does not fit", f"a number of {bits} bits")


def _is_prefix(mask: int, bits: int) -> bool:
    rest = mask ^ (1 << bits) - 1
    return not rest & (rest + 1)
