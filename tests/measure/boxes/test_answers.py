"""What boxes answer comes by the way that their lines come, without being fetched from them."""

import asyncio
import time
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

import pytest

from linerate.measure.boxes.cluster import Answer, Cluster
from linerate.measure.boxes.keys import Keys
from linerate.measure.boxes.lab_file import read_lab
from linerate.measure.boxes.orders import Greeting, Kept, Order, read, text_of
from linerate.measure.boxes.serving import (
    REPORTED_CHARACTERS_MAX,
    Listening,
    Served,
    serve_scheduler,
    serve_worker,
)
from linerate.measure.boxes.testbed import Testbed
from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.campaign.order import PlannedRun

from ..campaign.plans import plan
from .lab import PATIENCE_SECONDS, free_port

LONG = "c2-r1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringTestbed(Testbed):
    """Has measured already what it is asked for."""

    def measure(self, order):
        assert order.run
        times = REPORTED_CHARACTERS_MAX if order.run.run_id == LONG else 1
        return Kept(lines=(order.run.run_id * times,))


@contextmanager
def serving(lab, testbed):
    """Serve a lab of one box on this machine; its scheduler's address."""
    address = f"127.0.0.1:{free_port()}"
    scheduler = Listening(port=int(address.split(":")[1]))
    box = Served(lab=lab, testbed=testbed, scheduler=address, listening=Listening())
    loop = asyncio.new_event_loop()

    async def serve():
        await asyncio.gather(
            serve_scheduler(lab, scheduler, lambda line: None),
            serve_worker(box, lambda line: None),
            return_exceptions=True,
        )

    task = loop.create_task(serve())
    thread = Thread(target=lambda: loop.run_until_complete(asyncio.wait([task])))
    thread.start()
    yield address
    loop.call_soon_threadsafe(task.cancel)
    thread.join(PATIENCE_SECONDS)
    loop.close()


@pytest.fixture
def cluster(tmp_path):
    (tmp_path / "lab.toml").write_text('[[boxes]]\nname = "alpha"\n')
    lab = read_lab(tmp_path / "lab.toml")
    keys = Keys.read_or_make(lab.keys)
    testbed = AnsweringTestbed(name="alpha", spool=tmp_path / "spool")
    with (
        serving(lab, testbed) as address,
        Cluster(keys=keys, scheduler=address, campaign_id="0") as cluster,
    ):
        yield cluster


def boxes_of(cluster):
    end = time.monotonic() + PATIENCE_SECONDS
    while not (there := cluster.boxes()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return there


def order_of(run_id):
    cell = campaign_from(tomllib.loads(plan()), "plan").cells()[0]
    run = PlannedRun(run_id=run_id, repetition=1, canary=False, cell=cell)
    return text_of(Order(campaign_id="0", run=run))


def fetched(cluster):
    """How often an answer was."""
    return [event["action"] for _, event in cluster._client.get_events("all")].count("gather")


def test_a_box_that_is_greeted_says_what_it_is_without_being_asked_twice(cluster):
    ((box, address),) = boxes_of(cluster).items()
    number = cluster.ask(box, address, "greet", "")
    answer = cluster.next(PATIENCE_SECONDS)
    assert (answer.box, answer.number, read(Greeting, answer.text).box) == (box, number, box)
    assert fetched(cluster) == 0


def test_an_answer_is_reported_and_only_a_long_one_is_fetched(cluster):
    ((box, address),) = boxes_of(cluster).items()
    for run_id, times, times_fetched in (("c1-r1", 1, 0), (LONG, REPORTED_CHARACTERS_MAX, 1)):
        number = cluster.ask(box, address, "measure", order_of(run_id))
        text = text_of(Kept(lines=(run_id * times,)))
        assert cluster.next(PATIENCE_SECONDS) == Answer(box=box, number=number, text=text)
        assert cluster.next(0.2) is None
        assert fetched(cluster) == times_fetched
