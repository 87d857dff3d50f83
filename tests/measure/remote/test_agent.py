"""The agent ends its traffic whatever happens to the other end."""

import os
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from linerate.cells import Load
from linerate.errors import LinerateError, bad_input
from linerate.measure.labs.port import Port
from linerate.measure.remote import protocol, traffic
from linerate.measure.remote.agent import Agent

LOAD = Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=0.1)
WAIT_SECONDS = 20.0


class Sleeper:
    """A generator that sleeps for so long, says its process id, and counts nothing."""

    def __init__(self, command):
        self.command = command

    brings_link = False
    start_up_seconds = 0.0

    def port(self, interface):
        return Port(interface)

    def check(self, load, cores):
        pass

    def version(self, port):
        return "sleeper 1"

    def hold(self, port):
        return nullcontext()

    def argv(self, port, start):
        return ["sh", "-c", self.command]

    def report(self, output, start, sent_and_back, port):
        return protocol.GeneratorReport(
            duration_ns=1, intended=1, sent=1, received=1, remarks=(output.strip(),)
        )


def allow(name):
    return lambda: None


class Served:
    """An agent that serves in a thread, and the pipes to it."""

    def __init__(self, command, guard):
        self.answers = []
        self.reading, self.writing = os.pipe()
        self.agent = Agent(
            kinds={"sleeper": Sleeper(command)}, guard=guard, answer=self.answers.append
        )
        self.thread = threading.Thread(target=self.agent.serve, args=(self.reading,))
        self.thread.start()

    def ask(self, request):
        os.write(self.writing, f"{protocol.line_of(request)}\n".encode())
        return self.next_answer()

    def next_answer(self):
        end = time.monotonic() + WAIT_SECONDS
        while not self.answers and time.monotonic() < end:
            time.sleep(0.005)
        return self.answers.pop(0)

    def start(self, seconds=1.0):
        opened = self.ask(protocol.Open(interface="lo", generator="sleeper", cores=(0,)))
        assert isinstance(opened, protocol.Opened), opened
        request = protocol.Start(load=LOAD, link_gbps=10.0, seconds=seconds)
        os.write(self.writing, f"{protocol.line_of(request)}\n".encode())

    def ends(self):
        self.thread.join(WAIT_SECONDS)
        return not self.thread.is_alive()


@pytest.fixture
def served(monkeypatch):
    """Serve a generator that runs a shell command; a host that stands still is no silence here."""
    monkeypatch.setattr(protocol, "SILENCE_SECONDS", 10 * WAIT_SECONDS)
    made = []

    def build(command="exec sleep 0.05", guard=allow):
        made.append(Served(command, guard))
        return made[-1]

    yield build
    for one in made:
        hang_up(one)
        one.thread.join(WAIT_SECONDS)
        os.close(one.reading)


def hang_up(served):
    if served.writing >= 0:
        os.close(served.writing)
        served.writing = -1


def running(marker):
    """Process ids of the commands that carry a marker."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if marker.encode() in words:
            found.append(path.parent.name)
    return found


def await_running(marker, count=True):
    end = time.monotonic() + WAIT_SECONDS
    while bool(running(marker)) != count and time.monotonic() < end:
        time.sleep(0.01)
    return bool(running(marker)) == count


def test_it_says_who_it_is(served):
    answer = served().ask(protocol.Hello())
    assert (answer.version, answer.generators) == (protocol.VERSION, ("sleeper",))
    assert answer.cores == os.cpu_count()


def test_a_start_is_answered_when_the_traffic_is_over(served):
    agent = served("sleep 0.05; echo done")
    agent.start()
    report = agent.next_answer()
    assert report.remarks == ("done",)


def test_signs_of_life_are_answered_while_traffic_runs(served):
    agent = served("exec sleep 30.1001")
    agent.start()
    assert agent.ask(protocol.Beat()) == protocol.Alive()
    assert agent.ask(protocol.Stop()) == protocol.Stopped()
    assert await_running("30.1001", count=False)


def test_traffic_ends_with_the_connection(served):
    agent = served("exec sleep 30.1002")
    agent.start(30.0)
    assert await_running("30.1002")
    hang_up(agent)
    assert agent.ends()
    assert running("30.1002") == []


def test_what_the_traffic_started_ends_too(served):
    agent = served("sleep 30.1003 & wait")
    agent.start(30.0)
    assert await_running("30.1003")
    hang_up(agent)
    assert agent.ends()
    assert await_running("30.1003", count=False)


def test_traffic_ends_when_no_sign_of_life_comes(served, monkeypatch):
    monkeypatch.setattr(protocol, "SILENCE_SECONDS", 0.3)
    agent = served("exec sleep 30.1004")
    agent.start(30.0)
    assert agent.ends()
    assert running("30.1004") == []


def test_traffic_that_does_not_end_in_time_is_ended(served, monkeypatch):
    monkeypatch.setattr(traffic, "GRACE_SECONDS", 0.2)
    agent = served("exec sleep 30.1005")
    agent.start(0.1)
    answer = agent.next_answer()
    assert "did not end in time" in answer.words
    assert running("30.1005") == []
    assert isinstance(agent.ask(protocol.Hello()), protocol.Welcome)


def test_a_generator_that_fails_is_quoted(served):
    agent = served("echo no room >&2; exit 3")
    agent.start()
    answer = agent.next_answer()
    assert (answer.words, answer.exit_code) == ("generator: no room", LinerateError.exit_code)


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (protocol.Open(interface="lo", generator="trex", cores=(0,)), "does not know it"),
        (protocol.Open(interface="nosuch0", generator="sleeper", cores=(0,)), "no such interface"),
        (protocol.Open(interface="lo", generator="sleeper", cores=(63,)), "core"),
        (protocol.Start(load=LOAD, link_gbps=10.0, seconds=1.0), "no interface is open"),
    ],
)
def test_what_cannot_be_is_refused_with_words(served, request_, why):
    answer = served().ask(request_)
    assert isinstance(answer, protocol.Refused)
    assert why in answer.words


def test_an_interface_that_must_not_be_touched_is_not(served):
    def refuse(name):
        raise bad_input(
            "interface", name, why="your ssh session runs over it", allowed="another",
            do="name another",
        )  # fmt: skip

    answer = served(guard=refuse).ask(
        protocol.Open(interface="lo", generator="sleeper", cores=(0,))
    )
    assert "your ssh session" in answer.words


def test_a_second_start_is_refused_while_traffic_runs(served):
    agent = served("exec sleep 30.1006")
    agent.start(30.0)
    assert await_running("30.1006")
    answer = agent.ask(protocol.Start(load=LOAD, link_gbps=10.0, seconds=1.0))
    assert "traffic is running" in answer.words
    assert running("30.1006") != []


def test_nonsense_is_answered_and_does_not_end_it(served):
    agent = served()
    os.write(agent.writing, b"rm -rf /\n")
    assert "not understood" in agent.next_answer().words
    assert isinstance(agent.ask(protocol.Hello()), protocol.Welcome)
