"""What traffic is read from files, and what is refused of it."""

import json
import re
import subprocess
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.measure.objects.traffic.capture import PACKET_BYTES_MAX
from linerate.measure.objects.traffic.frames import (
    CAPTURED_MAX,
    FRAMES_MAX,
    PLACES_MAX,
    Frames,
    frames_by_weight,
    read_frames,
)
from linerate.measure.objects.traffic.udp_frames import imix, of_size

from ... import frames as arrived
from .captures import MICROSECONDS, NANOSECONDS, UDP, capture

FORM = re.compile(r"(traffic|weight|flows)=.+: .+; allowed: .+; .+")


def other(number):
    return UDP + number.to_bytes(4, "big") + bytes(30)


@pytest.fixture
def written(tmp_path):
    def write(data, name="frames.pcap"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        return path

    return write


def refusal(path):
    with pytest.raises(BadInputError, match=FORM) as refused:
        read_frames(path)
    return str(refused.value)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("magic", [MICROSECONDS, NANOSECONDS])
def test_every_kind_of_classic_capture_is_read(written, order, magic):
    frames = read_frames(written(capture([other(1), other(2)], order=order, magic=magic)))
    assert frames.packets == (other(1), other(2))


def test_packets_that_come_again_are_one_frame_and_keep_their_order(written):
    frames = read_frames(written(capture([other(1), other(2), other(1), other(1)])))
    assert frames.packets == (other(1), other(2))
    assert frames.order == (0, 1, 0, 0)
    assert frames.weights == (3, 1)
    assert frames.note == ""


def test_short_packets_are_padded_as_the_wire_pads_them(written):
    (packet,) = read_frames(written(capture([UDP]))).packets
    assert packet == UDP + bytes(60 - len(UDP))


def test_an_fcs_that_was_captured_is_taken_off(written):
    with_fcs = 0x24000001  # 4 bytes of FCS, which are there, link type 1
    frames = read_frames(written(capture([other(1) + b"fcs!"], link=with_fcs)))
    assert frames.packets == (other(1),)


def test_a_long_capture_is_used_from_its_start_and_said_so(written):
    frames = read_frames(written(capture([other(1)] * (CAPTURED_MAX + 5))))
    assert len(frames.order) == CAPTURED_MAX
    assert frames.note == "the first 60000 of 60005 packets were used"


def test_a_capture_of_many_flows_is_used_until_frames_are_too_many(written):
    frames = read_frames(written(capture([other(n) for n in range(FRAMES_MAX + 9)])))
    assert frames.order == tuple(range(FRAMES_MAX))
    assert frames.note == "the first 4096 of 4105 packets were used"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (capture([]), "no packet"),
        (capture([other(1)])[:-1], "truncated within packet 1"),
        (capture([other(1), other(2)])[:-80], "truncated within packet 2"),
        (capture([])[:20], "truncated within its header"),
        (capture([bytes(PACKET_BYTES_MAX + 1), UDP]), "1 of 2 packets have more than 2044"),
        (capture([other(1)] * 3, missing=10), r"3 of 3 packets were cut.*tcpdump -s 0"),
        (capture([UDP, b"short"]), "packet 2 has 5 bytes"),
        (capture([other(1)], link=113), "Linux cooked"),
        (capture([other(1)], link=9), "link type 9"),
        (b"\x0a\x0d\x0d\x0a" + bytes(40), "editcap -F pcap in.pcapng out.pcap"),
        (b"\x1f\x8b" + bytes(40), "compressed"),
        (b"\x7fELF" + bytes(40), "not a pcap"),
    ],
)
def test_a_capture_that_cannot_be_used_is_refused(written, data, words):
    assert re.search(words, refusal(written(data)))


def test_a_capture_cut_to_nothing_counts_as_cut(written):
    assert "1 of 1 packets were cut" in refusal(written(capture([UDP], missing=len(UDP))))


def test_what_editcap_makes_of_pcapng_is_read(written, tmp_path):
    classic, next_generation = written(capture([other(1)])), tmp_path / "it.pcapng"
    subprocess.run(["editcap", "-F", "pcapng", classic, next_generation], check=True)
    assert "editcap -F pcap " in refusal(next_generation)
    subprocess.run(["editcap", "-F", "pcap", next_generation, classic], check=True)
    assert read_frames(classic).packets == (other(1),)


def test_a_list_of_frames_is_mixed_by_weight(written):
    frames = read_frames(
        written([{"hex": other(1).hex(), "weight": 3}, {"hex": other(2).hex(" ")}], "f.json")
    )
    assert frames.packets == (other(1), other(2))
    assert frames.weights == (3, 1)


HEX = UDP.hex()


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (b"[", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe", "not JSON"),
        ({}, "not a list"),
        ([], "not a list"),
        ([7], "frame 1: it has other keys"),
        ([{"hex": HEX}, {"hex": HEX, "wieght": 2}], "frame 2: it has other keys"),
        ([{"hex": "0x00"}], "not hexadecimal"),
        ([{"hex": 12}], "not hexadecimal"),
        ([{"hex": "00" * 13}], "13 bytes"),
        ([{"hex": "00" * (PACKET_BYTES_MAX + 1)}], "2045 bytes"),
        ([{"hex": HEX, "weight": 0}], "weight is 0"),
        ([{"hex": HEX, "weight": True}], "weight is True"),
        ([{"hex": HEX, "weight": 65537}], "weight is 65537"),
        ([{"hex": HEX, "weight": 65536}, {"hex": other(2).hex(), "weight": 65535}], "131071"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_with_the_frame(written, entries, words):
    assert words in refusal(written(entries, "f.json"))


@given(st.lists(st.integers(1, 100), min_size=1, max_size=9))
def test_a_mix_holds_each_frame_by_its_weight_and_evenly(weights):
    frames = frames_by_weight([(other(n), weight) for n, weight in enumerate(weights)])
    counts, total = frames.weights, len(frames.order)
    assert all(a * counts[0] == b * weights[0] for a, b in zip(weights, counts, strict=True))
    for place, count in enumerate(counts):
        turns = [turn for turn, frame in enumerate(frames.order) if frame == place]
        gaps = [later - turn for turn, later in pairwise(turns)]
        assert max(gaps, default=0) <= 2 * total / count + len(counts)


def test_simple_imix_is_7_to_4_to_1():
    frames = imix()
    assert [len(packet) + 4 for packet in frames.packets] == [64, 594, 1518]
    assert frames.weights == (7, 4, 1)
    assert frames.mean_frame_bytes == pytest.approx((7 * 64 + 4 * 594 + 1518) / 12)
    assert frames.mean_wire_bytes == pytest.approx(frames.mean_frame_bytes + 20)


@pytest.mark.parametrize("frame_bytes", [64, 65, 594, 1518])
def test_frames_of_a_size_are_udp_with_right_checksums(frame_bytes):
    (packet,) = of_size(frame_bytes).packets
    assert len(packet) == frame_bytes - 4
    assert arrived.sum_of_words(packet[14:34]) == 0xFFFF
    assert arrived.sum_of_segment(packet) == 0xFFFF


def test_flows_differ_by_their_source():
    frames = imix(flows=10)
    assert len({packet[26:30] for packet in frames.packets}) == 10
    assert set(frames.weights) == {7, 4, 1}


@pytest.mark.parametrize(("frame_bytes", "flows"), [(63, 1), (2049, 1), (64, 0), (64, 4097)])
def test_frames_that_no_lab_takes_are_refused(frame_bytes, flows):
    with pytest.raises(BadInputError, match=FORM):
        of_size(frame_bytes, flows)


@pytest.mark.parametrize(
    ("packets", "order"),
    [
        ((), (0,)),
        ((other(1),), ()),
        ((other(1),), (1,)),
        ((UDP,), (0,)),
        ((bytes(2045),), (0,)),
        ((other(1),), (0,) * PLACES_MAX),
    ],
)
def test_impossible_traffic_is_no_record(packets, order):
    with pytest.raises(BadInputError):
        Frames(packets=packets, order=order, packets_total=1)
