"""The worked examples of docs/extending.md, as a reader would copy them."""

import re
from pathlib import Path

EXTENDING = Path(__file__).resolve().parents[1] / "docs/extending.md"


def worked_example(heading):
    """The first module under a heading."""
    section = EXTENDING.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]
