"""Read the entries of a pipeline's tables, as strictly as the pipeline itself.

DPDK stops at the first wrong line and says neither which field nor why.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linerate.errors import bad_input
from linerate.measure.swx.spec import Spec
from linerate.measure.swx.spec_lines import Line, lines_of, number_of

ENTRIES_BYTES_MAX = 64 << 20


def check_entries(spec: Spec, table: str, path: Path) -> int:
    """Count the entries of a table's file, refused unless each fits the table.

    Raises
    ------
    BadInputError
        No such table, no such file, or an entry that does not fit; with the line.
    """
    if table not in spec.tables or spec.tables[table].learns or not spec.tables[table].key:
        raise bad_input(
            "table", table, why=f"{spec.source} has no such table with a key",
            allowed=", ".join(spec.tables) or "none", do="correct the name",
        )  # fmt: skip
    count = 0
    for line in _file_lines(path, table):
        _check_entry(spec, table, line)
        count += 1
    return count


def _file_lines(path: Path, table: str) -> Iterator[Line]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise bad_input(
            f"table {table}", path, why=error.strerror or "it cannot be read",
            allowed="a readable file of entries", do="correct the path",
        ) from error  # fmt: skip
    if len(data) > ENTRIES_BYTES_MAX:
        raise bad_input(
            f"table {table}", path, why=f"it has {len(data)} bytes",
            allowed=f"up to {ENTRIES_BYTES_MAX}", do="shorten it",
        )  # fmt: skip
    return lines_of(data.decode("latin-1"), path.name)


def _check_entry(spec: Spec, table: str, line: Line) -> None:
    key = spec.tables[table].key
    words = list(line.words)
    if words.pop(0) != "match" or len(words) < len(key):
        raise line.refuse("it is no entry", f"match and {len(key)} values, action NAME ARGS")
    for field, match in key:
        bits = spec.bits(field) or 0
        value, slash, mask = words.pop(0).partition("/")
        _check_value(line, value, bits)
        if slash:
            _check_value(line, mask, bits)
        if slash and match == "exact":
            raise line.refuse(f"{field} is matched exactly", "values without a mask")
        if match == "lpm" and slash and not _is_prefix(number_of(mask) or 0, bits):
            raise line.refuse(f"{mask} is no prefix", "a mask of ones, then zeros")
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
    for word, bits in zip(words[3::2], args.values(), strict=True):
        _check_value(line, word, bits)


def _check_value(line: Line, word: str, bits: int) -> None:
    number = number_of(word)
    if number is None or number >> bits:
        raise line.refuse(f"{word} does not fit", f"a number of {bits} bits")


def _is_prefix(mask: int, bits: int) -> bool:
    rest = mask ^ (1 << bits) - 1
    return not rest & (rest + 1)
