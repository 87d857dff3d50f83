"""What a packet makes a pipeline execute, on each path through it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from linerate.errors import bad_input
from linerate.measure.datapaths.swx.spec.checks.refusal import refuse
from linerate.measure.datapaths.swx.spec.kinds import ARITHMETIC, INSTRUCTION_KINDS, rough_ns
from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec

PATHS_MAX = 4096
STEPS_MAX = 100_000
"""Instructions of one packet; more of them never end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """One way of a packet, all passes of it together."""

    choices: tuple[str, ...]
    """Outcomes that packets and entries decide: ``routes:route``, ``routes:miss``, and conditional
    jumps as ``line 7:jump`` or ``line 7:stay``."""
    operations: tuple[tuple[str, int], ...]
    """Pairs (kind, times), by kind."""
    sends: bool
    """Whether the packet leaves, or is dropped."""

    @property
    def instructions(self) -> int:
        """How many there are in all."""
        return sum(times for _, times in self.operations)

    @property
    def rough_ns(self) -> float:
        """Rough cost, to compare paths of one pipeline by; no prediction."""
        return sum(times * rough_ns(kind) for kind, times in self.operations)


def paths(spec: Spec, *, misses: bool = True) -> tuple[Path, ...]:
    """Follow every path.

    Conditions that the pipeline itself decides are decided: numbers of passes, constants in
    metadata, which headers are valid, what a table did.

    Parameters
    ----------
    spec
        The pipeline.
    misses
        Whether tables may miss; False for entries that know every packet. A table without a key,
        or whose entries have no actions, always misses.

    Raises
    ------
    BadInputError
        More than ``PATHS_MAX`` paths, or one that never ends.
    """
    found = []
    for state in _packet(spec, misses):
        found.append(
            Path(
                choices=state.choices, operations=tuple(sorted(state.counts.items())),
                sends=state.end == "tx",
            )
        )  # fmt: skip
        if len(found) > PATHS_MAX:
            raise bad_input(
                "spec", spec.source, why=f"it has more than {PATHS_MAX} paths",
                allowed="fewer choices in a row", do="let misses be left out, or part the pipeline",
            )  # fmt: skip
    return tuple(found)


def longest_path(spec: Spec) -> Path:
    """Return the dearest path on which every table hits and the packet leaves.

    Paths are compared by rough costs: a parser that gives up early jumps more often than one that
    goes on to extract a further header. In a generated pipeline it is the path of the packets that
    are sent. Where no packet ever leaves, it is the dearest of all.
    """
    found = paths(spec, misses=False)
    sending = [path for path in found if path.sends]
    return max(sending or found, key=lambda path: path.rough_ns)


def kind_of(spec: Spec, each: Instruction, args: str = "") -> str:
    """Name the kind of an instruction, with width, match kind or function where it has one."""
    kind = INSTRUCTION_KINDS[each.name]
    if each.name == "hash":
        return f"hash_{each.operands[0]}"
    if each.name in ("regrd", "regwr", "regadd"):
        operand = each.operands[0 if each.name == "regrd" else 2]
        return f"{kind}_{spec.bits(operand, args) or 64}"
    if kind in ARITHMETIC and each.operands[0].startswith("h."):
        bits = spec.bits(each.operands[0], args)
        return kind if bits == 8 else f"{kind}_{bits}"
    if each.name == "table":
        name = each.operands[0]
        if name in spec.selectors:
            return "selector"
        return "learner" if spec.tables[name].learns else f"table_{spec.match_of(name)}"
    return kind


@dataclass(slots=True)
class _State:
    """A packet on its way."""

    counts: Counter[str] = field(default_factory=Counter)
    choices: tuple[str, ...] = ()
    valid: frozenset[str] = frozenset()
    known: dict[str, int] = field(default_factory=dict)
    """Metadata fields whose value the pipeline has decided."""
    action: str = ""
    """Of the last table."""
    hit: bool = False
    again: bool = False
    passes: int = 0
    steps: int = 0
    end: str = ""

    def chosen(self, choice: str) -> _State:
        return replace(
            self, counts=self.counts.copy(), known=self.known.copy(),
            choices=(*self.choices, choice) if choice else self.choices,
        )  # fmt: skip


def _packet(spec: Spec, misses: bool) -> Iterator[_State]:
    waiting = [_State()]
    while waiting:
        for state in _run(spec, spec.apply, waiting.pop(), "", misses):
            if not state.again or state.end != "tx":
                yield state
                continue
            state.again, state.end = False, ""
            state.passes += 1
            waiting.append(state)


def _run(
    spec: Spec, code: tuple[Instruction, ...], start: _State, args: str, misses: bool
) -> Iterator[_State]:
    """Go on from the first instruction until the packet or the action ends, on every way."""
    places = {each.label: place for place, each in enumerate(code) if each.label}
    waiting = [(0, start)]
    while waiting:
        place, state = waiting.pop()
        each = code[place]
        state.steps += 1
        if state.steps > STEPS_MAX:
            raise refuse(spec, each, "a packet never gets out of there", "loops that end")
        state.counts[kind_of(spec, each, args)] += 1
        if each.name in ("tx", "drop", "return"):
            state.end = each.name
            yield state
        elif each.name.startswith("jmp"):
            waiting += [
                (places[each.operands[0]] if jumps else place + 1, after)
                for jumps, after in _jump(each, state)
            ]
        elif each.name == "table" and each.operands[0] in spec.tables:
            for after in _table(spec, each.operands[0], state, misses):
                if after.end == "return":
                    after.end = ""
                    waiting.append((place + 1, after))
                else:
                    yield after
        else:
            _step(spec, each, state)
            waiting.append((place + 1, state))


def _table(spec: Spec, name: str, state: _State, misses: bool) -> Iterator[_State]:
    table = spec.tables[name]
    hits = [(action, True) for action in table.entry_actions if table.key]
    if misses or not hits:
        hits.append((table.default_action, False))
    for action, hit in hits:
        after = state.chosen(f"{name}:{action if hit else 'miss'}" if table.key else "")
        after.action, after.hit = action, hit
        body = spec.actions[action]
        yield from _run(spec, body.instructions, after, body.args, misses)


def _jump(each: Instruction, state: _State) -> list[tuple[bool, _State]]:
    jumps = _decided(each, state)
    if jumps is not None:
        return [(jumps, state)]
    return [
        (jumps, state.chosen(f"line {each.line}:{'jump' if jumps else 'stay'}"))
        for jumps in (True, False)
    ]


def _decided(each: Instruction, state: _State) -> bool | None:
    """Whether a jump is taken, None where the packet decides."""
    match each.name, each.operands:
        case "jmp", _:
            return True
        case "jmpv" | "jmpnv", (_, header):
            return (header in state.valid) == (each.name == "jmpv")
        case "jmph" | "jmpnh", _:
            return state.hit == (each.name == "jmph")
        case "jmpa" | "jmpna", (_, action):
            return (state.action == action) == (each.name == "jmpa")
    left, right = (_value(word, state) for word in each.operands[1:])
    if left is None or right is None:
        return None
    answers = {
        "jmpeq": left == right,
        "jmpneq": left != right,
        "jmplt": left < right,
        "jmpgt": left > right,
    }
    return answers[each.name]


def _value(word: str, state: _State) -> int | None:
    number = number_of(word)
    return state.known.get(word) if number is None else number


def _step(spec: Spec, each: Instruction, state: _State) -> None:
    """Do what later jumps depend on."""
    match each.name:
        case "extract" | "lookahead" | "validate":
            state.valid |= {each.operands[0]}
        case "invalidate":
            state.valid -= {each.operands[0]}
        case "recirculate":
            state.again = True
        case "rx":
            state.valid = frozenset()
    source = each.operands[1] if each.name == "mov" else ""
    value = state.passes if each.name == "recircid" else _value(source, state)
    for word in each.operands:
        if word != source:
            state.known.pop(word, None)  # maybe written: what an operand is for differs
    if value is not None:
        to = each.operands[0]
        state.known[to] = value & (1 << (spec.bits(to) or 64)) - 1
