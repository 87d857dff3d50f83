"""What a campaign's folder keeps of several boxes: the journal is the truth, each trial once."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from secrets import token_hex
from time import time

from linerate.errors import bad_input
from linerate.files.journal import search_from, trial_from
from linerate.files.lab_boxes import LabBoxes, changed
from linerate.files.store import Store
from linerate.measure.boxes.lab_file import Lab
from linerate.measure.boxes.orders import (
    PROTOCOL,
    RECORDS,
    SAME,
    Begin,
    Begun,
    Greeting,
    text_of,
)
from linerate.measure.boxes.turns import Canaries, Turns, Work, work_left
from linerate.measure.campaign.campaign import CampaignFile
from linerate.measure.campaign.finished import Finished, finished_searches
from linerate.measure.campaign.search_order import PlannedSearch
from linerate.measure.campaign.whole import revision
from linerate.measure.live.progress import without_canaries
from linerate.records import JournalEntry, planned_id
from linerate.searches import SearchEntry

UNKNOWN = "unknown"


def new_campaign_id() -> str:
    """Draw the id by which boxes tell a campaign's folder from all others."""
    return token_hex(8)


@dataclass(slots=True, kw_only=True)
class Books:
    """A campaign's folder while boxes of a lab measure it."""

    lab: Lab
    plan: CampaignFile
    campaign_id: str
    store: Store | None = None
    """None until a box has said that it can measure the campaign."""
    retry_failed: bool = False
    _seen: set[tuple[object, ...]] = field(default_factory=set)
    """Trials and searches of the journal."""
    _done: dict[str, Finished] = field(default_factory=dict)
    """By planned id."""
    _own: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Trials of each box's run."""
    _found: set[str] = field(default_factory=set)
    """Planned ids of finished searches."""
    _canaries: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Ids of each box's canaries."""

    def open(self, store: Store) -> None:
        """Read what the folder has."""
        self.store = store
        for entry in store.entries():
            self._count(entry)
        self._seen |= {_key(search) for search in store.searches()}
        self._found = finished_searches(store, retry_failed=self.retry_failed)

    def turns(self) -> Turns:
        """Order what is left of the plan, with canaries of each box."""
        plan, store = self.plan.campaign, self._opened()
        work = work_left(without_canaries(plan), store, retry_failed=self.retry_failed)
        if not plan.canary_every:
            return Turns(work)
        numbers = Counter({box: len(ids) for box, ids in self._canaries.items()})
        canaries = Canaries(cell=plan.canary_cell(), every=plan.canary_every, numbers=numbers)
        return Turns(work, canaries)

    def begin_text(self) -> str:
        """Give the record by which a box takes part, as JSON."""
        return text_of(Begin.of(self.campaign_id, self.plan.text, self.plan.files()))

    def check(self, greeting: Greeting, asked_s: float) -> None:
        """Refuse a box of another version, or whose clock is off.

        It answered at some time between that when it was asked, by this machine's clock, and now.

        Raises
        ------
        BadInputError
            Its words name both.
        """
        own = (PROTOCOL, version("linerate"), revision())
        got = (greeting.protocol, greeting.version, greeting.revision)
        known = own[2] != UNKNOWN and got[2] != UNKNOWN
        if got[:2] != own[:2] or (known and got[2] != own[2]):
            raise bad_input(
                f"box {greeting.box}", _version(got), why="its linerate is another than this one",
                allowed=_version(own), do="install the same linerate on every machine of the lab, "
                "and start its worker again",
            )  # fmt: skip
        skew_s = greeting.clock_s - min(max(greeting.clock_s, asked_s), time())
        most_s = self.lab.table.clock_skew_max_seconds
        if not abs(skew_s) <= most_s:  # nan is not a time either
            raise bad_input(
                f"box {greeting.box}", f"a clock {abs(skew_s):.1f} s "
                f"{'ahead' if skew_s > 0 else 'behind'}", why="its trials could not be put in "
                "order with those of other boxes", allowed=f"within {most_s:g} s "
                "(clock_skew_max_seconds)", do="set its clock, and start its worker again",
            )  # fmt: skip

    def join(self, box: str, begun: Begun) -> None:
        """Take in a box, and what it has of the campaign.

        Raises
        ------
        BadInputError
            It is another machine than its box file, than before, or than the other boxes.
        """
        store = self._opened()
        lab_boxes = LabBoxes.read(store.folder) or LabBoxes(campaign_id=self.campaign_id)
        joined = self.joined(lab_boxes, box, begun)
        if joined != lab_boxes:
            joined.write(store.folder)
        for line in begun.lines:
            self.take(line)

    def joined(self, boxes: LabBoxes, box: str, begun: Begun) -> LabBoxes:
        """Add a box to those of a campaign; nothing is written."""
        filed = self.lab.box_file(box)
        if filed is not None and filed.checked_hash != begun.machine.checked_hash:
            raise bad_input(
                f"box {box}", changed(filed, begun.machine), why="it is not the machine of its "
                "box file", allowed="the machine that the file describes", do="correct box_file, "
                "or calibrate the machine anew: linerate calibrate --out",
            )  # fmt: skip
        return boxes.joined(box, begun.machine)

    def take(self, line: str) -> None:
        """Keep a trial or search of a box, once.

        Raises
        ------
        BadInputError
            The line is neither, or not as it was written.
        """
        store, entry = self._opened(), _entry(line)
        if _key(entry) in self._seen:
            return
        if isinstance(entry, SearchEntry):
            store.append_search(entry)
            self._seen.add(_key(entry))
            self._found.add(planned_id(entry.search_id))
        else:
            store.append(entry)
            self._count(entry)

    def known(self, box: str, work: Work) -> int:
        """Count the trials that are kept of a box's run."""
        return self._own[box, work.id]

    def renewed(self, work: Work) -> Work | None:
        """Give a piece of work with what is kept of it by now; None where nothing is left."""
        if isinstance(work.planned, PlannedSearch):
            return None if work.id in self._found else work
        done = self._done.get(work.id, Finished(retries=self.plan.campaign.retries))
        again = done.failed and done == work.finished  # it is to be tried once more
        if done.is_whole(self.plan.campaign) and not again:
            return None
        return replace(work, finished=done)

    def _count(self, entry: JournalEntry) -> None:
        self._seen.add(_key(entry))
        run_id = planned_id(entry.run_id)
        before = self._done.get(run_id, Finished(retries=self.plan.campaign.retries))
        self._done[run_id] = before.and_then(entry)
        self._own[entry.box, run_id] += 1
        if entry.canary:
            self._canaries[entry.box].add(run_id)

    def _opened(self) -> Store:
        if self.store is None:
            raise RuntimeError("no folder was opened")
        return self.store


def _entry(line: str) -> JournalEntry | SearchEntry:
    read = search_from if '"search_id":' in line[:20] else trial_from
    try:
        return read(line.encode())
    except ValueError as error:
        raise bad_input("line", line[:200], why="it is neither a trial nor a search",
                        allowed=RECORDS, do=SAME) from error  # fmt: skip


def _key(entry: JournalEntry | SearchEntry) -> tuple[object, ...]:
    if isinstance(entry, SearchEntry):
        return entry.search_id, entry.started_at
    trial = entry.trial
    return entry.run_id, trial.started_at, trial.intended_packets, trial.forwarded_packets


def _version(parts: tuple[int, str, str]) -> str:
    return f"linerate {parts[1]}, source {parts[2]}, protocol {parts[0]}"
