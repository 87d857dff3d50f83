"""Notebooks run from top to bottom, once for all checks, and show what is stored in them."""

import shutil
from typing import Any

import nbformat
import pytest

from .notebook_outputs import CHANGING, NOTEBOOKS, executed, kept, texts, words_and_numbers

STORE = "python -m tests.notebook_outputs stores them anew"


def code_cells(path):
    cells: Any = nbformat.read(path, as_version=4).cells
    return [cell for cell in cells if cell.cell_type == "code"]


def test_there_are_six_notebooks():
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_stored_outputs_hold_nothing_of_the_machine(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == [None] * len(cells)
    stored = [output for cell in cells for output in cell.outputs]
    assert [text for text in texts(stored) if CHANGING.search(text)] == []
    assert all(
        output.get("name") != "stderr" and output.output_type != "error" for output in stored
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_code_host_shows_two_pictures(path):
    data = [output.get("data", {}) for cell in code_cells(path) for output in cell.outputs]
    assert sum("image/png" in shown for shown in data) >= 2
    assert path.stat().st_size < 1_000_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_thin(path):
    """A notebook calls the package; whatever is longer belongs there."""
    assert max(len(cell.source.splitlines()) for cell in code_cells(path)) <= 18


@pytest.mark.long
@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")  # of the kernel's own packages, not of linerate
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_fresh_execution_says_what_is_stored(path, monkeypatch):
    if "clang" in path.read_text() and not shutil.which("clang"):
        pytest.skip("clang is not installed")
    monkeypatch.delenv("MPLBACKEND", raising=False)
    fresh = [cell for cell in executed(path).cells if cell.cell_type == "code"]
    for before, after in zip(code_cells(path), fresh, strict=True):
        shown = texts(kept(after))
        assert len(before.outputs) == len(shown), STORE
        for text, now in zip(texts(before.outputs), shown, strict=True):
            (words, numbers), (words_now, numbers_now) = map(words_and_numbers, (text, now))
            assert words == words_now, STORE
            assert numbers_now == pytest.approx(numbers, rel=0.02, abs=1e-3), STORE
