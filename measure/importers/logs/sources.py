"""The files of a folder or an archive, one at a time, none larger than a log can be.

Nothing is unpacked: members of an archive are read into memory, so no name in it can reach the
disk. What is not a plain file is named, never followed.
"""

from __future__ import annotations

import gzip
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

from linerate.errors import bad_input

LOG_BYTES_MAX = 16 * 1024**2
"""A log of an hour, sampled every second on a hundred cores, has less."""
STUDY_BYTES_MAX = 4 * 1024**3
HEADER_BYTES_MAX = 1024**2
"""Of what an archive says of one member: its name, and more of its kind."""
FILES_MAX = 200_000
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.zst")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of a study."""

    path: str
    """Within the folder or archive, with slashes."""
    content: bytes = b""
    refused: str = ""
    """Why it was not read; empty where it was."""

    def text(self) -> str:
        """Decode the content.

        Raises
        ------
        ValueError
            It is neither UTF-8 nor holds a line.
        """
        text = self.content.decode("utf-8-sig")
        if "\0" in text:
            raise ValueError("it holds zero bytes: no text")
        return text


def source_files(path: Path) -> Iterator[SourceFile]:
    """Read the files under a folder, or in an archive, in the order in which they lie there.

    Raises
    ------
    BadInputError
        No folder and no archive, a damaged archive, a name that leaves it, or too much of it.
    """
    if path.is_dir():
        files = _folder_files(path)
    elif path.is_file() and path.name.endswith(ARCHIVES):
        files = _archive_files(path)
    else:
        raise bad_input(
            "path", path, why="it is neither a folder nor an archive", allowed="a folder, or a "
            f"file ending in {', '.join(ARCHIVES)}", do="check the path",
        )  # fmt: skip
    bytes_sum = 0
    for count, file in enumerate(files, start=1):
        bytes_sum += len(file.content)
        if count > FILES_MAX or bytes_sum > STUDY_BYTES_MAX:
            raise bad_input(
                "path", path, why="it holds too much", allowed=f"at most {FILES_MAX} files and "
                f"{STUDY_BYTES_MAX} bytes", do="import it in parts",
            )  # fmt: skip
        yield file


def read_source_file(path: Path) -> SourceFile:
    """Read one log that was named by itself.

    Raises
    ------
    BadInputError
        It cannot be read, or is too large.
    """
    file = _plain_file(path.resolve(), path.name)
    if file.refused:
        raise bad_input(
            "path", path, why=file.refused, allowed=f"a text file of at most {LOG_BYTES_MAX} bytes",
            do="check the path",
        )  # fmt: skip
    return file


def _folder_files(folder: Path) -> Iterator[SourceFile]:
    for root, folders, names in os.walk(folder):
        folders.sort()
        here = Path(root)
        links = [name for name in folders if (here / name).is_symlink()]
        for name in sorted([*names, *links]):
            yield _plain_file(here / name, (here / name).relative_to(folder).as_posix())


def _plain_file(path: Path, name: str) -> SourceFile:
    if path.is_symlink() or not path.is_file():
        why = "it is a link" if path.is_symlink() else "it is not a plain file"
        return SourceFile(path=name, refused=why)
    try:
        with path.open("rb") as file:
            content = file.read(LOG_BYTES_MAX + 1)
    except OSError as error:
        return SourceFile(path=name, refused=f"it cannot be read ({error.strerror})")
    if len(content) > LOG_BYTES_MAX:
        return SourceFile(path=name, refused=f"it has more than {LOG_BYTES_MAX} bytes")
    return SourceFile(path=name, content=content)


@dataclass(slots=True)
class _Metered:
    """A stream that ends a reader which takes more of it than a member can need."""

    stream: IO[bytes]
    left_bytes: int = HEADER_BYTES_MAX
    """Up to the next member."""
    sum_bytes: int = 0

    def read(self, count: int) -> bytes:
        """Read as the stream does.

        Raises
        ------
        tarfile.ReadError
            Of one member, or in all, that is more than there can be.
        """
        content = self.stream.read(count)
        self.left_bytes -= len(content)
        self.sum_bytes += len(content)
        if self.left_bytes < 0:
            raise tarfile.ReadError(f"a member's header has more than {HEADER_BYTES_MAX} bytes")
        if self.sum_bytes > STUDY_BYTES_MAX:
            raise tarfile.ReadError(f"it has more than {STUDY_BYTES_MAX} bytes")
        return content

    def allow(self, member_bytes: int) -> None:
        """Let a member be read or passed over, and the header of the next."""
        self.left_bytes = member_bytes + HEADER_BYTES_MAX


def _archive_files(path: Path) -> Iterator[SourceFile]:
    try:
        # As a stream: the tar reader would not notice that a compressed file ends early.
        with _stream(path) as stream:
            metered = _Metered(stream)
            with tarfile.open(fileobj=cast("IO[bytes]", metered), mode="r|") as tar:
                for member in tar:
                    metered.allow(member.size)
                    if not member.isdir():
                        yield _member(tar, member, path)
            metered.allow(STUDY_BYTES_MAX)
            while metered.read(1024 * 1024):
                pass
    except (tarfile.TarError, OSError, EOFError, zlib.error, RecursionError) as error:
        raise bad_input(
            "path", path, why=f"the archive is damaged ({error})",
            allowed="a whole .tar, .tar.gz, .tar.zst", do="fetch it anew",
        ) from error  # fmt: skip


@contextmanager
def _stream(path: Path) -> Iterator[IO[bytes]]:
    """Open an archive's content, decompressed as it is read."""
    if path.suffix != ".zst":
        with path.open("rb") if path.suffix == ".tar" else gzip.open(path) as plain:
            yield cast("IO[bytes]", plain)
        return
    import pyarrow as pa  # slow to load

    with path.open("rb") as packed, pa.input_stream(packed, compression="zstd") as stream:
        yield stream


def _member(tar: tarfile.TarFile, member: tarfile.TarInfo, archive: Path) -> SourceFile:
    name = PurePosixPath(member.name)
    if name.is_absolute() or ".." in name.parts:
        raise bad_input(
            "path", archive, why=f"its member {member.name!r} leaves the archive",
            allowed="names below the archive's own folder", do="do not trust this file",
        )  # fmt: skip
    if not member.isreg():
        why = "it is a link" if member.issym() or member.islnk() else "it is not a plain file"
        return SourceFile(path=str(name), refused=why)
    if member.size > LOG_BYTES_MAX:
        return SourceFile(path=str(name), refused=f"it has more than {LOG_BYTES_MAX} bytes")
    held = tar.extractfile(member)
    content = held.read() if held else b""
    return SourceFile(path=str(name), content=content)
