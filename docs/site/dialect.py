"""Markdown as code hosts read it, for mkdocs, which wants four columns below an item of a list."""

from __future__ import annotations

import re

COLUMNS = 4
_ITEM = re.compile(r"( *)(?:[-*]|\d+\.) +(?=\S)")
_FENCE = re.compile(r" *```")
_MATH = re.compile(r"^( *)```math\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"\$`([^`\n]+)`\$")
"""A formula within a line whose characters code hosts would take for emphasis."""


def for_mkdocs(text: str) -> str:
    """Move what belongs to items of lists, part lists from paragraphs, mark formulas."""
    moved = _MATH.sub(_formula, "\n".join(_lines(text.split("\n"))))
    return _INLINE.sub(r"$\1$", moved)


def _formula(match: re.Match[str]) -> str:
    body = "\n".join(match[1] + line.strip() for line in match[2].strip().splitlines())
    return f"\n{match[1]}$$\n{body}\n{match[1]}$$\n"


def _lines(lines: list[str]) -> list[str]:
    made: list[str] = []
    widths: list[int] = []  # columns at which the text of each open item begins
    fenced = False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        item = None if fenced else _ITEM.match(line)
        if line.strip() and not fenced:
            widths = [width for width in widths if indent >= width]
        if item and not widths and made and made[-1].strip() and not _in_list(made):
            made.append("")
        if item and (indent < COLUMNS or widths):
            made.append(" " * COLUMNS * len(widths) + line.lstrip())
            widths.append(item.end())
        elif widths and line.strip():
            made.append(" " * COLUMNS * len(widths) + line[widths[-1] :])
        else:
            made.append(line)
        if _FENCE.match(line):
            fenced = not fenced
    return made


def _in_list(made: list[str]) -> bool:
    """Whether the paragraph before is of a list."""
    for line in reversed(made):
        if not line.strip():
            return False
        if _ITEM.match(line):
            return True
    return False
