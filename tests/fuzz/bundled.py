"""What reads bundles: the archive, its description, files of a report beside those made anew."""

from __future__ import annotations

import base64
import gzip
import io
import json
import shutil
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from linerate.errors import LinerateError
from linerate.files.store import Store
from linerate.measure.datapaths.sources import sources_of
from linerate.models.fitting import AUTO
from linerate.reports.bundle.alike import alike
from linerate.reports.bundle.archive import archive_of
from linerate.reports.bundle.asked import Asked, read_asked
from linerate.reports.bundle.crate import CRATE, SOURCES, crate_of, described_sources
from linerate.reports.bundle.numbers import differing_numbers
from linerate.reports.bundle.verified import verify_bundle
from linerate.reports.bundle.written import SUMS, VERSIONS, sums_of, versions
from linerate.tables.runs import read_runs

from .reader import ROOT, Reader, content

TRIALS = 4
SVG = (b'<?xml version="1.0"?><g id="m0123456789"><use href="#m0123456789" x="10.5" y="-3e2"/>'
       b"<text>Mpps</text></g>")  # fmt: skip
ASKED = Asked(command="linerate report a --out b", runs=("a",), kind=AUTO, widths_mm=(88, 180),
              forms=("svg", "pdf"), only=("throughput-by-accesses",))  # fmt: skip


def _quiet(part: str, done: int, of: int | None) -> None:
    pass


@cache
def _files() -> dict[str, bytes]:
    """Content of a bundle of a few trials, without a model."""
    with tempfile.TemporaryDirectory() as folder:
        campaign, kept = Path(folder), ROOT / "data/reference-veth"
        for name in ("campaign.toml", "box.json", "provenance.json"):
            shutil.copy(kept / name, campaign)
        lines = (kept / "journal.jsonl").read_bytes().splitlines(keepends=True)[:TRIALS]
        Store(campaign).journal_path.write_bytes(b"".join(lines))
        Store(campaign).write_runs()
        files = {f"campaign/{path.name}": path.read_bytes() for path in campaign.iterdir()}
        runs = read_runs([campaign])
        programs = runs[["datapath", "program"]].drop_duplicates().itertuples(index=False)
        files |= {SOURCES + name: source for name, source in sources_of(programs).items()}
        files[VERSIONS] = json.dumps(versions()).encode()
        files[CRATE] = crate_of(Store(campaign), runs, files)
    return {**files, SUMS: sums_of(files)}


def _archives(end: str) -> list[bytes]:
    packed = archive_of(_files(), f"a{end}")
    return [packed]


def _plain() -> list[bytes]:
    return [gzip.decompress(each) for each in _archives(".tar.gz")]


def _verify(path: Path) -> object:
    """Check it to the end; hashes of a changed one never hold."""
    wrong = [one.detail for one in verify_bundle(path, _quiet) if not one.holds]
    if wrong:
        raise LinerateError("; ".join(wrong))
    return True


def _read_asked(path: Path) -> object:
    asked = read_asked(path.read_bytes(), "of the bundle")
    return asked.drawing, asked.table_in(path.parent)


def _read_crate(path: Path) -> object:
    return _in_words(lambda: described_sources(path.read_bytes()))


def _models() -> list[bytes]:
    return content("src/linerate/data/boxes/chains.json")


def _compare_models(path: Path) -> object:
    (made,) = _models()
    return _in_words(lambda: differing_numbers(path.read_bytes(), made))


def _in_words(read: Callable[[], object]) -> object:
    """Give what a reader says, which its own caller takes for a check that does not hold."""
    try:
        return read()
    except ValueError as error:
        raise LinerateError(str(error)) from error


def _png() -> bytes:
    into, levels = io.BytesIO(), np.arange(192, dtype=np.uint8)
    Image.fromarray(levels.reshape(8, 8, 3)).save(into, "PNG")
    return into.getvalue()


def _pdf() -> bytes:
    packed = zlib.compress(b"10.5 20 m 30 40 l S")
    stream = b"<< /Length %d >>\nstream\n%b\nendstream\n" % (len(packed), packed)
    return b"%PDF-1.4\n" + 2 * stream + b"xref\n12"


def _page() -> bytes:
    inside = base64.b64encode(gzip.compress(b"a,1.5\nb,2.5\n", mtime=0))
    return (b'<!DOCTYPE html><p class="made">today</p><img src="data:image/png;base64,%b">'
            b'<a data-content="%b">12.5 Mpps</a>') % (base64.b64encode(_png()), inside)  # fmt: skip


def _drawn(name: str, made: bytes) -> Reader:
    """A file of a report beside the one that was made anew."""

    def read(path: Path) -> object:
        if not alike(path.read_bytes(), made):
            raise LinerateError("it differs")
        return True

    return Reader(f"bundle-{name}", f"figure.{name}", read, lambda: [made])


READERS = (
    Reader("bundle", "own.tar", _verify, _plain, files=8),
    Reader("bundle-packed", "own.tar.zst", _verify, lambda: _archives(".tar.zst"), files=8),
    Reader("bundle-asked", "report.json", _read_asked,
           lambda: [json.dumps(asdict(ASKED)).encode()]),
    Reader("bundle-crate", CRATE, _read_crate, lambda: [_files()[CRATE]]),
    Reader("bundle-model", "model.json", _compare_models, _models),
    _drawn("svg", SVG), _drawn("png", _png()), _drawn("pdf", _pdf()), _drawn("html", _page()),
    _drawn("csv", b"a,1.5\nb,-2.25e-3\n"),
)  # fmt: skip
