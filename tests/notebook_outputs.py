"""Outputs of notebooks, as they are stored: without times, paths, counts and addresses.

``.venv/bin/python -m tests.notebook_outputs`` executes all notebooks and stores their outputs.
"""

import base64
import copy
import io
import os
import re
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from PIL import Image

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))
CHANGING = re.compile(r"0x[0-9a-f]{6,}|/(?:root|home|tmp|work)/|\d+:\d\d:\d\d")
"""Addresses, paths and times of the machine that executed a notebook."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def executed(path):
    """Notebook with its fresh outputs."""
    notebook: Any = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=180, kernel_name="python3", coalesce_streams=True,
        resources={"metadata": {"path": os.fspath(path.parent)}},
    ).execute()  # fmt: skip
    return notebook


def kept(cell):
    """Outputs of a cell that are stored: text on stdout, results, pictures."""
    return [_plain(output) for output in cell.outputs if _lasts(output)]


def _lasts(output):
    if output.output_type == "display_data":  # what is not a picture is a bar of progress
        return "image/png" in output.data
    return output.output_type != "stream" or output.name == "stdout"


def _plain(output):
    plain: Any = copy.deepcopy(output)
    if "text" in plain:
        plain["text"] = _TIME.sub("(time)", plain["text"])
    if "data" in plain:
        names = ("image/png",) if "image/png" in plain.data else ("text/html", "text/plain")
        plain["data"] = {name: plain.data[name] for name in names if name in plain.data}
        plain["metadata"] = {}
    if "image/png" in plain.get("data", {}):
        plain.data["image/png"] = _small(plain.data["image/png"])
    if plain.output_type == "execute_result":
        plain["execution_count"] = None
    return plain


def _small(picture):
    """The same picture of at most 256 colours."""
    written = io.BytesIO()
    drawn = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    drawn.quantize(256, dither=Image.Dither.NONE).save(written, "png", optimize=True)
    return base64.b64encode(written.getvalue()).decode()


def texts(outputs):
    """Text of each output; of a picture only that there is one."""
    return [output.get("text") or output.data.get("text/plain", "<picture>") for output in outputs]


def words_and_numbers(text):
    """Words of a text without the spaces that align its numbers, and the numbers."""
    words = [" ".join(part.split()) for part in _NUMBER.split(text)]
    return words, [float(number) for number in _NUMBER.findall(text)]


def store(path):
    """Execute a notebook, and keep what lasts."""
    notebook: Any = executed(path)
    before: Any = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, kept(cell)
    notebook.metadata = before.metadata
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for path in NOTEBOOKS:
        store(path)
