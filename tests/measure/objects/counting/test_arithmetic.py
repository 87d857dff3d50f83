"""Arithmetic of BPF on numbers, on addresses, and on what is not known."""

import pytest

from linerate.measure.objects.counting.arithmetic import (
    ADD,
    AND,
    ARSH,
    DIV,
    LSH,
    MOD,
    MOV,
    MUL,
    RSH,
    SUB,
    chance,
    combine,
    holds,
    signed,
    swapped,
)
from linerate.measure.objects.counting.memory import Drawn, Pointer, Region

MINUS_2 = (1 << 64) - 2
EQUAL, GREATER, SET, UNEQUAL, SIGNED_GREATER = 1, 2, 4, 5, 6


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        ((ADD, 0xFFFFFFFF, 1, 32, 0), 0),
        ((SUB, 1, 3, 64, 0), MINUS_2),
        ((MUL, 1 << 63, 2, 64, 0), 0),
        ((DIV, 7, MINUS_2, 64, 1), (1 << 64) - 3),
        ((DIV, 7, 0, 64, 0), 0),
        ((MOD, 7, 0, 64, 0), 7),
        ((MOD, MINUS_2 - 5, 4, 64, 1), (1 << 64) - 3),
        ((LSH, 1, 33, 32, 0), 2),
        ((ARSH, 0x80000000, 4, 32, 0), 0xF8000000),
        ((MOV, 0, 0x80, 64, 8), (1 << 64) - 0x80),
        ((MOV, 0, 0x1_0000_0002, 32, 0), 2),
    ],
)
def test_numbers_wrap_and_divide_as_in_the_kernel(asked, result):
    assert combine(*asked) == result


def test_an_address_moves_and_two_in_one_region_have_a_distance():
    here = Pointer("packet", 300)
    there = combine(ADD, here, MINUS_2, 64, 0)
    assert there == Pointer("packet", 298)
    assert combine(SUB, here, there, 64, 0) == 2
    assert combine(ADD, None, here, 64, 0) == Pointer("packet", None)
    assert combine(SUB, here, Pointer("stack0", 3), 64, 0) is None
    assert combine(MUL, here, 2, 64, 0) is None


@pytest.mark.parametrize(
    ("operation", "left", "right", "bits", "told"),
    [
        (SIGNED_GREATER, MINUS_2, 1, 64, False),
        (GREATER, MINUS_2, 1, 64, True),
        (EQUAL, 1 << 32, 0, 32, True),
        (SET, 6, 2, 64, True),
        (EQUAL, None, 1, 64, None),
        (EQUAL, Pointer("map", 0), 0, 64, False),
        (UNEQUAL, Pointer("map", None), 0, 64, True),
        (GREATER, Pointer("packet", 9), Pointer("packet", 8), 64, True),
        (GREATER, Pointer("packet", 9), Pointer("map", 8), 64, None),
    ],
)
def test_a_comparison_is_told_where_both_sides_are_known(operation, left, right, bits, told):
    assert holds(operation, left, right, bits) is told


def test_a_draw_keeps_its_limit_through_rests_and_bits():
    draw = Drawn(1 << 32)
    assert combine(MOD, draw, 100, 32, 0) == Drawn(100)
    assert combine(AND, draw, 63, 64, 0) == Drawn(64)
    assert combine(AND, draw, 62, 64, 0) is None
    assert combine(RSH, draw, 30, 64, 0) == Drawn(4)
    assert combine(ADD, draw, 1, 64, 0) is None


@pytest.mark.parametrize(
    ("operation", "right", "share"),
    [(1, 0, 0.01), (1, 100, 0.0), (5, 0, 0.99), (10, 25, 0.25), (3, 25, 0.75), (2, 99, 0.0),
     (11, 24, 0.25), (4, 1, 0.5)],
)  # fmt: skip
def test_of_a_draw_each_number_is_as_likely(operation, right, share):
    assert chance(operation, Drawn(100), right) == pytest.approx(share)
    assert chance(operation, None, right) == 0.5


def test_bytes_are_swapped_and_signs_extended():
    assert swapped(0x1234, 16, True) == 0x3412
    assert swapped(0x11234, 16, False) == 0x1234
    assert signed(0xFE, 8) == -2


def test_memory_keeps_numbers_addresses_and_what_is_not_known():
    region = Region.unknown(16)
    assert region.read(0, 4) is None
    region.write(0, 4, 0x01020304)
    assert region.read(1, 2) == 0x0203
    region.write(8, 8, Pointer("packet", 3))
    assert region.read(8, 8) == Pointer("packet", 3)
    region.write(12, 1, 7)
    assert region.read(8, 8) is None
    region.write(None, 4, 1)
    assert region.read(0, 4) is None
    assert region.read(14, 4) is None
