"""Text from outside: bytes, allow-listed and bounded before anything is decoded."""

from __future__ import annotations

from pathlib import Path

from linerate.errors import bad_input

_ALLOWED = bytes([*range(0x20, 0x7F), 0x09, 0x0A])
LINE_BYTES_MAX = 2046
"""What DPDK reads of a line, without its end: ``MAX_LINE_LENGTH`` less two. It takes what is beyond
for the next line."""


def read_text(path: Path, field: str, bytes_max: int) -> str:
    """Read a file of printable ASCII, tabs and line feeds.

    Parameters
    ----------
    path
        What to read; no more than ``bytes_max`` of it is.
    field
        What errors call it.

    Raises
    ------
    BadInputError
        It cannot be read, is too large, or holds a line too long or another byte; with the line.
    """
    try:
        with path.open("rb") as file:
            data = file.read(bytes_max + 1)
    except OSError as error:
        raise bad_input(
            field, path, why=error.strerror or "it cannot be read", allowed="a readable file",
            do="correct the path",
        ) from error  # fmt: skip
    if len(data) > bytes_max:
        raise bad_input(
            field, path, why=f"it has more than {bytes_max} bytes", allowed=f"up to {bytes_max}",
            do="shorten it",
        )  # fmt: skip
    return checked_text(data, path.name)


def checked_text(data: bytes, source: str) -> str:
    """Decode bytes, comments included, of which each has one meaning.

    >>> checked_text(b"apply {", "a.spec")
    'apply {'
    """
    if data.translate(None, _ALLOWED):
        place = next(place for place, byte in enumerate(data) if byte not in _ALLOWED)
        raise bad_input(
            f"{source}:{data.count(0x0A, 0, place) + 1}", f"byte {data[place]:#04x}",
            why="it is not text that DPDK and we read alike, in a comment neither",
            allowed="printable ASCII, tab and line feed",
            do="run dos2unix on it" if data[place] == 0x0D else "remove it",
        )  # fmt: skip
    for number, line in enumerate(data.split(b"\n"), 1):
        if len(line) > LINE_BYTES_MAX:
            raise bad_input(
                f"{source}:{number}", f"{len(line)} bytes", why="DPDK cuts such a line",
                allowed=f"lines of {LINE_BYTES_MAX} bytes", do="break it",
            )  # fmt: skip
    return data.decode("ascii")
