"""What kind of file of the user's ``linerate fits`` is asked about, by its name or first bytes."""

from __future__ import annotations

from pathlib import Path

from linerate.cli.models.priced import FUNCTION_SUFFIX
from linerate.errors import bad_input

OBJECT_SUFFIX, SOURCE_SUFFIX = ".o", ".c"
OBJECT, FUNCTION = "object", "function"
ELF = b"\x7fELF"
BPF_MACHINE, SHARED = 247, 3
"""``e_machine`` of BPF, and ``e_type`` of a shared object (elf.h)."""
HEADER_BYTES = 20
KINDS = ("a BPF object (.o), a function (.so), a pipeline (.spec, .p4), a ruleset (.nft, .rules), "
         "a chain (.chain.toml), or a program's name with --model")  # fmt: skip


def kind_of(program: str, *, named: bool) -> str | None:
    """Say whether a program is a BPF object or a function of user space; None of a name.

    Parameters
    ----------
    program
        A path, or the name that a program was measured under.
    named
        Whether it is surely a name, as a model was given.

    Raises
    ------
    BadInputError
        It is a file, and none that can be asked about.
    """
    for suffix, kind in ((OBJECT_SUFFIX, OBJECT), (FUNCTION_SUFFIX, FUNCTION)):
        if program.endswith(suffix):
            return kind
    path = Path(program)
    if named or not (path.is_file() or len(path.parts) > 1):
        return None
    header = _header(path)
    if header[:4] == ELF and int.from_bytes(header[18:20], "little") == BPF_MACHINE:
        return OBJECT
    if header[:4] == ELF and int.from_bytes(header[16:18], "little") == SHARED:
        return FUNCTION
    if path.suffix == SOURCE_SUFFIX:
        raise bad_input("program", program, why="it is source, not what a compiler made of it",
                        allowed=KINDS, do="compile it: clang -O2 -g -target bpf -c")  # fmt: skip
    raise bad_input("program", program, why="it is not a file that can be asked about",
                    allowed=KINDS, do="name one of these")  # fmt: skip


def _header(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEADER_BYTES)
    except OSError as error:
        raise bad_input("program", path, why=f"it cannot be read ({error.strerror})", allowed=KINDS,
                        do="check the path") from error  # fmt: skip
