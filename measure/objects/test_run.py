"""A test run of a user's program: every frame put back as it came, beside a program that is empty.

The empty program, work that never changes (the yardstick) and the program under test take turns
every 50 us on the same frames, so that a machine whose speed drifts is the same machine to all.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from linerate.measure.objects.child import run_child
from linerate.measure.objects.maps.settings import Settings
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.processes import built
from linerate.program_times import VERDICTS, FrameTimes, ProgramTimes
from linerate.progress import Tell
from linerate.units import frame_bytes_of

RELOADS = 5
"""Loads of a program: where the JIT places it changes its speed."""
ROUNDS = 200
CHUNK_US = 50
"""Time of one program's turn."""
EACH_MAX = 16
"""Frames that are also timed by themselves, the most frequent first."""
NOTHING = Settings(lines=(), filled=(), maps_bytes=0)
"""Of an object that is loaded as it is."""
_MIX = -1
"""What the runner calls the whole traffic."""
_EMPTY, _YARDSTICK, _TESTED = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Samples:
    slot: int
    frame: int
    runs: int
    ns: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    frame: int
    verdict: int
    packet_bytes: int


_LINE: TypeAdapter[_Samples | _Verdict] = TypeAdapter(_Samples | _Verdict)


def time_program(
    path: Path, entry: str, frames: Frames, settings: Settings, tell: Tell
) -> ProgramTimes:
    """Load a program several times, and time it on its traffic.

    Parameters
    ----------
    path, entry
        The object and the name of its program.
    frames
        The traffic.
    settings
        What is set and filled.
    tell
        Called before each load.
    """
    each = min(EACH_MAX, len(frames.packets))
    times, yardsticks, by_frame = [], [], []
    verdicts: Counter[tuple[int, int]] = Counter()
    with plan_file(settings, frames) as plan:
        for load in range(RELOADS):
            tell("test runs", load, RELOADS)
            samples, found = _test(path, entry, plan, each)
            times.append(_beyond(samples, _TESTED, _MIX))
            yardsticks.append(_beyond(samples, _YARDSTICK, _MIX))
            by_frame.append([_beyond(samples, _TESTED, frame) for frame in range(each)])
            verdicts.update((v.frame, v.verdict) for v in found)
    alone = np.median(np.array(by_frame), axis=0)
    return ProgramTimes(
        program=entry, program_ns=tuple(times), yardstick_ns=tuple(yardsticks),
        frames=tuple(
            FrameTimes(
                frame_bytes=int(frame_bytes_of(len(packet))), share=weight / len(frames.order),
                verdict=VERDICTS[_most_frequent(verdicts, frame)],
                program_ns=float(alone[frame]) if frame < each else float("nan"),
            )
            for frame, (packet, weight) in enumerate(
                zip(frames.packets, frames.weights, strict=True)
            )
        ),
    )  # fmt: skip


def time_once(frames: Frames) -> float:
    """Take the yardstick now, ns a frame."""
    with plan_file(NOTHING, frames) as plan:
        samples, _ = _test(built.program_object("verdicts"), "pass", plan, 0)
    return _beyond(samples, _YARDSTICK, _MIX)


def _test(
    path: Path, entry: str, plan: Path, each: int
) -> tuple[dict[tuple[int, int], _Samples], list[_Verdict]]:
    """Load a program once: its samples by slot and frame, and what became of each frame."""
    output = run_child(path, [
        "--do", "test", "--feed", built.program_object("feed"), "--plan", plan, "--entry", entry,
        "--rounds", str(ROUNDS), "--chunk-us", str(CHUNK_US), "--each", str(each),
    ])  # fmt: skip
    lines = [_LINE.validate_python(json.loads(line)) for line in output.splitlines()]
    samples = {(s.slot, s.frame): s for s in lines if isinstance(s, _Samples)}
    return samples, [line for line in lines if isinstance(line, _Verdict)]


def _most_frequent(verdicts: Counter[tuple[int, int]], frame: int) -> int:
    found = {verdict: count for (at, verdict), count in verdicts.items() if at == frame}
    return max(found, key=lambda verdict: found[verdict])


def _beyond(samples: dict[tuple[int, int], _Samples], slot: int, frame: int) -> float:
    """Median time of a program beyond the empty one's of the same round, ns a frame."""
    tested, empty = _per_run(samples[slot, frame]), _per_run(samples[_EMPTY, frame])
    return float(np.median(tested - empty))


def _per_run(samples: _Samples) -> NDArray[np.float64]:
    return np.asarray(samples.ns, dtype=np.float64) / samples.runs
