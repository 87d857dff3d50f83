"""Notebooks run from top to bottom, and are committed without outputs."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_committed_without_outputs(path):
    assert [cell for cell in code_cells(path) if cell.outputs or cell.execution_count] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_thin(path):
    """A notebook calls the package; whatever is longer belongs there."""
    assert max(len(cell.source.splitlines()) for cell in code_cells(path)) <= 15


@pytest.mark.filterwarnings("ignore")  # of the kernel's own packages, not of linerate
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run_and_show_two_figures(path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)
    notebook = read(path)
    client = NotebookClient(
        notebook, timeout=180, kernel_name="python3",
        resources={"metadata": {"path": os.fspath(path.parent)}},
    )  # fmt: skip
    client.execute()
    shown = [
        output for cell in notebook.cells for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]  # fmt: skip
    assert len(shown) >= 2
