"""One instruction after the other, on values of which some are not known.

References
----------
RFC 9669, BPF Instruction Set Architecture (2024).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from linerate.measure.objects.code.instructions import (
    CALL,
    EXIT,
    FUNCTION,
    LOAD_WIDE,
    Instruction,
    ObjectCode,
    Symbol,
)
from linerate.measure.objects.counting.arithmetic import (
    ADD,
    AND,
    COMPARISONS,
    DIV,
    END,
    MOD,
    MOV,
    OR,
    XOR,
    chance,
    combine,
    holds,
    signed,
    swapped,
)
from linerate.measure.objects.counting.calls import call, leave
from linerate.measure.objects.counting.function import (
    Function,
    Loop,
    NotFollowedError,
    Spot,
    TooLongError,
    function_of,
)
from linerate.measure.objects.counting.graph import JUMP, JUMP_FAR, JUMP_MAYBE, target
from linerate.measure.objects.counting.memory import Code, Drawn, Pointer, Table, Value, moved
from linerate.measure.objects.counting.path import PACKET, Path
from linerate.measure.objects.counting.world import World

INSTRUCTIONS_MAX = 60_000
"""Followed for all frames of a question: some tenths of a second."""
_WIDE = (1 << 64) - 1
_LOAD_REGISTER, _STORE, _STORE_REGISTER, _ALU, _JUMP, _JUMP_32, _ALU_64 = range(1, 8)
_BYTES = {0x00: 4, 0x08: 2, 0x10: 1, 0x18: 8}
_MODE, _ABSOLUTE, _INDIRECT, _MEMORY, _MEMORY_SIGNED, _ATOMIC = 0xE0, 0x20, 0x40, 0x60, 0x80, 0xC0
_OF_REGISTER = 0x08
_EQUAL, _UNEQUAL = 1, 5
_FETCH, _EXCHANGE, _COMPARE, _ACQUIRE, _RELEASE = 0x01, 0xE1, 0xF1, 0x100, 0x110
_ATOMIC_OPERATIONS = {0x00: ADD, 0x40: OR, 0x50: AND, 0xA0: XOR}


@dataclass(slots=True, kw_only=True)
class Machine:
    """An object's code, what its helpers reach, and how many instructions may still be followed."""

    found: ObjectCode
    world: World
    left: int = INSTRUCTIONS_MAX
    functions: dict[Symbol, Function]
    loops: dict[tuple[Function, int, Loop | None], Loop] = field(default_factory=dict)

    def function(self, symbol: Symbol) -> Function:
        """Decode a function, once."""
        if symbol not in self.functions:
            self.functions[symbol] = function_of(self.found, symbol)
        return self.functions[symbol]

    def loop(self, function: Function, place: int, within: Loop | None) -> Loop:
        """Take the loop that begins at a place, or that a call there repeats; each is one."""
        key = (function, place, within)
        if key not in self.loops:
            shape = function.shapes.get(place)
            further = shape.outer if shape else -1
            around = self.loop(function, further, within) if further >= 0 else within
            self.loops[key] = Loop(function=function, place=place, outer=around)
        return self.loops[key]

    def step(self, path: Path) -> Path | None:
        """Follow one instruction; return the other way where a condition is not known."""
        function, place = path.function, path.place
        if not 0 <= place < len(function.code):
            raise NotFollowedError(f"{function.symbol.name} has no instruction {place}")
        self.left -= 1
        if self.left < 0:
            raise TooLongError(f"more than {INSTRUCTIONS_MAX} instructions for these frames")
        one = function.code[place]
        path.tally.instructions += 1
        header = function.headers[place]
        loop = path.within if header < 0 else self.loop(function, header, path.within)
        path.spot = Spot(function, place, loop)
        path.tally.spots[path.spot] += 1
        path.place = place + 1
        kind = one.code & 7
        if kind in (_ALU, _ALU_64):
            self._compute(path, one)
        elif kind in (_JUMP, _JUMP_32):
            return self._jump(path, one, place)
        else:
            self._move(path, one, place)
        return None

    def _move(self, path: Path, one: Instruction, place: int) -> None:
        """Follow a load or a store."""
        if one.code == LOAD_WIDE:
            path.place += 1
            path.registers[one.target] = self._wide(path, one, place)
        elif not one.code & 7 and one.code & _MODE in (_ABSOLUTE, _INDIRECT):
            _load_packet(path, one)
        elif one.code & 7 == _LOAD_REGISTER:
            self._load(path, one)
        elif one.code & 7 in (_STORE, _STORE_REGISTER):
            self._store(path, one)
        else:
            raise NotFollowedError(f"instruction 0x{one.code:02x} is not known")

    def _compute(self, path: Path, one: Instruction) -> None:
        registers, operation = path.registers, one.code >> 4
        bits = 64 if one.code & 7 == _ALU_64 else 32
        left = registers[one.target]
        if operation == END:
            if one.number not in (16, 32, 64):
                raise NotFollowedError(f"a number of {one.number} bits is not swapped")
            to_big = bits == 64 or bool(one.code & _OF_REGISTER)
            registers[one.target] = swapped(left, one.number, to_big)
            return
        right: Value = one.number & _WIDE
        if one.code & _OF_REGISTER:
            right = registers[one.source]
        if operation > END or (operation == MOV and one.offset not in (0, 8, 16, 32)):
            raise NotFollowedError(f"instruction 0x{one.code:02x} is not known")
        if operation in (DIV, MOD):
            path.takes("division")
        registers[one.target] = combine(operation, left, right, bits, one.offset)

    def _load(self, path: Path, one: Instruction) -> None:
        mode, size = one.code & _MODE, _BYTES[one.code & 0x18]
        if mode not in (_MEMORY, _MEMORY_SIGNED):
            raise NotFollowedError(f"instruction 0x{one.code:02x} is not known")
        where = moved(path.registers[one.source], one.offset)
        _touch(path, where)
        value = path.read(where, size)
        if mode == _MEMORY_SIGNED and isinstance(value, int):
            value = signed(value, 8 * size) & _WIDE
        path.registers[one.target] = value

    def _store(self, path: Path, one: Instruction) -> None:
        mode, size = one.code & _MODE, _BYTES[one.code & 0x18]
        where = moved(path.registers[one.target], one.offset)
        _touch(path, where)
        if mode == _ATOMIC and one.code & 7 == _STORE_REGISTER:
            self._atomic(path, one, where, size)
        elif mode != _MEMORY:
            raise NotFollowedError(f"instruction 0x{one.code:02x} is not known")
        elif one.code & 7 == _STORE:
            path.write(where, size, one.number & _WIDE)
        else:
            path.write(where, size, path.registers[one.source])

    def _atomic(self, path: Path, one: Instruction, where: Value, size: int) -> None:
        path.takes("atomic")
        registers, kind, old = path.registers, one.number, path.read(where, size)
        if kind == _ACQUIRE:
            registers[one.target] = path.read(moved(registers[one.source], one.offset), size)
        elif kind == _RELEASE:
            path.write(where, size, registers[one.source])
        elif kind == _COMPARE:
            if holds(_EQUAL, old, registers[0], 8 * size) is not False:
                path.write(where, size, registers[one.source])
            registers[0] = old
        elif kind == _EXCHANGE:
            path.write(where, size, registers[one.source])
            registers[one.source] = old
        else:
            operation = _ATOMIC_OPERATIONS.get(kind & ~_FETCH)
            if operation is None:
                raise NotFollowedError(f"atomic operation 0x{kind & 0xFFFFFFFF:x} is not known")
            new = combine(operation, old, registers[one.source], 8 * size, 0)
            path.write(where, size, new)
            if kind & _FETCH:
                registers[one.source] = old

    def _wide(self, path: Path, one: Instruction, place: int) -> Value:
        """Load a number of 64 bits, or the address of what the relocation names."""
        symbol = path.function.named.get(place)
        if symbol is None:
            code = path.function.code
            upper = code[place + 1].number if place + 1 < len(code) else 0
            return (one.number & 0xFFFFFFFF) | (upper & 0xFFFFFFFF) << 32
        if not 0 < symbol.section < len(self.found.sections):
            return None
        section = self.found.sections[symbol.section]
        if section.name == ".maps":
            return Table(symbol.name)
        if section.holds_instructions:
            at = symbol.value if symbol.kind == FUNCTION else one.number
            return Code(symbol.section, at)
        return Pointer(section.name, symbol.value + one.number)

    def _jump(self, path: Path, one: Instruction, place: int) -> Path | None:
        to = target(one, place)
        if one.code == CALL:
            call(self, path, one, place)
        elif one.code == EXIT:
            leave(self, path)
        elif one.code in (JUMP, JUMP_FAR):
            self._go(path, place, to)
        elif one.code != JUMP_MAYBE:
            return self._branch(path, one, place, to)
        return None

    def _branch(self, path: Path, one: Instruction, place: int, to: int) -> Path | None:
        operation = one.code >> 4
        if operation not in COMPARISONS:
            raise NotFollowedError(f"instruction 0x{one.code:02x} is not known")
        bits = 64 if one.code & 7 == _JUMP else 32
        right: Value = one.number & _WIDE
        if one.code & _OF_REGISTER:
            right = path.registers[one.source]
        is_true = holds(operation, path.registers[one.target], right, bits)
        if is_true is not None:
            if is_true:
                self._go(path, place, to)
            return None
        path.tally.halved += 1
        share, likely = chance(operation, path.registers[one.target], right), path.probability
        other = path.fork()
        other.probability, path.probability = share * likely, (1.0 - share) * likely
        self._go(other, place, to)
        learned = {_EQUAL: other, _UNEQUAL: path}.get(operation)
        before = path.registers[one.target]
        if learned is not None and bits == 64 and isinstance(before, Drawn | None):
            learned.registers[one.target] = right
        return other

    def _go(self, path: Path, place: int, to: int) -> None:
        if path.function.is_turn(place, to):
            path.tally.turns += 1
        path.place = to


def _load_packet(path: Path, one: Instruction) -> None:
    """Follow a load of classic BPF: from the packet, in network order, into register 0."""
    more: Value = path.registers[one.source] if one.code & _MODE == _INDIRECT else 0
    at = path.start + one.number + more if isinstance(more, int) else None
    size = _BYTES[one.code & 0x18]
    _touch(path, Pointer(PACKET, at))
    found = path.read(Pointer(PACKET, at), size)
    path.registers[0] = swapped(found, 8 * size, True)


def _touch(path: Path, where: Value) -> None:
    if isinstance(where, Pointer) and where.region == PACKET:
        path.tally.packet[path.spot] += 1
