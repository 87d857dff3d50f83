"""Sizes and rates, against RFC 2544."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.units import (
    FCS_BYTES,
    FRAME_BYTES_MAX,
    FRAME_BYTES_MIN,
    WIRE_OVERHEAD_BYTES,
    frame_bytes_of,
    line_rate_mpps,
    packet_bytes,
    wire_time_ns,
)

FRAME_BYTES = st.integers(FRAME_BYTES_MIN, FRAME_BYTES_MAX)
LINK_GBPS = st.floats(0.01, 800.0)


@pytest.mark.parametrize(
    ("link_gbps", "frame_bytes", "frames_per_second"),
    [
        # RFC 2544, appendix B: 10 Mbit/s Ethernet
        (0.01, 64, 14880),
        (0.01, 128, 8445),
        (0.01, 256, 4528),
        (0.01, 512, 2349),
        (0.01, 768, 1586),
        (0.01, 1024, 1197),
        (0.01, 1280, 961),
        (0.01, 1518, 812),
        (10, 64, 14_880_952),
        (10, 1518, 812_743),
        (40, 64, 59_523_809),
        (100, 64, 148_809_523),
    ],
)
def test_line_rate_is_that_of_rfc_2544(link_gbps, frame_bytes, frames_per_second):
    assert int(line_rate_mpps(link_gbps, frame_bytes) * 1e6 + 1e-6) == frames_per_second


@given(link_gbps=LINK_GBPS, frame_bytes=FRAME_BYTES)
def test_frames_at_line_rate_fill_the_link_exactly(link_gbps, frame_bytes):
    wire_bits = 8 * (frame_bytes + WIRE_OVERHEAD_BYTES)
    gbps = line_rate_mpps(link_gbps, frame_bytes) * wire_bits / 1e3
    assert gbps == pytest.approx(link_gbps)


@given(link_gbps=LINK_GBPS, frame_bytes=FRAME_BYTES)
def test_wire_time_is_the_gap_between_frames_at_line_rate(link_gbps, frame_bytes):
    product = wire_time_ns(link_gbps, frame_bytes) * line_rate_mpps(link_gbps, frame_bytes)
    assert product == pytest.approx(1e3)


@given(link_gbps=LINK_GBPS, frame_bytes=FRAME_BYTES)
def test_longer_frames_come_at_a_lower_rate(link_gbps, frame_bytes):
    assert line_rate_mpps(link_gbps, frame_bytes + 1) < line_rate_mpps(link_gbps, frame_bytes)


@given(frame_bytes=FRAME_BYTES)
def test_no_link_limit_means_no_line_rate_limit(frame_bytes):
    assert line_rate_mpps(np.inf, frame_bytes) == np.inf
    assert wire_time_ns(np.inf, frame_bytes) == 0.0


@given(frame_bytes=FRAME_BYTES)
def test_a_program_sees_the_frame_without_its_fcs(frame_bytes):
    assert packet_bytes(frame_bytes) + FCS_BYTES == frame_bytes


def test_links_and_sizes_broadcast():
    rates = line_rate_mpps(np.array([[10.0], [40.0]]), np.array([64, 1518, 9000]))
    assert rates.shape == (2, 3)
    assert rates[1] == pytest.approx(4 * rates[0])


@given(st.integers(0, 2044))
def test_a_frame_is_its_packet_with_fcs_and_padding(packet):
    frame_bytes = float(frame_bytes_of(packet))
    assert frame_bytes >= FRAME_BYTES_MIN
    assert packet_bytes(int(frame_bytes)) == max(packet, FRAME_BYTES_MIN - FCS_BYTES)
