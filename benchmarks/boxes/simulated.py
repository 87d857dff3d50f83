"""Makespan of a campaign of 100 cells on 1 to 1000 simulated boxes, 5 % of which are killed.

``python -m benchmarks.boxes.simulated [--boxes N...] [--trial-seconds S] [--figure FILE]``: what
gives out runs, notices silent boxes and keeps the journal is the code of ``linerate measure
--boxes``; simulated are the boxes, the way to them and the time. Each box has a hundred runs to
measure. Asked are a makespan within 5 % of the sum of all trial times over the boxes, no trial
beside another on a box, and none lost.
"""

from __future__ import annotations

import argparse
import heapq
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np
from benchmarks.boxes.drawn import MACHINE, Draws, lab_of, plan_of

from linerate.files.lab_boxes import LabBoxes
from linerate.files.store import Provenance, Store
from linerate.measure.boxes.books import Books
from linerate.measure.boxes.dispatch import Dispatch
from linerate.measure.boxes.orders import PROTOCOL, Begun, Greeting, Kept, Order, read, text_of
from linerate.measure.boxes.run import LOOK_S
from linerate.measure.campaign.campaign import CampaignFile
from linerate.measure.campaign.finished import finished_trials

BOXES = (1, 3, 10, 30, 100, 300, 1000)
KILLED_RATIO, LEASE_S, WITHIN_RATIO = 0.05, 30.0, 0.05
NOTICE_S = 0.002
"""For an answer to go its way."""


@dataclass(slots=True, kw_only=True)
class SimulatedLab:
    """Boxes that answer at their time, until they are killed."""

    plan: CampaignFile
    draws: Draws
    rng: np.random.Generator
    killed_at_s: dict[str, float]
    now_s: float = 0.0
    trial_s: float = 0.0
    """Of all trials that came to an end."""
    beside: int = 0
    """Trials that began while their box had another."""
    busy_until_s: dict[str, float] = field(default_factory=dict)
    events: list[tuple[float, int, str, int, str]] = field(default_factory=list)
    numbers: count[int] = field(default_factory=lambda: count(1))

    def ask(self, box: str, address: str, method: str, text: str) -> int:
        """Have a box answer at its time, if it lives until then."""
        number, at_s = next(self.numbers), self.now_s + NOTICE_S
        if method == "greet":
            answer = text_of(Greeting(box=box, protocol=PROTOCOL, version="", revision="",
                                      clock_s=0.0))  # fmt: skip
        elif method == "begin":
            answer = text_of(Begun(machine=MACHINE, lines=()))
        else:
            self.beside += self.now_s < self.busy_until_s.get(box, 0.0)
            took_s = self.draws.time_s(self.plan, self.rng)
            line = self.draws.line(read(Order, text), box, self.now_s, self.rng)
            self.busy_until_s[box] = self.now_s + took_s
            at_s, answer = self.now_s + took_s + NOTICE_S, text_of(Kept(lines=(line,)))
            if at_s < self.killed_at_s[box]:
                self.trial_s += took_s
        if at_s < self.killed_at_s[box]:
            heapq.heappush(self.events, (at_s, number, box, number, answer))
        return number

    def drop(self, number: int) -> None:
        """Leave it: who asks no more leaves the answer."""

    def there(self) -> dict[str, str]:
        """List the boxes that live."""
        return {box: box for box, at_s in self.killed_at_s.items() if self.now_s < at_s}


class TrustingBooks(Books):
    """Books of boxes whose version and clock are simulated, too."""

    def check(self, greeting: Greeting, asked_s: float) -> None:
        """Take them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a campaign came to."""

    boxes: int
    killed: int
    makespan_ratio: float
    """Over the sum of trial times by the number of boxes."""
    there_ratio: float
    """Time that boxes were there, over the sum of trial times: what killed boxes would have
    measured is not part of it."""
    beside: int
    lost: int
    took_s: float

    @property
    def is_kept(self) -> bool:
        """Whether what is asked is kept."""
        return self.makespan_ratio <= 1.0 + WITHIN_RATIO and not self.beside and not self.lost


def measured(boxes: int, seconds: float, killed_ratio: float, rng: np.random.Generator) -> Outcome:
    """Measure a campaign on so many boxes."""
    plan = plan_of(boxes, seconds)
    draws, lab = Draws.of(plan), lab_of(boxes, LEASE_S)
    about_s = 100 * (seconds + 0.8)
    dead = set(rng.permutation(boxes)[: int(killed_ratio * boxes)].tolist())
    killed_at_s = {
        name: float(rng.uniform(0.0, about_s)) if number in dead else float("inf")
        for number, name in enumerate(lab.names)
    }
    simulated = SimulatedLab(plan=plan, draws=draws, rng=rng, killed_at_s=killed_at_s)
    begun_s = time.perf_counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:  # no disk is part of this
        about = Provenance(campaign=plan.campaign.name, git_revision="", argv=())
        store = Store.create(Path(folder) / "out", plan.text, MACHINE, about)
        LabBoxes(campaign_id="0").write(store.folder)
        books = TrustingBooks(lab=lab, plan=plan, campaign_id="0")
        books.open(store)
        _run(simulated, books)
        done = finished_trials(store, plan.campaign)
        lost = sum(not each.is_whole(plan.campaign) for each in done.values())
        lost += boxes * 100 - len(done)
    return Outcome(
        boxes=boxes, killed=len(dead), beside=simulated.beside, lost=lost,
        makespan_ratio=simulated.now_s / (simulated.trial_s / boxes),
        there_ratio=sum(min(at_s, simulated.now_s) for at_s in killed_at_s.values())
        / simulated.trial_s,
        took_s=time.perf_counter() - begun_s,
    )  # fmt: skip


def _run(lab: SimulatedLab, books: Books) -> None:
    dispatch = Dispatch(
        books=books, turns=books.turns(), carrier=lab, lease_s=LEASE_S,
        on_next=lambda work: None, on_refused=lambda box, error: print(error, file=sys.stderr),
    )  # fmt: skip
    look_at_s = 0.0
    while not dispatch.is_over:
        if lab.events and lab.events[0][0] <= look_at_s:
            lab.now_s, _, box, number, text = heapq.heappop(lab.events)
            dispatch.hear(box, number, text)
        else:
            lab.now_s = look_at_s
            dispatch.look(lab.there(), lab.now_s)
            look_at_s += LOOK_S


def drawn(outcomes: list[Outcome], path: Path) -> None:
    """Draw the curve."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.0, 3.2), layout="constrained")
    axes.axhline(5.0, color="grey", linestyle="--", linewidth=1)
    axes.annotate("asked: at most 5 %", (1.0, 4.7), color="grey", fontsize=8)
    for killed, label in ((False, "none killed"), (True, "5 % of the boxes killed")):
        own = [each for each in outcomes if bool(each.killed) == killed]
        axes.plot(
            [each.boxes for each in own], [100 * (each.makespan_ratio - 1) for each in own],
            marker="o", label=label,
        )  # fmt: skip
    axes.set(xscale="log", xlabel="Boxes", ylabel="Makespan over its bound (%)", ylim=(-0.2, 5.5))
    axes.set_xticks(BOXES, [str(boxes) for boxes in BOXES], minor=False)
    axes.minorticks_off()
    axes.legend(fontsize=8, frameon=False, loc="center left")
    figure.savefig(path, dpi=150)


def main() -> int:
    """Print a line for each number of boxes; 1 where what is asked is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boxes", type=int, nargs="+", default=list(BOXES))
    parser.add_argument("--trial-seconds", type=float, default=60.0)
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    rng, outcomes = np.random.default_rng(20261123), []
    print("boxes  killed  over bound  over time there  beside  lost  seconds of this benchmark")
    for boxes in given.boxes:
        for killed_ratio in (0.0, KILLED_RATIO):
            if killed_ratio and int(killed_ratio * boxes) == 0:
                continue
            one = measured(boxes, given.trial_seconds, killed_ratio, rng)
            outcomes.append(one)
            print(f"{one.boxes:5}  {one.killed:6}  {one.makespan_ratio - 1:10.2%}  "
                  f"{one.there_ratio - 1:15.2%}  {one.beside:6}  {one.lost:4}  {one.took_s:.1f}",
                  flush=True)  # fmt: skip
    most_gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"memory of the campaign's process, simulation included: {most_gib:.2f} GiB at most")
    if given.figure:
        drawn(outcomes, given.figure)
    return 0 if all(each.is_kept for each in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
