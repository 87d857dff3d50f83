"""A notebook with its stored outputs, as a page of the site."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat

Cell = Mapping[str, Any]


def page_of(path: Path) -> tuple[str, dict[str, bytes]]:
    """Write a notebook as Markdown.

    Returns
    -------
    The text, and its pictures by file name.
    """
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            parts.append(_shown(output, f"{path.stem}-{len(pictures) + 1}.png", pictures))
    return "\n\n".join(parts) + "\n", pictures


def _shown(output: Cell, name: str, pictures: dict[str, bytes]) -> str:
    """One output: a picture, a table, or text."""
    data = output.get("data", {})
    if "image/png" in data:
        pictures[name] = base64.b64decode(data["image/png"])
        return f"![{_alternative(data)}]({name})"
    if "text/html" in data:
        return f'<div class="output" markdown="0">\n{_one_block(data["text/html"])}\n</div>'
    return f"```text\n{(output.get('text') or data.get('text/plain', '')).rstrip()}\n```"


def _alternative(data: Cell) -> str:
    text = str(data.get("text/plain", "figure"))
    return "Figure drawn by the cell above" if text.startswith("<") else text


def _one_block(text: str) -> str:
    """HTML without the empty lines that would end it for Markdown."""
    return "\n".join(line for line in text.splitlines() if line.strip())
