"""The two processes that stay: a lab's scheduler, and the worker of each testbed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

from distributed import Scheduler, Worker, get_worker
from distributed.comm.core import FatalCommClosedError, connect

from linerate.errors import LinerateError, bad_input
from linerate.measure.boxes.guarded import WRONG_TOKEN, address_of, guard, security_of
from linerate.measure.boxes.keys import Keys
from linerate.measure.boxes.lab_file import Lab
from linerate.measure.boxes.orders import Begin, Order, Refusal, read, text_of
from linerate.measure.boxes.testbed import Testbed
from linerate.measure.campaign.whole import revision

RESOURCE: dict[str, float] = {"testbed": 1}
"""What a worker has once, and each trial takes whole: none begins beside another."""
THREADS = 2
"""One measures, one answers what is asked of the box meanwhile."""
REPORTED_CHARACTERS_MAX = 64 * 1024
"""Of an answer that is reported as it is there; a longer one is fetched, as the scheduler keeps
some of what it passes on."""
TRY_AGAIN_S = 2.0
WRONG_CERTIFICATE = "its certificate is not the one in this folder"
Say = Callable[[str], None]


class _Silent:
    """Without the web pages that Dask's processes open ports for."""

    def start_http_server(self, *given: object, **named: object) -> None:
        """Open no port beside the one that was asked for."""


class LabScheduler(_Silent, Scheduler):
    """Dask's scheduler, without its web pages."""


class LabWorker(_Silent, Worker):
    """Dask's worker, without its web pages, with the testbed that it serves."""

    testbed: Testbed


def topic_of(campaign_id: str) -> str:
    """Name what a box reports of a campaign: lines while it measures, and its answers."""
    return f"linerate-{campaign_id}"


def on_testbed(method: str, text: str, topic: str = "", number: int = 0) -> str:
    """Have the testbed of this worker do something; what Dask carries out there.

    The answer is reported too, by the way that lines go: to fetch it takes a way there and back,
    which a box that is busy or just gone makes long for all whose answers wait behind it.

    Parameters
    ----------
    method
        ``greet``, ``begin``, ``measure`` or ``forget``.
    text
        What with: a record as JSON; of a greeting, which is one for boxes of any version, where its
        answer is reported.
    topic, number
        What other answers are reported under, and which question they answer.

    Returns
    -------
    The answer as JSON, a `Refusal` where it cannot.
    """
    worker = cast("LabWorker", get_worker())
    answer = _answer(worker.testbed, method, text)
    if method == "greet" and text:
        topic, number = json.loads(text)
    if topic and len(answer) <= REPORTED_CHARACTERS_MAX:
        with suppress(Exception):  # it is fetched then
            reported = {"box": worker.testbed.name, "number": number, "text": answer}
            worker.log_event(topic, reported)
    return answer


def _answer(testbed: Testbed, method: str, text: str) -> str:
    try:
        if method == "greet":
            return text_of(testbed.greet())
        if method == "begin":
            return text_of(testbed.begin(read(Begin, text)))
        if method == "measure":
            return text_of(testbed.measure(read(Order, text)))
        testbed.forget(text)
        return "{}"
    except LinerateError as error:
        return text_of(Refusal(error=str(error), exit_code=error.exit_code))


def boxes_there(dask_scheduler: Scheduler) -> dict[str, str]:
    """List the workers of a scheduler, by their boxes' names; what Dask carries out there."""
    return {str(each.name): each.address for each in dask_scheduler.workers.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where a process of a lab listens."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 for any that is free."""


async def serve_scheduler(lab: Lab, listening: Listening, say: Say) -> None:
    """Bring a lab's boxes and campaigns together, until this is cancelled.

    Raises
    ------
    BadInputError
        The port is taken, or the address is beyond loopback without a certificate.
    """
    keys = Keys.read_or_make(lab.keys)
    keys.check_host("listen", listening.host)
    scheduler = LabScheduler(
        protocol=guard(keys), security=security_of(keys), host=listening.host,
        port=listening.port, worker_ttl=lab.table.lease_seconds, dashboard=False,
    )  # fmt: skip
    try:
        async with scheduler:
            where = scheduler.address.rpartition("://")[2]
            say(f"Scheduler at tcp://{where}, keys in {keys.folder}")
            await scheduler.finished()
    except OSError as error:
        raise bad_input(
            "listen", f"{listening.host}:{listening.port}", why=error.strerror or str(error),
            allowed="an address of this machine and a free port", do="name another",
        ) from error  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A testbed that is to serve a lab."""

    lab: Lab
    testbed: Testbed
    scheduler: str
    """Address, as the user wrote it."""
    listening: Listening


async def serve_worker(served: Served, say: Say) -> None:
    """Measure what campaigns ask of this box, until this is cancelled; a scheduler may restart.

    Raises
    ------
    BadInputError
        The token is wrong, or the scheduler has such a box already.
    """
    revision()  # of what was loaded, before anyone may change the clone
    keys = Keys.read(served.lab.keys)
    address = address_of(keys, served.scheduler)
    keys.check_host("listen", served.listening.host)
    waiting = False
    while True:
        try:
            await _reach(address, keys)
            async with _worker(served, keys, address) as worker:
                say(f"Box {served.testbed.name} waits for campaigns at {served.scheduler}")
                waiting = False
                await worker.finished()
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            if is_refused(error):
                raise refused(served.scheduler, keys, error) from error
            if any("name taken" in str(each) for each in causes_of(error)):
                raise bad_input(
                    "box", served.testbed.name, why="a worker serves it already",
                    allowed="one worker for each box", do="stop the other, or wait "
                    f"{served.lab.table.lease_seconds:g} s where it has died",
                ) from error  # fmt: skip
            if not waiting:
                say(f"No scheduler at {served.scheduler}; it is tried again and again")
            waiting = True
        await asyncio.sleep(TRY_AGAIN_S)


async def _reach(address: str, keys: Keys) -> None:
    """Connect once: a worker of Dask's would try for ever where it is turned away."""
    comm = await connect(address, **security_of(keys).get_connection_args("worker"))
    comm.abort()


def _worker(served: Served, keys: Keys, address: str) -> LabWorker:
    scratch = served.testbed.spool / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    worker = LabWorker(
        address, name=served.testbed.name, nthreads=THREADS, resources=RESOURCE,
        protocol=guard(keys), security=security_of(keys), host=served.listening.host,
        port=served.listening.port, memory_limit=0, local_directory=str(scratch),
        heartbeat_interval="2s",
    )  # fmt: skip

    def tell(campaign_id: str, line: str) -> None:
        with suppress(Exception):  # it is on disk, and is asked for again
            worker.log_event(topic_of(campaign_id), {"line": line})

    worker.testbed = replace(served.testbed, tell=tell)
    return worker


def refused(scheduler: str, keys: Keys, error: BaseException) -> LinerateError:
    """Say that a scheduler does not take this process for one of its lab."""
    words = next((str(each) for each in causes_of(error) if WRONG_TOKEN in str(each)), "")
    return bad_input(
        "keys", keys.folder, why=f"{scheduler} is of another lab: {words or WRONG_CERTIFICATE}",
        allowed="the folder of keys that linerate scheduler made there", do="copy that folder here",
    )  # fmt: skip


def is_refused(error: BaseException) -> bool:
    """Whether it was the other end that did not want this one, rather than not there."""
    return any(isinstance(each, FatalCommClosedError) for each in causes_of(error))


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """List an error and what it came from."""
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__ or at.__context__
