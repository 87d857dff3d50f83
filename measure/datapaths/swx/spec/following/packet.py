"""A packet on its way through a pipeline: what it has executed, and what later jumps depend on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace

from linerate.measure.datapaths.swx.spec.following.filled import Args, Filled
from linerate.measure.datapaths.swx.spec.following.layout import Layout
from linerate.measure.datapaths.swx.spec.following.searches import steps_of
from linerate.measure.datapaths.swx.spec.following.stalls import LOOKS_UP, Written, reads, writes
from linerate.measure.datapaths.swx.spec.following.values import computed, fields_in
from linerate.measure.datapaths.swx.spec.kinds import (
    ARITHMETIC,
    INSTRUCTION_KINDS,
    KEY_BYTES,
    MISS,
    SEARCHED,
    rough_ns,
)
from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.memory import power_of_2
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec
from linerate.programs.pipeline_paths import Wait


@dataclass(slots=True)
class Packet:
    """A packet on its way."""

    counts: Counter[str] = field(default_factory=Counter)
    waits: Counter[Wait] = field(default_factory=Counter)
    """For writes shortly before, each as often as it was."""
    rough_ns: float = 0.0
    """Rough cost of what it has executed."""
    choices: tuple[str, ...] = ()
    share: float = 1.0
    """Of all packets, each of several ways being as likely as the others where nothing tells."""
    frame: bytes | None = None
    """Its bytes; None of a packet that stands for all."""
    valid: frozenset[str] = frozenset()
    layout: Layout = field(default_factory=Layout)
    written: Written = field(default_factory=Written)
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

    def chosen(self, choice: str, share: float = 1.0) -> Packet:
        """Take one of several ways, which so many of these packets do."""
        return replace(
            self, counts=self.counts.copy(), waits=self.waits.copy(), known=self.known.copy(),
            share=self.share * share, choices=(*self.choices, choice) if choice else self.choices,
        )  # fmt: skip

    def count(self, kind: str, times: int = 1) -> None:
        """Execute operations of a kind."""
        self.counts[kind] += times
        self.rough_ns += times * rough_ns(kind)

    def execute(self, spec: Spec, each: Instruction, args: str, *, empty: bool = False) -> None:
        """Count an instruction, and what becomes of the headers with it.

        Of an empty table of prefixes or masks nothing is looked up: DPDK has none then.
        """
        self.steps += 1
        kind = kind_of(spec, each, args)
        if empty and kind.startswith(SEARCHED):
            kind = "table_keyless"
        if each.name == "emit" and each.operands[0] not in self.valid:
            kind = "emit_invalid"
        waited_for = self.written.waited_for(reads(spec, each, self.layout))
        if waited_for is not None:
            self.count("stalled")
            self.waits[_wait(each, waited_for.each)] += 1
            self.written = self.written.since(waited_for)
        self.count(kind)
        before = Written() if each.name in LOOKS_UP else self.written
        self.written = before.after(each, writes(spec, each, self.layout))
        if each.name == "tx" and self.layout.copies:
            self.count("header_copy", self.layout.copies)

    def searched(self, spec: Spec, table: str, entries: Filled | None, *, hit: bool) -> None:
        """Tell a search that was counted by what it found, and by its steps where they are known.

        A search that finds nothing ends early, by its first step as far as is known here.
        """
        kind = kind_of_table(spec, table)
        if not kind.startswith(SEARCHED) or not self.counts[kind]:
            return
        self.count(kind, -1)
        if not hit:
            self.count(kind + MISS)
        elif entries is None:
            self.count(kind)
        else:
            self.count(kind_of_search(spec, table, steps_of(spec, table, entries)))
        self.counts = +self.counts

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

    def begin(self, args: Args | None) -> None:
        """Know the arguments of the action that is run next, and no others."""
        self.known = {word: value for word, value in self.known.items() if word[:2] != "t."}
        self.known |= {f"t.{name}": value for name, value in args or ()}

    def step(self, spec: Spec, each: Instruction, args: str = "") -> None:
        """Do what later jumps depend on, and where headers are."""
        match each.name:
            case "extract" | "lookahead" | "validate":
                self.valid |= {each.operands[0]}
            case "invalidate":
                self.valid -= {each.operands[0]}
            case "recirculate":
                self.again = True
            case "rx":  # which gives the core to other packets
                self.valid, self.layout, self.written = frozenset(), Layout(), Written()
        varying = (self.value(each.operands[1]) or 0) if len(each.operands) == 2 else 0
        value = self.passes if each.name == "recircid" else self._computed(spec, each, args)
        source = each.operands[1] if each.name == "mov" else ""
        chosen = [spec.selectors[each.operands[0]].member_id] if (
            each.name == "table" and each.operands[0] in spec.selectors) else []  # fmt: skip
        for word in (*each.operands, *chosen):
            if word != source:
                self.known.pop(word, None)  # maybe written: what an operand is for differs
        if value is not None:
            to = each.operands[0]
            self.known[to] = value & (1 << (spec.bits(to) or 64)) - 1
        self._place(spec, each, varying)

    def _computed(self, spec: Spec, each: Instruction, args: str) -> int | None:
        """Value of the first operand; of arithmetic only where a frame is followed alone."""
        if each.name == "rx" and self.frame is not None:
            return 0
        if each.name != "mov" and self.frame is None:
            return None
        return computed(spec, each, self.value, args)

    def _place(self, spec: Spec, each: Instruction, varying: int) -> None:
        if each.name not in ("extract", "lookahead", "emit"):
            return
        header, size = each.operands[0], spec.header_bytes(each.operands[0])
        if each.name == "emit":
            if header in self.valid:
                self.layout = self.layout.emitted(header, size)
            return
        start = f"{header}."
        self.known = {w: value for w, value in self.known.items() if not w.startswith(start)}
        if self.frame is not None and self.passes == 0:
            self.known |= fields_in(spec, header, self.frame, self.layout.offset)
        if each.name == "extract":
            self.layout = self.layout.extracted(header, size + varying)
        else:
            self.layout = self.layout.seen(header)


def _wait(each: Instruction, write: Instruction) -> Wait:
    return Wait(line=each.line, code=str(each), write_line=write.line, write_code=str(write))


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
        return kind_of_table(spec, each.operands[0])
    return kind


def kind_of_table(spec: Spec, name: str) -> str:
    """Name the kind of a lookup, before it is known what it finds."""
    if name in spec.selectors:
        return "selector"
    if spec.tables[name].learns:
        return "learner"
    key_bytes = sum(spec.bits(field) or 0 for field, _ in spec.tables[name].key) / 8
    size = "" if key_bytes <= KEY_BYTES else f"_{power_of_2(math.ceil(key_bytes))}"
    return f"table_{spec.match_of(name)}{size}"


def kind_of_search(spec: Spec, name: str, steps: int) -> str:
    """Name the kind of a search that finds something, by the steps that it takes."""
    return f"table_{spec.match_of(name)}" + (f"_{steps}_steps" if steps > 1 else "")
