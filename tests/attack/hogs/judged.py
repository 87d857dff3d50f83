"""Trials of one cell, each with a hog beside it or none, and what became of them."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import LinerateError
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.datapaths.swx.runner import TRIAL_SECONDS_MAX, SwxReport, SwxRunner
from linerate.measure.generators import live_frames
from linerate.measure.generators.live_frames import TrafficReport
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.validity import judge
from linerate.records import Trial

from .cells import CELLS, WANTED, cores
from .classes import hog
from .trace import Cores, Lab, Span, descendants, events_of, traced

TIMING = Timing(warm_up_seconds=0.05, seconds=0.3)
NOBODY, FAILED = "none", "no trial"


@dataclass(slots=True, kw_only=True)
class Judged:
    """One trial: what happened beside it, and what was said of it."""

    cell: str
    hog: str
    """Class of the hog, or that there was none."""
    process: int
    """Of the hog; 0 for none."""
    state: str = FAILED
    """Of the verdict."""
    reasons: tuple[str, ...] = ()
    contended_ratio: float = 0.0
    steal_ratio: float = 0.0
    began_ns: int = 0
    """Of its window, by the monotonic clock."""
    duration_ns: int = 0
    hog_ratio: float = 0.0
    """Most of the window that the hog had a core while the lab wanted it."""
    taken_ratio: float = 0.0
    """The same of anybody but the lab."""
    ran_ratio: float = 0.0
    """Most of the window that anybody else had a core of the lab's, wanted or not."""
    idle_ratio: float = 0.0
    """Most of it that nobody had one of these cores."""
    beside_ratio: float = 0.0
    """Most of it that main threads of the lab's, or the kernel's that poll for all, had one."""
    late_ratio: float = 0.0
    """How much longer than asked the runner found it, where it says so."""

    def compare(self, seen: Cores) -> None:
        """Note how much of it others took."""
        if self.duration_ns:
            wanted = WANTED[self.cell]
            taken = seen.taken | {each for each in seen.ran if each.core in wanted}
            self.hog_ratio = self._ratio(each for each in taken if each.by == self.process)
            self.taken_ratio = self._ratio(taken)
            self.ran_ratio = self._ratio(seen.ran)
            self.idle_ratio = self._ratio(seen.idle)
            self.beside_ratio = self._ratio(seen.beside)

    def _ratio(self, spans: Iterable[Span]) -> float:
        sums: Counter[int] = Counter()
        for each in spans:
            begin = max(each.begin_ns, self.began_ns)
            end = min(each.end_ns, self.began_ns + self.duration_ns)
            if each.core in cores(CELLS[self.cell]):
                sums[each.core] += max(0, end - begin)
        return max(sums.values(), default=0) / self.duration_ns


def judged(name: str, kinds: Sequence[str], rng: random.Random, folder: Path) -> list[Judged]:
    """Run a trial of a cell beside each of these hogs, and tell how much others took of it."""
    recorded, trials = folder / "perf.data", []
    with _reported() as reports, open_bench(CELLS[name]) as bench:
        lab = Lab(owner=os.getpid(), threads=descendants(os.getpid()))
        with traced(recorded):
            for kind in kinds:
                reports.clear()
                trials.append(_beside(name, kind, bench, rng))
                if trials[-1].state != FAILED:
                    trials[-1].began_ns = reports[-1].began_ns
                    trials[-1].duration_ns = reports[-1].duration_ns
                    if isinstance(reports[-1], TrafficReport):
                        trials[-1].late_ratio = reports[-1].late_ns / reports[-1].duration_ns
    lab.others |= {trial.process for trial in trials}
    seen = Cores(lab)
    seen.follow(events_of(recorded))
    for trial in trials:
        trial.compare(seen)
    return trials


def _beside(name: str, kind: str, bench: Bench, rng: random.Random) -> Judged:
    cell = CELLS[name]
    with nullcontext(0) if kind == NOBODY else hog(kind, rng.choice(cores(cell)), rng) as process:
        judgement = Judged(cell=name, hog=kind, process=process)
        try:
            trial: Trial = bench.run_trial(cell.load, TIMING)
        except LinerateError as error:
            judgement.reasons = (str(error),)
            return judgement
    verdict = judge(cell, trial)
    judgement.state, judgement.reasons = verdict.state, verdict.reasons
    judgement.contended_ratio, judgement.steal_ratio = trial.contended_ratio, trial.steal_ratio
    return judgement


@contextmanager
def _reported() -> Iterator[list[TrafficReport | SwxReport]]:
    """Collect what runners report while the context lasts."""
    reports: list[TrafficReport | SwxReport] = []
    parse, ask = live_frames.parse_report, SwxRunner.trial

    def parsed(line: str) -> TrafficReport:
        reports.append(report := parse(line))
        return report

    def asked(self: SwxRunner, flags: list[str], limit_s: float = TRIAL_SECONDS_MAX) -> SwxReport:
        reports.append(report := ask(self, flags, limit_s))
        return report

    live_frames.parse_report, SwxRunner.trial = parsed, asked
    try:
        yield reports
    finally:
        live_frames.parse_report, SwxRunner.trial = parse, ask
