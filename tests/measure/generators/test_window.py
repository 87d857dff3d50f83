"""What is done while the generator counts, is done in just that time."""

import math
import time
from contextlib import contextmanager

import pytest

from linerate.cells import Cell, Load, Packet
from linerate.errors import BadInputError, LinerateError
from linerate.measure.generators.live_frames import send_live_frames
from linerate.measure.labs.veth import open_veth_lab
from linerate.measure.trials.bench import Timing

pytestmark = pytest.mark.root
TIMING = Timing(warm_up_seconds=0.1, seconds=0.2)
SLACK_SECONDS = 2.0
"""For what else the machine does."""


def cell(frame_bytes=64, **packet):
    return Cell(
        lab="veth", mode="serial", datapath="xdp_generic", program="xdp_tx", memory_accesses=0,
        queues=1, link_gbps=math.inf,
        load=Load(
            frame_mix=((1, frame_bytes),), arrivals="constant", offered_mpps=0.01,
            packet=Packet(**packet),
        ),
    )  # fmt: skip


@pytest.fixture
def lab():
    with open_veth_lab("serial", 1, gro=True) as lab:
        yield lab


def test_window_is_open_as_long_as_packets_are_counted(lab):
    seen = []

    @contextmanager
    def window():
        seen.append(time.monotonic())
        yield
        seen.append(time.monotonic())

    began = time.monotonic()
    send_live_frames(lab, cell(), TIMING, (), window())
    opened, closed = seen
    assert opened - began >= TIMING.warm_up_seconds
    # To the length come the last packets' way and the look whether all are through.
    assert TIMING.seconds <= closed - opened < TIMING.seconds + SLACK_SECONDS


def test_window_that_fails_stops_the_generator(lab):
    @contextmanager
    def window():
        raise LinerateError("counter gone")
        yield

    began = time.monotonic()
    with pytest.raises(LinerateError, match="counter gone"):
        send_live_frames(lab, cell(), Timing(warm_up_seconds=0.0, seconds=30.0), (), window())
    assert time.monotonic() - began < 15.0


def test_generator_that_cannot_start_opens_no_window(lab):
    @contextmanager
    def window():
        raise AssertionError("opened")
        yield

    lab.generator.run(["ip", "link", "del", "gen"])
    with pytest.raises(LinerateError, match="traffic: "):
        send_live_frames(lab, cell(), TIMING, (), window())


@pytest.mark.parametrize(
    ("packets", "words"),
    [
        ({"protocol": "tcp", "frame_bytes": 89}, "frame_bytes=89"),
        ({"protocol": "tcp", "frame_bytes": 122, "payload": "x" * 17}, "payload="),
        ({"sources": 65535}, "sources=65535"),
        ({"sources": 0}, "sources=0"),
    ],
)
def test_packets_that_cannot_be_are_refused_by_their_field(lab, packets, words):
    with pytest.raises(BadInputError, match=words):
        send_live_frames(lab, cell(**packets), TIMING, ())
