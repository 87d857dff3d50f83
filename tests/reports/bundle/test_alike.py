"""Files that show the same are alike, whatever their bytes; all else differs."""

import io
import zlib

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from linerate.reports.bundle.alike import alike


def svg(x, name="m0123456789", text="Mpps"):
    return f'<?xml version="1.0"?><g id="{name}"><use href="#{name}" x="{x}"/>{text}</g>'.encode()


def png(level, title="Throughput"):
    into, texts = io.BytesIO(), PngInfo()
    texts.add_text("Title", title)
    Image.fromarray(np.full((8, 8, 3), level, dtype=np.uint8)).save(into, "PNG", pnginfo=texts)
    return into.getvalue()


def pdf(x, level=6):
    packed = zlib.compress(f"{x} 20 m S".encode(), level)
    return b"%%PDF-1.4\n<< /Length %d >>\nstream\n%b\nendstream\nxref\n%d" % (
        len(packed), packed, len(packed))  # fmt: skip


@pytest.mark.parametrize(
    ("kept", "made"),
    [(b"a,1.0000000001\n", b"a,1.0\n"), (svg(10.0001, "mabcdef0123"), svg(10.0)),
     (png(103), png(100)), (pdf(10.0002, 1), pdf(10.0))],
    ids=["csv", "svg", "png", "pdf"],
)  # fmt: skip
def test_what_shows_the_same_is_alike(kept, made):
    assert kept != made
    assert alike(kept, made)


@pytest.mark.parametrize(
    ("kept", "made"),
    [(b"a,1.00001\n", b"a,1.0\n"), (b"b,1.0\n", b"a,1.0\n"), (b"a,1.0\na,2\n", b"a,1.0\n"),
     (b"a,#\n", b"a,1\n"), (b"#,1\n", b"1,#\n"),
     (svg(10.01), svg(10.0)), (svg(10.0, text="Gbit/s"), svg(10.0)),
     (png(120), png(100)), (png(100, "Loss"), png(100)), (b"\x89PNG", png(100)),
     (pdf(10.01), pdf(10.0)), (b"%PDF", pdf(10.0))],
    ids=["number", "word", "row", "no-number", "other-number", "place", "text", "colour", "title",
         "no-png", "line", "no-pdf"],
)  # fmt: skip
def test_what_shows_something_else_is_not(kept, made):
    assert not alike(kept, made)
