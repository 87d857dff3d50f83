"""What `fits` predicted on this machine, kept until the program is measured."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from linerate.box import Box
from linerate.errors import LinerateError
from linerate.files.outputs import write_whole
from linerate.measure.objects.calibrating.own_box import state_folder
from linerate.measure.objects.plan import frame_lines, plan_text
from linerate.measure.objects.test_run import UnderTest
from linerate.measure.objects.traffic.frames import Frames
from linerate.models.objects import ObjectQuestion, answer_object
from linerate.models.objects.base import base_costs
from linerate.programs.times import ProgramTimes

if TYPE_CHECKING:
    from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
    from linerate.measure.rulesets.source import Source
    from linerate.models.pipelines import PathCase  # loads pandas

KEPT_MAX = 500
"""Predictions; the oldest make room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rate of a program where no link limits it."""

    lower_mpps: float
    predicted_mpps: float
    upper_mpps: float
    """Ends of the 90 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A prediction, by numbers of queues."""

    rates: Mapping[int, Rates]
    age_hours: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetAsked:
    """What is kept of a ruleset is kept under this."""

    source: Source
    hook: str
    """Empty for the last that it has a base chain on."""
    established: float
    """Share of packets whose flow was answered before."""
    frames: Frames
    replayed: bool
    """Whether the generator makes them of a file."""


_RATES = TypeAdapter(dict[int, Rates])


def keep_predicted(
    tested: UnderTest, frames: Frames, times: ProgramTimes, box: Box, question: ObjectQuestion
) -> None:
    """Keep what is predicted of a program on this machine, for each number of queues.

    Parameters
    ----------
    tested, frames
        Under whose bytes, settings, hook and traffic it is kept.
    times
        Of its test runs, on up to as many cores as ``tested`` says.
    box, question
        By which it is predicted; the link of the question counts for nothing.
    """
    unlimited = replace(question, link_gbps=inf, offered_mpps=None)
    queues = (each for each in base_costs(box, question.datapath).queues if each <= tested.cores)
    answers = [answer_object(times, box, replace(unlimited, queues=each)) for each in queues]
    _keep(_path(tested, frames), {
        each.queues: Rates(lower_mpps=each.lower_mpps, predicted_mpps=each.predicted_mpps,
                           upper_mpps=each.upper_mpps)
        for each in answers
    })  # fmt: skip


def keep_ruleset(
    tested: RulesetUnderTest, frames: Frames, case: PathCase, made_ns: float | None
) -> None:
    """Keep what is predicted of a ruleset on this machine, on its generator's frames and replayed.

    Parameters
    ----------
    tested, frames
        Under whose rules, options and traffic it is kept.
    case
        What a packet takes, on each core alike.
    made_ns
        What replaying a frame takes beside; None where that is not known, as nothing ran.
    """
    usual = [""] if tested.last == tested.ruleset.last_hook else []
    for hook, (replayed, more_ns) in product(
        [tested.last, *usual], ((False, 0.0), (True, made_ns))
    ):
        if more_ns is None:
            continue
        lower, middle, upper = (
            1e3 / (ns + more_ns) for ns in (case.upper_ns, case.packet_ns, case.lower_ns)
        )
        asked = RulesetAsked(source=tested.source, hook=hook, established=tested.established,
                             frames=frames, replayed=replayed)  # fmt: skip
        _keep(_ruleset_path(asked), {
            queues: Rates(lower_mpps=queues * lower, predicted_mpps=queues * middle,
                          upper_mpps=queues * upper)
            for queues in range(1, 1 + (os.cpu_count() or 1))
        })  # fmt: skip


def _keep(path: Path, rates: Mapping[int, Rates]) -> None:
    """Write it; where the folder cannot be written, nothing is kept."""
    text = json.dumps({queues: asdict(each) for queues, each in rates.items()})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
        _make_room(path.parent)
    except (OSError, LinerateError):  # a folder of another user, a full disk
        return


def kept_of(tested: UnderTest, frames: Frames) -> Kept | None:
    """Find what was predicted of the same program on the same traffic; None where nothing was."""
    return _kept(_path(tested, frames))


def kept_of_ruleset(asked: RulesetAsked) -> Kept | None:
    """Find what was predicted of the same rules on the same traffic; None where nothing was."""
    return _kept(_ruleset_path(asked))


def _kept(path: Path) -> Kept | None:
    try:
        age_hours = (time.time() - path.stat().st_mtime) / 3600
        rates = _RATES.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return Kept(rates=rates, age_hours=age_hours)


def _path(tested: UnderTest, frames: Frames) -> Path:
    settings = (plan_text(tested.settings, frames), repr(tested.settings.environment))
    return _path_of(tested.path.read_bytes(), tested.entry, tested.datapath, *settings)


def _ruleset_path(asked: RulesetAsked) -> Path:
    source, named = asked.source, asked.source.interfaces
    options = (asked.hook, float(asked.established), asked.replayed, named.comes_by,
               named.leaves_by)  # fmt: skip
    lines = "\n".join(frame_lines(asked.frames))
    return _path_of(source.text.encode(), source.datapath, *map(str, options), lines)


def _path_of(content: bytes, *others: str) -> Path:
    digest = hashlib.sha256(content)
    for part in others:
        digest.update(f"\0{part}".encode())
    return state_folder() / "predicted" / f"{digest.hexdigest()[:32]}.json"


def _make_room(folder: Path) -> None:
    found = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in found[: max(0, len(found) - KEPT_MAX)]:
        os.unlink(path)
