"""Whether a chain of service functions with NSH sustains line rate: from its file to the answer."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from math import erf, exp, isfinite, log, sqrt
from pathlib import Path

import pandas as pd

import linerate
from linerate.errors import bad_input
from linerate.face.fits.carrying import HERE, Where, believed_works, times_where
from linerate.face.fits.chain_file import ChainFile, read_chain
from linerate.face.fits.notes import notes_of_costs
from linerate.links import LINK_GBPS
from linerate.models.chains.carried import CarriedTime, TimedChain
from linerate.models.chains.times import ChainTime
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.saved import load_model
from linerate.normal import NORMAL_90
from linerate.programs.costs import FRAME_BYTE, PASSED, chain_name
from linerate.units import line_rate_mpps, short, wire_bytes

LOG_SD_MIN = 1e-9
"""What chains are taken to be off by where a line went through all of them."""
FRAME_BYTES = (64, 512, 1500)
"""Sizes that are asked about where none is named; an NSH header comes on top."""
SHIPPED = Path(linerate.__file__).parent / "data/boxes/chains.json"
"""Times that come with linerate: a model of `data/reference-chains`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainAnswer:
    """What a chain sustains of frames of one size."""

    frame_bytes: int
    packet_ns: float
    """Time of a packet on the core that all stages share."""
    lower_mpps: float
    predicted_mpps: float
    upper_mpps: float
    """What it delivers when more is offered, with its 90 % interval."""
    line_rate_mpps: float
    sustains_line_rate: float
    """Probability."""
    in_domain: bool
    """Whether such a length and size were measured."""

    @property
    def sustains(self) -> bool:
        """Whether it sustains line rate, more likely than not."""
        return self.sustains_line_rate >= 0.5

    def __str__(self) -> str:
        gbps = 8e-3 * self.predicted_mpps * float(wire_bytes(self.frame_bytes))
        sure = self.sustains_line_rate if self.sustains else 1.0 - self.sustains_line_rate
        outside = "" if self.in_domain else "; outside what was measured"
        return (f"{self.frame_bytes} B: {'yes' if self.sustains else 'no'} ({sure:.0%} sure; line "
                f"rate {self.line_rate_mpps:.4g} Mpps): {self.predicted_mpps:.4g} Mpps "
                f"({self.lower_mpps:.4g} to {self.upper_mpps:.4g}, 90 %), {gbps:.4g} Gbit/s of the "
                f"line, {short(self.packet_ns, 4)} ns a packet{outside}")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainFits:
    """Answers for one chain."""

    path: Path
    chain: ChainFile
    answers: tuple[ChainAnswer, ...]
    parts_ns: dict[str, float]
    """Where the time of the first answer's packet goes."""
    rtt_us: float | None
    """Median round trip of an echo that finds all queues empty; None where none was measured."""
    notes: tuple[str, ...]
    explained: bool = False

    @property
    def sustains(self) -> bool:
        """Whether all sizes are sustained, more likely than not."""
        return all(answer.sustains for answer in self.answers)

    @property
    def bottleneck(self) -> str:
        """What takes most of a packet's time."""
        return max(self.parts_ns, key=lambda name: self.parts_ns[name])

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "chain": str(self.path), "functions": [each.name for each in self.chain.functions],
            "answers": [asdict(answer) for answer in self.answers], "parts_ns": self.parts_ns,
            "bottleneck": self.bottleneck, "rtt_us": self.rtt_us, "notes": list(self.notes),
        }  # fmt: skip

    def __str__(self) -> str:
        names = " > ".join(each.name for each in self.chain.functions)
        total = sum(self.parts_ns.values())
        lines = [f"Does {self.path} sustain line rate? {len(self.chain.functions)} functions on "
                 f"{self.chain.function}, {self.chain.topology}: {names}. Not run."]  # fmt: skip
        lines += [f"  {answer}" for answer in self.answers]
        share = self.parts_ns[self.bottleneck] / total
        lines.append("  bottleneck: the core that all stages share; most of a packet's time, "
                     f"{share:.0%}, is {self.bottleneck}")  # fmt: skip
        if self.rtt_us is not None:
            lines.append(f"  median round trip at rest: {short(self.rtt_us, 4)} us")
        if self.explained:
            lines.append(f"Where the {total:.4g} ns go at {self.answers[0].frame_bytes} B:")
            ordered = sorted(self.parts_ns.items(), key=lambda part: -part[1])
            lines += [f"  {ns:8.4g} ns  {name}" for name, ns in ordered]
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes)])


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
        A file that cannot be used, a size or a link that cannot be, a model without chains of that
        kind, or a box without times of them.
    """
    chain = read_chain(Path(path))
    if not 0.0 < link_gbps < float("inf"):
        raise bad_input("link_gbps", link_gbps, why="a link has a rate", allowed="above 0",
                        do="correct it")  # fmt: skip
    fitted, lent = _time(Path(model) if model is not None else SHIPPED, chain)
    time, of_times = _carried(fitted, lent, chain, where, is_named=model is not None)
    sizes = FRAME_BYTES if frame_bytes is None else (frame_bytes,)
    answers = tuple(_answer(chain, time, size, link_gbps) for size in sizes)
    return ChainFits(
        path=Path(path), chain=chain, answers=answers, parts_ns=_parts(chain, time, sizes[0]),
        rtt_us=_rtt_us(chain, fitted, sizes[0]), explained=explained,
        notes=(*_notes(chain, time, fitted), *of_times),
    )  # fmt: skip


def _time(path: Path, chain: ChainFile) -> tuple[ModelFile, ChainTime]:
    fitted = load_model(path)
    return fitted, _time_of(fitted, chain, str(path))


def _time_of(fitted: ModelFile, chain: ChainFile, model: str) -> ChainTime:
    times = fitted.fitted.get("chain_times")
    time: ChainTime | None = times.time_of(chain.cell(64)) if times else None
    if time is None:
        known = ", ".join(str(each.kind) for each in times.times) if times else "none"
        raise bad_input(
            "chain", chain.function, why=f"{model} has no times of chains of that kind",
            allowed=known, do="linerate measure data/campaigns/chains.toml with such a block, "
            "linerate fit FOLDER --out MODEL.json, --model MODEL.json",
        )  # fmt: skip
    return time


def _carried(
    fitted: ModelFile, lent: ChainTime, chain: ChainFile, where: Where, *, is_named: bool
) -> tuple[ChainTime, tuple[str, ...]]:
    """Carry a time over to the machine that is asked about, and say so."""
    datapath, boxes = chain_name(chain.function), fitted.provenance.boxes
    there = times_where(datapath, where, is_named=is_named)
    if there.box is None:
        return lent, (*notes_of_costs(boxes, "veth"), *filter(None, (there.origin,)))
    direct = _time_of(fitted, replace(chain, topology="direct", nsh_aware=False), "the model")
    timed = [
        TimedChain(functions=passed[PASSED], frame_bytes=passed[FRAME_BYTE], value_ns=cost.value_ns)
        for operations, cost in believed_works(datapath, there.box).items()
        if {PASSED, FRAME_BYTE} == set(passed := dict(operations))
    ]
    carried = CarriedTime.of(lent, direct, timed)
    note = (
        f"times of {', '.join(boxes)}, carried to {there.box.name} by times of "
        f"{len(timed)} chains there, {there.origin}: {carried.factor:.2f} times as long"
    )
    return carried.time, (note,)


def _answer(chain: ChainFile, time: ChainTime, size: int, link_gbps: float) -> ChainAnswer:
    length = len(chain.functions)
    packet_ns = float(time.packet_ns(length, size)) + chain.own_ns
    if not 0.0 < packet_ns < float("inf"):
        raise bad_input(
            "model", f"{short(packet_ns)} ns", why=f"it leaves a packet of {size} B no time on a "
            f"chain of {length}", allowed="a model that linerate fit wrote",
            do="fit again, or ask for a size and a length that were measured",
        )  # fmt: skip
    mpps, line = 1e3 / packet_ns, float(line_rate_mpps(link_gbps, size))
    wide = exp(NORMAL_90 * time.log_sd)
    log_sd = max(time.log_sd, LOG_SD_MIN)
    sure = 0.5 * (1.0 + erf(log(mpps / line) / log_sd / sqrt(2.0)))
    return ChainAnswer(
        frame_bytes=size, packet_ns=packet_ns, predicted_mpps=mpps, lower_mpps=mpps / wide,
        upper_mpps=mpps * wide, line_rate_mpps=line, sustains_line_rate=sure,
        in_domain=bool(time.knows(length, size)),
    )  # fmt: skip


def _parts(chain: ChainFile, time: ChainTime, size: int) -> dict[str, float]:
    ends = float(time.packet_ns(0, size))
    hops = float(time.packet_ns(len(chain.functions), size)) - ends
    own = {f"{each.name} itself": each.ns_per_packet for each in chain.functions
           if each.ns_per_packet}  # fmt: skip
    stages = f"stages and links of {len(chain.functions)} functions"
    return {stages: hops, "source and destination": ends} | own


def _rtt_us(chain: ChainFile, fitted: ModelFile, size: int) -> float | None:
    answer = fitted.round_trips
    cells = pd.DataFrame([chain.cell(size)])
    if answer is None or not answer.knows(cells)[0]:
        return None
    # A stall or two make means of some dozens of echoes useless on a shared machine.
    rtt_us = float(answer.answer(cells)["rtt_p50_us"][0]) + chain.own_ns / 1e3
    return rtt_us if isfinite(rtt_us) else None


def _notes(chain: ChainFile, time: ChainTime, fitted: ModelFile) -> tuple[str, ...]:
    notes = [f"all stages share one core, as on {', '.join(fitted.provenance.boxes)}: with a core "
             "for each function more is delivered"]  # fmt: skip
    length = len(chain.functions)
    if not time.shortest <= length <= time.longest:
        notes.append(f"{length} functions: chains of {time.shortest} to {time.longest} were "
                     "measured; the line is taken to go on")  # fmt: skip
    if not chain.own_ns:
        notes.append("functions are taken to do nothing: ns_per_packet says what each does itself")
    return tuple(notes)
