"""A bundle of a stranger is refused in words, whatever it holds, and takes no more than it may."""

import base64
import gzip
import io
import tarfile
import tracemalloc
import zlib

import numpy as np
import pytest
from PIL import Image

from linerate.errors import BadInputError
from linerate.reports.bundle import verified
from linerate.reports.bundle.alike import alike
from linerate.reports.bundle.archive import archive_of
from linerate.reports.bundle.numbers import differing_numbers
from linerate.reports.bundle.verified import verify_bundle

from .conftest import quiet

MIB = 1024**2
ZEROS = gzip.compress(bytes(48 * MIB), 1, mtime=0)
PADDING = b"x" * 10_000
"""So that a file with what is packed is not too long at first sight."""
MODEL = b'{"capacity": {"base_ns": [1.5, 2]}, "provenance": {"date": "today"}}'


def page(*inside):
    parts = b"".join(b'<a data-content="%b">' % base64.b64encode(each) for each in inside)
    return b"<!DOCTYPE html>" + PADDING + parts


def pdf(*streams):
    return b"%PDF-1.4\n" + PADDING + b"".join(b"stream\n%b\nendstream\n" % each for each in streams)


def png(side):
    into = io.BytesIO()
    Image.fromarray(np.zeros((side, side), dtype=np.uint8)).save(into, "PNG")
    return into.getvalue()


def peak_bytes(kept, made):
    tracemalloc.start()
    try:
        assert not alike(kept, made)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("kept", "made"),
    [(page(ZEROS, ZEROS), page(gzip.compress(b"1"), gzip.compress(b"2"))),
     (pdf(ZEROS, zlib.compress(bytes(48 * MIB), 1)), pdf(zlib.compress(b"1"), b"2")),
     (png(1700), png(8))],
    ids=["page", "pdf", "png"],
)  # fmt: skip
def test_little_that_unpacks_to_much_is_no_more_than_what_was_made(kept, made):
    assert peak_bytes(kept, made) < 16 * MIB


def test_streams_without_an_end_are_looked_for_once():
    """Each that was begun was sought an end for to the end of the file: 16 MB took hours."""
    begun = 200_000
    assert not alike(b"%PDF-1.4\n" + b"stream\n" * begun, pdf(b"1") * (begun // 1000))


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        (b"{", "EOF"),
        (b"[1]", "not a JSON object"),
        (b"[" * 500, "recursion"),
        (b"3", "not a JSON object"),
    ],
)
def test_a_model_that_is_none_is_refused_in_words(kept, why):
    with pytest.raises(ValueError, match=why):
        differing_numbers(kept, MODEL)


@pytest.mark.parametrize(("number", "differs"), [(b"9" * 400, True), (b"1.5000000001", False)])
def test_numbers_of_any_length_are_compared(number, differs):
    found = differing_numbers(MODEL.replace(b"1.5", number), MODEL)
    assert found == ["capacity.base_ns[0]"] * differs


@pytest.mark.parametrize("name", ["campaign/a\0b", "campaign/\x1b[2J", "campaign/\udcff"])
def test_a_name_that_cannot_be_printed_is_refused(tmp_path, name):
    path = tmp_path / "named.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("short")
        member.pax_headers = {"path": name} if "\udcff" not in name else {}
        member.name = name if "\udcff" in name else "short"
        tar.addfile(member)
    with pytest.raises(BadInputError, match="cannot be printed"):
        verify_bundle(path, quiet)


def test_more_than_a_bundle_has_is_refused_while_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(verified, "BUNDLE_BYTES_MAX", 3 * MIB)
    path = tmp_path / "large.tar.zst"
    path.write_bytes(archive_of({f"{n}": bytes(MIB) for n in range(4)}, path.name))
    with pytest.raises(BadInputError, match="it holds too much; allowed: at most 3145728 bytes"):
        verify_bundle(path, quiet)


def test_of_many_files_that_differ_the_first_are_named(tmp_path):
    path = tmp_path / "many.tar.gz"
    files = {f"file-{n:03}": b"" for n in range(300)}
    path.write_bytes(archive_of(files | {"SHA256SUMS": b"0  " + b"x" * 9000 + b"\n"}))
    hashes = verify_bundle(path, quiet)[0]
    assert not hashes.holds
    assert len(hashes.detail) < 1500
    assert hashes.detail.endswith(", ...")
