"""A test run of a user's program: every frame put back as it came, beside a program that is empty.

The empty program, work that never changes (the yardstick) and the program under test take turns
every 10 us on the same frames, so that a machine whose speed drifts is the same machine to all.
A turn has about as many frames as a driver's burst: where a program is repeated for longer without
anything else in between, its branches may settle in a pattern that the processor guesses wrong
again and again, as they never do behind a driver.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from math import nan
from pathlib import Path

import numpy as np

from linerate.measure.collectors.sharing import seeing_others
from linerate.measure.functions.child import run_function
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.child import run_child
from linerate.measure.objects.code.spare import without_spare
from linerate.measure.objects.frame_verdicts import verdict_shares
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
    agrees,
    beyond_ns,
    read_samples,
    run_ns,
    undisturbed,
)
from linerate.measure.objects.traffic.frames import Frames, check_one_protocol
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.costs import FRAME_BYTES, SOCKETS
from linerate.programs.times import CoreTimes, FrameTimes, ProgramTimes
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
YARDSTICK_TRIES, EACH_MAX = 3, 16
"""How often it is tried; frames that are also timed by themselves, the most frequent first."""
NOTHING = Settings(lines=(), filled=(), maps_bytes=0)
"""Of an object that is loaded as it is."""


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
    """Of the first frames by themselves; empty where these were not timed."""
    verdicts: tuple[FrameVerdict, ...]
    others_ratio: float
    """Share of looks at its cores that saw others, 0 to 1; nan where nobody looked."""


def time_program(tested: UnderTest, frames: Frames, tell: Tell) -> ProgramTimes:
    """Load a program several times, and time it on its traffic; see ``time_programs``."""
    return time_programs((tested,), frames, tell)[0]


def time_programs(
    programs: Sequence[UnderTest], frames: Frames, tell: Tell, loads: int = RELOADS
) -> tuple[ProgramTimes, ...]:
    """Load programs several times in turn, and time each on one traffic; see ``time_on_each``."""
    return time_on_each(programs, (frames,), tell, loads)[0]


def time_on_each(
    programs: Sequence[UnderTest], traffics: Sequence[Frames], tell: Tell, loads: int = RELOADS
) -> list[tuple[ProgramTimes, ...]]:
    """Load programs several times in turn, and time each on each of some traffics.

    Every other turn goes backwards, so that a machine that gets slower does so for all of them.

    Parameters
    ----------
    programs, traffics
        At least one of each.
    tell
        Called before each load.
    loads
        Turns; in the first few each frame is timed by itself, too.

    Returns
    -------
    Of each traffic, the times of each program.

    Raises
    ------
    BadInputError
        Frames of several protocols, for a program of tc.
    """
    for frames in traffics if any(one.datapath == "tc" for one in programs) else ():
        check_one_protocol(frames)
    speeds_ns: list[float] = []
    with ExitStack() as files:
        by_traffic = [
            [_InTurn(tested=one, frames=frames,
                     plan=files.enter_context(plan_file(one.settings, frames)))
             for one in programs]
            for frames in traffics
        ]  # fmt: skip
        turn = list(chain.from_iterable(by_traffic))
        for load in range(loads):
            speeds_ns += [time_once(of_size(FRAME_BYTES[0]))] if _in_kernel(programs) else []
            for place, one in enumerate(turn[:: -1 if load % 2 else 1]):
                tell("test runs", load * len(turn) + place, loads * len(turn))
                one.loads.append(one.load(load))
        for one in turn:
            _load_slow_again(one)
    speeds = np.array(speeds_ns)
    speed_ns = float(np.median(speeds[undisturbed(speeds)])) if speeds.size else None
    return [tuple(_times(one, speed_ns) for one in row) for row in by_traffic]


@dataclass(slots=True, kw_only=True)
class _InTurn:
    """A program that is loaded again and again for one traffic."""

    tested: UnderTest
    frames: Frames
    plan: Path
    loads: list[_Load] = field(default_factory=list)

    def load(self, place: int) -> _Load:
        """Load it once more; a frame that is all of the traffic is not timed by itself again."""
        count = len(self.frames.packets)
        each = min(EACH_MAX, count) if place < RELOADS and count > 1 else 0
        load = _load(self.tested, self.plan, each)
        return load if count > 1 else replace(load, by_frame_ns=(load.program_ns,))


def _load_slow_again(one: _InTurn) -> None:
    """Load the slowest again; what was not slow, or less so, stands in their place."""
    loads = one.loads
    least_ns = min(load.empty_ns for load in loads)
    worst = sorted(range(len(loads)), key=lambda place: -loads[place].empty_ns)[:AGAIN_MAX]
    for place in worst:
        if loads[place].empty_ns > SLOW * least_ns:
            loads[place] = min(loads[place], one.load(place), key=lambda load: load.empty_ns)


def _in_kernel(programs: Sequence[UnderTest]) -> bool:
    return all(one.datapath != SOCKETS for one in programs)


def _load(tested: UnderTest, plan: Path, each: int) -> _Load:
    """Load it, with a lab around it where it looks into its environment."""
    with ExitStack() as stack:
        environment = tested.settings.environment
        lab = None
        if environment is not None:
            lab = stack.enter_context(open_object_lab("serial", 1, "xdp_native", environment))
        cores = sorted(os.sched_getaffinity(0))[: tested.cores]
        others = stack.enter_context(seeing_others(cores))
        samples, verdicts = _test(tested, plan, each, lab)
    empty_ns = run_ns(samples[EMPTY, MIX, 0])
    others_ratio = nan if others.ratio is None else others.ratio
    own_ns = partial(beyond_ns, samples, TESTED, alone=others_ratio == 0.0)
    return _Load(
        program_ns=own_ns(MIX),
        yardstick_ns=beyond_ns(samples, YARDSTICK, MIX),
        empty_ns=float(np.median(empty_ns[undisturbed(empty_ns)])),
        together=tuple(
            (
                own_ns(MIX, rivals),
                beyond_ns(samples, YARDSTICK, MIX, rivals),
                samples[TESTED, MIX, rivals].share,
            )
            for rivals in range(1, tested.cores)
        ),
        by_frame_ns=tuple(own_ns(frame) for frame in range(each)),
        verdicts=tuple(verdicts),
        others_ratio=others_ratio,
    )


def _times(one: _InTurn, speed_ns: float | None) -> ProgramTimes:
    """Put loads together; ``speed_ns`` is the yardstick on the frames that calibrations take.

    On longer ones it takes less beyond the empty program, since it goes on beside the next feeding.
    """
    tested, frames, loads = one.tested, one.frames, one.loads
    yardsticks_ns = tuple(speed_ns or load.yardstick_ns for load in loads)
    by_frame_ns = [load.by_frame_ns for load in loads if load.by_frame_ns]
    alone = np.median(np.array(by_frame_ns), axis=0)
    shares = verdict_shares(tested.datapath, (v for load in loads for v in load.verdicts))
    return ProgramTimes(
        program=tested.entry,
        program_ns=tuple(load.program_ns for load in loads),
        yardstick_ns=yardsticks_ns,
        others_ratio=float(np.mean([load.others_ratio for load in loads])),
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
            for verdict, part in shares[frame]
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


def time_once(frames: Frames) -> float:
    """Take the yardstick now, ns a frame: of a time left alone by others, or the least of some."""
    tested, least_ns = UnderTest(path=built.program_object("verdicts"), entry="pass",
                                 settings=NOTHING), np.inf  # fmt: skip
    with plan_file(NOTHING, frames) as plan:
        for _ in range(YARDSTICK_TRIES):
            samples, _ = _test(tested, plan, 0)
            taken_ns = beyond_ns(samples, YARDSTICK, MIX)
            if agrees(run_ns(samples[YARDSTICK, MIX, 0])):
                return taken_ns
            least_ns = min(least_ns, taken_ns)
    return least_ns


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
