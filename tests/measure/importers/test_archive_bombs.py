"""Archives that are small and say much: refused before they are believed."""

import gzip
import tarfile
import tracemalloc
from io import BytesIO

import pytest

from linerate.errors import BadInputError
from linerate.measure.importers.logs.sources import source_files

MIB = 1024**2
FEW = 12 * MIB
"""Of memory, traced."""


def header(kind, size, name=b"x"):
    """Write a tar header; its kind says what the bytes behind it are."""
    info = tarfile.TarInfo(name.decode())
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def written(path, parts):
    """Compress parts, a number of zeros among them, into an archive."""
    with gzip.GzipFile(path, "wb", compresslevel=1) as archive:
        for part in parts:
            for begin in range(0, part, MIB) if isinstance(part, int) else ():
                archive.write(bytes(min(MIB, part - begin)))
            archive.write(part if isinstance(part, bytes) else b"")
    return path


BOMBS = {
    "a long name": [header(b"L", 32 * MIB), 32 * MIB, header(b"0", 0)],
    "a long link": [header(b"K", 32 * MIB), 32 * MIB, header(b"2", 0)],
    "words of a member": [header(b"x", 32 * MIB), 32 * MIB, header(b"0", 0)],
    "words of all": [header(b"g", 32 * MIB), 32 * MIB, header(b"0", 0)],
    "words upon words": [(header(b"x", 10) + b"10 path=a\n".ljust(512, b"\0")) * 900] * 3,
}


@pytest.mark.parametrize("parts", BOMBS.values(), ids=BOMBS)
def test_a_header_without_end_is_refused(parts, tmp_path):
    path = written(tmp_path / "bomb.tar.gz", parts)
    tracemalloc.start()
    with pytest.raises(BadInputError, match=r"the archive is damaged .*; allowed: a whole \.tar"):
        list(source_files(path))
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < FEW


def test_a_large_member_is_passed_over_and_the_next_one_read(tmp_path):
    path = tmp_path / "study.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, size in (("large.log", 17 * MIB), ("small.log", 3)):
            info = tarfile.TarInfo(name)
            info.size = size
            archive.addfile(info, BytesIO(bytes(size)))
    large, small = source_files(path)
    assert (large.path, large.refused) == ("large.log", f"it has more than {16 * MIB} bytes")
    assert (small.path, small.content) == ("small.log", bytes(3))
