"""Two planted campaigns: the second a tenth slower where the servers limit, and without a size."""

from types import SimpleNamespace

import numpy as np
import pytest

from linerate.reports import Writer, read_source, words_in
from linerate.reports.compared import compared_of, write_comparison
from linerate.reports.documents import DOCUMENTS
from linerate.reports.page.pictures import Drawing

from .. import planted

CELLS = (0, 100, 1600)
"""Accesses that are measured."""
WIDTHS_MM = {"en": (180, 88), "pt": (88,)}


def slower(runs, factor):
    """Scale what the servers limit; what the link limits stays."""
    limited = runs["forwarded_mpps"] < runs["offered_mpps"]
    return runs.assign(forwarded_mpps=runs["forwarded_mpps"] * np.where(limited, factor, 1.0))


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    home = tmp_path_factory.mktemp("campaigns")
    first = planted.serial_runs(CELLS, repetitions=4, seed=11)
    second = slower(planted.serial_runs(CELLS, repetitions=4, seed=12), 0.9)
    second = second[second["frame_bytes"] != 256]
    for name, runs in (("monday", first), ("tuesday", second)):
        (home / name).mkdir()
        runs.to_csv(home / name / "runs.csv", index=False)
    return home / "monday", home / "tuesday"


@pytest.fixture(scope="session")
def compared(folders):
    return compared_of([read_source(folder) for folder in folders])


@pytest.fixture(scope="session")
def comparisons(compared, tmp_path_factory):
    """Write the report of the comparison in each language."""
    found = {}
    for lang in ("en", "pt"):
        folder, words = tmp_path_factory.mktemp(f"compared-{lang}"), words_in(lang)
        writer = Writer(folder=folder, words=words, command="linerate report --compare a b",
                        documents=DOCUMENTS,
                        drawing=Drawing(lang=lang, widths_mm=WIDTHS_MM[lang]))  # fmt: skip
        report = write_comparison(writer, compared)
        found[lang] = SimpleNamespace(folder=folder, report=report, words=words)
    return found
