"""A whole campaign on the boxes of a lab: from its file to its table of runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from linerate.box import Box
from linerate.errors import LinerateError, bad_input
from linerate.files.alone import alone_in
from linerate.files.lab_boxes import LabBoxes
from linerate.files.store import Provenance, Store
from linerate.measure.boxes.books import Books, new_campaign_id
from linerate.measure.boxes.cluster import Answer, Cluster, Happening, Reported, SchedulerGoneError
from linerate.measure.boxes.dispatch import Dispatch, raise_refusal, refused_all
from linerate.measure.boxes.keys import Keys
from linerate.measure.boxes.lab_file import Lab
from linerate.measure.boxes.orders import Begun, Greeting, read
from linerate.measure.boxes.turns import Work
from linerate.measure.campaign.campaign import CampaignFile
from linerate.measure.campaign.whole import (
    Measured,
    Outset,
    revision,
    written,
    written_when_stopped,
)
from linerate.measure.live.progress import Hear, Progress, Reporting

LOOK_S = 0.5
"""Between two looks at which boxes are there."""
FORGET_S = 10.0
ASK_S = 60.0
"""For a box to say what it is, and whether it can measure a campaign."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """Which lab measures, and who hears of its boxes."""

    lab: Lab
    scheduler: str
    """Address, as the user wrote it."""
    say: Say = lambda line: None


def measure_on_boxes(plan: CampaignFile, outset: Outset, boxes: Boxes, hear: Hear) -> Measured:
    """Measure all of a campaign on the boxes of a lab; its tables are written.

    A run that a box has in hand is given to another once the box was silent for the lab's lease.
    Where the scheduler is gone it is waited for, for the lab's patience.

    Raises
    ------
    BadInputError
        The keys are another lab's, no box can measure it, or the folder holds something else.
    LinerateError
        Scheduler or boxes stay away; every trial that was finished is kept, by the journal or by
        its box, and ``--resume`` goes on.
    KeyboardInterrupt
        As it came; the tables hold every trial that had come back.
    """
    refuse_hosts(plan)
    keys = Keys.read(boxes.lab.keys)
    with alone_in(outset.out):
        known = LabBoxes.read(outset.out) if outset.resume else None
        books = Books(
            lab=boxes.lab, plan=plan, retry_failed=outset.retry_failed,
            campaign_id=known.campaign_id if known else new_campaign_id(),
        )  # fmt: skip
        cluster = Cluster(keys=keys, scheduler=boxes.scheduler, campaign_id=books.campaign_id)
        with cluster:
            session = _Session(boxes=boxes, books=books, cluster=cluster)
            store = _store(session, outset)
            heard = Reporting(Progress.of(plan.campaign, store, adaptive=False), hear)
            heard.begun(outset.out)
            books.open(replace(store, on_kept=heard.kept))
            with written_when_stopped(store):
                session.measure(lambda work: heard.next(work.planned))
        return written(store)


def refuse_hosts(plan: CampaignFile) -> None:
    """Refuse a campaign whose interfaces are one machine's."""
    if plan.campaign.nic is not None:
        raise bad_input(
            "lab", "nic", why="its [nic] table names the interfaces of one machine",
            allowed="veth or dpdk with --boxes", do="measure it on that machine, without --boxes",
        )  # fmt: skip


def _store(session: _Session, outset: Outset) -> Store:
    plan = session.books.plan
    if outset.resume:
        begun_on = Store(outset.out).box()
        return Store.resume(outset.out, plan.text, begun_on, plan.files())
    name, begun = session.first_box()
    about = Provenance(
        campaign=plan.campaign.name, git_revision=revision(), argv=tuple(outset.argv)
    )
    lab = session.books.joined(LabBoxes(campaign_id=session.books.campaign_id), name, begun)
    box: Box = lab.boxes[name]
    store = Store.create(outset.out, plan.text, box, about, plan.files())
    lab.write(outset.out)
    return store


@dataclass(slots=True, kw_only=True)
class _Session:
    """A campaign while a lab measures it."""

    boxes: Boxes
    books: Books
    cluster: Cluster
    dispatch: Dispatch = field(init=False)
    _last_s: float = field(init=False)
    """When a box was there last."""

    def first_box(self) -> tuple[str, Begun]:
        """Find a box that can measure the campaign; wait for one where none is there."""
        end_s, announced = time.monotonic() + self.boxes.lab.table.patience_seconds, False
        while time.monotonic() < end_s:
            refusals: list[LinerateError] = []
            for name, address in self._there().items():
                try:
                    return name, self._begun(name, address)
                except LinerateError as refusal:
                    refusals.append(refusal)
            if refusals:
                raise refusals[0]
            if not announced:
                self.boxes.say(f"Waiting for a box: {', '.join(self.boxes.lab.names)}")
                announced = True
            time.sleep(LOOK_S)
        raise self._nobody()

    def measure(self, on_next: Callable[[Work], None]) -> None:
        """Measure all that is left."""
        self.dispatch = Dispatch(
            books=self.books, turns=self.books.turns(), carrier=self.cluster,
            lease_s=self.boxes.lab.table.lease_seconds, on_next=on_next,
            on_refused=lambda box, error: self.boxes.say(f"{error}; box {box} is left out"),
            on_given_up=self._given_up,
        )  # fmt: skip
        self._last_s = time.monotonic()
        while not self.dispatch.is_over:
            try:
                self._look()
                self._hear(time.monotonic() + LOOK_S)
            except SchedulerGoneError as gone:
                self._reconnect(gone)
        self._forget()

    def _look(self) -> None:
        """See which boxes are there, once all is taken that they have said."""
        there, now_s = self._there(), time.monotonic()
        for _ in range(self.cluster.happenings.qsize()):
            self._take(self.cluster.next(0.0))
        self.dispatch.look(there, now_s)
        if error := refused_all(self.dispatch.seats):
            raise error
        if there:
            self._last_s = now_s
        elif now_s - self._last_s > self.boxes.lab.table.patience_seconds:
            raise self._nobody()

    def _hear(self, end_s: float) -> None:
        """Take what comes until some time."""
        while (left_s := end_s - time.monotonic()) > 0 and not self.dispatch.is_over:
            self._take(self.cluster.next(left_s))

    def _take(self, happening: Happening | None) -> None:
        if isinstance(happening, Reported):
            self.books.take(happening.line)
        elif happening is not None:
            self.dispatch.hear(happening.box, happening.number, happening.text)

    def _given_up(self, box: str, work: Work) -> None:
        lease_s = self.boxes.lab.table.lease_seconds
        self.boxes.say(f"Box {box} is silent for {lease_s:g} s: {work.id} goes to another")

    def _reconnect(self, gone: SchedulerGoneError) -> None:
        """Wait until the scheduler is there again."""
        table = self.boxes.lab.table
        self.boxes.say(f"{gone}; it is waited for, {table.patience_seconds:g} s at most")
        self.dispatch.forsake()
        end_s = time.monotonic() + table.patience_seconds
        while time.monotonic() < end_s:
            with suppress(SchedulerGoneError):
                self.cluster.connect()
                self._last_s = time.monotonic()
                return
            time.sleep(LOOK_S)
        raise LinerateError(
            f"{gone}; what was measured is kept here and by the boxes: start it again "
            "(linerate scheduler), then go on with --resume"
        ) from gone

    def _forget(self) -> None:
        """Have the boxes drop what they keep of the campaign: its journal has it all."""
        with suppress(SchedulerGoneError):
            asked = {
                self.cluster.ask(name, address, "forget", self.books.campaign_id)
                for name, address in self._there().items() if name in self.dispatch.seats
            }  # fmt: skip
            end_s = time.monotonic() + FORGET_S
            while asked and (left_s := end_s - time.monotonic()) > 0:
                happening = self.cluster.next(left_s)
                if isinstance(happening, Answer):
                    asked.discard(happening.number)

    def _there(self) -> dict[str, str]:
        found = self.cluster.boxes()
        return {name: found[name] for name in self.boxes.lab.names if name in found}

    def _begun(self, name: str, address: str) -> Begun:
        asked_s = time.time()
        self.books.check(read(Greeting, self._answer(name, address, "greet", "")), asked_s)
        return read(Begun, self._answer(name, address, "begin", self.books.begin_text()))

    def _answer(self, name: str, address: str, method: str, text: str) -> str:
        """Ask a box and wait for what it says."""
        number, end_s = self.cluster.ask(name, address, method, text), time.monotonic() + ASK_S
        while (left_s := end_s - time.monotonic()) > 0:
            happening = self.cluster.next(left_s)
            if isinstance(happening, Answer) and happening.number == number and happening.text:
                raise_refusal(name, happening.text)
                return happening.text
        raise LinerateError(f"box {name}: it said nothing for {ASK_S:g} s")

    def _nobody(self) -> LinerateError:
        table = self.boxes.lab.table
        return LinerateError(
            f"boxes={', '.join(self.boxes.lab.names)}: none was there for "
            f"{table.patience_seconds:g} s (patience_seconds); start linerate worker NAME on them, "
            "then go on with --resume, or begin again where nothing was measured yet"
        )
