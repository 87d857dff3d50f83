"""Whether a user's own BPF object sustains line rate: from its file to the answer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from linerate.box import Box, read_box
from linerate.errors import bad_input
from linerate.face.fits.counted import count_object
from linerate.face.fits.explained import explained as explained_run
from linerate.face.fits.explained import explained_count
from linerate.face.fits.kept import keep_predicted
from linerate.face.fits.notes import (
    counted_of,
    note_of_calibration,
    note_of_carrying,
    notes_of_clock,
    notes_of_cores,
    notes_of_empty,
    notes_of_frames,
    notes_of_latency,
    notes_of_others,
    notes_of_ways,
)
from linerate.face.fits.object_fits import ObjectFits
from linerate.face.fits.timed import timed
from linerate.links import LINK_GBPS
from linerate.measure.objects.calibrating.own_box import own_box
from linerate.measure.objects.code.targets import other_cpus
from linerate.measure.objects.entry import choose_entry, hook_for
from linerate.measure.objects.lab import HOOKS
from linerate.measure.objects.listing import ObjectListing, list_object
from linerate.measure.objects.maps.behind import behind_pass
from linerate.measure.objects.maps.settings import empty_maps, read_settings
from linerate.measure.objects.test_run import RELOADS, UnderTest
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.named import loads_of
from linerate.measure.system.describe import this_box
from linerate.models.objects import ObjectQuestion, answer_object, compare
from linerate.models.objects.base import base_costs
from linerate.models.objects.comparison import PAIRS
from linerate.programs.costs import TAKING, TO_CPU, TO_CPU_HOOKS
from linerate.progress import telling


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    """One object, ready to be tested."""

    listing: ObjectListing
    tested: UnderTest
    empty: tuple[str, ...]
    """Maps in which nothing is found."""


def fits(  # noqa: PLR0913 - one for each part of the question
    path: str | os.PathLike[str],
    *,
    traffic: str | os.PathLike[str] | int | None = None,
    maps: str | os.PathLike[str] | None = None,
    assigned: Sequence[str] = (),
    entry: str | None = None,
    against: str | os.PathLike[str] | None = None,
    box: str | os.PathLike[str] | None = None,
    datapath: str | None = None,
    link_gbps: float = LINK_GBPS,
    queues: int | None = None,
    offered_mpps: float | None = None,
    explained: bool = False,
    static: bool | None = None,
    measured: Sequence[str | os.PathLike[str]] = (),
    progress: bool = True,
) -> ObjectFits:
    """Say whether a BPF object sustains line rate, by test runs on the base costs of a box.

    Without root it is not run: instructions and calls are counted, and the interval is wide.

    Parameters
    ----------
    path
        The object, as clang writes it.
    traffic
        A frame size, ``imix``, a capture (pcap), or a list of frames (JSON); sizes of 64, 512 and
        1518 B apart where left out.
    maps
        Variables and entries of maps (TOML, docs/objects/inputs.md).
    assigned
        Variables as ``name=value``, beside those of the file.
    entry
        Name of the program; may be left out where the object has one.
    against
        An older object, with the same maps and entry: test runs of both take turns, and what the
        newer one takes more or less is answered, too.
    box
        A calibrated box; this machine's own, calibrated when it is first asked, if left out.
        Without root the last calibration, or the shipped box that is nearest.
    datapath
        ``xdp_native``, ``xdp_generic`` or ``tc``; native XDP or tc, by the type of the program, if
        left out.
    link_gbps
        Link.
    queues
        Receive queues, each served by a core; the fewest that do if left out.
    offered_mpps
        A load whose latency is asked about; beside it those of line rate and of shares of the
        capacity are answered.
    explained
        Whether to say where the program's time goes, by the helpers that it calls.
    static
        Whether to count instead of to run; without root, if left out.
    measured
        Tables or folders of campaigns with runs of this object on the box: the answer is corrected
        by them, and the surer the more they are.
    progress
        Whether to show a bar.

    Raises
    ------
    BadInputError
        A file that cannot be used.
    CannotHereError
        Without root nothing can be loaded, and it was asked for.
    """
    is_run = os.geteuid() == 0 if static is None else not static
    if not is_run:
        _refuse_runs(against)
    given = (entry, Path(maps) if maps is not None else None, assigned)
    newer = _loaded(Path(path), datapath, *given)
    datapath = newer.tested.datapath
    objects = [newer, *([] if against is None else [_loaded(Path(against), datapath, *given)])]
    question = ObjectQuestion(
        datapath=datapath, link_gbps=link_gbps, queues=queues, offered_mpps=offered_mpps
    )
    of_runs = ""
    if measured:
        from linerate.face.fits.measured import runs_there  # loads pandas

        runs, of_runs = runs_there(measured, Path(path).name, datapath)
        question = replace(question, runs=runs)
    loads = loads_of(traffic)
    if not is_run:
        counted = _counted(newer, loads, box, question, of_runs)
        return _accounted(counted, newer, explained=explained)
    from linerate.measure.objects.calibrating.recheck import look_at, rechecked_box  # loads pandas

    with telling(shown=progress) as tell:
        own = own_box(tell) if box is None else None
        used = own.box if own else read_box(Path(box or ""))
        cores = _cores(used, datapath, queues)  # before a lab is opened: the box may not know it
        programs = [replace(each.tested, cores=cores) for each in objects]
        turns = RELOADS if against is None else PAIRS
        listed = [(one, each.listing) for one, each in zip(programs, objects, strict=True)]
        looks = [look_at(datapath, tell)] if own else []
        times = timed(listed, loads, tell, turns)
        looks += [look_at(datapath, tell)] if own else []
    asked = replace(question, carried=used.cpu_model != this_box("veth").cpu_model)
    notes = [of_runs] if of_runs else []
    if own:
        now = rechecked_box(used, datapath, looks)
        used, asked = now.box, replace(asked, now_deviation=now.deviation)
        notes.append(note_of_calibration(own, now))
    if asked.carried:
        notes.append(note_of_carrying(used, question.runs))
    questions = _questions(asked, newer, loads)
    for frames, each, one in zip(loads, times, questions, strict=True):
        if own:
            keep_predicted(programs[0], frames, each[0], used, one)
    answers = tuple(
        answer_object(each[0], used, one) for each, one in zip(times, questions, strict=True)
    )
    counts = counted_of(newer.listing, newer.tested, loads)
    return ObjectFits(
        path=programs[0].path, entry=programs[0].entry, answers=answers,
        notes=(*notes, *notes_of_others([each[0] for each in times]), *notes_of_frames(loads),
               *notes_of_empty(newer.empty, counts), *notes_of_latency(used, datapath),
               *notes_of_cores([each[0] for each in times]),
               *notes_of_ways(newer.listing, newer.tested, answers, used),
               *notes_of_clock(newer.listing, newer.tested, counts[:1], times[0][0],
                               answers[0])),
        explanation=explained_run(
            newer.tested, newer.listing, loads[0], answers[0], used
        ) if explained else None,
        comparisons=() if against is None else tuple(
            compare(new, old, answer, used, str(against))
            for (new, old), answer in zip(times, answers, strict=True)
        ),
    )  # fmt: skip


def _refuse_runs(against: object) -> None:
    """Refuse what only test runs can answer."""
    if against is not None:
        raise bad_input("against", against, why="it needs test runs, and this program is not run",
                        allowed="with root", do="leave it out, or use sudo")  # fmt: skip


def _counted(
    loaded: _Loaded, loads: Sequence[Frames], box: str | os.PathLike[str] | None,
    question: ObjectQuestion, of_runs: str,
) -> ObjectFits:  # fmt: skip
    """Answer for a program that is counted and not run."""
    counted = count_object(loaded.tested, loaded.listing, loads, box)
    other_cpu = counted.box.cpu_model != this_box("veth").cpu_model
    asked = replace(question, other_machine=counted.other_machine,
                    carried=counted.other_machine and other_cpu)  # fmt: skip
    return ObjectFits(
        path=loaded.tested.path, entry=loaded.tested.entry, counted=counted.estimates,
        answers=tuple(
            answer_object(times, counted.box, one)
            for times, one in zip(counted.times, _questions(asked, loaded, loads), strict=True)
        ),
        notes=(*counted.notes, *([of_runs] if of_runs else ()), *notes_of_frames(loads),
               *notes_of_empty(loaded.empty, counted.counts),
               *notes_of_latency(counted.box, question.datapath)),
    )  # fmt: skip


def _accounted(counted: ObjectFits, loaded: _Loaded, *, explained: bool) -> ObjectFits:
    """Say where the time of the first traffic goes, if that was asked."""
    if not explained:
        return counted
    found = explained_count(loaded.tested, loaded.listing, counted.counted[0], counted.answers[0])
    return replace(counted, explanation=found)


def _questions(
    question: ObjectQuestion, loaded: _Loaded, loads: Sequence[Frames]
) -> list[ObjectQuestion]:
    """Ask it of each traffic: what the stack does with packets that pass differs."""
    tested, settings = loaded.tested, loaded.tested.settings
    found = other_cpus(tested.path, tested.entry, loaded.listing, dict(settings.filled))
    is_known = found.cpus and found.takes_all and tested.datapath in TO_CPU_HOOKS
    handed = ((TO_CPU, 1.0), (TAKING, 1.0 / found.cpus)) if is_known else ()
    return [
        replace(question, behind=behind_pass(settings.environment, frames) + handed)
        for frames in loads
    ]


def _loaded(
    path: Path, named: str | None, entry: str | None, maps: Path | None, assigned: Sequence[str]
) -> _Loaded:
    listing = list_object(path)
    datapath = named or hook_for(listing, entry)
    if datapath == "netfilter":
        raise bad_input(
            "datapath", datapath, why="objects are measured there, and no calibration has its base "
            "costs", allowed=", ".join(HOOKS), do="linerate measure, with program = "
            f"[\"{path.name}\"]",
        )  # fmt: skip
    name = choose_entry(listing, datapath, entry)
    settings = read_settings(listing, maps, assigned)
    return _Loaded(
        listing=listing,
        tested=UnderTest(path=path, entry=name, settings=settings, datapath=datapath),
        empty=empty_maps(listing, settings),
    )  # fmt: skip


def _cores(box: Box, datapath: str, queues: int | None) -> int:
    """Say on how many cores the program is to be timed: one a queue, as far as there are."""
    return min(max(base_costs(box, datapath).asked(queues)), len(os.sched_getaffinity(0)))
