"""Readers of users' files on files that are nearly right: a result or a refusal, and soon."""

import json
import os
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.measure.objects.code.elf import read_sections
from linerate.measure.objects.listing import ObjectListing, list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.traffic.frames import read_frames

from .captures import UDP, capture

EXAMPLES = int(os.environ.get("LINERATE_FUZZ_EXAMPLES", "150"))
SECONDS_MAX = 5.0
"""CPU time of one file, and of none of ours is it near that."""
CAPTURE = capture([UDP, bytes(100), UDP, UDP[::-1]])
LIST = json.dumps([{"hex": UDP.hex(), "weight": 3}, {"hex": "00 " * 60}]).encode()
MAPS = b"""
[set]
limit = 100
counts = [7, 8]
fallback = {ifindex = 3, mac = "02:00:00:00:00:02", ends = [{}, {address = "10.0.0.1"}]}
[maps.routes]
max_entries = 4096
entries = [{key = "10.0.0.0/8", value = {ifindex = 2, class = 1, "ends[0].port" = "0x1f90"}}]
[maps.ring]
fill = {count = 300, first = 1, key = "index", value = "random", seed = 3}
[maps.programs]
entries = [{key = 0, program = "firewall"}]
[maps.outer]
entries = [{key = 1, map = "inner"}]
[maps.ports]
entries = [{key = 0, value = 4}]
[maps.sources]
fill = {count = 3, key = "2001:db8::+index", value = 1}
"""
WORDS = (b'"', b"{", b"}", b"[", b"]", b"=", b",", b".", b"\n", b"-1", b"1e9", b"nan", b"true",
         b"0x" + b"f" * 40, b"9" * 5000, b'""', b'"index"', b'"random"', b'"::1"', b"'\\'", b"[[",
         b"null", b"\xff", b"\x00", b"\xff" * 8, b"1979-05-27", b"maps", b"value")  # fmt: skip


@st.composite
def changed(draw, good):
    """A good file of which some bytes are taken out, repeated or replaced."""
    data = good
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(data)))
        gone = draw(st.sampled_from((0, 0, 1, 1, 2, 4, 8, 40, len(data))))
        more = draw(
            st.one_of(
                st.sampled_from(WORDS),
                st.binary(max_size=12),
                st.just(data[at : at + 200]),
                st.integers(0, 2**64 - 1).map(lambda number: number.to_bytes(8, "little")),
            )
        )
        data = data[:at] + more + data[at + gone :]
    return data


@pytest.fixture(scope="module")
def router(compiled):
    return list_object(compiled())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def tried(read, path, data):
    """Give a file to a reader; what it returned, or None where it refused it."""
    path.write_bytes(data)
    began = time.process_time()
    try:
        return read(path)
    except BadInputError as refused:
        assert len(str(refused)) < 5000
        assert str(refused).isprintable()
    finally:
        assert time.process_time() - began < SECONDS_MAX
    return None


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_changed_objects_are_read_or_refused(compiled, folder, data):
    good = compiled("one").read_bytes()
    sections = tried(read_sections, folder / "it.bpf.o", data.draw(changed(good)))
    assert sections is None or any(section.holds_instructions for section in sections)


@settings(max_examples=EXAMPLES // 5)
@given(st.data())
def test_changed_objects_are_listed_or_refused(compiled, folder, data):
    good = compiled("router").read_bytes()
    listing = tried(list_object, folder / "it.bpf.o", data.draw(changed(good)))
    assert listing is None or isinstance(listing, ObjectListing)


@settings(max_examples=EXAMPLES)
@given(changed(CAPTURE))
def test_changed_captures_are_read_or_refused(folder, data):
    frames = tried(read_frames, folder / "it.pcap", data)
    assert frames is None or frames.mean_frame_bytes >= 64


@settings(max_examples=EXAMPLES)
@given(changed(LIST))
@example(b"[" * 200_000)
@example(b'[{"hex": ' + b"9" * 10_000 + b"}]")
def test_changed_lists_of_frames_are_read_or_refused(folder, data):
    frames = tried(read_frames, folder / "it.json", data)
    assert frames is None or frames.mean_frame_bytes >= 64


@settings(max_examples=EXAMPLES)
@given(changed(MAPS))
@example(b"set" + b".a" * 20_000 + b" = 1\n")
@example(b"[" + b'"a b" . ' * 20_000 + b"a]\n")
@example(b'"\\"' + b"x" * 150 + b'".' * 20_000 + b"a = 1\n")
@example(b"a" * 1_000_000)
@example(b'"' * 1_000_000)
@example(b"[set]\nlimit = " + b"[" * 20_000 + b"]" * 20_000)
@example(b"[set]\nlimit = 0x" + b"f" * 100_000)
@example(b'[maps."\\u001b[31m\\n"]\n')
@example(b'[set]\nlimit = "\\u001b[31m\\n"\n')
@example(b"[maps.routes]\nentries = [" + b"{key = 1, value = 1}," * 20_000 + b"]\n")
def test_changed_maps_files_are_read_or_refused(router, folder, data):
    made = tried(lambda path: read_settings(router, path), folder / "maps.toml", data)
    assert made is None or all(line.isprintable() for line in made.lines)


@settings(max_examples=EXAMPLES)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_assignment_is_taken_or_refused(router, name, value):
    try:
        made = read_settings(router, None, [f"{name}={value}"])
    except BadInputError as refused:
        assert str(refused).isprintable()
    else:
        assert made.lines
