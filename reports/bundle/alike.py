"""Whether two files of a report show the same, where their bytes differ."""

from __future__ import annotations

import base64
import io
import math
import re
import zlib
from collections.abc import Callable

import numpy as np

TOLERANCE = 1e-6
"""Relative, or absolute, of numbers in tables: another processor adds in another order."""
DRAWN_TOLERANCE = 1e-3
"""Of coordinates in figures, in points of 1/72 inch: they are written with few digits."""
LEVELS = 8
"""Of 255: how far a colour of a pixel may be off."""
PIXELS_MAX = 100_000_000
UNPACKED_BYTES_MAX = 64 * 1024**2
GZIP = 31
"""What zlib calls a stream with a header of gzip."""
NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SVG_NAME = re.compile(rb'(?<=[#"])[a-z]{1,2}[0-9a-f]{10}(?=[")])')
"""Matplotlib names parts of a picture by a hash of their coordinates."""
PDF_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
MADE = re.compile(rb'<p class="made">[^<]*</p>')
"""When a page was made, which is the one thing in it that is not of its runs."""
INSIDE = re.compile(rb'(?:data-content="|base64,)([A-Za-z0-9+/=]+)"')
"""A picture of a page, or a file that it gives."""


def alike(kept: bytes, made: bytes) -> bool:
    """Compare byte for byte, then what the form of the file shows.

    Numbers of tables are the same to a millionth, coordinates in SVG, PGF and PDF to a thousandth
    of a point, colours of PNG to 8 of 255; all other text is the same.

    Parameters
    ----------
    kept, made
        What is in the bundle, and what was made again, whose first bytes say its form.
    """
    if kept == made:
        return True
    same = next((same for head, same in _SAME.items() if made.startswith(head)), _same_text)
    return same(kept, made)


def _same_text(kept: bytes, made: bytes, tolerance: float = TOLERANCE) -> bool:
    """Compare words as they stand, and numbers as numbers."""
    if NUMBER.sub(b"#", kept) != NUMBER.sub(b"#", made):
        return False
    numbers = zip(NUMBER.findall(kept), NUMBER.findall(made), strict=True)
    return all(
        one == other or math.isclose(float(one), float(other), rel_tol=TOLERANCE, abs_tol=tolerance)
        for one, other in numbers
    )


def _same_drawing(kept: bytes, made: bytes) -> bool:
    return _same_text(kept, made, DRAWN_TOLERANCE)


def _same_svg(kept: bytes, made: bytes) -> bool:
    return _same_drawing(SVG_NAME.sub(b"", kept), SVG_NAME.sub(b"", made))


def _same_page(kept: bytes, made: bytes) -> bool:
    """Compare words, then the files inside one by one."""
    bare = [INSIDE.sub(b"", MADE.sub(b"", page)) for page in (kept, made)]
    one, other = ([_inside(each) for each in INSIDE.findall(page)] for page in (kept, made))
    return _same_text(bare[0], bare[1]) and len(one) == len(other) and all(map(alike, one, other))


def _inside(text: bytes) -> bytes:
    try:
        return _unpacked(base64.b64decode(text), GZIP)
    except ValueError:
        return text


def _same_png(kept: bytes, made: bytes) -> bool:
    one, other = _picture(kept), _picture(made)
    if one is None or other is None or one[1] != other[1] or one[0].shape != other[0].shape:
        return False
    return bool((np.abs(one[0] - other[0]) <= LEVELS).all())


def _picture(content: bytes) -> tuple[np.ndarray, dict[str, str]] | None:
    """Decode a PNG: red, green, blue, alpha, and its texts; None where it is none, or too large."""
    from PIL import Image  # slow to load

    try:
        with Image.open(io.BytesIO(content), formats=["PNG"]) as picture:
            if picture.width * picture.height > PIXELS_MAX:
                return None
            pixels = np.asarray(picture.convert("RGBA"), dtype=np.int16)
            return pixels, {name: str(picture.info.get(name)) for name in ("Title", "Description")}
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def _same_pdf(kept: bytes, made: bytes) -> bool:
    """Compare what is in compressed streams, and what is around them."""
    one, other = _streams(kept), _streams(made)
    return len(one) == len(other) and all(map(_same_drawing, one, other))


def _streams(content: bytes) -> list[bytes]:
    """Take the streams of a PDF, unpacked, and behind them the rest but for lengths and places."""
    inside = [_unpacked(each, zlib.MAX_WBITS) for each in PDF_STREAM.findall(content)]
    rest = PDF_STREAM.sub(b"", content).partition(b"\nxref")[0]
    return [*inside, re.sub(rb"/Length \d+", b"", rest)]


def _unpacked(content: bytes, form: int) -> bytes:
    """Decompress what is compressed, up to a bound."""
    try:
        return zlib.decompressobj(form).decompress(content, UNPACKED_BYTES_MAX)
    except zlib.error:
        return content


_SAME: dict[bytes, Callable[[bytes, bytes], bool]] = {
    b"\x89PNG": _same_png, b"%PDF": _same_pdf, b"<?xml": _same_svg, b"%% To include": _same_drawing,
    b"<!DOCTYPE html>": _same_page,
}  # fmt: skip
