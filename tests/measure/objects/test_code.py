"""What the listing of a compiled program says of its calls."""

import struct
import subprocess

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.code.code import read_code
from linerate.measure.objects.code.elf import read_sections
from linerate.measure.objects.code.instructions import CALL, read_object_code
from linerate.measure.objects.listing import list_object
from linerate.measure.processes import built

from .conftest import INCLUDE
from .programs.sources import SOURCES

COPY = {"feed": (CALL, 190), "feed_tc": (CALL, 9)}
"""Calls of bpf_xdp_store_bytes and bpf_skb_store_bytes (linux/bpf.h)."""
TAIL_CALL = (CALL, 12)
ATOMIC, EXCHANGE = (0xC3, 0xDB), 0xE1
"""RFC 9669: atomic instructions of 4 and 8 bytes, and the number of an exchange."""


def code_of(path, program):
    return read_code(path, program, list_object(path))


def test_calls_are_named_with_their_table_and_the_line_of_the_source(compiled):
    """The time is not called on the table, though its address is in the same register."""
    code = code_of(compiled("calling"), "straight")
    found, clock = code.calls
    assert (found.helper, found.map_name, found.map_type) == ("map_lookup_elem", "known", "hash")
    assert found.entries_max == 64
    assert found.line < clock.line
    assert (clock.helper, clock.map_name) == ("ktime_get_ns", "")


def test_the_line_is_shown_where_the_compiler_read_it_from_a_file(tmp_path):
    source, path = tmp_path / "calling.bpf.c", tmp_path / "calling.bpf.o"
    source.write_text(SOURCES["calling"])
    subprocess.run(["clang", "-O2", "-g", "-target", "bpf", INCLUDE, "-c", source, "-o", path],
                   check=True)  # fmt: skip
    found, _ = code_of(path, "straight").calls
    assert found.text == source.read_text().splitlines()[found.line - 1].strip()
    assert "bpf_map_lookup_elem(&known, &key)" in found.text


def test_a_call_in_a_loop_may_come_often_and_a_jump_backwards_is_no_loop(compiled):
    straight, looping = (code_of(compiled("calling"), name) for name in ("straight", "looping"))
    assert straight.loops == 0
    assert not any(call.in_loop for call in straight.calls)
    assert looping.loops == 1
    assert [(call.helper, call.in_loop) for call in looping.calls] == [
        ("get_prandom_u32", True), ("ktime_get_ns", False)
    ]  # fmt: skip


def test_what_a_function_of_the_program_calls_counts_and_a_callback_is_a_loop(compiled):
    calls = {call.helper: call.in_loop for call in code_of(compiled("calling"), "outer").calls}
    assert calls == {"loop": False, "get_prandom_u32": True, "ktime_get_ns": False}


@pytest.mark.parametrize("feed", ["feed", "feed_tc"])
def test_feeding_waits_for_the_frame_between_its_copy_and_the_program(feed):
    """An exchange with memory waits for all that was written before it."""
    path = built.program_object(feed)
    found = read_object_code(path)
    code = found.instructions(found.program(path, "feed"))
    copied = max(place for place, one in enumerate(code) if (one.code, one.number) == COPY[feed])
    called = max(place for place, one in enumerate(code) if (one.code, one.number) == TAIL_CALL)
    exchanged = [place for place, one in enumerate(code)
                 if one.code in ATOMIC and one.number == EXCHANGE]  # fmt: skip
    assert any(copied < place < called for place in exchanged)


def test_lines_that_are_damaged_are_left_out(compiled, tmp_path):
    path = compiled("calling")
    (section,) = (one for one in read_sections(path) if one.name == ".BTF.ext")
    whole = path.read_bytes()
    for at, replaced in ((0, b"\0\0"), (16, struct.pack("<II", 0xFFFFFF00, 0xFFFFFFFF))):
        damaged = bytearray(whole)
        damaged[section.offset + at : section.offset + at + len(replaced)] = replaced
        other = tmp_path / "damaged.bpf.o"
        other.write_bytes(damaged)
        calls = read_code(other, "straight", list_object(path)).calls
        assert [(call.helper, call.line) for call in calls] == [
            ("map_lookup_elem", 0), ("ktime_get_ns", 0)
        ]  # fmt: skip


def test_a_program_that_the_symbols_do_not_name_is_refused(compiled):
    with pytest.raises(BadInputError, match="its symbols do not name absent"):
        code_of(compiled("calling"), "absent")
