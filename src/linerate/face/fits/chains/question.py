"""Whether a chain of service functions with NSH sustains line rate: from its file to the answer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import erf, exp, hypot, isfinite, log, sqrt
from pathlib import Path
from statistics import median

import pandas as pd

import linerate
from linerate.errors import bad_input
from linerate.face.fits.carrying import HERE, Where, believed_works, times_where
from linerate.face.fits.chains.answer import SUSTAINS_MIN, ChainAnswer, ChainFits
from linerate.face.fits.chains.file import ChainFile, read_chain
from linerate.face.fits.chains.own import timed_functions
from linerate.face.fits.chains.run import run_chain
from linerate.face.fits.notes import carried_to, notes_of_costs
from linerate.links import LINK_GBPS
from linerate.measure.collectors.led_back import LedBack
from linerate.measure.datapaths.chain.test_run import LOADS, ChainRun
from linerate.measure.trials.validity import (
    CONTENDED_RATIO_MAX,
    LOOKS_RATIO,
    SHARED_RATIO_MAX,
)
from linerate.models.chains.carried import CarriedTime, TimedChain, untimed
from linerate.models.chains.ran import ran_time
from linerate.models.chains.times import LOST_TIMES_MIN, ChainTime, ChainTimes
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.saved import load_model
from linerate.normal import NORMAL_90
from linerate.programs.costs import FRAME_BYTE, PASSED, chain_name
from linerate.units import line_rate_mpps, short

LOG_SD_MIN = 1e-9
"""What chains are taken to be off by where a line went through all of them."""
FRAME_BYTES = (64, 512, 1500)
"""Sizes that are asked about where none is named; an NSH header comes on top."""
LOST_NS_MIN = 1e-6
NOTHING_DONE = "functions are taken to do nothing: ns_per_packet says what each does itself"
SHIPPED = Path(linerate.__file__).parent / "data/boxes/chains.json"
"""Times that come with linerate: a model of `data/reference-chains-3`."""


def fits_chain(  # noqa: PLR0913 - one for each part of the question
    path: str | os.PathLike[str],
    *,
    frame_bytes: int | None = None,
    model: str | os.PathLike[str] | None = None,
    link_gbps: float = LINK_GBPS,
    explained: bool = False,
    where: Where = HERE,
) -> ChainFits:
    """Say whether a chain of service functions sustains line rate.

    Parameters
    ----------
    path
        ``.chain.toml``: `docs/chains.md` has its keys.
    frame_bytes
        One size, FCS included, before NSH is put on; the usual ones if left out.
    model
        A model of this machine (``linerate fit`` of `data/campaigns/chains.toml`), taken as it is;
        what is shipped, carried over to the machine, if left out.
    link_gbps
        Link.
    explained
        Whether to say where the time goes.
    where
        Whose times: of a box, or of this machine, measured once a day as root.

    Raises
    ------
    BadInputError
        A file or an object of it that cannot be used, a size or a link that cannot be, a model
        without chains of that kind, or a box without times of them.
    """
    chain = read_chain(Path(path))
    if not 0.0 < link_gbps < float("inf"):
        raise bad_input("link_gbps", link_gbps, why="a link has a rate", allowed="above 0",
                        do="correct it")  # fmt: skip
    sizes = FRAME_BYTES if frame_bytes is None else (frame_bytes,)
    path_of_times = Path(model) if model is not None else SHIPPED
    fitted = load_model(path_of_times)
    chains, of_objects = timed_functions(chain, Path(path).parent, sizes, static=where.static,
                                         progress=where.progress)  # fmt: skip
    first, cores = chains[sizes[0]], 1
    may_run = where.runs(is_named=model is not None)
    run, of_run = run_chain(chains, progress=where.progress) if may_run else (None, ())
    time = _known_time(fitted, chain)
    if run is None:
        lent = _time_of(fitted, chain, str(path_of_times))
        time, of_times = _carried(fitted, lent, chain, where, is_named=model is not None)
        answers = [_priced(chains[size], time, size, link_gbps) for size in sizes]
        rtt_us = _rtt_us(first, fitted, sizes[0])
        notes: tuple[str, ...] = (*of_run, *_notes(first, time, fitted), *of_times)
    else:
        answers = [_ran(run.took[size], chains[size], time, size, link_gbps) for size in sizes]
        rtt_us = median(run.rtts_us) if run.rtts_us else None
        notes, cores = _notes_of_run(first, run), run.cores
    return ChainFits(
        path=Path(path), chain=first, answers=tuple(answers), cores=cores,
        parts_ns=_parts(first, time, answers[0], cores), rtt_us=rtt_us,
        rtts_us=run.rtts_us if run else (), explained=explained,
        notes=(*of_objects, *notes, *_notes_of_loss(answers)),
    )  # fmt: skip


def _time_of(fitted: ModelFile, chain: ChainFile, model: str) -> ChainTime:
    time = _known_time(fitted, chain)
    if time is None:
        times = fitted.fitted.get("chain_times")
        known = ", ".join(str(each.kind) for each in times.times) if times else "none"
        raise bad_input(
            "chain", chain.function, why=f"{model} has no times of chains of that kind",
            allowed=known, do="linerate measure data/campaigns/chains.toml with such a block, "
            "linerate fit FOLDER --out MODEL.json, --model MODEL.json",
        )  # fmt: skip
    return time


def _known_time(fitted: ModelFile, chain: ChainFile) -> ChainTime | None:
    times: ChainTimes | None = fitted.fitted.get("chain_times")
    return times.time_of(chain.cell(FRAME_BYTES[0])) if times else None


def _carried(
    fitted: ModelFile, lent: ChainTime, chain: ChainFile, where: Where, *, is_named: bool
) -> tuple[ChainTime, tuple[str, ...]]:
    """Carry a time over to the machine that is asked about, and say so."""
    datapath, boxes = chain_name(chain.function), fitted.provenance.boxes
    there = times_where(datapath, where, is_named=is_named)
    if there.box is None:
        elsewhere = notes_of_costs(boxes, "veth", are_shipped=not is_named)
        time = lent if is_named else untimed(lent)
        return time, (*elsewhere, *filter(None, (there.origin,)))
    direct = _time_of(fitted, replace(chain, topology="direct", nsh_aware=False), "the model")
    timed = [
        TimedChain(functions=passed[PASSED], frame_bytes=passed[FRAME_BYTE], value_ns=cost.value_ns)
        for operations, cost in believed_works(datapath, there.box).items()
        if {PASSED, FRAME_BYTE} == set(passed := dict(operations))
    ]
    carried = CarriedTime.of(lent, direct, timed)
    note = (
        f"times of {', '.join(boxes)}, carried to {carried_to(boxes, there.box.name)} by "
        f"times of {len(timed)} chains there, {there.origin}: {carried.factor:.2f} times as long"
    )
    return carried.time, (note,)


def _priced(chain: ChainFile, time: ChainTime, size: int, link_gbps: float) -> ChainAnswer:
    length = len(chain.functions)
    packet_ns = time.flooded_ns(size, chain.works_ns)
    if not 0.0 < packet_ns < float("inf"):
        raise bad_input(
            "model", f"{short(packet_ns)} ns", why=f"it leaves a packet of {size} B no time on a "
            f"chain of {length}", allowed="a model that linerate fit wrote",
            do="fit again, or ask for a size and a length that were measured",
        )  # fmt: skip
    took = _Took(
        flooded_ns=packet_ns, flooded_log_sd=time.flooded_log_sd(size, chain.works_ns),
        carried_ns=time.carried_ns(size, chain.works_ns), carried_log_sd=time.log_sd,
    )  # fmt: skip
    return replace(took.answer(size, link_gbps), in_domain=bool(time.knows(length, size)))


def _ran(
    ran: LedBack, chain: ChainFile, time: ChainTime | None, size: int, link_gbps: float
) -> ChainAnswer:
    packet_ns, log_sd = ran_time(ran.packet_ns, ran.log_sd)
    lost_times = time.lost_times(size, chain.works_ns) if time else 1.0
    lost_log_sd = 0.0
    if time and lost_times > LOST_TIMES_MIN:
        lost_log_sd = time.flooded_log_sd(size, chain.works_ns)
    took = _Took(flooded_ns=packet_ns, flooded_log_sd=log_sd, carried_ns=packet_ns / lost_times,
                 carried_log_sd=hypot(log_sd, lost_log_sd))  # fmt: skip
    return replace(took.answer(size, link_gbps), ran_ns=ran.packet_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Took:
    """Time of a packet in a flood, and where no more is offered than gets through."""

    flooded_ns: float
    flooded_log_sd: float
    carried_ns: float
    carried_log_sd: float

    def answer(self, size: int, link_gbps: float) -> ChainAnswer:
        """Answer for a link: what a chain carries without loss is no flood to it."""
        line, carried_mpps = float(line_rate_mpps(link_gbps, size)), 1e3 / self.carried_ns
        apart = log(carried_mpps / line) / max(self.carried_log_sd, LOG_SD_MIN)
        sure = 0.5 * (1.0 + erf(apart / sqrt(2.0)))
        packet_ns, log_sd = self.flooded_ns, self.flooded_log_sd
        if sure >= SUSTAINS_MIN:
            packet_ns, log_sd = self.carried_ns, self.carried_log_sd
        mpps, wide = 1e3 / packet_ns, exp(NORMAL_90 * log_sd)
        return ChainAnswer(
            frame_bytes=size, packet_ns=packet_ns, predicted_mpps=mpps, lower_mpps=mpps / wide,
            upper_mpps=mpps * wide, line_rate_mpps=line, sustains_line_rate=sure, in_domain=True,
            carried_mpps=carried_mpps,
        )  # fmt: skip


def _parts(
    chain: ChainFile, time: ChainTime | None, answer: ChainAnswer, cores: int
) -> dict[str, float]:
    """Say where a packet's time goes: on one core all but what is a function's own is scaled."""
    size, length = answer.frame_bytes, len(chain.functions)
    own = {f"{each.name} itself": each.ns_per_packet for each in chain.functions
           if each.ns_per_packet}  # fmt: skip
    left_ns = max(0.0, answer.packet_ns - sum(own.values()))
    if time is None:
        return {"stages, links, source and destination": left_ns} | own
    ends, idle = (float(time.packet_ns(functions, size)) for functions in (0, length))
    taken_ns = time.carried_ns if answer.sustains else time.flooded_ns
    lost = taken_ns(size, chain.works_ns) - idle - sum(own.values())
    around = {
        f"stages and links of {length} functions": idle - ends,
        "source and destination": ends,
    }
    if lost > LOST_NS_MIN:
        around["work on packets that are lost further on"] = lost
    factor = left_ns / sum(around.values()) if cores == 1 else 1.0
    return {name: factor * ns for name, ns in around.items()} | own


def _rtt_us(chain: ChainFile, fitted: ModelFile, size: int) -> float | None:
    answer = fitted.round_trips
    cells = pd.DataFrame([chain.cell(size)])
    if answer is None or not answer.knows(cells)[0]:
        return None
    # A stall or two make means of some dozens of echoes useless on a shared machine.
    rtt_us = float(answer.answer(cells)["rtt_p50_us"][0]) + sum(chain.works_ns) / 1e3
    return rtt_us if isfinite(rtt_us) else None


def _notes(chain: ChainFile, time: ChainTime, fitted: ModelFile) -> tuple[str, ...]:
    notes = [f"all stages share one core, as on {', '.join(fitted.provenance.boxes)}: with a core "
             "for each function more is delivered"]  # fmt: skip
    length = len(chain.functions)
    if not time.shortest <= length <= time.longest:
        notes.append(f"{length} functions: chains of {time.shortest} to {time.longest} were "
                     "measured; what was found of these is taken to go on")  # fmt: skip
    if not any(chain.works_ns):
        notes.append(NOTHING_DONE)
    return tuple(notes)


def _notes_of_loss(answers: Sequence[ChainAnswer]) -> tuple[str, ...]:
    """Say what passes where no more is offered, if a flood loses packets half way."""
    more = [f"{short(answer.carried_mpps, 3)} Mpps of {answer.frame_bytes} B" for answer in answers
            if answer.carried_mpps > LOST_TIMES_MIN * answer.predicted_mpps]  # fmt: skip
    if not more:
        return ()
    return (f"a flood loses packets half way, where the kernel ends its rounds: {', '.join(more)} "
            "pass where no more is offered",)  # fmt: skip


def _notes_of_run(chain: ChainFile, run: ChainRun) -> tuple[str, ...]:
    took = "; ".join(f"{size} B {short(min(of.packet_ns), 4)} to {short(max(of.packet_ns), 4)}"
                     for size, of in run.took.items())  # fmt: skip
    does = ("functions read the clock for what they take themselves" if any(chain.works_ns)
            else NOTHING_DONE)  # fmt: skip
    notes = [f"{LOADS} loads of it ran here, ns a packet: {took}", does]
    if run.shared_ratio > SHARED_RATIO_MAX:
        notes.append(f"others used its cores, too, at {run.shared_ratio:.0%} of looks: times are "
                     "led back to cores without them")  # fmt: skip
    if run.contended_ratio > CONTENDED_RATIO_MAX + LOOKS_RATIO:
        notes.append(f"other processes held a core of it for {run.contended_ratio:.0%} of the "
                     "time: without them it would be quicker")  # fmt: skip
    return tuple(notes)
