"""Returns sections of one paragraph, as numpydoc has them: a type, and the text below it."""

from __future__ import annotations

import re
import textwrap

import griffe

_SECTION = re.compile(r"(?m)^(Returns|Yields)\n-+\n((?:(?!\n\n\w+\n-+\n).)*)", re.DOTALL)


class TypedReturns(griffe.Extension):
    """Our docstrings leave types to signatures; without one the first line is read as a type."""

    def on_object(self, *, obj: griffe.Object, **kwargs: object) -> None:
        """Put the annotation before the text of what is returned."""
        type_ = getattr(obj, "returns", None) or getattr(obj, "annotation", None)
        if obj.docstring is None or type_ is None:
            return

        def typed(section: re.Match[str]) -> str:
            text = textwrap.indent(section[2].strip(), "    ")
            return f"{section[1]}\n{'-' * len(section[1])}\n{type_}\n{text}\n"

        obj.docstring.value = _SECTION.sub(typed, obj.docstring.value)
