"""What users write becomes the bytes that a C program finds."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.measure.objects.listing import Member
from linerate.measure.objects.maps.patterns import pattern_of
from linerate.measure.objects.maps.values import prefix_bytes, shown

FORM = re.compile(r"it.*=.*: .+; allowed: .+; .+")


def member(name="", offset_bits=0, bits=32, count=1, signed=False):
    return Member(name=name, offset_bits=offset_bits, bits=bits, count=count, signed=signed)


STRUCT = (
    member("ifindex"), member("mac", 32, 8, 6), member("class", 80, 3), member("priority", 83, 5),
    member("offset", 96, 32, signed=True), member("ends[0].port", 128, 16),
    member("ends[1].port", 144, 16), member("word", 160, 32), member("both", 160, 64),
)  # fmt: skip
STRUCT_BYTES = 28


def encoded(value, width_bytes, members=(), index=0):
    draws = np.random.default_rng(1)
    return pattern_of(value, width_bytes, members, "it").at(index, draws).hex()


def refusal(value, width_bytes, members=()):
    with pytest.raises(BadInputError, match=FORM) as refused:
        encoded(value, width_bytes, members)
    return str(refused.value)


@pytest.mark.parametrize(
    ("value", "width_bytes", "bytes_in_memory"),
    [
        (258, 4, "02010000"),
        (True, 1, "01"),
        ("0x0102", 2, "0102"),
        ("01 02", 2, "0102"),
        ("7f", 1, "7f"),
        ("10.1.2.3", 4, "0a010203"),
        ("2001:db8::1", 16, "20010db8000000000000000000000001"),
        ("02:00:00:00:00:0A", 6, "02000000000a"),
        ("0x" + "ab" * 12, 12, "ab" * 12),
        ([1, 2], 3, "010200"),
        (2**64 - 1, 8, "ff" * 8),
    ],
)
def test_a_whole_value_is_a_number_bytes_or_an_address(value, width_bytes, bytes_in_memory):
    assert encoded(value, width_bytes) == bytes_in_memory


def test_members_go_where_the_layout_has_them():
    value = {
        "ifindex": 2, "mac": "02:00:00:00:00:05", "class": 5, "priority": 17, "offset": -2,
        "ends": [{"port": 80}, {"port": "0x01bb"}], "word": 7,
    }  # fmt: skip
    assert encoded(value, STRUCT_BYTES, STRUCT) == (
        "02000000" "020000000005" f"{5 | 17 << 3:02x}" "00" "feffffff" "5000" "01bb"
        "07000000" "00000000"
    )  # fmt: skip


def test_members_left_out_are_zero_and_names_may_have_dots():
    assert encoded({"ends[1].port": 1}, STRUCT_BYTES, STRUCT) == "00" * 18 + "0100" + "00" * 8
    assert encoded({}, STRUCT_BYTES, STRUCT) == "00" * STRUCT_BYTES


def test_bytes_may_stand_for_several_members():
    assert encoded("0x" + "11" * STRUCT_BYTES, STRUCT_BYTES, STRUCT) == "11" * STRUCT_BYTES
    assert encoded({"ends": "01 02 03 04"}, STRUCT_BYTES, STRUCT)[32:40] == "01020304"


@pytest.mark.parametrize(
    ("value", "width_bytes", "members", "words"),
    [
        (256, 1, (), "does not fit into 8 bits; allowed: 0..255"),
        (-1, 4, (), "allowed: 0..4294967295"),
        ({"offset": 2**31}, 28, STRUCT, "allowed: -2147483648..2147483647"),
        ({"class": 8}, 28, STRUCT, "does not fit into 3 bits"),
        ("0x010203", 2, (), "it has 3 bytes; allowed: 2 bytes"),
        ("0x123", 2, (), "neither bytes nor an address"),
        ("10.0.0.256", 4, (), "neither bytes nor an address; allowed: 4 bytes.*an IPv4 address"),
        ("::1", 4, (), "it has 16 bytes"),
        (1.5, 4, (), "a float cannot be here"),
        ({"a": 1}, 4, (), "a table cannot be here"),
        ({"nothing": 1}, 28, STRUCT, "it.nothing=nothing: there is no such member; .*ifindex, mac"),
        ({"": 1}, 28, STRUCT, "no such member"),
        ({"mac": 5}, 28, STRUCT, "6 numbers of 8 bits; allowed: a list of up to 6"),
        ({"mac": [0] * 7}, 28, STRUCT, "room for 6"),
        ({"ends": [{}, {}, {"port": 1}]}, 28, STRUCT, "no such member"),
        ({"word": 1, "both": 1}, 28, STRUCT, "a union of both"),
        (5, 28, STRUCT, "it has several members"),
        ({"ifindex": {}}, 28, STRUCT, "a table cannot be here"),
        (5, 12, (), "12 numbers of 8 bits"),
        (5, 2, (member(offset_bits=8, bits=16),), "places it outside"),
        ({"x": 1}, 2, (member("x", bits=8, count=2**32),), "places it outside"),
    ],
)
def test_what_does_not_fit_is_refused(value, width_bytes, members, words):
    assert re.search(words, refusal(value, width_bytes, members))


def test_a_number_too_large_to_be_written_is_refused():
    assert "a number of 40001 bits" in refusal(1 << 40_000, 8)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 31))
def test_a_member_takes_its_own_bits_alone(number, spare_bits):
    bits = 32 - spare_bits
    place = member("it", offset_bits=spare_bits, bits=bits, signed=True)
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        refusal({"it": number}, 4, (place,))
        return
    whole = int.from_bytes(bytes.fromhex(encoded({"it": number}, 4, (place,))), "little")
    assert whole & (1 << spare_bits) - 1 == 0
    assert (whole >> spare_bits) - (number < 0) * (1 << bits) == number


@pytest.mark.parametrize(
    ("text", "key_bytes", "key"),
    [
        ("10.0.0.0/8", 8, "080000000a000000"),
        ("0.0.0.0/0", 8, "0000000000000000"),
        ("2001:db8::/32", 20, "20000000" + "20010db8" + "00" * 12),
    ],
)
def test_a_prefix_is_its_length_and_the_address_in_network_order(text, key_bytes, key):
    assert prefix_bytes(text, key_bytes, "it").hex() == key


@pytest.mark.parametrize(
    ("text", "key_bytes"),
    [("10.0.0.1/8", 8), ("10.0.0.0/33", 8), ("ten/8", 8), ("10.0.0.0/8", 20), ("::/0", 8)],
)
def test_a_prefix_that_cannot_be_a_key_is_refused(text, key_bytes):
    with pytest.raises(BadInputError, match=FORM):
        prefix_bytes(text, key_bytes, "it")


def test_an_index_counts_in_the_order_of_its_machine_or_of_the_network():
    assert encoded("index", 4, index=258) == "02010000"
    assert encoded("10.0.0.0+index", 4, index=258) == "0a000102"
    assert encoded({"mac": "index"}, STRUCT_BYTES, STRUCT, index=3)[8:20] == "030000000000"


def test_random_bytes_follow_their_seed_and_fill_their_member_alone():
    pattern = pattern_of({"mac": "random", "ifindex": 9}, STRUCT_BYTES, STRUCT, "it")
    first, again = (
        [pattern.at(index, draws) for index in range(50)]
        for draws in (np.random.default_rng(7), np.random.default_rng(7))
    )
    assert first == again
    assert len(set(first)) == 50
    assert {value[:4] + value[10:] for value in first} == {bytes([9, 0, 0, 0]) + bytes(18)}


def test_an_index_too_wide_for_its_member_is_refused():
    pattern = pattern_of({"class": "index"}, STRUCT_BYTES, STRUCT, "it")
    pattern.check_last(7, "it")
    with pytest.raises(BadInputError, match="does not fit into 3 bits"):
        pattern.check_last(8, "it")


def test_what_is_shown_is_one_short_printable_line():
    assert shown("\x1b[31m" + "x" * 500).startswith("?[31mxxx")
    assert len(shown("x" * 500)) < 130
