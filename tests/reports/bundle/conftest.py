"""A small campaign with a report of one figure, bundled once."""

import json
import shutil

import pytest

from linerate.cli.runs.report import write_report
from linerate.files.store import Store
from linerate.reports.bundle.written import write_bundle
from linerate.reports.page.pictures import Drawing

FIGURE = "throughput-by-accesses"


def quiet(part, done, of):
    """Tell nobody."""


@pytest.fixture(scope="session")
def small(tmp_path_factory, reference):
    """Give a campaign's folder: XDP native on one queue at 64 bytes, of the reference campaign."""
    folder = tmp_path_factory.mktemp("small") / "campaign"
    folder.mkdir()
    for name in ("campaign.toml", "box.json", "provenance.json"):
        shutil.copy(reference("veth") / name, folder)
    kept = [line for line in (reference("veth") / "journal.jsonl").read_bytes().splitlines(True)
            if _is_small(json.loads(line)["cell"])]  # fmt: skip
    Store(folder).journal_path.write_bytes(b"".join(kept))
    Store(folder).write_runs()
    return folder


def _is_small(cell):
    return (cell["datapath"], cell["queues"], cell["load"]["frame_mix"]) == (
        "xdp_native", 1, [[1.0, 64]])  # fmt: skip


@pytest.fixture(scope="session")
def reported(small):
    """Give the folder of its report."""
    folder = small.parent / "report"
    drawn = Drawing(widths_mm=(88,), forms=("svg", "png", "pdf", "pgf"), only=(FIGURE,))
    write_report([small], folder, drawn, "capacity", ("html",))
    return folder


@pytest.fixture(scope="session")
def with_report(small, reported):
    """Give its bundle, and the content of the bundle's files."""
    out = small.parent / "small.tar.zst"
    return out, write_bundle(small, out, reported, quiet)
