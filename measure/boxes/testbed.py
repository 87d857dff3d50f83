"""One testbed of a lab: it measures what it is given, and keeps each trial until it is asked."""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path

from linerate.box import parse_toml
from linerate.errors import bad_input
from linerate.files.store import Provenance, Store
from linerate.measure.boxes.orders import PROTOCOL, Begin, Begun, Greeting, Kept, Order
from linerate.measure.boxes.turns import Work
from linerate.measure.campaign.campaign import Campaign, campaign_from, read_campaign
from linerate.measure.campaign.finished import Finished, finished_searches
from linerate.measure.campaign.order import PlannedRun
from linerate.measure.campaign.run import check_runnable, measure_work
from linerate.measure.campaign.search_order import PlannedSearch
from linerate.measure.campaign.whole import card_of, require_lab, revision
from linerate.measure.labs.nic import open_site
from linerate.measure.objects.calibrating.own_box import state_folder
from linerate.measure.system.describe import this_box
from linerate.records import JournalEntry, planned_id
from linerate.searches import SearchEntry

Tell = Callable[[str, str], None]
"""Called with a campaign's id and the line of a trial or search, once it is on this box's disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Testbed:
    """A testbed by its name, and the folder in which it keeps what it has measured."""

    __test__ = False  # it is none of pytest's
    name: str
    spool: Path
    tell: Tell = lambda campaign_id, line: None

    def greet(self) -> Greeting:
        """Say what this is."""
        return Greeting(
            box=self.name, protocol=PROTOCOL, version=version("linerate"), revision=revision(),
            clock_s=time.time(),
        )  # fmt: skip

    def begin(self, begin: Begin) -> Begun:
        """Take part in a campaign, once it is known that this machine can run it.

        Raises
        ------
        LinerateError
            It cannot, or what is kept here of the campaign is another plan's or machine's.
        """
        folder, files = self._folder(begin.campaign_id), begin.contents()
        campaign = campaign_from(parse_toml(begin.plan, "campaign"), "campaign")
        require_lab(campaign.lab)
        machine = this_box(nic=card_of(campaign))
        if (folder / "journal.jsonl").exists():
            store = Store.resume(folder, begin.plan, machine, files)
        else:
            about = Provenance(campaign=campaign.name, git_revision=revision(), argv=())
            store = Store.create(folder, begin.plan, machine, about, files)
        check_runnable(campaign, folder)
        return Begun(machine=machine, lines=tuple(_lines(store)))

    def measure(self, order: Order) -> Kept:
        """Measure what an order asks for and this box has not finished already.

        Returns
        -------
        All that this box has of the run or search, from whichever order.

        Raises
        ------
        BadInputError
            The campaign was not begun here.
        LinerateError
            Something but the device failed; finished trials are kept.
        """
        store = self._store(order.campaign_id)
        campaign = read_campaign(store.folder / "campaign.toml").campaign
        with alone_on_machine():
            work = self._left(order, store, campaign)
            if work is not None:
                with open_site(campaign.nic) as site:
                    measure_work(work, campaign, store, site)
        of_plan = planned_id(_id(order))
        return Kept(lines=tuple(_lines(store, of_plan)))

    def forget(self, campaign_id: str) -> None:
        """Drop what is kept of a campaign whose own journal has it all."""
        shutil.rmtree(self._folder(campaign_id), ignore_errors=True)

    def _store(self, campaign_id: str) -> Store:
        folder = self._folder(campaign_id)
        if not (folder / "journal.jsonl").exists():
            raise bad_input(
                "campaign", campaign_id, why=f"it was not begun on box {self.name}",
                allowed="a campaign that was begun here", do="go on with linerate measure --resume",
            )  # fmt: skip

        def kept(entry: JournalEntry | SearchEntry) -> None:
            self.tell(campaign_id, json.dumps(asdict(entry)))

        return Store(folder, on_kept=kept, testbed=self.name)

    def _folder(self, campaign_id: str) -> Path:
        if not campaign_id.isalnum():
            raise bad_input("campaign", campaign_id, why="it is not a campaign's id",
                            allowed="letters and digits", do="correct it")  # fmt: skip
        return self.spool / campaign_id

    def _left(self, order: Order, store: Store, campaign: Campaign) -> Work | None:
        """Find what an order leaves to do, with what this box has that nobody has counted."""
        named, of_plan = self._named(order), planned_id(_id(order))
        if isinstance(named, PlannedSearch):
            return None if of_plan in finished_searches(store) else Work(planned=named)
        own = [entry for entry in store.entries() if planned_id(entry.run_id) == of_plan]
        done, uncounted = order.finished, own[order.known :]
        for entry in uncounted:
            done = done.and_then(entry)
        if uncounted and done.is_whole(campaign):
            return None
        return Work(planned=named, finished=_after(done, own))

    def _named(self, order: Order) -> PlannedRun | PlannedSearch:
        planned = order.planned
        if isinstance(planned, PlannedSearch):
            return replace(planned, search_id=f"{planned.search_id}@{self.name}")
        if planned.canary:
            return planned
        return replace(planned, run_id=f"{planned.run_id}@{self.name}")


def _after(done: Finished, own: list[JournalEntry]) -> Finished:
    """Have what is left named after this box's own program loads: other boxes' have their names."""
    last_id = own[-1].run_id if own else ""
    return replace(done, entries=len(own), last_id=last_id)


def _id(order: Order) -> str:
    planned = order.planned
    return planned.search_id if isinstance(planned, PlannedSearch) else planned.run_id


def _lines(store: Store, of_plan: str = "") -> Iterator[str]:
    """List what a folder has, or what it has of one run or search."""
    for entry in store.entries():
        if not of_plan or planned_id(entry.run_id) == of_plan:
            yield json.dumps(asdict(entry))
    for search in store.searches():
        if not of_plan or planned_id(search.search_id) == of_plan:
            yield json.dumps(asdict(search))


def spool_of(box: str) -> Path:
    """Name the folder in which a box keeps what it has measured, where no other is named."""
    return state_folder() / "boxes" / box


@contextmanager
def alone_on_machine() -> Iterator[None]:
    """Wait until no other testbed of this machine measures; testbeds that share one take turns.

    The lock is the kernel's, on the home folder of the user who measures: no file says so, and it
    ends with the process.
    """
    handle = os.open(pwd.getpwuid(os.geteuid()).pw_dir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
