"""What a user's object holds: its programs, its maps, and how their keys and values lie."""

from __future__ import annotations

import resource
import signal
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter, ValidationError

from linerate.errors import BadInputError, LinerateError, bad_input
from linerate.measure.objects.code.elf import COMPILE, FIELD, read_sections
from linerate.measure.processes import built

SECONDS_MAX = 10
MEMORY_BYTES_MAX = 2 << 30
OUTPUT_BYTES_MAX = 64 << 20
_SAID_LINES, _SAID_CHARACTERS = 3, 600
_INITIAL_ENTRIES = ".rel.maps"
"""Section of an object whose tables of programs or maps have entries in the source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A number, or a row of equal ones, within a key or a value."""

    name: str
    """As in C, with dots and places: ``ends[1].port``; empty where the whole is the number."""
    offset_bits: int
    """From the first bit of the first byte."""
    bits: int
    """Width of one."""
    count: int
    """How many follow each other."""
    signed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A function that the kernel could load."""

    name: str
    section: str
    type: str
    """libbpf's word, such as ``xdp``; ``unspec`` where the section does not tell it."""
    instructions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """A table, or the variables of a section."""

    name: str
    """Of variables their section's: ``.rodata``, ``.data``, ``.bss``."""
    type: str
    """libbpf's word, such as ``lru_hash``."""
    key_bytes: int
    value_bytes: int
    entries_max: int
    flags: int
    pinned: bool
    """Whether the source asks for it; nothing is."""
    is_variables: bool
    key: tuple[Member, ...]
    """Empty where the object does not say."""
    value: tuple[Member, ...]
    """Likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectListing:
    """All of an object."""

    programs: tuple[Program, ...]
    maps: tuple[Map, ...]
    has_initial_entries: bool = False
    """Whether tables of programs or of maps have entries already."""

    def map_named(self, name: str) -> Map | None:
        """Find a map; None where there is no such."""
        return next((table for table in self.maps if table.name == name), None)


_LISTING = TypeAdapter(ObjectListing)


def list_object(path: Path) -> ObjectListing:
    """List what an object holds, without loading anything; no rights are needed.

    Raises
    ------
    BadInputError
        It is not a BPF object, or libbpf cannot read it, with its words.
    CannotHereError
        The runner is not built.
    LinerateError
        The runner failed.
    """
    sections = read_sections(path)
    listing = _parsed(_listed(path))
    initial = any(section.name == _INITIAL_ENTRIES for section in sections)
    return replace(listing, has_initial_entries=initial)


def _listed(path: Path) -> bytes:
    argv = [str(built.runner("bpf_object")), "--do", "list", "--object", str(path.absolute())]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as words:
        try:
            code = subprocess.run(
                argv, stdin=subprocess.DEVNULL, stdout=output, stderr=words, check=False,
                timeout=SECONDS_MAX, preexec_fn=_limit,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            raise _refused(path, f"libbpf read it for {SECONDS_MAX} s without an end") from None
        output.seek(0)
        if code:
            raise _refused(path, _ending(code, _last_words(words)))
        return output.read()


def _limit() -> None:
    """Bound what a hostile object could make of the child."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_BYTES_MAX, OUTPUT_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _last_words(words: IO[bytes]) -> str:
    """Return what was said last; names in it are the object's, and may hold anything."""
    words.seek(0)
    lines = words.read(OUTPUT_BYTES_MAX).decode("ascii", "replace").splitlines()[-_SAID_LINES:]
    joined = " | ".join(line.strip() for line in lines)
    return "".join(c if c.isprintable() else "?" for c in joined)[-_SAID_CHARACTERS:]


def _ending(code: int, words: str) -> str:
    if code < 0:
        return f"libbpf was ended by {signal.Signals(-code).name} while reading it"
    return words or f"libbpf ended with exit code {code}"


def _refused(path: Path, why: str) -> BadInputError:
    return bad_input(FIELD, path, why=why, allowed="an object that libbpf 1.x opens", do=COMPILE)


def _parsed(output: bytes) -> ObjectListing:
    try:
        return _LISTING.validate_json(output)
    except ValidationError as error:
        raise LinerateError(f"bpf_object: its answer cannot be read: {output[:200]!r}") from error
