"""Checks of a BPF object's ELF file, before any library opens it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import BadInputError, bad_input
from linerate.measure.objects.input_file import read_bytes

OBJECT_BYTES_MAX = 16 << 20
FIELD = "object"
"""What errors call it."""
COMPILE = "compile the C source with `clang -O2 -g -target bpf -c my.bpf.c -o my.bpf.o`"

_MAGIC = b"\x7fELF"
_CLASS_64, _LITTLE_ENDIAN = 2, 1
_MACHINE_BPF = 247
_RELOCATABLE = 1
_NO_BITS, _EXECUTABLE = 8, 0x4
_PROGRAM_BITS = 1
_INSTRUCTION_BYTES = 8
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_MACHINES = {3: "x86", 8: "MIPS", 20: "PowerPC", 21: "PowerPC 64", 22: "S/390", 40: "ARM",
             62: "x86-64", 183: "AArch64", 243: "RISC-V", 258: "LoongArch"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the file."""

    name: str
    kind: int
    """``sh_type``."""
    flags: int
    """``sh_flags``."""
    offset: int
    """Of its first byte in the file."""
    section_bytes: int
    """Its size."""

    @property
    def holds_instructions(self) -> bool:
        """Whether there is code in it."""
        is_code = self.kind == _PROGRAM_BITS and bool(self.flags & _EXECUTABLE)
        return is_code and self.section_bytes >= _INSTRUCTION_BYTES


def read_sections(path: Path) -> tuple[Section, ...]:
    """Read the sections of an object that libbpf can be given.

    Raises
    ------
    BadInputError
        It is not a BPF object, is cut, holds no program, or needs a libbpf older than 1.0.
    """
    data = read_bytes(path, FIELD, OBJECT_BYTES_MAX)
    _check_identity(path, data)
    sections = _sections(path, data)
    _check_contents(path, {section.name for section in sections})
    if not any(section.holds_instructions for section in sections):
        raise _refusal(path, "it holds no program", "an object with a program",
                       'put the function into a section, such as SEC("xdp")')  # fmt: skip
    return sections


def _check_identity(path: Path, data: bytes) -> None:
    if not data:
        raise _refusal(path, "it is empty", "a BPF object", COMPILE)
    if data[: len(_MAGIC)] != _MAGIC:
        raise _refusal(path, "it is not an ELF file", "a BPF object", COMPILE)
    if len(data) < _HEADER.size:
        raise _cut(path, "it ends within its header")
    if data[5] != _LITTLE_ENDIAN:
        raise _refusal(path, "it is big-endian, and this machine is not", "little-endian objects",
                       "compile it with -target bpfel")  # fmt: skip
    kind, machine = struct.unpack_from("<HH", data, 16)
    if machine != _MACHINE_BPF:
        what = "an object" if kind == _RELOCATABLE else "an executable or library"
        known = _MACHINES.get(machine, f"machine {machine}")
        raise _refusal(path, f"it is {what} for {known}, not for BPF", "a BPF object", COMPILE)
    if data[4] != _CLASS_64:
        raise _refusal(path, "it is a 32-bit ELF file", "64-bit BPF objects", COMPILE)
    if kind != _RELOCATABLE:
        raise _refusal(path, "it is not a relocatable object", "what clang -c writes", COMPILE)


def _sections(path: Path, data: bytes) -> tuple[Section, ...]:
    *_, at, _, _, _, _, entry_bytes, count, names_place = _HEADER.unpack_from(data)
    if not at or not count:
        raise _refusal(path, "it has no sections", "a BPF object as clang wrote it", COMPILE)
    if entry_bytes != _SECTION.size:
        raise _refusal(path, f"its section headers have {entry_bytes} bytes",
                       f"{_SECTION.size}", COMPILE)  # fmt: skip
    if at + count * entry_bytes > len(data):
        raise _cut(path, f"its section headers end at byte {at + count * entry_bytes}")
    headers = list(_SECTION.iter_unpack(data[at : at + count * entry_bytes]))
    for _, kind, _, _, offset, section_bytes, *_ in headers:
        if kind != _NO_BITS and offset + section_bytes > len(data):
            raise _cut(path, f"a section ends at byte {offset + section_bytes}")
    if names_place >= count or headers[names_place][1] == _NO_BITS:
        raise _refusal(path, "its sections have no names", "a BPF object as clang wrote it",
                       COMPILE)  # fmt: skip
    start, names_bytes = headers[names_place][4:6]
    names = data[start : start + names_bytes]
    return tuple(
        Section(name=_name(names, name), kind=kind, flags=flags, offset=offset,
                section_bytes=section_bytes)
        for name, kind, flags, _, offset, section_bytes, *_ in headers
    )  # fmt: skip


def _name(names: bytes, start: int) -> str:
    return names[start:].partition(b"\0")[0].decode("ascii", "replace")


def _check_contents(path: Path, names: set[str]) -> None:
    if "maps" in names:
        raise _refusal(
            path, 'it defines maps in SEC("maps"), which libbpf 1.0 and later do not read',
            'maps in SEC(".maps")', "write each map as struct { __uint(type, BPF_MAP_TYPE_HASH); "
            "__uint(max_entries, 1024); __type(key, __u32); __type(value, __u64); } "
            'name SEC(".maps"); and compile again with -g',
        )  # fmt: skip
    if ".maps" in names and ".BTF" not in names:
        raise _refusal(path, "it has maps and no BTF, which describes them", "an object with BTF",
                       "compile it with -g; llvm-strip -g keeps it, strip does not")  # fmt: skip


def _cut(path: Path, why: str) -> BadInputError:
    return _refusal(path, f"it is truncated: {why}", "the whole file", "copy or compile it again")


def _refusal(path: Path, why: str, allowed: str, do: str) -> BadInputError:
    return bad_input(FIELD, path, why=why, allowed=allowed, do=do)
