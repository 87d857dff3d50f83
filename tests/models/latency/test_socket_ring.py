"""Two rings in a row: which of them are full decides the latency through a socket."""

import numpy as np
import pytest

from linerate.models import Pair
from linerate.models.latency.socket_ring import SocketRates, SocketRing, fit_socket_ring

PLANTED = SocketRing(pair=Pair("af_xdp", "xsk_memcpy"), packets=2048.0, dropping_ratio=1.4)
CARD = np.full(3, 4096.0)


def rates(forwarded_mpps, *, kernel_mpps=1.0, arriving_mpps=14.0):
    forwarded = np.asarray(forwarded_mpps, dtype=np.float64)
    return SocketRates(kernel_mpps=np.full(forwarded.size, kernel_mpps), forwarded_mpps=forwarded,
                       arriving_mpps=np.full(forwarded.size, arriving_mpps))  # fmt: skip


def test_only_the_cards_ring_is_full_where_the_kernel_is_slower():
    said_us = PLANTED.latency_us(rates([1.0, 0.99]), CARD[:2])
    assert said_us == pytest.approx(4096.0 / np.array([1.0, 0.99]))


def test_both_rings_are_full_where_the_user_thread_is_slower():
    assert PLANTED.latency_us(rates([0.1]), CARD[:1]) == pytest.approx(20480.0 + 4096.0 / 1.4)


def test_the_cards_ring_is_empty_where_less_arrives_than_it_is_emptied():
    said_us = PLANTED.latency_us(rates([0.1], arriving_mpps=1.2), CARD[:1])
    assert said_us == pytest.approx(20480.0)


def test_a_planted_ring_is_found_again():
    seen = rates([0.5, 0.1, 0.02])
    found = fit_socket_ring(PLANTED.pair, seen, CARD, PLANTED.latency_us(seen, CARD))
    assert found.packets == pytest.approx(2048.0, rel=0.03)
    assert found.dropping_ratio == pytest.approx(1.4, rel=0.05)
