"""What is answered about a user's own ruleset."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from linerate.measure.rulesets.follow import Followed
from linerate.measure.rulesets.ruleset import Hook, Rule
from linerate.models.pipelines import PathCase, PipelineAnswer
from linerate.units import short, wire_bytes

RULES_SHOWN = 12
SHOWN_NS = 1.0
"""What another core adds, from which on the time on all of them is printed."""
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

    @property
    def translated(self) -> float:
        """Share of the packets that have an address translated, 0 to 1."""
        return sum(way.share for way in self.ways if way.walk.translations)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        plain = self.priced.to_dict()
        return plain | {
            "queues": plain.pop("lcores"), "rules_mean": self.rules_mean,
            "rules_worst": self.rules_worst, "drop_ratio": self.dropped,
            "translated_ratio": self.translated,
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
        translated = f", {self.translated:.0%} translated" if self.translated else ""
        lines.append(f"  walks {self.rules_mean:.4g} rules, at worst {self.rules_worst}; "
                     f"{self.dropped:.0%} dropped{translated}")  # fmt: skip
        return "\n".join(lines)

    def _case(self, place: int, case: PathCase) -> str:
        rates = self.priced.rates
        mpps = float(rates.predicted_mpps[place])
        gbps = 8e-3 * mpps * float(wire_bytes(self.priced.frame_bytes))
        cores = self.priced.lcores
        outside = "" if case.inside_on(cores) else "; outside what was measured"
        shared = f"; {short(case.on(cores), 4)} ns on {cores} cores" if cores > 1 and (
            case.shared_ns >= SHOWN_NS) else ""  # fmt: skip
        return (f"  {case.name:8} {mpps:.4g} Mpps ({rates.lower_mpps[place]:.4g} to "
                f"{rates.upper_mpps[place]:.4g}, 90 %), {gbps:.4g} Gbit/s of "
                f"the line: {case}{shared}{outside}")  # fmt: skip


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
        ran = all(answer.priced.cases[1].priced for answer in self.answers)
        how = ("Run on these frames, on one core." if ran
               else "Not run: the rules that packets walk are priced.")  # fmt: skip
        lines = [f"Does {self.path} ({self.datapath}, up to {self.hook}) sustain line rate? {how}"]
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
