"""What two hosts say to each other is read back exactly, or refused."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.cells import Load, Packet
from linerate.errors import BadInputError, LinerateError
from linerate.measure.remote import protocol

COUNTS = st.integers(0, 2**62)
LOADS = st.builds(
    Load,
    frame_mix=st.just(((7, 64), (1, 1518))),
    arrivals=st.sampled_from(["constant", "poisson"]),
    offered_mpps=st.floats(1e-6, 1000.0),
    flows=st.integers(1, 60000),
    packet=st.builds(Packet, sources=st.integers(1, 65534)),
)
STARTS = st.builds(
    protocol.Start,
    load=LOADS,
    link_gbps=st.one_of(st.just(math.inf), st.floats(0.001, 400.0)),
    seconds=st.floats(0.001, 3600.0),
)
REPORTS = st.builds(
    protocol.GeneratorReport,
    duration_ns=st.integers(1, 2**62),
    intended=COUNTS,
    sent=COUNTS,
    received=COUNTS,
    latency=st.one_of(
        st.none(),
        st.builds(
            protocol.Histogram,
            sum_ns=COUNTS,
            max_ns=COUNTS,
            buckets=st.lists(st.tuples(COUNTS, COUNTS)).map(tuple),
        ),
    ),
    remarks=st.lists(st.text(max_size=50)).map(tuple),
)
FLOOD = '{"frame_mix": [[1, 64]], "arrivals": "flood", "offered_mpps": Infinity}'


@settings(deadline=None, max_examples=50)  # no clock
@given(STARTS)
def test_a_request_is_read_back_as_it_was(start):
    line = protocol.line_of(start)
    assert "\n" not in line
    assert protocol.request_from(line) == start


@settings(deadline=None, max_examples=50)  # no clock
@given(REPORTS)
def test_an_answer_is_read_back_as_it_was(report):
    line = protocol.line_of(report)
    assert "\n" not in line
    assert protocol.answer_from(line) == report


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "[]",
        '{"kind": "run", "command": "rm"}',
        '{"kind": "start", "seconds": 1.0}',
        f'{{"kind": "start", "load": {FLOOD}, "link_gbps": 10.0, "seconds": 1e9}}',
        f'{{"kind": "start", "load": {FLOOD}, "link_gbps": 10.0, "seconds": "1"}}',
        '{"kind": "open", "interface": "a; b", "generator": "linerate", "cores": [0]}',
        '{"kind": "open", "interface": "../x/y", "generator": "linerate", "cores": [0]}',
        '{"kind": "open", "interface": "eth1", "generator": "linerate", "cores": []}',
        '{"kind": "open", "interface": "eth1", "generator": "linerate", "cores": [-1]}',
        " " * (protocol.LINE_BYTES_MAX + 1),
    ],
)
def test_what_is_no_request_is_refused(line):
    with pytest.raises(BadInputError, match="allowed: "):
        protocol.request_from(line)


def test_what_a_login_prints_is_no_answer():
    with pytest.raises(
        LinerateError, match=r"'Welcome to Debian', which is not an answer.*start-up"
    ):
        protocol.answer_from("Welcome to Debian")


def test_a_report_longer_than_any_is_not_read():
    with pytest.raises(LinerateError, match="which is not an answer"):
        protocol.answer_from("x" * (protocol.LINE_BYTES_MAX + 1))
