"""A test run of a user's program: every frame put back as it came, beside a program that is empty.

The empty program, work that never changes (the yardstick) and the program under test take turns
every 10 us on the same frames, so that a machine whose speed drifts is the same machine to all.
A turn has about as many frames as a driver's burst: where a program is repeated for longer without
anything else in between, its branches may settle in a pattern that the processor guesses wrong
again and again, as they never do behind a driver.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from linerate.errors import bad_input
from linerate.measure.functions.child import run_function
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.child import run_child
from linerate.measure.objects.code.spare import without_spare
from linerate.measure.objects.lab import HOOKS, open_object_lab
from linerate.measure.objects.maps.settings import Settings
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.samples import (
    EMPTY,
    MIX,
    TESTED,
    YARDSTICK,
    FrameVerdict,
    Timed,
    beyond_ns,
    read_samples,
    run_ns,
)
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.costs import FRAME_BYTES, SOCKETS
from linerate.programs.times import VERDICTS, CoreTimes, FrameTimes, ProgramTimes, verdict_named
from linerate.progress import Tell
from linerate.units import frame_bytes_of

RELOADS = 5
"""Loads of a program: where the JIT places it changes its speed."""
ROUNDS, CHUNK_US = 1000, 10
"""Turns of each program, and how long one is."""
FUNCTION_ROUNDS, FUNCTION_CHUNK_US = 200, 50
"""The same of functions in user space: a window of 256 frames is to fit into a turn."""
SLOW, AGAIN_MAX = 1.1, 2
"""Over the least time of the empty program, from which on a load met a slow moment of the host, and
how many of such are loaded again."""
EACH_MAX = 16
"""Frames that are also timed by themselves, the most frequent first."""
NOTHING = Settings(lines=(), filled=(), maps_bytes=0)
"""Of an object that is loaded as it is."""
_ETHERTYPE = slice(12, 14)
_FUNCTION_VERDICTS = (VERDICTS.index("drop"), VERDICTS.index("tx"))
"""What a function of user space can return; all else counts as aborted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderTest:
    """A program under test, as it is to be loaded."""

    path: Path
    entry: str
    settings: Settings
    datapath: str = "xdp_native"
    """Whose kind of program it is: the XDP hooks have one."""
    cores: int = 1
    """It is timed on one core alone, then while 2, 3, ... up to so many run it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Load:
    """What one load of a program took."""

    program_ns: float
    yardstick_ns: float
    empty_ns: float
    """Of a frame that is put back for the empty program: more in a slow moment of the host."""
    together: tuple[tuple[float, float, float], ...]
    """Times of program and yardstick on 2, 3, ... cores, ns, and what the others had of theirs."""
    by_frame_ns: tuple[float, ...]
    verdicts: tuple[FrameVerdict, ...]


def time_program(tested: UnderTest, frames: Frames, tell: Tell) -> ProgramTimes:
    """Load a program several times, and time it on its traffic; see ``time_programs``."""
    return time_programs((tested,), frames, tell)[0]


def time_programs(
    programs: Sequence[UnderTest], frames: Frames, tell: Tell, loads: int = RELOADS
) -> tuple[ProgramTimes, ...]:
    """Load programs several times in turn, and time each on the same traffic.

    Every other turn goes backwards, so that a machine that gets slower does so for all of them.

    Parameters
    ----------
    programs
        At least one.
    frames
        The traffic.
    tell
        Called before each turn.
    loads
        Turns; in the first few each frame is timed by itself, too.

    Raises
    ------
    BadInputError
        Frames of several protocols, for a program of tc.
    """
    _check_protocols(programs, frames)
    each = min(EACH_MAX, len(frames.packets))
    found: list[list[_Load]] = [[] for _ in programs]
    speeds_ns: list[float] = []
    with ExitStack() as files:
        plans = [files.enter_context(plan_file(one.settings, frames)) for one in programs]
        turn = list(zip(programs, plans, found, strict=True))
        for load in range(loads):
            tell("test runs", load, loads)
            speeds_ns += [time_once(of_size(FRAME_BYTES[0]))] if _in_kernel(programs) else []
            for tested, plan, own in turn[:: -1 if load % 2 else 1]:
                own.append(_load(tested, plan, each if load < RELOADS else 0))
        for tested, plan, own in turn:
            _load_slow_again(tested, plan, each, own)
    speed_ns = float(np.median(speeds_ns)) if speeds_ns else None
    return tuple(
        _times(one, frames, own, speed_ns) for one, own in zip(programs, found, strict=True)
    )


def _load_slow_again(tested: UnderTest, plan: Path, each: int, loads: list[_Load]) -> None:
    """Load the slowest again; what was not slow, or less so, stands in their place."""
    least_ns = min(load.empty_ns for load in loads)
    worst = sorted(range(len(loads)), key=lambda place: -loads[place].empty_ns)[:AGAIN_MAX]
    for place in worst:
        if loads[place].empty_ns > SLOW * least_ns:
            again = _load(tested, plan, each if place < RELOADS else 0)
            loads[place] = min(loads[place], again, key=lambda load: load.empty_ns)


def _in_kernel(programs: Sequence[UnderTest]) -> bool:
    return all(one.datapath != SOCKETS for one in programs)


def _check_protocols(programs: Sequence[UnderTest], frames: Frames) -> None:
    """Refuse what a test run at tc cannot be: an skb keeps the protocol that it began with."""
    kinds = {packet[_ETHERTYPE].hex() for packet in frames.packets}
    if len(kinds) > 1 and any(one.datapath == "tc" for one in programs):
        raise bad_input(
            "traffic", f"EtherTypes {', '.join(sorted(kinds))}", why="in a test run at tc all "
            "frames have the protocol of the first", allowed="frames of one EtherType",
            do="ask about each apart, or measure the mix: linerate measure",
        )  # fmt: skip


def _load(tested: UnderTest, plan: Path, each: int) -> _Load:
    """Load it, with a lab around it where it looks into its environment."""
    with ExitStack() as stack:
        environment = tested.settings.environment
        lab = None
        if environment is not None:
            lab = stack.enter_context(open_object_lab("serial", 1, "xdp_native", environment))
        samples, verdicts = _test(tested, plan, each, lab)
    return _Load(
        program_ns=beyond_ns(samples, TESTED, MIX),
        yardstick_ns=beyond_ns(samples, YARDSTICK, MIX),
        empty_ns=float(np.median(run_ns(samples[EMPTY, MIX, 0]))),
        together=tuple(
            (
                beyond_ns(samples, TESTED, MIX, rivals),
                beyond_ns(samples, YARDSTICK, MIX, rivals),
                samples[TESTED, MIX, rivals].share,
            )
            for rivals in range(1, tested.cores)
        ),
        by_frame_ns=tuple(beyond_ns(samples, TESTED, frame) for frame in range(each)),
        verdicts=tuple(verdicts),
    )


def _times(
    tested: UnderTest, frames: Frames, loads: Sequence[_Load], speed_ns: float | None
) -> ProgramTimes:
    """Put loads together; ``speed_ns`` is the yardstick on the frames that calibrations take.

    On longer ones it takes less beyond the empty program, since it goes on beside the next feeding.
    """
    yardsticks_ns = tuple(speed_ns or load.yardstick_ns for load in loads)
    alone = np.median(np.array([load.by_frame_ns for load in loads[:RELOADS]]), axis=0)
    verdicts = _verdicts(v for load in loads for v in load.verdicts)
    return ProgramTimes(
        program=tested.entry,
        program_ns=tuple(load.program_ns for load in loads),
        yardstick_ns=yardsticks_ns,
        together=tuple(
            _together(cores, loads, yardsticks_ns) for cores in range(2, tested.cores + 1)
        ),
        frames=tuple(
            FrameTimes(
                frame_bytes=int(frame_bytes_of(len(packet))),
                share=weight / len(frames.order) * part, verdict=verdict,
                program_ns=float(alone[frame]) if frame < len(alone) else float("nan"),
            )
            for frame, (packet, weight) in enumerate(
                zip(frames.packets, frames.weights, strict=True)
            )
            for verdict, part in _parts(tested.datapath, verdicts[frame])
        ),
    )  # fmt: skip


def _together(cores: int, loads: Sequence[_Load], alone_ns: Sequence[float]) -> CoreTimes:
    program_ns, yardstick_ns, shares = zip(
        *(load.together[cores - 2] for load in loads), strict=True
    )
    slower = [ns / load.yardstick_ns for ns, load in zip(yardstick_ns, loads, strict=True)]
    return CoreTimes(
        cores=cores, program_ns=program_ns, share=float(np.median(shares)),
        yardstick_ns=tuple(np.multiply(slower, alone_ns).tolist()),
    )  # fmt: skip


def _verdict(datapath: str, number: int) -> str:
    if datapath == SOCKETS and number not in _FUNCTION_VERDICTS:
        return VERDICTS[0]
    return verdict_named(number, datapath)


def time_once(frames: Frames) -> float:
    """Take the yardstick now, ns a frame."""
    with plan_file(NOTHING, frames) as plan:
        path = built.program_object("verdicts")
        samples, _ = _test(UnderTest(path=path, entry="pass", settings=NOTHING), plan, 0)
    return beyond_ns(samples, YARDSTICK, MIX)


def _test(
    tested: UnderTest, plan: Path, each: int, lab: VethLab | None = None
) -> tuple[Timed, list[FrameVerdict]]:
    """Load a program once: its samples by slot, frame and rivals, and what became of each frame."""
    is_function = tested.datapath == SOCKETS
    rounds, chunk_us = (FUNCTION_ROUNDS, FUNCTION_CHUNK_US) if is_function else (ROUNDS, CHUNK_US)
    turns: list[str | Path] = ["--plan", plan, "--rounds", str(rounds), "--chunk-us", str(chunk_us),
             "--each", str(each)]  # fmt: skip
    if is_function:
        output = run_function(tested.path, tested.entry, turns)
    else:
        feed = built.program_object("feed_tc" if tested.datapath == "tc" else "feed")
        flags = ["--do", "test", "--feed", feed, "--entry", tested.entry, *turns,
                 "--hook", HOOKS[tested.datapath], "--rivals", str(tested.cores - 1),
                 *(["--dev", lab.dut_device] if lab else [])]  # fmt: skip
        with without_spare(tested.path, tested.entry, plan) as copy:
            output = run_child(tested.path, flags, lab.dut if lab else None, copy)
    return read_samples(output)


def _verdicts(lines: Iterable[FrameVerdict]) -> Mapping[int, Counter[int]]:
    """Count the verdicts of each frame: those of the mix, or where it was not met there its own."""
    found: dict[bool, defaultdict[int, Counter[int]]] = {
        mixed: defaultdict(Counter) for mixed in (False, True)
    }
    for line in lines:
        found[line.mixed][line.frame][line.verdict] += 1
    return {**found[False], **found[True]}


def _parts(datapath: str, verdicts: Counter[int]) -> list[tuple[str, float]]:
    """Shares of a frame by verdict, 0 to 1, the most frequent first."""
    named: Counter[str] = Counter()
    for number, count in verdicts.items():
        named[_verdict(datapath, number)] += count
    return [(verdict, count / verdicts.total()) for verdict, count in named.most_common()]
