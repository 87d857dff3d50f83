"""What gives out runs, without Dask and without waiting: boxes and their time are simulated."""

import heapq
import json
import tomllib
from collections import Counter
from dataclasses import asdict, dataclass, field
from importlib.metadata import version

import numpy as np
import pytest

from linerate.box import Box
from linerate.errors import BadInputError
from linerate.files.lab_boxes import LabBoxes
from linerate.files.store import Provenance, Store
from linerate.measure.boxes.books import Books
from linerate.measure.boxes.dispatch import Dispatch
from linerate.measure.boxes.lab_file import Lab, LabTable
from linerate.measure.boxes.orders import (
    PROTOCOL,
    Begin,
    Begun,
    Greeting,
    Kept,
    Order,
    Refusal,
    read,
    text_of,
)
from linerate.measure.campaign.campaign import CampaignFile, campaign_from
from linerate.measure.campaign.finished import finished_trials
from linerate.measure.campaign.whole import revision
from linerate.records import JournalEntry, Trial, Verdict, planned_id

from ..campaign.plans import plan

LEASE_S, RUN_S, LOOK_S = 30.0, 10.0, 1.0
MACHINE = Box(
    name="simulated", cpu_model="none", cores=2, threads_per_core=1, memory_gib=8.0, kernel="6.18",
    mitigations={}, governor="none", hypervisor="none", nic="veth",
)  # fmt: skip


class TrustingBooks(Books):
    """Of boxes whose clock is not this machine's."""

    def check(self, greeting, asked_s):
        assert greeting.protocol == PROTOCOL


@dataclass(slots=True, kw_only=True)
class Boxes:
    """Boxes that keep what they measure, and are away at times: (from, until) in seconds."""

    away: dict
    refuses: str = ""
    says: dict = field(default_factory=dict)
    """By box: what it answers whatever is asked."""
    way_s: float = 0.0
    """That an answer is on its way."""
    now_s: float = 0.0
    kept: dict = field(default_factory=dict)
    busy_until_s: dict = field(default_factory=dict)
    """By address: what a box measured ended when it was killed."""
    orders: list = field(default_factory=list)
    """Box, run and time of each order."""
    answers: list = field(default_factory=list)
    asked: int = 0

    def is_there(self, box, at_s):
        return not any(begin <= at_s < end for begin, end in self.away[box])

    def there(self):
        """Boxes by address: who comes back has another one."""
        return {
            box: f"{box}:{sum(end <= self.now_s for _, end in times)}"
            for box, times in self.away.items() if self.is_there(box, self.now_s)
        }  # fmt: skip

    def ask(self, box, address, method, text):
        self.asked += 1
        at_s, lines = self.now_s, self.kept.setdefault(box, [])
        if method == "greet":
            answer = Greeting(box=box, protocol=PROTOCOL, version="", revision="", clock_s=0.0)
        elif method == "begin" and box == self.refuses:
            answer = Refusal(error="no veth here", exit_code=4)
        elif method == "begin":
            answer = Begun(machine=MACHINE, lines=tuple(lines))
        else:
            assert self.now_s >= self.busy_until_s.get(address, 0.0), f"{box} measures already"
            order = read(Order, text)
            assert order.run
            self.orders.append((box, order.run.run_id, self.now_s))
            at_s = self.busy_until_s[address] = self.now_s + RUN_S
            if self.is_there(box, self.now_s) and self.is_there(box, at_s):
                lines.append(line(order, box, at_s))
            answer = Kept(lines=tuple(each for each in lines if order.run.run_id in each))
        if self.is_there(box, at_s):
            text = self.says.get(box, text_of(answer))
            heapq.heappush(self.answers, (at_s + self.way_s, self.asked, box, text))
        return self.asked

    def drop(self, number):
        """Leave it."""


def line(order, box, at_s):
    """The journal's line of a trial that ended then."""
    run = order.run
    trial = Trial(
        duration_s=1.0, intended_packets=100, sent_packets=100, forwarded_packets=100,
        started_at=f"1970-01-01T00:{int(at_s) // 60:02}:{at_s % 60:06.3f}+00:00",
    )  # fmt: skip
    name = run.run_id if run.canary else f"{run.run_id}@{box}"
    entry = JournalEntry(
        run_id=name, repetition=run.repetition, canary=run.canary, cell=run.cell, trial=trial,
        verdict=Verdict(state="valid"), program_hash="", box=box, cost="accesses",
    )  # fmt: skip
    return json.dumps(asdict(entry))


@dataclass(slots=True, kw_only=True)
class Measured:
    """A campaign that came to its end."""

    boxes: Boxes
    store: Store
    campaign: object
    refusals: dict

    @property
    def runs(self):
        """Planned runs by how often the journal has them, canaries aside."""
        entries = self.store.entries()
        return Counter(planned_id(entry.run_id) for entry in entries if not entry.canary)


@pytest.fixture
def measured(tmp_path):
    def measure(boxes):
        text = plan()
        campaign = campaign_from(tomllib.loads(text), "plan")
        about = Provenance(campaign=campaign.name, git_revision="", argv=())
        store = Store.create(tmp_path / "out", text, MACHINE, about)
        LabBoxes(campaign_id="0").write(store.folder)
        table = LabTable.model_validate({"boxes": [{"name": name} for name in boxes.away]})
        books = TrustingBooks(lab=Lab(table=table, path=tmp_path / "lab.toml"), campaign_id="0",
                              plan=CampaignFile(campaign=campaign, text=text))  # fmt: skip
        books.open(store)
        refusals = {}
        dispatch = Dispatch(
            books=books, turns=books.turns(), carrier=boxes, lease_s=LEASE_S,
            on_next=lambda work: None, on_refused=refusals.__setitem__,
        )  # fmt: skip
        look_at_s = 0.0
        while not dispatch.is_over:
            assert look_at_s < 3600.0, "it never ends"
            if boxes.answers and boxes.answers[0][0] <= look_at_s:
                boxes.now_s, number, box, text = heapq.heappop(boxes.answers)
                dispatch.hear(box, number, text)
            else:
                boxes.now_s = look_at_s
                dispatch.look(boxes.there(), look_at_s)
                look_at_s += LOOK_S
        return Measured(boxes=boxes, store=store, campaign=campaign, refusals=refusals)

    return measure


def assert_whole(done):
    """Every planned run is in the journal, and none twice under one name."""
    planned = done.campaign.repetitions * len(done.campaign.cells())
    finished = finished_trials(done.store, done.campaign)
    runs = {run_id for run_id in finished if not run_id.startswith("canary")}
    assert len(runs) == planned
    assert all(each.is_whole(done.campaign) for each in finished.values())
    names = [entry.run_id for entry in done.store.entries()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("seed", range(5))
def test_boxes_that_come_and_go_lose_no_run(measured, seed):
    rng = np.random.default_rng(seed)
    away = {"steady": []}
    for box in ("alpha", "beta", "gamma"):
        at_s = np.cumsum(rng.exponential(2 * LEASE_S, 8))
        away[box] = list(zip(at_s[::2], at_s[1::2], strict=True))
    assert_whole(measured(Boxes(away=away)))


def test_boxes_share_the_runs_evenly_and_measure_each_once(measured):
    done = measured(Boxes(away={"alpha": [], "beta": []}))
    assert_whole(done)
    assert set(done.runs.values()) == {1}
    by_box = Counter(entry.box for entry in done.store.entries() if not entry.canary)
    assert abs(by_box["alpha"] - by_box["beta"]) <= 1


def in_hand(done, box, at_s):
    """The run that a box was given last before a time; canaries come before the first."""
    return [run for name, run, given_s in done.boxes.orders if name == box and given_s < at_s][-1]


def test_what_a_silent_box_has_in_hand_goes_to_another_after_its_lease(measured):
    gone_s = 1.5 * RUN_S
    done = measured(Boxes(away={"alpha": [(gone_s, 1e9)], "beta": []}))
    assert_whole(done)
    lost = in_hand(done, "alpha", gone_s)
    ((box, _, again_s),) = [order for order in done.boxes.orders if order[1] == lost][1:]
    assert box == "beta"
    assert again_s >= gone_s + LEASE_S


def test_an_answer_that_comes_after_its_box_is_gone_counts_and_nobody_measures_it_again(measured):
    way_s = 2 * LOOK_S
    canary_s = 2 * way_s + RUN_S  # it greets, and takes part, and measures
    gone_s = canary_s + way_s + RUN_S + 0.1
    done = measured(Boxes(away={"alpha": [(gone_s, 1e9)], "beta": []}, way_s=way_s))
    assert_whole(done)
    finished = in_hand(done, "alpha", gone_s)
    assert [box for box, run, _ in done.boxes.orders if run == finished] == ["alpha"]
    assert set(done.runs.values()) == {1}


def test_a_box_that_is_back_in_time_measures_what_it_had_in_hand(measured):
    gone_s = 1.5 * RUN_S
    done = measured(Boxes(away={"alpha": [(gone_s, gone_s + LEASE_S / 2)], "beta": []}))
    assert_whole(done)
    kept = in_hand(done, "alpha", gone_s)
    assert {box for box, run, _ in done.boxes.orders if run == kept} == {"alpha"}
    assert set(done.runs.values()) == {1}


def test_a_box_that_refuses_is_named_and_the_others_go_on(measured):
    done = measured(Boxes(away={"alpha": [], "beta": []}, refuses="beta"))
    assert_whole(done)
    assert list(done.refusals) == ["beta"]
    assert "no veth here" in str(done.refusals["beta"])
    assert {entry.box for entry in done.store.entries()} == {"alpha"}


@pytest.mark.parametrize(
    "text", ["[]", "3", "{", "[" * 5000, '{"lines": ["{}"]}', '{"lines": [1]}', '{"machine": 1}',
             '{"clock_s": "late"}', '{"lines": ["\\ud800"]}'],
)  # fmt: skip
def test_a_box_that_answers_what_no_box_says_is_refused_in_words(measured, text):
    done = measured(Boxes(away={"alpha": [], "beta": []}, says={"beta": text}))
    assert_whole(done)
    assert list(done.refusals) == ["beta"]
    assert "install the same linerate on every machine" in str(done.refusals["beta"])


def test_an_answer_that_comes_too_late_and_is_none_is_left(measured):
    away = {"alpha": [(0.5, 4 * RUN_S)], "beta": []}
    done = measured(Boxes(away=away, says={"alpha": "{"}, way_s=RUN_S))
    assert_whole(done)


def test_files_that_did_not_come_as_they_were_sent_are_refused():
    begin = Begin(campaign_id="0", plan="", files={"rules.nft": "abc"})
    with pytest.raises(BadInputError, match=r"files=rules\.nft: one is not base64"):
        begin.contents()


def test_a_clock_that_says_no_time_is_refused(tmp_path):
    table = LabTable.model_validate({"boxes": [{"name": "alpha"}]})
    plan_file = CampaignFile(campaign=campaign_from(tomllib.loads(plan()), "plan"), text=plan())
    books = Books(lab=Lab(table=table, path=tmp_path / "lab.toml"), campaign_id="0", plan=plan_file)
    greeting = Greeting(box="alpha", protocol=PROTOCOL, version=version("linerate"),
                        revision=revision(), clock_s=float("nan"))  # fmt: skip
    with pytest.raises(BadInputError, match="a clock nan s"):
        books.check(greeting, 0.0)
