"""What attacks have come to so far: a file that each one adds to, so that they go on."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from .campaigns import Found
from .siege import KINDS, Siege


@dataclass(slots=True)
class State:
    """Counts of attacks, and of what was wrong."""

    path: Path
    done: Counter[str] = field(default_factory=Counter)
    """By datapath and fault."""
    phases: Counter[str] = field(default_factory=Counter)
    """Kills by what the campaign was at."""
    moments: Counter[str] = field(default_factory=Counter)
    """Drawn for kills, by datapath."""
    exits: Counter[str] = field(default_factory=Counter)
    """Campaigns by the code with which they ended by themselves, most after a killed child."""
    sums: Counter[str] = field(default_factory=Counter)
    """Campaigns; of these wrong ones; trials that were in a journal when a fault came."""

    @classmethod
    def read(cls, path: Path, *, anew: bool = False) -> Self:
        """Go on with what a file says, if there is one."""
        state = cls(path)
        if path.exists() and not anew:
            for name, counts in json.loads(path.read_text()).items():
                getattr(state, name).update(counts)
        return state

    def write(self) -> None:
        """Keep it; whoever ends meanwhile leaves what was there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_suffix(".new")
        parts = ("done", "phases", "moments", "exits", "sums")
        fresh.write_text(json.dumps({name: getattr(self, name) for name in parts}, indent=1))
        fresh.replace(self.path)

    def count(self, datapath: str, fault: str) -> int:
        """How often a fault befell campaigns on a datapath."""
        return self.done[f"{datapath}, {fault}"]

    def kills(self, datapath: str) -> int:
        """Count kills of any kind on a datapath."""
        return sum(self.count(datapath, kind) for kind in KINDS)

    def add(self, datapath: str, fault: str, found: Found) -> None:
        """Add one attack, and say what was wrong."""
        self.done[f"{datapath}, {fault}"] += 1
        self._judged(f"{datapath}, {fault} {self.count(datapath, fault)}", found)

    def add_siege(self, datapath: str, siege: Siege) -> None:
        """Add the kills of one campaign, and say what was wrong."""
        for kind, number in siege.kills.items():
            self.done[f"{datapath}, {kind}"] += number
        self.phases.update(siege.phases)
        self.moments[datapath] += siege.moments
        self.exits.update(siege.exits)
        self._judged(f"{datapath}, kills to {self.kills(datapath)}", siege.found)

    def _judged(self, what: str, found: Found) -> None:
        for words in found.words:
            print(f"{what}: {words}", flush=True)
        self.sums.update(campaigns=1, wrong=bool(found.words), kept=found.kept)

    def __str__(self) -> str:
        kills = sum(count for name, count in self.done.items() if name.split(", ")[1] in KINDS)
        return "\n".join([
            f"datapaths: {self._by(0)}", f"faults: {self._by(1)}",
            f"kills: {kills}, at: {_said(self.phases)}",
            f"codes of campaigns that ended by themselves: {_said(self.exits)}",
            f"campaigns: {self.sums['campaigns']}, all gone on with to their end but "
            f"{self.sums['wrong']} that left or lost something; "
            f"{self.sums['kept']} finished trials were in the journals when a fault came",
        ])  # fmt: skip

    def _by(self, place: int) -> str:
        sums: Counter[str] = Counter()
        for name, count in self.done.items():
            sums[name.split(", ")[place]] += count
        return _said(sums)


def _said(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
