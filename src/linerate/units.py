"""Ethernet sizes and rates, in one place.

A *frame* is counted with its FCS, as in RFC 2544: the smallest is 64 B. On the wire each frame
also costs 20 B (7 preamble, 1 delimiter, 12 gap). A BPF program and an skb see the frame without
its 4-byte FCS. Only this module converts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

WIRE_OVERHEAD_BYTES = 20
"""Preamble, start delimiter and inter-frame gap (IEEE 802.3, 3.1.1 and 4.4.2)."""
FCS_BYTES = 4
"""Frame check sequence: counted in a frame, never seen by a BPF program."""
FRAME_BYTES_MIN = 64
"""Smallest Ethernet frame (IEEE 802.3, 4.4.2)."""
FRAME_BYTES_MAX = 1518
"""Largest frame without jumbo support (IEEE 802.3, 3.2.7)."""


def line_rate_mpps(link_gbps: ArrayLike, frame_bytes: ArrayLike) -> NDArray[np.float64]:
    """Most frames a link can carry.

    Parameters
    ----------
    link_gbps
        Link speed, any shape; inf for no link limit.
    frame_bytes
        Frame size with FCS, shape that broadcasts with ``link_gbps``.

    Returns
    -------
    Line rate, broadcast shape, Mpps.

    References
    ----------
    RFC 2544, appendix B: 10 Gbit/s carries 14 880 952 frames of 64 B a second.

    Examples
    --------
    >>> float(line_rate_mpps(10.0, 64).round(6))
    14.880952
    """
    wire_bits = 8.0 * wire_bytes(frame_bytes)
    return np.asarray(np.asarray(link_gbps, dtype=np.float64) * 1e3 / wire_bits)


def wire_time_ns(link_gbps: ArrayLike, frame_bytes: ArrayLike) -> NDArray[np.float64]:
    """Time one frame holds the wire, gap included, ns.

    >>> float(wire_time_ns(10.0, 64).round(1))
    67.2
    """
    return np.asarray(1e3 / line_rate_mpps(link_gbps, frame_bytes))


def packet_bytes(frame_bytes: int) -> int:
    """Bytes of a frame that a program sees: all but the FCS.

    >>> packet_bytes(64)
    60
    """
    return frame_bytes - FCS_BYTES


def frame_bytes_of(packet_bytes: ArrayLike) -> NDArray[np.float64]:
    """Size of frames, FCS and padding included, of which a program sees so many bytes.

    >>> frame_bytes_of([42, 60, 1514])
    array([  64.,   64., 1518.])
    """
    frame_bytes = np.asarray(packet_bytes, dtype=np.float64) + FCS_BYTES
    return np.asarray(np.maximum(frame_bytes, FRAME_BYTES_MIN))


def wire_bytes(frame_bytes: ArrayLike) -> NDArray[np.float64]:
    """Bytes of wire time that frames take, the gap included.

    >>> float(wire_bytes(64))
    84.0
    """
    return np.asarray(np.asarray(frame_bytes, dtype=np.float64) + WIRE_OVERHEAD_BYTES)


def short(value: float, digits: int = 3) -> str:
    """Write a number with so many digits that count, as a reader takes it: no power of ten.

    >>> short(1023.4), short(98.76), short(0.5), short(171234.0, 4)
    ('1020', '98.8', '0.5', '171200')
    """
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text else text
