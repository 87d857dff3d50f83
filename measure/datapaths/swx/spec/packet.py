"""A packet on its way through a pipeline: what it has executed, and what later jumps depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace

from linerate.measure.datapaths.swx.spec.kinds import ARITHMETIC, INSTRUCTION_KINDS, rough_ns
from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec


@dataclass(slots=True)
class Packet:
    """A packet on its way."""

    counts: Counter[str] = field(default_factory=Counter)
    rough_ns: float = 0.0
    """Rough cost of what it has executed."""
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

    @property
    def comes_again(self) -> bool:
        """Whether it goes through the pipeline once more."""
        return self.again and self.end == "tx"

    def chosen(self, choice: str) -> Packet:
        """Take one of several ways."""
        return replace(
            self, counts=self.counts.copy(), known=self.known.copy(),
            choices=(*self.choices, choice) if choice else self.choices,
        )  # fmt: skip

    def count(self, kind: str) -> None:
        """Execute an operation of a kind."""
        self.steps += 1
        self.counts[kind] += 1
        self.rough_ns += rough_ns(kind)

    def future(self, fields: Iterable[str]) -> Hashable:
        """Name what decides its further way, of fields those given: two alike go on alike."""
        values = tuple(self.known.get(name) for name in fields)
        return self.end, self.passes, self.again, self.hit, self.action, self.valid, values

    def value(self, word: str) -> int | None:
        """Value of a number or a field, None where the pipeline has not decided it."""
        number = number_of(word)
        return self.known.get(word) if number is None else number

    def jumps(self, each: Instruction) -> bool | None:
        """Whether a jump is taken, None where the packet decides."""
        match each.name, each.operands:
            case "jmp", _:
                return True
            case "jmpv" | "jmpnv", (_, header):
                return (header in self.valid) == (each.name == "jmpv")
            case "jmph" | "jmpnh", _:
                return self.hit == (each.name == "jmph")
            case "jmpa" | "jmpna", (_, action):
                return (self.action == action) == (each.name == "jmpa")
        left, right = (self.value(word) for word in each.operands[1:])
        if left is None or right is None:
            return None
        answers = {
            "jmpeq": left == right,
            "jmpneq": left != right,
            "jmplt": left < right,
            "jmpgt": left > right,
        }
        return answers[each.name]

    def step(self, spec: Spec, each: Instruction) -> None:
        """Do what later jumps depend on."""
        match each.name:
            case "extract" | "lookahead" | "validate":
                self.valid |= {each.operands[0]}
            case "invalidate":
                self.valid -= {each.operands[0]}
            case "recirculate":
                self.again = True
            case "rx":
                self.valid = frozenset()
        source = each.operands[1] if each.name == "mov" else ""
        value = self.passes if each.name == "recircid" else self.value(source)
        chosen = [spec.selectors[each.operands[0]].member_id] if each.name == "table" else []
        for word in (*each.operands, *chosen):
            if word != source:
                self.known.pop(word, None)  # maybe written: what an operand is for differs
        if value is not None:
            to = each.operands[0]
            self.known[to] = value & (1 << (spec.bits(to) or 64)) - 1


def compared_fields(spec: Spec) -> tuple[str, ...]:
    """Fields that a jump compares, and all whose value comes into one of these by ``mov``."""
    code = [*spec.apply, *(each for one in spec.actions.values() for each in one.instructions)]
    fields = {word for each in code if each.name.startswith("jmp") for word in each.operands[1:]}
    moves = [each.operands for each in code if each.name == "mov"]
    while more := {source for to, source in moves if to in fields} - fields:
        fields |= more
    return tuple(sorted(word for word in fields if "." in word))


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
