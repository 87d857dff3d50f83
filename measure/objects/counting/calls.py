"""Calls on a path: functions of the program, helpers of the kernel, and other programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from linerate.measure.objects.code.helpers import HELPERS
from linerate.measure.objects.code.instructions import (
    KERNEL_FUNCTION,
    TO_FUNCTION,
    Instruction,
    ObjectCode,
    Symbol,
)
from linerate.measure.objects.counting.effects import ABSENT, EFFECTS, table_name
from linerate.measure.objects.counting.function import Function, Loop, NotFollowedError, Spot
from linerate.measure.objects.counting.memory import Code, Pointer, Region, Value
from linerate.measure.objects.counting.path import (
    CONTEXT,
    PRIVATE,
    Caller,
    Event,
    Path,
    Repeat,
)
from linerate.measure.objects.counting.world import World

TAIL_CALLS_MAX = 33
"""The kernel's own limit."""
_KEY, _VALUE = f"{PRIVATE}key", f"{PRIVATE}value"
"""Regions of the entry that a map's turn is given."""
DEPTH_MAX = 16
"""Of calls; the kernel's own is 8."""
TURNS_MAX = 1 << 23
"""Of bpf_loop(), the kernel's own limit."""
_MISSED = {"map_lookup_elem": 0, "map_lookup_percpu_elem": 0, "map_delete_elem": ABSENT,
           "map_peek_elem": ABSENT, "map_pop_elem": ABSENT}  # fmt: skip
"""What a helper returns that finds nothing."""
_ON_TABLES = ("map_", "for_each_map_elem", "redirect_map", "ringbuf_reserve", "ringbuf_output",
              "tail_call", "perf_event_output")  # fmt: skip


class Calling(Protocol):
    """What follows instructions, as far as a call needs it."""

    found: ObjectCode
    world: World

    def function(self, symbol: Symbol) -> Function:
        """Decode a function, once."""
        ...

    def loop(self, function: Function, place: int, within: Loop | None) -> Loop:
        """Take the loop that a call repeats."""
        ...


def call(machine: Calling, path: Path, one: Instruction, place: int) -> None:
    """Follow a call."""
    symbol = path.function.named.get(place)
    if one.source == KERNEL_FUNCTION or (symbol is not None and symbol.section == 0):
        _of_kernel(machine, path, symbol.name if symbol else "unnamed")
    elif one.source == TO_FUNCTION:
        callee = machine.found.called(path.function.symbol, place, one, symbol)
        if callee is None:
            _of_kernel(machine, path, "unnamed")
        else:
            path.takes("function_call", callee.name)
            _enter(machine, path, callee, path.registers[1:6], None)
    else:
        _helper(machine, path, HELPERS.get(one.number, f"helper {one.number}"))


def _of_kernel(machine: Calling, path: Path, name: str) -> None:
    path.tally.events[Event(path.spot, f"kfunc {name}")] += 1
    machine.world.assume(f"what the kernel's function {name} returns is not known")
    _returned(path, None)


def _helper(machine: Calling, path: Path, name: str) -> None:
    arguments = path.registers[1:6]
    table = _table_of(name, arguments)
    spot, missed = path.spot, False
    if name == "tail_call":
        missed = _tail_call(machine, path, table, arguments[2])
    elif name in ("loop", "for_each_map_elem"):
        _repeat(machine, path, name, arguments)
    elif name in EFFECTS:
        value = EFFECTS[name](machine.world, path, arguments)
        missed = _misses(machine.world, name, value)
        _returned(path, value)
    else:
        machine.world.assume(f"what {name} returns is not known")
        _returned(path, None)
    path.tally.events[Event(spot, name, table, missed)] += 1


def _misses(world: World, name: str, value: Value) -> bool:
    """Whether a call that returned this found nothing."""
    if name == "redirect_map":
        return value not in (world.hook.redirect, None)
    return name in _MISSED and value == _MISSED[name]


def _table_of(name: str, arguments: list[Value]) -> str:
    if not name.startswith(_ON_TABLES):
        return ""
    second = name in ("tail_call", "perf_event_output")
    return table_name(arguments[1 if second else 0])


def _returned(path: Path, value: Value) -> None:
    path.registers[:6] = [value, None, None, None, None, None]


def _enter(
    machine: Calling, path: Path, callee: Symbol, arguments: list[Value], repeat: Repeat | None
) -> None:
    if len(path.callers) >= DEPTH_MAX:
        raise NotFollowedError(f"functions call each other more than {DEPTH_MAX} deep")
    path.callers.append(Caller(
        function=path.function, place=path.place, kept=tuple(path.registers[6:11]), repeat=repeat,
        within=path.within,
    ))  # fmt: skip
    path.within = repeat.loop if repeat else path.spot.loop
    path.enter(machine.function(callee), arguments)


def _repeat(machine: Calling, path: Path, name: str, arguments: list[Value]) -> None:
    """Begin a function that a helper calls so many times."""
    over_map = name == "for_each_map_elem"
    turns = _entries(machine, arguments[0]) if over_map else arguments[0]
    where = arguments[1]
    callee = machine.found.functions.get(where) if isinstance(where, Code) else None
    if callee is None:
        machine.world.assume(f"the function that {name} calls is not known: not counted")
        _returned(path, 0)
        return
    if not isinstance(turns, int):
        machine.world.assume(f"how often {name} calls {callee.name} is not known: counted once")
        turns = 1
    turns = min(turns & 0xFFFFFFFF, TURNS_MAX)
    if not turns:
        _returned(path, 0)
        return
    repeat = Repeat(function=machine.function(callee), turn=0, turns=turns, context=arguments[2],
                    over_map=over_map, loop=machine.loop(*path.spot))  # fmt: skip
    _turn(machine, path, repeat)


def _turn(machine: Calling, path: Path, repeat: Repeat) -> None:
    """Begin a turn of a function that is repeated: it counts at the call, in the loop."""
    path.spot = Spot(repeat.loop.function, repeat.loop.place, repeat.loop)
    path.takes("loop_turn")
    _enter(machine, path, repeat.function.symbol, _arguments(path, repeat), repeat)


def _arguments(path: Path, repeat: Repeat) -> list[Value]:
    if not repeat.over_map:
        return [repeat.turn, repeat.context]
    path.regions[_KEY], path.regions[_VALUE] = Region.unknown(512), Region.unknown(4096)
    return [None, Pointer(_KEY, 0), Pointer(_VALUE, 0), repeat.context]


def _entries(machine: Calling, value: Value) -> int | None:
    start = machine.world.tables.get(table_name(value))
    if start is None:
        return None
    return start.room if start.is_array else len(start.entries)


def leave(machine: Calling, path: Path) -> None:
    """Follow an exit: back to the caller, to the next turn, or to the end of the packet."""
    result = path.registers[0]
    if not path.callers:
        path.ended = True
        path.verdict = result & 0xFFFFFFFF if isinstance(result, int) else None
        return
    caller = path.callers.pop()
    path.function, path.place, path.within = caller.function, caller.place, caller.within
    path.registers = [result, None, None, None, None, None, *caller.kept]
    if caller.repeat is None:
        return
    if result is None:
        machine.world.assume("whether a repeated function ends early is not known: it does not")
    repeat = replace(caller.repeat, turn=caller.repeat.turn + 1)
    if repeat.turn >= repeat.turns or result not in (0, None):
        _returned(path, repeat.turn)
        return
    _turn(machine, path, repeat)


def _tail_call(machine: Calling, path: Path, table: str, index: Value) -> bool:
    """Go on with another program, or go on here where the slot is empty; whether it is."""
    start = machine.world.tables.get(table)
    before = sum(times for event, times in path.tally.events.items() if event.name == "tail_call")
    if start is None or not isinstance(index, int):
        machine.world.assume(f"which program of {table or 'a table'} is called is not known: "
                             "taken as none, so its instructions are missing")  # fmt: skip
        _returned(path, None)
        return False
    name = start.programs.get(index & 0xFFFFFFFF)
    if name is None or before >= TAIL_CALLS_MAX:
        machine.world.no_program.setdefault(f"slot {index & 0xFFFFFFFF} of {table}")
        _returned(path, ABSENT)
        return True
    symbol = next(one for one in machine.found.symbols if one.name == name)
    path.tally.programs.append(name)
    path.callers.clear()
    path.within = None
    path.enter(machine.function(symbol), [Pointer(CONTEXT, 0)])
    return False
