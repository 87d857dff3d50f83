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
UNPACKED_BYTES_MAX = 64 * 1024**2
NUMBER_CHARACTERS_MAX = 24
"""Of a double, as it is printed: -2.2250738585072014e-308."""
HEAD_BYTES = 4096
"""A file of a line may have so much more that is not a number: a stream's header, a picture's."""
GZIP = 31
"""What zlib calls a stream with a header of gzip."""
NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SVG_NAME = re.compile(rb'(?<=[#"])[a-z]{1,2}[0-9a-f]{10}(?=[")])')
"""Matplotlib names parts of a picture by a hash of their coordinates."""
STREAM, END_STREAM = re.compile(rb"stream\r?\n"), re.compile(rb"\r?\nendstream")
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
    if len(kept) > longest(made):
        return False
    same = next((same for head, same in _SAME.items() if made.startswith(head)), _same_text)
    return same(kept, made)


def longest(made: bytes) -> int:
    """Bytes that a file may have which shows the same: each number in it may be a long one.

    >>> longest(b"1,2")
    4168
    """
    return NUMBER_CHARACTERS_MAX * len(made) + HEAD_BYTES


def _same_text(kept: bytes, made: bytes, tolerance: float = TOLERANCE) -> bool:
    """Compare words as they stand, and numbers as numbers."""
    if NUMBER.split(kept) != NUMBER.split(made):
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
    one, other = (INSIDE.findall(page) for page in (kept, made))
    return _same_text(bare[0], bare[1]) and _same_inside(one, other, _decoded, GZIP, alike)


def _same_inside(
    one: list[bytes], other: list[bytes], decoded: Callable[[bytes], bytes], form: int,
    same: Callable[[bytes, bytes], bool],
) -> bool:  # fmt: skip
    """Compare what is compressed, one by one: a small file may hold much of it."""
    if len(one) != len(other):
        return False
    for kept, made in zip(map(decoded, one), map(decoded, other), strict=True):
        plain = _unpacked(made, form, UNPACKED_BYTES_MAX)
        if not same(_unpacked(kept, form, longest(plain)), plain):
            return False
    return True


def _decoded(text: bytes) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError:
        return text


def _same_png(kept: bytes, made: bytes) -> bool:
    other = _picture(made)
    one = None if other is None else _picture(kept, other[0].shape[:2])
    if one is None or other is None or one[1] != other[1]:
        return False
    return bool((np.abs(one[0] - other[0]) <= LEVELS).all())


def _picture(
    content: bytes, shape: tuple[int, ...] | None = None
) -> tuple[np.ndarray, dict[str, str]] | None:
    """Decode a PNG: red, green, blue, alpha, and its texts.

    Parameters
    ----------
    content
        Of the file.
    shape
        Rows and columns that it must have to be decoded at all; any where left out.

    Returns
    -------
    None where it is not a PNG, or of another shape.
    """
    from PIL import Image  # slow to load

    try:
        with Image.open(io.BytesIO(content), formats=["PNG"]) as picture:
            if shape is not None and (picture.height, picture.width) != shape:
                return None
            pixels = np.asarray(picture.convert("RGBA"), dtype=np.int16)
            return pixels, {name: str(picture.info.get(name)) for name in ("Title", "Description")}
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def _same_pdf(kept: bytes, made: bytes) -> bool:
    """Compare what is in compressed streams, and what is around them."""
    (one, around), (other, around_made) = _streams(kept), _streams(made)
    return _same_drawing(around, around_made) and _same_inside(
        one, other, bytes, zlib.MAX_WBITS, _same_drawing
    )


def _streams(content: bytes) -> tuple[list[bytes], bytes]:
    """Take the streams of a PDF as they are, and the rest but for lengths and places."""
    inside, around, at = [], [], 0
    # No expression of both: of what has no end it would look for one again and again.
    while begin := STREAM.search(content, at):
        end = END_STREAM.search(content, begin.end())
        if end is None:
            break
        around.append(content[at : begin.start()])
        inside.append(content[begin.end() : end.start()])
        at = end.end()
    rest = b"".join([*around, content[at:]]).partition(b"\nxref")[0]
    return inside, re.sub(rb"/Length \d+", b"", rest)


def _unpacked(content: bytes, form: int, bytes_max: int) -> bytes:
    """Decompress what is compressed, up to a bound and one byte more, which shows it."""
    try:
        return zlib.decompressobj(form).decompress(content, bytes_max + 1)
    except zlib.error:
        return content


_SAME: dict[bytes, Callable[[bytes, bytes], bool]] = {
    b"\x89PNG": _same_png, b"%PDF": _same_pdf, b"<?xml": _same_svg, b"%% To include": _same_drawing,
    b"<!DOCTYPE html>": _same_page,
}  # fmt: skip
