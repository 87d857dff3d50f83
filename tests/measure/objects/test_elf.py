"""What is refused before a library opens a file."""

import os
import re
import struct

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.code.elf import OBJECT_BYTES_MAX, read_sections

FORM = re.compile(r"object=\S+: .+; allowed: .+; .+", re.DOTALL)
SECTION_HEADERS_AT = 0x28


def refusal(path):
    with pytest.raises(BadInputError, match=FORM) as refused:
        read_sections(path)
    return str(refused.value)


def changed(path, tmp_path, offset, replacement):
    data = bytearray(path.read_bytes())
    data[offset : offset + len(replacement)] = replacement
    other = tmp_path / "changed.bpf.o"
    other.write_bytes(data)
    return other


def test_sections_of_an_object_are_those_in_its_source(compiled):
    sections = read_sections(compiled())
    code = [section.name for section in sections if section.holds_instructions]
    assert code == ["xdp", "xdp_fw", "tc"]
    assert {".maps", ".rodata", ".data", ".bss", "license"} <= {one.name for one in sections}


def test_an_executable_of_this_machine_is_no_object():
    output = refusal("/bin/ls")
    assert "executable" in output
    assert "clang -O2 -g -target bpf" in output


def test_an_object_of_another_byte_order_is_refused(compiled):
    output = refusal(compiled("one", "-target", "bpfeb"))
    assert "big-endian" in output
    assert "bpfel" in output


@pytest.mark.parametrize("kept", [1, 4, 40, 63])
def test_a_head_alone_is_refused(compiled, tmp_path, kept):
    path = tmp_path / "cut.bpf.o"
    path.write_bytes(compiled().read_bytes()[:kept])
    refusal(path)


def test_every_truncated_object_is_called_so(compiled, tmp_path):
    whole, path = compiled().read_bytes(), tmp_path / "cut.bpf.o"
    for kept in range(64, len(whole), 499):
        path.write_bytes(whole[:kept])
        assert "truncated" in refusal(path)


def test_headers_beyond_the_file_are_refused(compiled, tmp_path):
    beyond = changed(compiled(), tmp_path, SECTION_HEADERS_AT, struct.pack("<Q", 2**63))
    assert "truncated" in refusal(beyond)


def test_legacy_maps_are_refused_with_what_to_write_instead(compiled):
    output = refusal(compiled("legacy"))
    assert 'SEC("maps")' in output
    assert "__uint(max_entries" in output


def test_maps_without_btf_are_refused(compiled):
    assert "compile it with -g" in refusal(compiled("router", "-g0"))


def test_an_object_without_a_program_is_refused(compiled):
    assert "no program" in refusal(compiled("no_program"))


def test_what_is_no_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    assert "pipe" in refusal(tmp_path / "pipe")
    assert "device" in refusal("/dev/zero")
    assert "cannot be read" in refusal(tmp_path / "missing")
    refusal(tmp_path)
    assert "empty" in refusal(tmp_path / "empty")


def test_a_file_too_large_is_refused(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(OBJECT_BYTES_MAX + 1)
    assert "16 MiB" in refusal(path)
