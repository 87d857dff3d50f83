"""The blocks of a .spec file that say what is looked up: tables, learners and selectors."""

from __future__ import annotations

from linerate.measure.datapaths.swx.spec.lines import (
    Line,
    body_of,
    name_of,
    number_in,
    reference_of,
)
from linerate.measure.datapaths.swx.spec.spec import DEFAULT_MARK, TABLE_MARK, Selector, Table

TABLE_STATEMENTS = "key, actions, default_action, size, hash, instanceof, pragma"
LEARNER_STATEMENTS = "key, actions, default_action, size, hash, timeout"


def parse_table(opening: Line, body: list[Line], *, learns: bool) -> Table:
    """Read the lines of a table, or of a learner.

    Raises
    ------
    BadInputError
        A statement that it has not, or has twice; with the line.
    """
    parser = _Table(opening, learns)
    lines = iter(body)
    for line in lines:
        inner = body_of(line, lines) if line.words[-1] == "{" else []
        if line.words[0] in parser.seen:
            raise line.refuse(f"{line.words[0]} is there already", "each statement once")
        parser.seen.add(line.words[0])
        parser.take(line, inner)
    return parser.table()


class _Table:
    """Takes statement after statement."""

    def __init__(self, opening: Line, learns: bool) -> None:
        self.opening, self.learns = opening, learns
        self.seen: set[str] = set()
        self.key: tuple[tuple[str, str], ...] = ()
        self.actions: dict[str, str] = {}
        self.default = ""
        self.args: tuple[tuple[str, int], ...] = ()
        self.is_const = False
        self.size: int | None = None
        self.named = {"hash": "", "instanceof": "", "pragma": ""}
        self.timeouts: tuple[int, ...] = ()

    def take(self, line: Line, inner: list[Line]) -> None:
        match line.words:
            case ("key", "{"):
                self.key = tuple(_key_field(part, self.learns) for part in inner)
            case ("actions", "{"):
                self._take_actions(inner)
            case ("default_action", name, "args", *args) if args:
                self.default = name_of(line, name)
                self._take_default(line, args)
            case ("size", size):
                self.size = number_in(line, size, 32)
            case ("hash", name):
                self.named["hash"] = name_of(line, name)
            case ("timeout", "{") if self.learns:
                self.timeouts = tuple(_timeout(part) for part in inner)
            case ("instanceof" | "pragma" as keyword, name) if not self.learns:
                self.named[keyword] = name_of(line, name)
            case _:
                allowed = LEARNER_STATEMENTS if self.learns else TABLE_STATEMENTS
                raise line.refuse("a table has no such statement", allowed)

    def _take_actions(self, lines: list[Line]) -> None:
        for line in lines:
            name, *mark = line.words
            if mark not in ([], [TABLE_MARK], [DEFAULT_MARK]):
                raise line.refuse(
                    "it is not an action", f"NAME, NAME {TABLE_MARK} or {DEFAULT_MARK}"
                )
            if name_of(line, name) in self.actions:
                raise line.refuse(f"{name} is there already", "each action once")
            self.actions[name] = "".join(mark)

    def _take_default(self, line: Line, words: list[str]) -> None:
        self.is_const = words[-1] == "const"
        args = words[:-1] if self.is_const else words
        if args == ["none"]:
            return
        if not args or len(args) % 2:
            raise line.refuse("its arguments are not pairs", "none, or NAME VALUE ...; const last")
        self.args = tuple(
            (name_of(line, name), number_in(line, value, 64))
            for name, value in zip(args[::2], args[1::2], strict=True)
        )

    def table(self) -> Table:
        if not self.default:
            raise self.opening.refuse(
                "a table needs a default action", "default_action NAME args none"
            )
        return Table(
            line=self.opening.number, key=self.key, actions=tuple(self.actions.items()),
            default_action=self.default, default_args=self.args, default_is_const=self.is_const,
            size=self.size, hash_function=self.named["hash"], table_type=self.named["instanceof"],
            pragma=self.named["pragma"], timeouts_s=self.timeouts if self.learns else None,
        )  # fmt: skip


def _timeout(line: Line) -> int:
    if len(line.words) != 1:
        raise line.refuse("it is not a timeout", "a number of seconds")
    return number_in(line, line.words[0], 32)


def _key_field(line: Line, learns: bool) -> tuple[str, str]:
    if learns and len(line.words) == 1:
        return reference_of(line, line.words[0]), "exact"
    if not learns and len(line.words) == 2 and line.words[1] in ("exact", "lpm", "wildcard"):
        return reference_of(line, line.words[0]), line.words[1]
    raise line.refuse("it is not a field of a key", "FIELD exact|lpm|wildcard; of a learner FIELD")


def parse_selector(opening: Line, body: list[Line]) -> Selector:
    """Read the lines of a selector.

    Raises
    ------
    BadInputError
        A statement that it has not, has twice, or lacks; with the line.
    """
    named: dict[str, str] = {}
    sizes: dict[str, int] = {}
    fields: tuple[str, ...] = ()
    lines = iter(body)
    for line in lines:
        match line.words:
            case ("selector", "{") if not fields:
                fields = tuple(_member_field(part) for part in body_of(line, lines))
            case ("group_id" | "member_id" as keyword, name) if keyword not in named:
                named[keyword] = reference_of(line, name)
            case ("n_groups_max" | "n_members_per_group_max" as keyword, size) if (
                keyword not in sizes
            ):
                sizes[keyword] = number_in(line, size, 32)
            case _:
                raise line.refuse(
                    "a selector has no such statement, or has it already",
                    "group_id, selector, member_id, n_groups_max, n_members_per_group_max",
                )
    if not fields or len(named) != 2 or len(sizes) != 2:
        raise opening.refuse(
            "it lacks a statement",
            "group_id, selector, member_id, n_groups_max, n_members_per_group_max",
        )
    return Selector(
        line=opening.number, group_id=named["group_id"], fields=fields,
        member_id=named["member_id"], groups_max=sizes["n_groups_max"],
        members_per_group_max=sizes["n_members_per_group_max"],
    )  # fmt: skip


def _member_field(line: Line) -> str:
    if len(line.words) != 1:
        raise line.refuse("it is not a field", "FIELD")
    return reference_of(line, line.words[0])
