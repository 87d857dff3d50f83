"""Whether a user's own ruleset sustains line rate: from its file to the answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import linerate
from linerate.errors import bad_input, bad_name
from linerate.face.fits.carrying import HERE, Where, priced_where
from linerate.links import LINK_GBPS
from linerate.measure.objects.traffic.named import named_frames
from linerate.measure.rulesets.follow import Followed, follow
from linerate.measure.rulesets.listing import read_ruleset
from linerate.measure.rulesets.ruleset import HOOKS, Hook, Rule, Ruleset
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.saved import load_model
from linerate.models.operations import MixPredictor
from linerate.models.operations.own import BARE
from linerate.models.pipelines import PathCase, PipelineAnswer, PipelineQuestion, answer_pipeline
from linerate.programs.pipeline_paths import PipelinePath, PipelineTraffic
from linerate.units import short, wire_bytes

FRAME_BYTES = (64, 512, 1518)
"""Sizes that are asked about where no traffic is named."""
SHIPPED = Path(linerate.__file__).parent / "data/boxes/rulesets.json"
"""Costs that come with linerate: a model of `data/reference-rulesets-3`."""
ASSUMED = {
    "limit": "limits are taken as used up: no packet matches them, and what stands behind one, "
             "such as log, is met at most as often as the limit says",
    "conntrack": "packets are taken as the first of their flow, but for the share that "
                 "--established says",
    "reject": "reject: the kernel limits such answers (net.ipv4.icmp_ratelimit, "
              "icmp_msgs_per_sec), so most packets get none; they take that time all the same",
    "reset": "reject with tcp reset: each packet is answered, in a lab whose sink copies answers",
    "log_group": "log to a group: as where somebody listens who does not keep up with the load",
}  # fmt: skip
"""Note for a packet that meets such an operation."""
RULES_SHOWN = 12
ALIKE = 1.001
"""Ratio of worst to best below which only the expected case is printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetAnswer:
    """What a ruleset sustains of one traffic."""

    priced: PipelineAnswer
    ways: tuple[Followed, ...]

    @property
    def rules_mean(self) -> float:
        """Rules walked, over the traffic."""
        return sum(way.share * way.walk.counts["rule"] for way in self.ways)

    @property
    def rules_worst(self) -> int:
        """Rules walked by the frame that walks most."""
        return max(way.walk.counts["rule"] for way in self.ways)

    @property
    def dropped(self) -> float:
        """Share of the packets that a rule or a policy drops, 0 to 1."""
        return sum(way.share for way in self.ways if way.walk.end == "drop")

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        plain = self.priced.to_dict()
        return plain | {
            "queues": plain.pop("lcores"), "rules_mean": self.rules_mean,
            "rules_worst": self.rules_worst, "drop_ratio": self.dropped,
            "rules": [
                {"rule": rule.name, "text": rule.text, "walked_per_packet": times}
                for rule, times in self.rules()
            ],
        }  # fmt: skip

    def rules(self) -> list[tuple[Rule, float]]:
        """Rules that are walked, with how often a packet walks each in the mean, most first."""
        found: dict[Rule, float] = {}
        for way in self.ways:
            for rule, times in way.walk.rules.items():
                found[rule] = found.get(rule, 0.0) + way.share * times
        return sorted(found.items(), key=lambda pair: -pair[1])

    def __str__(self) -> str:
        asked, cases = self.priced, self.priced.cases
        plural = "s" if asked.lcores > 1 else ""
        sure = asked.sustains_line_rate if asked.sustains else 1.0 - asked.sustains_line_rate
        lines = [
            f"{asked.frame_bytes:.4g} B, {asked.link_gbps:g} Gbit/s: "
            f"{'yes' if asked.sustains else 'no'}, with {asked.lcores} queue{plural} "
            f"({sure:.0%} sure; line rate {asked.line_rate_mpps:.4g} Mpps)"
        ]
        alike = cases[2].packet_ns < ALIKE * cases[0].packet_ns
        for place, case in enumerate(cases):
            if not alike or case.name == "expected":
                lines.append(self._case(place, case))
        lines.append(f"  walks {self.rules_mean:.4g} rules, at worst {self.rules_worst}; "
                     f"{self.dropped:.0%} dropped")  # fmt: skip
        return "\n".join(lines)

    def _case(self, place: int, case: PathCase) -> str:
        rates = self.priced.rates
        mpps = float(rates.predicted_mpps[place])
        gbps = 8e-3 * mpps * float(wire_bytes(self.priced.frame_bytes))
        outside = "" if case.in_domain else "; outside what was measured"
        return (f"  {case.name:8} {mpps:.4g} Mpps ({rates.lower_mpps[place]:.4g} to "
                f"{rates.upper_mpps[place]:.4g}, 90 %), {gbps:.4g} Gbit/s of "
                f"the line: {case}{outside}")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetFits:
    """Answers for one ruleset, one for each traffic."""

    path: Path
    datapath: str
    hook: Hook
    answers: tuple[RulesetAnswer, ...]
    notes: tuple[str, ...]
    explained: bool = False

    @property
    def sustains(self) -> bool:
        """Whether all of the traffic is sustained, more likely than not."""
        return all(answer.priced.sustains for answer in self.answers)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "ruleset": str(self.path), "datapath": self.datapath, "hook": self.hook,
            "notes": list(self.notes), "answers": [answer.to_dict() for answer in self.answers],
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [f"Does {self.path} ({self.datapath}, up to {self.hook}) sustain line rate? "
                 "Not run: the rules that packets walk are priced."]  # fmt: skip
        lines += [str(answer) for answer in self.answers]
        if self.explained:
            lines += _explained(self.answers[0])
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes)])


def _explained(answer: RulesetAnswer) -> list[str]:
    """Say what takes the time, and which rules are walked most."""
    case = answer.priced.cases[1]
    lines = [f"Where the {case.name} {short(case.packet_ns, 4)} ns go:"]
    parts = sorted(case.parts_ns.items(), key=lambda part: -abs(part[1]))
    lines += [f"  {ns:8.4g} ns  {name}" for name, ns in parts if abs(ns) >= 0.05]
    rules = answer.rules()
    lines.append("Rules walked by a packet:")
    lines += [f"  {times:8.4g}  {rule.name}: {rule.text}" for rule, times in rules[:RULES_SHOWN]]
    more = len(rules) - RULES_SHOWN
    return [*lines, f"  and {more} more"] if more > 0 else lines


def fits_ruleset(  # noqa: PLR0913 - one for each part of the question
    path: str | os.PathLike[str],
    *,
    traffic: str | os.PathLike[str] | int | None = None,
    frame_bytes: int | None = None,
    hook: str | None = None,
    established: float = 0.0,
    model: str | os.PathLike[str] | None = None,
    link_gbps: float = LINK_GBPS,
    queues: int | None = None,
    explained: bool = False,
    where: Where = HERE,
) -> RulesetFits:
    """Say whether a ruleset sustains line rate, by the rules that each frame walks.

    Parameters
    ----------
    path
        ``.nft``, or ``.rules`` as iptables-save writes it.
    traffic
        A frame size, ``imix``, a capture (pcap) or a list of frames (JSON).
    frame_bytes
        The same as a size; the usual ones if neither is given.
    hook
        How far packets go that no rule drops: ``ingress``, ``prerouting``, ``input`` or
        ``forward``; the last that the ruleset has a base chain on if left out. What passes
        ``forward`` is sent out of another interface.
    established
        Share of packets whose flow was answered before, 0 to 1, as connection tracking sees them;
        the others are the first of theirs.
    model
        A model of this machine (``linerate fit`` of `data/campaigns/rulesets.toml`), taken as it
        is; the costs that are shipped, carried over to the machine, if left out.
    link_gbps
        Link.
    queues
        Cores that receive; the fewest that do if left out.
    explained
        Whether to say where the time goes.
    where
        Whose costs: of a box, or of this machine, timed once a day as root.

    Raises
    ------
    BadInputError
        A file that cannot be used, a model without costs of rules, or a box without times.
    CannotHereError
        nft or iptables is missing, or a namespace cannot be made.
    """
    ruleset = read_ruleset(Path(path))
    last = _hook(hook, ruleset)
    _check_share(established, ruleset)
    fitted, mixes = _model(Path(model) if model is not None else SHIPPED, ruleset.datapath)
    prices, of_costs = priced_where(fitted, mixes, ruleset.datapath, where,
                                    is_named=model is not None)  # fmt: skip
    asked = traffic if traffic is not None else frame_bytes
    question = PipelineQuestion(link_gbps=link_gbps, lcores=queues)
    answers, notes = [], []
    for named in FRAME_BYTES if asked is None else (asked,):
        frames = named_frames(named)
        ways, left_out = follow(ruleset, frames, last, established)
        load = PipelineTraffic(frame_bytes=frames.mean_frame_bytes, paths=_paths(ways))
        priced, _ = answer_pipeline(Path(path).name, load, prices, question, ruleset.datapath)
        answers.append(RulesetAnswer(priced=priced, ways=tuple(ways)))
        notes += [note for note in (frames.note, left_out) if note]
    more = _notes(ruleset, last, [way for answer in answers for way in answer.ways])
    if answers[0].priced.lcores > 1:
        more.append("more than one queue was not measured: each is taken to do as much as one")
    more.append(f"costs of {', '.join(fitted.provenance.boxes)} on a veth; the driver of a network "
                "card comes on top")  # fmt: skip
    more += of_costs
    return RulesetFits(
        path=Path(path), datapath=ruleset.datapath, hook=last, answers=tuple(answers),
        notes=tuple(dict.fromkeys((*notes, *more))), explained=explained,
    )  # fmt: skip


def _hook(named: str | None, ruleset: Ruleset) -> Hook:
    if named is None:
        return ruleset.last_hook
    for hook in HOOKS:
        if hook == named:
            return hook
    raise bad_name("hook", named, why="no incoming packet passes it", known=HOOKS)


def _check_share(established: float, ruleset: Ruleset) -> None:
    if not 0.0 <= established <= 1.0:
        raise bad_input("established", established, why="it is a share of the packets",
                        allowed="0..1", do="correct it")  # fmt: skip
    if established and not ruleset.tracks:
        raise bad_input("established", established, why="no rule asks for ct state, so flows are "
                        "not tracked", allowed="0", do="leave it out")  # fmt: skip


def _model(path: Path, datapath: str) -> tuple[ModelFile, MixPredictor]:
    fitted = load_model(path)
    known = {(work.scope, work.base) for work in fitted.mixes.works} if fitted.mixes else set()
    if fitted.mixes is None or (datapath, BARE) not in known:
        raise bad_input(
            "model", path, why=f"it has no costs of {datapath} rules",
            allowed="a model of runs of rulesets", do="linerate measure "
            "data/campaigns/rulesets.toml --out FOLDER, linerate fit FOLDER --out MODEL.json",
        )  # fmt: skip
    return fitted, fitted.mixes


def _paths(ways: Sequence[Followed]) -> tuple[PipelinePath, ...]:
    """Put frames together that take the same."""
    found: dict[tuple[object, bool], PipelinePath] = {}
    for way in ways:
        passes = way.walk.end == "accept"
        other = found.get((way.operations, passes))
        found[way.operations, passes] = PipelinePath(
            operations=way.operations, share=way.share + (other.share if other else 0.0),
            choices=other.choices if other else (f"{way.walk.decided_by}: {way.walk.end}",),
            sends=passes,
        )  # fmt: skip
    return tuple(found.values())


def _notes(ruleset: Ruleset, last: Hook, ways: Iterable[Followed]) -> list[str]:
    """Say what was assumed."""
    walks = [way.walk for way in ways]
    met = {kind for walk in walks for kind in walk.counts}
    notes = [words for kind, words in ASSUMED.items() if kind in met]
    strange = sorted({what for walk in walks for what in walk.strange})
    if strange:
        notes.append(f"not understood, or without a cost: {', '.join(strange)}: taken as no match, "
                     "or as free, and the interval is wider")  # fmt: skip
    if any(walk.end == "accept" and walk.counts["conntrack"] for walk in walks):
        notes.append("a first packet that passes is entered into the connection table: what that "
                     "takes was not measured")  # fmt: skip
    if ruleset.left_out:
        notes.append(f"left out, as not every incoming packet meets them: "
                     f"{', '.join(ruleset.left_out)}")  # fmt: skip
    if {"input", "forward"} <= set(ruleset.hooks):
        notes.append(f"packets are taken to go to {last}: --hook says otherwise")
    return notes
