"""What a packet makes a pipeline execute, on each path through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from linerate.errors import bad_input
from linerate.measure.datapaths.swx.spec.checks.flow import order_of
from linerate.measure.datapaths.swx.spec.checks.refusal import refuse
from linerate.measure.datapaths.swx.spec.following.outcomes import Entries, outcomes
from linerate.measure.datapaths.swx.spec.following.packet import Packet, compared_fields
from linerate.measure.datapaths.swx.spec.kinds import rough_ns
from linerate.measure.datapaths.swx.spec.spec import Action, Instruction, Spec
from linerate.programs.pipeline_paths import Wait

PATHS_MAX = 4096
"""Beyond them paths are not listed one by one; the most expensive is found all the same."""
MEETING_MAX = 4096
"""Packets with different futures that are followed from one place. Beyond them what is known of
fields is forgotten, and both ways of a jump on one are followed."""
STEPS_MAX = 100_000
"""Instructions of one packet; more of them never end."""
SAMPLED_MAX = 256
"""Packets that are followed from one place where a sample is enough."""
SAMPLED_LATER = ((120_000, 16), (200_000, 1))
"""As many of them once so many instructions were followed, some seconds' worth: of a pipeline of
thousands of choices the sample of the later ones is small."""
Meet = Callable[[list[Packet]], Iterable[Packet]]
"""Which of the packets that meet at a place are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """One way of a packet, all passes of it together."""

    choices: tuple[str, ...]
    """Outcomes that packets and entries decide: ``routes:route``, ``routes:miss``, and conditional
    jumps as ``line 7:jump`` or ``line 7:stay``."""
    operations: tuple[tuple[str, int], ...]
    """Pairs (kind, times), by kind."""
    sends: bool
    """Whether the packet leaves, or is dropped."""
    share: float = 1.0
    """Of all packets, by the entries and the frame as far as these tell; else each way of several
    is as likely as the others."""
    waits: tuple[tuple[Wait, int], ...] = ()
    """Pairs (wait, times)."""

    @property
    def rough_ns(self) -> float:
        """Rough cost, to compare paths of one pipeline by; no prediction."""
        return sum(times * rough_ns(kind) for kind, times in self.operations)


def paths(spec: Spec, *, misses: bool = True) -> tuple[Path, ...]:
    """Follow every path.

    Conditions that the pipeline itself decides are decided: numbers of passes, constants in
    metadata, which headers are valid, what a table did.

    Parameters
    ----------
    spec
        The pipeline.
    misses
        Whether tables may miss; False for entries that know every packet. A table without a key,
        or whose entries have no actions, always misses.

    Raises
    ------
    BadInputError
        More than ``PATHS_MAX`` paths, or one that never ends.
    """
    return tuple(_path(packet) for packet in _Walk(spec, misses, partial(_few, spec)).ends())


def longest_path(spec: Spec) -> Path:
    """Return the most expensive path on which every table hits and the packet leaves.

    Paths are compared by rough costs: a parser that gives up early jumps more often than one that
    goes on to extract a further header. In a generated pipeline it is the path of the packets that
    are sent. Where no packet ever leaves, it is the most expensive of all. Of packets that meet and
    have the same way before them only the most expensive is followed, so that however many paths
    there are the work is that of the instructions.

    Raises
    ------
    BadInputError
        A packet never gets out.
    """
    found = _Walk(spec, False, partial(_costliest, compared_fields(spec))).ends()
    return costliest([_path(packet) for packet in found])


def costliest(ways: Sequence[Path]) -> Path:
    """Return the most expensive path of those on which the packet leaves, else of all.

    Parameters
    ----------
    ways
        At least one.
    """
    return max([way for way in ways if way.sends] or ways, key=lambda way: way.rough_ns)


def shared_paths(
    spec: Spec, rng: np.random.Generator, entries: Entries | None = None,
    frame: bytes | None = None,
) -> tuple[Path, ...]:  # fmt: skip
    """Follow packets on every path, or on a fair sample of the paths where there are many.

    Parameters
    ----------
    spec
        The pipeline.
    rng
        Chooses the sample.
    entries
        Of its tables; where they are not known, every outcome is as likely as the others.
    frame
        Bytes of the packet, without FCS; None for packets of which nothing is known.

    Raises
    ------
    BadInputError
        A packet never gets out.
    """
    return sampled_paths(spec, rng, entries, frame)[0]


def sampled_paths(
    spec: Spec, rng: np.random.Generator, entries: Entries | None = None,
    frame: bytes | None = None,
) -> tuple[tuple[Path, ...], bool]:  # fmt: skip
    """Do as ``shared_paths``, and say whether there are paths that the sample left out."""
    sample = _Sample(rng)
    walk = _Walk(spec, True, sample, entries=entries)
    found = tuple(_path(packet) for packet in walk.ends(Packet(frame=frame)))
    return found, sample.left_out


def _path(packet: Packet) -> Path:
    return Path(choices=packet.choices, operations=tuple(sorted(packet.counts.items())),
                sends=packet.end == "tx", share=packet.share,
                waits=tuple(packet.waits.items()))  # fmt: skip


@dataclass(slots=True)
class _Sample:
    """Keeps some of many packets, by their shares; each then stands for as many as the others."""

    rng: np.random.Generator
    steps: int = 0
    left_out: bool = False

    def __call__(self, packets: list[Packet]) -> list[Packet]:
        """Keep no more of those that meet than may be followed from here."""
        later = [most for steps, most in SAMPLED_LATER if self.steps >= steps]
        most = later[-1] if later else SAMPLED_MAX
        self.steps += min(len(packets), most)
        if len(packets) <= most:
            return packets
        self.left_out = True
        shares = np.array([packet.share for packet in packets])
        total = float(shares.sum())
        # Behind a thousand choices in a row a share is too small for a number: all are alike then.
        drawn = self.rng.choice(len(packets), most, p=shares / total if total else None)
        kept = [packets[int(place)].chosen("") for place in drawn]
        for packet in kept:
            packet.share = total / most
        return kept


def _few(spec: Spec, packets: list[Packet]) -> list[Packet]:
    if len(packets) > PATHS_MAX:
        raise bad_input(
            "spec", spec.source, why=f"it has more than {PATHS_MAX} paths",
            allowed="fewer choices in a row", do="let misses be left out, or part the pipeline",
        )  # fmt: skip
    return packets


def _costliest(fields: tuple[str, ...], packets: list[Packet]) -> list[Packet]:
    """Keep the most expensive of those that go on alike, in the order that they came."""
    kept = _costliest_by(fields, packets)
    if len(kept) <= MEETING_MAX:
        return kept
    for packet in packets:
        packet.known = {}
    return _costliest_by((), packets)


def _costliest_by(fields: tuple[str, ...], packets: list[Packet]) -> list[Packet]:
    kept: dict[object, Packet] = {}
    for packet in packets:
        other = kept.setdefault(packet.future(fields), packet)
        if packet.rough_ns > other.rough_ns:
            kept[packet.future(fields)] = packet
    return list(kept.values())


@dataclass(frozen=True, slots=True)
class _Walk:
    """Follows packets through a pipeline, place by place."""

    spec: Spec
    misses: bool
    meet: Meet
    order: dict[str, list[int]] = field(default_factory=dict)
    """Places of the instructions of ``apply`` ("") and each action, in the order followed."""
    entries: Entries | None = None
    """Of the tables; None where they are not known."""

    def ends(self, first: Packet | None = None) -> list[Packet]:
        """Follow packets, pass after pass, to where they leave or are dropped."""
        ended: list[Packet] = []
        waiting = [first or Packet()]
        while waiting:
            after = list(self._run("", Action(args="", instructions=self.spec.apply), waiting))
            waiting = [packet for packet in after if packet.comes_again]
            ended += [packet for packet in after if not packet.comes_again]
            ended = list(self.meet(ended))
            for packet in waiting:
                packet.again, packet.end = False, ""
                packet.passes += 1
        return ended

    def _run(self, name: str, body: Action, start: Iterable[Packet]) -> Iterator[Packet]:
        """Go on from the first instruction until packets or the action end, on every way."""
        code = body.instructions
        if name not in self.order:
            self.order[name] = order_of(self.spec, code)
        places = {each.label: place for place, each in enumerate(code) if each.label}
        at: dict[int, list[Packet]] = {0: list(start)}
        for place in self.order[name]:
            each = code[place]
            for packet in self.meet(at.pop(place, [])):
                packet.execute(self.spec, each, body.args, empty=self._is_empty(each))
                if packet.steps > STEPS_MAX:
                    raise refuse(self.spec, each, "a packet never gets out of there",
                                 "loops that end")  # fmt: skip
                for jumps, after in self._ways(each, packet, body.args):
                    if after.end:
                        yield after
                    else:
                        to = places[each.operands[0]] if jumps else place + 1
                        at.setdefault(to, []).append(after)

    def _is_empty(self, each: Instruction) -> bool:
        """Whether a table is looked up that is known to have no entries."""
        return each.name == "table" and self._has_none(each.operands[0])

    def _has_none(self, name: str) -> bool:
        """Whether a table is known to have no entries; what is not a table is not."""
        table = self.spec.tables.get(name)
        if table is None or table.learns or self.entries is None:
            return False
        own = self.entries.get(name)
        return own is None or not own.entries

    def _ways(self, each: Instruction, packet: Packet, args: str) -> Iterator[tuple[bool, Packet]]:
        """Execute an instruction: whether a packet jumps, and what becomes of it."""
        if each.name in ("tx", "drop", "return"):
            packet.end = each.name
            yield False, packet
        elif each.name.startswith("jmp"):
            yield from _jump(each, packet)
        elif each.name == "table" and each.operands[0] in self.spec.tables:
            for after in self._look_up(each.operands[0], packet):
                after.end = "" if after.end == "return" else after.end
                yield False, after
        else:
            packet.step(self.spec, each, args)
            yield False, packet

    def _look_up(self, name: str, packet: Packet) -> Iterator[Packet]:
        has_key = bool(self.spec.tables[name].key)
        for found in outcomes(self.spec, name, packet, self.entries, misses=self.misses):
            choice = f"{name}:{found.action if found.hit else 'miss'}" if has_key else ""
            after = packet.chosen(choice, found.share)
            after.action, after.hit = found.action, found.hit
            if not self._has_none(name):
                own = (self.entries or {}).get(name)
                after.searched(self.spec, name, own, hit=found.hit)
            after.begin(found.args if packet.frame is not None else None)
            yield from self._run(found.action, self.spec.actions[found.action], [after])


def _jump(each: Instruction, packet: Packet) -> list[tuple[bool, Packet]]:
    jumps = packet.jumps(each)
    if jumps is not None:
        return [(jumps, packet)]
    return [
        (jumps, packet.chosen(f"line {each.line}:{'jump' if jumps else 'stay'}", 0.5))
        for jumps in (True, False)
    ]
