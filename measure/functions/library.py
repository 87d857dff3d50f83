"""Checks of a shared object's ELF file before anything loads it, and what it exports."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import BadInputError, bad_input, bad_name
from linerate.measure.objects.input_file import read_bytes

SUFFIX = ".so"
LIBRARY_BYTES_MAX = 64 << 20
FIELD = "function"
"""What errors call it."""
COMPILE = "compile it with `cc -O2 -fPIC -shared -I measure/functions/include -o mine.so mine.c`"
NAMES_SHOWN = 12
_MAGIC = b"\x7fELF"
_CLASS_64, _LITTLE_ENDIAN = 2, 1
_SHARED = 3
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_DYNAMIC_SYMBOLS = 11
_FUNCTION, _GLOBAL, _WEAK = 2, 1, 2
_MACHINES = {"x86_64": 62, "aarch64": 183}
_NAMES = {
    3: "32-bit x86",
    40: "32-bit ARM",
    62: "x86-64",
    183: "AArch64",
    243: "RISC-V",
    247: "BPF",
}
_RESERVED = frozenset({"_init", "_fini"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A shared object that this machine can load, as far as its file says."""

    path: Path
    functions: tuple[str, ...]
    """Those that it exports, in alphabetical order."""

    def entry(self, asked: str | None) -> str:
        """Choose the function that frames come to: the one asked for, or the only one.

        Raises
        ------
        BadInputError
            It exports none of that name, or several and none was asked for.
        """
        if asked is not None:
            if asked not in self.functions:
                raise bad_name("entry", asked, why=f"{self.path} exports no such function",
                               known=self.functions[:NAMES_SHOWN] or ("none",))  # fmt: skip
            return asked
        if len(self.functions) == 1:
            return self.functions[0]
        if not self.functions:
            raise _refusal(self.path, "it exports no function",
                           "a function that is not static", COMPILE)  # fmt: skip
        raise bad_input(
            "entry", "nothing", why=f"{self.path} exports {len(self.functions)} functions",
            allowed=_listed(self.functions), do="name the one that takes frames, by --entry or "
            'function = { entry = ["..."] }',
        )  # fmt: skip


def read_library(path: Path) -> Library:
    """Read what a shared object exports; nothing of it is run.

    Raises
    ------
    BadInputError
        It is not a shared object for this machine, or cut.
    """
    data = read_bytes(path, FIELD, LIBRARY_BYTES_MAX)
    _check_identity(path, data)
    return Library(path=path, functions=_functions(path, data))


def _check_identity(path: Path, data: bytes) -> None:
    if data[: len(_MAGIC)] != _MAGIC:
        why = "it is not an ELF file" if data else "it is empty"
        raise _refusal(path, why, "a shared object", COMPILE)
    if len(data) < _HEADER.size:
        raise _cut(path, "it ends within its header")
    kind, machine = struct.unpack_from("<HH", data, 16)
    here = os.uname().machine
    if data[4] != _CLASS_64 or data[5] != _LITTLE_ENDIAN or machine != _MACHINES.get(here, machine):
        known = _NAMES.get(machine, f"machine {machine}")
        raise _refusal(path, f"it is for {known}", f"{here}, as this machine is", "compile it here")
    if kind != _SHARED:
        raise _refusal(path, "it is not a shared object", "what cc -shared writes", COMPILE)


def _functions(path: Path, data: bytes) -> tuple[str, ...]:
    headers = _headers(path, data)
    found: set[str] = set()
    for section in headers:
        if section[1] != _DYNAMIC_SYMBOLS:
            continue
        symbols, names = _bytes_of(data, section), b""
        if section[6] < len(headers):
            names = _bytes_of(data, headers[section[6]])
        whole = len(symbols) // _SYMBOL.size * _SYMBOL.size
        for name, info, other, place, *_ in _SYMBOL.iter_unpack(symbols[:whole]):
            shown = info & 15 == _FUNCTION and info >> 4 in (_GLOBAL, _WEAK) and not other & 3
            if shown and place and name < len(names):
                end = names.find(b"\0", name)
                found.add(names[name : end if end > 0 else None].decode("ascii", "replace"))
    return tuple(sorted(found - _RESERVED))


def _headers(path: Path, data: bytes) -> Sequence[tuple[int, ...]]:
    *_, at, _, _, _, _, entry_bytes, count, _ = _HEADER.unpack_from(data)
    if entry_bytes != _SECTION.size or not count:
        raise _refusal(path, "it has no sections", "a shared object as the linker wrote it",
                       COMPILE)  # fmt: skip
    if at + count * entry_bytes > len(data):
        raise _cut(path, f"its section headers end at byte {at + count * entry_bytes}")
    return list(_SECTION.iter_unpack(data[at : at + count * entry_bytes]))


def _bytes_of(data: bytes, section: Sequence[int]) -> bytes:
    return data[section[4] : section[4] + section[5]]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _cut(path: Path, why: str) -> BadInputError:
    return _refusal(path, f"it is truncated: {why}", "the whole file", "copy or compile it again")


def _refusal(path: Path, why: str, allowed: str, do: str) -> BadInputError:
    return bad_input(FIELD, path, why=why, allowed=allowed, do=do)
