"""Count what a program does with its traffic, without running it and without rights.

The rule by which the paths are chosen: each frame is followed with its bytes, the maps and the
variables as they are filled and set. All come once to warm tables up, as they do in the traffic and
as far as can be followed, and some stand for all when they come again. Helpers succeed. Of a
condition that rests on what is not known, such as the clock, each way is that of half of the
packets; of a random number each is as likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path as File

from linerate.errors import bad_input
from linerate.measure.objects.code.elf import FIELD
from linerate.measure.objects.code.instructions import (
    CALL,
    TO_FUNCTION,
    ObjectCode,
    Symbol,
    read_object_code,
)
from linerate.measure.objects.counting.context import Hook, hook_of
from linerate.measure.objects.counting.function import (
    Function,
    NotFollowedError,
    Spot,
    TooLongError,
)
from linerate.measure.objects.counting.graph import extremes
from linerate.measure.objects.counting.machine import INSTRUCTIONS_MAX, Machine
from linerate.measure.objects.counting.memory import Region
from linerate.measure.objects.counting.path import (
    CONTEXT,
    HEADROOM_BYTES,
    PACKET,
    PACKET_ROOM_BYTES,
    PRIVATE,
    Path,
)
from linerate.measure.objects.counting.tables import Start, tables_of, variables_of
from linerate.measure.objects.counting.taken import LONGER, taken_of
from linerate.measure.objects.counting.walk import paths_of
from linerate.measure.objects.counting.world import World
from linerate.measure.objects.listing import ObjectListing
from linerate.measure.objects.maps.settings import Settings
from linerate.measure.objects.traffic.frames import Frames
from linerate.programs.count import CallCount, MapUse, PathCount, ProgramCount
from linerate.programs.times import verdict_named
from linerate.units import frame_bytes_of

FRAMES_MAX = 8
"""Of a traffic, evenly over its sizes."""
WARMED_LEFT = INSTRUCTIONS_MAX // 2
"""Instructions that frames which only warm tables up leave over."""


def count_program(  # noqa: PLR0913 - one for each part of the question
    file: File, entry: str, listing: ObjectListing, settings: Settings, loads: Sequence[Frames],
    datapath: str = "xdp_native",
) -> tuple[ProgramCount, ...]:  # fmt: skip
    """Count a program on some traffics.

    Parameters
    ----------
    file, entry
        The object and the program.
    listing, settings
        What the object holds, and how it is filled and set.
    loads
        The traffics.
    datapath
        Whose kind of program it is.

    Raises
    ------
    BadInputError
        The object cannot be read, or does what cannot be followed: an instruction that is not
        known, more instructions than are followed.
    """
    found = read_object_code(file)
    symbol = found.program(file, entry)
    try:
        return tuple(
            _counted(found, symbol, _Beginning(
                tables=tables_of(found, listing, settings), hook=hook_of(datapath),
                variables=variables_of(found, listing, settings),
            ), frames)
            for frames in loads
        )  # fmt: skip
    except NotFollowedError as why:
        raise bad_input(
            FIELD, file, why=f"{entry} cannot be counted: {why}",
            allowed="code whose loops end soon and whose instructions are known",
            do="let root run it: sudo linerate fits",
        ) from why  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Beginning:
    """What is there before the first packet comes."""

    tables: Mapping[str, Start]
    variables: dict[str, Region]
    hook: Hook


def _counted(
    found: ObjectCode, entry: Symbol, beginning: _Beginning, frames: Frames
) -> ProgramCount:
    tables, variables = beginning.tables, beginning.variables
    machine = _machine(found, beginning)
    chosen, places = _representative(frames), range(len(frames.packets))
    try:
        taken, followed = _followed(machine, entry, variables, frames, places)
    except TooLongError:
        if len(chosen) == len(places):
            raise
        machine = _machine(found, beginning)
        taken, followed = _followed(machine, entry, variables, frames, chosen)
    world = machine.world
    if len(chosen) < len(frames.packets):
        world.assume(
            f"{len(chosen)} of {len(frames.packets)} frames were counted, evenly over their sizes"
        )
    shortest, longest = _extremes(machine, entry, {})
    one_key = {name for name, keys in world.keys.items() if len(keys - {None}) == len(keys) == 1}
    types = {name: start.table.type for name, start in tables.items()}
    paths = [_path(path, size, share, types, one_key) for path, size, share in taken]
    return ProgramCount(
        program=entry.name, shortest=shortest, longest=longest,
        loops=sum(len(function.loops) for function in machine.functions.values()),
        paths=tuple(paths), followed=followed, notes=tuple(world.notes),
        no_program=tuple(world.no_program),
        taken=taken_of(found, [(path.tally, share) for path, _, share in taken]),
        maps=tuple(
            MapUse(name=name, type=start.table.type, key_bytes=start.table.key_bytes,
                   value_bytes=start.table.value_bytes, entries_max=start.room,
                   entries=len(start.entries) or len(start.programs) or len(start.nested))
            for name, start in tables.items()
            if any(call.map_name == name for path in paths for call in path.calls)
        ),
    )  # fmt: skip


def _machine(found: ObjectCode, beginning: _Beginning) -> Machine:
    world = World(tables=beginning.tables, hook=beginning.hook)
    return Machine(found=found, world=world, functions={})


def _followed(
    machine: Machine, entry: Symbol, regions: dict[str, Region], frames: Frames,
    first: Collection[int],
) -> tuple[list[tuple[Path, int, float]], float]:  # fmt: skip
    """Follow the frames that come first, to warm tables up, then those that stand for all.

    Returns
    -------
    Paths of these, each with its frame's bytes and its share; and the share that was followed.
    """
    chosen, entries = _representative(frames), dict[tuple[str, bytes], bool]()
    longest_yet = came = 0
    for place in first:
        if place not in chosen and machine.left - longest_yet < WARMED_LEFT:
            continue
        left = machine.left
        packet = frames.packets[place]
        warm = paths_of(machine, entry, _fresh(machine, packet, regions, entries), 1)[0]
        regions, entries = _kept(warm), warm.entries
        longest_yet = max(longest_yet, left - machine.left)
        came += 1
    machine.world.forget()
    if came < len(frames.packets):
        machine.world.assume(
            f"{came} of {len(frames.packets)} frames came first, to warm tables up: with more it "
            f"would be more than {INSTRUCTIONS_MAX} instructions"
        )
    taken: list[tuple[Path, int, float]] = []
    followed = 0.0
    for place, share in chosen.items():
        ended = paths_of(machine, entry, _fresh(machine, frames.packets[place], regions, entries))
        size = int(frame_bytes_of(len(frames.packets[place])))
        reached = sum(path.probability for path in ended)
        followed += share * reached
        taken += [(path, size, share * path.probability / reached) for path in ended]
        regions, entries = _kept(ended[0]), ended[0].entries
    return taken, followed


def _representative(frames: Frames) -> dict[int, float]:
    """Choose the frames that stand for all, with the share of the traffic that each stands for.

    Of many, those in the middle of as many equal parts of the traffic, by size.
    """
    total = len(frames.order)
    if len(frames.packets) <= FRAMES_MAX:
        return {place: weight / total for place, weight in enumerate(frames.weights)}
    by_size = sorted(frames.order, key=lambda place: (len(frames.packets[place]), place))
    middles = [by_size[(2 * part + 1) * total // (2 * FRAMES_MAX)] for part in range(FRAMES_MAX)]
    return {place: middles.count(place) / FRAMES_MAX for place in sorted(set(middles))}


def _fresh(
    machine: Machine, packet: bytes, regions: dict[str, Region],
    entries: dict[tuple[str, bytes], bool],
) -> Path:  # fmt: skip
    page = Region.unknown(PACKET_ROOM_BYTES)
    end = HEADROOM_BYTES + len(packet)
    page.data[HEADROOM_BYTES:end] = packet
    page.known[HEADROOM_BYTES:end] = b"\1" * len(packet)
    own = {name: region.copy() for name, region in regions.items()}
    hook = machine.world.hook
    return Path(hook=hook, function=_NOWHERE, spot=Spot(_NOWHERE, 0, None), registers=[], end=end,
                regions={**own, PACKET: page, CONTEXT: hook.context(packet)},
                entries=dict(entries))  # fmt: skip


_NOWHERE = Function(symbol=Symbol(name="", kind=0, section=0, value=0, size=0), code=(), named={},
                    loops=(), headers=(), shapes={})  # fmt: skip


def _kept(path: Path) -> dict[str, Region]:
    """Take what outlives the packet: variables, and entries of maps."""
    return {name: one for name, one in path.regions.items() if not name.startswith(PRIVATE)}


def _path(
    path: Path, frame_bytes: int, share: float, types: Mapping[str, str],
    one_key: Set[str],
) -> PathCount:  # fmt: skip
    tally, verdict = path.tally, path.verdict
    calls: Counter[tuple[str, str, bool]] = Counter()
    for event, times in tally.events.items():
        if event.name not in LONGER:
            calls[event.name, event.on, event.missed] += times
    return PathCount(
        frame_bytes=frame_bytes, share=share, instructions=tally.instructions, turns=tally.turns,
        verdict="" if verdict is None else verdict_named(verdict, path.hook.name),
        kinds=tuple(tally.kinds.items()), programs=tuple(tally.programs),
        calls=tuple(
            CallCount(helper=helper, map_name=name, map_type=types.get(name, ""), times=times,
                      one_key=name in one_key, missed=missed)
            for (helper, name, missed), times in calls.items()
        ),
    )  # fmt: skip


def _extremes(
    machine: Machine, symbol: Symbol, known: dict[Symbol, tuple[int, int]]
) -> tuple[int, int]:
    """Weigh a function with those that it calls; one that calls itself counts once."""
    if symbol in known:
        return known[symbol]
    known[symbol] = (0, 0)
    function = machine.function(symbol)
    weights = [(1, 1)] * len(function.code)
    for place, one in enumerate(function.code):
        if one.code == CALL and one.source == TO_FUNCTION:
            callee = machine.found.called(symbol, place, one, function.named.get(place))
            light, heavy = _extremes(machine, callee, known) if callee else (0, 0)
            weights[place] = (1 + light, 1 + heavy)
    known[symbol] = extremes(function.code, weights)
    return known[symbol]
