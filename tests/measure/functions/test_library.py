"""What is refused of a shared object before anything of it runs."""

import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.measure.functions.library import read_library
from linerate.measure.processes import built

from ...shared_object import compile_shared, function_of

MACHINE = 18
"""Offset of ``e_machine``."""


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    source = function_of("return LINERATE_TX;", "send") + function_of("return 1;", "drop")
    path = tmp_path_factory.mktemp("library") / "two.so"
    return compile_shared(path, source + "static int hidden(void) { return 0; }\nint *p;")


def test_functions_that_are_exported_are_listed_and_no_others(two):
    library = read_library(two)
    assert library.functions == ("drop", "send")
    assert library.entry("send") == "send"


def test_the_only_function_needs_no_name(tmp_path):
    path = compile_shared(tmp_path / "one.so", function_of("return 1;", "alone"))
    assert read_library(path).entry(None) == "alone"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (None, "entry=nothing: .* exports 2 functions; allowed: drop, send; name the one"),
        ("sent", "entry=sent: .* exports no such function; allowed: drop, send; did you mean send"),
    ],
)
def test_an_entry_that_is_not_clear_is_refused_with_the_names(two, asked, words):
    with pytest.raises(BadInputError, match=words):
        read_library(two).entry(asked)


def test_an_object_that_exports_nothing_is_refused(tmp_path):
    path = compile_shared(tmp_path / "none.so", "static int x; int *y = &x;")
    with pytest.raises(BadInputError, match="it exports no function"):
        read_library(path).entry(None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: b"", "it is empty"),
        (lambda data: b"#!/bin/sh\n" * 9, "it is not an ELF file"),
        (lambda data: data[:40], "it ends within its header"),
        (lambda data: data[:2000], "its section headers end at byte"),
        (lambda data: data[:MACHINE] + struct.pack("<H", 40) + data[MACHINE + 2 :],
         "it is for 32-bit ARM; allowed: .* as this machine is"),
        (lambda data: data[:16] + struct.pack("<H", 1) + data[MACHINE:],
         "it is not a shared object"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_loaded_are_refused(two, tmp_path, change, words):
    path = tmp_path / "changed.so"
    path.write_bytes(change(two.read_bytes()))
    with pytest.raises(BadInputError, match=words):
        read_library(path)


def test_a_bpf_object_is_for_another_machine():
    with pytest.raises(BadInputError, match="it is for BPF"):
        read_library(built.program_object("xdp_drop"))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_changed_bytes_are_read_or_refused_in_words(two, tmp_path, data):
    content = bytearray(two.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "changed.so"
    path.write_bytes(content)
    try:
        assert all(read_library(path).functions)
    except BadInputError as error:
        assert "allowed:" in str(error)
